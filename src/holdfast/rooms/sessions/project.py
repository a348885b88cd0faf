"""Which project this is.

A project has an id of its own, kept in the git common directory, and is found again through its
aliases. Laws: the id on file wins; then the remote; then the root commit, unless both sides name
a remote and the remotes differ (a fork or a template is another project); a path speaks only for
projects without a repository. Nothing else merges two projects but the person's command.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

REMOTE, ROOT_COMMIT, PATH = "remote", "root commit", "path"


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


def find(
    known: Callable[[str, str], list[str]],
    has: Callable[[str, str], bool],
    *,
    remote: str,
    root_commit: str,
    path: str,
) -> str:
    """The project these aliases belong to, "" for a new one.

    `known(sort, value)` lists projects with that alias; `has(project, sort)` says whether a
    project has any alias of that sort.
    """
    for project in known(REMOTE, remote) if remote else ():
        return project
    for project in known(ROOT_COMMIT, root_commit) if root_commit else ():
        if not (remote and has(project, REMOTE)) or remote in _paths_of(known, project, remote):
            return project
    for project in known(PATH, path):
        if not has(project, ROOT_COMMIT) and not has(project, REMOTE):
            return project
    return ""


def _paths_of(known: Callable[[str, str], list[str]], project: str, remote: str) -> tuple[str, ...]:
    """A clone of a clone on this disk: its remote is the path of the project itself."""
    bare = remote.removesuffix("/.git")
    return (remote,) if project in known(PATH, bare) else ()
