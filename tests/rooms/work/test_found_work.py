from __future__ import annotations

import pytest
from consolidation.sleeper import Sleeper

from holdfast.rooms.work import queries
from holdfast.rooms.work.found_work import (
    WorkItem,
    judge_error,
    marks_in,
    ordered,
    runs_tests,
    score,
)


def item(description: str, **more) -> WorkItem:
    fields = {"sort": "todo", "priority": 50, "found_at": "2026-01-01T10:00:00Z", "hours": 48.0}
    return WorkItem(description=description, **{**fields, **more})


def names(items: list[WorkItem]) -> list[str]:
    return [item.description for item in items]


@pytest.mark.promise("C17")
@pytest.mark.parametrize(
    ("sort", "priority", "age_days", "expected"),
    [
        ("error", 90, 2, 135.0),
        ("error", 85, 2, 127.5),
        ("error", 70, 2, 105.0),
        ("test_failure", 80, 2, 104.0),
        ("gap", 60, 2, 66.0),
        ("todo", 50, 2, 50.0),
        ("stub", 50, 2, 40.0),
        ("unheard of", 50, 2, 50.0),
        ("todo", 50, 0, 60.0),
        ("todo", 50, -1, 60.0),
        ("todo", 50, 0.5, 55.0),
        ("todo", 50, 1, 50.0),
        ("todo", 50, 365, 50.0),
    ],
)
def test_a_score_is_priority_times_weight_and_a_bonus_for_the_first_day(
    sort, priority, age_days, expected
):
    assert score(item("i", sort=sort, priority=priority), age_days) == pytest.approx(expected)


@pytest.mark.promise("C17")
def test_the_best_five_are_offered_best_first():
    items = [item(f"i{number}", priority=number) for number in range(7)]

    assert names(ordered(items)) == ["i6", "i5", "i4", "i3", "i2"]
    assert names(ordered(items, limit=2)) == ["i6", "i5"]
    assert ordered(items, limit=0) == []
    assert ordered([]) == []


@pytest.mark.promise("C17")
def test_an_errors_weight_puts_it_before_a_todo_of_higher_priority():
    items = [item("todo", priority=90), item("error", sort="error", priority=70)]

    assert names(ordered(items)) == ["error", "todo"]


@pytest.mark.promise("C17")
def test_something_found_today_goes_before_something_found_earlier():
    items = [item("old", hours=24.0), item("new", hours=12.0)]

    assert names(ordered(items)) == ["new", "old"]


@pytest.mark.promise("C17")
def test_ties_go_to_the_newer_and_then_by_their_words():
    items = [item("b"), item("c", found_at="2026-01-02T10:00:00Z"), item("a")]

    assert names(ordered(items)) == ["c", "a", "b"]
    assert names(ordered(items[::-1])) == ["c", "a", "b"]


@pytest.mark.promise("C17")
def test_the_same_work_is_offered_once_as_it_was_found_last():
    same = "x" * 50
    items = [
        item(same + " one"),
        item(same + " two", found_at="2026-01-02T10:00:00Z"),
        item(same + " one", sort="stub"),
        item("x" * 49 + "y"),
    ]

    offered = [(item.sort, item.description) for item in ordered(items)]
    assert sorted(offered) == [
        ("stub", same + " one"),
        ("todo", same + " two"),
        ("todo", "x" * 49 + "y"),
    ]


@pytest.mark.promise("C17")
def test_only_the_thirty_newest_are_weighed_and_duplicates_take_no_place():
    newer = [item(f"n{number:02}", found_at="2026-01-03T10:00:00Z") for number in range(29)]
    twins = [item("n", found_at=f"2026-01-04T{number}") for number in range(9)]
    best = item("best", priority=99)

    assert names(ordered([best, *newer]))[0] == "best"
    assert "best" not in names(ordered([best, *newer, *twins], limit=50))
    assert names(ordered([best, *newer[1:], *twins]))[0] == "best"


@pytest.mark.promise("C17")
@pytest.mark.parametrize(
    ("command", "says", "expected"),
    [
        ("python app.py", "SyntaxError: invalid syntax", ("error", 90)),
        ("python app.py", "IndentationError: unexpected indent", ("error", 90)),
        ("bash x.sh", "x.sh: line 3: syntax error near unexpected token", ("error", 90)),
        ("python app.py", "ImportError: cannot import name 'x'", ("error", 85)),
        ("python app.py", "ModuleNotFoundError: No module named 'x'", ("error", 85)),
        ("node app.js", "Error: Cannot find module './x'", ("error", 85)),
        ("python app.py", "ImportError after SyntaxError", ("error", 90)),
        ("python app.py", "ZeroDivisionError", ("error", 70)),
        ("false", "", ("error", 70)),
        ("", "", ("error", 70)),
        ("pytest -q", "1 failed", ("test_failure", 80)),
        ("pytest -q", "SyntaxError: invalid syntax", ("test_failure", 80)),
        ("make build", "1 failed", ("error", 70)),
    ],
)
def test_a_failing_command_is_judged_by_itself_and_by_what_it_said(command, says, expected):
    assert judge_error(command, says) == expected


