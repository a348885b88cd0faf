"""What a person says by command is kept, holds, and is told; what is shown is what holds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from terminal import run, typed

from conftest import git, make_repo
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import task
from holdfast.setup import install
from law import assert_nothing_swallowed, assert_replay_law

A, B = "aaaaaaaa-0000-4000-8000-000000000000", "bbbbbbbb-0000-4000-8000-000000000000"
C = "cccccccc-0000-4000-8000-000000000000"
TASK = "Implement the retry logic in fetch.py for HTTP 503. Please don't touch the tests."
CANDIDATE = "Please don't touch the tests"
SECRET = "ghp_" + "a1B2" * 9  # shaped like a token, and nobody's


def holdfast(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command as a person types it, for what is said here is said in the person's name."""
    return typed(folder, *arguments, **environment)


def told(folder: Path, *arguments: str, **environment: str) -> dict:
    done = holdfast(folder, *arguments, "--json", **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def pinned(folder: Path, *arguments: str, **environment: str) -> dict:
    """A pin as an agent makes it, in its session and without a terminal."""
    return json.loads(run(folder, "pin", *arguments, "--json", **environment).stdout)["pin"]


def refused(folder: Path, *arguments: str, code: int = 1) -> str:
    done = holdfast(folder, *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert [line[:6] for line in done.stderr.splitlines()] == ["error:", "hint: "]
    return done.stderr


def texts(found: dict) -> list[str]:
    return [rule["text"] for rule in found["rules"]]


class Working:
    """A session at work: begun, and given a task."""

    def __init__(self, door, session: str = A, prompt: str = TASK) -> None:
        self.door, self.session, self.agent, self.prompts = door, session, door.agent(), 0
        self.greeting = door.send("SessionStart.startup", agent=self.agent, session_id=session)
        if prompt:
            self.say(prompt)

    def say(self, prompt: str, **changes: object) -> str:
        self.prompts += 1
        return self.send("UserPromptSubmit", prompt=prompt, prompt_id=f"p{self.prompts}", **changes)

    def send(self, name: str, **changes: object) -> str:
        return self.door.send(name, agent=self.agent, session_id=self.session, **changes)

    def end(self) -> None:
        self.send("SessionEnd.other")
        self.agent.kill()


@pytest.fixture
def working(door) -> Working:
    return Working(door)


def lawful(state: str, repo: Path) -> None:
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


# The goal


@pytest.mark.promise("C1")
def test_the_goal_shown_is_the_first_task_with_its_session_and_keywords(working, repo):
    goal = told(repo, "goal")["goal"]

    assert goal["goal"].startswith("Implement the retry logic")
    assert (goal["session"], goal["how"]) == (A, "prompt")
    assert "fetch.py" in goal["keywords"]
    assert "in aaaaaaaa, by prompt" in holdfast(repo, "goal", "show").stdout


@pytest.mark.promise("C1")
def test_the_form_of_words_that_gave_the_goal_is_named(working, repo):
    assert 'Why       an order, "implement" in a prompt' in holdfast(repo, "goal", "--why").stdout
    told(repo, "goal", "set", "Write the release notes")
    assert told(repo, "goal", "--why")["why"] == "said with `holdfast goal set`"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("can you fix the build?", 'a request, "can you"'),
        ("I'd like the list sorted by date", 'a wish, "i\'d like"'),
        ("how can we make the tests faster?", 'a question how to, "how can we"'),
        ("the build fails since Monday", "a problem that it reports"),
        ("/review src/fetch.py", "what follows a command"),
    ],
)
def test_each_form_of_words_has_its_name(text, form):
    assert task.why(text) == form


@pytest.mark.promise("C1")
def test_a_goal_set_by_command_holds_at_once_and_the_session_is_told(working, repo, state):
    made = told(repo, "goal", "set", "Write the release notes for version two")

    assert made["goal"]["session"] == A
    shown = told(repo, "goal")
    assert shown["goal"]["goal"] == "Write the release notes for version two"
    assert [one["goal"][:9] for one in shown["before"]] == ["Implement"]
    heard = working.say("Go on")
    assert "The user's goal, set by command" in heard
    assert "> Write the release notes for version two" in heard
    lawful(state, repo)


