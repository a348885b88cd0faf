"""Which names a text of code defines, by its lines: functions, classes, types, constants.

Laws: a line is read once and no further than its name; a name stands behind a word that defines
in many languages (`def`, `func`, `class`, `type` ...), so prose and calls define nothing; what a
function keeps for itself is not worth a name: `const`, `let` and `var` count without indentation.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = 60  # of one text
SHORTEST, LONGEST = 4, 80
LINE_CAP = 300
# Words that a definition opens with, and those that may stand before them.
DEFINING = frozenset(
    "def func function fn class type struct interface enum trait protocol record object module"
    " mod macro fun".split()
)
OUTSIDE = frozenset("const let var val static".split())
BEFORE = frozenset(
    "export default async pub public private protected internal abstract final override sealed"
    " declare readonly unsafe extern inline data open static partial".split()
)
# Texts that tell about code hold examples of it.
PROSE = (".md", ".mdx", ".txt", ".rst", ".adoc")


def names_in(text: str, path: str) -> list[str]:
    """In the order of the text, each once."""
    if path.endswith(PROSE):
        return []
    names: dict[str, None] = {}
    for line in text.splitlines():
        for name in _defined(line[:LINE_CAP]):
            names[name] = None
        if len(names) >= NAMES:
            break
    return list(names)


def _defined(line: str) -> Iterator[str]:
    words = line.split(maxsplit=6)
    is_indented = line[:1].isspace()
    for place, word in enumerate(words[:-1]):
        if word in DEFINING or (word in OUTSIDE and not is_indented):
            rest = " ".join(words[place + 1 :])
            if word == "func" and rest.startswith("("):  # whose method it is
                rest = rest.partition(")")[2].lstrip()
            if word in OUTSIDE and rest.split(maxsplit=1)[0] in DEFINING:
                continue
            name = _name(rest)
            if SHORTEST <= len(name) <= LONGEST and name not in DEFINING:
                yield name
            return
        if word not in BEFORE and not word.startswith("pub("):
            return


def _name(text: str) -> str:
    """The name that a text opens with."""
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[:end] if text[:end].isidentifier() else ""
