"""The continuity preamble: what earlier sessions left for this one.

Laws: a section with nothing in it is not there, and with no section there is no header either: a
cold start is silent; a task is named once, with the age of the session that saw it last; what was
kept is shown on one line and cut (fencing it is the briefing's work).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TITLE_CAP = 100
PROJECT_CAP = 50
NAME_CAP = 50  # a task's id, its stage, a topic
TOPICS = 10
DAY_HOURS = 24


def preamble(
    *,
    sessions: int,
    tasks: list[dict[str, Any]],
    projects: list[str],
    topics: list[str],
    pins: int,
) -> list[tuple[str, str]]:
    """The header and the sections that have something to say, by name.

    A task is {"task_id", "title", "stage", "hours"}, its hours those since its session.
    """
    parts = []
    lines = [_task_line(task) for task in _latest(tasks)]
    if lines:
        parts.append(("tasks", "\n".join(["PENDING TASKS:", *lines])))
    named = _distinct(projects, PROJECT_CAP)
    if named:
        parts.append(("projects", f"ACTIVE PROJECTS: {', '.join(named)}"))
    words = _distinct(topics, NAME_CAP)[:TOPICS]
    if words:
        parts.append(("topics", f"HOT TOPICS: {', '.join(words)}"))
    if pins > 0:
        line = f"WORKING MEMORY RESTORED: {pins} pins inherited (see working_memory view)"
        parts.append(("pins", line))
    if parts:
        header = f"[SESSION CONTINUITY — inherited from {sessions} prior session(s)]"
        parts.insert(0, ("header", header))
    return parts


def whole(parts: list[tuple[str, str]]) -> str:
    """The parts as one text, "" when there are none."""
    return "\n\n".join(text for _, text in parts)


def _task_line(task: dict[str, Any]) -> str:
    name = _line(task["task_id"], NAME_CAP)
    title = _line(task.get("title"), TITLE_CAP) or "(no title)"
    stage = _line(task.get("stage"), NAME_CAP) or "unknown"
    days = int(max(0, task.get("hours") or 0) // DAY_HOURS)
    return f"- [{name}] {title} (last stage: {stage}, {days}d ago)"


def _latest(tasks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each task once, where it first stood, as the youngest session told it."""
    by_id: dict[str, dict[str, Any]] = {}
    for task in tasks:
        known = by_id.get(task["task_id"])
        if known is None or (task.get("hours") or 0) < (known.get("hours") or 0):
            by_id[task["task_id"]] = task
    return list(by_id.values())


def _distinct(names: list[str], cap: int) -> list[str]:
    return [name for name in dict.fromkeys(_line(name, cap) for name in names) if name]


def _line(text: object, cap: int) -> str:
    """Text that cannot leave its line, at most `cap` characters of it."""
    words = str(text or "").split()
    shown = "".join(letter for letter in " ".join(words) if letter.isprintable())
    return shown[:cap].rstrip()
