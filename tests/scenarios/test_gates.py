"""Gates decide: what is demanded, what is refused and what is not, through the real hook command.

What satisfies is in test_gates_met.py, numbers and conditions in test_gates_counted.py, what an
agent may not do to the gates in test_gates_protected.py, the end of a turn in test_stop.py.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from story import A, B, Story

from conftest import git
from holdfast.system import paths

PLAN = """
requirements:
  commit_plan: {satisfied_by_skill: plan, message: Plan first.}
"""
PUSH = """
requirements:
  reviewed:
    trigger_tools: [{tool: Bash, command_pattern: 'git\\s+push'}]
    satisfied_by_skill: review
"""


# One denial


@pytest.mark.promise("G2")
def test_everything_that_is_open_is_said_in_one_denial_with_what_to_run(story: Story) -> None:
    story.demand(
        """
requirements:
  commit_plan: {satisfied_by_skill: plan}
  adr_reviewed: {satisfied_by_skill: arch-review, scope: branch}
  talked: {short_message: talk to the team}
  elsewhere: {trigger_tools: [WebFetch]}
"""
    )
    story.begin(A)
    refused = story.ask_edit(A)
    assert "3 requirements are not satisfied" in refused
    assert "nothing was written" in refused
    for row in ("| commit_plan | `/plan` |", "| adr_reviewed | `/arch-review` |"):
        assert row in refused
    assert '| talked | "talk to the team" |' in refused
    assert f"`holdfast req satisfy commit_plan adr_reviewed talked --session {A}`" in refused
    assert "the person's commands, not yours" in refused
    assert "elsewhere" not in refused
    assert not (story.repo / "src").exists()
    story.ends_well()


@pytest.mark.promise("G2")
def test_the_same_denial_within_five_seconds_is_short_and_another_is_not(story: Story) -> None:
    story.demand(
        """
requirements:
  commit_plan: {message: Plan first.}
  listed: {message: Read the list., trigger_tools: [Write]}
"""
    )
    story.begin(A)
    story.begin(B)
    assert "Plan first." in story.ask_edit(A)
    say_that_it_was_said(story, A, seconds_ago=0)
    again = story.ask_edit(A, "src/b.py")
    assert again == (
        "commit_plan is still not satisfied (see above). The tool did not run: nothing was written."
    )
    assert "Read the list." in story.ask(A, "Write", file_path=f"{story.repo}/c.py", content="x")
    assert "Plan first." in story.ask_edit(B), "another session was not told yet"
    say_that_it_was_said(story, A, seconds_ago=6)
    assert "Plan first." in story.ask_edit(A)
    story.stop(A)
    assert story.bodies("tools_denied", A) == [
        {"requirements": {"commit_plan": 4, "listed": 1}, "tools": {"Edit": 3, "Write": 1}}
    ]
    story.ends_well()


def say_that_it_was_said(story: Story, session: str, *, seconds_ago: float) -> None:
    """Turn the clock of what a session was refused."""
    path = Path(paths.denied(story.state, session))
    found = json.loads(path.read_text())
    found["said"] = dict.fromkeys(found["said"], time.time() - seconds_ago)
    path.write_text(json.dumps(found))


@pytest.mark.promise("G2")
def test_a_denied_tool_never_arms_the_end_and_one_that_ran_does(story: Story) -> None:
    story.demand(PLAN)
    story.begin(A)
    story.say(A, "Add a login page")
    assert "commit_plan" in story.ask_edit(A)
    story.run(A, "ls")
    assert story.stop(A) == "", "a refused edit armed the end"
    story.say(A, "And now?")
    story.edit(A, "src/a.py")
    assert "commit_plan" in story.stop(A)
    assert story.bodies("requirement_triggered") == [
        {"requirement": "commit_plan", "branch": "feature/auth", "tool": "Edit"}
    ]
    story.ends_well()


@pytest.mark.promise("G2")
def test_a_tool_that_ran_and_failed_arms_the_end_too(story: Story) -> None:
    story.demand("requirements: {reviewed: {trigger_tools: [Bash]}}\n")
    story.begin(A)
    story.say(A, "Push it")
    story.fail(A, "git push", "Exit code 1\nrejected")
    assert "reviewed" in story.stop(A)
    story.ends_well()


# Triggers


@pytest.mark.promise("G2")
@pytest.mark.parametrize(
    ("command", "is_meant"),
    [
        ("git push", True),
        ("git -C x push", True),
        ("cd x && git push", True),
        ("git -c a.b=c push --force", True),
        ("sudo -u dev git push", True),
        ("bash -c 'git push'", True),
        ("git add . ; GIT_TRACE=1 git push origin main", True),
        ("cat <<EOF | bash\ngit push\nEOF", True),
        ('echo "git push"', False),
        ("echo git push", False),
        ("git commit -m 'before git push'", False),
        ("grep -r 'git push' docs", False),
        ("cat > notes.md <<EOF\ngit push\nEOF", False),
        ("git stash push", False),
        ("ls # git push", False),
    ],
)
def test_a_command_is_meant_by_what_it_runs(story: Story, command: str, is_meant: bool) -> None:
    story.demand(PUSH)
    story.begin(A)
    assert ("reviewed" in story.ask_run(A, command)) is is_meant
    story.run(A, command)
    armed = [one["requirement"] for one in story.bodies("requirement_triggered")]
    assert armed == (["reviewed"] if is_meant else [])
    story.ends_well()


ACTIONS = """
requirements:
  reviewed: {trigger: {action: push, branch: main}, scope: single_use, satisfied_by_skill: review}
  looked_at: {trigger: push, opaque: OPAQUE, message: Look at it.}
