"""Our hooks in an agent's JSON settings, put in and taken out as text.

The file belongs to somebody else, so what is not ours is never parsed and written back:

    Taking out what we put in gives the same text back, to the byte.
    What we put in is laid out as the file around it is.
    Adding twice is adding once, and afterwards our hooks there are exactly those asked for.
    A container that was there stays, even when empty; one we made goes when it is empty again.
    Whatever we cannot read is refused with a `SettingsError`, before a character is changed.

The same laws hold for one member of the settings' own, the status line: what somebody else has
there is kept as it is written, and comes back.

A file holds `{"hooks": {EVENT: [GROUP, ...]}}`, a group `{"matcher": "", "hooks": [HOOK, ...]}`.
Ownership is judged hook by hook, because people merge groups: a group is ours when all its
hooks are, and of a mixed group only our hooks are taken out.

Every change is one splice, and the text is read anew before the next one. Settings are short.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, NoReturn, TypeAlias

from holdfast.errors import SettingsError

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
JsonObject: TypeAlias = dict[str, JsonValue]
Judge: TypeAlias = Callable[[JsonValue], bool]
KeyPath: TypeAlias = tuple[str, ...]

BOM = "\ufeff"
BLANKS = " \t\r\n"
EXACT_DIGITS = 15
HINT = "correct the file by hand, then try again; nothing was changed"


class Added(NamedTuple):
    """The new text, and the record that `remove` and the next `add` will want."""

    text: str
    made: list[list[str]]  # paths of the containers we created; [] is the whole object


class OurHook(NamedTuple):
    """A hook of ours as it stands in the file, and the matcher of its group."""

    runs: str  # a command, or an address
    matcher: JsonValue
    hook: JsonObject


class Member(NamedTuple):
    """One value in a container, and where it stands in the text."""

    key: str  # "" in an array
    start: int  # of the key in an object, of the value in an array
    value_start: int
    end: int
    value: JsonValue


class Container(NamedTuple):
    """An object or array, from its opening bracket to past its closing one."""

    start: int
    end: int
    members: tuple[Member, ...]


class Layout(NamedTuple):
    """How the members of a container are set."""

    indent: str | None  # of each member; None when they all stand on one line
    closing: str  # the indent of the closing bracket
    unit: str


def add(
    text: str,
    groups: Mapping[str, JsonObject],
    is_ours: Judge,
    made: Iterable[Sequence[str]] = (),
) -> Added:
    """Put one group into each event; `made` is what an earlier `add` answered, if there was one.

    `is_ours` is shown whatever stands where a hook should, and must know each hook in `groups`.
    """
    bom, text = _without_bom(text)
    _check(text)
    ours = _our_paths(made)
    for event, group in groups.items():
        for path in ((), ("hooks",), ("hooks", event)):
            if not _exists(text, path):
                text = _make(text, path)
                ours.add(path)
        text = _settle(text, event, group, is_ours)
    text = _prune(_take_out(text, is_ours, groups), ours)
    return Added(bom + text, sorted(list(path) for path in ours if _exists(text, path)))


def remove(text: str, is_ours: Judge, made: Iterable[Sequence[str]]) -> str:
    """Take out every hook of ours, and the containers in `made` that are then empty."""
    bom, text = _without_bom(text)
    _check(text)
    return bom + _prune(_take_out(text, is_ours, {}), _our_paths(made))


def member(text: str, key: str) -> JsonValue:
    """A member of the settings, None when there is none."""
    _, text = _without_bom(text)
    _check(text)
    only = _member(text, key)
    return only.value if only else None


def put_member(text: str, key: str, value: JsonObject, is_ours: Judge) -> tuple[str, str | None]:
    """Give the settings, which hold an object, a member of ours. Somebody else's is replaced, and
    answered as it stood, to the byte; None when there was none."""
    bom, text = _without_bom(text)
    chain, old = _chain(text, ()), _member(text, key)
    rendered = _render(text, chain, value)
    if old is None:
        added = json.dumps(key) + _colon(text, chain[0]) + rendered
        return bom + _append(text, chain, added), None
    if old.value == value:
        return bom + text, None
    replaced = None if is_ours(old.value) else text[old.value_start : old.end]
    return bom + text[: old.value_start] + rendered + text[old.end :], replaced


def take_member(text: str, key: str, is_ours: Judge, before: str | None) -> str:
    """Take our member out; what stood there `before` comes back. Somebody else's stays."""
    bom, text = _without_bom(text)
    _check(text)
    old = _member(text, key)
    if old is None or not is_ours(old.value):
        return bom + text
    if before is not None:
        return bom + text[: old.value_start] + before + text[old.end :]
    root = _chain(text, ())[0]
    return bom + _cut(text, root, [member.key for member in root.members].index(key))


def _member(text: str, key: str) -> Member | None:
    chain = _chain(text, ())
    return _only(text, chain[0], key) if chain else None


