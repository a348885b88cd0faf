"""What the user said, on disk: prompts, goals, rules, and what became of them."""

from __future__ import annotations

from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.rooms.prompts.settling import Prompt
    from holdfast.store.sqlite import Store

_GOAL = (
    "goals.id, goals.project, goals.session, goals.at, goals.goal, goals.keywords, goals.thread,"
    " goals.how, goals.author"
)
# What a program opened a session with is nobody's goal, in no session that took it over.
_NOT_AUTOMATED = (
    "not exists (select 1 from goals as own join prompts on prompts.id = own.prompt"
    " where own.id = session_goals.goal and prompts.origin = 'automated')"
)
# A rule's scope is what the person or the agent said last.
_SCOPE = (
    "coalesce((select words from rule_turns where subject = rules.id and turn = 'scoped'"
    " order by at desc limit 1), scope)"
)
_TIMES_TOLD = "coalesce((select sum(times) from rules_told where rule = rules.id), 0)"
# How often a rule was broken since it was made to hold, and when last.
_BROKEN = (
    "(select count(*) || ' ' || coalesce(max(at), '') from rule_turns as broke"
    " where broke.subject = rules.id and turn = 'broken' and not exists (select 1 from rule_turns"
    " as gate where gate.subject = rules.id and gate.turn = 'enforced' and gate.at >= broke.at))"
)
_RULE = (
    "id, project, session, at, text, sort, lasting, thread, how, is_order, heard_in, author,"
    f" {_SCOPE} as scope, branch, prompt, {_BROKEN}"
)

# `stands` is 0 where nobody said it, 1 where the agent's record has it, 2 while that is waited for:
# then it counts in its own session, and for the person.
# Of a rule the latest turn counts: who keeps what was withdrawn takes the withdrawal back. What an
# upgrade found to be nobody's rule is as good as withdrawn.
RULE_HOLDS = (
    "rules.stands > 0 and not exists (select 1 from rule_turns as gone"
    " where gone.subject = rules.id and gone.turn in ('withdrawn', 'disowned')"
    " and not exists (select 1 from rule_turns as back"
    " where back.subject = rules.id and back.turn = 'kept' and back.at > gone.at))"
)
# What only sounds like a rule is told to nobody before it is kept, said again or pointed at; what
# an earlier version heard as a dead end, before it is kept or pointed at.
_STANDING = (
    "case when how = 'command' then 'command'"
    " when exists (select 1 from rule_turns where subject = rules.id and turn = 'kept') then 'kept'"
    " when how = 'pointed' or exists (select 1 from rule_turns where subject = rules.id"
    " and turn = 'pointed') then 'pointed'"
    " when sort = 'dead_end' then ''"
    " when exists (select 1 from rule_turns where subject = rules.id and turn = 'repeated')"
    " then 'repeated'"
    " when is_order > 0 then 'order' else '' end"
)


def for_session(sql: str, table: str, session: str) -> str:
    """The same question, asked for a session: what waits in another one does not count."""
    is_settled = "({0}.stands = 1 or ({0}.stands > 0 and {0}.session = {1}))"
    turns = f"(select * from rule_turns where {is_settled.format('rule_turns', session)})"
    sql = sql.replace("from rule_turns", f"from {turns}")
    return sql.replace(f"{table}.stands > 0", is_settled.format(table, session))


# Goals


class Goal(Value):
    """What a user set out to do, verbatim."""

    id: str
    project: str
    session: str  # in which it was set; "" for none
    at: str
    goal: str
    keywords: list[str]
    thread: str  # rules of a task hold as long as its thread
    how: str  # prompt, command, plan
    author: str


def goal_of(store: Store, session: str) -> Goal | None:
    """The goal in force in a session, its own or inherited."""
    return _last_goal(store, session, "stands > 0")


def goal_left(store: Store, session: str) -> Goal | None:
    """The goal of a session as others are told it."""
    return _last_goal(store, session, "stands = 1")


