"""Every error we raise on purpose.

    HoldfastError          something you can fix; shown as one line and a hint
    ├── SettingsError        a setting is missing or malformed
    ├── NotFound             you named something that is not here
    │   └── Ambiguous        you named more than one thing
    ├── StoreError           the database refused, is locked, or is newer than us
    │   └── Damaged            what lies there is not what was written
    ├── SystemRefused        the disk is full, failing or read-only; no permission; too many files
    ├── EntryRefused         an entry does not have the shape its kind asks for
    └── AgentError           an agent sent something we cannot read

Anything else that escapes is our bug: it is logged in full and exits with 3.
A gate that says no is not an error. It is a `Verdict`, and it is returned.
"""

from __future__ import annotations

MENDS = "`holdfast repair` mends what can be; nothing was changed"


class HoldfastError(Exception):
    """Something went wrong that the reader of the message can fix."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class SettingsError(HoldfastError):
    """A setting is missing or malformed."""


class NotFound(HoldfastError):
    """The thing you named is not here."""


class Ambiguous(NotFound):
    """The name you gave fits more than one thing."""


class StoreError(HoldfastError):
    """The database refused."""


class Damaged(StoreError):
    """What lies on the disk is not what was written there."""

    def __init__(self, message: str, *, hint: str = MENDS) -> None:
        super().__init__(message, hint=hint)


_WRITABLE = "make it writable, or set HOLDFAST_STATE_HOME to a folder that is"
_PERMISSION = ("permission denied", "give yourself access to it, or set HOLDFAST_STATE_HOME")
_TOO_MANY = "close some programs, or raise the limit"
# What the system says when it refuses, by its own name for it: in our words, and what to do.
REFUSALS = {
    "ENOSPC": ("the disk is full", "make room on it"),
    "EDQUOT": ("your share of the disk is used up", "delete some files of yours there"),
    "EROFS": ("the file system is read-only", _WRITABLE),
    "EACCES": _PERMISSION,
    "EPERM": _PERMISSION,
    "EIO": ("the disk failed", "look into the system's log: the disk may be dying"),
    "EMFILE": ("too many files are open in one program", _TOO_MANY),
    "ENFILE": ("too many files are open on this machine", _TOO_MANY),
}


class SystemRefused(HoldfastError):
    """The system said no: nothing that we did wrong, and nothing that we can mend."""

    def __init__(self, cause: str, place: str) -> None:
        words, hint = REFUSALS[cause]
        super().__init__(f"{words}: {place}", hint=hint)


class EntryRefused(HoldfastError):
    """An entry does not have the shape its kind asks for."""


class AgentError(HoldfastError):
    """An agent sent something we cannot read."""
