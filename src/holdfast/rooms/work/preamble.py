"""The continuity preamble: what earlier sessions left for this one.

Laws: a section with nothing in it is not there, and with no section there is no header either: a
cold start is silent; where no session was before, none is spoken of; a task is named once, with the
age of the session that saw it last; what was kept is shown on one line and cut; tasks are quoted,
and of what is named beside them only names stand bare.
"""

from __future__ import annotations

from holdfast.hook.voice import Ours, joined, named, ours
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.work.open_tasks import OpenTask

TITLE_CAP = 100
PROJECT_CAP = 50
NAME_CAP = 50  # a task's id, its stage, a topic
TOPICS = 10
DAY_HOURS = 24


class Inheritance(Value):
    """What earlier sessions left: how many they are, and what of theirs is told."""

    sessions: int
    tasks: list[tuple[OpenTask, float]]  # with each the hours since its session
    projects: list[str]
    topics: list[str]
    pins: int


class Part(Value):
    """The header or a section: what it says, and below it what is quoted."""

    name: str
    text: Ours
    items: list[str]


def preamble(left: Inheritance) -> list[Part]:
    """The header and the sections that have something to say."""
    parts = []
    lines = [_task_line(task, hours) for task, hours in _latest(left.tasks)]
    if lines:
        parts.append(Part("tasks", ours("PENDING TASKS:"), lines))
    projects = _distinct(left.projects, PROJECT_CAP)
    if projects:
        text = ours("ACTIVE PROJECTS: {}", joined(", ", map(named, projects)))
        parts.append(Part("projects", text, []))
    words = _distinct(left.topics, NAME_CAP)[:TOPICS]
    if words:
        parts.append(Part("topics", ours("HOT TOPICS: {}", joined(", ", map(named, words))), []))
    if left.pins > 0:
        text = ours("WORKING MEMORY RESTORED: {} pins inherited (see `holdfast pins`)", left.pins)
        parts.append(Part("pins", text, []))
    if parts and left.sessions:
        header = ours("[SESSION CONTINUITY — inherited from {} prior session(s)]", left.sessions)
        parts.insert(0, Part("header", header, []))
    return parts


def count_tasks(left: Inheritance) -> int:
    """How many tasks are named."""
    return len(_latest(left.tasks))


def whole(parts: list[Part]) -> str:
    """The parts as one text, "" when there are none."""
    return "\n\n".join("\n".join([part.text, *part.items]) for part in parts)


def _task_line(task: OpenTask, hours: float) -> str:
    name = _line(task.task_id, NAME_CAP)
    title = _line(task.title, TITLE_CAP) or "(no title)"
    stage = _line(task.stage, NAME_CAP) or "unknown"
    days = int(max(0, hours) // DAY_HOURS)
    return f"- [{name}] {title} (last stage: {stage}, {days}d ago)"


def _latest(tasks: list[tuple[OpenTask, float]]) -> list[tuple[OpenTask, float]]:
    """Each task once, where it first stood, as the youngest session told it."""
    by_id: dict[str, tuple[OpenTask, float]] = {}
    for task, hours in tasks:
        known = by_id.get(task.task_id)
        if known is None or hours < known[1]:
            by_id[task.task_id] = (task, hours)
    return list(by_id.values())


def _distinct(names: list[str], cap: int) -> list[str]:
    return [name for name in dict.fromkeys(_line(name, cap) for name in names) if name]


def _line(text: object, cap: int) -> str:
    """Text that cannot leave its line, at most `cap` characters of it."""
    words = str(text or "").split()
    shown = "".join(letter for letter in " ".join(words) if letter.isprintable())
    return shown[:cap].rstrip()