def _last_goal(store: Store, session: str, condition: str) -> Goal | None:
    return _goal(
        store.row(
            f"select {_GOAL} from goals where id = (select goal from session_goals"
            f" where session = ? and {condition} and {_NOT_AUTOMATED} order by seq desc limit 1)",
            session,
        )
    )


def goal_named(store: Store, id_: str) -> Goal | None:
    """A goal by its id; None where it was forgotten."""
    return _goal(store.row(f"select {_GOAL} from goals where id = ?", id_))


def thread_of(store: Store, session: str) -> str:
    """What a session's rules hold for; before it has a task, for the session itself."""
    thread = store.value(
        "select thread from session_goals where session = ? and stands > 0 order by seq desc"
        " limit 1",
        session,
    )
    return thread or session


def first_thread(store: Store, session: str) -> str:
    """The thread of a session's first task; "" before it has one."""
    thread = store.value(
        "select thread from session_goals where session = ? and stands = 1 and goal <> ''"
        " order by seq limit 1",
        session,
    )
    return str(thread or "")


def goal_without_session(store: Store, project: str) -> Goal | None:
    """What a person set while no session was running."""
    return _goal(
        store.row(
            f"select {_GOAL} from goals where project = ? and session = '' order by rank desc"
            " limit 1",
            project,
        )
    )


def is_later(store: Store, goal: Goal, than: Goal) -> bool:
    """Whether a goal was set after another one, whatever the clock said."""
    rank = "(select rank from goals where id = ?)"
    return store.holds(f"select {rank} > {rank}", goal.id, than.id)


def goals(store: Store, project: str, limit: int) -> list[Goal]:
    """Newest first."""
    rows = store.rows(
        f"select {_GOAL} from goals where project = ? order by rank desc limit ?",
        project,
        limit,
    )
    return [goal for row in rows if (goal := _goal(row))]


def _goal(row: tuple[Any, ...] | None) -> Goal | None:
    if row is None:
        return None
    *before, keywords, thread, how, author = row
    return Goal(*[*before, jsontext.loads(keywords), thread, how, author])


# Rules, and what became of them


class GivenRule(Value):
    """A rule, a dead end or what only sounds like one, as it was given or heard."""

    id: str
    project: str
    session: str  # in which it was given; "" for none
    at: str
    text: str
    sort: str  # forbids, demands, corrects, prefers, dead_end
    lasting: int
    thread: str
    how: str  # prompt, command, pointed
    is_order: int
    heard_in: str  # which prompt, by its digest
    author: str
    scope: str  # project, task
    branch: str
    prompt: str  # by its id
    broken: str  # how often, and when last
    standing: str  # by what it holds: command, kept, pointed, repeated, order, ""
    withdrawn: bool


class EarlierRule(Value):
    """A rule of another session, as far as saying it again is concerned."""

    id: str
    text: str
    heard_in: str


class Withdrawal(Value):
    """How a rule was withdrawn, or found not to be the user's."""

    turn: str
    at: str
    how: str
    session: str
    words: str


def rules(store: Store, project: str, session: str, branch: str = "") -> list[GivenRule]:
    """What is in force for a session, oldest first. `standing` says by what a rule holds: command,
    kept, pointed, repeated, order. What holds for a task holds on its thread and on its branch."""
    # Two questions in one, each with its index (and + for none on the whole): by one condition
    # with two parts, every rule that a project ever had would be looked at.
    sql = (
        f"select {_RULE}, {_STANDING} as standing from rules where id in ("
        f" select id from rules where project = ?1 and (how <> 'prompt' or is_order > 0) union"
        f" select subject from rule_turns where project = ?1"
        f" and turn in ('kept', 'repeated', 'pointed'))"
        f" and +project = ?1 and {RULE_HOLDS} and standing <> '' order by at, id"
    )
    rows = store.rows(for_session(sql, "rules", "?2"), project, session)
    given = [_given(row) for row in rows]
    if all(rule.scope == "project" for rule in given):
        return given
    thread = thread_of(store, session)
    return [
        rule
        for rule in given
        if rule.scope == "project"
        or rule.thread == thread
        or rule.session == session
        or (rule.branch and rule.branch == branch)
    ]


