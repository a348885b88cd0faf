from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from holdfast.rooms.gates import queries
from holdfast.rooms.gates.contract import (
    DEFAULT_REQUIRED,
    Contract,
    lacking,
    missing,
    proven,
    read,
    shown,
)
from holdfast.rooms.gates.evidence.proof import KINDS
from holdfast.rooms.gates.queries import Proof

pytestmark = pytest.mark.promise("G6")

T1, T2, T3 = (f"2026-01-01T00:00:0{second}.000Z" for second in (1, 2, 3))
BOTH = Contract("retry twice", ["no call is lost"], ["tests", "build"])


def test_all_that_was_required_and_stands_leaves_nothing_missing():
    evidence = {"tests": Proof(T2, True), "build": Proof(T3, True)}

    assert missing(BOTH, evidence, [("src/app.py", T1)], "strict") == []


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        pytest.param({}, "tests: a passing test run has not been seen", id="never ran"),
        pytest.param(
            {"tests": Proof(T3, False)},
            "tests: the last run failed; a passing test run is needed",
            id="failed",
        ),
        pytest.param(
            {"tests": Proof(T1, True)},
            "tests: files were edited after the last run; a passing test run is needed again",
            id="stale",
        ),
    ],
)
def test_what_is_missing_says_why_and_what_to_do(evidence, said):
    contract = Contract("retry twice", evidence_required=["tests"])

    assert missing(contract, evidence, [("src/app.py", T2)], "strict") == [said]


def test_an_edit_of_the_documents_leaves_the_tests_standing():
    contract = Contract("retry twice", evidence_required=["tests"])

    assert missing(contract, {"tests": Proof(T1, True)}, [("docs/retry.md", T2)], "strict") == []


@pytest.mark.parametrize(
    ("mode", "blocked", "holds"),
    [
        ("strict", 0, True),
        ("strict", 5, True),
        ("normal", 0, True),
        ("normal", 1, False),
        ("loose", 0, False),
        ("unheard-of", 0, True),
        ("unheard-of", 1, False),
    ],
)
def test_strict_holds_normal_lets_go_after_one_refusal_and_loose_never_holds(mode, blocked, holds):
    assert bool(missing(BOTH, {}, [], mode, blocked=blocked)) is holds
    assert len(lacking(BOTH, {}, [])) == 2, "the note is the same in every mode"


def test_repeating_one_kind_proves_no_other():
    assert proven(BOTH, {}, []) == 0
    assert proven(BOTH, {"tests": Proof(T1, True)}, []) == 50
    assert proven(BOTH, {"tests": Proof(T3, True)}, []) == 50
    assert proven(BOTH, {"tests": Proof(T3, True), "build": Proof(T1, True)}, []) == 100


def test_stale_evidence_proves_nothing():
    assert proven(BOTH, {"tests": Proof(T1, True), "build": Proof(T3, True)}, [("a.py", T2)]) == 50


def test_a_contract_that_requires_nothing_is_proven():
    assert proven(Contract("look around", evidence_required=[]), {}, []) == 100


def test_a_contract_survives_being_kept():
    contract, complaints = read(BOTH.as_dict())

    assert complaints == []
    assert contract.as_dict() == BOTH.as_dict()


def test_a_contract_that_names_no_evidence_requires_the_tests():
    contract, complaints = read({"goal": "retry twice"})

    assert complaints == []
    assert contract.evidence_required == DEFAULT_REQUIRED == ("tests",)


def test_a_kind_that_nothing_could_prove_is_dropped_and_said():
    contract, complaints = read({"goal": "g", "evidence_required": ["tests", "luck"]})

    assert contract.evidence_required == ("tests",)
    assert complaints == [
        "evidence_required: no kind 'luck'; there are tests, build, lint, types, review"
    ]


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["goal", "criteria", "evidence_required", "x"]), ODD))
def test_whatever_a_file_says_there_is_a_contract_that_can_be_met(said):
    contract, _ = read(said)
    evidence = dict.fromkeys(KINDS, Proof(T1, True))

    assert missing(contract, evidence, [], "strict") == []
    assert proven(contract, evidence, []) == 100


@pytest.mark.parametrize(("source", "stands"), [({"from": "s0"}, ["build"]), ({}, [])])
def test_what_stood_when_a_contract_was_handed_on_counts_for_its_heir(workspace, source, stands):
    body = {"goal": "retry twice", "criteria": [], "evidence_required": ["tests", "build"]}
    handed = {**body, "unproven": ["tests"], **source}
    workspace.keep("contract_set", handed, key="k", at=T1, project="p", session="s1")

    assert list(shown(queries.contract(workspace.store, "s1"), {})) == stands
