"""The project's notes, `.holdfast/NOTES.md`: our block in it, and places worth knowing.

`show` prints our block, `render` writes it anew and takes in what was changed there, `check` says
what is wrong with it (exit 1). `identify PATH:LINE[-LINE] PURPOSE` notes a place in the code;
without a purpose the place is dropped.
"""

from __future__ import annotations

import click

from holdfast.cli.helpers.place_here import misuse
from holdfast.cli.helpers.project_desk import Desk, desk
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError, StoreError
from holdfast.rooms.notes import identifiers, notes_block, notes_file
from holdfast.rooms.recovery import healing, synthesis
from holdfast.rooms.tracker import queries

PARAMETERS: list[click.Parameter] = [
    click.Argument(
        ["act"], type=click.Choice(["show", "render", "check", "identify"]), default="show"
    ),
    click.Argument(["words"], nargs=-1),
]


def run(*, act: str, words: tuple[str, ...]) -> Report:
    if act == "identify":
        if len(words) not in (1, 2):
            misuse("identify takes PATH:LINE[-LINE] and a purpose in quotation marks")
        return _identify(desk(to_act=True), words[0], words[1] if len(words) == 2 else "")
    if words:
        misuse(f"{act} takes no words")
    here = desk()
    return {"show": _show, "render": _render, "check": _check}[act](here)


def _show(found: Desk) -> Report:
    said = notes_file.shown(found.here.root)
    path = notes_file.path_of(found.here.root)
    return Report(tuple(said.splitlines()), {"path": path, "text": said})


def _render(found: Desk) -> Report:
    try:
        outcome = notes_file.render(found.here, found.active(), found.copies)
    except OSError as error:
        raise StoreError(
            f"the notes cannot be written: {error}", hint="whose folder is it?"
        ) from error
    if outcome is None:
        return Report(
            ("Nothing to note yet: no decision, no question, no identifier.",),
            {"path": None, "changed": False, "taken": [], "moved": 0, "conflicts": []},
        )
    lines = [f"{outcome.path} {'is written' if outcome.changed else 'says it all already'}."]
    lines += [f"Taken in: {one.id}  {one.text}" for one in outcome.taken]
    if outcome.moved:
        lines.append(f"{plural(outcome.moved, 'line')} moved below the block.")
    lines += [f"○ {one}" for one in outcome.conflicts]
    data = {
        "path": outcome.path,
        "changed": outcome.changed,
        "taken": [{"id": one.id, "supersedes": one.supersedes} for one in outcome.taken],
        "moved": outcome.moved,
        "conflicts": outcome.conflicts,
    }
    return Report(tuple(lines), data)


def _check(found: Desk) -> Report:
    """What is wrong, and nothing is changed."""
    root, wrong = found.here.root, []
    try:
        content = notes_file.read(root)
    except StoreError as error:
        wrong.append(f"{error} ({error.hint})")
    else:
        wrong += notes_block.conflicts(content or b"")
        parts = notes_block.split(content or b"")
        if parts is not None and parts.is_edited():
            wrong.append("our block was changed: `holdfast notes render` takes that in")
        if (content or b"").count(notes_block.BEGIN) > 1:
            wrong.append("there is more than one block of ours: only the first is rendered")
        ailing = healing.ailments(found.here, found.copies)
        wrong += [f"{one.file} is {one.why}: `holdfast heal` mends it" for one in ailing]
    known = queries.identifiers(found.here.workspace.store, found.here.project)
    standings = identifiers.looked_at(root, known)
    for one in known:
        if standings[one["id"]] != identifiers.HERE:
            where = notes_block.place(one["path"], one["line"], one["last"])
            wrong.append(f"{where} is {standings[one['id']]}: {one['purpose']}")
    lines = [f"○ {one}" for one in wrong] or ["● Nothing is wrong."]
    return Report(tuple(lines), {"problems": wrong}, exit_code=int(bool(wrong)))


def _identify(found: Desk, given: str, purpose: str) -> Report:
    path, line, last = identifiers.parsed(given)
    purpose = " ".join(purpose.split())
    if len(purpose) > identifiers.PURPOSE_CAP:
        raise HoldfastError(
            f"{len(purpose)} characters are too many for a purpose",
            hint=f"say it in {identifiers.PURPOSE_CAP}",
        )
    place = {"id": "", "path": path, "line": line, "last": last}
    standing = identifiers.looked_at(found.here.root, [place])[""]
    where = notes_block.place(path, line, last)
    if purpose and standing != identifiers.HERE:
        raise HoldfastError(f"{where} is {standing}", hint="name lines that are there")
    body = {"path": path, "line": line, "last": last, "purpose": purpose}
    made = synthesis.identify(found.here, body)
    said = f"{where} is noted: {purpose}" if purpose else f"{where} is dropped."
    return Report((said,), {"id": made, **body})
