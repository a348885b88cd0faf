from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from holdfast.agents.claude_code import fields, other_payloads, payloads
from holdfast.errors import StoreError
from holdfast.hook.events import EVENTS, JUDGED
from holdfast.hook.transaction import look, receive
from holdfast.ledger import projections, queries, replay
from holdfast.ledger.workspace import Workspace
from holdfast.store.sqlite import Store
from holdfast.system import clock, files
from law import assert_replay_law

AGENT_PIDS = (1, 999_999_999)  # one that is always there, one that never is


def fill(workspace: Workspace, history: list[tuple[str, int, dict]]) -> None:
    """Real events through the real table, as the door hands them on."""
    for count, (name, session, more) in enumerate(history):
        said = {
            "hook_event_name": name,
            "session_id": f"s{session}",
            "cwd": "/",
            "tool_use_id": f"t{count % 7}",
            "prompt_id": f"p{count % 5}",
            **more,
        }
        at = clock.iso(1_700_000_000 + count * 37 % 1_000)  # clocks go back, too
        event = payloads.read(
            said,
            raw=f"{count % 11}".encode(),
            at=at,
            process=(AGENT_PIDS[session % 2], "1"),
            size=lambda _, count=count: count % 3,
        )
        if event and event.kind in EVENTS:
            look(event)
            receive(workspace, event)


READERS = {**payloads.TOOL_CALLS, **other_payloads.READERS}
texts = st.text(max_size=40)
refusals = st.fixed_dictionaries(
    {
        "tool_use_id": st.sampled_from(["t1", "t9"]),
        "tool_name": texts,
        "tool_response": texts.map(
            lambda words: f"{fields.REFUSED} the user said:\nuse {words} instead"
        ),
    }
)
events = st.tuples(
    st.sampled_from([*READERS, "SomethingNew"]),
    st.integers(0, 3),
    st.fixed_dictionaries(
        {},
        optional={
            "source": st.sampled_from(["startup", "resume", "clear", "compact", "fork", "odd"]),
            "prompt": texts,
            "tool_name": st.sampled_from(
                ["Bash", "Write", "Edit", "Read", "mcp__x__y", "AskUserQuestion", "ExitPlanMode"]
            ),
            "tool_input": st.fixed_dictionaries(
                {}, optional={"file_path": texts, "command": texts, "content": texts}
            ),
            "tool_response": st.one_of(
                st.none(),
                texts,
                st.dictionaries(texts, texts, max_size=2),
                st.fixed_dictionaries({"answers": st.dictionaries(texts, texts, max_size=2)}),
                st.fixed_dictionaries({"plan": texts, "filePath": texts}),
            ),
            "tool_calls": st.lists(refusals, max_size=2),
            "error": texts,
            "reason": texts,
            "last_assistant_message": texts,
        },
    ),
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(history=st.lists(events, max_size=25))
def test_a_replay_of_any_history_gives_the_same_rows(tmp_path_factory, history):
    workspace = Workspace(str(tmp_path_factory.mktemp("state") / "holdfast"))
    fill(workspace, history)

    assert replay.differences(workspace.store) == {}
    assert queries.damaged(workspace.store) == []
    workspace.store.close()


A_HISTORY = [
    ("SessionStart", 0, {}),
    ("UserPromptSubmit", 0, {"prompt": "one"}),
    ("PostToolUse", 0, {"tool_name": "Write", "tool_input": {"file_path": "/a.py"}}),
    ("PostToolUseFailure", 0, {"tool_name": "Bash", "tool_input": {"command": "false"}}),
    ("Stop", 0, {}),
    ("SessionStart", 1, {}),
    ("SessionEnd", 0, {}),
    ("SessionStart", 2, {"source": "clear"}),
]


def test_a_damaged_derived_table_is_rebuilt_from_the_entries(workspace, state):
    fill(workspace, A_HISTORY)
    before = sorted(workspace.store.rows("select * from sessions"))
    workspace.store.run("update sessions set branch = 'wrong'")
    workspace.store.run("delete from touched")
    assert replay.differences(workspace.store) == {"sessions": 6, "touched": 1}

    replay.rebuild(workspace.store)

    assert sorted(workspace.store.rows("select * from sessions")) == before
    assert_replay_law(state)


def test_what_is_appended_during_a_rebuild_is_in_the_new_tables(workspace):
    fill(workspace, A_HISTORY[:4])
    second = Workspace(workspace.state)
    appended = []

    def meanwhile(done: int, total: int) -> None:
        if not appended:
            appended.append(True)
            fill(second, A_HISTORY[5:])

    replay.rebuild(workspace.store, meanwhile)

    assert appended
    assert replay.differences(workspace.store) == {}
    assert workspace.store.value("select count(*) from sessions") == 3


def test_a_rebuild_leaves_no_file_behind(workspace, state, tmp_path):
    fill(workspace, A_HISTORY)
    replay.rebuild(workspace.store)

    assert not [name for name in files.names_in(state) if "rebuild" in name]


def test_hooks_go_on_appending_while_a_changed_rule_waits_for_its_rebuild(door, workspace, state):
    door.send("SessionStart.startup", session_id="s1")
    workspace.store.run("update derivations set version = 0 where room = 'continuity'")

    door.send("UserPromptSubmit", session_id="s1", prompt="said in between")

    for _ in range(1_200):  # the rebuild is detached; it has a minute
        if projections.stale(workspace.store) == []:
            break
        time.sleep(0.05)
    assert projections.stale(workspace.store) == []
    assert workspace.store.value("select last_prompt from activity") == "said in between"
    for _ in range(1_200):
        if workspace.store.value("select 1 from entries where kind = 'tables_rebuilt'"):
            break
        time.sleep(0.05)
    assert_replay_law(state)


def test_a_store_of_a_newer_schema_is_refused_and_left_untouched(workspace, state):
    path = f"{state}/store.db"
    workspace.store.run("pragma user_version = 99")
    workspace.store.close()
    before = files.read_bytes(path, 1 << 24)

    with pytest.raises(StoreError, match="schema 99") as refusal:
        Store(path)

    assert "upgrade" in refusal.value.hint
    assert files.read_bytes(path, 1 << 24) == before


def test_every_kind_that_an_event_can_become_is_in_the_table():
    kinds = {reader({})[0] for reader in READERS.values()} - {""}

    assert kinds | {"calls_refused", "event_seen", "probed"} == set(EVENTS) | set(JUDGED)
    assert not set(EVENTS) & set(JUDGED)
