"""How well prompts are understood: precision and recall on labelled prompts.

Each --corpus is one row of the table; `tests/corpus/README.md` says what the labels mean and
`tests/rooms/prompts/understanding_scores.py` what counts as right.

Laws: every figure is computed in the run; nothing is written; the exit code is 0,
for a benchmark informs.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "rooms"))

from prompts.understanding_scores import MEASURES, Score, read, score

from holdfast.rooms.prompts.understanding import hear

ROUNDS = 5


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--corpus", type=Path, action="append", required=True)
    options.add_argument("--show", action="store_true", help="list the mistakes")
    given = options.parse_args()
    rows = []
    for corpus in given.corpus:
        scores = score(corpus)
        rows.append(row(corpus, scores))
        if given.show:
            show(corpus, scores)
    written = report(rows)
    print(written)


def show(corpus: Path, scores: dict[str, Score]) -> None:
    for name, judged in scores.items():
        for mistake in judged.mistakes:
            print(f"{corpus.stem} | {name} | {mistake}")


def row(corpus: Path, scores: dict[str, Score]) -> str:
    prompts = [case["prompt"] for case in read(corpus)]
    figures = [f"{scores[name].precision:.3f} / {scores[name].recall:.3f}" for name in MEASURES]
    return " | ".join((corpus.stem, str(len(prompts)), *figures, f"{milliseconds(prompts):.2f}"))


def milliseconds(prompts: list[str]) -> float:
    """The mean time for one prompt: the median of several rounds over all of them."""
    times = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for prompt in prompts:
            hear(prompt)
        times.append(time.process_time() - began)
    return 1000 * statistics.median(times) / max(1, len(prompts))


def report(rows: list[str]) -> str:
    facts = f"date {time.strftime('%Y-%m-%d', time.gmtime())} · Python {platform.python_version()}"
    head = f"| corpus | prompts | {' | '.join(MEASURES)} | ms per prompt |"
    rule = "|---|--:|" + "--:|" * (len(MEASURES) + 1)
    table = "\n".join([head, rule, *(f"| {line} |" for line in rows)])
    return f"# How well prompts are heard\n\n{facts}\n\nPrecision / recall.\n\n{table}"


if __name__ == "__main__":
    main()
