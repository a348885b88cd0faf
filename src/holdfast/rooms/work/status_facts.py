"""What a status line tells beside the brief: task, pull request, gates and rules.

Gathered after the commit of an event that may have changed it, for the brief file. It is shown to
the person and to no model.
"""

from __future__ import annotations

from holdfast.hook.brief_file import BRANCH, GATES, PULL, RULES, SHOWN, TASK
from holdfast.hook.voice import inline
from holdfast.rooms.prompts import queries as prompt_queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext

TASK_CAP = 160


def gather(context: EventContext) -> None:
    """All of it, when a session begins and when a turn ends."""
    if context.kept is None or context.is_late:
        return
    gather_words(context)
    gather_pull_request(context)
    context.status_facts[GATES] = str(context.open_gates())


def gather_words(context: EventContext) -> None:
    """What the user asks for: the task and the rules, which a prompt may change."""
    if context.kept is None or context.is_late:
        return
    context.status_facts[TASK] = inline(context.goal(), TASK_CAP)
    rules = prompt_queries.rules(
        context.store, context.project, context.event.session, context.branch()
    )
    in_force = [rule for rule in rules if rule.sort != "dead_end"]
    context.status_facts[RULES] = str(len(in_force))
    context.status_facts[SHOWN] = "1" if context.settings["identity.status_line"] else ""


def gather_pull_request(context: EventContext) -> None:
    """The branch's own, as far as its sessions have seen it; not one that was only looked at."""
    from holdfast.rooms.work.branches.queries import pull_request_of
    from holdfast.rooms.work.branches.work_seen import CLOSED, MERGED

    branch = context.branch()
    seen = pull_request_of(context.store, context.project, branch) if branch else None
    is_open = seen is not None and seen.is_sure and seen.state not in (MERGED, CLOSED)
    context.status_facts[BRANCH] = branch
    context.status_facts[PULL] = str(seen.number or "") if seen and is_open else ""
