"""A session's archive: its entries, one JSON object to a line, compressed."""

from __future__ import annotations

import gzip
import json
import zlib
from typing import NamedTuple

from holdfast.system import files, paths

UNREADABLE = (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError)


class ArchivedEntry(NamedTuple):
    """One entry as it is archived: whole, with its salt and its body."""

    place: int
    machine: str
    seq: int
    at: str
    project: str
    session: str
    agent: str
    kind: str
    version: int
    key: str
    digest: str
    checksum: str
    salt: str  # in hexadecimal
    body: str


def name_of(session: str) -> str:
    return f"{paths.as_name(session)}.jsonl.gz"


def read(path: str) -> list[ArchivedEntry]:
    """Every entry of an archive; one of UNREADABLE when it is not what was written."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [ArchivedEntry(*(record[name] for name in ArchivedEntry._fields)) for record in records]


def write(path: str, entries: list[ArchivedEntry]) -> None:
    content = "".join(json.dumps(entry._asdict(), ensure_ascii=False) + "\n" for entry in entries)
    files.write_whole(path, gzip.compress(content.encode(), mtime=0))
