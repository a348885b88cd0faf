"""What is said or done against a decision is noticed, kept, and the agent is told what holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import run
from conftest import git, payload
from contracts.test_doors import LEAN, loaded_by
from scenarios.story import A, B, Story

SOURCE = (
    "import time\n\nGRACE_MINUTES = 15\n\n\ndef expired(age):\n    return age > GRACE_MINUTES\n"
)
DECIDED = "Add a 15-minute grace period"


@pytest.fixture
def decided(story: Story) -> str:
    """A project with a session and a decision that rests on a line; the decision's id."""
    (story.repo / "auth.py").write_text(SOURCE)
    story.begin(A)
    made = story.holdfast("decide", DECIDED, "--evidence", "auth.py:3", session=A)
    return str(made["decision"]["id"])


def change(story: Story, old: str, new: str, *, session: str = A, path: str = "auth.py") -> str:
    """An edit of the agent's, in the file and told to the hook; what the hook answers."""
    file = story.repo / path
    file.write_text(file.read_text().replace(old, new, 1))
    given = {"file_path": str(file), "old_string": old, "new_string": new}
    return story.tell("PostToolUse.Edit", session, tool_input=given)


def forks(story: Story) -> list[tuple[str, str, str]]:
    entries = story.entries("fork_noticed")
    return [(one.session, one.body["sort"], one.body["said"]) for one in entries]


def typed(story: Story, *words: str) -> Any:
    """A command that the agent of session A runs."""
    return run(story.repo, *words, CLAUDE_CODE_SESSION_ID=A)


@pytest.mark.promise("D4")
def test_an_edit_that_takes_a_quote_away_is_told_at_once_and_once(story, decided):
    said = change(story, "GRACE_MINUTES = 15", "GRACE_MINUTES = 5")

    assert (
        f"This edit took away what decision {decided[:6]} rests on (`auth.py:3`): it is BROKEN."
        in said
    )
    assert f"> Decision {decided[:6]}: {DECIDED}" in said
    assert "> GRACE_MINUTES = 15" in said
    assert f"holdfast decisions supersede {decided[:6]}" in said
    assert change(story, "GRACE_MINUTES = 5", "GRACE_MINUTES = 4") == ""
    assert forks(story) == [(A, "edit", "auth.py:3")]
    story.begin(B)
    (story.repo / "auth.py").write_text(SOURCE)
    assert "took away" in change(story, "GRACE_MINUTES = 15", "GRACE_MINUTES = 6", session=B)
    story.ends_well()


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("import time\n", "import time\nimport os\n", id="a line above it"),
        pytest.param("    return age", "    # minutes\n    return age", id="another line"),
        pytest.param("GRACE_MINUTES = 15\n", "GRACE_MINUTES = 15  \n", id="space after it"),
        pytest.param("import time", "\n\nimport time", id="the quote moves down"),
    ],
)
def test_an_edit_that_leaves_the_quote_readable_says_nothing(story, decided, old, new):
    assert change(story, old, new) == ""
    assert forks(story) == []


@pytest.mark.promise("D4")
def test_of_a_file_written_anew_nothing_is_said_for_it_says_not_what_it_replaced(story, decided):
    file = story.repo / "auth.py"
    file.write_text("GRACE = None\n")
    given = {"file_path": str(file), "content": "GRACE = None\n"}
    response = {"type": "update", "filePath": str(file)}
    said = story.tell("PostToolUse", A, tool_name="Write", tool_input=given, tool_response=response)

    assert said == ""
    assert story.holdfast("decisions")["decisions"][0]["standing"] == "broken"


@pytest.mark.promise("D4")
def test_an_edit_that_only_touches_a_line_like_one_of_a_broken_quote_is_not_blamed(story, decided):
    """The quote was gone before, by other means: this edit did not take it."""
    source = SOURCE.replace("GRACE_MINUTES = 15", "GRACE_MINUTES = 20")
    (story.repo / "auth.py").write_text(source)

    assert change(story, "age > GRACE_MINUTES", "age >= GRACE_MINUTES") == ""
    assert change(story, "= 20", "= 25") == ""
    assert forks(story) == []


@pytest.mark.promise("D4")
def test_a_part_of_a_quoted_line_that_is_replaced_takes_the_quote_away(story, decided):
    assert "took away" in change(story, "= 15", "= 5")


def test_several_edits_in_one_call_are_looked_at(story, decided):
    file = story.repo / "auth.py"
    file.write_text(SOURCE.replace("= 15", "= 1"))
    edits = [
        {"old_string": "import time", "new_string": "import time"},
        {"old_string": "GRACE_MINUTES = 15", "new_string": "GRACE_MINUTES = 1"},
    ]
    given = {"file_path": str(file), "edits": edits}

    assert "took away" in story.tell("PostToolUse", A, tool_name="MultiEdit", tool_input=given)


