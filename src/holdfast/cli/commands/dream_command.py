"""Put in order what sessions left, or show what a dream did.

Decisions are grounded anew, what was said twice is put together, old sessions whose work is done
are archived, and the store is compacted. No pin, rule or decision is ever deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from holdfast.cli.helpers import place_here
from holdfast.cli.helpers.place_here import SHORT, misuse, named
from holdfast.cli.helpers.report import Report, progress, shaped
from holdfast.cli.helpers.verbs import Verb, argument, flag
from holdfast.cli.helpers.wording import ago, plural
from holdfast.errors import NotFound, StoreError
from holdfast.hook import consolidate
from holdfast.rooms.consolidation import queries
from holdfast.rooms.work.commands import Place

DREAMS = 1_000
MARKS = {consolidate.DONE: "●", consolidate.LIMIT: "○"}
WHY = {
    consolidate.HAND: "by hand",
    consolidate.CRISIS: "because a session drifted",
    consolidate.END: "after a session",
}
ENDED = {
    consolidate.DONE: "done",
    consolidate.LIMIT: "gave up at its limit of time",
}


class DreamRow(TypedDict):
    """What a dream did: counts by name, and the pairs that it merged."""

    id: str
    at: str
    why: str
    ended: str
    ms: int
    counts: dict[str, int]
    merged: list[list[str]]


class DreamShown(TypedDict):
    """A dream; None where there was none yet."""

    dream: DreamRow | None


class DreamDone(DreamShown):
    """The dream that was dreamt now."""

    dry_run: bool


class DreamBegun(TypedDict):
    """A dream began in the background."""

    begun: bool


def begin(*, detach: bool, dry_run: bool) -> Report[DreamDone | DreamBegun]:
    """Put in order what sessions left."""
    if detach and dry_run:
        misuse("what is not kept cannot be told later: --detach or --dry-run")
    place = place_here.place()
    if not place.project:
        raise NotFound(
            "no project here yet", hint="start the agent in your project, then ask again"
        )
    return _detached(place) if detach else _dreamt(place, dry_run=dry_run)


def _dreamt(place: Place, *, dry_run: bool) -> Report[DreamDone]:
    with progress("Dreaming") as tell:
        dream = consolidate.dream(
            place.workspace,
            place.project,
            consolidate.HAND,
            limit_s=place.settings["dream.limit_s"],
            older_than_days=place.settings["dream.archive_days"],
            dry_run=dry_run,
            tell=tell,
        )
    if dream is None:
        raise StoreError("a dream is under way", hint="see `holdfast dream show` in a moment")
    report = _report(place, dream, dry_run=dry_run)
    late = dream["ended"] == consolidate.LIMIT
    return Report(report.lines, {**report.data, "dry_run": dry_run}, 1 if late else 0)


def _detached(place: Place) -> Report[DreamBegun]:
    state = place.workspace.state
    begun = consolidate.start(state, place.project, consolidate.HAND, settings=place.settings)
    if not begun:
        raise StoreError(
            "no dream was begun: one is under way, or Holdfast is not installed",
            hint="see `holdfast dream show`, or dream here without --detach",
        )
    lines = ("● A dream has begun. `holdfast dream show` tells what came of it.",)
    return Report(lines, {"begun": True})


def show(*, id_: str | None) -> Report[DreamShown]:
    """Show what a dream did, the last one unless you name another."""
    place = place_here.place()
    dreams = queries.dreams(place.workspace.store, place.project, DREAMS)
    if not dreams:
        if id_:
            raise NotFound(f"no dream {id_}", hint="`holdfast dream` dreams one")
        return Report(("No dreams here yet. `holdfast dream` dreams one.",), {"dream": None})
    dream = named(dreams, id_, "dream", "holdfast dream show") if id_ else dreams[0]
    return _report(place, {"id": dream["id"], "at": dream["at"], **dream["said"]})


def _report(place: Place, dream: Mapping[str, Any], *, dry_run: bool = False) -> Report[DreamShown]:
    lines = [*_head(dream, place.at, dry_run=dry_run), *_counted(dream["counts"])]
    return Report(lines, {"dream": shaped(DreamRow, dream)})


def _head(dream: Mapping[str, Any], now: str, *, dry_run: bool) -> list[str]:
    why = WHY.get(dream["why"], dream["why"])
    took = f"{dream['ms']} ms"
    if dry_run:
        return [f"· A dream now would do this ({took}; nothing was kept):"]
    ended = ENDED.get(dream["ended"], dream["ended"])
    mark = MARKS.get(dream["ended"], "○")
    return [f"{mark} {dream['id'][:SHORT]}  {ago(dream['at'], now)}, {why}, {took}, {ended}"]


def _counted(counts: Mapping[str, int]) -> list[str]:
    """What was done. A dream of an earlier version counted other things, too."""
    many = {**dict.fromkeys(consolidate.COUNTED, 0), **counts}
    merged = [
        plural(many["learnings_merged"], "learning"),
        plural(many["topics_merged"], "topic"),
        plural(many["work_merged"], "found task"),
    ]
    cut = ["Before    a dream was cut short"] if many["cut_short"] else []
    return [
        *cut,
        f"Decisions {many['decisions_regrounded']} re-grounded",
        f"Merged    {', '.join(merged)}",
        f"Closed    {plural(many['threads_closed'], 'thread')}",
        f"Archived  {plural(many['sessions_archived'], 'session')}",
        f"Compacted {plural(many['pages_freed'], 'page')} freed",
    ]


VERBS = {
    "begin": Verb(
        begin,
        flag("--detach", help="Go on by itself, in the background."),
        flag("--dry-run", help="Show what it would do; keep nothing."),
    ),
    "show": Verb(show, argument("id_", metavar="[ID]", required=False)),
}
