"""Whatever was said and dreamt, in any order: pins, rules and goals stay as they were."""

from __future__ import annotations

import pytest
from consolidation.sleeper import Sleeper
from hypothesis import HealthCheck, given, settings, strategies as st

from conftest import make_repo
from holdfast.errors import HoldfastError
from holdfast.hook import consolidate
from holdfast.ledger import replay
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.sessions.queries import latest
from holdfast.rooms.work import commands, queries as work_queries
from ledger.test_replay import events, fill

TEXTS = (
    "never push to main",
    "Never push to main.",
    "never  push to `main`",
    "use uv, not pip",
    "use pip, not uv",
    "tests",
)
KEPT = ("rules", "pins", "goals", "inherited_pins", "decisions", "citations", "scenarios")
acts = st.lists(
    st.tuples(
        st.sampled_from(["rule", "pin", "learn", "edit", "prompt", "dream", "next", "withdraw"]),
        st.sampled_from(TEXTS),
    ),
    max_size=25,
)


def act(sleeper: Sleeper, session: str, name: str, text: str) -> None:
    if name == "rule":
        commands.give_rule(sleeper.place(session), text)
    elif name == "pin":
        commands.pin(sleeper.place(session), text, critical=len(text) % 2 == 0)
    elif name == "learn":
        sleeper.learn(text, session)
    elif name == "edit":
        sleeper.edit(session, f"{len(text)}.py", text=f"# TODO {text}\n")
    elif name == "prompt":
        sleeper.tell("UserPromptSubmit", session, prompt=text)
    elif name == "withdraw":
        found = list(sleeper.store.rows("select id from rules order by id limit 1"))
        for (id_,) in found:
            commands.withdraw(sleeper.place(session), id_)


def said(sleeper: Sleeper) -> dict[str, list[object]]:
    """All that a dream may not touch: rules, pins and goals, and what became of them."""
    store = sleeper.store
    rows: dict[str, list[object]] = {
        name: sorted(store.rows(f"select * from {name}")) for name in KEPT
    }
    rows["turns"] = sorted(store.rows("select * from turns where turn <> 'merged'"))
    rows["in force"] = list(prompt_queries.all_rules(store, sleeper.project))
    rows["pinned"] = [work_queries.pins(store, sleeper.project, name) for name in ("", "s0")]
    return rows


def merged(sleeper: Sleeper) -> set[str]:
    return {row[0] for row in sleeper.store.rows("select subject from turns where turn = 'merged'")}


@pytest.mark.promise("I9")
@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=acts)
def test_a_dream_deletes_no_pin_and_no_rule_and_keeps_the_replay_law(tmp_path_factory, history):
    folder = tmp_path_factory.mktemp("dreamt")
    sleeper = Sleeper(str(folder / "state"), make_repo(folder / "app"))
    session = "s0"
    sleeper.begin(session)

    for number, (name, text) in enumerate([*history, ("dream", "")]):
        if name == "next":
            session = f"s{number + 1}"
            sleeper.begin(session)
        elif name == "dream":
            before = said(sleeper)
            sleeper.dream()
            assert said(sleeper) == before
        else:
            try:
                act(sleeper, session, name, text)
            except HoldfastError:
                pass  # the eleventh pin, a rule that is there: refused, and nothing changed

    learnt = {row[0] for row in sleeper.store.rows("select id from learnings")}
    assert merged(sleeper) <= learnt
    assert replay.differences(sleeper.store) == {}
    sleeper.store.close()


@pytest.mark.exhaustive
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=st.lists(events, min_size=1, max_size=25), others=st.lists(events, max_size=10))
def test_a_dream_of_any_history_follows_from_the_ledger(tmp_path_factory, history, others):
    workspace = Workspace(str(tmp_path_factory.mktemp("state") / "holdfast"))
    fill(workspace, [("SessionStart", 0, {}), *history])
    project = latest(workspace.store, 1)[0].project

    for more in ([], others):
        fill(workspace, more)
        report = consolidate.dream(
            workspace, project, consolidate.HAND, limit_s=60, older_than_days=30
        )
        assert report is not None
        assert report["ended"] == consolidate.DONE
        assert replay.differences(workspace.store) == {}
    workspace.store.close()
