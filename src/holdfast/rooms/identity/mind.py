"""A session's identity as it stands, folded from its events one at a time.

For each of thirteen facets the mind holds the task's terms: those that people used, and those of
the work that followed; and the present's: those of what was done since the turn began. How much of
the present is the task's, in terms that are rare in the project, is the facet's alignment. The
thirteen are the purpose vector, and the phases follow from them (drift.py).

Laws:
  - the same events give the same bytes, in every process;
  - a mind that was packed and unpacked goes on exactly as one that was not;
  - what is done now is measured against what was done before it, never against itself;
  - how rare a term is is learnt from the sessions before, the old ones fading, and stands still
    during one: no more than CAP terms are remembered; one that none had says RAREST;
  - bytes that were cut, changed or written by another version are refused with ValueError;
  - few actions say little, and so does a task that was hardly begun;
  - only a person re-anchors: by a new task, by accepting, by keeping. A purpose that was handed on
    is what work is measured against until then, when it came with a goal that holds.
"""

from __future__ import annotations

from holdfast.rooms.identity import drift, facets
from holdfast.rooms.identity.drift import ln
from holdfast.system.paths import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

    Terms = dict[int, int]  # how many events had each
    from collections.abc import Iterable

CAP = 1600
ONE = 4  # what a session counts; a count is kept in a byte
COUNT_MOST = 255
FADES_EVERY = 8  # sessions; an eighth is taken then, so that about sixty-four are remembered
RAREST = 64
SHORT = 0xFFFF  # of a term's number, what is remembered


class Usual:
    """How many sessions there were; of the terms they had, numbers of two bytes and counts."""

    def __init__(self, sessions: int = 0, ids: bytes = b"", counts: bytes = b"") -> None:
        if len(ids) != 2 * len(counts):
            raise ValueError("a damaged vocabulary")
        self.sessions = sessions
        self.ids = ids
        self.counts = counts

    def rarity(self) -> dict[int, int]:
        """How much each known term says: the logarithm of sessions to those that had it."""
        remembered = min(self.sessions, COUNT_MOST // ONE) * ONE + 6
        most = ln(remembered / 2)
        scale = bytearray(COUNT_MOST + 1)
        for count in set(self.counts):
            rare = RAREST * ln(remembered / (count + 2)) / most
            scale[count] = max(1, min(RAREST, round(rare)))
        return dict(zip(self._ids(), self.counts.translate(scale), strict=True))

    def after(self, terms: Iterable[int]) -> Usual:
        """What is usual when one more session has ended, which had these terms."""
        counts = dict(zip(self._ids(), self.counts, strict=True))
        if self.sessions % FADES_EVERY == FADES_EVERY - 1:
            counts = {term: left for term, count in counts.items() if (left := count * 7 >> 3)}
        for term in {term & SHORT for term in terms}:
            counts[term] = min(counts.get(term, 0) + ONE, COUNT_MOST)
        kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:CAP]
        ids = b"".join([term.to_bytes(2, "little") for term, _ in kept])
        return Usual(self.sessions + 1, ids, bytes([count for _, count in kept]))

    def _ids(self) -> list[int]:
        return memoryview(self.ids).cast("H").tolist()


VERSION = 4
HANDED_ON_VERSION = 3  # of what one session hands on to the next, which is in entries
N = drift.FACETS
SCALE = 10_000  # figures are kept in ten-thousandths

# How many terms are held of each facet; a quarter, those that say most, are handed on.
CAPS = (200, 24, 24, 24, 8, 80, 120, 24, 40, 24, 40, 40, 32)
HANDED_ON = 4
MOST = 255
FRESH, ASKED = 1, 5  # facets whose task is the last turn alone, and what people said alone
LEARNT = (0, 6, 8, 10)  # whose terms the project's rarity is learnt from

# The overlap that speaks for neither side; and which facets a turn is judged by, how much: those
# that tell another task's work (benchmarks/results/identity.md). The others are shown.
MIDDLE = (0.19, 0.1, 0.22, 0.28, 0.05, 0.07, 0.11, 0.05, 0.25, 0.6, 0.04, 0.15, 0.05)
TRUST = (3, 1, 0, 0, 0, 2, 3, 0, 1, 0, 1, 1, 0)
OWN_SHARE = 0.6  # of a facet's alignment; the rest is that of those trusted
SETTLED = SCALE * 9 // 10  # an alignment that nothing speaks against
FEW, YOUNG = 4, 6  # actions of a turn, of a task, that say half of what many do
FORGIVEN = 4  # with a new prompt three quarters of a misalignment are
PROVISIONAL_EVENTS = 5
FIRST_BLOCK = 40  # actions of a first turn; then they are a purpose, without waiting for its end
FORETOLD_FILES = 20


