"""Requirements by command: what is the person's is done by a person alone, holds at once, and is
an entry; what is shown is what would be judged."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from terminal import HOLDFAST, AgentWithAShell, answered, refused, run, told, typed, typed_and_told

from conftest import Door, git, make_repo
from holdfast.ledger import faults
from holdfast.rooms.gates.presets import PRESETS
from holdfast.setup import install
from holdfast.system.clock import seconds_of
from law import assert_replay_law
from scenarios.story import A, B, Story

DEMANDS = """
requirements:
  commit_plan:
    satisfied_by_skill: plan
    message: Plan first.
  architecture:
    scope: branch
    trigger_tools: [Write]
"""
PLAN = """
requirements:
  commit_plan: {message: Plan first.}
"""
GUARD = """
requirements:
  protected_branch:
    type: guard
    guard_type: protected_branch
    approval_ttl: 900
"""
SECRET = "ghp_" + "a1B2" * 9  # shaped like a token, and nobody's
PERSONS = (
    "satisfy commit_plan",
    "approve commit_plan",
    "clear commit_plan",
    "clear --all",
    "prune",
    "enable commit_plan",
    "disable commit_plan",
    "pause",
    "pause --project",
    "resume",
    "init --force",
)


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    git(repo, "checkout", "-q", "-b", "feature/auth")
    return Story(door, repo, tmp_path)


@pytest.fixture
def planned(story: Story) -> Story:
    """A session at work in front of one requirement."""
    story.demand(PLAN)
    story.begin(A)
    return story


def mirrored(story: Story, branch: str = "feature%2Fauth") -> dict:
    path = story.repo / ".git" / "holdfast" / "requirements" / f"{branch}.json"
    return json.loads(path.read_text())["requirements"]


def standings(folder: Path, *arguments: str) -> dict[str, str]:
    found = told(folder, "req", "status", *arguments)
    return {one["name"]: one["standing"] for one in found["requirements"]}


# Whose it is


@pytest.mark.promise("G3")
@pytest.mark.parametrize("act", PERSONS)
def test_what_is_the_persons_wants_a_terminal(planned, act):
    said = refused(run(planned.repo, "req", *act.split()))

    assert "only a person may run `holdfast req " in said
    assert ", and there is no terminal here" in said
    assert "terminal of your own" in said
    assert planned.bodies("requirement_met") == planned.bodies("gates_switched") == []
    assert (planned.repo / ".claude" / "requirements.yaml").read_text() == PLAN


@pytest.mark.promise("G3")
@pytest.mark.parametrize("sign", [{"CLAUDECODE": "1"}, {"CLAUDE_CODE_SESSION_ID": A}])
def test_what_is_the_persons_is_refused_inside_an_agent(planned, sign):
    assert "an agent is around" in refused(
        typed(planned.repo, "req", "satisfy", "commit_plan", **sign)
    )
    assert planned.bodies("requirement_met") == []


@pytest.mark.promise("G3")
@pytest.mark.parametrize("words", [[], ["sh", "-c", '"$0" "$@"; exit $?'], ["setsid", "-w"]])
def test_an_agent_that_makes_itself_a_terminal_is_an_agent_all_the_same(story, door, repo, words):
    story.demand(PLAN)
    agent = AgentWithAShell(repo)
    try:
        door.send("SessionStart.startup", agent=agent, session_id=A)
        done = agent.run(*words, *HOLDFAST, "req", "satisfy", "commit_plan")
        met = story.bodies("requirement_met")
        by_a_person = typed(repo, "req", "satisfy", "commit_plan")
    finally:
        agent.kill()

    assert f"process {agent.pid}, which started it, is an agent" in refused(done)
    assert met == []
    assert by_a_person.returncode == 0


@pytest.mark.promise("G3")
def test_a_process_with_the_number_of_a_dead_agent_is_no_agent(planned):
    """A number is given anew: the session's is this test's own, with another start."""
    body = planned.bodies("session_began")[0]
    planned.keep("session_began", {**body, "pid": os.getpid(), "process_started": "1"}, session=B)

    done = typed(planned.repo, "req", "satisfy", "commit_plan", "--session", A)

    assert (done.returncode, done.stderr) == (0, "")


# Satisfied, approved, cleared


@pytest.mark.promise("G3")
@pytest.mark.promise("G8")
def test_a_person_satisfies_and_the_edit_passes(planned):
    assert "commit_plan" in planned.ask_edit(A)

    done = typed(planned.repo, "req", "satisfy", "commit_plan", "--note", "agreed in the hallway")

    assert done.stdout == ("● Satisfied: commit_plan, for session aaaaaaaa on feature/auth\n"), (
        done.stderr
    )
    assert planned.ask_edit(A) == ""
    (kept,) = planned.entries("requirement_met")
    assert (kept.session, kept.agent) == (A, "claude-code")
    assert kept.body == {
        "requirement": "commit_plan",
        "branch": "feature/auth",
        "whose": A,
        "by": "cli",
        "words": "agreed in the hallway",
    }
    assert mirrored(planned)["commit_plan"]["sessions"]["aaaaaaaa"]["satisfied_by"] == "cli"
    planned.ends_well()


@pytest.mark.promise("G3")
def test_the_command_that_a_refusal_names_works_from_anywhere(planned, tmp_path):
    said = planned.ask_edit(A)
    command = said.partition("in a terminal: `")[2].partition("`")[0].split()
    assert command[:2] == ["holdfast", "req"]

    assert typed(tmp_path, *command[1:]).returncode == 0
    assert planned.ask_edit(A) == ""


@pytest.mark.promise("G3")
def test_an_approval_is_for_one_session_and_for_a_time(planned):
    planned.demand(
        GUARD.replace("guard_type", "protected_branches: [feature/auth]\n    guard_type")
    )
    planned.begin(B)
    assert "is protected" in planned.ask_edit(A)

    made = typed_and_told(planned.repo, "req", "approve", "protected_branch", "--session", A)
    again = typed_and_told(
        planned.repo, "req", "approve", "protected_branch", "--session", A, "--for", "2h"
    )

    def lasts(one: dict) -> int:
        return round(seconds_of(one["expires_at"]) - seconds_of(one["at"]))

    assert [one["by"] for one in made["satisfied"]] == ["approval"]
    assert [lasts(one) for one in (*made["satisfied"], *again["satisfied"])] == [900, 7200]
    shown = run(planned.repo, "req", "--session", A, "--verbose").stdout
    assert re.search(r"by approval, \d+ s ago, until (\d{4}-\d\d-\d\d )?\d\d:\d\d\n", shown), shown
    assert planned.ask_edit(A) == ""
    assert "is protected" in planned.ask_edit(B)
    planned.ends_well()


@pytest.mark.promise("G3")
def test_a_condition_is_approved_and_not_satisfied(planned):
    planned.demand(GUARD)

    said = refused(typed(planned.repo, "req", "satisfy", "protected_branch"))

    assert "`holdfast req approve protected_branch`" in said


@pytest.mark.promise("G3")
def test_a_number_that_is_too_high_is_approved(planned):
    planned.demand(
        "requirements: {size: {type: dynamic, calculator: branch_size, thresholds: {block: 1}}}"
    )
    (planned.repo / "new.py").write_text("a = 1\nb = 2\n")
    assert "size" in planned.ask_edit(A)

    typed_and_told(planned.repo, "req", "approve", "size")

    assert planned.ask_edit(A) == ""


@pytest.mark.promise("G8")
def test_a_whole_branch_is_satisfied_for_every_session_on_it_and_no_other(planned):
    made = typed_and_told(planned.repo, "req", "satisfy", "commit_plan", "--branch", "feature/auth")

    assert [one["whose"] for one in made["satisfied"]] == [""]
    planned.begin(B)
    assert planned.ask_edit(A) == planned.ask_edit(B) == ""
    git(planned.repo, "checkout", "-q", "-b", "other")
    assert "commit_plan" in planned.ask_edit(B)
    planned.ends_well()


@pytest.mark.promise("G8")
def test_what_is_kept_for_a_branch_needs_no_session(door, repo, story):
    story.demand(DEMANDS)
    story.begin(A)
    story.end(A)

    made = typed_and_told(repo, "req", "satisfy", "architecture", "--metadata", '{"by": "Ada"}')

    assert [(one["whose"], one["words"]) for one in made["satisfied"]] == [("", '{"by": "Ada"}')]
    assert mirrored(story)["architecture"]["satisfied"] is True
    said = refused(typed(repo, "req", "satisfy", "commit_plan"))
    assert "none is at work here" in said
    assert "`holdfast req sessions`" in said
    assert "holdfast req sessions" in refused(typed(repo, "req", "approve", "architecture"))
    assert "no JSON" in refused(typed(repo, "req", "satisfy", "architecture", "--metadata", "{"))


@pytest.mark.promise("G8")
def test_one_name_that_nobody_knows_stops_the_whole_act(story):
    story.demand(DEMANDS)
    story.begin(A)

    said = refused(typed(story.repo, "req", "satisfy", "architecture", "comit_plan"))

    assert "no requirement comit_plan" in said
    assert "did you mean commit_plan?" in said
    assert story.bodies("requirement_met") == []
    for act in ("approve", "clear", "enable", "disable"):
        assert "did you mean commit_plan?" in refused(typed(story.repo, "req", act, "Commit-plan"))
    assert "`holdfast req list`" in refused(typed(story.repo, "req", "satisfy", "xyzzy"))


@pytest.mark.promise("G8")
def test_a_secret_in_a_note_is_not_kept(planned):
    made = typed_and_told(
        planned.repo, "req", "satisfy", "commit_plan", "--note", f"token {SECRET} seen"
    )

    assert SECRET not in json.dumps(made)
    assert SECRET not in json.dumps(planned.bodies("requirement_met"))


@pytest.mark.promise("G8")
def test_clearing_takes_it_back_from_one_session_or_from_all(planned):
    planned.begin(B)
    for session in (A, B):
        typed_and_told(planned.repo, "req", "satisfy", "commit_plan", "--session", session)

    gone = typed_and_told(planned.repo, "req", "clear", "commit_plan", "--session", A[:8])
    assert [one["whose"] for one in gone["cleared"]] == [A]
    assert "commit_plan" in planned.ask_edit(A)
    assert planned.ask_edit(B) == ""

    gone = typed_and_told(planned.repo, "req", "clear", "--all")
    assert [one["whose"] for one in gone["cleared"]] == [B]
    assert "commit_plan" in planned.ask_edit(B)
    assert mirrored(planned)["commit_plan"]["sessions"] == {}
    assert "Nothing was satisfied" in typed(planned.repo, "req", "clear", "commit_plan").stdout
    assert "or --all" in refused(typed(planned.repo, "req", "clear"), 2)
    planned.ends_well()


@pytest.mark.promise("G8")
def test_prune_clears_the_branches_that_git_no_longer_has(planned, tmp_path):
    for branch in ("old", "elsewhere", "feature/auth"):
        if branch != "feature/auth":
            git(planned.repo, "branch", branch)
        typed_and_told(planned.repo, "req", "satisfy", "commit_plan", "--branch", branch)
    git(planned.repo, "worktree", "add", "-q", str(tmp_path / "tree"), "elsewhere")
    git(planned.repo, "branch", "-q", "-D", "old")
    assert mirrored(planned, "old")

    assert told(planned.repo, "req", "prune", "--dry-run")["branches"] == {"old": ["commit_plan"]}
    assert mirrored(planned, "old")

    done = typed(planned.repo, "req", "prune")
    assert done.stdout == "· old: commit_plan\nWhat was kept of 1 branch went.\n", done.stderr
    folder = planned.repo / ".git" / "holdfast" / "requirements"
    names = sorted(path.name for path in folder.glob("*.json"))
    assert names == ["elsewhere.json", "feature%2Fauth.json"]
    assert [one["why"] for one in planned.bodies("requirement_cleared")] == ["pruned"]
    assert typed_and_told(planned.repo, "req", "prune")["branches"] == {}
    planned.ends_well()


@pytest.mark.promise("G8")
def test_prune_leaves_what_another_clone_of_the_project_has(door, repo, story, tmp_path):
    git(repo, "remote", "add", "origin", "https://example.com/app.git")
    story.demand(PLAN)
    story.begin(A)
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(repo), str(clone)], check=True)
    git(clone, "remote", "set-url", "origin", "https://example.com/app.git")
    git(clone, "checkout", "-q", "-b", "theirs")
    story.begin(B, place=clone)
    typed_and_told(repo, "req", "satisfy", "commit_plan", "--branch", "theirs")

    assert typed_and_told(repo, "req", "prune")["branches"] == {}


@pytest.mark.promise("G8")
def test_prune_clears_nothing_when_git_does_not_answer(planned, tmp_path):
    typed_and_told(planned.repo, "req", "satisfy", "commit_plan", "--branch", "old")
    silent = tmp_path / "bin"
    silent.mkdir()
    (silent / "git").write_text("#!/bin/sh\nexit 1\n")
    (silent / "git").chmod(0o755)

    said = refused(typed(planned.repo, "req", "prune", PATH=f"{silent}:{os.environ['PATH']}"))

    assert "git does not tell the branches" in said
    assert planned.bodies("requirement_cleared") == []


# Switched


@pytest.mark.promise("G8")
def test_a_requirement_is_switched_off_and_on_for_the_project(planned):
    typed_and_told(planned.repo, "req", "disable", "commit_plan")
    planned.begin(B)
    assert planned.ask_edit(A) == planned.ask_edit(B) == ""
    assert standings(planned.repo) == {"commit_plan": "off"}

    typed_and_told(planned.repo, "req", "enable", "commit_plan")
    assert "commit_plan" in planned.ask_edit(A)
    planned.demand(PLAN.replace("message:", "enabled: false, message:"))
    assert "by the configuration" in refused(typed(planned.repo, "req", "enable", "commit_plan"))
    planned.ends_well()


@pytest.mark.promise("G8")
def test_gates_are_paused_for_one_session_or_for_the_project(planned):
    planned.begin(B)
    typed_and_told(planned.repo, "req", "pause", "--session", A)
    assert planned.ask_edit(A) == ""
    assert "commit_plan" in planned.ask_edit(B)
    assert told(planned.repo, "req", "status", "--session", A)["paused"] is True

    typed_and_told(planned.repo, "req", "pause", "--project")
    assert planned.ask_edit(B) == ""
    done = typed(planned.repo, "req", "resume", "--session", A)
    assert "`holdfast req resume --project` ends that." in done.stdout
    assert planned.ask_edit(A) == ""

    typed_and_told(planned.repo, "req", "resume", "--project")
    assert "commit_plan" in planned.ask_edit(A)
    assert "commit_plan" in planned.ask_edit(B)
    planned.ends_well()


@pytest.mark.promise("G8")
def test_without_a_session_there_is_nothing_to_pause_but_the_project(planned):
    planned.end(A)

    assert "--project" in refused(typed(planned.repo, "req", "pause"))
    assert typed_and_told(planned.repo, "req", "pause", "--project")["on"] is False


# Shown


@pytest.mark.promise("G8")
def test_the_status_says_of_each_how_it_stands_and_what_to_run(story):
    story.demand(
        """
