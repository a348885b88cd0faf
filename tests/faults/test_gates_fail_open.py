"""A gate that cannot judge lets through, and says so: each fault of our own while a tool is judged
is counted, and stands in `holdfast doctor`. What is no fault of judging changes no verdict."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from around import fault_kinds

from cli.terminal import run, told
from holdfast.config import compiled as config_compiled
from holdfast.ledger import faults
from holdfast.system import paths, seal
from measure import some_of
from scenarios.story import A, B, Story

pytestmark = pytest.mark.promise("G7")

PLAN = """
requirements:
  commit_plan: {satisfied_by_skill: plan, message: Plan first.}
"""
PUSH = """
requirements:
  pushed: {trigger_tools: [{tool: Bash, command_pattern: git push}]}
  careful: {trigger_tools: [{tool: Bash, command_pattern: deploy}]}
"""
SIZE = """
requirements:
  commit_plan: {type: dynamic, calculator: branch_size, thresholds: {block: 1}}
"""


@pytest.fixture
def gated(story: Story) -> Story:
    """A session that is refused an edit, until something breaks."""
    story.demand(PLAN)
    story.begin(A)
    assert "Plan first." in story.ask_edit(A)
    assert faults.all_of(story.state) == []
    return story


def assert_let_through(story: Story, answer: str) -> dict[str, str]:
    """The tool may run; one fault is on record, and doctor names it. The fault."""
    assert answer == "" or "so this passed without a look at: `commit_plan`" in answer
    fault, *more = faults.all_of(story.state)
    assert {each["kind"] for each in (fault, *more)} == {"not judged"}
    done = run(story.repo, "doctor", "--json")
    findings = [one for one in json.loads(done.stdout)["findings"] if one["check"] == "faults"]
    assert any(one["said"].startswith("not judged at ") for one in findings)
    return fault


def ends_well(story: Story) -> None:
    """Mended, the gate holds again."""
    assert "commit_plan" in story.ask_edit(A)
    faults.clear(story.state)
    story.ends_well()


# The store


@contextmanager
def put_aside(story: Story) -> Iterator[Path]:
    """The store is away for a while."""
    story.ledger()  # to open and close it copies the log back
    store, aside = Path(story.state, "store.db"), Path(story.state, "aside")
    store.rename(aside)
    yield store
    for path in Path(story.state).glob("store.db*"):
        path.unlink()
    aside.rename(store)


def test_a_store_that_is_missing(gated: Story) -> None:
    with put_aside(gated):
        answer = gated.ask_edit(A)
        assert not Path(gated.state, "store.db").exists(), "a judgement made a store"
        assert_let_through(gated, answer)
    ends_well(gated)


def test_a_store_that_is_damaged(gated: Story) -> None:
    with put_aside(gated) as store:
        garbage = os.urandom(20_000)
        store.write_bytes(garbage)
        store.chmod(0o600)
        assert_let_through(gated, gated.ask_edit(A))
        assert store.read_bytes() == garbage
    ends_well(gated)


HOLD = """
import sqlite3, sys
store = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    store.execute(statement).fetchall()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(story: Story, *statements: str) -> Iterator[None]:
    """Another process has the store and does not let go."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, f"{story.state}/store.db", *statements],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        yield
    finally:
        holder.kill()
        holder.communicate()


def test_a_store_that_is_locked(gated: Story) -> None:
    gated.ledger()
    with held(gated, "pragma locking_mode = exclusive", "begin exclusive", "select 1 from entries"):
        answer = gated.ask_edit(A)
    assert "BusyError" in assert_let_through(gated, answer)["detail"]
    ends_well(gated)


def test_a_store_that_somebody_is_writing_to_can_be_asked(gated: Story) -> None:
    with held(gated, "begin immediate"):
        assert "commit_plan" in gated.ask_edit(A)
    assert fault_kinds(gated.state) == []
    ends_well(gated)


# What was compiled, and what it is compiled from


def compiled(story: Story) -> Path:
    return Path(paths.compiled_requirements(story.state, str(story.repo)))


def test_compiled_requirements_that_are_torn_are_compiled_anew(gated: Story) -> None:
    whole = compiled(gated).read_bytes()
    for torn in (whole[: len(whole) // 2], b"", b"\0" * 50, b"[]", b'{"stamps": 1}'):
        compiled(gated).write_bytes(torn)
        refused = gated.ask_edit(A)
        assert "commit_plan" in refused, torn
    assert compiled(gated).read_bytes() == whole
    assert set(fault_kinds(gated.state)) == {"settings damaged"}
    ends_well(gated)


def test_compiled_requirements_of_another_shape(gated: Story) -> None:
    said = json.loads(seal.opened(compiled(gated).read_bytes()) or b"")
    del said["usual"]["trigger_tools"]
    compiled(gated).write_bytes(seal.sealed(json.dumps(said).encode()))
    assert "KeyError" in assert_let_through(gated, gated.ask_edit(A))["detail"]
    compiled(gated).unlink()
    ends_well(gated)


def test_requirements_that_cannot_be_written_down(gated: Story) -> None:
    shutil.rmtree(compiled(gated).parent)
    compiled(gated).parent.write_text("in the way")
    assert "not a folder" in assert_let_through(gated, gated.ask_edit(A))["detail"]
    compiled(gated).parent.unlink()
    ends_well(gated)


@pytest.mark.parametrize("file", [".claude/requirements.yaml", ".holdfast/config.yaml"])
@pytest.mark.parametrize("how", ["torn", "a folder", "no text"])
def test_a_configuration_that_cannot_be_read_counts_as_before_and_says_so(
    story: Story, file: str, how: str
) -> None:
    story.demand(PLAN, file)
    story.begin(A)
    assert "Plan first." in story.ask_edit(A)
    path = story.repo / file
    path.unlink()
    if how == "torn":
        path.write_text(PLAN[:40])
    elif how == "a folder":
        path.mkdir()
    else:
        path.write_bytes(b"\xff\xfe\x00requirements")
    assert "commit_plan" in story.ask_edit(A)
    (fault,) = faults.all_of(story.state)
    assert str(path) in fault["detail"]
    assert "commit_plan" in story.ask_edit(A)
    assert len(faults.all_of(story.state)) == 1, "once for each change of the file"
    begun = story.begin(B)
    assert "not judged (1)" in begun
    assert f"\n> {path}: " in begun
    path.rmdir() if path.is_dir() else path.unlink()
    story.demand(PLAN, file)
    assert "commit_plan" in story.ask_edit(A)
    faults.clear(story.state)
    story.ends_well()


# What a judgement needs


def ahead_of_the_path(story: Story, folder: Path) -> None:
    """A folder of broken modules, found before those that are installed."""
    launcher = Path(story.state, "hook.py")
    text = launcher.read_text().replace("sys.path += [", f"sys.path += [{str(folder)!r}, ", 1)
    launcher.write_text(text)


def test_a_grammar_that_cannot_be_loaded(story: Story) -> None:
    broken = story.folder / "broken"
    broken.mkdir()
    (broken / "tree_sitter.py").write_text("raise ImportError('built for another system')\n")
    ahead_of_the_path(story, broken)
    story.demand(PUSH)
    story.begin(A)
    assert "pushed" in story.ask_run(A, "git push"), "that takes no grammar"
    assert faults.all_of(story.state) == []
    answer = story.ask_run(A, "cd x && git push")
    assert "another system" in assert_let_through(story, answer)["detail"]
    story.run(A, "cd x && git push")
    # Gates, and what reads the output of a push.
    kinds = [one["kind"] for one in faults.all_of(story.state)]
    assert kinds == ["not judged", "not done", "not done"]
    assert len(story.bodies("tool_used")) == 1, "what ran is kept all the same"
    faults.clear(story.state)
    story.ends_well()


def test_without_the_grammar_there_is_no_evidence_and_the_rest_of_the_event_stays(
    story: Story,
) -> None:
    broken = story.folder / "broken"
    broken.mkdir()
    (broken / "tree_sitter.py").write_text("raise ImportError('built for another system')\n")
    ahead_of_the_path(story, broken)
    story.demand("requirements:\n  planned: {satisfied_by_skill: plan, trigger_tools: [Bash]}\n")
    story.begin(A)
    story.run(A, "cd x && pytest -q")

    assert "another system" in faults.all_of(story.state)[-1]["detail"]
    assert story.bodies("evidence_seen") == []
    assert len(story.bodies("requirement_triggered")) == 1
    faults.clear(story.state)
    story.ends_well()


def test_one_gate_that_cannot_judge_leaves_the_others_standing(story: Story) -> None:
    story.demand(
        """
