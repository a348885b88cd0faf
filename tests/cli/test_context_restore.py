"""`holdfast context restore`: a checkpoint comes back, or says why it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import refused, run, told, typed, typed_and_told

from conftest import Door, git
from holdfast.rooms.work import checkpoint
from scenarios.story import A, B, Story

TASK = "Add a login page to the shop in src/login.py."
OTHER = "Translate the invoice templates to Portuguese."
CONTRACT = ("contract", "set", "--goal", "A login page", "--evidence", "tests")


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    """A session with a checkpoint: a goal, a contract, a list, a pin and a confidence of 65."""
    story = Story(door, repo, tmp_path)
    story.begin(A)
    story.say(A, TASK)
    story.holdfast(*CONTRACT, session=A)
    story.pin(A, "The staging host is heron", "host")
    story.plan(A, "Write the form", "Test the form")
    story.edit(A, "src/login.py")
    story.fail(A, "pytest -q")
    story.fail(A, "pytest -q tests/login")
    story.holdfast("context", "checkpoint", session=A)
    return story


def leave(story: Story) -> str:
    """The session goes on, and another one begins with a task of its own; the checkpoint's id."""
    story.fail(A, "npm test")
    story.end(A)
    story.begin(B)
    story.say(B, OTHER)
    (taken,) = story.entries("checkpoint_taken")
    return taken.id


@pytest.mark.promise("C12")
def test_a_person_brings_a_checkpoint_back_and_the_session_is_told(story, repo):
    id_ = leave(story)
    assert told(repo, "confidence", "--session", B)["confidence"] == 60

    shown = typed(repo, "context", "restore").stdout

    assert f"Session bbbbbbbb goes on from checkpoint {id_[:6]} of aaaaaaaa (by hand, " in shown
    for line in (
        f"Goal      {TASK}",
        "Confidence 65 of 100",
        "Contract  A login page (asks for tests)",
        "To do     2 open items of its list",
        "Files     1 changed by then",
    ):
        assert line in shown
    assert told(repo, "confidence", "--session", B)["confidence"] == 65
    assert told(repo, "contract", "--session", B)["contract"]["goal"] == "A login page"
    assert told(repo, "goal")["goal"]["goal"] == TASK
    entry = story.bodies("state_inherited", B)[-1]
    assert (entry["how"], entry["checkpoint"], entry["todos"]) == ("restored", id_, A)
    said = story.say(B, "go on")
    assert "Restored from a checkpoint of aaaaaaaa" in said
    assert f"> {TASK}" in said
    story.ends_well()


@pytest.mark.promise("C12")
def test_an_agent_brings_back_neither_trust_nor_another_task(story, repo):
    leave(story)

    shown = told(repo, "context", "restore", CLAUDE_CODE_SESSION_ID=B, CLAUDECODE="1")

    assert "confidence_moved" not in shown["restored"]
    assert told(repo, "confidence", "--session", B)["confidence"] == 60
    assert told(repo, "goal")["goal"]["goal"] == OTHER
    words = ("context", "restore")
    assert "stays at 60: only a person may raise it to 65" in run(repo, *words).stdout
    story.ends_well()


@pytest.mark.promise("C12")
def test_without_a_session_at_work_the_next_one_begins_with_it(story, repo):
    story.end(A)
    (taken,) = story.entries("checkpoint_taken")
    assert "only a person may say what the next one begins with" in refused(
        run(repo, "context", "restore")
    )

    shown = typed_and_told(repo, "context", "restore", taken.id[:6])
    begun = story.begin(B)

    assert (shown["checkpoint"], shown["session"]) == (taken.id, None)
    assert f"> {TASK}" in begun
    assert "The staging host is heron" in begun
    assert "Contract of this task" in begun
    assert told(repo, "confidence", "--session", B)["confidence"] == 65
    assert [body["how"] for body in story.bodies("state_inherited", B)] == ["restored"]
    story.ends_well()


