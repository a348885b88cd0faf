"""One session: what it was about, what it did in which order, its curves, and what it was told; and
one entry as it was kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from holdfast.errors import NotFound, StoreError
from holdfast.ledger import queries as ledger, timeline_queries as timeline
from holdfast.ledger.entry import Entry
from holdfast.ledger.entry_words import GROUPS, OTHER, Words, kinds_of, summary_of
from holdfast.ledger.timeline_queries import KeptEntry
from holdfast.rooms.identity import facets, lookup
from holdfast.rooms.identity.mind import Reading
from holdfast.rooms.prompts import queries as prompts
from holdfast.rooms.sessions import chain, queries
from holdfast.rooms.work import budget, queries as work
from holdfast.store.sqlite import Store
from holdfast.web import drawing
from holdfast.web.drawing import Dot, Line
from holdfast.web.origins import ToldLine, told_lines
from holdfast.web.visit import Page, ProjectPlace, Visit

EVERYTHING = "everything"
# What is shown where nothing was asked for; confidence moves with every other act.
MAIN = [
    kind
    for kind in kinds_of([group for group in GROUPS if group != OTHER])
    if kind != "confidence_moved"
]
ENTRIES, MEASURED, FOLDED, TELLINGS, FILES = 100, 400, 400, 20, 12


@dataclass(frozen=True)
class TimelineRow:
    entry: KeptEntry
    words: Words


@dataclass(frozen=True)
class Telling:
    """What the session was told at one event."""

    entry: KeptEntry
    tokens: int
    lines: list[ToldLine]


@dataclass(frozen=True)
class Identity:
    reading: Reading
    ring: list[Dot]
    mean: tuple[float, float]
    curve: Line
    points: int


@dataclass(frozen=True)
class Filter:
    """A group of the timeline that is shown or not, and the way to the other."""

    name: str
    is_on: bool
    href: str


def page(visit: Visit) -> Page:
    store, id_ = visit.store, visit.names["session"]
    session = queries.find(store, id_)
    if session is None and ledger.has_forgotten(store, id_, ("session_forgotten",)):
        gone = NotFound("This session was forgotten", hint="Its text is gone; headers stay.")
        return Page("error.html", "Forgotten", gone, tab="Sessions")
    if session is None:
        raise NotFound("there is no such session", hint="the page Sessions lists those that are")
    row = queries.project(store, session.project)
    done = work.activity(store, id_)
    is_measured = bool(done and done.tokens and done.window)
    percent = done.tokens * 100 // done.window if done and is_measured else 0
    rows, older = _timeline(visit, id_)
    view = {
        "session": session,
        "goal": prompts.goal_of(store, id_),
        "done": done,
        "percent": percent,
        "phase": budget.phase(done.tokens, done.window) if done and is_measured else "",
        "context": _context(store, id_),
        "identity": _identity(store, id_),
        "tellings": _tellings(store, id_),
        "tokens_told": ledger.tokens_given(store, id_),
        "rows": rows,
        "older": older,
        "filters": _filters(visit),
        "files": work.changed(store, id_, FILES),
        "before": chain.before(store, id_, 5),
        "after": chain.after(store, id_, 2),
    }
    title = f"Session {id_.replace('-', '')[:8]}"
    place = ProjectPlace(*row) if row else None
    return Page("session.html", title, view, project=place, tab="Sessions")


def _timeline(visit: Visit, session: str) -> tuple[list[TimelineRow], str]:
    groups = _groups(visit)
    entries = timeline.of_session(
        visit.store,
        session,
        kinds=() if EVERYTHING in groups else kinds_of(groups) if groups else MAIN,
        before=visit.number("before"),
        limit=ENTRIES + 1,
    )
    rows = [TimelineRow(entry, summary_of(entry)) for entry in entries[:ENTRIES]]
    if len(entries) <= ENTRIES:
        return rows, ""
    query = {"before": rows[-1].entry.place} | ({"show": " ".join(groups)} if groups else {})
    return rows, f"?{urlencode(query)}"


def _groups(visit: Visit) -> list[str]:
    """The groups that were asked for; none is the main ones."""
    asked = visit.query.get("show", "").split()
    return [name for name in asked if name in GROUPS or name == EVERYTHING]


def _filters(visit: Visit) -> list[Filter]:
    chosen = _groups(visit)
    filters = [Filter("Main", not chosen, "?")]
    for group, name in GROUPS.items():
        others = [each for each in chosen if each not in (group, EVERYTHING)]
        groups = others if group in chosen else [*chosen, group]
        href = f"?{urlencode({'show': ' '.join(groups)})}" if groups else "?"
        filters.append(Filter(name, group in chosen, href))
    return [*filters, Filter("Everything", EVERYTHING in chosen, f"?show={EVERYTHING}")]


def _context(store: Store, session: str) -> Line:
    """How full the window was at each prompt, turn and compaction."""
    kinds = ("prompt_given", "turn_ended", "context_closing")
    entries = timeline.of_session(store, session, kinds=kinds, limit=MEASURED)[::-1]
    values, labels = [], []
    for entry in entries:
        tokens, window = (int((entry.body or {}).get(name) or 0) for name in ("tokens", "window"))
        if tokens and window:
            values.append(tokens / window)
            labels.append(f"{tokens * 100 // window} % of {window:,} tokens")
    return drawing.line(values, labels)


def _identity(store: Store, session: str) -> Identity | None:
    try:
        reading = lookup.reading_of(store, session)
    except (NotFound, StoreError):
        return None
    if not reading.events:
        return None
    points = lookup.curve(_folded_entries(store, session))
    labels = [f"IC {point.ic:.2f}, r {point.r:.2f}" for point in points]
    return Identity(
        reading,
        drawing.ring(reading.phases, facets.NAMES),
        drawing.mean(reading.phases),
        drawing.line([point.ic for point in points], labels),
        len(points),
    )


def _folded_entries(store: Store, session: str) -> Iterator[Entry]:
    kept = timeline.of_session(store, session, kinds=lookup.KINDS, limit=FOLDED)
    for each in reversed(kept):
        if each.body is not None:
            header = (each.machine, each.seq, each.at, each.project, each.session, each.agent)
            yield Entry(*header, each.kind, 1, each.body)


def _tellings(store: Store, session: str) -> list[Telling]:
    entries = timeline.of_session(store, session, kinds=("context_given",), limit=TELLINGS)
    return [
        Telling(entry, int(entry.body["tokens"]), told_lines(store, entry))
        for entry in entries
        if entry.body is not None
    ]


def entry(visit: Visit) -> Page:
    number = visit.names["number"]
    is_number = number.isascii() and number.isdecimal() and len(number) < 16
    entry = timeline.numbered(visit.store, int(number)) if is_number else None
    if entry is None:
        raise NotFound("there is no such entry", hint="a session's timeline lists its entries")
    row = queries.project(visit.store, entry.project) if entry.project else None
    return Page(
        "entry.html",
        f"Entry {entry.seq}",
        {"entry": entry, "words": summary_of(entry), "lines": told_lines(visit.store, entry)},
        project=ProjectPlace(*row) if row else None,
        tab="Sessions",
    )
