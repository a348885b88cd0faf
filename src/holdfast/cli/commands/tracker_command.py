"""Show and change the project's tracker: `br` or `bd`, else its file, else our own list.

`ready` lists the items that nothing blocks, `show ID` everything known of one. `add TITLE`, `start
ID`, `comment ID TEXT` and `done ID` change it; `sync` lets the program write its file. An item is
done only when enough scenarios prove it. Nothing is committed, nothing is pushed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from holdfast.cli.helpers.place_here import misuse, verbatim
from holdfast.cli.helpers.project_files import ProjectFiles, files_here
from holdfast.cli.helpers.report import Report
from holdfast.errors import HoldfastError, NotFound
from holdfast.rooms.recovery import closing, synthesis
from holdfast.rooms.tracker import beads, queries, trackers
from holdfast.system import environment

if TYPE_CHECKING:
    from holdfast.rooms.tracker.trackers import Item

ACTS = ("ready", "show", "add", "start", "comment", "done", "sync")
PARAMETERS: list[click.Parameter] = [
    click.Argument(["act"], type=click.Choice(ACTS), default="ready"),
    click.Argument(["words"], nargs=-1),
    click.Option(["--reason"], default="", help="For done: why, as the tracker keeps it."),
]
WORDS = {"ready": 0, "sync": 0, "comment": 2}
ID_BYTES = 2


def run(*, act: str, words: tuple[str, ...], reason: str) -> Report:
    if len(words) != WORDS.get(act, 1):
        misuse(f"{act} takes {WORDS.get(act, 1) or 'no'} words")
    if reason and act != "done":
        misuse(f"{act} takes no reason")
    project_files = files_here(to_act=act not in ("ready", "show"))
    items = project_files.tracker()
    if items.where == trackers.OFF:
        raise HoldfastError("the tracker is off", hint="see the setting `tracker.program`")
    try:
        if act == "ready":
            return _ready(project_files, items)
        if act == "show":
            return _show(project_files, items, words[0])
        if act == "sync":
            return _sync(items)
        if act == "add":
            return _add(project_files, items, words[0])
        return _act(project_files, items, act, words, reason)
    except LookupError as error:
        raise NotFound(f"no item {error}", hint="see `holdfast tracker ready`") from error
    except OSError as error:
        raise HoldfastError(
            f"the tracker's file cannot be written: {error}", hint="whose is it?"
        ) from error


def _ready(project_files: ProjectFiles, items: trackers.Tracker) -> Report:
    ready = items.ready(project_files.here.at)
    lines = [f"{_mark(item)} {trackers.named(item)}" for item in ready]
    empty = "Nothing is ready: `holdfast tracker add TITLE` adds an item."
    return Report(tuple(lines) or (empty,), {"tracker": items.where, "items": ready})


def _mark(item: Item) -> str:
    return "●" if beads.stage_of(item) == "in_progress" else "·"


def _show(project_files: ProjectFiles, items: trackers.Tracker, id_: str) -> Report:
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
    data = {"tracker": items.where, "item": item, "told": notes}
    return Report(tuple(lines), data)


def _label(value: Any) -> str:
    named = value if isinstance(value, dict) else {}
    if named.get("decision") and named.get("standing"):
        return f"{named['decision']}  ({named['standing']} when it was written)"
    return str(named.get("decision") or named.get("name") or named.get("session_id") or value)


def _add(project_files: ProjectFiles, items: trackers.Tracker, title: str) -> Report:
    title = " ".join(title.split())
    if not title:
        raise HoldfastError("an item needs a title", hint="write it in quotation marks")
    id_ = environment.system.urandom(ID_BYTES).hex()
    made = items.add(title, now=project_files.here.at, id_=id_)
    if items.where == trackers.OWN:
        synthesis.track(project_files.here, made, title, "open")
    return Report((f"{made} is added.",), {"tracker": items.where, "id": made, "title": title})


def _act(
    project_files: ProjectFiles,
    items: trackers.Tracker,
    act: str,
    words: tuple[str, ...],
    reason: str,
) -> Report:
    item = items.show(words[0])
    id_, here = str(item["id"]), project_files.here
    if act == "comment":
        items.comment(id_, words[1], now=here.at)
        synthesis.keep_told(here, items.where, id_, ("comment", ""), words[1])
        message = f"{id_} has it."
    else:
        stage = "closed" if act == "done" else "in_progress"
        if act == "done":
            many = closing.scenarios(here, item)
            trackers.refuse_unproved(id_, many, project_files.settings["checkpoint.min_scenarios"])
        items.move(id_, stage, now=here.at, reason=reason)
        if items.where == trackers.OWN:
            synthesis.track(here, id_, str(item["title"]), stage)
        if act == "start" and here.session:
            synthesis.keep_told(here, items.where, id_, (closing.STARTED, here.session), "")
        message = f"{id_} is {'done' if act == 'done' else 'begun'}."
    return Report((message,), {"tracker": items.where, "id": id_, "act": act})


def _sync(items: trackers.Tracker) -> Report:
    if items.where not in trackers.PROGRAMS:
        message = "There is no program to sync: what is written is written."
        return Report((message,), {"tracker": items.where, "synced": False})
    if not items.sync():
        raise HoldfastError(
            f"`{items.where} sync --flush-only` failed", hint="try it yourself to see why"
        )
    return Report(("Its file is written.",), {"tracker": items.where, "synced": True})
