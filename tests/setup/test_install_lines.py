"""Every line of our pages that installs something, in a fresh environment."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast
from packages import ROOT, installations

LIMIT_S = 500
# What an extra is for, as a question to the interpreter that has it.
WORKS = {
    "mcp": "import holdfast.mcp.server",
    "web": (
        "import holdfast.web.serving; from holdfast.web.dashboard import environment, static_files;"
        " environment().get_template('now.html'); assert static_files()"
    ),
}


def run(*command: str, env: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    done = subprocess.run(
        command, env=env, cwd=cwd, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.exhaustive
@pytest.mark.promise("A3")
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("installation", installations(), ids=str)
def test_a_line_of_our_pages_installs_holdfast(installation, tmp_path, home):
    fresh = tmp_path / "fresh"
    run(sys.executable, "-m", "venv", str(fresh))
    python = str(fresh / "bin" / "python")
    path = f"{fresh}/bin:{home}/.local/bin:/usr/bin:/bin"
    env = {**os.environ, "PATH": path}
    tools = {line.split()[0] for line in installation.lines}
    run(python, "-m", "pip", "install", "-q", *sorted(tools), env=env)

    for line in installation.lines:
        run("/bin/sh", "-c", line, env=env)

    assert holdfast.__version__ in run("holdfast", "--version", env=env, cwd=tmp_path)
    run("holdfast", "demo", "--folder", str(tmp_path / "demo"), env=env, cwd=tmp_path)
    program = Path(shutil.which("holdfast", path=path) or "").resolve()
    for extra in re.findall(r"'\.\[(\w+)\]'", " ".join(installation.lines)):
        run(str(program.with_name("python")), "-c", WORKS[extra], env=env, cwd=tmp_path)
