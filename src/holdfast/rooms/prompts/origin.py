"""Who wrote a turn: a person, or the client in the person's place.

A client sends more than a person types: an accepted plan that comes back as the first prompt of a
new session, summaries, reminders, the body of a skill. None of that is what the user said.

Laws: a turn is told by how it opens, or by another agent's message that the client put into it,
never by what it says; of a plan only the title is of use, and
that as a goal, for the person accepted it.
"""

from __future__ import annotations

PERSON, PLAN, CLIENT = "person", "plan", "client"
COMMAND_NAME = 80  # characters of a command's name, at most

PLAN_OPENING = "implement the following plan:"
CLIENT_OPENINGS = (
    "this session is being continued from a previous",
    "caveat: the messages below were generated",
    "operation stopped by hook",
    "stop hook feedback",
    "base directory for this skill:",
    "[request interrupted",
    "<task-notification>",
    "<agent-notification>",
)
# Another agent's message, on lines of its own; what stands around it is the client's.
MESSAGE, MESSAGE_END = "<agent-message", "</agent-message>"
FENCE = "```"
# Before the title of a plan, and no part of it.
TITLE_LABELS = ("implementation plan:", "implementation plan", "plan:", "plan")
TITLE_CAP = 200
OPENING_CHARACTERS = 200


def of(prompt: str) -> str:
    """Whose turn it is."""
    opening = prompt[:OPENING_CHARACTERS].lstrip().lower()
    if opening.startswith(PLAN_OPENING):
        return PLAN
    is_clients = opening.startswith(CLIENT_OPENINGS) or _has_message(prompt)
    return CLIENT if is_clients else PERSON


def _has_message(prompt: str) -> bool:
    """Whether another agent's message is in a turn; one in a code block was pasted by a person."""
    end = prompt.rfind(MESSAGE_END)
    at = prompt.find(MESSAGE) if end >= 0 else -1
    fences = done = 0
    while 0 <= at < end:
        fences += prompt.count(FENCE, done, at)
        done = at
        begins_line = not prompt[prompt.rfind("\n", 0, at) + 1 : at].strip()
        if begins_line and not fences % 2 and prompt[at + len(MESSAGE)] in " >\n":
            return True
        at = prompt.find(MESSAGE, at + 1)
    return False


def title_of_plan(prompt: str) -> str:
    """The heading of an accepted plan, verbatim; "" when its first line is none."""
    body = prompt.lstrip()[len(PLAN_OPENING) :].lstrip()
    first = body.split("\n", 1)[0].strip()
    if not first.startswith("#"):
        return ""
    title = first.lstrip("#").strip()
    for label in TITLE_LABELS:
        if title.lower().startswith(label):
            title = title[len(label) :].lstrip(" :-\u2013\u2014")
            break
    return title[:TITLE_CAP].strip()


def command_of(prompt: str) -> tuple[str, str]:
    """The command of a turn, "/name", and what was typed after it; "" when it is none."""
    opening = prompt[:COMMAND_NAME]
    if not opening.startswith("/"):
        return "", ""
    name = opening.split(None, 1)[0]
    inner = name[1:].replace(":", "").replace("-", "").replace("_", "").replace(".", "")
    if not inner.isalnum() or not inner[0].isalpha():
        return "", ""  # a path
    return name, prompt[len(name) :]
