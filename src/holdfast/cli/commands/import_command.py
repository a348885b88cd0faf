"""Import what `holdfast export` wrote: a whole file, or nothing of it.

With --transcripts it reads the sessions that the agent has kept of this project (--project: of
another), from the agent's own folder, or from FILE when that is a folder. Rules, choices, goals,
commits and pull requests are learnt from them as from live sessions, marked as imported and with
their own times. What was imported before is skipped; all of it can be taken out again.

With --from PATH it reads older state files instead, one or a folder of them: a branch's requirement
states (`.git/requirements/*.json`), a registry of sessions, a session's own file. What they hold
that is not known here is kept, marked as imported and with its own time; that takes a terminal.

FILE is a file, or - for stdin. Entries keep their machine and number. Entries that are here already
are skipped; conflicting ones are left out and listed. An import never deletes anything, and what
was forgotten here stays forgotten. An agent cannot run this, except with --dry-run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import BinaryIO, TypeAlias, TypedDict

from holdfast.cli.helpers import gates_here, person_check, place_here, transcript_import
from holdfast.cli.helpers.report import Report, progress, shaped
from holdfast.cli.helpers.transcript_import import TranscriptsCounted, TranscriptsTakenIn
from holdfast.cli.helpers.verbs import argument, flag, option
from holdfast.cli.helpers.wording import plural, since_given
from holdfast.errors import HoldfastError, NotFound
from holdfast.hook.voice import inline
from holdfast.ledger import export, older_state
from holdfast.ledger.replay import rebuild_stale
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.gates import gate_commands
from holdfast.system import paths


class ExportRead(TypedDict):
    """How many entries an export has."""

    entries: int
    dry_run: bool


class ExportTakenIn(TypedDict):
    """What was taken in of an export, what was here already and what was left out."""

    entries: int
    duplicates: int
    archives: list[str]
    conflicts: list[str]
    dry_run: bool


class DraftRow(TypedDict):
    """An entry that comes of an older file."""

    kind: str
    at: str
    says: str


class OlderTakenIn(TypedDict):
    """What was taken in of older state files."""

    files: list[str]
    entries: int
    new: list[DraftRow]
    left_out: list[str]
    dry_run: bool


Imported: TypeAlias = (
    ExportRead | ExportTakenIn | OlderTakenIn | TranscriptsCounted | TranscriptsTakenIn
)

STDIN = "-"
SHOWN = 20
PARAMETERS = [
    argument("file", required=False),
    option("--from", "source", metavar="PATH", help="Older state files, for this project."),
    flag("--transcripts", help="The agent's own sessions of this project."),
    option("--project", metavar="PATH", help="With --transcripts: of this project."),
    option(
        "--since",
        callback=since_given,
        metavar="DATE",
        help="With --transcripts: sessions that went on since 2026-03-01, or in the last 30d.",
    ),
    flag("--dry-run", help="Check, and import nothing."),
]


def run(
    *,
    file: str | None,
    source: str | None,
    transcripts: bool,
    project: str | None,
    since: float,
    dry_run: bool,
) -> Report[Imported]:
    if transcripts and source is None:
        return transcript_import.run(file or "", project or ".", since, dry_run=dry_run)
    if transcripts or project or since:
        place_here.misuse("--project and --since go with --transcripts, and --from does not")
    if (file is None) == (source is None):
        place_here.misuse("import takes a FILE, --transcripts, or --from PATH")
    if source is not None:
        return _older(source, dry_run=dry_run)
    lines = read(file or STDIN)
    if dry_run:
        message = (
            f"{plural(len(lines), 'entry', 'entries')}, all of them sound. Nothing was changed."
        )
        only_read: ExportRead = {"entries": len(lines), "dry_run": True}
        return Report((message,), only_read)
    person_check.ask_outside("import")
    workspace = Workspace(paths.state_home())
    with progress("Importing") as tell:
        taken = export.take_in(workspace, lines, tell)
    if workspace.stale:  # a store that was lost and began anew: what came in is asked for now
        rebuild_stale(workspace.state)
    entries = plural(taken.entries, "entry", "entries")
    text_lines = [
        f"{entries} taken in, {taken.duplicates:,} were already here.",
        *(f"Left out, {conflict}." for conflict in taken.conflicts[:SHOWN]),
    ]
    if len(taken.conflicts) > SHOWN:
        text_lines.append(f"... and {len(taken.conflicts) - SHOWN} more were left out.")
    data = shaped(ExportTakenIn, taken, dry_run=False)
    return Report(text_lines, data, 1 if taken.conflicts else 0)


def _older(source: str, *, dry_run: bool) -> Report[OlderTakenIn]:
    old = older_state.read(source)
    if not dry_run:
        person_check.ask("import")  # what it satisfies stands for the person's word
    place = gates_here.place(to_act=not dry_run)
    planned = older_state.plan(place, old)
    count = 0 if dry_run else older_state.take_in(place, planned)
    if count:
        gate_commands.render(place)
    files = plural(len(old.files), "file")
    entries = plural(len(planned.drafts) if dry_run else count, "entry", "entries")
    head = f"{entries} would be taken in of" if dry_run else f"{entries} taken in of"
    lines = [f"{head} {files}.{' Nothing was changed.' if dry_run else ''}"]
    lines += [f"+ {draft.at[:16]}  {inline(draft.words, 200)}" for draft in planned.drafts[:SHOWN]]
    lines += [f"Left out, {inline(reason, 200)}." for reason in planned.left_out[:SHOWN]]
    return Report(
        lines,
        {
            "files": list(old.files),
            "entries": count,
            "new": [
                {"kind": draft.kind, "at": draft.at, "says": draft.words}
                for draft in planned.drafts
            ],
            "left_out": list(planned.left_out),
            "dry_run": dry_run,
        },
    )


def read(file: str) -> list[export.Line]:
    if file == STDIN:
        return export.read(_lines(sys.stdin.buffer))
    try:
        with open(file, "rb") as source:
            return export.read(_lines(source))
    except FileNotFoundError as error:
        raise NotFound(f"no such file: {file}", hint="`holdfast export FILE` writes one") from error
    except OSError as error:
        hint = "name a file that you can read"
        raise HoldfastError(f"cannot read {file}: {error.strerror}", hint=hint) from error


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """Lines up to a cap; a longer one comes in pieces, and is refused for that."""
    while line := source.readline(export.LINE_CAP_BYTES):
        yield line
