"""A home behind a link, as on machines whose homes lie on another disk."""

from __future__ import annotations

from pathlib import Path

from conftest import Door
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from law import assert_nothing_swallowed

A = "aaaaaaaa-0000-4000-8000-000000000000"


def test_what_happens_is_kept_there_as_anywhere(home: Path, repo: Path, tmp_path: Path):
    link = tmp_path / "linked"
    link.symlink_to(home)
    state = f"{link}/.local/state/holdfast"
    door = Door(state, link, repo)

    door.send("SessionStart.startup", session_id=A)
    door.send("UserPromptSubmit", session_id=A, prompt="Fix the retry loop in src/fetch.py")

    for name in (state, f"{home}/.local/state/holdfast"):
        workspace = Workspace(name)
        kinds = [entry.kind for _, entry in ledger.read(workspace.store, session=A)]
        workspace.store.close()
        assert {"session_began", "prompt_given"} <= set(kinds)
    assert_nothing_swallowed(state)
    door.close()
