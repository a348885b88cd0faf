"""The clock jumps a year ahead and back: the order of what was kept is its sequence, not its times.

The hook's own clock is moved: the launcher adds what a file says to what the system says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.terminal import run, told
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.gates import queries as gates
from holdfast.rooms.prompts import queries as prompts
from holdfast.rooms.sessions import chain, queries
from holdfast.rooms.work import queries as work
from holdfast.system import paths
from scenarios.story import Story

S1, S2, S3, S4, S5 = (f"{number * 8}-0000-4000-8000-000000000000" for number in "12345")
YEAR_S = 365 * 86_400
PLAN = """
requirements:
  reviewed:
    satisfied_by_skill: plan
    message: Plan first.
    scope: single_use
    trigger_tools: [{tool: Bash, command_pattern: git push}]
"""


class Clock:
    """The clock of every hook that is run from now on."""

    def __init__(self, story: Story, tmp_path: Path) -> None:
        self._ahead = tmp_path / "ahead"
        self.set_ahead(0)
        launcher = Path(paths.launcher(story.state))
        moved = (
            "import time; real = time.time\n"
            f"time.time = lambda: real() + int(open({str(self._ahead)!r}).read())\n"
        )
        launcher.write_text(moved + launcher.read_text())

    def set_ahead(self, seconds: int) -> None:
        self._ahead.write_text(str(seconds))


@pytest.fixture
def clock(story: Story, tmp_path: Path) -> Clock:
    return Clock(story, tmp_path)


def one_session(story: Story, session: str, task: str) -> None:
    story.begin(session)
    story.say(session, task)
    story.edit(session, "src/a.py")
    story.stop(session)
    story.compact(session)
    story.end(session)


def tasks() -> dict[str, str]:
    things = "importer exporter parser printer scanner".split()
    return {
        session: f"Fix the {thing} so that it keeps empty rows"
        for session, thing in zip((S1, S2, S3, S4, S5), things, strict=True)
    }


@pytest.mark.promise("S6")
@pytest.mark.parametrize("ahead", [YEAR_S, -YEAR_S])
def test_a_clock_that_jumped_a_year_and_back_changes_no_link(story: Story, clock: Clock, ahead):
    for session, task in tasks().items():
        clock.set_ahead(ahead if session == S3 else 0)
        one_session(story, session, task)

    store = Workspace(story.state).store
    links = {session: queries.previous_of(store, session) for session in (S2, S3, S4, S5)}
    project = story.entries("session_began", S1)[0].project
    latest = [session.id for session in queries.of_project(store, project, 5)]
    assert links == {
        S2: (S1, "followed"),
        S3: (S2, "followed"),
        S4: (S3, "followed"),
        S5: (S4, "followed"),
    }
    assert latest == [S5, S4, S3, S2, S1]
    assert [session.id for session in queries.latest(store, 5)] == latest
    assert [step.session for step in chain.before(store, S5, 9)] == [S4, S3, S2, S1]
    last = work.last_checkpoint(store, project)
    assert last is not None
    assert last.session == S5
    assert [goal.goal for goal in prompts.goals(store, project, 5)] == [*tasks().values()][::-1]
    assert told(story.repo, "status")["last"]["session"] == S5
    assert told(story.repo, "chain")["session"] == S5
    store.close()
    story.ends_well()


@pytest.mark.promise("S6")
def test_what_a_session_did_after_its_clock_was_set_back_is_the_later(story: Story, clock: Clock):
    story.begin(S1)
    clock.set_ahead(YEAR_S)
    story.say(S1, "Fix the importer so that it keeps empty rows")
    story.compact(S1)
    clock.set_ahead(0)
    story.compact(S1)

    store = Workspace(story.state).store
    ids = [entry.id for entry in story.entries("checkpoint_taken", S1)]
    last = work.last_checkpoint(store, "", S1)
    session = queries.find(store, S1)
    assert last is not None
    assert session is not None
    assert last.id == ids[-1]
    ahead, back = (entry.at for entry in story.entries("checkpoint_taken", S1))
    assert back <= session.last_active_at < ahead
    store.close()
    story.ends_well()


@pytest.mark.promise("S6")
def test_an_order_that_no_clock_tells_comes_over_with_an_export(
    story: Story, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for session, task in tasks().items():
        clock.set_ahead(YEAR_S if session == S3 else 0)
        one_session(story, session, task)
    project = story.entries("session_began", S1)[0].project
    history, elsewhere = tmp_path / "history.jsonl", str(tmp_path / "elsewhere")
    history.write_text(run(story.repo, "export").stdout)
    monkeypatch.setenv("HOLDFAST_STATE_HOME", elsewhere)

    done = run(story.repo, "import", str(history))

    assert done.returncode == 0, done.stderr
    store = Workspace(elsewhere).store
    sessions = [session.id for session in queries.of_project(store, project, 5)]
    assert sessions == [S5, S4, S3, S2, S1]
    store.close()


@pytest.mark.promise("S6")
def test_a_gate_that_was_met_while_the_clock_was_ahead_is_shut_once_it_is_used(
    story: Story, clock: Clock
):
    story.demand(PLAN)
    story.begin(S1)
    clock.set_ahead(YEAR_S)
    story.skill(S1, "plan")
    assert story.ask_run(S1, "git push") == ""
    clock.set_ahead(0)
    story.run(S1, "git push")

    assert len(story.entries("requirement_cleared", S1)) == 1
    assert "Plan first." in story.ask_run(S1, "git push")
    story.ends_well()


@pytest.mark.promise("S6")
def test_evidence_is_stale_by_the_order_of_events_and_not_by_the_clock(story: Story, clock: Clock):
    story.begin(S1)
    clock.set_ahead(YEAR_S)
    story.run(S1, "pytest -q", "12 passed in 0.10s")
    clock.set_ahead(0)
    story.edit(S1, "src/a.py")

    store = Workspace(story.state).store
    proof, edits = gates.evidence(store, S1)["tests"], gates.edits(store, S1)
    assert proof.passed
    assert [path for path, at in edits if at >= proof.rank] == ["src/a.py"]
    assert story.entries("tool_used", S1)[-1].at < proof.rank
    store.close()
    story.ends_well()
