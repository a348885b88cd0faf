"""Threads of work, on disk: their sessions, and what those left."""

from __future__ import annotations

from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.store.sqlite import Store

PERSON = "person"
FILED = 310  # thousandths: what is less sure is told, and makes no thread
# Of a session's links a person's counts before any other, then the latest.
_LINK = (
    "select thread, permille, reason, author from thread_links where session = ?"
    f" and permille >= {FILED} order by author = 'person' desc, seq desc limit 1"
)
# A session in which a person asked for something, or accepted the plan that it began with; not one
# that a program opens day after day.
_ASKED = (
    "(exists (select 1 from prompts where prompts.session = {0} and stands > 0"
    " and origin <> 'automated') or exists (select 1 from goals where goals.session = {0}"
    " and goals.how = 'plan')) and not exists (select 1 from prompts"
    " where prompts.session = {0} and origin = 'automated')"
)
_LATEST = (
    "sessions where project = ? and id <> ? and archived = ''"
    f" and {_ASKED.format('sessions.id')} order by begun desc limit ?"
)
COMMON, MANY = 60, 150  # sessions: a word that more of them have tells none


class Link(Value):
    """Why a session belongs to a thread."""

    thread: str
    permille: int
    reason: str
    author: str


class ThreadSession(Value):
    """A session of a thread."""

    id: str
    thread: str
    at: str  # when it was last active
    branch: str
    reason: str


def link_of(store: Store, session: str) -> Link | None:
    """The link of a session; None where it began its thread, or has none."""
    row = store.row(_LINK, session)
    return Link(*row) if row else None


def told_of(store: Store, session: str) -> list[str]:
    """The threads that a session was told of, sure or not."""
    return store.column("select thread from thread_links where session = ?", session)


def thread_of(store: Store, session: str) -> str:
    """The thread of a session, or what a person merged it into. A thread has the id of the session
    that began it; "" of one in which nobody asked anything."""
    link = link_of(store, session)
    thread = link.thread if link else session if is_asked(store, session) else ""
    return merged_into(store, thread)


def merged_into(store: Store, thread: str) -> str:
    seen = {thread}
    while True:
        row = store.row(
            "select words from thread_turns where thread = ? and turn = 'merged'"
            " order by at desc limit 1",
            thread,
        )
        if row is None or row[0] in seen:
            return thread
        thread = row[0]
        seen.add(thread)


def last_turn(store: Store, thread: str, *turns: str) -> tuple[str, str, str] | None:
    """What a person said last of a thread: which turn, its words, when."""
    marks = ", ".join("?" * len(turns))
    row: tuple[str, str, str] | None = store.row(
        f"select turn, words, at from thread_turns where thread = ? and turn in ({marks})"
        " order by at desc limit 1",
        thread,
        *turns,
    )
    return row


def latest_on(store: Store, project: str, branch: str, *, but: str) -> str:
    """The session that was asked something last on a branch; "" for none."""
    return store.text(
        "select session from thread_branches where project = ? and branch = ? and session <> ?"
        f" and {_ASKED.format('thread_branches.session')}"
        " order by max(at, ended_at) desc limit 1",
        project,
        branch,
        but,
    )


def latest(store: Store, project: str, *, but: str, limit: int) -> list[ThreadSession]:
    """The sessions of a project that were active last, each with its thread."""
    rows = store.rows(f"select id, last_active_at, branch from {_LATEST}", project, but, limit)
    return _filed(store, list(rows))


def latest_ids(store: Store, project: str, *, but: str, limit: int) -> list[str]:
    return store.column(f"select id from {_LATEST}", project, but, limit)


def _filed(store: Store, rows: list[tuple[str, str, str]]) -> list[ThreadSession]:
    """Some sessions in which something was asked, each with its thread: the last active first."""
    links = {
        session: (thread, reason)
        for session, thread, reason in store.rows(
            "select session, thread, reason from thread_links"
            f" where session in (select value from json_each(?)) and permille >= {FILED}"
            " order by author = 'person', seq",
            jsontext.dumps([id_ for id_, _, _ in rows]),
        )
    }
    own = [(id_, at, branch, *links.get(id_, (id_, ""))) for id_, at, branch in rows]
    whole = {thread: merged_into(store, thread) for _, _, _, thread, _ in own}
    return [
        ThreadSession(id_, whole[thread], at, branch, reason if thread != id_ else "")
        for id_, at, branch, thread, reason in sorted(own, key=lambda row: row[1], reverse=True)
    ]


def sessions_of(store: Store, thread: str, but: str = "") -> list[ThreadSession]:
    """The sessions of a thread but one, the one that was active last first."""
    rows = store.rows(
        "select id, last_active_at, branch from sessions where id <> ?2 and id in ("
        f"select value from json_each(?1) where {_ASKED.format('value')} union select session"
        " from thread_links where thread in (select value from json_each(?1))"
        f" and permille >= {FILED})",
        jsontext.dumps([thread, *_merged_from(store, thread)]),
        but,
    )
    return [each for each in _filed(store, list(rows)) if each.thread == thread]


