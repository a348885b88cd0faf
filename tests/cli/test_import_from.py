"""`holdfast import --from`: state files of the designs, taken in once, for what they say alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from terminal import refused, run, told, typed, typed_and_told

from scenarios.story import A, B, Story

pytestmark = pytest.mark.promise("O3")

DEMANDS = """
requirements:
  architecture: {scope: branch, trigger_tools: [Edit]}
  audited: {scope: permanent, trigger_tools: [Write]}
  planned: {scope: session, trigger_tools: [NotebookEdit]}
  narrowed: {scope: session, trigger_tools: [Grep]}
"""
DONE = 1_700_000_000
DONE_AT = "2023-11-14T22:13:20.000Z"
SECRET = "ghp_" + "a1B2" * 9  # shaped like a token, and nobody's


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    story = Story(door, repo, tmp_path)
    story.demand(DEMANDS)
    story.begin(A)
    return story


def root(scope: str, **more: Any) -> dict[str, Any]:
    return {"scope": scope, "satisfied": True, "satisfied_at": DONE, "satisfied_by": "cli", **more}


def old_files(story: Story) -> Path:
    """What the designs leave behind, in the places where they do."""
    folder = story.repo / ".git" / "requirements"
    (folder / "sessions").mkdir(parents=True)
    own = {"satisfied": True, "triggered": True, "satisfied_at": DONE, "satisfied_by": "skill"}
    states = {
        "architecture": root("branch"),
        "audited": root("permanent", satisfied_by="skill"),
        "planned": {"scope": "session", "sessions": {"abc12345": own}},
        "narrowed": root("branch"),
        "forgotten": root("branch"),
        "untouched": {"scope": "branch", "satisfied": False, "satisfied_at": None},
    }
    branch = {"version": "1.0", "branch": "main", "requirements": states}
    (folder / "main.json").write_text(json.dumps(branch))
    row = {"pid": 1, "project_dir": str(story.repo), "branch": "main", "last_active": DONE}
    registry = {"version": "1.0", "sessions": {"abc12345": row}}
    (folder / "sessions.json").write_text(json.dumps(registry))
    session = {
        "session_id": "0b1c2d3e-0000-4000-8000-000000000000",
        "start_time": "2023-11-14T20:00:00Z",
        "end_time": "2023-11-14T22:13:20+00:00",
        "working_memory": [
            {"content": "Deploys wait for Ana", "pinnedAt": "2023-11-14T21:00:00Z"},
            {"content": f"The token is {SECRET}", "pinnedAt": "2023-11-14T21:00:00Z"},
        ],
        "pending_tasks": [
            {"task_id": "t-1", "title": "Cover it", "stage": "build", "flagged_incomplete": True}
        ],
        "recent_learnings": ["m-1"],
    }
    (folder / "sessions" / "0b1c2d3e.json").write_text(json.dumps(session))
    return folder


def test_older_state_files_are_taken_in_once_with_their_own_times(story):
    folder = str(old_files(story))
    before = story.ledger()

    preview = told(story.repo, "import", "--from", folder, "--dry-run")
    assert (preview["entries"], preview["dry_run"]) == (0, True)
    assert story.ledger() == before

    taken = typed_and_told(story.repo, "import", "--from", folder)

    assert taken["new"] == preview["new"]
    assert taken["entries"] == len(taken["new"]) == 5
    met = {entry.body["requirement"]: entry for entry in story.entries("requirement_met")}
    assert sorted(met) == ["architecture", "audited"]
    assert (met["audited"].at, met["audited"].session) == (DONE_AT, "")
    assert (met["audited"].body["by"], met["audited"].body["words"]) == ("imported", "skill")
    (pin, hidden) = story.entries("pinned")
    assert (pin.at, pin.body["content"]) == ("2023-11-14T21:00:00.000Z", "Deploys wait for Ana")
    assert (pin.body["author"], pin.body["imported"][:8]) == ("agent", "0b1c2d3e")
    assert SECRET not in hidden.body["content"]
    (item,) = story.entries("item_opened")
    assert (item.at, item.body["text"], item.body["source"]) == (
        DONE_AT,
        "[t-1] Cover it",
        "imported",
    )

    again = typed_and_told(story.repo, "import", "--from", folder)
    assert (again["entries"], again["new"]) == (0, [])
    assert len(again["left_out"]) == len(taken["left_out"]) + 5
    story.ends_well()


def test_a_satisfied_branch_counts_no_further_than_its_file_says(story):
    assert "architecture" in story.ask_edit(A)
    assert "narrowed" in story.ask(A, "Grep", pattern="x")

    taken = typed_and_told(story.repo, "import", "--from", str(old_files(story)))

    assert not story.ask_edit(A)  # the person vouches for it, on this branch
    assert "narrowed" in story.ask(A, "Grep", pattern="x")  # demanded of each session by now
    assert "planned" in story.ask(A, "NotebookEdit", notebook_path="n.ipynb")
    reasons = "\n".join(taken["left_out"])
    assert "planned on main: it counts for session abc12345 alone" in reasons
    assert "narrowed on main: its scope is session here, and was branch" in reasons
    assert "forgotten on main: nothing of that name is demanded here" in reasons
    assert "a registry says who is at work" in reasons
    assert story.bodies("rule_given") == []
    story.ends_well()


def test_what_was_cleared_here_since_stays_cleared(story):
    typed_and_told(story.repo, "req", "satisfy", "architecture")
    typed_and_told(story.repo, "req", "clear", "architecture")

    typed_and_told(story.repo, "import", "--from", str(old_files(story)))

    assert "architecture" in story.ask_edit(A)


def test_a_sessions_own_mirror_of_ours_holds_nothing_new(story):
    story.pin(A, "Keep this in sight")
    story.stop(A)
    mirror = story.repo / ".git" / "holdfast" / "sessions" / f"{A}.json"

    taken = typed_and_told(story.repo, "import", "--from", str(mirror))

    assert taken["entries"] == 0
    assert taken["left_out"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{half", "is no JSON"),
        ("[]", "it is no object"),
        ("{}", "neither a branch's states, a registry nor a session"),
        ('{"branch": "main", "requirements": {"a": 1}}', "is no state file"),
        (
            '{"branch": "m", "requirements": {"a":'  # noqa: ISC004 - one text
            ' {"scope": "branch", "satisfied": true, "satisfied_at": "soon"}}}',
            "is no state file",
        ),
        ('{"session_id": "x", "start_time": "t", "working_memory": 5}', "is no state file"),
    ],
)
def test_what_is_no_state_file_is_named_and_nothing_of_the_folder_is_taken(story, text, why):
    folder = old_files(story)
    (folder / "zz.json").write_text(text)
    before = story.ledger()

    done = typed(story.repo, "import", "--from", str(folder))

    assert done.returncode == 1
    assert why in done.stderr
    assert "zz.json" in done.stderr
    assert "nothing was imported" in done.stderr
    assert story.ledger() == before


def test_an_agent_cannot_and_a_path_or_a_file_is_asked_for(story):
    folder = str(old_files(story))

    assert "only a person may run" in refused(run(story.repo, "import", "--from", folder))
    assert "an agent is around" in refused(
        typed(story.repo, "import", "--from", folder, CLAUDE_CODE_SESSION_ID=B)
    )
    assert story.bodies("requirement_met") == []
    assert run(story.repo, "import").returncode == 2
    assert run(story.repo, "import", "x", "--from", folder).returncode == 2


def test_an_import_of_nothing_names_all_that_can_be_imported(story):
    message = refused(run(story.repo, "import"), 2)

    assert "import takes a FILE, --transcripts, or --from PATH" in message


def test_a_file_that_is_not_there_is_said_to_be_none(story):
    assert "no such file: nowhere.jsonl" in refused(run(story.repo, "import", "nowhere.jsonl"))
