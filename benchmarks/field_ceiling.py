"""How many of the facts that starts needed could have been told at all: the ceiling of `field.py`.

    python benchmarks/field_ceiling.py --data DIR

DIR is a folder of labelled sessions with `needed.jsonl`. An oracle may quote whatever the same
developer's earlier sessions showed the hooks, whole and without a budget; beside it, what stands in
the words alone (prompts and the agent's messages) of the last one, two, ... sessions, those of the
branch first. Only counts are printed.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from field_events import read_lines

Row = dict[str, Any]

LOCATIONS = ("file", "symbol")
SESSIONS = (1, 2, 3, 5, 8)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True)
    data: Path = options.parse_args().data
    needed = list(read_lines(data / "needed.jsonl"))
    index = json.loads((data / "index.json").read_text(encoding="utf-8"))
    sessions = {session["session"]: session for session in index["sessions"]}
    texts = {name: _texts(data, session) for name, session in sessions.items()}
    print("| quoted | facts | locations |\n|---|--:|--:|")
    _line("whatever was seen earlier", needed, lambda row: _seen(row, sessions, texts, None))
    for many in SESSIONS:
        name = f"the words of the last {many}"
        _line(name, needed, partial(_seen, sessions=sessions, texts=texts, many=many))


def _line(name: str, needed: list[Row], quoted: Callable[[Row], str]) -> None:
    told, all_ = Counter[str](), Counter[str]()
    for row in needed:
        text = quoted(row)
        for fact in row["facts"]:
            sort = "location" if fact["type"] in LOCATIONS else "fact"
            all_[sort] += 1
            told[sort] += any(re.search(pattern, text, re.IGNORECASE) for pattern in fact["match"])
    figures = (f"{told[sort]} of {all_[sort]}" for sort in ("fact", "location"))
    print(f"| {name} | {' | '.join(figures)} |")


def _seen(
    row: Row,
    sessions: dict[str, Row],
    texts: dict[str, list[tuple[str, bool, str]]],
    many: int | None,
) -> str:
    """What the sessions before a start had shown; of so many sessions the words alone."""
    own = sessions[row["session"]]
    earlier = [
        session
        for session in sessions.values()
        if (session["repository"], session["developer"]) == (own["repository"], own["developer"])
        and session is not own
        and session["first"] < row["at"]
    ]
    earlier.sort(
        key=lambda session: (row["branch"] in session["branches"], session["last"]), reverse=True
    )
    return "\n".join(
        text
        for session in earlier[:many]
        for at, is_said, text in texts[session["session"]]
        if at < row["at"] and (many is None or is_said)
    )


def _texts(data: Path, session: Row) -> list[tuple[str, bool, str]]:
    """When, whether it was said by the user or the agent, and what."""
    texts = []
    for row in read_lines(data / session["file"]):
        content = row.get("message", {}).get("content") if not row.get("isSidechain") else None
        for block in [{"text": content}] if isinstance(content, str) else content or ():
            is_said = block.get("type", "text") == "text"
            shown = block.get("text", "") if is_said else json.dumps(block)
            texts.append((row.get("timestamp", ""), is_said, shown))
    return texts


if __name__ == "__main__":
    main()
