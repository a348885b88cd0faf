from __future__ import annotations

import pytest

from holdfast.rooms.work.pins import (
    CAP,
    INHERITED_CAP,
    in_sight,
    inherit,
    is_critical,
    label_of,
    provenance,
)
from holdfast.rooms.work.queries import Pin

MINUTE = 1 / 60


def pin(name: str, *, critical: bool = False, day: int = 1, **more) -> Pin:
    fields = {
        "id": name,
        "project": "p",
        "session": "0123456789abcdef",
        "at": f"2026-01-{day:02}T10:00:00Z",
        "label": f"label {name}",
        "content": f"content of {name}",
        "critical": int(critical),
        "author": "person",
        "source": "",
    }
    return Pin(**{**fields, **more})


def pins(count: int, prefix: str = "p") -> list[Pin]:
    return [pin(f"{prefix}{number}") for number in range(count)]


def names(inherited: list[Pin]) -> list[str]:
    return [pin.id for pin in inherited]


@pytest.mark.promise("C5")
def test_seven_pins_and_five_offered_make_three_inherited_and_ten_in_all():
    current = pins(7, "own")

    inherited = inherit(current, pins(5), is_relevant=True, hours=1)

    assert (len(inherited), len(current) + len(inherited)) == (3, CAP)


@pytest.mark.promise("C5")
@pytest.mark.parametrize(
    ("own", "offered", "cap", "expected"),
    [
        (0, 0, 5, 0),
        (0, 6, 5, 5),
        (5, 6, 5, 5),
        (6, 6, 5, 4),
        (9, 6, 5, 1),
        (10, 6, 5, 0),
        (12, 6, 5, 0),
        (0, 9, 8, 8),
        (4, 9, 8, 6),
        (0, 3, 0, 0),
    ],
)
def test_inherited_pins_never_go_beyond_either_cap(own, offered, cap, expected):
    inherited = inherit(pins(own, "own"), pins(offered), is_relevant=True, hours=1, cap=cap)

    assert len(inherited) == expected


@pytest.mark.promise("C5")
@pytest.mark.parametrize(("is_relevant", "expected"), [(False, []), (True, ["p0"])])
def test_standard_pins_come_only_from_a_session_that_is_relevant(is_relevant, expected):
    assert names(inherit([], pins(1), is_relevant=is_relevant, hours=1)) == expected


@pytest.mark.promise("C5")
@pytest.mark.parametrize(
    ("hours", "expected"), [(0, ["c"]), (168, ["c"]), (168 + MINUTE, []), (10_000, [])]
)
def test_a_critical_pin_comes_whatever_the_score_for_seven_days(hours, expected):
    offered = [pin("c", critical=True)]

    assert names(inherit([], offered, is_relevant=False, hours=hours)) == expected


@pytest.mark.promise("C5")
def test_a_pin_that_knows_its_own_age_is_judged_by_it():
    offered = [pin("old", critical=True), pin("young", critical=True)]
    ages = {"old": 169.0, "young": 2.0}

    assert names(inherit([], offered, is_relevant=False, hours=24, ages=ages)) == ["young"]


@pytest.mark.promise("C5")
def test_how_long_a_critical_pin_lasts_is_a_setting():
    offered = [pin("c", critical=True)]

    assert names(inherit([], offered, is_relevant=False, hours=30, critical_hours=24)) == []
    assert names(inherit([], offered, is_relevant=False, hours=300, critical_hours=720)) == ["c"]


@pytest.mark.promise("C5")
def test_critical_pins_come_first_and_then_the_newest():
    offered = [
        pin("old", day=1),
        pin("new", day=9),
        pin("old critical", day=2, critical=True),
        pin("new critical", day=3, critical=True),
    ]

    assert names(inherit([], offered, is_relevant=True, hours=1)) == [
        "new critical",
        "old critical",
        "new",
        "old",
    ]
    assert names(inherit([], offered, is_relevant=True, hours=1, cap=2)) == [
        "new critical",
        "old critical",
    ]


@pytest.mark.promise("C5")
def test_pins_of_one_moment_keep_one_order():
    offered = pins(4)

    assert names(inherit([], offered, is_relevant=True, hours=1)) == ["p0", "p1", "p2", "p3"]
    assert names(inherit([], offered[::-1], is_relevant=True, hours=1)) == ["p0", "p1", "p2", "p3"]


@pytest.mark.promise("C5")
def test_a_current_pin_wins_over_an_inherited_one_of_its_label():
    current = [pin("own", label="Deploy Rules")]
    offered = [pin("theirs", label="deploy  rules", day=20), pin("other")]

    assert names(inherit(current, offered, is_relevant=True, hours=1)) == ["other"]


@pytest.mark.promise("C5")
def test_a_current_pin_wins_over_a_critical_one_too():
    offered = [pin("theirs", label="rules", critical=True)]

    assert inherit([pin("own", label="rules")], offered, is_relevant=True, hours=1) == []


@pytest.mark.promise("C5")
def test_of_offered_duplicates_the_newest_wins():
    offered = [pin("older", label="rules", day=1), pin("newer", label="RULES", day=2)]

    assert names(inherit([], offered, is_relevant=True, hours=1)) == ["newer"]


@pytest.mark.promise("C5")
def test_duplicates_are_gone_before_the_slice_so_that_none_takes_a_place():
    twins = [pin(f"twin{day}", label="twin", day=day) for day in range(10, 15)]
    offered = [*twins, *(pin(f"p{day}", day=day) for day in range(1, 5))]

    assert names(inherit([], offered, is_relevant=True, hours=1)) == [
        "twin14",
        "p4",
        "p3",
        "p2",
        "p1",
    ]


