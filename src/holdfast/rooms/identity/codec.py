"""A mind as bytes, and as text for the next session's entry.

Laws: equal numbers give equal bytes; bytes that were cut, changed or written by another version
are refused with ValueError, never half read.
"""

from __future__ import annotations

from holdfast.system.paths import digest

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


def put(sketches: list[dict[int, int]]) -> bytes:
    """Sketches as bytes: their sizes and features of four bytes, then weights of two."""
    wide = [len(weights) for weights in sketches]
    count = sum(wide)
    for weights in sketches:
        wide += weights
    narrow = bytearray(2 * count)
    twos = memoryview(narrow).cast("H")
    at = 0
    for weights in sketches:
        for weight in weights.values():
            twos[at] = weight
            at += 1
    return _fours(wide) + narrow


def got(raw: bytes, count: int) -> list[dict[int, int]]:
    """As many sketches as were put: each has a size, and they add up."""
    features, odd = divmod(len(raw) - 4 * count, 6)
    if odd or features < 0:
        raise ValueError("damaged sketches")
    middle = 4 * (count + features)
    wide = memoryview(raw)[:middle].cast("I").tolist()
    narrow = memoryview(raw)[middle:].cast("H").tolist()
    if sum(wide[:count]) != features:
        raise ValueError("damaged sketches")
    sketches = []
    at = 0
    for length in wide[:count]:
        known = wide[count + at : count + at + length]
        sketches.append(dict(zip(known, narrow[at : at + length], strict=True)))
        at += length
    return sketches


def _fours(values: list[int] | tuple[int, ...]) -> bytes:
    made = bytearray(4 * len(values))
    fours = memoryview(made).cast("I")
    for at, value in enumerate(values):
        fours[at] = value
    return bytes(made)


def _checksum(raw: bytes) -> int:
    return int(digest(raw)[:8], 16)
