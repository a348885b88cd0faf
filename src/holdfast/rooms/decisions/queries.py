"""Decisions, claims and what is open, on disk."""

from __future__ import annotations

from holdfast.errors import Ambiguous, NotFound
from holdfast.rooms.decisions.decision import (
    FILE,
    STANDINGS,
    UNSUPPORTED,
    Decision,
    Evidence,
    Scenario,
    Standing,
)
from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdfast.store.sqlite import Store

    # A question, a next step or a blocker: its id, sort, text, at, session and source.
    OpenItem = dict[str, str]

LEAST = 4  # characters of an id that name it
ALL = -1
EDITS = 50  # of one decision that are followed back
CITATION = "id path line last quote part around commit_".split()
STANDING = "name path line last why stamp asked".split()

_DECISION = (
    "select id, text, because, at, project, session, source, supersedes, coalesce((select min(id)"
    " from decisions as next where next.supersedes = decisions.id), '') from decisions"
)
_IS_CURRENT = "not exists (select 1 from decisions as next where next.supersedes = decisions.id)"


class Judged(Value):
    """How a quote stood, what its file looked like, and what git had checked out."""

    standing: Standing
    stamp: str
    asked: str


def current(store: Store, project: str, *, limit: int = 0) -> list[Decision]:
    """The decisions in force, newest first."""
    rows = store.rows(
        f"{_DECISION} where project = ? and {_IS_CURRENT} order by at desc, seq desc, id limit ?",
        project,
        limit or ALL,
    )
    return _whole(store, rows)


def history(store: Store, project: str, *, limit: int = 0) -> list[Decision]:
    """Every decision, newest first, superseded ones too."""
    rows = store.rows(
        f"{_DECISION} where project = ? order by at desc, seq desc, id limit ?",
        project,
        limit or ALL,
    )
    return _whole(store, rows)


def count_current(store: Store, project: str, *, limit: int = 0) -> int:
    """How many decisions are in force; with a limit no more of them are counted."""
    return store.number(
        "select count(*) from (select 1 from decisions where project = ?"
        f" and {_IS_CURRENT} limit ?)",
        project,
        limit or ALL,
    )


def find(store: Store, given: str, *, project: str = "") -> Decision:
    """The decision that is named by the start of its id; NotFound, or Ambiguous."""
    rows = store.rows(
        f"{_DECISION} where id >= ?1 and id < ?1 || 'g' and (?2 = '' or project = ?2)"
        " order by id limit 4",
        _start(given, "a decision", "holdfast decisions"),
        project,
    )
    decision: Decision = _only_match(_whole(store, rows), given, "decision", "holdfast decisions")
    return decision


def superseding(store: Store, id_: str) -> list[str]:
    """What took a decision's place: more than one when machines did not know of each other."""
    return store.column("select id from decisions where supersedes = ? order by at, id", id_)


def claims(
    store: Store, project: str, session: str = "", *, id_: str = ""
) -> list[tuple[Decision, str]]:
    """What was claimed, earliest first, each with how it was grounded; of one session, or all."""
    # Only what is asked for, by the narrowest index there is (and + for none on the project).
    asked = [(name, value) for name, value in (("id", id_), ("session", session)) if value]
    asked += [("+project" if asked else "project", project)] if project else []
    rows = list(
        store.rows(
            "select id, text, at, project, session, grounding from claims"
            f" where {' and '.join(f'{name} = ?' for name, _ in asked) or 'true'}"
            " order by at, seq, id",
            *(value for _, value in asked),
        )
    )
    made = [Decision(row[0], row[1], at=row[2], project=row[3], session=row[4]) for row in rows]
    _attach_evidence(store, made)
    return [(claim, row[5]) for claim, row in zip(made, rows, strict=True)]


def of_session(store: Store, project: str, session: str) -> list[Decision]:
    """The decisions that a session made, earliest first."""
    rows = store.rows(
        f"{_DECISION} where +project = ? and session = ? order by at, seq, id", project, session
    )
    return _whole(store, rows)


