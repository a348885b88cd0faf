from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from holdfast.config import settings
from holdfast.config.compiler import cascade, compile_settings
from holdfast.config.settings import SETTINGS
from holdfast.ledger.workspace import Workspace
from holdfast.system import environment, files, paths

ROOT = Path(__file__).parents[2]


@pytest.fixture
def write(home: Path, repo: Path):
    places = {
        "user": home / ".config" / "holdfast" / "config.yaml",
        "project": repo / ".holdfast" / "config.yaml",
        "local": repo / ".holdfast" / "config.local.yaml",
    }

    def put(layer: str, text: str) -> str:
        places[layer].parent.mkdir(parents=True, exist_ok=True)
        places[layer].write_text(text)
        return str(places[layer])

    return put


def test_later_layers_win_and_say_where_a_value_came_from(write, repo):
    write("user", "briefing:\n  start_tokens: 100\nsessions: {silence_hours: 5}\n")
    project = write("project", "briefing.start_tokens: 200\n")
    local = write("local", "sessions:\n  silence_hours: 7\n")

    found = cascade(str(repo))

    assert found.problems == ()
    assert found.values["briefing.start_tokens"] == 200
    assert found.origins["briefing.start_tokens"] == project
    assert (found.values["sessions.silence_hours"], found.origins["sessions.silence_hours"]) == (
        7,
        local,
    )
    assert found.origins["enabled"] == "default"


def test_a_variable_overrides_a_single_setting(write, repo, monkeypatch):
    write("user", "briefing: {start_tokens: 100}")
    monkeypatch.setenv("HOLDFAST_BRIEFING_START_TOKENS", "300")
    monkeypatch.setitem(environment.system.environ, b"HOLDFAST_BRIEFING_START_TOKENS", b"300")

    assert cascade(str(repo)).values["briefing.start_tokens"] == 300
    assert Workspace(paths.state_home()).settings(str(repo))["briefing.start_tokens"] == 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "not readable as YAML (line 1"),
        ("- a", "not a table"),
        ("nonsense: 1", "no setting nonsense"),
        ("enabled: 1", "wants a true or false, not a number"),
        ("briefing: {start_tokens: many}", "wants a number, not a text"),
        ("briefing: {start_tokens: -1}", "above 0"),
        ("redaction: {patterns: [x]}", "wants patterns"),
        ("redaction: {patterns: [{name: a, pattern: '('}]}", "cannot be compiled"),
        ("!!python/object/apply:os.system ['true']", "not readable as YAML"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line_and_is_left_out(write, repo, text, said):
    write("local", text)

    found = cascade(str(repo))

    assert said in str(found.problems[0])
    assert found.values == {name: known.default for name, known in SETTINGS.items()}


@pytest.mark.promise("X3")
def test_a_repository_cannot_weaken_what_protects_its_reader(write, repo):
    write("project", "redaction: {exceptions: ['.*']}")
    assert cascade(str(repo)).values["redaction.exceptions"] == []

    write("local", "redaction: {exceptions: ['fixture-.*']}")
    assert cascade(str(repo)).values["redaction.exceptions"] == ["fixture-.*"]


def test_settings_are_compiled_once_per_change(write, repo, state):
    path = write("project", "briefing: {start_tokens: 100}")
    files.own_folder(state)
    assert settings.lookup(state, str(repo)) is None
    compile_settings(state, str(repo))
    assert settings.lookup(state, str(repo))["briefing.start_tokens"] == 100

    Path(path).write_text("briefing: {start_tokens: 101}")
    os.utime(path, ns=(1, 1))

    assert settings.lookup(state, str(repo)) is None
    assert Workspace(state).settings(str(repo))["briefing.start_tokens"] == 101


def test_a_project_can_switch_itself_off(write, door, repo, workspace):
    write("project", "enabled: false")
    door.send("SessionStart.startup", session_id="s1")
    door.send("UserPromptSubmit", session_id="s1")

    assert workspace.store.value("select count(*) from entries") == 0


def test_a_malformed_file_is_told_when_a_session_begins_and_stops_nobody(
    write, door, repo, workspace
):
    write("project", "a: [")

    told = door.send("SessionStart.startup", session_id="s1")

    assert "not readable as YAML" in told
    assert workspace.store.value("select count(*) from sessions") == 1


@pytest.mark.promise("O2")
def test_a_fault_is_named_once_at_the_next_beginning(door, workspace, state):
    door.run(b"not json")
    door.run(b"[1]")

    first = door.send("SessionStart.startup", session_id="s1")
    second = door.send("SessionStart.startup", session_id="s2")

    assert "input unreadable (2)" in first
    assert "holdfast doctor" in first
    assert "unreadable" not in second


@pytest.mark.promise("C9")
@pytest.mark.parametrize(
    ("name", "default", "least", "most"),
    [
        ("lookback_days", 7, 1, 30),
        ("relevance_threshold", 0.25, 0.1, 1),
        ("max_sessions_scored", 3, 1, 10),
        ("max_inherited_pins", 5, 1, 8),
        ("decay_min_floor", 0.3, 0.1, 0.9),
        ("critical_inheritance_days", 7, 1, 30),
    ],
)
def test_settings_of_continuity_have_the_designs_defaults_and_ranges(
    write, repo, name, default, least, most
):
    setting = f"continuity.{name}"
    for value, kept in ((least, least), (most, most), (least / 2, default), (most * 2, default)):
        write("local", f"{setting}: {value}\n")

        assert cascade(str(repo)).values[setting] == kept
    assert cascade(str(repo)).values["continuity.enabled"] is True


def test_every_setting_is_in_the_documents():
    said = (ROOT / "docs" / "reference" / "settings.md").read_text()

    for name, known in SETTINGS.items():
        row = f"| `{name}` | `{json.dumps(known.default)}` | {known.help}"
        assert row in said, row
