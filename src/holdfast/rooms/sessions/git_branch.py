"""The branch that is checked out, read from git's own file: all that a judgement asks of git."""

from __future__ import annotations

from holdfast.system.files import read_text

DETACHED = "detached"


def branch_of(gitdir: str) -> str:
    """The branch a work tree is on, or whose rebase is under way: git detaches the head meanwhile.
    A head that is detached otherwise says at which commit."""
    head = (read_text(f"{gitdir}/HEAD", 4096) or "").strip()
    if head.startswith("ref: "):
        return head[5:].strip().removeprefix("refs/heads/")
    return _rebased(gitdir) or (f"{DETACHED}@{head[:12]}" if head else "")


def _rebased(gitdir: str) -> str:
    for name in ("rebase-merge", "rebase-apply"):
        ref = (read_text(f"{gitdir}/{name}/head-name", 4096) or "").strip()
        if ref.startswith("refs/heads/"):
            return ref.removeprefix("refs/heads/")
    return ""