def standing_in(store: Store, session: str) -> list[str]:
    """Decisions that were made in a session and are in force, by their ids."""
    return store.column(f"select id from decisions where session = ? and {_IS_CURRENT}", session)


def made_since(store: Store, project: str, since: str, *, but: str, limit: int) -> list[Decision]:
    """Decisions in force that were made since a time outside of the session `but`, newest first."""
    rows = store.rows(
        f"{_DECISION} where project = ? and at > ? and session <> ? and {_IS_CURRENT}"
        " order by at desc, seq desc, id limit ?",
        project,
        since,
        but,
        limit,
    )
    return _whole(store, rows)


def _whole(store: Store, rows: Iterable[tuple[Any, ...]]) -> list[Decision]:
    names = "because at project session source supersedes superseded_by".split()
    made = [Decision(row[0], row[1], **dict(zip(names, row[2:], strict=True))) for row in rows]
    _attach_evidence(store, made)
    for id_, kind, name, expected in _of_owners(
        store, made, "select decision, kind, name, expected from scenarios where decision", "place"
    ):
        id_.scenarios.append(Scenario(kind, name, expected))
    for decision in made:
        if decision.source == FILE and decision.evidence and _is_reworded(store, decision):
            decision.evidence.clear()
            decision.scenarios.clear()
    return made


def _is_reworded(store: Store, decision: Decision) -> bool:
    """Whether the notes gave a decision other words. Nobody can cite there: what rests on anything
    all the same was handed its evidence on by an earlier version, and it speaks for other words."""
    words, before = _letters(decision.text), decision.supersedes
    for _ in range(EDITS):
        row = store.row("select text, source, supersedes from decisions where id = ?", before)
        if row is None or _letters(row[0]) != words:
            return row is not None
        if row[1] != FILE:
            return False
        before = row[2]
    return False


def _letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())


def _attach_evidence(store: Store, made: list[Decision]) -> None:
    select = f"select owner, {', '.join(CITATION)} from citations where owner"
    for row in _of_owners(store, made, select, "place"):
        row[0].evidence.append(_evidence(row[1:]))


def _evidence(row: Any) -> Evidence:
    id_, path, line, last, quote, part, around, commit = row
    return Evidence(path, line, last, quote, id=id_, part=bool(part), around=around, commit=commit)


def _of_owners(store: Store, made: list[Decision], select: str, order: str) -> Iterable[list[Any]]:
    """Rows that belong to decisions, each with its decision in place of the id."""
    owners = {decision.id: decision for decision in made}
    rows = store.rows(
        f"{select} in (select value from json_each(?)) order by {order}",
        jsontext.dumps(list(owners)),
    )
    for row in rows:
        yield [owners[row[0]], *row[1:]]


# Questions, next steps, blockers


def open_items(store: Store, project: str, sort: str = "") -> list[OpenItem]:
    """What is open, earliest first."""
    rows = store.rows(
        "select id, sort, text, at, session, source from items"
        " where project = ? and (?2 = '' or sort = ?2)"
        " and is_open = 1 order by at, seq, id",
        project,
        sort,
    )
    return [
        {"id": id_, "sort": kind, "text": text, "at": at, "session": session, "source": source}
        for id_, kind, text, at, session, source in rows
    ]


def was_open(store: Store, project: str, sort: str, text: str) -> bool:
    """Whether something is or was open in these words."""
    rows = store.rows(
        "select 1 from items where project = ? and sort = ? and text = ? limit 1",
        project,
        sort,
        text,
    )
    return bool(list(rows))


def resolved_items(store: Store, project: str, words: str, *, limit: int) -> list[OpenItem]:
    """What was resolved last in just these words and is not open again, latest first."""
    rows = store.rows(
        "select items.id, items.sort, items.text, items.at, items.session, items.source from"
        " (select item, at from resolutions where project = ? and words = ? order by at desc"
        " limit ?) as latest join items on items.id = latest.item where items.is_open = 0"
        " and not exists (select 1 from items as again where again.project = items.project"
        " and again.is_open = 1 and again.sort = items.sort and again.text = items.text)"
        " order by latest.at desc, items.id",
        project,
        words,
        2 * limit,  # some are open again, and some were resolved twice
    )
    latest: dict[tuple[str, str], OpenItem] = {}
    for id_, kind, text, at, session, source in rows:
        item: OpenItem = {
            "id": id_, "sort": kind, "text": text, "at": at, "session": session, "source": source,
        }  # fmt: skip
        latest.setdefault((kind, text), item)
    return list(latest.values())[:limit]


