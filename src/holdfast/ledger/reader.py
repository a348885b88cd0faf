"""One open store to be asked, and what a project is set to: all that a judgement needs.

Apart from `ledger/workspace.py`, because what is judged before every tool call loads nothing that
it would need for writing.
"""

from __future__ import annotations

from holdfast.config import compiled
from holdfast.store.driver import BUSY_TIMEOUT_S, apsw
from holdfast.store.sqlite import Store
from holdfast.system import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.compiled import Compiled
    from holdfast.config.settings import Settings

UNWRITABLE = (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError)


class Reading:
    """The store, opened to be asked and not to be written to; and what a project is set to."""

    unread: tuple[str, ...] = ()  # files that were found unreadable just now
    has_new_settings = False  # they were compiled just now

    def __init__(self, state: str, *, busy_s: float = BUSY_TIMEOUT_S) -> None:
        self.state = state
        try:
            self.store = Store(paths.store(state), busy_s=busy_s, create=False)
        except UNWRITABLE:  # even to read a log SQLite wants to write beside it
            from holdfast.store.memory_copy import MemoryCopy

            self.store = MemoryCopy(paths.store(state))
        self.store.run("pragma query_only = 1")

    def settings(self, root: str) -> Settings:
        """Every setting's value in a project."""
        from holdfast.config import settings

        values = settings.lookup(self.state, root)
        if values is None:
            from holdfast.config.compiler import compile_settings

            values = compile_settings(self.state, root)
            self._count_damage()
            self.has_new_settings = True
        return values

    def requirements(self, root: str) -> Compiled:
        """What is demanded in a project: its requirements, and how they are told."""
        values = compiled.requirements(self.state, root)
        if values is None:
            from holdfast.config.compiler import compile_requirements

            values = compile_requirements(self.state, root)
            self.unread = tuple(values["unread"])
            self._count_damage()
        return values

    def _count_damage(self) -> None:
        """What was compiled and is damaged is counted: it has been compiled again."""
        if compiled.DAMAGED:
            from holdfast.ledger import faults

            faults.note(self.state, "settings damaged", "compiled.py", "compiled again")
            compiled.DAMAGED.clear()


class Unread(Reading):
    """What a project is set to, where the store cannot be read."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.store = None  # type: ignore[assignment]  # nobody asks it
