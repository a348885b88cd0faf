"""What a work tree changed since its commit: files as they were and as they are.

Not on the hook path: git is asked. Files that are new or gone count as empty before or after.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.errors import NotFound
from holdfast.rooms.decisions.grounding import committed_files, source_files

FILES = 300
READ_CAP = 400_000  # characters of one side: what is longer is generated


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after."""

    path: str
    before: str
    after: str


def changes(root: str) -> list[Change]:
    """The files that were changed, without those that are too long to be sources; none outside of a
    repository or before its first commit."""
    try:
        commit = committed_files.resolved(root, "HEAD")
    except NotFound:
        return []
    paths = committed_files.changed(root, commit)[:FILES]
    read = committed_files.blobs(root, commit, paths)
    whole = [Change(path, read(path) or "", source_files.read(root, path) or "") for path in paths]
    return [each for each in whole if len(each.before) < READ_CAP > len(each.after)]
