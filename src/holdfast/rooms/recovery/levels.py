"""Levels of recovery: the least that lets work go on, a search (search.py), everything.

Laws: a level fits its tokens whatever there is; level 1 is the active context and the last three
decisions with their standing, however long the notes are, and what is open while there is room;
what is broken is called broken, and never told as holding.
"""

from __future__ import annotations

from holdfast.hook.tokens import count
from holdfast.rooms.decisions import decision_wording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.rooms.decisions.decision import Decision, Standing
    from holdfast.rooms.decisions.queries import OpenItem

LEVEL1, LEVEL2, LEVEL3 = 100, 500, 2_000
WIDTHS = (160, 120, 90, 70, 55, 40, 30, 20, 12)
BRIEF = ("Current Bead", "Reasoning State", "Last Checkpoint")
OPEN_WIDTH = 90
OPEN = {"blocker": "Blocker", "next_step": "Next", "question": "Question"}  # in this order


def level1(
    active: dict[str, str],
    last: list[tuple[Decision, str, dict[str, Standing]]],
    items: Sequence[OpenItem] = (),
    unsound: int = 0,
    tokens: int = LEVEL1,
) -> list[str]:
    """Lines that fit: texts are cut shorter until they do, and the last lines go only then. What is
    open follows as long as there is room."""
    questions = sum(item["sort"] == "question" for item in items)
    if not (last or items or unsound or active.get(BRIEF[0])):
        return []
    for width in WIDTHS:
        lines = _lines(active, last, questions, unsound, width)
        if fits(lines, tokens):
            return [*lines, *_open_lines(items, lines, tokens)]
    while lines and not fits(lines, tokens):
        lines.pop()
    return lines


def _open_lines(items: Sequence[OpenItem], above: list[str], tokens: int) -> list[str]:
    """Blockers, next steps, then questions, the earliest first: as many as fit."""
    lines: list[str] = []
    for sort, title in OPEN.items():
        for item in items:
            if item["sort"] == sort:
                text = decision_wording.sourced(item["text"], item["source"], OPEN_WIDTH)
                line = f"{title}: {text}"
                if not fits([*above, *lines, line], tokens):
                    return lines
                lines.append(line)
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
        f"- {decision_wording.line(decision, name, standings, width)}"
        for decision, name, standings in last
    ]
    known = [(name.rpartition(" ")[2], active.get(name, "")) for name in BRIEF]
    lines += [f"{name}: {decision_wording.cut(value, width)}" for name, value in known if value]
    if questions:
        lines.append(f"Open questions: {questions}")
    if unsound:
        lines.append(f"Identifiers gone: {unsound}")
    return lines


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
