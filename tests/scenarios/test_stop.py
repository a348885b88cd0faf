"""The end of a turn: one evaluator, one message, once; and confidence, moved by what was seen.
Through the real hook command."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from story import A, B, Story

from holdfast.rooms.gates.confidence import OBSERVATIONS, START

DONE = """
requirements:
  verified: {stop_only: true, evidence_required: [tests], message: Run the tests.}
"""
PASSED = "..........                                  [100%]\n10 passed in 0.12s"


@pytest.fixture
def edited(story: Story) -> Story:
    """A session that has edited, and shown nothing for it."""
    story.demand(DONE)
    story.begin(A)
    story.say(A, "Add a login page")
    story.edit(A, "src/a.py")
    return story


# Once


@pytest.mark.promise("G7")
def test_the_end_is_blocked_once_with_one_message_and_passes_when_it_is_done(edited: Story) -> None:
    blocked = edited.stop(A)
    assert "verified" in blocked
    assert "Run the tests." in blocked
    assert "asked once in a turn: the next stop passes" in blocked
    edited.run(A, "pytest -q", PASSED)
    assert edited.stop(A, stop_hook_active=True) == ""
    assert edited.bodies("stop_blocked") == [{"open": ["verified"], "lacks": []}]
    assert edited.bodies("stop_passed") == [{"open": []}]
    edited.end(A)
    assert "let go" not in edited.begin(B)
    edited.ends_well()


@pytest.mark.promise("G7")
def test_of_much_that_was_left_open_the_next_session_is_told_five(story: Story) -> None:
    rows = (f"  open{n}: {{stop_only: true, evidence_required: [tests]}}\n" for n in range(6))
    story.demand(f"requirements:\n{''.join(rows)}")
    story.begin(A)
    story.say(A, "Add a login page")
    story.edit(A, "src/a.py")
    assert "open0" in story.stop(A)
    assert story.stop(A, stop_hook_active=True) == ""
    story.end(A)

    begun = story.begin(B)

    told = begun.partition("let go with this open:\n")[2].splitlines()
    assert [line for line in told if line.startswith("> open")] == [f"> open{n}" for n in range(5)]
    story.ends_well()


@pytest.mark.promise("G7")
@pytest.mark.parametrize("active", [True, False], ids=["the client says so", "nobody says so"])
def test_a_second_stop_in_a_row_passes_and_the_next_session_is_told(
    edited: Story, active: bool
) -> None:
    assert "verified" in edited.stop(A)
    assert edited.stop(A, "not now", stop_hook_active=active) == ""
    assert edited.stop(A, "really", stop_hook_active=active) == ""
    assert len(edited.bodies("stop_blocked")) == 1
    assert edited.bodies("stop_passed") == [{"open": ["verified"]}] * 2
    edited.end(A)
    begun = edited.begin(B)
    assert "The session before was let go with this open:\n> verified" in begun
    edited.ends_well()


@pytest.mark.promise("G7")
def test_a_stop_that_somebody_elses_hook_blocked_first_passes(edited: Story) -> None:
    assert edited.stop(A, stop_hook_active=True) == ""
    assert edited.bodies("stop_passed") == [{"open": ["verified"]}]
    edited.ends_well()


@pytest.mark.promise("G7")
def test_it_is_asked_again_in_another_turn_that_changes_something(edited: Story) -> None:
    assert "verified" in edited.stop(A)
    assert edited.stop(A, stop_hook_active=True) == ""
    edited.say(A, "What does it do?")
    edited.read(A, "src/a.py")
    assert edited.stop(A) == "", "a question was answered, and nothing was done"
    edited.say(A, "Now the other page")
    edited.edit(A, "src/b.py")
    assert "verified" in edited.stop(A)
    edited.ends_well()


@pytest.mark.promise("G7")
def test_what_was_let_go_and_then_done_is_not_told_to_the_next_session(edited: Story) -> None:
    assert "verified" in edited.stop(A)
    assert edited.stop(A, stop_hook_active=True) == ""
    edited.run(A, "pytest -q", PASSED)  # a background task woke it up: no prompt came
    assert edited.stop(A) == ""
    edited.end(A)
    assert "let go" not in edited.begin(B)
    edited.ends_well()


@pytest.mark.promise("G7")
def test_a_stop_that_waited_in_the_spool_blocks_nobody(edited: Story) -> None:
    edited.tell("Stop", A, hours=0.0001)
    edited.say(A, "And now?")
    assert edited.bodies("stop_blocked") == []
    assert edited.bodies("stop_passed") == [{"open": ["verified"]}]
    edited.ends_well()


# Nothing to ask


@pytest.mark.promise("G7")
def test_questions_and_reading_end_without_a_word(story: Story) -> None:
    story.demand(DONE)
    story.begin(A)
    story.say(A, "What does this project do?")
    story.read(A, "README.md")
    assert story.stop(A) == ""
    story.say(A, "And who wrote it?")
    assert story.stop(A) == ""
    assert story.bodies("stop_blocked") == story.bodies("stop_passed") == []
    story.ends_well()


@pytest.mark.promise("G7")
def test_while_a_background_task_runs_the_end_is_none(edited: Story) -> None:
    tasks = [{"id": "b1", "type": "shell", "status": "running", "description": "make"}]
    assert edited.stop(A, background_tasks=tasks) == ""
    assert edited.bodies("stop_passed") == [{"open": ["verified"]}]
    assert "verified" in edited.stop(A, "the task has ended")
    edited.ends_well()


@pytest.mark.promise("G7")
def test_what_a_subagent_does_and_proves_is_its_sessions(story: Story) -> None:
    story.demand(DONE)
    story.begin(A)
    story.say(A, "Have somebody add a login page")
    story.write(A, "src/a.py", agent_id="sub-1")
    assert "verified" in story.stop(A)
    story.say(A, "Have it tested")
    story.run(A, "pytest -q", PASSED, agent_id="sub-2")
    assert story.stop(A) == ""
    story.ends_well()


@pytest.mark.promise("G7")
def test_a_gate_on_commits_does_not_keep_a_session_from_ending(story: Story) -> None:
    story.demand(
        """
