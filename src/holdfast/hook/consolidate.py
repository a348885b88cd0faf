"""A dream: memories are consolidated while nobody waits.

It reads everything at one moment, thinks on that copy, and keeps what came of it in one short
transaction: killed at any moment, it has changed everything or nothing. One at a time for each
project, by a lock that a dead process cannot hold; with a limit of time; never started again by
itself. It deletes no pin, no rule and no decision: it has no entry that could.

`start` is called by hooks, so this module imports what a dream needs only when there is one.
"""

from __future__ import annotations

import sys
import time

from holdfast.system import clock, files, paths, processes
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.config.settings import Settings
    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.ledger.workspace import Workspace
    from holdfast.rooms.consolidation.changes import Change, Think
    from holdfast.rooms.consolidation.consolidating import (
        Consolidated,
        Recollection,
        SessionUse,
        Use,
    )
    from holdfast.store.sqlite import Store

HAND, CRISIS = "hand", "crisis"
ASKED, BEGUN, OVER = b"a", b"b", b"o"
DONE, LIMIT = "done", "limit"
COUNTED = (
    *("sessions", "memories", "linked", "strengthened", "weakened", "pruned"),
    *("learnings_merged", "topics_merged", "work_merged", "topics_renewed"),
    *("proposed", "shortcuts", "decisions_regrounded", "cut_short"),
)
SESSIONS = 50  # the latest that are looked at
TRIES = 3
PATIENCE_S = 2.0
LAST_RESORT_S = 10  # after the limit: something hangs that cannot look at the clock

STAGES = 4


# Beginning


def start(state: str, project: str, why: str, *, settings: Settings | None = None) -> bool:
    """Begin a dream in a process of its own; whether one was begun. Not while another is under way,
    and not soon after one, unless it is asked for by hand."""
    values = settings or _defaults()
    launcher = paths.launcher(state)
    if (why != HAND and not values["dream.enabled"]) or not files.exists(launcher):
        return False
    lock = processes.Lock(paths.dream(state, project))
    try:
        if not lock.take():
            return False
        if why != HAND and is_cooling(state, project, values["dream.cooldown_s"], time.time()):
            return False
        _mark(state, project, ASKED)  # before it is there itself: two hooks begin one
    finally:
        lock.release()
    processes.spawn_detached([sys.executable, "-I", "-S", launcher, "dream", project, why])
    return True


def is_cooling(state: str, project: str, cooldown_s: float, now: float) -> bool:
    """Whether a dream began a short time ago. One in the future is a clock that was set back."""
    try:
        mark = system.stat(paths.dream(state, project))
    except OSError:
        return False
    return bool(mark.st_size) and 0 <= now - mark.st_mtime < cooldown_s


def _mark(state: str, project: str, how: bytes) -> bytes:
    """Note in the lock's file how far a dream is, and when; what was there before. One that was
    asked for does not hide that the one before it never ended."""
    handle = system.open(paths.dream(state, project), system.O_RDWR | system.O_CLOEXEC)
    try:
        before: bytes = system.pread(handle, 1, 0)
        system.pwrite(handle, BEGUN if (how, before) == (ASKED, BEGUN) else how, 0)
    finally:
        system.close(handle)
    return before


def _defaults() -> Settings:
    from holdfast.config.settings import SETTINGS, with_variables

    return with_variables({name: setting.default for name, setting in SETTINGS.items()})


# The dream


def dream_detached(state: str, project: str, why: str) -> None:
    """The whole life of a dream's own process."""
    import signal

    from holdfast.ledger.workspace import Workspace
    from holdfast.rooms.sessions import queries

    workspace = Workspace(state, busy_s=PATIENCE_S)
    known = queries.project(workspace.store, project)
    if known is None or workspace.stale:
        return  # forgotten before it began; or there is nothing to go by until a rebuild is done
    limit_s = workspace.settings(known[2])["dream.limit_s"]
    signal.alarm(int(limit_s) + LAST_RESORT_S)  # ends the process; the lock goes with it
    dream(workspace, known[0], why, limit_s=limit_s)
    workspace.store.close()


