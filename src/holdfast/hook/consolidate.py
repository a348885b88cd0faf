"""A dream: what sessions left is put in order while nobody waits.

Decisions are grounded anew, what was said twice is put together, threads that are done by what git
says are closed, old sessions whose work is done go to the archive, and a store with much free space
is written anew. Each of these is whole or not at all: killed at any moment, a dream leaves a store
that is sound. One at a time for each project, by a lock that a dead process cannot hold; with a
limit of time; never started again by itself. It deletes no pin, no rule and no decision: it has no
entry that could.

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
    from holdfast.ledger.kinds import Body
    from holdfast.ledger.workspace import Workspace
    from holdfast.rooms.sessions.queries import Session
    from holdfast.rooms.work.merging import Change
    from holdfast.store.sqlite import Store

HAND, CRISIS, END = "hand", "crisis", "end"
ASKED, BEGUN, OVER = b"a", b"b", b"o"
DONE, LIMIT = "done", "limit"
DID = (
    *("learnings_merged", "topics_merged", "work_merged", "threads_closed"),
    *("sessions_archived", "pages_freed"),
)
COUNTED = (*DID, "decisions_regrounded", "cut_short")
SESSIONS = 50  # the latest that are looked at
ARCHIVED = 50  # of one dream; more of them wait for the next
PATIENCE_S = 2.0
LAST_RESORT_S = 10  # after the limit: something hangs that cannot look at the clock
GIT_LIMIT_S = 2.0
# A store is written anew when so many of its pages are free, and that is a share of all of them.
FREE_PAGES, FREE_SHARE = 1_000, 0.25
MOST_PAGES = 20_000  # writing more of them anew would hold up who else writes
STAGES = 5


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
    settings = workspace.settings(known[2])
    limit_s = settings["dream.limit_s"]
    signal.alarm(int(limit_s) + LAST_RESORT_S)  # ends the process; the lock goes with it
    days = settings["dream.archive_days"]
    dream(workspace, known[0], why, limit_s=limit_s, older_than_days=days)
    workspace.store.close()


def dream(
    workspace: Workspace,
    project: str,
    why: str,
    *,
    limit_s: float,
    older_than_days: float,
    dry_run: bool = False,
    tell: Callable[[int, int], None] = lambda done, of: None,
    clock: Callable[[], float] = time.monotonic,
) -> Body | None:
    """Dream once; the report, or None while another one is under way."""
    from holdfast.errors import StoreError

    if workspace.stale:
        raise StoreError("the tables wait for a rebuild", hint="try again in a minute")
    dreamer = Dreamer(workspace, project, Watch(limit_s, clock), older_than_days)
    if dry_run:
        return dreamer.rehearse(why)
    lock = processes.Lock(paths.dream(workspace.state, project))
    try:
        if not lock.take(wait_s=processes.LOCK_WAIT_S):
            return None
        was_cut = _mark(workspace.state, project, BEGUN) == BEGUN
        report = dreamer.dream(why, tell, was_cut=was_cut)
        _mark(workspace.state, project, OVER)
        return report
    finally:
        lock.release()


class Watch:
    """How long a dream has been dreamt, looked at between its steps."""

    def __init__(self, limit_s: float, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._limit_s = limit_s

    def look(self) -> None:
        if self.is_over():
            raise TimeoutError

    def is_over(self, share: float = 1.0) -> bool:
        return self._clock() - self._began > self._limit_s * share

    def ms(self) -> int:
        return int((self._clock() - self._began) * 1000)


class Dreamer:
    """One dream of a project."""

    def __init__(
        self, workspace: Workspace, project: str, watch: Watch, older_than_days: float
    ) -> None:
        self.workspace = workspace
        self.store: Store = workspace.store
        self.project = project
        self.watch = watch
        self.older_than_days = older_than_days
        self.now = clock.now()
        self.counts = dict.fromkeys(COUNTED, 0)

    def rehearse(self, why: str) -> Body:
        """What a dream would do now; nothing is kept."""
        changes = [*self._repeated(), *self._done_by_git()]
        self.counts["sessions_archived"] = len(self._done_with())
        return {"id": "", "at": self.now, **self._report(why, DONE, changes)}

    def dream(self, why: str, tell: Callable[[int, int], None], *, was_cut: bool) -> Body:
        self.counts["cut_short"] = int(was_cut)
        ended, changes = DONE, []
        try:
            tell(0, STAGES)
            changes = self._repeated()
            tell(1, STAGES)
            self.watch.look()
            self.counts["decisions_regrounded"] = self._ground()
            tell(2, STAGES)
            self.watch.look()
            changes += self._done_by_git()
            self._archive()
            tell(3, STAGES)
            self._compact()
            tell(4, STAGES)
        except TimeoutError:
            ended, changes = LIMIT, []
        report = self._keep(why, ended, changes)
        tell(STAGES, STAGES)
        return report

    def _repeated(self) -> list[Change]:
        """What was said twice, as it stands at one moment."""
        from holdfast.rooms.sessions import queries
        from holdfast.rooms.work import merging

        with self.store.snapshot():
            self.watch.look()
            latest = queries.active_last(self.store, self.project, SESSIONS)
            names = [session.id for session in latest]
            return merging.repeated(self.store, self.project, names, self.now)

    def _ground(self) -> int:
        """Judge decisions anew, with no transaction open: into a cache of their own."""
        from holdfast.rooms.decisions import deciding
        from holdfast.rooms.sessions import queries

        known = queries.project(self.store, self.project)
        root = known[2] if known else ""
        return int(deciding.tidy(self.store, self.project, root)["checked"])

    def _done_by_git(self) -> list[Change]:
        """Threads whose branch is merged or gone."""
        from holdfast.rooms.threads import done_by_git

        return done_by_git.closed(self.store, self.project, self.now, GIT_LIMIT_S)

    def _archive(self) -> None:
        """Each in a transaction of its own, so that nobody else waits long."""
        from holdfast.errors import Damaged
        from holdfast.rooms.sessions import archive

        for session in self._done_with():
            if self.watch.is_over(share=0.75):
                break
            try:
                path = archive.archive(self.workspace, session, now=self.now)
            except Damaged:
                continue  # it stays where it is, and `holdfast doctor` finds it
            self.counts["sessions_archived"] += bool(path)

    def _done_with(self) -> list[Session]:
        """Sessions to archive: old enough, needed by none that stays, and their work is done."""
        from holdfast.rooms.sessions import archive
        from holdfast.rooms.threads import thread_state
        from holdfast.system.git import not_committed

        dirty: dict[str, list[str] | None] = {}
        chosen: list[Session] = []
        days = self.older_than_days
        for session in archive.old_enough(self.workspace, older_than_days=days, now=self.now):
            if self.watch.is_over(share=0.5) or len(chosen) == ARCHIVED:
                break
            if session.project != self.project:
                continue
            place = session.worktree
            if place not in dirty:
                dirty[place] = not_committed(place, limit_s=GIT_LIMIT_S)
            changed = dirty[place]
            if changed is None:
                continue
            look = thread_state.Look(self.store, self.project, self.now, changed)
            if not look.open(session.id):
                chosen.append(session)
        return chosen

    def _compact(self) -> None:
        """Write the store anew where much of it is free; not while somebody else has it."""
        from holdfast.errors import StoreError
        from holdfast.ledger.forget import scour

        free = self.store.number("pragma freelist_count")
        pages = self.store.number("pragma page_count")
        if free < max(FREE_PAGES, FREE_SHARE * pages) or pages > MOST_PAGES:
            return
        try:
            scour(self.workspace)
        except StoreError:
            return  # another process reads or writes it: the next dream may find it alone
        self.counts["pages_freed"] = free

    def _keep(self, why: str, ended: str, changes: list[Change]) -> Body:
        """What is put together and the report: whole or not at all. A dream after a session that
        found nothing to do keeps no report."""
        from holdfast.errors import StoreError

        with self.store.transaction():
            if not self._is_there():
                raise StoreError("the project is gone", hint="see `holdfast sessions --all`")
            done = [change for change in changes if self._stands(change)]
            for change in done:
                self.workspace.keep(
                    change.kind,
                    change.body,
                    key=change.key,
                    at=self.now,
                    project=self.project,
                    session=change.session,
                )
            body = self._report(why, ended, done)
            if why == END and not any(body["counts"][name] for name in DID):
                return {"id": "", "at": self.now, **body}
            key = f"dreamt:{self.project}:{self.now}"
            entry = self.workspace.keep("dreamt", body, key=key, at=self.now, project=self.project)
        return {"id": entry.id if entry else "", "at": self.now, **body}

    def _report(self, why: str, ended: str, done: list[Change]) -> Body:
        counts = dict(self.counts)
        for change in done:
            for name, many in change.counts.items():
                counts[name] += many
        merged = [change.body for change in done if change.body.get("turn") == "merged"]
        return {
            "why": why,
            "ended": ended,
            "ms": self.watch.ms(),
            "counts": counts,
            "merged": [[body["subject"], body["words"]] for body in merged],
        }

    def _stands(self, change: Change) -> bool:
        """Whether what a change rests on is still so."""
        from holdfast.rooms.sessions import queries

        if change.session:
            session = queries.find(self.store, change.session)
            if session is None or session.project != self.project or session.archived:
                return False
        return change.stands(self.store)

    def _is_there(self) -> bool:
        """Neither forgotten nor merged into another."""
        from holdfast.rooms.sessions import queries

        known = queries.project(self.store, self.project)
        return known is not None and known[0] == self.project
