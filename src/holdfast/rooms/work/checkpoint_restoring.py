"""A checkpoint brought back: what of its tier 1 a session goes on with.

Laws: it is an entry, so that a replay gives the same; texts are looked up where they were said, so
what was forgotten or withdrawn since does not come back; the list of what is to do comes back as it
stands now; whoever speaks for the user alone brings back another task.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.work import pins, queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.work.queries import Checkpoint
    from holdfast.store.sqlite import Store

RESTORED = "restored"


def inheritance(
    store: Store, session: str, origin: Checkpoint, tier1: Body, *, cap: int, by_person: bool
) -> Body:
    """The entry by which a session goes on from a checkpoint."""
    current = prompt_queries.goal_of(store, session)
    goal = prompt_queries.goal_named(store, tier1["original_goal"])
    if goal and current and goal.thread != current.thread and not by_person:
        goal = None
    followed = goal or current
    here = queries.inherited_pins(store, session)
    own = queries.pins(store, origin.project, session)
    offered = [
        pin
        for pin in queries.pins_named(store, origin.project, tier1["pins"])
        if pin.session not in ("", session)  # those are here anyway
    ]
    taken = pins.inherit(
        [*own, *here], offered, is_relevant=True, hours=0.0, cap=max(0, cap - len(here))
    )
    is_own = origin.session == session
    return {
        "how": RESTORED,
        "sessions": [] if is_own else [{"session": origin.session, "permille": 1000}],
        "checkpoint": origin.id,
        "goal": followed.id if followed else "",
        "thread": followed.thread if followed else "",
        "pins": [{"pin": pin.id, "source": origin.session} for pin in taken],
        "todos": tier1["todos"] if tier1["todos"] != session else "",
        "tasks": 0,
        "decayed": 0,
    }
