"""A person's own patterns of secrets: which are used, and why one is not.

A pattern runs over every text that is kept, in front of somebody's work. So one that can take long
is refused when it is read, and so is one that would change what Holdfast itself writes: names of
kinds and fields, ids, times. The others of the list count.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from holdfast.config.linear_patterns import why_not_linear
from holdfast.ledger.kinds import KINDS

PATTERNS, EXCEPTIONS = "redaction.patterns", "redaction.exceptions"
NAME_CAP, PATTERN_CAP, COUNT_CAP = 40, 500, 100

# What stands in entries and is nobody's text. Ids are made up.
_OURS = (
    "holdfast", "startup", "resume", "compact", "clear", "run", "edit", "create",
    "read", "other", "typed", "queued", "[removed: password]", "2026-11-18T01:45:27.123Z",
    "1999-12-31T23:59:59.999Z", "0d9f2b1c-5a7e-4c3d-8b6a-1f2e3d4c5b6a",
    "fe619f1e-4d72-4720-a378-a6214385d339", "toolu_0bd1e3e11f264c0e88c0a9849eff162a_0",
    "9ac7194b2d5466d950ea117f9ba4de4c", "0a1b2c3d4e5f6071",
)  # fmt: skip


def usable(name: str, value: Any) -> tuple[Any, list[str]]:
    """The value of a setting without the patterns that are refused, and why each is. A value that
    is no list of patterns is left to whoever judges values."""
    if name not in (PATTERNS, EXCEPTIONS) or not isinstance(value, list):
        return value, []
    kept: list[Any] = []
    refused: list[str] = []
    for item in value:
        given = item.get("pattern") if name == PATTERNS and isinstance(item, dict) else item
        if not isinstance(given, str) or (name == PATTERNS and given is item):
            return value, []
        reason = _why_not(given) or (_why_not_named(item, given) if name == PATTERNS else "")
        if not reason and len(kept) >= COUNT_CAP:
            reason = f"there are more than {COUNT_CAP} of them"
        if reason:
            refused.append(f"the pattern {_shown(given)} is not used: {reason}")
        else:
            kept.append(item)
    return kept, refused


def _shown(pattern: str) -> str:
    return repr(pattern if len(pattern) <= 80 else f"{pattern[:77]}...")


def _why_not(pattern: str) -> str:
    import re
    import warnings

    if len(pattern) > PATTERN_CAP:
        return f"it is longer than {PATTERN_CAP} characters"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            re.compile(pattern)
    except (re.error, RecursionError, OverflowError, Warning) as error:
        return f"it cannot be compiled: {error}"
    slow = why_not_linear(pattern)
    return f"{slow}, so that some texts would take for ever" if slow else ""


def _why_not_named(item: dict[str, Any], pattern: str) -> str:
    """What is wrong with a pattern of secrets besides."""
    import re

    name = item.get("name")
    is_name = isinstance(name, str) and 0 < len(name) <= NAME_CAP and name.isprintable()
    if not is_name or "]" in str(name):
        return f"it needs a name of at most {NAME_CAP} characters"
    regex = re.compile(pattern)
    if regex.match(""):
        return "it matches the empty text"
    changed = next((text for text in _ours() if regex.search(text)), "")
    return f"it would change what Holdfast itself writes, such as {changed}" if changed else ""


def _ours() -> Iterator[str]:
    yield from _OURS
    for kind, row in KINDS.items():
        yield kind
        yield from (field.rstrip("?") for field in row.fields)
