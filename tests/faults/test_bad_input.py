"""Whatever an agent sends, the door stays out of the way and keeps what can be read of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from around import (
    LIMIT_S,
    assert_sound,
    event,
    fault_kinds,
    kept,
    knock,
    only_ours_changes,
    opened,
    waiting,
)
from hypothesis import HealthCheck, given, settings, strategies as st

import holdfast
from conftest import PAYLOADS
from holdfast.agents.claude_code import payloads
from holdfast.hook import entry_point, record
from holdfast.rooms.sessions import queries as sessions
from law import assert_replay_law
from measure import some_of, some_or_all

KINDS = {
    "SessionStart": "session_began",
    "SessionEnd": "session_ended",
    "UserPromptSubmit": "prompt_given",
    "UserPromptExpansion": "command_typed",
    "PreToolUse": "",  # judged, never kept
    "PostToolUse": "tool_used",
    "PostToolUseFailure": "tool_used",
    "PostToolBatch": "",  # kept where the user refused with words
    "PreCompact": "context_closing",
    "PostCompact": "context_compacted",
    "Stop": "turn_ended",
    "StopFailure": "turn_failed",
    "SubagentStart": "subagent_began",
    "SubagentStop": "subagent_ended",
    "Notification": "notified",
    "TaskCreated": "task_created",
    "TaskCompleted": "task_completed",
    "InstructionsLoaded": "instructions_loaded",
    "CwdChanged": "moved",
}
MEGABYTE = 1 << 20
DEEP = "[" * 100_000 + "]" * 100_000


def told(state: str) -> list[tuple[str, str]]:
    """(session, kind) of all that was kept, less what a session's first event brings along, what a
    failed tool says of the work, and what git says of the branch."""
    return [
        (entry.session, entry.kind)
        for entry in kept(state)
        if not entry.kind.startswith(("project_", "confidence_", "branch_"))
        and not entry.kind.endswith("_settled")
        and entry.body.get("source") != "adopted"
    ]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b" \n\t", id="blanks"),
        pytest.param(b"hello", id="not JSON"),
        pytest.param(b"[1, 2]", id="an array"),
        pytest.param(b"7", id="a number"),
        pytest.param(b"null", id="null"),
        pytest.param(b'"SessionStart"', id="a text"),
        pytest.param(b"{}", id="an empty object"),
        pytest.param(b'{"session_id": "s1"', id="cut off before the event's name"),
        pytest.param(b'{"session_id": "s1", "hook_event_name": "St', id="cut off in its name"),
        pytest.param(b'{"hook_event_name": "Stop"}', id="no session"),
        pytest.param(b'{"hook_event_name": "Stop", "session_id": ""}', id="an empty session"),
        pytest.param(b'{"session_id": "s1", "hook_event_name": null}', id="an event of null"),
        pytest.param(b"\xff\xfe\x00\x01" * 1000, id="binary"),
        pytest.param(b"\x00" * 1000, id="NULs"),
        pytest.param(DEEP.encode(), id="100,000 levels"),
        pytest.param(b'{"a":' * 100_000, id="100,000 objects, cut off"),
    ],
)
def test_what_names_no_session_or_event_is_a_counted_fault_and_nothing_else(door, state, raw):
    with only_ours_changes(door):
        done = knock(door, raw)

    assert done.stdout == b""
    assert set(fault_kinds(state)) == {"input unreadable"}
    assert waiting(state) == []
    assert not os.path.exists(f"{state}/store.db")


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param(b'"tool_response"', id="before the response"),
        pytest.param(b'"stdout"', id="in the response"),
        pytest.param(b"out\\nerr", id="in a text"),
        pytest.param(b'"duration_ms"', id="before the last field"),
    ],
)
def test_an_event_that_is_cut_off_is_kept_as_far_as_it_can_be_read(door, state, cut):
    raw = json.dumps(event(door, "PostToolUse.Bash", session_id="s1")).encode()

    with only_ours_changes(door):
        for _ in range(2):  # what came cut off twice is one event too
            knock(door, raw[: raw.index(cut) + 4])

    assert told(state) == [("s1", "tool_used")]
    body = kept(state)[-1].body
    assert (body["tool"], body["command"]) == ("Bash", "echo out; echo err >&2")
    assert set(fault_kinds(state)) == {"input unreadable"}


def test_an_event_of_50_megabytes_is_kept_as_far_as_it_can_be_read(door, state):
    said = event(door, "PostToolUse.Bash", session_id="s1")
    said["tool_response"]["stdout"] = "x" * (50 * MEGABYTE)
    raw = json.dumps(said).encode()

    with only_ours_changes(door):
        knock(door, raw)
        knock(door, raw)

    assert told(state) == [("s1", "tool_used")]
    body = kept(state)[-1].body
    assert (body["tool"], body["command"]) == ("Bash", "echo out; echo err >&2")
    assert set(fault_kinds(state)) == {"input too large"}
    assert os.stat(f"{state}/store.db").st_size < MEGABYTE


def test_an_event_of_10_megabytes_is_kept_whole_but_for_the_middle_of_its_texts(door, state):
    said = event(door, "PostToolUse.Bash", session_id="s1")
    said["tool_response"]["stdout"] = "first" + "x" * (10 * MEGABYTE) + "last"

    with only_ours_changes(door):
        knock(door, said)

    (entry,) = (entry for entry in kept(state) if entry.kind == "tool_used")
    assert entry.body["output"].startswith("firstx")
    assert entry.body["output"].endswith("xlast")
    assert entry.body["duration_ms"] == 29
    assert fault_kinds(state) == []


@pytest.mark.parametrize("field", ["tool_input", "error", "a_new_field"])
def test_an_event_that_is_nested_deeply_is_kept_as_far_as_it_can_be_read(door, state, field):
    said = event(door, "PostToolUseFailure.Bash", session_id="s1", **{field: "HERE"})

    with only_ours_changes(door):
        knock(door, json.dumps(said).replace('"HERE"', DEEP).encode())

    assert told(state) == [("s1", "tool_used")]
    assert [one.body["tool"] for one in kept(state) if one.kind == "tool_used"] == ["Bash"]
    assert set(fault_kinds(state)) == {"input unreadable"}


@pytest.mark.exhaustive
def test_there_is_no_depth_that_can_be_read_and_not_be_kept(door, state):
    """Python gives up at some depth, and earlier where more is on its stack."""
    limit = deepest()
    depths = range(limit - 30, limit + 10)

    with only_ours_changes(door):
        for depth in depths:
            said = event(door, "PostToolUseFailure.Bash", session_id=f"s{depth}", error="HERE")
            nested = "[" * depth + "]" * depth
            knock(door, json.dumps(said).replace('"HERE"', nested).encode())

    assert told(state) == [(f"s{depth}", "tool_used") for depth in depths]
    assert set(fault_kinds(state)) <= {"input unreadable"}


def deepest() -> int:
    """How deeply nested JSON this interpreter reads when little else is on its stack."""
    script = (
        "from holdfast.system import jsontext\n"
        "low, high = 1, 200_000\n"
        "while high - low > 1:\n"
        "    depth = (low + high) // 2\n"
        "    try: jsontext.loads('[' * depth + ']' * depth); low = depth\n"
        "    except ValueError: high = depth\n"
        "print(low)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(Path(holdfast.__file__).parents[1])},
        capture_output=True,
        timeout=LIMIT_S,
        check=True,
    )
    return int(found.stdout)


def wrong_types() -> list[tuple[str, str, dict[str, Any]]]:
    """Every field of every recorded payload as a number, a list, an object, null and true: with
    the field, its new value, and what is said then. Each has a session of its own."""
    found = []
    for path in sorted(PAYLOADS.glob("*.json")):
        said = json.loads(path.read_text())
        for field in said:
            for value in (7, [], {}, None, True):
                changed = {**said, "session_id": f"s{len(found)}", field: value}
                found.append((field, json.dumps(value), changed))
    return found


def lost(state: str, sent: list[tuple[str, str, dict[str, Any]]]) -> list[tuple[str, str, str]]:
    """Those of the events that the ledger should have and has not."""
    found = set(told(state))
    missing = []
    for field, value, said in sent:
        if value == "null" and field in ("session_id", "hook_event_name"):
            continue  # nobody is speaking, and that is a fault
        session = value if field == "session_id" else said["session_id"]
        name = said["hook_event_name"]
        kind = "event_seen" if field == "hook_event_name" else KINDS.get(name, "event_seen")
        # A background task of the agent's own speaks as a prompt, as long as it is recognised.
        kinds = {kind, "notified"} if kind == "prompt_given" else {kind}
        if kind and not any((session, kind) in found for kind in kinds):
            missing.append((name, field, value))
    return missing


def test_a_field_of_another_type_than_expected_never_costs_the_event(door, repo, state):
    """One value for each field of each event through the door; all of them in the next test."""
    by_field: dict[tuple[str, str], list[tuple[str, str, dict[str, Any]]]] = {}
    for case in wrong_types():
        by_field.setdefault((str(case[2]["hook_event_name"]), case[0]), []).append(case)
    sent = [cases[number % len(cases)] for number, cases in enumerate(by_field.values())]
    assert len(sent) > 150

    with only_ours_changes(door), ThreadPoolExecutor(2) as pool:
        list(
            pool.map(
                lambda case: knock(door, case[2], CLAUDE_PROJECT_DIR=str(repo)),
                sent,
            )
        )

    assert lost(state, sent) == []
    assert set(fault_kinds(state)) == {"input unreadable"}
    assert waiting(state) == []
    assert_replay_law(state, repo)


@some_or_all(17, 1)
def test_no_field_of_any_recorded_event_needs_the_type_it_had(state, tmp_path, monkeypatch, amount):
    """Every one of them, or every seventeenth."""
    monkeypatch.chdir(tmp_path)
    sent = wrong_types()
    assert len(sent) > 2_000
    sent = sent[::amount]

    for _, _, said in sent:
        answered(state, json.dumps(said).encode())

    assert lost(state, sent) == []
    nobody = sum(
        value == "null" and field in ("session_id", "hook_event_name") for field, value, _ in sent
    )
    assert fault_kinds(state) == ["input unreadable"] * nobody
    assert waiting(state) == []
    assert_sound(state)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("PostToolUse.Bash", "duration_ms", "1" + "0" * 30),
        ("PostToolUse.Bash", "duration_ms", "1" + "0" * 5000),
        ("PostToolUse.Bash", "tool_name", "1e999"),
        ("PostToolUse.Bash", "tool_input", "[NaN, -Infinity, 1e999]"),
        ("SessionStart.resume", "context_tokens", "1" + "0" * 30),
        ("SessionStart.resume", "source", "-1e999"),
        ("UserPromptSubmit", "prompt", "1e999"),
        ("UserPromptSubmit", "cwd", "1e999"),
    ],
)
def test_a_number_that_no_database_holds_never_costs_the_event(door, state, name, field, value):
    said = event(door, name, session_id="s1", **{field: "HERE"})

    with only_ours_changes(door):
        knock(door, json.dumps(said).replace('"HERE"', value).encode())
        knock(door, event(door, "Stop", session_id="s1"))

    assert told(state) == [("s1", KINDS[name.partition(".")[0]]), ("s1", "turn_ended")]
    assert set(fault_kinds(state)) <= {"input unreadable"}
    assert waiting(state) == []


ODD = {
    "a lone surrogate": b"odd \\ud800 text",
    "invalid UTF-8": b"odd \xff\xc3 text",
    "a NUL": b"odd \\u0000 text",
    "a raw control character": b"odd \x01\n text",
}
TEXTS = [
    (path.stem, field)
    for path in sorted(PAYLOADS.glob("*.json"))
    if path.stem in ("SessionStart.startup", "UserPromptSubmit", "PostToolUse.Bash", "Stop")
    for field, value in json.loads(path.read_text()).items()
    if isinstance(value, str)
]


@pytest.mark.parametrize("odd", some_of(ODD.values(), 2), ids=ODD)
def test_text_that_no_database_holds_never_costs_the_event(door, state, odd):
    sent = []
    with only_ours_changes(door):
        for number, (name, field) in enumerate(TEXTS):
            said = event(door, name, **{"session_id": f"s{number}", field: "HERE"})
            raw = json.dumps(said).encode().replace(b"HERE", odd)
            knock(door, raw)
            if name != "SessionStart.startup":
                knock(door, raw)  # the same event again, odd as it is
            kind = "event_seen" if field == "hook_event_name" else KINDS[said["hook_event_name"]]
            sent.append((f"s{number}" if field != "session_id" else "odd", kind))

    # All of it is one process, which ends a session when it goes on with another.
    brought = ("session_linked", "session_ended", "identity_inherited", "rule_given")
    found = [(id_.split(" ")[0], kind) for id_, kind in told(state) if kind not in brought]
    assert sorted(found) == sorted(sent)
    assert fault_kinds(state) == []
    assert waiting(state) == []
    # The session's own place is known by its id: an event that cannot find it has no project.
    assert [(entry.session, entry.kind) for entry in kept(state) if not entry.project] == []
    assert_sound(state)


def test_an_event_nobody_has_heard_of_is_kept_under_its_own_name(door, state):
    said = event(door, "Stop", session_id="s1", hook_event_name="CoffeeBreak", sugar={"lumps": 2})

    with only_ours_changes(door):
        knock(door, said)
        knock(door, said)

    assert told(state) == [("s1", "event_seen")]
    body = kept(state)[-1].body
    assert (body["name"], body["said"]["sugar"]) == ("CoffeeBreak", {"lumps": 2})
    assert fault_kinds(state) == []


@pytest.mark.promise("X3")
@pytest.mark.parametrize(
    "session",
    [
        "../../x",
        "/etc/x",
        "a/b",
        "..",
        ".",
        "~",
        "a\nb",
        "-rf",
        "é" * 90,
        "%2E%2E",
        "a'; drop table entries; --",
        "$(touch x)",
        "x" * 10_000,
        "../" * 3_000,
        "sk-ant-" + "a" * 40,
    ],
    ids=lambda session: session[:20],
)
def test_a_session_id_never_becomes_a_path(door, repo, state, session):
    with only_ours_changes(door):
        for name in ("SessionStart.startup", "UserPromptSubmit", "Stop", "SessionEnd.other"):
            knock(door, event(door, name, session_id=session))

    (known,) = {session for session, _ in told(state)}
    assert [kind for _, kind in told(state)] == [
        "session_began",
        "prompt_given",
        "turn_ended",
        "session_ended",
    ]
    assert len(known) <= 100
    assert len(list((repo / ".git" / "holdfast" / "sessions").iterdir())) == 1
    assert [entry.kind for entry in kept(state) if not entry.project] == []
    with opened(state) as store:
        (row,) = sessions.latest(store, 10)
    assert (row.id, row.phase, row.end_reason) == (known, "ended", "other")
    assert fault_kinds(state) == []


def test_long_session_ids_that_differ_only_at_their_end_are_two_sessions(door, state):
    with only_ours_changes(door):
        for end in "ab":
            knock(door, event(door, "UserPromptSubmit", session_id="x" * 10_000 + end))

    assert len({session for session, _ in told(state)}) == 2


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    """Working folders that no agent should have."""
    nobodys = tmp_path / "nobodys"
    subprocess.run(["git", "init", "-q", str(nobodys)], check=True)
    (tmp_path / "file").touch()
    if os.geteuid() == 0:
        for path in (nobodys, *nobodys.rglob("*")):
            os.chown(path, 54321, 54321)
    return {
        "gone": f"{tmp_path}/gone/for/good",
        "nobody's": str(nobodys),
        "the root": "/",
        "a file": f"{tmp_path}/file",
        "no path": "?",
        "empty": "",
        "too long": f"{tmp_path}/" + "x" * 5_000,
    }


@pytest.mark.parametrize(
    "place", ["gone", "nobody's", "the root", "a file", "no path", "empty", "too long"]
)
def test_a_strange_working_folder_never_costs_the_event(door, state, places, place, tmp_path):
    at_root = sorted(os.listdir("/"))

    with only_ours_changes(door, tmp_path / "nobodys" / ".git" / "holdfast"):
        for name in ("SessionStart.startup", "UserPromptSubmit", "PostToolUse.Bash", "Stop"):
            knock(door, event(door, name, session_id="s1", cwd=places[place]))

    assert told(state) == [
        ("s1", kind) for kind in ("session_began", "prompt_given", "tool_used", "turn_ended")
    ]
    assert fault_kinds(state) == []
    assert sorted(os.listdir("/")) == at_root
    assert_sound(state)


@pytest.mark.parametrize("transcript", ["/etc/passwd", "a folder", "a pipe", "/dev/zero", "gone"])
def test_a_strange_transcript_is_neither_waited_for_nor_kept(door, state, tmp_path, transcript):
    """A fork's transcript is read to find its parent: the one place where a path is opened."""
    os.mkfifo(tmp_path / "a pipe")
    (tmp_path / "a folder").mkdir()
    path = transcript if transcript[0] == "/" else str(tmp_path / transcript)

    with only_ours_changes(door):
        for session, source in (("s1", "startup"), ("s2", "fork")):
            where = {"session_id": session, "transcript_path": path}
            for name in (f"SessionStart.{source}", "UserPromptSubmit", "Stop"):
                knock(door, event(door, name, **where))

    found = [kind for id_, kind in told(state) if id_ == "s2"]
    assert [kind for kind in found if kind in ("session_began", "prompt_given", "turn_ended")] == [
        "session_began",
        "prompt_given",
        "turn_ended",
    ]
    assert fault_kinds(state) == []
    assert not any(b"root:" in file.read_bytes() for file in Path(state).glob("store.db*"))


