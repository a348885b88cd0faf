"""The page on ways around a gate tells the truth, row by row, through the judgement of a call."""

from __future__ import annotations

from pathlib import Path

import pytest

import command_sandbox
from holdfast.config.requirement import compile_all
from holdfast.rooms.gates.judgement import gating
from holdfast.rooms.gates.tool_call import Call

PAGE = Path(__file__).parents[3] / "docs" / "internals" / "ways-around.md"
PUSH = {"action": "push", "branch": "main"}


def rows() -> list[tuple[str, str]]:
    heading, made = "", []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("| `"):
            made.append((heading, line[3:].partition("` |")[0].replace("\\|", "|")))
    return made


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    root, _ = command_sandbox.make(tmp_path_factory.mktemp("around"))
    (root / "release.sh").write_text("git push origin main\n")
    (root / "release.py").write_text("import os\nos.system('git push origin main')\n")
    return root


def failed(error: Exception) -> None:
    raise error


def is_gated(command: str, opaque: str, root: Path) -> bool:
    requirement = {"trigger": PUSH, "opaque": opaque}
    compiled, problems = compile_all([("r.yaml", {"requirements": {"a": requirement}})])
    assert problems == []
    call = Call("Bash", "run", command=command, folder=str(root), root=str(root))
    return bool(gating(compiled, call, failed))


@pytest.mark.promise("G9")
@pytest.mark.parametrize(("heading", "command"), rows())
def test_a_row_says_what_a_gate_does(heading, command, project):
    judged = {opaque: is_gated(command, opaque, project) for opaque in ("allow", "ask", "deny")}

    assert (
        judged
        == {
            "Seen": {"allow": True, "ask": True, "deny": True},
            "Opaque": {"allow": False, "ask": True, "deny": True},
            "Not seen": {"allow": False, "ask": False, "deny": False},
        }[heading]
    )


def test_there_are_sixty_of_them():
    assert len(rows()) >= 60
