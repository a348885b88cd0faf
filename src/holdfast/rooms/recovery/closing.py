"""Closing a tracker item at the end of a turn: the one that the session itself began, and proved.

Laws: only where the setting `close.items` asks for it; never an item of somebody else's; at least
three scenarios, however few a project asks for; what was claimed is grounded. The contract is for
the caller to ask about. An entry says what was closed.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import queries as decisions
from holdfast.rooms.decisions.grounding.ratio import told
from holdfast.rooms.recovery import synthesis
from holdfast.rooms.tracker import beads, queries, trackers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.settings import Settings
    from holdfast.rooms.decisions.deciding import Here
    from holdfast.rooms.recovery.full_checkpoint import Checkup
    from holdfast.rooms.tracker.trackers import Item, Tracker

STARTED, CLOSED = "started", "closed"  # sorts of what is noted of an item
SCENARIOS = 3  # at least


def is_finished(here: Here, item: Item, checkup: Checkup, settings: Settings) -> bool:
    """Whether an item is this session's own, with scenarios and grounded claims enough."""
    store, ratio = here.workspace.store, checkup.ratio()
    if not queries.is_noted(store, here.project, str(item["id"]), STARTED, here.session):
        return False
    if ratio is None or ratio < settings["grounding.threshold"]:
        return False
    needed: int = max(SCENARIOS, settings["checkpoint.min_scenarios"])
    return scenarios(here, item) >= needed


def scenarios(here: Here, item: Item) -> int:
    """How many scenarios prove an item: its own, and those of the decisions it was told."""
    store, project = here.workspace.store, here.project
    decided = {
        note["subject"]
        for note in queries.notes(store, project, str(item["id"]))
        if note["sort"] == "decision"
    }
    made = [decision for decision in decisions.history(store, project) if decision.id in decided]
    own = [
        scenario for scenario in beads.listed(item, "test_scenarios") if isinstance(scenario, dict)
    ]
    names = {str(scenario.get("name")) for scenario in own}
    return len(names | {each.name for decision in made for each in decision.scenarios})


def close(here: Here, items: Tracker, item: Item, checkup: Checkup) -> bool:
    """Close it and keep that it was; False when the tracker would not have it."""
    id_ = str(item["id"])
    ratio = told(checkup.grounded, checkup.claims)
    reason = f"{scenarios(here, item)} scenarios, grounding {ratio}, the contract's evidence is new"
    try:
        items.move(id_, CLOSED, now=here.at, reason=reason)
    except (OSError, LookupError, HoldfastError):
        return False
    if items.where == trackers.OWN:
        synthesis.track(here, id_, str(item["title"]), CLOSED)
    synthesis.keep_told(here, items.where, id_, (CLOSED, here.session), reason)
    return True
