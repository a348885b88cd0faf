"""A person's own patterns of secrets: refused when they are read, given up when they fail."""

from __future__ import annotations

import json

import pytest

from holdfast.cli.commands import config_command
from holdfast.config.compiler import cascade
from holdfast.ledger import faults, queries, spool
from holdfast.redaction import gate as gate_module
from holdfast.redaction.gate import configure, gate, gate_id
from holdfast.store.sqlite import Store
from holdfast.system import files, paths, seal

SLOW = r"(a+)+$"
GREEDY = r"\w+"
GOOD = {"name": "badge", "pattern": r"BADGE-[0-9]{6}"}


@pytest.fixture
def patterns(repo):
    """Sets the patterns of the project's own file that is not committed."""

    def put(*given: object, exceptions: object = ()) -> None:
        path = repo / ".holdfast" / "config.local.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(
            json.dumps({"redaction": {"patterns": [*given], "exceptions": [*exceptions]}})
        )

    yield put
    configure([], [])
    gate_module.FAILED.clear()


@pytest.mark.promise("X7")
@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (SLOW, "can be split in more than one way"),
        (r"a*a*a*a*b", "can share one text"),
        (r"(\w+) \1x", "refers back"),
        (r"x?", "empty text"),
        (GREEDY, "would change what Holdfast itself writes"),
        (r"(?i)SESSION", "would change what Holdfast itself writes, such as session"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}", "would change what Holdfast itself writes, such as 0d9f2b1c"),
        (r"20\d\d-\d\d-\d\d", "would change what Holdfast itself writes, such as 2026"),
        (r"toolu_[0-9a-f]{8}", "would change what Holdfast itself writes, such as toolu_"),
        ("x" * 501, "longer than 500"),
        (r"[[:alpha:]]x", "cannot be compiled"),
    ],
)
def test_a_pattern_that_would_harm_is_refused_with_one_line_and_the_others_count(
    patterns, repo, pattern, reason
):
    patterns({"name": "bad", "pattern": pattern}, GOOD)

    found = cascade(str(repo))

    assert len(found.problems) == 1
    assert reason in str(found.problems[0])
    assert "\n" not in str(found.problems[0])
    assert found.values["redaction.patterns"] == [GOOD]


def test_a_pattern_without_a_name_is_refused_and_stops_nothing(patterns, repo):
    patterns({"pattern": r"ACME-[0-9]{9}"}, {"name": "a]b", "pattern": "ACMF-9"}, GOOD)

    found = cascade(str(repo))

    assert ["needs a name" in str(problem) for problem in found.problems] == [True, True]
    assert found.values["redaction.patterns"] == [GOOD]


def test_an_exception_that_can_take_long_is_refused_too(patterns, repo):
    patterns(exceptions=[SLOW, ".*fixture.*"])

    found = cascade(str(repo))

    assert "is not used" in str(found.problems[0])
    assert found.values["redaction.exceptions"] == [".*fixture.*"]


@pytest.mark.promise("O2")
def test_config_check_names_the_pattern(patterns, repo, state, monkeypatch):
    patterns({"name": "bad", "pattern": SLOW})
    monkeypatch.chdir(repo)

    report = config_command.check()

    assert report.exit_code == 1
    assert SLOW in report.lines[0]


@pytest.mark.promise("X7")
@pytest.mark.promise("O2")
def test_an_event_is_kept_whatever_the_patterns_and_the_next_start_says_which_is_not_used(
    patterns, door, state
):
    patterns({"name": "slow", "pattern": SLOW}, {"name": "all", "pattern": GREEDY}, GOOD)

    told = door.send("SessionStart.startup", session_id="s1")
    door.send("UserPromptSubmit", session_id="s1", prompt=f"BADGE-123456 {'a' * 60}!")

    entries = {entry.kind: entry for _, entry in queries.read(_store(state))}
    assert entries["prompt_given"].body["prompt"] == f"[removed: badge] {'a' * 60}!"
    assert "is not used" in told
    assert spool.waiting(state) == []


@pytest.mark.promise("O2")
def test_an_event_that_was_refused_comes_back_once_the_settings_are_mended(patterns, door, state):
    door.send("SessionStart.startup", session_id="s1")
    (folder, _) = paths.spools(state)
    files.own_folder(folder, state)
    event = _spooled_prompt()
    files.write_whole(f"{folder}/{event['at']}-x.json.unreadable", json.dumps(event).encode())
    door.send("Notification.idle_prompt", session_id="s1")
    assert "earlier" not in _prompts(state)

    patterns(GOOD)
    door.send("Notification.idle_prompt", session_id="s1", message="again")

    assert "earlier" in _prompts(state)
    assert files.names_in(folder) == []


@pytest.mark.promise("X7")
def test_a_pattern_that_slipped_through_is_given_up_and_the_body_kept_by_our_own_rules(patterns):
    configure([("all", r"\w{2,99}")], [], is_checked=True)

    kept = gate({"prompt": "a word", "password": "hunter22"}).value

    assert kept == {"prompt": "a word", "password": "[removed: password]"}
    assert len(gate_module.FAILED) == 1


def test_an_id_is_nobodys_text(patterns):
    configure([("all", r"\w{2,99}")], [], is_checked=True)

    assert gate_id("0d9f2b1c-5a7e") == "0d9f2b1c-5a7e"


@pytest.mark.promise("O2")
def test_a_pattern_that_fails_while_it_runs_is_a_fault_and_the_event_is_kept(patterns, door, state):
    """Compiled settings of another Python, or of somebody's hand."""
    patterns(GOOD)
    door.send("SessionStart.startup", session_id="s1")
    path = paths.compiled_settings(state, str(door.folder))
    compiled = json.loads(seal.opened(files.read_bytes(path) or b"") or b"")
    compiled["values"]["redaction.patterns"] = [{"name": "odd", "pattern": "("}, GOOD]
    files.write_whole(path, seal.sealed(json.dumps(compiled).encode()))

    door.send("UserPromptSubmit", session_id="s1", prompt="it is BADGE-123456 and ( too")

    assert "it is [removed: badge] and ( too" in _prompts(state)
    assert "pattern given up" in [fault["kind"] for fault in faults.all_of(state)]


def _store(state: str) -> Store:
    return Store(f"{state}/store.db", create=False)


def _prompts(state: str) -> list[str]:
    entries = [entry for _, entry in queries.read(_store(state))]
    return [entry.body["prompt"] for entry in entries if entry.kind == "prompt_given"]


def _spooled_prompt() -> dict[str, object]:
    return {
        "agent": "claude-code",
        "at": "2026-11-18T01:45:27.123Z",
        "body": {"prompt": "earlier"},
        "cwd": "",
        "key": "prompt:x:7:00",
        "kind": "prompt_given",
        "name": "UserPromptSubmit",
        "pid": 0,
        "session": "s1",
        "transcript": "",
    }
