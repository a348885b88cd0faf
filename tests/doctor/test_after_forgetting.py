"""What was forgotten on purpose is not missing: the doctor and `repair` find nothing to mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from exit.leaving import data
from holdfast.ledger import queries
from holdfast.ledger.kinds import HELD_OF
from holdfast.ledger.workspace import Workspace
from holdfast.setup import install
from holdfast.setup.doctor import BROKEN, POOR, Patient
from holdfast.setup.doctor.examination import examine
from scenarios.story import A, B, C

pytestmark = [pytest.mark.promise("O1"), pytest.mark.promise("O3")]


@pytest.fixture
def told(story, state: str, repo: Path) -> Patient:
    """A rule and a pin in one session; two more that took them over, one from the other."""
    install.install(state, install.settings_path(repo))
    for session in (A, B, C):
        story.begin(session)
        story.say(session, "Mend the login form in src/auth.py. Never use the old session cookie.")
        story.edit(session, "src/auth.py")
        story.holdfast("pin", "The cookie is signed by the proxy", session=session)
        story.tell("Stop", session)
        story.tell("SessionEnd.other", session)
    return Patient(state, repo)


def ailing(patient: Patient) -> list[str]:
    return [
        f"{finding.check}: {finding.message}"
        for finding in examine(patient)
        if finding.standing in (BROKEN, POOR)
    ]


def seq_of(state: str, kind: str, session: str) -> str:
    store = Workspace(state).store
    machine, seq = store.row(
        "select machine, seq from entries where kind = ? and session = ?", kind, session
    )
    return f"{machine}:{seq}"


def test_after_a_prompt_was_forgotten_with_what_was_made_of_it_all_is_well(told):
    name = seq_of(told.state, "prompt_given", A)
    done = data(told.root, "forget", name, "--yes", A[:8])

    assert done["entries"] > 1  # the rule and the goal in it
    assert ailing(told) == []
    assert data(told.root, "repair", "--dry-run")["found"] == []


def test_after_a_session_was_forgotten_that_others_took_over_from_all_is_well(told):
    store = Workspace(told.state).store
    held = [heir for _, heir in queries.held_of(store, A)]
    assert B in held

    data(told.root, "forget", A, "--yes", A[:8])

    assert ailing(told) == []


def test_a_text_that_nobody_forgot_is_still_missed(told):
    store = Workspace(told.state).store
    data(told.root, "forget", A, "--yes", A[:8])
    places = [
        place
        for (place,) in store.rows(
            "select place from entries where session = ? and kind = 'tool_used'", C
        )
    ]
    queries.bury(store, places)
    store.close()

    assert any("texts of 1 entries are missing" in line for line in ailing(told))
    assert "tool_used" not in HELD_OF
