"""The simple commands in a command as the store keeps it: on one line, and only its beginning.

No text for the grammar, for the ends of lines are gone and a quotation may be cut. Quotes and
`$(...)` are heeded, redirections are left out, and where a heredoc or a comment begins the reading
ends: what of it belongs to the shell cannot be told any more. One pass, whatever the text.
"""

from __future__ import annotations

from holdfast.system.value import Value

QUOTES = "'\"`"
BRACKETS = "(){}"
REDIRECTS = "<>"
SPECIAL = frozenset(f"{QUOTES}{REDIRECTS})$|&;\\ \t\n\r\f\v")  # these end a run of plain letters


class Piece(Value):
    """One simple command: its words without quotes."""

    words: list[str]
    before: str  # the operator before it, "" for the first
    after: str  # the operator after it, "" for the last


def pieces(line: str) -> list[Piece]:
    """The simple commands, in their order."""
    reading = _Reading()
    at, end = 0, len(line)
    while at < end:
        sign = line[at]
        if sign.isspace() or (reading.is_between() and line.startswith("\\ ", at)):
            reading.end_word()  # `\\ ` between words: the end of a line was escaped
            at += 1
        elif sign in QUOTES:
            at = reading.quoted(line, at)
        elif sign == "\\":
            reading.add(line[at + 1 : at + 2])
            at += 2
        elif line.startswith("$(", at):
            at = reading.substituted(line, at)
        elif sign in REDIRECTS:
            if line.startswith("<<", at):
                break
            at = reading.redirected(line, at)
        elif sign == "&" and line.startswith("&>", at):
            at = reading.redirected(line, at + 1)
        elif sign in "|&;":
            operator = line[at : at + 2] if line[at : at + 2] in ("&&", "||", "|&") else sign
            reading.end_command(operator)
            at += len(operator)
        elif sign == ")" or (sign in BRACKETS and reading.is_between()):
            reading.end_word()
            at += 1
        elif sign == "#" and reading.is_between():
            break
        else:
            at = reading.plain(line, at)
    reading.end_command("")
    return reading.made


class _Reading:
    def __init__(self) -> None:
        self.made: list[Piece] = []
        self.words: list[str] = []
        self.word: list[str] | None = None
        self.before = ""
        self.drops_next = False

    def is_between(self) -> bool:
        return self.word is None

    def add(self, letters: str) -> None:
        self.word = [] if self.word is None else self.word
        self.word.append(letters)

    def plain(self, line: str, at: int) -> int:
        end = at + 1
        while end < len(line) and line[end] not in SPECIAL:
            end += 1
        self.add(line[at:end])
        return end

    def quoted(self, line: str, at: int) -> int:
        quote = line[at]
        letters: list[str] = []
        end = at + 1
        while end < len(line) and line[end] != quote:
            if quote == '"' and line[end] == "\\":
                end += 1
            letters.append(line[end : end + 1])
            end += 1
        self.add("".join(letters))
        return end + 1

    def substituted(self, line: str, at: int) -> int:
        """`$(...)` belongs to its word, whatever stands in it."""
        depth, end = 1, at + 2
        while end < len(line) and depth:
            depth += {"(": 1, ")": -1}.get(line[end], 0)
            end += 1
        self.add(line[at:end])
        return end

    def redirected(self, line: str, at: int) -> int:
        """`2>&1`, `> log`: neither the sign nor the file is a word of the command."""
        if self.word is not None and "".join(self.word).isdecimal():
            self.word = None  # `2>`
        self.end_word()
        end = at
        while end < len(line) and line[end] in "<>&|":
            end += 1
        self.drops_next = True
        return end

    def end_word(self) -> None:
        if self.word is None:
            return
        if not self.drops_next:
            self.words.append("".join(self.word))
        self.drops_next = False
        self.word = None

    def end_command(self, operator: str) -> None:
        self.end_word()
        self.drops_next = False
        if self.words:
            self.made.append(Piece(self.words, self.before, operator))
        self.words, self.before = [], operator
