"""A session's identity as it stands, folded from its events one at a time.

Two sketches per facet: the purpose, slow, anchored in what was asked and the work that followed;
and the present, fast: what was said and done since the turn began. How alike they are, in features
that are not usual in the project, moves the doubt, the log-odds that the session has left its
purpose. Facets' alignments, centred on even odds, are the purpose vector and drive the oscillators.

Laws:
  - the same events give the same bytes, in every process;
  - a mind that was packed and unpacked goes on exactly as one that was not;
  - what is done now is measured against what was done before it, never against itself;
  - only a person re-anchors: by a new task, by accepting, by keeping. A purpose that was handed on
    is what work is measured against until then, when it came with a goal that holds.
"""

from __future__ import annotations

from holdfast.rooms.identity import codec, drift, facets, oscillator
from holdfast.rooms.identity.baseline import Usual
from holdfast.rooms.identity.drift import E
from holdfast.rooms.identity.sketch import absorb, add, covered, cut, likeness, scaled, size

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.identity.facets import Features

VERSION = 3
HANDED_ON_VERSION = 2  # of what one session hands on to the next, which is in entries
N = drift.FACETS
SCALE = 10_000  # figures are kept in ten-thousandths
SHIFTED = 10 * SCALE  # what may be below zero is kept with this added

# What the purpose holds of each facet; the present holds as much.
CAPS = (72, 40, 16, 24, 12, 48, 72, 32, 40, 20, 56, 40, 32)
HANDED_ON = 4  # a quarter of it, the heaviest, is handed on
# How much a facet's likeness says about the task. Only these four helped to tell another task's
# work on repositories that were left out (benchmarks/results/identity.md); the others are shown,
# not judged by.
TRUST = (0, 0, 0, 0, 0, 0, 64, 0, 16, 0, 32, 16, 0)  # symbols, places, entities, touches
PAIRS = (7, 12)  # facets of pairs: nearly every pair is rare, and they would crowd the rest out

PROVISIONAL_EVENTS = 5
FIRST_BLOCK = 40  # actions of a first turn; then they are a purpose, without waiting for its end
BLOCK = 240  # actions of a later one, which is judged as a whole where it can be
# What the purpose keeps over a turn, in 256: half of it for thirty turns; what is fresh for two.
KEEPS = (250, 181, *(250,) * 11)
FORETOLD_FILES = 20

# Doubt: how far it can go, and which likeness speaks for neither side. Few actions are little alike
# by themselves, and say less; prompts alone hardly count.
LEAST_DOUBT, MOST_DOUBT = -1.0, 1.5
SAID_LEVEL, SAID_SLOPE = 0.02, 0.3
DONE_LEVEL, HALF_DONE, FEW_DONE = 0.2, 20, 3
CLEAREST = 3.0
FOLLOWS = 8  # in a turn of many actions doubt goes an eighth of the way with each; at its end all
SHARPNESS = 3.0  # of alignment, which is the odds of doubt
OWN_SHARE = 0.15  # of a facet's alignment; the rest is that of all
CENTRE = SCALE // 2  # even odds

# Steadiness: how much of an action the few events before it had as well.
WOVEN = (0, 6, 8, 10, 11)  # the facets it is asked of: words, symbols, places, entities, files
RECENT_KEEPS, RECENT_CAP = 203, 160  # an event counts half after three more
STEADY_OVER = 32  # actions it is averaged over
STEADY_FIRST = SCALE * 7 // 10  # what a session is taken for that has done nothing yet
STEADY_MIDDLE, STEADY_SLOPE = 0.29, 20  # where it is as likely aimless as not, and how sharply


