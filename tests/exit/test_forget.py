"""What was forgotten is in no file, and the ledger still stands."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from exit.leaving import (
    ALIAS,
    MARK,
    PROJECT,
    A,
    B,
    data,
    files_with,
    holdfast,
    keep_every_kind,
    mark,
    snapshot,
)
from holdfast.hook.event import Event
from holdfast.ledger import faults, forget, queries, replay, spool
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import archive, queries as sessions
from holdfast.system import clock, paths
from law import assert_replay_law

pytestmark = pytest.mark.promise("O3")


def rows_of(workspace: Workspace, session: str) -> list[object]:
    return [
        list(workspace.store.rows(f"select * from {table} where {column} = ?", session))
        for table, column in (("sessions", "id"), ("links", "session"), ("activity", "session"))
    ]


@pytest.mark.parametrize("along", [(), ("--with-what-stands",)])
def test_no_text_of_any_kind_of_entry_is_left_in_the_store(workspace, state, repo, along):
    kept = Workspace(state)
    keep_every_kind(kept, A, PROJECT)
    keep_every_kind(kept, B, "02b2")
    kept.store.close()
    entries = queries.count(workspace.store)
    of_a = [MARK + part for part in _marks_of(workspace, A)]
    owned = _marks_of_owned(workspace, A)
    assert files_with(of_a[0], state)

    done = holdfast(repo, "forget", A, *along, "--yes", ALIAS)

    assert done.returncode == 0, done.stderr
    left = "".join(Path(path).read_bytes().decode("latin-1") for path in files_with(MARK, state))
    stays = [] if along else owned
    assert {text for text in of_a if text in left} == set(stays)
    assert queries.count(workspace.store) == entries + 1 + (0 if along else 3)
    assert queries.with_body(workspace.store, A, ("session_forgotten",)) == []
    assert files_with(_marks_of(workspace, B)[0], state)  # the other session's are there
    assert_replay_law(state)


def _marks_of_owned(workspace: Workspace, session: str) -> list[str]:
    """The marks of what stands in its own words, without those that name a prompt. Here a rule is
    none: its author is a mark, and so nobody."""
    owned = ("choice_made", "pinned", "decision_made")
    marks: list[str] = []
    for _, kept in queries.read(workspace.store, session=session):
        if kept.kind in owned:
            said = {name: value for name, value in kept.body.items() if name != "prompt"}
            marks += [MARK + part[:4] for part in json.dumps(said).split(MARK)[1:]]
    return marks


def _marks_of(workspace: Workspace, session: str) -> list[str]:
    """Every mark that a session's bodies hold, less its first letters."""
    bodies = workspace.store.rows(
        "select body from entries join bodies using (place) where session = ?", session
    )
    return [part[:4] for (body,) in bodies for part in body.split(MARK)[1:]]


def test_no_text_that_came_through_the_door_is_left_in_any_file(
    talk, repo, state, workspace, everywhere
):
    talk()
    other = rows_of(workspace, B)
    entries = queries.count(workspace.store)
    before = {path.rpartition("/")[2] for path in files_with(MARK, *everywhere)}
    assert {f"{A}.json", f"brief-{A}", "sessions.json"} <= before
    assert any(name.startswith(f"branch-{MARK}") for name in before)  # what its branch satisfied
    assert Path(paths.denied(state, A)).exists()

    done = data(repo, "forget", ALIAS, "--yes", ALIAS)

    assert files_with(MARK, *everywhere) == []
    assert not Path(paths.denied(state, A)).exists()
    assert done["sessions"] == [A]
    assert [line for line in done["left"] if line.endswith("(the agent's own transcript)")]
    assert queries.count(workspace.store) == entries + 1
    assert sessions.find(workspace.store, A) is None
    assert rows_of(workspace, B) == other
    assert_replay_law(state, repo)


def test_copies_and_leftovers_go_too_and_are_named_in_a_dry_run(talk, repo, state, everywhere):
    talk()
    _leave_traces_everywhere(state)
    assert holdfast(repo, "status").returncode == 0  # the log is copied back: files are settled
    before = snapshot(*everywhere)

    dry = data(repo, "forget", A, "--dry-run")

    assert snapshot(*everywhere) == before
    assert {file["what"] for file in dry["files"]} == {
        "mirror", "sheet", "spool", "quarantine", "leftover", "log", "faults",
    }  # fmt: skip
    assert sum(file["what"] == "spool" for file in dry["files"]) == 3
    assert dry["entries"] >= 15
    holdfast(repo, "forget", A, "--yes", ALIAS)
    assert files_with(MARK, *everywhere) == []
    assert [fault["kind"] for fault in faults.all_of(state)] == ["door"]
    assert Path(state, "quarantine", "innocent").exists()
    assert len(spool.waiting(state)) == 1


