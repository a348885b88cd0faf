from __future__ import annotations

import pytest

from holdfast.errors import StoreError
from holdfast.rooms.work import queries
from holdfast.rooms.work.checkpoint import (
    AGED,
    CAPS,
    MIGRATIONS,
    TIERS,
    VERSION,
    brought_up,
    comes_back,
    refusal,
)

MINUTE = 1 / 60
SEED_TIER_1 = (
    "original_goal goal_keywords confidence completion_confidence serena_activated serena_project"
    " ralph_mode task_contract pal_continuation_id session_id"
).split()
SEED_TIER_2 = "files_read tool_counts commands_succeeded turn_count".split()
SEED_TIER_3 = (
    "edit_history approach_history progress_log framework_errors evidence_ledger consecutive_blocks"
).split()
WITHOUT_SOURCE = (
    "nudge_history repair_debt pending_files pending_searches pending_integration_greps"
).split()
OURS = {
    "project": "p1",
    "here": "p1",
    "path_exists": True,
    "session": "s1",
    "live": ["s2"],
    "keywords": ["cart"],
    "current_keywords": ["cart", "tax"],
    "age_hours": 2.0,
}


@pytest.mark.promise("C11")
@pytest.mark.parametrize(
    ("names", "tier"), [(SEED_TIER_1, 1), (AGED, 1), (SEED_TIER_2, 2), (SEED_TIER_3, 3)]
)
def test_every_field_of_the_design_has_its_tier(names, tier):
    assert {TIERS[name] for name in names} == {tier}


@pytest.mark.promise("C11")
def test_a_field_that_nothing_here_is_a_source_of_is_in_no_tier():
    assert not set(WITHOUT_SOURCE) & set(TIERS)


@pytest.mark.promise("C11")
@pytest.mark.parametrize("age_hours", [0, 1, 24, 10_000])
@pytest.mark.parametrize("name", [*SEED_TIER_1, *AGED])
def test_coherence_rule_1_tier_1_always_survives(name, age_hours):
    assert comes_back(name, age_hours)


@pytest.mark.promise("C11")
@pytest.mark.parametrize("age_hours", [0, 0.5, 1, 24])
@pytest.mark.parametrize("name", [*SEED_TIER_3, "surprise"])
def test_coherence_rule_2_tier_3_and_what_the_table_does_not_know_never_come_back(name, age_hours):
    assert not comes_back(name, age_hours)


@pytest.mark.promise("C11")
@pytest.mark.parametrize(
    ("age_hours", "comes"),
    [(-1, True), (0, True), (1 - MINUTE, True), (1, False), (1 + MINUTE, False)],
)
def test_tier_2_comes_back_under_an_hour(age_hours, comes):
    assert {comes_back(name, age_hours) for name in (*SEED_TIER_2, "commands_failed")} == {comes}


@pytest.mark.promise("C11")
def test_lists_are_capped_as_the_design_says():
    assert CAPS == {
        "files_read": 50,
        "files_edited": 20,
        "files_created": 20,
        "commands_succeeded": 20,
        "commands_failed": 10,
        "errors_unresolved": 10,
    }
    assert set(CAPS) <= set(TIERS)


@pytest.mark.promise("C12")
def test_a_checkpoint_of_our_version_comes_as_it_is():
    tier1 = {"original_goal": "g"}

    assert brought_up(tier1, VERSION) == tier1
    assert brought_up(tier1, VERSION) is not tier1


def renamed(tier1: dict) -> dict:
    tier1["original_goal"] = tier1.pop("goal")
    return tier1


def marked(tier1: dict) -> dict:
    return {**tier1, "goal_keywords": tier1["original_goal"].split()}


@pytest.mark.promise("C12")
def test_an_older_checkpoint_is_brought_up_step_by_step():
    old = {"goal": "fix cart"}

    reached = brought_up(old, 1, {1: renamed, 2: marked}, current=3)

    assert reached == {"original_goal": "fix cart", "goal_keywords": ["fix", "cart"]}
    assert old == {"goal": "fix cart"}
    assert brought_up({"original_goal": "a"}, 2, {2: marked}, current=3)["goal_keywords"] == ["a"]


@pytest.mark.promise("C12")
def test_coherence_rule_4_a_checkpoint_of_the_future_is_refused_by_its_version():
    with pytest.raises(StoreError, match=f"version {VERSION + 1}.* up to {VERSION}") as raised:
        brought_up({}, VERSION + 1)

    assert "upgrade" in raised.value.hint


