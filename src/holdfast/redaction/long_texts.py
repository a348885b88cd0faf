"""What is kept of a long text: its beginning and its end, redacted without all that lies between.

Laws: the work is bounded by what is kept, not by what came in; a cut never goes through a secret.
So a window is redacted that ends REACH characters beyond what is kept of it: no rule looks further
(`secrets.REACH`). `<private>` is the exception, and is looked for in all of the text.
"""

from __future__ import annotations

from holdfast.redaction.secrets import CLOSE, LOOKS, OPEN, REACH, replaced
from holdfast.system.jsontext import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.redaction.secrets import Span


def kept(text: str, sizes: tuple[int, int], find: Callable[[str], list[Span]]) -> str:
    """What is kept of a text that is longer than that by more than twice the reach: so much of its
    beginning and of its end, without the secrets that `find` finds."""
    head, tail = sizes
    beginning = plain(text[: head + REACH])
    end = plain(text[len(text) - tail - REACH :])
    closing, opening = _private(text, len(text) - tail - REACH, beginning)
    between = f"{closing} [...] {opening}"
    window = f"{beginning}{between}{end}"
    window, (first, last) = _redacted(window, (head, len(window) - tail), find)
    first, last = min(first, head), max(last, len(window) - tail)
    left_out = len(text) - head - tail - 2 * REACH + last - first - len(between)
    return f"{window[:first]} [... {left_out} characters ...] {window[last:]}"


def _private(text: str, start: int, beginning: str) -> tuple[str, str]:
    """What closes the `<private>` that is open where the beginning ends, and what opens the end
    where it stands in one."""
    before = text[: start + len(OPEN)].encode("ascii", "replace").lower()
    opened = before.find(OPEN.encode(), max(before.rfind(CLOSE.encode()), 0))
    small = beginning.lower()
    is_open = small.find(OPEN, max(small.rfind(CLOSE), 0)) >= 0
    return CLOSE if is_open else "", OPEN if opened >= 0 else ""


def _redacted(
    text: str, places: tuple[int, int], find: Callable[[str], list[Span]]
) -> tuple[str, tuple[int, int]]:
    """The text without its secrets, and where two places of it are by now; one inside of a secret
    moves to where that ends."""
    for _ in range(LOOKS):
        secrets = find(text)
        if not secrets:
            break
        first, last = (_moved(place, secrets) for place in places)
        text, places = replaced(text, secrets), (first, last)
    return text, places


def _moved(place: int, secrets: list[Span]) -> int:
    moved = place
    for start, end, kind in secrets:
        if start >= place:
            break
        moved += len(f"[removed: {kind}]") - (min(end, place) - start)
    return moved
