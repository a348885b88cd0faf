"""Consolidate what sessions used together, or show what a dream found.

Links between files, topics, rules, pins and learnings grow with use and fade without it;
duplicates are merged. No pin, rule or decision is ever deleted. What a dream proposes is only a
proposal: nobody has checked it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import click

from holdfast.cli.helpers.place_here import SHORT, misuse, named, place
from holdfast.cli.helpers.progress import progress
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import Verb
from holdfast.cli.helpers.wording import ago, plural
from holdfast.errors import NotFound, StoreError
from holdfast.hook import consolidate
from holdfast.hook.voice import inline
from holdfast.rooms.consolidation import consolidating, queries
from holdfast.rooms.consolidation.links import Pair
from holdfast.rooms.work import queries as continuity
from holdfast.rooms.work.commands import Place

DREAMS, STRONGEST = 1_000, 10
WIDTH = 60
ASIDE = ("proposed", "shortcuts", "cut_short")  # counts of what a dream did not change
MARKS = {consolidate.DONE: "●", consolidate.LIMIT: "○"}
WHY = {consolidate.HAND: "by hand", consolidate.CRISIS: "because a session drifted"}
ENDED = {
    consolidate.DONE: "done",
    consolidate.LIMIT: "gave up at its limit of time: nothing was changed",
}


class NamedMemory(TypedDict):
    """A memory as people know it."""

    sort: str
    id: str  # "" for a file or a topic: its name says it
    text: str


class StrongLink(TypedDict):
    """Two memories that sessions use together."""

    a: NamedMemory
    b: NamedMemory
    permille: int
    together: int


class Proposal(TypedDict):
    """Two memories that were never used together, and those that both were used with."""

    a: NamedMemory
    b: NamedMemory
    by: list[NamedMemory]


class Links(TypedDict):
    """How many memories are linked, and the strongest."""

    count: int
    strongest: list[StrongLink]


class DreamRow(TypedDict):
    """What a dream did: counts by name, the pairs it merged, what it proposes."""

    id: str
    at: str
    why: str
    ended: str
    ms: int
    counts: dict[str, int]
    merged: list[list[str]]
    proposed: list[Proposal]
    links: Links


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
    """Consolidate what sessions used together."""
    if detach and dry_run:
        misuse("what is not kept cannot be told later: --detach or --dry-run")
    here = place()
    if not here.project:
        raise NotFound(
            "no project here yet", hint="start the agent in your project, then ask again"
        )
    return _detached(here) if detach else _dreamt(here, dry_run=dry_run)


def _dreamt(here: Place, *, dry_run: bool) -> Report[DreamDone]:
    with progress("Dreaming") as tell:
        dream = consolidate.dream(
            here.workspace,
            here.project,
            consolidate.HAND,
            limit_s=here.settings["dream.limit_s"],
            dry_run=dry_run,
            tell=tell,
        )
    if dream is None:
        raise StoreError("a dream is under way", hint="see `holdfast dream show` in a moment")
    report = _report(here, dream, dry_run=dry_run)
    late = dream["ended"] == consolidate.LIMIT
    return Report(report.lines, {**report.data, "dry_run": dry_run}, 1 if late else 0)


def _detached(here: Place) -> Report[DreamBegun]:
    state = here.workspace.state
    begun = consolidate.start(state, here.project, consolidate.HAND, settings=here.settings)
    if not begun:
        raise StoreError(
            "no dream was begun: one is under way, or Holdfast is not installed",
            hint="see `holdfast dream show`, or dream here without --detach",
        )
    lines = ("● A dream has begun. `holdfast dream show` tells what came of it.",)
    return Report(lines, {"begun": True})


def show(*, id_: str | None) -> Report[DreamShown]:
    """Show what a dream found, the last one unless you name another, and the strongest links."""
    here = place()
    dreams = queries.dreams(here.workspace.store, here.project, DREAMS)
    if not dreams:
        if id_:
            raise NotFound(f"no dream {id_}", hint="`holdfast dream` dreams one")
        return Report(("No dreams here yet. `holdfast dream` dreams one.",), {"dream": None})
    dream = named(dreams, id_, "dream", "holdfast dream show") if id_ else dreams[0]
    return _report(here, {"id": dream["id"], "at": dream["at"], **dream["said"]})


def _report(here: Place, dream: Mapping[str, Any], *, dry_run: bool = False) -> Report[DreamShown]:
    store = here.workspace.store
    links = consolidating.links(store, here.project)
    # What people know by name first: a word belongs to many things.
    best = sorted(links, key=lambda pair: (_topics(pair), -links[pair].weight, pair))[:STRONGEST]
    known = {**consolidating.named(store, here.project), **dream.get("names", {})}
    ids = [id_ for sort, id_ in (*known.values(), *(end for pair in links for end in pair))]
    texts = continuity.texts_of(store, [*ids, *(end for pair in dream["merged"] for end in pair)])

    def memory(sort: str, name: str) -> NamedMemory:
        is_own_name = sort in ("file", "topic")
        return {"sort": sort, "id": "" if is_own_name else name, "text": texts.get(name, name)}

    # What was forgotten since is named nowhere.
    proposed: list[Proposal] = [
        {
            **proposal,
            "a": memory(*known[proposal["a"]]),
            "b": memory(*known[proposal["b"]]),
            "by": [memory(*known[id_]) for id_ in proposal["by"]],
        }
        for proposal in dream["proposed"]
        if known.keys() >= {proposal["a"], proposal["b"], *proposal["by"]}
    ]
    strongest: list[StrongLink] = [
        {
            "a": memory(*a),
            "b": memory(*b),
            "permille": round(links[a, b].weight * 1000),
            "together": links[a, b].together,
        }
        for a, b in best
    ]
    data: DreamRow = {
        "id": dream["id"],
        "at": dream["at"],
        "why": dream["why"],
        "ended": dream["ended"],
        "ms": dream["ms"],
        "counts": dream["counts"],
        "merged": dream["merged"],
        "proposed": proposed,
        "links": {"count": len(links), "strongest": strongest},
    }
    lines = [*_head(dream, here.at, dry_run=dry_run), *_counted(dream["counts"])]
    if links or not dry_run:
        lines += _linked(strongest, len(links))
    lines += _proposed(proposed)
    return Report(tuple(lines), {"dream": data})


def _topics(pair: Pair) -> int:
    return sum(sort == "topic" for sort, _ in pair)


def _head(dream: Mapping[str, Any], now: str, *, dry_run: bool) -> list[str]:
    why = WHY.get(dream["why"], dream["why"])
    took = f"{dream['ms']} ms"
    if dry_run:
        return [f"· A dream now would do this ({took}; nothing was kept):"]
    ended = ENDED.get(dream["ended"], dream["ended"])
    mark = MARKS.get(dream["ended"], "○")
    return [f"{mark} {dream['id'][:SHORT]}  {ago(dream['at'], now)}, {why}, {took}, {ended}"]


def _counted(counts: Mapping[str, int]) -> list[str]:
    many = {name: int(value) for name, value in counts.items()}
    cut = ["Before    a dream was cut short, and kept nothing or all"] if many["cut_short"] else []
    if not any(many[name] for name in many if name not in ASIDE):
        return [*cut, "Replayed  nothing: no session went on since the dream before"]
    replayed = plural(many["memories"], "memory", "memories")
    links = f"{many['linked']} new, {many['strengthened']} stronger, {many['weakened']} weaker"
    merged = [
        plural(many["learnings_merged"], "learning"),
        plural(many["topics_merged"], "topic"),
        plural(many["work_merged"], "found task"),
    ]
    return [
        *cut,
        f"Replayed  {replayed} of {plural(many['sessions'], 'session')}",
        f"Links     {links}, {many['pruned']} pruned",
        f"Merged    {', '.join(merged)}",
        f"Renewed   {plural(many['topics_renewed'], 'topic')}",
        f"Decisions {many['decisions_regrounded']} re-grounded",
    ]


def _linked(strongest: list[StrongLink], count: int) -> list[str]:
    if not strongest:
        return ["Linked    nothing yet: memories are linked when a session uses both"]
    shown = f"the strongest {len(strongest)} of " if count > len(strongest) else ""
    lines = [f"Linked    {shown}{plural(count, 'link')}:"]
    for link in strongest:
        often = plural(link["together"], "session")
        lines.append(f"          {_name(link['a'])}  and  {_name(link['b'])}  ({often})")
    return lines


def _proposed(proposed: list[Proposal]) -> list[str]:
    if not proposed:
        return []
    lines = ["Proposed  never used together; perhaps they belong together:"]
    for proposal in proposed:
        by = ", ".join(_name(each) for each in proposal["by"])
        lines.append(
            f"          {_name(proposal['a'])}  and  {_name(proposal['b'])}  (by way of {by})"
        )
    return lines


def _name(memory: NamedMemory) -> str:
    text = inline(memory["text"], WIDTH)
    return text if memory["sort"] == "file" else f"{memory['sort']} {text}"


VERBS = {
    "begin": Verb(
        begin,
        [
            click.Option(["--detach"], is_flag=True, help="Go on by itself, in the background."),
            click.Option(["--dry-run"], is_flag=True, help="Show what it would do; keep nothing."),
        ],
    ),
    "show": Verb(show, [click.Argument(["id_"], metavar="[ID]", required=False)]),
}
DEFAULT = "begin"
