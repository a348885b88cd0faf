"""The tracker: a program's file survives us to the byte; a program is asked; else our own list."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from tracker.file_survival import survived

from holdfast.errors import HoldfastError, NotFound
from holdfast.rooms.tracker import beads, trackers
from holdfast.rooms.tracker.trackers import Tracker
from holdfast.system import environment

DATA = Path(__file__).parent / "data"
NOW = "2026-08-05T10:00:00.000Z"
WRITTEN = [DATA / "br.jsonl", DATA / "bd.jsonl", DATA / "every.jsonl"]
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


def tracked(workspace, project: Path, chosen: str = trackers.FILE) -> Tracker:
    return Tracker(workspace.store, "p1", str(project), chosen)


# The file


AS_WRITTEN = {
    "as it is": lambda content: content,
    "without a last line feed": lambda content: content.rstrip(b"\n"),
    "with carriage returns": lambda content: content.replace(b"\n", b"\r\n"),
    "with blank lines": lambda content: b"\n" + content.replace(b"\n", b"\n\n"),
    "with odd bytes": lambda content: content.replace("ü".encode(), b"\xfc\xff\x85"),
    "in a merge": lambda content: b"<<<<<<< HEAD\n" + content + b">>>>>>> other\n",
}


@pytest.mark.promise("D9")
@pytest.mark.parametrize("manner", AS_WRITTEN)
@pytest.mark.parametrize("written", WRITTEN, ids=lambda path: path.stem)
def test_whatever_is_done_to_an_item_nothing_else_of_its_file_changes(
    workspace, tmp_path, written, manner
):
    content = AS_WRITTEN[manner](written.read_bytes())
    found = survived(workspace.store, tmp_path / "app", content, items=20)

    assert found.lost == []
    assert found.acts > 8 and found.fields > found.acts


@pytest.mark.promise("D9")
def test_of_a_line_that_is_touched_only_what_changed_is_written(workspace, filed, project):
    filed.write_bytes((DATA / "every.jsonl").read_bytes())
    before = filed.read_bytes().split(b"\n")
    here = tracked(workspace, project)
    here.comment("app-2", "a < b", now=NOW)

    after = filed.read_bytes().split(b"\n")
    assert after[1] == before[1].replace(b"2026-01-17T03:45:12.703879454Z", NOW.encode()).replace(
        b'7:00:00Z"}]', b'7:00:00Z"},' + after[1].partition(b'7:00:00Z"},')[2][:-2] + b"]"
    )
    assert json.loads(after[1])["comments"][-1]["text"] == "a < b"
    assert [*after[:1], *after[2:]] == [*before[:1], *before[2:]]


@pytest.mark.promise("D9")
def test_a_comment_is_numbered_as_the_tracker_numbers_them(workspace, filed, project):
    """`br` counts over all issues; newer `bd` names each by chance."""
    here = tracked(workspace, project)
    here.comment("app-z1u", "words", now=NOW)
    assert here.show("app-z1u")["comments"][0]["id"] == 2  # app-9nx has 1

    filed.write_bytes((DATA / "every.jsonl").read_bytes())
    here.comment("app-4", "words", now=NOW)
    assert len(here.show("app-4")["comments"][0]["id"]) == 36


def test_what_is_begun_again_is_not_closed_any_more(workspace, filed, project):
    here = tracked(workspace, project)
    here.move("app-4kf", "in_progress", now=NOW)

    assert here.show("app-4kf")["closed_at"] is None
    assert here.show("app-4kf")["close_reason"] == "all parts are done"


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
    decision = {"ts": NOW, "decision": "rotate", "rationale": "", "evidence": []}

    for standing, is_news in (("grounded", True), ("grounded", False), ("BROKEN", False)):
        more = {"decisions": [{**decision, "standing": standing}]}
        assert tracked(workspace, project).extend("app-9nx", more, now=NOW) is is_news


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

    assert [one["id"] for one in here.ready(NOW)] == ["app-9nx"]  # app-z1u waits for it
    assert here.active()["id"] == "app-9nx"
    here.move("app-9nx", "closed", now=NOW, reason="proved")
    assert [one["id"] for one in here.ready(NOW)] == ["app-z1u"]
    assert here.show("app-9nx")["close_reason"] == "proved"


BLOCKS = {"depends_on_id": "app-b", "type": "blocks"}


def among(*others: dict, **said: object) -> list[str]:
    """Which of some issues are ready: one with what is said of it, and the others."""
    one = {"id": "app-a", "title": "A", "status": "open", **said}
    return [
        each["id"] for each in trackers.ready({each["id"]: each for each in (one, *others)}, NOW)
    ]


def other(name: str = "app-b", **said: object) -> dict:
    return {"id": name, "title": "B", "status": "closed", **said}


@pytest.mark.promise("D9")
@pytest.mark.parametrize(
    "said",
    [
        {},
        {"status": "in_progress"},
        {"defer_until": "2026-08-05T09:59:59.123456789Z"},
        {"defer_until": "2026-08-05T11:30:00+02:00"},
        {"defer_until": None},
        {"defer_until": "soon"},
        {"pinned": False, "ephemeral": False},
        {"dependencies": [BLOCKS]},
        {"dependencies": [{**BLOCKS, "depends_on_id": "external:hub:api"}]},
        {"dependencies": [{**BLOCKS, "depends_on_id": "app-c", "type": "related"}]},
        {"dependencies": [{**BLOCKS, "depends_on_id": "app-c", "type": "parent-child"}]},
        {"dependencies": None},
    ],
)
def test_nothing_holds_such_an_issue_up(said):
    assert "app-a" in among(other(), other("app-c", status="open"), **said)


@pytest.mark.promise("D9")
@pytest.mark.parametrize(
    "said",
    [
        *({"status": stage} for stage in ("blocked", "deferred", "tombstone", "pinned", "closed")),
        {"pinned": True},
        {"ephemeral": True},
        {"issue_type": "gate"},
        {"id": "app-wisp-1"},
        {"defer_until": "2026-08-06"},
        {"defer_until": "2026-08-05T09:30:00-02:00"},
        {"dependencies": [{"depends_on_id": "app-c"}]},
        {"dependencies": [{"depends_on_id": "app-b", "type": "conditional-blocks"}]},
        {"dependencies": [{"depends_on_id": "app-b", "type": "waits-for"}]},
        {"dependencies": [{"depends_on_id": "app-d", "type": "parent-child"}]},
        {"dependencies": [{"depends_on_id": "app-e", "type": "parent-child"}]},
    ],
)
def test_such_an_issue_is_not_ready(said):
    others = [
        other(close_reason="done as planned"),
        other(
            "app-c",
            status="hooked",
            dependencies=[{"depends_on_id": "app-b", "type": "parent-child"}],
        ),
        other("app-d", status="open", dependencies=[{**BLOCKS, "depends_on_id": "app-c"}]),
        other("app-e", status="open", defer_until="2026-09-01T00:00:00Z"),
    ]
    assert said.get("id", "app-a") not in among(*others, **said)


def test_what_waits_for_a_failure_is_ready_after_one_and_so_are_circles_judged():
    waits = [{"depends_on_id": "app-b", "type": "conditional-blocks"}]
    circle = [{"depends_on_id": "app-a", "type": "parent-child"}]
    part = [{"depends_on_id": "app-b", "type": "parent-child"}]

    assert among(other(close_reason="Timeout of the vendor"), dependencies=waits) == ["app-a"]
    assert among(other(status="open", dependencies=circle), dependencies=part) == ["app-a", "app-b"]


def test_times_are_compared_as_times_whatever_their_offset():
    early = other("app-b", status="in_progress", updated_at="2026-08-05T09:00:00Z")
    late = other("app-c", status="in_progress", updated_at="2026-08-05T05:00:00.5-05:00")

    assert trackers.active({"app-b": early, "app-c": late}) == late


def test_a_missing_status_is_open_and_a_memory_is_no_issue():
    text = '{"id":"a-1","title":"A"}\n{"_type":"memory","id":"a-2","title":"B"}'

    assert list(beads.issues_in(text.split("\n"))) == ["a-1"]
    assert beads.stage_of({"id": "a-1"}) == "open"


def test_signs_that_only_some_call_a_line_end_do_not_end_one(project):
    said = "a\u0085b\u2028c"
    path = project / ".beads" / "issues.jsonl"
    path.write_text(json.dumps({"id": "a-1", "title": said}, ensure_ascii=False) + "\n")

    assert beads.read(str(project))["a-1"]["title"] == said


def test_what_else_lies_in_the_folder_is_no_issues_file(project):
    for name in ("interactions", "deletions", "beads.left", "routes"):
        (project / ".beads" / f"{name}.jsonl").write_text('{"id":"int-1"}\n')

    assert beads.files(str(project)) == []
    assert trackers.choose(str(project)) == trackers.OWN


def test_a_missing_priority_is_the_most_urgent_as_the_tool_leaves_0_out():
    issues = beads.issues_in((DATA / "bd.jsonl").read_text().splitlines())

    assert [one["id"] for one in trackers.ready(issues, NOW)] == ["bd-6sm6", "bd-2oo.1"]
    assert beads.priority_of(issues["bd-2oo.1"]) == 0


def test_a_new_item_goes_under_the_trackers_own_prefix(workspace, filed, project):
    made = tracked(workspace, project).add("Say why", now=NOW, id_="a1b2")

    assert made == "app-a1b2"
    assert json.loads(filed.read_text().splitlines()[-1])["title"] == "Say why"


def test_a_new_item_takes_nobodys_id_and_the_manner_of_the_file(workspace, filed, project):
    filed.write_bytes((DATA / "every.jsonl").read_bytes().replace(b"\n", b"\r\n"))
    made = tracked(workspace, project).add("Say why", now=NOW, id_="2")

    assert made == "app-2x"
    assert filed.read_bytes().splitlines(keepends=True)[-1].startswith(b'{"_type":"issue","id":')
    assert filed.read_bytes().endswith(b"}\r\n")


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
    monkeypatch.setitem(environment.system.environ, b"PATH", path.encode())
    return home / "told"


@pytest.mark.promise("D9")
def test_a_program_is_asked_where_it_is_installed_and_the_project_uses_it(
    workspace, filed, project, program
):
    assert trackers.choose(str(project)) == "br"
    here = tracked(workspace, project, trackers.AUTO)

    assert [one["id"] for one in here.ready(NOW)] == ["app-9nx", "app-z1u"]
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
    assert trackers.choose(str(tmp_path)) == trackers.OWN
    assert not program.exists()


def test_a_program_that_fails_is_an_error_that_says_what_to_try(workspace, filed, project, program):
    here = tracked(workspace, project, trackers.BD)  # this one is not there

    with pytest.raises(HoldfastError, match="bd comments add"):
        here.comment("app-9nx", "words", now=NOW)


def test_what_a_program_cannot_say_its_file_says(workspace, filed, project):
    here = tracked(workspace, project, trackers.BD)

    assert [one["id"] for one in here.ready(NOW)] == ["app-9nx"]


def test_the_folder_of_this_process_is_the_same_after_a_program_was_asked(
    workspace, filed, project, program
):
    before = Path.cwd()
    tracked(workspace, project, trackers.AUTO).ready(NOW)

    assert Path.cwd() == before


# Done


@pytest.mark.promise("D9")
def test_an_item_is_not_done_with_fewer_than_three_scenarios():
    with pytest.raises(HoldfastError, match="2 of 3 scenarios"):
        trackers.refuse_unproved("app-9nx", 2, 3)
    trackers.refuse_unproved("app-9nx", 3, 3)
