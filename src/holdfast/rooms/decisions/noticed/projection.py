"""What entries make of forks and ghosts. Reads the entry and nothing else."""

from __future__ import annotations

from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

OF_WORK = ("forks",)
OF_WORDS = ("ghosts",)


def _fork_noticed(store: Store, entry: Entry, id_: str, home: str) -> None:
    body = entry.body
    store.run(
        "insert into forks (id, project, session, at, seq, sort, decision, citation, said, why,"
        " went_on) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id_,
        home,
        entry.session,
        entry.at,
        entry.seq,
        body["sort"],
        body["decision"],
        body.get("citation", ""),
        body["said"],
        body["why"],
        int(body["went_on"]),
    )


def _ghost_checked(store: Store, entry: Entry, id_: str, home: str) -> None:
    body = entry.body
    store.run(
        "insert into ghosts (id, project, session, at, seq, feature, also, verdict, code, docs,"
        " commit_, is_dirty) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id_,
        home,
        entry.session,
        entry.at,
        entry.seq,
        body["feature"],
        jsontext.dumps(body["also"]),
        body["verdict"],
        body["code"],
        body["docs"],
        body["commit"],
        int(body["dirty"]),
    )


DERIVED = {"fork_noticed": _fork_noticed, "ghost_checked": _ghost_checked}
