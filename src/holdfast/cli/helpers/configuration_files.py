"""The files that a configuration is read from, whether they are there or not."""

from __future__ import annotations

import os
from typing import TypedDict


class ConfigurationFile(TypedDict):
    """A file of the cascade, as `--json` prints it."""

    layer: str
    file: str
    there: bool


def listed(sources: list[tuple[str, str]]) -> list[ConfigurationFile]:
    """`sources` are layers and paths, weakest first."""
    return [
        {"layer": layer, "file": path, "there": os.path.exists(path)} for layer, path in sources
    ]


def lines(files: list[ConfigurationFile]) -> list[str]:
    return [f"{'●' if file['there'] else '·'} {file['layer']:8} {file['file']}" for file in files]
