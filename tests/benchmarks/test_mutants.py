"""The mutants that tests are measured by: what is changed, what is left alone, and who judges."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

# At the end: modules of other tests have names of benchmarks.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import mutants
import mutants_survey
from mutants_probes import probed
from mutants_survey import Survey, SurveyedTest
from mutation import TOP, Block, Source

SOURCE = '''\
"""A module."""

LIMIT = 3
WORDS = ("a", "b")


class Shelf:
    """A class."""

    __slots__ = ("books",)

    def has_room(self, more: int = 1) -> bool:
        """Whether it has."""
        if more < 1:
            raise ValueError("none")
        return len(self.books) + more <= LIMIT


def first(rows: list[str]) -> str:
    for row in rows:
        log(row)
    return min(rows) if rows else ""
'''
QUERY = "def f() -> None:\n    run('select a from b where c = ? order by d desc')\n"


def changes(source: str) -> set[tuple[str, str]]:
    return {mutant.change() for mutant in Source("a.py", source.encode()).mutants}


def test_comparisons_conditions_numbers_answers_and_calls_are_changed():
    assert changes(SOURCE) == {
        ("3", "4"),
        ("3", "2"),
        ("1", "2"),
        ("1", "0"),
        ("more < 1", "True"),
        ("more < 1", "False"),
        ("more < 1", "(more <= 1)"),
        ("more < 1", "(more >= 1)"),
        ("len(self.books) + more", "(len(self.books) - more)"),
        ("len(self.books) + more <= LIMIT", "(len(self.books) + more < LIMIT)"),
        ("len(self.books) + more <= LIMIT", "(len(self.books) + more > LIMIT)"),
        ("len(self.books) + more <= LIMIT", "(not (len(self.books) + more <= LIMIT))"),
        ("log(row)", "pass"),
        ("min(rows)", "(max(rows))"),
        ('min(rows) if rows else ""', "(min(rows))"),
        ('min(rows) if rows else ""', "('')"),
        ('min(rows) if rows else ""', "''"),
    }


def test_a_query_is_changed_in_its_order_and_in_its_conditions():
    changed = {after for _, after in changes(QUERY)}

    assert "'select a from b where c = ? order by d asc'" in changed
    assert "'select a from b where c != ? order by d desc'" in changed


@pytest.mark.parametrize("file", ["mutation.py", "mutants.py", "report.py"])
@pytest.mark.exhaustive
def test_every_mutant_is_a_module_that_says_something_else(file):
    source = Source(file, (Path(mutants.__file__).parent / file).read_bytes())

    assert len(source.mutants) > 50
    for mutant in source.mutants:
        assert ast.dump(ast.parse(mutant.applied(source.content))) != ast.dump(source.tree)


def test_a_mutant_keeps_its_place_in_a_sample_when_other_lines_are_added():
    def ranked(source: str) -> list[str]:
        mutants = Source("a", source.encode()).mutants
        return [each.key for each in sorted(mutants, key=lambda each: each.rank(1))]

    assert ranked(SOURCE) == ranked(SOURCE.replace("LIMIT = 3\n", "import os\n\n\nLIMIT = 3\n"))
    assert len(set(ranked(SOURCE))) == len(ranked(SOURCE))


def test_a_probed_module_says_which_of_its_blocks_ran(tmp_path):
    heard = tmp_path / "heard"
    heard.touch()
    source = Source("a.py", SOURCE.encode())
    blocks = [block for block, _ in source.blocks]
    module: dict[str, object] = {"log": len}
    exec(probed(source, 100, heard), module)

    assert module["first"]([]) == ""  # type: ignore[operator]

    ran = [blocks[int(number) - 100] for number in heard.read_text().split()]
    assert ran == [Block("a.py", "first", 0)]


def test_a_survey_that_was_written_is_read_again():
    quick = SurveyedTest("tests/a.py::b[c d]", 0.1, True)
    slow = SurveyedTest("tests/a.py::e", 2.0, False)
    blocks = {Block("a.py", "f", 0): [slow, quick], Block("a.py", "g.h", 1): [quick]}

    text = Survey(blocks).written(set(blocks))

    assert mutants_survey.read(text).blocks == blocks


def test_a_number_at_the_top_is_judged_by_the_blocks_that_use_it():
    sources = {
        "src/a.py": Source("src/a.py", b"LIMIT = 3\nTWICE = LIMIT + LIMIT\n"),
        "src/b.py": Source("src/b.py", b"from x import a as z\n\n\ndef f():\n    return z.TWICE\n"),
        "src/c.py": Source("src/c.py", b"from x.a import LIMIT\n\n\ndef g():\n    return LIMIT\n"),
        "src/d.py": Source("src/d.py", b"LIMIT = 4\n\n\ndef h():\n    return LIMIT\n"),
    }
    mutant = sources["src/a.py"].mutants[0]

    assert mutant.block.function == TOP
    assert {block.function for block in mutants.shows_in(mutant, mutants.users_of(sources))} == {
        "f",
        "g",
    }


def test_tests_that_failed_are_told_from_those_whose_names_they_begin_with():
    names = ["tests/a.py::b", "tests/a.py::c", "tests/a.py::d[x - y]", "tests/a.py::d[x]"]
    said = "FAILED tests/a.py::bc - no\nFAILED tests/a.py::c[1] - no\nERROR tests/a.py::d[x - y]\n"

    assert mutants.failed(said, names) == {"tests/a.py::c", "tests/a.py::d[x - y]"}
