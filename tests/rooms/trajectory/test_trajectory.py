"""The trajectory: every entry one line, once, as the published schema says."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from holdfast.ledger import queries as ledger
from holdfast.ledger.kinds import KINDS
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.trajectory import day_files, line_schema
from holdfast.system import clock, files, processes

ROOT = Path(__file__).parents[3]
PUBLISHED = json.loads((ROOT / "docs" / "trajectory.schema.json").read_text())
VALID = Draft202012Validator(PUBLISHED)
NOW = "2026-03-01T12:00:00.000Z"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "holdfast" / "trajectory")


def keep(workspace: Workspace, number: int, *, at: str = NOW, agent: str = "claude-code") -> None:
    with workspace.store.transaction():
        workspace.keep(
            "notified",
            {"sort": "idle", "message": f"message {number}"},
            key=f"n{number}",
            at=at,
            project="p1",
            session="s1",
            agent=agent,
        )


def render(workspace: Workspace, folder: str, now: str = NOW) -> int:
    within = folder.rpartition("/")[0]
    return day_files.render(workspace.store, "p1", folder, within=within, now=now)


def lines(folder: str, name: str = "claude-code-2026-03-01.jsonl") -> list[dict]:
    return [json.loads(line) for line in Path(folder, name).read_text().splitlines()]


@pytest.mark.promise("D8")
def test_the_published_schema_is_made_of_the_table_of_kinds():
    assert line_schema.schema() == PUBLISHED
    Draft202012Validator.check_schema(PUBLISHED)


def test_every_kind_has_a_phase_that_the_schema_knows():
    phases = set(PUBLISHED["properties"]["phase"]["enum"])

    assert {day_files.PHASES.get(kind, kind) for kind in KINDS} == phases


@pytest.mark.promise("D8")
def test_each_entry_is_one_valid_line_however_often_it_is_rendered(workspace, folder):
    for number in range(3):
        keep(workspace, number)
        render(workspace, folder)
        render(workspace, folder)

    said = lines(folder)
    assert [one["data"]["message"] for one in said] == ["message 0", "message 1", "message 2"]
    for one in said:
        VALID.validate(one)


def test_a_line_that_lacks_a_field_or_has_one_too_many_is_refused(workspace, folder):
    keep(workspace, 1)
    render(workspace, folder)
    good = lines(folder)[0]

    assert VALID.is_valid(good)
    assert not VALID.is_valid({**good, "more": 1})
    assert not VALID.is_valid({**good, "data": {"sort": "idle"}})
    assert not VALID.is_valid({**good, "phase": "cite"})


@pytest.mark.promise("D8")
def test_what_a_process_that_died_left_behind_is_cut_off(workspace, folder):
    keep(workspace, 1)
    render(workspace, folder)
    with Path(folder, "claude-code-2026-03-01.jsonl").open("a") as file:
        file.write('{"ts": "half a li')  # and the cursor was not moved
    keep(workspace, 2)
    render(workspace, folder)

    assert [one["data"]["message"] for one in lines(folder)] == ["message 1", "message 2"]


def test_a_file_that_a_dead_process_began_is_begun_anew(workspace, folder):
    keep(workspace, 1)
    render(workspace, folder)
    name = "claude-code-2026-03-02.jsonl"
    Path(folder, name).write_text('{"torn')
    keep(workspace, 2, at="2026-03-02T00:00:00.000Z")
    render(workspace, folder)

    assert [one["data"]["message"] for one in lines(folder, name)] == ["message 2"]


def test_without_a_cursor_everything_that_has_a_body_is_rendered_again(workspace, folder):
    for number in range(2):
        keep(workspace, number)
    render(workspace, folder)
    Path(folder, ".cursor").unlink()
    render(workspace, folder)

    assert len(lines(folder)) == 2


def test_lines_lie_by_agent_and_day_and_a_commands_under_our_own_name(workspace, folder):
    keep(workspace, 1, agent="")
    keep(workspace, 2, at="2026-02-28T23:59:59.999Z")
    render(workspace, folder)

    assert day_files.files(folder) == [
        "claude-code-2026-02-28.jsonl",
        "holdfast-2026-03-01.jsonl",
    ]


@pytest.mark.promise("D8")
def test_files_are_compressed_after_a_month_and_gone_after_a_year(workspace, folder):
    keep(workspace, 1)
    render(workspace, folder)
    keep(workspace, 2, at="2026-04-15T12:00:00.000Z")
    render(workspace, folder, "2026-04-15T12:00:00.000Z")

    old = Path(folder, "claude-code-2026-03-01.jsonl.gz")
    assert not Path(folder, "claude-code-2026-03-01.jsonl").exists()
    assert json.loads(gzip.decompress(old.read_bytes()))["data"]["message"] == "message 1"

    keep(workspace, 3)  # it waited in the spool for long
    render(workspace, folder, "2026-04-15T12:00:01.000Z")
    assert gzip.decompress(old.read_bytes()).count(b"\n") == 2

    day_files.tidy(folder, "2027-03-03T12:00:00.000Z")
    assert not old.exists()


def test_files_are_ours_alone(workspace, folder):
    keep(workspace, 1)
    render(workspace, folder)

    for name in files.names_in(folder):
        assert Path(folder, name).stat().st_mode & 0o077 == 0


def test_a_folder_that_is_a_link_is_not_followed(workspace, folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    Path(folder).parent.mkdir(mode=0o700)
    Path(folder).symlink_to(elsewhere)
    keep(workspace, 1)

    assert render(workspace, folder) == 0
    assert list(elsewhere.iterdir()) == []


def test_of_another_projects_entries_none_is_read_twice(workspace, folder):
    keep(workspace, 1)
    render(workspace, folder)
    with workspace.store.transaction():
        workspace.keep("probed", {"nonce": "n"}, key="n", at=NOW, project="p2")

    assert render(workspace, folder) == 0
    cursor = json.loads(Path(folder, ".cursor").read_text())
    assert cursor["place"] == ledger.last_place(workspace.store)
    keep(workspace, 2)
    render(workspace, folder)
    assert [one["data"]["message"] for one in lines(folder)] == ["message 1", "message 2"]


@pytest.mark.promise("D8")
def test_a_turn_leaves_what_is_far_behind_to_a_process_of_its_own(door, repo):
    door.send("SessionStart.startup", session_id="s1")
    workspace = Workspace(door.state)
    project = workspace.store.value("select project from sessions where id = 's1'")
    now = clock.now()
    with workspace.store.transaction():
        for number in range(day_files.BEHIND + 1):
            said = {"sort": "idle", "message": f"message {number}"}
            workspace.keep(
                "notified", said, key=f"n{number}", at=now, project=project, session="s1"
            )
    folder = repo / ".git" / "holdfast" / "trajectory"
    files.own_folder(str(folder), within=str(folder.parent))
    catching_up = processes.Lock(str(folder / day_files.CATCHING_UP))
    assert catching_up.take()
    door.send("Stop", session_id="s1")
    assert day_files.files(str(folder)) == [], "the hook has rendered it, or begun a second one"

    catching_up.release()
    door.send("Stop", session_id="s1", last_assistant_message="Once more.")
    wait_until(lambda: not day_files.is_behind(workspace.store, str(folder)))

    said = [one for name in day_files.files(str(folder)) for one in lines(str(folder), name)]
    numbers = [one["entry"] for one in said]
    assert len(numbers) == len(set(numbers)) > day_files.BEHIND
    for one in said:
        VALID.validate(one)


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(3_000):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it did not come to be so")


def test_a_turn_that_is_not_behind_renders_its_own_lines(door, repo):
    door.send("SessionStart.startup", session_id="s1")
    door.send("Stop", session_id="s1")

    folder = repo / ".git" / "holdfast" / "trajectory"
    kinds = {one["kind"] for name in day_files.files(str(folder)) for one in lines(folder, name)}
    assert {"session_began", "turn_ended"} <= kinds


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("sort", "went_on", "held", "resolution"),
    [
        pytest.param("statement", False, "Use A", "bead_wins", id="a statement"),
        pytest.param("decision", True, "Use A", "both_kept", id="a decision that is kept anyway"),
        pytest.param("edit", True, "Use A", "code_wins", id="an edit that takes evidence away"),
        pytest.param("decision", False, "", "bead_wins", id="an entry of an earlier version"),
    ],
)
def test_the_line_of_a_fork_says_what_was_held_and_what_wins(
    workspace, folder, sort, went_on, held, resolution
):
    body = {"sort": sort, "decision": "d1", "said": "Use B", "why": "w", "went_on": went_on}
    body |= {"held": held} if held else {}
    with workspace.store.transaction():
        workspace.keep(
            "fork_noticed", body, key="f", at=NOW, project="p1", session="s1", agent="claude-code"
        )
    render(workspace, folder)

    (line,) = lines(folder)
    VALID.validate(line)
    assert (line["phase"], line["bead_id"], line["context_decision"]) == (
        "fork_detected",
        "d1",
        "Use B",
    )
    assert (line["bead_decision"], line["resolution"]) == (held, resolution)
    assert (line["ts"], line["agent"]) == (NOW, "claude-code")
