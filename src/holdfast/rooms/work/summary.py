"""The picture: what is known of a session's work, gathered once and told in several skins.

Briefing, instructions for the summariser, checkpoint, handoff and the commands all read this one
set of facts; none of them collects by itself.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.tracker import beads
from holdfast.rooms.work import (
    budget,
    checkpoint,
    found_work,
    handoff,
    open_tasks,
    other_tools,
    topics,
)
from holdfast.rooms.work import pins as work_pins
from holdfast.rooms.work import queries as work_queries
from holdfast.system import clock, files, jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.store.sqlite import Store

STATE_CAP_BYTES = 1 << 20
LEARNINGS = 3
COMMITS = 5


def draw(store: Store, project: str, session: str, *, now: str) -> dict[str, Any]:
    """Everything that a skin may want to tell of one session; the project's rules and pins too."""
    done = work_queries.activity(store, session) or dict.fromkeys(work_queries.ACTIVITY, "")
    found: dict[str, Any] = {"project": project, "session": session, "activity": done}
    found["goal"] = prompt_queries.goal(store, done["goal"])
    found |= in_force(store, project, session)
    found["withdrawn"] = prompt_queries.withdrawn_texts(store, project)
    caps = checkpoint.CAPS
    found["created"] = work_queries.files(store, session, "created", caps["files_created"])
    found["edited"] = work_queries.files(store, session, "edited", caps["files_edited"])
    found["read"] = work_queries.files(store, session, "read", caps["files_read"])
    found["failing"] = [
        one
        for one in work_queries.commands(store, session, caps["errors_unresolved"], ok=False)
        if found_work.is_check(one["command"])
    ]
    found["last_command"] = work_queries.last_command(store, session)
    found["todos"] = [
        one
        for one in work_queries.tasks(store, session)
        if one["stage"] in ("pending", "in_progress")
    ]
    found["pins"] = pins(store, project, session)
    given = work_queries.last_handoff(store, session)
    message, summary = done["last_message"], done["summary"]
    found["handoff"] = given
    found["next_steps"], found["next_source"] = handoff.next_steps(
        given, found["todos"], message, summary
    )
    found["summary"], found["summary_source"] = handoff.summary(given, message, summary)
    found["topics"] = work_queries.topics(store, session, topics.TOP)
    found["helpers"] = work_queries.helpers(store, session)
    found["learnings"] = work_queries.learnings(store, project, LEARNINGS)
    found["queue"] = _queue(store, session, found, now)
    tokens, window = done["tokens"] or 0, done["window"] or 0
    found["phase"] = budget.phase(tokens, window) if tokens and window else budget.VERBOSE
    return found


def in_force(store: Store, project: str, session: str) -> dict[str, list[dict[str, Any]]]:
    """The rules that hold in a session, and apart from them the dead ends, and what was only heard
    in it."""
    rules = prompt_queries.rules(store, project, session)
    held = [rule for rule in rules if rule["standing"]]
    return {
        "rules": [rule for rule in held if rule["sort"] != "dead_end"],
        "dead_ends": [rule for rule in held if rule["sort"] == "dead_end"],
        "heard": [rule for rule in rules if not rule["standing"]],
    }


def pins(store: Store, project: str, session: str) -> list[dict[str, Any]]:
    """What a session keeps in sight: its own pins first, then what it inherited, ten at most."""
    own = work_queries.pins(store, project, session)
    labels = {work_pins.label_of(one["content"], one["label"]) for one in own}
    inherited = [
        one
        for one in work_queries.inherited_pins(store, session)
        if work_pins.label_of(one["content"], one["label"]) not in labels
    ]
    return [*own, *inherited][: work_pins.CAP]


def active(store: Store, found: dict[str, Any]) -> dict[str, str]:
    """Where the work stands, as notes tell it. Never the words of a prompt: notes are committed."""
    last = work_queries.last_checkpoint(store, found["project"])
    told = found["next_source"] in (handoff.GIVEN, handoff.TODOS)
    return {
        "Last Checkpoint": last["at"][:16] + "Z" if last else "",
        "Reasoning State": "; ".join(found["next_steps"]) if told else "",
    }