requirements:
  tested:
    evidence_required: [tests]
    trigger_tools: [{tool: Bash, command_pattern: git commit}]
"""
    )
    story.begin(A)
    story.say(A, "Add a login page")
    story.run(A, "pytest -q", PASSED)
    story.run(A, "git commit -qm x")
    story.write(A, "src/a.py")
    assert "tested" in story.ask_run(A, "git commit -qm y")
    assert story.stop(A) == ""
    story.ends_well()


@pytest.mark.promise("G7")
@pytest.mark.parametrize(
    ("hooks", "scope", "blocks"),
    [
        ("{}", "session", True),
        ("{verify_requirements: false}", "session", False),
        ("{}", "branch", False),
        ("{verify_scopes: [session, branch]}", "branch", True),
        ("{verify_scopes: [branch]}", "session", False),
    ],
)
def test_which_scopes_are_asked_for_is_the_teams_to_say(
    story: Story, hooks: str, scope: str, blocks: bool
) -> None:
    story.demand(f"hooks: {{stop: {hooks}}}\nrequirements: {{planned: {{scope: {scope}}}}}\n")
    story.begin(A)
    story.say(A, "Add a login page")
    story.edit(A, "src/a.py")
    assert ("planned" in story.stop(A)) is blocks
    story.ends_well()


@pytest.mark.promise("G7")
def test_everything_that_is_open_is_one_message(story: Story) -> None:
    story.demand(
        """
requirements:
  planned: {satisfied_by_skill: plan}
  verified: {stop_only: true, evidence_required: [tests], short_message: run the tests}
  sized: {type: dynamic, calculator: branch_size, thresholds: {block: 1}}
