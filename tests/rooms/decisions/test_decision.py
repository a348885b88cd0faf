"""A decision is never edited, and stands as its weakest evidence does."""

from __future__ import annotations

import random

import pytest

from holdfast.errors import Ambiguous, HoldfastError, NotFound
from holdfast.ledger import forget, queries as ledger, replay
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.decisions import deciding, projection, queries
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.decisions.decision import Decision, Evidence, Scenario, Standing, standing
from holdfast.rooms.decisions.grounding import standing as grounding_standing
from holdfast.system import clock

AT = "2026-01-31T12:00:00.000Z"
LATER = "2026-01-31T12:00:01.000Z"
QUOTED = Evidence("fetch.py", 2, 2, "retries = 3", around={"times": 1, "nth": 0})


@pytest.fixture
def here(workspace: Workspace, tmp_path) -> Here:
    return Here(workspace, project="p1", root=str(tmp_path), session="s1", at=AT)


def texts(found: list[Decision]) -> list[str]:
    return [one.text for one in found]


@pytest.mark.promise("D1")
def test_what_was_decided_is_kept_with_its_reason_evidence_and_scenarios(here):
    made = deciding.decide(
        here,
        "three retries are enough",
        because="503s clear within seconds",
        evidence=[QUOTED],
        scenarios=[Scenario("edge_case", "all fail", "the error of the last try")],
    )

    (found,) = queries.current(here.workspace.store, "p1")
    assert (found.id, found.text, found.because) == (made.id, made.text, made.because)
    assert [one.as_dict() for one in found.evidence] == [QUOTED.as_dict()]
    assert [one.as_dict() for one in found.scenarios] == [
        {"kind": "edge_case", "name": "all fail", "expected": "the error of the last try"}
    ]


@pytest.mark.promise("D1")
def test_a_superseded_decision_is_out_of_force_and_still_readable(here):
    old = deciding.decide(here, "three retries")
    here.at = LATER
    new = deciding.supersede(here, old.id[:6], "five retries")

    store = here.workspace.store
    assert texts(queries.current(store, "p1")) == ["five retries"]
    assert texts(queries.history(store, "p1")) == ["five retries", "three retries"]
    assert (queries.find(store, old.id).superseded_by, new.supersedes) == (new.id, old.id)
    with pytest.raises(HoldfastError, match="superseded by"):
        deciding.supersede(here, old.id, "seven retries")


@pytest.mark.promise("D1")
def test_two_machines_that_superseded_one_decision_are_both_shown(here):
    old = deciding.decide(here, "three retries")
    for text in ("five retries", "seven retries"):  # as two ledgers say it when they are joined
        body = {"text": text, "because": "", "source": "agent", "evidence": [], "scenarios": []}
        here.workspace.keep(
            "decision_made",
            {**body, "supersedes": old.id, "how": "command"},
            key=text,
            at=LATER,
            project="p1",
        )

    assert len(queries.superseding(here.workspace.store, old.id)) == 2
    assert sorted(texts(queries.current(here.workspace.store, "p1"))) == [
        "five retries",
        "seven retries",
    ]


@pytest.mark.promise("D1")
def test_the_decision_that_a_forgotten_one_superseded_is_in_force_again(here):
    old = deciding.decide(here, "three retries")
    here.session = "s2"
    deciding.supersede(here, old.id, "five retries", evidence=[QUOTED])

    forget.sessions_and_projects(here.workspace, ("s2",), (), now=LATER)

    store = here.workspace.store
    assert texts(queries.current(store, "p1")) == ["three retries"]
    assert store.value("select count(*) from citations") == 0
    assert replay.differences(store) == {}


@pytest.mark.parametrize("seed", range(8))
def test_a_replay_of_any_deeds_gives_the_same_rows(here, seed):
    pick, made, items = random.Random(seed), [], []
    for number in range(60):
        here.session = pick.choice(("s1", "s2", "s3", ""))
        here.project = pick.choice(("p1", "p2"))
        here.at = f"2026-01-31T12:{pick.randrange(60):02d}:00.000Z"  # clocks go back, too
        act = pick.randrange(8)
        try:
            if act < 3 or not made:
                made.append(
                    deciding.decide(here, f"d{number}", evidence=[QUOTED] * pick.randrange(3))
                )
            elif act == 3:
                made.append(deciding.supersede(here, pick.choice(made).id, f"d{number}"))
            elif act == 4:
                deciding.cite(here, f"c{number}", evidence=[QUOTED])
            elif act == 5:
                items.append(deciding.open_item(here, "question", f"q{number}"))
            elif act == 6 and items:
                deciding.resolve(here, pick.choice(items)["id"])
            elif act == 7 and pick.random() < 0.4:
                whose, now = (here.session,) if here.session else (), clock.iso(2e9 + number)
                forget.sessions_and_projects(here.workspace, whose, ("p1",), now=now)
            elif act == 7 and pick.random() < 0.4:
                with here.workspace.store.transaction():
                    here.workspace.keep(
                        "projects_merged", {"into": "p1"}, key=f"m{number}", at=AT, project="p2"
                    )
        except (NotFound, HoldfastError):
            continue  # superseded, resolved or forgotten before

    assert made
    assert replay.differences(here.workspace.store) == {}


