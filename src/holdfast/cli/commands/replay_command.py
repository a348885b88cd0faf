"""Rebuild everything that is derived from the ledger's entries.

Hooks may run meanwhile. --check changes nothing: it compares, and exits with 1 when a replay would
give other rows than there are.
"""

from __future__ import annotations

from typing import TypedDict

import click

from holdfast.cli.helpers.progress import progress
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural
from holdfast.ledger import queries, replay
from holdfast.ledger.rebuild import alone
from holdfast.ledger.workspace import existing


class Replayed(TypedDict):
    """How many entries were replayed, and the rows that differ by table."""

    entries: int
    differences: dict[str, int]
    checked: bool


PARAMETERS: list[click.Parameter] = [
    click.Option(["--check"], is_flag=True, help="Compare only; change nothing."),
]


def run(*, check: bool) -> Report[Replayed]:
    workspace = existing()
    count = queries.count(workspace.store)
    with progress("Replaying") as tell:
        if check:
            differences = replay.differences(workspace.store, tell)
        else:
            with alone(workspace.state):
                replay.rebuild(workspace.store, tell)
            differences = {}
    if differences:
        lines = [f"○ {table}: {plural(rows, 'row')} differ" for table, rows in differences.items()]
        lines.append("`holdfast replay` rebuilds them.")
    elif check:
        lines = [f"● A replay of {plural(count, 'entry', 'entries')} gives the same rows."]
    else:
        lines = [f"● Rebuilt from {plural(count, 'entry', 'entries')}."]
    data: Replayed = {"entries": count, "differences": differences, "checked": check}
    return Report(tuple(lines), data, 1 if differences else 0)
