"""Which project this is.

A project has an id of its own, kept in the git common directory with a digest, and is found again
through its aliases. Laws:
  - the id on file wins, unless the place is known as another project's; then the remote; then the
    root commit, unless both sides name a remote and the remotes differ (a fork or a template is
    another project); a path speaks only for projects without a repository;
  - a changed id on file is noticed, not believed: where it is new to a place whose aliases name
    another project, the project stays what it was, the file is written anew, and one line tells it;
  - nothing else merges two projects but the person's command.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.rooms.sessions import queries, work_tree
from holdfast.system import files, paths, repository, seal
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.rooms.sessions.work_tree import Whereabouts
    from holdfast.store.sqlite import Store

REMOTE, ROOT_COMMIT, PATH = "remote", "root commit", "path"


class Names(Value):
    """What a place may be known by: `known(sort, value)` lists projects with that alias;
    `has(project, sort)` says whether a project has any alias of that sort."""

    known: Callable[[str, str], list[str]]
    has: Callable[[str, str], bool]
    remote: str
    root_commit: str
    path: str

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
        return self.known(sort, value) if value else []

    def _may_be_of(self, project: str) -> bool:
        """By its root commit: unless both name a remote, and another one. A clone of a clone on
        this disk has the path of the project itself for a remote."""
        if not (self.remote and self.has(project, REMOTE)):
            return True
        return project in self.known(PATH, self.remote.removesuffix("/.git"))

    def _has_no_repository(self, project: str) -> bool:
        return not self.has(project, ROOT_COMMIT) and not self.has(project, REMOTE)


DAMAGED, CHANGED = "is damaged", "names another project"


def of_place(store: Store, where: Whereabouts) -> tuple[str, str]:
    """The project of a place, "" when it is a new one; and what is wrong with the id on file, ""
    when nothing is."""
    on_file = queries.project(store, where.known_id) if where.known_id else None
    id_ = on_file[0] if on_file else where.known_id
    if id_ and is_at_home(store, id_, where.root, where.common, where.remote):
        return id_, ""
    if where.common and not where.root_commit:
        where.root_commit = work_tree.root_commit_of(where)
    names = Names(
        lambda sort, value: queries.projects_with(store, sort, value),
        lambda project_, sort: queries.has_alias(store, project_, sort),
        remote=where.remote,
        root_commit=where.root_commit,
        path=where.root,
    )
    if not id_:
        return names.find(), DAMAGED if where.is_id_damaged else ""
    other = names.known_instead(id_)
    return (other, CHANGED) if other else (id_, "")


def is_at_home(store: Store, id_: str, root: str, common: str, remote: str = "") -> bool:
    """Whether a project was met in this place before, in its main worktree, or with its remote."""
    main = common.removesuffix("/.git")
    places = [(PATH, root), (PATH, main), (REMOTE, remote)]
    return any(value and queries.is_alias(store, id_, sort, value) for sort, value in places)


def write(common: str, project_id: str) -> None:
    folder = paths.project_folder(common)
    try:
        files.own_folder(folder)
        content = seal.sealed(project_id.encode())
        files.write_whole(f"{folder}/{repository.ID_FILE}", content)
    except (OSError, StoreError):
        pass  # somebody else's repository: its aliases will do
