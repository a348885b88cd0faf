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

HERE, ELSEWHERE = 3, 1
LOOKED_AT = 8  # sessions, of which some asked nothing
HERE_DAYS, ELSEWHERE_DAYS = 60, 1
COMMITS, FILES = 2, 8
SAME = 60  # characters by which two texts are told apart


class LastSession(Value):
    """A session that is told of."""

    __slots__ = tuple("id branch at ended_at end_reason asked last commits files".split())
    if TYPE_CHECKING:
        id: str
        branch: str
        at: str  # when it was last active
        ended_at: str  # "" while it runs
        end_reason: str
        asked: str  # what it was about
        last: str  # what was asked last, "" where that is the same
        commits: list[tuple[str, str]]
        files: list[str]


def known(store: Store, project: str, branch: str, *, but: str, now: str) -> list[LastSession]:
    """The sessions to tell of, newest first, the branch's own before the others."""
    seconds = clock.seconds_of(now)
    lately = clock.iso(seconds - HERE_DAYS * 86_400)
    here = _sessions(store, _HERE, (project, branch, but), lately, HERE)
    yesterday = clock.iso(seconds - ELSEWHERE_DAYS * 86_400)
    many = max(ELSEWHERE, HERE - len(here))
    return here + _sessions(store, _ELSEWHERE, (project, branch, but), yesterday, many)


def is_first(store: Store, project: str, session: str) -> bool:
    """Whether a project has no session but this one."""
    other = "select 1 from sessions where project = ?1 and id <> ?2 limit 1"
    return store.row(other, project, session) is None


# Of so many that began last: a project may have thousands.
_HERE = (
    "select * from sessions where project = ?1 and branch = ?2 order by started_at desc limit ?4"
)
_ELSEWHERE = (
    "select * from (select * from sessions where project = ?1 order by started_at desc limit ?4)"
    " where branch <> ?2"
)


def _sessions(
    store: Store, of: str, asked_for: tuple[str, str, str], since: str, many: int
) -> list[LastSession]:
    rows = store.rows(
        f"select id, branch, last_active_at, ended_at, end_reason from ({of})"
        f" where id <> ?3 and archived = '' order by started_at desc",
        *asked_for,
        LOOKED_AT,
    )
    sessions: list[LastSession] = []
    for name, on, at, ended_at, end_reason in rows:
        if at < since or len(sessions) == many:
            continue
        asked, last = _asked(store, name)
        if asked:
            made = (_commits(store, name), _files(store, name))
            ending = (ended_at or "", end_reason)
            sessions.append(LastSession(name, on, at, *ending, asked, last, *made))
    return sorted(sessions, key=lambda session: session.at, reverse=True)


def _asked(store: Store, session: str) -> tuple[str, str]:
    """What a session was about and what was asked last: its own goals, else its prompts."""
    goals = [
        row[0]
        for row in store.rows(
            "select goals.goal from session_goals join goals on goals.id = session_goals.goal"
            " where session_goals.session = ?1 and session_goals.stands = 1"
            " and goals.session = ?1 order by session_goals.seq",
            session,
        )
    ]
    prompts = [
        row[0]
        for order in ("", " desc")
        for row in store.rows(
            "select text from prompts where session = ? and stands = 1 and origin <> 'plan'"
            f" order by seq{order} limit 1",
            session,
        )
    ]
    asked = goals[0] if goals else prompts[0] if prompts else ""
    last = prompts[-1] if prompts else goals[-1] if goals else ""
    return asked, "" if _same(asked, last) else last


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
