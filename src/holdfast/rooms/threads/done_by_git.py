"""Threads that are done by what git says: their branch was merged, or is there no more.

Laws: a person's word stays; a branch that many tasks share says nothing; what cannot be read, files
that are not committed, and a branch that a work tree stands on, close nothing. A thread in which
something is asked again is open by facts again (thread_state.py).
"""

from __future__ import annotations

from functools import partial

from holdfast.rooms.threads import queries, terms, thread_state
from holdfast.rooms.work.branches.branch_state import default_of
from holdfast.rooms.work.branches.queries import commits_of
from holdfast.rooms.work.merging import Change
from holdfast.rooms.work.queries import has_changed
from holdfast.store.sqlite import Store
from holdfast.system import git

LATEST = 50  # sessions that are looked at


def closed(store: Store, project: str, root: str, now: str, limit_s: float) -> list[Change]:
    """The closing of each open thread whose branch is merged or gone."""
    ask = partial(git.heard, root, limit_s=limit_s)
    common = ask("rev-parse", "--path-format=absolute", "--git-common-dir")
    default = default_of(common.strip()) if common else ""
    refs = ask("for-each-ref", "--format=%(refname)")
    dirty = git.not_committed(root, limit_s=limit_s)
    if not default or refs is None or dirty is None:
        return []
    named = "--format=%(refname)|%(worktreepath)"
    merged = ask("for-each-ref", f"--merged={default}", named, "refs/heads") or ""
    there = {_branch(ref) for ref in refs.split()}
    # One that a work tree stands on is still worked on.
    done = {_branch(line[:-1]) for line in merged.splitlines() if line.endswith("|")}
    changes: dict[str, Change] = {}
    for last in queries.latest(store, project, but="", limit=LATEST):
        if not last.thread or last.thread in changes or terms.is_shared(last.branch):
            continue
        sessions = queries.sessions_of(store, last.thread)
        turn = queries.last_turn(store, last.thread, "closed", "reopened")
        is_persons = turn is not None and turn[0] == "reopened"
        if not sessions or sessions[0].id != last.id or is_persons:
            continue
        state = thread_state.of(store, project, last, now=now)
        if state.name == thread_state.DONE or (dirty and has_changed(store, last.id, dirty)):
            continue
        why = ""
        if last.branch not in there:
            why = f"its branch {last.branch} is there no more"
        elif last.branch in done and commits_of(store, [each.id for each in sessions]):
            why = f"its branch {last.branch} is merged into {default}"
        if why:
            changes[last.thread] = Change(
                "thread_turned",
                {"thread": last.thread, "turn": "closed", "words": why},
                f"thread:closed:{last.thread}:{queries.asked_at(store, last.id)}",
                counts={"threads_closed": 1},
            )
    return list(changes.values())


def _branch(ref: str) -> str:
    """`refs/heads/x/y` and `refs/remotes/origin/x/y` are both x/y."""
    parts = ref.split("/")
    return "/".join(parts[3 if parts[1] == "remotes" else 2 :])
