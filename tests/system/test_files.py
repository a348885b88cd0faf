from __future__ import annotations

import calendar
import os
import time

import pytest
from hypothesis import given, strategies as st

from holdfast.system import clock, environment, files


@given(st.integers(0, 253_402_300_799))
def test_a_time_is_read_back_as_it_was_written(seconds):
    stamp = clock.iso(seconds)

    assert clock.seconds_of(stamp) == seconds
    assert calendar.timegm(time.strptime(stamp[:19], "%Y-%m-%dT%H:%M:%S")) == seconds


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/home/dev", "ext4"),
        ("/mnt/nas/state", "nfs4"),
        ("/mnt/nasty", "ext4"),
        ("/mnt/with space/x", "fuse.sshfs"),
    ],
)
def test_the_longest_mount_that_holds_a_folder_tells_its_file_system(folder, kind):
    mounts = (
        "dev / ext4 rw 0 0\n"
        "server:/x /mnt/nas nfs4 rw 0 0\n"
        "remote /mnt/with\\040space fuse.sshfs rw 0 0\n"
    )

    assert files.mounted_as(mounts, folder) == kind


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "file"
    path.write_text("old")
    (folder / f"file.{environment.system.getpid()}.tmp").write_text("left by one that died")

    files.write_whole(str(path), b"new")

    assert path.read_text() == "new"
    assert [entry.name for entry in folder.iterdir()] == ["file"]


def test_a_pipe_is_no_file_and_keeps_nobody_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")

    assert files.read_bytes(str(tmp_path / "pipe")) is None
