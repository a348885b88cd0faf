"""The store cannot be had: locked, damaged, somebody else's, full, read-only, on a network.

The agent never notices. The event waits in the spool, and where even that is full it is a counted
loss; what is not ours is left as it was, to the byte.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from around import (
    LIMIT_S,
    PATIENCE_S,
    Held,
    assert_private,
    assert_sound,
    event,
    fault_kinds,
    fill,
    kept,
    keys,
    knock,
    only_ours_changes,
    tree,
    waiting,
)

import holdfast
from conftest import Door
from holdfast.hook import record
from holdfast.system import files, paths, processes
from law import assert_replay_law

CI = bool(os.environ.get("CI"))
NOBODY = 54321


def used(door: Door, number: int, session: str = "s1") -> dict[str, Any]:
    return event(door, "PostToolUse.Bash", session_id=session, tool_use_id=f"call-{number}")


def calls(*numbers: int) -> list[tuple[str, str]]:
    return [("s1", f"tool:call-{number}") for number in numbers]


@contextmanager
def gone(state: str) -> Iterator[None]:
    """A store that is garbage for a while, and then itself again."""
    kept(state)  # to open and close it copies the log back
    store, aside = Path(state, "store.db"), Path(state, "store.aside")
    store.rename(aside)
    garbage(store)
    yield
    for path in Path(state).glob("store.db*"):
        path.unlink()
    aside.rename(store)


def test_a_hook_waits_for_others_no_longer_than_its_agent_does():
    """Else the agent kills the hook before it has set its event aside."""
    assert record.PATIENCE_S + processes.LOCK_WAIT_S < PATIENCE_S / 2


def test_what_comes_while_the_store_is_locked_is_taken_in_by_the_next_event(door, repo, state):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    knock(door, used(door, 0))

    with only_ours_changes(door):
        with Held(state, "begin immediate"):
            for number in (1, 2, 3):
                knock(door, used(door, number))
            assert [(said["session"], said["key"]) for said in waiting(state)] == calls(1, 2, 3)
        knock(door, used(door, 4))

    assert keys(state, "tool_used") == calls(0, 1, 2, 3, 4)
    assert waiting(state) == []
    assert fault_kinds(state) == []  # its turn did not come, and then it did
    knock(door, used(door, 2))
    assert keys(state, "tool_used") == calls(0, 1, 2, 3, 4)
    assert_replay_law(state, repo)


def test_events_with_ids_as_agents_make_them_are_each_taken_in(door, repo, state):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    ids = [str(uuid.uuid4()) for _ in range(3)]
    with Held(state, "begin immediate"):
        for number, id_ in enumerate(ids):
            prompt = f"and number {number}?"
            knock(
                door, event(door, "UserPromptSubmit", session_id="s1", prompt_id=id_, prompt=prompt)
            )
    knock(door, event(door, "Stop", session_id="s1"))

    prompts = [one.body["prompt"] for one in kept(state) if one.kind == "prompt_given"]
    assert sorted(prompts) == ["and number 0?", "and number 1?", "and number 2?"]
    assert waiting(state) == []
    assert_replay_law(state, repo)


def test_a_store_that_stays_locked_is_a_fault_and_no_longer_a_wait(door, state):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    with Held(state, "begin immediate"):
        knock(door, used(door, 1))
        (waits,) = Path(state, "spool").iterdir()
        waits.rename(waits.with_name("2020-01-01" + waits.name[10:]))
        knock(door, used(door, 2))

        assert fault_kinds(state) == ["store locked for long"]


def test_a_session_that_begins_and_ends_while_the_store_is_locked_is_kept_whole(door, state):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))

    with Held(state, "begin immediate"):
        for name in ("SessionStart.startup", "SessionEnd.other"):
            assert knock(door, event(door, name, session_id="s2")).stdout == b""
    knock(door, event(door, "UserPromptSubmit", session_id="s1"))

    found = [(entry.session, entry.kind) for entry in kept(state) if entry.session]
    assert found == [
        ("s1", "session_began"),
        ("s2", "session_began"),
        ("s2", "session_ended"),
        ("s1", "prompt_given"),
    ]
    assert waiting(state) == []
    assert_sound(state)


def test_what_another_session_says_meanwhile_does_not_overtake_what_waits(door, state):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    with gone(state):
        knock(door, used(door, 1))
        knock(door, event(door, "Notification.idle_prompt", session_id="s3"))
    knock(door, event(door, "UserPromptSubmit", session_id="s2"))

    found = [(entry.session, entry.kind) for entry in kept(state) if entry.session]
    assert found == [
        ("s1", "session_began"),
        ("s1", "tool_used"),
        ("s3", "session_began"),
        ("s3", "notified"),
        ("s2", "session_began"),
        ("s2", "prompt_given"),
    ]


def test_an_event_in_the_spool_that_can_never_be_kept_does_not_block_the_others(door, state):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    with gone(state):
        for number in (1, 2):
            knock(door, used(door, number))
    first, _ = sorted(Path(state, "spool").iterdir())
    said = json.loads(first.read_text())
    for name, content in (
        (first.name, {**said, "body": {"tool": 7}}),
        ("0001-odd.json", {"agent": "x", "colour": "red"}),
        ("0002-kind.json", {**said, "kind": "never_heard"}),
    ):
        Path(state, "spool", name).write_text(json.dumps(content))
    Path(state, "spool", "0003-torn.json").write_text('{"agent": "clau')

    for number in (3, 4):
        knock(door, used(door, number))

    assert keys(state, "tool_used") == calls(2, 3, 4)
    assert waiting(state) == []
    # Each is reported once, and stays where somebody can look at it.
    assert len(fault_kinds(state)) == 2 + 4
    assert len(list(Path(state, "spool").iterdir())) == 4


def garbage(path: Path) -> None:
    path.write_bytes(os.urandom(20_000))


def another_programs(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("create table recipes (name text)")
        database.execute("insert into recipes values ('soup')")
    database.close()
    path.chmod(0o600)


def another_programs_schema_1(path: Path) -> None:
    another_programs(path)
    with sqlite3.connect(path) as database:
        database.execute("pragma user_version = 1")
    database.close()


def newer(path: Path) -> None:
    with sqlite3.connect(path) as database:
        database.execute("pragma user_version = 99")
    database.close()


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5_000])


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir(mode=0o700)


@pytest.mark.parametrize(
    "harm", [garbage, another_programs, another_programs_schema_1, newer, cut_short, a_folder]
)
def test_a_store_that_is_not_ours_is_left_as_it_is_and_events_wait(door, state, harm):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    kept(state)  # opening and closing it copies the log back
    store = Path(state, "store.db")
    good = store.read_bytes()
    harm(store)
    before = b"" if store.is_dir() else store.read_bytes()

    with only_ours_changes(door):
        for number in (1, 2):
            assert knock(door, used(door, number)).stdout == b""

    assert (b"" if store.is_dir() else store.read_bytes()) == before
    assert [said["key"] for said in waiting(state)] == ["tool:call-1", "tool:call-2"]
    assert fault_kinds(state) == ["store unavailable"] * 2

    # The person moves it away, and nothing of what came meanwhile is lost.
    for path in Path(state).glob("store.db*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    store.write_bytes(good)
    store.chmod(0o600)
    knock(door, used(door, 3))
    assert keys(state, "tool_used") == calls(1, 2, 3)
    assert_sound(state)


def command_line(*arguments: str, state: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "holdfast", *arguments],
        env={
            **os.environ,
            "HOLDFAST_STATE_HOME": state,
            "PYTHONPATH": str(Path(holdfast.__file__).parents[1]),
        },
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.mark.parametrize("harm", [garbage, another_programs, newer, a_folder])
def test_the_command_line_says_in_one_line_that_a_store_is_not_ours(door, repo, state, harm):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    kept(state)
    harm(Path(state, "store.db"))

    done = command_line("sessions", state=state)

    assert (done.returncode, done.stdout) == (1, "")
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == ["error", "hint"]
    assert_private(Path(state))


@pytest.mark.promise("X3")
def test_a_store_that_is_a_link_is_not_followed(door, state, tmp_path):
    victim = tmp_path / "victim.db"
    another_programs_file = sqlite3.connect(victim)
    another_programs_file.close()
    victim.write_bytes(b"")
    os.symlink(victim, f"{state}/store.db")

    knock(door, used(door, 1))

    assert victim.read_bytes() == b""
    assert [said["key"] for said in waiting(state)] == ["tool:call-1"]
    assert fault_kinds(state) == ["store unavailable"]


# Mounts. As root they are real ones, and CI is root.

root = pytest.mark.skipif(
    not CI and (sys.platform != "linux" or os.geteuid() != 0), reason="mounting needs root"
)


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Mount something on a scratch folder, for the time of the test."""
    mounted: list[Path] = []

    def at(name: str, *command: str) -> Path:
        point = tmp_path / name
        point.mkdir(mode=0o700, exist_ok=True)
        subprocess.run([*command, str(point)], check=True, capture_output=True, timeout=30)
        mounted.append(point)
        return point

    yield at
    for point in reversed(mounted):
        subprocess.run(["umount", "-l", str(point)], check=True, capture_output=True, timeout=30)


