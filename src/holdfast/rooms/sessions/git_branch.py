"""The branch that is checked out, read from git's own file: all that a judgement asks of git."""

from __future__ import annotations

from holdfast.system.files import read_text

DETACHED = "detached"


def branch_of(gitdir: str) -> str:
    """The branch a work tree is on; a detached head says at which commit."""
    head = (read_text(f"{gitdir}/HEAD", 4096) or "").strip()
    if head.startswith("ref: "):
        return head[5:].strip().removeprefix("refs/heads/")
    return f"{DETACHED}@{head[:12]}" if head else ""
