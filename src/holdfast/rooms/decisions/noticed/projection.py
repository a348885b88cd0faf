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
    said = entry.body
    store.run(
        "insert into forks values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id_,
        home,
        entry.session,
        entry.at,
        entry.seq,
        said["sort"],
        said["decision"],
        said.get("citation", ""),
        said["said"],
        said["why"],
        int(said["went_on"]),
    )


def _ghost_checked(store: Store, entry: Entry, id_: str, home: str) -> None:
    said = entry.body
    store.run(
        "insert into ghosts values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        id_,
        home,
        entry.session,
        entry.at,
        entry.seq,
        said["feature"],
        jsontext.dumps(said["also"]),
        said["verdict"],
        said["code"],
        said["docs"],
        said["commit"],
        int(said["dirty"]),
    )


DERIVED = {"fork_noticed": _fork_noticed, "ghost_checked": _ghost_checked}