def small(mount: Callable[..., Path], name: str, size: str = "4m") -> Path:
    return mount(name, "mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs")


def spare(runtime: Path, state: Path, *names: str) -> Path:
    """A state home's corner of the runtime folder."""
    return Path(runtime, f"{paths.mark(str(state)):08x}", *names)


@root
@pytest.mark.parametrize("has_store", [True, False], ids=["a store", "no store yet"])
def test_on_a_full_disk_events_wait_in_the_runtime_folder(door, state, mount, has_store):
    full = small(mount, "full")
    if has_store:
        knock(door, event(door, "SessionStart.startup", session_id="s1"), state=str(full))
    fill(full)

    for number in (1, 2, 3):
        assert knock(door, used(door, number), state=str(full)).stdout == b""

    runtime = Path(door.environment["XDG_RUNTIME_DIR"], "holdfast")
    assert [said["key"] for said in waiting(str(full))] == [key for _, key in calls(1, 2, 3)]
    assert len(list(spare(runtime, full, "spool").iterdir())) == 3
    assert fault_kinds(str(full)) == ["store unavailable"] * 3
    assert_private(runtime)

    (full / "ballast").unlink()
    knock(door, used(door, 4), state=str(full))
    assert keys(str(full), "tool_used") == calls(1, 2, 3, 4)
    assert waiting(str(full)) == []
    assert_sound(str(full))


