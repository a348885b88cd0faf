from __future__ import annotations

import json

import pytest

from holdfast.rooms.work.budget import (
    CONDENSED,
    CRITICAL,
    SIGNALS,
    VERBOSE,
    figures_of,
    is_exhausted,
    last_usage,
    phase,
    share,
    usage_of,
    window,
)

USAGE = {
    "input_tokens": 3,
    "cache_creation_input_tokens": 200,
    "cache_read_input_tokens": 40_000,
    "output_tokens": 97,
}
TOKENS = 40_300
MODEL = "claude-opus-4-5"
BOUNDARY = {
    "type": "system",
    "subtype": "compact_boundary",
    "parentUuid": None,
    "content": "Conversation compacted",
    "compactMetadata": {"trigger": "auto", "preTokens": 167_000},
}


def reply(model: str = MODEL, usage: object = USAGE, **row: object) -> dict[str, object]:
    message = {"role": "assistant", "model": model, "content": [], "usage": usage}
    return {"type": "assistant", "isSidechain": False, "message": message, **row}


def prompt(text: str) -> dict[str, object]:
    return {"type": "user", "message": {"role": "user", "content": text}}


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)


@pytest.mark.promise("C15")
@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (0, VERBOSE),
        (79_980, VERBOSE),  # 39.99 %
        (79_999, VERBOSE),
        (80_000, CONDENSED),  # 40 %
        (139_980, CONDENSED),  # 69.99 %
        (139_999, CONDENSED),
        (140_000, SIGNALS),  # 70 %
        (169_980, SIGNALS),  # 84.99 %
        (169_999, SIGNALS),
        (170_000, CRITICAL),  # 85 %
        (200_000, CRITICAL),
        (900_000, CRITICAL),
    ],
)
def test_a_phase_begins_exactly_at_its_percentage(tokens, expected):
    assert phase(tokens, 200_000) == expected


@pytest.mark.promise("C15")
@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (399_999, VERBOSE),
        (400_000, CONDENSED),
        (700_000, SIGNALS),
        (849_999, SIGNALS),
        (850_000, CRITICAL),
    ],
)
def test_phases_are_of_the_window_and_not_of_a_fixed_size(tokens, expected):
    assert phase(tokens, 1_000_000) == expected


@pytest.mark.promise("C15")
def test_what_is_said_shrinks_with_the_phase_until_only_tier_one_is_left():
    shares = [share(name) for name in (VERBOSE, CONDENSED, SIGNALS, CRITICAL)]

    assert shares == [1.0, 0.5, 0.2, 0.0]


@pytest.mark.promise("C15")
@pytest.mark.parametrize(
    ("model", "told", "seen", "expected"),
    [
        pytest.param("claude-sonnet-4-5", 500_000, 0, 500_000, id="as told"),
        pytest.param("claude-sonnet-4-5[1m]", 200_000, 0, 200_000, id="told beats the name"),
        pytest.param("claude-sonnet-4-5[1m]", 0, 0, 1_000_000, id="asked for by name"),
        pytest.param("claude-sonnet-4-5-20250929", 0, 0, 200_000, id="a short one"),
        pytest.param("claude-3-5-sonnet-20241022", 0, 0, 200_000, id="an old one"),
        pytest.param("claude-opus-4-6", 0, 0, 200_000, id="long only if asked for"),
        pytest.param("claude-haiku-4-5-20251001", 0, 0, 200_000, id="haiku"),
        pytest.param("claude-opus-4-7", 0, 0, 1_000_000, id="long by itself"),
        pytest.param("claude-opus-5-5", 0, 0, 1_000_000, id="long by itself, newer"),
        pytest.param("us.anthropic.claude-sonnet-5-v1:0", 0, 0, 1_000_000, id="another provider"),
        pytest.param("gpt-5-codex", 0, 0, 200_000, id="not in the table"),
        pytest.param("", 0, 0, 200_000, id="no name"),
        pytest.param("", -1, 0, 200_000, id="told nonsense"),
        pytest.param("claude-opus-4-6", 0, 200_000, 200_000, id="full is not exceeded"),
        pytest.param("claude-opus-4-6", 0, 200_001, 1_000_000, id="exceeded"),
        pytest.param("claude-opus-4-6", 200_000, 200_001, 1_000_000, id="told, and exceeded"),
        pytest.param("claude-opus-4-6", 500_000, 500_001, 1_000_000, id="past an odd size"),
        pytest.param("claude-opus-5", 0, 1_200_000, 1_200_000, id="past all we know"),
    ],
)
def test_the_window_is_told_or_known_by_name_and_grows_once_exceeded(model, told, seen, expected):
    assert window(model, told, seen) == expected


@pytest.mark.promise("C15")
@pytest.mark.parametrize(
    ("tokens", "window", "limit", "expected"),
    [
        (149_999, 200_000, -1, False),
        (150_000, 200_000, -1, True),
        (749_999, 1_000_000, -1, False),
        (750_000, 1_000_000, -1, True),
        (60_000, 200_000, 50_000, True),
        (999_999, 200_000, 0, False),
    ],
)
def test_the_notice_is_due_at_three_quarters_of_the_window_or_at_a_limit_that_was_set(
    tokens, window, limit, expected
):
    assert is_exhausted(tokens, window, limit) is expected


