"""Exported and taken in elsewhere, everything is as it was; and nothing is taken in twice."""

from __future__ import annotations

import gzip
import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from conftest import git, make_repo
from exit.leaving import (
    ALIAS,
    MARK,
    OF_PROJECTS,
    A,
    B,
    archived_texts,
    content,
    data,
    files_with,
    holdfast,
    mark,
    signed,
    snapshot,
)
from holdfast.ledger import export, forget, queries, replay
from holdfast.ledger.forget import FORGETTING
from holdfast.ledger.kinds import KINDS
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import archive, queries as sessions
from holdfast.store.sqlite import Store
from holdfast.system import clock, files, paths
from law import assert_replay_law
from measure import some_of

pytestmark = pytest.mark.promise("O3")

C, D = "cccccccc-3333-4333-8333-333333333333", "dddddddd-4444-4444-8444-444444444444"


@pytest.fixture
def elsewhere(tmp_path) -> str:
    return str(tmp_path / "elsewhere" / "holdfast")


@pytest.fixture
def a_history(talk, door, repo, state, workspace) -> Path:
    """Four sessions: one at work, one archived, one forgotten, one that lacks an entry."""
    talk()
    for session in (C, D):
        agent = door.agent()
        door.send("SessionStart.startup", agent=agent, session_id=session)
        door.send("UserPromptSubmit", agent=agent, session_id=session, prompt_id="p1")
        door.send("UserPromptSubmit", agent=agent, session_id=session, prompt_id="p2")
        door.send("SessionEnd.other", agent=agent, session_id=session)
    seq = workspace.store.value(
        "select seq from entries where session = ? and key like 'prompt:p1:%'", D
    )
    assert holdfast(repo, "forget", str(seq), "--yes", "dddddddd").returncode == 0
    assert holdfast(repo, "forget", C, "--yes", "cccccccc").returncode == 0
    door.send("SessionEnd.other", session_id=A)
    kept = Workspace(state)
    archive.archive(kept, sessions.find(kept.store, A), now=clock.now())
    kept.store.close()
    return repo


