"""Which tests run which block of our sources, the quick and the close ones first.

A test is close to a block when much of what it runs lies in the same file and folder. The survey
that is committed has the blocks of the sample, and as many again for when sources change;
`--survey` makes it anew.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from queue import Empty, SimpleQueue

import mutants_probes
from mutants_tree import PACKAGE, ROOT, Tree
from mutation import Block, Source

# The loader is packed as it is written, within a length.
UNPROBED = {str(PACKAGE / "hook" / "bundle" / "load.py")}
# The real client, our tree itself, and figures: no test of a line.
LEFT_OUT = {"e2e", "contracts", "benchmarks"}
AT_MOST_TESTS = 40
WHOLE_SECONDS = 1.0
FILE_SECONDS = 500


def sources() -> dict[str, Source]:
    return {
        name: Source(name, (ROOT / name).read_bytes())
        for name in sorted(str(each.relative_to(ROOT)) for each in (ROOT / PACKAGE).rglob("*.py"))
        if name not in UNPROBED
    }


@dataclass(frozen=True)
class SurveyedTest:
    name: str
    seconds: float
    is_promised: bool  # marked with a promise


class Survey:
    """The tests of a block, in the order in which they are worth running."""

    def __init__(self, blocks: dict[Block, list[SurveyedTest]]) -> None:
        self.blocks = blocks

    def tests(self, blocks: Iterable[Block]) -> tuple[SurveyedTest, ...]:
        """Of several blocks: the best of each, then the next best."""
        rows = zip_longest(*(self.blocks.get(block, []) for block in blocks))
        return tuple(dict.fromkeys(test for row in rows for test in row if test))[:AT_MOST_TESTS]

    def written(self, blocks: set[Block]) -> str:
        """The part that is about some blocks: tests by number, then a line to a block."""
        kept = {block: self.blocks[block] for block in sorted(blocks & self.blocks.keys())}
        tests = sorted({test for row in kept.values() for test in row}, key=lambda test: test.name)
        numbers = {test: number for number, test in enumerate(tests)}
        lines = [
            f"{test.seconds:.1f} {'P' if test.is_promised else '-'} {test.name}" for test in tests
        ]
        lines.append("")
        for block, row in kept.items():
            places = " ".join(str(numbers[test]) for test in row)
            lines.append(f"{block.file} {block.function} {block.number} {places}")
        return "\n".join(lines) + "\n"


def read(text: str) -> Survey:
    head, _, rest = text.partition("\n\n")
    tests = []
    for line in head.splitlines():
        seconds, mark, name = line.split(" ", 2)
        tests.append(SurveyedTest(name, float(seconds), mark == "P"))
    blocks = {}
    for line in rest.splitlines():
        file, function, number, *places = line.split(" ")
        blocks[Block(file, function, int(number))] = [tests[int(place)] for place in places]
    return Survey(blocks)


def make(folder: Path, workers: int) -> Survey:
    """Run every test in copies whose blocks say when they run."""
    waiting: SimpleQueue[str] = SimpleQueue()
    files = [file.relative_to(ROOT) for file in (ROOT / "tests").rglob("test_*.py")]
    for file in sorted(files, key=lambda each: (each.parts[1] != "rooms", each)):
        if file.parts[1] not in LEFT_OUT:
            waiting.put(str(file))

    def work(number: int) -> list[str]:
        tree = _probed_tree(folder / f"survey-{number}")
        while True:
            try:
                name = waiting.get_nowait()
            except Empty:
                return (tree.folder / mutants_probes.TESTS.name).read_text().splitlines()
            done = tree.pytest(
                *("-p", "mutants_probes", "-m", "not exhaustive", name), seconds=FILE_SECONDS
            )
            last = done.stdout.strip().splitlines()[-1:] if done else ["the time was over"]
            print(f"{waiting.qsize():4} left, {name}: {' '.join(last)}", flush=True)

    with ThreadPoolExecutor(workers) as pool:
        lines = [line for each in pool.map(work, range(workers)) for line in each]
    return _ranked([_Run(*json.loads(line)) for line in lines])


def _probed_tree(folder: Path) -> Tree:
    tree = Tree(folder)
    first = 0
    for name, source in sources().items():
        text = mutants_probes.probed(source, first, folder / mutants_probes.HEARD.name)
        tree.write(name, text.encode())
        first += len(source.blocks)
    return tree


@dataclass(frozen=True)
class _Run:
    name: str
    seconds: float
    is_promised: bool
    blocks: list[int]


def _ranked(runs: list[_Run]) -> Survey:
    order = [block for source in sources().values() for block, _ in source.blocks]
    by_block: dict[Block, list[tuple[SurveyedTest, float]]] = defaultdict(list)
    for run in _whole(runs):
        test = SurveyedTest(run.name, round(run.seconds, 1), run.is_promised)
        near: Counter[str] = Counter()
        for number in run.blocks:
            near.update((order[number].file, str(Path(order[number].file).parent)))
        for number in run.blocks:
            block = order[number]
            shared = near[block.file] + near[str(Path(block.file).parent)]
            by_block[block].append((test, shared / len(run.blocks)))
    return Survey({block: _in_turn(tests) for block, tests in by_block.items()})


def _whole(runs: list[_Run]) -> list[_Run]:
    """A quick test with all its cases is one: its name without a case runs them all."""
    functions: dict[str, list[_Run]] = defaultdict(list)
    for run in runs:
        functions[run.name.partition("[")[0]].append(run)
    whole = []
    for name, cases in functions.items():
        seconds = sum(case.seconds for case in cases)
        if seconds > WHOLE_SECONDS:
            whole += cases
        else:
            blocks = sorted({block for case in cases for block in case.blocks})
            whole.append(_Run(name, seconds, any(case.is_promised for case in cases), blocks))
    return whole


def _in_turn(tests: list[tuple[SurveyedTest, float]]) -> list[SurveyedTest]:
    """The quickest, the closest, the next quickest ...; of a test with many cases one in a row."""
    quick = _varied(sorted(tests, key=lambda each: (each[0].seconds, -each[1], each[0].name)))
    close = _varied(sorted(tests, key=lambda each: (-each[1], each[0].seconds, each[0].name)))
    return list(dict.fromkeys(test for pair in zip(quick, close, strict=True) for test in pair))[
        :AT_MOST_TESTS
    ]


def _varied(tests: list[tuple[SurveyedTest, float]]) -> list[SurveyedTest]:
    cases: Counter[str] = Counter()
    turns = []
    for place, (test, _) in enumerate(tests):
        function = test.name.partition("[")[0]
        turns.append((cases[function], place, test))
        cases[function] += 1
    return [test for *_, test in sorted(turns, key=lambda each: each[:2])]
