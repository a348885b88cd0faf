"""What one session decided, the next can rely on: through clears, crashes and archives, and only as
far as the code still says so."""

from __future__ import annotations

import json

import pytest

from conftest import git
from holdfast.ledger.workspace import Workspace
from law import assert_replay_law
from scenarios.story import A, B, Story

FETCH = "import os\n\n\ndef fetch(url, timeout=30):\n    return get(url, timeout)\n"


@pytest.fixture
def decided(story: Story) -> Story:
    """A session that decided, claimed and asked, as an agent does by its shell."""
    (story.repo / "fetch.py").write_text(FETCH)
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "-m", "Fetch")
    story.begin(A)
    story.holdfast("decide", "Thirty seconds", "--evidence", "fetch.py:4", session=A)
    story.holdfast("cite", "It waits", "--evidence", "fetch.py:5", session=A)
    story.holdfast("decision", "ask", "per client?", session=A)
    return story


def standings(story: Story, *more: str) -> list[tuple[str, str]]:
    found = story.holdfast("decisions", *more)["decisions"]
    return [(one["text"], one["standing"]) for one in found]


@pytest.mark.promise("D1")
@pytest.mark.parametrize("way", ["clear", "crash", "end"])
def test_what_was_decided_is_there_however_its_session_ended(decided, way):
    if way == "clear":
        decided.clear(A, B)
    else:
        decided.crash(A) if way == "crash" else decided.end(A)
        decided.begin(B)

    assert standings(decided) == [("Thirty seconds", "grounded")]
    found = decided.holdfast("decision", "open")["open"]
    assert [(one["text"], one["session"]) for one in found] == [("per client?", A)]
    assert decided.holdfast("ground", session=B)["claims"] == 0
    assert decided.holdfast("ground", "--session", A)["claims"] == 2
    assert_replay_law(decided.state, decided.repo)


@pytest.mark.promise("D2")
def test_code_beats_the_ledger_in_the_next_session(decided):
    decided.end(A)
    (decided.repo / "fetch.py").write_text(FETCH.replace("30", "60"))
    decided.begin(B)

    assert standings(decided) == [("Thirty seconds", "broken")]
    git(decided.repo, "commit", "-q", "-am", "Wait longer")
    assert standings(decided, "--at", "HEAD~1") == [("Thirty seconds", "grounded")]


@pytest.mark.promise("D1")
def test_the_archive_of_a_session_leaves_its_decisions_in_force(decided):
    decided.end(A)
    decided.holdfast("archive", "--older-than", "0")

    assert standings(decided) == [("Thirty seconds", "grounded")]
    assert len(decided.holdfast("decision", "open")["open"]) == 1
    assert decided.holdfast("ground", "--session", A)["claims"] == 1  # its claim is in the archive
    assert_replay_law(decided.state, decided.repo)
    decided.holdfast("restore", A)
    assert decided.holdfast("ground", "--session", A)["claims"] == 2
    assert_replay_law(decided.state, decided.repo)


@pytest.mark.promise("D1")
def test_what_is_forgotten_is_no_decision_any_more(decided):
    decided.holdfast("decisions")  # which caches how it stands
    decided.end(A)
    decided.holdfast("forget", A, "--with-what-stands", "--yes", A[:8])

    assert standings(decided) == []
    store = Workspace(decided.state).store
    for table in ("decisions", "citations", "claims", "items", "standings"):
        assert store.value(f"select count(*) from {table}") == 0
    assert_replay_law(decided.state, decided.repo)


def test_decisions_travel_with_an_export(decided, tmp_path):
    exported = tmp_path / "export.jsonl"
    decided.holdfast("export", str(exported))
    elsewhere = str(tmp_path / "elsewhere")
    decided.holdfast("import", str(exported), HOLDFAST_STATE_HOME=elsewhere)

    found = decided.holdfast("decisions", HOLDFAST_STATE_HOME=elsewhere)["decisions"]
    assert found == decided.holdfast("decisions")["decisions"]
    kinds = {json.loads(line).get("kind") for line in exported.read_text().splitlines()}
    assert {"decision_made", "claim_made", "item_opened"} <= kinds
