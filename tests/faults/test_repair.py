"""Repair as a person runs it: what was readable is kept, what was damaged is put aside."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from holdfast.ledger import queries
from holdfast.ledger.workspace import Workspace
from holdfast.setup.doctor import Patient
from holdfast.setup.doctor.examination import examine
from holdfast.store import driver, migrate
from holdfast.store.sqlite import Store
from holdfast.system import clock, paths
from law import assert_replay_law
from measure import some_of

A = "aaaaaaaa-0000-4000-8000-000000000000"


@pytest.fixture
def lived(door, state, repo) -> Path:
    """A store with a session in it, its log copied back."""
    door.send("SessionStart.startup", agent=door.agent(), session_id=A)
    for number in range(12):
        door.send("PostToolUse.Bash", session_id=A, tool_use_id=f"t{number}")
        door.send(
            "UserPromptSubmit", session_id=A, prompt_id=f"p{number}", prompt=f"n{number} " * 400
        )
    Store(paths.store(state)).close()
    return Path(paths.store(state))


def _talk_on(state: str, entries: int) -> None:
    workspace = Workspace(state)
    with workspace.store.transaction():
        for number in range(entries):
            body = {"sort": "idle", "message": f"waiting {number} " * 20}
            workspace.keep("notified", body, key=f"n{number}", at=clock.now(), session=A)
    workspace.store.close()


def holdfast(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "holdfast", *arguments],
        cwd=folder,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def mended(folder: Path) -> dict:
    done = holdfast(folder, "repair", "--json")
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def files(state: str) -> dict[Path, bytes]:
    """Everything but what SQLite makes when it only looks."""
    return {
        file: file.read_bytes()
        for file in Path(state).rglob("*")
        if file.is_file() and not file.name.endswith(("-shm", "-wal"))
    }


def count(path: Path) -> int:
    """Entries, less those that only tell of a repair."""
    store = Store(str(path))
    told = ("entries_lost", "store_repaired")
    found = store.value(f"select count(*) from entries where kind not in {told}")
    store.close()
    return int(found)


@pytest.mark.promise("X4")
@pytest.mark.parametrize("seed", some_of(range(6), 1))
def test_of_a_truncated_store_every_readable_entry_is_kept(lived, repo, state, seed):
    _talk_on(state, 300)
    whole, size = count(lived), lived.stat().st_size
    # A store begins with the roots of all its tables; what was kept lies behind them.
    cut = random.Random(seed).randrange(size * 3 // 4, size)
    os.truncate(lived, cut)

    # What lies in whole pages may still be told; that something is missing is known.
    assert holdfast(repo, "doctor").returncode == 1
    mended(repo)

    assert 0 < count(lived) <= whole
    assert holdfast(repo, "replay", "--check").returncode == 0
    assert holdfast(repo, "sessions").returncode == 0


@pytest.mark.promise("X4")
@pytest.mark.parametrize("what", ["garbage", "another program's database"])
def test_a_foreign_file_in_our_place_is_put_aside_and_kept(lived, repo, state, door, what):
    lived.unlink()
    if what == "garbage":
        lived.write_bytes(b"dear diary\n" * 1000)
    else:
        other = sqlite3.connect(lived)
        other.execute("create table diary (text)")
        other.commit()
        other.close()
    theirs = lived.read_bytes()
    for name in (f"{lived}-wal", f"{lived}-shm"):
        Path(name).unlink(missing_ok=True)

    door.send("UserPromptSubmit", session_id=A, prompt_id="later")
    assert lived.read_bytes() == theirs  # a hook never touches it
    mended(repo)

    kept = [file.read_bytes() for file in Path(state, "quarantine").rglob("store.db*")]
    assert theirs in kept
    assert count(lived) >= 1  # what waited in the spool is in the new store
    assert holdfast(repo, "status").returncode == 0


@pytest.mark.promise("X4")
def test_a_dry_run_tells_and_changes_nothing(lived, repo, state):
    os.truncate(lived, 9000)
    before = files(state)

    done = holdfast(repo, "repair", "--dry-run")

    assert done.returncode in (1, 2)
    assert files(state) == before


@pytest.mark.promise("X4")
def test_a_room_is_rebuilt_by_name(lived, repo, state):
    store = Store(str(lived))
    store.run("update activity set last_prompt = 'wrong'")
    store.close()
    assert holdfast(repo, "replay", "--check").returncode == 1

    assert holdfast(repo, "repair", "--room", "work").returncode in (0, 1)

    assert holdfast(repo, "replay", "--check").returncode == 0


@pytest.mark.promise("X4")
def test_a_half_written_mirror_is_named_and_written_again(lived, repo, state):
    mirror = Path(state, "sessions.json")
    mirror.write_text(mirror.read_text()[:20])

    found = {finding.check: finding for finding in examine(Patient(state, repo))}
    assert found["mirrors"].standing == "poor"
    assert found["mirrors"].mend is not None
    found["mirrors"].mend()

    assert json.loads(mirror.read_text())["version"] == "1.0"


@pytest.mark.promise("X4")
@pytest.mark.promise("O1")
def test_a_store_of_an_older_schema_is_brought_up_to_date_with_all_its_entries(lived, repo, state):
    entries = count(lived)
    old = lived.with_name("old.db")
    plain = apsw.Connection(str(old))
    for statement in migrate._statements(f"{migrate.FOLDER}/{migrate.names()[0]}"):
        plain.execute(statement)
    plain.execute("attach ? as new", (str(lived),))
    tables = "entries bodies machines derivations projects aliases sessions links activity touched"
    for table in tables.split():
        there, here = (
            {row[1] for row in plain.execute(f"pragma {name}.table_info({table})")}
            for name in ("main", "new")
        )
        if there != here:
            continue  # derived since then by another rule: it is derived again
        columns = ", ".join(sorted(there))
        plain.execute(f"insert into main.{table} ({columns}) select {columns} from new.{table}")
    plain.execute("detach new")
    plain.execute("pragma user_version = 1")
    plain.execute(f"pragma application_id = {driver.APPLICATION}")
    plain.close()
    for name in (f"{lived}-wal", f"{lived}-shm"):
        Path(name).unlink(missing_ok=True)
    old.replace(lived)

    store = Store(str(lived))

    assert store.value("pragma user_version") == driver.SCHEMA
    assert queries.count(store) == entries
    assert queries.damaged(store) == []
    store.close()
    assert holdfast(repo, "replay").returncode == 0
    assert_replay_law(state, repo)
    assert holdfast(repo, "doctor").returncode == 0