def dream(
    workspace: Workspace,
    project: str,
    why: str,
    *,
    limit_s: float,
    dry_run: bool = False,
    tell: Callable[[int, int], None] = lambda done, of: None,
    clock: Callable[[], float] = time.monotonic,
) -> Body | None:
    """Dream once; the report, or None while another one is under way."""
    from holdfast.errors import StoreError

    if workspace.stale:
        raise StoreError("the tables wait for a rebuild", hint="try again in a minute")
    watch = Watch(limit_s, clock)
    if dry_run:
        return _told(workspace, project, why, watch, tell)
    lock = processes.Lock(paths.dream(workspace.state, project))
    try:
        if not lock.take(wait_s=processes.LOCK_WAIT_S):
            return None
        was_cut = _mark(workspace.state, project, BEGUN) == BEGUN
        for _ in range(TRIES):
            try:
                report = _kept(workspace, project, why, watch, tell, was_cut=was_cut)
            except Moved:
                continue
            _mark(workspace.state, project, OVER)
            return report
        raise StoreError(
            "what was dreamt of changed under the dream", hint="try again when less is going on"
        )
    finally:
        lock.release()


class Moved(Exception):
    """What a dream rests on is no longer so: it is dreamt anew."""


class Watch:
    """How long a dream has been dreamt, looked at between its steps."""

    def __init__(self, limit_s: float, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._limit_s = limit_s

    def look(self) -> None:
        if self._clock() - self._began > self._limit_s:
            raise TimeoutError

    def ms(self) -> int:
        return int((self._clock() - self._began) * 1000)


def _told(
    workspace: Workspace, project: str, why: str, watch: Watch, tell: Callable[[int, int], None]
) -> Body:
    """What a dream would do now; nothing is kept."""
    dreamt = _dreamt(workspace.store, project, watch, tell)
    done = [change for change in dreamt.changes if _stands(workspace.store, project, change)]
    names = {
        memory["memory"]: (memory["sort"], memory["name"] or memory["memory"])
        for change in done
        for memory in change.body.get("memories", ())
    }
    report = dreamt.report(done, watch)
    return {"id": "", "at": dreamt.now, "why": why, "names": names, **report}


def _kept(
    workspace: Workspace,
    project: str,
    why: str,
    watch: Watch,
    tell: Callable[[int, int], None],
    *,
    was_cut: bool,
) -> Body:
    """Dream, and keep it: whole or not at all."""

    store = workspace.store
    dreamt = _dreamt(store, project, watch, tell)
    grounded = _ground(store, project) if dreamt.thought else 0
    tell(3, STAGES)
    with store.transaction():
        if not _is_there(store, project):
            raise Moved
        done = []
        for change in dreamt.changes:
            if _stands(store, project, change):
                if _keep(workspace, project, dreamt.now, change) is not None:
                    done.append(change)
            elif change.kind == "recalled":
                raise Moved  # links were weighed with it
        body = {"why": why, **dreamt.report(done, watch)}
        body["counts"] |= {"cut_short": int(was_cut), "decisions_regrounded": grounded}
        entry = workspace.keep(
            "dreamt", body, key=f"dreamt:{project}:{dreamt.now}", at=dreamt.now, project=project
        )
    tell(STAGES, STAGES)
    return {"id": entry.id if entry else "", "at": dreamt.now, **body}


def _keep(workspace: Workspace, project: str, now: str, change: Change) -> Entry | None:
    return workspace.keep(
        change.kind, change.body, key=change.key, at=now, project=project, session=change.session
    )


class Dreamt:
    """What came of reading and thinking; nothing, when there was no time for it."""

    def __init__(self, now: str, step: int) -> None:
        self.now = now
        self.step = step
        self.thought: Consolidated | None = None
        self.changes: list[Change] = []

    def report(self, done: list[Change], watch: Watch) -> Body:
        """The body of its entry, but for why it began."""
        thought = self.thought
        counts = dict.fromkeys(COUNTED, 0) | (thought.counts if thought else {})
        for change in done:
            for name, many in change.counts.items():
                counts[name] = counts.get(name, 0) + many
        bodies = [change.body for change in done]
        merged = [body for body in bodies if body.get("turn") == "merged"]
        return {
            "ended": DONE if thought else LIMIT,
            "step": thought.step if thought else self.step,
            "ms": watch.ms(),
            "counts": counts,
            "strengthened": thought.strengthened if thought else [],
            "pruned": thought.pruned if thought else [],
            "merged": [[body["subject"], body["words"]] for body in merged],
            "proposed": thought.proposed if thought else [],
        }


def _dreamt(store: Store, project: str, watch: Watch, tell: Callable[[int, int], None]) -> Dreamt:
    from holdfast.rooms.consolidation.queries import last_step

    dreamt = Dreamt(clock.now(), last_step(store, project))
    try:
        tell(0, STAGES)
        before, sessions, thinks = _read(store, project, watch, dreamt.now)
        tell(1, STAGES)
        thought, changes = _think(before, sessions, thinks, watch, f"{project}:{dreamt.now}")
        tell(2, STAGES)
    except TimeoutError:
        return dreamt
    dreamt.thought, dreamt.changes = thought, changes
    return dreamt


def _read(
    store: Store, project: str, watch: Watch, now: str
) -> tuple[Recollection, list[SessionUse], list[Think]]:
    """Everything that is thought on, as it stands at one moment."""
    from holdfast.rooms.consolidation import consolidating
    from holdfast.rooms.consolidation.changes import Scene
    from holdfast.rooms.consolidation.queries import replayed_until
    from holdfast.rooms.sessions import queries
    from holdfast.rooms.work import handlers as work

    with store.snapshot():
        known = queries.project(store, project)
        latest = queries.active_last(store, project, SESSIONS)
        rows = tuple(session.as_dict() for session in latest)
        scene = Scene(project, known[2] if known else "", rows, now)
        done = replayed_until(store, project)
        sessions = []
        for session in reversed(latest):
            watch.look()
            until = session.last_active_at
            if done.get(session.id) != until:
                memories = work.memories(store, session.id, until)
                used = _on_task(store, session.id, [consolidating.Use(**each) for each in memories])
                sessions.append(consolidating.SessionUse(session.id, until, used))
        before = consolidating.recollect(store, project)
        watch.look()
        return before, sessions, [work.tidy(store, scene)]


def _on_task(store: Store, session: str, used: list[Use]) -> tuple[Use, ...]:
    """What a session used for its task. Of one whose work had left it: neither the files that were
    changed off the task alone, nor what was learnt meanwhile, nor topics, which have no time."""
    from holdfast.rooms.identity import strays

    strayed = strays.of_session(store, session)
    if not strayed.times:
        return tuple(used)
    return tuple(
        use
        for use in used
        if not (
            use.sort == "topic"
            or (use.sort == "file" and use.name in strayed.files)
            or (use.sort == "learning" and strayed.at(use.at))
        )
    )


def _think(
    before: Recollection,
    sessions: list[SessionUse],
    thinks: list[Think],
    watch: Watch,
    name: str,
) -> tuple[Consolidated, list[Change]]:
    from holdfast.rooms.consolidation import consolidating

    watch.look()
    thought = consolidating.consolidate(before, sessions, name)
    watch.look()
    changes = list(thought.changes)
    for think in thinks:
        changes += think()
        watch.look()
    return thought, changes


def _ground(store: Store, project: str) -> int:
    """Judge decisions anew, with no transaction open: into a cache of their own."""
    from holdfast.rooms.decisions import deciding
    from holdfast.rooms.sessions import queries

    known = queries.project(store, project)
    root = known[2] if known else ""
    return int(deciding.tidy(store, project, root)["checked"])


def _stands(store: Store, project: str, change: Change) -> bool:
    """Whether what a change rests on is still so."""
    from holdfast.rooms.sessions import queries

    if change.session:
        session = queries.find(store, change.session)
        if session is None or session.project != project or session.archived:
            return False
    return change.stands(store)


def _is_there(store: Store, project: str) -> bool:
    """Neither forgotten nor merged into another."""
    from holdfast.rooms.sessions import queries

    known = queries.project(store, project)
    return known is not None and known[0] == project