"""
    )
    (story.repo / "new.py").write_text("x = 1\n")
    story.begin(A)
    agree(story)
    story.say(A, "Add a login page")
    story.edit(A, "src/a.py")
    blocked = story.stop(A)
    assert "3 requirements are open for what this session did." in blocked
    for row in ("| planned | `/plan` |", '| verified | "run the tests" |', "| sized | "):
        assert row in blocked
    assert "the contract of this session lacks proof" in blocked
    assert "- tests: a passing test run has not been seen" in blocked
    assert story.bodies("stop_blocked") == [
        {
            "open": [
                *("planned", "verified", "sized"),
                "tests: a passing test run has not been seen",
            ],
            "lacks": ["tests: a passing test run has not been seen"],
        }
    ]
    story.ends_well()


# The contract


def agree(story: Story, *evidence: str, hours: float = 0.0) -> None:
    body = {
        "goal": "A login page",
        "criteria": ["it remembers nobody"],
        "evidence_required": list(evidence or ("tests",)),
    }
    story.keep("contract_set", body, session=A, hours=hours)


def worked(story: Story, number: int) -> str:
    """One turn that changes something; what its end is told."""
    story.say(A, f"Go on with part {number}")
    story.edit(A, f"src/part_{number}.py")
    said = story.stop(A)
    story.stop(A, stop_hook_active=True)
    return said


@pytest.mark.promise("G6")
@pytest.mark.parametrize(
    ("mode", "blocks"),
    [
        ("strict", [True, True, True]),
        ("normal", [True, False, False]),
        ("loose", [False, False, False]),
        ("unheard-of", [True, False, False]),
    ],
)
def test_a_contract_is_held_by_the_mode_of_the_project_and_noted_in_every_one(
    story: Story, mode: str, blocks: list[bool]
) -> None:
    story.demand(f"completion: {{mode: {mode}}}\n", ".holdfast/config.yaml")
    story.begin(A)
    agree(story)
    assert [worked(story, number) != "" for number in range(3)] == blocks
    lack = "tests: a passing test run has not been seen"
    assert story.bodies("stop_blocked") == [{"open": [lack], "lacks": [lack]}] * sum(blocks)
    assert story.bodies("stop_passed")[-1] == {"open": [lack]}
    story.end(A)
    assert lack in story.begin(B)
    story.ends_well()


@pytest.mark.promise("G6")
def test_each_kind_of_proof_counts_once_and_until_a_file_it_covers_is_edited(story: Story) -> None:
    story.demand("completion: {mode: strict}\n", ".holdfast/config.yaml")
    story.begin(A)
    agree(story, "tests", "lint")
    story.say(A, "Add a login page")
    story.write(A, "src/a.py")
    for _ in range(2):
        story.run(A, "pytest -q", PASSED)
    blocked = story.stop(A)
    assert "- lint: a clean lint run has not been seen" in blocked
    assert "tests:" not in blocked
    story.say(A, "Lint it")
    story.run(A, "ruff check .", "All checks passed!")
    story.write(A, "src/b.py")
    blocked = story.stop(A)
    assert "since then src/b.py changed; a passing test run is needed again" in blocked
    assert "since then src/b.py changed; a clean lint run is needed again" in blocked
    story.say(A, "Check it again")
    story.run(A, "pytest -q", PASSED)
    story.run(A, "ruff check .", "All checks passed!")
    story.write(A, "README.md")
    assert story.stop(A) == ""
    story.ends_well()


@pytest.mark.promise("G11")
def test_a_contract_whose_proof_a_shell_made_old_is_not_over_with_the_next_prompt(
    story: Story,
) -> None:
    story.begin(A)
    agree(story)
    story.say(A, "Add a login page")
    story.write(A, "src/a.py")
    story.run(A, "pytest -q", PASSED)
    (story.repo / "src" / "a.py").write_text("changed\n")
    story.run(A, "sed -i s/1/2/ src/a.py")
    assert "since then src/a.py changed" in story.stop(A)
    story.say(A, "Go on")
    story.run(A, "git log")
    assert story.holdfast("contract", session=A)["contract"] is not None
    story.run(A, "pytest -q", PASSED)
    assert story.stop(A) == ""
    story.say(A, "And now?")
    assert story.holdfast("contract", session=A)["contract"] is None
    story.ends_well()


@pytest.mark.promise("G11")
def test_a_contract_asks_for_proof_of_what_a_shell_alone_has_changed(story: Story) -> None:
    story.begin(A)
    agree(story)
    story.say(A, "Add a login page")
    story.run(A, "pytest -q", PASSED)
    assert story.stop(A) == ""
    story.say(A, "Go on")
    (story.repo / "a.py").write_text("changed\n")
    story.run(A, "cp b.py a.py")
    assert "since then a.py changed" in story.stop(A)
    story.ends_well()


@pytest.mark.promise("G6")
def test_a_contract_asks_for_nothing_before_something_is_edited_for_it(story: Story) -> None:
    story.begin(A, hours=2)
    story.edit(A, "src/a.py", hours=1)
    agree(story)
    story.say(A, "Where were we?")
    story.run(A, "git status")
    assert story.stop(A) == ""
    assert "lacks proof" in worked(story, 1)
    story.ends_well()


@pytest.mark.promise("G6")
def test_a_contract_is_one_sessions_and_a_later_one_takes_its_place(story: Story) -> None:
    story.begin(A)
    agree(story)
    story.begin(B)
    story.say(B, "Add a page")
    story.edit(B, "src/b.py")
    assert story.stop(B) == ""
    agree(story, "lint")
    assert "- lint:" in worked(story, 1)
    story.ends_well()


# Confidence


def fail_three_times(story: Story) -> None:
    for _ in range(3):
        story.say(A, "Once more")  # a turn of its own: each has a bound
        story.fail(A, "make deploy")


def go_back_and_forth(story: Story) -> None:
    for old, new in (("a", "b"), ("b", "a"), ("a", "b")):
        story.edit(A, "src/a.py", old, new)


def drift(story: Story) -> None:
    for number in range(5):
        story.say(A, f"How warm is it in Lisbon on day {number}?")
        story.stop(A)


def answer_with(prompt: str) -> Callable[[Story], None]:
    def say(story: Story) -> None:
        story.stop(A)
        story.say(A, prompt)

    return say


def edit_and_stop(story: Story) -> None:
    story.edit(A, "src/a.py")
    story.stop(A)


def edit_and_commit(story: Story) -> None:
    story.edit(A, "src/a.py")
    story.run(A, "git commit -m x")


# observation: what brings it about, and the change it makes after a fresh start
SEEN: dict[str, tuple[Callable[[Story], None], int]] = {
    "tool_failure": (lambda story: story.fail(A, "make deploy"), -5),
    "sunk_cost": (fail_three_times, -15),  # of its twenty a turn takes fifteen
    "user_correction": (answer_with("No, that's not what I meant"), -10),
    "edit_oscillation": (go_back_and_forth, -12),
    "unverified_edits": (edit_and_stop, -5),
    "pre_commit_no_tests": (edit_and_commit, -10),
    "goal_drift": (drift, -8),
    "test_pass": (lambda story: story.run(A, "pytest -q", PASSED), 5),
    "build_success": (lambda story: story.run(A, "go build ./...", ""), 5),
    "lint_pass": (lambda story: story.run(A, "ruff check .", "All checks passed!"), 3),
    "types_pass": (
        lambda story: story.run(A, "mypy src", "Success: no issues found in 3 source files"),
        3,
    ),
    "commit": (lambda story: story.run(A, "git commit -m x"), 3),
    "user_ok": (answer_with("Thanks, looks good!"), 2),
    "file_read": (lambda story: story.read(A, "README.md"), 1),
}


def test_every_observation_of_the_table_is_told_here() -> None:
    assert set(SEEN) == set(OBSERVATIONS)


@pytest.mark.promise("G6")
@pytest.mark.parametrize("observation", SEEN)
def test_confidence_is_moved_by_what_was_seen_with_its_reason(
    story: Story, observation: str
) -> None:
    act, change = SEEN[observation]
    story.begin(A)
    story.say(A, "Add rate limiting to the upload endpoint")
    act(story)
    moved = story.bodies("confidence_moved")
    reason = f"{observation} {change:+d}: {OBSERVATIONS[observation][1]}"
    assert moved[-1]["observation"] == observation
    assert (moved[-1]["change"], moved[-1]["reason"]) == (change, reason)
    assert moved[-1]["value"] == START + sum(one["change"] for one in moved)
    assert all(one["observation"] != observation for one in moved[:-1])
    story.stop(A)
    shown = story.holdfast("confidence", session=A)
    assert shown["confidence"] == story.bodies("confidence_moved")[-1]["value"]
    story.ends_well()


@pytest.mark.promise("G6")
def test_what_an_interrupted_tool_and_a_subagent_do_moves_nothing(story: Story) -> None:
    story.begin(A)
    story.say(A, "Add a login page")
    story.tell("PostToolUseFailure", A, tool_input={"command": "make"}, is_interrupt=True)
    story.fail(A, "make", agent_id="sub-1")
    story.read(A, "README.md", agent_id="sub-1")
    assert story.bodies("confidence_moved") == []
    story.ends_well()


@pytest.mark.promise("G9")
@pytest.mark.parametrize(
    ("trigger", "is_asked"),
    [("{action: edit_files, path: 'src/**'}", True), ("{action: commit}", False)],
)
def test_a_turns_end_is_asked_about_files_and_not_about_commands_that_have_run(
    story: Story, trigger: str, is_asked: bool
) -> None:
    rule = f"{{trigger: {trigger}, evidence_required: [tests], message: Run the tests.}}"
    story.demand(f"requirements:\n  verified: {rule}\n")
    story.begin(A)
    story.say(A, "Add a login page")
    story.edit(A, "src/a.py")
    story.run(A, "git commit -m Login")

    assert ("Run the tests." in story.stop(A)) is is_asked
    story.ends_well()