def pending(root: str, settings: dict[str, Any], found: dict[str, Any]) -> list[dict[str, Any]]:
    """Tasks that are still to do, as their sources tell it now: done ones are simply not there."""
    return list(
        open_tasks.merged(
            open_tasks.from_todos(found["todos"]),
            *outside(root, settings).values(),
            open_tasks.from_pins(found["pins"]),
        )
    )


def outside(root: str, settings: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Tasks in files of the project: its tracker's, and the state of its pipeline."""
    found: dict[str, list[dict[str, Any]]] = {}
    if not root:
        return found
    path = settings["tasks.state_file"]
    text = files.read_text(f"{root}/{path}", STATE_CAP_BYTES) if path else None
    if text is not None:
        try:
            found["state"] = open_tasks.from_state(jsontext.loads(text))
        except ValueError:
            pass  # half written, or somebody else's: the other sources will do
    issues = beads.read(root)
    if issues is not None:
        found["beads"] = open_tasks.from_issues(issues)
    return found


def commits(gitdir: str) -> list[str]:
    """Subjects of the latest commits, newest first, from git's own log of HEAD."""
    tail = files.read_bytes(f"{gitdir}/logs/HEAD", 1 << 14, tail=True) if gitdir else None
    found: list[str] = []
    for line in reversed((tail or b"").decode("utf-8", "replace").splitlines()):
        what, _, subject = line.partition("\t")[2].partition(": ")
        if what.startswith("commit") and subject and subject not in found:
            found.append(subject)
        if len(found) == COMMITS:
            break
    return found


def checkpoint_of(found: dict[str, Any], cause: str) -> dict[str, Any]:
    """The body of a checkpoint: tier 1 as it is now; where the ledger stands its header says."""
    return {
        "cause": cause,
        "schema": checkpoint.VERSION,
        "tokens": found["activity"]["tokens"] or 0,
        "phase": found["phase"],
        "tier1": tier1(found),
    }


def tier1(found: dict[str, Any]) -> dict[str, Any]:
    """What a checkpoint keeps. Texts of the goal, of rules and pins are named by their ids: what
    is forgotten where it was said is forgotten here."""
    goal = found["goal"]
    states = dict(found["helpers"])
    pointers = [value for name, value in sorted(states.items()) if name != other_tools.SERENA]
    return {
        "session_id": found["session"],
        "original_goal": goal["id"] if goal else "",
        "goal_keywords": goal["keywords"] if goal and goal["session"] == found["session"] else [],
        "constraints": [
            rule["id"] for name in ("rules", "dead_ends", "heard") for rule in found[name]
        ],
        "pins": [one["id"] for one in found["pins"]],
        "serena_activated": other_tools.SERENA in states,
        "serena_project": states.get(other_tools.SERENA, ""),
        "pal_continuation_id": pointers[0] if pointers else "",
        "files_created": found["created"],
        "files_edited": found["edited"],
        "errors_unresolved": [one["command"] for one in found["failing"]],
    }


def _queue(store: Store, session: str, found: dict[str, Any], now: str) -> list[dict[str, Any]]:
    items = []
    for one in found["failing"]:
        sort, priority = found_work.judge_error(one["command"], one["says"])
        items.append(_item(sort, priority, f"`{one['command']}` fails", one["at"], now))
    for one in work_queries.found_work(store, session, found_work.CONSIDERED):
        priority = found_work.PRIORITIES[one["sort"]]
        items.append(_item(one["sort"], priority, one["description"], one["at"], now))
    return list(found_work.ordered(items))


def _item(sort: str, priority: int, description: str, at: str, now: str) -> dict[str, Any]:
    return {
        "id": description,
        "sort": sort,
        "source": "session",
        "description": description,
        "priority": priority,
        "found_at": at,
        "hours": max(0.0, (clock.seconds_of(now) - clock.seconds_of(at)) / 3600),
    }
