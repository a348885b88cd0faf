"""Who wrote which part of a turn.

Laws:
  - spans follow one another and cover the whole turn;
  - the typed spans are what `typed_text.own_words` leaves standing: there is one judgement;
  - white space between two parts of one origin belongs to them;
  - taking a turn apart is linear in its length, but for sorting what was recognised.
"""

from __future__ import annotations

from holdfast.rooms.prompts import origin
from holdfast.rooms.prompts.typed_text import COMMAND, Region, read

TYPED = "typed"


class Span:
    """A part of a turn and where it came from: typed, plan, client, command, or the kind of paste
    (log, diff, code, review, table, quotation)."""

    def __init__(self, start: int, end: int, origin_: str) -> None:
        self.start = start
        self.end = end
        self.origin = origin_

    def __repr__(self) -> str:
        return f"Span({self.start}, {self.end}, {self.origin!r})"


def spans(prompt: str) -> list[Span]:
    """The whole turn as spans, in order; none for an empty one."""
    if not prompt:
        return []
    whose = origin.of(prompt)
    if whose != origin.PERSON:
        return [Span(0, len(prompt), whose)]
    name, _ = origin.command_of(prompt)
    regions = [Region(0, len(name), COMMAND)] if name else []
    regions += [
        Region(region.start + len(name), region.end + len(name), region.kind)
        for region in read(prompt[len(name) :])[1]
    ]
    parts: list[Span] = []
    at = 0
    # Of two that begin together the wider one was recognised around the other.
    for region in sorted(regions, key=lambda region: (region.start, -region.end)):
        if region.end <= at:
            continue
        start = max(region.start, at)
        if start > at:
            _add(parts, prompt, at, start, TYPED)
        _add(parts, prompt, start, region.end, region.kind)
        at = region.end
    if at < len(prompt):
        _add(parts, prompt, at, len(prompt), TYPED)
    return parts


def _add(parts: list[Span], prompt: str, start: int, end: int, origin_: str) -> None:
    if parts and (
        parts[-1].origin == origin_ or (origin_ == TYPED and not prompt[start:end].strip())
    ):
        parts[-1].end = end
    else:
        parts.append(Span(start, end, origin_))