def _leave_traces_everywhere(state: str) -> None:
    for session in (A, B):
        said = {"prompt": mark() if session == A else "Draw"}
        event = Event(
            agent="claude-code",
            kind="prompt_given",
            session=session,
            key=f"prompt:{session}",
            at=clock.now(),
            cwd="/",
            body=said,
        )
        assert spool.put(state, event)
    folder = Path(state, "spool")
    (folder / "cut.json").write_text('{"agent": "x", "body": {"prompt": "' + mark())
    (folder / "x.json.unreadable").write_text(mark())
    faults.note(state, "door", "hook.py:1", f"ValueError: {mark()}")
    Path(paths.log(state)).write_text(f"Traceback\nValueError: {mark()}\n")
    copies = Path(state, "quarantine", "2026")
    copies.mkdir(parents=True)
    Workspace(state).store.close()  # what is in the log is copied back
    shutil.copy(f"{state}/store.db", copies / "store.db")
    (copies.parent / "innocent").write_text("of somebody else")
    shutil.copy(f"{state}/store.db", f"{state}/store.db.rebuild-999999999")


def test_an_archived_session_is_forgotten_with_its_archive(talk, door, repo, state, everywhere):
    talk()
    door.send("SessionEnd.other", session_id=A)
    door.send("SessionEnd.other", session_id=B)
    holdfast(repo, "archive", "--older-than", "0")
    assert [path for path in files_with(MARK, state) if path.endswith(".gz")]

    done = data(repo, "forget", A, "--yes", ALIAS)

    assert [file["what"] for file in done["files"]].count("archive") == 1
    assert [line for line in done["left"] if "transcript" in line]
    assert files_with(MARK, *everywhere) == []
    assert holdfast(repo, "restore", B).returncode == 0
    assert_replay_law(state, repo)


def test_what_was_forgotten_stays_forgotten_when_its_event_comes_again(
    talk, door, repo, state, workspace
):
    talk()
    again = workspace.store.value(
        "select body from entries join bodies using (place) where key like 'prompt:p1:%'"
    )
    prompt = json.loads(again)["prompt"]
    holdfast(repo, "forget", A, "--yes", ALIAS)
    entries = queries.count(workspace.store)

    door.send("UserPromptSubmit", session_id=A, prompt=prompt, prompt_id="p1")

    kinds = [entry.kind for _, entry in queries.read(workspace.store, session=A)]
    assert kinds == ["session_forgotten", "session_began"]  # adopted; the prompt is not kept
    assert queries.count(workspace.store) == entries + 1
    assert files_with(MARK, state) == []


def test_a_session_that_is_still_open_goes_on_and_is_kept_anew_however_often(
    talk, door, repo, state, workspace
):
    talk()
    for number in range(3):
        assert holdfast(repo, "forget", A, "--yes", ALIAS).returncode == 0
        door.send(
            "UserPromptSubmit", session_id=A, prompt=f"Go on {number}", prompt_id=f"n{number}"
        )

        found = sessions.find(workspace.store, A)
        assert found is not None
        assert found.phase == "working"
        said = workspace.store.value("select last_prompt from activity where session = ?", A)
        assert said == f"Go on {number}"
    assert_replay_law(state, repo)


def test_forgetting_twice_says_nothing_new(talk, repo, workspace):
    talk()
    holdfast(repo, "forget", A, "--yes", ALIAS)
    entries = queries.count(workspace.store)

    again = data(repo, "forget", A, "--yes", ALIAS)

    assert again["entries"] == 0
    assert queries.count(workspace.store) == entries


@pytest.mark.parametrize("spelt", ["{seq}", "{machine}:{seq}", "{short}:{seq}"])
def test_one_entry_is_forgotten_and_the_rest_is_derived_again(
    door, repo, state, workspace, everywhere, spelt
):
    door.send("SessionStart.startup", session_id=A)
    door.send("UserPromptSubmit", session_id=A, prompt="Draw the map", prompt_id="p1")
    door.send("UserPromptSubmit", session_id=A, prompt=f"Not {mark()}", prompt_id="p2")
    door.send("Stop", session_id=A)
    machine, seq = workspace.store.row(
        "select machine, seq from entries where key like 'prompt:p2:%'"
    )
    entries = queries.count(workspace.store)
    assert files_with(MARK, *everywhere)

    name = spelt.format(seq=seq, machine=machine, short=machine[:6])
    done = holdfast(repo, "forget", name, "--yes", ALIAS)

    assert done.returncode == 0, done.stderr
    assert files_with(MARK, *everywhere) == []
    assert queries.count(workspace.store) == entries + 1
    assert workspace.store.row("select prompts, last_prompt from activity") == (1, "Draw the map")
    assert_replay_law(state, repo)


