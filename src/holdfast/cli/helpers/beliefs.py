"""How far a session that begins here would believe what earlier ones left, by who said it."""

from __future__ import annotations

from typing import TypedDict

from holdfast.hook import belief
from holdfast.rooms.decisions import deciding, decision_wording
from holdfast.rooms.work import fading, summary
from holdfast.rooms.work import queries as activity
from holdfast.rooms.work.commands import Place


class Believed(TypedDict):
    """How many memories a source left, how far they are believed, and how many are told no more."""

    items: int
    least: float
    most: float
    not_told: int


DECISIONS = 200


def believed(here: Place) -> dict[str, Believed]:
    """Pins, open items of the list in force and decisions: of each source how many there are, what
    is left of the confidence in them, and how many are no longer told at a start."""
    by_source: dict[str, list[float]] = {source: [] for source in belief.CONFIDENCE}
    for source, confidence in _left(here):
        by_source[source].append(confidence)
    return {
        source: {
            "items": len(levels),
            "least": round(min(levels), 2),
            "most": round(max(levels), 2),
            "not_told": sum(level < belief.DROPPED_UNDER for level in levels),
        }
        for source, levels in by_source.items()
        if levels
    }


def _left(here: Place) -> list[tuple[str, float]]:
    store, now = here.workspace.store, here.at
    floor = here.settings["continuity.decay_min_floor"]
    pins = summary.pins(store, here.project, here.about)
    left = fading.of_pins(store, pins, now, floor)
    levels = [(fading.source_of(pin), left[pin.id]) for pin in pins]
    source = activity.list_of(store, here.about)
    todos = summary.open_todos(store, source) if source else []
    if todos:
        level = fading.of_list(store, summary.InheritedList(source, todos), now, floor)
        levels += [(belief.AGENT, level)] * len(todos)
    for decision, standing, _ in deciding.greeting(store, here.project, here.root, DECISIONS):
        level = decision_wording.confidence_left(decision, standing, now, floor)
        levels.append((decision_wording.source_of(decision, standing), level))
    return levels


def line(levels: dict[str, Believed]) -> str:
    """In one line: `3 user 1.00, 2 agent 0.28 to 0.58 (1 not told)`."""
    parts = []
    for source, level in levels.items():
        least, most = f"{level['least']:.2f}", f"{level['most']:.2f}"
        span = least if least == most else f"{least} to {most}"
        untold = f" ({level['not_told']} not told)" if level["not_told"] else ""
        parts.append(f"{level['items']} {source} {span}{untold}")
    return ", ".join(parts) or "nothing is left by earlier sessions"