@pytest.mark.promise("C1")
def test_another_goal_leaves_the_rules_alone(working, repo, state):
    working.say("Always run the linter")

    told(repo, "goal", "set", "Write the release notes for version two")
    assert texts(told(repo, "rules")) == ["Always run the linter"]

    back = told(repo, "goal", "keep")
    assert back["goal"]["goal"].startswith("Implement the retry logic")
    lawful(state, repo)


@pytest.mark.promise("C1")
def test_accepting_the_goal_makes_it_a_task_of_its_own(working, repo, state):
    before = told(repo, "goal")["goal"]

    made = told(repo, "goal", "accept")

    assert made["goal"]["goal"] == before["goal"]
    assert made["goal"]["thread"] != before["thread"]
    lawful(state, repo)


@pytest.mark.promise("C1")
def test_a_goal_set_while_no_session_runs_is_what_the_next_one_begins_with(door, repo, state):
    Working(door).end()
    assert told(repo, "goal", "set", "Write the release notes")["goal"]["session"] == ""

    assert told(repo, "goal")["goal"]["goal"] == "Write the release notes"
    second = Working(door, B, prompt="")

    assert "> Write the release notes" in second.greeting
    assert told(repo, "goal")["goal"]["goal"] == "Write the release notes"
    lawful(state, repo)


def test_without_a_goal_before_there_is_nothing_to_go_back_to(working, repo):
    assert "no goal before" in refused(repo, "goal", "keep")


# Rules


@pytest.mark.promise("C2")
def test_a_rule_given_by_command_holds_for_good_and_comes_back_word_for_word(door, repo, state):
    first = Working(door)
    rule = told(repo, "rules", "add", "Don’t touch  `legacy/`, ever")["rule"]
    assert (rule["sort"], rule["session"]) == ("forbids", A)
    assert "> Don’t touch  `legacy/`, ever" in first.say("Go on")
    first.end()

    second = Working(door, B, prompt="Write the release notes for version two")

    assert "> Don’t touch  `legacy/`, ever" in second.greeting
    assert (
        "Don’t touch  `legacy/`, ever  (forbids, you, by command, "
        in holdfast(repo, "rules").stdout
    )
    lawful(state, repo)


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("Never push", "forbids"),
        ("no, use uv", "forbids"),
        ("do not squash", "forbids"),
        ("Note every change", "demands"),
        ("Use uv", "demands"),
    ],
)
def test_a_rule_that_begins_with_a_ban_forbids_and_any_other_demands(working, repo, text, sort):
    assert told(repo, "rules", "add", text)["rule"]["sort"] == sort


@pytest.mark.promise("C2")
def test_a_dropped_rule_is_not_in_force_is_told_as_gone_and_keeps_its_reason(working, repo, state):
    rule = told(repo, "rules", "add", "Never push to main")["rule"]
    working.say("Go on")

    assert told(repo, "rules", "drop", rule["id"][:4])["rule"]["id"] == rule["id"]

    assert texts(told(repo, "rules")) == []
    gone = [one for one in told(repo, "rules", "--all")["rules"] if one["id"] == rule["id"]]
    assert [one["in_force"] for one in gone] == [False]
    assert "withdrawn" in gone[0]["why"]
    assert "by command" in gone[0]["why"]
    heard = working.say("Go on with it")
    assert "that are no longer in force:\n> Never push to main" in heard
    assert "was dropped already" in refused(repo, "rules", "drop", rule["id"])
    told(repo, "rules", "keep", rule["id"])
    assert texts(told(repo, "rules")) == ["Never push to main"]
    lawful(state, repo)


@pytest.mark.promise("C2")
def test_a_candidate_that_is_kept_holds_in_the_next_session(working, repo, state, door):
    (rule,) = told(repo, "rules", "--candidates")["rules"]
    assert (rule["text"], rule["in_force"]) == (CANDIDATE, False)

    told(repo, "rules", "keep", rule["id"][:6])
    working.end()

    assert f"> {CANDIDATE}  (" in Working(door, B, prompt="").greeting
    (rule,) = told(repo, "rules")["rules"]
    assert (rule["why"], rule["candidate"]) == ("kept by you", False)
    lawful(state, repo)


