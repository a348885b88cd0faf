"""Arrays in a file, in the safetensors format, by the library of that name.

Laws: a file that is not what its header says is refused; a file of ours carries a checksum of its
arrays, and one that was damaged is refused as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zlib import crc32

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load, load_file, save

Arrays = dict[str, NDArray[Any]]

SUM = "crc32"


class Unreadable(ValueError):
    """The file is not what was written."""


def read(path: str, *, whole: bool = False) -> Arrays:
    """The arrays of a file by name. With `whole` the file must carry a checksum, and it must be
    right."""
    try:
        if not whole:
            return load_file(path)
        content = Path(path).read_bytes()
        arrays = load(content)
        with safe_open(path, "numpy") as file:
            checksum = (file.metadata() or {}).get(SUM)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise Unreadable(f"{path} cannot be read: {error}") from error
    if checksum != _checksum(content):
        raise Unreadable(f"{path} was damaged")
    return arrays


def packed(arrays: Arrays) -> bytes:
    """A file of arrays, with a checksum. The same arrays give the same bytes."""
    return save(arrays, metadata={SUM: _checksum(save(arrays))})


def _checksum(content: bytes) -> str:
    """Of the arrays as they lie: all that follows the header, whose size comes first."""
    return str(crc32(content[8 + int.from_bytes(content[:8], "little") :]))
