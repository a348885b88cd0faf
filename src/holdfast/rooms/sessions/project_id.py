"""A project's id on file, and whether it is believed.

The file lies beside the repository and carries a digest. Law: a changed id is noticed, not
believed. Where the id on file is new to a place, what else the ledger knows of the place is asked
(project.py); when that names another project, the project stays what it was, the file is written
anew, and one line tells it.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.rooms.sessions import project, queries, work_tree
from holdfast.system import files, paths, repository, seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.sessions.work_tree import Whereabouts
    from holdfast.store.sqlite import Store

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
    names = project.Names(
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
    places = [(project.PATH, root), (project.PATH, main), (project.REMOTE, remote)]
    return any(value and queries.is_alias(store, id_, sort, value) for sort, value in places)


def write(common: str, project_id: str) -> None:
    folder = paths.project_folder(common)
    try:
        files.own_folder(folder)
        content = seal.sealed(project_id.encode())
        files.write_whole(f"{folder}/{repository.ID_FILE}", content)
    except (OSError, StoreError):
        pass  # somebody else's repository: its aliases will do
