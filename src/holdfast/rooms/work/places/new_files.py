"""Files that sessions made and nobody committed yet, without asking git.

Laws: a start looks at changed files alone, for new ones git would look into every folder; those
that the latest sessions made are known. A session whose last look saw no untracked file has left
none; beside another untracked file, one that git ignores counts as left.
"""

from __future__ import annotations

from holdfast.rooms.work.branches.queries import untracked_after
from holdfast.rooms.work.places import known_files, queries
from holdfast.system.files import exists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event import Event
    from holdfast.store.sqlite import Store

SESSIONS, FILES = 12, 12  # the latest


def new_files(store: Store, project: str, beginning: Event) -> list[str]:
    """Of the files made last those that are there and that git does not track."""
    body = beginning.body
    if not body["gitdir"]:
        return []
    latest = queries.latest_sessions(store, project, beginning.session, SESSIONS)
    made = [
        path
        for path, session in queries.made_last(store, latest, FILES)
        if exists(f"{body['worktree']}/{path}") and untracked_after(store, session)
    ]
    return known_files.not_tracked(body["gitdir"], made)
