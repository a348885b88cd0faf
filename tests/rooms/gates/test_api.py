"""Requirements for programs, on a real project's store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Door, git
from holdfast.errors import Ambiguous, HoldfastError, NotFound
from holdfast.rooms.gates.branch_requirements import BranchRequirements
from holdfast.rooms.sessions.queries import checked_acts
from scenarios.story import A, B, Story

pytestmark = pytest.mark.promise("G8")

BRANCH = "feature/auth"


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A person's program reads from a terminal."""
    ours, theirs = os.openpty()
    with os.fdopen(theirs) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield
    os.close(ours)


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    git(repo, "checkout", "-q", "-b", BRANCH)
    found = Story(door, repo, tmp_path)
    found.begin(A)
    return found


def of(story: Story, session: str = A, branch: str = BRANCH) -> BranchRequirements:
    return BranchRequirements(branch, session, str(story.repo))


def test_what_a_session_satisfies_counts_for_it_alone(story):
    reqs = of(story)
    assert not reqs.is_satisfied("commit_plan", scope="session")

    reqs.satisfy("commit_plan", scope="session", method="skill", metadata={"skill": "arch-review"})

    assert of(story).is_satisfied("commit_plan", scope="session")
    assert not of(story, B).is_satisfied("commit_plan")
    assert not of(story, branch="main").is_satisfied("commit_plan")
    (kept,) = story.entries("requirement_met")
    assert (kept.session, kept.body["by"]) == (A, "skill")
    assert json.loads(kept.body["words"]) == {"skill": "arch-review"}
    path = story.repo / ".git" / "holdfast" / "requirements" / "feature%2Fauth.json"
    state = json.loads(path.read_text())["requirements"]["commit_plan"]
    assert state["sessions"]["aaaaaaaa"]["satisfied"] is True
    story.ends_well()


@pytest.mark.parametrize("scope", ["branch", "permanent"])
def test_what_is_kept_for_the_branch_counts_for_every_session(story, scope):
    of(story).satisfy("security_audit_passed", scope=scope, method="cli")

    assert of(story, B).is_satisfied("security_audit_passed", scope=scope)
    assert not of(story, B, "main").is_satisfied("security_audit_passed", scope=scope)


def test_the_hook_and_the_verbs_see_the_same(story):
    story.demand("requirements: {commit_plan: {satisfied_by_skill: plan}}")
    assert "commit_plan" in story.ask_edit(A)

    of(story).satisfy("commit_plan")

    assert story.ask_edit(A) == ""
    story.edit(A, "src/a.py")
    assert of(story).is_triggered("commit_plan")
    of(story).clear("commit_plan")
    assert "commit_plan" in story.ask_edit(A)
    story.skill(A, "plan")
    assert of(story).is_satisfied("commit_plan")


def test_triggered_is_one_sessions_and_marked_once(story):
    reqs = of(story)
    assert not reqs.is_triggered("commit_plan")

    reqs.mark_triggered("commit_plan", scope="session")
    reqs.mark_triggered("commit_plan", scope="session")

    assert reqs.is_triggered("commit_plan", scope="session")
    assert not reqs.is_satisfied("commit_plan")
    assert not of(story, B).is_triggered("commit_plan")
    assert len(story.bodies("requirement_triggered")) == 1
    story.ends_well()


def test_a_single_use_is_used_up_for_the_session_alone_and_says_whether_there_was_one(story):
    for session in (A, B):
        of(story, session).satisfy("pre_commit_review", scope="single_use")

    assert of(story).clear_single_use("pre_commit_review") is True

    assert of(story).clear_single_use("pre_commit_review") is False
    assert not of(story).is_satisfied("pre_commit_review", scope="single_use")
    assert of(story, B).is_satisfied("pre_commit_review", scope="single_use")
    of(story).satisfy("pre_commit_review", scope="single_use")
    assert of(story).is_satisfied("pre_commit_review", scope="single_use")
    story.ends_well()


def test_what_is_configured_for_longer_is_not_used_up(story):
    story.demand("requirements: {commit_plan: {scope: session}}")
    of(story).satisfy("commit_plan")

    assert of(story).clear_single_use("commit_plan") is False
    assert of(story).is_satisfied("commit_plan")


def test_what_is_said_of_an_act_has_an_end(story):
    reqs = of(story)

    reqs.satisfy("commit_plan", metadata={"why": "x" * (1_000 - len('{"why": ""}'))})
    with pytest.raises(HoldfastError, match="1001 characters are too many: 1000 are kept"):
        reqs.satisfy("commit_plan", metadata={"why": "x" * (1_001 - len('{"why": ""}'))})

    (kept,) = story.entries("requirement_met")
    assert len(kept.body["words"]) == 1_000


def test_clear_is_for_everybody(story):
    for session in (A, B):
        of(story, session).satisfy("commit_plan")
    of(story).satisfy("commit_plan", scope="branch")

    of(story).clear("commit_plan")
    of(story).clear("never_heard_of")

    assert not of(story).is_satisfied("commit_plan", scope="branch")
    assert not of(story, B).is_satisfied("commit_plan")


