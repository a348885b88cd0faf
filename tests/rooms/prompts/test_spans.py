"""Who wrote which part of a turn, and that taking it apart is linear."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from holdfast.rooms.prompts.pointing import TYPED, spans
from holdfast.rooms.prompts.typed_text import GAP, own_words
from holdfast.rooms.prompts.understanding import hear

pytestmark = pytest.mark.promise("W1")

DIFF = "diff --git a/x.py b/x.py\n@@ -1 +1 @@\n+++ b/x.py"


def origins(prompt: str) -> list[tuple[str, str]]:
    return [(part.origin, prompt[part.start : part.end].strip()) for part in spans(prompt)]


@pytest.mark.parametrize(
    ("prompt", "parts"),
    [
        ("Add a flag.", [("typed", "Add a flag.")]),
        (
            "Implement the following plan:\n\n# Tags\n\nNever sort.",
            [("plan", "Implement the following plan:\n\n# Tags\n\nNever sort.")],
        ),
        (
            "<task-notification>done</task-notification>",
            [("client", "<task-notification>done</task-notification>")],
        ),
        (
            "<ide_opened_file>a.py</ide_opened_file>\nFix the header.",
            [("client", "<ide_opened_file>a.py</ide_opened_file>"), ("typed", "Fix the header.")],
        ),
        (
            "<system-reminder>be brief</system-reminder>\nFix the header.",
            [
                ("client", "<system-reminder>be brief</system-reminder>"),
                ("typed", "Fix the header."),
            ],
        ),
        ("/plan the export page", [("command", "/plan"), ("typed", "the export page")]),
        (
            "What is this?\n\nerror: no such file\nerror: gave up\n\nFix it please.",
            [
                ("typed", "What is this?"),
                ("log", "error: no such file\nerror: gave up"),
                ("typed", "Fix it please."),
            ],
        ),
        (f"Look at that.\n\n{DIFF}", [("typed", "Look at that."), ("diff", DIFF)]),
        (
            "Look at that.\n```\nx = 1\n```\nRename x.",
            [("typed", "Look at that."), ("code", "```\nx = 1\n```"), ("typed", "Rename x.")],
        ),
        (
            "The totals:\n\n| a | b |\n|---|---|\n| 1 | 2 |",
            [("typed", "The totals:"), ("table", "| a | b |\n|---|---|\n| 1 | 2 |")],
        ),
        (
            "> never do that\n\nWhat does he mean?",
            [("quotation", "> never do that"), ("typed", "What does he mean?")],
        ),
        (
            "The review says:\n\nThis should be cached.\nAnd that is unclear.",
            [
                ("typed", "The review says:"),
                ("review", "This should be cached.\nAnd that is unclear."),
            ],
        ),
    ],
    ids=[
        "typed", "plan", "client", "client before", "reminder before", "command", "log", "diff",
        "code", "table", "quotation", "review",
    ],
)  # fmt: skip
def test_each_part_of_a_turn_has_an_origin(prompt: str, parts: list[tuple[str, str]]) -> None:
    assert origins(prompt) == parts


def test_an_empty_turn_has_no_spans() -> None:
    assert spans("") == []


PIECES = [
    *"please fix the parser never push says: review error: $ ls https://a.b/c".split(),
    *["```", "`", '"', "'", "- ", "\n", "\n\n", "# ", "> ", "<a>", "</a>", "<b-c>", "</b-c>"],
    *["\r\n", "    ", "|", "{", ";", "\u201c", "\u201d", "\x00", "/run "],
]


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join))
)
def test_spans_cover_the_turn_and_typed_is_what_is_left_standing(prompt: str) -> None:
    parts = spans(prompt)

    assert "".join(prompt[part.start : part.end] for part in parts) == prompt
    if len(parts) == 1 and parts[0].origin in ("plan", "client"):
        return
    command = parts[0].end if parts and parts[0].origin == "command" and prompt[0] == "/" else 0
    own = " " * command + own_words(prompt[command:])
    for part in parts:
        for at in range(part.start, part.end):
            if prompt[at].isspace() or prompt[at] in ("\x00", GAP):
                continue
            is_left = not own[at].isspace() and own[at] != GAP
            assert is_left == (part.origin == TYPED), (part, at)


HOSTILE = {
    "quotes": '"', "quoted words": '"a" ', "backticks": "`", "names": "`a` ",
    "curly": "\u201ca\u201d ",
    "apostrophes": " 'a", "apostrophe pairs": "'a' ", "fences": "```", "tags": "<a>x</a>",
    "opened tags": "<a>", "closed tags": "</a>", "bullets": "- never push x\n", "headings": "# a\n",
    "lists": "# Never\n- push x\n", "one line": "never push to main ", "one word": "x",
    "lines": "\n", "paragraphs": "do it please\n\n", "colons": "says: ", "logs": "error: x\n",
    "quoted lines": "> a\n", "sentences": "a. ", "commands": "/run ",
}  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_eight_times_the_length_is_not_sixty_four_times_the_work(unit: str) -> None:
    """By the processor's own time for this process, so that a busy machine changes nothing."""
    small, large = (_work(unit * (size // len(unit))) for size in (12_500, 100_000))

    assert large < 32 * max(small, 0.01)


def _work(prompt: str) -> float:
    times = []
    for _ in range(3):
        began = time.process_time()
        hear(prompt)
        spans(prompt)
        times.append(time.process_time() - began)
    return min(times)