@root
def test_where_no_disk_has_room_an_event_is_a_loss_and_the_agent_carries_on(door, state, mount):
    full, run = small(mount, "full"), small(mount, "full-run")
    knock(door, event(door, "SessionStart.startup", session_id="s1"), state=str(full))
    fill(full)
    fill(run)

    knock(door, used(door, 1), state=str(full), XDG_RUNTIME_DIR=str(run))

    (run / "ballast").unlink()  # room for the report, and for no more than that
    knock(door, used(door, 2), state=str(full), XDG_RUNTIME_DIR=str(run))
    (full / "ballast").unlink()
    knock(door, used(door, 3), state=str(full), XDG_RUNTIME_DIR=str(run))
    assert keys(str(full), "tool_used") == calls(2, 3)
    assert_sound(str(full))


@root
def test_a_loss_is_counted_where_there_is_room_for_a_line_but_not_for_an_event(door, state, mount):
    full, run = small(mount, "full"), small(mount, "full-run", "64k")
    knock(door, event(door, "SessionStart.startup", session_id="s1"), state=str(full))
    fill(full)
    corner = spare(run / "holdfast", full)
    for folder in (corner.parent, corner, corner / "spool"):
        folder.mkdir(mode=0o700)
    (corner / "faults.jsonl").write_bytes(b"\n" * 10)
    (corner / "faults.jsonl").chmod(0o600)
    fill(run)

    knock(door, used(door, 1), state=str(full), XDG_RUNTIME_DIR=str(run))

    assert '"kind":"event lost"' in (corner / "faults.jsonl").read_text()


@root
def test_in_a_read_only_state_home_events_wait_in_the_runtime_folder(door, state, mount):
    home = small(mount, "still", "4m")
    knock(door, event(door, "SessionStart.startup", session_id="s1"), state=str(home))
    subprocess.run(["mount", "-o", "remount,ro", str(home)], check=True, timeout=30)
    before = tree(home)

    for number in (1, 2):
        knock(door, used(door, number), state=str(home))

    assert tree(home) == before
    assert [said["key"] for said in waiting(str(home))] == [key for _, key in calls(1, 2)]
    assert fault_kinds(str(home)) == ["store unavailable"] * 2

    subprocess.run(["mount", "-o", "remount,rw", str(home)], check=True, timeout=30)
    knock(door, used(door, 3), state=str(home))
    assert keys(str(home), "tool_used") == calls(1, 2, 3)


@pytest.fixture
def network(mount: Callable[..., Path], tmp_path: Path) -> Path:
    """A real mount that the kernel knows as sshfs: bindfs, under that name."""
    if not shutil.which("bindfs") and shutil.which("apt-get"):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        subprocess.run(["apt-get", "update", "-qq"], timeout=120, **quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "bindfs"], timeout=120, **quiet)
    if not os.path.exists("/dev/fuse"):
        pytest.skip("this kernel has no FUSE")
    behind = tmp_path / "behind"
    behind.mkdir(mode=0o700)
    return mount("network", "bindfs", "-o", "subtype=sshfs", str(behind))