@pytest.mark.promise("D4")
def test_what_was_superseded_or_broken_before_is_not_spoken_of(story, decided):
    (story.repo / "auth.py").write_text(SOURCE.replace("= 15", "= 15 + 0"))  # by other means
    assert change(story, "import time", "import os") == ""

    (story.repo / "auth.py").write_text(SOURCE)
    story.holdfast("supersede", decided[:6], "There is no grace period", session=A)
    assert change(story, "GRACE_MINUTES = 15", "GRACE_MINUTES = 0") == ""
    assert forks(story) == []


def test_a_file_outside_the_project_and_a_failed_edit_say_nothing(story, decided, tmp_path):
    (tmp_path / "auth.py").write_text("x")
    given = {"file_path": str(tmp_path / "auth.py"), "old_string": "GRACE_MINUTES = 15"}
    assert story.tell("PostToolUse.Edit", A, tool_input=given) == ""

    (story.repo / "auth.py").write_text("")
    given = {"file_path": str(story.repo / "auth.py"), "old_string": "GRACE_MINUTES = 15"}
    story.tell("PostToolUseFailure", A, tool_name="Edit", tool_input=given, error="no")
    assert forks(story) == []


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("event", "loaded"),
    [
        pytest.param("PostToolUse.Bash", set(), id="a command"),
        pytest.param("PostToolUse.Read", set(), id="a read"),
        pytest.param(
            "PostToolUse.Edit",
            {
                "holdfast.rooms.decisions.noticed.quote_removed",
                "holdfast.rooms.decisions.noticed.queries",
            },
            id="an edit of what nobody quotes",
        ),
    ],
)
def test_a_hook_loads_nothing_of_decisions_that_its_event_does_not_need(door, event, loaded):
    door.send("SessionStart.startup", session_id="s1")
    whole = ours_loaded_by(door, event)

    rooms = {name for name in whole if name.startswith("holdfast.rooms.decisions.")}
    assert rooms - {"holdfast.rooms.decisions.noticed"} == loaded


def ours_loaded_by(door: Any, event: str) -> set[str]:
    """As in the contract of doors, which leaves our own modules out."""
    launcher = Path(door.state) / "hook.py"
    asked = (
        "import holdfast.system.files as p\n"
        "    real = p.system._exit\n"
        "    def leave(code):\n"
        "        p.write_all(2, ' '.join(sys.modules).encode())\n"
        "        real(0)\n"
        "    p.system._exit = leave\n"
        "    main()\n"
    )
    launcher.write_text(launcher.read_text().replace("main()\n", asked, 1))
    said = payload(event, session_id="s1", cwd=str(door.folder))
    done = door.run(json.dumps(said).encode(), agent=door.agent())
    return set(done.stderr.decode().split())


def test_an_edit_loads_no_more_of_the_standard_library_than_other_tools(story, decided, door):
    """Of what nobody quotes, and of a quoted file as long as the quote is there."""
    door.send("SessionStart.startup", session_id="s1")
    file = str(story.repo / "auth.py")
    given = {"file_path": file, "old_string": "GRACE_MINUTES = 15", "new_string": "x"}

    assert loaded_by(door, "PostToolUse.Edit") <= LEAN
    assert loaded_by(door, "PostToolUse.Edit", tool_input=given, tool_use_id="t9") <= LEAN


@pytest.mark.promise("D4")
def test_a_decision_that_contradicts_one_in_force_is_not_kept_and_says_what_holds(story, decided):
    done = typed(story, "decide", "The grace period is 30 minutes")

    assert done.returncode == 1
    assert f"decision {decided[:6]} holds: {DECIDED} (grounded, auth.py:3)" in done.stderr
    assert f"holdfast decisions supersede {decided[:6]} TEXT" in done.stderr
    listed = story.holdfast("decisions")
    assert [one["text"] for one in listed["decisions"]] == [DECIDED]
    assert forks(story) == [(A, "decision", "The grace period is 30 minutes")]
    story.ends_well()


@pytest.mark.promise("D4")
def test_a_supersession_is_the_way_to_change_a_decision_and_no_fork(story, decided):
    done = typed(story, "supersede", decided[:6], "The grace period is 30 minutes")

    assert done.returncode == 0, done.stderr
    assert forks(story) == []


@pytest.mark.promise("D4")
def test_whoever_knows_better_keeps_both_and_that_is_kept_as_well(story, decided):
    said = "The grace period is 30 minutes"
    done = typed(story, "decide", said, "--anyway")

    assert done.returncode == 0
    assert f"beside {decided[:6]}, which holds too" in done.stdout
    noticed = story.holdfast("decision", "forks")["forks"]
    assert [(one["said"], one["decision"], one["went_on"]) for one in noticed] == [
        (said, decided, True)
    ]


@pytest.mark.promise("D4")
def test_code_beats_the_ledger_a_broken_decision_holds_nothing(story, decided):
    (story.repo / "auth.py").write_text(SOURCE.replace("GRACE_MINUTES = 15", "LIMIT = 30"))

    done = typed(story, "decide", "The grace period is 30 minutes")

    assert done.returncode == 0, done.stderr
    assert forks(story) == []


