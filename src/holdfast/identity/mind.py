"""A session's identity as it stands, folded from its events one at a time.

Two sketches per facet: the purpose, slow, anchored in what was asked and the work that followed;
and the present, fast: what was said and done since the turn began. How alike they are, in features
that are not usual in the project, moves the doubt, the log-odds that the session has left its
purpose. Facets' alignments, centred on even odds, are the purpose vector and drive the oscillators.

Laws:
  - the same events give the same bytes, in every process;
  - a mind that was packed and unpacked goes on exactly as one that was not;
  - what is done now is measured against what was done before it, never against itself;
  - only a person re-anchors: by a new task, by accepting, by keeping.
"""

from __future__ import annotations

from holdfast.identity import codec, drift, facet, oscillator
from holdfast.identity.sketch import absorb, add, covered, cut, likeness, scaled, size
from holdfast.identity.usual import Usual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.identity.facet import Features

VERSION = 1
N = drift.FACETS
SCALE = 10_000  # figures are kept in ten-thousandths
SHIFTED = 10 * SCALE  # what may be below zero is kept with this added
E = 2.718281828459045

# What the purpose holds of each facet; the present holds as much.
CAPS = (72, 40, 16, 24, 12, 48, 72, 32, 40, 20, 56, 40, 32)
HANDED_ON = 3  # a third of it is handed on
# How much a facet's likeness says about the task: what is done more than what is said, and the
# manner of work (rhythm, order, cause, intent) little, since it is alike in every task.
TRUST = (32, 16, 1, 1, 1, 16, 32, 32, 32, 1, 32, 32, 16)
PAIRS = (7, 12)  # facets of pairs: nearly every pair is rare, and they would crowd the rest out

PROVISIONAL_EVENTS = 5
FIRST_BLOCK = 40  # actions of a first turn; then they are a purpose, without waiting for its end
BLOCK = 240  # actions of a later one, which is judged as a whole where it can be
# What the purpose keeps over a turn, in 256: half of it for thirty turns; what is fresh for two.
KEEPS = (250, 181, *(250,) * 11)
FORETOLD_FILES = 20

# Doubt: how far it can go, and which likeness speaks for neither side. One that is made of few
# actions is small by itself; prompts alone hardly count.
LEAST_DOUBT, MOST_DOUBT = -1.5, 3.0
SAID_LEVEL, SAID_SLOPE = 0.02, 0.3
DONE_LEVEL, HALF_DONE, DONE_SLOPE = 0.2, 10, 1.0
CLEAREST = 3.0
FOLLOWS = 8  # in a turn of many actions doubt goes an eighth of the way with each; at its end all
SHARPNESS = 1.5  # of alignment, which is the odds of doubt
OWN_SHARE = 0.15  # of a facet's alignment; the rest is that of all
CENTRE = SCALE // 2  # even odds

