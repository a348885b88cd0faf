"""What becomes of a tracker's file when its items are worked on.

Every act of ours is done to an item as a person would have it done, and the file is compared with
what it was: all other lines to the byte; of the item's line every field that the act has no
business with, as it was written and in its order, and of a list what it had.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from holdfast.rooms.tracker import beads
from holdfast.rooms.tracker.trackers import FILE, Tracker
from holdfast.store.sqlite import Store
from holdfast.system import jsontext

NOW = "2026-08-05T10:00:00.000Z"
WORDS = 'DECISION: a < b && "c"\u2028\u00fc'


@dataclass
class Survival:
    """How many lines and fields were looked at after acts, and what was lost of them."""

    acts: int = 0
    lines: int = 0
    fields: int = 0
    lost: list[str] = field(default_factory=list)


def survived(store: Store, folder: Path, content: bytes, *, items: int) -> Survival:
    """Do every act to some items of a file, each to the file as it was given."""
    path = folder / beads.FOLDER / "issues.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    here = Tracker(store, "p1", str(folder), FILE)
    found = Survival()
    for id_ in chosen(content, items):
        for name, touched, act in ACTS:
            path.write_bytes(content)
            act(here, id_)
            _compare(found, f"{name} {id_}", id_, touched, content, path.read_bytes())
    path.write_bytes(content)
    here.add("One more <thing>", now=NOW, id_="zzzz")
    after = path.read_bytes()
    found.acts += 1
    last = json.loads(after.splitlines()[-1]) if after.startswith(content) else {}
    if last.get("title") != "One more <thing>":
        found.lost.append("add: the file before it, or the new item")
    return found


def chosen(content: bytes, many: int) -> list[str]:
    known = list(beads.issues_in(content.decode("utf-8", "replace").split("\n")))
    return known[:: max(1, len(known) // many)][:many]


ACTS: list[tuple[str, set[str], Callable[[Tracker, str], object]]] = [
    (
        "close",
        {"status", "updated_at", "closed_at", "close_reason"},
        lambda here, id_: here.move(id_, "closed", now=NOW, reason="proved"),
    ),
    (
        "start",
        {"status", "updated_at", "closed_at"},
        lambda here, id_: here.move(id_, "in_progress", now=NOW),
    ),
    ("comment", {"updated_at"}, lambda here, id_: here.comment(id_, WORDS, now=NOW)),
    (
        "extend",
        {"updated_at"},
        lambda here, id_: here.extend(id_, {"questions": [WORDS], "decisions": [{}]}, now=NOW),
    ),
]


def _compare(
    found: Survival, act: str, id_: str, touched: set[str], before: bytes, after: bytes
) -> None:
    found.acts += 1
    old, new = before.split(b"\n"), after.split(b"\n")
    if len(old) != len(new):
        found.lost.append(f"{act}: {len(old)} lines became {len(new)}")
        return
    other = [at for at in range(len(old)) if old[at] != new[at]]
    found.lines += len(old) - len(other)
    if len(other) > 1 or any(_said(old[at]).get("id") not in (id_, _number(id_)) for at in other):
        found.lost.append(f"{act}: another line")
    for at in other:
        _compare_fields(found, act, touched, old[at], new[at])


def _compare_fields(
    found: Survival, act: str, touched: set[str], before: bytes, after: bytes
) -> None:
    if before.endswith(b"\r") != after.endswith(b"\r"):
        found.lost.append(f"{act}: the line's end")
    old, new = _written(before), _written(after)
    if [name for name in new if name in old] != list(old):
        found.lost.append(f"{act}: a field, or their order")
    for name in old.keys() - touched:
        found.fields += 1
        said = new.get(name, "")
        had = "[" if old[name] == "null" else old[name][:-1]  # no list, or an empty one
        gained = had.startswith("[") and said.startswith(had)
        if said != old[name] and not gained:
            found.lost.append(f"{act}: {name}")


def _written(line: bytes) -> dict[str, str]:
    """Fields as they are written, byte for byte."""
    text = line.decode("utf-8", "surrogateescape")
    return {name: text[start:end] for name, _, start, end in jsontext.members(text)}


def _said(line: bytes) -> dict[str, object]:
    said = json.loads(line.decode("utf-8", "replace"))
    return said if isinstance(said, dict) else {}


def _number(id_: str) -> int | None:
    return int(id_) if id_.isdecimal() else None