def _given(row: tuple[Any, ...], *, withdrawn: bool = False) -> GivenRule:
    """A rule as it is told: of what an agent pointed at the clause alone, though it was heard, or
    widened by an earlier version, with the task beside it."""
    given = GivenRule(*[*row, withdrawn])
    if given.standing == "pointed":
        from holdfast.rooms.prompts.clauses import ruling

        start, end = ruling(given.text)
        given = given.changed(text=given.text[start:end])
    return given


def has_rules(store: Store, project: str) -> bool:
    """Whether a project may have something to tell; told by indexes alone."""
    return store.holds(
        "select exists (select 1 from rules where project = ?1"
        " and (how <> 'prompt' or is_order > 0)) or exists (select 1 from rule_turns"
        " where project = ?1 and turn in ('kept', 'repeated', 'pointed'))",
        project,
    )


def rule(store: Store, id_: str) -> GivenRule | None:
    """One rule as it stands."""
    row = store.row(f"select {_RULE}, {_STANDING}, not ({RULE_HOLDS}) from rules where id = ?", id_)
    return None if row is None else _given(row[:-1], withdrawn=bool(row[-1]))


def kept_in(store: Store, session: str) -> list[GivenRule]:
    """What became a rule in a session without a command of the person's: ordered, said again or
    pointed at there. Oldest first."""
    rows = store.rows(
        f"select {_RULE}, {_STANDING} as standing from rules where id in ("
        f" select id from rules where session = ?1 and how <> 'command' and session <> '' union"
        f" select subject from rule_turns where session = ?1"
        f" and turn in ('repeated', 'pointed'))"
        f" and {RULE_HOLDS} and standing in ('order', 'repeated', 'pointed') order by at, id",
        session,
    )
    return [_given(row) for row in rows]


def standing_in(store: Store, session: str) -> list[str]:
    """Rules of the person's that were given in a session and hold in others, by their ids."""
    return store.column(
        f"select id, {_STANDING} as standing from rules where session = ? and author = 'person'"
        f" and {RULE_HOLDS} and standing <> ''",
        session,
    )


def all_rules(store: Store, project: str) -> list[GivenRule]:
    """Everything that was ever given or heard, oldest first, each with what became of it."""
    rows = store.rows(
        f"select {_RULE}, {_STANDING}, not ({RULE_HOLDS}) from rules where project = ?"
        " order by at, id",
        project,
    )
    return [_given(row[:-1], withdrawn=bool(row[-1])) for row in rows]


def standing_rules(store: Store, project: str) -> list[GivenRule]:
    """Every rule that holds in some session to come, newest first, wherever it is told."""
    rows = store.rows(
        f"select {_RULE}, {_STANDING} as standing, 0 from rules where id in ("
        " select id from rules where project = ?1 and (how <> 'prompt' or is_order > 0) union"
        " select subject from rule_turns where project = ?1"
        " and turn in ('kept', 'repeated', 'pointed'))"
        f" and +project = ?1 and {RULE_HOLDS} and standing <> '' order by at desc, id",
        project,
    )
    return [_given(row[:-1], withdrawn=bool(row[-1])) for row in rows]


def heard_last(store: Store, project: str, looked_at: int) -> list[GivenRule]:
    """Of what was given or heard last, each with what became of it, newest first."""
    rows = store.rows(
        f"select {_RULE}, {_STANDING}, not ({RULE_HOLDS}) from rules where project = ?"
        " order by at desc, id limit ?",
        project,
        looked_at,
    )
    return [_given(row[:-1], withdrawn=bool(row[-1])) for row in rows]


