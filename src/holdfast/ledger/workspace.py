"""One open store and the folders around it: what every door works with.

`keep` is the one way in: it appends an entry and derives from it, in the caller's transaction.
"""

from __future__ import annotations

from holdfast.errors import Damaged, NotFound, StoreError
from holdfast.ledger import hook_costs, projections, queries as ledger
from holdfast.ledger.entry import Draft
from holdfast.ledger.kinds import KINDS
from holdfast.ledger.reader import Reading
from holdfast.redaction.gate import TEXT_CAP, gate, gate_id
from holdfast.store.driver import BUSY_TIMEOUT_S
from holdfast.store.sqlite import Store
from holdfast.system import environment, files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.settings import Settings
    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body


class Workspace(Reading):
    """The store, opened once, to be read and written."""

    is_of_the_past = False  # whether what is kept counts from its own time: an import sets it
    key_mark = ""  # behind the keys of what is imported again, when an import was undone
    _session = ("", "")  # as it came, as it is kept

    def __init__(self, state: str, *, busy_s: float = BUSY_TIMEOUT_S) -> None:
        self.state = files.own_folder(state)
        mark = hook_costs.mark(state)
        self.store = Store(paths.store(state), busy_s=busy_s)
        self._stale: list[str] | None = None
        self.lost = 0
        self.mended: tuple[str, ...] = ()
        if mark and ledger.last_place(self.store) < mark:
            from holdfast.ledger import losses

            self.lost, self.mended = losses.mend_tail(self.store, state, mark)

    def settings(self, root: str) -> Settings:
        """Every setting's value in a project; patterns of secrets are heeded from now on."""
        values = super().settings(root)
        if values["redaction.patterns"] or values["redaction.exceptions"]:
            from holdfast.redaction.gate import heed

            heed(values)
        return values

    @property
    def stale(self) -> list[str]:
        """Rooms that wait for a rebuild: their tables are left alone until it is done."""
        if self._stale is None:
            self._stale = projections.stale(self.store)
            if len(self._stale) == len(projections.ROOMS) and not ledger.last_place(self.store):
                for room, version in projections.ROOMS.items():  # a new store: nothing to rebuild
                    self.store.run(
                        "insert into derivations (room, version) values (?, ?)", room, version
                    )
                self._stale = []
        return self._stale

    def keep(
        self,
        kind: str,
        body: Body,
        *,
        key: str,
        at: str,
        project: str = "",
        session: str = "",
        agent: str = "",
        cap: int = TEXT_CAP,
    ) -> Entry | None:
        """Append and derive; None when the event was kept before."""
        waiting = self.stale
        entry = ledger.append(
            self.store,
            Draft(
                kind,
                at=at,
                project=project,
                session=self._gated(session),
                agent=agent,
                key=gate_id(key + self.key_mark),
                body=gate(body, cap),
            ),
            by_own_time=self.is_of_the_past,
        )
        if entry is not None:
            projections.derive(
                self.store,
                entry,
                tuple(room for room in KINDS[kind].rooms if room not in waiting),
            )
        return entry

    def _gated(self, session: str) -> str:
        """A session's id as it is kept; one event after the other has the same."""
        if self._session[0] != session:
            self._session = (session, gate_id(session))
        return self._session[1]

    def say(self, kind: str, body: Body, *, at: str, project: str, session: str = "") -> Entry:
        """Keep what no event of an agent's brought: said twice, it is kept twice."""
        agent = ledger.whose(self.store, session)[1] if session else ""
        key = f"{kind}:{at}:{environment.system.urandom(6).hex()}"
        entry = self.keep(kind, body, key=key, at=at, project=project, session=session, agent=agent)
        if entry is None:  # its key is its own, so this cannot be
            raise StoreError(f"{kind} was not kept", hint="try again")
        return entry


def existing() -> Workspace:
    """The store of this user, for commands that only read: nothing is made for them."""
    state = paths.state_home()
    if not files.exists(paths.store(state)):
        if hook_costs.mark(state):
            raise Damaged(f"{paths.store(state)} is gone, and entries were kept in it")
        raise NotFound("nothing has been kept yet", hint="run `holdfast init` in a project")
    workspace = Workspace(state)
    if workspace.lost:
        raise Damaged(workspace.mended[0], hint="what is left is sound: ask again")
    return workspace