@pytest.mark.promise("C15")
@pytest.mark.parametrize(
    ("row", "expected"),
    [
        pytest.param(reply(), (TOKENS, MODEL), id="a reply"),
        pytest.param(reply(usage={"input_tokens": 7}), (7, MODEL), id="no cache"),
        pytest.param(
            reply(usage={**USAGE, "cache_read_input_tokens": None}), (300, MODEL), id="null"
        ),
        pytest.param(reply(isSidechain=True), None, id="a subagent's"),
        pytest.param(reply(model="<synthetic>"), None, id="made up by the agent"),
        pytest.param(reply(usage=None), None, id="no usage"),
        pytest.param(reply(usage=[1, 2]), None, id="odd usage"),
        pytest.param(reply(usage={"input_tokens": "many"}), None, id="odd figure"),
        pytest.param(reply(usage={"input_tokens": True}), None, id="odder figure"),
        pytest.param(reply(usage={"input_tokens": float("inf")}), None, id="endless figure"),
        pytest.param(reply(model=None), (TOKENS, ""), id="no model"),
        pytest.param({**reply(), "type": "user"}, None, id="not a reply"),
        pytest.param({"type": "assistant", "message": "hello"}, None, id="odd message"),
        pytest.param({}, None, id="nothing"),
    ],
)
def test_a_main_chain_reply_tells_what_is_in_context_and_no_other_row_does(row, expected):
    assert usage_of(row) == expected


@pytest.mark.promise("C15")
@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        pytest.param(b"", None, id="empty"),
        pytest.param(b"\n\n", None, id="blank lines"),
        pytest.param(lines(prompt("hello")), None, id="no reply yet"),
        pytest.param(lines(reply(), prompt("and then?")), (TOKENS, MODEL), id="a prompt after it"),
        pytest.param(
            lines(reply(usage={"input_tokens": 1}), reply()), (TOKENS, MODEL), id="the last counts"
        ),
        pytest.param(
            lines(reply(), reply(isSidechain=True), reply(model="<synthetic>")),
            (TOKENS, MODEL),
            id="what is not main chain is passed over",
        ),
        pytest.param(lines(reply())[:-1], (TOKENS, MODEL), id="no newline at the end"),
        pytest.param(lines(reply()) + lines(reply())[:-20], (TOKENS, MODEL), id="torn end"),
        pytest.param(lines(reply())[9:] + lines(reply()), (TOKENS, MODEL), id="torn beginning"),
        pytest.param(lines(reply())[9:], None, id="nothing but a torn line"),
        pytest.param(lines(reply(), [1], "x", 3), (TOKENS, MODEL), id="rows that are no objects"),
        pytest.param(lines(reply()) + b'\xff"usage""assistant"\n', (TOKENS, MODEL), id="not text"),
        pytest.param(lines(reply(), BOUNDARY), None, id="just compacted"),
        pytest.param(lines(reply(), BOUNDARY, prompt("go on")), None, id="compacted, then asked"),
        pytest.param(lines(reply(), BOUNDARY)[:-9], (TOKENS, MODEL), id="a torn boundary"),
        pytest.param(lines(BOUNDARY, reply()), (TOKENS, MODEL), id="compacted before"),
        pytest.param(
            lines(reply(), prompt('"compact_boundary" and "usage" of an "assistant"')),
            (TOKENS, MODEL),
            id="text that speaks of both",
        ),
        pytest.param(
            lines(reply(), {"type": "user", "toolUseResult": {"subtype": "compact_boundary"}}),
            (TOKENS, MODEL),
            id="a result that looks like a boundary",
        ),
    ],
)
def test_the_last_usage_is_found_from_the_end_unless_the_context_was_emptied(tail, expected):
    assert last_usage(tail) == expected


@pytest.mark.promise("C15")
def test_huge_lines_after_the_last_reply_do_not_hide_it():
    huge = prompt('x"' * 1_000_000)

    assert last_usage(lines(reply(), huge, huge)) == (TOKENS, MODEL)


@pytest.mark.promise("C15")
@pytest.mark.parametrize(
    ("context", "expected"),
    [
        pytest.param(
            {"context_window_size": 200_000, "current_usage": USAGE}, (TOKENS, 200_000), id="both"
        ),
        pytest.param(
            {"context_window_size": 1_000_000, "current_usage": None, "used_percentage": None},
            (0, 1_000_000),
            id="before the first reply, or just compacted",
        ),
        pytest.param(
            {"context_window_size": 200_000, "used_percentage": 42}, (84_000, 200_000), id="share"
        ),
        pytest.param(
            {"context_window_size": 200_000, "used_percentage": 400},
            (200_000, 200_000),
            id="odd share",
        ),
        pytest.param(
            {"context_window_size": 200_000, "total_input_tokens": 9_000_000},
            (0, 200_000),
            id="totals are not what is in context",
        ),
        pytest.param({"context_window_size": None, "current_usage": USAGE}, None, id="no window"),
        pytest.param({"context_window_size": "200000"}, None, id="odd window"),
        pytest.param({"context_window_size": -5}, None, id="odder window"),
        pytest.param(
            {"context_window_size": 200_000, "current_usage": "some"}, (0, 200_000), id="odd usage"
        ),
        pytest.param(None, None, id="null"),
        pytest.param([], None, id="odd"),
    ],
)
def test_the_status_lines_figures_are_taken_as_far_as_they_make_sense(context, expected):
    assert figures_of({"context_window": context}) == expected


@pytest.mark.promise("C15")
def test_a_status_line_without_a_window_tells_nothing():
    assert figures_of({}) is None
