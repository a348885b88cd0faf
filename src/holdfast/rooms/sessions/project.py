"""Which project this is.

A project has an id of its own, kept in the git common directory, and is found again through its
aliases. Laws: the id on file wins, unless the place is known as another project's; then the remote;
then the root commit, unless both sides name a remote and the remotes differ (a fork or a template
is another project); a path speaks only for projects without a repository. Nothing else merges two
projects but the person's command.
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


class Names:
    """What a place may be known by: `known(sort, value)` lists projects with that alias;
    `has(project, sort)` says whether a project has any alias of that sort."""

    def __init__(
        self,
        known: Callable[[str, str], list[str]],
        has: Callable[[str, str], bool],
        *,
        remote: str,
        root_commit: str,
        path: str,
    ) -> None:
        self._known = known
        self.has = has
        self.remote = remote
        self.root_commit = root_commit
        self.path = path

    def find(self) -> str:
        """The project these aliases belong to, "" for a new one."""
        for project in self._with(REMOTE):
            return project
        for project in self._with(ROOT_COMMIT):
            if self._may_be_of(project):
                return project
        for project in self._with(PATH):
            if self._has_no_repository(project):
                return project
        return ""

    def known_instead(self, id_: str) -> str:
        """Another project than the one on file, when a stronger alias of this place is its own;
        else "": the id on file wins."""
        here = self._with(PATH)
        for sort in (REMOTE, ROOT_COMMIT, PATH):
            projects = self._with(sort)
            if id_ in projects:
                return ""
            for project in projects:
                if sort == REMOTE or (
                    project in here if sort == ROOT_COMMIT else self._has_no_repository(project)
                ):
                    return project
        return ""

    def _with(self, sort: str) -> list[str]:
        value = {REMOTE: self.remote, ROOT_COMMIT: self.root_commit, PATH: self.path}[sort]
        return self._known(sort, value) if value else []

    def _may_be_of(self, project: str) -> bool:
        """By its root commit: unless both name a remote, and another one. A clone of a clone on
        this disk has the path of the project itself for a remote."""
        if not (self.remote and self.has(project, REMOTE)):
            return True
        return project in self._known(PATH, self.remote.removesuffix("/.git"))

    def _has_no_repository(self, project: str) -> bool:
        return not self.has(project, ROOT_COMMIT) and not self.has(project, REMOTE)
