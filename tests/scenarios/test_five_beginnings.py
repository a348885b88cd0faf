"""startup, resume, clear, compact, fork: five different beginnings, through the real door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Door, git, make_repo
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import chain, queries
from law import assert_nothing_swallowed, assert_replay_law

A, B, C = (f"{n * 8}-0000-4000-8000-000000000000" for n in "abc")


@pytest.fixture
def store(workspace: Workspace):
    return workspace.store


def begin(door: Door, session: str, agent, source: str = "startup", **more) -> str:
    return door.send(f"SessionStart.{source}", agent=agent, session_id=session, **more)


def end(door: Door, session: str, agent, reason: str = "other") -> None:
    door.send(f"SessionEnd.{reason}", agent=agent, session_id=session)


@pytest.mark.promise("S4")
@pytest.mark.promise("S6")
def test_a_startup_follows_the_last_session_of_its_branch(door, repo, state, store):
    first, second = door.agent(), door.agent()
    begin(door, A, first)
    door.send("UserPromptSubmit", agent=first, session_id=A, prompt="Rename the parser")
    end(door, A, first)

    told = begin(door, B, second)

    assert '"Rename the parser"' in told
    assert "crashed" not in told
    assert chain.before(store, B, 5) == [chain.Link(A, "followed")]
    assert chain.after(store, A, 5) == [chain.Link(B, "followed")]
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)


@pytest.mark.promise("S4")
def test_a_resume_reopens_the_same_session(door, repo, state, store):
    first, second = door.agent(), door.agent()
    begin(door, A, first)
    end(door, A, first)
    assert queries.find(store, A).ended_at is not None

    assert begin(door, A, second, "resume") == ""

    session = queries.find(store, A)
    assert (session.phase, session.ended_at, session.pid) == ("resting", None, second.pid)
    assert len(queries.latest(store, 10)) == 1
    assert_replay_law(state, repo)


@pytest.mark.promise("S4")
def test_a_killed_session_that_is_resumed_is_told_that_it_was_cut_off(door, repo, state, store):
    first = door.agent()
    begin(door, A, first)
    door.send("UserPromptSubmit", agent=first, session_id=A, prompt="Count the words")
    first.kill()

    told = begin(door, A, door.agent(), "resume")

    assert "This session" in told
    assert "> Count the words" in told
    assert queries.find(store, A).crash_recovered == 1
    assert_replay_law(state, repo)


@pytest.mark.promise("S4")
@pytest.mark.promise("S6")
def test_a_clear_is_linked_by_the_agents_process(door, repo, state, store):
    agent, other = door.agent(), door.agent()
    begin(door, A, agent)
    begin(door, B, other)  # another one on the same branch, ended later
    end(door, A, agent, "clear")
    end(door, B, other)

    begin(door, C, agent, "clear")

    assert chain.before(store, C, 1) == [chain.Link(A, "cleared")]
    assert_replay_law(state, repo)


@pytest.mark.promise("S4")
def test_a_compaction_resets_nothing_and_puts_the_prompt_back(door, repo, state, store):
    agent = door.agent()
    begin(door, A, agent)
    door.send("UserPromptSubmit", agent=agent, session_id=A, prompt="Split the module in two")
    before = queries.find(store, A).as_dict()

    told = begin(door, A, agent, "compact")

    after = queries.find(store, A).as_dict()
    assert "> Split the module in two" in told
    moved = {"last_active_at": "", "active": ""}
    assert before | moved == after | moved
    assert_replay_law(state, repo)


@pytest.mark.promise("S4")
@pytest.mark.promise("S6")
def test_a_forks_parent_is_matched_by_the_rows_of_its_transcript(
    door, repo, state, store, tmp_path
):
    def transcript(name: str, *rows: tuple[str, str]) -> str:
        path = tmp_path / name
        path.write_text(
            "".join(
                json.dumps({"uuid": u, "timestamp": t}, separators=(",", ":")) + "\n"
                for u, t in rows
            )
        )
        return str(path)

    old, now = "2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"
    parent, stranger, fork = door.agent(), door.agent(), door.agent()
    begin(door, A, parent, transcript_path=transcript("a.jsonl", ("u1", old), ("u2", old)))
    begin(door, B, stranger, transcript_path=transcript("b.jsonl", ("u9", old)))
    begin(door, C, fork, "fork", transcript_path=str(tmp_path / "c.jsonl"))
    assert queries.previous_of(store, C) is None
    transcript("c.jsonl", ("u1", old), ("u2", old), ("u3", now))

    door.send("Stop", agent=fork, session_id=C, transcript_path=str(tmp_path / "c.jsonl"))

    assert chain.before(store, C, 5) == [chain.Link(A, "forked")]
    assert_replay_law(state, repo)


@pytest.mark.promise("S6")
def test_a_fork_whose_parent_no_transcript_tells_is_recorded_as_unknown(door, repo, state, store):
    agent = door.agent()
    begin(door, A, agent, "fork")
    door.send("Stop", agent=agent, session_id=A)
    assert queries.previous_of(store, A) is None  # its transcript may be on its way

    door.send("SessionEnd.other", agent=agent, session_id=A)

    assert queries.previous_of(store, A) == ("", "forked")
    assert_replay_law(state, repo)


@pytest.mark.promise("S5")
def test_a_live_concurrent_session_is_never_declared_crashed(door, repo, state, store):
    agent = door.agent()
    begin(door, A, agent)
    begin(door, B, door.agent())

    assert queries.find(store, A).ended_at is None
    assert chain.before(store, B, 1) == []
    assert_replay_law(state, repo)


@pytest.mark.promise("S3")
def test_worktrees_and_clones_are_one_project_on_their_own_branches(
    door, repo, state, store, tmp_path
):
    git(repo, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "tree"))
    git(tmp_path, "clone", "-q", str(repo), str(tmp_path / "clone"))
    places = {A: repo, B: tmp_path / "tree", C: tmp_path / "clone"}

    for session, place in places.items():
        begin(door, session, door.agent(), folder=place)

    sessions = [queries.find(store, session) for session in places]
    assert len({session.project for session in sessions}) == 1
    assert [session.branch for session in sessions] == ["main", "feature", "main"]
    assert [session.worktree for session in sessions] == [str(place) for place in places.values()]
    assert_replay_law(state, *places.values())


@pytest.mark.promise("S3")
def test_a_project_stays_itself_through_a_rename_and_an_added_remote(door, repo, state, store):
    begin(door, A, door.agent())
    git(repo, "remote", "add", "origin", "git@example.com:dev/app.git")
    moved = repo.rename(repo.with_name("renamed"))
    begin(door, B, door.agent(), folder=moved)
    (moved / ".git" / "holdfast" / "project").unlink()  # lost: its aliases find it again
    begin(door, C, door.agent(), folder=moved)

    projects = {queries.find(store, session).project for session in (A, B, C)}
    assert len(projects) == 1
    aliases = dict(queries.aliases_of(store, projects.pop()))
    assert aliases["remote"] == "example.com/dev/app"
    assert_replay_law(state, moved)


@pytest.mark.promise("S3")
def test_another_repository_at_the_same_path_is_another_project(door, repo, state, store):
    begin(door, A, door.agent())
    repo.rename(repo.with_name("old"))
    make_repo(repo)
    git(repo, "commit", "-q", "--allow-empty", "--amend", "-m", "Another beginning")
    begin(door, B, door.agent())

    assert queries.find(store, A).project != queries.find(store, B).project


@pytest.mark.promise("S3")
@pytest.mark.parametrize("kind", ["no git", "detached", "bare", "empty", "subfolder"])
def test_every_kind_of_folder_works(door, repo, state, store, tmp_path, kind):
    place, branch = tmp_path / "place", ""
    if kind == "no git":
        place.mkdir()
    elif kind == "detached":
        git(repo, "checkout", "-q", "--detach")
        place, branch = repo, f"detached@{git(repo, 'rev-parse', 'HEAD')[:12]}"
    elif kind == "bare":
        git(tmp_path, "clone", "-q", "--bare", str(repo), str(place))
        branch = "main"
    elif kind == "empty":
        place.mkdir()
        git(place, "init", "-q", "-b", "trunk")
        branch = "trunk"
    else:
        place = repo / "deep" / "down"
        place.mkdir(parents=True)
        branch = "main"
    begin(door, A, door.agent(), folder=place)
    door.send("UserPromptSubmit", session_id=A, folder=place, prompt="Go on")

    session = queries.find(store, A)
    assert session.branch == branch
    assert session.worktree == str(repo if kind == "subfolder" else place)
    assert_replay_law(state)
    assert_nothing_swallowed(state)


@pytest.mark.promise("S7")
def test_a_checkout_inside_a_session_moves_the_session_to_its_branch(door, repo, state, store):
    agent = door.agent()
    begin(door, A, agent)
    git(repo, "checkout", "-q", "-b", "topic/one")
    door.send(
        "PostToolUse.Bash",
        agent=agent,
        session_id=A,
        tool_input={"command": "git checkout -b topic/one"},
    )

    assert queries.find(store, A).branch == "topic/one"
    assert_replay_law(state, repo)


@pytest.mark.promise("S1")
def test_the_registry_names_the_live_sessions_in_the_format_people_know(door, repo, state, store):
    first, second = door.agent(), door.agent()
    begin(door, A, first)
    begin(door, B, second)
    live = json.loads(Path(state, "sessions.json").read_text())
    assert live["version"] == "1.0"
    assert set(live["sessions"]) == {"aaaaaaaa", "bbbbbbbb"}
    row = live["sessions"]["aaaaaaaa"]
    assert (row["ppid"], row["project_dir"], row["branch"]) == (first.pid, str(repo), "main")
    design = {"pid", "ppid", "project_dir", "branch", "started_at", "last_active"}
    assert set(row) == design | {"session_id", "agent"}
    assert row["started_at"] <= row["last_active"]

    end(door, A, first)

    live = json.loads(Path(state, "sessions.json").read_text())
    assert set(live["sessions"]) == {"bbbbbbbb"}


@pytest.mark.promise("S7")
def test_a_session_is_mirrored_beside_its_repository_at_stop_and_at_its_end(door, repo, store):
    agent = door.agent()
    begin(door, A, agent)
    door.send("Stop", agent=agent, session_id=A)
    end(door, A, agent)

    said = json.loads((repo / ".git" / "holdfast" / "sessions" / f"{A}.json").read_text())
    assert (said["session_id"], said["branch"], said["end_reason"]) == (A, "main", "other")
    assert said["end_time"] == queries.find(store, A).ended_at


@pytest.mark.promise("S7")
def test_an_event_of_a_session_that_nobody_announced_is_kept_all_the_same(door, repo, state, store):
    door.send("UserPromptSubmit", agent=door.agent(), session_id=A, prompt="Installed mid-session")

    session = queries.find(store, A)
    assert (session.source, session.worktree) == ("adopted", str(repo))
    assert_replay_law(state, repo)
    assert_nothing_swallowed(state)
