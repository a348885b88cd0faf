"""One check on every act that lowers protection or speaks for the user: an agent cannot do it."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import HOLDFAST, AgentWithAShell, refused, run, told, typed, typed_and_told

from conftest import Door
from holdfast.ledger import queries as ledger
from holdfast.ledger.reader import Reading
from holdfast.system import paths
from law import assert_replay_law

pytestmark = pytest.mark.promise("W2")

A = "aaaaaaaa-0000-4000-8000-000000000000"
SPEAKING = (
    "rules add Never push",
    "rules add --dead-end Mocking the socket",
    "rules drop RULE",
    "rules keep RULE",
    "rules scope RULE task",
    "rules write RULE --file AGENTS.md",
    "rules edit RULE Push at will",
    "goal set Write the release notes",
    "goal accept",
    "goal keep",
)
LOWERING = ("pause", "pause --for 2h", "pause --uninstall", "uninstall", "uninstall --user")


class Guarded:
    """A project with hooks, a session at work, a goal and a rule."""

    def __init__(self, door: Door, repo: Path, home: Path, agent: AgentWithAShell) -> None:
        self.state, self.repo, self.agent = door.state, repo, agent
        self._files = [repo / ".claude/settings.local.json", home / ".claude/settings.json"]
        self._files.append(repo / "AGENTS.md")
        assert run(repo, "init").returncode == run(repo, "init", "--user").returncode == 0
        door.send("SessionStart.startup", agent=agent, session_id=A)
        for goal in ("Teach fetch.py to retry", "Draw the map of the city"):
            typed_and_told(repo, "goal", "set", goal)
        made = typed_and_told(repo, "rules", "add", "Ask before you publish")
        self.rule = made["rule"]["id"]

    def words(self, act: str) -> list[str]:
        return act.replace("RULE", self.rule).split()

    def standing(self) -> tuple[int, bool, list[str]]:
        """All that such an act could change."""
        store = Reading(self.state).store
        entries = ledger.count(store)
        store.close()
        is_paused = Path(paths.pause(self.state)).exists()
        return entries, is_paused, [path.read_text() for path in self._files if path.exists()]


@pytest.fixture
def guarded(door: Door, repo: Path, home: Path):
    agent = AgentWithAShell(repo)
    try:
        yield Guarded(door, repo, home, agent)
    finally:
        agent.kill()


@pytest.mark.parametrize("sign", ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"])
def test_inside_an_agent_it_is_refused_and_nothing_is_changed(guarded: Guarded, sign):
    before = guarded.standing()

    for act in (*SPEAKING, *LOWERING):
        message = refused(typed(guarded.repo, *guarded.words(act), **{sign: A}))

        name = " ".join(act.split()[: 2 if act in SPEAKING else 1])
        whose = f"only a person may run `holdfast {name}`, and an agent is around: {sign} is set"
        assert whose in message
        assert guarded.standing() == before


def test_an_agent_with_a_terminal_and_a_clean_environment_is_an_agent_all_the_same(
    guarded: Guarded,
):
    before = guarded.standing()

    for act in (SPEAKING[0], SPEAKING[5], "pause", "off", "uninstall"):
        message = refused(guarded.agent.run(*HOLDFAST, *guarded.words(act)))

        assert f"process {guarded.agent.pid}, which started it, is an agent" in message
        assert guarded.standing() == before


def test_who_speaks_for_the_user_types_it(guarded: Guarded):
    for act in SPEAKING:
        before = guarded.standing()

        assert "there is no terminal here" in refused(run(guarded.repo, *guarded.words(act)))
        assert guarded.standing() == before
        assert typed(guarded.repo, *guarded.words(act)).returncode == 0
        assert guarded.standing() != before
    assert_replay_law(guarded.state, guarded.repo)


@pytest.mark.parametrize("act", LOWERING)
def test_a_script_may_switch_it_off_while_no_agent_is_at_work(guarded: Guarded, act):
    guarded.agent.kill()
    before = guarded.standing()

    done = run(guarded.repo, *act.split())

    assert (done.returncode, done.stderr) == (0, "")
    assert guarded.standing() != before


def test_what_only_looks_or_raises_protection_is_everybodys(guarded: Guarded):
    for act in ("uninstall --dry-run", "rules", "rules --all", "goal", "resume"):
        done = guarded.agent.run(*HOLDFAST, *act.split())

        assert (done.returncode, done.stderr) == (0, "")
        assert run(guarded.repo, *act.split(), CLAUDECODE="1").returncode == 0


def test_misuse_is_misuse_whoever_it_is(guarded: Guarded):
    for act in ("rules add", "rules drop", "goal set", "goal keep x"):
        refused(run(guarded.repo, *act.split(), CLAUDECODE="1"), code=2)


@pytest.mark.parametrize("act", ["pause", "off", "uninstall"])
def test_with_a_damaged_store_a_person_switches_off_and_an_agent_does_not(guarded: Guarded, act):
    Path(paths.store(guarded.state)).write_bytes(b"no database at all" * 500)

    assert "is an agent" in refused(guarded.agent.run(*HOLDFAST, act))

    assert typed(guarded.repo, act).returncode == 0


def test_before_anything_was_kept_hooks_are_taken_out_without_a_store(repo: Path, state: str):
    assert run(repo, "init").returncode == 0

    assert told(repo, "uninstall")["changes"] is True
    assert not Path(paths.store(state)).exists()
