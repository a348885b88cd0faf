"""How often `holdfast ghost` is right: features that are in a work tree or not, by a list.

    python benchmarks/ghosts.py FOLDER LIST [FOLDER LIST ...] [--show]

A list has a feature to a line, `present: ...` or `absent: ...`, in the words of a person; behind a
bar are other names for it, as `--also` takes them. A FOLDER may be one of the small projects in one
file (`*.project.txt`), which is laid out in a scratch folder.

Laws: every figure is computed in the run; nothing outside a scratch folder is written; the exit
code is 0, for a benchmark informs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

from holdfast.rooms.decisions.ghosts import look_for_each

HEADINGS = (
    *("features", "settled rightly", "there: found", "there: ambiguous", "there: ghost"),
    *("not there: ghost", "not there: ambiguous", "not there: found"),
)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("pairs", nargs="+", metavar="FOLDER LIST", type=Path)
    options.add_argument("--show", action="store_true", help="every feature with its verdict")
    given = options.parse_args()
    if len(given.pairs) % 2:
        options.error("a LIST belongs to every FOLDER")
    print(f"| list | {' | '.join(HEADINGS)} |")
    print(f"|---|{'---|' * len(HEADINGS)}")
    whole: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory(prefix="holdfast-ghosts-") as scratch:
        for folder, list_ in zip(given.pairs[::2], given.pairs[1::2], strict=True):
            root = laid_out(folder, Path(scratch, list_.stem)) if folder.is_file() else folder
            verdicts = judged(root, list_, show=given.show)
            whole += verdicts
            print(row(list_.stem, verdicts), flush=True)
    print(row("all", whole))


def judged(root: Path, list_: Path, *, show: bool) -> Counter[tuple[str, str]]:
    lines = [line for line in list_.read_text(encoding="utf-8").splitlines() if line]
    truths = [line.partition(": ")[0] for line in lines]
    looks = look_for_each(str(root), [asked(line) for line in lines])
    verdicts = [(truth, look.verdict) for truth, look in zip(truths, looks, strict=True)]
    if show:
        for line, (_, verdict) in zip(lines, verdicts, strict=True):
            print(f"{verdict:10} {line}", file=sys.stderr)
    return Counter(verdicts)


def asked(line: str) -> tuple[str, list[str]]:
    feature, _, also = line.partition(": ")[2].partition(" | ")
    return feature, also.split(", ") if also else []


def laid_out(project: Path, root: Path) -> Path:
    for part in project.read_text(encoding="utf-8").split("=== ")[1:]:
        name, _, text = part.partition("\n")
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def row(name: str, verdicts: Counter[tuple[str, str]]) -> str:
    there = [verdicts["present", verdict] for verdict in ("found", "ambiguous", "ghost")]
    not_there = [verdicts["absent", verdict] for verdict in ("ghost", "ambiguous", "found")]
    cells = [verdicts.total(), there[0] + not_there[0], *there, *not_there]
    return f"| {name} | {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
