"""Levels of recovery fit their tokens, whatever there is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from holdfast.errors import HoldfastError
from holdfast.hook.tokens import count
from holdfast.rooms.decisions.decision import Decision, Standing
from holdfast.rooms.notes import identifiers
from holdfast.rooms.recall.passage import Found
from holdfast.rooms.recovery import levels

ACTIVE = {
    "Current Bead": "app-9nx (Rotate refresh tokens)",
    "Last Checkpoint": "2026-03-01T12:00Z",
    "Reasoning State": "log out everywhere; then the migration",
}


def stood(text: str, name: str = "grounded"):
    return Decision("d1", text), name, {"d1:0": Standing(name, "src/jwt.py", 12, 12)}


def asked(amount: int, sort: str = "question", source: str = "agent"):
    return [
        {"sort": sort, "text": f"Is it number {number}?", "source": source}
        for number in range(amount)
    ]


@pytest.mark.promise("R1")
def test_level_1_is_the_active_context_and_the_last_decisions_with_their_standing():
    last = [
        stood("Rotate refresh tokens"),
        stood("Sign with RSA", "moved"),
        stood("Keep sessions in memory", "broken"),
    ]

    lines = levels.level1(ACTIVE, last, asked(2))
    assert lines == [
        "- Rotate refresh tokens (grounded)",
        "- Sign with RSA (moved to src/jwt.py:12)",
        "- BROKEN, do not rely on it: Keep sessions in memory",
        "Bead: app-9nx (Rotate refresh tokens)",
        "State: log out everywhere; then the migration",
        "Checkpoint: 2026-03-01T12:00Z",
        "Open questions: 2",
        "Question: Is it number 0?",
    ]
    assert count("\n".join(lines)) <= 100


@pytest.mark.promise("R1")
def test_level_1_tells_what_is_open_while_there_is_room():
    items = [*asked(2), *asked(1, "next_step")]
    last = [stood("Rotate refresh tokens")]

    assert levels.level1({}, last, items) == [
        "- Rotate refresh tokens (grounded)",
        "Open questions: 2",
        "Next: Is it number 0?",
        "Question: Is it number 0?",
        "Question: Is it number 1?",
    ]
    assert levels.level1({}, last, items, tokens=30)[2:] == ["Next: Is it number 0?"]


@pytest.mark.promise("R1")
@pytest.mark.parametrize(
    ("sort", "title"), [("blocker", "Blocker"), ("next_step", "Next"), ("question", "Question")]
)
def test_level_1_says_of_what_is_open_that_the_notes_say_it(sort, title):
    items = [*asked(1, sort, "file"), *asked(1, sort)]

    assert levels.level1({}, [], items)[-2:] == [
        f"{title}: Is it number 0? [edited in NOTES.md]",
        f"{title}: Is it number 0?",
    ]


@pytest.mark.promise("R1")
@given(
    texts=st.lists(st.text(min_size=1, max_size=600), max_size=3),
    names=st.lists(
        st.sampled_from(["grounded", "moved", "broken", "unsupported"]), min_size=3, max_size=3
    ),
    state=st.text(max_size=2_000),
    tokens=st.integers(40, 200),
)
@settings(max_examples=300, deadline=None)
def test_level_1_fits_whatever_is_in_it(texts, names, state, tokens):
    last = [stood(text, name) for text, name in zip(texts, names, strict=False)]
    lines = levels.level1({**ACTIVE, "Reasoning State": state}, last, asked(9), 9, tokens)

    assert count("\n".join(lines)) <= tokens
    assert all("\n" not in line for line in lines)


def test_a_broken_decision_is_called_broken_even_in_the_least_room():
    last = [stood("x" * 600, "broken")] * 3
    lines = levels.level1(ACTIVE, last)

    assert [line[:8] for line in lines[:3]] == ["- BROKEN"] * 3


def test_with_nothing_to_recover_nothing_is_said():
    assert levels.level1({"Last Checkpoint": "2026-03-01"}, []) == []


def test_a_sentence_without_an_end_is_cut_around_what_matches_on_both_sides():
    text = f"{'before ' * 200}the needle stands here {'after ' * 200}"

    heading, quoted = Found("answer", "", "2026-01-05", text).lines(query="needle").split("\n")

    assert heading == "answer (2026-01-05):"
    assert quoted.startswith("> …")
    assert quoted.endswith("…")
    assert "the needle stands here" in quoted
    assert "characters" not in quoted


@given(lines=st.lists(st.text(min_size=1, max_size=300), max_size=40), tokens=st.integers(20, 600))
@settings(max_examples=200, deadline=None)
def test_what_does_not_fit_is_counted(lines, tokens):
    lines = [line.replace("\n", " ") for line in lines]
    kept = levels.within(lines, tokens, see="level 3")

    assert count("\n".join(kept)) <= tokens
    if kept and len(kept) <= len(lines) and kept != lines:
        shown = len(kept) - 1
        assert kept[-1] == f"({len(lines) - shown} more: level 3)"


# Identifiers


@pytest.mark.promise("D10")
def test_an_identifier_is_looked_at_without_being_loaded(tmp_path):
    (tmp_path / "a.py").write_text("1\n2\n3")
    rows = [
        {"id": "here", "path": "a.py", "line": 1, "last": 3},
        {"id": "short", "path": "a.py", "line": 3, "last": 4},
        {"id": "gone", "path": "b.py", "line": 1, "last": 1},
    ]

    assert identifiers.looked_at(str(tmp_path), rows) == {
        "here": "here",
        "short": "short",
        "gone": "gone",
    }


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("src/a.py:4", ("src/a.py", 4, 4)),
        ("src/a.py:4-9", ("src/a.py", 4, 9)),
        ("${PROJECT_ROOT}/src/a.py:4-9", ("src/a.py", 4, 9)),
        ("./a:b.py:1", ("a:b.py", 1, 1)),
    ],
)
def test_a_place_is_told_from_the_root(given, place):
    assert identifiers.parsed(given) == place


@pytest.mark.parametrize(
    "given", ["a.py", "a.py:0", "a.py:9-4", "/etc/passwd:1", "../x.py:1", ":3"]
)
def test_anything_else_is_no_place_in_the_project(given):
    with pytest.raises(HoldfastError):
        identifiers.parsed(given)
