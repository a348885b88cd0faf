"""Show what was kept of this project as JSON lines, one for each entry.

Entries since the last turn are written first.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from typing import TypedDict

import click

from holdfast.cli.helpers import place_here
from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.report import Data, Report
from holdfast.cli.helpers.verbs import Verb, argument, option
from holdfast.cli.helpers.wording import plural
from holdfast.errors import NotFound
from holdfast.rooms.sessions import work_tree
from holdfast.rooms.trajectory import day_files, line_schema
from holdfast.rooms.work.commands import Place
from holdfast.system import files, paths


class TrajectoryLine(TypedDict):
    """An entry of the ledger as a line; `trajectory schema` describes its data."""

    ts: str
    agent: str
    phase: str
    kind: str
    session_id: str
    entry: str
    data: Data


class TrajectoryShown(TypedDict):
    """The latest lines."""

    folder: str
    lines: list[TrajectoryLine]


class TrajectoryFiles(TypedDict):
    """Where the files lie."""

    folder: str
    files: list[str]


def show(*, ref: str, limit: int, phase: str, session: str) -> Report[TrajectoryShown]:
    """Show the latest lines, or those that the handoff of an item refers to."""
    day_file, of_ref = day_files.in_ref(ref)
    if ref and (not of_ref or session):
        misuse("a ref is FILE.jsonl:span-SESSION, as `holdfast tracker show ID` has it, by itself")
    folder = _folder()
    shown = _lines(folder, limit, phase, of_ref or session, day_file)
    if ref and not shown:
        raise NotFound(f"no line of {ref} is here", hint="see `holdfast trajectory path`")
    lines = [f"{line['ts'][:19]}Z  {line['phase']:<16} {_summary(line['data'])}" for line in shown]
    more = f"{plural(len(shown), 'line')} of {folder}"
    empty = "Nothing was kept here yet."
    return Report((*lines, more) if lines else (empty,), {"folder": folder, "lines": shown})


def path() -> Report[TrajectoryFiles]:
    """Say where the files lie."""
    folder = _folder()
    return Report((folder,), {"folder": folder, "files": day_files.files(folder)})


def schema() -> Report[Data]:
    """Print the JSON Schema of a line."""
    schema = line_schema.schema()
    return Report(json.dumps(schema, indent=2).splitlines(), schema)


def _folder() -> str:
    place = place_here.place()
    if not place.project:
        raise NotFound("no session here yet", hint="start the agent, then ask again")
    return bring_up(place)


def bring_up(place: Place) -> str:
    """Write what is not written yet; the folder."""
    where = work_tree.look(".")
    state = place.workspace.state
    folder = paths.beside(where.common, state, place.project, day_files.FOLDER)
    within = paths.project_folder(where.common) if where.common else state
    days = place.settings["trajectory.live_days"], place.settings["trajectory.kept_days"]
    day_files.catch_up(
        lambda: day_files.render(
            place.workspace.store, place.project, folder, within=within, now=place.at, days=days
        )
    )
    return folder


def _lines(
    folder: str, limit: int, phase: str, session: str, day_file: str
) -> list[TrajectoryLine]:
    """The latest lines that are asked for, the newest last; of one file where it is named."""
    latest: list[TrajectoryLine] = []
    day = ""
    for name in reversed(day_files.files(folder)):
        if day_file and name.removesuffix(".gz") != day_file:
            continue
        if len(latest) >= limit and day_files.day_of(name) != day:
            break  # all agents' files of the day are read
        day = day_files.day_of(name)
        content = files.read_bytes(f"{folder}/{name}", 1 << 30) or b""
        if name.endswith(".gz"):
            content = gzip.decompress(content)
        of_day = [json.loads(line) for line in content.decode().splitlines()]
        fitting = [
            entry
            for entry in of_day
            if (not phase or entry["phase"] == phase)
            and (not session or entry["session_id"].startswith(session))
        ]
        latest = [*fitting, *latest]
    return sorted(latest, key=lambda entry: (entry["ts"], entry["entry"]))[-limit:]


def _summary(data: Mapping[str, object]) -> str:
    """What a line says, short: its first texts."""
    texts = [" ".join(text.split()) for text in data.values() if isinstance(text, str) and text]
    joined = "  ".join(texts)
    shown = "".join(char for char in joined if char.isprintable())
    return f"{shown[:90]}…" if len(shown) > 90 else shown


VERBS = {
    "show": Verb(
        show,
        argument("ref", default=""),
        option("--limit", type=click.IntRange(1, 10_000), default=20, help="How many lines."),
        option("--phase", default="", help="Only lines of this phase, such as cite."),
        option("--session", default="", help="Only lines of this session."),
    ),
    "path": Verb(path),
    "schema": Verb(schema),
}
