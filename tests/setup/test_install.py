"""Installing into real settings files, and leaving them as they were."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from holdfast.agents.claude_code import payloads
from holdfast.errors import SettingsError
from holdfast.setup import install
from holdfast.system import paths

FOREIGN = {
    "permissions": {"allow": ["Bash(ls)"], "odd": 1.50},
    "hooks": {
        "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "fmt"}]}],
        "Stop": [],
    },
    "unknownKey": {"kept": None},
}


@pytest.fixture
def settings(repo: Path) -> Path:
    path = repo / ".claude" / "settings.local.json"
    path.parent.mkdir()
    return path


@pytest.mark.promise("A3")
@pytest.mark.parametrize(
    "text",
    [
        json.dumps(FOREIGN, indent=2) + "\n",
        json.dumps(FOREIGN, indent=4),
        json.dumps(FOREIGN),
        json.dumps(FOREIGN, indent="\t").replace("\n", "\r\n"),
        "{}",
        "",
        '{"hooks": {}}\n',
    ],
)
def test_uninstalling_gives_the_file_back_byte_for_byte(state, settings, text):
    settings.write_bytes(text.encode())

    install.install(state, settings)
    assert install.is_ours(json.loads(settings.read_text())["hooks"]["Stop"][-1]["hooks"][0])
    install.uninstall(state, settings)

    assert settings.read_bytes() == text.encode()


@pytest.mark.promise("A3")
def test_what_another_tool_added_meanwhile_stays_byte_for_byte(state, settings):
    settings.write_text(json.dumps(FOREIGN, indent=2))
    install.install(state, settings)
    theirs = {"matcher": "", "hooks": [{"type": "command", "command": "another-tool"}]}
    said = json.loads(settings.read_text())
    said["hooks"]["PostToolUse"].append(theirs)
    settings.write_text(json.dumps(said, indent=2))

    install.uninstall(state, settings)

    expected = json.loads(json.dumps(FOREIGN))
    expected["hooks"]["PostToolUse"].append(theirs)
    assert settings.read_text() == json.dumps(expected, indent=2)


@pytest.mark.promise("A3")
def test_a_file_and_a_folder_that_we_made_are_gone_afterwards(state, repo):
    path = install.settings_path(repo)
    install.install(state, path)
    assert path.exists()

    install.uninstall(state, path)

    assert not path.parent.exists()


@pytest.mark.promise("A3")
def test_installing_twice_is_installing_once(state, settings):
    settings.write_text(json.dumps(FOREIGN, indent=2))
    install.install(state, settings)
    once = settings.read_bytes()

    assert install.install(state, settings).is_none
    assert settings.read_bytes() == once
    install.uninstall(state, settings)
    assert settings.read_text() == json.dumps(FOREIGN, indent=2)


@pytest.mark.promise("A3")
def test_a_stale_command_of_ours_is_replaced_and_not_added_to(state, settings, monkeypatch):
    install.install(state, settings)
    stale = settings.read_text().replace(os.path.realpath(sys.executable), "/opt/old/python3")
    settings.write_text(stale)

    install.install(state, settings)

    hooks = json.loads(settings.read_text())["hooks"]
    assert [len(groups) for groups in hooks.values()] == [1] * len(payloads.HOOKS)
    assert "/opt/old/python3" not in settings.read_text()


@pytest.mark.promise("A3")
def test_a_hook_over_http_of_an_earlier_version_becomes_a_command_and_can_be_taken_out(
    state, settings
):
    headers = {"Authorization": "Bearer $HOLDFAST_TOKEN", "Holdfast-Variables": "CI=$CI"}
    old = {"type": "http", "url": "http://127.0.0.1:4653/hooks", "headers": headers}
    foreign = {"type": "http", "url": "http://127.0.0.1:9000/hooks", "headers": {"X": "1"}}
    before = {"PostToolUse": [{"matcher": "", "hooks": [old, foreign]}]}
    settings.write_text(json.dumps({"hooks": before}))

    install.install(state, settings)
    after = json.loads(settings.read_text())["hooks"]["PostToolUse"]
    hooks = [hook for group in after for hook in group["hooks"]]
    assert [hook["type"] for hook in hooks].count("command") == 1
    assert foreign in hooks
    assert old not in hooks

    settings.write_text(json.dumps({"hooks": before}))
    install.uninstall(state, settings)
    assert json.loads(settings.read_text())["hooks"]["PostToolUse"][0]["hooks"] == [foreign]


def test_what_was_there_is_backed_up_before_the_first_change(state, settings):
    settings.write_text(json.dumps(FOREIGN))
    install.install(state, settings)

    backups = list(Path(paths.installs(state), "backups").iterdir())
    assert [file.read_text() for file in backups] == [json.dumps(FOREIGN)]
    assert backups[0].stat().st_mode & 0o777 == 0o600


@pytest.mark.promise("A3")
@pytest.mark.parametrize(
    "text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "// x\n{}"]
)
def test_settings_that_cannot_be_read_are_refused_and_left_alone(state, settings, text):
    settings.write_text(text)

    with pytest.raises(SettingsError) as refusal:
        install.install(state, settings)
    assert str(refusal.value).startswith(f"{settings}: ")

    assert settings.read_text() == text


@pytest.mark.promise("A3")
@pytest.mark.promise("S7")
def test_timeouts_are_seconds_and_sessionend_has_ten(state, settings):
    install.install(state, settings)
    hooks = json.loads(settings.read_text())["hooks"]

    assert hooks["SessionEnd"][0]["hooks"][0]["timeout"] == 10
    assert all(0 < groups[0]["hooks"][0]["timeout"] <= 15 for groups in hooks.values())


@pytest.mark.promise("A3")
def test_a_settings_file_behind_a_link_stays_behind_its_link(state, settings, tmp_path):
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    target.chmod(0o644)
    settings.symlink_to(target)

    install.install(state, settings)

    assert settings.is_symlink()
    assert "hooks" in json.loads(target.read_text())
    assert target.stat().st_mode & 0o777 == 0o644


@pytest.mark.promise("A1")
def test_the_launcher_is_short_and_the_command_is_the_real_interpreter(state, settings):
    install.install(state, settings)
    command = install.hook_command(state).split()

    assert len(Path(paths.launcher(state)).read_text().splitlines()) <= 17
    assert command[0] == os.path.realpath(sys.executable)
    assert not os.path.islink(command[0])
    assert command[1:3] == ["-I", "-S"]
