"""The project's instruction file, and writing a rule into it."""

from __future__ import annotations

import os

from holdfast.agents.surroundings import INSTRUCTION_FILES
from holdfast.errors import HoldfastError
from holdfast.rooms.prompts import instruction_files
from holdfast.system import files

MODE = 0o644


def write(root: str, text: str, name: str | None) -> tuple[str, bool]:
    """Put a rule into the instruction file: which one, and whether it was not there before."""
    name = name or _only(root)
    path = os.path.realpath(f"{root}/{name}")
    if not path.startswith(f"{os.path.realpath(root)}/"):
        raise HoldfastError(f"{name} leads out of the project", hint="write it there yourself")
    content = _content(path, name)
    theirs = instruction_files.without_block(content or b"").decode()
    if instruction_files.stands_in(text, [instruction_files.units(theirs)]):
        return name, False
    whole = instruction_files.written(content or b"", text)
    try:
        if content is None:
            files.write_whole(path, whole)
            os.chmod(path, MODE)
        else:
            files.write_over(path, whole)
    except OSError as error:
        raise HoldfastError(f"{name} was not written: {error.strerror}") from error
    return name, True


def _content(path: str, name: str) -> bytes | None:
    """None for a file that is not there yet. Who cannot read all of it must not replace it."""
    if not os.path.lexists(path):
        return None
    content = files.read_bytes(path, files.READ_CAP_BYTES + 1)
    if content is None or len(content) > files.READ_CAP_BYTES:
        raise HoldfastError(f"{name} cannot be read whole", hint="write it there yourself")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise HoldfastError(f"{name} is not UTF-8", hint="write it there yourself") from error
    return content


def _only(root: str) -> str:
    """The one instruction file that is there; a link to another is the same file."""
    by_path = {os.path.realpath(f"{root}/{name}"): name for name in reversed(INSTRUCTION_FILES)}
    there: list[str] = [name for path, name in by_path.items() if os.path.exists(path)]
    if len(there) == 1:
        return there[0]
    which = f"{' and '.join(sorted(there))} are both there" if there else "there is none here yet"
    names = " or ".join(f"--file {name}" for name in INSTRUCTION_FILES)
    raise HoldfastError(f"which instruction file? {which}", hint=f"say {names}")