@root
@pytest.mark.parametrize("way", ["straight", "through a link above it"])
def test_a_store_on_a_network_is_refused_with_a_hint_and_events_wait(
    door, repo, state, network, tmp_path, way
):
    os.symlink(network, tmp_path / "short")
    above = network if way == "straight" else tmp_path / "short"
    home = above / "holdfast"

    knock(door, used(door, 1), state=str(home))

    assert not (network / "holdfast" / "store.db").exists()
    assert [said["key"] for said in waiting(str(home))] == ["tool:call-1"]
    assert fault_kinds(str(home)) == ["store unavailable"]
    (network / "holdfast" / "store.db").touch()
    done = command_line("sessions", state=str(home))
    assert (done.returncode, done.stdout) == (1, "")
    assert "fuse.sshfs" in done.stderr
    assert "hint:" in done.stderr
    assert (network / "holdfast" / "store.db").stat().st_size == 0


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/dev/.local/state/holdfast", "ext4"),
        ("/mnt/team/x", "nfs4"),
        ("/mnt/team", "nfs4"),
        ("/mnt/teams/x", "ext4"),
        ("/mnt/team/disk/x", "xfs"),
        ("/mnt/my share/x", "cifs"),
        ("/mnt/twice/x", "fuse.sshfs"),
    ],
)
def test_the_nearest_mount_above_a_folder_says_what_it_lies_on(folder, kind):
    mounts = (
        "/dev/vda / ext4 rw 0 0\n"
        "server:/x /mnt/team nfs4 rw 0 0\n"
        "/dev/vdb /mnt/team/disk xfs rw 0 0\n"
        "//server/y /mnt/my\\040share cifs rw 0 0\n"
        "/dev/vdc /mnt/twice ext4 rw 0 0\n"
        "me@host: /mnt/twice fuse.sshfs rw 0 0\n"
        "broken\n"
    )

    assert files.mounted_as(mounts, folder) == kind


# Folders of somebody else.


@pytest.mark.promise("X3")
@pytest.mark.parametrize("which", ["state", "runtime", "both"])
def test_a_folder_of_ours_that_is_a_link_is_refused_and_nothing_is_written_behind_it(
    door, state, tmp_path, which
):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "diary").write_text("dear diary")
    home, run = tmp_path / "elsewhere", Path(door.environment["XDG_RUNTIME_DIR"])
    if which in ("state", "both"):
        os.symlink(theirs, home)
    if which in ("runtime", "both"):
        os.symlink(theirs, run / "holdfast")
    before = tree(theirs)

    knock(door, event(door, "SessionStart.startup", session_id="s1"), state=str(home))
    knock(door, used(door, 1), state=str(home))
    knock(door, event(door, "Stop", session_id="s1"), state=str(home))

    assert tree(theirs) == before
    if which == "state":
        assert len(list(spare(run / "holdfast", home, "spool").iterdir())) == 3
    if which == "runtime":
        assert keys(str(home), "tool_used") == calls(1)


@root
@pytest.mark.promise("X3")
@pytest.mark.parametrize("which", ["state", "runtime", "both"])
def test_a_folder_that_belongs_to_somebody_else_is_refused_and_nothing_is_written_there(
    door, state, tmp_path, which
):
    home = tmp_path / "elsewhere"
    run = Path(door.environment["XDG_RUNTIME_DIR"]) / "holdfast"
    theirs = {"state": [home], "runtime": [run], "both": [home, run]}[which]
    for folder in theirs:
        folder.mkdir(mode=0o777)
        os.chown(folder, NOBODY, NOBODY)
    before = tree(*theirs)

    knock(door, event(door, "SessionStart.startup", session_id="s1"), state=str(home))
    knock(door, used(door, 1), state=str(home))

    assert tree(*theirs) == before
    if which == "state":
        assert len(list(spare(run, home, "spool").iterdir())) == 2
    if which == "runtime":
        assert keys(str(home), "tool_used") == calls(1)


@root
@pytest.mark.promise("X3")
@pytest.mark.parametrize("owner", ["the runtime folder", "the spool"])
def test_an_event_that_somebody_else_put_into_a_spool_is_never_taken_in(door, state, owner):
    """Without XDG_RUNTIME_DIR the runtime folder lies in /tmp, where anybody may make it first."""
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    with gone(state):
        knock(door, used(door, 1))
    (good,) = Path(state, "spool").iterdir()
    run = Path(door.environment["XDG_RUNTIME_DIR"]) / "holdfast"
    shutil.rmtree(run, ignore_errors=True)
    theirs = spare(run, Path(state), "spool")
    theirs.mkdir(parents=True, mode=0o700)
    planted = json.loads(good.read_text()) | {"key": "tool:planted"}
    (theirs / good.name).write_text(json.dumps(planted))
    for folder in (run, theirs) if owner == "the runtime folder" else (theirs,):
        os.chown(folder, NOBODY, NOBODY)

    knock(door, used(door, 2))

    assert keys(state, "tool_used") == calls(1, 2)