"""


@pytest.mark.promise("G9")
def test_an_action_is_refused_however_it_is_done_and_uses_its_satisfaction_up(story: Story) -> None:
    story.demand(ACTIONS.replace("OPAQUE", "allow"))
    story.begin(A)

    assert "2 requirements are not satisfied" in story.ask_run(A, "X=push; git $X origin main")
    assert "looked_at" in story.ask_run(A, "git push origin other")
    assert story.ask_run(A, "git stash push && $(cat verb)") == ""
    story.skill(A, "review")
    assert "reviewed" not in story.ask_run(A, "git push origin main")
    story.run(A, "bash -c 'git push origin main'")
    assert "reviewed" in story.ask_run(A, "git push --all")
    story.ends_well()


@pytest.mark.promise("G9")
@pytest.mark.parametrize("opaque", ["ask", "deny"])
def test_what_nobody_can_read_is_asked_about_or_refused(story: Story, opaque: str) -> None:
    story.demand(ACTIONS.replace("OPAQUE", opaque))
    story.begin(A)

    reason = story.ask_run(A, 'git "$(cat verb)" origin')

    assert "Nobody can tell what this would run" in reason
    assert "git $(cat verb) origin" in reason
    assert story.door.decision == opaque
    story.ask_run(A, "git push")
    assert story.door.decision == "deny"
    story.ends_well()


@pytest.mark.promise("G2")
@pytest.mark.parametrize(
    ("path", "is_meant"),
    [
        ("src/auth/login.py", True),
        ("src/auth/deep/er/login.py", True),
        ("src/other.py", False),
        ("docs/auth/login.md", False),
        ("docs/../src/auth/login.py", True),
        ("./src/auth//login.py", True),
        ("src/auth/../other.py", False),
    ],
)
def test_a_path_is_meant_by_where_it_leads(story: Story, path: str, is_meant: bool) -> None:
    story.demand(
        """
requirements:
  security: {trigger_tools: [{tool: Edit, paths: ['src/auth/**']}]}
