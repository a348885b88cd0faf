"""Arrays in a file, in the safetensors format: a header of JSON, then the arrays as they lie.

Laws: a file is mapped, not read, so what is not used costs nothing; a file that is not what its
header says is refused.
"""

from __future__ import annotations

import json
from typing import Any
from zlib import crc32

import numpy
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]

KINDS = {"F32": "<f4", "F16": "<f2", "I8": "i1", "U8": "u1", "I64": "<i8"}
CODES = {numpy.dtype(kind): code for code, kind in KINDS.items()}
HEADER_CAP_BYTES = 1 << 20
SUM = "crc32"


class Unreadable(ValueError):
    """The file is not what was written."""


def read(path: str, *, whole: bool = False) -> Arrays:
    """The arrays of a file by name. With `whole` the file must carry a checksum, and it must be
    right: every byte is read."""
    try:
        lies = numpy.memmap(path, dtype="u1", mode="r")
        size = int.from_bytes(lies[:8].tobytes(), "little")
        if not 2 <= size <= min(HEADER_CAP_BYTES, len(lies) - 8):
            raise Unreadable(f"{path} has no header")
        header = json.loads(lies[8 : 8 + size].tobytes())
        body = lies[8 + size :]
        about = header.pop("__metadata__", {})
        if whole and about.get(SUM) != str(crc32(body.tobytes())):
            raise Unreadable(f"{path} was damaged")
        return {name: _array(body, **description) for name, description in header.items()}
    except (OSError, TypeError, KeyError, AttributeError, ValueError) as error:
        raise Unreadable(f"{path} cannot be read: {error}") from error


def _array(
    body: NDArray[Any], *, dtype: str, shape: list[int], data_offsets: list[int]
) -> NDArray[Any]:
    start, end = data_offsets
    if not 0 <= start <= end <= len(body):
        raise Unreadable("an array lies outside")
    return body[start:end].view(KINDS[dtype]).reshape(shape)


def packed(arrays: Arrays) -> bytes:
    """A file of arrays, with a checksum. The same arrays give the same bytes."""
    header: dict[str, dict[str, object]] = {}
    parts, at = [], 0
    for name in sorted(arrays, key=lambda name: (-arrays[name].itemsize, name)):  # aligned so
        array = numpy.ascontiguousarray(arrays[name])
        end = at + array.nbytes
        shape = list(array.shape)
        header[name] = {"dtype": CODES[array.dtype], "shape": shape, "data_offsets": [at, end]}
        parts.append(array.tobytes())
        at = end
    body = b"".join(parts)
    head = json.dumps({"__metadata__": {SUM: str(crc32(body))}, **header}).encode()
    head += b" " * (-len(head) % 8)
    return len(head).to_bytes(8, "little") + head + body
