"""What a command has to say: lines for people, data for programs, warnings, an exit code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Report:
    lines: Iterable[str]
    data: dict[str, Any] = field(default_factory=dict)
    exit_code: int = 0
    warnings: Iterable[str] = ()  # for stderr, whatever is printed