def test_only_the_forgotten_entrys_own_event_leaves_the_spool(door, repo, state, workspace):
    door.send("SessionStart.startup", session_id=A)
    door.send("UserPromptSubmit", session_id=A, prompt=mark(), prompt_id="p1")
    seq, own = workspace.store.row("select seq, key from entries where key like 'prompt:p1:%'")
    for key in (own, "prompt:p2:4"):
        said = Event(
            agent="claude-code",
            kind="prompt_given",
            session=A,
            key=key,
            at=clock.now(),
            cwd="/",
            body={"prompt": mark() if key == own else "Wait"},
        )
        spool.put(state, said)

    holdfast(repo, "forget", str(seq), "--yes", ALIAS)

    assert files_with(MARK, state) == []
    assert len(spool.waiting(state)) == 1


def test_an_entry_of_a_project_is_forgotten_with_what_was_derived_from_it(
    door, repo, state, workspace
):
    door.send("SessionStart.startup", session_id=A)
    said = {"sort": "path", "value": mark()}
    kept = Workspace(state)
    kept.keep("project_aliased", said, key="x", at=clock.now(), project=PROJECT)
    kept.store.close()
    seq = workspace.store.value("select max(seq) from entries")
    before = workspace.store.value("select count(*) from aliases")

    done = holdfast(repo, "forget", str(seq), "--yes", str(seq))

    assert done.returncode == 0, done.stderr
    assert workspace.store.value("select count(*) from aliases") == before - 1
    assert sessions.find(workspace.store, A) is not None
    assert files_with(MARK, state) == []
    assert_replay_law(state, repo)


def test_a_session_of_a_merged_project_is_derived_again_where_the_merge_put_it(state):
    workspace = Workspace(state)
    keep_every_kind(workspace, B, "P2")
    at = clock.now()
    for name, project in (("P1", "P1"), ("P9", "P9")):
        workspace.keep(
            "project_met", {"name": name, "root": "/"}, key=f"m{name}", at=at, project=project
        )
    body = dict.fromkeys("cwd worktree gitdir branch channel transcript".split(), "x")
    body |= dict.fromkeys(("process_started", "boot", "host", "namespace"), "1")
    body |= {"source": "startup", "pid": 1}
    for kind, said in (("session_began", body), ("prompt_given", {"prompt": mark()})):
        workspace.keep(kind, said, key=kind, at=at, project="P1", session=A)
    workspace.keep("projects_merged", {"into": "P9"}, key="merge", at=at, project="P1")
    seq = workspace.store.value("select seq from entries where session = ? and key = ?", A, kind)

    forget.entry(workspace, workspace.store.machine(), seq, now=at)

    assert sessions.find(workspace.store, A).project == "P9"
    assert replay.differences(workspace.store) == {}


def test_a_project_is_forgotten_together_with_what_its_merge_did(state):
    """Its entries may go and a session that they moved may stay: the row goes back."""
    workspace = Workspace(state)
    at = clock.now()
    body = dict.fromkeys("cwd worktree gitdir branch channel transcript".split(), "x")
    body |= dict.fromkeys(("process_started", "boot", "host", "namespace"), "1")
    began = {**body, "source": "startup", "pid": 1}
    workspace.keep("session_began", began, key="began", at=at, project="P1", session=A)
    workspace.keep("projects_merged", {"into": "P2"}, key="merge", at=at, project="P1")

    forget.sessions_and_projects(workspace, (), ("P1",), now=at)

    assert sessions.find(workspace.store, A).project == "P1"
    assert replay.differences(workspace.store) == {}


def test_what_a_forgotten_project_took_does_not_come_back_with_an_entry(state):
    """A session of it that stays is derived again without the acts that went with the project."""
    workspace = Workspace(state)
    at = clock.now()
    acted = {"requirement": "plan", "branch": "main", "tool": "Edit"}
    for kind, body in (("prompt_given", {"prompt": mark()}), ("requirement_triggered", acted)):
        workspace.keep(kind, body, key=kind, at=at, project="P1", session=A)
    forget.sessions_and_projects(workspace, (), ("P1",), now=at)

    forget.entry(workspace, workspace.store.machine(), 1, now=at)

    assert workspace.store.value("select count(*) from gate_acts") == 0
    assert replay.differences(workspace.store) == {}


