"""What entries make of the search index, and of which entries were imported.

`imports` is derived like all else. The index is a cache: it is filled when somebody asks, from
where it ends (recalling.py), and emptied as a whole when anything was forgotten or two projects
became one: no word of what is gone stays in it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.rooms.recall.documents import Indexed
    from holdfast.store.sqlite import Store

TABLES = ("imports",)
# Exempt from the replay law: filled when somebody looks, and filled anew when they are gone.
CACHES = (
    *("recalled_words", "recalled_documents", "recalled_sessions", "recalled_projects"),
    "recall_cursor",
)
# Raised when other words are made of the same entries: the index is filled anew.
VERSION = 3
# How many numbers a project has for its documents: three hundred thousand sessions' worth. Small
# numbers make a small index.
SPAN = 1 << 24


def derive(store: Store, entry: Entry) -> None:
    if entry.kind == "transcript_imported":
        _imported(store, entry)
        return
    if entry.kind == "session_forgotten":
        drop(store, entry.session)
    empty(store)


def drop(store: Store, session: str) -> None:
    """Forget what was derived from a session's entries."""
    store.run("delete from imports where session = ?", session)
    empty(store)


def empty(store: Store) -> None:
    """Take every word out of the index; where it is empty, nothing is written."""
    if store.value("select 1 from recall_cursor"):
        store.run("insert into recalled_words (recalled_words) values ('delete-all')")
        for table in CACHES[1:]:
            store.run(f"delete from {table}")


def add(store: Store, document: Indexed, number: int, session: int) -> None:
    """Put a document of a session into the index."""
    store.insert(
        "recalled_documents",
        id=number,
        place=document.place,
        part=document.part,
        sort=document.sort,
        size=document.size,
        session=session,
        at=document.at,
    )
    store.insert("recalled_words", rowid=number, words=document.words)


def begin(store: Store, project: str) -> int:
    """Numbers for a project's documents; the last one that is taken."""
    store.insert("recalled_projects", project=project, last=0)
    id_ = store.value("select last_insert_rowid()")
    reach(store, project, id_ * SPAN)
    return int(id_ * SPAN)


def reach(store: Store, project: str, last: int) -> None:
    """A project's documents go as far as this number."""
    store.run("update recalled_projects set last = ? where project = ?", last, project)


def grow(store: Store, session: int, words: int) -> None:
    """A session has so many words more."""
    store.run("update recalled_sessions set size = size + ? where id = ?", words, session)


def tidy(store: Store) -> None:
    """Bring the index into one piece: a tenth smaller, and quicker to ask."""
    store.run("insert into recalled_words (recalled_words) values ('optimize')")


def note(store: Store, place: int) -> None:
    """The index goes as far as this entry."""
    store.replace("recall_cursor", one=1, place=place, version=VERSION)


def numbered(store: Store, session: str, project: str) -> int:
    """The number by which the index knows a session."""
    known = store.value("select id from recalled_sessions where session = ?", session)
    if known is None:
        store.insert("recalled_sessions", session=session, project=project)
        known = store.value("select last_insert_rowid()")
    return int(known)


def _imported(store: Store, entry: Entry) -> None:
    row = entry.header("session machine at") | entry.fields("first last file rows bytes")
    store.replace("imports", **row)
