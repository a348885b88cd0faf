"""Export and import: the ledger as JSON lines, to another home and back.

    {"format": "holdfast-export", "version": 1, "entries": 2, ...}
    {"machine": ..., "seq": ..., ..., "checksum": ..., "salt": "hex", "body": {...}}
    {"machine": ..., "seq": ..., ..., "checksum": ..., "salt": null, "body": null}

One line per entry in the order they were kept, gravestones too (no body). Entries that lie in an
archive come with their bodies and say so. Laws:
  - an export holds only what is sound, and says what it left out;
  - an import takes in a whole file or nothing; each line is checked by its checksum, its digest
    and the shape of its kind. It never deletes: what is kept here wins;
  - exported and imported into an empty home, entries, bodies and everything derived are equal.

The body is the text that was kept, written as an object where that gives the same text again.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from holdfast.errors import EntryRefused, StoreError
from holdfast.ledger import projections, queries
from holdfast.ledger.entry import Entry, Head, check, checksum
from holdfast.ledger.forget import FORGETTING
from holdfast.ledger.kinds import KINDS, SPARED_BY_ARCHIVE
from holdfast.ledger.queries import FIELDS
from holdfast.ledger.replay import Progress
from holdfast.ledger.workspace import Workspace
from holdfast.store.driver import BUSY
from holdfast.system import environment, files, jsontext, paths
from holdfast.system.paths import digest

FORMAT, VERSION = "holdfast-export", 1
LINE_CAP_BYTES = 64 << 20
TOLD_EACH = 1_000  # lines
INTEGER_CAP = 1 << 62
DEPTH_CAP = 40
DUPLICATE = "duplicate"
TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z")

Chosen = Callable[[str, str], bool]  # of project and session: whether an entry is exported


class Line(NamedTuple):
    """One entry on its way: header, salt and body, and whether it lies in an archive."""

    number: int
    header: tuple[Any, ...]
    salt: bytes | None
    body: str | None
    archived: bool

    def __getattr__(self, name: str) -> Any:
        try:
            return self.header[FIELDS.index(name)]
        except ValueError:
            raise AttributeError(name) from None


# Out


def export(
    workspace: Workspace, chosen: Chosen, *, at: str, scope: dict[str, str]
) -> tuple[dict[str, Any], Iterator[str]]:
    """The first line's data, and all lines; both speak of the store as it is at this moment."""
    store = workspace.store
    machine = store.machine()
    store.run("begin")  # a reader's snapshot: hooks go on writing, and are not seen
    left_out: list[str] = []
    count = sum(1 for _ in _sound(workspace, chosen, left_out))
    header = {
        "format": FORMAT,
        "version": VERSION,
        "at": at,
        "machine": machine,
        "scope": scope,
        "entries": count,
        "left_out": left_out,
    }

    def lines() -> Iterator[str]:
        try:
            yield json.dumps(header, ensure_ascii=False)
            for line in _sound(workspace, chosen, []):
                yield _written(line)
        finally:
            store.run("commit")

    return header, lines()


def _sound(workspace: Workspace, chosen: Chosen, left_out: list[str]) -> Iterator[Line]:
    """Entries to be exported. What is not as it was kept is left out, and told."""
    archives = _Archives(workspace, left_out)
    for place, header, salt, body in queries.whole(workspace.store):
        machine, seq, _, project, session = header[:5]
        if not chosen(project, session):
            continue
        if checksum(*header[:10]) != header[10]:
            left_out.append(f"{machine}:{seq}: its header is damaged")
            continue
        is_archived = body is None and session in archives.sessions
        text = archives.of(session).get((machine, seq)) if is_archived else (salt, body)
        if text is None or text[1] is None:
            text, is_archived = (None, None), False
        elif digest((text[0] or b"") + text[1].encode()) != header[9]:
            left_out.append(f"{machine}:{seq}: its text is damaged")
            text, is_archived = (None, None), False
        yield Line(place, header, *text, is_archived)


class _Archives:
    """The archives of a store, each opened when it is asked for."""

    def __init__(self, workspace: Workspace, left_out: list[str]) -> None:
        self.sessions = set(queries.sessions_with(workspace.store, "session_archived"))
        self._state = workspace.state
        self._left_out = left_out
        self.of = lru_cache(maxsize=16)(self._of)

    def _of(self, session: str) -> dict[tuple[str, int], tuple[bytes, str]]:
        """An archive's texts by machine and number; none, and told, when it cannot be read."""
        try:
            return {
                (entry.machine, entry.seq): (bytes.fromhex(entry.salt), entry.body)
                for entry in read_archive(_archive(self._state, session))
            }
        except UNREADABLE as error:
            message = f"the archive of {session}: {error}"
            if message not in self._left_out:
                self._left_out.append(message)
            return {}


def _archive(state: str, session: str) -> str:
    return f"{paths.archives(state)}/{archive_name(session)}"


