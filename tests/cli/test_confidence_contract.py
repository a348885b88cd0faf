"""Confidence says what moved it; a contract is held until a person releases it."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import HOLDFAST, AgentWithAShell, refused, run, told, typed, typed_and_told

from conftest import Door, git
from holdfast.rooms.gates import confidence
from scenarios.story import A, B, Story

SECRET = "ghp_" + "a1B2" * 9  # shaped like a token, and nobody's


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    git(repo, "checkout", "-q", "-b", "feature/auth")
    found = Story(door, repo, tmp_path)
    found.begin(A)
    found.say(A, "Add a login page")
    return found


# Confidence


@pytest.mark.promise("G6")
def test_confidence_is_shown_with_its_last_changes_newest_first(story):
    assert "Nothing has moved it yet" in run(story.repo, "confidence").stdout

    story.fail(A, "pytest -q")
    story.read(A, "src/a.py")

    found = told(story.repo, "confidence", "show")
    moves = [(one["observation"], one["change"], one["value"]) for one in found["changes"]]
    assert moves == [("file_read", 1, 71), ("tool_failure", -5, 70)]
    assert (found["session"], found["confidence"], found["zone"]) == (A, 71, "CERTAINTY")
    shown = run(story.repo, "confidence", "--limit", "1").stdout
    assert shown.startswith("Confidence  71 of 100, CERTAINTY  (session aaaaaaaa)\n")
    assert "  +1 →  71  file_read            a file was read, " in shown
    assert "tool_failure" not in shown
    story.ends_well()


@pytest.mark.promise("G6")
def test_each_session_has_a_confidence_of_its_own(story):
    story.fail(A, "pytest -q")
    story.begin(B)

    assert told(story.repo, "confidence")["confidence"] == confidence.START
    assert told(story.repo, "confidence", "--session", A[:8])["confidence"] == 70
    story.end(A)
    story.end(B)
    assert told(story.repo, "confidence")["session"] == B


@pytest.mark.promise("G6")
def test_the_table_is_printed_whole_and_needs_no_session(repo):
    found = told(repo, "confidence", "--table")

    assert {name: one["change"] for name, one in found["observations"].items()} == {
        name: change for name, (change, _) in confidence.OBSERVATIONS.items()
    }
    assert found["zones"][0] == {"zone": "IGNORANCE", "from": 0, "to": 30}
    shown = run(repo, "confidence", "--table").stdout
    assert all(f" {name} " in shown for name in confidence.OBSERVATIONS)
    assert " 31 to  50  HYPOTHESIS" in shown


# The contract


@pytest.mark.promise("G6")
def test_an_agent_agrees_on_a_contract_and_the_end_asks_for_its_evidence(story):
    assert "No contract" in run(story.repo, "contract").stdout

    made = told(
        *(story.repo, "contract", "set", "--goal", "A login page", "--criterion", "It logs in"),
        *("--criterion", "It logs out", "--evidence", "tests,lint"),
        CLAUDE_CODE_SESSION_ID=A,
        CLAUDECODE="1",
    )

    assert made["contract"]["goal"] == "A login page"
    assert made["contract"]["criteria"] == ["It logs in", "It logs out"]
    assert made["contract"]["evidence_required"] == ["tests", "lint"]
    assert (made["proven"], made["mode"]) == (0, "normal")
    story.edit(A, "src/a.py")
    said = story.stop(A)
    assert "tests: a passing test run has not been seen" in said
    assert "lint: a clean lint run has not been seen" in said
    story.run(A, "pytest -q", "3 passed in 0.1s")
    found = told(story.repo, "contract", "show")
    assert found["proven"] == 50
    assert found["contract"]["lacking"] == ["lint: a clean lint run has not been seen"]
    shown = run(story.repo, "contract").stdout
    assert "Evidence  ● tests: stands" in shown
    assert "          ○ lint: a clean lint run has not been seen" in shown
    story.ends_well()


@pytest.mark.promise("G3")
@pytest.mark.promise("G6")
def test_to_ask_for_less_is_the_persons(story, door, repo):
    told(repo, "contract", "set", "--goal", "A page", "--evidence", "tests,lint")
    told(repo, "contract", "set", "--goal", "Another page", "--evidence", "tests lint build")

    for kinds in ("tests", "", "review"):
        words = ("contract", "set", "--goal", "Less", "--evidence", kinds)
        assert "only a person may ask for less" in refused(run(repo, *words))
        assert "only a person may ask for less" in refused(typed(repo, *words, CLAUDECODE="1"))
    assert "only a person may ask for less" in refused(
        run(repo, "contract", "set", "--goal", "Less")
    )
    assert told(repo, "contract")["contract"]["goal"] == "Another page"
    made = typed_and_told(repo, "contract", "set", "--goal", "Less", "--evidence", "tests")
    assert made["contract"]["evidence_required"] == ["tests"]


@pytest.mark.promise("G3")
@pytest.mark.promise("G6")
def test_to_clear_a_contract_is_the_persons(story, door, repo):
    told(repo, "contract", "set", "--goal", "A page")
    assert "only a person may run" in refused(run(repo, "contract", "clear"))
    agent = AgentWithAShell(repo)
    try:
        door.send("SessionStart.startup", agent=agent, session_id=B)
        done = agent.run(*HOLDFAST, "contract", "clear", "--session", A)
    finally:
        agent.kill()
    assert "only a person may run" in refused(done)
    assert told(repo, "contract", "--session", A)["contract"]["goal"] == "A page"

    assert typed_and_told(repo, "contract", "clear", "--session", A)["cleared"] is True

    assert told(repo, "contract", "--session", A)["contract"] is None
    assert typed_and_told(repo, "contract", "clear", "--session", A)["cleared"] is False
    story.edit(A, "src/a.py")
    assert story.stop(A) == ""
    story.ends_well()


@pytest.mark.promise("G6")
def test_a_contract_says_what_is_wrong_with_it(story, repo):
    said = refused(run(repo, "contract", "set", "--goal", "A page", "--evidence", "tests,magic"))
    assert "no kind 'magic'" in said
    assert "201 characters are too many" in refused(
        run(repo, "contract", "set", "--goal", "x" * 201)
    )
    assert "needs words" in refused(run(repo, "contract", "set", "--goal", " "))
    assert "Missing option '--goal'" in refused(run(repo, "contract", "set"), 2)
    assert "No such option '--goal'" in refused(run(repo, "contract", "show", "--goal", "x"), 2)
    assert story.bodies("contract_set") == []
    made = told(repo, "contract", "set", "--goal", f"Use {SECRET}")
    assert SECRET not in str(made)


@pytest.mark.promise("G6")
def test_a_contract_is_one_sessions(story, repo):
    told(repo, "contract", "set", "--goal", "A page")
    story.end(A)

    said = refused(run(repo, "contract", "set", "--goal", "A page"))

    assert "none is at work here" in said
    assert "`holdfast req sessions`" in said
    assert told(repo, "contract")["contract"] is None