class Reading:
    """What a mind is like at one moment."""

    def __init__(self, mind: Mind) -> None:
        self.events = mind.events
        self.is_provisional = mind.events < PROVISIONAL_EVENTS
        now = [value / SCALE for value in mind.alignments]
        before = [value / SCALE for value in mind.reference]
        trusted = sum(trust * value for trust, value in zip(TRUST, now, strict=True))
        self.phases = drift.phases(now, trusted / sum(TRUST))
        self.coupling = drift.COUPLING
        length = sum(value * value for value in now) ** 0.5
        self.purpose = [round(value / length, 6) if length else N**-0.5 for value in now]
        self.r = round(drift.order_parameter(self.phases), 4)
        self.ic = round(drift.continuity(now, before, self.phases), 4)
        self.klass = drift.classify(self.ic)
        self.cross_ic = mind.cross / SCALE
        self.evidence = mind.fits / SCALE  # how well the last turn fits, whatever was before it
        self.integration = self.r
        missed = sum(abs(a - b) for a, b in zip(now, before, strict=True)) / N
        self.reflection = round(max(0.0, 1 - missed), 4)
        self.differentiation = round(drift.entropy13([value * value for value in now]), 4)
        self.consciousness = round(self.integration * self.reflection * self.differentiation, 4)
        self.state = drift.state_of(self.consciousness)


