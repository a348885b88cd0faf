"""The figures of a session about its requirements, as `holdfast req metrics` prints them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict, cast

from holdfast.cli.helpers import gates_here
from holdfast.cli.helpers.report import Data, Report
from holdfast.cli.helpers.wording import plural
from holdfast.errors import NotFound
from holdfast.ledger import queries as ledger
from holdfast.ledger.entry import Entry
from holdfast.rooms.gates import requirement_files
from holdfast.rooms.gates.confidence import is_commit
from holdfast.rooms.sessions import acting_session, queries as sessions
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work.checkpoint import CAPS
from holdfast.store.sqlite import Store
from holdfast.system import clock

FILES, COMMANDS, ERRORS, AGENTS = 50, 30, 100, 50  # at most that many of each


class ToolFigures(TypedDict):
    """What a session did with one tool."""

    count: int
    blocked_count: int
    files: list[str]
    commands: list[str]


class FailedCall(TypedDict):
    """A tool call that failed."""

    tool: str
    at: str
    error: str


class RequirementFigures(TypedDict):
    """How often a requirement refused, and when it was triggered and satisfied."""

    blocked_count: int
    triggered_at: int | None
    satisfied_at: int | None
    satisfied_by: str | None
    time_to_satisfy_seconds: int | None


class GitFigures(TypedDict):
    """What a session did to the repository."""

    commits: int
    files_changed: int


class SessionMetrics(TypedDict):
    """A session's figures; times are seconds since 1970."""

    version: str
    session_id: str
    project_dir: str
    branch: str
    started_at: int
    ended_at: int | None
    duration_seconds: int
    compaction_count: int
    turn_count: int
    tools: dict[str, ToolFigures]
    errors: list[FailedCall]
    commands: list[str]
    commands_succeeded: list[str]
    commands_failed: list[str]
    agents: list[str]
    git: GitFigures
    requirements: dict[str, RequirementFigures]
    skills: list[str]
    confidence: int


def report(*, session: str | None) -> Report[SessionMetrics]:
    """Show the figures of a session."""
    place = gates_here.place(session)
    store = place.workspace.store
    meant = sessions.find(store, place.session) or acting_session.newest(
        store, place.project, place.worktree
    )
    if meant is None:
        raise NotFound("no session has been here yet", hint="see `holdfast sessions --all`")
    data = metrics(store, meant, place.at)
    where = f"{short(meant.id)} on {meant.branch or 'no branch'}"
    done = [
        f"{plural(data['git']['files_changed'], 'file')} changed",
        plural(data["git"]["commits"], "commit"),
        plural(len(data["errors"]), "error"),
        plural(data["compaction_count"], "compaction"),
    ]
    lines = [
        f"Session  {where}, {data['duration_seconds']} s, confidence {data['confidence']}",
        f"Done     {', '.join(done)}",
    ]
    for name, met in data["requirements"].items():
        spent = met["time_to_satisfy_seconds"]
        how = f"by {met['satisfied_by']}" if met["satisfied_by"] else "not satisfied"
        took = f" {spent} s after it was triggered" if spent is not None else ""
        refused = plural(met["blocked_count"], "refusal")
        lines.append(f"{name}: {refused}, {how}{took}")
    for name, figures in data["tools"].items():
        refused = f", {figures['blocked_count']} refused" if figures["blocked_count"] else ""
        lines.append(f"{name}: {plural(figures['count'], 'call')}{refused}")
    if data["skills"]:
        lines.append(f"Skills   {', '.join(data['skills'])}")
    return Report(lines, data)


def metrics(store: Store, session: sessions.Session, now: str) -> SessionMetrics:
    """A session's figures."""
    kept = requirement_files.metrics(store, session.id)
    started = clock.seconds_of(session.started_at)
    ended = clock.seconds_of(session.ended_at) if session.ended_at else None
    last = ended if ended is not None else clock.seconds_of(now)
    done = _counted(entry for _, entry in ledger.read(store, session=session.id))
    for name, times in kept["blocked_tools"].items():
        done["tools"].setdefault(name, _fresh())["blocked_count"] = times
    figures = {
        "version": "1.0",
        "session_id": session.id,
        "project_dir": session.worktree,
        "branch": session.branch,
        "started_at": int(started),
        "ended_at": None if ended is None else int(ended),
        "duration_seconds": max(0, int(last - started)),
        **done,
        "requirements": kept["requirements"],
        "skills": kept["skills"],
        "confidence": kept["confidence"],
    }
    return cast("SessionMetrics", figures)


def _counted(entries: Iterable[Entry]) -> Data:
    """What was done, counted from what was kept of it."""
    tools: dict[str, ToolFigures] = {}
    counts: Data = {
        "compaction_count": 0,
        "turn_count": 0,
        "tools": tools,
        "errors": [],
        "commands": [],
        "commands_succeeded": [],
        "commands_failed": [],
        "agents": [],
    }
    changed, commits = set(), 0
    for entry in entries:
        body = entry.body
        if entry.kind == "context_compacted":
            counts["compaction_count"] += 1
        elif entry.kind == "turn_ended":
            counts["turn_count"] += 1
        elif entry.kind == "command_typed":
            _add(counts["commands"], body["name"], COMMANDS)
        elif entry.kind == "subagent_began":
            counts["agents"] = [*counts["agents"], body["sort"]][:AGENTS]
        elif entry.kind == "tool_used":
            tool = tools.setdefault(body["tool"], _fresh())
            tool["count"] += 1
            _add(tool["files"], body.get("path", ""), FILES)
            _add(tool["commands"], body.get("command", ""), COMMANDS)
            outcome = "commands_succeeded" if body["ok"] else "commands_failed"
            _add(counts[outcome], body.get("command", ""), CAPS[outcome])
            if not body["ok"]:
                error = {"tool": body["tool"], "at": entry.at, "error": body.get("error", "")[:200]}
                counts["errors"] = [*counts["errors"], error][:ERRORS]
            elif body["deed"] in ("edit", "create"):
                changed.add(body.get("path", ""))
            elif body["deed"] == "run" and is_commit(body.get("command", "")):
                commits += 1
    return {**counts, "git": {"commits": commits, "files_changed": len(changed)}}


def _fresh() -> ToolFigures:
    return {"count": 0, "blocked_count": 0, "files": [], "commands": []}


def _add(texts: list[str], text: str, cap: int) -> None:
    if text and text not in texts and len(texts) < cap:
        texts.append(text)
