"""The tracker: a program's file survives us to the byte; a program is asked; else our own list."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast import beads, platform
from holdfast.decisions.papers import tracker
from holdfast.decisions.papers.tracker import Tracker
from holdfast.errors import HoldfastError, NotFound

DATA = Path(__file__).parent / "data"
NOW = "2026-08-05T10:00:00.000Z"
WRITTEN = [DATA / "br.jsonl", DATA / "bd.jsonl"]
if os.environ.get("HOLDFAST_BEADS_FILE"):
    WRITTEN.append(Path(os.environ["HOLDFAST_BEADS_FILE"]))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "app" / ".beads").mkdir(parents=True)
    return tmp_path / "app"


@pytest.fixture
def filed(project: Path) -> Path:
    path = project / ".beads" / "issues.jsonl"
    path.write_bytes((DATA / "br.jsonl").read_bytes())
    return path


def tracked(workspace, project: Path, chosen: str = tracker.FILE) -> Tracker:
    return Tracker(workspace.store, "p1", str(project), chosen)


# The file


@pytest.mark.promise("D9")
@pytest.mark.parametrize("written", WRITTEN, ids=lambda path: path.stem)
def test_a_file_that_the_real_tool_wrote_is_written_again_byte_for_byte(written):
    for line in written.read_bytes().splitlines():
        assert beads.dumped(json.loads(line)) == line


@pytest.mark.promise("D9")
@pytest.mark.parametrize("written", WRITTEN, ids=lambda path: path.stem)
def test_only_the_issue_that_is_told_something_changes_and_it_loses_no_field(
    workspace, project, written
):
    path = project / ".beads" / "issues.jsonl"
    path.write_bytes(written.read_bytes())
    before = written.read_bytes().splitlines(keepends=True)
    ids = [json.loads(line)["id"] for line in before]
    tracked(workspace, project).comment(ids[1], "DECISION: rotate", now=NOW)
    tracked(workspace, project).extend(ids[1], {"questions": ["per client?"]}, now=NOW)

    after = path.read_bytes().splitlines(keepends=True)
    assert [*after[:1], *after[2:]] == [*before[:1], *before[2:]]
    old, new = json.loads(before[1]), json.loads(after[1])
    said = new.pop("comments")[-1]
    assert (said["text"], said["issue_id"], new.pop("questions")) == (
        "DECISION: rotate",
        ids[1],
        ["per client?"],
    )
    assert new == {**{k: v for k, v in old.items() if k != "comments"}, "updated_at": NOW}
    assert [name for name in new if name in old] == [name for name in old if name != "comments"]


@pytest.mark.promise("D9")
def test_lines_that_are_no_issues_survive_too(workspace, filed, project):
    odd = b'not json\r\n\n{"id": "app-x", "n": 1.50, "s": "\\ud83d"}\n<<<<<<< HEAD\n\xff\xfe'
    filed.write_bytes(filed.read_bytes() + odd)
    tracked(workspace, project).comment("app-9nx", "words", now=NOW)

    assert filed.read_bytes().endswith(odd)


def test_an_issue_in_a_file_of_carriage_returns_keeps_its_line_ending(workspace, filed, project):
    filed.write_bytes(filed.read_bytes().replace(b"\n", b"\r\n"))
    tracked(workspace, project).comment("app-9nx", "words", now=NOW)

    assert filed.read_bytes().count(b"\r\n") == filed.read_bytes().count(b"\n") == 3


def _set_x(issue: dict) -> bool:
    issue["x"] = 1
    return True


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.promise("D9")
@given(fields=st.dictionaries(st.text(min_size=1), VALUES, max_size=6))
@settings(max_examples=200, deadline=None)
def test_whatever_fields_an_issue_has_they_are_the_same_afterwards(fields):
    issue = {**fields, "id": "app-1"}
    line = json.dumps(issue, separators=(",", ":")).encode()
    changed = beads.changed(b"other\n" + line + b"\n", "app-1", _set_x)

    assert changed.split(b"\n")[0] == b"other"
    after = json.loads(changed.split(b"\n")[1])
    assert after == {**issue, "x": 1}
    assert [name for name in after if name in issue] == list(issue)


def test_what_is_said_twice_of_an_item_is_there_once(workspace, filed, project):
    said = {"decisions": [{"ts": NOW, "decision": "rotate", "rationale": "", "evidence": []}]}

    assert tracked(workspace, project).extend("app-9nx", said, now=NOW)
    assert not tracked(workspace, project).extend("app-9nx", said, now=NOW)


def test_the_file_keeps_its_mode_and_leaves_nothing_beside_it(workspace, filed, project):
    filed.chmod(0o644)
    tracked(workspace, project).comment("app-9nx", "words", now=NOW)

    assert filed.stat().st_mode & 0o777 == 0o644
    assert [one.name for one in filed.parent.iterdir()] == ["issues.jsonl"]


def test_a_link_is_not_written_through(workspace, filed, project, tmp_path):
    other = tmp_path / "other.jsonl"
    filed.rename(other)
    filed.symlink_to(other)
    before = other.read_bytes()

    with pytest.raises(LookupError):
        tracked(workspace, project).comment("app-9nx", "words", now=NOW)
    assert other.read_bytes() == before


@pytest.mark.promise("D9")
def test_ready_is_what_nothing_holds_up_and_what_is_in_work_comes_first(workspace, filed, project):
    here = tracked(workspace, project)

    assert [one["id"] for one in here.ready()] == ["app-9nx"]  # app-z1u waits for it
    assert here.active()["id"] == "app-9nx"
    here.move("app-9nx", "closed", now=NOW, reason="proved")
    assert [one["id"] for one in here.ready()] == ["app-z1u"]
    assert here.show("app-9nx")["close_reason"] == "proved"


def test_a_missing_priority_is_the_most_urgent_as_the_tool_leaves_0_out():
    issues = beads.issues_in((DATA / "bd.jsonl").read_text().splitlines())

    assert [one["id"] for one in beads.ready(issues)] == ["bd-6sm6", "bd-2oo.1"]
    assert beads.priority_of(issues["bd-2oo.1"]) == 0


def test_a_new_item_goes_under_the_trackers_own_prefix(workspace, filed, project):
    made = tracked(workspace, project).add("Say why", now=NOW, id_="a1b2")

    assert made == "app-a1b2"
    assert json.loads(filed.read_text().splitlines()[-1])["title"] == "Say why"


def test_an_item_that_is_not_there_is_not_found(workspace, filed, project):
    with pytest.raises(NotFound):
        tracked(workspace, project).show("app-none")


# A program

STAND_IN = """#!/bin/sh
echo "$0 $@ in $(pwd)" >> "$HOME/told"
case "$1" in
  ready) echo '[{"id":"app-z1u","title":"Log out","status":"open"}]' ;;
  list) echo '[{"id":"app-9nx","title":"Rotate","status":"in_progress"}]' ;;
  show) echo '[{"id":"'$2'","title":"Rotate"}]' ;;
  create) echo '{"id":"app-new","title":"x"}' ;;