@pytest.mark.promise("C17")
@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "cd app && .venv/bin/python -m pytest tests -x",
        "python3.11 -m unittest discover",
        "uv run pytest",
        "timeout 60 pytest",
        "CI=1 npx jest --ci",
        "npm test",
        "npm t",
        "npm run test:unit",
        "yarn jest",
        "pnpm -r vitest",
        "cargo test --all",
        "cargo +nightly nextest run",
        "go test ./...",
        "make -C app test",
        "make check",
        "./gradlew clean test",
        "bundle exec rspec",
        "python manage.py test",
        "bash -c 'pytest -q'",
        "(cd a; tox)",
        "pytest 2>&1 | tail -5",
        "uvx pytest -q",
        "env -i pytest",
        "flock /tmp/l pytest -q",
        "docker compose exec -T app pytest",
        "nice -n 5 npx jest",
        "coverage run -m pytest",
        "timeout 60 sh -c 'CI=1 npx jest'",
        "find . -name test_a.py -exec pytest {} +",
        "cd app && pytest -k 'a command that was cut sho",
    ],
)
def test_a_test_runner_is_known_however_it_is_called(command):
    assert runs_tests(command)


@pytest.mark.promise("C17")
@pytest.mark.parametrize(
    "command",
    [
        "pip install pytest",
        "grep pytest setup.cfg",
        "npm install jest",
        "npm run lint",
        "sudo test -f x",
        "timeout 60 ls tests",
        "command -v pytest",
        "npm",
        "cargo check",
        "go build ./test",
        "cat tests/test_a.py",
        "git commit -m 'make pytest pass'",
        "python -c 'print(pytest)'",
        "make",
        "python",
        "",
    ],
)
def test_a_command_that_only_names_a_test_runner_is_none(command):
    assert not runs_tests(command)


@pytest.mark.promise("C17")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# TODO: round up", "todo"),
        ("    x = 1  # TODO round up", "todo"),
        ("#TODO", "todo"),
        ("// FIXME: leaks", "todo"),
        ("/* XXX */", "todo"),
        (" * TODO: in a block", "todo"),
        ("-- TODO in SQL", "todo"),
        ("<!-- TODO: caption -->", "todo"),
        ("; TODO in Lisp", "todo"),
        ("% TODO in TeX", "todo"),
        ("# - [TODO] in brackets", "todo"),
        ("raise NotImplementedError", "stub"),
        ('    raise NotImplementedError("later")', "stub"),
        ("fn f() { todo!() }", "stub"),
        ('unimplemented!("later")', "stub"),
        ("raise NotImplementedError  # TODO", "todo"),
    ],
)
def test_todos_and_stubs_are_seen(line, expected):
    assert [sort for sort, _ in marks_in(f"a\n{line}\nb", "a\nb", "app.py")] == [expected]


@pytest.mark.promise("C17")
@pytest.mark.parametrize(
    "line",
    [
        "TODO = 5",
        'if "TODO" in line:',
        'marks = "# TODO"',
        "# TODOS are many",
        "# see the TODO list",
        "# todo in small letters",
        "url = 'http://TODO.example'",
        "# do not raise NotImplementedError here",
        "except NotImplementedError:",
        "",
    ],
)
def test_what_only_looks_like_a_mark_is_none(line):
    assert marks_in(line, "", "app.py") == []


@pytest.mark.promise("C17")
def test_a_mark_that_was_there_before_the_edit_is_not_the_edits():
    old = "# TODO: old\nx = 1\n"
    new = "if a:\n    # TODO: old\n    x = 2\n    # TODO: new\n"

    assert marks_in(new, old, "app.py") == [("todo", "app.py: # TODO: new")]
    assert marks_in(old, new, "app.py") == []


@pytest.mark.promise("C17")
def test_an_edit_brings_at_most_five_marks_and_each_once():
    many = "\n".join(f"# TODO: number {number}" for number in range(9))

    assert [said[-1] for _, said in marks_in(f"{many}\n{many}", "", "a.py")] == list("01234")
    assert len(marks_in("# TODO\n# TODO\n", "", "a.py")) == 1


@pytest.mark.promise("C17")
def test_a_mark_is_described_by_its_path_and_itself_in_120_characters():
    [(_, said)] = marks_in(f"# TODO: {'x' * 300}", "", "src/shop/cart.py")

    assert said.startswith("src/shop/cart.py: # TODO: xxx")
    assert len(said) == 120


@pytest.mark.promise("C17")
@pytest.mark.parametrize(
    ("path", "shown"),
    [
        pytest.param("a/" + "b" * 28, "a/" + "b" * 28, id="thirty characters"),
        pytest.param("a/" + "b" * 29, "b" * 29, id="thirty-one"),
        pytest.param("x/a/" + "b" * 28, "a/" + "b" * 28, id="as many folders as fit"),
        pytest.param("b" * 40, "b" * 30, id="a long name"),
    ],
)
def test_of_a_long_path_the_end_is_shown(path, shown):
    assert marks_in("# TODO", "", path) == [("todo", f"{shown}: # TODO")]


@pytest.mark.promise("C17")
def test_two_marks_of_a_file_deep_down_are_still_told_apart():
    path = "/home/dev/a/very/long/way/down/to/the/shop/cart.py"
    marks = marks_in("# TODO: round up\n# TODO: round down", "", path)
    items = [item(said, sort=sort) for sort, said in marks]

    assert [said for _, said in marks] == [
        "way/down/to/the/shop/cart.py: # TODO: round up",
        "way/down/to/the/shop/cart.py: # TODO: round down",
    ]
    assert len(ordered(items)) == 2


@pytest.mark.promise("C17")
def test_of_much_that_was_found_the_latest_is_considered(state, repo):
    sleeper = Sleeper(state, repo)
    sleeper.begin("s1")
    for name in ("b", "c", "a"):
        sleeper.edit("s1", f"{name}.py", text=f"# TODO mend {name}\n")

    found = [work.description for work in queries.found_work(sleeper.store, "s1", 2)]

    assert found == ["a.py: # TODO mend a", "c.py: # TODO mend c"]
