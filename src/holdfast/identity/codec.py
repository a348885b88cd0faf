"""A mind as bytes, and as text for the next session's entry.

Laws: equal numbers give equal bytes; bytes that were cut, changed or written by another version
are refused with ValueError, never half read.
"""

from __future__ import annotations

from holdfast.identity.sketch import PRIME

HEAD = 20
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"


def pack(version: int, wide: list[int], narrow: list[int], raw: bytes) -> bytes:
    """Numbers of four bytes, numbers of two, and bytes, with version, checksum and sizes before."""
    body = bytearray(4 * len(wide) + 2 * len(narrow))
    middle = 4 * len(wide)
    fours = memoryview(body)[:middle].cast("I")
    for at, value in enumerate(wide):
        fours[at] = value
    twos = memoryview(body)[middle:].cast("H")
    for at, value in enumerate(narrow):
        twos[at] = value
    whole = bytes(body) + raw
    head = (version, _checksum(whole), len(wide), len(narrow), len(raw))
    return b"".join([value.to_bytes(4, "little") for value in head]) + whole


def unpack(version: int, packed: bytes) -> tuple[list[int], list[int], bytes]:
    if len(packed) < HEAD:
        raise ValueError("a mind that is cut off")
    said, checksum, wide, narrow, raw = memoryview(packed)[:HEAD].cast("I").tolist()
    if said != version:
        raise ValueError(f"a mind of version {said}, not {version}")
    whole = memoryview(packed)[HEAD:]
    middle, end = 4 * wide, 4 * wide + 2 * narrow
    if len(whole) != end + raw or checksum != _checksum(whole):
        raise ValueError("a damaged mind")
    return (
        whole[:middle].cast("I").tolist(),
        whole[middle:end].cast("H").tolist(),
        bytes(whole[end:]),
    )


def listed(wide: list[int], sketches: list[dict[int, int]]) -> list[int]:
    """Sketches as numbers: sizes and features go to the wide ones, weights are returned."""
    wide += [len(weights) for weights in sketches]
    narrow: list[int] = []
    for weights in sketches:
        wide += weights
        narrow += weights.values()
    return narrow


def sketches(wide: list[int], narrow: list[int], count: int) -> list[dict[int, int]]:
    """As many sketches as were listed: each has a size, and they add up."""
    if sum(wide[:count]) + count != len(wide) or len(wide) - count != len(narrow):
        raise ValueError("damaged sketches")
    found = []
    at = 0
    for length in wide[:count]:
        features = wide[count + at : count + at + length]
        found.append(dict(zip(features, narrow[at : at + length], strict=True)))
        at += length
    return found


def _checksum(raw: bytes | memoryview) -> int:
    return int.from_bytes(raw, "little") % PRIME


def to_text(raw: bytes) -> str:
    """Four bytes as five letters; the last number says how many bytes there were."""
    padded = raw + bytes(-len(raw) % 4)
    letters = []
    for value in (*memoryview(padded).cast("I").tolist(), len(raw)):
        left = value
        for _ in range(5):
            left, digit = divmod(left, 85)
            letters.append(DIGITS[digit])
    return "".join(letters)


def from_text(text: str) -> bytes:
    places = {letter: place for place, letter in enumerate(DIGITS)}
    if len(text) % 5 or len(text) < 10 or not set(text) <= set(DIGITS):
        raise ValueError("no text of a mind")
    values = []
    for at in range(0, len(text), 5):
        value = 0
        for letter in reversed(text[at : at + 5]):
            value = value * 85 + places[letter]
        if value >= 1 << 32:
            raise ValueError("no text of a mind")
        values.append(value)
    size = values.pop()
    whole = b"".join([value.to_bytes(4, "little") for value in values])
    if not len(whole) - 4 < size <= len(whole):
        raise ValueError("no text of a mind")
    return whole[:size]