@pytest.mark.promise("C5")
def test_a_newer_pin_that_may_not_come_does_not_take_a_critical_one_with_it():
    offered = [pin("standard", label="rules", day=9), pin("c", label="rules", critical=True)]

    assert names(inherit([], offered, is_relevant=False, hours=1)) == ["c"]


@pytest.mark.promise("C5")
def test_a_pin_inherited_once_is_not_inherited_again():
    offered = [pin("theirs", label="", content="use uv for everything here")]
    own = [pin("own", label="", content=f"{provenance(offered[0])} use uv for everything here")]

    assert inherit(own, offered, is_relevant=True, hours=1) == []


@pytest.mark.promise("C5")
def test_inheriting_changes_nothing_that_was_given():
    current, offered = pins(2, "own"), [pin("b", day=1), pin("a", day=2)]

    inherit(current, offered, is_relevant=True, hours=1)

    assert (current, offered) == (pins(2, "own"), [pin("b", day=1), pin("a", day=2)])


@pytest.mark.promise("C5")
def test_provenance_names_the_session_by_its_alias_and_the_time():
    assert provenance(pin("p")) == "[inherited from 01234567 @ 2026-01-01T10:00:00Z]"


@pytest.mark.promise("C5")
@pytest.mark.parametrize(
    ("content", "label", "expected"),
    [
        ("[CRITICAL] never push to main", "", True),
        ("CRITICAL: never push", "", True),
        ("never push", "CRITICAL", True),
        ("this is CRITICAL", "", True),
        ("CRITICAL", "", True),
        ("- CRITICAL things", "", True),
        ("this is critical", "", False),
        ("Critical", "Critical", False),
        ("NONCRITICAL", "", False),
        ("NON-CRITICAL", "", False),
        ("CRITICALLY", "", False),
        ("CRITICAL_PATH", "", False),
        ("NON-CRITICAL but this is CRITICAL", "", True),
        ("", "", False),
    ],
)
def test_critical_is_the_word_in_capitals_and_nothing_else(content, label, expected):
    assert is_critical(content, label) is expected


@pytest.mark.promise("C5")
@pytest.mark.parametrize(
    ("content", "label", "expected"),
    [
        pytest.param("x", "Deploy Rules", "deploy rules", id="the given one"),
        pytest.param("x", "  Deploy \n Rules ", "deploy rules", id="blanks do not count"),
        pytest.param("Use UV here", "", "use uv here", id="the first words"),
        pytest.param("Use UV here", "   ", "use uv here", id="a blank label is none"),
        pytest.param("a" * 50, "", "a" * 40, id="one long word"),
        pytest.param("a" * 40 + " b", "", "a" * 40, id="forty exactly"),
        pytest.param("a" * 20 + " " + "b" * 19, "", "a" * 20 + " " + "b" * 19, id="forty of two"),
        pytest.param("a" * 20 + " " + "b" * 20, "", "a" * 20, id="whole words only"),
        pytest.param("x", "L" * 60, "l" * 60, id="a given one is not cut"),
        pytest.param("[inherited from here", "", "[inherited from here", id="not a provenance"),
        pytest.param("", "", "", id="nothing"),
    ],
)
def test_a_pin_is_known_by_its_label_or_its_first_words(content, label, expected):
    assert label_of(content, label) == expected


@pytest.mark.promise("C5")
@pytest.mark.parametrize("many", [0, 8, 9, 10, 12])
def test_an_inherited_critical_pin_stays_in_sight_however_many_are_pinned_after_it(many):
    own = [pin(f"own {number}", day=number + 2) for number in range(many)]
    inherited = [pin("ordinary", source="s"), pin("vital", critical=True, source="s")]

    kept = [each.id for each in in_sight(own, inherited)]

    assert "vital" in kept
    assert len(kept) == min(CAP, many + 2)
    assert kept == [each.id for each in (*own, *inherited) if each.id in kept]  # own ones first
    assert ("ordinary" in kept) == (many <= 8)  # it gives way before what the session pinned


@pytest.mark.promise("C5")
def test_of_its_own_the_oldest_ordinary_pin_gives_way_to_a_critical_one():
    own = [pin(f"own {number}", day=number + 2, critical=number == 0) for number in range(10)]

    kept = {each.id for each in in_sight(own, [pin("vital", critical=True, source="s")])}

    assert kept == {"vital", "own 0", *(f"own {number}" for number in range(2, 10))}


@pytest.mark.promise("C5")
def test_critical_pins_that_were_inherited_before_are_not_pushed_out_by_newer_ones():
    before = [pin(f"old {number}", critical=True, source="s") for number in range(3)]
    newer = [pin(f"new {number}", critical=True, day=5 + number) for number in range(4)]

    kept = inherit([], [*newer, *before], is_relevant=True, hours=0)

    assert [each.id for each in kept[:3]] == ["old 0", "old 1", "old 2"]
    assert len(kept) == INHERITED_CAP


@pytest.mark.promise("C5")
def test_a_critical_pin_is_inherited_though_ten_others_are_there():
    own = [pin(f"own {number}", day=number + 2) for number in range(10)]

    kept = inherit(own, [pin("vital", critical=True), pin("x")], is_relevant=True, hours=0)

    assert [each.id for each in kept] == ["vital"]