def find_item(store: Store, project: str, given: str) -> OpenItem:
    """The open item that is named by the start of its id; NotFound, or Ambiguous."""
    start = _start(given, "an item", "holdfast decisions open")
    likes = [item for item in open_items(store, project) if item["id"].startswith(start)]
    item: OpenItem = _only_match(likes, given, "open item", "holdfast decisions open")
    return item


def _start(given: str, what: str, see: str) -> str:
    if len(given) < LEAST:
        message = f"{given} is too short: give at least {LEAST} characters of {what}'s id"
        raise NotFound(message, hint=f"see `{see}`")
    return given.lower()


def _only_match(candidates: list[Any], given: str, what: str, see: str) -> Any:
    if not candidates:
        raise NotFound(f"no {what} {given}", hint=f"see `{see}`")
    if len(candidates) > 1:
        ids = [
            candidate["id"] if isinstance(candidate, dict) else candidate.id
            for candidate in candidates[:3]
        ]
        raise Ambiguous(f"{given} fits more than one {what}", hint=f"such as {', '.join(ids)}")
    return candidates[0]


# How quotes stood when they were last looked for


def last_judged(store: Store, project: str, root: str) -> list[tuple[str, ...]]:
    """Every quote under decisions in force: its id and path, and of how it stood in this work tree
    its file's stamp, where it was found, its standing's name, and what git had checked out."""
    # By what indexes hold: quotes are long, and most of them are not asked for.
    rows = store.rows(
        "select cited.id, cited.path, known.stamp, known.path, known.name, known.asked from"
        " citations as cited left join standings as known on known.root = ? and known.citation"
        " = cited.id where cited.project = ? and cited.owner in (select id from decisions where"
        f" project = ? and {_IS_CURRENT})",
        root,
        project,
        project,
    )
    return list(rows)


def evidence(store: Store, ids: list[str]) -> list[Evidence]:
    rows = store.rows(
        f"select {', '.join(CITATION)} from citations where id in (select value from json_each(?))",
        jsontext.dumps(ids),
    )
    return [_evidence(row) for row in rows]


def tally(store: Store, project: str, root: str) -> dict[str, int]:
    """How many decisions in force stand how, by what was last found of their weakest evidence."""
    rows = store.rows(
        "select worst, count(*) from (select max(case known.name when 'grounded' then 0"
        " when 'moved' then 1 when 'broken' then 2 end) as worst from decisions left join"
        " citations on owner = decisions.id left join standings as known on known.root = ?1"
        " and known.citation = citations.id where decisions.project = ?2"
        f" and {_IS_CURRENT} group by decisions.id) group by worst",
        root,
        project,
    )
    many = {UNSUPPORTED if worst is None else STANDINGS[worst]: count for worst, count in rows}
    return {name: many.get(name, 0) for name in STANDINGS}


def judged(store: Store, root: str, ids: list[str]) -> dict[str, Judged]:
    """How quotes stood in this work tree, as far as they were judged."""
    rows = store.rows(
        f"select citation, {', '.join(STANDING)} from standings where root = ?"
        " and citation in (select value from json_each(?))",
        root,
        jsontext.dumps(ids),
    )
    return {row[0]: _judged(row[1:]) for row in rows}


def _judged(row: Any) -> Judged:
    return Judged(Standing(*row[:5]), *row[5:])


def keep_judged(store: Store, root: str, judged_by_id: dict[str, Judged]) -> None:
    for id_, judgement in judged_by_id.items():
        store.replace(
            "standings",
            root=root,
            citation=id_,
            **judgement.standing.as_dict(),
            stamp=judgement.stamp,
            asked=judgement.asked,
        )
