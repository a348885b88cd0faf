"""What was left undone, told to the next session as it stands by then."""

from __future__ import annotations

import json

import pytest

from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.work import command_queries, queries as work_queries
from law import assert_nothing_swallowed, assert_replay_law

A, B = "aaaaaaaa-1111-4111-8111-111111111111", "bbbbbbbb-2222-4222-8222-222222222222"


def run(door, command: str, *, number: int, fails: bool = False) -> None:
    name = "PostToolUseFailure" if fails else "PostToolUse.Bash"
    more = {"error": "Exit code 1\nE   assert 4 == 3"} if fails else {}
    door.send(
        name, session_id=A, tool_input={"command": command}, tool_use_id=f"toolu_{number}", **more
    )


def edit(door, repo, path: str, *, number: int, old: str = "a", new: str = "b") -> None:
    door.send(
        "PostToolUse.Edit",
        session_id=A,
        tool_input={"file_path": f"{repo}/{path}", "old_string": old, "new_string": new},
        tool_use_id=f"edit_{number}",
    )


def begin(door) -> None:
    door.send("SessionStart.startup", session_id=A)
    door.send("UserPromptSubmit", session_id=A, prompt="Fix the rounding error in billing.py")


def next_session(door) -> str:
    door.send("SessionEnd.other", session_id=A)
    return door.send("SessionStart.startup", session_id=B)


@pytest.mark.promise("C3")
def test_an_error_is_resolved_when_the_same_command_passes(door, repo, state, workspace):
    begin(door)
    run(door, "pytest -q  tests/a.py", number=1, fails=True)
    run(door, "make lint", number=2, fails=True)
    run(door, "pytest -q tests/a.py", number=3)

    told = next_session(door)

    assert "`make lint`" in told
    assert "pytest -q tests/a.py" not in told
    ran = command_queries.all_commands(workspace.store, A)
    assert [command.command for command in ran if not command.ok] == ["make lint"]
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("C3")
def test_commands_are_capped_and_the_latest_stay(door, repo, state, workspace):
    begin(door)
    with workspace.store.transaction():
        for number in range(40):
            body = {"tool": "Bash", "deed": "run", "ok": number % 2 == 0, "input": {}}
            workspace.keep(
                "tool_used",
                {**body, "command": f"step {number}"},
                key=f"tool:{number}",
                at=f"2026-01-01T00:00:{number:02d}.000Z",
                session=A,
            )

    ran = command_queries.all_commands(workspace.store, A)
    failed = [command.command for command in ran if not command.ok]

    assert [len(ran), len(failed)] == [30, 10]
    assert [failed[0], failed[-1]] == ["step 21", "step 39"]
    assert_replay_law(state, repo)


@pytest.mark.promise("C4")
def test_a_fix_that_was_seen_to_work_is_learnt_once(door, repo, state, workspace):
    begin(door)
    run(door, "pytest -q", number=1, fails=True)
    edit(door, repo, "billing.py", number=1)
    run(door, "pytest -q", number=2)
    door.send("Stop", session_id=A)
    door.send("Stop", session_id=A, last_assistant_message="again")

    project = prompt_queries.goals(workspace.store, _project(workspace), 1)[0].project
    (learnt,) = work_queries.learnings(workspace.store, project, 10)

    assert learnt.text == ("`pytest -q` failed (E   assert 4 == 3); it passed after billing.py")
    assert (learnt.source, learnt.categories) == ("fix", ["test_failure"])
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("C4")
def test_a_command_that_passes_without_a_change_teaches_nothing(door, repo, state, workspace):
    begin(door)
    run(door, "pytest -q", number=1, fails=True)
    run(door, "pytest -q", number=2)
    door.send("Stop", session_id=A)

    assert work_queries.learnings(workspace.store, _project(workspace), 10) == []


def _project(workspace) -> str:
    return str(workspace.store.value("select project from sessions where id = ?", A))


