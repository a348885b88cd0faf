"""What an event costs does not grow with the past: counted in the store's steps, never in time.

Every event goes through the installed command. Steps are those of SQLite's own machine, and pages
are those it asks its cache for: a question that reads a whole table shows in one or the other.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conftest import Door, make_repo, payload
from holdfast.agents.claude_code.payloads import HOOKS
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import queries
from holdfast.rooms.work.branches import branch_state
from holdfast.system import clock

SMALL, LARGE = 160, 640
APART_S = 600.0
STEPS = 10  # of SQLite's machine between two counts
# A tree four times as large may be one page higher, wherever something is looked up in it; steps
# are the same. What is read once for each session would be four times as much.
MORE_STEPS, MORE_PAGES = 1.05, 2.0
SLACK = 10  # an event of so few pages may meet a page that has just been split

VARIANTS = {
    "SessionStart": "SessionStart.startup",
    "SessionEnd": "SessionEnd.other",
    "PreCompact": "PreCompact.auto",
    "PostCompact": "PostCompact.auto",
    "Notification": "Notification.idle_prompt",
}
EVENTS = (*(name for name in HOOKS if name not in ("SessionStart", "SessionEnd")), "SessionEnd")
# Sessions met the first, each for itself and for the branch; nobody met the second.
DEMANDED = {
    "requirements": {
        "planned": {"satisfied_by_skill": "plan", "trigger_tools": ["Edit"]},
        "checked": {"satisfied_by_skill": "check", "trigger_tools": ["Edit"]},
    }
}

COUNTING = f"""
    from holdfast.system.files import system as _system, write_all as _write_all
    from holdfast.store.driver import apsw as _apsw
    _steps, _open = [0], []
    def _count():
        _steps[0] += 1
        return False
    def _opened(db):
        db.set_progress_handler(_count, {STEPS})
        _open.append(db)
    def _leave(code, leave=_system._exit):
        pages = 0
        for db in _open:
            for what in (_apsw.SQLITE_DBSTATUS_CACHE_HIT, _apsw.SQLITE_DBSTATUS_CACHE_MISS):
                pages += db.status(what)[0]
        _write_all(2, f"{{_steps[0]}} {{pages}}".encode())
        leave(code)
    _apsw.connection_hooks.append(_opened)
    _system._exit = _leave
    main()
