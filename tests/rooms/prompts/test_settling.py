"""What became of the prompts that the real client's hook has seen, told by what it wrote after."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from agents import recordings
from agents.recordings import SITUATIONS
from agents.test_transcript import steps_of
from holdfast.agents.claude_code.transcript import read
from holdfast.agents.transcript_rows import Row, Tail
from holdfast.redaction.gate import gate_text
from holdfast.rooms.prompts.settling import Prompt, is_enough, settle, words_beside

TYPED, QUEUED, COMMAND = ("typed", True, ""), ("queued", True, ""), ("command", True, "")
NOTIFIED = ("notification", True, "")
TAKEN_BACK, REWOUND = ("typed", False, "taken back"), ("typed", False, "rewound")

# What each prompt of a situation turned out to be, where it is not one prompt that was typed.
SETTLED = {
    "04a": [TYPED, QUEUED],
    "04b": [TYPED, QUEUED],
    "04c": [TYPED, QUEUED, QUEUED],
    "04d": [TYPED, QUEUED],
    "04e": [TYPED, ("queued", False, "draft"), QUEUED],
    "04f": [TYPED, QUEUED],
    "05a": [COMMAND],
    "05b": [COMMAND],
    "05c": [TYPED, TYPED, TYPED],
    "05d": [TYPED, TYPED],
    "05k": [],
    "05m": [TYPED, TYPED],
    "05n": [TYPED, TYPED],
    "07a": [TAKEN_BACK, TYPED],
    "07b": [TYPED, TYPED],
    "07c": [TYPED, REWOUND, TYPED],
    "07e": [TYPED, NOTIFIED],
    "07f": [TYPED, TYPED],
    "07g": [TYPED, NOTIFIED],
    "07i": [TYPED, TYPED, TYPED],
    "07k": [TAKEN_BACK, TYPED, TAKEN_BACK, TYPED],
    "07l": [REWOUND, REWOUND, TYPED, TYPED],
    "07m": [REWOUND, REWOUND, TYPED, TYPED],
}


def tail_of(number, limit=1 << 20):
    return read(str(recordings.transcript(number)), 0, limit)


def tail_with(rows, **more):
    return Tail(**{"begin": 0, "calls": {}, "end": 2, "queued": [], "rows": rows, **more})


def prompt(id_, text, row="", **more):
    fields = {"stands": True, "at": "2026-01-01T00:00:00.000Z", "waits": False, **more}
    fields = {"by_client": False, **fields}
    return Prompt(id_, text, row, **fields)


def prompts(texts):
    return [prompt(f"p{number}", text) for number, text in enumerate(texts)]


def outcome(settlement):
    return settlement.origin, settlement.stands, settlement.why


@pytest.mark.promise("W1")
@pytest.mark.parametrize("number", SITUATIONS)
def test_a_prompt_is_settled_by_what_the_transcript_says_of_it(number):
    given = prompts(recordings.prompts(number))

    settlements = settle(given, tail_of(number))

    assert [settlement.prompt for settlement in settlements] == [prompt.id for prompt in given]
    assert [outcome(each) for each in settlements] == SETTLED.get(number, [TYPED])
    rows = [each.row for each in settlements if each.why != "draft"]
    assert all(rows)
    assert len(set(rows)) == len(rows)


@pytest.mark.parametrize("number", SITUATIONS)
def test_what_was_settled_is_not_settled_again(number):
    given = prompts(recordings.prompts(number))
    rows = {each.prompt: each.row for each in settle(given, tail_of(number)) if each.stands}
    settled = [prompt.changed(row=rows[prompt.id]) for prompt in given if prompt.id in rows]

    assert settle(settled, tail_of(number)) == []


def test_what_was_settled_is_taken_back_when_the_conversation_goes_back():
    tail = tail_of("07c")
    before = tail_with(
        tail.rows[: [row.text for row in tail.rows].index("prompt three: use pnpm")],
    )
    given = prompts(recordings.prompts("07c")[:2])
    rows = {each.prompt: each.row for each in settle(given, before) if each.stands}
    settled = [prompt.changed(row=rows[prompt.id]) for prompt in given]

    [settlement] = settle(settled, tail)

    assert (settlement.prompt, outcome(settlement)) == ("p1", REWOUND)


@pytest.mark.parametrize("number", ["03a", "04e", "07c", "07i", "07k"])
def test_what_is_not_written_yet_is_not_settled(number):
    tail = tail_of(number)
    given = prompts(recordings.prompts(number))
    for length in range(len(tail.rows)):
        texts = [row.text for row in tail.rows[:length]]
        for settlement in settle(given, tail_with(rows=tail.rows[:length])):
            assert given[int(settlement.prompt[1:])].text in texts


@pytest.mark.parametrize("number", ["07c", "07l", "07m"])
def test_where_the_tail_does_not_reach_nothing_is_retracted(number):
    tail = tail_of(number)
    later = tail_with(rows=tail.rows[-8:])
    early = [
        prompt(f"p{n}", row.text, row.uuid) for n, row in enumerate(tail.rows[:-8]) if row.text
    ]

    assert settle(early, later) == []


def test_words_beside_prompts_are_those_of_turns_that_stand():
    told = {number: [row.text for row in words_beside(tail_of(number))] for number in SITUATIONS}

    plan = told.pop("03a")
    assert [text.splitlines()[0] for text in plan] == ["# Plan: move to pnpm"]
    assert {number: texts for number, texts in told.items() if texts} == {
        "02a": ["use pnpm instead"],
        "02c": ["but pin the exact version"],
        "03c": ["do not touch CI, only the lockfile"],
        "03e": ["fine, but commit in two steps"],
        "08b": ["keep beta, add a new line"],
    }


def test_a_tail_is_long_enough_once_nothing_more_of_the_file_could_tell():
    tail = tail_of("07l")
    texts = [each.text for each in tail.rows]
    given = prompts(recordings.prompts("07l"))

    def enough(prompts, first, last):
        rows = tail.rows[texts.index(first) : texts.index(last) + 1]
        part = tail_with(rows, begin=1)
        return is_enough(prompts, settle(prompts, part), part)

    settled = [prompt.changed(row=tail.rows[texts.index(prompt.text)].uuid) for prompt in given[:2]]
    assert enough(given[:1], "prompt A", "prompt A")
    assert not enough(given[:1], "prompt B", "prompt B")  # it may stand before
    assert not enough(given[:2], "prompt B", "prompt B")  # what it follows is not there
    # The count began anew: everything that stood before is asked for.
    assert not enough([*settled, given[2]], "prompt B", "prompt C")
    assert enough([*settled, given[2]], "prompt A", "prompt C")
    whole = tail_with(rows=[])
    assert is_enough(given, [], whole)


# By rows alone


def row(uuid, parent, kind="unknown", text="", number=0):
    return Row(uuid, parent, kind, text or uuid, number, "", "", "")


def outcomes(rows):
    given = [prompt(each.text, each.text) for each in rows if each.kind != "answer"]
    return {each.prompt: each.why for each in settle(given, tail_with(rows=rows))}


def test_a_client_that_does_not_count_is_judged_by_what_follows_what():
    rows = [row("one", ""), row("a", "one", "answer"), row("two", "a"), row("b", "two", "answer")]

    assert outcomes(rows) == {"one": "", "two": ""}
    assert outcomes([*rows, row("three", "a")]) == {"one": "", "two": "rewound", "three": ""}
    assert outcomes([*rows[:3], row("three", "a")]) == {"one": "", "two": "taken back", "three": ""}


def test_a_context_that_begins_anew_retracts_nothing():
    before = [row("one", "", number=1), row("a", "one", "answer"), row("two", "a", number=2)]
    for kind in ("boundary", "client", ""):
        rows = [
            *before,
            Row("new", "", kind, "", 0, "", "", ""),
            row("three", "new", "typed", number=1),
        ]

        assert set(outcomes(rows).values()) == {""}, kind


def test_rows_that_go_in_a_circle_are_left_alone():
    rows = [row("one", "three"), row("two", "one"), row("three", "two")]

    assert set(outcomes(rows).values()) == {""}


def test_words_of_one_of_several_calls_at_once_still_stand():
    rows = [
        row("one", ""),
        row("a", "one", "answer"),
        row("b", "a", "answer"),
        row("no", "a", "refusal"),
        row("yes", "b", "approval"),
        row("c", "yes", "answer"),
    ]

    assert [each.text for each in words_beside(tail_with(rows=rows))] == ["no", "yes"]


# Text as it was kept

FAKE_TOKEN = "ghp_" + "Ab1" * 12


@pytest.mark.parametrize(
    "text",
    [
        f"deploy with {FAKE_TOKEN} and never print it",
        "look at this log:\n" + "line of a log\n" * 4_000 + "why does it fail?",
        "a  b\n\nc\t d ",
        f"first {FAKE_TOKEN}, then " + "many words " * 3_000 + f" and {FAKE_TOKEN}",
        "I wrote [removed: nothing] here myself",
    ],
)
def test_a_prompt_that_was_cut_or_redacted_is_known_again(text):
    kept = gate_text(text, 20_000)
    other = row("other", "", "typed", "deploy with care")
    rows = [other, row("mine", "other", "typed", text)]

    [settlement] = settle([prompt("p", kept)], tail_with(rows=rows))

    assert settlement.row == "mine"


def test_the_same_words_twice_are_two_prompts_in_their_order():
    rows = [row("1", "", "typed", "go on"), row("2", "1", "queued", "go on")]
    given = [prompt("first", "go on"), prompt("second", "go  on")]

    settlements = settle(given, tail_with(rows=rows))

    assert [(each.prompt, each.row) for each in settlements] == [("first", "1"), ("second", "2")]
    assert settle([given[0].changed(row="1"), given[1]], tail_with(rows=rows[:1])) == []


def test_a_plan_that_came_as_a_prompt_is_a_plan():
    rows = [row("1", "", "plan", "# Move to pnpm\n\n1. Do it")]
    given = prompt("p", "Implement the following plan:\n\n# Move to pnpm\n\n1. Do it\n\nIf you")

    [settlement] = settle([given], tail_with(rows=rows))

    assert outcome(settlement) == ("plan", True, "")


UUIDS = st.sampled_from("abcdefgh")
ROWS = st.lists(
    st.builds(
        Row,
        UUIDS,
        UUIDS | st.just(""),
        st.sampled_from(["typed", "queued", "unknown", "answer", "boundary", "client", "plan", ""]),
        st.sampled_from(["yes", "no", "go on", ""]),
        st.integers(0, 3),
        st.just(""),
        st.just(""),
        st.just(""),
    ),
    max_size=12,
)


@given(ROWS, st.lists(st.sampled_from(["yes", "no", "go on", "more", ""]), max_size=8))
def test_every_row_settles_at_most_one_prompt_whatever_is_written(rows, texts):
    settlements = settle(prompts(texts), tail_with(rows=rows))

    names = [settlement.prompt for settlement in settlements]
    assert names == sorted(set(names))
    assert len(settlements) <= len([each for each in rows if each.text])
    for settlement in settlements:
        assert settlement.stands == (not settlement.why)


def test_settling_takes_steps_in_proportion_to_rows_and_prompts():
    def steps(times):
        rows, parent = [], ""
        for number in range(200 * times):
            rows.append(row(f"u{number}", parent, "typed", f"do {number % 50}", number + 1))
            parent = f"u{number}"
        given = prompts(f"do {number % 50}" for number in range(200 * times))
        return steps_of(lambda: settle(given, tail_with(rows=rows)))

    assert steps(8) < 9 * steps(1)