def withdrawn_last(store: Store, project: str, limit: int) -> list[tuple[GivenRule, Withdrawal]]:
    """The rules that were withdrawn last and still are, newest first, and how that came."""
    rows = list(
        store.rows(
            "select subject, turn, at, how, session, words from rule_turns where project = ?"
            " and turn = 'withdrawn' order by at desc limit ?",
            project,
            limit,
        )
    )
    listed = [(rule(store, subject), Withdrawal(*turn)) for subject, *turn in rows]
    return [(each, turn) for each, turn in listed if each is not None and each.withdrawn]


def told_again(store: Store, project: str, ids: list[str], now: str) -> list[tuple[str, str]]:
    """Of some rules those that an earlier version had stopped telling, id and text: it told an
    order by itself at eight starts, and no session that began after them was told it."""
    rows = store.rows(
        "with orders as (select id, text, at, (select begun from sessions where project = ?1"
        " and begun > rules.at order by begun limit 1 offset 8) as since from rules"
        f" where id in (select value from json_each(?2)) and {_STANDING} = 'order')"
        " select id, text from orders where exists (select 1 from sessions where project = ?1"
        " and begun >= since and begun < ?3 and archived = '' and pid <> 0)"
        " and not exists (select 1 from rules_told join sessions on sessions.id = session"
        " where rule = orders.id and begun >= since) order by at, id",
        project,
        jsontext.dumps(ids),
        now,
    )
    return list(rows)


def times_each_told(store: Store, ids: list[str]) -> dict[str, int]:
    """How often each of some rules was told."""
    rows = store.rows(
        f"select id, {_TIMES_TOLD} from rules where id in (select value from json_each(?))",
        jsontext.dumps(ids),
    )
    return dict(rows)


def heard_elsewhere(store: Store, project: str, session: str, limit: int) -> list[EarlierRule]:
    """Rules of other sessions that were not withdrawn, newest first: what may be said again."""
    sql = (
        "select id, text, heard_in from rules where project = ?1 and session <> ?2"
        f" and sort <> 'dead_end' and {RULE_HOLDS} order by at desc, id limit ?3"
    )
    rows = store.rows(for_session(sql, "rules", "?2"), project, session, limit)
    return [EarlierRule(*row) for row in rows]


def rule_texts(store: Store, session: str) -> set[str]:
    """The rules that were given or heard in a session, and what only sounded like one."""
    sql = f"select text from rules where session = ? and {RULE_HOLDS}"
    return {row[0] for row in store.rows(sql, session)}


def withdrawn_texts(store: Store, project: str, limit: int = 50) -> list[str]:
    """Rules that no longer hold, the latest first: nothing that is quoted may bring them back."""
    return store.column(
        "select rules.text from rule_turns join rules on rules.id = rule_turns.subject"
        f" where rule_turns.project = ? and rule_turns.turn = 'withdrawn' and not ({RULE_HOLDS})"
        " order by rule_turns.at desc limit ?",
        project,
        limit,
    )


class Lifted(Value):
    """A rule or a choice that no longer holds, and since when."""

    text: str
    at: str  # when it was withdrawn
    session: str  # in whose prompt; "" by command


def withdrawn_since(store: Store, project: str, since: str, *, but: str) -> list[Lifted]:
    """Rules that a command or another session has withdrawn, for a session to be told."""
    return lifted(store, "rules", RULE_HOLDS, project, since, but)


def lifted(
    store: Store, table: str, holds: str, project: str, since: str, but: str
) -> list[Lifted]:
    """What was withdrawn of a table's rows since a time, and does not hold again."""
    rows = store.rows(
        f"select {table}.text, rule_turns.at,"
        " case rule_turns.how when 'command' then '' else rule_turns.session end from rule_turns"
        f" join {table} on {table}.id = rule_turns.subject"
        " where rule_turns.project = ? and rule_turns.turn = 'withdrawn' and rule_turns.at > ?"
        " and rule_turns.stands = 1"
        f" and {table}.at <= ?"
        f" and (rule_turns.session <> ? or rule_turns.how <> 'prompt') and not ({holds})"
        " order by rule_turns.at, rule_turns.id",
        project,
        since,
        since,
        but,
    )
    return [Lifted(*row) for row in rows]


