from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.ledger.workspace import Workspace
from holdfast.system import environment
from identity.lives import Lives

REMARKS = b"HOLDFAST_IDENTITY_REMARKS"


@pytest.fixture
def lives(workspace: Workspace, repo: Path, monkeypatch: pytest.MonkeyPatch) -> Lives:
    """Sessions in which remarks on identity are asked for; without that there are none."""
    monkeypatch.setitem(environment.system.environ, REMARKS, b"1")
    return Lives(workspace, str(repo))
