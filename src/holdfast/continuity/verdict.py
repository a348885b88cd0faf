"""Whether a clause is a rule, a withdrawal or a dead end, and whether a prompt gives a task.

A linear judgement: every trait has a weight, fitted once on labelled prompts
(`benchmarks/fit_hearing.py`) and read from `hearing.weights` as it lies. No model is asked, and the
same words always weigh the same. A trait is found by its checksum, with a byte of it as proof; one
that was never seen weighs nothing.

    header   8 bytes of name, then the five thresholds, signed, in sixty-fourths
    clauses  2^18 places of 4 bytes: proof, rule, withdrawal, dead end
    prompts  2^16 places of 3 bytes: proof, goal, going on
"""

from __future__ import annotations

from zlib import crc32

from holdfast import platform
from holdfast.errors import HoldfastError

MAGIC = b"HFHEAR01"
CLASSES = ("rules", "withdraws", "dead_ends", "goal", "continues")
HEADER_BYTES = len(MAGIC) + 2 * len(CLASSES)
PART_PLACES, PART_BYTES = 1 << 18, 4
PROMPT_PLACES, PROMPT_BYTES = 1 << 16, 3
SIZE_BYTES = HEADER_BYTES + PART_PLACES * PART_BYTES + PROMPT_PLACES * PROMPT_BYTES
SCALE = 16.0  # a weight of 1 is kept as 16
STEP = 64.0
ORDER = 2.0
PATH = f"{__file__.rpartition('/')[0]}/hearing.weights"

_TABLE: list[bytes] = []


def of_part(traits: list[str], *, is_order: bool = False) -> tuple[bool, bool, bool]:
    """Whether a clause is a rule, a withdrawal, a dead end. What has the very form of an order
    needs less to be taken for one."""
    rule, withdrawal, dead_end = _weigh(traits, HEADER_BYTES, PART_PLACES, PART_BYTES)
    limits = thresholds(table())
    limit = limits[0] - ORDER if is_order else limits[0]
    return rule > limit, withdrawal > limits[1], dead_end > limits[2]


def of_prompt(traits: list[str]) -> tuple[bool, bool]:
    """Whether a prompt gives a task, and whether it only asks to go on."""
    start = HEADER_BYTES + PART_PLACES * PART_BYTES
    goal, continues = _weigh(traits, start, PROMPT_PLACES, PROMPT_BYTES)
    limits = thresholds(table())
    return goal > limits[3], continues > limits[4]


def table() -> bytes:
    if not _TABLE:
        found = platform.read_bytes(PATH, SIZE_BYTES + 1)
        if found is None or len(found) != SIZE_BYTES or not found.startswith(MAGIC):
            # Not the store's: the prompt is kept, and that it was not heard is a counted fault.
            raise HoldfastError(f"{PATH} is not what was installed", hint="install holdfast again")
        _TABLE.append(found)
    return _TABLE[0]


def thresholds(weights: bytes) -> list[float]:
    """Above which sum each class is taken for heard; what a sum starts from is in it."""
    return [
        int.from_bytes(weights[at : at + 2], "big", signed=True) / STEP
        for at in range(len(MAGIC), HEADER_BYTES, 2)
    ]


def place_of(trait: str, start: int, places: int, size: int) -> tuple[int, int]:
    """Where a trait's weights lie, and the byte that proves them its own."""
    sum_ = crc32(trait.encode("utf-8", "backslashreplace"))
    return start + (sum_ & (places - 1)) * size, (sum_ >> 24) | 1


def _weigh(traits: list[str], start: int, places: int, size: int) -> list[float]:
    weights, known = table(), 0
    sums = [0] * (size - 1)
    for trait in traits:
        at, proof = place_of(trait, start, places, size)
        if weights[at] == proof:
            known += 1
            for n in range(size - 1):
                sums[n] += weights[at + 1 + n]
    # Kept from 0 to 255 around 128; the root keeps long clauses from outweighing short ones.
    return [(one - 128 * known) / SCALE / known**0.5 if known else -8.0 for one in sums]
