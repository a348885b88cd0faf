"""State files that are gone or emptied come back, and an entry says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from conftest import git
from holdfast.agents.claude_code.payloads import HOOKS
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.decisions import deciding
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.notes import notes_file
from holdfast.rooms.recovery import healing
from holdfast.system import environment

ACTIVE = {"Reasoning State": "go on"}
NOW = "2026-03-01T12:00:00.000Z"


@pytest.fixture
def here(workspace: Workspace, repo: Path) -> Here:
    made = Here(workspace, project="p1", root=str(repo), session="s1", at=NOW)
    deciding.decide(made, "Rotate refresh tokens", because="replay")
    return made


@pytest.fixture
def copies(tmp_path: Path) -> str:
    return str(tmp_path / "copies")


@pytest.fixture
def file(repo: Path, here: Here, copies: str) -> Path:
    """Rendered notes with words of the team in them, as they were committed."""
    notes_file.render(here, ACTIVE, copies)
    path = repo / ".holdfast" / "NOTES.md"
    path.write_bytes(b"# Team\n\xe9\n" + path.read_bytes() + b"\nask Kim\n")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Notes")
    return path


def healed(here: Here) -> list[dict]:
    return [
        entry.body for _, entry in ledger.read(here.workspace.store) if entry.kind == "state_healed"
    ]


@pytest.mark.promise("D7")
@pytest.mark.parametrize("why", ["missing", "emptied"])
def test_peoples_text_comes_back_from_git_and_our_block_from_the_ledger(here, copies, file, why):
    before = file.read_bytes()
    deciding.decide(here, "Sign with RSA", because="rotation of keys")
    file.unlink() if why == "missing" else file.write_bytes(b" \n")

    assert [one.as_dict() for one in healing.heal(here, ACTIVE, copies)] == [
        {"file": ".holdfast/NOTES.md", "why": why, "source": "git"}
    ]
    after = file.read_bytes()
    assert after.startswith(b"# Team\n\xe9\n") and after.endswith(b"\nask Kim\n")
    assert b"Sign with RSA" in after and b"Sign with RSA" not in before
    assert healed(here) == [{"file": ".holdfast/NOTES.md", "why": why, "source": "git"}]
    assert healing.heal(here, ACTIVE, copies) == []


@pytest.mark.promise("D7")
def test_without_git_the_notes_come_back_from_the_ledger_under_a_new_heading(
    workspace, tmp_path, copies
):
    root = tmp_path / "plain"
    root.mkdir()
    here = Here(workspace, project="p1", root=str(root), session="s1", at=NOW)
    deciding.decide(here, "Rotate refresh tokens", because="replay")
    notes_file.render(here, ACTIVE, copies)
    path = root / ".holdfast" / "NOTES.md"
    before = path.read_bytes()
    path.unlink()

    assert [one.source for one in healing.heal(here, ACTIVE, copies)] == ["ledger"]
    assert path.read_bytes() == before


def test_notes_that_were_never_written_are_not_missing(here, copies):
    assert healing.ailments(here, copies) == []


def test_what_somebody_took_out_of_git_stays_out(here, copies, file, repo):
    git(repo, "rm", "-q", ".holdfast/NOTES.md")
    for one in Path(copies).iterdir():
        one.unlink()

    assert healing.heal(here, ACTIVE, copies) == []
    assert not file.exists()


def test_a_block_that_was_cut_out_comes_back_at_the_end(here, copies, file):
    file.write_bytes(b"# Team\nonly ours\n")

    assert [one.why for one in healing.heal(here, ACTIVE, copies)] == ["without our block"]
    assert file.read_bytes().startswith(b"# Team\nonly ours\n")
    assert b"Rotate refresh tokens" in file.read_bytes()


@pytest.mark.promise("D7")
def test_a_trackers_file_comes_back_from_git(here, copies, repo):
    issues = repo / ".beads" / "issues.jsonl"
    issues.parent.mkdir()
    issues.write_text('{"id":"app-1","title":"x","status":"open"}\n')
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Track")
    issues.write_text("")

    assert [one.as_dict() for one in healing.heal(here, ACTIVE, copies)] == [
        {"file": ".beads/issues.jsonl", "why": "emptied", "source": "git"}
    ]
    assert "app-1" in issues.read_text()


@pytest.mark.promise("D7")
def test_a_file_that_is_not_ours_to_write_is_named_and_left_alone(here, copies, repo, tmp_path):
    (tmp_path / "other").write_text("theirs")
    (repo / ".holdfast").mkdir()
    (repo / ".holdfast" / "NOTES.md").symlink_to(tmp_path / "other")

    assert [one.why for one in healing.ailments(here, copies)] == ["not ours"]
    assert healing.heal(here, ACTIVE, copies) == []
    assert (tmp_path / "other").read_text() == "theirs"


@pytest.mark.promise("D7")
def test_where_git_never_answers_healing_leaves_half_of_a_starts_time(
    here, copies, file, repo, tmp_path, monkeypatch
):
    file.unlink()
    (repo / ".beads").mkdir()
    program, asked = tmp_path / "bin" / "git", tmp_path / "asked"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho asked >> {asked}\nexit 1\n")  # no answer, at once
    program.chmod(0o755)
    monkeypatch.setitem(environment.system.environ, b"PATH", str(program.parent).encode())

    healing.ailments(here, copies)

    questions = asked.read_text().count("asked")
    assert questions == 6
    assert questions * healing.GIT_LIMIT_S <= HOOKS["SessionStart"] / 2