requirements:
  commit_plan: {satisfied_by_skill: plan}
  by_hand: {scope: branch, trigger_tools: [Write]}
  verified: {stop_only: true, evidence_required: [tests]}
  main_line: {type: guard, guard_type: protected_branch}
  here: {type: guard, guard_type: protected_branch, protected_branches: [feature/auth]}
  alone: {type: guard, guard_type: single_session}
  size: {type: dynamic, calculator: branch_size, thresholds: {warn: 2, block: 50}}
  wide: {type: dynamic, calculator: branch_size, thresholds: {block: 2}}
  nobody: {type: dynamic, calculator: no_such, thresholds: {block: 2}}
  resting: {enabled: false}
"""
    )
    (story.repo / "new.py").write_text("a = 1\nb = 2\nc = 3\n")
    story.begin(A)
    typed_and_told(story.repo, "req", "satisfy", "by_hand")

    found = told(story.repo, "req")
    rows = {one["name"]: one for one in found["requirements"]}

    assert {name: one["standing"] for name, one in rows.items()} == {
        "commit_plan": "open",
        "verified": "open",
        "here": "open",
        "wide": "open",
        "nobody": "unjudged",
        "size": "near",
        "by_hand": "satisfied",
        "main_line": "satisfied",
        "alone": "satisfied",
        "resting": "off",
    }
    assert (found["satisfied"], found["total"], found["session"]) == (4, 9, A)
    assert rows["size"]["value"] > 2
    assert rows["size"]["thresholds"] == {"block": 50, "warn": 2}
    shown = run(story.repo, "req", "status").stdout
    assert len(shown.splitlines()) <= 14
    assert shown.startswith("Requirements  4/9 satisfied on feature/auth, session aaaaaaaa\n")
    for said in (
        "○ commit_plan  session     run `/plan`",
        "tests: a passing test run has not been seen (asked for at the end of a turn)",
        "○ here         guard       The branch feature/auth is protected.",
        "of 2 (",
        "`holdfast req approve wide`",
        "● by_hand      branch      by cli, ",
        "for the whole branch",
        "● main_line    guard       the branch is not protected",
        "· resting      session     off",
        "`holdfast req verify`" if found["problems"] else "",
    ):
        assert said in shown
    line = run(story.repo, "req", "status", "--summary").stdout
    assert line == (
        "Requirements: 4/9 satisfied on feature/auth; open: commit_plan, verified, here, wide\n"
    )
    verbose = run(story.repo, "req", "status", "--verbose").stdout
    assert "in front of Write" in verbose
    assert "satisfied by `/plan`" in verbose


@pytest.mark.promise("G8")
def test_the_status_outside_of_a_session_is_what_a_new_one_begins_with(planned):
    typed_and_told(planned.repo, "req", "satisfy", "commit_plan")
    assert standings(planned.repo) == {"commit_plan": "satisfied"}
    planned.end(A)

    assert standings(planned.repo) == {"commit_plan": "open"}
    assert "no session is at work" in run(planned.repo, "req").stdout
    assert standings(planned.repo, "--session", A) == {"commit_plan": "satisfied"}


@pytest.mark.promise("G8")
def test_where_nothing_is_demanded_the_status_says_how_to_begin(story):
    story.begin(A)

    assert "holdfast req init --preset relaxed" in run(story.repo, "req").stdout
    assert run(story.repo, "req", "--summary").stdout == "Requirements: none\n"


@pytest.mark.promise("G8")
def test_the_sessions_at_work_are_listed_by_their_whole_ids(planned):
    planned.begin(B)
    planned.crash(B)

    found = told(planned.repo, "req", "sessions")["sessions"]

    assert {one["id"]: one["seen"] for one in found} == {A: True, B: False}
    shown = run(planned.repo, "req", "sessions").stdout
    assert A in shown
    assert "(its process is not seen)" in shown


@pytest.mark.promise("G8")
@pytest.mark.promise("C3")
def test_the_metrics_of_a_session_have_the_designs_fields(planned):
    planned.say(A, "Add a page")
    planned.ask_edit(A)
    typed_and_told(planned.repo, "req", "satisfy", "commit_plan")
    planned.edit(A, "src/a.py")
    planned.fail(A, "make build")
    planned.run(A, "git commit -m x")
    planned.slash(A, "deploy")
    planned.skill(A, "plan")
    planned.compact(A)
    planned.stop(A)

    found = told(planned.repo, "req", "metrics")

    assert found["version"] == "1.0"
    assert (found["session_id"], found["project_dir"]) == (A, str(planned.repo))
    assert (found["branch"], found["ended_at"]) == ("feature/auth", None)
    assert (found["compaction_count"], found["turn_count"]) == (1, 1)
    assert found["commands_succeeded"] == ["git commit -m x"]
    assert found["commands_failed"] == ["make build"]
    edits = {"count": 1, "blocked_count": 1, "files": ["src/a.py"], "commands": []}
    assert found["tools"]["Edit"] == edits
    assert found["tools"]["Bash"]["commands"] == ["make build", "git commit -m x"]
    assert found["requirements"]["commit_plan"]["blocked_count"] == 1
    assert found["requirements"]["commit_plan"]["satisfied_by"] == "cli"
    assert (found["commands"], found["skills"], found["agents"]) == (
        ["deploy"],
        ["deploy", "plan"],
        [],
    )
    assert [one["tool"] for one in found["errors"]] == ["Bash"]
    assert found["git"] == {"commits": 1, "files_changed": 1}
    assert found["started_at"] > 0
    assert found["duration_seconds"] >= 0
    planned.end(A)
    assert told(planned.repo, "req", "metrics")["ended_at"] is not None
    shown = run(planned.repo, "req", "metrics", "--session", A[:8]).stdout
    assert "commit_plan: 1 refusal, by cli" in shown


# Files


@pytest.mark.promise("G8")
def test_the_strict_preset_names_the_file_it_asks_for_and_a_protected_branch_once(story):
    story.demand(PRESETS["strict"])
    story.begin(A)
    asked = run(story.repo, "req").stdout

    assert "a file in .claude/plans or docs/plans with '## Plan' and the verdict" in asked

    git(story.repo, "checkout", "-q", "-B", "main")
    story.begin(B)
    guard = run(story.repo, "req", "--session", B).stdout
    assert "The branch main is protected. Make a branch of your own first" in guard


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_is_written_reads_and_is_not_written_over(repo, preset):
    assert run(repo, "req", "init", "--preset", preset, "--preview").stdout == PRESETS[preset]
    assert not (repo / ".claude").exists()

    made = told(repo, "req", "init", "--preset", preset)

    path = repo / ".claude" / "requirements.yaml"
    assert (made["file"], path.read_text()) == (str(path), PRESETS[preset])
    assert told(repo, "req", "verify")["problems"] == []
    assert "--force" in refused(run(repo, "req", "init", "--preset", preset))


@pytest.mark.promise("G8")
def test_a_person_at_a_terminal_picks_a_preset_by_what_it_would_have_asked(story):
    story.begin(A)
    story.edit(A, "src/a.py")
    for number in (1, 2):
        story.run(A, f"git commit -m {number}")
    story.run(A, "pytest", "3 passed in 0.1s")
    story.run(A, "git commit -m proved")
    story.end(A)

    code, printed, screen = answered(story.repo, "tested", "req", "init")

    assert code == 0
    assert "tested: tests before each commit, and nothing else. Over 1 session here it" in screen
    assert "What shall be demanded here?" in screen
    assert "Over 1 session here it would have asked 2 times." in printed
    path = story.repo / ".claude" / "requirements.yaml"
    assert path.read_text() == PRESETS["tested"]


@pytest.mark.promise("G8")
def test_writing_over_a_file_is_the_persons_and_keeps_a_copy(repo):
    told(repo, "req", "init", "--preset", "strict")
    assert "only a person may run" in refused(
        run(repo, "req", "init", "--preset", "minimal", "--force")
    )
    assert (repo / ".claude" / "requirements.yaml").read_text() == PRESETS["strict"]

    made = typed_and_told(repo, "req", "init", "--preset", "minimal", "--force")

    assert Path(made["backup"]).read_text() == PRESETS["strict"]
    assert (repo / ".claude" / "requirements.yaml").read_text() == PRESETS["minimal"]


@pytest.mark.promise("G3")
def test_where_something_is_demanded_already_an_agent_adds_no_file_that_could_weaken_it(repo, home):
    (home / ".claude").mkdir()
    (home / ".claude" / "requirements.yaml").write_text(PLAN)

    assert "only a person may run" in refused(run(repo, "req", "init"))
    assert typed(repo, "req", "init").returncode == 0


@pytest.mark.promise("G8")
def test_the_merged_requirements_say_which_file_each_value_comes_from(repo, home):
    files = [
        home / ".claude" / "requirements.yaml",
        repo / ".claude" / "requirements.yaml",
        repo / ".holdfast" / "config.local.yaml",
    ]
    texts = ["scope: branch, message: One", "message: Two", "stop_only: true"]
    for path, text in zip(files, texts, strict=True):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"requirements: {{plan: {{{text}}}}}\n")

    found = told(repo, "req", "config", "--sources")

    plan = found["requirements"]["plan"]
    assert (plan["scope"], plan["message"], plan["stop_only"]) == ("branch", "Two", True)
    sources = {name: found["sources"][f"requirements.plan.{name}"] for name in ("scope", "message")}
    assert sources == {"scope": str(files[0]), "message": str(files[1])}
    shown = run(repo, "req", "config", "--sources", "plan").stdout
    assert f"requirements.plan.stop_only  true   ({files[2]})" in shown
    assert f"● user     {files[0]}" in shown
    assert "approval_ttl" not in shown
    assert "approval_ttl" in run(repo, "req", "config", "--verbose").stdout
    assert "did you mean plan?" in refused(run(repo, "req", "config", "plann"))
    assert [one["name"] for one in told(repo, "req", "list")["requirements"]] == ["plan"]


@pytest.mark.promise("G8")
def test_verify_names_file_and_field_of_everything_that_is_wrong(repo):
    ours, theirs = repo / ".holdfast" / "config.yaml", repo / ".claude" / "requirements.yaml"
    for path in (ours, theirs):
        path.parent.mkdir()
    ours.write_text("requirements: {a: {scope: [}")
    theirs.write_text(
        """
