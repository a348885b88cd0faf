"""What a session changed while its work had left the task.

A dream asks for it: what was done beside the task is not linked with it. The session's entries are
folded once more, as its mind was, and looked at after each step. That takes a while, so it is done
only where a turn ended off its purpose, or the session is off it now.

Laws: a turn in which the class falls is off the task as a whole, for drift begins before it is
noticed; what was also changed in a turn on the task belongs to the task; when the person accepts
what was done as the task, it is the task; a session that cannot be read has strayed nowhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from holdfast.errors import StoreError
from holdfast.ledger import queries as ledger
from holdfast.rooms.identity import brief, queries
from holdfast.rooms.identity.mind import Mind
from holdfast.rooms.identity.projection import anchored_by, foretold_by

if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store


class Strays(NamedTuple):
    """Files that were changed off the task alone; and when the session was off it."""

    files: frozenset[str]
    times: tuple[tuple[str, str], ...]  # from, to

    def at(self, moment: str) -> bool:
        return any(begun <= moment <= ended for begun, ended in self.times)


NONE = Strays(frozenset(), ())


def of_session(store: Store, session: str) -> Strays:
    try:
        if not _has_strayed(store, session):
            return NONE
        return of_entries(entry for _, entry in ledger.read(store, session=session))
    except StoreError:
        return NONE


def _has_strayed(store: Store, session: str) -> bool:
    """Whether a turn ended off the purpose, whose vector then points the other way; or it is off
    now."""
    mind = queries.mind_of(store, session)
    snapshot = queries.snapshot_of(store, session)
    is_off = mind is not None and brief.is_off_task(mind.reading())
    return is_off or any(sum(vector) < 0 for vector in (snapshot.trajectory if snapshot else ()))


def of_entries(entries: Iterable[Entry]) -> Strays:
    """The same, of a session's entries in order."""
    walk = _Walk()
    for entry in entries:
        walk.take(entry)
    walk.end_turn()
    return Strays(frozenset(walk.off_task - walk.on_task), tuple(walk.times))


class _Walk:
    """A mind on its way, and where it was when files were changed."""

    def __init__(self) -> None:
        self.mind, self.thread = Mind.begin(), ""
        self.foretold: tuple[list[str], list[str]] = ([], [])
        self.on_task: set[str] = set()
        self.off_task: set[str] = set()
        self.times: list[tuple[str, str]] = []
        self.was_off = False
        # Of this turn, as long as the class holds: a turn in which it falls is off as a whole.
        self.turn: list[tuple[str, str]] = []  # path, at

    def take(self, entry: Entry) -> None:
        body = entry.body
        if entry.kind == "session_began":
            self.foretold = foretold_by(body)
        elif entry.kind == "identity_inherited":
            self.mind = Mind.begin(body["legacy"], binds=not body.get("without_goal"))
            if any(self.foretold):
                self.mind.foretell(*self.foretold)
        elif entry.kind == "prompt_given" and not body.get("unverified"):
            self.end_turn()
            self.mind.prompt(body["prompt"], is_new_task=False)
        elif entry.kind == "goal_set":
            anchor = anchored_by(entry, self.thread)
            if anchor:
                self.thread = anchor
                self.mind.prompt(body["goal"], is_new_task=True)
        elif entry.kind == "identity_settled":
            self._settle(is_accepted=body["verdict"] == "accept")
        elif entry.kind == "tool_used" and "subagent" not in body:
            self._act(entry)

    def end_turn(self) -> None:
        """The class has held: what was changed was on the task."""
        self.on_task.update(path for path, _ in self.turn)
        self.turn = []

    def _settle(self, *, is_accepted: bool) -> None:
        if is_accepted:
            self.mind.accept()
            self.end_turn()
            self.off_task, self.times = set(), []
        else:
            self.mind.keep()
        self.was_off = False

    def _act(self, entry: Entry) -> None:
        self.mind.tool(entry.body)
        self.turn.append((entry.body.get("path") or "", entry.at))
        is_off = brief.is_off_task(self.mind.reading())
        if is_off:
            begun = self.times.pop()[0] if self.was_off else self.turn[0][1]
            self.times.append((begun, entry.at))
            self.off_task.update(path for path, _ in self.turn)
            self.turn = []
        self.was_off = is_off
