"""The typed confirmation: whoever does what cannot be undone types the name of what goes.

On a terminal the plan is shown and the name is typed; without one `--yes NAME` gives it. Nothing
else counts as consent, and the plan is shown on stderr, so that stdout is the report alone.
"""

from __future__ import annotations

import sys
from typing import Any, TypedDict

from holdfast.cli.helpers.place_here import verbatim
from holdfast.cli.helpers.report import Report, shaped, show
from holdfast.cli.helpers.verbs import flag, option
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError
from holdfast.rooms.sessions.forgetting import Plan
from holdfast.rooms.sessions.life import short


class TraceRow(TypedDict):
    """A file that goes, or loses its details."""

    path: str
    what: str


class StandingRow(TypedDict):
    """A rule, a choice, a decision or a pin that outlives what is forgotten, or goes with it."""

    id: str
    kind: str
    text: str


class Forgotten(TypedDict):
    """What is forgotten, or would be; `left` is out of our reach and stays."""

    name: str
    sessions: list[str]
    projects: list[str]
    entry: str | None
    entries: int
    stands: list[StandingRow]
    stands_goes: bool
    open: list[str]
    files: list[TraceRow]
    left: list[str]
    dry_run: bool


DRY_RUN = flag("--dry-run", help="Show what would go, change nothing.")
YES = option("--yes", metavar="NAME", help="The name to type, if there is no terminal.")
SHOWN = 20
# What a trace is, in a reader's words.
WHAT = {
    "mirror": "a copy of what the store has",
    "sheet": "a session's figures",
    "kept": "all that was kept",
    "archive": "archived entries",
    "spool": "events that wait for the store",
    "quarantine": "a copy of damaged files",
    "leftover": "a temporary file",
    "settings": "compiled settings",
}
# What stands, in a reader's words, and which field says it.
KINDS = {
    "rule_given": "rule",
    "choice_made": "choice",
    "decision_made": "decision",
    "pinned": "pin",
}
TEXT = {"pinned": "content"}
COPIES = (
    "Copies go because they may quote it, those of other sessions too. The store keeps what these",
    "say: a session's next turn writes its files again, `holdfast handoff --session ID` prints it.",
)


def confirm(plan: Plan, given: str | None) -> None:
    """Return when the person means it; HoldfastError otherwise."""
    if given is None:
        if not sys.stdin.isatty():
            raise HoldfastError(
                "this cannot be undone and wants a terminal; nothing was changed",
                hint="run it in a terminal, or give --yes NAME: --dry-run tells the name",
            )
        for line in (*lines(plan), f"This cannot be undone. Type {plan.name} to go on."):
            show(line, is_error=True)
        # Not click.prompt: it would ask again, and a name is typed once or not at all.
        given = sys.stdin.readline().rstrip("\n")
    if given != plan.name:
        raise HoldfastError(
            "that is not the name; nothing was changed", hint="--dry-run says what to type"
        )


def lines(plan: Plan) -> list[str]:
    """A plan as people read it."""
    entries = plural(plan.bodies, "entry", "entries")
    text_lines = [*what_stands(plan), f"The text of {entries} goes; headers stay."]
    if plan.is_everything:
        text_lines = [f"The whole store goes, with the text and headers of {entries}."]
    if len(plan.sessions) > 1:
        text_lines.append(f"{plural(len(plan.sessions), 'session')}: {_some(plan.sessions, short)}")
    for session in plan.open_sessions:
        text_lines.append(f"{short(session)} has not ended: what it does from now on is kept anew.")
    for trace in plan.all_files[:SHOWN]:
        done = "loses its details" if trace.is_blanked else "goes"
        what = WHAT.get(trace.what, trace.what)
        text_lines.append(f"{trace.path} ({what}) {done}.")
    if len(plan.all_files) > SHOWN:
        text_lines.append(f"... and {len(plan.all_files) - SHOWN} files more.")
    if not plan.projects and any(trace.what == "mirror" for trace in plan.mirrors):
        text_lines += COPIES
    return [*text_lines, *left(plan)]


def what_stands(plan: Plan) -> list[str]:
    """What the user owns of sessions that go, and whether it goes as well."""
    if not plan.standing:
        return []
    title = "This still stands, and stays in its own words as the project's:"
    if plan.takes_standing:
        title = "This still stands, and goes as well:"
    return [title, *(f"  {row['kind']}: {verbatim(row['text'], 4)}" for row in _standing(plan))]


def _standing(plan: Plan) -> list[StandingRow]:
    return [
        {
            "id": entry.id,
            "kind": KINDS[entry.kind],
            "text": entry.body[TEXT.get(entry.kind, "text")],
        }
        for entry in plan.standing
    ]


def dry_run_of(plan: Plan) -> Report[Forgotten]:
    """The plan, and nothing is changed."""
    text_lines = (*lines(plan), f"Nothing was changed. It is confirmed by typing {plan.name}.")
    return Report(text_lines, data(plan, dry_run=True))


def left(plan: Plan) -> list[str]:
    """What we cannot remove: nobody should believe that it is gone."""
    text_lines = [f"Stays: {line}" for line in plan.left[:SHOWN]]
    if len(plan.left) > SHOWN:
        text_lines.append(f"... and {len(plan.left) - SHOWN} more that stay.")
    return text_lines


def data(plan: Plan, *, dry_run: bool, gone: int | None = None) -> Forgotten:
    return shaped(
        Forgotten,
        plan,
        entry=None if plan.entry is None else f"{plan.entry[0]}:{plan.entry[1]}",
        entries=plan.bodies if gone is None else gone,
        stands=_standing(plan),
        stands_goes=plan.takes_standing,
        open=plan.open_sessions,
        files=[shaped(TraceRow, trace) for trace in plan.all_files],
        dry_run=dry_run,
    )


def _some(names: tuple[str, ...], shown: Any) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(shown(name) for name in names[:SHOWN])}{more}"