"""
    )
    story.begin(A)
    assert ("security" in story.ask_edit(A, path)) is is_meant
    story.ends_well()


@pytest.mark.promise("G2")
def test_a_path_through_a_link_to_the_project_is_the_projects(story: Story) -> None:
    story.demand("requirements: {auth: {trigger_tools: [{tool: Edit, paths: ['src/**']}]}}\n")
    story.begin(A)
    short = story.folder / "short"
    short.symlink_to(story.repo)
    assert "auth" in story.ask(A, "Edit", file_path=f"{short}/src/a.py")
    assert "auth" in story.ask(A, "Edit", file_path="src/a.py")
    assert story.ask(A, "Edit", file_path="/elsewhere/src/a.py") == ""
    story.ends_well()


# Exempt


@pytest.mark.promise("G2")
def test_subagents_are_exempt_unless_asked_for(story: Story) -> None:
    story.demand(
        """
requirements:
  commit_plan: {}
  secured: {for_subagents: true, trigger_tools: [Edit]}
"""
    )
    story.begin(A)
    refused = story.ask_edit(A, agent_id="sub-1")
    assert "secured" in refused
    assert "commit_plan" not in refused
    story.edit(A, "src/a.py", agent_id="sub-1")
    armed = [one["requirement"] for one in story.bodies("requirement_triggered")]
    assert armed == ["commit_plan", "secured"], "what it does is its session's"
    story.ends_well()


@pytest.mark.promise("G2")
def test_each_agent_of_a_session_is_told_the_whole_reason(story: Story) -> None:
    story.demand("requirements: {secured: {for_subagents: true, message: Ask Ada.}}\n")
    story.begin(A)
    for agent in ({}, {"agent_id": "sub-1"}, {"agent_id": "sub-2"}):
        assert "Ask Ada." in story.ask_edit(A, **agent)
        assert "see above" in story.ask_edit(A, **agent)
    story.ends_well()


@pytest.mark.promise("G2")
@pytest.mark.parametrize(
    ("path", "is_free"),
    [
        ("docs/plans/login.md", True),
        (".claude/plans/login.md", True),
        ("docs/plans/../../src/a.py", False),
        ("docs/planes/a.md", False),
    ],
)
def test_a_plan_is_written_before_what_asks_for_it(story: Story, path: str, is_free: bool) -> None:
    story.demand(PLAN)
    story.begin(A)
    assert (story.ask_edit(A, path) == "") is is_free
    write = story.ask(A, "Write", file_path=f"{story.repo}/{path}", content="# Plan\n")
    assert (write == "") is is_free
    story.ends_well()


@pytest.mark.promise("G2")
def test_a_plan_in_the_home_is_a_plan(story: Story, home: Path) -> None:
    story.demand(PLAN)
    story.begin(A)
    path = f"{home}/.claude/plans/login.md"
    assert story.ask(A, "Write", file_path=path, content="# Plan\n") == ""
    story.ends_well()


@pytest.mark.promise("G2")
def test_asking_holdfast_is_never_refused(story: Story) -> None:
    story.demand("requirements: {careful: {trigger_tools: [Bash]}}\n")
    story.begin(A)
    for command in (
        "holdfast req status",
        "req status --verbose",
        "holdfast status --json && holdfast doctor",
        "/usr/local/bin/holdfast goal",
        "python -m holdfast req list",
    ):
        assert story.ask_run(A, command) == "", command
    for command in ("holdfast req status; rm -rf x", "echo holdfast req status", "ls"):
        assert "careful" in story.ask_run(A, command), command
    story.ends_well()


# What is demanded


@pytest.mark.promise("G1")
def test_six_files_are_laid_one_over_the_other_and_the_nearest_wins(
    story: Story, home: Path
) -> None:
    for place, text in (
        (home / ".claude" / "requirements.yaml", "a: {message: home}, b: {message: home}"),
        (home / ".config" / "holdfast" / "config.yaml", "b: {message: ours}, c: {message: ours}"),
    ):
        place.parent.mkdir(parents=True)
        place.write_text(f"requirements: {{{text}}}\n")
    story.demand("requirements: {c: {message: team}, d: {message: team}}\n")
    story.demand(
        "requirements: {d: {message: team too}, e: {message: team too}}\n", ".holdfast/config.yaml"
    )
    story.demand(
        "requirements: {e: {message: mine}, a: {enabled: false}}\n",
        ".claude/requirements.local.yaml",
    )
    story.demand("requirements: {f: {message: mine too}}\n", ".holdfast/config.local.yaml")
    story.begin(A)
    refused = story.ask_edit(A)
    assert "5 requirements are not satisfied" in refused
    told = {"b": "ours", "c": "team", "d": "team too", "e": "mine", "f": "mine too"}
    for name, message in told.items():
        assert f'| {name} | "{message}" |' in refused
    story.ends_well()


@pytest.mark.promise("G1")
def test_a_file_that_inherits_nothing_drops_what_is_weaker(story: Story, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "requirements.yaml").write_text("requirements: {mine: {}}\n")
    story.demand("inherit: false\nrequirements: {team: {}}\n")
    story.demand("requirements: {local: {}}\n", ".claude/requirements.local.yaml")
    story.begin(A)
    refused = story.ask_edit(A)
    assert "| team |" in refused
    assert "| local |" in refused
    assert "mine" not in refused
    story.ends_well()


@pytest.mark.promise("G1")
def test_settings_and_requirements_stand_in_one_file(story: Story) -> None:
    story.demand(
        """
