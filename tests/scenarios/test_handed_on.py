"""What one session hands on to the next and the one after: confidence, contract, list, pins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import git
from scenarios.story import A, B, C, Story

TASK = "Add a login page to the shop in src/login.py."
OTHER = "Translate the invoice templates to Portuguese."
LIST = ("Write the form", "Test the form")
CONTRACT = ("contract", "set", "--goal", "A login page", "--evidence", "tests,lint")
DAY = 24.0


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    return Story(door, repo, tmp_path)


def work(story: Story, *titles: str) -> None:
    """A session with a task, a contract, a list and a confidence of 65."""
    story.begin(A)
    story.say(A, TASK)
    story.holdfast(*CONTRACT, session=A)
    if titles:
        story.plan(A, *titles)
    story.edit(A, "src/login.py")
    story.fail(A, "pytest -q")
    story.fail(A, "pytest -q tests/login")


def leave(story: Story, session: str, how: str) -> None:
    if how == "crash":
        story.crash(session)
    else:
        story.end(session)


def confidence(story: Story, session: str) -> int:
    return story.holdfast("confidence", "--session", session)["confidence"]


def contract(story: Story, session: str) -> dict:
    return story.holdfast("contract", "--session", session)


# Confidence and contract


@pytest.mark.promise("C11")
@pytest.mark.parametrize("how", ["end", "crash"])
def test_confidence_and_contract_are_handed_on_over_two_sessions(story, how):
    work(story)
    leave(story, A, how)

    told = story.begin(B)
    story.say(B, "go on")
    leave(story, B, how)
    later = story.begin(C)

    assert confidence(story, A) == confidence(story, B) == confidence(story, C) == 65
    for text in (told, later):
        opening = "Contract of this task, set by an agent (asks for tests, lint; 0 % proven;"
        assert f"{opening} mode normal):\n> A login page" in text
    shown = contract(story, C)
    assert (shown["contract"]["goal"], shown["contract"]["source"]) == ("A login page", A)
    assert shown["binds"]
    story.ends_well()


@pytest.mark.promise("C11")
def test_an_inherited_contract_still_asks_for_what_was_not_proven(story):
    work(story)
    story.run(A, "pytest -q", "3 passed in 0.1s")
    story.crash(A)
    story.begin(B)
    story.say(B, "go on")
    story.run(B, "ls")

    refused = story.stop(B)

    assert "lint: a clean lint run has not been seen" in refused
    assert "tests:" not in refused  # they passed before the crash, and nothing was edited since
    assert contract(story, B)["proven"] == 50
    story.say(B, "go on")
    story.edit(B, "src/login.py")
    assert contract(story, B)["proven"] == 0
    story.ends_well()


@pytest.mark.promise("C11")
def test_a_contract_does_not_bind_once_the_user_gives_another_task(story):
    work(story)
    story.end(A)
    story.begin(B)

    story.say(B, OTHER)
    story.edit(B, "src/invoice.py")

    assert story.stop(B) == ""
    assert not contract(story, B)["binds"]
    assert contract(story, A)["binds"]
    story.end(B)
    story.begin(C)
    story.say(C, f"New task: {OTHER}")
    assert not contract(story, C)["binds"]
    story.ends_well()


def agree(story: Story, hours: float, thread: str = "") -> None:
    body = {"goal": "A login page", "criteria": [], "evidence_required": ["tests"]}
    story.keep("contract_set", {**body, "thread": thread}, session=A, hours=hours)


@pytest.mark.promise("C11")
@pytest.mark.promise("G6")
@pytest.mark.parametrize("days", [0, 2, 20])
def test_a_contract_ends_when_it_is_proved(story, days):
    hours = days * DAY
    story.begin(A, hours=hours)
    story.say(A, TASK, hours=hours)
    agree(story, hours)
    story.edit(A, "src/login.py", hours=hours)
    story.run(A, "pytest -q", "3 passed in 0.1s", hours=hours)
    story.stop(A, hours=hours)
    session = A
    if days:
        story.end(A, hours=hours)
        session = B
        assert "Contract" not in story.begin(B)

    story.say(session, "Now rename the invoice template.")
    story.edit(session, "src/invoice.py")

    assert story.stop(session) == ""
    assert contract(story, session)["contract"] is None
    story.ends_well()


@pytest.mark.promise("C11")
@pytest.mark.promise("G6")
@pytest.mark.parametrize("is_heard", [True, False])
@pytest.mark.parametrize("days", [0, 2, 20])
def test_one_of_no_task_holds_for_the_first_that_comes_and_for_no_other(story, days, is_heard):
    hours = days * DAY
    story.begin(A, hours=hours)
    agree(story, hours)
    story.say(A, TASK if is_heard else "go on", hours=hours)
    story.edit(A, "src/login.py", hours=hours)
    session = A
    if days:
        story.end(A, hours=hours)
        session = B
        story.begin(B)
    elif not is_heard:
        pytest.skip("the first task that comes")
    assert contract(story, session)["binds"]

    story.say(session, f"New task: {OTHER}")
    story.edit(session, "src/invoice.py")

    assert story.stop(session) == ""
    assert not contract(story, session)["binds"]
    story.ends_well()


def fork(story: Story, session: str, parent: str) -> None:
    """A session that goes on with a copy of another's transcript; its first row comes late."""
    story.begin(session, "fork")
    rows = [("u1", "2020-01-01T00:00:00.000Z"), ("u2", "2999-01-01T00:00:00.000Z")]
    for who, many in ((parent, 1), (session, 2)):
        lines = [json.dumps({"uuid": u, "timestamp": at}, separators=(",", ":")) for u, at in rows]
        Path(story.transcript(who)).write_text("".join(f"{line}\n" for line in lines[:many]))