def ours(text: str, is_ours: Judge) -> dict[str, list[OurHook]]:
    """Our hooks, by event."""
    _, text = _without_bom(text)
    _check(text)
    our_hooks: dict[str, list[OurHook]] = {}
    hooks = (json.loads(text) if text.strip() else {}).get("hooks", {})
    for event, groups in hooks.items():
        for group in groups:
            part = _our_part(group, is_ours) or {}
            for hook in part.get("hooks", ()):  # type: ignore[union-attr]
                if isinstance(hook, dict):  # as `is_ours` has seen
                    ours_there = our_hooks.setdefault(event, [])
                    runs = str(hook.get("command") or hook.get("url"))
                    ours_there.append(OurHook(runs, part.get("matcher"), hook))
    return our_hooks


def _without_bom(text: str) -> tuple[str, str]:
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def _our_paths(made: Iterable[Sequence[str]]) -> set[KeyPath]:
    """The paths that could be ours: a damaged record must not cost anyone a key."""
    paths = {tuple(path) for path in made}
    return {path for path in paths if not path or path == ("hooks", *path[1:2])}


# --- what is ours, and what becomes of it


def _our_part(group: JsonValue, is_ours: Judge) -> JsonObject | None:
    """The group as it would be with our hooks alone; equal to the group when it is all ours."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    if not isinstance(group, dict) or not isinstance(hooks, list):
        return None
    ours = [hook for hook in hooks if is_ours(hook)]
    return {**group, "hooks": ours} if ours else None


def _settle(text: str, event: str, wanted: JsonObject, is_ours: Judge) -> str:
    chain = _chain(text, ("hooks", event))
    groups = [(member, _our_part(member.value, is_ours)) for member in chain[-1].members]
    if any(part == wanted for _, part in groups):
        return text
    for member, part in groups:
        if part is not None and part == member.value:
            return text[: member.start] + _render(text, chain, wanted) + text[member.end :]
    return _append(text, chain, _render(text, chain, wanted))


def _take_out(text: str, is_ours: Judge, wanted: Mapping[str, JsonObject]) -> str:
    while unwanted := _unwanted(text, is_ours, wanted):
        text = _cut(text, *unwanted)
    return text


def _unwanted(
    text: str, is_ours: Judge, wanted: Mapping[str, JsonObject]
) -> tuple[Container, int] | None:
    """The first group or hook that is ours and that nobody asked for, as a place in its array."""
    events = _chain(text, ("hooks",))[1:]
    for event in events[0].members if events else ():
        spared = False
        array = _open(text, event.value_start)
        for index, group in enumerate(array.members):
            part = _our_part(group.value, is_ours)
            if part is None:
                continue
            if part == wanted.get(event.key) and not spared:
                spared = True
            elif part == group.value:
                return array, index
            else:
                hooks = _chain(text, ("hooks",), group.value_start)[1]
                return hooks, [is_ours(hook.value) for hook in hooks.members].index(True)
    return None


def _prune(text: str, made: Iterable[KeyPath]) -> str:
    for path in sorted(made, key=len, reverse=True):
        if not _exists(text, path) or (chain := _chain(text, path))[-1].members:
            continue
        if path:
            text = _cut(text, chain[-2], [m.key for m in chain[-2].members].index(path[-1]))
        else:
            rest = text[chain[0].end :]
            text = text[: chain[0].start] + rest.removeprefix(_newline(rest))
    return text


# --- writing


def _make(text: str, path: KeyPath) -> str:
    if not path:
        return "{}" + _newline(text) + text
    chain = _chain(text, path[:-1])
    empty = "{}" if path == ("hooks",) else "[]"
    return _append(text, chain, json.dumps(path[-1]) + _colon(text, chain[0]) + empty)


def _append(text: str, chain: list[Container], member: str) -> str:
    """Add a member at the end, so that `_cut` can tell our white space from theirs."""
    layout = _layout(text, chain)
    container = chain[-1]
    lead = "" if layout.indent is None else _newline(text) + layout.indent
    if container.members:
        at = container.members[-1].end
        comma = "," if lead or _colon(text, chain[0]) == ":" else ", "
        return text[:at] + comma + lead + member + text[at:]
    at = container.end - 1
    tail = "" if layout.indent is None else _newline(text) + layout.closing
    return text[:at] + lead + member + tail + text[at:]


def _cut(text: str, container: Container, index: int) -> str:
    members, member = container.members, container.members[index]
    if index > 0:
        comma = _skip(text, members[index - 1].end)
        return text[:comma] + text[member.end :]
    if len(members) > 1:
        return text[: member.start] + text[members[1].start :]
    before, after = text[container.start + 1 : member.start], text[member.end : container.end - 1]
    # What stood in the empty container precedes our line, and the line of the bracket is ours.
    if "\n" in after:
        before, after = before.rpartition(_newline(after))[0], ""
    return text[: container.start + 1] + before + after + text[container.end - 1 :]


def _render(text: str, chain: list[Container], value: JsonValue) -> str:
    """The value as a member of the last container; always ASCII, so no encoding can spoil it."""
    layout, colon = _layout(text, chain), _colon(text, chain[0])
    if layout.indent is None:
        return json.dumps(value, separators=("," if colon == ":" else ", ", colon))
    lines = json.dumps(value, indent=layout.unit, separators=(",", colon))
    return lines.replace("\n", _newline(text) + layout.indent)


def _layout(text: str, chain: list[Container]) -> Layout:
    layout = Layout("", "", "  ")
    for container in chain:
        layout = _layout_within(text, container, layout)
    return layout


def _layout_within(text: str, container: Container, outer: Layout) -> Layout:
    if not container.members:
        indent = None if outer.indent is None else outer.indent + outer.unit
        return Layout(indent, outer.indent or "", outer.unit)
    lead = text[container.start + 1 : container.members[0].start]
    if "\n" not in lead:
        return Layout(None, "", outer.unit)
    indent = lead.rpartition("\n")[2]
    _, ends_line, closing = text[container.members[-1].end : container.end - 1].rpartition("\n")
    is_deeper = ends_line and indent.startswith(closing)
    return Layout(indent, closing, indent.removeprefix(closing) if is_deeper else outer.unit)


def _colon(text: str, root: Container) -> str:
    for member in root.members[:1]:
        colon = text[_read(text, member.start)[1] : member.value_start]
        return ": " if "\n" in colon else colon
    return ": "


def _newline(text: str) -> str:
    head, line_feed, _ = text.partition("\n")
    return "\r\n" if line_feed and head.endswith("\r") else "\n"


# --- reading


def _check(text: str) -> None:
    """Refuse what we could not edit; everything after this may take the shape for granted."""
    start = _skip(text, 0)
    if start == len(text):
        return
    value, end = _read(text, start)
    if (rest := _skip(text, end)) != len(text):
        _refuse(text, rest, "the settings are not JSON: something follows the object")
    if not isinstance(value, dict):
        _refuse(text, start, "the settings are not a JSON object")
    hooks = _only(text, _open(text, start), "hooks")
    if hooks is None:
        return
    if not isinstance(hooks.value, dict):
        _refuse(text, hooks.value_start, '"hooks" is not a JSON object')
    events = _open(text, hooks.value_start)
    for event in events.members:
        _only(text, events, event.key)
        if not isinstance(event.value, list):
            _refuse(text, event.value_start, f"the hooks of {event.key!r} are not a JSON array")
        for group in _open(text, event.value_start).members:
            if isinstance(group.value, dict):
                _only(text, _open(text, group.value_start), "hooks")


def _exists(text: str, path: KeyPath) -> bool:
    return len(_chain(text, path)) == len(path) + 1


def _chain(text: str, path: KeyPath, start: int = 0) -> list[Container]:
    """The containers along the path, outermost first, as far as they exist."""
    start = _skip(text, start)
    if start == len(text):
        return []
    chain = [_open(text, start)]
    for key in path:
        member = _only(text, chain[-1], key)
        if member is None:
            break
        chain.append(_open(text, member.value_start))
    return chain


def _only(text: str, container: Container, key: str) -> Member | None:
    same_key = [member for member in container.members if member.key == key]
    if len(same_key) > 1:
        _refuse(
            text, same_key[1].start, f"{json.dumps(key)} is there twice, and only one can count"
        )
    return same_key[0] if same_key else None


def _open(text: str, start: int) -> Container:
    """One level of a container whose text has been checked."""
    is_object = text[start] == "{"
    members: list[Member] = []
    at = _skip(text, start + 1)
    while text[at] not in "]}":
        at = value_start = _skip(text, at + 1) if text[at] == "," else at
        key: JsonValue = ""
        if is_object:
            key, key_end = _read(text, at)
            value_start = _skip(text, _skip(text, key_end) + 1)
        value, end = _read(text, value_start)
        members.append(Member(str(key), at, value_start, end, value))
        at = _skip(text, end)
    return Container(start, at + 1, tuple(members))


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in BLANKS:
        at += 1
    return at


def _read(text: str, at: int) -> tuple[JsonValue, int]:
    """The value that starts here, and where it ends."""
    try:
        value, end = DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        _refuse(text, error.pos, f"the settings are not JSON: {error.msg}")
    except RecursionError:
        _refuse(text, at, "the settings are nested too deeply")
    return value, end


def _integer(digits: str) -> float:
    """A whole number; a long one loses digits as it would in JavaScript, and Python limits int."""
    return int(digits) if len(digits) <= EXACT_DIGITS else float(digits)


def _refuse_constant(name: str) -> NoReturn:
    message = f"the settings are not JSON: {name} is not a value"
    raise SettingsError(message, hint=HINT)


def _refuse(text: str, at: int, message: str) -> NoReturn:
    line, column = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    message = f"{message} (line {line}, column {column})"
    raise SettingsError(message, hint=HINT) from None


DECODER = json.JSONDecoder(parse_int=_integer, parse_constant=_refuse_constant)
