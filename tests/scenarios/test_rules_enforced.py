"""A rule is typed, offered a gate, made to hold, asked about at the break, allowed, and let go:
through the real hook command, with the person at another terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from story import A, B, Story

from cli.terminal import refused, typed, typed_and_told
from conftest import git

AMEND = "git commit --amend --no-edit"
RULE = "Never amend commits"


def rules(story: Story, *arguments: str) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = story.holdfast("rules", *arguments)["rules"]
    return listed


@pytest.fixture
def begun(story: Story) -> Story:
    """A rule that was typed as an order, in a session that goes on."""
    story.begin(A)
    story.say(A, RULE)
    return story


@pytest.fixture
def gated(begun: Story) -> Story:
    """The rule is made to hold."""
    enforce(begun)
    begun.say(A, "Tidy up the last commit")
    return begun


def enforce(story: Story, *arguments: str) -> str:
    id_ = str(rules(story)[0]["id"])
    made = typed_and_told(story.repo, "rules", "enforce", id_, *arguments)
    return str(made["requirement"])


# Offered


@pytest.mark.promise("G10")
def test_a_rule_that_is_typed_is_offered_a_gate_to_the_person_alone(story: Story) -> None:
    story.begin(A)
    told = story.say(A, RULE)
    assert "Kept as your rule" in story.door.shown
    assert (
        "Make it hold? Before `git commit --amend` Claude will have to ask you:"
        " `holdfast rules enforce "
    ) in story.door.shown
    assert "Make it hold" not in told
    story.say(A, "Never apologise.")
    assert "Kept as your rule" in story.door.shown
    assert "Make it hold" not in story.door.shown
    story.ends_well()


@pytest.mark.promise("G10")
def test_a_rule_that_is_given_by_command_is_offered_one_too(begun: Story) -> None:
    shown = typed(begun.repo, "rules", "add", "Use pnpm instead of npm").stdout
    assert (
        "Make it hold? Before `npm` Claude will have to ask you: `holdfast rules enforce" in shown
    )
    shown = typed(begun.repo, "rules", "add", "Be kind").stdout
    assert "Make it hold" not in shown


# Made to hold


@pytest.mark.promise("G10")
def test_a_rule_that_is_made_to_hold_is_asked_about_in_the_persons_own_words(
    begun: Story, home: Path
) -> None:
    assert begun.ask_run(A, AMEND) == ""
    name = enforce(begun)
    begun.say(A, "Tidy up the last commit")
    asked = begun.ask_run(A, AMEND)
    assert begun.door.decision == "ask"
    assert asked.startswith("Your rule of 20")
    assert f'"{RULE}"' in asked
    assert "Yes allows this once" in asked
    assert f"rules enforce {name.removeprefix('rule_')} --off" in asked
    assert begun.ask_run(A, "git commit -m 'one more'") == ""
    assert begun.ask_run(A, "echo git commit --amend") == ""
    written = [*(home / ".config" / "holdfast" / "rules").iterdir()]
    assert len(written) == 1
    gate = yaml.safe_load(written[0].read_text())["requirements"][name]
    assert gate["rule"]["words"] == RULE
    assert begun.bodies("turned")[-1] | {"subject": ""} == {
        "subject": "",
        "turn": "enforced",
        "how": "command",
        "words": "ask",
    }
    assert "made to hold: you are asked" in typed(begun.repo, "rules").stdout
    begun.ends_well()


@pytest.mark.promise("G10")
def test_where_asking_would_not_show_why_the_agent_is_refused_with_the_users_words(
    gated: Story,
) -> None:
    payload = {"command": AMEND}
    done = gated.door.run(
        json.dumps(
            {
                "hook_event_name": "PreToolUse",
                "session_id": A,
                "cwd": str(gated.repo),
                "tool_name": "Bash",
                "tool_input": payload,
                "tool_use_id": "t",
                "transcript_path": gated.transcript(A),
                "permission_mode": "default",
            }
        ).encode(),
        agent=gated.agent(A),
        CLAUDE_CODE_ENTRYPOINT="sdk-cli",
    )
    answer = json.loads(done.stdout)["hookSpecificOutput"]
    assert answer["permissionDecision"] == "deny"
    first = answer["permissionDecisionReason"].splitlines()[0]
    assert "the user said" in first
    assert RULE in first
    assert f"--session {A}" in answer["permissionDecisionReason"]
    gated.ends_well()


@pytest.mark.promise("G10")
def test_an_edit_is_refused_for_its_dialog_shows_no_reason(story: Story) -> None:
    story.begin(A)
    story.say(A, "Never edit the migrations.")
    enforce(story)
    story.say(A, "Add a column")
    denied = story.ask_edit(A, "db/migrations/0001.sql")
    assert story.door.decision == "deny"
    assert '"Never edit the migrations"' in denied.splitlines()[0]
    assert story.ask_edit(A, "db/models.py") == ""
    assert "migrations" in story.ask_run(A, "sed -i s/a/b/ db/migrations/0001.sql")
    assert story.door.decision == "ask"
    story.ends_well()


@pytest.mark.promise("G10")
def test_it_may_be_told_to_refuse_and_what_to_use_instead(story: Story) -> None:
    story.begin(A)
    story.say(A, "From now on, use pnpm instead of npm.")
    enforce(story, "--deny")
    story.say(A, "Install what is needed")
    denied = story.ask_run(A, "npm install")
    assert story.door.decision == "deny"
    assert "Use `pnpm` instead." in denied
    assert story.ask_run(A, "pnpm install") == ""
    story.ends_well()


@pytest.mark.promise("G10")
def test_it_holds_in_every_worktree_and_in_no_other_repository(
    gated: Story, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    git(gated.repo, "worktree", "add", "-q", str(other), "-b", "other")
    gated.begin(B, place=other)
    gated.say(B, "Go on", place=other)
    assert RULE in gated.ask_run(B, AMEND, place=other)
    alone = tmp_path / "alone"
    alone.mkdir()
    git(alone, "init", "-q")
    third = "e" * 8 + A[8:]
    gated.begin(third, place=alone)
    assert gated.ask_run(third, AMEND, place=alone) == ""


@pytest.mark.promise("G10")
def test_a_repository_cannot_put_words_into_the_users_mouth(story: Story) -> None:
    story.demand(
        "requirements:\n  quoted:\n    trigger: commit\n    message: Hm.\n"
        "    rule: {id: abcdef, words: I never said that, at: '2026-01-01', kind: forbid}\n"
    )
    git(story.repo, "add", "-A")
    git(story.repo, "commit", "-q", "-m", "demands")
    story.begin(A)
    denied = story.ask_run(A, "git commit -m x")
    assert "never said that" not in denied
    assert "quoted" in denied


@pytest.mark.promise("G10")
def test_an_agent_can_never_make_one_or_take_one_away(gated: Story) -> None:
    id_ = str(rules(gated)[0]["id"])
    for command in (f"holdfast rules enforce {id_}", f"holdfast rules enforce {id_} --off"):
        assert "person's commands" in gated.ask_run(A, command)
    folder = Path.home() / ".config" / "holdfast" / "rules"
    path = next(folder.iterdir())
    assert "only the person" in gated.ask(A, "Write", file_path=str(path), content="")
    assert "only the person" in gated.ask_run(A, f"rm {path}")
    done = gated.door.agent()
    inside = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": A}
    assert "only a person" in refused(typed(gated.repo, "rules", "enforce", id_, "--off", **inside))
    done.kill()
    assert RULE in gated.ask_run(A, AMEND)
    gated.ends_well()


# Allowed


@pytest.mark.promise("G10")
def test_the_persons_own_words_for_that_very_act_allow_it_once(gated: Story) -> None:
    gated.say(A, "Yes, amend it please")
    assert gated.ask_run(A, AMEND) == ""
    gated.fail(A, AMEND)
    assert gated.ask_run(A, AMEND) == "", "it has not succeeded yet"
    gated.run(A, AMEND)
    assert RULE in gated.ask_run(A, AMEND), "that was a second act"
    gated.say(A, "Commit it, and don't amend")
    assert RULE in gated.ask_run(A, AMEND)
    gated.say(A, "```\namend it\n```\nWhat does this log mean?")
    assert RULE in gated.ask_run(A, AMEND)
    gated.ends_well()


@pytest.mark.promise("G10")
def test_what_was_allowed_is_not_asked_again_in_the_same_turn(gated: Story) -> None:
    assert RULE in gated.ask_run(A, AMEND)
    gated.run(A, AMEND)
    assert gated.ask_run(A, "git commit --amend -m again") == ""
    gated.say(A, "And now the docs")
    assert RULE in gated.ask_run(A, AMEND)
    gated.ends_well()


@pytest.mark.promise("G10")
def test_what_is_to_be_asked_first_is_asked_for_each_command(story: Story) -> None:
    story.begin(A)
    story.say(A, "Always ask me before you push.")
    enforce(story)
    story.say(A, "Ship it")
    assert story.ask_run(A, "git push origin one")
    story.run(A, "git push origin one")
    assert story.ask_run(A, "git push origin one") == ""
    assert story.ask_run(A, "git push origin two")
    story.ends_well()


@pytest.mark.promise("G10")
def test_it_offers_to_lapse_when_it_was_allowed_three_times_running(gated: Story) -> None:
    for number, shown in ((1, False), (2, False), (3, True), (4, False)):
        gated.say(A, f"Go on with part {number}")
        assert RULE in gated.ask_run(A, AMEND)
        gated.run(A, AMEND)
        assert ("You allowed this 3 times running" in gated.door.shown) is shown
        gated.stop(A)
    gated.say(A, "Go on")
    assert RULE in gated.ask_run(A, AMEND)
    gated.say(A, "No, leave it")
    assert [each["turn"] for each in gated.bodies("turned")][-1] == "refused"
    for number in (1, 2):
        gated.say(A, f"Once more {number}")
        gated.ask_run(A, AMEND)
        gated.run(A, AMEND)
        assert "times running" not in gated.door.shown
    gated.ends_well()


@pytest.mark.promise("G10")
def test_the_persons_command_allows_one_act(gated: Story) -> None:
    name = f"rule_{str(rules(gated)[0]['id'])[:6]}"
    typed_and_told(gated.repo, "req", "satisfy", name, "--session", A)
    assert gated.ask_run(A, AMEND) == ""
    gated.run(A, AMEND)
    assert RULE in gated.ask_run(A, AMEND)
    gated.ends_well()


@pytest.mark.promise("G10")
def test_a_proof_is_never_lifted_by_words(story: Story) -> None:
    story.begin(A)
    story.say(A, "Never commit without running the tests.")
    enforce(story)
    story.say(A, "Commit it")
    story.edit(A, "src/a.py")
    denied = story.ask_run(A, "git commit -m x")
    assert story.door.decision == "deny"
    assert '"Never commit without running the tests"' in denied.splitlines()[0]
    assert "Do that first" in denied
    story.ends_well()


# Let go


@pytest.mark.promise("G10")
@pytest.mark.parametrize("how", ["dropped", "lifted", "off"])
def test_a_rule_that_is_let_go_has_no_gate(gated: Story, how: str) -> None:
    id_ = str(rules(gated)[0]["id"])
    if how == "dropped":
        typed_and_told(gated.repo, "rules", "drop", id_)
    elif how == "off":
        typed_and_told(gated.repo, "rules", "enforce", id_, "--off")
    else:
        gated.say(A, "You may amend commits from now on.")
    assert gated.ask_run(A, AMEND) == ""
    gated.ends_well()


@pytest.mark.promise("G10")
def test_a_gate_of_a_rule_is_no_open_requirement(gated: Story) -> None:
    assert "Requirements" not in gated.begin(B)
    gated.run(A, "git status")
    assert gated.stop(A) == ""
    gated.ends_well()


# Broken


@pytest.mark.promise("G10")
def test_what_is_done_against_a_rule_without_a_gate_is_counted_and_told_at_the_next_start(
    begun: Story,
) -> None:
    begun.stop(A)
    begun.say(A, "Fix the message of the last commit")
    begun.run(A, AMEND)
    begun.run(A, "echo git commit --amend")
    begun.stop(A)
    begun.say(A, "Please amend it")
    begun.run(A, AMEND)
    begun.stop(A)
    assert rules(begun)[0]["broken"] == 1, "what was asked for breaks nothing"
    begun.say(A, "Go on")
    begun.run(A, f"{AMEND} -q")
    begun.stop(A)
    shown = typed(begun.repo, "rules").stdout
    assert "broken 2 times since" in shown, shown
    assert f"last: `{AMEND} -q` in {A[:8]}" in shown
    assert "Make it hold?" in shown
    assert f"{RULE}  (the user, " in begun.begin(B)
    told = begun.begin("f" * 8 + A[8:])
    assert "; broken 2 times, last today)" in told
    enforce(begun)
    assert "broken" not in begun.begin("c" * 8 + A[8:])
    begun.ends_well()


@pytest.mark.promise("G10")
def test_what_lacked_its_proof_is_counted_too(story: Story) -> None:
    story.begin(A)
    story.say(A, "Never commit without running the tests.")
    story.stop(A)
    story.say(A, "Commit it")
    story.edit(A, "src/a.py")
    story.run(A, "git commit -am unproven")
    story.run(A, "pytest", "3 passed in 0.1s")
    story.run(A, "git commit -am proved")
    story.stop(A)
    assert [each["words"] for each in story.bodies("turned")] == ["git commit -am unproven"]
    assert "; broken once today)" in story.begin(B)
    story.ends_well()
