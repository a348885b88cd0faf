"""Trusting what a repository's committed configuration asks for, and taking that back.

Law: what is trusted is the content that was shown, by its digest, and an entry says who did it and
what it allowed; what was demanded before and is no longer goes with it. Whose act it may be is for
the door to ask.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.config import trust
from holdfast.config.compiler import layers_of
from holdfast.config.layers import Layer
from holdfast.ledger.workspace import Workspace
from holdfast.system import clock, files, paths

PERSON = "person"


@dataclass(frozen=True)
class Asked:
    """A file of the work tree, and what of it waits for trust."""

    name: str  # from the root
    standing: str
    digest: str
    waiting: tuple[str, ...]
    content: bytes


def asked(root: str) -> list[Asked]:
    """The configuration files of a work tree."""
    inside = f"{root.rstrip('/')}/"
    return [
        _asked(layer, inside) for layer in layers_of(root).layers if layer.path.startswith(inside)
    ]


def _asked(layer: Layer, inside: str) -> Asked:
    name, digest = layer.path[len(inside) :], trust.digest(layer.content)
    return Asked(name, layer.standing, digest, layer.waiting, layer.content)


def give(workspace: Workspace, project: str, root: str, files: list[Asked]) -> None:
    """Trust these contents. One that is the person's own counts as before, and goes on to count
    when it is committed as it is."""
    chosen = [each for each in files if each.content]
    given = trust.give(workspace.state, root, {each.name: each.content for each in chosen})
    allowed = [f"{each.name}: {line}" for each in chosen for line in each.waiting]
    body = {"files": given, "allowed": allowed, "author": PERSON}
    with workspace.store.transaction():
        workspace.say("repository_trusted", body, at=clock.now(), project=project)


def confirm(state: str, root: str) -> None:
    """What the files no longer demand is not demanded any more: what was compiled goes."""
    files.remove(paths.compiled_requirements(state, root))


def revoke(workspace: Workspace, project: str, root: str) -> list[str]:
    """Trust nothing of this repository; the files that were trusted."""
    before = trust.revoke(workspace.state, root)
    if before:
        body = {"files": before, "author": PERSON}
        with workspace.store.transaction():
            workspace.say("trust_revoked", body, at=clock.now(), project=project)
    return sorted(before)