def kept_since(store: Store, project: str, since: str, *, but: str) -> set[str]:
    """Rules that became ones since a time, in another session or by command, though they were said
    before; not those that the session `but` was told, unless they had been withdrawn."""
    return set(
        store.column(
            "select subject from rule_turns where project = ?1"
            " and turn in ('kept', 'repeated', 'pointed') and at > ?2 and stands = 1"
            " and (session <> ?3 or how = 'command')"
            " and (not exists (select 1 from rules_told where session = ?3 and rule = subject)"
            " or exists (select 1 from rule_turns as gone where gone.subject = rule_turns.subject"
            " and gone.turn = 'withdrawn' and gone.at <= rule_turns.at))",
            project,
            since,
            but,
        )
    )


def withdrawals(store: Store, project: str) -> dict[str, Withdrawal]:
    """By what was withdrawn: when, how, in which session and with which words, the latest."""
    rows = store.rows(
        "select subject, turn, at, how, session, words from rule_turns where project = ?"
        " and turn in ('withdrawn', 'disowned') order by at, id",
        project,
    )
    return {subject: Withdrawal(*row) for subject, *row in rows}


def times_told(store: Store, project: str) -> dict[str, int]:
    """How often each rule was told, by its id."""
    rows = store.rows(f"select id, {_TIMES_TOLD} from rules where project = ?", project)
    return {id_: times for id_, times in rows if times}


# Prompts


class GivenPrompt(Value):
    """A prompt as it is kept."""

    id: str
    session: str
    at: str
    text: str
    branch: str


def prompts_to_settle(store: Store, session: str, limit: int) -> list[Prompt]:
    """The latest prompts of a session, oldest first: what settles them, or takes them back. Of what
    is settled the text is not needed."""
    from holdfast.rooms.prompts.settling import Prompt

    rows = store.rows(
        "select id, case when row = '' then text else '' end, row, stands > 0, at, stands = 2,"
        " by_client from prompts where session = ?"
        " and (row <> '' or origin in ('given', 'queued', 'unread')) order by seq desc limit ?",
        session,
        limit,
    )
    return [Prompt(*row) for row in reversed(list(rows))]


def has_prompt_before(store: Store, session: str) -> bool:
    """Whether a session was given more than one prompt."""
    rows = store.rows("select 1 from prompts where session = ? limit 2", session)
    return len(list(rows)) > 1


def openings(store: Store, project: str, opening: str, limit: int) -> list[tuple[str, str]]:
    """Of a project's latest sessions those that a prompt opened with these words, and the prompt;
    not what a person is known to have typed."""
    from holdfast.rooms.prompts.settling import OPENING

    return list(
        store.rows(
            "select prompts.session, prompts.id from (select id from sessions where project = ?1"
            " order by begun desc limit ?2) as latest join prompts on prompts.session = latest.id"
            " where prompts.seq = (select min(seq) from prompts as each where each.session ="
            " latest.id) and substr(trim(prompts.text, char(9, 10, 13, 32)), 1, ?4) = ?3"
            " and (prompts.stands > 0 and prompts.origin <> 'typed'"
            " or prompts.origin = 'automated')",
            project,
            limit,
            opening,
            OPENING,
        )
    )


def waits(store: Store, id_: str) -> bool:
    """Whether a prompt or a call waits for the agent's record."""
    return store.holds(
        "select exists (select 1 from prompts where id = ?1 and stands = 2)"
        " or exists (select 1 from awaited_calls where id = ?1)",
        id_,
    )


def waiting_sessions(store: Store) -> list[str]:
    """Open sessions in which something waits for the agent's record."""
    return store.column(
        "select id from sessions where ended_at is null and id in"
        " (select session from prompts where stands = 2 union select session from awaited_calls)"
    )


