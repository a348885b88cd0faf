"""The words every room speaks: Event, Answer, Remark, Facts.

An Event is what an agent told us, in our words. An Answer is what we tell it. A Remark is
something a room finds worth saying; `hook/briefing.py` decides what of it is said. These are plain
classes: the hook path imports neither `dataclasses` nor `typing`.
"""

from __future__ import annotations

from holdfast.system.jsontext import plain
from holdfast.system.paths import digest
from holdfast.system.value import Record, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from holdfast.hook.voice import Ours
    from holdfast.ledger.kinds import Body

    Speech = Ours | Literal[""]  # what we say, or nothing

SESSION_CAP = 100

# In the order in which they are said: what changed, where the work stands and stopped, what the
# user wants, what is open. What the budget drops, it drops from the end.
CRASH, SINCE, STANDS, STOPPED, RULES, CHOICES, GOAL, GATES, NEXT = range(9)
DECISIONS, PINS, TOPICS, NOTICE = range(9, 13)
SECTIONS = tuple(
    "crash since stands stopped rules choices goal gates next decisions pins topics notice".split()
)
# What is said however full the agent's context is.
CRITICAL = (CRASH, RULES, GOAL, GATES)


class Event(Record):
    """What an agent told us: its kind, who and where, and what was said."""

    agent: str
    kind: str
    session: str
    key: str
    at: str
    cwd: str
    body: Body
    name: str = ""  # the agent's own word for it
    pid: int = 0
    transcript: str = ""


class Remark(Value):
    """Something worth saying. `text` and `rest` are ours; `quoted` and `items` are other people's:
    they are fenced before they are said (voice.py). Of items as many are said as fit; `rest` says
    where the others are. `rules` are the ids of the items, where they are rules: it is counted how
    often each is told. `tasks` is how many tasks of earlier sessions are in it: those that are told
    are counted, too. `sources` say where it came from, `item_sources` where each item did: a rule
    or a goal by its id (`rule 1a2b`), a session's last prompt, message or list (`prompt S`, `turn
    S`, `todos S`), what it was told, ran or saw at a time (`run S AT`), the session as a whole, or
    git."""

    priority: int
    text: Ours
    quoted: str = ""
    items: Sequence[str] = ()
    rest: Speech = ""
    rules: Sequence[str] = ()
    tasks: int = 0
    sources: Sequence[str] = ()
    item_sources: Sequence[str] = ()


class Answer:
    """What the agent gets to read: context, a refusal with its reason, or nothing; and apart from
    it a line for the person, which no model reads. Where the agent can, a refusal that `asks`
    leaves it to the person."""

    def __init__(
        self,
        context: Speech = "",
        *,
        refusal: Speech = "",
        for_person: Speech = "",
        asks: bool = False,
    ) -> None:
        self.asks = asks
        self.context = _own(context)
        self.refusal = _own(refusal)
        self.for_person = _own(for_person)


def _own(text: Speech) -> Speech:
    if not text:
        return ""  # what says nothing loads nothing
    from holdfast.hook.voice import own

    return own(text)


CARRY_ON = Answer()


def session_id(given: str) -> str:
    """The agent's session id as we keep it: at most 100 characters, longer ones hashed."""
    given = plain(given)
    if len(given) <= SESSION_CAP:
        return given
    return f"{given[:60]}-{digest(given.encode())}"
