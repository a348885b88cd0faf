"""A dream's own part: replay what sessions used together, let links fade, propose others.

`recollect` reads; `consolidate` thinks on what was read, without the store; `named` tells what the
ids of a report stand for now. What is kept, and when, is composed above the rooms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.rooms.consolidation import links as consolidation_links
from holdfast.rooms.consolidation import proposals, queries
from holdfast.rooms.consolidation.changes import Change
from holdfast.rooms.consolidation.links import Link, Memory, Pair, Replayed
from holdfast.store.sqlite import Store
from holdfast.system import clock
from holdfast.system.paths import digest

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

SESSIONS_READ = 500
PRUNED = 500  # of one dream; more of them wait for the next
TOLD = 50  # strengthened links that a report names
OF_A_SESSION = 32  # memories


class Use(NamedTuple):
    """A memory that a session used, how much of the session it was, and when last."""

    sort: str
    name: str
    id: str
    share: float
    at: str

    @property
    def memory(self) -> Memory:
        return self.sort, self.name or self.id


class SessionUse(NamedTuple):
    """What a session had used by the time it was last active."""

    id: str
    until: str
    used: tuple[Use, ...]


@dataclass(frozen=True)
class Recollection:
    """What earlier dreams left: a copy, taken at one moment."""

    step: int
    sessions: tuple[Replayed, ...]
    faded: Mapping[Pair, int]
    ids: Mapping[Memory, str]


@dataclass(frozen=True)
class Consolidated:
    """What a dream would change."""

    changes: list[Change]
    step: int
    pruned: list[list[str]]
    strengthened: list[list[Any]]
    proposed: list[Body]  # as the entry's body has them
    counts: dict[str, int] = field(default_factory=dict)


def recollect(store: Store, project: str) -> Recollection:
    rows = queries.recollections(store, project, SESSIONS_READ)
    used: dict[tuple[str, int], dict[Memory, float]] = {}
    ids: dict[Memory, str] = {}
    memories: dict[str, Memory] = {}
    for row in rows:
        memory = (row.sort, row.name or row.memory)
        used.setdefault((row.session, row.step), {})[memory] = row.permille / 1000
        ids[memory] = min(row.memory, ids.get(memory, row.memory))
        memories[row.memory] = memory
    faded: dict[Pair, int] = {}
    for a, b, step in queries.faded(store, project):
        if a in memories and b in memories:
            pair = _pair(memories[a], memories[b])
            faded[pair] = max(step, faded.get(pair, step))
    return Recollection(
        queries.last_step(store, project),
        tuple(Replayed(session, step, many) for (session, step), many in used.items()),
        faded,
        ids,
    )


def links(store: Store, project: str) -> dict[Pair, Link]:
    """The links as they stand, faded ones left out."""
    recollection = recollect(store, project)
    woven = consolidation_links.weave(recollection.sessions, recollection.step, recollection.faded)
    return {pair: link for pair, link in woven.items() if not consolidation_links.has_faded(link)}


def consolidate(before: Recollection, sessions: list[SessionUse], name: str) -> Consolidated:
    """Replay sessions, the one that was active first first. `name` is the dream's own, for ids of
    new memories."""
    ids = dict(before.ids)
    again = {session.id for session in sessions}
    earlier = [replayed for replayed in before.sessions if replayed.session not in again]
    fresh, step = [], before.step
    chosen = _chosen(earlier, sessions)
    changes = []
    for session in sessions:
        used = {
            memory: max(0.0, min(1.0, use.share))
            for use in session.used
            if (memory := use.memory) in chosen
        }
        best = sorted(used, key=lambda memory: (-used[memory], memory))[:OF_A_SESSION]
        # What did not join in is not kept: it would only be carried along.
        active = [memory for memory in best if used[memory] > consolidation_links.CO_ACTIVE]
        if not active:
            continue
        step += 1
        for memory in active:
            if memory not in ids:
                own = {use.memory: use.id for use in session.used}[memory]
                ids[memory] = own or digest(f"{name}:{len(ids)}".encode())[:12]
        permille = {memory: round(used[memory] * 1000) for memory in active}
        fresh.append(
            Replayed(session.id, step, {memory: permille[memory] / 1000 for memory in active})
        )
        memories = [_recalled(memory, ids[memory], permille[memory]) for memory in active]
        changes.append(
            Change(
                "recalled",
                {"step": step, "until": session.until, "memories": memories},
                key=f"recalled:{name}",
                session=session.id,
            )
        )
    was = consolidation_links.weave(before.sessions, before.step, before.faded)
    now = consolidation_links.weave([*earlier, *fresh], step, before.faded)
    return _weighed(
        was, now, ids, changes, step, {memory for replayed in fresh for memory in replayed.used}
    )


def _weighed(
    was: dict[Pair, Link],
    now: dict[Pair, Link],
    ids: dict[Memory, str],
    changes: list[Change],
    step: int,
    replayed: set[Memory],
) -> Consolidated:
    gone = sorted(pair for pair in now if consolidation_links.has_faded(now[pair]))[:PRUNED]
    for pair in gone:
        del now[pair]
    born = {pair for pair in now if pair not in was}
    gains = {
        pair: now[pair].weight - was[pair].weight
        for pair in now
        if pair in was and now[pair].weight > was[pair].weight
    }
    weaker = [pair for pair in now if pair in was and now[pair].weight < was[pair].weight]
    most = sorted(gains, key=lambda pair: (-gains[pair], pair))[:TOLD]
    proposed = proposals.forgotten(now)
    shortcuts = proposals.shortcuts(now)
    return Consolidated(
        changes,
        step,
        [[ids[a], ids[b]] for a, b in gone],
        [[ids[a], ids[b], round(now[a, b].weight * 1000)] for a, b in most],
        [
            {
                "sort": proposal.sort,
                "a": ids[proposal.a],
                "b": ids[proposal.b],
                "by": [ids[memory] for memory in proposal.by],
                "permille": round(proposal.weight * 1000),
            }
            for proposal in (*proposed, *shortcuts)
        ],
        {
            "sessions": len(changes),
            "memories": len(replayed),
            "linked": len(born),
            "strengthened": len(gains),
            "weakened": len(weaker),
            "pruned": len(gone),
            "proposed": len(proposed),
            "shortcuts": len(shortcuts),
        },
    )


def named(store: Store, project: str) -> dict[str, Memory]:
    """What each id stands for, as far as it was not forgotten."""
    rows = queries.recollections(store, project, SESSIONS_READ)
    return {row.memory: (row.sort, row.name or row.memory) for row in rows}


def _chosen(earlier: list[Replayed], sessions: list[SessionUse]) -> set[Memory]:
    """Which memories are replayed: the recent ones, without topics that are everywhere."""
    seen: dict[Memory, float] = {}
    for session in sessions:
        for use in session.used:
            memory, at = use.memory, clock.seconds_of(use.at)
            seen[memory] = max(at, seen.get(memory, at))
    used = [set(replayed.used) for replayed in earlier]
    used += [{use.memory for use in session.used} for session in sessions]
    return consolidation_links.recent(seen, but=consolidation_links.common(used))


def _pair(a: Memory, b: Memory) -> Pair:
    return (a, b) if a < b else (b, a)


def _recalled(memory: Memory, id_: str, permille: int) -> Body:
    """A memory as the body of `recalled` has it."""
    sort, name = memory
    return {"memory": id_, "sort": sort, "name": "" if name == id_ else name, "permille": permille}
