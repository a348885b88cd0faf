"""A command line in pieces, and whose exit code the line's is.

A small reading of the shell, enough for two questions. Quotes, comments, here-documents,
redirections and groups are understood; substitutions are opaque. When in doubt the exit code is
hidden, never assumed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Piece = list[str] | str  # the words of a simple command, or an operator

COMMAND_CAP = 50_000  # characters
PIECES_CAP = 600  # commands and operators: nobody wrote a longer line to prove something
BRANCHES = frozenset({"if", "for", "while", "until", "case", "select", "function", "{"})


class _Splitting:
    """A command line on its way into pieces: what was read, and the word under way."""

    __slots__ = ("documents", "pieces", "to_file", "word", "words")

    def __init__(self) -> None:
        self.pieces: list[Piece] = []
        self.words: list[str] = []
        self.word: str | None = None  # None: between words
        self.to_file = False  # the next word is where a redirection leads
        self.documents: list[str] = []  # ends of here-documents that begin on the next line

    def add(self, text: str) -> None:
        self.word = (self.word or "") + text

    def end_word(self) -> None:
        if self.word is not None:
            if not self.to_file:
                self.words.append(self.word)
            self.to_file, self.word = False, None

    def end_command(self, operator: str = "") -> None:
        self.end_word()
        if self.words:
            self.pieces.append(self.words)
            self.words = []
        if operator:
            self.pieces.append(operator)


def split(command: str) -> list[Piece]:
    """The words of each simple command and the operators between them, in order.

    A line beyond the caps is not read at all: its end might say `|| true`.
    """
    line = _Splitting()
    at = 0
    if len(command) > COMMAND_CAP:
        return []
    while at < len(command) and len(line.pieces) <= PIECES_CAP:
        at = _step(line, command, at)
    line.end_command()
    return line.pieces if len(line.pieces) <= PIECES_CAP else []


def _step(line: _Splitting, command: str, at: int) -> int:
    """One piece further: where the next one begins."""
    sign = command[at]
    if sign == "\\":
        if command[at + 1 : at + 2] != "\n":
            line.add(command[at + 1 : at + 2])
        return at + 2
    if sign in "'\"":
        inner, at = _quoted(command, at)
        line.add(inner)
        return at
    if sign == "`" or command.startswith("$(", at):
        end = _past_substitution(command, at)
        line.add(command[at:end])
        return end
    if sign in " \t\r":
        line.end_word()
        return at + 1
    if sign == "\n":
        line.end_command("\n")
        at += 1
        while line.documents:
            at = _past_document(command, at, line.documents.pop(0))
        return at
    if sign == "#" and line.word is None:
        end = command.find("\n", at)
        return len(command) if end < 0 else end
    if sign in "<>" or command.startswith("&>", at):
        return _redirected(line, command, at)
    if sign in "&|;()":
        pair = command[at : at + 2]
        if pair in ("&&", "||", ";;", "|&"):
            line.end_command("|" if pair == "|&" else pair)
            return at + 2
        line.end_command(sign)
        return at + 1
    end = at + 1
    while end < len(command) and command[end] not in "\\'\"`$ \t\r\n<>&|;()":
        end += 1
    line.add(command[at:end])
    return end


def _redirected(line: _Splitting, command: str, at: int) -> int:
    if line.word is not None and line.word.isdigit():
        line.word = None  # the 2 of 2>&1
    line.end_word()
    is_document = command.startswith("<<", at) and not command.startswith("<<<", at)
    while at < len(command) and command[at] in "<>&|":
        at += 1
    if not is_document:
        line.to_file = True
        return at
    while at < len(command) and command[at] in "- \t":
        at += 1
    mark = ""
    while at < len(command) and command[at] not in " \t\n;&|<>()":
        if command[at] in "'\"":
            inner, at = _quoted(command, at)
            mark += inner
        else:
            mark += command[at].replace("\\", "")
            at += 1
    line.documents.append(mark)
    return at


def _quoted(command: str, at: int) -> tuple[str, int]:
    """The text between quotes and where it ends; quotes left open reach to the end."""
    quote = command[at]
    if quote == "'":
        end = command.find("'", at + 1)
        end = len(command) if end < 0 else end
        return command[at + 1 : end], end + 1
    inner = ""
    at += 1
    while at < len(command) and command[at] != '"':
        if command[at] == "\\":
            if command[at + 1 : at + 2] not in ('"', "\\", "$", "`", "\n"):
                inner += "\\"
            inner += command[at + 1 : at + 2].replace("\n", "")
            at += 2
            continue
        end = at + 1
        while end < len(command) and command[end] not in '"\\':
            end += 1
        inner += command[at:end]
        at = end
    return inner, at + 1


def _past_substitution(command: str, at: int) -> int:
    if command[at] == "`":
        end = command.find("`", at + 1)
        return len(command) if end < 0 else end + 1
    depth, at = 1, at + 2
    while at < len(command) and depth:
        if command[at] in "'\"":
            at = _quoted(command, at)[1]
            continue
        depth += {"(": 1, ")": -1}.get(command[at], 0)
        at += 1 + (command[at] == "\\")
    return min(at, len(command))


def _past_document(command: str, at: int, mark: str) -> int:
    while at < len(command):
        end = command.find("\n", at)
        end = len(command) if end < 0 else end
        if command[at:end].strip("\t\r") == mark:
            return end
        at = end + 1
    return at


def speaks(pieces: list[Piece], at: int) -> bool:
    """Whether a zero exit of the whole line means that this command ran and ended with zero."""
    if any(isinstance(piece, list) and piece[0] in BRANCHES for piece in pieces):
        return False  # what belongs to which branch is for a grammar to say
    was_reached, in_chain = _reached(pieces[:at])
    if not was_reached:
        return False
    strict, pipefail = _options(pieces[:at])
    depth = 0
    for place in range(at + 1, len(pieces)):
        piece = pieces[place]
        if isinstance(piece, list) or (piece == "|" and pipefail):
            continue
        depth += {"(": 1, ")": -1}.get(piece, 0)
        if depth > 0 or piece in ("(", ")"):
            continue
        if piece == "&&":
            in_chain = True
        elif piece in (";", "\n"):
            if strict and not in_chain:
                return True  # under `set -e` the line would have ended here
            if any(isinstance(later, list) for later in pieces[place:]):
                return False
        else:
            return False
    return True


def _reached(before: list[Piece]) -> tuple[bool, bool]:
    """Whether the command after these pieces surely ran, and whether it ends a chain of `&&`."""
    in_chain, depth, direct = False, 0, True
    for piece in reversed(before):
        if isinstance(piece, list):
            if _leaves(piece) or (direct and not depth and piece[0] == "!"):
                return False, in_chain  # `[ -d x ] || exit 0`, `! cat x | pytest`
        elif piece == ")":
            depth += 1
        elif piece == "(":
            direct = direct or not depth
            depth = max(depth - 1, 0)
        elif piece != "|" and not depth and direct:
            if piece == "||":
                return False, in_chain
            in_chain = in_chain or piece == "&&"
            direct = False
    return True, in_chain


def _leaves(words: list[str]) -> bool:
    """Whether a command may end the line before its end, with an exit code of zero."""
    for at, word in enumerate(words[:3]):
        if word in ("exec", "return", "break", "continue"):
            return True
        if word == "exit":
            return not words[at + 1 : at + 2] > ["0"]
    return False


def _options(before: list[Piece]) -> tuple[bool, bool]:
    """Whether `set -e` and `set -o pipefail` were said, to this shell and before anything else
    could keep them from being heard."""
    strict = pipefail = False
    for at, words in enumerate(before):
        if words in ("(", ")", "|", "||", "&"):
            break
        if words[0] == "set" and before[at + 1] in (";", "\n", "&&"):
            for word in words[1:]:
                if word == "pipefail":
                    pipefail = True
                elif word[:1] in ("-", "+") and "e" in word[1:]:
                    strict = word[0] == "-"
    return strict, pipefail