def _written(line: Line) -> str:
    record = dict(zip(FIELDS, line.header, strict=True))
    record |= {"salt": None if line.salt is None else line.salt.hex(), "body": line.body}
    if line.body is not None:
        value = jsontext.loads(line.body)
        record["body"] = value if jsontext.dumps(value) == line.body else line.body
    if line.archived:
        record["archived"] = True
    return jsontext.dumps(record)


# In


@dataclass(frozen=True)
class Taken:
    """What an import came to."""

    entries: int
    duplicates: int
    archives: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)


def read(lines: Iterable[bytes]) -> list[Line]:
    """Every line of an export, each verified; EntryRefused names the first that is not right."""
    entries: list[Line] = []
    expected = -1
    for number, raw in enumerate(lines, 1):
        try:
            record = json.loads(raw.decode("utf-8"), parse_constant=_refuse)
            if not isinstance(record, dict):
                raise ValueError("not an object")
            if number == 1:
                expected = _opening(record)
            else:
                entries.append(_line(number, record))
        except (ValueError, RecursionError, EntryRefused) as error:
            raise EntryRefused(f"line {number}: {error}", hint="nothing was imported") from error
    if expected < 0:
        raise EntryRefused("the file is empty", hint="nothing was imported")
    if len(entries) != expected:
        raise EntryRefused(
            f"the file has {len(entries)} entries and speaks of {expected}: it was cut short"
            if len(entries) < expected
            else f"the file has {len(entries)} entries and speaks of {expected}",
            hint="nothing was imported",
        )
    return entries


def take_in(
    workspace: Workspace, lines: list[Line], tell: Progress = lambda done, of: None
) -> Taken:
    """Keep what is not here yet, in one transaction, and derive from it."""
    made: list[str] = []
    try:
        with workspace.store.transaction():
            waiting = workspace.stale  # asked before: an empty store waits for nothing
            return _take_in(workspace, lines, waiting, made, tell)
    except BaseException as error:
        for path in made:
            environment.system.unlink(path)
        if isinstance(error, BUSY):
            raise StoreError(
                "the store is busy; nothing was imported", hint="try again in a moment"
            ) from error
        raise


def _take_in(
    workspace: Workspace, lines: list[Line], waiting: list[str], made: list[str], tell: Progress
) -> Taken:
    count, duplicates, conflicts = 0, 0, []
    archives: dict[str, list[ArchivedEntry]] = {}
    archived = {
        line.session
        for line in lines
        if line.kind == "session_archived" and line.body and not _verdict(workspace, line)
    }
    for number, line in enumerate(lines):
        if not number % TOLD_EACH:
            tell(number, len(lines))
        verdict = _verdict(workspace, line)
        if verdict:
            duplicates += verdict == DUPLICATE
            conflicts += [verdict] if verdict != DUPLICATE else []
            continue
        goes_to_archive = line.archived and line.session in archived
        body = None if goes_to_archive else line.body
        place = queries.put_back(workspace.store, line.header, line.salt, body)
        count += 1
        if goes_to_archive:
            salt = (line.salt or b"").hex().upper()
            entry = ArchivedEntry(*(*line.header, place, salt, line.body or ""))
            archives.setdefault(line.session, []).append(entry)
        elif body is not None:
            _derive(workspace, line, place, waiting)
    for session, entries in archives.items():
        _write_archive(workspace.state, session, entries, made)
    return Taken(count, duplicates, sorted(archives), conflicts)


def _verdict(workspace: Workspace, line: Line) -> str:
    """Why a line is not taken in; "" when it is."""
    store = workspace.store
    here = queries.grave(store, line.machine, line.seq)
    if here is not None:
        if here.digest == line.digest and here.checksum == line.checksum:
            return DUPLICATE
        return f"line {line.number}: another entry is kept as {line.machine}:{line.seq}"
    holder = queries.holder_of(store, line.session, line.key)
    if holder is not None:
        return f"line {line.number}: its event is kept as {holder[0]}:{holder[1]}"
    if line.kind in FORGETTING and line.body is not None and _is_kept_here(workspace, line):
        return f"line {line.number}: what was forgotten there is kept here, and stays"
    if line.kind == "session_archived" and line.body and _is_kept_here(workspace, line):
        return f"line {line.number}: a session archived there is kept here, and stays"
    return ""


def _is_kept_here(workspace: Workspace, line: Line) -> bool:
    """Whether this store holds text that the entry says to be gone."""
    store = workspace.store
    if line.kind == "entry_forgotten":
        body = jsontext.loads(line.body or "{}")
        header = queries.grave(store, body["machine"], body["seq"])
        return header is not None and bool(header.has_body)
    if line.kind == "project_forgotten":
        return bool(queries.with_body_of_project(store, line.project, FORGETTING))
    spared = (*FORGETTING, *(SPARED_BY_ARCHIVE if line.kind == "session_archived" else ()))
    return bool(queries.with_body(store, line.session, spared))


