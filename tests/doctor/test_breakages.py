"""Twelve kinds of breakage, made on purpose: the doctor names each, mends what can be mended,
the agent is never stopped, and every event sent is kept, waits, or is a counted loss."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from conftest import Door, payload
from holdfast.ledger import faults, hook_costs, queries, spool
from holdfast.setup import install
from holdfast.setup.doctor import BROKEN, POOR, Finding, Patient, hook_probe, kept_entries
from holdfast.setup.doctor.examination import examine
from holdfast.store.sqlite import Store
from holdfast.system import paths

S1 = "11111111-0000-4000-8000-000000000000"


@pytest.fixture
def patient(door: Door, repo: Path, state: str) -> Patient:
    install.install(state, install.settings_path(repo))
    door.send("SessionStart.startup", agent=door.agent(), session_id=S1)
    return Patient(state, repo)


def ailing(patient: Patient) -> dict[str, Finding]:
    return {f.check: f for f in examine(patient) if f.standing in (BROKEN, POOR)}


def mend(patient: Patient) -> None:
    for finding in examine(patient):
        if finding.mend:
            finding.mend()
    faults.clear(patient.state)


def send(door: Door, number: int) -> None:
    """One prompt through the door: it must come to nobody's notice that anything is wrong."""
    said = payload("UserPromptSubmit", session_id=S1, prompt_id=f"p{number}", prompt=f"n{number}")
    done = door.run(json.dumps({**said, "cwd": str(door.folder)}).encode(), agent=None)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def accounted(state: str) -> int:
    """Events kept, waiting, or counted as lost."""
    lost = sum(fault["kind"] == "event lost" for fault in faults.all_of(state))
    return kept(state) + len(spool.waiting(state)) + lost


def kept(state: str) -> int:
    try:
        store = Store(paths.store(state), create=False)
        return int(store.value("select count(*) from entries where kind = 'prompt_given'"))
    except Exception:
        return 0


@pytest.mark.promise("O1")
def test_all_is_well_and_the_doctor_says_so(patient, door):
    send(door, 1)

    assert ailing(patient) == {}
    checks = {finding.check for finding in examine(patient)}
    assert {
        "hooks",
        "interpreter",
        "byte code",
        "modes",
        "probe",
        "store",
        "spool",
        "fired",
    } <= checks


@pytest.mark.promise("O1")
def test_the_time_that_the_probe_took_is_the_one_that_its_hook_noted(patient):
    (finding,) = hook_probe.probe(patient)

    *_, noted = hook_costs.all_of(patient.state)
    assert finding.message.endswith(f" came back, {noted.ms} ms")


@pytest.mark.promise("O1")
def test_broken_settings_are_named_because_they_switch_our_hooks_off(patient, door, repo):
    path = install.settings_path(repo)
    path.write_text(path.read_text()[:-5])
    send(door, 1)

    found = ailing(patient)["hooks"]
    assert "runs no hook of that file" in found.message
    assert found.mend is None  # a person's file that cannot be read is a person's to mend
    assert accounted(patient.state) == 1


@pytest.mark.promise("O1")
def test_an_interpreter_that_is_gone_is_named_and_mended(patient, door, repo):
    path = install.settings_path(repo)
    gone = path.read_text().replace(os.path.realpath(sys.executable), "/no/such/python3")
    path.write_text(gone)

    assert "interpreter" in ailing(patient)
    mend(patient)
    assert ailing(patient) == {}
    send(door, 1)
    assert accounted(patient.state) == 1