@pytest.mark.promise("C2")
def test_candidates_of_earlier_sessions_are_listed_and_counted_and_not_in_force(door, repo):
    Working(door).end()
    Working(door, B, prompt="")

    found = told(repo, "rules")
    assert (found["rules"], found["candidates"]) == ([], 1)
    assert "1 candidate: `holdfast rules --candidates`" in holdfast(repo, "rules").stdout
    shown = holdfast(repo, "rules", "--candidates").stdout
    assert f"{CANDIDATE}  (forbids, heard in your prompt, told to no session, " in shown
    assert "`holdfast rules keep ID` makes a rule of one." in shown


@pytest.mark.promise("C2")
def test_a_reworded_rule_takes_the_place_of_the_old_one(working, repo, state):
    rule = told(repo, "rules", "add", "Never push")["rule"]

    told(repo, "rules", "edit", rule["id"][:6], "Never", "push to main")

    assert texts(told(repo, "rules")) == ["Never push to main"]
    lawful(state, repo)


@pytest.mark.promise("C2")
def test_a_dead_end_is_listed_as_one_and_told_as_one(working, repo):
    told(repo, "rules", "add", "--dead-end", "Mocking the socket: the tests hang")

    found = told(repo, "rules", "--dead-end")["rules"]
    assert [(one["text"], one["sort"]) for one in found] == [
        ("Mocking the socket: the tests hang", "dead_end")
    ]
    carried = holdfast(repo, "context", "compact", "--dry-run").stdout
    assert "Dead ends the user told of" in carried


def test_a_rule_said_twice_is_one_rule(working, repo):
    told(repo, "rules", "add", "Use uv")
    told(repo, "rules", "add", "Use uv")

    assert texts(told(repo, "rules")) == ["Use uv"]


def test_a_rule_too_long_to_be_told_whole_is_refused_and_not_cut(working, repo):
    assert "601 characters are too many" in refused(repo, "rules", "add", "x" * 601)


# Pins


@pytest.mark.promise("C5")
def test_a_pin_is_kept_with_label_and_flag_and_goes_by_its_label(working, repo, state):
    pin = pinned(repo, "The staging server is down", "--label", "Staging")
    pinned(repo, "[CRITICAL]", "never", "touch", "migrations")
    assert (pin["label"], pin["critical"], pin["session"]) == ("Staging", False, A)

    found = told(repo, "pins")["pins"]
    assert [(one["content"], one["critical"]) for one in found] == [
        ("[CRITICAL] never touch migrations", True),
        ("The staging server is down", False),
    ]
    assert "labelled Staging" in refused(repo, "pin", "It is up again", "--label", "staging")

    assert told(repo, "unpin", "staging") == {"unpinned": pin["id"]}
    assert [one["critical"] for one in told(repo, "pins")["pins"]] == [True]
    lawful(state, repo)


@pytest.mark.promise("C5")
def test_the_eleventh_pin_is_refused_and_says_how_to_make_room(working, repo, state):
    for number in range(10):
        pinned(repo, f"Thing {number}")

    assert "holdfast pins drop" in run(repo, "pin", "Thing 10").stderr
    assert len(told(repo, "pins")["pins"]) == 10
    told(repo, "unpin", told(repo, "pins")["pins"][0]["id"][:6])
    pinned(repo, "Thing 10")
    lawful(state, repo)


@pytest.mark.promise("C5")
def test_a_pin_of_no_session_is_in_every_session_to_come(door, repo, state):
    Working(door).end()
    assert told(repo, "pin", "Look at src/fetch.py", "--critical")["pin"]["session"] == ""

    second = Working(door, B, prompt="")

    assert "> CRITICAL Look at src/fetch.py" in second.greeting
    assert [one["inherited_from"] for one in told(repo, "pins")["pins"]] == [None]
    lawful(state, repo)