def test_an_entry_of_an_archived_session_waits_for_its_restoration(talk, door, repo, state):
    talk()
    door.send("SessionEnd.other", session_id=A)
    workspace = Workspace(state)
    archive.archive(workspace, sessions.find(workspace.store, A), now=clock.now())
    seq = workspace.store.value("select seq from entries where key like 'prompt:p1:%'")

    done = holdfast(repo, "forget", str(seq), "--yes", ALIAS)

    assert done.returncode == 1
    assert f"holdfast restore {A}" in done.stderr


LEGEND = "Drew the legend below the chart; " + "it names each of the lines in its own colour, " * 4


def test_the_handoff_of_another_session_goes_and_its_next_turn_writes_it_again(door, repo):
    for session, task in ((A, "Draw the map"), (B, "Draw the chart")):
        door.send("SessionStart.startup", agent=door.agent(), session_id=session)
        door.send("UserPromptSubmit", session_id=session, prompt=task)
        door.send("Stop", session_id=session, last_assistant_message=f"{task}: done")
    other = repo / ".git" / "holdfast" / "handoffs" / f"{B}.md"
    assert "Draw the chart" in other.read_text()

    plan = holdfast(repo, "forget", A, "--dry-run").stdout
    assert f"{other} (a copy of what the store has) goes." in plan
    assert "a session's next turn writes its files again" in plan
    assert "mirror" not in plan
    assert "sheet" not in plan

    assert holdfast(repo, "forget", A, "--yes", ALIAS).returncode == 0
    assert not other.exists()
    assert "next turn" not in holdfast(repo, "purge", "--project", "--dry-run").stdout
    assert "Draw the chart" in holdfast(repo, "handoff", "--session", B).stdout
    door.send("UserPromptSubmit", session_id=B, prompt="And the legend", prompt_id="p2")
    door.send("Stop", session_id=B, last_assistant_message=LEGEND)
    assert LEGEND[:80] in other.read_text()


def test_an_entry_that_says_what_was_forgotten_is_not_forgotten(talk, repo, workspace):
    talk()
    holdfast(repo, "forget", A, "--yes", ALIAS)
    seq = workspace.store.value("select max(seq) from entries")

    assert holdfast(repo, "forget", str(seq), "--yes", ALIAS).returncode == 1
    assert holdfast(repo, "forget", "99999", "--yes", "99999").returncode == 1


def test_a_name_that_fits_a_session_and_an_entry_is_ambiguous(door, repo):
    door.send("SessionStart.startup", session_id="2bbbbbbb-0000")

    done = holdfast(repo, "forget", "2", "--dry-run")

    assert done.returncode == 1
    assert "fits more than one thing" in done.stderr


def test_the_store_is_written_anew_even_when_rooms_wait_for_a_rebuild(
    talk, repo, state, workspace, everywhere
):
    talk()
    workspace.store.run("update derivations set version = 0")

    assert holdfast(repo, "forget", A, "--yes", ALIAS).returncode == 0

    assert files_with(MARK, *everywhere) == []
    kept = Workspace(state)
    replay.rebuild(kept.store)
    kept.store.close()
    assert files_with(MARK, *everywhere) == []
    assert_replay_law(state, repo)


@pytest.mark.exhaustive
def test_a_reader_that_never_leaves_is_told_about_and_the_next_run_finishes(
    talk, repo, state, everywhere
):
    talk()
    reader = Workspace(state)
    reader.store.run("begin")
    reader.store.row("select * from entries")

    done = holdfast(repo, "forget", A, "--yes", ALIAS)

    assert done.returncode == 1
    assert "another process holds the store's file open" in done.stderr
    reader.store.run("commit")
    reader.store.close()
    assert holdfast(repo, "forget", A, "--yes", ALIAS).returncode == 0
    assert files_with(MARK, *everywhere) == []


def test_a_link_in_our_place_is_not_followed(talk, repo, state, common, tmp_path):
    talk()
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    mirrors = common / "holdfast" / "sessions"
    (theirs / f"{A}.json").write_text("mine")
    shutil.rmtree(mirrors)
    mirrors.symlink_to(theirs)
    quarantine = tmp_path / "other"
    quarantine.mkdir()
    (quarantine / "x").write_text(A)
    Path(state, "quarantine").symlink_to(quarantine)

    assert holdfast(repo, "forget", A, "--yes", ALIAS).returncode == 0

    assert (theirs / f"{A}.json").read_text() == "mine"
    assert (quarantine / "x").read_text() == A
