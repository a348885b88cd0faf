"""What a person trusts on this machine: the content of a repository's configuration, by digest.

Law: what is trusted is one file's content in one repository. Another content, another file or
another repository is not trusted. The file lies in the state home and is not exported: what counts
on one machine counts on no other.
"""

from __future__ import annotations

from holdfast.system import files, jsontext, paths, repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    Digests = dict[str, str]  # of files, by their paths from the root


def digests(state: str, root: str) -> Digests:
    """What is trusted in the repository of a work tree."""
    trusted = _all(state).get(_repository(root))
    return trusted if isinstance(trusted, dict) else {}


def give(state: str, root: str, contents: dict[str, bytes]) -> Digests:
    """Trust these contents, besides what is trusted; their digests."""
    given = {name: digest(content) for name, content in contents.items()}
    _write(state, root, digests(state, root) | given)
    return given


def revoke(state: str, root: str) -> Digests:
    """Trust nothing of a repository any more; what was trusted."""
    before = digests(state, root)
    _write(state, root, {})
    return before


def digest(content: bytes) -> str:
    return paths.digest(content)


def _write(state: str, root: str, trusted: Digests) -> None:
    files.own_folder(state)
    every = {**_all(state), _repository(root): trusted}
    text = jsontext.dumps({place: names for place, names in every.items() if names})
    files.write_whole(paths.trusted(state), text.encode())


def _all(state: str) -> dict[str, Digests]:
    try:
        every = jsontext.loads(files.read_text(paths.trusted(state)) or "{}")
    except ValueError:
        return {}  # torn: nothing is trusted
    return every if isinstance(every, dict) else {}


def _repository(root: str) -> str:
    """Worktrees of one repository are trusted together."""
    gitdir = repository.gitdir_of(root)
    import os

    return os.path.realpath(repository.common_of(gitdir) if gitdir else root)
