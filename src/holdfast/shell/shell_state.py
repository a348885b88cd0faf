"""What a shell knows while it runs a text: variables, arrays, functions, aliases, its folder.

Laws: what a variable holds is known only where the text itself says it; what two ways may have
left different is not known; another process sees what is exported, and no more.
"""

from __future__ import annotations

from holdfast.shell.heredoc import TooLongError
from holdfast.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.shell.program import Word

    Items = list[str] | None  # the items of an array, the one value of a variable; None: unknown

STEPS = 20_000  # nodes that are looked at, whatever runs whatever
FILE_CAP_BYTES = 10_000  # a short script
SHOWN = 200
LONGEST = 4_000  # what a variable holds, in characters
GLOBS = "*?["


class World:
    """What all the shells of one text share: the project, and what could not be seen."""

    def __init__(self, folder: str = "", branch: Callable[[], str] | None = None) -> None:
        self.folder = folder  # none: no file is read
        self.branch = branch
        self.left = STEPS
        self.opaque: list[str] = []
        self.writes: list[tuple[Word, str | None, str]] = []  # file, text, and from which folder
        self.files: dict[str, str | None] = {}  # that were written on the way

    def step(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLongError

    def hide(self, part: str) -> None:
        """Note a part of which nobody can say what it runs."""
        part = " ".join(part[:SHOWN].split())
        if part and part not in self.opaque:
            self.opaque.append(part)

    def read(self, path: str, folder: str) -> str | None:
        """A short file as the text left it, or as it lies there."""
        if not self.folder:
            return None
        whole = joined(folder, path)
        if whole in self.files:
            return self.files[whole]
        content = files.read_bytes(whole, FILE_CAP_BYTES + 1)
        if content is None or len(content) > FILE_CAP_BYTES or b"\0" in content:
            return None
        return content.decode("utf-8", "replace")

    def write(self, file: Word, text: str | None, folder: str) -> None:
        self.writes.append((file, text, folder))
        self.files[joined(folder, file.text)] = text


def joined(folder: str, path: str) -> str:
    import os

    return os.path.normpath(os.path.join(folder, os.path.expanduser(path)))


class Scope:
    """The names that one shell knows."""

    def __init__(self, world: World | None = None, folder: str = "") -> None:
        self.world = world or World()
        self.folder = folder or self.world.folder
        self.variables: dict[str, Items] = {}
        self.exported: set[str] = set()
        self.functions: dict[str, Any] = {}
        self.aliases: dict[str, str] = {}
        self.depth = 0  # of functions that call functions
        self.assigned: list[tuple[str, Items]] = []

    def forked(self) -> Scope:
        fork = Scope(self.world, self.folder)
        fork.variables, fork.exported = dict(self.variables), set(self.exported)
        fork.functions, fork.aliases = dict(self.functions), dict(self.aliases)
        fork.depth = self.depth
        return fork

    def process(self, own: dict[str, Items], arguments: list[str], title: str = "") -> Scope:
        """The shell of another process: with its arguments, and with what is set for it alone."""
        inner = Scope(self.world, self.folder)
        inner.variables = {name: self.variables.get(name) for name in self.exported}
        inner.variables |= own
        inner.exported = set(inner.variables)
        inner.variables |= {"@": arguments, "0": [title] if title else None}
        inner.depth = self.depth
        return inner

    def assign(self, name: str, items: Items) -> None:
        items = None if items and sum(map(len, items)) > LONGEST else items
        self.variables[name] = items
        self.assigned.append((name, items))

    def join(self, since: int) -> None:
        """After branches: what they left different is not known."""
        values: dict[str, Items] = {}
        for name, items in self.assigned[since:]:
            if name in values and values[name] != items:
                self.variables[name] = None
            values[name] = items

    def note(self, program: str, arguments: list[str]) -> None:
        """Take note of a command that changes what its shell knows."""
        if program in ("cd", "pushd") and self.folder and arguments:
            self.folder = joined(self.folder, arguments[-1])
        elif program in ("read", "mapfile", "readarray"):
            for name in arguments:
                self.variables[name] = None
        elif program == "set" and arguments[:1] == ["--"]:
            self.variables["@"] = arguments[1:]
        elif program == "shift":
            self.variables["@"] = (self.variables.get("@") or [])[1:]
        elif program == "alias":
            self.aliases |= {
                name: text
                for name, sign, text in (each.partition("=") for each in arguments)
                if sign
            }
        elif program in ("unalias", "unset"):
            for name in arguments:
                self.aliases.pop(name, None)
                self.functions.pop(name, None)

    def items(self, name: str) -> Items:
        if name in ("@", "*"):
            return self.variables.get("@")
        if name.isdecimal() and name != "0":
            arguments = self.variables.get("@")
            at = int(name[:4]) - 1
            return arguments[at : at + 1] if arguments is not None and at >= 0 else None
        if name in self.variables:
            return self.variables[name]
        if name == "PWD" and self.folder:
            return [self.folder]
        return None


def values(expansion: str, scope: Scope) -> Items:
    """What `$X` or `${X...}` gives."""
    inside = expansion[2:-1] if expansion.startswith("${") else expansion[1:]
    if inside.startswith("!"):
        named = scope.items(inside[1:])
        return scope.items(named[0]) if named and len(named) == 1 else None
    end = 1 if inside[:1] in ("@", "*") else _name_end(inside)
    name, rest = inside[:end], inside[end:]
    items = scope.items(name) if name else None
    if rest.startswith("["):
        index, _, rest = rest[1:].partition("]")
        if items is not None and index not in ("@", "*"):
            items = items[int(index[:4]) :][:1] if index.isdecimal() else None
    elif items is not None and name not in ("@", "*"):
        items = items[:1]
    return _changed(items, rest) if rest else items


def _name_end(text: str) -> int:
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return end


def _changed(items: Items, operator: str) -> Items:
    sign = operator.lstrip(":")[:1]
    if sign in ("-", "=", "+"):
        other = operator.lstrip(":")[1:]
        wants_other = bool(items) is (sign == "+")
        if not wants_other:
            return items or []
        return None if set("$`") & set(other) else [other.strip("\"'")]
    if items is None:
        return None
    made = [_edited(item, operator) for item in items]
    return None if None in made else [item for item in made if item is not None]


def _edited(text: str, operator: str) -> str | None:
    """A value as an operator of `${X...}` gives it, where that is simple."""
    for sign, change in (("^^", str.upper), (",,", str.lower)):
        if operator == sign:
            return change(text)
    if operator[0] in "#%":
        return _trimmed(text, operator)
    if operator[0] == "/":
        old, _, new = operator.lstrip("/").partition("/")
        if not old or set(GLOBS + "$") & set(old + new):
            return None
        return text.replace(old, new, -1 if operator.startswith("//") else 1)
    start, _, length = operator[1:].partition(":")
    if operator[0] == ":" and start.strip().isdecimal() and (not length or length.isdecimal()):
        return text[int(start[:6]) :][: int(length[:6]) if length else None]
    return None


def _trimmed(text: str, operator: str) -> str | None:
    sign = operator[0]
    is_longest = operator.startswith(sign * 2)
    pattern = operator.lstrip(sign)
    if not set(GLOBS + "$") & set(pattern):
        return text.removeprefix(pattern) if sign == "#" else text.removesuffix(pattern)
    edge = pattern[1:] if sign == "#" else pattern[:-1]
    if not edge or set(GLOBS + "$") & set(edge) or pattern.strip("*") != edge:
        return None
    if sign == "#":
        at = text.rfind(edge) if is_longest else text.find(edge)
        return text[at + len(edge) :] if at >= 0 else text
    at = text.find(edge) if is_longest else text.rfind(edge)
    return text[:at] if at >= 0 else text
