"""The oracle's ceiling: what earlier sessions of the same developer had shown, and no others."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

CEILING = Path(__file__).parents[2] / "benchmarks" / "field_ceiling.py"


def recorded(data: Path, name: str, day: int, developer: str, *blocks: Any) -> dict[str, Any]:
    """A session of one row, as the index has it."""
    at = f"2026-01-0{day}T10:00:00.000Z"
    row = {"type": "assistant", "timestamp": at, "message": {"content": list(blocks)}}
    with gzip.open(data / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    shared = {"repository": "a/b", "branches": ["main"], "first": at, "last": at}
    return {"session": name, "developer": developer, "file": f"{name}.jsonl.gz", **shared}


def test_only_what_was_seen_before_by_the_same_developer_counts(tmp_path):
    said = {"type": "text", "text": "The retry lives in the fetcher."}
    seen = {"type": "tool_use", "input": {"file_path": "src/fetch.py"}}
    other = {"type": "text", "text": "The queue is drained twice."}
    sessions = [
        recorded(tmp_path, "s1", 1, "ann", said, seen),
        recorded(tmp_path, "s2", 1, "bob", other),
        recorded(tmp_path, "s3", 2, "ann", other),
    ]
    (tmp_path / "index.json").write_text(json.dumps({"sessions": sessions}))
    facts = [
        {"type": "status", "match": ["retry"]},
        {"type": "status", "match": ["drained"]},  # said by another, and later
        {"type": "file", "match": [r"fetch\.py"]},
    ]
    start = {"session": "s3", "at": "2026-01-02T09:00:00.000Z", "branch": "main", "facts": facts}
    (tmp_path / "needed.jsonl").write_text(json.dumps(start) + "\n")

    command = [sys.executable, str(CEILING), "--data", str(tmp_path)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()

    assert lines[2] == "| whatever was seen earlier | 1 of 2 | 1 of 1 |"
    assert lines[3] == "| the words of the last 1 | 1 of 2 | 0 of 1 |"
