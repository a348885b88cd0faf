"""Demands and hooks that are gone since the last session: the next one says so in one line, unless
a commit or a command took them away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.terminal import typed
from conftest import git
from holdfast.setup import install
from holdfast.setup.doctor import BROKEN, Patient, switches
from holdfast.setup.doctor.examination import examine
from holdfast.system import paths
from law import assert_replay_law
from scenarios.story import A, B, C, Story

pytestmark = [pytest.mark.promise("O1"), pytest.mark.promise("O2")]

DEMANDED = "requirements:\n  planned: {trigger_tools: [Edit], satisfied_by_skill: plan}\n"
GONE = "No longer demanded since the last session here: `planned`."
HOOKS = "are gone from the settings since the last session here"


@pytest.fixture
def demands(repo: Path) -> Path:
    path = repo / ".claude" / "requirements.yaml"
    path.parent.mkdir()
    path.write_text(DEMANDED)
    return path


@pytest.fixture
def begun(story: Story, demands: Path, repo: Path, state: str) -> Story:
    """A committed demand, and a session that began under it."""
    git(repo, "add", "-f", ".claude/requirements.yaml")
    git(repo, "commit", "-q", "-m", "Demand a plan")
    install.install(state, install.settings_path(repo))
    story.begin(A)
    return story


def begin(story: Story, session: str) -> str:
    """What the session is told of what is gone; the person sees the same."""
    told = [line for line in story.begin(session).splitlines() if "since the last session" in line]
    shown = [line for line in story.door.shown.splitlines() if "since the last session" in line]
    assert [line.removeprefix("Holdfast: ") for line in shown] == told
    return "\n".join(told)


def test_of_many_demands_that_are_gone_some_are_named_and_the_rest_counted(story, demands):
    names = [f"demand{number}" for number in range(7)]
    rows = (f"  {name}: {{trigger_tools: [Edit], satisfied_by_skill: plan}}\n" for name in names)
    demands.write_text(f"requirements:\n{''.join(rows)}")
    story.begin(A)
    demands.unlink()

    told = begin(story, B)

    shown = [name for name in names if f"`{name}`" in told]
    assert shown == names[: len(shown)]
    assert f"`{shown[-1]}` and {7 - len(shown)} more. " in told


def test_a_requirements_file_that_was_removed_is_told_once(begun, demands, state, repo):
    demands.unlink()

    told = begin(begun, B)

    assert told.startswith(GONE)
    assert f"`{demands}` is gone, and no commit did that" in told
    assert begin(begun, C) == ""
    assert_replay_law(state, repo)


def test_the_doctor_names_a_file_that_the_last_commit_has_and_the_work_tree_has_not(
    begun, demands, state, repo
):
    def found() -> list[tuple[str, str]]:
        findings = examine(Patient(state, repo), [switches.requirements])
        return [(finding.standing, finding.message) for finding in findings]

    assert found() == []
    demands.unlink()

    ((standing, message),) = found()
    assert standing == BROKEN
    assert f"{demands} is gone: what it demands is not in force" in message
    assert "`git restore .claude/requirements.yaml` brings it back" in message
    (trouble,) = begun.holdfast("status")["trouble"]
    assert trouble == message
    git(repo, "rm", "-q", "--cached", str(demands))
    git(repo, "commit", "-q", "-m", "Demand no plan")
    assert found() == []


@pytest.mark.parametrize("content", ["", "requirements: {}\n"])
def test_one_that_was_emptied_is_told(begun, demands, content):
    demands.write_text(content)

    told = begin(begun, B)

    assert told.startswith(GONE)
    assert f"`{demands}` was changed" in told


SWITCHED_OFF = "requirements: {planned: {enabled: false}}\n"


@pytest.mark.parametrize(
    "place",
    [
        ".holdfast/config.local.yaml",
        ".claude/requirements.local.yaml",
        "~/.config/holdfast/config.yaml",
    ],
)
@pytest.mark.parametrize("content", [SWITCHED_OFF, "enabled: false\n"])
def test_a_demand_that_a_new_file_of_any_layer_switches_off_is_told(
    begun, repo, home, place, content
):
    path = Path(place.replace("~", str(home))) if place[0] == "~" else repo / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)

    told = begin(begun, B)

    assert told.startswith(GONE)
    assert f"`{path}` is new, and no commit did that" in told
    assert begin(begun, C) == ""


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("{trigger_tools: [Zzz]}", "Edit"),
        ("{type: guard, guard_type: protected_branch, protected_branches: [old]}", "blocking"),
        ("{satisfied_by_skill: anything}", "plan"),
    ],
)
def test_a_demand_that_a_new_file_weakens_is_told(begun, repo, content, part):
    path = repo / ".holdfast" / "config.local.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"requirements: {{planned: {content}}}\n")

    told = begin(begun, B)

    assert told.startswith("No longer demanded since the last session here: `planned: ")
    assert f"`planned: {part}`" in told
    assert f"`{path}` is new, and no commit did that" in told
    assert begin(begun, C) == ""


def test_a_removal_that_was_committed_is_the_teams_decision(begun, demands, repo):
    git(repo, "rm", "-q", str(demands))
    git(repo, "commit", "-q", "-m", "Demand no plan")

    assert begin(begun, B) == ""


def test_a_removal_that_is_only_staged_is_told(begun, demands, repo):
    git(repo, "rm", "-q", str(demands))

    assert begin(begun, B).startswith(GONE)


def test_a_checkout_of_a_branch_without_it_is_not_told(begun, demands, repo):
    git(repo, "checkout", "-q", "main")
    assert not demands.exists()

    assert begin(begun, B) == ""


def test_a_pull_that_brought_other_content_is_not_told(begun, demands, repo):
    git(repo, "checkout", "-q", "-b", "theirs")
    demands.write_text("requirements: {}\n")
    git(repo, "commit", "-q", "-am", "Demand nothing")
    git(repo, "checkout", "-q", "feature/auth")
    git(repo, "merge", "-q", "theirs")

    assert begin(begun, B) == ""


def test_a_personal_file_that_git_never_had_is_told(story, state, repo, demands):
    story.begin(A)
    demands.unlink()

    assert begin(story, B).startswith(GONE)


def remove(demands: Path, repo: Path) -> None:
    demands.unlink()


def empty(demands: Path, repo: Path) -> None:
    demands.write_text("requirements: {}\n")


def switch_off(demands: Path, repo: Path) -> None:
    path = repo / ".holdfast" / "config.local.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(SWITCHED_OFF)


def stage(demands: Path, repo: Path) -> None:
    git(repo, "rm", "-q", str(demands))


@pytest.mark.promise("G3")
@pytest.mark.parametrize("how", [remove, empty, switch_off, stage])
def test_a_demand_counts_as_before_until_a_person_confirms_that_it_is_gone(
    begun, demands, repo, how
):
    how(demands, repo)
    assert "planned" in begun.ask_edit(A)
    (repo / ".claude" / "requirements.local.yaml").write_text("requirements: {other: {}}\n")
    assert "planned" in begun.ask_edit(A), "another change let it go"

    assert "`holdfast trust`" in begin(begun, B)
    assert "planned" in begun.ask_edit(B)
    assert typed(repo, "trust").returncode == 0

    assert "planned" not in begun.ask_edit(B)
    assert "other" in begun.ask_edit(B)


@pytest.mark.promise("G3")
def test_a_demand_that_a_commit_or_the_home_takes_away_is_gone(begun, demands, repo, home):
    path = home / ".config" / "holdfast" / "config.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(SWITCHED_OFF)
    assert begun.ask_edit(A) == ""
    path.unlink()
    assert "planned" in begun.ask_edit(A)

    git(repo, "rm", "-q", str(demands))
    git(repo, "commit", "-q", "-m", "Demand no plan")
    assert begun.ask_edit(A) == ""


def change_hooks(repo: Path, change: Any) -> None:
    path = install.settings_path(repo)
    settings = json.loads(path.read_text())
    change(settings["hooks"])
    path.write_text(json.dumps(settings))


def test_hooks_that_were_taken_out_are_told_by_one_that_still_fires(begun, repo):
    change_hooks(repo, lambda hooks: (hooks.pop("PreToolUse"), hooks.pop("Stop")))

    told = begin(begun, B)

    assert told == f"Hooks for PreToolUse, Stop {HOOKS}: `holdfast init` puts them back."
    assert begin(begun, C) == ""


@pytest.mark.promise("G3")
def test_what_is_gone_is_told_at_the_end_of_the_turn_in_which_it_went(begun, repo, demands):
    begun.say(A, "Tidy up")
    begun.stop(A)
    assert begun.door.shown == ""
    change_hooks(repo, lambda hooks: hooks.pop("PreToolUse"))
    demands.unlink()

    begun.say(A, "Go on")
    assert begun.stop(A) == "", "an agent that is told goes on"

    assert "Hooks for PreToolUse are gone from the settings" in begun.door.shown
    assert f"`{demands}` is gone, and no commit did that" in begun.door.shown
    begun.say(A, "Go on")
    begun.stop(A)
    assert begun.door.shown == ""


def test_hooks_that_the_person_uninstalled_are_not_told(begun, repo):
    assert typed(repo, "uninstall").returncode == 0

    assert begin(begun, B) == ""


def test_a_demand_that_the_person_disabled_by_command_is_not_told(begun):
    assert typed(begun.repo, "req", "disable", "planned").returncode == 0

    assert begin(begun, B) == ""


def test_a_record_that_is_torn_is_taken_for_none(begun, demands, state, repo):
    Path(paths.seen_demands(state, str(repo))).write_text("{")
    demands.unlink()

    assert begin(begun, B) == ""
