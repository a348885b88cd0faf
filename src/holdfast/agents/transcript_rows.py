"""What an agent's own record of a session says, in our words: rows, and who spoke in each.

An agent's folder reads its file into these (agents/transcripts.py); rooms know these alone.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False

# Who spoke in a row, or in whose place.
TYPED, QUEUED, SDK, COMMAND = "typed", "queued", "sdk", "command"
PLAN, NOTIFICATION, CLIENT = "plan", "notification", "client"
DROPPED, REFUSAL, APPROVAL = "dropped", "refusal", "approval"
INTERRUPTED, UNKNOWN = "interrupted", "unknown"
ANSWER, BOUNDARY, NOBODY = "answer", "boundary", ""

# Rows that may be what a prompt became.
TURNS = (TYPED, QUEUED, SDK, COMMAND, PLAN, NOTIFICATION, CLIENT, UNKNOWN)


class Row(Value):
    """One row of a transcript. Rows of subagents are none."""

    uuid: str  # "" for what is written beside the conversation
    parent: str  # the row it follows; "" where a conversation begins
    kind: str  # one of the words above
    text: str  # what was said: of a command as it was typed, of a plan the plan
    number: int  # the how-manieth prompt of its conversation; 0 where the agent does not say
    call: str  # the tool call that it makes, refuses or approves, by the agent's own id
    about: str  # what that call would have done, in plain words
    at: str  # when the agent wrote it; "" where it does not say


class FinishedCall(Value):
    """A tool call that has a result, as the agent's own record has it."""

    tool: str
    about: str  # what it did, in plain words (user_replies.asked)
    ok: bool
    is_denied: bool  # by the user
    answers: list[str]  # the user's, where it asked for them


class Tail(Value):
    """The end of a transcript: its rows in the order of the file, where they begin in it, where to
    go on, the calls that have a result by their own ids, and what was sent while it worked."""

    begin: int
    calls: dict[str, FinishedCall]
    end: int
    queued: list[str]
    rows: list[Row]


def empty(at: int = 0) -> Tail:
    return Tail(begin=at, calls={}, end=at, queued=[], rows=[])
