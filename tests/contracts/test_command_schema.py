"""What every command prints with `--json` is published, and real output is what was published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import write_commands
from jsonschema import Draft202012Validator

from cli.every_command import LINES, Commands, run_all

pytestmark = pytest.mark.promise("A6")

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "reference" / "commands.schema.json"


def test_the_published_schema_is_made_of_what_the_commands_return():
    again = "python docs/reference/write_commands.py"

    assert PUBLISHED.read_text() == f"{write_commands.schema_text()}\n", f"write it again: {again}"
    Draft202012Validator.check_schema(json.loads(PUBLISHED.read_text()))


def test_every_command_and_every_verb_has_a_schema_with_named_fields():
    schema = write_commands.schema()

    assert set(schema["properties"]) == set(LINES)
    open_ = {
        line for line, shape in schema["properties"].items() if "$ref" not in json.dumps(shape)
    }
    assert open_ == {"holdfast trajectory schema"}  # it prints a schema


def test_what_every_command_prints_is_what_was_published(story, repo, monkeypatch):
    run = Commands(repo, monkeypatch)
    try:
        run_all(story, run)
    finally:
        run.close()

    schema = write_commands.schema(closed=True)
    assert set(LINES) - set(run.printed) == set()
    wrong = [
        (line, error.message, list(error.absolute_path))
        for line, printed in run.printed.items()
        for data in printed
        for error in _of(schema, line).iter_errors(data)
    ]
    assert wrong == []


def _of(schema: dict[str, Any], line: str) -> Draft202012Validator:
    return Draft202012Validator({"$defs": schema["$defs"], **schema["properties"][line]})
