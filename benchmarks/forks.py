"""How well forks are noticed: precision and recall on labelled pairs of a decision and a statement.

Each --corpus is a row of the table, and each of its hands one more. Nobody reads the held half: of
it these figures alone are looked at.

Laws: every figure is computed in the run; nothing is written without --write; the exit code is 0,
for a benchmark informs.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from pathlib import Path

from holdfast.decisions.fork import contradiction

RESULTS = Path(__file__).parent / "results" / "forks.md"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path, action="append", required=True)
    options.add_argument("--show", action="store_true", help="list the mistakes")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    rows = []
    for corpus in given.corpus:
        pairs = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
        rows.append(row(corpus.stem, pairs))
        for hand in sorted({pair["hand"] for pair in pairs}):
            rows.append(row(f"&ensp;{hand}", [pair for pair in pairs if pair["hand"] == hand]))
        if given.show:
            show(pairs)
    written = report(rows)
    print(written)
    if given.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(written + "\n", encoding="utf-8")


def row(name: str, pairs: list[dict[str, object]]) -> str:
    began = time.process_time()
    noticed = [bool(contradiction(str(one["decision"]), str(one["statement"]))) for one in pairs]
    spent = 1000 * (time.process_time() - began) / len(pairs)
    right = sum(found and bool(one["fork"]) for found, one in zip(noticed, pairs, strict=True))
    forks = sum(bool(one["fork"]) for one in pairs)
    precision = right / max(1, sum(noticed))
    figures = f"{precision:.3f} | {right / max(1, forks):.3f} | {sum(noticed) - right}"
    return f"{name} | {len(pairs)} | {forks} | {figures} | {spent:.2f}"


def show(pairs: list[dict[str, object]]) -> None:
    for one in pairs:
        found = contradiction(str(one["decision"]), str(one["statement"]))
        if bool(found) != one["fork"]:
            what = "missed" if one["fork"] else f"false ({found})"
            print(f"{what} | {one['decision']} | {one['statement']}")


def report(rows: list[str]) -> str:
    facts = f"date {time.strftime('%Y-%m-%d', time.gmtime())} · Python {platform.python_version()}"
    head = "| corpus | pairs | forks | precision | recall | false alarms | ms per pair |"
    rule = "|---|--:|--:|--:|--:|--:|--:|"
    table = "\n".join([head, rule, *(f"| {line} |" for line in rows)])
    return f"# How well forks are noticed\n\n{facts}\n\n{table}"


if __name__ == "__main__":
    main()