briefing: {start_tokens: 900}
hooks: {session_start: {custom_header: The team asks}}
requirements: {commit_plan: {}}
""",
        ".holdfast/config.yaml",
    )
    begun = story.begin(A)
    assert "Configuration:" not in begun
    assert "The team asks" in begun
    assert "commit_plan" in story.ask_edit(A)
    assert story.holdfast("config")["values"]["briefing.start_tokens"] == 900
    story.ends_well()


@pytest.mark.promise("G1")
def test_what_is_invalid_is_left_out_and_named_when_a_session_begins(story: Story) -> None:
    story.demand(
        """
requirements:
  commit_plan: {message: Plan first.}
  no_scope: {scope: forever}
  no_number: {type: dynamic, calculator: branch_size}
  no_pattern: {trigger_tools: [{tool: Bash, command_pattern: 'git ('}]}
"""
    )
    begun = story.begin(A)
    for name in ("no_scope", "no_number", "no_pattern"):
        assert f"requirement {name}" in begun
    assert "0/1 satisfied" in begun
    assert "Plan first." in story.ask_edit(A)
    assert story.ask_run(A, "git (") == ""
    story.ends_well()


@pytest.mark.promise("G1")
def test_a_change_of_the_files_counts_from_the_next_call_on(story: Story) -> None:
    story.begin(A)
    assert story.ask_edit(A) == ""
    story.demand(PLAN)
    assert "Plan first." in story.ask_edit(A)
    story.demand(PLAN.replace("Plan first.", "Think first."))
    story.begin(B)
    assert "Think first." in story.ask_edit(B)
    story.demand("enabled: false\n" + PLAN)
    assert story.ask_edit(A) == ""
    (story.repo / ".claude" / "requirements.yaml").unlink()
    assert story.ask_edit(A) == ""
    story.ends_well()


@pytest.mark.promise("G1")
def test_a_session_that_is_told_nothing_is_refused_all_the_same(story: Story) -> None:
    story.demand("hooks: {session_start: {inject_context: false}}\n" + PLAN)
    assert "Requirements" not in story.begin(A)
    assert "Plan first." in story.ask_edit(A)
    story.ends_well()


@pytest.mark.promise("G1")
@pytest.mark.parametrize("how", ["a setting", "a variable"])
def test_where_holdfast_is_switched_off_nothing_is_refused(story: Story, how: str) -> None:
    story.demand(PLAN)
    story.begin(A)
    assert "Plan first." in story.ask_edit(A)
    if how == "a setting":
        story.demand("enabled: false\n", ".holdfast/config.local.yaml")
    else:
        story.door.environment["HOLDFAST_ENABLED"] = "0"
    assert story.ask_edit(A) == ""
    assert story.ask_edit(A, ".claude/settings.json") == ""
    story.edit(A, "src/a.py")
    assert story.stop(A) == ""
    story.ends_well()


# Branches and worktrees


@pytest.mark.promise("G1")
def test_branches_whose_names_look_alike_have_states_and_files_of_their_own(story: Story) -> None:
    story.demand("requirements: {reviewed: {scope: branch, satisfied_by_skill: review}}\n")
    names = ("feature/a", "feature-a", "feature%2Fa", "feature_a")
    story.begin(A)
    for done, name in enumerate(names):
        git(story.repo, "checkout", "-q", "-b", name)
        assert "reviewed" in story.ask_edit(A), f"{name} was taken for {names[:done]}"
        story.skill(A, "review")
        assert story.ask_edit(A) == ""
        story.stop(A)
    files = list((story.repo / ".git" / "holdfast" / "requirements").glob("*.json"))
    assert len(files) == len(names)
    for name in names:
        assert story.mirrored(name)["reviewed"]["satisfied"] is True
    git(story.repo, "checkout", "-q", "main")
    assert "reviewed" in story.ask_edit(A)
    story.ends_well()


@pytest.mark.promise("G1")
def test_worktrees_of_a_repository_share_what_is_kept_for_a_branch(story: Story) -> None:
    story.demand(
        """
