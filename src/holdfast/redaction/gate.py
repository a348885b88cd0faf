"""Secrets never reach the ledger: the one gate every text passes before it is kept.

`gate` is the only maker of `Gated`, and `ledger.append` takes nothing else. What passes is
plain JSON: text without lone surrogates or NULs, numbers that a database can hold, redacted
first and cut afterwards, so that half a secret never hides behind a cut. What is redacted is
bounded by what is kept, however long a text is and however many there are.

What a secret is, `holdfast.redaction.secrets` knows; it is imported for texts that can hold one. A
text is read in time linear in its length (patterns that a person adds excepted), and redacting it
twice changes nothing more.
"""

from __future__ import annotations

from holdfast.system.jsontext import plain
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

TEXT_CAP = 4_000
ITEMS_CAP = 200
NAME_CAP = 200
DEPTH_CAP = 12
# What lies deeper than a body's own fields is bounded as a whole: more is left out, and says so.
NESTED_CHARACTERS = 150_000
NESTED_VALUES = 5_000
# A text that is so much longer than what is kept of it is not redacted as a whole: long_texts.py.
LONG = 42_000
INTEGER_CAP = 1 << 62
SHORTEST = 8  # no text below this holds a secret and a word that tells of it

HINT = "see docs/explanation/redaction.md"

_added: list[tuple[str, str, str]] = []  # kind, literal that must occur (or none), pattern
_excepted: list[str] = []
FAILED: list[Exception] = []  # patterns that a person added and that were given up, to be told


class Gated(Value):
    """A value that came through the gate. Only `gate` makes one."""

    value: Any


class _Left:
    """How much of what is nested in a value may still be kept."""

    def __init__(self) -> None:
        self.characters = NESTED_CHARACTERS
        self.values = NESTED_VALUES


def gate(value: Any, cap: int = TEXT_CAP) -> Gated:
    """The value as it may be kept: redacted, then cut. A person's own patterns that would change
    the names of a body's fields are given up: an event is kept by our own rules, not lost."""
    kept = _kept(value, cap, 0, _Left())
    if _added and isinstance(value, dict) and kept.keys() != value.keys():
        from holdfast.errors import SettingsError

        given_up, _added[:] = _added[:], []
        again = _kept(value, cap, 0, _Left())
        if again.keys() == value.keys():
            names = ", ".join(kind for kind, _, _ in given_up)
            FAILED.append(SettingsError(f"patterns change our own fields: {names}", hint=HINT))
            return Gated(again)
        _added[:] = given_up
    return Gated(kept)


def gate_id(text: str) -> str:
    """An id as it may be kept. Nobody's text: a person's own patterns do not count, for two ids
    that were changed would be one."""
    added, _added[:] = _added[:], []
    try:
        return gate_text(text)
    finally:
        _added[:] = added


def gate_text(text: str, cap: int = TEXT_CAP) -> str:
    """One text as it may be kept."""
    if len(text) > cap + LONG:
        from holdfast.redaction.long_texts import kept

        return kept(text, sizes(cap), spans)
    if not text.isascii() or "\x00" in text:
        text = plain(text)
    return cut(redact(text), cap)


def redact(text: str) -> str:
    """The text with every secret replaced by what kind it was."""
    secrets = spans(text)
    if secrets:
        from holdfast.redaction.secrets import LOOKS, look_again, replaced

        for _ in range(LOOKS):
            text = replaced(text, secrets)
            # A person's own pattern may look as far as it likes.
            secrets = spans(text) if _added else list(look_again(text, secrets, spans))
            if not secrets:
                break
    return text


def spans(text: str) -> list[tuple[int, int, str]]:
    """Where the secrets of a text begin and end, and what they are; disjoint and in order."""
    if len(text) < SHORTEST:
        return []
    from holdfast.redaction.secrets import disjoint, find

    secrets = find(text)
    if _added:
        secrets = disjoint((*secrets, *_found_by_added(text)))
    if secrets and _excepted:
        import re

        secrets = [
            span
            for span in secrets
            if span[2] == "private"
            or not any(re.fullmatch(pattern, text[span[0] : span[1]]) for pattern in _excepted)
        ]
    return secrets


def configure(
    patterns: Sequence[tuple[str, str]], exceptions: Sequence[str], *, is_checked: bool = False
) -> None:
    """Look for these patterns too (kind, regular expression; a group alone is the secret), and
    keep what one of the exceptions matches as a whole. Replaces what was configured before.

    Raises SettingsError for what is no regular expression, or one that cannot be afforded.
    """
    if not is_checked:
        for _, pattern in patterns:
            _check(pattern)
        for pattern in exceptions:
            _check(pattern)
    _added[:] = [(kind, _literal(pattern), pattern) for kind, pattern in patterns]
    _excepted[:] = exceptions


