"""Whose words a handoff is made of, and what an agent's message announces."""

from __future__ import annotations

import pytest

from holdfast.rooms.work.handoff import announced, markdown, next_steps, summary
from holdfast.rooms.work.queries import Handoff, Task

pytestmark = pytest.mark.promise("C14")

SUMMARY = """\
7. Pending Tasks:
   - Wire the parser
   - Measure it

8. Current Work:
   The parser reads tabs now.

9. Optional Next Step:
   Run the whole suite, then commit.
"""

GIVEN = Handoff("2026-01-01T10:00:00Z", "Half done.", ["Ship it"], [], [])
TODOS = [Task("1", "Write the parser", "pending", "todo", "")]


@pytest.mark.parametrize(
    ("given", "todos", "message", "compaction", "expected"),
    [
        (GIVEN, TODOS, "Next: rest.", "", (["Ship it"], "the handoff")),
        (None, TODOS, "Next: rest.", "", (["Write the parser"], "the agent's list")),
        (None, [], "Next: rest.", "Next: x", (["Next: rest."], "the agent's last message")),
        (None, [], "", "Next: x", (["Next: x"], "the agent's summary at compaction")),
        (None, [], "Done.", "Next: x", ([], "")),  # by the time of a message it has been done
        (None, [], "Done.", "", ([], "")),
        (
            GIVEN.changed(next_steps=[" ", 3]),
            TODOS,
            "",
            "",
            (["Write the parser"], "the agent's list"),
        ),
    ],
)
def test_next_steps_are_somebody_s_own_words_in_a_fixed_order_of_sources(
    given, todos, message, compaction, expected
):
    assert next_steps(given, todos, message, compaction) == expected


def test_the_summary_says_where_it_came_from():
    assert summary(GIVEN, "Message", "Compaction") == ("Half done.", "the handoff")
    assert summary(None, "Message", "Compaction") == ("Message", "the agent's last message")
    assert summary(None, " ", "Compaction")[1] == "the agent's summary at compaction"
    assert summary(None, "", "") == ("", "")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("I added a retry. Next step: make test_x pass.", ["Next step: make test_x pass."]),
        ("All good.\n\n## Next steps\n\n1. Wire it\n2. Measure\n", ["Wire it", "Measure"]),
        ("**Remaining:**\n- docs\n- tests\n\nThanks", ["docs", "tests"]),
        ("The parser is in; it still needs to learn tabs.", []),  # said, not named as a step
        ("I will now look at the tests.", []),
        (SUMMARY, ["Wire the parser", "Measure it", "Run the whole suite, then commit."]),
        (SUMMARY.replace("- Wire the parser\n   - Measure it", "No tasks are pending."),
         ["Run the whole suite, then commit."]),
        ("Done. Everything passes.", []),
        ("Nextcloud is configured.", []),
        ("", []),
    ],
)  # fmt: skip
def test_what_an_agent_says_it_would_do_next_is_found_in_its_message(message, expected):
    assert announced(message) == expected


def test_the_page_leaves_out_what_there_is_not():
    said = {
        "project": "app", "session_id": "s", "branch": "main", "prepared_at": "2026-01-01",
        "goal": "", "rules": [], "summary": "", "summary_source": "", "next_steps": [],
        "next_steps_source": "", "blockers": [], "questions": [], "dead_ends": [], "pins": [],
        "recent_files": [], "recent_commits": [], "last_checkpoint": None,
    }  # fmt: skip

    assert markdown(said) == "# Handoff: app\n\nSession s on main, 2026-01-01.\n"
