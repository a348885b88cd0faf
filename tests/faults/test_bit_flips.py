"""A bit flips in what lies around the store: the hook's modules, compiled settings, the project's
id, the brief. What is damaged is not used: the hook does what it would have done, the
gate stays shut, the event is kept, and the damage is counted.
"""

from __future__ import annotations

import random
from importlib.util import MAGIC_NUMBER
from pathlib import Path

import pytest
from around import fault_kinds

from holdfast.hook import brief_file
from holdfast.ledger import faults
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries
from holdfast.system import environment, paths
from holdfast.system.processes import Lock
from measure import some_or_all
from scenarios.story import A, Story

pytestmark = pytest.mark.promise("X4")

SEED = 20_261_118
PLAN = "requirements: {commit_plan: {satisfied_by_skill: plan, message: Plan first.}}"
HEAVY = 200_000  # of the bundle: what most events read lies at its beginning


@pytest.fixture
def gated(story: Story, copied: Path) -> Story:
    """A session whose edits are refused, run by a copy of the package; its bundle is left to us."""
    (story.repo / ".holdfast").mkdir()
    (story.repo / ".holdfast" / "config.yaml").write_text("briefing: {preamble: true}\n")
    story.demand(PLAN)
    story.begin(A)
    story.say(A, "Fix the importer")
    assert "Plan first." in story.ask_edit(A)
    assert faults.all_of(story.state) == []
    return story


class Flips:
    """Bits of a file that flip one at a time; each is put right again."""

    def __init__(self, name: str, amount: int) -> None:
        self.amount = amount
        self.chance = random.Random(f"{SEED} {name}")

    def of(self, path: Path, *, first: int = 0) -> object:
        """Flip `amount` bits one after the other, half of them among the first bytes if asked."""
        for number in range(self.amount):
            whole = path.read_bytes()
            end = first if first and number % 2 else len(whole)
            place, bit = self.chance.randrange(end), self.chance.randrange(8)
            with path.open("r+b") as file:
                file.seek(place)
                file.write(bytes((whole[place] ^ 1 << bit,)))
            yield number, place
            if path.exists() and path.stat().st_size == len(whole):
                with path.open("r+b") as file:
                    file.seek(place)
                    file.write(whole[place : place + 1])
            if not path.exists() or path.read_bytes() != whole:
                path.write_bytes(whole)


def kept(story: Story, kind: str) -> int:
    return len(story.entries(kind, A))


@some_or_all(6, 200)
def test_a_flip_in_the_bundle_crashes_nothing_opens_no_gate_and_loses_no_event(gated, amount):
    pack = Path(paths.pack(gated.state, MAGIC_NUMBER.hex()))
    lock = Lock(paths.pack_lock(gated.state))
    assert lock.take()  # nobody packs anew while we flip
    before, noticed = kept(gated, "tool_used"), 0

    for number, place in Flips("bundle", amount).of(pack, first=HEAVY):
        faults.clear(gated.state)
        assert "commit_plan" in gated.ask_edit(A), place
        gated.run(A, f"make part-{number}")
        kinds = set(fault_kinds(gated.state))
        assert kinds <= {"bundle damaged"}, place
        noticed += bool(kinds)

    lock.release()
    assert kept(gated, "tool_used") == before + amount
    # The others lie in what no such event reads; of a few, all may.
    assert amount < 100 or noticed > amount // 8
    faults.clear(gated.state)
    gated.ends_well()


@some_or_all(6, 200)
def test_a_flip_in_compiled_settings_opens_no_gate_and_is_compiled_away(gated, amount):
    root, before = str(gated.repo), kept(gated, "tool_used")
    places = [paths.compiled_settings(gated.state, root)]
    places.append(paths.compiled_requirements(gated.state, root))

    for path in map(Path, places):
        whole = path.read_bytes()
        for number, place in Flips(path.name, amount // 2).of(path):
            faults.clear(gated.state)
            assert "commit_plan" in gated.ask_edit(A), place
            gated.run(A, f"make {path.name[-9:]}-{number}")
            assert set(fault_kinds(gated.state)) == {"settings damaged"}, place
            assert path.read_bytes() == whole

    assert kept(gated, "tool_used") == before + amount
    faults.clear(gated.state)
    gated.ends_well()


@some_or_all(4, 200)
def test_a_flip_in_the_projects_id_changes_no_project_and_opens_no_gate(gated, amount):
    path = gated.repo / ".git" / "holdfast" / "project"
    whole, project = path.read_bytes(), gated.entries("session_began", A)[0].project
    somebody = gated.door.agent()

    for number, place in Flips("project id", amount).of(path):
        faults.clear(gated.state)
        session = f"{number:08d}-0000-4000-8000-000000000000"
        gated.door.send("SessionStart.startup", agent=somebody, session_id=session)
        assert "commit_plan" in gated.ask_edit(A), place
        store = Workspace(gated.state).store
        begun = queries.find(store, session)
        store.close()
        assert begun is not None, place
        assert begun.project == project, place
        assert set(fault_kinds(gated.state)) == {"project id"}, place
        assert path.read_bytes() == whole

    faults.clear(gated.state)
    gated.ends_well()


@some_or_all(6, 200)
def test_a_flip_in_the_brief_is_answered_with_the_cold_one(gated, amount):
    path = Path(paths.brief(paths.runtime_folder(), A))
    assert gated.door.run(b"", errand=f"brief {A}").stdout.decode().strip() != brief_file.COLD

    for _, place in Flips("brief", amount).of(path):
        faults.clear(gated.state)
        answer = gated.door.run(b"", errand=f"brief {A}")
        assert (answer.returncode, answer.stderr) == (0, b""), place
        assert answer.stdout.decode() == f"{brief_file.COLD}\n", place
        assert fault_kinds(gated.state) == ["brief damaged"], place

    faults.clear(gated.state)
    gated.ends_well()


def test_nothing_is_damaged_where_nobody_said_so():
    assert not environment.is_bundle_damaged()
