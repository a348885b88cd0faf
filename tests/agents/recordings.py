"""What the interactive client sent and wrote, recorded: hook payloads and transcript rows of a
situation, by its number. Rows that are bulk are missing, or have lost their content."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "payloads" / "claude_code_interactive" / "2.1.325"
SITUATIONS = sorted(path.stem.partition("-")[0] for path in FOLDER.glob("transcripts/*.jsonl"))


def transcript(number: str) -> Path:
    return _only("transcripts", number)


def payloads(number: str) -> list[dict[str, Any]]:
    """The payloads of a situation, in the order they came."""
    events = json.loads(_only("hooks", number).read_text(encoding="utf-8"))
    return [event["payload"] for event in events]


def prompts(number: str) -> list[str]:
    """What the prompt hook saw."""
    given = [each for each in payloads(number) if each["hook_event_name"] == "UserPromptSubmit"]
    return [each["prompt"] for each in given]


def _only(folder: str, number: str) -> Path:
    [path] = (FOLDER / folder).glob(f"{number}-*")
    return path
