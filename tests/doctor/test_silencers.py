"""What keeps hooks from running without a word: seen in every settings file that the agent reads,
with the file named. Which of them the agent honours was seen with the real client."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.agents.claude_code import settings_layers
from holdfast.setup import install
from holdfast.setup.doctor import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.setup.doctor.examination import examine

pytestmark = [pytest.mark.promise("O1"), pytest.mark.promise("O5")]

OFF = {"disableAllHooks": True}
LAYERS = ("user", "project", "local")


@pytest.fixture
def patient(repo: Path, state: str) -> Patient:
    install.install(state, install.settings_path(repo))
    return Patient(state, repo)


@pytest.fixture
def place(repo: Path, home: Path) -> Callable[[str], Path]:
    return {
        "user": home / ".claude" / "settings.json",
        "project": repo / ".claude" / "settings.json",
        "local": repo / ".claude" / "settings.local.json",
    }.__getitem__


def put(path: Path, **settings: Any) -> None:
    there = json.loads(path.read_text()) if path.exists() else {}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({**there, **settings}))


def settings_findings(patient: Patient) -> list[Finding]:
    return [finding for finding in examine(patient) if finding.check == "settings"]


def run(folder: Path, *words: str, policy: dict[str, Any] | None = None) -> Any:
    """A command as the person runs it; with a policy, on a machine that has it: its own /etc."""
    command = [sys.executable, "-m", "holdfast", *words, "--json"]
    if policy is not None:
        if os.geteuid() != 0 or not shutil.which("unshare"):
            pytest.skip("a file in /etc that only one process sees needs root")
        etc = folder.parent / "etc"
        drop_ins = etc / "claude-code" / "managed-settings.d"
        drop_ins.mkdir(parents=True, exist_ok=True)
        (drop_ins / "10-it.json").write_text(json.dumps(policy))
        script = 'cp -a /etc/passwd "$0" && mount --bind "$0" /etc && exec "$@"'
        alone = ["unshare", "-m", "--propagation", "private", "sh", "-c", script, str(etc)]
        command = [*alone, *command]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
    assert done.stderr == b""
    return json.loads(done.stdout)


@pytest.mark.parametrize("layer", LAYERS)
def test_hooks_that_a_layer_disables_are_named_with_the_file(patient, place, layer):
    put(place(layer), **OFF)

    (found,) = settings_findings(patient)
    assert found.standing == BROKEN
    assert str(place(layer)) in found.message
    assert "disableAllHooks: no hook runs at all" in found.message
    said = run(patient.root, "status")["trouble"]
    assert said == [found.message]


@pytest.mark.parametrize("layer", LAYERS)
def test_our_switch_in_a_layers_env_is_named_with_the_file(patient, place, layer):
    put(place(layer), env={"HOLDFAST_OFF": "1"})

    (found,) = settings_findings(patient)
    assert found.standing == BROKEN
    assert found.message.startswith(f"{place(layer)} sets HOLDFAST_OFF in its env")
    assert run(patient.root, "status")["trouble"] == [found.message]


def test_a_healthy_set_up_is_silent_on_it_in_status_and_well_in_doctor(patient):
    assert [found.standing for found in settings_findings(patient)] == [WELL]
    assert run(patient.root, "status")["trouble"] == []


@pytest.mark.parametrize("below", ["user", "project"])
def test_what_a_stronger_file_takes_back_is_only_a_note(patient, place, below):
    put(place(below), **OFF, env={"HOLDFAST_OFF": "1"})
    put(place("local"), disableAllHooks=False, env={"HOLDFAST_OFF": "0"})

    (found,) = settings_findings(patient)
    assert found.standing == NOTE
    assert str(place("local")) in found.message
    assert run(patient.root, "status")["trouble"] == []


def test_a_value_that_is_no_boolean_costs_the_hooks_of_its_file(patient, place):
    put(place("local"), disableAllHooks="true")

    (found,) = settings_findings(patient)
    assert (found.standing, "neither true nor false" in found.message) == (BROKEN, True)


@pytest.mark.parametrize(
    ("policy", "named"),
    [
        (OFF, "disableAllHooks"),
        ({"allowManagedHooksOnly": True}, "allowManagedHooksOnly"),
        ({"strictPluginOnlyCustomization": ["hooks"]}, "strictPluginOnlyCustomization"),
        ({"env": {"HOLDFAST_OFF": "1"}}, "HOLDFAST_OFF"),
    ],
)
def test_policy_that_keeps_hooks_from_running_is_named_with_whom_to_ask(patient, policy, named):
    found = run(patient.root, "doctor", policy=policy)

    (said,) = [each["said"] for each in found["findings"] if each["check"] == "settings"]
    assert not found["well"]
    assert named in said
    assert f"{settings_layers.POLICY_FOLDER}/managed-settings.d/10-it.json" in said
    assert "ask whoever manages this machine" in said
    assert run(patient.root, "status", policy=policy)["trouble"] == [said]


def test_policy_that_allows_hooks_overrules_who_disables_them(patient, place):
    put(place("local"), **OFF)

    found = run(patient.root, "doctor", policy={"disableAllHooks": False})

    settings = [each["standing"] for each in found["findings"] if each["check"] == "settings"]
    assert settings == [NOTE]


@pytest.mark.parametrize("key", ["allowManagedHooksOnly", "strictPluginOnlyCustomization"])
def test_what_only_policy_may_say_is_nothing_in_a_persons_file(patient, place, key):
    put(place("user"), **{key: True})

    assert [found.standing for found in settings_findings(patient)] == [WELL]


def test_a_file_that_is_no_json_is_named_where_no_hook_of_ours_is(patient, place):
    place("project").write_text("{")

    (found,) = settings_findings(patient)
    assert (found.standing, str(place("project")) in found.message) == (POOR, True)


def test_a_state_home_for_hooks_alone_is_named(patient, place, tmp_path):
    put(place("user"), env={"HOLDFAST_STATE_HOME": str(tmp_path / "elsewhere")})

    (found,) = settings_findings(patient)
    assert (found.standing, str(tmp_path / "elsewhere") in found.message) == (POOR, True)


def edit_hook(patient: Patient, event: str, change: Callable[[dict[str, Any]], object]) -> None:
    path = install.settings_path(patient.root)
    settings = json.loads(path.read_text())
    change(settings["hooks"][event][0])
    path.write_text(json.dumps(settings))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda group: group.update(matcher="Bash"), 'its matcher "Bash" leaves other calls out'),
        (lambda group: group["hooks"][0].update({"if": "Bash(git *)"}), 'it has "if"'),
        (lambda group: group["hooks"][0].update(type="http"), "so it never runs"),
        (lambda group: group["hooks"][0].update(timeout="15"), "so it never runs"),
        (lambda group: group["hooks"][0].update({"async": True}), "its answer comes too late"),
    ],
)
def test_a_hook_that_was_changed_by_hand_is_named_and_put_right(patient, change, named):
    edit_hook(patient, "PreToolUse", change)

    (found,) = [each for each in examine(patient) if each.check == "hooks"]
    assert found.standing == BROKEN
    assert "PreToolUse (" in found.message
    assert named in found.message
    assert found.mend is not None
    found.mend()
    assert [each.standing for each in examine(patient) if each.check == "hooks"] == [WELL]


@pytest.mark.parametrize("matcher", ["*", ".*"])
def test_a_matcher_that_still_matches_all_is_well(patient, matcher):
    edit_hook(patient, "PreToolUse", lambda group: group.update(matcher=matcher))

    assert [each.standing for each in examine(patient) if each.check == "hooks"] == [WELL]


def test_a_hook_under_a_name_that_never_fires_is_named(patient):
    path = install.settings_path(patient.root)
    path.write_text(path.read_text().replace('"PreToolUse"', '"PretoolUse"'))

    (found,) = [each for each in examine(patient) if each.check == "hooks"]
    assert "lacks hooks for PreToolUse, and has some for PretoolUse" in found.message


def test_a_launcher_that_is_gone_is_named(patient):
    os.unlink(f"{patient.state}/hook.py")

    found = {each.check: each for each in examine(patient)}
    assert found["interpreter"].standing == BROKEN
    assert f"{patient.state}/hook.py is gone: no hook runs" in found["interpreter"].message


def test_one_change_of_all_hooks_is_told_once(patient):
    path = install.settings_path(patient.root)
    path.write_text(path.read_text().replace('"matcher": ""', '"matcher": "Bash"'))

    (found,) = [each for each in examine(patient) if each.check == "hooks"]
    assert found.message.count("leaves other calls out") == 1
    assert "and 12 more" in found.message


def test_where_nothing_is_installed_the_doctor_does_not_say_that_all_is_well(repo):
    command = [sys.executable, "-m", "holdfast", "doctor"]
    done = subprocess.run(
        command, cwd=repo, capture_output=True, text=True, timeout=60, check=False
    )

    last = done.stdout.splitlines()[-1]
    assert (done.returncode, "before you run `holdfast init`" in last) == (0, True)
