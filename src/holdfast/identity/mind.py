"""A session's identity as it stands, folded from its events one at a time.

Two sketches per facet: the purpose, slow, anchored in what was asked and the work that followed;
and the present, fast. Their likeness, centred on what is usual in the project, is the alignment;
thirteen of them are the purpose vector and drive the oscillators.

Laws:
  - the same events give the same bytes, in every process;
  - a Mind that was packed and unpacked goes on exactly as one that was not;
  - only a person re-anchors: by a new task, by accepting, by keeping.
"""

from __future__ import annotations

from holdfast.identity import drift, facet, oscillator
from holdfast.identity.sketch import Sketch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
N = drift.FACETS
PRESENT_CAP, PURPOSE_CAP, USUAL_CAP = 24, 40, 32
# Thousandths that a weight loses by one event.
PRESENT_STEP, FRESH_STEP, PURPOSE_STEP = 60, 160, 6
PROVISIONAL_EVENTS = 5
SCALE = 10_000


class Reading:
    """What a mind is like at one moment."""

    __slots__ = (
        "consciousness", "coupling", "differentiation", "events", "ic", "integration",
        "is_provisional", "klass", "phases", "purpose", "r", "reflection", "state",
    )  # fmt: skip

    def __init__(self, mind: Mind) -> None:
        self.phases = [phase / oscillator.SCALE for phase in mind.phases]
        self.r = round(drift.order_parameter(self.phases), 4)
        now = [value / SCALE for value in mind.alignments]
        size = sum(value * value for value in now) ** 0.5
        self.purpose = [round(value / size, 6) if size else N**-0.5 for value in now]
        self.ic = round(drift.continuity(now, [v / SCALE for v in mind.before], self.phases), 4)
        self.integration = self.r
        self.reflection = mind.reflection / SCALE
        self.differentiation = round(drift.entropy13(now), 4)
        self.consciousness = round(self.integration * self.reflection * self.differentiation, 4)
        self.coupling = oscillator.COUPLING
        self.klass = drift.classify(self.ic)
        self.state = drift.state_of(self.consciousness)
        self.events = mind.events
        self.is_provisional = mind.events < PROVISIONAL_EVENTS


class Mind:
    __slots__ = (
        "alignments", "before", "events", "phases", "present", "purpose", "reflection", "sessions",
        "trail", "usual",
    )  # fmt: skip

    def __init__(self) -> None:
        self.events = 0
        self.purpose = [Sketch(PURPOSE_CAP) for _ in range(N)]
        self.present = [Sketch(PRESENT_CAP) for _ in range(N)]
        self.trail = facet.Trail()
        self.alignments = [SCALE] * N
        self.before = [SCALE] * N
        self.phases = [0] * N
        self.reflection = SCALE
        self.sessions = 0
        self.usual: list[dict[int, int]] = [{} for _ in range(N)]  # feature -> sessions that had it

    @classmethod
    def begin(cls, inherited: str = "") -> Mind:
        """A new session, with what the one before handed on."""
        mind = cls()
        if inherited:
            _inherit(mind, inherited)
        return mind

    @classmethod
    def unpack(cls, raw: bytes) -> Mind:
        """The mind that was packed; ValueError when the bytes are damaged."""
        if len(raw) < 8 or len(raw) % 4:
            raise ValueError("a mind that is cut off")
        numbers = memoryview(raw).cast("I").tolist()
        if numbers[0] != VERSION:
            raise ValueError(f"a mind of version {numbers[0]}")
        if numbers[1] != number_of(raw[8:]):
            raise ValueError("a damaged mind")
        return _read(numbers[2:])

    def pack(self) -> bytes:
        numbers: list[int] = [self.events, self.sessions, self.reflection]
        for row in (self.alignments, self.before):
            numbers += [value + SCALE for value in row]
        numbers += self.phases
        trail = self.trail
        numbers += [trail.deed, trail.deed_before, trail.error]
        numbers += [trail.since_change, trail.since_prompt]
        for some in (trail.files, trail.words):
            numbers.append(len(some))
            numbers += some
        for sketch in (*self.purpose, *self.present):
            sketch.cut()
            numbers += [sketch.unit, len(sketch.weights)]
            numbers += sketch.weights.keys()
            numbers += sketch.weights.values()
        for usual in self.usual:
            numbers.append(len(usual))
            numbers += usual.keys()
            numbers += usual.values()
        body = b"".join([value.to_bytes(4, "little") for value in numbers])
        return b"".join(
            (VERSION.to_bytes(4, "little"), number_of(body).to_bytes(4, "little"), body)
        )

    def legacy(self) -> str:
        """What the next session is given: purpose sketches and what is usual in the project."""
        import base64

        heir = Mind()
        heir.sessions = min(self.sessions + 1, 1000)
        for i in range(N):
            heir.purpose[i] = self.purpose[i].copy(20)
            usual = dict(self.usual[i])
            for feature in self.purpose[i].weights:
                usual[feature] = usual.get(feature, 0) + 1
            kept = sorted(usual.items(), key=lambda item: (-item[1], item[0]))
            heir.usual[i] = dict(kept[:USUAL_CAP])
        return base64.b85encode(heir.pack()).decode("ascii")

    def prompt(self, text: str, *, is_new_task: bool) -> None:
        """A person asked for something."""
        act = facet.of_prompt(text, self.trail)
        if is_new_task:
            self._forget()
        self._take(act)

    def tool(self, body: dict[str, Any]) -> None:
        """The agent did something."""
        self._take(facet.of_tool(body, self.trail))

    def foretell(self, words: list[str], files: list[str]) -> None:
        """Before anything was done: the branch's words and the changed files stand for it."""
        act = facet.of_prompt(" ".join(words), self.trail)
        act.entities += files[:20]
        for i, features in enumerate(facet.FACETS):
            self.present[i].add(features(act))
        for path in files[:20]:
            act = facet.of_tool({"tool": "Read", "deed": "read", "path": path}, self.trail)
            for i, features in enumerate(facet.FACETS):
                self.present[i].add(features(act))
        self._align()

    def accept(self) -> None:
        """The present is the task now."""
        for i in range(N):
            self.purpose[i] = self.present[i].copy(PURPOSE_CAP)
        self._settle()

    def keep(self) -> None:
        """The goal stands: what was doubted is forgotten."""
        for i in range(N):
            self.present[i] = self.purpose[i].copy(PRESENT_CAP)
        self._settle()

    def reading(self) -> Reading:
        return Reading(self)

    def _forget(self) -> None:
        for i in range(N):
            self.purpose[i] = Sketch(PURPOSE_CAP)
            self.present[i] = Sketch(PRESENT_CAP)
        self._settle()

    def _settle(self) -> None:
        self.alignments = [SCALE] * N
        self.before = [SCALE] * N
        self.phases = [0] * N

    def _take(self, act: facet.Act) -> None:
        self.events += 1
        for i, features in enumerate(facet.FACETS):
            self.present[i].age(FRESH_STEP if i == 1 else PRESENT_STEP)
            self.purpose[i].age(PURPOSE_STEP)
            found = features(act)
            if found:
                self.present[i].add(found)
                self.purpose[i].add(found)
        facet.leave(act)
        self._align()
        self.phases = oscillator.advance(
            self.phases, [1 - max(0, value) / SCALE for value in self.alignments]
        )

    def _align(self) -> None:
        expected = self.alignments
        self.alignments = [
            _likeness(
                self.present[i].weights, self.purpose[i].weights, self.usual[i], self.sessions
            )
            for i in range(N)
        ]
        missed = sum(abs(a - b) for a, b in zip(self.alignments, expected, strict=True)) // N
        self.reflection = (self.reflection * 7 + SCALE - missed) // 8
        self.before = [
            (b * 15 + a) // 16 for a, b in zip(self.alignments, self.before, strict=True)
        ]