@pytest.mark.promise("C5")
def test_an_inherited_pin_says_from_whom_and_can_be_taken_away(door, repo, state):
    first = Working(door)
    pinned(repo, "Look at src/fetch.py")
    first.end()
    Working(door, B, prompt="")

    (pin,) = told(repo, "pins")["pins"]
    assert pin["inherited_from"] == A
    assert "inherited from aaaaaaaa" in holdfast(repo, "pins").stdout
    told(repo, "unpin", pin["id"])
    assert told(repo, "pins")["pins"] == []
    lawful(state, repo)


# Learnings


@pytest.mark.promise("C4")
def test_what_was_learnt_is_listed_newest_first_until_it_is_dropped(working, repo, state):
    told(repo, "learn", "Tests need TZ=UTC", "--category", "tests", "--category", "time")
    told(repo, "learn", "The build wants Python 3.11")

    found = told(repo, "learnings")["learnings"]
    assert [(one["text"], one["categories"], one["source"]) for one in found] == [
        ("The build wants Python 3.11", [], "command"),
        ("Tests need TZ=UTC", ["tests", "time"], "command"),
    ]
    assert [one["text"] for one in told(repo, "learnings", "--limit", "1")["learnings"]] == [
        "The build wants Python 3.11"
    ]
    told(repo, "learnings", "--drop", found[0]["id"][:6])
    assert [one["text"] for one in told(repo, "learnings")["learnings"]] == ["Tests need TZ=UTC"]
    lawful(state, repo)


# The context


def transcript(folder: Path, tokens: int) -> str:
    path = folder / "transcript.jsonl"
    usage = {"input_tokens": tokens, "output_tokens": 0}
    row = {"type": "assistant", "message": {"model": "claude-opus-4-1", "usage": usage}}
    path.write_text(json.dumps(row) + "\n")
    return str(path)


@pytest.mark.promise("C15")
def test_the_context_is_told_in_the_agents_own_figures(working, repo, tmp_path, state):
    working.say("Go on", transcript_path=transcript(tmp_path, 150_000))

    found = told(repo, "context")

    assert (found["tokens"], found["window"], found["phase"]) == (150_000, 200_000, "SIGNALS")
    assert found["said"][A] > 0
    shown = holdfast(repo, "context", "status").stdout
    assert "150000 of 200000 tokens (75 %), phase SIGNALS" in shown
    lawful(state, repo)


@pytest.mark.promise("C12")
def test_a_checkpoint_by_hand_says_what_it_holds_and_whether_it_could_be_restored(
    working, repo, tmp_path, state
):
    working.say("Go on", transcript_path=transcript(tmp_path, 1_000))
    working.send("PostToolUse.Edit", tool_input={"file_path": f"{repo}/a.py", "new_string": "b"})

    said = holdfast(repo, "context", "checkpoint").stdout
    assert "It holds the goal, 0 rules, 0 pins, confidence 75, no contract, 1 changed file," in said

    working.say("Go on then", transcript_path=transcript(tmp_path, 3_000))
    last = told(repo, "context")["checkpoint"]
    assert (last["cause"], last["session"], last["refusal"]) == ("hand", A, None)
    assert last["tokens_since"] == 2_000
    assert "● `holdfast context restore` brings it back" in holdfast(repo, "context").stdout
    lawful(state, repo)


