"""The options of a command by the words of its program: bundled, abbreviated, with values.

A specification has a word for each option: `m|message=` takes a value, `S|gpg-sign~` may have one
in its own word, `amend` has none. A long option may be cut as far as no other begins like it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.shell.program import Word

    Known = dict[str, tuple[str, str]]  # as it is written -> its full name, and its sign

_specified: dict[str, Known] = {}


class Options:
    """What was given: flags and values by their full names, and the operands."""

    def __init__(self, words: list[Word], specification: str) -> None:
        self.known = _known(specification)
        self.flags: set[str] = set()
        self.values: dict[str, list[str]] = {}
        self.operands: list[Word] = []
        self.paths: list[Word] = []  # behind `--`
        self.has_dashes = False
        waiting = list(reversed(words))
        while waiting:
            word = waiting.pop()
            text = word.text
            if text == "--":
                self.has_dashes = True
                self.paths = list(reversed(waiting))
                break
            if text.startswith("--"):
                self._long(text[2:], waiting)
            elif len(text) > 1 and text[0] == "-":
                self._bundle(text[1:], waiting)
            else:
                self.operands.append(word)

    def __contains__(self, name: str) -> bool:
        return name in self.flags

    def value(self, *names: str) -> str:
        return next((self.values[name][-1] for name in names if name in self.values), "")

    def _long(self, text: str, waiting: list[Word]) -> None:
        head, equals, value = text.partition("=")
        matches = {full for full in self.known if len(full) > 1 and full.startswith(head)}
        full = head if head in self.known or len(matches) != 1 else matches.pop()
        name, sign = self.known.get(full, (full, ""))
        self._take(name, sign, value if equals else None, waiting)

    def _bundle(self, letters: str, waiting: list[Word]) -> None:
        for at, letter in enumerate(letters):
            name, sign = self.known.get(letter, (letter, ""))
            rest = letters[at + 1 :]
            if sign:
                self._take(name, sign, rest or None, waiting)
                return
            self.flags.add(name)

    def _take(self, name: str, sign: str, value: str | None, waiting: list[Word]) -> None:
        self.flags.add(name)
        if value is None and sign == "=" and waiting:
            value = waiting.pop().text
        if value is not None:
            self.values.setdefault(name, []).append(value)


def _known(specification: str) -> Known:
    if specification not in _specified:
        known: Known = {}
        for each in specification.split():
            sign = each[-1] if each[-1] in "=~" else ""
            names = each.rstrip("=~").split("|")
            known |= dict.fromkeys(names, (names[-1], sign))
        _specified[specification] = known
    return _specified[specification]
