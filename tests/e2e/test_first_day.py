"""The first day: the real client was at work before Holdfast was, and its own transcripts tell."""

from __future__ import annotations

import pytest

from e2e.conftest import assert_sound

pytestmark = [pytest.mark.promise("R3"), pytest.mark.exhaustive]

OFF = {"HOLDFAST_OFF": "1"}  # as if it were not installed


def test_a_question_about_sessions_from_before_is_answered_and_they_go_on(
    claude, kept, state, repo
):
    edit = {"file_path": str(repo / "rate.py"), "content": "def refreshed_rate():\n    pass\n"}
    answer = {"text": "The exchange rate was cached for a day; now it is fetched anew."}
    rule = "Why is the total wrong? Repair it. From now on never push to main."
    first = claude.run(rule, says=[{"tool": "Write", "input": edit}, answer], **OFF)
    fork = claude.run(
        "Try it with a cache of an hour",
        "--resume",
        first.session,
        "--fork-session",
        says=[{"text": "An hour is enough."}],
        **OFF,
    )
    assert kept.sessions() == {}

    summary = claude.holdfast("import", "--transcripts")

    assert (summary["sessions"], summary["failures"]) == (2, [])
    assert (summary["learnt"]["prompts"], summary["learnt"]["rules"]) == (2, 1)
    hit = claude.holdfast("recall", "why", "was", "the", "exchange", "rate", "cached")["found"][0]
    assert (hit["session"], hit["sort"]) == (first.session, "answer")
    assert kept.link(fork.session) == (first.session, "forked")

    resumed = claude.run(
        "Go on with the total", "--resume", first.session, says=[{"text": "Gone on."}]
    )
    assert resumed.session == first.session
    assert kept.sources(first.session) == ["startup", "resume"]
    assert claude.holdfast("import", "--transcripts")["sessions"] == 0
    claude.run("What next?", says=[{"text": "Nothing."}])
    assert "never push to main" in claude.model.sent_text()
    assert_sound(claude, state)
