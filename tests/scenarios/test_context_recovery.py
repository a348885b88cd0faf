"""Context recovery after a clear, a crash and lost notes; and each anti-pattern that it rules out,
through the real door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import commands
from conftest import git
from holdfast.hook.tokens import count
from holdfast.rooms.decisions.decision import ASSUMPTION, USER
from scenarios.story import A, B, Story

CODE = "def rotate():\n    return 'a new token'\n"
SCENARIOS = (
    "happy_path:in time:accepted",
    "edge_case:at the edge:accepted",
    "error_handling:too old:refused",
)
ITEM = {
    "id": "app-9nx",
    "title": "Rotate refresh tokens",
    "status": "in_progress",
    "priority": 2,
    "issue_type": "task",
    "created_at": "2026-08-04T05:47:45.315105628Z",
    "updated_at": "2026-08-04T05:47:51.053490011Z",
    "source_repo": "app",
}
SCHEMA = Path(__file__).parents[2] / "docs" / "trajectory.schema.json"


def code(story: Story, text: str = CODE) -> None:
    (story.repo / "src").mkdir(exist_ok=True)
    (story.repo / "src" / "auth.py").write_text(text)


def decide(story: Story, text: str = "Rotate refresh tokens", session: str = A, **more: Any) -> str:
    given = ["--anyway", "--evidence", more.get("evidence", "src/auth.py:2")]
    for one in more.get("scenarios", SCENARIOS):
        given += ["--scenario", one]
    made = story.holdfast("decide", text, "--because", "replay", *given, session=session)
    return str(made["decision"]["id"])


def track(story: Story) -> Path:
    path = story.repo / ".beads" / "issues.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps(ITEM, separators=(",", ":")) + "\n")
    return path


def notes(story: Story) -> str:
    return (story.repo / ".holdfast" / "NOTES.md").read_text()


def begin(story: Story) -> None:
    code(story)
    story.begin(A)
    story.say(A, "Implement token refresh in src/auth.py")


def level1(said: str) -> list[str]:
    """The lines of level 1 in a briefing, without their quotation marks."""
    _, found, rest = said.partition("Session continuity, level 1")
    assert found, said
    block = rest.partition("\n\n")[0].splitlines()[1:]
    return [line.removeprefix("> ") for line in block]


def trajectory(story: Story) -> list[dict[str, Any]]:
    """Every line that was written, each of them valid by the published schema."""
    valid = Draft202012Validator(json.loads(SCHEMA.read_text()))
    folder = story.repo / ".git" / "holdfast" / "trajectory"
    lines = [
        json.loads(line)
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    for one in lines:
        valid.validate(one)
    return lines


# The three recoveries


@pytest.mark.promise("R1")
@pytest.mark.promise("D6")
@pytest.mark.promise("D8")
@pytest.mark.promise("D9")
def test_a_clean_clear_goes_on_from_level_1(story):
    issues = track(story)
    begin(story)
    id_ = decide(story)
    story.holdfast("decision", "ask", "Per client?", session=A)
    story.edit(A, "src/auth.py")
    story.plan(A, "log out everywhere")
    assert story.stop(A) == ""
    said = story.clear(A, B)

    lines = level1(said)
    assert lines[0] == "- Rotate refresh tokens (grounded)"
    assert "Bead: app-9nx (Rotate refresh tokens)" in lines
    assert "State: log out everywhere" in lines
    assert "Open questions: 1" in lines
    assert count("\n".join(lines)) <= 100
    judged = story.bodies("checkpoint_judged", A)
    assert [(one["grounded"], one["claims"], one["findings"]) for one in judged] == [(1, 1, [])]

    item = json.loads(issues.read_text())
    assert {name: item[name] for name in ITEM if name != "updated_at"} == {
        name: ITEM[name] for name in ITEM if name != "updated_at"
    }
    assert item["decisions"][0]["evidence"] == [
        {
            "path": "${PROJECT_ROOT}/src/auth.py",
            "line": 2,
            "quote": "    return 'a new token'",
        }
    ]
    assert [one["type"] for one in item["test_scenarios"]] == [
        "happy_path",
        "edge_case",
        "error_handling",
    ]
    assert (item["handoffs"][0]["session_id"], item["handoffs"][0]["grounding_ratio"]) == (A, 1.0)
    assert item["questions"] == ["Per client?"]
    phases = {one["phase"] for one in trajectory(story) if one["session_id"] == A}
    assert {"intent", "execute", "decision", "checkpoint", "session_handoff"} <= phases
    assert id_ in notes(story)
    story.ends_well()


@pytest.mark.promise("R1")
@pytest.mark.promise("D8")
def test_a_crash_loses_no_decision_and_the_next_session_goes_on(story):
    track(story)
    begin(story)
    decide(story)
    story.crash(A)
    said = story.begin(B)

    assert "it crashed" in said
    assert level1(said)[0] == "- Rotate refresh tokens (grounded)"
    assert "Bead: app-9nx (Rotate refresh tokens)" in level1(said)
    story.stop(B)
    made = [one for one in trajectory(story) if one["phase"] == "decision"]
    assert [(one["session_id"], one["data"]["text"]) for one in made] == [
        (A, "Rotate refresh tokens")
    ]
    story.ends_well()


@pytest.mark.promise("D7")
def test_missing_notes_come_back_and_work_goes_on(story):
    begin(story)
    decide(story)
    story.stop(A)
    path = story.repo / ".holdfast" / "NOTES.md"
    before = path.read_text()
    path.unlink()
    story.end(A)
    path.unlink(missing_ok=True)
    said = story.begin(B)

    assert "Rotate refresh tokens" in said
    assert "Rotate refresh tokens" in path.read_text() and "Rotate refresh tokens" in before
    story.stop(B)
    healed = [one["data"] for one in trajectory(story) if one["phase"] == "self_heal"]
    assert healed == [{"file": ".holdfast/NOTES.md", "why": "missing", "source": "ledger"}]
    story.ends_well()


@pytest.mark.promise("D7")
@pytest.mark.promise("D9")
@pytest.mark.parametrize("why", ["missing", "emptied"])
def test_a_tracker_file_comes_back_with_what_its_item_was_told(story, why):
    issues = track(story)
    git(story.repo, "add", ".beads")
    git(story.repo, "commit", "-q", "-m", "Track")
    begin(story)
    decide(story)
    story.holdfast("tracker", "comment", "app-9nx", "ask Kim about the edge", session=A)
    story.stop(A)
    story.end(A)
    before = json.loads(issues.read_text())
    issues.unlink() if why == "missing" else issues.write_bytes(b"")
    story.begin(B)

    after = json.loads(issues.read_text())
    assert after == before
    assert [each["decision"] for each in after["decisions"]] == ["Rotate refresh tokens"]
    assert len(after["test_scenarios"]) == 3
    assert [each["session_id"] for each in after["handoffs"]] == [A]
    assert [each["text"] for each in after["comments"]] == ["ask Kim about the edge"]
    assert len(story.bodies("item_told")) == 3  # what was told is not kept twice
    story.holdfast("tracker", "done", "app-9nx", session=B)  # its scenarios count again
    story.ends_well()


@pytest.mark.promise("D9")
def test_a_handoff_is_told_when_the_session_ends_and_its_reference_resolves(story):
    issues = track(story)
    begin(story)
    decide(story)
    story.stop(A)
    story.compact(A)
    story.holdfast("context", "checkpoint", "--full", session=A)
    assert "handoffs" not in json.loads(issues.read_text())  # it goes on
    assert len(story.bodies("handoff_logged", A)) == 2
    story.end(A)
    story.begin(B)
    story.say(B, "Describe the tokens in docs/tokens.md")
    story.stop(B)

    (handoff,) = json.loads(issues.read_text())["handoffs"]
    (ended,) = story.entries("session_ended", A)
    assert (handoff["session_id"], handoff["ended"]) == (A, ended.at)
    shown = story.holdfast("trajectory", "show", handoff["trajectory_ref"], "--limit", "100")[
        "lines"
    ]
    assert {line["session_id"] for line in shown} == {A}
    assert "Implement token refresh" in json.dumps(shown)
    story.ends_well()


# The anti-patterns


@pytest.mark.promise("D5")
def test_i_will_remember_this_is_kept_the_moment_it_is_said(story):
    begin(story)
    decide(story)
    story.crash(A)  # no Stop, no end

    assert [one["text"] for one in story.bodies("decision_made")] == ["Rotate refresh tokens"]
    assert "- Rotate refresh tokens (grounded)" in story.begin(B)
    story.ends_well()


@pytest.mark.promise("R1")
def test_a_compacted_context_is_not_trusted_over_the_ledger_nor_the_ledger_over_code(story):
    begin(story)
    decide(story)
    code(story, "def rotate():\n    raise NotImplementedError\n")
    closing, begun = story.compact(A, "We decided to rotate refresh tokens.")

    assert "BROKEN, do not rely on it: Rotate refresh tokens" in closing
    assert level1(begun)[0] == "- BROKEN, do not rely on it: Rotate refresh tokens"
    story.ends_well()


@pytest.mark.promise("D5")
@pytest.mark.promise("D10")
def test_paths_in_notes_are_told_from_the_project_root(story):
    begin(story)
    decide(story)
    story.holdfast("notes", "identify", "src/auth.py:1-2", "where tokens are made", session=A)
    story.stop(A)

    told = [line for line in notes(story).splitlines() if "src/auth.py" in line]
    assert told and all("${PROJECT_ROOT}/src/auth.py:" in line for line in told)
    assert str(story.repo) not in notes(story)
    story.ends_well()


@pytest.mark.promise("D6")
def test_synthesis_is_not_deferred_notes_and_log_are_current_after_each_turn(story):
    begin(story)
    decide(story)
    story.fill(A, 20_000)
    story.stop(A)

    assert "Rotate refresh tokens" in notes(story)
    synced = [one["data"] for one in trajectory(story) if one["phase"] == "delta_sync"]
    assert synced == [
        {
            "tokens": 20_000,
            "decisions_persisted": 1,
            "bead_updated": False,
            "notes_updated": True,
        }
    ]
    story.ends_well()


@pytest.mark.promise("C16")
@pytest.mark.promise("D8")
def test_what_was_decided_is_synced_at_a_prompt_when_its_turn_had_no_end(story):
    issues = track(story)
    begin(story)
    decide(story)
    story.fill(A, 20_000)  # the turn is broken off by the user: nothing says that it ended
    story.say(A, "go on")

    assert story.bodies("state_synced", A) == [
        {"tokens": 20_000, "decisions_persisted": 1, "bead_updated": True, "notes_updated": True}
    ]
    assert "Rotate refresh tokens" in notes(story)
    assert len(json.loads(issues.read_text())["decisions"]) == 1
    shared = story.repo / ".git" / "holdfast"
    assert "Implement token refresh" in (shared / "handoffs" / f"{A}.md").read_text()
    assert json.loads((shared / "sessions" / f"{A}.json").read_text())["session_id"] == A
    assert [one["phase"] for one in trajectory(story)].count("delta_sync") == 1
    story.say(A, "go on")
    assert len(story.bodies("state_synced", A)) == 1  # nothing was said since
    story.ends_well()


@pytest.mark.promise("C16")
@pytest.mark.parametrize("at", ["a prompt", "the end of a turn"])
def test_a_sync_is_logged_also_where_nothing_was_decided(story, at):
    begin(story)
    story.fill(A, 6_000)
    story.say(A, "go on") if at == "a prompt" else story.stop(A)

    assert story.bodies("state_synced", A) == [
        {"tokens": 6_000, "decisions_persisted": 0, "bead_updated": False, "notes_updated": False}
    ]
    story.ends_well()


@pytest.mark.promise("D9")
def test_nobody_reasons_without_the_item_a_session_is_told_which_is_in_work(story):
    track(story)
    code(story)

    assert level1(story.begin(A)) == ["Bead: app-9nx (Rotate refresh tokens)"]
    shown = story.holdfast("tracker", "show", "app-9nx", session=A)
    assert shown["item"]["title"] == "Rotate refresh tokens"
    story.ends_well()


@pytest.mark.promise("D10")
def test_files_are_not_loaded_eagerly_identifiers_take_their_place(story):
    begin(story)
    decide(story)
    story.stop(A)  # what a decision rests on becomes a place to look at
    said = story.clear(A, B)

    assert "| ${PROJECT_ROOT}/src/auth.py:2 | Rotate refresh tokens | never |" in notes(story)
    assert "a new token" not in said
    verified = story.bodies("identifiers_verified", B)
    assert [list(one["standings"].values()) for one in verified] == [["here"]]
    (story.repo / "src" / "auth.py").unlink()
    assert "Identifiers gone: 1" in story.compact(B)[1]
    story.ends_well()


@pytest.mark.promise("D6")
def test_a_clear_without_a_checkpoint_is_greeted_by_what_it_would_have_found(story):
    begin(story)
    decide(story, scenarios=())
    code(story, "def rotate():\n    return None\n")
    story.edit(A, "src/auth.py")
    assert story.stop(A) == ""  # warn: nobody is kept
    said = story.clear(A, B)

    assert "The last full checkpoint of the session before found:" in said
    assert "> grounding is 0.00, below 0.95" in said
    assert "> 0 of 3 scenarios say how this session's decisions are proved" in said
    story.ends_well()


@pytest.mark.promise("D2")
@pytest.mark.promise("D6")
@pytest.mark.parametrize(("grounded", "claims", "enough"), [(17, 18, False), (19, 20, True)])
def test_a_session_whose_claims_are_grounded_to_95_in_100_is_not_objected_to(
    story, grounded, claims, enough
):
    begin(story)
    for number in range(claims):
        how = USER if number < grounded else ASSUMPTION
        body = {"text": f"Fact {number} holds", "grounding": how, "evidence": []}
        story.keep("claim_made", body, session=A)
    story.edit(A, "src/auth.py")
    story.stop(A)

    judged = story.bodies("checkpoint_judged", A)[-1]
    assert (judged["grounded"], judged["claims"]) == (grounded, claims)
    findings = [each["says"] for each in judged["findings"]]
    assert ("grounding is 0.94, below 0.95" in findings) is not enough
    assert ("grounding is 0.94, below 0.95" in story.clear(A, B)) is not enough
    story.ends_well()


@pytest.mark.promise("D6")
def test_strict_asks_once_at_the_end_of_a_turn_and_never_traps(story):
    (story.repo / ".holdfast").mkdir()
    (story.repo / ".holdfast" / "config.yaml").write_text("checkpoint:\n  mode: strict\n")
    begin(story)
    decide(story, scenarios=())
    story.edit(A, "src/auth.py")
    said = story.stop(A)

    assert "the checkpoint found what the next session could not rely on" in said
    assert "0 of 3 scenarios" in said
    assert story.stop(A, stop_hook_active=True) == ""
    assert story.tell("PreCompact.auto", A)  # answered, and never refused
    story.ends_well()


@pytest.mark.promise("D6")
def test_checkpoints_that_are_off_judge_nothing(story):
    (story.repo / ".holdfast").mkdir()
    (story.repo / ".holdfast" / "config.yaml").write_text("checkpoint:\n  mode: 'off'\n")
    begin(story)
    decide(story, scenarios=())
    story.edit(A, "src/auth.py")

    assert story.stop(A) == ""
    assert story.bodies("checkpoint_judged") == []
    story.ends_well()


@pytest.mark.promise("R1")
def test_of_a_long_log_level_1_has_the_last_three_and_stays_within_100_tokens(story):
    begin(story)
    for number in range(5):
        decide(story, f"Decision number {number} about the rotation of tokens", scenarios=())
    story.stop(A)
    lines = level1(story.clear(A, B))

    assert [line.split(" about")[0] for line in lines[:3]] == [
        "- Decision number 4",
        "- Decision number 3",
        "- Decision number 2",
    ]
    assert not any("number 1" in line for line in lines)
    assert count("\n".join(lines)) <= 100
    story.ends_well()


STAND_IN = """#!/bin/sh
echo "$@" >> "{0}/told"
[ "$1" = list ] && echo '[{{"id":"app-9nx","title":"Rotate tokens","status":"in_progress"}}]'
exit 0
"""


@pytest.mark.promise("D9")
def test_an_installed_tracker_is_told_by_comments_and_flushed_at_the_end(story, tmp_path):
    track(story)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "br").write_text(STAND_IN.format(tools))
    (tools / "br").chmod(0o755)
    story.door.environment["PATH"] = f"{tools}:{story.door.environment['PATH']}"
    begin(story)
    before = (story.repo / ".beads" / "issues.jsonl").read_bytes()
    decide(story)
    story.stop(A)
    story.stop(A, "done again")
    story.end(A)

    told = (tools / "told").read_text()
    assert told.count("comments add app-9nx DECISION: Rotate refresh tokens") == 1
    assert told.count("comments add app-9nx HANDOFF:") == 1
    assert "Grounding ratio: 1.00" in told
    assert told.rstrip().endswith("sync --flush-only")
    assert "commit" not in told and "push" not in told
    assert (story.repo / ".beads" / "issues.jsonl").read_bytes() == before
    story.ends_well()


def look_for(story: Story, *words: str) -> str:
    """`holdfast ghost` as the agent runs it, which exits with 1 where it settles nothing."""
    return commands.run(story.repo, "ghost", *words, CLAUDE_CODE_SESSION_ID=A).stdout


@pytest.mark.promise("D6")
def test_a_feature_that_two_searches_did_not_settle_is_a_finding(story):
    begin(story)
    (story.repo / "src" / "fingers.py").write_text("fingers = 10\n")
    assert "ambiguous" in look_for(story, "reading", "fingers", "--also", "biometrics")
    story.edit(A, "src/auth.py")
    story.stop(A)

    assert "> reading fingers: ambiguous, not settled by two searches" in story.clear(A, B)
    story.ends_well()


@pytest.mark.promise("D6")
def test_strict_asks_about_a_feature_until_two_searches_settle_it(story):
    (story.repo / ".holdfast").mkdir()
    (story.repo / ".holdfast" / "config.yaml").write_text("checkpoint:\n  mode: strict\n")
    begin(story)
    assert "ambiguous" in look_for(story, "fingerprints")
    story.edit(A, "src/auth.py")
    assert "fingerprints: ambiguous, not settled by two searches" in story.stop(A)

    assert "ghost" in look_for(story, "fingerprints", "--also", "biometrics")
    story.say(A, "Go on")
    story.edit(A, "src/auth.py")

    assert "fingerprints" not in story.stop(A)
    story.ends_well()


# By command


@pytest.mark.promise("D6")
@pytest.mark.promise("D9")
def test_the_full_checkpoint_by_hand_does_all_seven_steps(story):
    issues = track(story)
    begin(story)
    decide(story)
    done = story.holdfast("context", "checkpoint", "--full", session=A)

    assert (done["grounded"], done["claims"], done["findings"]) == (1, 1, [])
    assert sorted(done["steps"]) == ["1", "3", "4", "5", "6"]
    assert "Rotate refresh tokens" in notes(story)
    item = json.loads(issues.read_text())
    assert len(item["decisions"]) == 1
    assert "handoffs" not in item  # the session goes on
    assert story.bodies("handoff_logged")[0]["bead_id"] == "app-9nx"
    assert [one["path"] for one in story.bodies("identified")] == ["src/auth.py"]
    story.ends_well()


@pytest.mark.promise("R1")
@pytest.mark.exhaustive
def test_levels_by_command_stay_within_their_tokens(story):
    begin(story)
    story.say(A, "never push to main")
    for number in range(20):
        decide(story, f"Decision {number}: {'rotate the tokens of every device; ' * 12}")
    for level, tokens in (("1", 100), ("2", 500)):
        found = story.holdfast("context", "recover", level, session=A)
        assert 0 < found["tokens"] <= tokens
    whole = story.holdfast("context", "recover", "3", session=A)
    injected = story.holdfast("context", "recover", "3", "--inject", session=A)
    assert injected["tokens"] <= 2_000 < whole["tokens"]
    assert all(f"Decision {number}: " in whole["text"] for number in range(20))
    found = story.holdfast("context", "recover", "2", "push", session=A)
    assert found["found"][0]["text"] == "never push to main"
    story.ends_well()


@pytest.mark.promise("D9")
def test_without_a_tracker_our_own_list_is_kept_and_done_wants_three_scenarios(story):
    begin(story)
    made = story.holdfast("tracker", "add", "Rotate refresh tokens", session=A)
    id_ = made["id"]
    story.holdfast("tracker", "start", id_, session=A)
    assert [one["id"] for one in story.holdfast("tracker", "ready")["items"]] == [id_]
    with pytest.raises(AssertionError):
        story.holdfast("tracker", "done", id_, session=A)
    decide(story, scenarios=SCENARIOS[:2])
    story.stop(A)
    with pytest.raises(AssertionError):  # two of three
        story.holdfast("tracker", "done", id_, session=A)
    decide(story, "Log out everywhere", scenarios=SCENARIOS[2:])
    story.stop(A)
    assert "DECISION: Rotate refresh tokens" in str(story.holdfast("tracker", "show", id_))
    story.holdfast("tracker", "done", id_, session=A)
    assert story.holdfast("tracker", "ready")["items"] == []
    story.ends_well()