@pytest.mark.promise("C11")
@pytest.mark.parametrize("event", ["Stop", "PreCompact.auto"])
def test_a_fork_takes_over_the_contract_once_its_parent_is_known(story, event):
    work(story)
    fork(story, B, A)
    assert contract(story, B)["contract"] is None

    story.say(B, "go on")
    story.tell(event, B)

    shown = contract(story, B)
    assert (shown["contract"]["goal"], shown["contract"]["source"]) == ("A login page", A)
    assert shown["binds"]
    story.ends_well()


@pytest.mark.promise("C11")
def test_what_a_parent_agreed_on_after_the_fork_began_does_not_bind_the_fork(story):
    story.begin(A)
    story.say(A, TASK)
    fork(story, B, A)
    story.holdfast(*CONTRACT, session=A)

    story.say(B, "go on")
    story.stop(B)

    assert contract(story, A)["binds"]
    assert contract(story, B)["contract"] is None


@pytest.mark.promise("C11")
def test_a_contract_that_a_session_has_cleared_is_not_handed_on(story):
    work(story)
    story.keep(
        "contract_set", {"goal": "", "criteria": [], "evidence_required": []}, session=A
    )  # as `contract clear` leaves it
    story.end(A)

    assert "Contract" not in story.begin(B)
    assert contract(story, B)["contract"] is None
    story.ends_well()


@pytest.mark.promise("C11")
def test_with_continuity_off_nothing_is_handed_on(story, door):
    door.environment["HOLDFAST_CONTINUITY_ENABLED"] = "0"
    work(story)
    story.end(A)
    story.begin(B)

    assert confidence(story, B) == 75
    assert contract(story, B)["contract"] is None


@pytest.mark.promise("C11")
@pytest.mark.promise("C13")
def test_contract_confidence_and_list_are_carried_over_a_compaction(story):
    work(story, *LIST)
    story.end(A)
    story.begin(B)
    story.say(B, "go on")

    closing, begun = story.compact(B)

    for text in (closing, begun):
        assert "Contract of this task, set by an agent (asks for tests, lint;" in text
        assert "Confidence in this work: 65 of 100." in text
    assert "Left to do on the list of session aaaaaaaa:\n> Write the form\n> Test" in closing
    assert "] Write the form (last stage: pending, 0d ago)" in begun
    (taken,) = story.bodies("checkpoint_taken", B)
    tier1 = taken["tier1"]
    assert (tier1["confidence"], tier1["completion_confidence"]) == (65, 0)
    assert (tier1["ralph_mode"], tier1["todos"]) == ("normal", A)
    assert tier1["task_contract"] == contract(story, B)["contract"]["id"]
    assert [each["trigger"] for each in story.bodies("context_compacted", B)] == ["auto"]
    story.ends_well()


