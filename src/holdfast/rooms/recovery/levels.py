"""Levels of recovery: the least that lets work go on, a search, everything.

Laws: a level fits its tokens whatever there is; level 1 is the active context and the last three
decisions with their standing, however long the notes are; what is broken is called broken, and
never told as holding.
"""

from __future__ import annotations

from holdfast.hook.briefing import inline
from holdfast.hook.tokens import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.rooms.decisions.decision import Decision, Standing

LEVEL1, LEVEL2, LEVEL3 = 100, 500, 2_000
WIDTHS = (160, 120, 90, 70, 55, 40, 30, 20, 12)
BRIEF = ("Current Bead", "Reasoning State", "Last Checkpoint")


def level1(
    active: dict[str, str],
    last: list[tuple[Decision, str, dict[str, Standing]]],
    questions: int = 0,
    unsound: int = 0,
    tokens: int = LEVEL1,
) -> list[str]:
    """Lines that fit: texts are cut shorter until they do, and the last lines go only then."""
    if not (last or questions or unsound or active.get(BRIEF[0])):
        return []
    for width in WIDTHS:
        lines = _lines(active, last, questions, unsound, width)
        if fits(lines, tokens):
            return lines
    while lines and not fits(lines, tokens):
        lines.pop()
    return lines


def fits(lines: list[str], tokens: int) -> bool:
    return count("\n".join(lines)) <= tokens


def _lines(
    active: dict[str, str],
    last: list[tuple[Decision, str, dict[str, Standing]]],
    questions: int,
    unsound: int,
    width: int,
) -> list[str]:
    lines = [
        f"- {decision_line(decision, name, standings, width)}" for decision, name, standings in last
    ]
    known = [(name.rpartition(" ")[2], active.get(name, "")) for name in BRIEF]
    lines += [f"{name}: {_short(value, width)}" for name, value in known if value]
    if questions:
        lines.append(f"Open questions: {questions}")
    if unsound:
        lines.append(f"Identifiers gone: {unsound}")
    return lines


def decision_line(decision: Decision, name: str, standings: dict[str, Standing], width: int) -> str:
    """A decision in one line, with how it stands, and that a file says it where one does."""
    text = _short(decision.text, width)
    if decision.source == "file":
        text = f"{text} [edited in NOTES.md]"
    if name == "broken":
        return f"BROKEN, do not rely on it: {text}"
    if name == "moved":
        now = next(each for each in standings.values() if each.name == "moved")
        return f"{text} (moved to {_short(now.where(), 60)})"
    return f"{text} ({name})"


def _short(text: str, width: int) -> str:
    """A text in one harmless line, its end cut off."""
    line = inline(text, 10_000)
    return line if len(line) <= width else f"{line[:width].rstrip()}…"


# Level 2


class Found:
    """Something that may be meant: what it is, when it was said, and its words."""

    __slots__ = ("at", "ref", "sort", "text")

    def __init__(self, sort: str, ref: str, at: str, text: str) -> None:
        self.sort = sort
        self.ref = ref
        self.at = at
        self.text = text

    def line(self, width: int = 300) -> str:
        return f"{self.sort} {self.ref} ({self.at[:10]}): {inline(self.text, width)}"

    def as_dict(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in ("sort", "ref", "at", "text")}


def ranked(query: str, documents: Iterable[Found]) -> list[Found]:
    """What shares words with the query, the rarest words first, then the newest. Without a query
    all of it, the newest first."""
    everything = sorted(documents, key=lambda document: document.at, reverse=True)
    asked = set(words(query))
    if not asked:
        return everything
    worded = [(each, words(f"{each.sort} {each.ref} {each.text}")) for each in everything]
    weights = {word: 1.0 / (1 + sum(word in set(theirs) for _, theirs in worded)) for word in asked}
    scored = [
        (sum(weights[word] * _often(theirs.count(word)) for word in asked), document)
        for document, theirs in worded
    ]
    return [document for score, document in sorted(scored, key=lambda pair: -pair[0]) if score > 0]


def words(text: str) -> list[str]:
    """Small words: `refreshToken` and `refresh_token` are two each; the plural is the word."""
    spaced = "".join(
        f" {sign}" if sign.isupper() else sign if sign.isalnum() else " " for sign in text
    )
    joined = "".join(sign if sign.isalnum() else " " for sign in text).lower().split()
    parts = spaced.lower().split()
    return [
        word.removesuffix("s") if len(word) > 3 else word
        for word in (*parts, *(each for each in joined if each not in parts))
        if len(word) > 1
    ]


def _often(times: int) -> float:
    return times / (times + 1)


def within(lines: list[str], tokens: int, *, see: str) -> list[str]:
    """As many lines as fit, and where the rest is."""
    kept: list[str] = []
    for number, line in enumerate(lines):
        rest = len(lines) - number - 1
        ending = [f"({rest} more: {see})"] if rest else []
        if not fits([*kept, line, *ending], tokens):
            left = [f"({rest + 1} more: {see})"]
            while kept and not fits([*kept, *left], tokens):
                kept.pop()
                left = [f"({len(lines) - len(kept)} more: {see})"]
            return [*kept, *left] if fits([*kept, *left], tokens) else kept
        kept.append(line)
    return kept
