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
