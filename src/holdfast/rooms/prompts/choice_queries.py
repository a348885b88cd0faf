"""What the user chose, on disk, and what agents pointed at: rules and choices alike."""

from __future__ import annotations

from holdfast.rooms.prompts.queries import RULE_HOLDS, for_session, lifted
from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.prompts.queries import Lifted
    from holdfast.store.sqlite import Store


class Choice(Value):
    """What the user chose, verbatim, and what it answers."""

    id: str
    text: str
    question: str  # "" for none
    sort: str  # answer, refusal, approval, plan, typed
    at: str
    project: str
    session: str
    pointed: int  # the agent pointed at it
    branch: str
    thread: str
    path: str  # of a plan
    prompt: str  # by its id


_CHOICE = ", ".join(f"choices.{name}" for name in Choice._fields)
_CHOICE_HOLDS = (
    "choices.stands > 0 and not exists (select 1 from rule_turns as gone"
    " where gone.subject = choices.id and gone.turn = 'withdrawn' and not exists"
    " (select 1 from rule_turns as back where back.subject = choices.id and back.turn = 'kept'"
    " and back.at > gone.at))"
)
# The same question was answered again, or the same plan was approved anew. Of what is said in
# refusing calls nothing is: two refusals of edits to one file may mean two things.
_LATER = (
    "later.stands > 0 and (later.at, later.seq, later.id) > (choices.at, choices.seq, choices.id)"
)
_CHOICE_LATEST = (
    "not exists (select 1 from choices as later where choices.question <> ''"
    " and choices.sort not in ('refusal', 'approval')"
    " and later.project = choices.project and later.question = choices.question"
    f" and later.sort = choices.sort and {_LATER})"
    " and not exists (select 1 from choices as later where choices.path <> ''"
    " and later.session = choices.session and later.path = choices.path"
    f" and later.sort = choices.sort and {_LATER})"
)


def has_choice(store: Store, project: str, session: str, *, sort: str, text: str, row: str) -> bool:
    """Whether words were kept before: by another door, or from a transcript that shares the row."""
    return store.holds(
        "select exists (select 1 from choices where session = ?1 and sort = ?2 and text = ?3)"
        " or exists (select 1 from choices where project = ?4 and row = ?5)",
        *(session, sort, text, project, row),
    )


def choices_in(
    store: Store, project: str, sessions: list[str], branch: str, session: str, limit: int
) -> list[Choice]:
    """What was chosen in some sessions and holds, newest first, as a session is told it; on its
    branch also what was chosen in a session that is forgotten; without what was said with a Yes,
    which on real sessions was no choice."""
    sql = (
        f"select {_CHOICE} from choices where (session in (select value from json_each(?1))"
        f" or (project = ?2 and branch = ?3 and session = '')) and sort <> 'approval'"
        f" and {_CHOICE_HOLDS} and {_CHOICE_LATEST} order by at desc, seq desc limit ?5"
    )
    named = jsontext.dumps(sessions)
    rows = store.rows(for_session(sql, "choices", "?4"), named, project, branch, session, limit)
    return [Choice(*row) for row in rows]


def choices_since(
    store: Store, project: str, branch: str, since: str, *, but: str, limit: int
) -> list[Choice]:
    """What was chosen on a branch since a time, in other sessions than `but`; newest first."""
    sql = (
        f"select {_CHOICE} from choices where project = ?1 and branch = ?2 and at > ?4"
        f" and session <> ?3 and sort <> 'approval' and {_CHOICE_HOLDS} and {_CHOICE_LATEST}"
        " order by at desc, seq desc limit ?5"
    )
    rows = store.rows(for_session(sql, "choices", "?3"), project, branch, but, since, limit)
    return [Choice(*row) for row in rows]


def dropped_since(store: Store, project: str, since: str, *, but: str) -> list[Lifted]:
    """Choices that were taken back since a time."""
    return lifted(store, "choices", _CHOICE_HOLDS, project, since, but)


