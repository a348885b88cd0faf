"""What the user said, on disk: goals, rules, and what became of them."""

from __future__ import annotations

from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.store.sqlite import Store

_GOAL = (
    "goals.id, goals.project, goals.session, goals.at, goals.goal, goals.keywords, goals.thread,"
    " goals.how"
)
RULE = "id project session at text sort lasting thread how is_order heard_in".split()

# Of a rule the latest turn counts: who keeps what was withdrawn takes the withdrawal back.
_RULE_HOLDS = (
    "not exists (select 1 from turns as gone where gone.subject = rules.id"
    " and gone.turn = 'withdrawn' and not exists (select 1 from turns as back"
    " where back.subject = rules.id and back.turn = 'kept' and back.at > gone.at))"
)
# An order by itself that nobody keeps or repeats is told at so many starts.
ORDER_STARTS = 8
_STANDING = (
    "case when how <> 'prompt' then 'command'"
    " when exists (select 1 from turns where subject = rules.id and turn = 'kept') then 'kept'"
    " when sort = 'dead_end' then ''"
    " when exists (select 1 from turns where subject = rules.id and turn = 'repeated')"
    " then 'repeated'"
    " when is_order > 0 and (select count(*) from (select 1 from sessions"
    " where sessions.project = rules.project and sessions.started_at > rules.at"
    f" limit {ORDER_STARTS + 1})) <= {ORDER_STARTS} then 'order' else '' end"
)


# Goals


class Goal(Value):
    """What a user set out to do, verbatim."""

    __slots__ = tuple("id project session at goal keywords thread how".split())
    if TYPE_CHECKING:
        id: str
        project: str
        session: str  # in which it was set; "" for none
        at: str
        goal: str
        keywords: list[str]
        thread: str  # rules of a task hold as long as its thread
        how: str  # prompt, command


def goal(store: Store, id_: str) -> Goal | None:
    return _goal(store.row(f"select {_GOAL} from goals where id = ?", id_)) if id_ else None


def goal_of(store: Store, session: str) -> Goal | None:
    """The goal in force in a session, its own or inherited."""
    return _goal(
        store.row(
            f"select {_GOAL} from activity join goals on goals.id = activity.goal"
            " where activity.session = ?",
            session,
        )
    )


def thread_of(store: Store, session: str) -> str:
    """What a session's rules hold for; before it has a task, for the session itself."""
    return store.value("select thread from activity where session = ?", session) or session


def goal_without_session(store: Store, project: str) -> Goal | None:
    """What a person set while no session was running."""
    return _goal(
        store.row(
            f"select {_GOAL} from goals where project = ? and session = '' order by at desc"
            " limit 1",
            project,
        )
    )


def goals(store: Store, project: str, limit: int) -> list[Goal]:
    """Newest first."""
    rows = store.rows(
        f"select {_GOAL} from goals where project = ? order by at desc, id limit ?",
        project,
        limit,
    )
    return [goal for row in rows if (goal := _goal(row))]


def _goal(row: tuple[Any, ...] | None) -> Goal | None:
    if row is None:
        return None
    *before, keywords, thread, how = row
    return Goal(*before, jsontext.loads(keywords), thread, how)


# Rules, and what became of them


class GivenRule(Value):
    """A rule, a dead end or what only sounds like one, as it was given or heard."""

    __slots__ = (*RULE, "standing", "withdrawn")
    if TYPE_CHECKING:
        id: str
        project: str
        session: str  # in which it was given; "" for none
        at: str
        text: str
        sort: str  # forbids, demands, corrects, prefers, dead_end
        lasting: int
        thread: str
        how: str  # prompt, command
        is_order: int
        heard_in: str  # which prompt, by its digest
        standing: str  # by what it holds in every session: command, kept, repeated, order, ""
        withdrawn: bool


class EarlierRule(Value):
    """A rule of another session, as far as saying it again is concerned."""

    __slots__ = tuple("id text heard_in".split())
    if TYPE_CHECKING:
        id: str
        text: str
        heard_in: str


class Withdrawal(Value):
    """How a rule was withdrawn."""

    __slots__ = tuple("at how session words".split())
    if TYPE_CHECKING:
        at: str
        how: str
        session: str
        words: str


def rules(store: Store, project: str, session: str) -> list[GivenRule]:
    """What is in force for a session, oldest first. `standing` says by what a rule holds in every
    session: command, kept, repeated, order; "" is what was only heard, and in this very session."""
    # Three questions in one, each with its index (and + for none on the whole): by one condition
    # with three parts, every rule that a project ever had would be looked at.
    rows = store.rows(
        f"select {', '.join(RULE)}, {_STANDING} as standing from rules where id in ("
        f" select id from rules where project = ?1 and (how <> 'prompt' or is_order > 0) union"
        f" select id from rules where session = ?2 and session <> '' union"
        f" select subject from turns where project = ?1 and turn in ('kept', 'repeated'))"
        f" and +project = ?1 and {_RULE_HOLDS}"
        f" and (standing <> '' or (session = ?2 and sort <> 'dead_end')) order by at, id",
        project,
        session,
    )
    return [GivenRule(*row, False) for row in rows]


def all_rules(store: Store, project: str) -> list[GivenRule]:
    """Everything that was ever given or heard, oldest first, each with what became of it."""
    rows = store.rows(
        f"select {', '.join(RULE)}, {_STANDING}, not {_RULE_HOLDS} from rules where project = ?"
        " order by at, id",
        project,
    )
    return [GivenRule(*row[:-1], bool(row[-1])) for row in rows]


def heard_elsewhere(store: Store, project: str, session: str, limit: int) -> list[EarlierRule]:
    """Rules of other sessions that were not withdrawn, newest first: what may be said again."""
    rows = store.rows(
        f"select id, text, heard_in from rules where project = ? and session <> ?"
        f" and sort <> 'dead_end' and {_RULE_HOLDS} order by at desc, id limit ?",
        project,
        session,
        limit,
    )
    return [EarlierRule(*row) for row in rows]


def withdrawn_texts(store: Store, project: str, limit: int = 50) -> list[str]:
    """Rules that no longer hold, the latest first: nothing that is quoted may bring them back."""
    rows = store.rows(
        "select rules.text from turns join rules on rules.id = turns.subject"
        f" where turns.project = ? and turns.turn = 'withdrawn' and not ({_RULE_HOLDS})"
        " order by turns.at desc limit ?",
        project,
        limit,
    )
    return [row[0] for row in rows]


def withdrawn_since(store: Store, project: str, since: str, *, but: str) -> list[str]:
    """Rules that a command or another session has withdrawn, for a session to be told."""
    rows = store.rows(
        "select rules.text from turns join rules on rules.id = turns.subject"
        " where turns.project = ? and turns.turn = 'withdrawn' and turns.at > ? and rules.at <= ?"
        f" and (turns.session <> ? or turns.how <> 'prompt') and not ({_RULE_HOLDS})"
        " order by turns.at, turns.id",
        project,
        since,
        since,
        but,
    )
    return [row[0] for row in rows]


def withdrawals(store: Store, project: str) -> dict[str, Withdrawal]:
    """By what was withdrawn: when, how, in which session and with which words, the latest."""
    rows = store.rows(
        "select subject, at, how, session, words from turns where project = ?"
        " and turn = 'withdrawn' order by at, id",
        project,
    )
    return {subject: Withdrawal(*row) for subject, *row in rows}
