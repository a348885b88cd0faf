"""A session's identity as a curve: its entries folded anew, and read after each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    """The points of a session, in the order of its entries."""
    points = []
    for entry, mind in folded(entries):
        reading = mind.reading()
        points.append(Point(entry.seq, entry.at, reading.ic, reading.r))
    return points


def folded(entries: Iterable[Entry]) -> Iterator[tuple[Entry, Mind]]:
    """Each entry that moves a session's mind, and the mind after it, as the projection folds it."""
    mind, thread = Mind.begin(), ""
    foretold: tuple[list[str], list[str]] = ([], [])
    for entry in entries:
        body, kind = entry.body, entry.kind
        if kind == "session_began" and (body["source"] not in GOES_ON or not mind.events):
            mind, foretold = Mind.begin(), foretold_by(body)
            continue
        if kind == "identity_inherited":
            mind = Mind.begin(body["legacy"], binds=not body.get("without_goal"))
            if any(foretold):
                mind.foretell(*foretold)
        elif kind == "prompt_given" and not body.get("unverified"):
            mind.prompt(body["prompt"], is_new_task=False)
        elif kind == "goal_set" and (anchor := anchored_by(entry, thread)):
            thread = anchor
            mind.prompt(body["goal"], is_new_task=True)
        elif kind == "tool_used" and "subagent" not in body:
            mind.tool(body)
        elif kind == "identity_settled" and body["verdict"] == "accept":
            mind.accept()
        elif kind == "identity_settled":
            mind.keep()
        else:
            continue
        yield entry, mind
