"""Threads that are done by what git says: their branch was merged, or is there no more.

Laws: a person's word stays; a branch that many tasks share says nothing; what cannot be read, files
that are not committed, and a branch that a work tree stands on, close nothing. A branch is asked
for where its last session worked; one whose last commit is the tip of another was renamed, not
left. A thread in which something is asked again is open by facts again (thread_state.py).
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.rooms.threads import queries, terms, thread_state
from holdfast.rooms.work.branches import queries as branch_queries
from holdfast.rooms.work.branches.branch_state import default_of
from holdfast.rooms.work.merging import Change
from holdfast.rooms.work.queries import has_changed
from holdfast.store.sqlite import Store
from holdfast.system import git

LATEST = 50  # sessions that are looked at


@dataclass(frozen=True)
class Place:
    """A repository, as one of its work trees shows it."""

    default: str
    tips: dict[str, str]  # of branches, here and at remotes
    merged: frozenset[str]
    stood_on: frozenset[str]
    dirty: list[str]


def closed(store: Store, project: str, now: str, limit_s: float) -> list[Change]:
    """The closing of each open thread whose branch is merged or gone."""
    places: dict[str, Place | None] = {}
    changes: dict[str, Change] = {}
    for last in queries.latest(store, project, but="", limit=LATEST):
        if not last.thread or last.thread in changes or terms.is_shared(last.branch):
            continue
        sessions = queries.sessions_of(store, last.thread)
        if not sessions or sessions[0].id != last.id or thread_state.turn_of(store, last.thread):
            continue
        worktree = queries.worktree_of(store, last.id)
        if worktree not in places:
            places[worktree] = _look(worktree, limit_s) if worktree else None
        place = places[worktree]
        names = [each.id for each in sessions]
        if place is None or any(has_changed(store, name, place.dirty) for name in names):
            continue
        why = _why(store, project, last.branch, names, place)
        if why and thread_state.Look(store, project, now).state(last).name != thread_state.DONE:
            changes[last.thread] = Change(
                "thread_turned",
                {"thread": last.thread, "turn": "closed", "words": why},
                f"thread:closed:{last.thread}:{queries.asked_at(store, last.id)}",
                counts={"threads_closed": 1},
            )
    return list(changes.values())


def _why(store: Store, project: str, branch: str, sessions: list[str], place: Place) -> str:
    if branch == place.default or branch in place.stood_on:
        return ""
    if branch in place.merged and branch_queries.has_commit_of(store, sessions, branch):
        return f"its branch {branch} is merged into {place.default}"
    seen = branch_queries.last_state(store, project, branch)
    if branch in place.tips or seen is None or not seen.head:
        return ""
    others = {tip for name, tip in place.tips.items() if name != place.default}
    return "" if seen.head in others else f"its branch {branch} is there no more"


def _look(worktree: str, limit_s: float) -> Place | None:
    """None where git does not tell."""

    def ask(*words: str) -> str | None:
        return git.heard(worktree, *words, limit_s=limit_s)

    common = ask("rev-parse", "--path-format=absolute", "--git-common-dir")
    default = default_of(common.strip()) if common else ""
    refs = ask("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/remotes")
    merged = ask("for-each-ref", f"--merged={default}", "--format=%(refname)", "refs/heads")
    trees = ask("worktree", "list", "--porcelain")
    dirty = git.not_committed(worktree, limit_s=limit_s)
    if not default or refs is None or merged is None or trees is None or dirty is None:
        return None
    rows = [row.split(" ", 1) for row in refs.splitlines()]
    stood_on = [row.partition(" ")[2] for row in trees.splitlines() if row.startswith("branch ")]
    return Place(
        default,
        {_branch(ref): tip for tip, ref in rows},
        frozenset(map(_branch, merged.split())),
        frozenset(map(_branch, stood_on)),
        dirty,
    )


def _branch(ref: str) -> str:
    """`refs/heads/x/y` and `refs/remotes/origin/x/y` are both x/y."""
    parts = ref.split("/")
    return "/".join(parts[3 if parts[1] == "remotes" else 2 :])