def _derive(workspace: Workspace, line: Line, place: int, waiting: list[str]) -> None:
    fresh = tuple(room for room in KINDS[line.kind].rooms if room not in waiting)
    counts_from = queries.counts_from(workspace.store, place)
    kept = Entry(*(*line.header[:8], jsontext.loads(line.body or ""), counts_from))
    try:
        projections.derive(workspace.store, kept, fresh)
    except (KeyError, TypeError, ValueError) as error:
        raise EntryRefused(
            f"line {line.number}: nothing can be derived from it ({error})",
            hint="nothing was imported",
        ) from error


def _write_archive(state: str, session: str, entries: list[ArchivedEntry], made: list[str]) -> None:
    files.own_folder(paths.archives(state), within=state)
    path = _archive(state, session)
    if files.exists(path):  # archived here before: nothing of that may be lost
        try:
            before = read_archive(path)
        except UNREADABLE as error:
            raise StoreError(
                f"the archive {path} cannot be read", hint="nothing was imported"
            ) from error
        known = {(entry.machine, entry.seq) for entry in before}
        fresh = (entry for entry in entries if (entry.machine, entry.seq) not in known)
        entries = [*before, *fresh]
    else:
        made.append(path)
    write_archive(path, entries)


def _opening(record: dict[str, Any]) -> int:
    """How many entries follow; ValueError when it is not an export, or one of the future."""
    if record.get("format") != FORMAT:
        raise ValueError("not an export of holdfast")
    if record.get("version") != VERSION:
        raise ValueError(f"an export of version {record.get('version')}, and we know {VERSION}")
    count = record.get("entries")
    if type(count) is not int or count < 0:
        raise ValueError("it does not say how many entries follow")
    return count


def _line(number: int, record: dict[str, Any]) -> Line:
    if set(record) - {"archived"} != {*FIELDS, "salt", "body"}:
        raise ValueError("these are not the fields of an entry")
    header = tuple(record[name] for name in FIELDS)
    for name, value in zip(FIELDS, header, strict=True):
        wanted = int if name in ("seq", "version") else str
        if type(value) is not wanted:
            raise ValueError(f"{name} is not right")
    if checksum(*header[:10]) != header[10]:
        raise ValueError("the header is damaged")
    _check_plain(header)
    if record["seq"] < 1 or not record["machine"] or not TIME.fullmatch(record["at"]):
        raise ValueError("the header is not right")
    if record["kind"] not in KINDS or record["version"] > KINDS[record["kind"]].version:
        raise ValueError(f"an entry of a newer holdfast: {record['kind']} {record['version']}")
    if record["body"] is None and record["salt"] is None:
        return Line(number, header, None, None, False)
    return Line(number, header, *_body(record), record.get("archived") is True)


def _body(record: dict[str, Any]) -> tuple[bytes, str]:
    """Salt and text of a body: what was kept, in the shape of its kind."""
    if not isinstance(record["salt"], str) or not isinstance(record["body"], str | dict):
        raise ValueError("salt or body is missing")
    salt = bytes.fromhex(record["salt"])
    _check_plain(record["body"])
    body = record["body"] if isinstance(record["body"], str) else jsontext.dumps(record["body"])
    if digest(salt + body.encode()) != record["digest"]:
        raise ValueError("the body is damaged")
    value = json.loads(body, parse_constant=_refuse)
    check(record["kind"], value)
    _check_plain(value)
    if record["kind"] == "session_archived" and (
        # Names of files and rows: they may point at this session's and nobody else's.
        value["file"] != archive_name(record["session"])
        or value["session"].get("id") != record["session"]
    ):
        raise ValueError("it speaks of another session")
    return salt, body


def _check_plain(value: object, depth: int = 0) -> None:
    """What the gate lets through is what may be kept (docs/internals/decisions/0001)."""
    if isinstance(value, str):
        if "\x00" in value or value != value.encode("utf-8", "ignore").decode():
            raise ValueError("a text that no database can hold")
    elif isinstance(value, dict):
        _check_plain(list(value), depth)
        _check_plain(list(value.values()), depth)
    elif isinstance(value, list | tuple):
        if depth > DEPTH_CAP:
            raise ValueError("nested too deeply")
        for item in value:
            _check_plain(item, depth + 1)
    elif isinstance(value, int) and not -INTEGER_CAP < value < INTEGER_CAP:
        raise ValueError("a number that no database can hold")
    elif isinstance(value, float) and value - value != 0:
        raise ValueError("a number that is none")


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


UNREADABLE = (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError)


class ArchivedEntry(Head):
    """One entry as it is archived: whole, with its salt and its body."""

    key: str
    digest: str
    checksum: str
    place: int
    salt: str  # in hexadecimal
    body: str


def archive_name(session: str) -> str:
    return f"{paths.as_name(session)}.jsonl.gz"


def read_archive(path: str) -> list[ArchivedEntry]:
    """Every entry of an archive; one of UNREADABLE when it is not what was written."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [ArchivedEntry(*(record[name] for name in ArchivedEntry._fields)) for record in records]


def write_archive(path: str, entries: list[ArchivedEntry]) -> None:
    content = "".join(json.dumps(entry.as_dict(), ensure_ascii=False) + "\n" for entry in entries)
    files.write_whole(path, gzip.compress(content.encode(), mtime=0))
