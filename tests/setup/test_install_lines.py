"""Every line of our pages that installs something, in a fresh environment, from a built wheel."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

import holdfast
from packages import ROOT, Installation, installations

LIMIT_S = 500
# What an extra is for, as a question to the interpreter that has it.
WORKS = {
    "mcp": "import holdfast.mcp.server",
    "web": "import holdfast.web.serving",
}


def run(*command: str, env: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    done = subprocess.run(
        command, env=env, cwd=cwd, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", f"{tmp_path}/dist", ".")
    (built,) = (tmp_path / "dist").iterdir()
    return built


@pytest.mark.exhaustive
@pytest.mark.promise("A3")
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("installation", installations(), ids=str)
def test_a_line_of_our_pages_installs_holdfast(installation, wheel, tmp_path, home):
    fresh = tmp_path / "fresh"
    run(sys.executable, "-m", "venv", str(fresh))
    python = str(fresh / "bin" / "python")
    links = f"{wheel.parent} {os.environ.get('PIP_FIND_LINKS', '')}".strip()
    path = f"{fresh}/bin:{home}/.local/bin:/usr/bin:/bin"
    env = {**os.environ, "PATH": path, "PIP_FIND_LINKS": links}
    tools = {line.split()[0] for line in installation.lines} - {"pip", "python"}
    if tools:
        run(python, "-m", "pip", "install", "-q", *sorted(tools), env=env)

    for line in installation.lines:
        run("/bin/sh", "-c", line, env=env)

    assert holdfast.__version__ in run("holdfast", "--version", env=env, cwd=tmp_path)
    run("holdfast", "demo", "--folder", str(tmp_path / "demo"), env=env, cwd=tmp_path)
    for extra in extras(installation):
        run(python, "-c", WORKS[extra], env=env, cwd=tmp_path)
    if any("holdfast-agents" in line for line in installation.lines):
        assert_is_the_wheels(next((fresh / "lib").glob("python3*")) / "site-packages", wheel)


def extras(installation: Installation) -> list[str]:
    return re.findall(r"holdfast-agents\[(\w+)\]", " ".join(installation.lines))


def assert_is_the_wheels(site: Path, wheel: Path) -> None:
    """What was installed is what was built, and not what an index has by that name."""
    with ZipFile(wheel) as built:
        files = [name for name in built.namelist() if name.startswith("holdfast/")]
        assert len(files) > 200
        for name in files:
            assert (site / name).read_bytes() == built.read(name), name
