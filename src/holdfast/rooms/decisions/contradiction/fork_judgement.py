"""Forks: a statement that chooses otherwise than a decision that holds.

Two linear judgements, each over traits of the pair (`pair_features.py`): whether both speak of the
same, and whether the statement breaks the decision. Where a rule (`contradiction_rules.py`) says
that it does, less weight is asked for. The weights were fitted on labelled pairs
(`training/fit_forks.py`) and are read from `forks.weights` as they lie; no model is asked, and
the same words always weigh the same. Precision comes first: an agent that is warned of nothing
stops listening.

    header   8 bytes of name, then the three thresholds, signed, in sixty-fourths
    traits   2^16 places of 3 bytes: proof, weight for the subject, weight for the breach
"""

from __future__ import annotations

from zlib import crc32

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions.contradiction.contradiction_rules import differs
from holdfast.rooms.decisions.contradiction.pair_features import of_breach, of_subject
from holdfast.rooms.decisions.contradiction.sentence import Reading, read, subjects
from holdfast.system import files

__all__ = ["contradiction"]

MAGIC = b"HFFORK01"
PLACES, PLACE_BYTES = 1 << 16, 3
HEADER_BYTES = len(MAGIC) + 6
SIZE_BYTES = HEADER_BYTES + PLACES * PLACE_BYTES
SCALE, STEP = 32.0, 64.0
SUBJECT, BREACH = 1, 2
PATH = f"{__file__.rpartition('/')[0]}/forks.weights"

_TABLE: list[bytes] = []


def contradiction(decision: str, statement: str) -> str:
    """In what a statement contradicts a decision, "" when it does not."""
    if not subjects(decision) & subjects(statement):
        return ""
    held, stated = read(decision), read(statement)
    least_subject, least_breach, least_by_rule = thresholds(table())
    breach = weigh(of_breach(held, stated), BREACH)
    by_rule = differs(decision, statement) if breach > least_by_rule else ""
    if by_rule or breach <= least_breach:
        return by_rule
    return why(held, stated) if weigh(of_subject(held, stated), SUBJECT) > least_subject else ""


def weigh(traits: list[str], which: int) -> float:
    weights = table()
    total = 0
    for trait in traits:
        at, proof = place_of(trait)
        if weights[at] == proof:
            total += weights[at + which] - 128
    return total / SCALE


def place_of(trait: str) -> tuple[int, int]:
    """Where a trait's weights lie, and the byte that proves them its own."""
    sum_ = crc32(trait.encode("utf-8", "backslashreplace"))
    return HEADER_BYTES + (sum_ & (PLACES - 1)) * PLACE_BYTES, (sum_ >> 24) | 1


def thresholds(weights: bytes) -> list[float]:
    """Above which sums both speak of the same, the statement breaks the decision, and it breaks it
    where a rule says so, too."""
    return [
        int.from_bytes(weights[at : at + 2], "big", signed=True) / STEP
        for at in range(len(MAGIC), HEADER_BYTES, 2)
    ]


def table() -> bytes:
    if not _TABLE:
        content = files.read_bytes(PATH, SIZE_BYTES + 1)
        if content is None or len(content) != SIZE_BYTES or not content.startswith(MAGIC):
            raise HoldfastError(f"{PATH} is not what was installed", hint="install holdfast again")
        _TABLE.append(content)
    return _TABLE[0]


def why(held: Reading, stated: Reading) -> str:
    """In what they differ, as far as it can be named: a name, an amount, a yes or a no."""
    for kind in sorted(held.names.keys() & stated.names.keys()):
        ours, theirs = held.names[kind], stated.names[kind]
        taken_up = [name for name in theirs if theirs[name] and ours.get(name) is False]
        given_up = [name for name in ours if ours[name] and theirs.get(name) is False]
        if taken_up:
            return f"takes up {' and '.join(sorted(taken_up))}, which the decision rules out"
        if given_up:
            return f"gives up {' and '.join(sorted(given_up))}, which the decision chose"
        chosen = [name for name in theirs if theirs[name] and name not in ours]
        if chosen and any(ours.values()) and not ours.keys() & theirs.keys():
            named = [" and ".join(sorted(names)) for names in (chosen, ours)]
            return "chooses {} where the decision chose {}".format(*named)
    pairs = [(a, b) for a in held.amounts for b in stated.amounts if a.measure == b.measure]
    if pairs and all(a.value != b.value for a, b in pairs):
        ours_, theirs_ = max(pairs, key=lambda pair: len(pair[0].around & pair[1].around))
        return f"says {theirs_.spelt} where the decision says {ours_.spelt}"
    shared = held.yes.keys() & stated.yes.keys()
    taken = {stem for stem in shared if stated.yes[stem] and not held.yes[stem]}
    given = {stem for stem in shared if held.yes[stem] and not stated.yes[stem]}
    if taken:
        return f"takes up what the decision rules out ({stated.as_spelt(taken)})"
    if given:
        return f"gives up what the decision asks for ({stated.as_spelt(given)})"
    return f"chooses otherwise ({stated.as_spelt(set(shared)) or stated.plain[:60]})"