# Steadiness: how much of an action the few events before it had as well.
WOVEN = (0, 6, 8, 10, 11)  # the facets it is asked of: words, symbols, places, entities, files
RECENT_KEEPS, RECENT_CAP = 203, 160  # an event counts half after three more
STEADY_OVER = 32  # actions it is averaged over
STEADY_FIRST = SCALE * 7 // 10  # what a session is taken for that has done nothing yet
STEADY_MIDDLE, STEADY_SLOPE = 0.31, 12  # where it is as likely aimless as not, and how sharply


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
        "alignments", "cross", "done", "doubt", "doubt_before", "events", "has_heard_a_task",
        "inherits", "phases", "present", "purpose", "rarity", "recent", "reference", "reflection",
        "says", "sizes", "steadiness", "taken", "target", "trail", "usual",
    )  # fmt: skip

    def __init__(self) -> None:
        self.events = 0
        self.inherits = 0  # 1 while the purpose is the one that was handed on
        self.has_heard_a_task = 0  # 1 when a new one was given while it is
        self.cross = SCALE  # continuity with the session before, fixed at the fifth event
        self.purpose: list[dict[int, int]] = [{} for _ in range(N)]
        self.present: list[dict[int, int]] = [{} for _ in range(N)]
        self.taken = 0  # events that the purpose is made of
        self.trail = facet.Trail()
        self.usual = Usual()
        self.rarity: dict[int, int] = {}
        self.recent: dict[int, int] = {}  # what the last few events had, fading
        self.sizes = [0] * N  # of the purpose, which changes seldom
        self.reflection = SCALE
        self.says = 0
        self._settle()

    @classmethod
    def begin(cls, inherited: str = "") -> Mind:
        """A new session, with what the one before handed on; what cannot be read is left."""
        mind = cls()
        if not inherited:
            return mind
        try:
            wide, narrow, raw = codec.unpack(VERSION, codec.from_text(inherited))
            mind.usual = _usual(wide[0], raw, 3)
            mind.purpose = codec.sketches(wide[2:], narrow, N)
            mind.taken = wide[1]
            mind.inherits = 1
        except (ValueError, IndexError):
            mind = cls()
        mind._weigh()
        return mind

    @classmethod
    def unpack(cls, raw: bytes) -> Mind:
        """The mind that was packed; ValueError when the bytes are damaged."""
        wide, narrow, rest = codec.unpack(VERSION, raw)
        mind = cls()
        try:
            mind._put(wide, narrow, rest)
        except IndexError as error:
            raise ValueError("a damaged mind") from error
        return mind

    def _put(self, wide: list[int], narrow: list[int], rest: bytes) -> None:
        self.events, self.inherits, self.has_heard_a_task, self.cross, self.taken = wide[:5]
        self.done, self.reflection, sessions, trail = wide[5:9]
        self.doubt, self.doubt_before, self.target, self.says = [
            value - SHIFTED for value in wide[9:13]
        ]
        self.steadiness = wide[13]
        rows = [wide[at : at + N] for at in range(14, 14 + 4 * N, N)]
        self.alignments, reference, self.phases, self.sizes = rows
        self.reference = [value - SHIFTED for value in reference]
        at = 14 + 4 * N
        self.trail = facet.Trail.of(wide[at : at + trail])
        sketches = codec.sketches(wide[at + trail :], narrow, 2 * N + 1)
        self.purpose, self.present, self.recent = sketches[:N], sketches[N : 2 * N], sketches[-1]
        self.usual = _usual(sessions, rest, 4)
        self.rarity = self.usual.rarity()

    def pack(self) -> bytes:
        trail = self.trail.numbers()
        wide = [self.events, self.inherits, self.has_heard_a_task, self.cross, self.taken]
        wide += [self.done, self.reflection, self.usual.sessions, len(trail)]
        wide += [
            value + SHIFTED for value in (self.doubt, self.doubt_before, self.target, self.says)
        ]
        wide.append(self.steadiness)
        wide += self.alignments
        wide += [value + SHIFTED for value in self.reference]
        wide += self.phases
        wide += self.sizes
        wide += trail
        narrow = codec.listed(wide, [*self.purpose, *self.present, self.recent])
        usual = self.usual
        return codec.pack(VERSION, wide, narrow, usual.ids + usual.counts + usual.rarities)

    def legacy(self) -> str:
        """What the next session is given: the purpose, and what is usual in the project."""
        whole = self._whole()
        usual = self.usual.after(
            feature for i, weights in enumerate(whole) if i not in PAIRS for feature in weights
        )
        for weights, cap in zip(whole, CAPS, strict=True):
            cut(weights, cap // HANDED_ON)
        wide = [usual.sessions, self.taken + self.done]
        narrow = codec.listed(wide, whole)
        return codec.to_text(codec.pack(VERSION, wide, narrow, usual.ids + usual.counts))

    def prompt(self, text: str, *, is_new_task: bool) -> None:
        """A person asked for something."""
        act = facet.of_prompt(text, self.trail)
        self.rest()
        if is_new_task:
            self._hear_a_task()
        self._fold([features(act) for features in facet.FACETS], is_done=False)
        facet.leave(act)

    def tool(self, body: dict[str, Any]) -> None:
        """The agent did something."""
        act = facet.of_tool(body, self.trail)
        self._fold([features(act) for features in facet.FACETS], is_done=True)
        facet.leave(act)

    def rest(self) -> None:
        """The turn has ended: it is judged as a whole, and the purpose takes it in."""
        if self.done and self.taken >= PROVISIONAL_EVENTS:
            self.doubt = self.target
            self._spread()
            self._swing()
        self._take_in()

    def foretell(self, words: list[str], files: list[str]) -> None:
        """Before anything was done: the branch's words and the changed files stand for it."""
        acts = [facet.of_prompt(" ".join(words), self.trail)]
        for path in files[:FORETOLD_FILES]:
            acts.append(facet.of_tool({"deed": "edit", "path": path}, self.trail))
        for act in acts:
            for i, features in enumerate(facet.FACETS):
                add(self.present[i], features(act), CAPS[i])
        self.done = len(acts) - 1
        self._judge()
        self.doubt = self.target
        self._spread()
        self.present = [{} for _ in range(N)]
        self.done = 0
        self.cross = round(SCALE * Reading(self).ic) if self.inherits else SCALE

    def accept(self) -> None:
        """The present is the task now."""
        self.purpose = self.present
        self.present = [{} for _ in range(N)]
        self.taken = self.done
        self._settle()
        self._weigh()

    def keep(self) -> None:
        """The goal stands: what was doubted is forgotten."""
        self.present = [{} for _ in range(N)]
        self._settle()

    def reading(self) -> Reading:
        return Reading(self)

    def kinship(self, inherited: str) -> float:
        """How alike all that was done here is to a purpose that was handed on, 0 to 1.

        It is the likeness that continuity is made of, before doubt and oscillators bound it: what
        ranks sessions by how much they are one task.
        """
        earlier = Mind.begin(inherited)
        earlier.usual = self.usual
        earlier._weigh()
        earlier.present = self._whole()
        return earlier._likeness()

    def _whole(self) -> list[dict[int, int]]:
        return [absorb(self.purpose[i], self.present[i], 256, 256, CAPS[i]) for i in range(N)]

    def _hear_a_task(self) -> None:
        """Anchor anew. A purpose that was handed on is first measured by, up to the fifth event."""
        if self.inherits and self.events < PROVISIONAL_EVENTS:
            self.has_heard_a_task = 1
            return
        self.purpose = [{} for _ in range(N)]
        self.present = [{} for _ in range(N)]
        self.taken = 0
        self._settle()
        self._weigh()

    def _settle(self) -> None:
        """Nothing is in doubt: every facet is taken to fit, and all are in phase."""
        self.recent = {}
        self.steadiness = STEADY_FIRST
        self.doubt = self.doubt_before = self.target = round(SCALE * LEAST_DOUBT)
        self.done = 0
        self.alignments = [_odds(LEAST_DOUBT)] * N
        self.reference = [_odds(LEAST_DOUBT) - CENTRE] * N
        self.phases = [0] * N

    def _weigh(self) -> None:
        self.rarity = self.usual.rarity()
        self.sizes = [size(weights, self.rarity) for weights in self.purpose]

    def _fold(self, found: list[Features], *, is_done: bool) -> None:
        self.events += 1
        if self.done >= (BLOCK if self.taken else FIRST_BLOCK):
            self.rest()
        self.done += is_done
        for i, features in enumerate(found):
            if features:
                add(self.present[i], features, CAPS[i])
        self._weave(found, is_done=is_done)
        if self.taken >= PROVISIONAL_EVENTS or self.inherits:
            self._judge()
            self.doubt += (
                (self.target - self.doubt) * self.done // (FOLLOWS * (self.done + HALF_DONE))
            )
        self._spread()
        self._swing()
        if self.inherits and self.events == PROVISIONAL_EVENTS:
            self._come_into_its_own()

    def _weave(self, found: list[Features], *, is_done: bool) -> None:
        """How much of an action the few events before it had; then it is one of them."""
        shares = [covered(found[i], self.recent, self.rarity) for i in WOVEN if found[i]]
        if is_done and shares and self.recent:
            now = SCALE * sum(shares) // (256 * len(shares))
            self.steadiness += (now - self.steadiness) // STEADY_OVER
        self.recent = scaled(self.recent, RECENT_KEEPS)
        for i in WOVEN:
            for feature, _ in found[i]:
                self.recent[feature] = min(65535, self.recent.get(feature, 0) + 256)
        if len(self.recent) > RECENT_CAP:
            cut(self.recent, RECENT_CAP)

    def _come_into_its_own(self) -> None:
        """At the fifth event: fix the continuity with the session before, then go its own way."""
        self.doubt = self.target
        self._spread()
        self.cross = round(SCALE * Reading(self).ic)
        self.inherits = 0
        if self.has_heard_a_task or self.doubt > 0:
            self.accept()

    def _take_in(self) -> None:
        """Let the purpose have what was done, as far as it fits."""
        if self.inherits or not any(self.present):
            return
        fits = _odds(self.doubt / SCALE) if self.taken >= PROVISIONAL_EVENTS else SCALE
        gain = 256 * fits // SCALE
        for i in range(N):
            self.purpose[i] = absorb(self.purpose[i], self.present[i], KEEPS[i], gain, CAPS[i])
            self.present[i] = {}
        self.taken += self.done + 1
        self.done = 0
        self.doubt_before = self.doubt
        now = [value - CENTRE for value in self.alignments]
        self.reference = [(r * 7 + v) // 8 for r, v in zip(self.reference, now, strict=True)]
        self.sizes = [size(weights, self.rarity) for weights in self.purpose]

    def _judge(self) -> None:
        """What the turn says so far, and where doubt would stand if it ended now."""
        slope = DONE_SLOPE if self.done else SAID_SLOPE
        says = slope * drift.ln((self._likeness() + 0.001) / self._middle())
        doubt = self.doubt_before / SCALE - max(-CLEAREST, min(CLEAREST, says))
        self.target = round(SCALE * max(LEAST_DOUBT, min(MOST_DOUBT, doubt)))
        self.says = round(SCALE * max(-9.0, min(9.0, says)))

    def _likeness(self) -> float:
        """Present and purpose, over the facets that both have something of."""
        said = trusted = 0.0
        for i in range(N):
            if self.present[i] and self.sizes[i]:
                said += TRUST[i] * self._alike(i)
                trusted += TRUST[i]
        return said / trusted if trusted else 0.0

    def _middle(self) -> float:
        """The likeness that speaks for neither side."""
        return DONE_LEVEL * self.done / (self.done + HALF_DONE) if self.done else SAID_LEVEL

    def _alike(self, i: int) -> float:
        return likeness(self.present[i], self.purpose[i], self.sizes[i], self.rarity)

    def _spread(self) -> None:
        """Alignments from the doubt, each facet leaning to its own side; and how well the last
        ones foretold them."""
        steady = (self.steadiness / SCALE / STEADY_MIDDLE) ** STEADY_SLOPE
        fits = round(_odds(self.doubt / SCALE) * steady / (1 + steady))
        middle = self._middle()
        missed = 0
        for i in range(N):
            own = fits
            if self.present[i] and self.sizes[i]:
                alike = self._alike(i)
                own = round(SCALE * alike / (alike + middle / 2))
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


def _usual(sessions: int, raw: bytes, width: int) -> Usual:
    """What is usual, from its bytes: numbers of two bytes, then counts and rarities of one."""
    known, odd = divmod(len(raw), width)
    if odd:
        raise ValueError("a damaged vocabulary")
    usual = Usual(sessions, raw[: 2 * known], raw[2 * known : 3 * known])
    usual.rarities = raw[3 * known :]
    return usual