@pytest.mark.promise("C12")
def test_a_checkpoint_of_a_session_that_is_live_elsewhere_is_not_offered(door, repo, tmp_path):
    Working(door)
    told(repo, "context", "checkpoint")
    git(repo, "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))
    door.send("SessionStart.startup", agent=door.agent(), session_id=B, folder=tmp_path / "other")

    found = told(tmp_path / "other", "context")

    assert found["session"] == B
    assert found["checkpoint"]["refusal"] == "its session is live elsewhere"


@pytest.mark.promise("C13")
def test_the_dry_run_of_a_compaction_says_what_precompact_says_and_keeps_nothing(
    working, repo, state
):
    told(repo, "rules", "add", "Never push to main")
    pinned(repo, "Look at src/fetch.py")
    told(repo, "handoff", "--summary", "Half of it works", "--next", "Mend the test")
    working.send("PostToolUseFailure", tool_input={"command": "pytest -q"}, error="1 failed")
    before = ledger.count(Workspace(state).store)

    rehearsed = told(repo, "context", "compact", "--dry-run")["text"]

    assert ledger.count(Workspace(state).store) == before
    assert rehearsed == working.send("PreCompact.manual")
    assert "> Never push to main" in rehearsed
    assert "/compact" in refused(repo, "context", "compact")


# Continuation


@pytest.mark.promise("C10")
def test_the_next_session_goes_on_from_the_one_that_was_named(door, repo, state):
    first = Working(door)
    pinned(repo, "Look at src/fetch.py")
    first.end()
    Working(door, B, prompt="Never mind, write the release notes for version two").end()

    said = told(repo, "session", "continue", "aaaa")
    assert (said["continue"], said["session"]) == (A, None)
    assert told(repo, "goal")["goal"]["session"] == A

    third = Working(door, C, prompt="")
    assert "> Implement the retry logic" in third.greeting
    assert told(repo, "goal")["goal"]["session"] == A
    assert texts(told(repo, "rules")) == []  # what was only heard crosses no session
    assert [one["inherited_from"] for one in told(repo, "pins")["pins"]] == [A]
    lawful(state, repo)


@pytest.mark.promise("C10")
def test_a_live_session_goes_on_from_another_at_once_and_is_told_once(door, repo, state):
    first = Working(door)
    pinned(repo, "Look at src/fetch.py", "--label", "fetch")
    first.end()
    Working(door, B, prompt="Change of plan: now write the release notes for version two").end()
    third = Working(door, C, prompt="Now translate the handbook into French, chapter by chapter")
    told(repo, "unpin", "fetch")
    assert texts(told(repo, "rules")) == []

    said = told(repo, "session", "continue", A)

    assert said["session"] == C
    assert told(repo, "goal")["goal"]["session"] == A
    heard = third.say("Go on")
    assert "Continued from aaaaaaaa" in heard
    assert "> Implement the retry logic" in heard
    assert "Continued from" not in third.say("Go on with it")
    lawful(state, repo)


@pytest.mark.promise("C10")
def test_pins_come_along_within_the_cap_when_a_session_is_continued(door, repo, state):
    first = Working(door)
    for number in range(7):
        pinned(repo, f"Thing {number}")
    first.end()
    second = Working(door, B, prompt="")
    for pin in told(repo, "pins")["pins"]:
        assert pin["inherited_from"] == A
    assert len(told(repo, "pins")["pins"]) == 5

    assert told(repo, "session", "continue", "aaaaaaaa")["pins"] == 0
    assert len(told(repo, "pins")["pins"]) == 5
    second.end()
    lawful(state, repo)


@pytest.mark.promise("C10")
def test_what_another_session_pinned_comes_along_at_once_however_alive_it_is(
    door, repo, tmp_path, state
):
    other = tmp_path / "other"
    git(repo, "worktree", "add", "-q", "-b", "other", str(other))
    door.send("SessionStart.startup", agent=door.agent(), session_id=A, folder=other)
    pinned(other, "Look at src/fetch.py", "--label", "fetch")
    second = Working(door, B)
    pinned(repo, "Look at docs/", "--label", "docs")

    assert told(repo, "session", "continue", A)["pins"] == 1

    found = told(repo, "pins")["pins"]
    assert [(one["label"], one["inherited_from"]) for one in found] == [
        ("docs", None),
        ("fetch", A),
    ]
    assert told(repo, "goal")["goal"]["session"] == B  # the other has none to give
    assert "Pins that came with it:\n> fetch: Look at src/fetch.py" in second.say("Go on")
    lawful(state, repo)


@pytest.mark.promise("C10")
def test_a_session_of_another_project_cannot_be_continued(door, repo, tmp_path, working):
    elsewhere = make_repo(tmp_path / "elsewhere")
    git(elsewhere, "commit", "-q", "--amend", "-m", "Begin elsewhere")
    door.send("SessionStart.startup", agent=door.agent(), session_id=B, folder=elsewhere)

    assert "another project" in refused(repo, "session", "continue", B)
    assert "this very session" in refused(repo, "session", "continue", A)
    assert "another project" in refused(repo, "handoff", "--session", B)


# The handoff


@pytest.mark.promise("C14")
def test_a_handoff_in_ones_own_words_comes_first_and_says_so(working, repo, state):
    working.send("Stop", last_assistant_message="All done. Next: write the docs")
    said = told(repo, "handoff")
    assert said["summary_source"] == "the agent's last message"

    given = ["--summary", "Half of it works", "--next", "Mend the test", "--next", "Push"]
    told(repo, "handoff", *given, "--blocker", "No staging", "--question", "Which port?")

    said = told(repo, "handoff", "--session", "aaaaaaaa")
    assert (said["summary"], said["summary_source"]) == ("Half of it works", "the handoff")
    assert (said["next_steps"], said["questions"]) == (["Mend the test", "Push"], ["Which port?"])
    assert said["blockers"] == [{"type": "told", "details": "No staging"}]
    page = holdfast(repo, "handoff", "--markdown").stdout
    assert page.startswith("# Handoff: app\n")
    assert "## Summary (from the handoff)\n\n> Half of it works" in page
    lawful(state, repo)


@pytest.mark.promise("C14")
def test_a_handoff_for_a_session_that_is_over_reaches_the_next_one(door, repo, state):
    Working(door).end()
    told(repo, "handoff", "--summary", "Half of it works", "--next", "Mend the test")

    second = Working(door, B, prompt="")

    assert "Next steps, from the handoff:\n> Mend the test" in second.greeting
    lawful(state, repo)


# Figures


@pytest.mark.promise("C19")
def test_stats_are_summed_from_the_entries(door, repo, state):
    first = Working(door)
    pinned(repo, "Look at src/fetch.py")
    rule = told(repo, "rules", "add", "Never push to main")["rule"]
    told(repo, "rules", "drop", rule["id"])
    told(repo, "learn", "Tests need TZ=UTC")
    told(repo, "context", "checkpoint")
    first.send("InstructionsLoaded")
    first.send("UserPromptExpansion")
    first.send("PostToolUse", tool_name="Skill", tool_input={"skill": "tidy"}, tool_response={})
    first.end()
    Working(door, B, prompt="").agent.kill()
    Working(door, C, prompt="")
    told(repo, "chain")

    found = told(repo, "stats")

    assert found["sessions"] == {"begun": 3, "captured": 1, "crashed": 1, "restored": 2}
    assert found["inherited"]["pins"] >= 1
    assert found["checkpoints"]["by_cause"]["hand"] == 1
    assert found["rules"] == {"given": 2, "withdrawn": 1, "in_force": 0}
    assert (found["goals"], found["learnings"], found["chain_walks"]) == (1, 1, 1)
    assert found["loaded"] == {"instructions": 1, "commands": 1, "skills": 1}
    assert found["said"]["tokens"] > found["said"]["median_tokens"] > 0
    assert told(repo, "stats", "--all")["sessions"] == found["sessions"]
    lawful(state, repo)


@pytest.mark.promise("C19")
def test_a_walk_along_the_chain_is_an_entry_and_tells_who_was_restored(door, repo, state):
    Working(door).end()
    Working(door, B, prompt="")

    rows = told(repo, "chain", B)["chain"]

    assert [row["continued_by"] for row in rows] == [[B], []]
    (kept,) = ledger.bodies_of_kind(Workspace(state).store, B, "chain_walked")
    assert json.loads(kept) == {"depth": 10, "found": 1}
    lawful(state, repo)


@pytest.mark.promise("C19")
def test_a_chain_is_walked_as_far_as_it_is_asked(door, repo):
    for session in (A, B, C):
        Working(door, session).end()

    def walked(*words: str) -> list[str]:
        return [row["id"] for row in told(repo, "chain", *words)["chain"]]

    assert sorted(walked(C)) == sorted(walked(A)) == [A, B, C]
    assert sorted(walked(C, "--depth", "1")) == [B, C]
    assert sorted(walked(A, "--depth", "1")) == [A, B]


@pytest.mark.promise("C19")
def test_a_chain_is_shown_while_another_holds_the_store(working, repo, state):
    store = Workspace(state).store

    with store.transaction():
        assert holdfast(repo, "chain").returncode == 0


# Doors


@pytest.mark.promise("A6")
def test_an_act_belongs_to_the_agents_own_session_when_it_runs_inside_one(door, repo):
    Working(door)
    Working(door, B, prompt="")  # newer, and live as well

    inside = pinned(repo, "Mine", CLAUDE_CODE_SESSION_ID=A)
    outside = pinned(repo, "The newest's")
    unknown = pinned(repo, "Also the newest's", CLAUDE_CODE_SESSION_ID=C)

    assert [inside["session"], outside["session"], unknown["session"]] == [A, B, B]


@pytest.mark.promise("A6")
def test_a_live_session_of_another_worktree_does_not_take_what_is_said_here(door, repo, tmp_path):
    Working(door)
    git(repo, "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))

    assert pinned(tmp_path / "other", "For all")["session"] == ""


@pytest.mark.promise("A6")
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["goal", "set"], 2),
        (["goal", "show", "what"], 2),
        (["goal", "frobnicate"], 2),
        (["goal", "set", " "], 1),
        (["rules", "add"], 2),
        (["rules", "drop"], 2),
        (["rules", "drop", "zzzzzz"], 1),
        (["rules", "drop", "abc"], 1),
        (["rules", "edit", "abcd"], 2),
        (["rules", "list", "never", "push"], 2),
        (["pin"], 2),
        (["unpin", "zzzz"], 1),
        (["learn"], 2),
        (["learnings", "--drop", "zzzz"], 1),
        (["context", "status", "--dry-run"], 2),
        (["context", "compact"], 1),
        (["session", "continue", "zzzz"], 1),
        (["session", "--of-no-use"], 2),
        (["handoff", "--session", "zzzz"], 1),
        (["handoff", *["--next", "x"] * 6], 1),
        (["stats", "here"], 2),
    ],
)
def test_an_error_is_one_line_and_a_hint(working, repo, arguments, code):
    refused(repo, *arguments, code=code)