class Reading:
    """What a mind is like at one moment."""

    __slots__ = (
        "consciousness", "coupling", "cross_ic", "differentiation", "events", "evidence", "ic",
        "integration", "is_provisional", "klass", "phases", "purpose", "r", "reflection", "state",
    )  # fmt: skip

    def __init__(self, mind: Mind) -> None:
        self.events = mind.events
        self.is_provisional = mind.events < PROVISIONAL_EVENTS
        self.phases = [phase / oscillator.SCALE for phase in mind.phases]
        self.coupling = oscillator.COUPLING
        now = [value - CENTRE for value in mind.alignments]
        length = sum(value * value for value in now) ** 0.5
        self.purpose = [round(value / length, 6) if length else N**-0.5 for value in now]
        self.r = round(drift.order_parameter(self.phases), 4)
        self.ic = round(drift.continuity(now, mind.reference, self.phases), 4)
        self.klass = drift.classify(self.ic)
        self.cross_ic = mind.cross / SCALE
        self.evidence = mind.says / SCALE  # what the last turn says for the purpose, in log-odds
        self.integration = self.r
        self.reflection = mind.reflection / SCALE
        self.differentiation = round(drift.entropy13(now), 4)
        self.consciousness = round(self.integration * self.reflection * self.differentiation, 4)
        self.state = drift.state_of(self.consciousness)