"""


class Cost(NamedTuple):
    steps: int
    pages: int


class Project:
    """A project with a past, and what each event costs in it."""

    def __init__(self, folder: Path, sessions: int) -> None:
        self.repo = make_repo(folder / "app")
        (self.repo / ".holdfast").mkdir()
        (self.repo / ".holdfast" / "config.yaml").write_text(json.dumps(DEMANDED))
        home = folder / "home"
        home.mkdir()
        self.door = Door(f"{home}/.local/state/holdfast", home, self.repo)
        self.working = str(uuid.uuid4())
        self.send("SessionStart", self.working)
        workspace = Workspace(self.door.state)
        model = queries.find(workspace.store, self.working)
        assert model is not None
        begins = clock.seconds_of(model.started_at) - sessions * APART_S
        with workspace.store.transaction():
            for number in range(sessions):
                live(workspace, model, begins + number * APART_S)
        workspace.store.close()

    def send(
        self, event: str, session: str, repo: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        body = self._payload(event, session, repo or self.repo)
        done = self.door.run(body, folder=repo, CLAUDE_PROJECT_DIR=str(repo or self.repo))
        assert done.returncode == 0
        return done

    def cost(self, event: str, session: str, repo: Path | None = None) -> Cost:
        """An event through the installed command, its store counting along."""
        launcher = Path(self.door.state) / "hook.py"
        whole = launcher.read_text()
        launcher.write_text(whole.replace("main()\n", COUNTING, 1))
        done = self.send(event, session, repo)
        launcher.write_text(whole)
        assert event != "PreToolUse" or b'"deny"' in done.stdout, "the edit was not judged"
        return Cost(*map(int, done.stderr.split()))

    def costs(self) -> dict[str, Cost]:
        """Every event, in a session that has done a little already."""
        session = str(uuid.uuid4())
        found = {"SessionStart": self.cost("SessionStart", session)}
        for event in ("UserPromptSubmit", "PostToolUse", "Stop"):
            self.send(event, session)
        return found | {event: self.cost(event, session) for event in EVENTS}

    def costs_of_a_new_project(self, repo: Path) -> dict[str, Cost]:
        """The first turn in a repository that the store has not met."""
        session = str(uuid.uuid4())
        events = ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SessionEnd")
        return {event: self.cost(event, session, repo) for event in events}

    def _payload(self, event: str, session: str, repo: Path) -> bytes:
        said = payload(VARIANTS.get(event, event), session_id=session, cwd=str(repo))
        for name in {"prompt_id", "tool_use_id", "agent_id", "task_id"} & said.keys():
            said[name] = str(uuid.uuid4())  # of its own, so that it is kept
        if event == "PreToolUse":
            given = {"file_path": f"{repo}/src/a.py", "old_string": "a", "new_string": "b"}
            said |= {"tool_name": "Edit", "tool_input": given}
        return json.dumps(said).encode()


def live(workspace: Workspace, model: queries.Session, at: float) -> None:
    """One session of the past, in which everything happens that a session leaves behind."""
    session = str(uuid.uuid4())
    named: dict[str, str] = {}
    for number, (kind, body) in enumerate(happenings(model, session, named)):
        entry = workspace.keep(
            kind,
            body,
            key=f"{kind}:{number}",
            at=clock.iso(at + number),
            project=model.project,
            session=session,
            agent=model.agent,
        )
        assert entry is not None
        named[kind] = entry.id


def happenings(
    model: queries.Session, session: str, named: dict[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """`named` tells the last entry of a kind by the id of what it made."""
    began = {"source": "startup", "pid": 4_000_000, "process_started": "1"}
    for name in "cwd worktree gitdir branch channel transcript boot host namespace".split():
        began[name] = getattr(model, name)
    yield "session_began", began
    goal = {"goal": "Mend the importer", "keywords": ["importer"], "how": "prompt"}
    yield "goal_set", {**goal, "thread": session}
    rule = {"text": "Leave the queue alone", "sort": "forbids", "lasting": False, "how": "prompt"}
    yield "rule_given", {**rule, "thread": session}
    yield "prompt_given", {"prompt": "Mend the importer's retry loop"}
    run = {"tool": "Bash", "deed": "run", "ok": True, "command": "make test"}
    yield "tool_used", {**run, "input": {"command": "make test"}, "output": "2 passed"}
    edit = {"tool": "Edit", "deed": "edit", "ok": True, "path": "src/a.py"}
    yield "tool_used", {**edit, "input": {"file_path": "src/a.py", "new_string": "b"}}
    by_hand = {"how": "command", "words": ""}
    yield "learnt", {"text": f"Learnt in {session}", "source": "fix", "categories": []}
    yield "pinned", {"content": f"Pinned in {session}", "label": "", "critical": False}
    yield "turned", {"subject": named["rule_given"], "turn": "withdrawn", **by_hand}
    tier1 = {"goal": "", "rules": []}
    taken = {"cause": "delta", "schema": 1, "tokens": 1, "phase": "VERBOSE", "tier1": tier1}
    yield "checkpoint_taken", taken
    given = {"summary": "", "next_steps": [], "blockers": [], "questions": []}
    yield "handoff_given", {**given, "source": "command"}
    met = {"requirement": "planned", "branch": model.branch, "whose": session, "by": "skill"}
    yield "requirement_met", {**met, "words": "plan"}
    yield "requirement_met", {**met, "whose": "", "words": "plan"}
    yield "gates_switched", {"requirement": "planned", "whose": session, "on": False}
    seen = {"sort": "tests", "passed": True, "tool": "pytest", "said": "2 passed"}
    yield "evidence_seen", {**seen, "command": "make test"}
    quoted = {"path": "README.md", "line": 1, "last": 1, "quote": "# app", "part": False}
    cited = [{**quoted, "around": "[]", "commit": ""}]
    decided = {"text": f"Decided in {session}", "because": "", "source": "person", "how": "command"}
    yield "decision_made", {**decided, "evidence": cited, "scenarios": []}
    yield "claim_made", {"text": "It holds", "grounding": "citation", "evidence": cited}
    yield "item_opened", {"sort": "question", "text": f"Why {session}?", "source": "person"}
    yield "item_resolved", {"item": named["item_opened"], "words": ""}
    yield "identified", {"path": f"src/{session}.py", "line": 1, "last": 1, "purpose": "reads"}
    yield "item_tracked", {"item": f"hf-{session}", "title": "Mend it", "stage": "closed"}
    sha = session.replace("-", "")[:8]
    shown = {"title": "Mend it", "state": "open", "url": "", "base": "main", "review": ""}
    seen_here = {**shown, "sort": "pull_request", "number": 12, "branch": model.branch, "repo": ""}
    seen_there = {**seen_here, "number": 13, "branch": "elsewhere"}
    issue = {**seen_here, "sort": "issue", "number": 9, "branch": ""}
    yield (
        "work_seen",
        {
            "branch": model.branch,
            "pull_requests": [seen_here, seen_there, issue],
            "checks": [{"name": "lint", "state": "failed", "number": 12, "branch": ""}],
            "comments": [{"author": "ada", "path": "a", "text": session, "number": 12}],
            "commits": [{"sha": sha, "subject": f"Mend {sha}", "branch": model.branch}],
            "branches": [{"branch": model.branch, "parent": "main"}],
        },
    )
    state = branch_state.of_body({"branch": model.branch, "head": sha, "parent": "main"})
    yield "branch_seen", state.body()
    yield "turn_ended", {"message": "Done.", "again": False, "background": []}
    yield "session_ended", {"reason": "other"}


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Project]]:
    folder = tmp_path_factory.mktemp("projects")
    with pytest.MonkeyPatch.context() as patch:
        (folder / "run").mkdir(mode=0o700)
        patch.setenv("XDG_RUNTIME_DIR", str(folder / "run"))
        yield [Project(folder / str(many), many) for many in (SMALL, LARGE)]
    shutil.rmtree(folder, ignore_errors=True)  # what a hook left running may still write


def grown(costs: list[dict[str, Cost]]) -> dict[str, tuple[Cost, Cost]]:
    """Events that cost more in the second project than a little over the first."""
    return {
        event: (small, costs[1][event])
        for event, small in costs[0].items()
        if costs[1][event].steps > MORE_STEPS * small.steps + SLACK
        or costs[1][event].pages > MORE_PAGES * small.pages + SLACK
    }


@pytest.mark.exhaustive
def test_no_event_costs_more_steps_after_many_sessions(projects):
    costs = [project.costs() for project in projects]

    assert grown(costs) == {}


def test_no_event_of_a_new_project_reads_what_others_have_kept(projects, tmp_path):
    repos = [make_repo(tmp_path / f"new-{number}") for number, _ in enumerate(projects)]
    costs = [
        project.costs_of_a_new_project(repo) for project, repo in zip(projects, repos, strict=True)
    ]

    assert grown(costs) == {}
