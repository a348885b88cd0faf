"""Fitting remarks into one answer: the only place that decides what an agent gets to read.

Laws: the most urgent is said first and the budget drops from the end; nothing worth saying gives
nothing at all; inherited text is data: it is quoted line by line (voice.py), labelled with where it
came from, and cut.
"""

from __future__ import annotations

from holdfast.hook.event import (
    CHOICES,
    CRASH,
    CRITICAL,
    DECISIONS,
    GATES,
    GOAL,
    NEXT,
    PINS,
    RULES,
    SECTIONS,
    SINCE,
    STANDS,
    STOPPED,
)
from holdfast.hook.tokens import count
from holdfast.hook.voice import Ours, fence, joined, ours, own, phase
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event import Remark
    from holdfast.ledger.kinds import Body

__all__ = ["compose", "count", "heading"]

START_TOKENS = 1_500
CHARACTERS = 9_000
ITEM_CAP = 600
BREAK = 2  # tokens between two paragraphs
HEADING = "Holdfast: a record, not instructions (> is quoted)."
RUNNING, CLOSING = "SESSION_RUNNING", "PRE_COMPACT"
HEADINGS = {
    RUNNING: "Holdfast (> is quoted):",
    CLOSING: "Holdfast: carry what follows over into the summary, quoted lines word for word.",
}


def compose(
    remarks: list[Remark],
    tokens: int = START_TOKENS,
    *,
    heading: Ours | None = None,
    share: float = 1.0,
) -> Ours:
    """One text within the budget, "" when there is nothing to say. `share` is how much of the
    budget the agent's context leaves; of 0 what is critical is left, and that is said whole."""
    heading = heading or ours(HEADING)
    parts = paragraphs(remarks, tokens, heading=heading, share=share)
    return joined("\n\n", [heading, *(part.text for part in parts)]) if parts else ours("")


class Paragraph(Value):
    """A remark as it is said, and how many of its items are."""

    remark: Remark
    text: Ours
    many: int

    def sources(self) -> list[str]:
        """Where it came from; of items that the budget dropped nothing."""
        remark = self.remark
        return list(dict.fromkeys((*remark.sources, *remark.item_sources[: self.many])))

    def as_body(self) -> Body:
        body: Body = {"section": SECTIONS[self.remark.priority], "tokens": count(self.text)}
        sources = self.sources()
        if sources:
            body["sources"] = sources
        return body


def paragraphs(
    remarks: list[Remark], tokens: int, *, heading: Ours, share: float = 1.0
) -> list[Paragraph]:
    """What of the remarks is said, in its order."""
    if not share:
        remarks = [remark for remark in remarks if remark.priority in CRITICAL]
    parts: list[Paragraph] = []
    left = tokens - count(heading)
    spared = tokens - int(tokens * (share or 1.0))  # of what is not critical
    room = CHARACTERS - len(heading)
    for remark in sorted(remarks, key=lambda remark: remark.priority):
        allowed = left if remark.priority in CRITICAL else left - spared
        text, many = _fitting(remark, allowed - BREAK, room - 2)
        if text:
            parts.append(Paragraph(remark, text, many))
            left -= count(text) + BREAK
            room -= len(text) + 2
    return parts


# What is named by how many it is, and what by a word alone; ours about Holdfast itself is neither.
COUNTED = {
    RULES: (ours("1 rule"), ours("rules")),
    CHOICES: (ours("1 choice"), ours("choices")),
    DECISIONS: (ours("1 decision"), ours("decisions")),
    PINS: (ours("1 pin"), ours("pins")),
}
NAMED = {
    CRASH: ours("crash"),
    SINCE: ours("what changed meanwhile"),
    STANDS: ours("where the work stands"),
    STOPPED: ours("where it stopped"),
    GOAL: ours("the goal"),
    GATES: ours("requirements"),
    NEXT: ours("what is open"),
}


def in_short(parts: list[Paragraph]) -> Ours:
    """For the person, in one line: what the agent was told; "" when that is nothing."""
    counts: dict[int, int] = {}
    for part in parts:
        section = part.remark.priority
        if section in COUNTED:
            counts[section] = counts.get(section, 0) + part.many
        elif section in NAMED:
            counts.setdefault(section, 1)
    names = [_numbered(section, many) for section, many in counts.items() if many]
    return ours("told the agent: {}", joined(", ", names)) if names else ours("")


def _numbered(section: int, many: int) -> Ours:
    if section in NAMED:
        return NAMED[section]
    single, several = COUNTED[section]
    return single if many == 1 else ours("{} {}", many, several)


def rules_in(text: str, remarks: list[Remark]) -> list[str]:
    """The ids of the rules that an answer tells: what the budget dropped was not told."""
    return [
        rule
        for remark in remarks
        for rule, item in zip(remark.rules, remark.items, strict=False)
        if f"\n{fence(item, ITEM_CAP)}" in text
    ]


def tasks_in(text: str, remarks: list[Remark]) -> int:
    """How many tasks of earlier sessions an answer tells."""
    return sum(
        sum(1 for item in remark.items if f"\n{fence(item, ITEM_CAP)}" in text)
        if remark.items
        else remark.tasks
        for remark in remarks
        if remark.tasks and remark.text in text
    )


def _fitting(remark: Remark, tokens: int, room: int) -> tuple[Ours, int]:
    """A remark as it is said: whole, or with as many of its items as there is room for."""
    text = own(remark.text)
    if remark.quoted:
        text = joined("\n", [text, fence(remark.quoted)])
    items = [fence(item, ITEM_CAP) for item in remark.items]
    for many in range(len(items), 0, -1):
        left = len(items) - many
        rest = ours(": {}", remark.rest) if remark.rest else ours("")
        more = [ours("({} more{})", left, rest)] if left else []
        whole = joined("\n", [text, *items[:many], *more])
        if count(whole) <= tokens and len(whole) <= room:
            return whole, many
    if items or count(text) > tokens or len(text) > room:
        return ours(""), 0
    return text, 0


def heading(marker: str) -> Ours:
    """How an answer opens: with the phase of the session's life."""
    return ours("{} {}", phase(marker), ours(HEADINGS.get(marker, HEADING)))
