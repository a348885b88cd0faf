"""The sessions that a beginning is told of, from the tables of three rooms.

Laws: what was asked is the user's words or the title of an accepted plan, never a prompt that was
taken back; a session in which nobody asked anything is none of them.
"""

from __future__ import annotations

from holdfast.system import clock
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.store.sqlite import Store

MANY = 3
SHARED = 6  # with so many sessions a branch is shared by many tasks
LOOKED_AT = 8  # sessions, of which some asked nothing
DAYS = 60
CRASHED = "crashed"
COMMITS, FILES = 2, 8
SAME = 60  # characters by which two texts are told apart
LATEST, WORDS = 5, 4  # "yes" and "commit it" are passed over for what was asked before them


class LastSession(Value):
    """A session that is told of."""

    __slots__ = tuple("id at ended_at end_reason asked last commits files".split())
    if TYPE_CHECKING:
        id: str
        at: str  # when it was last active
        ended_at: str  # "" while it runs
        end_reason: str
        asked: str  # what it was about
        last: str  # what was asked last, "" where that is the same
        commits: list[tuple[str, str]]
        files: list[str]


def known(store: Store, project: str, branch: str, *, but: str, now: str) -> list[LastSession]:
    """The branch's sessions to tell of, newest first: of a branch that many tasks share only one
    that has just ended or crashed, for whoever begins there mostly begins something else."""
    seconds = clock.seconds_of(now)
    sessions = _sessions(store, project, branch, but, clock.iso(seconds - DAYS * 86_400))
    if is_shared(store, project, branch):
        an_hour_ago, a_day_ago = clock.iso(seconds - 3_600), clock.iso(seconds - 86_400)
        sessions = [
            session
            for session in sessions[:1]
            if session.at > (a_day_ago if session.end_reason == CRASHED else an_hour_ago)
        ]
    return [
        session.changed(commits=_commits(store, session.id), files=_files(store, session.id))
        for session in sessions[:MANY]
    ]


def is_shared(store: Store, project: str, branch: str) -> bool:
    """Whether so many sessions worked on a branch that it is shared by many tasks."""
    rows = store.rows(
        "select 1 from sessions where project = ? and branch = ? limit ?", project, branch, SHARED
    )
    return len(list(rows)) == SHARED


def branch_of(store: Store, session: str) -> str:
    return str(store.value("select branch from sessions where id = ?", session) or "")


def is_first(store: Store, project: str, session: str) -> bool:
    """Whether a project has no session but this one."""
    other = "select 1 from sessions where project = ?1 and id <> ?2 limit 1"
    return store.row(other, project, session) is None


def _sessions(store: Store, project: str, branch: str, but: str, since: str) -> list[LastSession]:
    """Of so many that began last: a project may have thousands."""
    rows = store.rows(
        "select id, last_active_at, ended_at, end_reason from sessions where project = ?"
        " and branch = ? and id <> ? and archived = '' order by begun desc limit ?",
        project,
        branch,
        but,
        LOOKED_AT,
    )
    sessions: list[LastSession] = []
    for name, at, ended_at, end_reason in rows:
        asked, last = _asked(store, name) if at >= since else ("", "")
        if asked:
            ending = (ended_at or "", end_reason)
            sessions.append(LastSession(name, at, *ending, asked, last, [], []))
    return sorted(sessions, key=lambda session: session.at, reverse=True)


def _asked(store: Store, session: str) -> tuple[str, str]:
    """What a session was about, by its own goal, else by its first prompt; what was asked last."""
    goals = [
        row[0]
        for row in store.rows(
            "select goals.goal from session_goals join goals on goals.id = session_goals.goal"
            " where session_goals.session = ?1 and session_goals.stands = 1"
            " and goals.session = ?1 order by session_goals.seq desc limit 1",
            session,
        )
    ]
    first, last = (
        [
            row[0]
            for row in store.rows(
                "select text from prompts where session = ? and stands = 1 and origin <> 'plan'"
                f" order by seq{order} limit ?",
                session,
                many,
            )
        ]
        for order, many in (("", 1), (" desc", LATEST))
    )
    asked = goals[0] if goals else first[0] if first else ""
    telling = [text for text in last if len(text.split()) >= WORDS]
    return asked, "" if not telling or _same(asked, telling[0]) else telling[0]


def _same(text: str, other: str) -> bool:
    text, other = " ".join(text.split()), " ".join(other.split())
    return not other or text[:SAME] in other or other in text


def _commits(store: Store, session: str) -> list[tuple[str, str]]:
    """The latest, of one that was amended the last."""
    rows = store.rows(
        "select sha, subject from commits where session = ? order by at desc, seq desc limit ?",
        session,
        COMMITS * 3,
    )
    latest: dict[str, str] = {}
    for sha, subject in rows:
        latest.setdefault(subject, sha)
    return [(sha, subject) for subject, sha in latest.items()][:COMMITS]


def _files(store: Store, session: str) -> list[str]:
    rows = store.rows(
        "select path from touched where session = ? and how <> 'read' and path not like '/%'"
        " and path not like '_:%' order by last_at desc, path limit ?",
        session,
        FILES,
    )
    return [row[0] for row in rows]
