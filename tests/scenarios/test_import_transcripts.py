"""`holdfast import --transcripts`: the first day is not empty, and it can be undone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import answered, run, told, typed, typed_and_told
from conftest import Door
from scenarios.made_transcripts import Transcript, fork_of
from scenarios.story import A, B, C, Story

pytestmark = pytest.mark.promise("R3")


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


def test_what_was_said_in_refusing_is_a_choice_of_its_own_time_and_branch(story, repo, tmp_path):
    made = Transcript(A, repo, tmp_path)
    made.say("Install the parser")
    made.refuse("Bash", {"command": "npm i x"}, "use pnpm instead")
    made.answer("Used pnpm.")
    made.say("Now the next thing", gitBranch="later")
    made.answer("Done.")

    imported(story, tmp_path)

    (choice,) = story.entries("choice_made")
    assert (choice.body["text"], choice.body["branch"]) == ("use pnpm instead", "topic")
    assert choice.at == "2026-03-01T10:03:00.000Z"
    story.ends_well()


def test_a_session_that_was_left_ends_once_and_at_its_last_row(story, repo, tmp_path):
    left, broken_off = Transcript(A, repo, tmp_path), Transcript(B, repo, tmp_path)
    for made in (left, broken_off):
        made.say("Install the parser")
        made.answer("Installed.")
    left.say("<command-name>/exit</command-name>")
    broken_off.row("system", "", subtype="turn_duration")

    imported(story, tmp_path)

    ended = story.entries("session_ended")
    assert sorted((each.session, each.at[11:16], each.body["reason"]) for each in ended) == [
        (A, "10:03", "prompt_input_exit"),
        (B, "10:03", "other"),
    ]
    story.ends_well()


def test_an_import_is_no_session_that_a_hook_has_seen(story, first, tmp_path):
    assert run(story.repo, "init").returncode == 0
    imported(story, tmp_path)

    assert "installed; no session yet" in run(story.repo).stdout


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


EXPORT = "Write the invoices export as CSV with the currency in its own column"
GOING_ON = "Go on with the invoices export: round its currency column"


def past(story: Story, tmp_path: Path, session: str, day: str, prompt: str) -> None:
    made = Transcript(session, story.repo, tmp_path, day)
    made.say(prompt, gitBranch="main")
    made.answer("The column is there.")


@pytest.mark.promise("T2")
def test_sessions_of_the_past_are_filed_under_their_threads(story, tmp_path):
    past(story, tmp_path, A, "2026-03-01", EXPORT)
    past(story, tmp_path, B, "2026-03-04", GOING_ON)
    past(story, tmp_path, C, "2026-03-05", "Draw the logo of the shop in blue")

    imported(story, tmp_path)

    links = [(each.session, each.body["thread"]) for each in story.entries("thread_linked")]
    assert links == [(B, A)]
    story.ends_well()


@pytest.mark.promise("T2")
def test_no_session_of_the_past_goes_on_with_a_later_one(story, tmp_path):
    past(story, tmp_path, B, "2026-03-04", GOING_ON)
    imported(story, tmp_path)
    past(story, tmp_path, A, "2026-03-01", EXPORT)

    imported(story, tmp_path)

    assert story.entries("thread_linked") == []


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
    fork = fork_of(first, tmp_path, repo)

    assert imported(story, tmp_path)["sessions"] == 2
    assert [body["prompt"] for body in story.bodies("prompt_given", fork.session)] == [
        "Try it with cents instead."
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

    gone = typed(story.repo, "forget", "--imported", "--with-what-stands", "--yes", "imported")

    assert gone.returncode == 0, gone.stderr
    assert told(story.repo, "recall", "stale")["found"] == []
    assert told(story.repo, "rules")["rules"] == []
    assert b"stale by morning" not in Path(story.state, "store.db").read_bytes()
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


@pytest.fixture
def kept(first: Transcript) -> Transcript:
    """The same, where the client keeps it."""
    path = Path.home() / ".claude" / "projects" / "-repo" / first.path.name
    path.parent.mkdir(parents=True)
    first.path.rename(path)
    first.path = path
    return first


def test_init_offers_what_there_is_and_takes_nothing_in(story, kept):
    shown = run(story.repo, "init").stdout.splitlines()

    assert re.fullmatch(
        r"1 earlier session of this project \([1-9]\d* kB\) can be taken in:"
        " `holdfast import --transcripts`.",
        shown[-1],
    )
    assert told(story.repo, "import", "--transcripts", "--dry-run")["sessions"] == 1
    assert story.entries("transcript_imported") == []


@pytest.mark.parametrize(("answer", "sessions"), [("y", 1), ("", 0), ("n", 0)])
def test_init_asks_on_a_terminal_and_a_yes_takes_them_in(story, kept, answer, sessions):
    code, written, screen = answered(story.repo, answer, "init", "--no-statusline")

    assert code == 0
    assert "1 earlier session of this project (" in screen
    assert ("1 session taken in" in written) == bool(sessions)
    assert len(story.entries("transcript_imported")) == sessions
    again = run(story.repo, "init").stdout
    assert ("holdfast import --transcripts" in again) == (not sessions)


@pytest.mark.exhaustive
def test_init_asks_no_program_and_no_agent(story, kept):
    for more, environment in ((("--json",), {}), ((), {"CLAUDECODE": "1"})):
        done = typed(story.repo, "init", *more, **environment)
        assert (done.returncode, done.stderr) == (0, "")
    assert story.entries("transcript_imported") == []


def test_a_summary_says_what_was_learnt_and_a_dry_run_what_is_new(story, first, tmp_path):
    folder = str(tmp_path / "projects")
    lines = typed(story.repo, "import", "--transcripts", folder).stdout.splitlines()

    assert re.fullmatch(r"1 session taken in: [1-9]\d* kB\.", lines[0])  # and no rate of that
    assert lines[1] == "Learnt: 1 prompt, 1 rule, 1 choice, 1 goal."
    planned = told(story.repo, "import", "--transcripts", folder, "--dry-run")
    assert (planned["sessions"], planned["known"]) == (0, 1)
    first.say("Draw the zebra")
    assert told(story.repo, "import", "--transcripts", folder, "--dry-run")["sessions"] == 1


def test_a_fork_is_linked_and_takes_no_row_of_a_parent_that_is_too_old(
    story, first, repo, tmp_path
):
    fork = fork_of(first, tmp_path, repo)
    imported(story, tmp_path, "--since", "2026-03-05")

    assert [body["prompt"] for body in story.bodies("prompt_given")] == [
        "Try it with cents instead."
    ]
    (began,) = story.entries("session_began")
    (linked,) = story.entries("session_linked")
    assert (began.session, began.body["source"]) == (fork.session, "fork")
    assert linked.body == {"previous": first.session, "how": "forked"}
    story.ends_well()


def test_a_fork_of_a_session_that_hooks_have_seen_is_only_its_own(story, first, repo, tmp_path):
    story.begin(A)
    story.say(A, "Repair the currency of the invoice.")
    story.end(A)
    fork = fork_of(first, tmp_path, repo)

    assert imported(story, tmp_path)["left_out"]["seen by hooks"] == 1
    assert [body["prompt"] for body in story.bodies("prompt_given", fork.session)] == [
        "Try it with cents instead."
    ]
    assert story.bodies("session_linked", fork.session) == [{"previous": A, "how": "forked"}]
    story.ends_well()