# The list of what is to do


@pytest.mark.promise("C6")
@pytest.mark.promise("C11")
@pytest.mark.parametrize("how", ["end", "crash"])
def test_a_list_survives_a_session_in_between_that_has_a_task_and_no_list(story, how):
    work(story, *LIST)
    leave(story, A, how)
    story.begin(B)
    story.say(B, OTHER)
    story.edit(B, "src/invoice.py")
    leave(story, B, how)

    told = story.begin(C)

    assert "Write the form" in told
    assert "Test the form" in told
    (inherited,) = story.bodies("state_inherited", C)
    assert inherited["todos"] == A
    story.ends_well()


@pytest.mark.promise("C6")
def test_a_list_of_its_own_takes_the_place_of_the_one_before(story):
    work(story, *LIST)
    story.end(A)
    story.begin(B)
    story.say(B, OTHER)
    story.plan(B, "Find the templates")
    story.edit(B, "src/invoice.py")
    story.end(B)

    told = story.begin(C)

    assert "> Find the templates" in told
    assert "Write the form" not in told
    story.ends_well()


@pytest.mark.promise("C6")
def test_what_is_done_on_a_list_is_not_handed_on(story):
    work(story, *LIST)
    story.plan(A, *LIST, status="completed")
    story.end(A)
    story.begin(B)
    story.say(B, OTHER)
    story.edit(B, "src/invoice.py")
    story.end(B)

    told = story.begin(C)

    assert "Write the form" not in told
    story.ends_well()


@pytest.mark.promise("C6")
def test_a_handoff_does_not_hide_what_is_left_on_the_list(story):
    """The rows of a list have a stage, and are read as such."""
    work(story, *LIST)
    story.holdfast("handoff", "--next", "Ask Mira", "--session", A)
    story.end(A)

    told = story.begin(B)

    assert "> Ask Mira" in told
    assert "] Write the form (last stage: pending, 0d ago)" in told
    story.ends_well()


# What decays


@pytest.mark.promise("C6")
@pytest.mark.promise("T4")
def test_a_list_that_nobody_went_on_with_is_told_with_its_work_however_old_it_is(story):
    git(story.repo, "switch", "-q", "-c", "login")
    hours = 20 * DAY
    story.begin(A, hours=hours)
    story.say(A, TASK, hours=hours)
    story.plan(A, *LIST, hours=hours)
    story.edit(A, "src/login.py", hours=hours)
    story.end(A, hours=hours)
    story.begin(B, hours=hours - 1)
    story.say(B, OTHER, hours=hours - 1)
    story.edit(B, "src/invoice.py", hours=hours - 1)
    story.end(B, hours=hours - 1)

    told = story.begin(C)

    assert "> left: Write the form; Test the form" in told
    (inherited,) = story.bodies("state_inherited", C)
    assert inherited["todos"] == A
    story.ends_well()


@pytest.mark.promise("C8")
@pytest.mark.parametrize(
    ("author", "days", "comes"),
    [("person", 20, True), ("agent", 8, True), ("agent", 9, False)],
)
def test_a_pin_is_believed_by_who_pinned_it(story, door, author, days, comes):
    door.environment["HOLDFAST_CONTINUITY_LOOKBACK_DAYS"] = "30"
    hours = days * DAY
    story.begin(A, hours=hours)
    story.say(A, TASK, hours=hours)
    story.plan(A, "one", "two", "three", "four", hours=hours)  # relevant at any age
    story.end(A, hours=hours)
    body = {"content": "The host is heron", "label": "host", "critical": False, "author": author}
    story.keep("pinned", body, session=A, hours=hours)

    told = story.begin(B)

    assert ("The host is heron" in told) is comes
    (inherited,) = story.bodies("state_inherited", B)
    assert (len(inherited["pins"]), inherited["decayed"]) == ((1, 0) if comes else (0, 1))
    assert story.holdfast("stats")["inherited"]["decayed"] == int(not comes)
    story.ends_well()


