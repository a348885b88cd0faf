"""Show and change the project's tracker: `br` or `bd`, else its file, else our own list.

An item is done only when enough scenarios prove it. Nothing is committed, nothing is pushed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypedDict

from holdfast.cli.helpers.place_here import verbatim
from holdfast.cli.helpers.project_files import ProjectFiles, files_here
from holdfast.cli.helpers.report import Data, Report
from holdfast.cli.helpers.verbs import ID, Verb, argument, option
from holdfast.errors import HoldfastError, NotFound
from holdfast.rooms.recovery import closing, synthesis
from holdfast.rooms.tracker import beads, queries, trackers
from holdfast.system import environment

if TYPE_CHECKING:
    from holdfast.rooms.tracker.trackers import Item


class ItemsReady(TypedDict):
    """The items that nothing holds up, as the tracker has them."""

    tracker: str
    items: list[Data]


class ItemShown(TypedDict):
    """An item as the tracker has it, and what it was told."""

    tracker: str
    item: Data
    told: list[Data]


class ItemAdded(TypedDict):
    """The item that was added."""

    tracker: str
    id: str
    title: str


class ItemActed(TypedDict):
    """The item that was changed, and how."""

    tracker: str
    id: str
    act: str


class TrackerSynced(TypedDict):
    """Whether a program wrote its file."""

    tracker: str
    synced: bool


ID_BYTES = 2


@contextmanager
def _tracker(*, to_act: bool = False) -> Iterator[tuple[ProjectFiles, trackers.Tracker]]:
    """The project's tracker; what it refuses is told as an error."""
    project_files = files_here(to_act=to_act)
    items = project_files.tracker()
    if items.where == trackers.OFF:
        raise HoldfastError("the tracker is off", hint="see the setting `tracker.program`")
    try:
        yield project_files, items
    except LookupError as error:
        raise NotFound(f"no item {error}", hint="see `holdfast tracker ready`") from error
    except OSError as error:
        raise HoldfastError(
            f"the tracker's file cannot be written: {error}", hint="whose is it?"
        ) from error


def ready() -> Report[ItemsReady]:
    """List the items that nothing holds up, the one in work first."""
    with _tracker() as (project_files, items):
        ready = items.ready(project_files.here.at)
    lines = [f"{_mark(item)} {trackers.named(item)}" for item in ready]
    empty = "Nothing is ready: `holdfast tracker add TITLE` adds an item."
    return Report(lines or [empty], {"tracker": items.where, "items": ready})


def _mark(item: Item) -> str:
    return "●" if beads.stage_of(item) == "in_progress" else "·"


def show(*, id_: str) -> Report[ItemShown]:
    """Show all that is known of an item."""
    with _tracker() as (project_files, items):
        item = items.show(id_)
    notes = queries.notes(project_files.here.workspace.store, project_files.here.project, id_)
    lines = [trackers.named(item), f"Status     {item.get('status', 'unknown')}"]
    if item.get("description"):
        lines.append(f"           {verbatim(str(item['description']), 11)}")
    for name in ("decisions", "test_scenarios", "handoffs", "next_steps", "blockers", "questions"):
        for value in beads.listed(item, name):
            lines.append(f"{name:<10} {verbatim(_label(value), 11)}")
    for comment in beads.listed(item, "comments"):
        if isinstance(comment, dict):
            lines.append(f"comment    {verbatim(str(comment.get('text', '')), 11)}")
    data: ItemShown = {"tracker": items.where, "item": item, "told": notes}
    return Report(lines, data)


def _label(value: Any) -> str:
    named = value if isinstance(value, dict) else {}
    if named.get("decision") and named.get("standing"):
        return f"{named['decision']}  ({named['standing']} when it was written)"
    return str(named.get("decision") or named.get("name") or named.get("session_id") or value)


def add(*, title: str) -> Report[ItemAdded]:
    """Add an item."""
    with _tracker(to_act=True) as (project_files, items):
        title = " ".join(title.split())
        if not title:
            raise HoldfastError("an item needs a title", hint="write it in quotation marks")
        id_ = environment.system.urandom(ID_BYTES).hex()
        made = items.add(title, now=project_files.here.at, id_=id_)
        if items.where == trackers.OWN:
            synthesis.track(project_files.here, made, title, "open")
    return Report((f"{made} is added.",), {"tracker": items.where, "id": made, "title": title})


def start(*, id_: str) -> Report[ItemActed]:
    """Begin with an item."""
    with _tracker(to_act=True) as (project_files, items):
        item, here = items.show(id_), project_files.here
        whole_id = _move(project_files, items, item, "in_progress")
        if here.session:
            synthesis.keep_told(here, items.where, whole_id, (closing.STARTED, here.session), "")
        return _acted(items, whole_id, "start", "is begun")


def comment(*, id_: str, text: str) -> Report[ItemActed]:
    """Write a comment to an item."""
    with _tracker(to_act=True) as (project_files, items):
        whole_id, here = str(items.show(id_)["id"]), project_files.here
        items.comment(whole_id, text, now=here.at)
        synthesis.keep_told(here, items.where, whole_id, ("comment", ""), text)
        return _acted(items, whole_id, "comment", "has it")


def done(*, id_: str, reason: str) -> Report[ItemActed]:
    """Close an item, once enough scenarios prove it."""
    with _tracker(to_act=True) as (project_files, items):
        item = items.show(id_)
        many = closing.scenarios(project_files.here, item)
        least = project_files.settings["checkpoint.min_scenarios"]
        trackers.refuse_unproved(str(item["id"]), many, least)
        return _acted(items, _move(project_files, items, item, "closed", reason), "done", "is done")


def _move(
    project_files: ProjectFiles, items: trackers.Tracker, item: Item, stage: str, reason: str = ""
) -> str:
    id_, here = str(item["id"]), project_files.here
    items.move(id_, stage, now=here.at, reason=reason)
    if items.where == trackers.OWN:
        synthesis.track(here, id_, str(item["title"]), stage)
    return id_


def _acted(items: trackers.Tracker, id_: str, verb: str, how: str) -> Report[ItemActed]:
    return Report((f"{id_} {how}.",), {"tracker": items.where, "id": id_, "act": verb})


def sync() -> Report[TrackerSynced]:
    """Let the tracker's program write its file."""
    with _tracker(to_act=True) as (_, items):
        if items.where not in trackers.PROGRAMS:
            message = "There is no program to sync: what is written is written."
            return Report((message,), {"tracker": items.where, "synced": False})
        if not items.sync():
            raise HoldfastError(
                f"`{items.where} sync --flush-only` failed", hint="try it yourself to see why"
            )
        return Report(("Its file is written.",), {"tracker": items.where, "synced": True})


VERBS = {
    "ready": Verb(ready),
    "show": Verb(show, ID),
    "add": Verb(add, argument("title")),
    "start": Verb(start, ID),
    "comment": Verb(comment, ID, argument("text")),
    "done": Verb(done, ID, option("--reason", default="", help="The reason to record.")),
    "sync": Verb(sync),
}
