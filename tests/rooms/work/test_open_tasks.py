from __future__ import annotations

import json

import pytest

from holdfast.rooms.work.open_tasks import (
    OpenTask,
    from_beads,
    from_pins,
    from_state,
    from_todos,
    merged,
    slug,
)
from holdfast.rooms.work.queries import Pin


def pin(name: str, content: str, label: str) -> Pin:
    return Pin(name, "p", "s", "2026-01-01T10:00:00Z", label, content, 0, "", "")


def task(name: str, source: str = "state", **more) -> OpenTask:
    return OpenTask(name, f"title of {name}", "build", False, source).changed(**more)


def ids(tasks: list[OpenTask]) -> list[str]:
    return [task.task_id for task in tasks]


def lines(*items: object) -> list[str]:
    return [json.dumps(item) + "\n" for item in items]


@pytest.mark.promise("C6")
def test_a_pipelines_tasks_are_read_with_either_of_their_names():
    said = {
        "active_tasks": [
            {"task_id": "task-004", "title": "Persist", "current_stage": "build"},
            {"id": 7, "name": "Pay  by\ncard", "stage": "Verify"},
        ]
    }

    assert from_state(said) == [
        task("task-004", title="Persist"),
        task("7", title="Pay by card", stage="verify"),
    ]


@pytest.mark.promise("C6")
def test_a_pipelines_tasks_may_be_listed_by_id():
    said = {"active_tasks": {"t2": {"title": "B", "stage": "build"}, "t1": {"stage": "validate"}}}

    assert ids(from_state(said)) == ["t2", "t1"]


@pytest.mark.promise("C6")
@pytest.mark.parametrize(
    ("stage", "is_pending"),
    [
        ("build", True),
        ("verify", True),
        ("validate", True),
        ("design", False),
        ("done", False),
        ("", False),
        (None, False),
        (3, False),
    ],
)
def test_only_what_is_being_built_verified_or_validated_is_pending(stage, is_pending):
    said = {"active_tasks": [{"task_id": "t", "current_stage": stage}]}

    assert bool(from_state(said)) is is_pending


@pytest.mark.promise("C6")
@pytest.mark.parametrize(
    "said",
    [
        None,
        "text",
        7,
        [],
        {},
        {"active_tasks": None},
        {"active_tasks": "build"},
        {"active_tasks": [None, "t1", 3, [], {}]},
        {"active_tasks": {"t1": "build", "t2": None}},
        {"active_tasks": [{"stage": "build"}]},
        {"active_tasks": [{"task_id": True, "stage": "build"}]},
        {"active_tasks": [{"task_id": ["t"], "stage": "build"}]},
        {"active_tasks": [{"task_id": "  ", "stage": "build"}]},
    ],
)
def test_a_pipeline_file_of_an_odd_shape_has_no_tasks_and_is_no_error(said):
    assert from_state(said) == []


@pytest.mark.promise("C6")
def test_an_odd_task_does_not_hide_the_one_beside_it():
    said = {"active_tasks": [None, {"task_id": "t1", "stage": "build", "title": 5}]}

    assert from_state(said) == [task("t1", title="5")]


@pytest.mark.promise("C6")
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("go on with task-004", "task-004"),
        ("Task-12 is half done", "task-12"),
        ("[TASK] write the docs", "task-write-the-docs"),
        ("TODO write the docs", "todo-write-the-docs"),
        ("docs are incomplete", "docs-are-incomplete"),
        ("docs: In-Progress", "docs-in-progress"),
        ("docs in_progress", "docs-in-progress"),
        ("subtask-4 or task-four", None),
        ("a todo app", None),
        ("TODOS", None),
        ("incompletely", None),
        ("use uv", None),
        ("", None),
    ],
)
def test_a_pin_that_says_it_is_unfinished_is_a_task(content, expected):
    found = from_pins([pin("p1", content, "")])

    assert ids(found) == ([expected] if expected else [])
    assert all(task.flagged_incomplete and task.source == "pins" for task in found)


@pytest.mark.promise("C6")
def test_a_pins_label_names_its_task():
    found = from_pins([pin("p1", "TODO: more", "Release Notes")])

    assert (found[0].task_id, found[0].title) == ("release-notes", "Release Notes")


@pytest.mark.promise("C6")
def test_a_task_named_by_a_pins_label_is_that_task():
    assert ids(from_pins([pin("p1", "half done", "task-9")])) == ["task-9"]


@pytest.mark.promise("C6")
def test_a_pin_whose_words_make_no_name_is_named_by_its_id():
    assert ids(from_pins([pin("p1", "TODO", "!!!")])) == ["p1"]


