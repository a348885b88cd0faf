"""Pending tasks: what was left unfinished, from wherever that was written down.

Laws: what cannot be read as a task is skipped, never an error: these files belong to others; a task
is dropped at restore only if its own source could be read and no longer has it; a task is named
once.
"""

from __future__ import annotations

from holdfast.rooms.prompts.attribution import AGENT
from holdfast.rooms.tracker import beads
from holdfast.rooms.work.pins import label_of
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdfast.rooms.work.queries import Pin

STATE, BEADS, TODOS, PINS = "state", "beads", "todos", "pins"
STATE_STAGES = ("build", "verify", "validate")
TODO_STAGES = ("pending", "in_progress")
PINNED = "pinned"
CAP = 20
TITLE_CAP = 100
ID_CAP = 100
SLUG_CAP = 40


class OpenTask(Value):
    """A task that somebody left unfinished."""

    task_id: str
    title: str
    stage: str  # in the words of its source
    flagged_incomplete: bool
    source: str  # state, beads, todos, pins


def from_state(state: object) -> list[OpenTask]:
    """The tasks of a pipeline/state.json that are being built, verified or validated."""
    active = state.get("active_tasks") if isinstance(state, dict) else None
    if isinstance(active, dict):
        named = active.items()
        active = [{"task_id": key, **item} for key, item in named if isinstance(item, dict)]
    tasks = []
    for item in active if isinstance(active, list) else []:
        if not isinstance(item, dict):
            continue
        stage = _text(item, "current_stage", "stage").lower()
        if stage in STATE_STAGES:
            tasks.append(_task(_text(item, "task_id", "id"), _title(item), stage, STATE))
    return _once(tasks)


def from_pins(pins: list[Pin]) -> list[OpenTask]:
    """The pins that say of themselves that something is unfinished."""
    tasks = []
    for pin in pins:
        text = f"{pin.label} {pin.content}"
        number = _numbered(text)
        if number or _says_unfinished(text):
            name = number or slug(label_of(pin.content, pin.label)) or pin.id
            title = (pin.label or pin.content).strip()
            stage = f"{PINNED} by an agent" if pin.author == AGENT else PINNED
            tasks.append(_task(name, title, stage, PINS, flagged=True))
    return _once(tasks)


def from_todos(todos: Iterable[object]) -> list[OpenTask]:
    """The agent's own todos that are not done: a todo list's, or a task tool's."""
    tasks = []
    for item in todos:
        stage = _text(item, "stage", "status").lower().replace("-", "_")
        if stage in TODO_STAGES:
            title = _text(item, "subject", "content", "title")
            name = _text(item, "id", "task")
            if not name or name.isdigit():
                # Every session counts its tasks from 1: the number alone would be another's task.
                name = "-".join(part for part in (name, slug(title)) if part)
            tasks.append(_task(name, title, stage, TODOS))
    return _once(tasks)


def from_beads(lines: Iterable[str]) -> list[OpenTask]:
    """The unfinished issues of a tracker's file; what a later line says of one counts."""
    return from_issues(beads.issues_in(lines))


def from_issues(issues: dict[str, dict[str, Any]]) -> list[OpenTask]:
    staged = [(name, item, beads.stage_of(item)) for name, item in issues.items()]
    unfinished = [issue for issue in staged if issue[2] in beads.UNFINISHED]
    return _once(
        [_task(name.strip(), _title(item), stage, BEADS) for name, item, stage in unfinished]
    )


def merged(*lists: list[OpenTask]) -> list[OpenTask]:
    """Each task once, the first that names it, and no more than a session keeps."""
    return _once([task for listed in lists for task in listed])[:CAP]


def slug(text: str) -> str:
    """Words as a name: small letters and digits, with hyphens between."""
    kept = "".join(letter if letter.isalnum() else " " for letter in text.lower())
    return "-".join(kept.split())[:SLUG_CAP].rstrip("-")


def _once(tasks: list[OpenTask]) -> list[OpenTask]:
    by_id: dict[str, OpenTask] = {}
    for task in tasks:
        if task.task_id:
            by_id.setdefault(task.task_id, task)
    return list(by_id.values())


def _task(name: str, title: str, stage: str, source: str, *, flagged: bool = False) -> OpenTask:
    return OpenTask(name[:ID_CAP], " ".join(title.split())[:TITLE_CAP], stage, flagged, source)


def _title(item: object) -> str:
    return _text(item, "title", "name")


def _text(item: object, *keys: str) -> str:
    """The first of these that says something; a number is as good as its digits."""
    fields = item if isinstance(item, dict) else {}
    for key in keys:
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _numbered(text: str) -> str:
    """The task-NNN that is named first, "" for none."""
    lowered = text.lower()
    at = lowered.find("task-")
    while at >= 0:
        end = at + len("task-")
        while end < len(lowered) and lowered[end] in "0123456789":
            end += 1
        if end > at + len("task-") and not lowered[at - 1 : at].isalnum():
            return lowered[at:end]
        at = lowered.find("task-", at + 1)
    return ""


def _says_unfinished(text: str) -> bool:
    kept = "".join(letter if letter.isalnum() or letter in "-_" else " " for letter in text)
    words = kept.split()
    signs = ("incomplete", "in-progress", "in_progress")
    return "[task]" in text.lower() or "TODO" in words or any(w.lower() in signs for w in words)
