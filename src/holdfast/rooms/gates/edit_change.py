"""One edit as a change: a file, the text before and the text after, both as digests alone."""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.system.paths import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def change_of(body: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """An edit as (path, digest of the text before, of the text after); None when it has no two."""
    given = body.get("input")
    if not isinstance(given, dict):
        return None
    before, after = acts.replacement(given)
    if not isinstance(before, str) or not isinstance(after, str) or before == after:
        return None
    return str(body.get("path", "")), _mark(before), _mark(after)


def _mark(text: str) -> str:
    return digest(text.encode("utf-8", "surrogatepass"))


def oscillates(
    change: tuple[str, str, str] | None, earlier: Sequence[tuple[str, str, str]]
) -> bool:
    """There and back and there again: taking one's own edit back once is no oscillation."""
    if change is None:
        return False
    path, before, after = change
    return change in earlier and (path, after, before) in earlier
