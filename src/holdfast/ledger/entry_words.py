"""An entry in a line: what kind of thing happened, and its own words. For timelines and sources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdfast.ledger.timeline_queries import KeptEntry
from holdfast.rooms.sessions.life import short

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

TEXT_CAP = 600
DEEDS = {"edit": "Edited", "create": "Created", "read": "Read"}
GONE = "Its text was forgotten."

# Groups of the timeline, as its filters name them.
PROMPTS, ACTS, CHECKS, COMMITS = "prompts", "acts", "checks", "commits"
LIFE, TOLD, KEPT, GATES, OTHER = "life", "told", "kept", "gates", "other"
GROUPS = {
    PROMPTS: "Prompts",
    ACTS: "Acts",
    CHECKS: "Checks",
    COMMITS: "Commits",
    LIFE: "Lifecycle",
    TOLD: "Told",
    KEPT: "Remembered",
    GATES: "Gates",
    OTHER: "Other",
}


# What a section of a briefing is called; in the order in which they are said (hook/event.py).
SECTIONS = {
    "crash": "What crashed",
    "since": "What changed elsewhere",
    "stands": "Where the work stands",
    "stopped": "Where it stopped",
    "rules": "Your rules",
    "choices": "Your choices",
    "goal": "The goal",
    "gates": "Gates",
    "next": "What is open",
    "decisions": "Decisions",
    "pins": "Pins",
    "topics": "What helps",
    "notice": "About Holdfast itself",
}


@dataclass(frozen=True)
class Words:
    """An entry as it is listed."""

    group: str
    title: str
    text: str = ""
    tone: str = ""  # ok, warn, bad
    at: str = ""  # a time that the text ends with


def summary_of(entry: KeptEntry) -> Words:
    group, title, read = KINDS.get(
        entry.kind, (OTHER, entry.kind.replace("_", " ").capitalize(), _nothing)
    )
    if entry.body is None:
        return Words(group, title, GONE)
    words = read(entry.body)
    if isinstance(words, Words):
        return words
    return Words(group, title, words[:TEXT_CAP])


if TYPE_CHECKING:
    Read = Callable[[Body], "str | Words"]


def _nothing(_: Body) -> str:
    return ""


def _field(*names: str) -> Read:
    def read(body: Body) -> str:
        values = (_text(body.get(name)) for name in names)
        return " · ".join(value for value in values if value)

    return read


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_text(each) for each in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_text(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, (str, int, float)) else ""


def _tool(body: Body) -> Words:
    deed, ok = body["deed"], body["ok"]
    tone = "" if ok else "bad"
    if deed == "run":
        says = "" if ok else f"\n{_text(body.get('error'))}"
        title = "Ran" if ok else "Ran, and it failed"
        return Words(ACTS, title, f"{_text(body.get('command'))}{says}"[:TEXT_CAP], tone)
    done: str = DEEDS.get(deed, _text(body["tool"]))
    about = _text(body.get("path")) or _text(body["input"])
    return Words(ACTS, done, about[:TEXT_CAP], tone)


def _evidence(body: Body) -> Words:
    ok = bool(body["passed"])
    title = f"{body['sort']} {'passed' if ok else 'failed'}".capitalize()
    return Words(
        CHECKS, title, f"{body['command']}\n{body['said']}"[:TEXT_CAP], "ok" if ok else "bad"
    )


def _seen(body: Body) -> Words:
    commits = [each for each in body.get("commits") or [] if isinstance(each, dict)]
    if commits:
        lines = [f"{_text(each.get('sha'))[:8]} {_text(each.get('subject'))}" for each in commits]
        return Words(COMMITS, "Committed", "\n".join(lines)[:TEXT_CAP])
    requests = [each for each in body.get("pull_requests") or [] if isinstance(each, dict)]
    if requests:
        lines = [
            f"#{_text(each.get('number'))} {_text(each.get('title'))} {_text(each.get('state'))}"
            for each in requests
        ]
        return Words(COMMITS, "Pull request seen", "\n".join(lines)[:TEXT_CAP])
    return Words(COMMITS, "Seen in an output", _text(body)[:TEXT_CAP])


def _given(body: Body) -> Words:
    lines = body.get("lines") or []
    sections = dict.fromkeys(str(line.get("section", "")) for line in lines)
    names = ", ".join(SECTIONS.get(name, name) for name in sections)
    return Words(TOLD, f"Told, {body['tokens']} tokens", names)


def _linked(body: Body) -> str:
    return f"{body['how']} {short(_text(body['previous']))}"


def _ended(body: Body) -> Words:
    return Words(LIFE, "Ended", _text(body.get("reason")))


def _crashed(body: Body) -> Words:
    return Words(LIFE, "Crashed", "last active", "bad", _text(body.get("last_active_at")))


def _refused(body: Body) -> Words:
    return Words(GATES, "End refused", _text(body.get("open")) or _text(body.get("lacks")), "warn")


def _denied(body: Body) -> Words:
    return Words(GATES, "Calls refused", _text(body.get("requirements")), "warn")


KINDS: dict[str, tuple[str, str, Read]] = {
    "prompt_given": (PROMPTS, "Prompt", _field("prompt")),
    "command_typed": (PROMPTS, "Command", _field("name", "arguments")),
    "calls_refused": (PROMPTS, "Refused by the user", _field("calls")),
    "tool_used": (ACTS, "Tool", _tool),
    "turn_ended": (ACTS, "Answer", _field("message")),
    "turn_cut": (ACTS, "Answer, cut off", _field("message")),
    "turn_failed": (ACTS, "Turn failed", _field("error", "details")),
    "subagent_began": (ACTS, "Subagent began", _field("sort")),
    "subagent_ended": (ACTS, "Subagent ended", _field("message")),
    "task_created": (ACTS, "Task created", _field("subject")),
    "task_completed": (ACTS, "Task completed", _field("subject")),
    "evidence_seen": (CHECKS, "Check", _evidence),
    "work_seen": (COMMITS, "Seen", _seen),
    "branch_seen": (OTHER, "Branch", _field("branch", "head")),
    "session_began": (LIFE, "Began", _field("source", "branch")),
    "session_linked": (LIFE, "Linked", _linked),
    "session_crashed": (LIFE, "Crashed", _crashed),
    "session_ended": (LIFE, "Ended", _ended),
    "context_closing": (LIFE, "Compaction begins", _field("trigger")),
    "context_compacted": (LIFE, "Compacted", _field("summary")),
    "state_inherited": (LIFE, "Took over", _field("how")),
    "checkpoint_taken": (OTHER, "Checkpoint", _field("cause", "phase")),
    "context_given": (TOLD, "Told", _given),
    "identity_told": (TOLD, "Told of identity", _field("class")),
    "rule_given": (KEPT, "Rule", _field("text")),
    "goal_set": (KEPT, "Goal", _field("goal")),
    "choice_made": (KEPT, "Choice", _field("question", "text")),
    "pinned": (KEPT, "Pinned", _field("label", "content")),
    "turned": (KEPT, "Turned", _field("turn", "words")),
    "learnt": (KEPT, "Learnt", _field("text")),
    "decision_made": (KEPT, "Decision", _field("text", "because")),
    "claim_made": (KEPT, "Claim", _field("text", "grounding")),
    "handoff_given": (KEPT, "Handoff", _field("summary", "next_steps")),
    "item_opened": (KEPT, "Opened", _field("text")),
    "item_resolved": (KEPT, "Resolved", _field("words")),
    "fork_noticed": (KEPT, "Against a decision", _field("said", "why")),
    "repository_trusted": (KEPT, "Repository trusted", _field("allowed")),
    "trust_revoked": (KEPT, "Trust taken back", _field("files")),
    "act_checked": (KEPT, "Act in your name", _field("act")),
    "requirement_met": (GATES, "Requirement met", _field("requirement", "by")),
    "requirement_triggered": (GATES, "Requirement triggered", _field("requirement", "tool")),
    "requirement_cleared": (GATES, "Requirement cleared", _field("requirement", "why")),
    "gates_switched": (GATES, "Gates switched", _field("requirement", "on")),
    "tools_denied": (GATES, "Calls refused", _denied),
    "stop_blocked": (GATES, "End refused", _refused),
    "stop_passed": (GATES, "Let go", _field("open")),
    "contract_set": (GATES, "Contract", _field("goal", "criteria")),
    "confidence_moved": (GATES, "Confidence", _field("value", "reason")),
}


def kinds_of(groups: list[str]) -> list[str]:
    """The kinds of some groups of the timeline."""
    return [kind for kind, (group, *_) in KINDS.items() if group in groups]
