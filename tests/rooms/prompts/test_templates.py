"""What rules propose: right, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from holdfast.rooms.prompts.templates import propose

PAGE = Path(__file__).parents[3] / "docs" / "internals" / "rule-words.md"


def published() -> list[tuple[str, str, str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line.replace("\\|", "\0").split("|") for line in lines if line.startswith("| ")]
    cells = [[cell.replace("\0", "|").strip() for cell in row[1:4]] for row in rows]
    return [(words, kind, gate) for words, kind, gate in cells if kind]


@pytest.mark.promise("G10")
@pytest.mark.parametrize(("words", "kind", "gate"), published())
def test_the_published_words_propose_the_published_gate(words: str, kind: str, gate: str) -> None:
    trigger, _, demand = gate.strip("`").partition("` ; `")
    given = yaml.safe_load(trigger)
    actions = [
        {"action": each} if isinstance(each, str) else each
        for each in (given if isinstance(given, list) else [given])
    ]
    proposal = propose(words)
    assert proposal is not None
    assert proposal.kind == kind
    assert [_listed(each) for each in proposal.actions] == [_listed(each) for each in actions]
    assert _listed(proposal.demand) == _listed(yaml.safe_load(f"{{{demand}}}"))


def _listed(table: dict[str, object]) -> dict[str, object]:
    """With a list of one as the one."""
    return {
        name: value[0] if isinstance(value, list) and len(value) == 1 else value
        for name, value in table.items()
    }


@pytest.mark.promise("G10")
@pytest.mark.parametrize(
    "words",
    [
        "don't forget to push",
        "don't push yet",
        "don't push the button color to red",
        "if tests fail, don't push",
        "when you are done, don't commit",
        "for now don't use docker",
        "never commit secrets",
        "never deploy on fridays",
        "don't use tabs",
        "did you commit without running the tests?",
        "why do we only sometimes write the tests first?",
        "no remove this again",
        "git status before commit:",
        "commit and push",
        "run the tests",
        "use docker",
        "the importer should never drop a row",
        "I pushed to main and never amended it",
        "we use pnpm",
        "not sure about the migrations",
        "noch nicht pushen",
        "wenn die Tests rot sind, nicht committen",
        "vergiss nicht zu pushen",
        "switch to opus",
        "don't use opus",
        "the skill is in use",
        "",
        "?!",
        "never " * 500,
    ],
)
def test_what_is_no_plain_rule_proposes_nothing(words: str) -> None:
    assert propose(words) is None


@pytest.mark.promise("G10")
@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("Never push to main.", {"action": "push", "branch": ["main"]}),
        ("- please don\u2019t amend commits - it messes everything up", "commit"),
        ("From now on, never stash anything (I lost work).", {"action": "stash"}),
        ("bitte nichts stashen", {"action": "stash"}),
        ("do not stash anything, read the files you need", {"action": "stash"}),
        ("Stop amending", {"action": "commit", "amend": True}),
        ("You must never force push, because others pull", {"action": "push", "force": True}),
        ("fass die Migrationen nicht an", "edit_files"),
    ],
)
def test_fillers_reasons_and_clauses_change_nothing(words: str, action: object) -> None:
    proposal = propose(words)
    assert proposal is not None
    assert action in (proposal.actions[0], proposal.actions[0]["action"])
