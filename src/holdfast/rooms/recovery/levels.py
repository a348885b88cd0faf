"""Levels of recovery: the least that lets work go on, a search (search.py), everything.

Laws: a level fits its tokens whatever there is; level 1 is the active context and the last three
decisions with their standing, however long the notes are; what is broken is called broken, and
never told as holding.
"""

from __future__ import annotations

from holdfast.hook.briefing import inline
from holdfast.hook.tokens import count

TYPE_CHECKING = False
if TYPE_CHECKING:
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
