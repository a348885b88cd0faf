"""What entries make of threads: their sessions, their branches, the words they are found by.

Reads the entry and this room's tables, nothing else: the replay law.
"""

from __future__ import annotations

from holdfast.rooms.threads import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

OF_SESSION = "thread_branches thread_words".split()
OWNED = (*OF_SESSION, "thread_links")
OF_PROJECT = (*OWNED, "thread_turns")
TABLES = (*OF_PROJECT, "thread_homes")


def derive(store: Store, entry: Entry) -> None:
    _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str, tables: Iterable[str] = OWNED) -> None:
    """Forget what was derived from a session's entries."""
    for table in tables:
        store.run(f"delete from {table} where session = ?", session)


def _thread_linked(store: Store, entry: Entry) -> None:
    body = entry.body
    store.run(
        "insert into thread_links (session, seq, id, project, at, thread, permille, reason,"
        " author) values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        entry.session,
        entry.seq,
        entry.id,
        _home_of(store, entry),
        entry.at,
        body["thread"],
        body["permille"],
        body["reason"],
        body["author"],
    )


def _thread_turned(store: Store, entry: Entry) -> None:
    body = entry.body
    store.run(
        "insert into thread_turns (id, project, session, at, thread, turn, words)"
        " values (?, ?, ?, ?, ?, ?, ?)",
        entry.id,
        _home_of(store, entry),
        entry.session,
        entry.at,
        body["thread"],
        body["turn"],
        body["words"],
    )


def _prompt_given(store: Store, entry: Entry) -> None:
    body = entry.body
    if body.get("unverified"):
        return
    branch = body.get("branch", "")
    store.run(
        "insert into thread_branches (project, branch, session, at) values (?, ?, ?, ?)"
        " on conflict do update set at = excluded.at",
        _home_of(store, entry),
        branch,
        entry.session,
        entry.at,
    )
    _add_words(store, entry, body["prompt"])
    if not terms.is_shared(branch):
        _add_words(store, entry, branch)


def _turn_ended(store: Store, entry: Entry) -> None:
    _add_words(store, entry, entry.body["message"][: terms.MESSAGE_CAP])


def _home_of(store: Store, entry: Entry) -> str:
    """The entry's project, or what it was merged into."""
    home = store.value("select home from thread_homes where project = ?", entry.project)
    return str(home or entry.project)


def _add_words(store: Store, entry: Entry, text: str) -> None:
    home = _home_of(store, entry)
    for word in terms.of_text(text):
        store.run(
            "insert or ignore into thread_words (project, word, session) values (?, ?, ?)",
            home,
            word,
            entry.session,
        )


def _session_archived(store: Store, entry: Entry) -> None:
    drop(store, entry.session, OF_SESSION)


def _session_forgotten(store: Store, entry: Entry) -> None:
    drop(store, entry.session)


def _projects_merged(store: Store, entry: Entry) -> None:
    into = entry.body["into"]
    for table in OF_PROJECT:
        store.run(f"update {table} set project = ? where project = ?", into, entry.project)
    store.run("update thread_homes set home = ? where home = ?", into, entry.project)
    store.run(
        "insert or replace into thread_homes (project, home) values (?, ?)", entry.project, into
    )


def _project_forgotten(store: Store, entry: Entry) -> None:
    for table in OF_PROJECT:
        store.run(f"delete from {table} where project = ?", entry.project)
    store.run(
        "delete from thread_homes where project = ? or home = ?", entry.project, entry.project
    )


_DERIVED = {
    "thread_linked": _thread_linked,
    "thread_turned": _thread_turned,
    "prompt_given": _prompt_given,
    "turn_ended": _turn_ended,
    "session_archived": _session_archived,
    "session_forgotten": _session_forgotten,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
}
