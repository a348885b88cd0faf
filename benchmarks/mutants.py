"""How many small changes to lines that promises rest on are noticed by our tests.

    python benchmarks/mutants.py [--write] [--seed N]      the figure, in about ten minutes
    python benchmarks/mutants.py --survey [--seed N]       which tests run what, anew
    python benchmarks/mutants.py --only ID                 one mutant, with what pytest says

A mutant is one change to one line that a test of a promise runs (mutation.py). The sample follows
from the seed. Each is judged by the tests that run its block (mutants_survey.py), the quick, the
close and the related ones first, until one fails; at most AT_MOST_SECONDS of tests, and before them
the one that killed it the last time (mutants_killers.txt, which --write renews). A change at the
top of a file is judged by the tests that are most related to its line before those that run what
uses it: a test of a table need not run anything. A test that fails without the mutant, too, kills
nothing.

Why not mutmut or cosmic-ray: the first tells its mutants apart by a variable of the environment and
by trampolines in the process of the test, the second runs one command for all. Our hooks are
processes with an environment of their own, and run from a bundle that is made of the sources.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from queue import SimpleQueue

import mutants_survey
from mutants_survey import Survey, SurveyedTest
from mutants_tree import ROOT, Tree
from mutation import TOP, Block, Mutant, Source, assigned

SEED = 18
COUNT = 200
RELATED = 6  # tests
AT_MOST_SECONDS = 12.0
TEST_TIMEOUT = 180  # on a clock, for what waits; what runs in circles ends before (mutants_tree.py)
RESULTS = ROOT / "benchmarks" / "results" / "mutants.md"
SURVEY = ROOT / "benchmarks" / "mutants_survey.txt"
UNSEEN = ROOT / "benchmarks" / "mutants_unseen.txt"
KILLERS = ROOT / "benchmarks" / "mutants_killers.txt"
KILLED, ALIVE, SLOW = "killed", "alive", "too slow"
PREFACE = """\
# Mutants: which small changes no test notices

