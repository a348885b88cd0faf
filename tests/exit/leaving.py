"""What the tests of the way out share: a mark in every text, and a look into every file.

The mark is `kelp001`, `kelp002`, ...: short enough that no rule takes it for a secret. No test's
name has that word in it, for scratch folders are named after tests.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import commands
from cli.terminal import in_a_shell
from holdfast.ledger import queries, replay
from holdfast.ledger.entry import checksum
from holdfast.ledger.forget import FORGETTING
from holdfast.ledger.kinds import KINDS
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.gates.protection.persons_acts import persons_act
from holdfast.rooms.sessions.queries import FIELDS
from holdfast.store.sqlite import Store
from holdfast.system import clock, jsontext
from holdfast.system.paths import digest

MARK = "kelp"
A, B = "aaaaaaaa-1111-4111-8111-111111111111", "bbbbbbbb-2222-4222-8222-222222222222"
ALIAS = "aaaaaaaa"
PROJECT = "01a1dd756082c6b28d8ac7a8"
OF_PROJECTS = ("project_met", "project_aliased", "projects_merged", "tables_rebuilt", "probed")
NUMBERS = {"pid", "crash_recovered"}

_numbers = count(1)


def mark() -> str:
    """A text that was never said before."""
    return f"{MARK}{next(_numbers):04d}"


def marked(kind: str, session: str) -> dict[str, Any]:
    """A body of a kind with a mark of its own in every text field."""
    made = {str: mark, bool: lambda: True, int: lambda: 1, list: lambda: [mark()]}
    made[dict] = lambda: {"said": mark(), mark(): [mark(), {"deep": mark()}]}
    body = {name.rstrip("?"): made[type_]() for name, type_ in KINDS[kind].fields.items()}
    if kind == "session_archived":
        row: dict[str, Any] = {name: 0 if name in NUMBERS else mark() for name in FIELDS}
        row |= {"id": session, "phase": "ended"}
        row |= {"previous": mark(), "how": "followed", "linked_at": mark()}
        body["session"] = row
    return body


def keep_every_kind(workspace: Workspace, session: str, project: str) -> int:
    """One entry of each kind, texts marked; the number of entries."""
    kinds = [kind for kind in KINDS if kind not in FORGETTING]
    with workspace.store.transaction():
        for number, kind in enumerate(kinds):
            workspace.keep(
                kind,
                marked(kind, session),
                key=f"{kind}:{number}",
                at=clock.iso(1_700_000_000 + number),
                project=project,
                session="" if kind in OF_PROJECTS else session,
                agent="claude-code",
            )
    return len(kinds)


def files_with(text: str, *roots: str | Path) -> list[str]:
    """Every file below the roots whose name or bytes, unpacked if need be, hold a text."""
    found = []
    for root in roots:
        for folder, folders, names in os.walk(root):
            for name in (*folders, *names):
                path = Path(folder, name)
                if text in name or (path.is_file() and text.encode() in _bytes_of(path)):
                    found.append(str(path))
    return found


def _bytes_of(path: Path) -> bytes:
    content = path.read_bytes()
    return gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content


def snapshot(*roots: str | Path) -> dict[str, bytes]:
    """Every file below the roots, to the byte."""
    return {
        f"{folder}/{name}": Path(folder, name).read_bytes()
        for root in roots
        for folder, _, names in os.walk(root)
        for name in names
    }


def holdfast(
    folder: Path, *arguments: str, said: bytes | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A command as a person's script runs it: it reads from no terminal; bounded. What is nobody's
    own act needs no shell above it."""
    if not said and not persons_act(arguments):
        return commands.run(folder, *arguments, **environment)
    words = [sys.executable, "-m", "holdfast", *arguments]
    return in_a_shell(words, folder, {**os.environ, **environment}, said or b"")


def data(folder: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    done = holdfast(folder, *arguments, "--json", **environment)
    assert done.stderr == ""
    return json.loads(done.stdout)


def signed(said: dict[str, Any]) -> str:
    """A line of an export with the digest and checksum that its content asks for."""
    body = said["body"] if isinstance(said["body"], str) else jsontext.dumps(said["body"])
    said = {**said, "digest": digest(bytes.fromhex(said["salt"]) + body.encode())}
    header = [said[name] for name in queries.FIELDS[:10]]
    return jsontext.dumps({**said, "checksum": checksum(*header)})


def content(store: Store) -> dict[str, list[Any]]:
    """Everything in a store that an export must bring over: no places, no machine of its own."""
    rows = {
        table: sorted(store.rows(f"select * from {table}"), key=repr)
        for table in replay.derived_tables()
    }
    rows["entries"] = [
        (*header, salt, body) for _, header, salt, body in sorted(queries.whole(store))
    ]
    return rows


def archived_texts(state: str) -> dict[str, list[Any]]:
    """What lies in archives, but for the places, which are a store's own."""
    found = {}
    for path in sorted(Path(state, "archive").glob("*.gz")):
        rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
        found[path.name] = [
            {name: value for name, value in row.items() if name != "place"} for row in rows
        ]
    return found


def assert_sound(state: str) -> None:
    """The replay law and every checksum, in this process."""
    store = Store(f"{state}/store.db", create=False)
    try:
        assert queries.damaged(store) == []
        assert replay.differences(store) == {}
    finally:
        store.close()