# After the commit: the files that people read.


@pytest.mark.parametrize("name", ["sessions.json", "sessions.json.lock"])
@pytest.mark.parametrize("how", ["a folder", "a link", "a pipe"])
def test_a_mirror_that_cannot_be_written_costs_neither_the_event_nor_the_answer(
    door, state, tmp_path, name, how
):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    knock(door, event(door, "UserPromptSubmit", session_id="s1", prompt="Mend the roof"))
    knock(door, event(door, "SessionEnd.other", session_id="s1"))
    victim = tmp_path / "victim"
    victim.write_text("dear diary")
    path = Path(state, name)
    path.unlink()
    {
        "a folder": path.mkdir,
        "a link": lambda: path.symlink_to(victim),
        "a pipe": lambda: os.mkfifo(path, 0o600),
    }[how]()

    answer = knock(door, event(door, "SessionStart.startup", session_id="s2")).stdout
    knock(door, event(door, "Stop", session_id="s2"))

    assert b"Mend the roof" in answer
    assert waiting(state) == []
    assert [entry.kind for entry in kept(state) if entry.session == "s2"] == [
        "session_began",
        "session_linked",
        "thread_linked",
        "state_inherited",
        "identity_inherited",
        "context_given",
        "turn_ended",
    ]
    assert victim.read_text() == "dear diary"


LOCK = """
import fcntl, os, sys
handle = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(handle, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("which", ["state", "runtime"])
def test_a_hook_does_not_wait_for_ever_for_one_that_was_stopped(door, state, which):
    runtime = Path(door.environment["XDG_RUNTIME_DIR"], "holdfast")
    runtime.mkdir(mode=0o700)
    lock = f"{state}/sessions.json.lock" if which == "state" else f"{runtime}/brief.lock"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            LOCK,
            lock,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.send_signal(signal.SIGSTOP)

        knock(door, event(door, "SessionStart.startup", session_id="s1"))  # bounded: LIMIT_S
    finally:
        holder.kill()
        holder.communicate()
    assert [key for key, _ in keys(state, "session_began")] == ["s1"]
    assert waiting(state) == []


# Modes, and the ways to switch everything off.


@pytest.mark.promise("X3")
@pytest.mark.parametrize("umask", ["000", "022", "077", "277", "777"])
def test_what_we_make_is_ours_alone_whatever_the_umask(door, repo, state, umask):
    door.command = f"umask {umask}; {door.command}"

    for name in ("SessionStart.startup", "PostToolUse.Bash", "Stop", "SessionEnd.other"):
        knock(door, event(door, name, session_id="s1"))
    knock(door, b"not JSON")
    with gone(state):
        knock(door, used(door, 1))

    made = [Path(state), Path(door.environment["XDG_RUNTIME_DIR"], "holdfast")]
    assert_private(*made, repo / ".git" / "holdfast")
    assert (repo / ".git" / "holdfast" / "sessions" / "s1.json").exists()
    names = {path.name for path in Path(state).rglob("*")}
    assert {"store.db", "sessions.json", "faults.jsonl", "spool"} <= names


@pytest.mark.parametrize("how", ["HOLDFAST_OFF", "paused", "HOLDFAST_INSIDE"])
@pytest.mark.parametrize("has_store", [True, False], ids=["a store", "no store yet"])
def test_switched_off_nothing_is_read_said_or_written(door, state, tmp_path, how, has_store):
    if has_store:
        knock(door, event(door, "SessionStart.startup", session_id="s1"))
        knock(door, event(door, "UserPromptSubmit", session_id="s1", prompt="Mend the roof"))
        knock(door, event(door, "SessionEnd.other", session_id="s1"))
    if how == "paused":
        Path(state, "paused").touch(mode=0o600)
    environment = {} if how == "paused" else {how: "1"}
    before = tree(tmp_path)

    for name in ("SessionStart.startup", "UserPromptSubmit", "PostToolUse.Bash", "Stop"):
        done = knock(door, event(door, name, session_id="s2"), **environment)
        assert done.stdout == b""
    knock(door, b"not JSON", **environment)

    assert tree(tmp_path) == before


def test_switched_on_again_everything_is_kept(door, state):
    Path(state, "paused").touch(mode=0o600)
    knock(door, used(door, 1))
    Path(state, "paused").unlink()
    knock(door, used(door, 2), HOLDFAST_OFF="0")

    assert keys(state, "tool_used") == calls(2)
