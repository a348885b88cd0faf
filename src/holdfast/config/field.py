"""A field of a configuration: what it may hold, and how a value is read against it.

A table of fields is read into a table that has all of them; what does not fit is told in a
person's words and with its place, and never raised. The same table makes the schema for editors.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Where = tuple[str | int, ...]
    Table = dict[str, Any]  # of a file, as YAML gives it, or as it was read against its fields

WORD = r"^/?[A-Za-z0-9_][A-Za-z0-9_.:-]*$"
WORD_CAP = 100
UNUSED = "is understood, not used"
FILLED: Any = object()  # the default of a table that is there even when nobody wrote it


class Field(Value):
    """What a field may hold, what it holds when nobody says, and for which types it counts.

    `least` and `most` bound a number, or the length of a text or a list. A list that takes `single`
    may be given as its one item; a table that takes `bare` may be given as that field of it.
    """

    shape: str
    default: Any
    help: str = ""
    types: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    item: Field | None = None
    fields: dict[str, Field] | None = None
    single: bool = False
    bare: str = ""
    required: bool = False


class Remarks:
    """What is wrong, and what is merely not read."""

    def __init__(self) -> None:
        self.wrong: list[tuple[Where, str]] = []
        self.notes: list[tuple[Where, str]] = []


def read_table(
    fields: dict[str, Field], given: Table, where: Where, remarks: Remarks, kind: str = ""
) -> Table:
    """The table with every field; `kind` is the type of the requirement where that matters."""
    for key in given:
        if key_of(key) not in fields:
            message = f"there is no {spelled((*where, key_of(key)), 2)}{_perhaps(key, fields)}"
            remarks.notes.append(((*where, key_of(key)), f"{message}; it is not read"))
    read: Table = {}
    for name, field in fields.items():
        at = (*where, name)
        value = given.get(name)
        if field.shape == "unused":
            if value is not None:
                remarks.notes.append((at, f"{spelled(at)} {UNUSED}: {field.help}"))
            continue
        applies = not field.types or kind in field.types
        if value is None:
            if field.required and applies:
                needed = f", and a {kind} requirement needs it" if kind else ""
                remarks.wrong.append((at, f"{spelled(at, 2)} is missing{needed}"))
        elif kind and not applies:
            message = f"{name} counts for {' and '.join(field.types)} only; it is not read"
            remarks.notes.append((at, message))
        else:
            read[name] = _READERS[field.shape](field, value, at, remarks)
            continue
        read[name] = default_of(field)
    return read


def default_of(field: Field) -> Any:
    """A fresh copy: nobody's change of one requirement changes the next."""
    if field.default is FILLED:
        fields = field.fields or {}
        return {name: default_of(each) for name, each in fields.items() if each.shape != "unused"}
    return _copied(field.default)


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied(each) for each in value]
    if isinstance(value, dict):
        return {name: _copied(each) for name, each in value.items()}
    return value