esac
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> Path:
    """A program of the tracker's name that writes down how it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "br").write_text(STAND_IN)
    (folder / "br").chmod(0o755)
    path = f"{folder}:/usr/bin:/bin"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setitem(platform.system.environ, b"PATH", path.encode())
    return home / "told"


@pytest.mark.promise("D9")
def test_a_program_is_asked_where_it_is_installed_and_the_project_uses_it(
    workspace, filed, project, program
):
    assert tracker.choose(str(project)) == "br"
    here = tracked(workspace, project, tracker.AUTO)

    assert [one["id"] for one in here.ready()] == ["app-9nx", "app-z1u"]
    assert here.active()["id"] == "app-9nx"
    assert here.show("app-9nx")["title"] == "Rotate"
    here.comment("app-9nx", "DECISION: it's; rm -rf $HOME", now=NOW)
    assert here.add("A title", now=NOW, id_="x") == "app-new"
    assert here.sync()
    told = program.read_text()
    assert f"comments add app-9nx DECISION: it's; rm -rf $HOME in {project}" in told
    assert f"sync --flush-only in {project}" in told
    assert "commit" not in told and "push" not in told


def test_without_its_folder_in_the_project_a_program_is_left_alone(workspace, tmp_path, program):
    assert tracker.choose(str(tmp_path)) == tracker.OWN
    assert not program.exists()


def test_a_program_that_fails_is_an_error_that_says_what_to_try(workspace, filed, project, program):
    here = tracked(workspace, project, tracker.BD)  # this one is not there

    with pytest.raises(HoldfastError, match="bd comments add"):
        here.comment("app-9nx", "words", now=NOW)


def test_what_a_program_cannot_say_its_file_says(workspace, filed, project):
    here = tracked(workspace, project, tracker.BD)

    assert [one["id"] for one in here.ready()] == ["app-9nx"]


def test_the_folder_of_this_process_is_the_same_after_a_program_was_asked(
    workspace, filed, project, program
):
    before = Path.cwd()
    tracked(workspace, project, tracker.AUTO).ready()

    assert Path.cwd() == before


# Done


@pytest.mark.promise("D9")
def test_an_item_is_not_done_with_fewer_than_three_scenarios():
    with pytest.raises(HoldfastError, match="2 of 3 scenarios"):
        tracker.refuse_unproved("app-9nx", 2, 3)
    tracker.refuse_unproved("app-9nx", 3, 3)