@pytest.mark.promise("C12")
@pytest.mark.parametrize(
    ("version", "migrations", "gap"),
    [(1, {2: marked}, "from 1 to 2"), (1, {1: renamed}, "from 2 to 3"), (-9, {}, "from -9 to -8")],
)
def test_a_gap_in_the_chain_is_refused_before_any_step(version, migrations, gap):
    old = {"goal": "g"}

    with pytest.raises(StoreError, match=gap):
        brought_up(old, version, migrations, current=3)

    assert old == {"goal": "g"}


@pytest.mark.promise("C12")
@pytest.mark.parametrize("version", [None, "1", "1.0", 1.0])
def test_not_ignoring_the_schema_version_one_without_a_number_is_refused(version):
    with pytest.raises(StoreError, match="no schema version"):
        brought_up({"original_goal": "g"}, version)


@pytest.mark.promise("C12")
def test_every_released_version_leads_to_the_current_one():
    assert set(MIGRATIONS) == set(range(1, VERSION))


@pytest.mark.promise("C12")
def test_a_checkpoint_of_this_project_about_this_work_may_be_offered():
    assert refusal(**OURS) == ""


@pytest.mark.promise("C12")
@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"here": "p2"}, "another project"),
        ({"path_exists": False}, "is gone"),
        ({"live": ["s2", "s1"]}, "live elsewhere"),
        ({"current_keywords": ["login"]}, "nothing to do"),
        ({"age_hours": 168 + MINUTE}, "older than 168 hours"),
    ],
)
def test_coherence_rule_5_staleness_is_checked_by_content_and_not_by_age_alone(change, why):
    assert why in refusal(**{**OURS, **change})


@pytest.mark.promise("C12")
def test_of_several_reasons_the_first_in_order_is_given():
    worst = {
        "here": "p2",
        "path_exists": False,
        "live": {"s1"},
        "current_keywords": ["login"],
        "age_hours": 1000.0,
    }
    mends = [
        ("here", "p1", "another project"),
        ("path_exists", True, "is gone"),
        ("live", (), "live elsewhere"),
        ("current_keywords", ["cart"], "nothing to do"),
        ("age_hours", 168.0, "older than"),
    ]

    for field, mended, why in mends:
        assert why in refusal(**{**OURS, **worst})
        worst[field] = mended
    assert refusal(**{**OURS, **worst}) == ""


@pytest.mark.promise("C12")
@pytest.mark.parametrize(
    ("theirs", "ours", "age_hours", "may_come"),
    [
        pytest.param(["cart"], ["login"], 1, True, id="an hour old"),
        pytest.param(["cart"], ["login"], 1 + MINUTE, False, id="older than an hour"),
        pytest.param([], ["login"], 50, True, id="it had no keywords"),
        pytest.param(["cart"], [], 50, True, id="we have no keywords"),
        pytest.param(["Cart"], ["cart"], 50, True, id="in common but for the case"),
        pytest.param([], [], 50, True, id="nobody has any"),
        pytest.param(["Cart", "tax"], ["TAX", "y"], 50, True, id="one in common, case aside"),
    ],
)
def test_keywords_refuse_only_what_is_surely_about_something_else(
    theirs, ours, age_hours, may_come
):
    said = {**OURS, "keywords": theirs, "current_keywords": ours, "age_hours": age_hours}

    assert (refusal(**said) == "") is may_come


@pytest.mark.promise("C12")
def test_how_old_a_checkpoint_may_be_is_a_setting():
    assert refusal(**{**OURS, "age_hours": 25.0}, max_age_hours=24) == "it is older than 24 hours"
    assert refusal(**{**OURS, "age_hours": 700.0}, max_age_hours=720) == ""


@pytest.mark.promise("C12")
def test_a_checkpoint_comes_back_with_what_it_kept(workspace):
    tier1 = {"goal": "g1", "rules": ["r1"]}
    taken = {"cause": "hand", "schema": VERSION, "tokens": 1, "phase": "VERBOSE", "tier1": tier1}
    entry = workspace.keep(
        "checkpoint_taken", taken, key="k", at="2026-03-01T12:00:00.000Z", project="p", session="s"
    )

    last = queries.last_checkpoint(workspace.store, "p")

    assert (last.id, last.session, last.cause, last.tier1) == (entry.id, "s", "hand", tier1)
    assert queries.checkpoints_like(workspace.store, "p", entry.id[:6], 2) == [last]