@pytest.mark.promise("D4")
def test_a_statement_is_checked_by_command_and_kept_only_when_it_forks(story, decided):
    look = typed(story, "decision", "check", "The grace period is logged")
    fork = typed(story, "decision", "check", "The grace period is 30 minutes")
    none = typed(story, "decision", "check", "Draw the map in blue")

    assert (look.returncode, fork.returncode, none.returncode) == (0, 1, 0)
    assert "certain: this says 30 where the decision says 15" in fork.stdout
    assert f"decision {decided[:6]} holds" in fork.stdout
    assert "look: this speaks of grace, period" in look.stdout
    assert f"keep to decision {decided[:6]}? Read it, and judge" in look.stdout
    assert none.stdout == "No decision in force shares a word with this.\n"
    assert forks(story) == [(A, "statement", "The grace period is 30 minutes")]
    (noticed,) = story.bodies("fork_noticed")
    assert (noticed["decision"], noticed["went_on"]) == (decided, False)
    assert (noticed["held"], noticed["why"]) == (DECIDED, "says 30 where the decision says 15")
    story.end(A)
    story.ends_well()


@pytest.mark.promise("D4")
def test_a_choice_that_is_affirmed_is_never_called_a_fork(story, decided):
    story.holdfast("decide", "Rotate refresh tokens on every use", session=A)

    for text in ("We keep rotating refresh tokens", "The grace period stays at 15 minutes, not 30"):
        checked = typed(story, "decision", "check", text)
        assert checked.returncode == 0
        assert "certain" not in checked.stdout
    assert forks(story) == []
    story.ends_well()


@pytest.mark.promise("D4")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Use stateless tokens", "says stateless where the decision says rotating refresh"),
        ("Do not use rotating refresh tokens", "says no to what the decision says"),
        ("Use sessions instead of rotating refresh tokens", "puts something else in place of"),
    ],
)
def test_the_example_of_the_design_is_a_fork_with_its_fields_in_the_trajectory(story, text, why):
    """Decided, contradicted by command, refused, and logged as the design logs it."""
    story.begin(A)
    held = story.holdfast("decide", "Use rotating refresh tokens", session=A)["decision"]["id"]

    checked = typed(story, "decision", "check", text)
    refused = typed(story, "decide", text)

    assert (checked.returncode, refused.returncode) == (1, 1)
    assert f"certain: this {why}" in checked.stdout
    assert f"decision {held[:6]} holds: Use rotating refresh tokens" in refused.stderr
    listed = story.holdfast("decisions")["decisions"]
    assert [one["text"] for one in listed] == ["Use rotating refresh tokens"]
    story.stop(A)
    logged = [
        json.loads(line)
        for file in sorted((story.repo / ".git/holdfast/trajectory").glob("*.jsonl"))
        for line in file.read_text().splitlines()
    ]
    said = [line for line in logged if line["phase"] == "fork_detected"]
    assert [
        (one["bead_id"], one["context_decision"], one["bead_decision"], one["resolution"])
        for one in said
    ] == [(held, text, "Use rotating refresh tokens", "bead_wins")] * 2
    story.ends_well()


@pytest.mark.promise("D4")
def test_a_new_decision_is_shown_beside_those_nearest_to_it(story, decided):
    done = typed(story, "decide", "Log every grace period")
    alone = typed(story, "decide", "Draw the map in blue")

    assert f"near: {decided[:6]}  {DECIDED}  (grounded)" in done.stdout
    assert "near:" not in alone.stdout


@pytest.mark.promise("D4")
def test_of_what_the_work_tree_changed_the_decisions_it_comes_near_are_shown(story, decided):
    """A dependency that goes, a constant that changes; and a file that a decision rests on."""
    manifest = story.repo / "package.json"
    manifest.write_text('{"dependencies": {"axios": "1", "react": "18"}}')
    (story.repo / "retry.py").write_text("RETRY_LIMIT = 5\nimport sys\n")
    git(story.repo, "add", "-A")
    git(story.repo, "commit", "-qm", "all")
    axios = story.holdfast("decide", "Use axios for HTTP calls", session=A)["decision"]["id"]
    limit = story.holdfast("decide", "The retry limit is 5", session=A)["decision"]["id"]
    none = "No decision in force shares a word with this.\n"
    assert typed(story, "decision", "check").stdout == none

    manifest.write_text('{"dependencies": {"axios": "2", "react": "19", "got": "14"}}')
    (story.repo / "auth.py").write_text(SOURCE.replace("time", "os"))
    look = typed(story, "decision", "check").stdout
    assert "look: this changes auth.py, which it rests on" in look
    assert axios[:6] not in look
    assert limit[:6] not in look

    manifest.write_text('{"dependencies": {"react": "19", "got": "14"}}')
    (story.repo / "retry.py").write_text("RETRY_LIMIT = 9\nimport sys\n")
    done = typed(story, "decision", "check")
    assert "look: this takes axios out of package.json" in done.stdout
    assert "look: this takes 5 out of retry.py" in done.stdout
    assert done.returncode == 0
    assert forks(story) == []
    story.ends_well()