def exported(folder: Path, *arguments: str) -> list[str]:
    done = holdfast(folder, "export", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(keepends=True)


def taken_in(folder: Path, lines: list[str], state: str) -> dict:
    done = holdfast(
        folder, "import", "-", "--json", said="".join(lines).encode(), HOLDFAST_STATE_HOME=state
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_a_history_comes_over_whole_and_can_be_replayed_restored_and_gone_on_with(
    a_history, state, elsewhere, door
):
    lines = exported(a_history)

    taken = taken_in(a_history, lines, elsewhere)

    before, after = Store(paths.store(state)), Store(paths.store(elsewhere))
    assert content(after) == content(before)
    assert archived_texts(elsewhere) == archived_texts(state)
    assert taken["entries"] == queries.count(before) == len(lines) - 1
    assert taken["archives"] == [A]
    assert_replay_law(elsewhere, a_history)
    here = {"HOLDFAST_STATE_HOME": elsewhere}
    assert holdfast(a_history, "restore", A, **here).returncode == 0
    assert after.value("select prompts from activity where session = ?", A) == 1
    own = after.value("select max(rowid) from machines")
    machine = after.value("select id from machines where rowid = ?", own)
    assert machine != before.value("select id from machines")
    assert after.row("select min(seq), max(seq) from entries where machine = ?", machine) == (1, 1)
    assert_replay_law(elsewhere, a_history)


def test_what_comes_over_can_be_exported_again_line_for_line(a_history, elsewhere):
    lines = exported(a_history)
    taken_in(a_history, lines, elsewhere)

    again = holdfast(a_history, "export", HOLDFAST_STATE_HOME=elsewhere).stdout

    assert again.splitlines(keepends=True)[1:] == lines[1:]


def test_one_pipe_is_enough(a_history, elsewhere):
    line = (
        f"{sys.executable} -m holdfast export - |"
        f" HOLDFAST_STATE_HOME={elsewhere} {sys.executable} -m holdfast import -"
    )
    done = subprocess.run(
        ["/bin/sh", "-c", line], cwd=a_history, capture_output=True, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    assert queries.count(Store(paths.store(elsewhere))) > 20


def test_taking_in_the_same_again_changes_nothing(a_history, state, elsewhere):
    lines = exported(a_history)
    taken_in(a_history, lines, elsewhere)
    before = content(Store(paths.store(elsewhere)))

    for place in (elsewhere, state):
        again = taken_in(a_history, lines, place)
        assert again["entries"] == 0
        assert again["duplicates"] == len(lines) - 1
        assert again["conflicts"] == []
    assert content(Store(paths.store(elsewhere))) == before


def test_what_was_forgotten_here_is_not_brought_back_by_an_older_export(
    talk, repo, state, everywhere
):
    talk()
    lines = exported(repo)
    holdfast(repo, "forget", A, "--yes", ALIAS)

    assert taken_in(repo, lines, state)["entries"] == 0

    assert files_with(MARK, *everywhere) == []
    assert_replay_law(state, repo)


@pytest.mark.exhaustive
def test_what_was_forgotten_or_archived_there_and_is_kept_here_stays(
    talk, door, repo, state, elsewhere
):
    """An import never deletes: a file cannot make a store forget."""
    talk()
    taken_in(repo, exported(repo), elsewhere)
    door.send("SessionEnd.other", session_id=A)
    door.send("SessionEnd.other", session_id=B)
    holdfast(repo, "archive", "--older-than", "0")
    holdfast(repo, "forget", A, "--yes", ALIAS)

    taken = taken_in(repo, exported(repo), elsewhere)

    assert len(taken["conflicts"]) == 2
    assert "forgotten there is kept here" in taken["conflicts"][0] + taken["conflicts"][1]
    assert "archived there is kept here" in taken["conflicts"][0] + taken["conflicts"][1]
    store = Store(paths.store(elsewhere))
    assert sessions.find(store, B).archived == ""
    assert store.value("select prompts from activity where session = ?", B) == 1
    assert store.value("select prompts from activity where session = ?", A) == 1
    assert replay.differences(store) == {}


def test_other_entries_of_the_same_number_and_events_of_another_machine_are_left_out(
    door, repo, state, elsewhere
):
    door.send("SessionStart.startup", session_id=A)
    taken_in(repo, exported(repo), elsewhere)
    door.send("UserPromptSubmit", session_id=A, prompt="Here", prompt_id="p1")
    for prompt, id_ in (("Here", "p1"), ("More", "p2")):
        said = {"hook_event_name": "UserPromptSubmit", "session_id": A, "cwd": "/"}
        said |= {"prompt": prompt, "prompt_id": id_}
        door.run(json.dumps(said).encode(), HOLDFAST_STATE_HOME=elsewhere)
    lines = exported(repo)
    other = {**json.loads(lines[1]), "body": {"name": "another", "root": "/"}}
    lines[1] = f"{signed(other)}\n"

    taken = taken_in(repo, lines, elsewhere)

    assert taken["entries"] == 0
    assert [line.partition(": ")[2].rpartition(" as ")[0] for line in taken["conflicts"]] == [
        "another entry is kept",
        "its event is kept",
    ]
    assert_replay_law(elsewhere, repo)


def test_a_session_or_a_project_comes_over_alone(a_history, door, elsewhere, tmp_path, state):
    other = make_repo(tmp_path / "other")
    git(other, "commit", "-q", "--amend", "-m", "Another project")
    door.send("SessionStart.startup", session_id="of-other", folder=other, agent=door.agent())

    taken_in(a_history, exported(a_history, "--session", "bbbbbbbb"), f"{elsewhere}1")
    taken_in(a_history, exported(a_history, "--project"), f"{elsewhere}2")
    taken_in(a_history, exported(other, "--project"), f"{elsewhere}3")

    found = [
        {row[0] for row in Store(paths.store(f"{elsewhere}{n}")).rows("select id from sessions")}
        for n in (1, 2, 3)
    ]
    assert found == [{B}, {A, B, D}, {"of-other"}]
    for number in (1, 2, 3):
        store = Store(paths.store(f"{elsewhere}{number}"))
        assert store.value("select count(*) from projects") == 1
        assert replay.differences(store) == {}
    assert files_with(MARK, f"{elsewhere}1") == files_with(MARK, f"{elsewhere}3") == []


def test_an_exported_file_is_its_owners_alone_and_replaces_none(a_history, tmp_path):
    path = tmp_path / "out.jsonl"

    assert data(a_history, "export", str(path))["file"] == str(path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert holdfast(a_history, "export", str(path)).returncode == 1
    assert holdfast(a_history, "export", str(tmp_path / "no" / "x")).returncode == 1
    assert json.loads(path.read_text().splitlines()[0])["format"] == "holdfast-export"
    assert not [name for name in files.names_in(str(tmp_path)) if name.endswith(".part")]


def test_bodies_can_be_read_by_any_program(a_history):
    bodies = [json.loads(line)["body"] for line in exported(a_history)[1:]]

    assert "Draw the map" in [body.get("prompt") for body in bodies if body]
    assert None in bodies


@pytest.mark.parametrize("damage", some_of(["body", "archive", "header", "no archive"], 2))
def test_what_is_damaged_is_left_out_told_and_does_not_spoil_the_rest(
    a_history, state, elsewhere, damage
):
    store = Store(paths.store(state))
    place = "(select place from entries where session = ? and key like 'prompt:p9:%')"
    if damage == "body":
        store.run(f"update bodies set body = '{{}}' where place = {place}", B)
    elif damage == "header":
        store.run(f"update entries set agent = 'x' where place = {place}", B)
    store.close()
    file = next(Path(state, "archive").glob(f"{A}*"))
    if damage == "archive":
        file.write_bytes(gzip.compress(b'{"machine": "x"}\n'))
    elif damage == "no archive":
        file.unlink()

    done = holdfast(a_history, "export")

    assert done.returncode == 1
    header = json.loads(done.stdout.splitlines()[0])
    assert len(header["left_out"]) == 1
    assert taken_in(a_history, done.stdout.splitlines(keepends=True), elsewhere)["entries"] > 20


def test_hooks_go_on_while_somebody_reads_an_export_slowly(a_history, door, state):
    workspace = Workspace(state)
    header, lines = export.export(workspace, lambda *_: True, at=clock.now(), scope={})
    first = next(lines)

    door.send("UserPromptSubmit", session_id=B, prompt=mark(), prompt_id="meanwhile")

    rest = list(lines)
    assert Store(paths.store(state)).value(
        "select 1 from entries where key like 'prompt:meanwhile:%'"
    )
    assert len(rest) == header["entries"] == json.loads(first)["entries"]
    assert not [line for line in rest if "prompt:meanwhile" in line]


def test_a_dry_run_of_an_import_makes_nothing(a_history, elsewhere, state, tmp_path):
    path = tmp_path / "out.jsonl"
    holdfast(a_history, "export", str(path))
    before = snapshot(state)

    assert data(a_history, "import", str(path), "--dry-run")["entries"] > 20
    assert snapshot(state) == before
    done = holdfast(a_history, "import", str(path), "--dry-run", HOLDFAST_STATE_HOME=elsewhere)
    assert done.returncode == 0
    assert not Path(elsewhere).exists()


texts = st.text(max_size=30)
values = st.recursive(
    st.one_of(texts, st.booleans(), st.integers(-(10**17), 10**17), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
OF = {
    str: texts,
    bool: st.booleans(),
    int: st.integers(0, 1 << 40),
    list: st.lists(values, max_size=3),
    dict: st.dictionaries(texts, values, max_size=3),
}
KEPT_BY_ITSELF = [kind for kind in KINDS if kind not in (*FORGETTING, "session_archived")]


@st.composite
def entries(draw):
    kind = draw(st.sampled_from(KEPT_BY_ITSELF))
    body = {
        name.rstrip("?"): draw(OF[type_])
        for name, type_ in KINDS[kind].fields.items()
        if not name.endswith("?") or draw(st.booleans())
    }
    session = "" if kind in OF_PROJECTS else draw(st.sampled_from(["s1", "s2", "ü/3"]))
    return kind, session, draw(st.sampled_from(["P1", "P2"])), body


@pytest.mark.exhaustive
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    history=st.lists(entries(), min_size=1, max_size=15),
    graves=st.lists(st.one_of(st.integers(1, 15), st.sampled_from(["s1", "s2", "P1"])), max_size=3),
)
def test_any_history_comes_over_as_it_is(tmp_path_factory, history, graves):
    folder = tmp_path_factory.mktemp("round")
    workspace = Workspace(str(folder / "holdfast"))
    for number, (kind, session, project, body) in enumerate(history):
        at = clock.iso(1_700_000_000 + number * 37 % 1_000)
        whose = {"project": project, "session": session, "agent": "x"}
        workspace.keep(kind, body, key=f"k{number}", at=at, **whose)
    for number, grave in enumerate(graves):
        at = clock.iso(1_700_002_000 + number)
        if isinstance(grave, str):
            what = ((), (grave,)) if grave == "P1" else ((grave,), ())
            forget.sessions_and_projects(workspace, *what, now=at)
        elif grave <= len(history):
            forget.entry(workspace, workspace.store.machine(), grave, now=at)
    assert replay.differences(workspace.store) == {}

    _, lines = export.export(workspace, lambda *_: True, at=clock.now(), scope={})
    taken = Workspace(str(folder / "taken"))
    export.take_in(taken, export.read(f"{line}\n".encode() for line in lines))

    assert content(taken.store) == content(workspace.store)
    assert replay.differences(taken.store) == {}
    assert queries.damaged(taken.store) == []
    workspace.store.close()
    taken.store.close()


def test_what_comes_into_a_home_whose_store_was_deleted_can_be_asked_for_at_once(
    a_history, repo, state
):
    """Its hooks had kept entries there: the store that is made anew knows that it lacks them."""
    holdfast(repo, "decide", "Use the system's own zone data", "--why", "it is kept up to date")
    before = data(repo, "decisions")
    lines = exported(repo)
    for path in Path(state).glob("store.db*"):
        path.unlink()

    taken_in(repo, lines, state)

    assert data(repo, "decisions") == before
    assert Workspace(state).stale == []
    assert replay.differences(Store(paths.store(state))) == {}
