"""How well forks are noticed: precision and recall on labelled pairs of a decision and a statement.

Each --corpus is a row of the table, and each of its hands one more: judged by words alone, and by
meaning too where the extra `semantic` is installed. Each statement also meets decisions of other
pairs of its hand: how many of them are named is the last figure but one. Nobody reads the held
half: of it these figures alone are looked at.

Laws: every figure is computed in the run; nothing is written without --write; the exit code is 0,
for a benchmark informs.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.rooms.decisions.contradiction import meaning_match
from holdfast.rooms.decisions.contradiction.fork_judgement import contradiction

RESULTS = Path(__file__).parent / "results" / "forks.md"
STRANGERS = 8  # decisions of other pairs for each statement

Pair = dict[str, Any]
Judge = Callable[[list[str], str], list[str]]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path, action="append", required=True)
    options.add_argument("--show", action="store_true", help="list the mistakes")
    options.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = options.parse_args()
    rows = []
    for name, judge in judges().items():
        for corpus in given.corpus:
            lines = corpus.read_text(encoding="utf-8").splitlines()
            judged = [Judged(pair, judge) for pair in met(list(map(json.loads, lines)))]
            rows.append(f"{name} | {row(corpus.stem, judged)}")
            for hand in sorted({one.hand for one in judged}):
                own = [one for one in judged if one.hand == hand]
                rows.append(f"{name} | {row(f'&ensp;{hand}', own)}")
            if given.show:
                show(judged)
    written = report(rows)
    print(written)
    if given.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(written + "\n", encoding="utf-8")


def judges() -> dict[str, Judge]:
    found: dict[str, Judge] = {
        meaning_match.WORDS: lambda decisions, said: [contradiction(one, said) for one in decisions]
    }
    why_not = meaning_match.judge()
    if isinstance(why_not, str):
        print(f"not judged by meaning: {why_not}")
    else:
        found[meaning_match.MEANING] = meaning_match.contradicted
    return found


def met(pairs: list[Pair]) -> list[Pair]:
    """The pairs with decisions of other pairs of the same hand, which their statements meet too."""
    chance = random.Random(7)
    for one in pairs:
        of_hand = {each["decision"] for each in pairs if each["hand"] == one["hand"]}
        others = sorted(of_hand - {one["decision"]})
        one["others"] = chance.sample(others, min(STRANGERS, len(others)))
    return pairs


class Judged:
    """A pair, what was found of it and in how many ms, and how many strangers were named."""

    def __init__(self, pair: Pair, judge: Judge) -> None:
        self.decision, self.statement = pair["decision"], pair["statement"]
        self.fork, self.hand, self.others = pair["fork"], pair["hand"], len(pair["others"])
        began = time.process_time()
        self.found = judge([self.decision], self.statement)[0]
        self.ms = 1000 * (time.process_time() - began)
        self.strangers = sum(map(bool, judge(pair["others"], self.statement)))


def row(name: str, judged: list[Judged]) -> str:
    noticed = [one for one in judged if one.found]
    right = sum(one.fork for one in noticed)
    forks = sum(one.fork for one in judged)
    precision, recall = right / max(1, len(noticed)), right / max(1, forks)
    figures = f"{precision:.3f} | {recall:.3f} | {len(noticed) - right}"
    strangers = f"{sum(one.strangers for one in judged)} of {sum(one.others for one in judged)}"
    spent = sum(one.ms for one in judged) / len(judged)
    return f"{name} | {len(judged)} | {forks} | {figures} | {strangers} | {spent:.2f}"


def show(judged: list[Judged]) -> None:
    for one in judged:
        if bool(one.found) != one.fork:
            what = "missed" if one.fork else f"false ({one.found})"
            print(f"{what} | {one.decision} | {one.statement}")


def report(rows: list[str]) -> str:
    facts = f"date {time.strftime('%Y-%m-%d', time.gmtime())} · Python {platform.python_version()}"
    head = (
        "| judged by | corpus | pairs | forks | precision | recall | false alarms"
        " | strangers named | ms per pair |"
    )
    rule = "|---|---|--:|--:|--:|--:|--:|--:|--:|"
    table = "\n".join([head, rule, *(f"| {line} |" for line in rows)])
    return f"# How well forks are noticed\n\n{facts}\n\n{table}"


if __name__ == "__main__":
    main()
