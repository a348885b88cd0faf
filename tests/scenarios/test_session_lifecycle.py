"""A session's lifecycle stays coherent: six rules and six anti-patterns, each proved end to end
through the real door. The pure rules are in tests/rooms/work/."""

from __future__ import annotations

import json
import re

import pytest

from conftest import git, make_repo
from holdfast.ledger import faults
from holdfast.rooms.work.checkpoint import CONSERVED, EPHEMERAL, EXTENDED, VERSION
from holdfast.store import driver, sqlite
from law import assert_replay_law
from scenarios.story import WINDOW, A, B, C, Story

TASK = "Fix the retry loop of the fetcher in src/fetch.py."
RULE = "Never push to main"
PROMPT = f"{TASK} {RULE}."
COMMAND = "python3 -m unittest tests.test_fetch"
ERROR = "Exit code 1\nAssertionError: 2 != 3"
NEXT = "Next: count the first try too, in src/fetch.py."
NEXT_STEPS = f"Next steps, from the agent's last message:\n> {NEXT}"
SERENA = {"tool_name": "mcp__serena__activate_project", "tool_input": {"project": "app"}}
SECOND = "mcp__pal__chat"
DAY = 24.0


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    return Story(door, repo, tmp_path)


def work(story: Story, session: str = A, hours: float = 0.0) -> None:
    """A session that leaves something of every tier."""
    story.begin(session, hours=hours)
    story.say(session, PROMPT, hours=hours)
    story.read(session, "src/limits.py", hours=hours)
    story.edit(session, "src/fetch.py", "OLD-LINE", "NEW-LINE", hours=hours)
    story.run(session, "git status", "DEBUG-OUTPUT", hours=hours)
    story.fail(session, COMMAND, ERROR, hours=hours)
    story.tell("PostToolUse", session, **SERENA, tool_response="ok", hours=hours)
    told = json.dumps({"continuation_id": "pal-123"})
    story.tell("PostToolUse", session, tool_name=SECOND, tool_response=told, hours=hours)
    story.stop(session, f"It still fails.\n{NEXT}", hours=hours)


def carries_tier_1(said: str) -> list[str]:
    """What of tier 1 is missing."""
    goal = TASK if f"> {TASK}" in said else f'"{TASK}"'  # of the session itself, of one before
    files = "src/fetch.py (edited)" if goal == TASK else "; changed src/fetch.py"
    wanted = {
        "rule": f"> {RULE}  (",
        "goal": goal,
        "files_edited": files,
        "errors_unresolved": f"`{COMMAND}`\n> AssertionError: 2 != 3",
    }
    return [name for name, text in wanted.items() if text not in said]


# The lifecycle: "SESSION_START: work queue restoration", "SESSION_RUNNING: state accumulation"


@pytest.mark.promise("C17")
def test_work_that_turned_up_is_offered_to_the_next_session_and_what_was_done_is_not(story):
    story.door.environment["HOLDFAST_BRIEFING_PREAMBLE"] = "1"
    story.begin(A)
    story.say(A, TASK)
    todo, stub = "# TODO: give up after an hour", "raise NotImplementedError"
    story.edit(A, "src/fetch.py", "pass", f"{todo}\n    {stub}")
    story.edit(A, "src/other.py", "pass", "# FIXME: close the file")
    story.edit(A, "src/other.py", "# FIXME: close the file", "file.close()")
    for command in ("make lint", "make types", "make build", "make test"):
        story.fail(A, command)
    story.run(A, "make build")  # mended
    story.run(A, "git status")
    story.end(A)

    said = story.begin(B)

    found = said.partition("Also come across:")[2].partition("\n\n")[0]
    assert f"> src/fetch.py: {todo}" in found
    assert f"> src/fetch.py: {stub}" in found
    assert "FIXME" not in said
    failing = [
        command for command in ("lint", "types", "build", "test") if f"`make {command}`" in said
    ]
    assert failing == ["lint", "types", "test"]
    story.ends_well()


@pytest.mark.promise("C3")
def test_a_session_s_activity_is_accumulated_as_it_happens(story):
    work(story)
    story.run(A, COMMAND, "ok")  # resolved: the same command passes

    closing, _ = story.compact(A)

    assert "Last command, which succeeded" in closing
    assert "which failed" not in closing
    assert "Failed when last run" not in closing
    assert story.bodies("checkpoint_taken")[-1]["tier1"]["errors_unresolved"] == []
    story.ends_well()


