"""The sessions that a beginning is told of, from the tables of three rooms.

Laws: what was asked is the user's words or the title of an accepted plan, never a prompt that was
taken back; a session in which nobody asked anything is none of them; a session is one of every
branch that it was asked something on.
"""

from __future__ import annotations

from holdfast.system import clock
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.store.sqlite import Store

SHARED = 6  # with so many sessions a branch is shared by many tasks
LOOKED_AT = 8  # sessions, of which some asked nothing
LATEST_BEGUN = 30  # of the project's, among which those are found that left the branch
DAYS = 60
COMMITS, FILES = 2, 8
SAME = 60  # characters by which two texts are told apart
LATEST, WORDS = 5, 4  # "yes" and "commit it" are passed over for what was asked before them


class LastSession(Value):
    """A session that is told of."""

    id: str
    at: str  # when it was last active
    ended_at: str  # "" while it runs
    end_reason: str
    asked: str  # what it was about
    last: str  # what was asked last, "" where that is the same
    commits: list[tuple[str, str]]
    files: list[str]


def known(store: Store, project: str, branch: str, *, but: str, now: str) -> list[LastSession]:
    """The latest sessions of a branch in which something was asked, newest first."""
    since = clock.iso(clock.seconds_of(now) - DAYS * 86_400)
    return _sessions(store, project, branch, but, since)


def with_work(store: Store, sessions: list[LastSession]) -> list[LastSession]:
    """Sessions with what they committed and changed."""
    return [
        session.changed(commits=_commits(store, session.id), files=_files(store, session.id))
        for session in sessions
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
    columns = "begun, id, last_active_at, ended_at, end_reason, archived, branch"
    rows = list(
        store.rows(
            f"select {columns} from sessions where project = ? and branch = ?"
            " order by begun desc limit ?",
            project,
            branch,
            LOOKED_AT,
        )
    )
    for row in store.rows(
        f"select {columns} from sessions where project = ? order by begun desc limit ?",
        project,
        LATEST_BEGUN,
    ):
        if row[-1] != branch and _was_asked_on(store, row[1], branch):
            rows.append(row)
    sessions: list[LastSession] = []
    for _, name, at, ended_at, end_reason, archived, _ in sorted(rows, reverse=True)[:LOOKED_AT]:
        is_meant = at >= since and name != but and not archived
        asked, last = _asked(store, name) if is_meant else ("", "")
        if asked:
            ending = (ended_at or "", end_reason)
            sessions.append(LastSession(name, at, *ending, asked, last, [], []))
    return sorted(sessions, key=lambda session: session.at, reverse=True)


def _was_asked_on(store: Store, session: str, branch: str) -> bool:
    on_branch = "select 1 from prompts where session = ? and branch = ? limit 1"
    return store.row(on_branch, session, branch) is not None


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
