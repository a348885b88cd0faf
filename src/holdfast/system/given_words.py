"""Words that a person gives a command: some, and not too many."""

from __future__ import annotations

from holdfast.errors import HoldfastError


def worded(text: str, what: str, cap: int, *, instead: str) -> str:
    """The text without its blanks around; `instead` is what to do with a longer one."""
    text = text.strip()
    if not text:
        raise HoldfastError(f"{what} needs words", hint="write them in quotation marks")
    if len(text) > cap:
        raise HoldfastError(
            f"{len(text)} characters are too many for {what}: it is told whole, in {cap}",
            hint=f"say it in fewer words, or {instead}",
        )
    return text