@pytest.mark.promise("C3")
def test_a_file_that_was_changed_stays_changed_however_often_it_is_read(story):
    story.begin(A)
    story.say(A, "Make the retry loop count the first try")
    story.edit(A, "src/fetch.py")
    story.read(A, "src/fetch.py")
    story.read(A, "src/other.py")

    closing, begun = story.compact(A)
    for told in (closing, begun):
        assert "src/fetch.py" in told
    story.stop(A)
    handoff = (story.repo / ".git" / "holdfast" / "handoffs" / f"{A}.json").read_text()
    assert json.loads(handoff)["recent_files"] == ["src/fetch.py"]
    story.end(A)
    assert story.bodies("session_ended", A)[0]["captured"]["files"] == 1
    story.ends_well()


# The coherence rules


@pytest.mark.promise("C11")
@pytest.mark.promise("C13")
@pytest.mark.parametrize(
    "how", ["compaction", "clear", "crash", "crash and resume", "an hour", "a night", "a month"]
)
def test_tier_1_always_survives(story, how):
    """ "1. Tier1 always survives - Never discard critical state" """
    hours = {"an hour": 1.1, "a night": 14.0, "a month": 31 * DAY}.get(how, 0.0)
    if how == "a month":  # nothing is open by then, and the branch alone says what goes on
        git(story.repo, "switch", "-q", "-c", "topic")
    work(story, hours=hours)
    if hours:
        story.end(A, hours=hours)
    elif "crash" in how:
        story.crash(A)

    if how == "compaction":
        closing, said = story.compact(A)
        assert carries_tier_1(closing) == []
        for told in (closing, said):
            assert 'mcp__serena__activate_project with project "app"' in told
            assert 'continuation_id "pal-123"' in told
    elif how == "clear":
        said = story.clear(A, B)
    elif how == "crash and resume":
        said = story.begin(A, "resume")
    else:
        said = story.begin(B)

    # A failure of a month ago says nothing of today.
    assert carries_tier_1(said) == (["errors_unresolved"] if how == "a month" else [])
    story.ends_well()


@pytest.mark.promise("C11")
@pytest.mark.promise("C12")
def test_a_checkpoint_holds_all_of_tier_1_that_there_is(story):
    """ "These fields MUST survive compaction and revival": by id where the text has its entry."""
    work(story)
    story.pin(A, "The staging host is called heron")
    story.compact(A)

    (goal,), (rule,) = story.entries("goal_set"), story.entries("rule_given")
    (pin,) = story.entries("pinned")
    tier1 = story.bodies("checkpoint_taken", A)[-1]["tier1"]
    assert tier1["session_id"] == A
    assert tier1["original_goal"] == goal.id
    assert tier1["goal_keywords"] == goal.body["keywords"]
    assert tier1["constraints"] == [rule.id]
    assert tier1["pins"] == [pin.id]
    assert (tier1["serena_activated"], tier1["serena_project"]) == (True, "app")
    assert tier1["pal_continuation_id"] == "pal-123"
    assert (tier1["files_created"], tier1["files_edited"]) == ([], ["src/fetch.py"])
    assert tier1["errors_unresolved"] == [COMMAND]
    story.ends_well()


@pytest.mark.promise("C11")
@pytest.mark.parametrize("how", ["compaction", "clear", "new session"])
def test_tier_3_always_expires(story, repo, how):
    """ "2. Tier3 always expires - Never persist ephemeral data" """
    work(story)
    if how == "compaction":
        said = "".join(story.compact(A))
    elif how == "clear":
        said = story.clear(A, B)
    else:
        story.end(A)
        said = story.begin(B)

    assert said
    handoff = (repo / ".git" / "holdfast" / "handoffs" / f"{A}.json").read_text()
    checkpoints = json.dumps(story.bodies("checkpoint_taken"))
    for ephemeral in ("OLD-LINE", "NEW-LINE", "DEBUG-OUTPUT"):
        assert ephemeral not in said + handoff + checkpoints
    for checkpoint in story.bodies("checkpoint_taken"):
        assert set(checkpoint["tier1"]) <= set(CONSERVED)
        assert not set(checkpoint["tier1"]) & {*EXTENDED, *EPHEMERAL}
    story.ends_well()


