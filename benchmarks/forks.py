"""How far what is called a fork can be believed: on labelled pairs of a decision and a statement.

Each --corpus is a row of the table. `certain` is what is called a fork; of the other forks is said
how many decisions share a word with them, so that they are shown. Each statement also meets
decisions of other pairs: how many of them are called forks is the last figure.

Laws: every figure is computed in the run; nothing is written without --write; no text of a corpus
is printed without --show; the exit code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import time
from pathlib import Path
from typing import Any

from holdfast.rooms.decisions.contradictions import certain, nearest

RESULTS = Path(__file__).parent / "results" / "forks.md"
STRANGERS = 8  # decisions of other pairs for each statement

Pair = dict[str, Any]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path, action="append", required=True)
    options.add_argument("--show", action="store_true", help="list what is wrongly called a fork")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    rows = []
    for corpus in given.corpus:
        lines = corpus.read_text(encoding="utf-8").splitlines()
        pairs = [json.loads(line) for line in lines]
        rows.append(row(corpus.stem, pairs))
        if given.show:
            show(pairs)
    written = report(rows)
    print(written)
    if given.write:
        RESULTS.write_text(written + "\n", encoding="utf-8")


def is_fork(pair: Pair) -> bool:
    return bool(pair["fork"] if "fork" in pair else pair["label"] == "contradiction")


def called(pair: Pair) -> str:
    return certain(pair["decision"], pair["statement"])


def row(name: str, pairs: list[Pair]) -> str:
    named = [pair for pair in pairs if called(pair)]
    right = sum(map(is_fork, named))
    forks = sum(map(is_fork, pairs))
    missed = [pair for pair in pairs if is_fork(pair) and not called(pair)]
    pointed = sum(bool(nearest([pair["decision"]], pair["statement"])) for pair in missed)
    met, strangers = meet_strangers(pairs)
    figures = f"{len(pairs) - forks} | {len(named) - right} | {forks} | {right}"
    return f"{name} | {figures} | {pointed} of {len(missed)} | {strangers} of {met}"


def meet_strangers(pairs: list[Pair]) -> tuple[int, int]:
    chance = random.Random(7)
    decisions = sorted({pair["decision"] for pair in pairs})
    met = strangers = 0
    for pair in pairs:
        for decision in chance.sample(decisions, min(STRANGERS, len(decisions))):
            if decision != pair["decision"]:
                met += 1
                strangers += bool(certain(decision, pair["statement"]))
    return met, strangers


def show(pairs: list[Pair]) -> None:
    for pair in pairs:
        why = called(pair)
        if why and not is_fork(pair):
            print(f"false ({why}) | {pair['decision']} | {pair['statement']}")


def report(rows: list[str]) -> str:
    facts = f"date {time.strftime('%Y-%m-%d', time.gmtime())} · Python {platform.python_version()}"
    head = (
        "| corpus | no forks | of them called certain | forks | of them called certain"
        " | other forks that share a word with it | strangers called certain |"
    )
    rule = "|---|--:|--:|--:|--:|--:|--:|"
    table = "\n".join([head, rule, *(f"| {line} |" for line in rows)])
    return f"# How far forks can be believed\n\n{facts}\n\n{table}"


if __name__ == "__main__":
    main()
