"""The entries of a session in their order, page by page, and single ones by what names them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.store.sqlite import Store
from holdfast.system import jsontext

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

_COLUMNS = "place, kind, at, session, machine, seq, project, agent, key, body"
_FROM = f"select {_COLUMNS} from entries left join bodies using (place)"


@dataclass(frozen=True)
class KeptEntry:
    """An entry as it lies there; its body is None where it was forgotten or archived."""

    place: int
    kind: str
    at: str
    session: str
    machine: str
    seq: int
    project: str
    agent: str
    key: str
    body: Body | None


def of_session(
    store: Store, session: str, *, kinds: Iterable[str] = (), before: int = 0, limit: int = 100
) -> list[KeptEntry]:
    """The newest first, from a place downwards; of some kinds, or of all."""
    names = list(kinds)
    rows = store.rows(
        f"{_FROM} where session = ? and place < ?"
        " and (? or kind in (select value from json_each(?))) order by place desc limit ?",
        session,
        before or 1 << 62,
        not names,
        jsontext.dumps(names),
        limit,
    )
    return [_entry(row) for row in rows]


def numbered(store: Store, seq: int, machine: str = "") -> KeptEntry | None:
    """An entry by its number, of this machine unless another is named."""
    row = store.row(f"{_FROM} where machine = ? and seq = ?", machine or store.machine(), seq)
    return _entry(row) if row else None


def last_of(
    store: Store, session: str, kinds: Iterable[str], *, before: int, holding: str = ""
) -> KeptEntry | None:
    """A session's last entry of some kinds before a place; where asked, one with this in its
    body."""
    row = store.row(
        f"{_FROM} where session = ? and place < ? and kind in (select value from json_each(?))"
        " and (? = '' or instr(body, ?)) order by place desc limit 1",
        session,
        before,
        jsontext.dumps(list(kinds)),
        holding,
        holding,
    )
    return _entry(row) if row else None


def at_time(store: Store, session: str, kind: str, at: str) -> KeptEntry | None:
    """A session's entry of a kind by its time; of what belongs to no session by its key, which
    begins with both."""
    if session:
        sql = f"{_FROM} where session = ? and kind = ? and at = ? order by place limit 1"
        row = store.row(sql, session, kind, at)
    else:
        sql = f"{_FROM} where session = '' and key >= ? and key < ? order by place limit 1"
        row = store.row(sql, f"{kind}:{at}:", f"{kind}:{at};")
    return _entry(row) if row else None


def growth(store: Store, days: list[str]) -> list[tuple[str, int]]:
    """How many entries were kept on each of some days that follow each other. By the order of
    entries: where a day begins is found by halving, whatever there is."""
    last = store.number("select coalesce(max(place), 0) from entries")
    begins = [_first_since(store, day, last) for day in days]
    ends = [*begins[1:], last + 1]
    return [(day, end - begin) for day, begin, end in zip(days, begins, ends, strict=True)]


def _first_since(store: Store, day: str, last: int) -> int:
    """The place of the first entry of a day or of a later one."""
    low, high = 1, last + 1
    while low < high:
        middle = (low + high) // 2
        row = store.row("select at from entries where place >= ? order by place limit 1", middle)
        if row is not None and row[0] < day:
            low = middle + 1
        else:
            high = middle
    return low


def redactions(store: Store, cap: int) -> dict[str, int]:
    """Of the latest entries that hold a mark of redaction: how many there are of each kind."""
    rows = store.rows(
        "select body from bodies where place > (select max(place) from bodies) - ?"
        " and instr(body, '[removed: ')",
        cap,
    )
    counts: dict[str, int] = {}
    for (body,) in rows:
        for part in body.split("[removed: ")[1:]:
            name = part.partition("]")[0][:60]
            counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _entry(row: tuple[Any, ...]) -> KeptEntry:
    body = jsontext.loads(row[-1]) if row[-1] is not None else None
    return KeptEntry(*(*row[:-1], body))