def is_open(store: Store, session: str) -> bool:
    """Whether the record may tell more of what was said in a session."""
    last = "select row from prompts where session = ?1 order by seq desc limit 1"
    return store.holds(
        f"select coalesce(({last}), 'none') = ''"
        " or exists (select 1 from awaited_calls where session = ?1)",
        session,
    )


def typed_prompts(store: Store, project: str, session: str, limit: int) -> list[GivenPrompt]:
    """What people said in a project, newest first; what still waits, in the session itself."""
    rows = store.rows(
        "select id, session, at, text, branch from prompts where project = ?1"
        " and (stands = 1 or (stands = 2 and session = ?2)) order by at desc, seq desc limit ?3",
        project,
        session,
        limit,
    )
    return [GivenPrompt(*row) for row in rows]


def stands(store: Store, id_: str) -> bool:
    """Whether a prompt is what somebody said and did not take back."""
    return store.holds("select stands = 1 from prompts where id = ?", id_)


def last_prompts(store: Store, session: str, limit: int) -> list[GivenPrompt]:
    """What a person said last in a session and did not take back, newest first; nothing of before
    its task began."""
    rows = store.rows(
        "select id, session, at, text, branch from prompts where session = ? and stands > 0"
        " and at >= coalesce((select at from goals where id = ?), '') order by seq desc limit ?",
        session,
        thread_of(store, session),
        limit,
    )
    return [GivenPrompt(*row) for row in rows]


def last_words(store: Store, session: str) -> GivenPrompt | None:
    """The last prompt of a session, where a person said it and did not take it back."""
    row = store.row(
        "select id, session, at, text, branch, stands from prompts where session = ?"
        " order by seq desc limit 1",
        session,
    )
    return GivenPrompt(*row[:-1]) if row and row[-1] else None


class RuleTurn(Value):
    """What became of a rule: broken, allowed once, refused, made to hold."""

    turn: str
    at: str
    session: str
    how: str
    words: str


def turns_of(store: Store, id_: str, turns: str) -> list[RuleTurn]:
    """What became of a rule, the latest first; `turns` names them."""
    rows = store.rows(
        "select turn, at, session, how, words from rule_turns where subject = ?"
        " and instr(?, turn) > 0 order by at desc, id desc",
        id_,
        turns,
    )
    return [RuleTurn(*row) for row in rows]


def start_before(store: Store, project: str, session: str) -> str:
    """When the session before this one began in the project; "" for none."""
    at = store.value(
        "select started_at from sessions where project = ? and id <> ? order by begun desc limit 1",
        project,
        session,
    )
    return at or ""


def was_spoken_to(store: Store, session: str, since: str) -> bool:
    """Whether a person said anything in a session after a time."""
    row = store.row("select 1 from prompts where session = ? and at > ? limit 1", session, since)
    return row is not None


def last_prompt(store: Store, session: str) -> str:
    """The prompt that a session was given last, by its id; "" for none."""
    id_ = store.value("select id from prompts where session = ? order by seq desc limit 1", session)
    return id_ or ""


def prompt_before(store: Store, session: str, id_: str) -> str:
    """When the prompt before this one was given; "" for none."""
    at = store.value(
        "select at from prompts where session = ? and id <> ? order by seq desc limit 1",
        session,
        id_,
    )
    return at or ""


def is_at_task(store: Store, session: str, thread: str, words: str) -> bool:
    """Whether a session is still at a task that something was agreed on for: of this thread, "" for
    the first that comes, or in words that say the same. Only the user gives another task."""
    if (thread or first_thread(store, session)) in ("", thread_of(store, session)):
        return True

    from holdfast.rooms.prompts.similarity import is_same_task, keywords

    goal = goal_of(store, session)
    return goal is None or is_same_task(keywords(words), goal.goal)


def thread_of_task(store: Store, session: str) -> str:
    """The thread of a session's task; "" before it was given one."""
    return thread_of(store, session) if goal_of(store, session) else ""
