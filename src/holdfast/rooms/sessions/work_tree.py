"""Where a folder stands, read from git's own files; git itself is run once per project.

Worktrees, bare repositories, submodules, a detached head, no git at all: each gives an answer. A
`.git` that points at a repository which does not know the folder is none: nothing is written there.
"""

from __future__ import annotations

from holdfast.rooms.sessions.git_branch import branch_of
from holdfast.system import files
from holdfast.system.files import read_text
from holdfast.system.jsontext import plain
from holdfast.system.repository import common_of, gitdir_of, id_file, id_in, id_on_file, is_own

__all__ = ["Whereabouts", "common_of", "id_on_file", "look", "remote_of", "root_commit_of"]


class Whereabouts:
    """A folder's root, repository, branch and the names its project may be known by."""

    def __init__(self, root: str, gitdir: str = "", common: str = "") -> None:
        self.root = root
        self.gitdir = gitdir
        self.common = common
        self.branch = branch_of(gitdir) if gitdir else ""
        self.remote = remote_of(common) if common else ""
        on_file = id_file(common) if common else b""  # read once: it may be written just now
        self.known_id = id_in(on_file)
        self.is_id_damaged = bool(on_file) and not self.known_id
        self.root_commit = ""


def look(folder: str) -> Whereabouts:
    """Walk up from a folder to its repository; without one the folder is its own root."""
    import os

    try:
        folder = os.path.realpath(folder) if folder else "/"
    except ValueError:  # a name that no system holds: a NUL, half a character
        folder = os.path.realpath(plain(folder))
    place, bare = folder, ""
    for _ in range(200):
        gitdir = gitdir_of(place)
        if gitdir and is_own(place, gitdir):
            return Whereabouts(place, gitdir, common_of(gitdir))
        if not bare and _is_bare(place):
            bare = place  # unless it lies in a work tree: then it was committed there
        if place == "/":
            break
        place = os.path.dirname(place)
    return Whereabouts(bare, bare, common_of(bare)) if bare else Whereabouts(folder)


def remote_of(common: str) -> str:
    """The remote `origin`, else the first one that is named."""
    section = ""
    urls: dict[str, str] = {}
    for line in map(str.strip, (read_text(f"{common}/config") or "").splitlines()):
        if line.startswith("["):
            section = line
        elif section.startswith('[remote "') and line.partition("=")[0].strip().lower() == "url":
            urls.setdefault(section[9:].partition('"')[0], line.partition("=")[2].strip())
    url = urls.get("origin") or next(iter(urls.values()), "")
    return normalise_remote(url)


def normalise_remote(url: str) -> str:
    """host/owner/name, whatever way it is spelt; never a credential. A local path stays a path."""
    url = url.strip().rstrip("/")
    if not url:
        return ""
    scheme, mark, rest = url.partition("://")
    if mark:
        if scheme.lower() == "file":
            return rest
        host, _, path = rest.partition("/")
    elif url.startswith(("/", ".", "~")) or ":" not in url.partition("/")[0]:
        return url
    else:  # user@host:path
        host, _, path = url.partition(":")
    host = host.rpartition("@")[2]
    name, _, port = host.partition(":")
    if port and port not in ("22", "80", "443"):
        name = f"{name}:{port}"
    path = path.strip("/")
    return f"{name.lower()}/{path.removesuffix('.git')}"


def root_commit_of(where: Whereabouts) -> str:
    """The first commit, asked of git; "" for a shallow clone, whose first commit is not one."""
    if not where.common or files.exists(f"{where.common}/shallow"):
        return ""
    from holdfast.system import git

    commits = git.said(where.root, "rev-list", "--max-parents=0", "HEAD")
    return min(commits.split(), default="")


def _is_bare(place: str) -> bool:
    import os

    return os.path.isfile(f"{place}/HEAD") and all(
        os.path.isdir(f"{place}/{name}") for name in ("objects", "refs")
    )
