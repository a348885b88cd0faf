"""What the system refuses, told as what it is: a full disk is no bug of ours.

Law: what the driver reports only as "cannot" is looked up where the store lies, without opening it:
to close a second handle would let go of this process's locks.
"""

from __future__ import annotations

from holdfast.errors import REFUSALS, SystemRefused
from holdfast.system.environment import system

READ_ONLY = 1  # ST_RDONLY
NO_SPACE_BYTES = 1 << 16
# The driver's own words for the same.
DRIVERS = ("FullError", "ReadOnlyError", "IOError", "CantOpenError", "PermissionsError")


def cause_of(error: BaseException | None, state: str) -> str:
    """The system's own name for what it refused, "" when it was not the system."""
    while error is not None:
        kind = type(error)
        if isinstance(error, OSError):
            from errno import errorcode

            name = errorcode.get(error.errno or 0, "")
            return name if name in REFUSALS else ""
        if kind.__module__ == "apsw" and kind.__name__ in DRIVERS:
            return "ENOSPC" if kind.__name__ == "FullError" else _seen(state, kind.__name__)
        error = error.__cause__
    return ""


def explained(error: BaseException, state: str) -> SystemRefused | None:
    """An error of the system in our words; None when it was something else."""
    cause = cause_of(error, state)
    return SystemRefused(cause, place_of(error, state)) if cause else None


def place_of(error: BaseException, state: str) -> str:
    """What was refused: the file that the system names, else the state home."""
    name = getattr(error, "filename", None)
    return name if isinstance(name, str) and name.startswith("/") else state


def _seen(state: str, kind: str) -> str:
    """What a look at the store's folder and file tells."""
    try:
        disk = system.statvfs(state)
        if disk.f_flag & READ_ONLY:
            return "EROFS"
        if disk.f_bavail * disk.f_frsize < NO_SPACE_BYTES:
            return "ENOSPC"
        system.close(system.open("/dev/null", system.O_RDONLY | system.O_CLOEXEC))
    except OSError as error:
        return cause_of(error, state)
    for path in (state, f"{state}/store.db"):
        if not system.access(path, system.R_OK | system.W_OK) and _is_there(path):
            return "EACCES"
    return "EIO" if kind == "IOError" else ""


def _is_there(path: str) -> bool:
    try:
        system.lstat(path)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True
