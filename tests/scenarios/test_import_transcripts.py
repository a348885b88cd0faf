"""`holdfast import --transcripts`: the first day is not empty, and it can be undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import run, told, typed, typed_and_told
from conftest import Door
from scenarios.story import A, B, C, Story

pytestmark = pytest.mark.promise("R3")


class Transcript:
    """A session's file as the client writes it, row by row."""

    def __init__(self, session: str, repo: Path, folder: Path, day: str = "2026-03-01") -> None:
        self.session, self.repo, self.day = session, repo, day
        self.path = folder / "projects" / "-repo" / f"{session}.jsonl"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.number = 0

    def row(self, kind: str, content: Any, **more: Any) -> None:
        self.number += 1
        row = {
            "type": kind,
            "uuid": f"{self.session[:8]}-{self.number}",
            "sessionId": self.session,
            "timestamp": f"{self.day}T10:{self.number:02}:00.000Z",
            "cwd": str(self.repo),
            "gitBranch": "topic",
            "isSidechain": False,
            "message": {"role": kind, "content": content},
        }
        self.raw(json.dumps({**row, **more}))

    def raw(self, line: str) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def say(self, prompt: str, **more: Any) -> None:
        self.row("user", prompt, **more)

    def answer(self, text: str) -> None:
        self.row("assistant", [{"type": "text", "text": text}])

    def call(self, tool: str, given: dict[str, Any], result: Any, *, ok: bool = True) -> None:
        id_ = f"toolu_{self.session[:8]}_{self.number}"
        self.row("assistant", [{"type": "tool_use", "id": id_, "name": tool, "input": given}])
        block = {"type": "tool_result", "tool_use_id": id_, "is_error": not ok, "content": "x"}
        self.row("user", [block], toolUseResult=result)


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    return Story(door, repo, tmp_path)


@pytest.fixture
def first(repo: Path, tmp_path: Path) -> Transcript:
    """A session from before Holdfast was installed, with all that may stand in a file."""
    made = Transcript(A, repo, tmp_path)
    made.say("Repair the currency of the invoice. From now on never push to main.")
    made.say("a subagent speaks: never use tabs from now on", isSidechain=True)
    made.call("Edit", {"file_path": f"{repo}/src/bill.py", "new_string": "def rounded():"}, {})
    printed = {"stdout": "[topic 1a2b3c4] Round each position\n 1 file changed", "stderr": ""}
    made.call("Bash", {"command": "git commit -m 'Round each position'"}, printed)
    made.raw('{"type": "user", "half a line')
    made.raw('["no row"]')
    made.raw('{"type": "something-new", "payload": {"x": 1}}')
    question = "Which font?"
    given = {"questions": [{"question": question, "header": "x", "options": [{"label": "Lato"}]}]}
    made.call("AskUserQuestion", given, {**given, "answers": {question: "Lato"}, "annotations": {}})
    made.answer("The rate was stale by morning.")
    return made


def imported(story: Story, tmp_path: Path, *more: str) -> dict[str, Any]:
    folder = str(tmp_path / "projects")
    return dict(typed_and_told(story.repo, "import", "--transcripts", folder, *more))


def test_a_question_about_last_week_is_answered_on_the_first_day(story, first, tmp_path):
    summary = imported(story, tmp_path)

    assert (summary["sessions"], summary["failures"]) == (1, [])
    hit = told(story.repo, "recall", "is", "the", "rate", "stale")["found"][0]
    assert (hit["sort"], hit["session"], hit["branch"]) == ("answer", A, "topic")
    assert hit["at"].startswith("2026-03-01T10:")
    assert told(story.repo, "recall", "rounded")["found"][0]["session"] == A
    assert [each["text"] for each in told(story.repo, "rules")["rules"]] == [
        "From now on never push to main"
    ]
    assert [each["text"] for each in told(story.repo, "choices")["choices"]] == ["Lato"]
    story.ends_well()


def test_words_of_subagents_are_not_the_users(story, first, tmp_path):
    imported(story, tmp_path)

    assert told(story.repo, "recall", "tabs")["found"] == []
    assert all("tabs" not in body["text"] for body in story.bodies("rule_given"))


def test_entries_keep_their_times_and_are_marked_as_imported(story, first, tmp_path):
    imported(story, tmp_path)

    (mark,) = story.entries("transcript_imported")
    of_session = [entry for entry in story._entries() if entry.session == A and entry is not mark]
    came = [each for each in of_session if each.kind != "transcript_imported"]
    assert {each.seq for each in came} == set(range(came[0].seq, mark.body["last"] + 1))
    assert all(each.at.startswith("2026-03-01T10:") for each in came)