class Mind:
    __slots__ = (
        "alignments", "alike", "binds", "cross", "done", "doubt", "doubt_before", "events",
        "former", "inherits", "packed", "phases", "present", "purpose", "rarity", "recent",
        "reference", "reflection", "says", "sizes", "steadiness", "taken", "target", "trail",
        "usual",
    )  # fmt: skip

    def __init__(self) -> None:
        self.events = 0
        self.inherits = 0  # 1 while nothing but the purpose that was handed on is known
        self.binds = 1  # 0 when it came without a goal: then the session goes its own way
        # What was handed on, when a new task took its place before the fifth event.
        self.former: list[dict[int, int]] = []
        self.cross = SCALE  # continuity with the session before, fixed at the fifth event
        self.purpose: list[dict[int, int]] = [{} for _ in range(N)]
        self.present: list[dict[int, int]] = []
        self.taken = 0  # events that the purpose is made of
        self.trail = facets.Trail()
        self.usual = Usual()
        self.rarity: dict[int, int] = {}
        self.recent: dict[int, int] = {}  # what the last few events had, fading
        self.sizes = [0] * N  # of the purpose, which changes seldom
        self.packed = b""  # the purpose, when it has not changed since it was read
        self.alike: list[float] | None = None  # present and purpose, by facet, when they are known
        self.reflection = SCALE
        self.says = 0
        self._settle()

    @classmethod
    def begin(cls, inherited: str = "", *, binds: bool = True) -> Mind:
        """A new session, with what the one before handed on; what cannot be read is left. Without
        a goal that holds (`binds`) the work is not held to it."""
        mind = cls()
        if not inherited:
            return mind
        try:
            numbers, parts = codec.unpack(HANDED_ON_VERSION, bytes.fromhex(inherited))
            sessions, mind.taken = numbers
            purpose, ids, counts = parts
            mind.usual = Usual(sessions, ids, counts)
            mind.purpose = codec.got(purpose, N)
            mind.inherits, mind.binds = 1, int(binds)
        except ValueError:
            mind = cls()
        mind._weigh()
        return mind

    @classmethod
    def unpack(cls, raw: bytes) -> Mind:
        """The mind that was packed; ValueError when the bytes are damaged."""
        numbers, parts = codec.unpack(VERSION, raw)
        mind = cls.__new__(cls)
        try:
            mind._put(numbers, parts)
        except IndexError as error:
            raise ValueError("a damaged mind") from error
        return mind

    def _put(self, numbers: list[int], parts: list[bytes]) -> None:
        self.events, self.inherits, self.binds, self.cross, self.taken = numbers[:5]
        self.done, self.reflection, sessions, self.steadiness = numbers[5:9]
        self.doubt, self.doubt_before, self.target, self.says = [
            value - SHIFTED for value in numbers[9:13]
        ]
        rows = [numbers[at : at + N] for at in range(13, 13 + 4 * N, N)]
        self.alignments, reference, self.phases, self.sizes = rows
        self.reference = [value - SHIFTED for value in reference]
        self.trail = facets.Trail.of(numbers[13 + 4 * N :])
        self.packed, present, ids, counts, scale, former = parts
        self.former = codec.got(former, N) if former else []
        self.purpose = codec.got(self.packed, N)
        *self.present, self.recent = codec.got(present, N + 1)
        self.usual = Usual(sessions, ids, counts)
        self.usual.scale = scale
        self.rarity = self.usual.rarity()
        self.alike = None

    def pack(self) -> bytes:
        usual = self.usual
        numbers = [self.events, self.inherits, self.binds, self.cross, self.taken]
        numbers += [self.done, self.reflection, usual.sessions, self.steadiness]
        numbers += [
            value + SHIFTED for value in (self.doubt, self.doubt_before, self.target, self.says)
        ]
        numbers += self.alignments
        numbers += [value + SHIFTED for value in self.reference]
        numbers += self.phases
        numbers += self.sizes
        numbers += self.trail.numbers()
        self.packed = self.packed or codec.put(self.purpose)
        present = codec.put([*self.present, self.recent])
        former = codec.put(self.former) if self.former else b""
        parts = [self.packed, present, usual.ids, usual.counts, usual.scale, former]
        return codec.pack(VERSION, numbers, parts)

    def legacy(self) -> str:
        """What the next session is given: the purpose, with the present unless that is doubted, and
        what is usual in the project."""
        usual = self.usual.after(
            feature
            for i, weights in enumerate(self._whole())
            if i not in PAIRS
            for feature in weights
        )
        doubt = self.target if self.done else self.doubt
        purpose = self._whole(self._fitting(doubt) if doubt <= 0 else 0)
        for weights, cap in zip(purpose, CAPS, strict=True):
            cut(weights, cap // HANDED_ON)
        numbers = [usual.sessions, self.taken + self.done]
        parts = [codec.put(purpose), usual.ids, usual.counts]
        return codec.pack(HANDED_ON_VERSION, numbers, parts).hex()

    def prompt(self, text: str, *, is_new_task: bool) -> None:
        """A person asked for something."""
        act = facets.of_prompt(text, self.trail)
        self.rest()
        if is_new_task:
            self._hear_a_task()
        self._fold([features(act) for features in facets.FACETS], is_done=False)
        facets.leave(act)

    def tool(self, body: Body) -> None:
        """The agent did something."""
        act = facets.of_tool(body, self.trail)
        self._fold([features(act) for features in facets.FACETS], is_done=True)
        facets.leave(act)

    def rest(self) -> None:
        """The turn has ended: it is judged as a whole, and the purpose takes it in."""
        if self.done and self.taken >= PROVISIONAL_EVENTS:
            self.doubt = self.target
            self._spread()
            self._swing()
        self._take_in()

    def foretell(self, words: list[str], files: list[str]) -> None:
        """Before anything was done: the branch's words and the changed files stand for it."""
        acts = [facets.of_prompt(" ".join(words), self.trail)]
        for path in files[:FORETOLD_FILES]:
            acts.append(facets.of_tool({"deed": "edit", "path": path}, self.trail))
        for act in acts:
            for i, features in enumerate(facets.FACETS):
                add(self.present[i], features(act), CAPS[i])
        self.done = len(acts) - 1
        self.alike = None
        self._judge()
        self.doubt = self.target
        self._spread()
        self._forget_the_present()
        self.cross = round(SCALE * Reading(self).ic) if self.inherits else SCALE

    def accept(self) -> None:
        """The present is the task now."""
        self.purpose = self.present
        self.taken = self.done
        self._settle()
        self._weigh()

    def keep(self) -> None:
        """The goal stands: what was doubted is forgotten."""
        self._settle()

    def reading(self) -> Reading:
        return Reading(self)

    def kinship(self, inherited: str) -> float:
        """How alike all that was done here is to a purpose that was handed on, 0 to 1.

        It is the likeness that continuity is made of, before doubt and oscillators bound it: what
        ranks sessions by how much they are one task.
        """
        earlier = Mind.begin(inherited)
        earlier.rarity = self.rarity
        earlier._weigh()
        earlier.present = self._whole()
        return earlier._likeness()

    def _whole(self, gain: int = 256) -> list[dict[int, int]]:
        return [absorb(self.purpose[i], self.present[i], 256, gain, CAPS[i]) for i in range(N)]

    def _fitting(self, doubt: int) -> int:
        """How much of the present the purpose takes in, in 256: by the odds that it fits."""
        is_judged = self.taken >= PROVISIONAL_EVENTS
        return 256 * (_odds(doubt / SCALE) if is_judged else SCALE) // SCALE

    def _hear_a_task(self) -> None:
        """Anchor anew, at once. By what was handed on only the continuity with the session before
        is measured from here on, at the fifth event."""
        if self.inherits:
            self.former, self.inherits = self.purpose, 0
        self.purpose = [{} for _ in range(N)]
        self.taken = 0
        self._settle()
        self._weigh()

    def _settle(self) -> None:
        """Nothing is in doubt: the present is empty, every facet fits, and all are in phase."""
        self._forget_the_present()
        self.recent = {}
        self.steadiness = STEADY_FIRST
        self.doubt = self.doubt_before = self.target = round(SCALE * LEAST_DOUBT)
        self.alignments = [_odds(LEAST_DOUBT)] * N
        self.reference = [_odds(LEAST_DOUBT) - CENTRE] * N
        self.phases = [0] * N

    def _forget_the_present(self) -> None:
        self.present = [{} for _ in range(N)]
        self.done = 0
        self.alike = None

    def _weigh(self) -> None:
        """The purpose is another: how long its sketches are."""
        if not self.rarity:
            self.rarity = self.usual.rarity()
        self.sizes = [size(weights, self.rarity) for weights in self.purpose]
        self.packed = b""
        self.alike = None

    def _fold(self, by_facet: list[Features], *, is_done: bool) -> None:
        self.events += 1
        if self.done >= (BLOCK if self.taken else FIRST_BLOCK):
            self.rest()
        self.done += is_done
        for i, features in enumerate(by_facet):
            if features:
                add(self.present[i], features, CAPS[i])
        self.alike = None
        self._weave(by_facet, is_done=is_done)
        if self.taken >= PROVISIONAL_EVENTS or self.inherits:
            self._judge()
            self.doubt += (
                (self.target - self.doubt) * self.done // (FOLLOWS * (self.done + HALF_DONE))
            )
        self._spread()
        self._swing()
        if self.events == PROVISIONAL_EVENTS and (self.inherits or self.former):
            self._come_into_its_own()

    def _weave(self, by_facet: list[Features], *, is_done: bool) -> None:
        """How much of an action the few events before it had; then it is one of them."""
        shares = [covered(by_facet[i], self.recent, self.rarity) for i in WOVEN if by_facet[i]]
        if is_done and shares and self.recent:
            now = SCALE * sum(shares) // (256 * len(shares))
            self.steadiness += (now - self.steadiness) // STEADY_OVER
        self.recent = scaled(self.recent, RECENT_KEEPS)
        for i in WOVEN:
            for feature, _ in by_facet[i]:
                self.recent[feature] = min(65535, self.recent.get(feature, 0) + 256)
        if len(self.recent) > RECENT_CAP:
            cut(self.recent, RECENT_CAP)

    def _come_into_its_own(self) -> None:
        """At the fifth event: fix the continuity with the session before. Then the purpose that was
        handed on is the session's own, unless there is another task, or no goal came with it."""
        self.cross = round(SCALE * self._followed().ic)
        is_elsewhere = self.inherits and self.target > 0
        self.former, self.inherits = [], 0
        if is_elsewhere and not self.binds:
            self.accept()

    def _followed(self) -> Reading:
        """What was done so far, judged as a whole by what was handed on."""
        mind = Mind()
        mind.rarity = self.rarity
        mind.purpose = self.former or self.purpose
        mind._weigh()
        mind.present, mind.done, mind.steadiness = self.present, self.done, self.steadiness
        mind._judge()
        mind.doubt = mind.target
        mind._spread()
        mind.phases = self.phases
        return Reading(mind)

    def _take_in(self) -> None:
        """Let the purpose have what was done, as far as it fits."""
        if self.inherits or self.former or not any(self.present):
            return
        gain = self._fitting(self.doubt)
        for i in range(N):
            self.purpose[i] = absorb(self.purpose[i], self.present[i], KEEPS[i], gain, CAPS[i])
        self.taken += self.done + 1
        self.doubt_before = self.doubt
        now = [value - CENTRE for value in self.alignments]
        self.reference = [(r * 7 + v) // 8 for r, v in zip(self.reference, now, strict=True)]
        self._forget_the_present()
        self._weigh()

    def _judge(self) -> None:
        """What the turn says so far, and where doubt would stand if it ended now."""
        weight = self.done / (self.done + FEW_DONE) if self.done else SAID_SLOPE
        likeness = self._likeness()
        says = weight * drift.ln((likeness + 0.001) / self._middle()) if likeness >= 0 else 0.0
        doubt = self.doubt_before / SCALE - max(-CLEAREST, min(CLEAREST, says))
        self.target = round(SCALE * max(LEAST_DOUBT, min(MOST_DOUBT, doubt)))
        self.says = round(SCALE * max(-9.0, min(9.0, says)))

    def _likeness(self) -> float:
        """Present and purpose, over the facets that both have something of; -1 without any."""
        weighted = trusted = 0.0
        for trust, alike in zip(TRUST, self._alike(), strict=True):
            if trust and alike >= 0:
                weighted += trust * alike
                trusted += trust
        return weighted / trusted if trusted else -1.0

    def _middle(self) -> float:
        """The likeness that speaks for neither side."""
        if not self.done:
            return SAID_LEVEL
        return DONE_LEVEL * (self.done + 1) / (self.done + HALF_DONE)

    def _alike(self) -> list[float]:
        """By facet how alike present and purpose are; -1 where one of them has nothing."""
        if self.alike is None:
            self.alike = [
                likeness(self.present[i], self.purpose[i], self.sizes[i], self.rarity)
                if self.present[i] and self.sizes[i]
                else -1.0
                for i in range(N)
            ]
        return self.alike

    def _spread(self) -> None:
        """Alignments from the doubt, each facet leaning to its own side; and how well the last
        ones foretold them."""
        steady = (self.steadiness / SCALE / STEADY_MIDDLE) ** STEADY_SLOPE
        fits = round(_odds(self.doubt / SCALE) * steady / (1 + steady))
        middle = self._middle()
        missed = 0
        for i, alike in enumerate(self._alike()):
            own = fits if alike < 0 else round(SCALE * alike / (alike + middle / 2))
            wanted = fits + round(OWN_SHARE * (own - fits))
            missed += abs(wanted - self.alignments[i])
            self.alignments[i] = wanted
        held = max(0, SCALE - 2 * missed // N)
        self.reflection += (held - self.reflection) // 8

    def _swing(self) -> None:
        self.phases = oscillator.advance(self.phases, [1 - a / SCALE for a in self.alignments])


def _odds(doubt: float) -> int:
    """How likely it is that the session is on its purpose, in ten-thousandths."""
    against: float = E ** (SHARPNESS * doubt)
    return round(SCALE / (1 + against))
