"""What a command has to say: lines for people, data for programs, warnings, an exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Data = dict[str, Any]


@dataclass(frozen=True)
class Report:
    """`data` is the JSON object that `--json` prints, so it is a dictionary of anything: `Data`
    in whatever helps to make one. People's scripts read its names; they stay as they are."""

    lines: Iterable[str]
    data: Data = field(default_factory=dict)
    exit_code: int = 0
    warnings: Iterable[str] = ()  # for stderr, whatever is printed