def _read_flag(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    return value if isinstance(value, bool) else _refuse(field, value, where, remarks)


def _read_text(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    if not isinstance(value, str):
        return _refuse(field, value, where, remarks)
    if not (field.least or 0) <= len(value) <= (field.most or len(value)):
        size = "is empty" if not value else f"is longer than {field.most} characters"
        remarks.wrong.append((where, f"{spelled(where, 2)} {size}"))
        return default_of(field)
    return value


def _read_word(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    if not isinstance(value, str) or len(value) > WORD_CAP:
        return _refuse(field, value, where, remarks)
    import re

    # "$" alone would let a line break through.
    if not re.match(WORD, value) or value[-1] == "\n":
        return _refuse(field, value, where, remarks)
    return value.removeprefix("/")


def _read_pattern(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    text = _read_text(field, value, where, remarks)
    if isinstance(value, str):
        import re
        import warnings

        try:
            # A pattern that Python warns about means something else than was written, such as
            # [[:alpha:]]; and a hook may not print its warning.
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                re.compile(text, re.IGNORECASE)
        except (re.error, RecursionError, OverflowError, Warning) as error:
            message = f"{_shown(text)} is no regular expression: {error}"
            remarks.wrong.append((where, f"{spelled(where, 2)} {message}"))
    return text


def _read_choice(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    if isinstance(value, str) and value in field.choices:
        return value
    return _refuse(field, value, where, remarks)


def _read_number(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    kinds = (int,) if field.shape == "whole" else (int, float)
    # bool is an int to Python; infinity and what is no number have no place on a scale.
    if type(value) not in kinds or value - value != 0:
        return _refuse(field, value, where, remarks)
    if (field.least is not None and value < field.least) or (
        field.most is not None and value > field.most
    ):
        return _refuse(field, value, where, remarks)
    return value


def _read_version(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    if type(value) not in (str, int, float):
        return _refuse(field, value, where, remarks)
    if str(value) not in ("1", "1.0"):
        remarks.notes.append((where, f"version {_shown(value)} is unknown: it is read as 1.0"))
    return "1.0"


def _read_list(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    item = field.item
    if field.single and (
        isinstance(value, str) or (item and item.bare and value.__class__ is dict)
    ):
        value = [value]
    if item is None or not isinstance(value, list):
        return _refuse(field, value, where, remarks)
    if not (field.least or 0) <= len(value) <= (field.most or len(value)):
        size = "is empty" if not value else f"has more than {field.most} items"
        remarks.wrong.append((where, f"{spelled(where, 2)} {size}"))
        return default_of(field)
    before = len(remarks.wrong)
    read = [
        _READERS[item.shape](item, each, (*where, number), remarks)
        for number, each in enumerate(value)
    ]
    return read if len(remarks.wrong) == before else default_of(field)


def _read_nested(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    if field.bare and isinstance(value, str):
        value = {field.bare: value}
    if not isinstance(value, dict):
        return _refuse(field, value, where, remarks)
    return read_table(field.fields or {}, value, where, remarks)


_READERS: dict[str, Callable[[Field, Any, Where, Remarks], Any]] = {
    "flag": _read_flag,
    "text": _read_text,
    "word": _read_word,
    "pattern": _read_pattern,
    "choice": _read_choice,
    "whole": _read_number,
    "number": _read_number,
    "version": _read_version,
    "list": _read_list,
    "table": _read_nested,
}


def _refuse(field: Field, value: Any, where: Where, remarks: Remarks) -> Any:
    message = f"{spelled(where, 2)} wants {_wanted(field)}, not {_shown(value)}"
    remarks.wrong.append((where, f"{message}{_perhaps(value, field.choices)}"))
    return default_of(field)


def _wanted(field: Field) -> str:
    if field.choices:
        return f"one of {', '.join(field.choices)}"
    if field.shape == "whole":
        return f"a whole number from {field.least} to {field.most}"
    if field.single and field.item:
        return f"{_wanted(field.item)} or a list of them"
    if field.bare and field.fields:
        return f"{_wanted(field.fields[field.bare])} or a table"
    words = {
        "flag": "true or false",
        "word": "a name of letters, digits and _ . : -",
        "pattern": "a regular expression",
        "number": "a number",
        "list": "a list",
        "table": "a table",
    }
    return words.get(field.shape, "a text")


def kind_of(value: Any) -> str:
    words = {bool: "true or false", int: "a number", float: "a number", str: "a text"}
    words |= {list: "a list", dict: "a table", type(None): "nothing"}
    return words.get(type(value), f"a {type(value).__name__}")


def _shown(value: Any) -> str:
    """A short value as it is, any other by its kind: a file may hold itself."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and len(value) <= 80 and value.isprintable():
        return f"{value!r}"
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 62):
        return str(value)
    return kind_of(value)


def key_of(key: Any) -> str:
    """YAML has keys that are no texts: `on`, 1, a date."""
    text = key if isinstance(key, str) else _shown(key)
    text = "".join(each if each.isprintable() else "?" for each in text)
    return text if len(text) <= WORD_CAP else f"{text[:WORD_CAP]}..."


def spelled(where: Where, skipped: int = 0) -> str:
    """trigger_tools[0].tool: a place as a person would look for it. `skipped`: inside of one
    requirement its own name is not said again."""
    if where[:1] != ("requirements",):
        skipped = 0
    text = ""
    for step in where[skipped:]:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".")


def _perhaps(given: Any, known: Iterable[str]) -> str:
    if not isinstance(given, str) or len(given) > WORD_CAP:
        return ""
    import difflib

    near = difflib.get_close_matches(given.lower(), list(known), n=1)
    return f" (did you mean {near[0]}?)" if near else ""