@pytest.mark.promise("O1")
def test_byte_code_that_is_gone_is_named_and_mended(tmp_path, door, repo, state, patient):
    copy = tmp_path / "copy"
    package = Path(install.__file__).parents[1]
    shutil.copytree(package, copy / "holdfast", ignore=shutil.ignore_patterns("__pycache__"))
    script = (
        "from pathlib import Path; from holdfast.setup.doctor.hook_probe import *;"
        "import sys, json;"
        "p = Patient(sys.argv[1], Path(sys.argv[2]));"
        "f = [x for x in launcher(p) if x.check == 'byte code'];"
        "print(f[0].standing); f[0].mend(); print([x.standing for x in launcher(p)][-1])"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", script, state, str(repo)],
        env={**os.environ, "PYTHONPATH": str(copy)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert done.stdout.split() == ["poor", "well"]


@pytest.mark.promise("O1")
def test_hooks_that_were_removed_are_named_and_put_back(patient, door, repo):
    path = install.settings_path(repo)
    said = json.loads(path.read_text())
    del said["hooks"]["Stop"]
    path.write_text(json.dumps(said, indent=2))

    assert "lacks hooks for Stop" in ailing(patient)["hooks"].message
    mend(patient)
    assert ailing(patient) == {}
    assert "Stop" in json.loads(path.read_text())["hooks"]


@pytest.mark.promise("O1")
def test_doubled_and_stale_hooks_are_named_and_mended(patient, repo):
    path = install.settings_path(repo)
    said = json.loads(path.read_text())
    said["hooks"]["Stop"] *= 2
    path.write_text(json.dumps(said, indent=2))

    assert "twice for Stop" in ailing(patient)["hooks"].message
    mend(patient)
    assert len(json.loads(path.read_text())["hooks"]["Stop"]) == 1


@pytest.mark.promise("O1")
@pytest.mark.promise("X3")
def test_modes_that_let_others_read_are_named_and_mended(patient, door):
    os.chmod(paths.store(patient.state), 0o644)
    send(door, 1)

    assert "may be read by others" in ailing(patient)["modes"].message
    mend(patient)
    assert ailing(patient) == {}
    assert os.stat(paths.store(patient.state)).st_mode & 0o777 == 0o600
    assert accounted(patient.state) == 1


@pytest.mark.promise("O1")
@pytest.mark.promise("O2")
def test_a_locked_store_sends_events_to_the_spool_and_the_next_takes_them_in(patient, door):
    lock = apsw.Connection(paths.store(patient.state))
    lock.execute("begin immediate")
    send(door, 1)

    assert "locked" in ailing(patient)["probe"].message
    assert len(spool.waiting(patient.state)) >= 1
    lock.execute("rollback")
    lock.close()
    mend(patient)
    assert ailing(patient) == {}
    assert (kept(patient.state), spool.waiting(patient.state)) == (1, [])


@pytest.mark.promise("O1")
def test_a_spool_that_was_left_over_is_named_and_taken_in(patient, door):
    lock = apsw.Connection(paths.store(patient.state))
    lock.execute("begin immediate")
    send(door, 1)
    send(door, 2)
    lock.execute("rollback")
    lock.close()
    faults.clear(patient.state)
    waiting = [finding for finding in examine(patient) if finding.check == "spool"]
    # The doctor's own probe is an event: what waited is taken in before it.
    assert waiting[0].standing in ("well", POOR)

    mend(patient)
    assert (kept(patient.state), spool.waiting(patient.state)) == (2, [])


@pytest.mark.promise("O1")
def test_a_damaged_page_is_named(patient, door):
    for number in range(30):
        send(door, number)
    store = Store(paths.store(patient.state))
    store.close()
    path = Path(paths.store(patient.state))
    path.write_bytes(path.read_bytes().replace(b"prompt_given", b"prompt_gavin"))

    assert ailing(patient)["store"].standing == BROKEN


@pytest.mark.promise("O1")
def test_a_store_that_lost_a_text_is_not_called_well_besides(workspace, state, repo):
    workspace.keep("session_ended", {"reason": "other"}, key="k", at="2026-03-01T12:00:00.000Z")
    queries.bury(workspace.store, [1])

    found = [one for one in kept_entries.store(Patient(state, repo)) if one.check == "store"]

    assert [(one.standing, "texts of 1 entries" in one.message) for one in found] == [
        (BROKEN, True)
    ]


@pytest.mark.promise("O1")
def test_a_clock_that_was_set_back_is_named(patient, door):
    store = Store(paths.store(patient.state))
    row = store.row("select max(place) from entries")
    assert row
    later = "2999-01-01T00:00:00.000Z"
    header = list(store.row(f"select {queries.HEADER} from entries where place = ?", row[0]) or ())
    header[2] = later
    from holdfast.ledger.entry import checksum

    store.run(
        "update entries set at = ?, checksum = ? where place = ?",
        later,
        checksum(*header[:10]),
        row[0],
    )
    store.close()
    send(door, 1)

    assert "set back" in ailing(patient)["clock"].message
    assert accounted(patient.state) == 1


@pytest.mark.promise("O1")
def test_a_full_disk_is_named_and_every_event_is_accounted_for(patient, door, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    small = tmp_path / "small"
    small.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "none", small], check=True)
    try:
        state = str(small / "state")
        shutil.copytree(patient.state, state, ignore=shutil.ignore_patterns("costs*"))
        handle = os.open(small / "filler", os.O_WRONLY | os.O_CREAT)
        with pytest.raises(OSError, match="No space"):
            for _ in range(10_000):
                os.write(handle, b"x" * 4096)
        os.close(handle)
        for number in range(5):
            said = payload("UserPromptSubmit", session_id=S1, prompt_id=f"p{number}", prompt="n")
            done = door.run(
                json.dumps({**said, "cwd": str(door.folder)}).encode(), HOLDFAST_STATE_HOME=state
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert accounted(state) == 5
        found = {f.check: f for f in examine(Patient(state, patient.root))}
        assert found["disk"].standing == BROKEN
    finally:
        subprocess.run(["umount", "-l", small], check=True)


@pytest.mark.promise("O1")
def test_a_read_only_store_is_named_and_every_event_is_accounted_for(patient, door, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("a read-only mount needs root")
    place = tmp_path / "readonly"
    place.mkdir(mode=0o700)
    shutil.copytree(patient.state, place / "state")
    subprocess.run(["mount", "--bind", place, place], check=True)
    subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)
    try:
        state = str(place / "state")
        for number in range(3):
            said = payload("UserPromptSubmit", session_id=S1, prompt_id=f"p{number}", prompt="n")
            done = door.run(
                json.dumps({**said, "cwd": str(door.folder)}).encode(), HOLDFAST_STATE_HOME=state
            )
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert accounted(state) == 3
        found = {f.check: f for f in examine(Patient(state, patient.root))}
        assert "read-only" in found["disk"].message
    finally:
        subprocess.run(["umount", "-l", place], check=True)