def heed(settings: Mapping[str, Any]) -> None:
    """Look for the patterns that somebody's settings name."""
    patterns, exceptions = settings["redaction.patterns"], settings["redaction.exceptions"]
    if patterns or exceptions:
        given = [(item["name"], item["pattern"]) for item in patterns]
        configure(given, exceptions, is_checked=True)  # when they were compiled


def cut(text: str, cap: int) -> str:
    """A long text loses its middle, and says how much: its head and its tail tell the most. A
    middle that is no longer than what would be said in its place stays."""
    if len(text) <= cap:
        return text
    head, tail = sizes(cap)
    middle = len(text) - head - tail
    mark = f" [... {middle} characters ...] "
    return text if middle <= len(mark) else f"{text[:head]}{mark}{text[-tail:]}"


def sizes(cap: int) -> tuple[int, int]:
    """How much is kept of the head and of the tail of a text that is cut."""
    return cap * 2 // 3, cap // 4


def _kept(value: Any, cap: int, depth: int, left: _Left) -> Any:
    if isinstance(value, str):
        return gate_text(value, cap) if depth < 2 or _is_within(left, value) else _left_out(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -INTEGER_CAP < value < INTEGER_CAP else str(value)
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if depth >= DEPTH_CAP:
        return "[nested too deeply]"
    if isinstance(value, (dict, list, tuple)):
        left.values -= min(len(value), ITEMS_CAP)
        return _parts(value, cap, depth + 1, left) if left.values >= 0 else "[left out]"
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def _parts(
    value: dict[Any, Any] | list[Any] | tuple[Any, ...], cap: int, depth: int, left: _Left
) -> Any:
    if isinstance(value, dict):
        return {
            _name(str(name), left): _member(str(name), item, cap, depth, left)
            for name, item in list(value.items())[:ITEMS_CAP]
        }
    return [_kept(item, cap, depth, left) for item in value[:ITEMS_CAP]]


def _is_within(left: _Left, text: str) -> bool:
    left.characters -= min(len(text), TEXT_CAP + LONG)
    return left.characters >= 0


def _left_out(text: str) -> str:
    return f"[left out: {len(text)} characters]"


def _name(name: str, left: _Left) -> str:
    from holdfast.redaction.telling_words import HARMLESS

    if name in HARMLESS:
        return name
    is_short = len(name) <= NAME_CAP  # how many there are is bounded
    return gate_text(name, NAME_CAP) if is_short or _is_within(left, name) else _left_out(name)


def _member(name: str, item: Any, cap: int, depth: int, left: _Left) -> Any:
    """A member's name may tell of its value: {"password": "..."}."""
    kept = _kept(item, cap, depth, left)
    if isinstance(item, str) and kept == item and len(item) <= 2_000:
        from holdfast.redaction.telling_words import HARMLESS, ROOTS

        small = name.lower()
        if small not in HARMLESS and any(root in small for root in ROOTS):
            from holdfast.redaction.named_secrets import named

            kind = named(name, item)
            if kind and not _is_excepted(item):
                return f"[removed: {kind}]"
    return kept


def _is_excepted(value: str) -> bool:
    if not _excepted:
        return False
    import re

    return any(re.fullmatch(pattern, value) for pattern in _excepted)


def _found_by_added(text: str) -> Iterator[tuple[int, int, str]]:
    for row in tuple(_added):
        kind, literal, pattern = row
        if literal in text:
            import re

            try:
                matches = list(re.finditer(pattern, text))
            except (re.error, RecursionError, OverflowError) as error:
                _added.remove(row)
                FAILED.append(error)
                continue
            for match in matches:
                start, end = match.span(1 if match.re.groups else 0)
                if start < end and "[removed: " not in text[start:end]:
                    yield start, end, kind


def _literal(pattern: str) -> str:
    """How every match begins, as far as that is plain to see; empty when it is not."""
    if "|" in pattern or "(?" in pattern:
        return ""
    opening = pattern.removeprefix(r"\b")
    size = 0
    while size < len(opening) and (opening[size].isalnum() or opening[size] in "_-"):
        size += 1
    if opening[size : size + 1] in ("?", "*", "{"):
        size -= 1
    return opening[: max(size, 0)]


def _check(pattern: str) -> None:
    import re

    from holdfast.errors import SettingsError

    try:
        made = re.compile(pattern)
    except re.error as error:
        raise SettingsError(f"not a regular expression: {pattern} ({error})", hint=HINT) from None
    if made.match(""):
        raise SettingsError(f"matches the empty text: {pattern}", hint=HINT)
    if re.search(r"[*+}]\)[*+{]", pattern):
        raise SettingsError(f"a repetition inside a repetition: {pattern}", hint=HINT)