def test_lists_of_an_entry_from_elsewhere_may_hold_anything(here):
    odd = [None, 3, "x", {}, {"path": 1, "line": "2", "around": []}, {"kind": ["happy_path"]}]
    body = {"text": "t", "because": "", "source": "agent", "evidence": odd, "scenarios": odd}
    with here.workspace.store.transaction():
        here.workspace.keep(
            "decision_made", {**body, "how": "import"}, key="k", at=AT, project="p1"
        )

    (found,) = queries.current(here.workspace.store, "p1")
    assert (len(found.evidence), len(found.scenarios)) == (6, 6)
    judged = grounding_standing.judge(here.workspace.store, here.root, [found])
    assert {one.name for one in judged.values()} == {"broken"}


def test_a_decision_is_named_by_the_start_of_its_id_when_that_fits_one(here):
    made = deciding.decide(here, "three retries")

    store = here.workspace.store
    assert queries.find(store, made.id[:4]).id == made.id
    for given in (made.id[:3], "ffff" if made.id[0] != "f" else "0000"):
        with pytest.raises(NotFound):
            queries.find(store, given)
    with pytest.raises(NotFound):
        queries.find(store, made.id, project="another")
    many = [deciding.decide(here, f"number {number}") for number in range(20)]
    store.run("update decisions set id = 'abcd' || substr(id, 5)")
    assert many
    with pytest.raises(Ambiguous):
        queries.find(store, "abcd")


@pytest.mark.promise("D1")
def test_what_is_open_is_open_until_it_is_resolved(here):
    asked = deciding.open_item(here, "question", "per client?")
    deciding.open_item(here, "blocker", "no key")
    again = deciding.open_item(here, "question", "per client?")

    store = here.workspace.store
    assert again["id"] == asked["id"]
    assert [one["text"] for one in queries.open_items(store, "p1")] == ["per client?", "no key"]
    deciding.resolve(here, asked["id"][:5], "yes")
    assert [one["sort"] for one in queries.open_items(store, "p1")] == ["blocker"]
    with pytest.raises(NotFound):
        deciding.resolve(here, asked["id"])


@pytest.mark.parametrize(
    ("text", "scenarios", "said"),
    [
        ("  ", [], "needs words"),
        ("x" * 601, [], "too many"),
        ("fine", [Scenario("sunny", "n", "e")], "no kind of scenario"),
        ("fine", [Scenario("happy_path", "", "e")], "needs words"),
    ],
)
def test_what_cannot_be_kept_whole_is_refused_and_nothing_is_kept(here, text, scenarios, said):
    with pytest.raises(HoldfastError, match=said):
        deciding.decide(here, text, scenarios=scenarios)

    assert queries.history(here.workspace.store, "p1") == []


@pytest.mark.promise("D2")
def test_the_weakest_evidence_decides_how_a_decision_stands():
    evidence = [Evidence("a", 1, 1, "x", id=str(number)) for number in range(2)]
    found = {"0": Standing("grounded"), "1": Standing("moved")}

    assert standing(evidence, found) == "moved"
    assert standing(evidence, {**found, "0": Standing("broken")}) == "broken"
    assert standing([], {}) == "unsupported"


def test_an_item_is_open_again_when_the_session_that_resolved_it_is_forgotten(here):
    store = here.workspace.store
    opened = deciding.open_item(here, "question", "does 429 count as a failure?")
    other = Here(here.workspace, project="p1", root=here.root, session="s2", at=LATER)
    deciding.resolve(other, opened["id"])
    assert queries.open_items(store, "p1") == []

    forget.sessions_and_projects(here.workspace, ("s2",), (), now=LATER)

    assert [one["id"] for one in queries.open_items(store, "p1")] == [opened["id"]]
    assert replay.differences(store) == {}


def test_a_resolution_that_comes_before_its_item_counts(here):
    store = here.workspace.store
    opened = deciding.open_item(here, "question", "does 429 count as a failure?")
    with store.transaction():
        store.run("delete from items")
    deeds_of = [entry for _, entry in ledger.read(store)]
    with store.transaction():
        here.workspace.say(
            "item_resolved", {"item": opened["id"], "words": ""}, at=LATER, project="p1"
        )
        projection.derive(store, deeds_of[-1])

    assert queries.open_items(store, "p1") == []
    assert replay.differences(store) == {}