@pytest.mark.promise("C6")
def test_two_pins_of_one_task_are_one_task():
    pins = [pin(f"p{n}", f"task-4, part {n}", "") for n in (1, 2)]

    assert ids(from_pins(pins)) == ["task-4"]


@pytest.mark.promise("C6")
@pytest.mark.parametrize(
    ("status", "is_pending"),
    [
        ("pending", True),
        ("in_progress", True),
        ("In-Progress", True),
        ("completed", False),
        ("deleted", False),
        ("", False),
        (None, False),
    ],
)
def test_todos_that_are_pending_or_in_progress_are_tasks(status, is_pending):
    assert bool(from_todos([{"content": "Write docs", "status": status}])) is is_pending


@pytest.mark.promise("C6")
def test_a_todo_lists_item_is_named_by_its_words_and_a_task_tools_by_its_id():
    todos = [
        {"content": "Write docs", "status": "pending", "activeForm": "Writing docs"},
        {"id": "t-abc", "subject": "Pay by card", "status": "in_progress"},
        {"task": "t-def", "subject": "Refund", "status": "pending"},
    ]

    assert from_todos(todos) == [
        task("write-docs", "todos", title="Write docs", stage="pending"),
        task("t-abc", "todos", title="Pay by card", stage="in_progress"),
        task("t-def", "todos", title="Refund", stage="pending"),
    ]


@pytest.mark.promise("C6")
def test_the_first_tasks_of_two_sessions_are_two_tasks():
    one = from_todos([{"id": "1", "subject": "Write docs", "status": "pending"}])
    other = from_todos([{"id": 1, "subject": "Pay by card", "status": "pending"}])

    assert ids(merged(one, other)) == ["1-write-docs", "1-pay-by-card"]


@pytest.mark.promise("C6")
def test_odd_todos_are_skipped():
    assert from_todos([None, "x", {"status": "pending"}, {"content": 3}]) == []


@pytest.mark.promise("C6")
@pytest.mark.parametrize(
    ("status", "is_pending"),
    [
        ("open", True),
        ("in_progress", True),
        ("Blocked", True),
        ("closed", False),
        ("tombstone", False),
        (None, False),
        (5, False),
    ],
)
def test_a_trackers_unfinished_issues_are_tasks(status, is_pending):
    assert bool(from_beads(lines({"id": "bd-1", "title": "A", "status": status}))) is is_pending


@pytest.mark.promise("C6")
def test_what_a_later_line_says_of_an_issue_counts():
    said = lines(
        {"id": "bd-1", "title": "A", "status": "open"},
        {"id": "bd-2", "title": "B", "status": "open", "unknown": {"deep": [1]}},
        {"id": "bd-3", "title": "C", "status": "closed"},
        {"id": "bd-1", "title": "A", "status": "closed"},
        {"id": "bd-3", "title": "C again", "status": "in_progress"},
    )

    assert from_beads(said) == [
        task("bd-2", "beads", title="B", stage="open"),
        task("bd-3", "beads", title="C again", stage="in_progress"),
    ]


@pytest.mark.promise("C6")
def test_odd_lines_of_a_tracker_are_skipped():
    good = lines({"id": "bd-1", "title": "A", "status": "open"})
    odd = ["", "\n", "<<<<<<< HEAD", "[1]", "null", '{"id": 3', '{"status": "open"}', '"text"']

    assert ids(from_beads([*odd, *good, *odd])) == ["bd-1"]


@pytest.mark.promise("C6")
@pytest.mark.parametrize(("given", "kept"), [(19, 19), (20, 20), (21, 20)])
def test_at_most_twenty_tasks_are_kept(given, kept):
    assert len(merged([task(f"t{number}") for number in range(given)])) == kept


@pytest.mark.promise("C6")
def test_of_tasks_with_one_id_the_first_wins():
    assert merged([task("t1")], [task("t1", "beads"), task("t2")]) == [task("t1"), task("t2")]
    assert merged() == []


@pytest.mark.promise("C6")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write the Docs!", "write-the-docs"),
        ("  --  ", ""),
        ("a" * 60, "a" * 40),
        ("a" * 39 + " b", "a" * 39),
    ],
)
def test_a_slug_is_words_joined_and_at_most_forty_characters(text, expected):
    assert slug(text) == expected


@pytest.mark.promise("C6")
def test_titles_are_cut_at_a_hundred_characters():
    said = {"active_tasks": [{"id": "t", "title": "x" * 500, "stage": "build"}]}

    assert from_state(said)[0].title == "x" * 100