@pytest.mark.promise("C8")
def test_a_decision_that_rests_on_nothing_fades_and_what_is_found_in_the_code_does_not(story, repo):
    (repo / "src").mkdir()
    (repo / "src" / "login.py").write_text("TRIES = 3\n")
    hours = 6 * DAY
    story.begin(A, hours=hours)
    story.say(A, TASK, hours=hours)
    story.end(A, hours=hours)
    common = {"because": "", "scenarios": [], "how": "command", "evidence": []}
    quote = {"path": "src/login.py", "line": 1, "last": 1, "quote": "TRIES = 3", "part": False}
    quote |= {"around": {}, "commit": ""}
    decided = (
        ("Lock after three tries", "agent", [quote]),
        ("Log every try", "agent", []),
        ("Ask Mira first", "person", []),
    )
    for text, source, evidence in decided:
        body = {**common, "text": text, "source": source, "evidence": evidence}
        story.keep("decision_made", body, session=A, hours=hours)

    told = story.begin(B)

    assert "Lock after three tries (grounded)" in told
    assert "Ask Mira first" in told
    assert "Log every try" not in told
    listed = story.holdfast("decisions")["decisions"]
    assert len(listed) == 3  # it is not lost
    levels = story.holdfast("stats")["believed"]
    assert levels["user"] == {"items": 1, "least": 0.66, "most": 0.66, "not_told": 0}
    assert levels["grounded"] == {"items": 1, "least": 0.9, "most": 0.9, "not_told": 0}
    assert levels["unsupported"] == {"items": 1, "least": 0.3, "most": 0.3, "not_told": 1}
    story.ends_well()


# Pins


@pytest.mark.promise("C5")
def test_an_inherited_critical_pin_is_not_pushed_out_by_what_is_pinned_after_it(story):
    story.begin(A)
    story.say(A, TASK)
    story.pin(A, "CRITICAL: the staging host is heron")
    for number in range(3):
        story.pin(A, f"Old thing {number}")
    story.end(A)
    story.begin(B)
    story.say(B, "go on")
    for number in range(9):
        story.keep(
            "pinned", {"content": f"New {number}", "label": "", "critical": False}, session=B
        )

    closing, begun = story.compact(B)

    for text in (closing, begun):
        assert "the staging host is heron" in text
        assert "Old thing" not in text
    assert len(story.holdfast("pins", session=B)["pins"]) == 10
    story.ends_well()


# What is said of the sessions before


@pytest.mark.promise("C9")
def test_a_first_session_is_told_of_no_prior_one(story, repo):
    (repo / ".beads").mkdir()
    issue = {"id": "app-1", "title": "Issue 1", "status": "open"}
    (repo / ".beads" / "issues.jsonl").write_text(json.dumps(issue) + "\n")

    told = story.begin(A)
    story.say(A, TASK)
    _, begun = story.compact(A)
    story.end(A)
    later = story.begin(B)

    for text in (told, begun, later):
        assert "[app-1] Issue 1" in text
    for text in (told, begun):
        assert "prior session" not in text
    assert "inherited from 1 prior session(s)" in later
    story.ends_well()


@pytest.mark.promise("C19")
def test_stats_count_the_tasks_that_were_told(story, repo):
    (repo / ".beads").mkdir()
    issue = {"id": "app-1", "title": "Issue 1", "status": "open"}
    (repo / ".beads" / "issues.jsonl").write_text(json.dumps(issue) + "\n")
    work(story, *LIST)
    story.end(A)

    told = story.begin(B)

    assert sum(text in told for text in ("> Write the form", "> Test the form", "[app-1]")) == 3
    told_before = story.bodies("context_given", A)[0]["tasks"]  # the tracker's, at the very first
    assert story.holdfast("stats")["inherited"]["tasks"] == told_before + 3
    story.ends_well()


# Other tools


@pytest.mark.promise("C11")
def test_serenas_project_is_offered_only_where_it_is(story, repo):
    story.begin(A)
    story.say(A, TASK)
    for project, is_offered in ((str(repo), True), (f"{repo}/gone", False), ("shop", True)):
        story.tell(
            "PostToolUse",
            A,
            tool_name="mcp__serena__activate_project",
            tool_input={"project": project},
            tool_response={},
        )
        for text in story.compact(A):
            assert (f'activate_project with project "{project}"' in text) is is_offered
    story.ends_well()
