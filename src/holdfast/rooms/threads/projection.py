"""What entries make of threads: their sessions, their branches, the words they are found by.

Reads the entry and this room's tables, nothing else: the replay law.
"""

from __future__ import annotations

from holdfast.ledger import projections
from holdfast.rooms.threads import terms
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

HOMES = "thread_homes"
OF_SESSION = "thread_branches thread_words".split()
OWNED = (*OF_SESSION, "thread_links", "thread_turns")
TABLES = (*OWNED, HOMES)


def derive(store: Store, entry: Entry) -> None:
    _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str) -> None:
    projections.drop(store, session, OWNED)


def _thread_linked(store: Store, entry: Entry) -> None:
    store.insert(
        "thread_links",
        project=_home_of(store, entry),
        **entry.header("id session seq at"),
        **entry.fields("thread permille reason author"),
    )


def _thread_turned(store: Store, entry: Entry) -> None:
    store.insert(
        "thread_turns",
        project=_home_of(store, entry),
        **entry.header("id session at"),
        **entry.fields("thread turn words"),
    )


def _prompt_given(store: Store, entry: Entry) -> None:
    if entry.body.get("unverified"):
        return
    _file(store, entry, "at")
    _add_words(store, entry, entry.body["prompt"])


def _turn_ended(store: Store, entry: Entry) -> None:
    _file(store, entry, "ended_at")
    _turn_cut(store, entry)


def _turn_cut(store: Store, entry: Entry) -> None:
    _add_words(store, entry, entry.body["message"][: terms.MESSAGE_CAP])


def _goal_set(store: Store, entry: Entry) -> None:
    """What an accepted plan is about: no prompt says it."""
    if entry.session and entry.body["how"] == "plan":
        _add_words(store, entry, entry.body["goal"])


def _file(store: Store, entry: Entry, when: str) -> None:
    """A session is one of every branch that it was at work on."""
    branch = entry.body.get("branch", "")
    row = {"at": "", "ended_at": "", when: entry.at}
    store.insert(
        "thread_branches",
        then=f"on conflict do update set {when} = excluded.{when}",
        project=_home_of(store, entry),
        branch=branch,
        session=entry.session,
        **row,
    )
    if not terms.is_shared(branch):
        _add_words(store, entry, branch)


def _add_words(store: Store, entry: Entry, text: str) -> None:
    store.run(
        "insert or ignore into thread_words (project, session, word)"
        " select ?, ?, value from json_each(?)",
        _home_of(store, entry),
        entry.session,
        jsontext.dumps(terms.of_text(text)),
    )


def _session_archived(store: Store, entry: Entry) -> None:
    projections.drop(store, entry.session, OF_SESSION)


def _session_forgotten(store: Store, entry: Entry) -> None:
    drop(store, entry.session)


def _projects_merged(store: Store, entry: Entry) -> None:
    projections.merge(store, entry, HOMES, OWNED)


def _project_forgotten(store: Store, entry: Entry) -> None:
    projections.drop_outside(store, entry.project, ["thread_turns"])
    projections.forget_home(store, entry.project, HOMES)


def _home_of(store: Store, entry: Entry) -> str:
    return projections.home_of(store, entry.project, HOMES)


_DERIVED = {
    "thread_linked": _thread_linked,
    "thread_turned": _thread_turned,
    "prompt_given": _prompt_given,
    "turn_ended": _turn_ended,
    "turn_cut": _turn_cut,
    "goal_set": _goal_set,
    "session_archived": _session_archived,
    "session_forgotten": _session_forgotten,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
}
