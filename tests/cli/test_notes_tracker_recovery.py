"""Notes, tracker, trajectory and recovery by command: what they print, and how they refuse."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import HOLDFAST, run, typed
from conftest import git

A = "aaaaaaaa-0000-4000-8000-000000000000"


@pytest.fixture
def project(door, repo) -> Path:
    """A project with a session in it, and a line of code to rest on."""
    (repo / "auth.py").write_text("def rotate():\n    return 1\n")
    door.send("SessionStart.startup", agent=door.agent(), session_id=A)
    return repo


def told(folder: Path, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = run(folder, *arguments, "--json")
    assert (done.returncode, done.stderr) == (code, ""), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(folder: Path, *arguments: str, code: int = 1) -> str:
    done = run(folder, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert [line[:6] for line in done.stderr.splitlines()] == ["error:", "hint: "]
    return done.stderr


def decide(folder: Path, text: str = "Rotate tokens") -> str:
    return str(told(folder, "decide", text, "--evidence", "auth.py:2")["decision"]["id"])


def test_notes_are_rendered_shown_and_checked(project):
    assert told(project, "notes", "render")["path"] is None
    refused(project, "notes", "show")
    decide(project)
    assert told(project, "notes", "render")["changed"]
    assert "**Decision**: Rotate tokens" in told(project, "notes", "show")["text"]
    assert told(project, "notes", "check") == {"problems": []}


@pytest.mark.promise("D5")
def test_check_names_an_edit_and_render_takes_it_in(project):
    old = decide(project)
    told(project, "notes", "render")
    path = project / ".holdfast" / "NOTES.md"
    path.write_text(path.read_text().replace("n**: Rotate tokens", "n**: Rotate them daily"))

    (wrong,) = told(project, "notes", "check", code=1)["problems"]
    assert "our block was changed" in wrong
    (taken,) = told(project, "notes", "render")["taken"]
    assert taken["supersedes"] == old
    assert told(project, "notes", "check") == {"problems": []}


def test_an_edit_that_many_renders_see_at_once_is_taken_in_once(project):
    decide(project)
    told(project, "notes", "render")
    path = project / ".holdfast" / "NOTES.md"
    path.write_text(path.read_text().replace("n**: Rotate tokens", "n**: Rotate them daily"))
    command = [*HOLDFAST, "notes", "render", "--json"]
    renders = [subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE) for _ in range(4)]
    said = [json.loads(one.communicate(timeout=60)[0]) for one in renders]

    assert sum(len(one["taken"]) for one in said) == 1
    assert [one["conflicts"] for one in said] == [[]] * 4


@pytest.mark.promise("D10")
def test_identifiers_are_noted_checked_and_dropped(project):
    told(project, "notes", "identify", "auth.py:1-2", "where tokens are made")
    told(project, "notes", "render")
    assert (
        "| ${PROJECT_ROOT}/auth.py:1-2 | where tokens are made | never |"
        in (project / ".holdfast" / "NOTES.md").read_text()
    )
    (project / "auth.py").write_text("def rotate(): ...\n")
    assert told(project, "notes", "check", code=1)["problems"] == [
        "${PROJECT_ROOT}/auth.py:1-2 is short: where tokens are made"
    ]
    told(project, "notes", "identify", "auth.py:1-2")
    assert told(project, "notes", "check") == {"problems": []}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("notes", "identify", "auth.py:9", "nowhere"), 1),
        (("notes", "identify", "auth.py", "no line"), 1),
        (("notes", "identify", "../auth.py:1", "outside"), 1),
        (("notes", "identify"), 2),
        (("notes", "show", "what"), 2),
        (("context", "recover", "4"), 2),
        (("context", "status", "words"), 2),
        (("context", "status", "--full"), 2),
        (("tracker", "show", "hf-none"), 1),
        (("tracker", "comment", "hf-1"), 2),
        (("tracker", "ready", "--reason", "x"), 2),
        (("trajectory", "path", "--phase", "cite"), 2),
        (("trajectory", "show", "somewhere"), 2),
        (("trajectory", "show", "trajectory/claude-code-2020-01-01.jsonl:span-x"), 1),
    ],
)
def test_what_cannot_be_done_is_one_line_and_a_hint(project, arguments, code):
    refused(project, *arguments, code=code)


@pytest.mark.promise("D7")
def test_heal_says_what_is_wrong_and_mends_it(project):
    decide(project)
    told(project, "notes", "render")
    (project / ".holdfast" / "NOTES.md").unlink()

    ailing = [{"file": ".holdfast/NOTES.md", "why": "missing", "source": "ledger"}]
    assert told(project, "heal", "--check-only", code=1) == {"ailments": ailing, "healed": []}
    assert told(project, "heal") == {"ailments": [], "healed": ailing}
    assert told(project, "heal", "--check-only") == {"ailments": [], "healed": []}


def test_an_item_in_a_file_is_added_begun_and_commented_on(project):
    (project / ".beads").mkdir()
    (project / ".beads" / "issues.jsonl").write_text('{"id":"app-1","status":"closed"}\n')
    id_ = told(project, "tracker", "add", "Rotate tokens")["id"]
    begun = told(project, "tracker", "start", id_)
    assert begun == {"tracker": "file", "id": id_, "act": "start"}
    told(project, "tracker", "comment", id_, "begun")

    found = told(project, "tracker", "ready")
    assert (found["tracker"], [one["id"] for one in found["items"]]) == ("file", [id_])
    shown = told(project, "tracker", "show", id_)
    assert [one["text"] for one in shown["item"]["comments"]] == ["begun"]
    assert "0 of 3 scenarios" in refused(project, "tracker", "done", id_)
    assert git(project, "log", "--oneline").count("\n") == 0  # nothing was committed


@pytest.mark.promise("D8")
def test_the_trajectory_is_shown_by_phase_and_lies_beside_the_repository(project):
    decide(project)
    found = told(project, "trajectory", "show", "--phase", "decision")

    assert [one["data"]["text"] for one in found["lines"]] == ["Rotate tokens"]
    assert found["folder"] == str(project / ".git" / "holdfast" / "trajectory")
    assert told(project, "trajectory", "path")["files"]


@pytest.mark.promise("D8")
def test_a_limit_shows_the_newest_lines_whosever_file_of_the_day_has_them(project, door):
    for text in ("Rotate tokens", "Name files in English", "Log to stderr"):
        decide(project, text)  # lines of nobody's, in a file of their own
    door.send("UserPromptSubmit", agent=door.agent(), session_id=A, prompt="Write the tokens down")

    lines = told(project, "trajectory", "show", "--limit", "2")["lines"]
    assert "Write the tokens down" in json.dumps(lines)
    everything = told(project, "trajectory", "show", "--limit", "1000")["lines"]
    assert lines == everything[-2:]
    assert len({line["agent"] for line in everything}) == 2


def test_text_output_is_for_people(project):
    decide(project)
    for arguments in (
        ("notes", "render"),
        ("tracker",),
        ("trajectory",),
        ("heal",),
        ("context", "recover"),
        ("context", "recover", "2", "tokens"),
        ("context", "recover", "3"),
        ("context", "checkpoint", "--full"),
    ):
        done = run(project, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.strip()


@pytest.mark.promise("D6")
def test_a_strict_full_checkpoint_that_finds_something_exits_with_1(project):
    decide(project)
    (project / "auth.py").write_text("gone\n")
    done = run(project, "context", "checkpoint", "--full", HOLDFAST_CHECKPOINT_MODE="strict")

    assert done.returncode == 1
    assert "○ 1 grounding: grounding is 0.00, below 0.95" in done.stdout
    assert "○ 7 scenarios: 0 of 3 scenarios" in done.stdout


def test_what_is_forgotten_is_gone_from_the_notes_and_the_trajectory(project):
    decide(project, "Rotate a secret plan")
    told(project, "context", "checkpoint", "--full")
    told(project, "trajectory")
    path = project / ".holdfast" / "NOTES.md"
    path.write_text(path.read_text() + "\nask Kim\n")
    assert "secret plan" in path.read_text()

    done = typed(project, "forget", A, "--with-what-stands", "--yes", "aaaaaaaa")
    assert done.returncode == 0, done.stderr
    assert "secret plan" not in path.read_text()
    assert path.read_text().endswith("\nask Kim\n")
    for file in (project / ".git" / "holdfast").rglob("*"):
        assert not file.is_file() or b"secret plan" not in file.read_bytes()