requirements:
  counted: {type: dynamic, calculator: nobodys, thresholds: {block: 1}}
  commit_plan: {message: Plan first.}
"""
    )
    story.begin(A)
    faults.clear(story.state)
    refused = story.ask_edit(A)
    assert "Plan first." in refused
    assert "counted" not in refused
    assert fault_kinds(story.state) == ["not judged"]
    story.edit(A, "src/a.py")
    assert "commit_plan" in story.stop(A)
    faults.clear(story.state)
    story.ends_well()


def test_evidence_in_a_folder_that_cannot_be_read(story: Story) -> None:
    story.demand("requirements: {reviewed: {evidence: {dirs: [reviews]}}}\n")
    story.begin(A)
    assert "reviewed" in story.ask_edit(A)
    (story.repo / "reviews").symlink_to("reviews")  # it leads to itself
    assert "reviews" in assert_let_through(story, story.ask_edit(A))["detail"]
    (story.repo / "reviews").unlink()
    assert "reviewed" in story.ask_edit(A)
    faults.clear(story.state)
    story.ends_well()


def test_evidence_in_a_file_that_cannot_be_read(story: Story) -> None:
    story.demand("requirements: {reviewed: {evidence: {dirs: [reviews]}}}\n")
    story.begin(A)
    (story.repo / "reviews").mkdir()
    (story.repo / "reviews" / "one.md").symlink_to(
        "/proc/self/mem"
    )  # not even root reads its start
    assert "one.md" in assert_let_through(story, story.ask_edit(A))["detail"]
    faults.clear(story.state)
    story.ends_well()


def test_a_calculator_that_is_not_there(story: Story) -> None:
    """Those that hang and raise are in tests/scenarios/test_gates_counted.py."""
    story.begin(A)
    story.demand(
        "requirements: {counted: {type: dynamic, calculator: nobodys, thresholds: {block: 1}}}\n"
    )
    assert "nobodys" in assert_let_through(story, story.ask_edit(A))["detail"]
    faults.clear(story.state)
    story.ends_well()


def test_git_that_does_not_answer(story: Story) -> None:
    story.begin(A)
    story.demand(SIZE)
    (story.repo / "new.py").write_text("x = 1\ny = 2\n")
    index = story.repo / ".git" / "index"
    whole = index.read_bytes()
    index.write_bytes(b"DIRC garbage")
    assert "git" in assert_let_through(story, story.ask_edit(A))["detail"]
    index.write_bytes(whole)
    for path in Path(story.door.environment["XDG_RUNTIME_DIR"]).glob("holdfast/*/count-*"):
        path.unlink()
    assert "commit_plan" in story.ask_edit(A)
    faults.clear(story.state)
    story.ends_well()


@pytest.mark.parametrize("demand", [PLAN, SIZE], ids=["blocking", "dynamic"])
def test_a_runtime_folder_that_cannot_be_written_changes_no_verdict(
    story: Story, demand: str
) -> None:
    (story.repo / "new.py").write_text("x = 1\ny = 2\n")
    story.begin(A)
    story.demand(demand)
    runtime = Path(story.door.environment["XDG_RUNTIME_DIR"]) / "holdfast"
    shutil.rmtree(runtime, ignore_errors=True)
    runtime.write_text("in the way")
    for _ in range(2):
        assert "the requirement commit_plan is not satisfied" in story.ask_edit(A), "in full"
    assert set(fault_kinds(story.state)) == {"not judged"}
    runtime.unlink()
    story.skill(A, "plan")
    faults.clear(story.state)
    story.ends_well()


def test_a_session_in_a_place_that_is_gone(gated: Story) -> None:
    """Nothing can be demanded where nothing is: that is no fault."""
    gone = gated.folder / "gone"
    gone.mkdir()
    agent = gated.agent(B)
    asked = json.dumps(
        {
            "session_id": B,
            "cwd": str(gone),
            "hook_event_name": "PreToolUse",
            "tool_name": "Edit",
            "tool_input": {"file_path": f"{gone}/a.py"},
        }
    ).encode()
    gone.rmdir()
    done = gated.door.run(asked, agent=agent, CLAUDE_PROJECT_DIR=str(gone))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert faults.all_of(gated.state) == []
    gated.ends_well()


# Half a package


@pytest.mark.parametrize(
    "module",
    some_of(
        [
            "rooms/gates/pre_tool.py",
            "rooms/gates/judgement.py",
            "rooms/gates/judgement_facts.py",
            "rooms/gates/messages.py",
            "rooms/gates/protection/protected_places.py",
            "rooms/gates/refusals.py",
            "rooms/gates/queries.py",
            "ledger/reader.py",
            "rooms/sessions/git_branch.py",
        ],
        3,
    ),
)
def test_a_module_that_is_half_written(gated: Story, copied: Path, module: str) -> None:
    content = (copied / module).read_text()
    (copied / module).write_text("def half_wri")
    fault = assert_let_through(gated, gated.ask_edit(A))
    assert "SyntaxError" in fault["detail"]
    (copied / module).write_text(content)
    ends_well(gated)


# Told


def test_what_was_not_judged_is_told_once_when_a_session_begins(gated: Story) -> None:
    with put_aside(gated):
        answers = [gated.ask_edit(A) for _ in range(3)]
    assert any("passed without a look" in answer for answer in answers)
    begun = gated.begin(B)
    assert "not judged (3)" in begun
    assert told(gated.repo, "status")["faults"] == 3
    gated.end(B)
    assert "not judged" not in gated.begin(B)
    faults.clear(gated.state)
    gated.ends_well()


def test_where_nothing_is_demanded_a_broken_store_is_nobodys_fault_here(story: Story) -> None:
    story.begin(A)
    with put_aside(story):
        assert story.ask_edit(A) == ""
        assert faults.all_of(story.state) == []
    assert (
        config_compiled.requirements(story.state, str(story.repo))
        == config_compiled.NO_REQUIREMENTS
    )
    story.ends_well()