@pytest.mark.promise("C15")
@pytest.mark.parametrize("percent", [10, 50, 75, 90])
def test_tier_1_is_told_whole_in_every_phase(story, percent):
    """ "3. Phase awareness required - Hooks must check phase", and rule 1 holds in each."""
    story.begin(A)
    story.begin(B)
    story.fill(B, WINDOW * percent // 100)
    story.say(B, "ok")  # tells the phase
    for number in range(12):
        story.say(A, f"Never rename column number {number} of the table of invoices.")

    assert story.say(B, "ok").count("> Never rename column") == 12
    story.ends_well()


@pytest.mark.promise("C10")
@pytest.mark.promise("C15")
@pytest.mark.parametrize(("percent", "pins"), [(10, {5}), (50, {1, 2, 3, 4}), (75, {0}), (90, {0})])
def test_the_fuller_the_window_the_less_is_said(story, percent, pins):
    """ "CRITICAL: minimal output, skip non-essential work" """
    story.begin(A)
    story.say(A, PROMPT)
    for number in range(5):
        story.pin(A, f"The host of stage {number} is called heron-{number}")
    story.end(A)
    story.begin(B)
    story.fill(B, WINDOW * percent // 100)
    story.say(B, "ok")

    story.holdfast("session", "continue", A, session=B)
    said = story.say(B, "go on")

    assert f"The user's goal there:\n> {TASK}" in said
    assert said.count("is called heron-") in pins
    story.ends_well()


@pytest.mark.promise("C18")
def test_every_answer_opens_with_its_phase(story):
    """ "Hooks inject phase markers for context visibility" """
    story.begin(A)
    story.begin(B)
    story.say(A, PROMPT)
    heard = {
        "SESSION_RUNNING": story.say(B, "ok"),
        "PRE_COMPACT": story.tell("PreCompact.manual", A),
        "POST_COMPACT": story.begin(A, "compact"),
    }
    story.crash(A)
    heard["SESSION_REVIVAL"] = story.begin(A, "resume")
    story.end(A)
    heard["SESSION_START"] = story.begin(C)

    for marker, said in heard.items():
        assert re.findall(r"\[PHASE: (\w+)\]", said) == [marker]
        assert said.startswith(f"[PHASE: {marker}] Holdfast")
    story.ends_well()


@pytest.mark.promise("C18")
def test_what_keeps_a_turn_from_ending_opens_with_the_phase_of_stopping(story):
    """ "[PHASE: SESSION_STOP] - Wrapping up" """
    story.demand("requirements:\n  plan: {scope: session, message: Write a plan.}\n")
    story.begin(A)
    story.say(A, PROMPT)
    story.edit(A, "src/fetch.py")

    refusal = story.stop(A)

    assert refusal.startswith("[PHASE: SESSION_STOP] Not finished: a requirement is open")
    assert re.findall(r"\[PHASE: (\w+)\]", refusal) == ["SESSION_STOP"]
    assert story.stop(A, stop_hook_active=True) == ""  # nothing to say: no marker either
    story.ends_well()


@pytest.mark.promise("C12")
def test_every_checkpoint_has_its_schema_version(story):
    """ "4. Schema versioning - Always include version in checkpoints" """
    work(story)
    story.fill(A, 6_000)
    story.say(A, "go on")
    story.fill(A, 12_000)
    story.stop(A)
    story.compact(A)
    story.holdfast("context", "checkpoint", session=A)
    story.clear(A, B)

    taken = story.bodies("checkpoint_taken")
    assert {body["cause"] for body in taken} == {"delta", "stop", "compact", "hand", "clear"}
    assert {body["schema"] for body in taken} == {VERSION}
    story.ends_well()


@pytest.mark.promise("C14")
@pytest.mark.promise("T4")
@pytest.mark.parametrize(
    ("stale", "offered"),
    [
        ("nothing", True),
        ("its worktree is gone", True),  # its branch is not
        ("its branch is another", False),
        ("it is of another project", False),
    ],
)
def test_staleness_validation_checks_content_and_not_just_age(
    story, repo, tmp_path, stale, offered
):
    """ "5. Staleness validation - Check content, not just age": all of them are two hours old."""
    place = None
    if stale == "its worktree is gone":
        place = tmp_path / "tree"
        git(repo, "worktree", "add", "-q", "-b", "other", str(place))
    elif stale == "it is of another project":
        place = make_repo(tmp_path / "elsewhere")
        git(place, "commit", "-q", "--allow-empty", "--amend", "-m", "Another beginning")
    else:
        git(repo, "switch", "-q", "-c", "other")
    story.begin(A, hours=2, place=place)
    story.say(A, PROMPT, hours=2, place=place)
    story.stop(A, NEXT, hours=2, place=place)
    story.end(A, hours=2, place=place)
    story.read(B, "README.md")  # takes the past in, while all of it is there
    if stale == "its worktree is gone":
        git(repo, "worktree", "remove", "--force", str(place))
        git(repo, "checkout", "-q", "other")
    elif stale == "its branch is another":
        git(repo, "checkout", "-q", "-b", "invoices", "main")

    said = story.begin(C)

    assert (f'> stopped: "{NEXT}"' in said) is offered
    assert (f"> {RULE}  (" in said) is (stale != "it is of another project")
    story.ends_well()


@pytest.mark.promise("T5")
@pytest.mark.parametrize(
    ("prompt", "tells"),
    [
        ("Go on with the retry loop of the fetcher", True),
        ("Draw the logo of the shop in blue", False),
    ],
)
def test_of_work_of_one_age_a_prompt_is_told_what_it_is_about(story, prompt, tells):
    """ "5. Staleness validation - Check content, not just age": on main, a day and more old."""
    story.begin(A, hours=30)
    story.say(A, PROMPT, hours=30)
    story.edit(A, "src/fetch.py", hours=30)
    story.stop(A, NEXT, hours=30)
    story.end(A, hours=30)
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "--allow-empty", "-m", "Retry")

    assert NEXT not in story.begin(B)
    assert (NEXT in story.say(B, prompt)) is tells
    story.ends_well()


@pytest.mark.promise("C14")
def test_next_steps_are_documented_before_the_stop(story, repo):
    """ "6. Explicit handoff - Document next steps before stop" """
    work(story)

    folder = repo / ".git" / "holdfast" / "handoffs"
    handed = json.loads((folder / f"{A}.json").read_text())
    assert handed["next_steps"] == [NEXT]
    assert handed["next_steps_source"] == "the agent's last message"
    says = "AssertionError: 2 != 3"
    assert handed["blockers"] == [{"type": "command", "details": COMMAND, "says": says}]
    assert handed["recent_files"] == ["src/fetch.py"]
    assert handed["goal"] == TASK
    page = (folder / f"{A}.md").read_text()
    assert f"- {NEXT}" in page
    assert f"- `{COMMAND}` failed: `{says}`" in page
    assert f"- {RULE}" in page
    story.crash(A)  # nobody came to say goodbye
    assert f"> {NEXT}" in story.begin(B)
    story.ends_well()


# The anti-patterns


@pytest.mark.promise("C11")
@pytest.mark.parametrize(("hours", "comes"), [(0.5, True), (1.5, False)])
def test_anti_pattern_restoring_all_state_blindly(story, hours, comes):
    """ "Restoring all state blindly | Filter by tier": tier 2 under an hour, tier 1 always."""
    story.door.environment["HOLDFAST_BRIEFING_PREAMBLE"] = "1"
    work(story, hours=hours)
    story.end(A, hours=hours)

    said = story.begin(B)

    assert ("Files read: src/limits.py" in said) is comes
    assert carries_tier_1(said) == []
    story.ends_well()


@pytest.mark.promise("C12")
def test_anti_pattern_ignoring_schema_version_of_a_checkpoint(story, repo):
    """ "Ignoring schema version | Validate or migrate": a newer one is refused, not guessed at."""
    work(story)
    body = {"cause": "compact", "schema": VERSION + 1, "tokens": 0, "phase": "VERBOSE"}
    story.keep("checkpoint_taken", {**body, "tier1": {"goals": ["FROM-THE-FUTURE"]}}, session=A)

    found = story.holdfast("context", session=A)["checkpoint"]
    said = "".join(story.compact(A)) + story.clear(A, B)

    assert f"schema version {VERSION + 1}" in found["refusal"]
    assert "FROM-THE-FUTURE" not in json.dumps(found) + said
    assert carries_tier_1(said) == []
    story.ends_well()


@pytest.mark.promise("C12")
def test_anti_pattern_ignoring_schema_version_of_the_store(story, state, repo):
    """A store of a newer Holdfast is not written to: the event waits, and is there afterwards."""
    work(story)
    store = sqlite.Store(f"{state}/store.db")  # stays open: it could not be opened again
    store.run(f"pragma user_version = {driver.SCHEMA + 1}")

    assert story.say(A, "What would the older one do?") == ""

    assert [fault["kind"] for fault in faults.all_of(state)] == ["store unavailable"]
    store.run(f"pragma user_version = {driver.SCHEMA}")
    store.close()
    story.say(A, "ok")
    prompts = [body["prompt"] for body in story.bodies("prompt_given", A)]
    assert prompts[-2:] == ["What would the older one do?", "ok"]
    assert_replay_law(state, repo)


@pytest.mark.promise("C11")
def test_anti_pattern_persisting_debug_logs(story, repo):
    """ "Persisting debug logs | Discard Tier3": a log is no part of what is handed on."""
    story.begin(A)
    story.say(A, TASK)
    story.run(A, "tail -n 400 app.log", "DEBUG-LINE\n" * 400)
    story.tell("StopFailure", A, error="overloaded", error_details="FRAMEWORK-TRACE")
    story.tell("SubagentStop", A, agent_id="s1", last_assistant_message="APPROACH-TRIED")
    story.stop(A, NEXT)

    said = "".join(story.compact(A)) + story.clear(A, B)

    handed = (repo / ".git" / "holdfast" / "handoffs" / f"{A}.json").read_text()
    kept = json.dumps(story.bodies("checkpoint_taken"))
    for noise in ("DEBUG-LINE", "FRAMEWORK-TRACE", "APPROACH-TRIED"):
        assert noise not in said + handed + kept
    story.ends_well()


@pytest.mark.promise("C15")
def test_anti_pattern_no_phase_checking_in_hooks(story):
    """ "No phase checking in hooks | Use get_budget_manager()": the figures are the agent's own,
    kept with each event, and survive the hook's process (the design's own manager did not)."""
    story.begin(A)
    for percent in (5, 45, 75, 95):
        story.fill(A, WINDOW * percent // 100)
        story.say(A, "ok")
        story.tell("PreCompact.auto", A)

    assert [
        body["phase"] for body in story.bodies("checkpoint_taken") if body["cause"] == "compact"
    ] == [
        "VERBOSE",
        "CONDENSED",
        "SIGNALS",
        "CRITICAL",
    ]
    assert {body["window"] for body in story.bodies("prompt_given")} == {WINDOW}
    story.ends_well()


@pytest.mark.promise("C14")
@pytest.mark.parametrize(("branch", "is_told"), [("topic", True), ("main", False)])
def test_anti_pattern_stale_handoff_loading(story, repo, branch, is_told):
    """ "Stale handoff loading | Validate relevance": with the work that it is of, not by age."""
    hours = 20 * DAY
    if branch == "topic":
        git(repo, "switch", "-q", "-c", branch)
    work(story, hours=hours)
    story.end(A, hours=hours)

    said = story.begin(B)

    assert (NEXT in said) is is_told
    if is_told:
        assert carries_tier_1(said) == ["errors_unresolved"]  # which a day closes
    story.ends_well()


@pytest.mark.promise("C11")
@pytest.mark.parametrize("how", ["crash and resume", "startup", "clear", "compaction"])
def test_anti_pattern_missing_goal_on_revival(story, how):
    """ "Missing goal on revival | Always restore Tier1 first" """
    work(story)
    story.pin(A, "The staging host is called heron")
    if how == "clear":
        said = story.clear(A, B)
    elif how == "compaction":
        said = story.compact(A)[1]
    else:
        story.crash(A)
        said = story.begin(A, "resume") if "resume" in how else story.begin(B)

    assert carries_tier_1(said) == []
    first = max(said.index(text) for text in (f"> {RULE}  (", TASK))
    assert first < min(said.index(text) for text in (COMMAND, NEXT_STEPS, "heron"))
    story.ends_well()