requirements:
  reviewed: {scope: branch, satisfied_by_skill: review}
  planned: {satisfied_by_skill: plan}
"""
    )
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "-m", "Demand")
    other = story.folder / "other"
    git(story.repo, "worktree", "add", "-q", "-b", "feature/b", str(other))
    git(story.repo, "checkout", "-q", "--detach")
    git(other, "checkout", "-q", "feature/auth")
    story.begin(A, place=other)
    story.skill(A, "review", place=other)
    story.skill(A, "plan", place=other)
    story.stop(A, place=other)
    git(other, "checkout", "-q", "--detach")
    git(story.repo, "checkout", "-q", "feature/auth")
    story.begin(B)
    refused = story.ask_edit(B)
    assert "planned" in refused
    assert "reviewed" not in refused
    story.stop(B)
    assert story.mirrored("feature/auth")["reviewed"]["satisfied"] is True
    assert not (other / ".git" / "holdfast").exists()
    story.ends_well()


@pytest.mark.promise("G1")
@pytest.mark.parametrize("where", ["a detached head", "no repository"])
def test_gates_hold_without_a_branch(story: Story, where: str) -> None:
    place = story.repo
    if where == "no repository":
        place = story.folder / "plain"
        (place / ".claude").mkdir(parents=True)
        (place / ".claude" / "requirements.yaml").write_text(PLAN)
    else:
        story.demand(PLAN)
        git(story.repo, "checkout", "-q", "--detach")
    story.begin(A, place=place)
    asked = {"tool_name": "Edit", "tool_input": {"file_path": f"{place}/a.py"}}
    assert "Plan first." in story.tell("PreToolUse", A, place=place, **asked)
    story.skill(A, "plan", place=place)
    assert story.tell("PreToolUse", A, place=place, **asked) == ""
    story.stop(A, place=place)
    story.ends_well()


@pytest.mark.promise("G2")
def test_a_session_that_nobody_has_heard_of_is_judged_where_it_stands(story: Story) -> None:
    """Installed mid-session: what is demanded counts from the first call on, and what the branch
    has is seen."""
    story.demand(
        """
requirements:
  reviewed: {scope: branch, satisfied_by_skill: review}
  planned: {satisfied_by_skill: plan}
"""
    )
    story.begin(A)
    story.skill(A, "review")
    story.stop(A)
    refused = story.ask_edit(B)
    assert "planned" in refused
    assert "reviewed" not in refused
    story.skill(B, "plan")
    assert story.ask_edit(B) == ""
    story.ends_well()
