"""What the fault tests look at: the files around the door, and what lies in the ledger."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conftest import Door, payload
from holdfast.ledger import faults, queries, replay, spool
from holdfast.ledger.entry import Entry
from holdfast.store.sqlite import Store
from holdfast.system import jsontext, paths

# An agent gives a hook five seconds before it kills it (setup/install.py writes that).
PATIENCE_S = 5.0
# A test gives up later than an agent, so that a slow machine shows as slow and not as hung.
LIMIT_S = 60.0

HOLD = """
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.execute(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


class Held:
    """Another process that has the store and does not let go."""

    def __init__(self, state: str, how: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", HOLD, f"{state}/store.db", how],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"held\n"

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()


def knock(
    door: Door, said: bytes | dict[str, Any], *, state: str = "", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """One event through the installed command, bounded; its laws hold whatever was said."""
    raw = said if isinstance(said, bytes) else json.dumps(said).encode()
    elsewhere = {"HOLDFAST_STATE_HOME": state} if state else {}
    done = subprocess.run(
        ["/bin/sh", "-c", door.command],
        input=raw,
        env={**door.environment, "TMPDIR": str(door.folder.parent), **elsewhere, **environment},
        cwd=door.folder,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    if done.stdout:
        assert set(json.loads(done.stdout)) <= {"hookSpecificOutput", "systemMessage"}
    return done


def event(door: Door, name: str, **changes: Any) -> dict[str, Any]:
    """A recorded payload that happened in the scratch repository."""
    return payload(name, **{"cwd": str(door.folder), **changes})


def kept(state: str) -> list[Entry]:
    """Every entry of the ledger, in its order."""
    with opened(state) as store:
        return [entry for _, entry in queries.read(store)]


def keys(state: str, kind: str) -> list[tuple[str, str]]:
    """(session, natural key) of every entry of a kind, in the order they were kept."""
    with opened(state) as store:
        return list(
            store.rows("select session, key from entries where kind = ? order by place", kind)
        )


def fault_kinds(state: str) -> list[str]:
    return [fault["kind"] for fault in faults.all_of(state)]


def waiting(state: str) -> list[dict[str, Any]]:
    """The events in the spools, in the order they would be taken in."""
    return [jsontext.loads(Path(path).read_text()) for path in spool.waiting(state)]


@contextmanager
def opened(state: str) -> Iterator[Store]:
    store = Store(f"{state}/store.db", create=False)
    try:
        yield store
    finally:
        store.close()


def assert_sound(state: str) -> None:
    """The laws of the ledger, in this process: no damage, no gap, and the replay law."""
    with opened(state) as store:
        assert queries.damaged(store) == []
        for machine, count, last in store.rows(
            "select machine, count(*), max(seq) from entries group by machine"
        ):
            assert count == last, f"the sequence of {machine} has gaps"
        assert replay.differences(store) == {}


@contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of four megabytes, for the time of a test."""
    folder.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "none", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def fill(folder: Path) -> None:
    with (folder / "ballast").open("wb", buffering=0) as ballast:
        try:
            while True:
                ballast.write(b"x" * 4096)
        except OSError:
            pass


def tree(*roots: Path) -> dict[str, tuple[object, ...]]:
    """Every name below the roots, with what would show that it was touched."""
    found: dict[str, tuple[object, ...]] = {}
    for root in roots:
        for folder, folders, files in os.walk(root):
            for name in (*folders, *files):
                path = f"{folder}/{name}"
                said = os.lstat(path)
                # A folder's own time changes with its content, and that is looked at itself.
                touched = () if stat.S_ISDIR(said.st_mode) else (said.st_size, said.st_mtime_ns)
                found[path] = (said.st_mode, said.st_uid, said.st_ino, *touched)
    return found


@contextmanager
def only_ours_changes(door: Door, *others: Path) -> Iterator[None]:
    """Home, repository, runtime folder and temporary folder: nothing but our folders changes,
    and in our folders every file is 0600 and every directory 0700."""
    scratch = door.folder.parent
    ours = [
        Path(door.state),
        Path(door.environment["XDG_RUNTIME_DIR"]) / "holdfast",
        door.folder / ".git" / "holdfast",
        *others,
    ]
    before = tree(scratch)
    yield
    after = tree(scratch)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert [path for path in sorted(changed) if not is_under(path, ours)] == []
    assert strays(door) == []
    assert_private(*ours)


def assert_private(*roots: Path) -> None:
    for root in roots:
        if not root.exists():
            continue
        for path in (root, *root.rglob("*")):
            mode = path.lstat().st_mode
            right = 0o700 if stat.S_ISDIR(mode) else 0o600
            assert stat.S_IMODE(mode) == right, f"{path} has mode {stat.S_IMODE(mode):o}"


def strays(door: Door) -> list[str]:
    """What this door's hooks would leave behind had they taken another folder for the runtime one:
    it is named after the state home, so no other program's files are looked at."""
    elsewhere = (f"/tmp/holdfast-{os.geteuid()}", "/tmp/holdfast", "/holdfast")
    own = f"{paths.mark(door.state):08x}"
    return [f"{folder}/{own}" for folder in elsewhere if os.path.lexists(f"{folder}/{own}")]


def is_under(path: str, roots: list[Path]) -> bool:
    # The folders above ours are made with them.
    return any(
        f"{path}/".startswith(f"{root}/") or f"{root}/".startswith(f"{path}/") for root in roots
    )