def test_a_second_run_takes_in_nothing_and_a_grown_file_only_what_is_new(story, first, tmp_path):
    imported(story, tmp_path)
    before = story.ledger()

    again = imported(story, tmp_path)
    assert (again["sessions"], again["left_out"]["known already"]) == (0, 1)
    assert [each for each in story.ledger() if each[0] != "act_checked"] == [
        each for each in before if each[0] != "act_checked"
    ]

    first.say("Draw the zebra")
    first.answer("Drawn.")
    assert imported(story, tmp_path)["entries"]["prompt_given"] == 1
    assert len(story.entries("prompt_given", A)) == 2
    assert told(story.repo, "recall", "zebra")["found"][0]["session"] == A
    story.ends_well()


@pytest.mark.promise("S6")
def test_a_session_of_last_spring_does_not_become_the_latest(story, first, tmp_path):
    story.begin(B)
    story.say(B, "Write the release notes for version two.")
    story.end(B)

    typed_and_told(story.repo, "import", "--transcripts", str(tmp_path / "projects"))
    story.begin(C)

    sessions = told(story.repo, "sessions")["sessions"]
    assert [each["id"] for each in sessions] == [C, B, A]
    (linked,) = story.entries("session_linked", C)
    assert linked.body["previous"] == B
    story.ends_well()


def test_rows_that_a_fork_brings_along_are_its_parents(story, first, repo, tmp_path):
    fork = Transcript(B, repo, tmp_path, day="2026-03-02")
    for line in first.path.read_text().splitlines()[:1]:
        fork.raw(line.replace(A, B))
    fork.say("Try it with cents instead")
    fork.answer("Tried.")

    assert imported(story, tmp_path)["sessions"] == 2
    assert [body["prompt"] for body in story.bodies("prompt_given", B)] == [
        "Try it with cents instead"
    ]


def test_a_session_that_is_resumed_live_is_one_session(story, first, tmp_path):
    imported(story, tmp_path)
    story.begin(A, source="resume")
    story.say(A, "Go on with the invoice")
    story.stop(A, "Done.")
    story.end(A)

    assert imported(story, tmp_path)["left_out"]["seen by hooks"] == 1
    sessions = told(story.repo, "sessions", "--all")["sessions"]
    assert [each["id"] for each in sessions] == [A]
    story.ends_well()


def test_what_was_imported_is_taken_out_again(story, first, tmp_path):
    imported(story, tmp_path)
    assert told(story.repo, "recall", "stale")["found"]

    gone = typed(story.repo, "forget", "--imported", "--yes", "imported")

    assert gone.returncode == 0, gone.stderr
    assert told(story.repo, "recall", "stale")["found"] == []
    assert told(story.repo, "rules")["rules"] == []
    assert b"stale by morning" not in Path(story.state, "store.db").read_bytes()
    assert imported(story, tmp_path)["left_out"]["forgotten"] == 1
    story.ends_well()


def test_only_the_named_project_and_time_are_read_and_a_dry_run_changes_nothing(
    story, first, repo, tmp_path
):
    other = Transcript(B, tmp_path / "elsewhere", tmp_path)
    other.say("Paint the fence")
    other.answer("Painted.")

    folder = str(tmp_path / "projects")
    planned = told(story.repo, "import", "--transcripts", folder, "--dry-run")
    assert (planned["sessions"], planned["dry_run"]) == (1, True)
    assert not Path(story.state, "store.db").exists()
    late = told(story.repo, "import", "--transcripts", folder, "--dry-run", "--since", "2026-04-01")
    assert late["sessions"] == 0
    assert imported(story, tmp_path)["sessions"] == 1


def test_an_agent_cannot_import(story, first, tmp_path):
    done = run(story.repo, "import", "--transcripts", str(tmp_path / "projects"), CLAUDECODE="1")

    assert done.returncode == 1
    assert not Path(story.state, "store.db").exists()


def test_init_offers_what_there_is_and_takes_nothing_in(story, first, tmp_path):
    kept = Path.home() / ".claude" / "projects" / "-repo" / first.path.name
    kept.parent.mkdir(parents=True)
    kept.write_bytes(first.path.read_bytes())

    shown = run(story.repo, "init").stdout.splitlines()

    assert shown[-1] == (
        "1 earlier session of this project (0.0 MB) can be taken in:"
        " `holdfast import --transcripts`."
    )
    assert told(story.repo, "import", "--transcripts", "--dry-run")["sessions"] == 1
    assert story.entries("transcript_imported") == []