@pytest.mark.promise("A6")
@pytest.mark.parametrize(
    "command",
    ["goal", "rules", "pins", "learnings", "context", "handoff", "stats", "pin x"],
)
def test_where_nothing_was_kept_yet_nothing_is_made(repo, state, command):
    refused(repo, *command.split())

    assert not Path(state).exists()


@pytest.mark.promise("A6")
@pytest.mark.parametrize("command", ["goal", "rules", "pins", "learnings", "stats"])
def test_an_empty_state_says_what_to_do_next(working, door, tmp_path, command):
    elsewhere = make_repo(tmp_path / "elsewhere")

    done = holdfast(elsewhere, command)

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) <= 2
    assert done.stdout


@pytest.mark.promise("A6")
def test_what_is_said_before_the_first_session_waits_for_it(door, repo, state):
    elsewhere = repo.parent / "elsewhere"
    make_repo(elsewhere)
    install.install(state, install.settings_path(repo))
    told(repo, "goal", "set", "Teach fetch.py to retry")
    pinned(repo, "Look at src/fetch.py")
    assert "no project that Holdfast knows" in refused(elsewhere, "pin", "x")

    first = Working(door, prompt="")

    assert "> Teach fetch.py to retry" in first.greeting
    assert "> Look at src/fetch.py" in first.greeting
    lawful(state, repo)


@pytest.mark.promise("X1")
@pytest.mark.parametrize("command", ["goal set", "rules add", "pin", "learn", "handoff --summary"])
def test_a_secret_said_by_command_is_not_kept(working, repo, state, command):
    done = holdfast(repo, *command.split(), f"Deploy with {SECRET} on staging")

    assert done.returncode == 0
    assert SECRET not in done.stdout
    for file in Path(state).rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()
