"""Many hooks write at once: nothing is lost, nothing is kept twice, nothing is out of order."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from around import Held, assert_sound, event, fault_kinds, kept, keys, knock, opened, waiting

from conftest import Door
from holdfast.rooms.sessions import queries as sessions
from holdfast.system import processes
from law import assert_replay_law
from measure import some_or_all

# An agent in miniature, in the shell that agents run their hooks with: it begins, waits until all
# have begun, sends its events one after the other, and counts those whose hook did not exit with 0.
WRITER = """
export CLAUDE_PID=$$
bad=0
printf '%s' "$START" | {command} || bad=$((bad+1))
echo ready
read go
n=0
while [ $n -lt {events} ]; do
    printf '%s' "${{BEFORE}}call-$n${{AFTER}}" | {command} || bad=$((bad+1))
    n=$((n+1))
done
echo bad=$bad
read stay
"""


def writer(door: Door, session: str, events: int) -> subprocess.Popen[str]:
    start = json.dumps(event(door, "SessionStart.startup", session_id=session))
    used = event(door, "PostToolUse.Bash", session_id=session, tool_use_id="HERE")
    before, after = json.dumps(used).split("HERE")
    return subprocess.Popen(
        ["/bin/sh", "-c", WRITER.format(command=door.command, events=events)],
        env={**door.environment, "START": start, "BEFORE": before, "AFTER": after},
        cwd=door.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def tell_all(writers: list[subprocess.Popen[str]]) -> list[str]:
    """Let all go on at once, and hear from each."""
    for process in writers:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [hear(process) for process in writers]


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@some_or_all((8, 8), (64, 50))
def test_many_writers_lose_nothing_and_keep_nothing_twice(door, repo, state, amount):
    many, events = amount
    writers = [writer(door, f"s{number}", events) for number in range(many)]
    try:
        assert [hear(process) for process in writers] == ["ready"] * many
        assert tell_all(writers) == ["bad=0"] * many
    finally:
        for process in writers:
            process.kill()
            process.communicate()
    assert fault_kinds(state) == []
    assert waiting(state) == []

    used = keys(state, "tool_used")
    assert Counter(session for session, _ in used) == {
        f"s{number}": events for number in range(many)
    }
    for number in range(many):
        own = [key for session, key in used if session == f"s{number}"]
        assert own == [f"tool:call-{call}" for call in range(events)]
    kinds = Counter(entry.kind for entry in kept(state))
    assert (kinds["tool_used"], kinds["session_began"]) == (many * events, many)
    assert kinds["project_met"] == 1
    with opened(state) as store:
        assert len(sessions.still_open(store)) == many
    assert at_work(state) == {f"s{number}" for number in range(many)}
    assert_replay_law(state, repo)


def at_work(state: str) -> set[str]:
    """The sessions that the registry's mirror shows."""
    with open(f"{state}/sessions.json", encoding="utf-8") as mirror:
        return {row["session_id"] for row in json.load(mirror)["sessions"].values()}


@pytest.mark.promise("S1")
def test_a_session_that_began_in_the_spool_is_shown_at_the_next_event(door, state):
    """As with many writers: its turn did not come, and another's hook took it in."""
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    with Held(state, "begin immediate"):
        knock(door, event(door, "SessionStart.startup", session_id="s2"))
    assert (len(waiting(state)), at_work(state)) == (1, {"s1"})

    knock(door, event(door, "PostToolUse.Bash", session_id="s1"))

    assert at_work(state) == {"s1", "s2"}
    assert fault_kinds(state) == []


@pytest.mark.promise("S1")
def test_a_registry_that_others_were_writing_is_written_at_the_next_event(door, state):
    knock(door, event(door, "SessionStart.startup", session_id="s1"))
    other = processes.Lock(f"{state}/sessions.json.lock")
    assert other.take()
    knock(door, event(door, "SessionStart.startup", session_id="s2"))
    assert at_work(state) == {"s1"}
    other.release()

    knock(door, event(door, "PostToolUse.Bash", session_id="s1"))

    assert at_work(state) == {"s1", "s2"}
    assert fault_kinds(state) == []


@pytest.mark.parametrize(
    "name", ["PostToolUse.Bash", "UserPromptSubmit", "Stop", "SessionStart.startup"]
)
def test_an_event_that_two_hooks_bring_at_once_is_kept_once(door, state, name):
    """Hooks installed for the user and for the project fire together."""
    kind = {"P": "tool_used", "U": "prompt_given", "S": "turn_ended"}[name[0]]
    kind = "session_began" if name == "SessionStart.startup" else kind
    rounds = 8

    with ThreadPoolExecutor(2) as pool:
        for number in range(rounds):
            said = event(door, name, session_id=f"s{number}")
            list(pool.map(lambda _, said=said: knock(door, said), range(2)))

    assert Counter(session for session, _ in keys(state, kind)) == {
        f"s{number}": 1 for number in range(rounds)
    }
    assert fault_kinds(state) == []
    assert_sound(state)


@pytest.mark.parametrize(
    "name", ["PostToolUse.Bash", "UserPromptSubmit", "Stop", "PreCompact.auto", "SessionEnd.other"]
)
def test_an_event_that_comes_again_later_is_kept_once(door, state, name):
    said = event(door, name, session_id="s1")
    knock(door, event(door, "SessionStart.startup", session_id="s1"))

    for _ in range(3):
        knock(door, said)

    kinds = Counter(entry.kind for entry in kept(state))
    assert set(kinds.values()) == {1} or kinds.pop("project_aliased") > 1
    assert set(kinds.values()) == {1}
    assert fault_kinds(state) == []
    assert_sound(state)


def test_a_second_event_with_the_same_words_is_another_event(door, state):
    """The same prompt given twice is two prompts: the agent names each."""
    for prompt in ("p1", "p2"):
        knock(door, event(door, "UserPromptSubmit", session_id="s1", prompt_id=prompt))

    named = [key.split(":")[1] for _, key in keys(state, "prompt_given")]
    assert named == ["p1", "p2"]
    assert os.path.exists(f"{state}/store.db")