@pytest.mark.parametrize("stream", ["stdin", "stdout", "both"])
def test_a_closed_stream_never_shows_in_the_exit_code(door, state, stream):
    """An agent that was killed leaves its hooks with half a conversation."""
    knock(door, event(door, "SessionStart.startup", session_id="s0"))
    knock(door, event(door, "UserPromptSubmit", session_id="s0", prompt="Mend the roof"))
    knock(door, event(door, "SessionEnd.other", session_id="s0"))
    closed = {"stdin": "<&-", "stdout": ">&-", "both": "<&- >&-"}[stream]

    done = subprocess.run(
        ["/bin/sh", "-c", f"{door.command} {closed}"],
        input=json.dumps(event(door, "SessionStart.startup", session_id="s1")).encode(),
        env=door.environment,
        cwd=door.folder,
        capture_output=True,
        timeout=LIMIT_S,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(fault_kinds(state)) == 1
    assert (("s1", "session_began") in told(state)) == (stream == "stdout")


# Random input, in this process: what `main` would have to catch never gets that far.

NUMBERS = st.one_of(
    st.integers(), st.integers(-(10**40), 10**40), st.floats(), st.just("\0infinite\0")
)
TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=12,
)
FIELDS = sorted(
    {field for path in PAYLOADS.glob("*.json") for field in json.loads(path.read_text())}
)
SAID = st.builds(
    lambda event_name, session, fields, more: {
        "hook_event_name": event_name,
        "session_id": session,
        **fields,
        **more,
    },
    st.sampled_from([*payloads.HOOKS, "CoffeeBreak"]),
    st.one_of(TEXT.filter(bool), st.sampled_from(["s1", "s2", "../../x"])),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=8),
    st.dictionaries(TEXT, VALUES, max_size=3),
)


