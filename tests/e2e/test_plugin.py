"""The plugin, with the real Claude Code: from its folder, and from a marketplace on this disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from e2e import rig
from e2e.conftest import COMMAND_TIMEOUT_S, Claude, assert_sound
from e2e.test_claude_code import DONE
from holdfast.agents.claude_code import payloads
from holdfast.system import paths

pytestmark = pytest.mark.promise("A1")

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugin"
TOOLS = ("--allowedTools", "mcp__plugin_holdfast_holdfast")


def plugin_command(claude: Claude, client: Path, *arguments: str) -> str:
    done = subprocess.run(
        [str(client), "plugin", *arguments],
        cwd=claude.repo,
        env=rig.environment(claude.model, claude.scratch),
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def with_program() -> dict[str, str]:
    """PATH as a person's shell has it: the folder that Holdfast was installed to in it."""
    return {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def decided() -> dict[str, object]:
    given = {"text": "Use uv"}
    return {"tool": "mcp__plugin_holdfast_holdfast__decide", "input": given}


@pytest.fixture
def bare(claude: Claude) -> Claude:
    """A home and a project without hooks in any settings file, and no launcher yet."""
    claude.holdfast("uninstall")
    Path(paths.plugin_launcher(paths.state_home())).unlink()
    return claude


@pytest.mark.parametrize("folder", [PLUGIN, ROOT], ids=["plugin", "marketplace"])
def test_the_client_finds_nothing_wrong_with_it(claude, client, folder):
    assert "Validation passed" in plugin_command(
        claude, client, "validate", str(folder), "--strict"
    )


def test_its_hooks_are_those_that_init_installs():
    hooks = json.loads((PLUGIN / "hooks" / "hooks.json").read_text())["hooks"]

    timeouts = {event: group["hooks"][0]["timeout"] for event, (group,) in hooks.items()}
    assert timeouts == payloads.HOOKS
    for event, (group,) in hooks.items():
        command = f'sh "${{CLAUDE_PLUGIN_ROOT}}/hooks/hook.sh" {event}'
        assert group["hooks"][0]["command"] == command


@pytest.mark.exhaustive
def test_from_its_folder_hooks_fire_once_and_the_server_answers(bare, kept, state):
    run = bare.run(
        "Fix the retry loop in src/fetch.py",
        *("--plugin-dir", str(PLUGIN), *TOOLS),
        says=[decided(), DONE],
        **with_program(),
    )

    assert kept.sources(run.session) == ["startup"]
    assert len(kept.entries(run.session, "prompt_given")) == 1
    assert [entry.body["text"] for entry in kept.entries(run.session, "decision_made")] == [
        "Use uv"
    ]
    (offered,) = (event for event in run.events if event.get("subtype") == "init")
    assert "holdfast:holdfast" in offered["skills"]
    commands = {f"holdfast:{path.stem}" for path in (PLUGIN / "commands").glob("*.md")}
    assert commands <= set(offered["slash_commands"])
    assert_sound(bare, state)


def test_its_version_is_the_programs():
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())

    assert manifest["version"] == holdfast.__version__


@pytest.mark.exhaustive
def test_a_command_of_it_shows_what_the_program_prints(bare, state):
    bare.run("/holdfast:status", "--plugin-dir", str(PLUGIN), says=[DONE], **with_program())

    assert "Ledger    " in bare.model.sent_text("main")
    assert_sound(bare, state)


def test_from_a_marketplace_the_next_session_knows_the_one_before(bare, client, kept, state):
    plugin_command(bare, client, "marketplace", "add", str(ROOT))
    plugin_command(bare, client, "install", "holdfast@holdfast")

    first = bare.run("Never push to main", *TOOLS, says=[decided(), DONE], **with_program())
    bare.run("Go on", says=[DONE], **with_program())

    assert kept.sources(first.session) == ["startup"]
    assert len(kept.entries(first.session, "prompt_given")) == 1
    assert len(kept.entries(first.session, "decision_made")) == 1, "the server answered"
    (offered,) = (event for event in first.events if event.get("subtype") == "init")
    assert "holdfast:holdfast" in offered["skills"]
    sent = bare.model.sent_text("main")
    assert "Use uv" in sent
    assert "Never push to main" in sent
    assert_sound(bare, state)


@pytest.mark.exhaustive
def test_beside_init_nothing_is_doubled(claude, kept, state):
    run = claude.run(
        "Fix the retry loop in src/fetch.py",
        *("--plugin-dir", str(PLUGIN)),
        says=[DONE],
        **with_program(),
    )

    assert len(kept.entries(run.session, "prompt_given")) == 1
    told = [hook["stdout"] for hook in run.hooks if "PLUGIN" in json.dumps(hook)]
    assert not any(told)
    assert_sound(claude, state)


@pytest.mark.exhaustive
def test_where_the_program_is_missing_one_line_says_so_and_nothing_else_happens(bare, state):
    run = bare.run("Go on", *("--plugin-dir", str(PLUGIN)), says=[DONE])

    answers = [json.loads(hook["stdout"]) for hook in run.hooks if hook["stdout"]]
    (answer,) = answers
    assert answer["systemMessage"].startswith("The Holdfast plugin needs the program holdfast")
    assert all(hook["exit_code"] == 0 for hook in run.hooks)