@pytest.mark.promise("C6")
def test_tasks_of_files_are_told_as_they_stand_when_the_next_session_begins(door, repo, state):
    (repo / ".beads").mkdir()
    rows = [
        {"id": "app-1", "title": "Teach the cache to expire", "status": "open"},
        {"id": "app-2", "title": "Drop the old endpoint", "status": "closed"},
    ]
    (repo / ".beads" / "issues.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\nnot json\n")
    (repo / "pipeline").mkdir()
    tasks = [{"task_id": "task-7", "title": "Ship the importer", "current_stage": "verify"}]
    (repo / "pipeline" / "state.json").write_text(json.dumps({"active_tasks": tasks}))
    begin(door)

    told = next_session(door)

    assert "PENDING TASKS:" in told
    assert "- [app-1] Teach the cache to expire (last stage: open" in told
    assert "- [task-7] Ship the importer (last stage: verify" in told
    assert "app-2" not in told

    tasks[0]["current_stage"] = "done"
    (repo / "pipeline" / "state.json").write_text(json.dumps({"active_tasks": tasks}))
    again = door.send("SessionStart.clear", session_id="cccccccc-3333-4333-8333-333333333333")
    assert "task-7" not in again
    assert "app-1" in again
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("C6")
def test_a_pipelines_state_lies_where_the_settings_say(door, repo, state):
    door.environment["HOLDFAST_TASKS_STATE_FILE"] = "ops/now.json"
    for folder, name in (("ops", "now"), ("pipeline", "state")):
        (repo / folder).mkdir()
        tasks = [{"task_id": f"task-{folder}", "title": "Ship it", "current_stage": "build"}]
        (repo / folder / f"{name}.json").write_text(json.dumps({"active_tasks": tasks}))
    begin(door)

    told = next_session(door)

    assert "[task-ops]" in told
    assert "[task-pipeline]" not in told
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("C6")
def test_todos_of_the_agent_are_told_until_they_are_done(door, repo, state):
    begin(door)
    todos = [
        {"content": "Write the parser", "status": "completed", "activeForm": "x"},
        {"content": "Cover negative amounts", "status": "in_progress", "activeForm": "x"},
        {"content": "Update the docs", "status": "pending", "activeForm": "x"},
    ]
    door.send("PostToolUse.TodoWrite", session_id=A, tool_input={"todos": todos})

    told = next_session(door)

    assert "Next steps, from the agent's list:\n> Cover negative amounts\n> Update the docs" in told
    assert "Write the parser" not in told
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("C6")
def test_tasks_of_the_task_tool_follow_its_events(door, repo, state):
    begin(door)
    for number, subject in (("1", "Write the parser"), ("2", "Cover negative amounts")):
        door.send("TaskCreated", session_id=A, task_id=number, task_subject=subject)
    door.send("PostToolUse.TaskUpdate.in_progress", session_id=A, tool_use_id="u1")
    door.send("TaskCompleted", session_id=A, task_id="1", task_subject="Write the parser")

    told = next_session(door)

    assert "> Cover negative amounts" in told
    assert "Write the parser" not in told
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("C17")
def test_marks_that_an_edit_added_are_offered_until_an_edit_removes_them(door, repo, state):
    door.environment["HOLDFAST_BRIEFING_PREAMBLE"] = "1"
    begin(door)
    edit(door, repo, "billing.py", number=1, new="x = 1  # TODO: handle negative amounts")
    edit(door, repo, "cart.py", number=2, new="    raise NotImplementedError")
    edit(door, repo, "cart.py", number=3, old="    raise NotImplementedError", new="    return 1")

    told = next_session(door)

    assert "Also come across:\n> billing.py: x = 1 # TODO: handle negative amounts" in told
    assert "NotImplementedError" not in told
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("C11")
def test_the_call_that_revives_another_tool_is_offered_after_a_compaction(door, repo, state):
    begin(door)
    door.send(
        "PostToolUse",
        session_id=A,
        tool_name="mcp__serena__activate_project",
        tool_input={"project": str(repo)},
        tool_response=[{"type": "text", "text": "activated"}],
    )

    asked = door.send("PreCompact.auto", session_id=A)
    told = door.send("SessionStart.compact", session_id=A)

    for said in (asked, told):
        assert f'mcp__serena__activate_project with project "{repo}"' in said
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)
