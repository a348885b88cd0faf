"""Tool calls as acts, read from what the real client sent, and from what it never should."""

from __future__ import annotations

import pytest

from conftest import payload
from holdfast.agents import acts, known
from holdfast.agents.claude_code import payloads


def given(name: str, **changes: object) -> dict[str, object]:
    return {**payload(name)["tool_input"], **changes}


def test_an_edit_says_what_went_and_what_came():
    edit = given("PostToolUse.Edit", old_string="a = 1", new_string="a = 2")

    assert acts.replacement(edit) == acts.written(edit) == ("a = 1", "a = 2")
    assert acts.replacements({**edit, "edits": [{"old_string": "b"}, 7]}) == [
        ("a = 1", edit["new_string"]),
        ("b", ""),
    ]


def test_a_file_that_is_written_has_no_text_that_went():
    call = {"file_path": "a.py", "content": "a = 1"}

    assert acts.replacement(call) == (None, None)
    assert acts.written(call) == ("", "a = 1")
    assert acts.replacements(call) == []


def test_a_list_of_todos_is_whole_and_what_is_none_is_left_out():
    listed = given("PostToolUse.TodoWrite")["todos"]

    assert acts.todos({"todos": [*listed, "odd", {"content": 7}]}) == [
        (todo["content"], todo["status"]) for todo in listed
    ]
    assert acts.todos({"todos": []}) == []
    assert acts.todos({"file_path": "a.py"}) is None


@pytest.mark.parametrize(
    ("call", "moved"),
    [
        (given("PostToolUse.TaskUpdate.completed", taskId="3"), ("3", "completed")),
        ({"taskId": 3, "status": "completed"}, None),
        ({"taskId": "3"}, None),
    ],
)
def test_a_task_is_moved_by_its_id_and_its_stage(call, moved):
    assert acts.task_moved(call) == moved


def test_a_servers_tool_is_named_and_taken_apart_again():
    name = acts.server_tool("serena", "find_symbol")

    assert acts.is_of_server(name)
    assert acts.server_and_tool(name) == ("serena", "find_symbol")
    assert not acts.is_of_server("Edit")


def test_who_speaks_is_told_by_what_it_says_and_nobody_is_the_first_agent():
    assert known.speaker(payload("Stop")) is payloads
    assert known.speaker({}) is payloads