@pytest.mark.promise("C12")
def test_a_checkpoint_of_an_older_version_is_brought_up(story, repo):
    story.end(A)
    (taken,) = story.entries("checkpoint_taken")
    gates = ("confidence", "completion_confidence", "ralph_mode", "task_contract", "todos")
    tier1 = {name: value for name, value in taken.body["tier1"].items() if name not in gates}
    old = story.keep("checkpoint_taken", {**taken.body, "schema": 1, "tier1": tier1}, session=A)
    story.begin(B)
    story.say(B, OTHER)

    shown = typed(repo, "context", "restore", old.id[:8]).stdout

    assert f"Goal      {TASK}" in shown
    assert "Confidence" not in shown  # that version did not know it
    assert told(repo, "goal")["goal"]["goal"] == TASK
    story.ends_well()


@pytest.mark.promise("C12")
def test_a_checkpoint_of_a_newer_version_is_refused(story, repo):
    (taken,) = story.entries("checkpoint_taken")
    newer = {**taken.body, "schema": checkpoint.VERSION + 1}
    id_ = story.keep("checkpoint_taken", newer, session=A).id

    said = refused(run(repo, "context", "restore", id_[:8]))

    assert f"has schema version {checkpoint.VERSION + 1}" in said
    assert "upgrade Holdfast" in said
    assert not [b for b in story.bodies("state_inherited") if b["how"] == "restored"]
    assert (
        "cannot be restored here: the checkpoint has schema version" in run(repo, "context").stdout
    )


@pytest.mark.promise("C12")
def test_a_checkpoint_of_a_session_that_is_live_elsewhere_is_refused(story, repo, tmp_path):
    other = tmp_path / "other"
    git(repo, "worktree", "add", "-q", "-b", "other", str(other))
    story.begin(B, place=other)

    assert "its session is live elsewhere" in refused(run(other, "context", "restore"))


@pytest.mark.promise("C12")
def test_a_checkpoint_about_something_else_or_too_old_is_refused(story, repo):
    story.end(A)
    (taken,) = story.entries("checkpoint_taken")
    tier1 = {**taken.body["tier1"], "goal_keywords": ["invoices"], "session_id": B}
    body = {**taken.body, "tier1": tier1}
    id_ = story.keep("checkpoint_taken", body, session=B, hours=2.0).id
    git(repo, "checkout", "-q", "-b", "export-of-tags")

    assert "nothing to do with the work at hand" in refused(run(repo, "context", "restore", id_))
    id_ = story.keep("checkpoint_taken", taken.body, session=A, hours=24.0 * 9).id
    git(repo, "checkout", "-q", "-b", "login-page")
    assert "it is older than 168 hours" in refused(run(repo, "context", "restore", id_))


@pytest.mark.promise("C12")
def test_serenas_project_is_named_as_gone(story, repo):
    (taken,) = story.entries("checkpoint_taken")
    tier1 = {**taken.body["tier1"], "serena_project": "/nonexistent/shop"}
    story.keep("checkpoint_taken", {**taken.body, "tier1": tier1}, session=A)

    assert "Serena    /nonexistent/shop is gone" in run(repo, "context", "restore").stdout


@pytest.mark.promise("C12")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("abc",), "at least 4 characters of a checkpoint's id"),
        (("abcdef",), "no checkpoint abcdef here"),
    ],
)
def test_a_checkpoint_that_is_not_there_is_said_to_be_so(story, repo, words, says):
    assert says in refused(run(repo, "context", "restore", *words))


@pytest.mark.promise("C10")
def test_an_agent_does_not_leave_its_contract_by_going_on_from_another_session(story, repo):
    story.end(A)
    story.begin(B)
    story.say(B, OTHER)
    story.holdfast("contract", "set", "--goal", "Portuguese invoices", session=B)

    done = run(repo, "session", "continue", A[:8], CLAUDE_CODE_SESSION_ID=B, CLAUDECODE="1")

    assert "only a person may give it another" in refused(done)
    assert told(repo, "goal")["goal"]["goal"] == OTHER
    typed_and_told(repo, "session", "continue", A[:8])
    assert told(repo, "goal")["goal"]["goal"] == TASK
