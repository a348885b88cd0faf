"""Evidence as people name it, read from its file: a place, a quote, and what lies around it.

Laws: the quote is what the file says, without its secrets; a place that is not there is an error,
never an empty quote; a path leads into the project and is kept from its root.
"""

from __future__ import annotations

import os
import re

from holdfast.errors import HoldfastError
from holdfast.redaction.gate import gate_text
from holdfast.rooms.decisions.decision import Evidence
from holdfast.rooms.decisions.grounding import committed_files
from holdfast.rooms.decisions.grounding.quotes import around, count, tokens_of
from holdfast.rooms.decisions.grounding.source_files import Source, read

ROOT = "${PROJECT_ROOT}/"
LINES = 20
CHARACTERS = 1_600


def cited(root: str, folder: str, given: str, quote: str = "") -> Evidence:
    """The evidence at `PATH:LINE` or `PATH:LINE-LINE`; the line may be left out when a quote says
    which. A path is from the folder it is named in, from `${PROJECT_ROOT}`, or absolute."""
    path, line, last = _parsed(given)
    path = _from_root(root, folder, path)
    content = read(root, path)
    if content is None:
        raise HoldfastError(
            f"{path} does not exist, or is not a text file",
            hint="a path is from this folder, or absolute",
        )
    source = Source(content)
    lines = source.redacted().lines
    if last > len(lines):
        raise HoldfastError(
            f"{path} has {len(lines)} lines, and no line {last}", hint=f"cite {path}:1-{len(lines)}"
        )
    if quote.strip():
        return _quoted(path, source, (line, last), quote, committed_files.head(root))
    if not line:
        raise HoldfastError(f"{given} names no line", hint=f"cite {path}:LINE, or give a quote")
    while line < last and not lines[line - 1].strip():
        line += 1
    while line < last and not lines[last - 1].strip():
        last -= 1
    return evidence_at(
        path, source, line, lines[line - 1 : last], commit=committed_files.head(root)
    )


def _parsed(given: str) -> tuple[str, int, int]:
    path, colon, lines = given.rpartition(":")
    first, dash, last = lines.partition("-")
    if not colon or not first.isdecimal() or (dash and not last.isdecimal()):
        return given, 0, 0
    line = int(first[:9])
    until = int(last[:9]) if dash else line
    if not line or until < line:
        raise HoldfastError(
            f"{given} names no lines: they count from 1, first to last", hint="cite PATH:LINE-LINE"
        )
    return path, line, until


def _from_root(root: str, folder: str, path: str) -> str:
    if path.startswith(ROOT):
        path = f"{root}/{path[len(ROOT) :]}"
    whole = os.path.normpath(os.path.join(folder, path))
    inside = os.path.relpath(os.path.realpath(whole), os.path.realpath(root))
    if inside.startswith("..") or os.path.isabs(inside):
        raise HoldfastError(
            f"{path} lies outside the project", hint="evidence is what the project's own files say"
        )
    kept = os.path.relpath(whole, root)
    return inside if kept.startswith("..") else kept


def _quoted(path: str, source: Source, place: tuple[int, int], quote: str, commit: str) -> Evidence:
    """A quote that was given: it must be there, word for word but for the blanks around it."""
    wanted = [line.rstrip() for line in gate_text(quote).strip("\n").split("\n")]
    text = source.redacted()
    whole = [at for at in range(len(text.lines)) if _is_whole(text.lines[at:], wanted)]
    places, is_part = whole, False
    if not whole:
        wanted[0] = wanted[0].lstrip()
        places, is_part = count(text, wanted, is_part=True), True
    line, last = place
    if line:
        within = [at for at in places if line - 1 <= at and at + len(wanted) <= max(last, line)]
        if not within:
            raise HoldfastError(
                f"{path}:{line} does not say that" + _elsewhere(places),
                hint="quote the file word for word, or leave the quote out: it is read for you",
            )
        places = within
    if len(places) != 1:
        raise HoldfastError(
            f"{path} says that {len(places) or 'no'} times{_elsewhere(places)}",
            hint=f"cite {path}:LINE",
        )
    at = places[0]
    lines = text.lines[at : at + len(wanted)] if not is_part else wanted
    return evidence_at(path, source, at + 1, lines, is_part=is_part, commit=commit)


def _is_whole(lines: list[str], wanted: list[str]) -> bool:
    return [line.strip() for line in lines[: len(wanted)]] == [line.strip() for line in wanted]


def _elsewhere(places: list[int]) -> str:
    if not places:
        return ""
    named = ", ".join(str(at + 1) for at in places[:5])
    return f"; line {named} does" if len(places) == 1 else f"; lines {named} do"


def evidence_at(
    path: str, source: Source, line: int, lines: list[str], *, is_part: bool = False, commit: str
) -> Evidence:
    """What is kept of some lines of a file, or of a part of them."""
    quote = "\n".join(lines)
    if not any(map(tokens_of, lines)):
        raise HoldfastError(f"{path}:{line} is blank", hint="cite a line that says something")
    if len(lines) > LINES or len(quote) > CHARACTERS:
        raise HoldfastError(
            f"{len(lines)} lines of {len(quote)} characters are too much for a quote: it has at"
            f" most {LINES} lines and {CHARACTERS} characters",
            hint="cite the lines that say it, or --quote the part of a long line",
        )
    kept = gate_text(quote)
    if not any(tokens_of(re.sub(r"\[removed: [^]]*\]", "", kept))):
        raise HoldfastError(
            f"{path}:{line} is a secret, of which nothing is kept", hint="cite a line beside it"
        )
    text, kept_lines = source.for_quote(kept), kept.split("\n")
    if line - 1 not in count(text, kept_lines, is_part=is_part):
        raise HoldfastError(
            f"{path}:{line} holds a secret that cannot be kept", hint="cite a line beside it"
        )
    near = around(
        text, line - 1, len(kept_lines), kept_lines, is_part=is_part, hidden=source.hidden()
    )
    last = line + len(kept_lines) - 1
    return Evidence(path, line, last, kept, part=is_part, around=near, commit=commit)
