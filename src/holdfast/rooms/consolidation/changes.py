"""What a room would change while nobody waits: the words that rooms and a dream share.

A room offers `tidy(store, scene)`. It reads what it needs from the store at once and answers with a
function without arguments that thinks, without the store, and returns what it would keep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from holdfast.store.sqlite import Store

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body


@dataclass(frozen=True)
class Scene:
    """Where and when a dream is dreamt: its sessions are the registry's rows, latest first."""

    project: str
    root: str  # the project's folder; it may be gone
    sessions: tuple[dict[str, Any], ...]
    now: str


def _always(_: Store) -> bool:
    return True


@dataclass(frozen=True)
class Change:
    """An entry that a dream would keep, if what it rests on still `stands` when it is kept. One of
    a session is kept only while the session is there, in this project, and not archived."""

    kind: str
    body: Body
    key: str
    session: str = ""
    counts: dict[str, int] = field(default_factory=dict)  # what it adds to the report
    stands: Callable[[Store], bool] = _always


Think = Callable[[], list[Change]]