def _merged_from(store: Store, thread: str) -> list[str]:
    return store.column(
        "select distinct thread from thread_turns where turn = 'merged' and words = ?", thread
    )


def count_sessions(store: Store, project: str) -> int:
    """How many sessions a project has, up to MANY: a word is no rarer among more."""
    sql = "select count(*) from (select 1 from sessions where project = ? limit ?)"
    return store.number(sql, project, MANY)


def having(store: Store, project: str, word: str, but: str) -> list[str]:
    """The sessions that have a word; none for one that many have."""
    sessions = store.column(
        "select session from thread_words where project = ? and word = ? limit ?",
        project,
        word,
        COMMON + 1,
    )
    return [session for session in sessions if session != but] if len(sessions) <= COMMON else []


def is_worked_after(store: Store, thread: str) -> bool:
    """Whether a session of another thread that was told of this one changed files."""
    listeners = store.column(
        "select distinct session from thread_links as link join touched using (session)"
        f" where thread = ? and permille < {FILED} and how <> 'read'",
        thread,
    )
    return any(thread_of(store, session) != thread for session in listeners)


def shares_word(store: Store, project: str, words: list[str], sessions: list[str]) -> bool:
    """Whether one of some sessions has one of some words, however common."""
    return store.holds(
        "select 1 from thread_words where project = ?"
        " and session in (select value from json_each(?))"
        " and word in (select value from json_each(?))",
        project,
        jsontext.dumps(sessions),
        jsontext.dumps(words),
    )


def is_asked(store: Store, session: str) -> bool:
    """Whether a person asked for something in a session."""
    return store.holds(f"select {_ASKED.format('?1')}", session)


def asked_at(store: Store, session: str) -> str:
    """When a session was asked something or answered last; its end may be long after."""
    return store.text(
        "select max(max(at, ended_at)) from thread_branches where session = ?", session
    )


def asked_of(
    store: Store, project: str, branch: str, sessions: list[str]
) -> list[tuple[str, str, bool]]:
    """Of some sessions those in which something was asked: when last, and whether on a branch."""
    rows = store.rows(
        "select session, max(max(at, ended_at)), max(project = ? and branch = ?)"
        " from thread_branches where session in (select value from json_each(?))"
        f" and {_ASKED.format('thread_branches.session')} group by session",
        project,
        branch,
        jsontext.dumps(sessions),
    )
    return list(rows)


def prompted_at(store: Store, thread: str) -> str:
    """When something was asked last in a thread."""
    return store.text(
        "select max(at) from thread_branches where session in (select value from json_each(?))",
        jsontext.dumps([each.id for each in sessions_of(store, thread)]),
    )


def is_cut_off(store: Store, session: str) -> bool:
    """Whether the last turn of a session never ended."""
    return store.holds(
        "select max(at) > max(ended_at) from thread_branches where session = ?", session
    )


def source_of(store: Store, session: str) -> str:
    """By which of the beginnings a session began last."""
    return store.text("select source from sessions where id = ?", session)


def is_first_call(store: Store, session: str) -> bool:
    """Whether a session was cleared, and made its first call before anything was asked."""
    return store.holds(
        "select 1 from activity join sessions on id = session where session = ? and tools = 1"
        " and prompts = 0 and source = 'clear'",
        session,
    )


def approved_plan_last(store: Store, session: str) -> bool:
    """Whether the last that a user did in a session was to approve a plan."""
    return store.holds(
        "select max(at) >= coalesce((select max(at) from prompts where session = ?1"
        " and stands > 0), '') from choices where session = ?1 and sort in ('plan', 'approval')",
        session,
    )


def worktree_of(store: Store, session: str) -> str:
    return store.text("select worktree from sessions where id = ?", session)


def asked_in(store: Store, session: str) -> str:
    """What a session was about: its own goal, of several the last, else that of its thread which it
    went on with, else its first prompt."""
    goal = store.row(
        "select goals.goal, goals.session from session_goals join goals"
        " on goals.id = session_goals.goal"
        " where session_goals.session = ?1 and session_goals.stands > 0"
        " order by goals.session = ?1 desc, session_goals.seq desc limit 1",
        session,
    )
    if (
        goal
        and goal[1] not in ("", session)
        and thread_of(store, goal[1]) != thread_of(store, session)
    ):
        goal = None
    return (goal[0] if goal else "") or store.text(
        "select text from prompts where session = ? and stands > 0 and origin <> 'plan'"
        " order by seq limit 1",
        session,
    )


def facts_of(store: Store, session: str) -> list[str]:
    """What a session's link stands on, by its entry; nothing where the words are forgotten."""
    body = store.value(
        "select body from thread_links as link join entries using (session, seq)"
        " join bodies using (place) where session = ? and kind = 'thread_linked'"
        " order by link.author = 'person' desc, seq desc limit 1",
        session,
    )
    return list(jsontext.loads(body)["facts"]) if body else []
