"""The client of these tests has a home of its own: the developer's is neither read nor written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e import rig
from e2e.conftest import Claude
from e2e.stub_api import ScriptedModel

MEMORY = "The canary in this home sings at dawn."
LEAK = "leaked-from-the-developer"


def tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file and folder below, with its time and content."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mtime_ns,
            b"" if path.is_dir() else path.read_bytes(),
        )
        for path in [folder, *folder.rglob("*")]
    }


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that tells when it is used: memory that the model would be sent, a hook that would
    leave a file, and variables that point at it."""
    home = tmp_path / "canary"
    config = home / ".claude"
    config.mkdir(parents=True)
    (config / "CLAUDE.md").write_text(MEMORY)
    hook = {"type": "command", "command": f"touch '{home}/sung'"}
    (config / "settings.json").write_text(
        json.dumps({"hooks": {"SessionStart": [{"hooks": [hook]}]}})
    )
    (home / ".claude.json").write_text("{}")
    for name, value in (
        ("HOME", home),
        ("CLAUDE_CONFIG_DIR", config),
        ("XDG_STATE_HOME", home / "state"),
        ("XDG_CONFIG_HOME", home / "config"),
        ("XDG_RUNTIME_DIR", home / "run"),
        ("TMPDIR", home / "tmp"),
        ("ANTHROPIC_AUTH_TOKEN", LEAK),
        ("ANTHROPIC_BASE_URL", f"http://127.0.0.1:1/{LEAK}"),
        ("HOLDFAST_STATE_HOME", home / "holdfast"),
        ("HOLDFAST_OFF", "1"),
    ):
        monkeypatch.setenv(name, str(value))
    return home


def test_a_run_neither_reads_nor_writes_the_home_of_the_one_who_started_it(canary, tmp_path):
    before = tree(canary)
    scratch = tmp_path / "scratch"
    repo = rig.scratch_repo(scratch / "app")

    with ScriptedModel() as model:
        claude = Claude(scratch, repo, model)
        run = claude.run(
            "Show the environment",
            "--allowedTools",
            "Bash",
            says=[{"tool": "Bash", "input": {"command": "env > env.txt"}}],
        )

    shown = (repo / "env.txt").read_text()
    assert f"HOME={scratch}/home\n" in shown
    assert str(canary) not in shown
    assert LEAK not in shown
    assert MEMORY not in model.sent_text("main", "compact", "side")
    assert str(canary) not in run.debug
    assert tree(canary) == before
    # It had a home all the same, and Holdfast kept the run there.
    assert (scratch / "home" / ".claude").is_dir()
    assert (scratch / "home" / ".local" / "state" / "holdfast" / "store.db").is_file()


@pytest.mark.exhaustive
def test_the_environment_of_a_run_takes_nothing_from_ours_but_what_it_is_given(canary, tmp_path):
    with ScriptedModel() as model:
        given = rig.environment(model, tmp_path / "scratch", EXTRA="given")

    assert given["EXTRA"] == "given"
    assert [name for name, value in given.items() if LEAK in value or str(canary) in value] == []
    ours = [name for name in given if name.startswith(("HOLDFAST_", "CLAUDE_CONFIG"))]
    assert ours == ["HOLDFAST_DREAM_ENABLED"]  # off: a process that nobody waits for


@pytest.mark.exhaustive
def test_a_run_in_this_home_would_have_been_noticed(canary, tmp_path):
    scratch = tmp_path / "scratch"
    repo = rig.scratch_repo(scratch / "app")

    with ScriptedModel() as model:
        rig.run_claude(model, repo, "Begin", scratch=scratch, env={"HOME": str(canary)})

    assert MEMORY in model.sent_text("main")
    assert (canary / "sung").exists()
