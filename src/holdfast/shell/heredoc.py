"""Heredocs, lifted out of a shell text before its grammar reads it, and lines joined that go on.

The grammar stumbles over two heredocs on a line, or over `cat <<EOF; ls`. So each is replaced by
a redirection from a name of our own, and its body is kept beside the text.
"""

from __future__ import annotations

from holdfast.system.value import Value

MARK = "__heredoc_{}__"
CODE, DOUBLE, BRACE, SUM, BACK = "code", '"', "${", "((", "`"
WORD_ENDS = " \t\n;&|<>()"


class TooLongError(Exception):
    """A text that is not read, wherever it stands: what it would run is not known."""


class Body(Value):
    """What stands in a heredoc; the shell expands it unless its delimiter was quoted."""

    text: str
    is_expanded: bool


class Pending(Value):
    """A heredoc announced on this line, whose body begins on the next."""

    name: str
    delimiter: str
    is_expanded: bool
    has_tabs: bool


def lifted(text: str, limit: int) -> tuple[str, dict[str, Body]]:
    """The text with each heredoc as a redirection from a name, and the bodies by that name.
    TooLongError for one of more parts than the limit."""
    if "<<" not in text and "\\\n" not in text:
        return text, {}
    return _Scan(text).run(limit)


class _Scan:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.out: list[str] = []
        self.inside = [CODE]
        self.pending: list[Pending] = []
        self.bodies: dict[str, Body] = {}

    def run(self, limit: int) -> tuple[str, dict[str, Body]]:
        while self.at < len(self.text):
            if len(self.out) > limit:
                raise TooLongError
            sign = self.text[self.at]
            if self.text.startswith("\\\n", self.at):
                self.at += 2  # a line that goes on: the grammar would end a word here
            elif sign == "\\":
                self.keep(2)
            elif self.inside[-1] in (CODE, BACK):
                self.code(sign)
            else:
                self.quoted(sign)
        return "".join(self.out), self.bodies

    def keep(self, count: int) -> None:
        self.out.append(self.text[self.at : self.at + count])
        self.at += count

    def keep_to(self, end: int) -> None:
        self.keep((end if end >= 0 else len(self.text)) - self.at)

    def code(self, sign: str) -> None:
        text, at = self.text, self.at
        if sign == "'":
            end = _ansi_end(text, at) if text[at - 1 : at] == "$" else text.find("'", at + 1)
            self.keep_to(end + 1 if end >= 0 else -1)
        elif sign == "#" and (at == 0 or text[at - 1] in WORD_ENDS):
            self.keep_to(text.find("\n", at))
        elif sign == "\n":
            self.keep(1)
            self.read_bodies()
        elif text.startswith("<<<", at):
            self.herestring()
        elif text.startswith("<<", at):
            self.announce()
        elif text.startswith("((", at):
            self.enter(SUM, 2)
        elif sign == "(":
            self.enter(CODE, 1)
        elif sign == ")":
            self.leave(1)
        else:
            self.opening(sign)

    def quoted(self, sign: str) -> None:
        """In double quotes, in `${...}` and in arithmetic `<<` is no heredoc."""
        where = self.inside[-1]
        if (where, sign) in ((DOUBLE, '"'), (BRACE, "}")):
            self.leave(1)
        elif where == SUM and sign == "(":
            self.enter(SUM, 1)
        elif where == SUM and sign == ")":
            self.leave(2 if self.text.startswith("))", self.at) else 1)
        else:
            self.opening(sign)

    def opening(self, sign: str) -> None:
        text, at = self.text, self.at
        if sign == '"':
            self.enter(DOUBLE, 1)
        elif sign == "`":
            if self.inside[-1] == BACK:
                self.leave(1)
            else:
                self.enter(BACK, 1)
        elif text.startswith("$((", at):
            self.enter(SUM, 3)
        elif text.startswith("$(", at):
            self.enter(CODE, 2)
        elif text.startswith("${", at):
            self.enter(BRACE, 2)
        else:
            self.keep(1)

    def enter(self, where: str, count: int) -> None:
        self.inside.append(where)
        self.keep(count)

    def leave(self, count: int) -> None:
        if len(self.inside) > 1:
            self.inside.pop()
        self.keep(count)

    def herestring(self) -> None:
        """`2>&1 <<< x`: the grammar takes none after another redirection."""
        at = self.at + 3
        while self.text[at : at + 1] in (" ", "\t"):
            at += 1
        word, _, end = _delimiter(self.text, at)
        if end == at or set("$`\\") & set(self.text[at:end]):
            self.keep(3)
            return
        name = MARK.format(len(self.bodies) + len(self.pending))
        self.bodies[name] = Body(word, is_expanded=False)
        self.out.append(f"< {name} ")
        self.at = end

    def announce(self) -> None:
        at = self.at + 2
        has_tabs = self.text.startswith("-", at)
        at += has_tabs
        while self.text[at : at + 1] in (" ", "\t"):
            at += 1
        delimiter, quoted, end = _delimiter(self.text, at)
        if end == at:
            self.keep(2)
            return
        name = MARK.format(len(self.bodies) + len(self.pending))
        self.pending.append(Pending(name, delimiter, is_expanded=not quoted, has_tabs=has_tabs))
        self.out.append(f"< {name} ")
        self.at = end

    def read_bodies(self) -> None:
        for heredoc in self.pending:
            lines = []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = end if end >= 0 else len(self.text)
                line = self.text[self.at : end]
                line = line.lstrip("\t") if heredoc.has_tabs else line
                # `EOF)` closes a heredoc in a substitution whose bracket follows at once.
                if line.rstrip("\r") == heredoc.delimiter:
                    self.at = end + 1
                    break
                if len(self.inside) > 1 and line == heredoc.delimiter + ")":
                    self.at = end - 1
                    break
                lines.append(line)
                self.at = end + 1
            body = "\n".join(lines)
            self.bodies[heredoc.name] = Body(body, is_expanded=heredoc.is_expanded)
        self.pending.clear()


def _ansi_end(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != "'":
        at += 2 if text[at] == "\\" else 1
    return at if at < len(text) else -1


def _delimiter(text: str, at: int) -> tuple[str, bool, int]:
    """The word after `<<`: without its quotes, whether it had any, and where it ends."""
    word, quoted = "", False
    while at < len(text) and text[at] not in WORD_ENDS:
        if text[at] in "'\"":
            end = text.find(text[at], at + 1)
            if end < 0:
                break
            word, quoted, at = word + text[at + 1 : end], True, end + 1
        elif text[at] == "\\":
            word, quoted, at = word + text[at + 1 : at + 2], True, at + 2
        else:
            word, at = word + text[at], at + 1
    return word, quoted, at
