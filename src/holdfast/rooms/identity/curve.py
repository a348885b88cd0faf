"""A session's identity as a curve: its entries folded anew, and read after each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdfast.ledger.entry import Entry
from holdfast.rooms.identity.mind import Mind
from holdfast.rooms.identity.projection import GOES_ON, anchored_by, foretold_by

KINDS = (
    *("session_began", "identity_inherited", "prompt_given"),
    *("goal_set", "tool_used", "identity_settled"),
)


@dataclass(frozen=True)
class Point:
    """How identity stood after an entry."""

    seq: int
    at: str
    ic: float
    r: float


def curve(entries: Iterable[Entry]) -> list[Point]:
    """The points of a session, in the order of its entries; as the projection folds them."""
    mind, thread = Mind(), ""
    foretold: tuple[list[str], list[str]] = ([], [])
    points: list[Point] = []
    for entry in entries:
        body, kind = entry.body, entry.kind
        if kind == "session_began":
            if body["source"] not in GOES_ON or not mind.events:
                mind, foretold = Mind(), foretold_by(body)
            continue
        if kind == "identity_inherited":
            mind = Mind.begin(body["legacy"], binds=not body.get("without_goal"))
            if any(foretold):
                mind.foretell(*foretold)
        elif not _folded(mind, entry, thread):
            continue
        if kind == "goal_set":
            thread = anchored_by(entry, thread) or thread
        reading = mind.reading()
        points.append(Point(entry.seq, entry.at, reading.ic, reading.r))
    return points


def _folded(mind: Mind, entry: Entry, thread: str) -> bool:
    """Whether an entry changes the mind, and if so it does."""
    body, kind = entry.body, entry.kind
    if kind == "prompt_given" and not body.get("unverified"):
        mind.prompt(body["prompt"], is_new_task=False)
    elif kind == "goal_set" and anchored_by(entry, thread):
        mind.prompt(body["goal"], is_new_task=True)
    elif kind == "tool_used" and "subagent" not in body:
        mind.tool(body)
    elif kind == "identity_settled":
        if body["verdict"] == "accept":
            mind.accept()
        else:
            mind.keep()
    else:
        return False
    return True