class Mind:
    if TYPE_CHECKING:
        alignments: list[int]
        begun: list[int]  # alignments when the turn began
        reference: list[int]  # alignments of the turns before
        fits: int
        present: list[Terms]
        done: int

    def __init__(self) -> None:
        self.events = 0
        self.inherits = 0  # 1 while nothing but the purpose that was handed on is known
        self.binds = 1  # 0 when it came without a goal: then the session goes its own way
        self.cross = SCALE  # continuity with the session before, fixed at the fifth event
        self.taken = 0  # events that the task is made of
        self.has_strayed = 0  # 1 once a turn ended off the task
        self.task: list[Terms] = [{} for _ in range(N)]
        # What was handed on, when a new task took its place before the fifth event.
        self.former: list[Terms] = []
        self.trail = facets.Trail()
        self.usual = Usual()
        self.rarity: Terms = {}
        self.sizes = [0] * N  # of the task, which changes seldom
        self.packed = b""  # the task, when it has not changed since it was read
        self._settle()

    @classmethod
    def begin(cls, inherited: str = "", *, binds: bool = True) -> Mind:
        """A new session, with what the one before handed on; what cannot be read is left. Without
        a goal that holds (`binds`) the work is not held to it."""
        mind = cls()
        try:
            if inherited:
                (sessions, mind.taken), parts = unpack(HANDED_ON_VERSION, bytes.fromhex(inherited))
                task, ids, counts = parts
                mind.usual = Usual(sessions, ids, counts)
                mind.task = got(task, N)
                mind.inherits, mind.binds = int(mind.taken > 0), int(binds)
        except ValueError:
            mind = cls()
        mind._weigh()
        return mind

    @classmethod
    def unpack(cls, raw: bytes) -> Mind:
        """The mind that was packed; ValueError when the bytes are damaged."""
        numbers, parts = unpack(VERSION, raw)
        mind = cls.__new__(cls)
        mind.events, mind.inherits, mind.binds, mind.cross, mind.taken = numbers[:5]
        mind.has_strayed, mind.done, mind.fits, sessions = numbers[5:9]
        rows = [numbers[at : at + N] for at in range(9, 9 + 4 * N, N)]
        mind.alignments, mind.begun, mind.reference, mind.sizes = rows
        mind.trail = facets.Trail(numbers[9 + 4 * N :])
        mind.packed, present, former, ids, counts = parts
        mind.task, mind.present = got(mind.packed, N), got(present, N)
        mind.former = got(former, N) if former else []
        mind.usual = Usual(sessions, ids, counts)
        mind.rarity = mind.usual.rarity()
        return mind

    def pack(self) -> bytes:
        numbers = [self.events, self.inherits, self.binds, self.cross, self.taken]
        numbers += [self.has_strayed, self.done, self.fits, self.usual.sessions]
        numbers += self.alignments + self.begun + self.reference + self.sizes
        numbers += self.trail.numbers()
        self.packed = self.packed or put(self.task)
        former = put(self.former) if self.former else b""
        parts = [self.packed, put(self.present), former, self.usual.ids, self.usual.counts]
        return pack(VERSION, numbers, parts)

    def legacy(self, *, is_fresh: bool = False) -> str:
        """What the next session is given: what is usual in the project and, unless it begins
        afresh, the task, with the present unless that has left it."""
        whole = self._whole()
        usual = self.usual.after(term for i in LEARNT for term in whole[i])
        task = self.task if self._is_off_task() else whole
        caps = [0 if is_fresh else cap // HANDED_ON for cap in CAPS]
        handed = [self._cut(terms, cap) for terms, cap in zip(task, caps, strict=True)]
        numbers = [usual.sessions, 0 if is_fresh else self.taken + self.done]
        return pack(HANDED_ON_VERSION, numbers, [put(handed), usual.ids, usual.counts]).hex()

    def prompt(self, text: str, *, is_new_task: bool) -> None:
        """A person asked for something: what was said is the task's."""
        self.rest()
        if is_new_task:
            # By what was handed on only the continuity with the session before is measured from
            # here on, at the fifth event.
            if self.inherits:
                self.former, self.inherits = self.task, 0
            self.task, self.taken = [{} for _ in range(N)], 0
            self._settle()
        self.begun = [a + (SETTLED - a) * (FORGIVEN - 1) // FORGIVEN for a in self.alignments]
        self.alignments = self.begun
        act = facets.of_prompt(text, self.trail)
        for i, facet in enumerate(facets.FACETS):
            self._add(self.task, i, facet(act))
        facets.leave(act)
        self.taken += 1
        self._weigh()
        self._count()

    def tool(self, body: Body) -> None:
        """The agent did something."""
        if self.done >= FIRST_BLOCK > self.taken:
            self.rest()
        self._do(facets.of_tool(body, self.trail))
        self._align()
        self._count()

    def rest(self) -> None:
        """The turn has ended, and the task takes it in, unless it has left it."""
        if not self.done:
            return
        self.reference = [
            (a + b) // 2 for a, b in zip(self.reference, self.alignments, strict=True)
        ]
        ic = Reading(self).ic
        if not (drift.is_crisis(ic) or self.inherits or self.former):
            whole = self._whole()
            whole[FRESH] = self.present[FRESH]
            whole[ASKED] = self.task[ASKED]
            self.task = whole
            self.taken += self.done
            self._weigh()
        self.has_strayed |= ic < drift.GOOD
        self._forget_the_present()

    def foretell(self, words: list[str], files: list[str]) -> None:
        """Before anything was done: the branch's words and the changed files stand for it."""
        self._do(facets.of_tool({"deed": "read", "input": {"words": " ".join(words)}}, self.trail))
        for path in files[:FORETOLD_FILES]:
            self._do(facets.of_tool({"deed": "edit", "path": path}, self.trail))
        self._align(1.0)
        self.cross = round(SCALE * Reading(self).ic) if self.inherits else SCALE
        self._forget_the_present()

    def accept(self) -> None:
        """The present is the task now."""
        self.task, self.taken = self.present, self.done
        self.has_strayed = 0
        self._settle()
        self._weigh()

    def keep(self) -> None:
        """The goal stands: what was doubted is forgotten."""
        self.has_strayed |= Reading(self).ic < drift.GOOD
        self._settle()

    def reading(self) -> Reading:
        return Reading(self)

    def _is_off_task(self) -> bool:
        return drift.is_crisis(Reading(self).ic)

    def _settle(self) -> None:
        """Nothing is in doubt: the present is empty, and every facet fits."""
        self._forget_the_present()
        self.alignments = self.begun = self.reference = [SETTLED] * N
        self.fits = SETTLED

    def _forget_the_present(self) -> None:
        self.present = [{} for _ in range(N)]
        self.done = 0

    def _do(self, act: facets.Act) -> None:
        for i, facet in enumerate(facets.FACETS):
            self._add(self.present, i, facet(act))
        facets.leave(act)
        self.done += 1

    def _add(self, bags: list[Terms], i: int, terms: list[int]) -> None:
        bag = bags[i]
        for term in terms:
            bag[term] = min(bag.get(term, 0) + 1, MOST)
        if len(bag) > CAPS[i]:
            bags[i] = self._cut(bag, CAPS[i])

    def _cut(self, bag: Terms, cap: int) -> Terms:
        """The terms that say most, ties by number."""
        if len(bag) <= cap:
            return bag
        rarity = self.rarity

        def heaviest(item: tuple[int, int]) -> tuple[int, int]:
            return -item[1].bit_length() * rarity.get(item[0] & SHORT, RAREST), item[0]

        return dict(sorted(bag.items(), key=heaviest)[:cap])

    def _whole(self) -> list[Terms]:
        """The task with the present."""
        bags = []
        for task, present, cap in zip(self.task, self.present, CAPS, strict=True):
            bag = dict(task)
            for term, count in present.items():
                bag[term] = min(bag.get(term, 0) + count, MOST)
            bags.append(self._cut(bag, cap))
        return bags

    def _weigh(self) -> None:
        """The task is another: how long its vectors are."""
        self.rarity = self.rarity or self.usual.rarity()
        self.sizes = [self._size(bag) for bag in self.task]
        self.packed = b""

    def _size(self, bag: Terms) -> int:
        rarity_of = self.rarity.get
        return sum(
            (count.bit_length() * rarity_of(term & SHORT, RAREST)) ** 2
            for term, count in bag.items()
        )

    def _overlap(self, i: int) -> float:
        """The cosine of present and task: a term weighs its rarity times the bits of its count."""
        task_has, rarity_of = self.task[i].get, self.rarity.get
        both = mine = 0
        for term, count in self.present[i].items():
            rare = rarity_of(term & SHORT, RAREST)
            weight = count.bit_length() * rare
            mine += weight * weight
            theirs = task_has(term)
            if theirs:
                both += weight * rare * theirs.bit_length()
        cosine: float = both / (mine * self.sizes[i]) ** 0.5 if both else 0.0
        return cosine

    def _align(self, says: float = 0.0) -> None:
        """Alignments from overlaps. A facet of which present or task have nothing goes with the
        others."""
        own = [-1.0] * N
        fits = trusted = 0.0
        for i, middle in enumerate(MIDDLE):
            if self.present[i] and self.sizes[i]:
                overlap = self._overlap(i) ** 2
                own[i] = overlap / (overlap + middle**2)
                fits += TRUST[i] * own[i]
                trusted += TRUST[i]
        if not trusted:
            return
        fits /= trusted
        self.fits = round(SCALE * fits)
        says = says or self.done / (self.done + FEW) * self.taken / (self.taken + YOUNG)
        self.alignments = [
            round(a + says * (SCALE * (fits if fit < 0 else fits + OWN_SHARE * (fit - fits)) - a))
            for a, fit in zip(self.begun, own, strict=True)
        ]

    def _count(self) -> None:
        """One event more. At the fifth, continuity with the session before is fixed. Then the task
        that was handed on is the session's own, unless another took its place, or no goal came
        with it and the session is about something else."""
        self.events += 1
        if self.events != PROVISIONAL_EVENTS or not (self.inherits or self.former):
            return
        mind = Mind.unpack(self.pack())
        mind.task = self.former or self.task
        mind._weigh()
        mind.begun = mind.reference = [SETTLED] * N
        mind._align(1.0)
        self.cross = round(SCALE * Reading(mind).ic)
        is_elsewhere = self.inherits and mind._is_off_task()
        self.former, self.inherits = [], 0
        if is_elsewhere and not self.binds:
            self.accept()


HEAD = 16


def pack(version: int, numbers: list[int], parts: list[bytes]) -> bytes:
    """Numbers of four bytes, and parts, with version, checksum and sizes before."""
    whole = b"".join([_fours([*[len(part) for part in parts], *numbers]), *parts])
    head = (version, _checksum(whole), len(numbers), len(parts))
    return _fours(head) + whole


def unpack(version: int, packed: bytes) -> tuple[list[int], list[bytes]]:
    if len(packed) < HEAD:
        raise ValueError("a mind that is cut off")
    stored_version, checksum, count, parts = memoryview(packed)[:HEAD].cast("I").tolist()
    if stored_version != version:
        raise ValueError(f"a mind of version {stored_version}, not {version}")
    whole = packed[HEAD:]
    at = 4 * (parts + count)
    if checksum != _checksum(whole) or at > len(whole):
        raise ValueError("a damaged mind")
    numbers = memoryview(whole)[:at].cast("I").tolist()
    contents = []
    for size in numbers[:parts]:
        contents.append(whole[at : at + size])
        at += size
    if at != len(whole):
        raise ValueError("a damaged mind")
    return numbers[parts:], contents


def put(bags: list[dict[int, int]]) -> bytes:
    """Bags of terms as bytes: their sizes and terms of four bytes, then counts of one."""
    wide = [len(bag) for bag in bags]
    narrow = bytearray()
    for bag in bags:
        wide += bag
        narrow += bytes(bag.values())
    return _fours(wide) + narrow


def got(raw: bytes, many: int) -> list[dict[int, int]]:
    """As many bags as were put: each has a size, and they add up."""
    terms, odd = divmod(len(raw) - 4 * many, 5)
    middle = 4 * (many + terms)
    wide = memoryview(raw)[:middle].cast("I").tolist() if terms >= 0 else []
    if odd or sum(wide[:many]) != terms:
        raise ValueError("damaged bags of terms")
    bags, at = [], 0
    for size in wide[:many]:
        known = wide[many + at : many + at + size]
        bags.append(dict(zip(known, raw[middle + at : middle + at + size], strict=True)))
        at += size
    return bags


def _fours(values: list[int] | tuple[int, ...]) -> bytes:
    made = bytearray(4 * len(values))
    fours = memoryview(made).cast("I")
    for at, value in enumerate(values):
        fours[at] = value
    return bytes(made)


def _checksum(raw: bytes) -> int:
    return int(digest(raw)[:8], 16)
