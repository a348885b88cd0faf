"""Where a work tree's repository lies, by git's own files; and our project's id beside it."""

from __future__ import annotations

from holdfast.system import files, seal
from holdfast.system.paths import project_folder

ID_FILE = "project"
REFS_BYTES = 1 << 20
TREE = ["worktree"]  # of a submodule's configuration
ID_CAP = 40  # less than an id and its digest: run together, they are none


def gitdir_of(place: str) -> str:
    """The repository of the work tree whose root this is, "" when it is the root of none."""
    git = f"{place.rstrip('/')}/.git"
    if files.is_folder(git):
        return git
    content = files.read_text(git, 4096) or ""
    if not content.startswith("gitdir:"):
        return ""
    gitdir = content[7:].strip()
    if not gitdir.startswith("/") or "/.." in gitdir or files.is_link(gitdir):
        import os

        gitdir = os.path.realpath(os.path.join(place, gitdir))
    return gitdir if files.is_folder(gitdir) else ""


def is_own(place: str, gitdir: str) -> bool:
    """Whether a repository knows the folder as its work tree. A `.git` that is a file or a link may
    point anywhere: it counts where the repository points back, or lies in the folder itself."""
    git = f"{place.rstrip('/')}/.git"
    if gitdir == git and not files.is_link(git):
        return True
    import os

    whole = os.path.realpath(gitdir)
    if whole.startswith(f"{os.path.realpath(place)}/"):
        return True
    lines = (files.read_text(f"{gitdir}/config", REFS_BYTES) or "").splitlines()
    named = [line.partition("=")[2].strip() for line in lines if line.split("=")[0].split() == TREE]
    back = (files.read_text(f"{gitdir}/gitdir", 4096) or "").strip()
    trees = [*named, back.removesuffix("/.git")] if back else named
    return any(_leads_to(place, os.path.join(whole, tree)) for tree in trees)


def _leads_to(place: str, path: str) -> bool:
    import os

    return os.path.realpath(path) == os.path.realpath(place)


def common_of(gitdir: str) -> str:
    """What the worktrees of a repository share."""
    relative = (files.read_text(f"{gitdir}/commondir", 4096) or "").strip()
    if not relative:
        return gitdir
    import os

    return os.path.realpath(os.path.join(gitdir, relative))


def head_of(gitdir: str, common: str) -> str:
    """The commit that is checked out."""
    head = (files.read_text(f"{gitdir}/HEAD", 4096) or "").strip()
    return sha_of(common, head[5:].strip()) if head.startswith("ref: ") else head


def sha_of(common: str, ref: str) -> str:
    """What a ref points at, "" when there is none."""
    loose = (files.read_text(f"{common}/{ref}", 4096) or "").strip()
    if loose.startswith("ref: "):
        return sha_of(common, loose[5:].strip()) if loose[5:].strip() != ref else ""
    if loose:
        return loose
    packed = files.read_text(f"{common}/packed-refs", REFS_BYTES) or ""
    at = packed.find(f" {ref}\n")
    return packed[packed.rfind("\n", 0, at) + 1 : at] if at > 0 else ""


def id_on_file(common: str) -> str:
    """A project's id as it was written."""
    return id_in(id_file(common))


def id_in(content: bytes) -> str:
    """The id in such a file, "" where it is damaged; earlier versions wrote it without a digest."""
    text = seal.opened(content)
    id_ = (content if text is None else text).decode("ascii", "replace").strip()
    return id_ if 8 <= len(id_) <= ID_CAP and id_.isalnum() else ""


def id_file(common: str) -> bytes:
    folder = project_folder(common)
    if files.is_link(folder):
        return b""  # somebody else's folder
    return files.read_bytes(f"{folder}/{ID_FILE}", 256) or b""