def choices(store: Store, project: str, limit: int) -> list[Choice]:
    """What was chosen in a project and holds, newest first."""
    rows = store.rows(
        f"select {_CHOICE} from choices where project = ? and {_CHOICE_HOLDS}"
        f" and {_CHOICE_LATEST} order by at desc, seq desc limit ?",
        project,
        limit,
    )
    return [Choice(*row) for row in rows]


def standing_in(store: Store, session: str) -> list[str]:
    """Choices that were made in a session and hold, by their ids."""
    return store.column(
        "select id from choices where session = ? and sort <> 'approval'"
        f" and {_CHOICE_HOLDS} and {_CHOICE_LATEST}",
        session,
    )


def choice(store: Store, id_: str) -> Choice | None:
    """One choice, whether it holds or not."""
    row = store.row(f"select {_CHOICE} from choices where id = ?", id_)
    return Choice(*row) if row else None


class ListedChoice(Value):
    """A choice with what became of it."""

    choice: Choice
    superseded: bool
    withdrawn: bool


def all_choices(store: Store, project: str, limit: int = -1) -> list[ListedChoice]:
    """Every choice of a project but those that nobody made, newest first; or the latest."""
    rows = store.rows(
        f"select {_CHOICE}, not ({_CHOICE_LATEST}), not ({_CHOICE_HOLDS}) from choices"
        " where project = ? and stands > 0 order by at desc, seq desc limit ?",
        project,
        limit,
    )
    return [
        ListedChoice(choice=Choice(*row), superseded=bool(superseded), withdrawn=bool(withdrawn))
        for *row, superseded, withdrawn in rows
    ]


# Pointing


class Pointed(Value):
    """A rule or a choice that was kept because an agent pointed at it."""

    kind: str  # rule, choice
    id: str
    at: str  # when it was pointed at
    text: str
    question: str  # of a choice, in the agent's words; "" for none
    session: str  # of the agent


def withdrawn_with_time(store: Store, project: str) -> list[tuple[str, str]]:
    """Texts of rules and choices that the user took back, and when."""
    rows = store.rows(
        "select rules.text, rule_turns.at from rule_turns"
        " join rules on rules.id = rule_turns.subject"
        f" where rule_turns.project = ?1 and rule_turns.turn = 'withdrawn' and not ({RULE_HOLDS})"
        " union all select choices.text, rule_turns.at from rule_turns"
        " join choices on choices.id = rule_turns.subject"
        " where rule_turns.project = ?1 and rule_turns.turn = 'withdrawn'"
        f" and not ({_CHOICE_HOLDS})",
        project,
    )
    return [(text, at) for text, at in rows]


_POINTED = (
    "select 'rule', rules.id, rules.at, rules.text, '', rules.session from rules"
    f" where rules.{{0}} = ?1 and rules.how = 'pointed' and rules.at > ?2 and {RULE_HOLDS}"
    " union all select 'rule', rules.id, rule_turns.at, rules.text, '', rule_turns.session"
    " from rule_turns join rules on rules.id = rule_turns.subject"
    " where rule_turns.{0} = ?1 and rule_turns.turn = 'pointed' and rule_turns.at > ?2"
    f" and {RULE_HOLDS}"
    " union all select 'choice', choices.id, choices.at, choices.text, choices.question,"
    " choices.session from choices"
    f" where choices.{{0}} = ?1 and choices.pointed = 1 and choices.at > ?2 and {_CHOICE_HOLDS}"
    " order by 3, 2"
)


def pointed_in(store: Store, session: str, since: str) -> list[Pointed]:
    """What an agent pointed at in a session since a time and still holds, oldest first."""
    return [Pointed(*row) for row in store.rows(_POINTED.format("session"), session, since)]


def pointed_here(store: Store, project: str, since: str) -> list[Pointed]:
    """What agents pointed at in a project since a time and still holds, oldest first."""
    return [Pointed(*row) for row in store.rows(_POINTED.format("project"), project, since)]
