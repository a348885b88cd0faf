"""List, add and drop what sessions here must keep in sight, CRITICAL first.

What you pin is the project's: every session is told. An agent's pin is its session's, at most ten
of them, and says that an agent pinned it. A pin with the word CRITICAL in it, or with --critical,
comes first and is inherited longest. What was learnt is told where its words come up again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from holdfast.cli.helpers import person_check, place_here
from holdfast.cli.helpers.place_here import SHORT, day, named, verbatim, with_id
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.verbs import LIMIT, TEXT, Verb, argument, flag, option
from holdfast.rooms.prompts.attribution import AGENT, PERSON
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands, queries as work_queries
from holdfast.rooms.work.pins import CAP


class PinRow(TypedDict):
    """Something that sessions keep in sight."""

    id: str
    content: str
    label: str
    critical: bool
    at: str
    session: str
    author: str


class Pinned(TypedDict):
    """The pin that was set."""

    pin: PinRow


class InheritedPin(PinRow):
    """A pin, and the session it was inherited from."""

    inherited_from: str | None


class PinsListed(TypedDict):
    """What is pinned here, CRITICAL first, and how many may be."""

    pins: list[InheritedPin]
    cap: int


class Unpinned(TypedDict):
    """The id of the pin that is gone."""

    unpinned: str


class LearningRow(TypedDict):
    """Something that was learnt."""

    id: str
    text: str
    source: str
    categories: list[str]
    at: str
    session: str


class Learnt(TypedDict):
    """What was learnt now."""

    learning: LearningRow


class LearningsListed(TypedDict):
    """What was learnt here, the newest first."""

    learnings: list[LearningRow]


class LearningDropped(TypedDict):
    """The one that was taken off the list."""

    dropped: str


ALL = 100_000


def listed() -> Report[PinsListed]:
    """List what is pinned here, CRITICAL first."""
    pins = sorted(commands.pins_here(place_here.place()), key=lambda pin: not pin["critical"])
    lines = [_line(pin) for pin in pins]
    if not pins:
        lines = ["Nothing is pinned here. `holdfast pins add TEXT` keeps something in sight."]
    rows: list[InheritedPin] = [
        {**_row(pin), "inherited_from": pin["source"] or None} for pin in pins
    ]
    return Report(lines, {"pins": rows, "cap": CAP})


def _line(pin: Mapping[str, Any]) -> str:
    notes = [day(pin["at"]), short(pin["session"]) if pin["session"] else "every session here"]
    if pin["source"]:
        notes[1] = f"inherited from {short(pin['source'])}"
    if pin["author"] == AGENT:
        notes.append("pinned by an agent")
    label = f"{pin['label']}: " if pin["label"] else ""
    mark = "●" if pin["critical"] else "·"
    critical = "CRITICAL, " if pin["critical"] else ""
    text = verbatim(f"{label}{pin['content']}", SHORT + 4)
    return f"{mark} {pin['id'][:SHORT]}  {text}  ({critical}{', '.join(notes)})"


def add(*, text: tuple[str, ...], label: str, critical: bool) -> Report[Pinned]:
    """Pin a text: yours for every session here, an agent's for its own."""
    place = place_here.place(to_say=True)
    author = AGENT if person_check.doubt() else PERSON
    made = commands.pin(place, " ".join(text), label=label, critical=critical, author=author)
    where = f"in {short(made['session'])}" if made["session"] else "for every session here"
    mark = "Pinned as CRITICAL" if made["critical"] else "Pinned"
    return Report((f"{mark} {where}:", with_id(made["id"], made["content"])), {"pin": _row(made)})


def _row(pin: Mapping[str, Any]) -> PinRow:
    return shaped(PinRow, pin, critical=bool(pin["critical"]))


def drop(*, name: str) -> Report[Unpinned]:
    """Remove a pin, by its label or its id, wherever it was inherited to."""
    place = place_here.place(to_say=True)
    pin = named(commands.pins_here(place), name, "pin", "holdfast pins")
    commands.withdraw(place, pin["id"])
    return Report(
        ("No longer pinned:", with_id(pin["id"], pin["content"])), {"unpinned": pin["id"]}
    )


def learn(*, text: tuple[str, ...], categories: tuple[str, ...]) -> Report[Learnt]:
    """Record something learnt, for the sessions to come.

    Fixes are learnt without this: a command fails, files are edited, and it then passes.
    """
    made = commands.learn(place_here.place(to_say=True), " ".join(text), categories)
    return Report(
        ("Learnt:", with_id(made["id"], made["text"])), {"learning": shaped(LearningRow, made)}
    )


def learnings(*, limit: int, drop: str | None) -> Report[LearningsListed | LearningDropped]:
    """List what was learnt here, newest first, or drop what is no longer true."""
    place = place_here.place(to_say=drop is not None)
    store = place.workspace.store
    if drop is not None:
        every = [each.as_dict() for each in work_queries.learnings(store, place.project, ALL)]
        learning = named(every, drop, "learning", "holdfast pins learnings")
        commands.withdraw(place, learning["id"])
        line = with_id(learning["id"], learning["text"])
        return Report(("Dropped:", line), {"dropped": learning["id"]})
    latest = [each.as_dict() for each in work_queries.learnings(store, place.project, limit)]
    empty = "Nothing was learnt here yet. `holdfast pins learn TEXT` keeps something."
    rows = [shaped(LearningRow, learning) for learning in latest]
    return Report(
        tuple(_learning_line(learning) for learning in latest) or (empty,), {"learnings": rows}
    )


def _learning_line(learning: Mapping[str, Any]) -> str:
    notes = [*learning["categories"], day(learning["at"])]
    notes.append(short(learning["session"]) if learning["session"] else "by command")
    if learning["source"] == "fix":
        notes.insert(0, "a fix that worked")
    return f"{with_id(learning['id'], learning['text'])}  ({', '.join(notes)})"


VERBS = {
    "list": Verb(listed),
    "add": Verb(
        add,
        TEXT,
        option("--label", default="", help="A name for it, to drop it by."),
        flag("--critical", help="Inherited before others, and for longer."),
    ),
    "drop": Verb(drop, argument("name")),
    "learn": Verb(
        learn,
        TEXT,
        option("--category", "categories", multiple=True, help="What it is about; repeatable."),
    ),
    "learnings": Verb(
        learnings,
        LIMIT,
        option("--drop", metavar="ID", help="No longer true: take it off the list."),
    ),
}