def test_what_lasts_for_a_time_says_until_when(story):
    of(story).satisfy("a", ttl=60)
    of(story).satisfy("b", method="approval")
    of(story).satisfy("c", scope="permanent", ttl=60)

    ends = [("expires_at" in body, body["whose"]) for body in story.bodies("requirement_met")]
    assert ends == [(True, A), (True, A), (False, "")]


def test_a_session_is_known_by_the_start_of_its_id_and_a_worktree_shares_the_state(story, tmp_path):
    tree = tmp_path / "tree"
    git(story.repo, "worktree", "add", "-q", str(tree), "-b", "other")
    of(story).satisfy("commit_plan")

    there = BranchRequirements(BRANCH, "aaaaaaaa", tree)

    assert there.session_id == A
    assert there.is_satisfied("commit_plan")


def test_what_cannot_be_meant_is_refused(story, tmp_path):
    story.begin("aaaaaaaa-1111-4000-8000-000000000000")
    with pytest.raises(Ambiguous):
        of(story, "aaaaaaaa")
    with pytest.raises(NotFound):
        BranchRequirements(BRANCH, "zzz", tmp_path)
    reqs = of(story)
    with pytest.raises(HoldfastError, match="no scope sesion"):
        reqs.is_satisfied("commit_plan", scope="sesion")
    with pytest.raises(HoldfastError, match="no name of a requirement"):
        reqs.satisfy("../etc")
    assert story.bodies("requirement_met") == []


@pytest.mark.promise("G3")
def test_a_program_without_a_terminal_satisfies_and_clears_nothing(story):
    """One that left the agent, and everything that spoke of it, behind."""
    code = (
        "from holdfast.rooms.gates.branch_requirements import BranchRequirements as R\n"
        f"reqs = R({BRANCH!r}, {A!r}, {str(story.repo)!r})\n"
        "for act in (reqs.satisfy, reqs.clear, reqs.clear_single_use):\n"
        "    try:\n        act('architecture_reviewed')\n"
        "    except Exception as error:\n        print(error)\n"
        "print(reqs.is_satisfied('architecture_reviewed'))\n"
    )
    done = subprocess.run(
        ["setsid", "-w", sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert done.stdout.count("a requirement, and there is no terminal here") == 3
    assert done.stdout.endswith("False\n")
    assert story.bodies("requirement_met") == []


LEFT_BEHIND = """
import os, sys
ours, theirs = os.openpty()
if os.fork():
    os._exit(0)
os.setsid()
os.dup2(theirs, 0)
if os.fork():
    os._exit(0)
from holdfast.rooms.gates.branch_requirements import BranchRequirements
BranchRequirements(*sys.argv[1:4]).satisfy("architecture_reviewed", scope="branch")
open(sys.argv[4], "w").close()
"""


@pytest.mark.promise("G3")
def test_a_program_on_a_terminal_that_nobody_types_into_is_told_of(story, tmp_path, workspace):
    done = tmp_path / "done"
    given = [BRANCH, A, str(story.repo), str(done)]
    subprocess.run([sys.executable, "-c", LEFT_BEHIND, *given], timeout=60, check=True)
    for _ in range(600):  # it is detached; it has half a minute
        if done.exists():
            break
        time.sleep(0.05)

    ((_, checked),) = checked_acts(workspace.store, "")
    assert checked["act"] == "req satisfy"
    assert "no shell that somebody types into is above it" in checked["signs"][0]
    assert checked["undo"].startswith("holdfast req ")


@pytest.mark.promise("G3")
def test_an_agent_satisfies_nothing_by_a_program_of_its_own(story, monkeypatch):
    for name in ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"):
        monkeypatch.setenv(name, "1")
        for act in (of(story).satisfy, of(story).clear, of(story).clear_single_use):
            with pytest.raises(HoldfastError, match="only a person may"):
                act("commit_plan")
        monkeypatch.delenv(name)

    code = (
        "import subprocess, sys\n"
        "sys.stdin.readline()\n"
        "code = 'from holdfast.rooms.gates.branch_requirements import BranchRequirements as R;'"
        " f'R({sys.argv[1]!r}, {sys.argv[2]!r}, {sys.argv[3]!r}).satisfy(\"commit_plan\")'\n"
        "import os\n"
        "ours, theirs = os.openpty()\n"
        "command = [sys.executable, '-c', code]\n"
        "sys.exit(subprocess.run(command, stdin=theirs).returncode)\n"
    )
    agent = subprocess.Popen(
        [sys.executable, "-c", code, BRANCH, A, str(story.repo)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(os.environ),
    )
    story.tell("SessionStart.startup", B)
    story.door.send("SessionStart.startup", agent=agent, session_id="cccc")
    _, said = agent.communicate(b"\n", timeout=60)

    assert agent.returncode == 1
    assert b"a requirement, and an agent is around" in said
    assert story.bodies("requirement_met") == []