def as_json(said: dict[str, Any], escaped: bool) -> bytes:
    text = json.dumps(said, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    return text.replace(b'"\\u0000infinite\\u0000"', b"1e999")


def answered(state: str, raw: bytes, was_cut: bool = False) -> str:
    """The door in this process; it leaves its store open, as a hook does when it exits."""
    if len(entry_point.OPEN) + len(record.OPEN) > 50:
        close_all()
    return entry_point.answer(state, raw, was_cut)


def close_all() -> None:
    for left_open in (entry_point.OPEN, record.OPEN):
        while left_open:
            left_open.pop().store.close()  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    close_all()


BOUNDED = settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@BOUNDED
@given(raw=st.binary(max_size=400), was_cut=st.booleans())
def test_random_bytes_are_faults_and_never_an_exception(state, raw, was_cut):
    assert answered(state, raw, was_cut) == ""


@pytest.mark.exhaustive
@BOUNDED
@given(said=SAID, escaped=st.booleans(), cut=st.one_of(st.none(), st.integers(0, 400)))
def test_random_events_are_kept_and_never_an_exception(
    state, tmp_path, monkeypatch, said, escaped, cut
):
    # A working folder of "x" is taken from where the hook runs: not from this repository.
    monkeypatch.chdir(tmp_path)
    # There is a store: where there is none, a judgement says so.
    answered(state, as_json({"hook_event_name": "Stop", "session_id": "s0"}, escaped))
    raw = as_json(said, escaped)

    answer = answered(state, raw if cut is None else raw[:-cut])

    if answer and said.get("hook_event_name") != "PreCompact":  # which is answered in plain text
        assert set(json.loads(answer)) <= {"hookSpecificOutput", "systemMessage"}
    assert set(fault_kinds(state)) <= {"input unreadable"}
    assert waiting(state) == []
