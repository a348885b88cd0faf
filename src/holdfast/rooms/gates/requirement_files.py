"""Files people read: a branch's requirement states, and a session's figures.

Derived, rendered under a lock, safe to delete. What cannot be written is left as it was.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.rooms.gates import queries, scopes
from holdfast.system import clock, files, jsontext, paths, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypedDict

    from holdfast.config.requirement_type import Requirements
    from holdfast.store.sqlite import Store

    class Figures(TypedDict):
        """How a requirement went in a session. Times are seconds of the epoch."""

        triggered_at: int | None
        blocked_count: int
        satisfied_at: int | None
        satisfied_by: str | None
        time_to_satisfy_seconds: int | None

    class Update(TypedDict):
        """What changed the confidence in a session's work; here that is the session itself."""

        memory_id: str
        old_score: int
        new_score: int
        reason: str
        timestamp: str

    class Metrics(TypedDict):
        """What a session's file says of its gates."""

        requirements: dict[str, Figures]
        blocked_tools: dict[str, int]
        skills: list[str]
        confidence: int
        confidence_updates: list[Update]


SKILLS = 50
MOVES = 50  # of the confidence, the latest
SESSIONS = 20  # of those that are over


def path_of(common: str, branch: str) -> str:
    """<git common dir>/holdfast/requirements/<branch>.json; two branches never share one."""
    return f"{paths.project_folder(common)}/requirements/{paths.as_name(branch)}.json"


def render(
    store: Store, project: str, branch: str, common: str, requirements: Requirements
) -> None:
    """The branch's own states, and those of the sessions at work there or lately: with all that
    ever were, the file would grow for ever."""
    path = path_of(common, branch)
    if not requirements and not files.exists(path) and not _states(store, project, branch):
        return
    try:
        ours = paths.project_folder(common)
        files.own_folder(f"{ours}/requirements", within=ours)
        with processes.Lock(f"{ours}/requirements/.lock"):
            states = _states(store, project, branch)
            text = jsontext.dumps(scopes.mirror(requirements, states, branch))
            files.write_whole(path, f"{text}\n".encode())
    except (OSError, StoreError):
        pass  # somebody else's repository, or no space: the store has it all


def _states(store: Store, project: str, branch: str) -> list[scopes.State]:
    sessions = queries.lately(store, project, branch, SESSIONS)
    return queries.states_of(store, project, branch, sessions)


def metrics(store: Store, session: str) -> Metrics:
    """A session's figures about requirements, tools, skills and confidence."""
    blocked = queries.denials(store, session, "requirement")
    by_requirement: dict[str, Figures] = {name: _fresh(times) for name, times in blocked.items()}
    for name, act, by, at in queries.acts(store, session):
        figures = by_requirement.setdefault(name, _fresh(0))
        seconds = int(clock.seconds_of(at))
        if act == "triggered":
            figures["triggered_at"] = figures["triggered_at"] or seconds
        elif act == "met":
            figures["satisfied_at"], figures["satisfied_by"] = seconds, by
    for figures in by_requirement.values():
        if figures["satisfied_at"] and figures["triggered_at"]:
            spent = figures["satisfied_at"] - figures["triggered_at"]
            figures["time_to_satisfy_seconds"] = max(0, spent)
    return {
        "requirements": by_requirement,
        "blocked_tools": queries.denials(store, session, "tool"),
        "skills": queries.skills(store, session, SKILLS),
        "confidence": queries.conduct_of(store, session).confidence,
        "confidence_updates": [
            {
                "memory_id": session,
                "old_score": move["value"] - move["change"],
                "new_score": move["value"],
                "reason": move["reason"],
                "timestamp": at,
            }
            for at, move in queries.moves(store, session, MOVES)
        ],
    }


def _fresh(blocked: int) -> Figures:
    return {
        "triggered_at": None,
        "blocked_count": blocked,
        "satisfied_at": None,
        "satisfied_by": None,
        "time_to_satisfy_seconds": None,
    }
