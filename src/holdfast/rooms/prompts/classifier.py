"""Whether a clause is a rule, a withdrawal or a dead end, and whether a prompt gives a task.

A linear judgement: every trait has a weight, fitted once on labelled prompts
(`training/fit_prompts.py`) and read from `classifier.weights` as it lies. No model is asked, and
the same words always weigh the same. A trait is found by its checksum, with a byte of it as proof;
one that was never seen weighs nothing. Whether a clause is a rule is judged by itself, by its
sentence and by the whole prompt: each sees what the others do not. What the prompt says counts for
the sentence that most looks like a rule; once it is explained by that one, the others stand for
themselves.

    header     8 bytes of name, then the six thresholds, signed, in sixty-fourths
    clauses    2^19 places of 4 bytes: proof, rule, withdrawal, dead end
    sentences  2^18 places of 2 bytes: proof, rule
    prompts    2^18 places of 4 bytes: proof, goal, going on, rule

Law: no weight is used that is not what was fitted. `classifier.sums` has a checksum for every 512
bytes; those that are looked at are compared, which costs half of what the whole file would.
"""

from __future__ import annotations

from zlib import crc32

from holdfast.errors import HoldfastError
from holdfast.system import files

MAGIC = b"HFHEAR02"
CLASSES = ("rules", "withdraws", "dead_ends", "goal", "continues", "more_rules")
HEADER_BYTES = len(MAGIC) + 2 * len(CLASSES)
# start, places, bytes of a place
PARTS = (HEADER_BYTES, 1 << 19, 4)
SENTENCES = (PARTS[0] + PARTS[1] * PARTS[2], 1 << 18, 2)
PROMPTS = (SENTENCES[0] + SENTENCES[1] * SENTENCES[2], 1 << 18, 4)
SIZE_BYTES = PROMPTS[0] + PROMPTS[1] * PROMPTS[2]
SCALE = 8.0  # a weight of 1 is kept as 8
STEP = 64.0
# How much a sentence and a prompt have to say about a clause of theirs, and the form of an order.
OF_SENTENCE, OF_PROMPT, OF_ORDER = 0.8, 0.5, 2.0
PATH = f"{__file__.rpartition('/')[0]}/classifier.weights"
SUMS_PATH = f"{PATH[:-8]}.sums"
BLOCK = 9  # bits: no place lies in two blocks

Place = tuple[int, int, int]

_TABLE: list[bytes] = []
_SUMS: list[memoryview] = []
_CHECKED = bytearray((SIZE_BYTES >> BLOCK) + 1)


def of_part(traits: list[str]) -> tuple[float, bool, bool]:
    """How much a clause looks like a rule; whether it is a withdrawal, and a dead end."""
    rule, withdrawal, dead_end = _weigh(traits, PARTS)
    limits = thresholds(table())
    return rule, withdrawal > limits[1], dead_end > limits[2]


def of_sentence(traits: list[str]) -> float:
    """What a sentence says about its clauses being rules."""
    return OF_SENTENCE * _weigh(traits, SENTENCES)[0]


def of_prompt(traits: list[str]) -> tuple[bool, bool, float]:
    """Whether a prompt gives a task, whether it only asks to go on, and what it says about its
    clauses being rules."""
    goal, continues, rule = _weigh(traits, PROMPTS)
    limits = thresholds(table())
    return goal > limits[3], continues > limits[4], OF_PROMPT * rule


def is_rule(looks: float, of_prompt: float | None) -> bool:
    """Whether a clause is a rule: by how it looks, and for the one that looks most like a rule, by
    what the prompt says."""
    limits = thresholds(table())
    return looks > limits[5] if of_prompt is None else looks + of_prompt > limits[0]


def table() -> bytes:
    if not _TABLE:
        weights = files.read_bytes(PATH, SIZE_BYTES + 1)
        sums = files.read_bytes(SUMS_PATH)
        if weights is None or len(weights) != SIZE_BYTES or len(sums or b"") != 4 * len(_CHECKED):
            raise _damaged()
        _SUMS.append(memoryview(sums or b"").cast("I"))
        if crc32(weights[: 1 << BLOCK]) != _SUMS[0][0]:
            raise _damaged()
        _TABLE.append(weights)
    return _TABLE[0]


def sums_of(weights: bytes) -> bytes:
    """What `classifier.sums` holds for these weights, in the order of bytes of our machines."""
    starts = range(0, len(weights), 1 << BLOCK)
    sums = [crc32(weights[start : start + (1 << BLOCK)]) for start in starts]
    return b"".join(each.to_bytes(4, "little") for each in sums)


def _damaged() -> HoldfastError:
    # Not the store's: the prompt is kept, and that it was not heard is a counted fault.
    return HoldfastError(f"{PATH} is not what was installed", hint="install holdfast again")


def thresholds(weights: bytes) -> list[float]:
    """Above which sum each class is taken for heard; what a sum starts from is in it."""
    return [
        int.from_bytes(weights[at : at + 2], "big", signed=True) / STEP
        for at in range(len(MAGIC), HEADER_BYTES, 2)
    ]


def place_of(trait: str, place: Place) -> tuple[int, int]:
    """Where a trait's weights lie, and the byte that proves them its own."""
    start, places, size = place
    sum_ = crc32(trait.encode("utf-8", "backslashreplace"))
    return start + (sum_ & (places - 1)) * size, (sum_ >> 24) | 1


def _weigh(traits: list[str], place: Place) -> list[float]:
    weights, many, known = table(), place[2] - 1, 0
    checked, expected = _CHECKED, _SUMS[0]
    sums = [0] * many
    for trait in traits:
        at, proof = place_of(trait, place)
        block = at >> BLOCK
        if not checked[block]:
            if crc32(weights[block << BLOCK : block + 1 << BLOCK]) != expected[block]:
                raise _damaged()
            checked[block] = 1
        if weights[at] == proof:
            known += 1
            for n in range(many):
                sums[n] += weights[at + 1 + n]
    # Kept from 0 to 255 around 128; the root keeps long clauses from outweighing short ones.
    return [(total - 128 * known) / SCALE / max(len(traits), 1) ** 0.5 for total in sums]
