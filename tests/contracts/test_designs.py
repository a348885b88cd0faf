"""docs/internals/designs.md, row by row, against the code, the tests and the page of deviations."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from holdfast.cli import COMMANDS

ROOT = Path(__file__).parents[2]
INTERNALS = ROOT / "docs" / "internals"
DESIGNS = ("000", "001", "002", "003", "004")
# Rows that are not built yet, or not proved: they say "open", or name a test that is still to come.
# Whoever proves one names its test, and takes it out here.
OPEN: set[str] = set()
# Rows of which nothing was built, on purpose.
NOT_BUILT = {"002-05"}
# Files of tests whose promise has no id: the house's contracts, and what an event costs.
WITHOUT_ID = ("tests/contracts/", "tests/scenarios/test_cost_of_events.py")
TEST = re.compile(r"`([\w/.]+)::(\w+)`")
# Tests that are named after a case of a design.
CASE = re.compile(
    r"test_(tc_session_\d|workflow_\d|scope_(session|branch|single_use|permanent)_is_stored"
    r"|decisions?_\d|issue_|anti_pattern_|coherence_rule_\d)"
)


class Row(NamedTuple):
    id: str
    what: str
    where: str
    tests: str
    deviations: str


def rows(design: str = "") -> list[Row]:
    page = (INTERNALS / "designs.md").read_text()
    every = [Row(*cells) for line in page.splitlines() if (cells := _cells(line))]
    return [row for row in every if row.id.startswith(design)]


def _cells(line: str) -> list[str]:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    return cells if re.match(r"\| \d{3}-\d", line) else []


def deviations() -> list[str]:
    return re.findall(r'<a id="([\w-]+)"></a>', (INTERNALS / "deviations.md").read_text())


@cache
def functions_of(path: str) -> dict[str, bool]:
    """The tests of a file, and whether each carries a promise."""
    file = ROOT / path
    tree = ast.parse(file.read_text() if file.is_file() else "")
    whole = any(isinstance(node, ast.Assign) and _promises(node) for node in tree.body)
    return {
        node.name: whole or any(map(_promises, node.decorator_list))
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def _promises(node: ast.AST) -> bool:
    return "mark.promise(" in ast.unparse(node)


def named_tests() -> set[tuple[str, str]]:
    return {pair for row in rows() for pair in re.findall(TEST, row.tests)}


@pytest.mark.parametrize("design", DESIGNS)
def test_a_design_has_as_many_rows_as_it_says_without_a_gap(design):
    page = (INTERNALS / "designs.md").read_text()
    (said,) = re.findall(rf"^## Design {design}: .+\n\n.* (\d+) rows\.$", page, re.MULTILINE)

    assert [row.id for row in rows(design)] == [
        f"{design}-{number:02}" for number in range(1, int(said) + 1)
    ]


def test_every_row_has_its_five_cells_and_says_what_it_is_about():
    assert {row.id[:3] for row in rows()} == set(DESIGNS)
    assert [row.id for row in rows() if not row.what] == []


@pytest.mark.parametrize("design", DESIGNS)
def test_every_row_is_where_it_says(design):
    wrong = {row.id: row.where for row in rows(design) if not _is_there(row.where)}

    assert wrong == {}


def _is_there(where: str) -> bool:
    places = re.findall(r"`([^`]+)`", where)
    return bool(places) and all(
        _is_command(*place.split()[1:]) if place.startswith("holdfast ") else _is_module(place)
        for place in places
    )


def _is_module(place: str) -> bool:
    return (ROOT / "src" / "holdfast" / place).is_file()


def _is_command(command: str, *acts: str) -> bool:
    return command in COMMANDS and set(acts) <= _acts(command)


def _acts(command: str) -> set[str]:
    """What may be written behind a command's name."""
    module = importlib.import_module(f"holdfast.cli.commands.{command}_command")
    if hasattr(module, "VERBS"):
        return set(module.VERBS)
    chosen = (parameter.type for parameter in module.PARAMETERS)
    return {str(act) for each in chosen if isinstance(each, click.Choice) for act in each.choices}


@pytest.mark.parametrize("design", DESIGNS)
def test_every_row_is_proved_by_tests_that_are_there(design):
    wrong = {row.id: problem for row in rows(design) if (problem := _unproved(row))}

    assert wrong == {}


def _unproved(row: Row) -> str:
    """Why a row is not proved, "" when it is."""
    named = re.findall(TEST, row.tests)
    missing = [name for path, name in named if name not in functions_of(path)]
    if row.id in OPEN:
        is_waiting = row.tests == "open" or missing
        return "" if is_waiting else "it is proved: take it out of OPEN"
    if row.id in NOT_BUILT:
        return "" if row.deviations and not row.tests else "nothing of it should be there"
    if row.tests != ", ".join(f"`{path}::{name}`" for path, name in named) or not named:
        return "it names no test, and is neither open nor left out on purpose"
    return f"no such test: {', '.join(missing)}" if missing else ""


def test_every_row_that_is_left_open_or_not_built_is_there():
    assert {row.id for row in rows()} >= OPEN | NOT_BUILT


def test_every_test_that_proves_a_row_keeps_a_promise():
    promises = (ROOT / "docs" / "internals" / "promises.md").read_text()
    alone = [
        f"{path}::{name}"
        for path, name in sorted(named_tests())
        if not (f"`{path}`" in promises or path.startswith(WITHOUT_ID))
        and not functions_of(path).get(name, True)
    ]

    assert alone == []


def test_every_test_that_is_named_after_a_case_of_a_design_is_in_a_row():
    cases = {
        (path, name)
        for path in (str(file.relative_to(ROOT)) for file in (ROOT / "tests").rglob("test_*.py"))
        for name in functions_of(path)
        if CASE.match(name)
    }

    assert len(cases) > 50
    assert cases - named_tests() == set()


def test_every_deviation_is_named_by_a_row_and_every_row_names_one_that_is_there():
    named = {
        anchor
        for row in rows()
        for anchor in re.findall(r"\]\(deviations\.md#([\w-]+)\)", row.deviations)
    }

    assert len(deviations()) == len(set(deviations()))
    assert set(deviations()) == named


def test_a_deviation_says_what_is_done_and_why_in_a_few_sentences():
    page = (INTERNALS / "deviations.md").read_text()
    paragraphs = re.findall(r'<a id="([\w-]+)"></a>\*\*.+?\*\*\s(.+?)(?=\n\n|\Z)', page, re.DOTALL)

    assert [anchor for anchor, _ in paragraphs] == deviations()
    for anchor, text in paragraphs:
        sentences = [part for part in re.split(r"(?<=[.:;])\s+", text.strip()) if part]
        assert 1 < len(sentences) <= 8, anchor
