"""JSON on the hook path: the standard library's C scanner and encoder, without their package.

Importing `json` costs more than a whole hook may (docs/internals/decisions/0003); `_json` costs
nothing. Where `_json` is missing the public package takes its place, with the same answers.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

make_scanner: Any
try:
    from _json import encode_basestring, make_encoder, make_scanner
except ImportError:  # another Python than CPython
    make_scanner = None

BLANKS = " \t\n\r"
OPENED = ("{", "[", "}", "]", '"', "")  # what may follow an opening bracket, numbers aside
# How much of a text that may hold JSON is looked for: values, values that break off, nesting.
VALUES, BROKEN, NESTED = 2_000, 20, 12

# The C scanner reports a syntax error through json.decoder, and when that module was never
# imported it raises nothing at all, which Python turns into a SystemError.
UNREADABLE = (StopIteration, ValueError, SystemError)


class _Context:
    """What the C scanner asks of a decoder."""

    strict = False  # control characters inside strings are odd, not fatal
    object_hook = None
    object_pairs_hook = None
    parse_int = int

    @staticmethod
    def parse_float(digits: str) -> float | str:
        number = float(digits)
        return number if number - number == 0 else digits  # 1e999: kept as the text it is

    @staticmethod
    def parse_constant(name: str) -> str:
        return name  # NaN and Infinity are not JSON: kept as the words they are


def _past_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def loads(text: str) -> Any:
    """The value, or ValueError; deep nesting is a ValueError too."""
    scan = _scanner()
    try:
        value, end = scan(text, _past_blanks(text, 0))
    except UNREADABLE:
        raise ValueError("not JSON") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _past_blanks(text, end) != len(text):
        raise ValueError("more than one JSON value")
    return value


def salvage(text: str) -> dict[str, Any]:
    """The leading members of a broken JSON object: all that can be read of it."""
    return {key: value for key, value, _, _ in members(text)}


def members(text: str) -> list[tuple[str, Any, int, int]]:
    """The leading members of a JSON object, broken or not: name, value, and from where to where
    the value is written."""
    scan = _scanner()
    parts: list[tuple[str, Any, int, int]] = []
    at = _past_blanks(text, 0)
    if text[at : at + 1] != "{":
        return parts
    try:
        while text[at : at + 1] in ("{", ","):
            key, at = scan(text, _past_blanks(text, at + 1))
            at = _past_blanks(text, at)
            if text[at : at + 1] != ":" or not isinstance(key, str):
                break
            start = _past_blanks(text, at + 1)
            value, end = scan(text, start)
            parts.append((key, value, start, end))
            at = _past_blanks(text, end)
    except (*UNREADABLE, RecursionError):
        pass
    return parts


def values(text: str) -> list[Any]:
    """Every JSON object and list that begins a line of a text, whatever stands around it; of one
    that breaks off, all that can be read of it."""
    scan = _scanner()
    parts: list[Any] = []
    broken = 0
    at = _line_with_json(text, 0)
    while at >= 0 and len(parts) < VALUES and broken < BROKEN:
        try:
            value, end = scan(text, at)
        except (*UNREADABLE, RecursionError):
            broken += 1
            value, end = _partial(scan, text, at, NESTED)
        if value:
            parts.append(value)
        at = _line_with_json(text, max(end, at + 1))
    return parts


def _line_with_json(text: str, at: int) -> int:
    """Where the next object or list begins: at the beginning of a line, or right after the last."""
    while 0 <= at < len(text):
        at = _past_blanks(text, at)
        if text[at : at + 1] in ("{", "["):
            inside = _past_blanks(text, at + 1)
            if text[inside : inside + 1] in OPENED:
                return at
        end = text.find("\n", at)
        at = end + 1 if end >= 0 else -1
    return -1


def _partial(scan: Any, text: str, at: int, left: int) -> tuple[Any, int]:
    """The leading parts of a broken object or list, and where reading ended."""
    opening = text[at : at + 1]
    if opening not in ("{", "[") or not left:
        return None, at
    value: Any = {} if opening == "{" else []
    key = ""
    while text[at : at + 1] in (opening, ","):
        start = _past_blanks(text, at + 1)
        try:
            if opening == "{":
                key, start = scan(text, start)
                start = _past_blanks(text, start)
                if text[start : start + 1] != ":" or not isinstance(key, str):
                    break
                start = _past_blanks(text, start + 1)
            part, at = scan(text, start)
        except (*UNREADABLE, RecursionError):
            part, at = _partial(scan, text, start, left - 1)
            if part:
                _add(value, key, part)
            break
        _add(value, key, part)
        at = _past_blanks(text, at)
    return value, at


def _add(value: Any, key: str, part: Any) -> None:
    if isinstance(value, dict):
        value[key] = part
    else:
        value.append(part)


def dumps(value: Any) -> str:
    """Compact, one line, non-ASCII as it is. Values must be plain JSON values."""
    if make_scanner is None:
        import json

        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    encode: Any = make_encoder(
        None, _refuse, encode_basestring, None, ":", ",", False, False, False
    )
    return "".join(encode(value, 0))


def plain(text: str) -> str:
    """Text that any database and any terminal can hold; nothing is lost, odd characters show."""
    if "\x00" in text:
        text = text.replace("\x00", "\u2400")
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-8", "backslashreplace").decode()
    return text


def _refuse(value: object) -> object:
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def _scanner() -> Any:
    if make_scanner is None:
        import json

        decoder: Any = json.JSONDecoder(
            strict=False, parse_constant=str, parse_float=_Context.parse_float
        )
        return decoder.scan_once
    return make_scanner(_Context)
