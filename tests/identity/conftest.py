from __future__ import annotations

from pathlib import Path

import pytest

from holdfast.workspace import Workspace
from identity.lives import Lives


@pytest.fixture
def lives(workspace: Workspace, repo: Path) -> Lives:
    return Lives(workspace, str(repo))