`make mutants`; a mutant is one change to one line that a test of a promise runs, the sample follows
from the seed, and each is judged by at most twelve seconds of the tests that run its block.
"""


@dataclass(frozen=True)
class Candidate:
    mutant: Mutant
    blocks: tuple[Block, ...]  # where it shows
    tests: tuple[SurveyedTest, ...]
    killer: str = ""  # the test that killed it the last time


@dataclass(frozen=True)
class Verdict:
    mutant: Mutant
    outcome: str
    test: str = ""  # what killed it


def sample(survey: Survey, seed: int) -> Iterator[Candidate]:
    """Mutants of lines that a test of a promise runs, in the order of the seed."""
    sources = mutants_survey.sources()
    users = users_of(sources)
    relations = mutants_survey.Relations()
    known = {test.name: test for row in survey.blocks.values() for test in row}
    mutants = (mutant for source in sources.values() for mutant in source.mutants)
    for mutant in sorted(mutants, key=lambda mutant: mutant.rank(seed)):
        blocks = shows_in(mutant, users)
        tests = survey.tests(blocks)
        if any(test.is_promised for test in tests):
            if mutant.block.function == TOP:
                names = relations.closest(_words_of(mutant, sources), RELATED)
                related = [known.get(name, SurveyedTest(name, 1.0, False)) for name in names]
                tests = tuple(dict.fromkeys((*related, *tests)))
            yield Candidate(mutant, blocks, tests)


def _words_of(mutant: Mutant, sources: dict[str, Source]) -> frozenset[str]:
    lines = sources[mutant.block.file].content.decode().splitlines()
    line = lines[mutant.line - 1]
    return mutants_survey.words(f"{Path(mutant.block.file).stem} {' '.join(mutant.names)} {line}")


def shows_in(mutant: Mutant, users: Callable[[str, str], list[Block]]) -> tuple[Block, ...]:
    """Where a mutant shows: in its block, or wherever the constant is used."""
    if mutant.block.function != TOP:
        return (mutant.block,)
    return tuple(block for name in mutant.names for block in users(mutant.block.file, name))


def users_of(sources: dict[str, Source]) -> Callable[[str, str], list[Block]]:
    """The blocks that name what is assigned at the top of a file, through other such names, too."""
    named: dict[tuple[str, str], dict[Block, None]] = defaultdict(dict)
    through: dict[tuple[str, str], set[str]] = defaultdict(set)
    for file, source in sources.items():
        imported, own = _imported(source.tree)
        for block, statements in source.blocks:
            for statement in statements:
                for name in _names(statement, file, imported, own):
                    if block.function == TOP:
                        through[name] |= set(assigned(statement))
                    else:
                        named[name][block] = None

    def users(file: str, name: str) -> list[Block]:
        waiting, seen = [name], {name}
        blocks: dict[Block, None] = {}
        for each in waiting:
            blocks |= named[Path(file).stem, each]
            more = through[Path(file).stem, each] - seen
            waiting += sorted(more)
            seen |= more
        return list(blocks)

    return users


def _imported(tree: ast.Module) -> tuple[dict[str, str], dict[str, str]]:
    """Names that are imported: the module each comes from, and its own name there."""
    aliases = [
        (alias.asname or alias.name, node.module.rpartition(".")[2], alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    ]
    return {here: module for here, module, _ in aliases}, {here: name for here, _, name in aliases}


def _names(
    statement: ast.stmt, file: str, imported: dict[str, str], own: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """(module, name) of what a statement names, without the blocks in it."""
    waiting: list[ast.AST] = [statement]
    for node in waiting:
        if isinstance(node, ast.Name):
            yield imported.get(node.id, Path(file).stem), own.get(node.id, node.id)
        elif isinstance(node, ast.Attribute):
            base = node.value.id if isinstance(node.value, ast.Name) else "self"
            yield (Path(file).stem if base in ("self", "cls") else own.get(base, base)), node.attr
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]


def worth_running(tests: Iterable[SurveyedTest]) -> list[SurveyedTest]:
    chosen: list[SurveyedTest] = []
    for test in tests:
        if sum(each.seconds for each in chosen) + test.seconds <= AT_MOST_SECONDS or not chosen:
            chosen.append(test)
    return chosen


def judge(tree: Tree, candidate: Candidate, show: bool = False) -> Verdict:
    mutant, tests = candidate.mutant, worth_running(candidate.tests)
    source = (ROOT / mutant.block.file).read_bytes()
    names = list(dict.fromkeys([candidate.killer, *(test.name for test in tests)]))
    names = [name for name in names if name]
    seconds = 2 * TEST_TIMEOUT + 20 * sum(test.seconds for test in tests)
    tree.write(mutant.block.file, mutant.applied(source))
    try:
        while names:
            done = tree.pytest(
                "-x", "--tb=short", f"--timeout={TEST_TIMEOUT}", *names, seconds=seconds
            )
            if done is None or done.returncode < 0 or done.returncode > 128:
                return Verdict(mutant, SLOW)
            if show:
                print(done.stdout, done.stderr)
            if done.returncode == 0:
                return Verdict(mutant, ALIVE)
            gone = [name for name in names if f"{name}\n" in done.stderr]
            if not gone:
                return Verdict(mutant, KILLED, next(iter(failed(done.stdout, names)), names[0]))
            names = [name for name in names if name not in gone]
        return Verdict(mutant, ALIVE)
    finally:
        tree.put_back(mutant.block.file)


def failed(stdout: str, names: Iterable[str]) -> set[str]:
    lines = [
        line.partition(" ")[2]
        for line in stdout.splitlines()
        if line.startswith(("FAILED ", "ERROR "))
    ]
    return {
        name
        for name in names  # with its case, or for all of them
        if any(f"{line} - ".startswith((f"{name} - ", f"{name}[")) for line in lines)
    }


@contextmanager
def trees(workers: int) -> Iterator[SimpleQueue[Tree]]:
    with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
        free: SimpleQueue[Tree] = SimpleQueue()
        with ThreadPoolExecutor(workers) as pool:
            for tree in pool.map(lambda n: Tree(Path(folder).resolve() / str(n)), range(workers)):
                if (
                    done := tree.pytest("--version", seconds=TEST_TIMEOUT)
                ) is None or done.returncode:
                    raise SystemExit(f"error: no shield here, are namespaces allowed?\n{done}")
                free.put(tree)
        yield free


def run(chosen: list[Candidate], workers: int, until: float) -> list[Verdict]:
    """Judge in the order of the sample until the time is over."""
    with trees(workers) as free, ThreadPoolExecutor(workers) as pool:

        def one(candidate: Candidate) -> Verdict | None:
            if time.monotonic() > until:
                return None
            tree = free.get()
            try:
                verdict = judge(tree, candidate)
            finally:
                free.put(tree)
            if verdict.outcome == ALIVE:
                print(f"{verdict.outcome} {verdict.mutant.id} {verdict.mutant}", flush=True)
            return verdict

        verdicts = [each for each in pool.map(one, chosen) if each is not None]
        flaky = _failing(free, {each.test for each in verdicts if each.test}, workers, pool)
    return [
        replace(each, outcome=ALIVE, test="") if each.test in flaky else each for each in verdicts
    ]


def _failing(
    free: SimpleQueue[Tree], names: set[str], workers: int, pool: ThreadPoolExecutor
) -> set[str]:
    """Tests that fail on the sources as they are: what they noticed was not the mutant."""
    hands = [sorted(names)[start::workers] for start in range(workers)]

    def one(hand: list[str]) -> set[str]:
        tree = free.get()
        done = tree.pytest("--tb=no", f"--timeout={TEST_TIMEOUT}", *hand, seconds=600)
        free.put(tree)
        if done is None:
            return set(hand)
        return failed(done.stdout, hand) if done.returncode in (0, 1) else set(hand)

    return {name for failing in pool.map(one, filter(None, hands)) for name in failing}


def table(path: Path) -> dict[str, str]:
    """What a file says of mutants, a line each behind its id."""
    lines = path.read_text().splitlines() if path.exists() else ()
    return dict(line.split(" ", 1) for line in lines)


def written(verdicts: list[Verdict], seed: int, asked: int, minutes: float) -> str:
    """The figure, and what is alive: no paths of this machine, for it is committed."""
    unseen = table(UNSEEN)
    alive = [each.mutant for each in verdicts if each.outcome == ALIVE]
    equal = sum(mutant.id in unseen for mutant in alive)
    killed = len(verdicts) - len(alive)
    slow = sum(each.outcome == SLOW for each in verdicts)
    figure = killed / len(verdicts)
    without = killed / (len(verdicts) - equal)
    lines = [
        f"Seed {seed}, {len(verdicts)} mutants: **{figure:.1%}** killed ({killed}, {slow} of them"
    ]
    lines.append(
        f"by taking too long), {len(alive)} alive, {equal} of which show nowhere ({without:.1%}"
    )
    lines.append(f"without these). It took {minutes:.0f} minutes.")
    if len(verdicts) < asked:
        lines.append(f"The time was over before {asked - len(verdicts)} others.")
    if alive:
        lines += [
            "",
            "| alive | where | what was changed | why nobody could see it |",
            "|---|---|---|---|",
        ]
    for mutant in sorted(alive, key=lambda each: (each.block.file, each.line)):
        before, after = (text.replace("|", "\\|") for text in mutant.change())
        where = f"{mutant.block.file}:{mutant.line}"
        lines.append(
            f"| {mutant.id} | {where} | `{before}` -> `{after}` | {unseen.get(mutant.id, '')} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--survey", action="store_true", help="find out which tests run what, anew")
    parser.add_argument("--from", dest="survey_file", type=Path, default=SURVEY)
    parser.add_argument("--only", nargs="+", metavar="ID", help="these alone, with pytest's words")
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    given = parser.parse_args()

    if given.survey:
        with tempfile.TemporaryDirectory(prefix="mutants-", ignore_cleanup_errors=True) as folder:
            survey = mutants_survey.make(Path(folder).resolve(), given.workers)
        chosen = islice(sample(survey, given.seed), 2 * given.count)
        blocks = {block for candidate in chosen for block in candidate.blocks}
        given.survey_file.write_text(survey.written(blocks))
        return 0

    killers = table(KILLERS)
    in_order = (
        replace(each, killer=killers.get(each.mutant.id, ""))
        for each in sample(mutants_survey.read(given.survey_file.read_text()), given.seed)
    )
    if given.only:
        with trees(1) as free:
            tree = free.get()
            for candidate in in_order:
                if candidate.mutant.id in given.only:
                    print(judge(tree, candidate, show=True))
        return 0
    start = time.monotonic()
    candidates = list(islice(in_order, given.count))
    verdicts = run(candidates, given.workers, start + 60 * given.minutes)
    text = written(verdicts, given.seed, len(candidates), (time.monotonic() - start) / 60)
    print(text)
    if given.write:
        RESULTS.write_text(f"{PREFACE}\n{text}")
        killers |= {each.mutant.id: each.test for each in verdicts if each.test}
        KILLERS.write_text("".join(f"{id_} {test}\n" for id_, test in sorted(killers.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