def _likeness(
    present: dict[int, int], purpose: dict[int, int], usual: dict[int, int], sessions: int
) -> int:
    if not present or not purpose:
        return SCALE
    dot = mine = theirs = 0.0
    for feature, weight in present.items():
        rare = (1 - usual.get(feature, 0) / (sessions + 2)) ** 2
        mine += weight * rare
        there = purpose.get(feature)
        if there:
            dot += rare * (weight * there) ** 0.5
    for feature, weight in purpose.items():
        theirs += weight * (1 - usual.get(feature, 0) / (sessions + 2)) ** 2
    return round(SCALE * min(1.0, dot / (mine * theirs) ** 0.5)) if mine and theirs else SCALE


def number_of(raw: bytes) -> int:
    return int.from_bytes(raw, "little") % 4294967291


def _read(numbers: list[int]) -> Mind:
    mind = Mind()
    at = 3
    mind.events, mind.sessions, mind.reflection = numbers[:3]
    mind.alignments = [value - SCALE for value in numbers[at : at + N]]
    mind.before = [value - SCALE for value in numbers[at + N : at + 2 * N]]
    mind.phases = numbers[at + 2 * N : at + 3 * N]
    at += 3 * N
    trail = mind.trail
    trail.deed, trail.deed_before, trail.error = numbers[at : at + 3]
    trail.since_change, trail.since_prompt = numbers[at + 3 : at + 5]
    at += 5
    try:
        size = numbers[at]
        trail.files = numbers[at + 1 : at + 1 + size]
        at += 1 + size
        size = numbers[at]
        trail.words = numbers[at + 1 : at + 1 + size]
        at += 1 + size
        for sketch in (*mind.purpose, *mind.present):
            sketch.unit, size = numbers[at : at + 2]
            at += 2
            sketch.weights = dict(
                zip(numbers[at : at + size], numbers[at + size : at + 2 * size], strict=True)
            )
            at += 2 * size
        for i in range(N):
            size = numbers[at]
            at += 1
            mind.usual[i] = dict(
                zip(numbers[at : at + size], numbers[at + size : at + 2 * size], strict=True)
            )
            at += 2 * size
    except IndexError as error:
        raise ValueError("a mind that is cut off") from error
    return mind


def _inherit(mind: Mind, inherited: str) -> None:
    import base64

    try:
        heir = Mind.unpack(base64.b85decode(inherited))
    except ValueError:
        return  # what cannot be read is not inherited
    mind.sessions, mind.usual, mind.purpose = heir.sessions, heir.usual, heir.purpose
