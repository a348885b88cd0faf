"""Whether a file in a work tree is as the last commit has it: then the team decided, not somebody
at this machine."""

from __future__ import annotations

from holdfast.system import git

LIMIT_S = 2.0


def is_as_committed(root: str, path: str) -> bool:
    """Whether a file that was ever tracked is what HEAD says, there or not there. A checkout, a
    pull and a stash leave it so; False when git does not tell."""
    if not path.startswith(f"{root}/"):
        return False
    name = path[len(root) + 1 :]
    changed = _git(root, "diff", "--name-only", "HEAD", name)
    return changed == "" and bool(_git(root, "log", "--all", "-n1", "--format=%h", "", name))


def is_missing(root: str, path: str) -> bool:
    """Whether the last commit has a file that is not in the work tree."""
    name = path[len(root) + 1 :]
    words = ("diff", "--diff-filter=D", "--name-only", "HEAD", name)
    return path.startswith(f"{root}/") and bool(_git(root, *words))


def _git(root: str, *words: str) -> str | None:
    *asked, ref, name = words
    refs = [ref] if ref else []
    return git.heard(root, *asked, *refs, "--", f":(literal){name}", limit_s=LIMIT_S)