requirements:
  good: {}
  bad: {scope: sesion}
  odd: {mesage: Hello}
  count: {type: dynamic, calculator: nobody_has_it, thresholds: {block: 1}}
"""
    )

    done = run(repo, "req", "verify", "--json")
    found = json.loads(done.stdout)["problems"]

    assert done.returncode == 1
    said = {(Path(one["file"]).name, one["said"]) for one in found}
    assert len(said) == 4
    text = "\n".join(f"{file}: {what}" for file, what in sorted(said))
    assert "config.yaml: not readable as YAML (line 1, column" in text
    assert "requirement bad: scope wants one of" in text
    assert "did you mean session?" in text
    assert "requirement odd: there is no mesage (did you mean message?)" in text
    assert "requirement count: calculator nobody_has_it is not installed" in text
    assert str(theirs) in run(repo, "req", "verify").stdout


# The doctor


def findings(folder: Path) -> dict[str, str]:
    done = run(folder, "req", "doctor", "--json")
    found = json.loads(done.stdout)
    assert done.returncode == (0 if found["well"] else 1)
    return {one["check"]: f"{one['standing']}: {one['said']}" for one in found["findings"]}


@pytest.mark.promise("G8")
def test_the_doctor_says_whether_anything_would_be_refused(planned, state):
    assert findings(planned.repo)["hook"].startswith("broken: not installed")

    settings = install.settings_path(planned.repo)
    install.install(state, settings)
    well = findings(planned.repo)
    assert well["hook"] == f"well: PreToolUse in {settings}"
    assert well["files"] == "well: read, and demand 1 requirement"
    assert well["grammar"].startswith("well")
    assert (well["off"], well["faults"]) == ("well: nothing is", "well: every call was judged")

    said = json.loads(settings.read_text())
    settings.write_text(json.dumps({**said, "disableAllHooks": True}))
    assert "disableAllHooks" in findings(planned.repo)["hook"]
    del said["hooks"]["PreToolUse"]
    settings.write_text(json.dumps(said))
    assert "has no PreToolUse hook" in findings(planned.repo)["hook"]


@pytest.mark.promise("G8")
def test_the_doctor_counts_what_was_switched_off_and_what_could_not_be_judged(planned, state):
    planned.demand("requirements: {a: {type: dynamic, calculator: nobody, thresholds: {block: 1}}}")
    assert planned.ask_edit(A) == ""
    typed_and_told(planned.repo, "req", "disable", "a")
    typed_and_told(planned.repo, "req", "pause")

    found = run(planned.repo, "req", "doctor").stdout

    assert "· off       a: `holdfast req enable a`" in found
    assert "· off       all gates of the session here: `holdfast req resume`" in found
    assert re.search(
        r"◐ faults    not judged once at \S+, last (\d{4}-\d\d-\d\d )?\d\d:\d\d: ", found
    )
    assert "calculator nobody is not installed" in found
    faults.clear(state)


# How it is called


@pytest.mark.promise("G8")
def test_req_is_the_same_command(planned):
    code = "import sys; from holdfast.__main__ import req; sys.exit(req())"
    done = subprocess.run(
        [sys.executable, "-c", code, "status", "--summary"],
        cwd=planned.repo,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout) == (
        0,
        "Requirements: 0/1 satisfied on feature/auth; open: commit_plan\n",
    )
    toml = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert 'req = "holdfast.__main__:req"' in toml


@pytest.mark.promise("G8")
@pytest.mark.parametrize(
    "words",
    [
        "satisfy",
        "status commit_plan",
        "list --branch x",
        "prune --all",
        "approve commit_plan --for never",
        "approve commit_plan --for 0",
        "nonsense",
        "init --preset nobody",
    ],
)
def test_what_an_act_has_no_use_for_is_misuse(repo, words):
    assert refused(typed(repo, "req", *words.split()), 2)


@pytest.mark.promise("G8")
def test_in_a_folder_that_is_no_project_nothing_is_made(planned, tmp_path):
    other = make_repo(tmp_path / "other")
    (other / ".claude").mkdir()
    (other / ".claude" / "requirements.yaml").write_text(PLAN)

    said = refused(typed(other, "req", "satisfy", "commit_plan", "--branch", "main"))

    assert "no project that Holdfast knows" in said
    assert planned.bodies("requirement_met") == []


@pytest.mark.promise("G8")
@pytest.mark.exhaustive
def test_many_commands_and_judgements_at_once_lose_nothing(story, state):
    names = [f"gate_{number}" for number in range(16)]
    story.demand("requirements:\n" + "".join(f"  {name}: {{}}\n" for name in names))
    story.begin(A)

    with ThreadPoolExecutor(16) as crowd:
        satisfied = [
            crowd.submit(typed, story.repo, "req", "satisfy", name, "--session", A)
            for name in names
        ]
        judged = [crowd.submit(story.ask_edit, A, f"src/{number}.py") for number in range(16)]
        assert [one.result().stderr for one in satisfied] == [""] * 16
        assert all(isinstance(one.result(), str) for one in judged)

    assert set(standings(story.repo).values()) == {"satisfied"}
    assert story.ask_edit(A) == ""
    assert {
        one["satisfied"] for each in mirrored(story).values() for one in each["sessions"].values()
    } == {True}
    assert_replay_law(state, story.repo)
    assert faults.all_of(state) == []


@pytest.mark.promise("G9")
def test_a_command_is_explained_with_its_actions_and_the_requirements_it_asks_for(story):
    story.demand(PRESETS["strict"])

    row = told(story.repo, "req", "explain", 'git push -f origin main && git "$X"')

    push = {"name": "push", "branch": "main", "remote": "origin", "force": True}
    assert row == {
        "command": 'git push -f origin main && git "$X"',
        "actions": [push],
        "opaque": ["git $X"],
        "requirements": ["protected_push"],
    }
    lines = run(story.repo, "req", "explain", row["command"]).stdout.splitlines()
    assert "  ● push: branch main, remote origin, force" in lines
    assert "  → asks for protected_push" in lines


@pytest.mark.promise("G9")
def test_many_commands_are_explained_an_object_on_a_line_each(repo):
    commands = ["git push", "ls\n-l", "é", ""]
    done = subprocess.run(
        [*HOLDFAST, "req", "explain", "--stdin", "--json"],
        cwd=repo,
        input="".join(f"{json.dumps(each)}\n" for each in commands),
        capture_output=True,
        text=True,
        check=True,
    )

    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["command"] for row in rows] == commands
    assert [action["name"] for action in rows[0]["actions"]] == ["push"]
    assert set(rows[1]) == {"command", "actions", "opaque", "requirements"}


def test_explaining_nothing_is_a_mistake(repo):
    done = run(repo, "req", "explain")

    assert (done.returncode, done.stdout) == (2, "")
    assert "explain takes a command, or --stdin" in done.stderr
