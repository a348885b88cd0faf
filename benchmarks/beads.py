"""Whether files that `bd` or `br` wrote survive us: every act of ours, on every file of a folder.

--data DIR holds files as the tools write them, in folders of any depth.
Said of each: its lines, the fields met, and what was lost by closing, beginning, commenting and
extending some of its items, each from the file as it was, and by adding one.

Laws: the files are read only; no words of them are printed, but for names of fields and states;
nothing is written without --write; the exit code is 1 when something was lost.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "rooms"))

from tracker.file_survival import NOW, Survival, survived

from holdfast.rooms.tracker import beads
from holdfast.rooms.tracker.trackers import ready
from holdfast.store.sqlite import Store

RESULTS = Path(__file__).parent / "results" / "beads.md"
ITEMS = 50  # of a file
# What is written in more than one way, and told apart by its bytes.
ODD = {
    "HTML escaped": b"\\u003",
    "HTML as it is": b"<",
    "null": b":null",
    "empty list": b":[]",
    "empty text": b':""',
    "carriage return": b"\r\n",
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--data", type=Path, required=True, help="a folder with .jsonl files")
    options.add_argument("--items", type=int, default=ITEMS, help="of each file")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    paths = [path for path in sorted(given.data.rglob("*.jsonl")) if path.stem not in beads.OTHERS]
    if not paths:
        sys.exit(f"no .jsonl file in {given.data}")
    lost: list[str] = []
    rows, met = [], Counter[str]()
    with tempfile.TemporaryDirectory(prefix="holdfast-beads-") as scratch:
        store = Store(f"{scratch}/store.db")
        for number, path in enumerate(paths):
            content = path.read_bytes()
            found = survived(store, Path(scratch) / str(number), content, items=given.items)
            rows.append(row(str(path.relative_to(given.data)), content, found, met))
            lost += found.lost
    written = report(rows, met)
    print(written)
    for one in lost:
        print(f"lost: {one}", file=sys.stderr)
    if given.write:
        RESULTS.write_text(written + "\n", encoding="utf-8")
    sys.exit(bool(lost))


def row(name: str, content: bytes, found: Survival, met: Counter[str]) -> str:
    text = content.decode("utf-8", "replace")
    issues = beads.issues_in(text.split("\n"))
    for issue in issues.values():
        met.update(issue.keys())
        met.update(f"dependencies[].{key}" for key in _inner(issue, "dependencies"))
        met.update(f"comments[].{key}" for key in _inner(issue, "comments"))
        met[f"status {beads.stage_of(issue)}"] += 1
        for one in beads.listed(issue, "dependencies"):
            met[f"dependency {one.get('type')}"] += 1
    met.update(f"written: {what}" for what, sign in ODD.items() if sign in content)
    lines = sum(bool(line.strip()) for line in text.split("\n"))
    return (
        f"{name} | {lines} | {len(issues)} | {len(ready(issues, NOW))} | {found.acts} |"
        f" {found.lines} | {found.fields} | {len(found.lost)}"
    )


def _inner(issue: beads.Issue, name: str) -> set[str]:
    return {key for one in beads.listed(issue, name) if isinstance(one, dict) for key in one}


def report(rows: list[str], met: Counter[str]) -> str:
    facts = f"date {time.strftime('%Y-%m-%d', time.gmtime())} · Python {platform.python_version()}"
    head = (
        "| file | lines | issues | ready | acts | lines as they were | fields as they were | lost |"
    )
    rule = "|---|--:|--:|--:|--:|--:|--:|--:|"
    table = "\n".join([head, rule, *(f"| {line} |" for line in rows)])
    fields = ", ".join(f"{name} {many}" for name, many in sorted(met.items()))
    return f"# Whether a tracker's file survives us\n\n{facts}\n\n{table}\n\nMet: {fields}"


if __name__ == "__main__":
    main()
