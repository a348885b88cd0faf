"""Choices that a change of a file makes: dependencies that come and go, constants that change.

Laws: both sides of the change are read whole, so what is said of it is so; a dependency counts only
where a decision names it as what is used or not used, a constant only where a decision has its
name, or all words of it, and the value it had. What follows a decision is no fork of it.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable

from holdfast.rooms.decisions.contradiction.claim import read
from holdfast.rooms.decisions.contradiction.quantity import BYTES, SECONDS, singular
from holdfast.rooms.decisions.contradiction.sentence_signs import CHOOSING, TOKEN
from holdfast.rooms.decisions.contradiction.stems import stem

__all__ = ["certain_change", "dependencies"]

JSON_TABLES = "dependencies devDependencies peerDependencies optionalDependencies".split()
CARGO_TABLES = "dependencies dev-dependencies build-dependencies".split()
NO = ("not", "no", "never")
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_GO = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v\d", re.MULTILINE)
_GO_VERSION = re.compile(r"/v\d+$")
_CONSTANT = re.compile(
    r"^[ \t]*(?:[A-Za-z][\w<>\[\]]*[ \t]+){0,5}([A-Za-z_]\w*)[ \t]*(?::[ \t]*[A-Za-z]\w*[ \t]*)?"
    r"(?:=|:=|:)[ \t]*([+-]?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?)[ \t]*[;,]?[ \t]*(?:(?:#|//).*)?$",
    re.MULTILINE | re.IGNORECASE,
)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NUMBER = re.compile(r"\d[\d,_]*(?:\.\d+)?(?:e-?\d+)?")


def certain_change(decision: str, path: str, before: str, after: str) -> str:
    """In what a change of a file goes against a decision, as far as that can be read; "" where it
    cannot."""
    old, new = dependencies(path, before), dependencies(path, after)
    if old is not None and new is not None:
        return _of_dependencies(decision, path, old, new)
    return _of_constants(decision, path, _constants(before), _constants(after))


# Dependencies


def dependencies(path: str, content: str) -> frozenset[str] | None:
    """The names that a project's manifest asks for; None of a file that is none, or is not one
    that can be read."""
    name = path.rpartition("/")[2]
    try:
        if name == "package.json":
            whole = json.loads(content)
            return frozenset(each for table in JSON_TABLES for each in whole.get(table) or ())
        if name == "pyproject.toml":
            return frozenset(_of_pyproject(tomllib.loads(content)))
        if name == "Cargo.toml":
            parsed = tomllib.loads(content)
            return frozenset(each for table in CARGO_TABLES for each in parsed.get(table) or ())
    except (ValueError, TypeError, AttributeError):
        return None
    if name == "go.mod":
        return frozenset(_GO_VERSION.sub("", each) for each in _GO.findall(content))
    if name.startswith("requirements") and name.endswith(".txt"):
        return frozenset(_requirements(content.splitlines()))
    return None


def _of_pyproject(parsed: dict[str, object]) -> Iterable[str]:
    project, tool = parsed.get("project"), parsed.get("tool")
    if isinstance(project, dict):
        yield from _requirements(project.get("dependencies") or ())
        for extra in (project.get("optional-dependencies") or {}).values():
            yield from _requirements(extra)
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    if isinstance(poetry, dict):
        yield from (poetry.get("dependencies") or {}).keys() - {"python"}


def _requirements(lines: Iterable[str]) -> list[str]:
    matches = [_REQUIREMENT.match(line) for line in lines if not line.lstrip().startswith("#")]
    return [match[1] for match in matches if match]


def _of_dependencies(decision: str, path: str, old: frozenset[str], new: frozenset[str]) -> str:
    chosen, denied = _named(decision)
    for name in sorted(old - new):
        if _words(name) in chosen:
            return f"takes {name} out of {path}, which the decision chose"
    for name in sorted(new - old):
        if _words(name) in denied:
            return f"adds {name} to {path}, which the decision rules out"
    return ""


def _words(name: str) -> tuple[str, ...]:
    """A package's name as words: of a module its last part, `github.com/go-chi/chi` is chi."""
    return tuple(TOKEN.findall(name.rpartition("/")[2].lower().replace("-", " ").replace("_", " ")))


def _named(decision: str) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """What a decision says is used, and what is not: the one, two or three words after a word of
    use, or all that stands after a no."""
    chosen: set[tuple[str, ...]] = set()
    denied: set[tuple[str, ...]] = set()
    for clause in read(decision).clauses:
        words = clause.words
        names = {
            words[place + 1 : place + 1 + size]
            for place, word in enumerate(words)
            if word in CHOOSING
            for size in (1, 2, 3)
        }
        if words[:1] and words[0] in NO:
            names.add(words[1:])
        (chosen if clause.is_yes else denied).update(names - {()})
    return chosen, denied


# Constants


def _constants(content: str) -> dict[str, str]:
    """Names that are given a number, each once in the file."""
    values: dict[str, list[str]] = {}
    for match in _CONSTANT.finditer(content):
        values.setdefault(match[1], []).append(match[2].replace("_", ""))
    return {name: given[0] for name, given in values.items() if len(given) == 1}


def _of_constants(decision: str, path: str, old: dict[str, str], new: dict[str, str]) -> str:
    claim = read(decision)
    numbers = {float(each.replace(",", "").replace("_", "")) for each in _NUMBER.findall(decision)}
    for name in sorted(old.keys() & new.keys()):
        before, after = float(old[name]), float(new[name])
        if before == after or before not in numbers or after in numbers:
            continue
        if not claim.is_moot and (name in decision or _is_spelt_out(name, claim.words)):
            return f"changes {name} from {old[name]} to {new[name]} in {path}"
    return ""


def _is_spelt_out(name: str, words: frozenset[str]) -> bool:
    """Whether a sentence has all words of a constant's name, two at least; its unit aside."""
    parts = [part.lower() for part in _PARTS.findall(name)]
    whole = [part for part in parts if singular(part) not in SECONDS and part not in BYTES]
    return len(parts) > 1 and bool(whole) and all(stem(part) in words for part in whole)
