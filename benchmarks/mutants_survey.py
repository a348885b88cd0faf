"""Which tests run which block of our sources; the quick, the close and the related ones first.

A test is close to a block when much of what it runs lies in the same file and folder, and related
to it when both are written in the same rare words: a hook runs half of our sources for any test of
it, and only a test that speaks of contracts looks at what came of the contract. The survey
that is committed has the blocks of the sample, and as many again for when sources change;
`--survey` makes it anew.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import zip_longest
from math import log, sqrt
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
    order = [block for source in sources().values() for block, _ in source.blocks]
    waiting: SimpleQueue[str] = SimpleQueue()
    for file in _files_of_tests():
        waiting.put(file)

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
    return _ranked([_Run(*json.loads(line)) for line in lines], order)


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


def _ranked(runs: list[_Run], order: list[Block]) -> Survey:
    """By block; `order` is what the numbers of a run mean, as the sources were when it began."""
    by_block: dict[Block, list[_Rated]] = defaultdict(list)
    whole = _whole(runs)
    relations = Relations()
    written_in = {
        block: words(f"{Path(block.file).stem} {block.function}", *statements)
        for source in sources().values()
        for block, statements in source.blocks
    }
    for run in whole:
        test = SurveyedTest(run.name, round(run.seconds, 1), run.is_promised)
        near: Counter[str] = Counter()
        for number in run.blocks:
            near.update((order[number].file, str(Path(order[number].file).parent)))
        for number in run.blocks:
            block = order[number]
            shared = near[block.file] + near[str(Path(block.file).parent)]
            relation = relations.between(written_in.get(block, frozenset()), run.name)
            rated = _Rated(test, shared / len(run.blocks), relation)
            by_block[block].append(rated)
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


@dataclass(frozen=True)
class _Rated:
    test: SurveyedTest
    closeness: float
    relation: float


class Relations:
    """How much of the words of something a test is written in, too; rare words say more."""

    def __init__(self) -> None:
        self._tests = dict(pair for file in _files_of_tests() for pair in _words_of_tests(file))
        spread = Counter(word for words in self._tests.values() for word in words)
        self._worth = {word: log(len(self._tests) / tests) for word, tests in spread.items()}

    def between(self, words: frozenset[str], test: str) -> float:
        tests = self._tests.get(test.partition("[")[0], frozenset())
        return sum(self._worth[word] for word in words & tests) / sqrt(len(tests) or 1)

    def closest(self, words: frozenset[str], count: int) -> list[str]:
        """Of all tests those that are most related to some words."""
        return sorted(self._tests, key=lambda test: -self.between(words, test))[:count]


def _files_of_tests() -> list[str]:
    files = (file.relative_to(ROOT) for file in (ROOT / "tests").rglob("test_*.py"))
    rooms_first = sorted(files, key=lambda each: (each.parts[1] != "rooms", each))
    return [str(file) for file in rooms_first if file.parts[1] not in LEFT_OUT]


def _words_of_tests(file: str) -> Iterable[tuple[str, frozenset[str]]]:
    for node in ast.walk(ast.parse((ROOT / file).read_bytes())):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            if any("exhaustive" in ast.unparse(mark) for mark in node.decorator_list):
                continue
            yield f"{file}::{node.name}", words(Path(file).stem, node)


def words(text: str, *nodes: ast.AST) -> frozenset[str]:
    """The parts of the names and of the strings in a text and in some statements."""
    texts = [text, *(ast.unparse(node) for node in nodes)]
    return frozenset(re.findall(r"[a-z]{3,}", " ".join(texts).lower()))


def _in_turn(tests: list[_Rated]) -> list[SurveyedTest]:
    """The quickest, the closest, the most related, the next quickest ...; of a test with many
    cases one in a row."""
    orders = (
        sorted(tests, key=lambda each: (each.test.seconds, -each.closeness, each.test.name)),
        sorted(tests, key=lambda each: (-each.closeness, each.test.seconds, each.test.name)),
        sorted(tests, key=lambda each: (-each.relation, each.test.seconds, each.test.name)),
    )
    rows = zip(*map(_varied, orders), strict=True)
    return list(dict.fromkeys(test for row in rows for test in row))[:AT_MOST_TESTS]


def _varied(tests: list[_Rated]) -> list[SurveyedTest]:
    cases: Counter[str] = Counter()
    turns = []
    for place, each in enumerate(tests):
        function = each.test.name.partition("[")[0]
        turns.append((cases[function], place, each.test))
        cases[function] += 1
    return [test for *_, test in sorted(turns, key=lambda each: each[:2])]
