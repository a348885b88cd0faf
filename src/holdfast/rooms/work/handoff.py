"""The handoff: what the next one at this work needs to know, as data and as Markdown.

Law: nothing is composed. Summary and next steps are somebody's own words, labelled with where
they came from: the handoff that was given, the agent's list of what is to do, its last message,
its summary at compaction; in that order.
"""

from __future__ import annotations

from holdfast.rooms.prompts.attribution import AGENT
from holdfast.rooms.work.last_words import sentences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.rooms.work.queries import Handoff, Task


GIVEN, TODOS, MESSAGE, COMPACTION = SOURCES = (
    "the handoff",
    "the agent's list",
    "the agent's last message",
    "the agent's summary at compaction",
)
STEPS = 5
STEP_CAP = 300
TEXT_CAP = 1_200


def summary(given: Handoff | None, message: str, compaction: str) -> tuple[str, str]:
    """The summary and where it came from."""
    for text, source in (
        (given.summary if given else "", GIVEN),
        (message, MESSAGE),
        (compaction, COMPACTION),
    ):
        if text.strip():
            return text.strip()[:TEXT_CAP], source
    return "", ""


def next_steps(
    given: Handoff | None, todos: list[Task], message: str, compaction: str
) -> tuple[list[str], str]:
    """What comes next and who said so."""
    if given and any(isinstance(step, str) and step.strip() for step in given.next_steps):
        return _steps(given.next_steps), GIVEN
    titles = [todo.title for todo in todos]
    if titles:
        return _steps(titles), TODOS
    # What a summary named as next has been done by the time of a later message.
    text, source = (message, MESSAGE) if message.strip() else (compaction, COMPACTION)
    steps = announced(text)
    return (_steps(steps), source) if steps else ([], "")


def announced(text: str) -> list[str]:
    """What a text itself calls next: the items under such a heading, and lines that open so."""
    steps: list[str] = []
    heading = ""
    for line in map(str.strip, text.splitlines()):
        bare = line.lstrip("#*-0123456789.) ").strip("* ")
        low = bare.lower()
        is_item = line[:1] in ("-", "*") or line[:1].isdecimal()
        if low.partition("(")[0].rstrip(":* ").endswith(_HEADINGS):
            heading = low
        elif heading and bare and (is_item or "step" in heading) and not _is_heading(line):
            if not low.startswith(_NOTHING):
                steps.append(bare)
            heading = heading if is_item else ""
        elif bare:
            heading = ""
            steps += [part for part in sentences(bare) if part.lower().startswith(_OPENINGS)]
    return steps


_HEADINGS = (
    *("next step", "next steps", "pending tasks", "remaining", "still to do", "todo", "to do"),
)
_OPENINGS = (
    *("next:", "next step:", "next steps:", "remaining:", "still to do:", "todo:", "to do:"),
)
_NOTHING = ("none", "no ", "n/a", "nothing")


def _is_heading(line: str) -> bool:
    """`8. Current Work:` in a summary, `## Notes` in a message."""
    return line.startswith("#") or (line[:1].isdecimal() and line.rstrip("*").endswith(":"))


def _steps(texts: list[Any]) -> list[str]:
    return [text.strip()[:STEP_CAP] for text in texts if isinstance(text, str) and text.strip()][
        :STEPS
    ]


def markdown(facts: dict[str, Any]) -> str:
    """For another agent or a person; the same facts as the data."""
    lines = [f"# Handoff: {facts['project'] or 'this project'}", ""]
    branch = facts["branch"] or "no branch"
    lines.append(f"Session {facts['session_id']} on {branch}, {facts['prepared_at']}.")
    thread = facts.get("thread") or {}
    if thread:
        quoted = [] if thread["title"] == facts["goal"] else [*_quoted(thread["title"]), ""]
        lines += ["", f"## Thread {thread['id'][:8]}", "", *quoted]
        many = f"{len(thread['sessions'])} sessions" if thread["sessions"][1:] else "1 session"
        lines.append(f"{thread['state'].capitalize()}: {thread['why']}; {many}.")
    if facts["goal"]:
        lines += ["", f"## {facts['goal_title']}", "", *_quoted(facts["goal"])]
    _list(lines, "Rules in force", _attributed(facts["rules"]))
    if facts["summary"]:
        lines += [
            "",
            f"## Summary (from {facts['summary_source']})",
            "",
            *_quoted(facts["summary"]),
        ]
    source = f" (from {facts['next_steps_source']})" if facts["next_steps_source"] else ""
    _list(lines, f"Next steps{source}", facts["next_steps"])
    _list(
        lines,
        "Blockers",
        [
            _failed(blocker) if blocker["type"] == "command" else blocker["details"]
            for blocker in facts["blockers"]
        ],
    )
    _list(lines, "Open questions", facts["questions"])
    _list(lines, "Dead ends", _attributed(facts["dead_ends"]))
    _list(lines, "Pins", [_pinned(pin) for pin in facts["pins"]])
    for title in ("Choices", "Decisions", "Branches", "Pull requests", "Commits", "Files"):
        _list(lines, f"{title} of the thread", thread.get(title.lower().replace(" ", "_"), []))
    if not thread:
        _list(lines, "Recent files", facts["recent_files"])
        _list(lines, "Recent commits", facts["recent_commits"])
    if facts["last_checkpoint"]:
        lines += ["", f"Last checkpoint: {facts['last_checkpoint']}."]
    if thread:
        lines += ["", f"To go on in its session: `{thread['resume']}`."]
    return "\n".join(lines) + "\n"


def _pinned(pin: dict[str, str]) -> str:
    text = ": ".join(filter(None, (pin["label"], pin["content"])))
    return f"{text} (pinned by an agent)" if pin["author"] == AGENT else text


def _failed(blocker: dict[str, str]) -> str:
    """A command that fails, and what it says."""
    says = blocker.get("says", "").replace("`", "'")
    return f"`{blocker['details']}` failed" + (f": `{says}`" if says else "")


def _attributed(rules: list[dict[str, str]]) -> list[str]:
    return [f"{rule['text']} ({rule['author']}, {rule['since'][:10]})" for rule in rules]


def _quoted(text: str) -> list[str]:
    return [f"> {line}".rstrip() for line in text.splitlines()]


def _list(lines: list[str], title: str, items: list[str]) -> None:
    if items:
        lines += ["", f"## {title}", "", *(f"- {' '.join(item.split())}" for item in items)]
