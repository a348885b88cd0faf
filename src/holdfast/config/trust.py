"""What a person trusts on this machine: the content of a repository's configuration, by digest.

Laws: what is trusted is one file's content in one repository. Another content, another file or
another repository is not trusted. The file lies in the state home and is not exported: what counts
on one machine counts on no other. That something waits for trust is told once for each content,
and again when trust was taken back.
"""

from __future__ import annotations

from holdfast.system import files, jsontext, paths, repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    Digests = dict[str, str]  # of files, by their paths from the root

TOLD_CAP = 500


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
    if before:
        own = f"{_mark(root)} "
        _write_told(state, [line for line in _told(state) if not line.startswith(own)])
    return before


def is_told(state: str, root: str, content: str) -> bool:
    """Whether a session was told that of this content, by its digest, something waits."""
    return f"{_mark(root)} {content}" in _told(state)


def note_told(state: str, root: str, content: str) -> None:
    _write_told(state, [*_told(state), f"{_mark(root)} {content}"][-TOLD_CAP:])


def digest(content: bytes) -> str:
    return paths.digest(content)


def _told(state: str) -> list[str]:
    return (files.read_text(paths.trust_told(state)) or "").split("\n")


def _write_told(state: str, lines: list[str]) -> None:
    files.write_whole(paths.trust_told(state), "\n".join(lines).encode(), sync=False)


def _mark(root: str) -> str:
    return f"{paths.mark(_repository(root)):08x}"


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
