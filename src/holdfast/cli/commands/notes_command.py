"""Show, write or check the project's notes, `.holdfast/NOTES.md`."""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers.project_files import files_here
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.verbs import Verb, argument
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError, StoreError
from holdfast.rooms.decisions import deciding, decision_wording
from holdfast.rooms.notes import identifiers, notes_block, notes_file
from holdfast.rooms.recovery import healing, synthesis
from holdfast.rooms.tracker import queries


class NotesShown(TypedDict):
    """Our block of the notes."""

    path: str
    text: str


class TakenDecision(TypedDict):
    """A decision that was changed in the notes."""

    id: str
    supersedes: str


class NotesRendered(TypedDict):
    """What was written, and what was taken in; `path` is None while there is nothing to note."""

    path: str | None
    changed: bool
    taken: list[TakenDecision]
    moved: int
    conflicts: list[str]


class NotesChecked(TypedDict):
    """What is wrong with the notes."""

    problems: list[str]


class Identified(TypedDict):
    """A place in the code and what it is for; "" when it was dropped."""

    id: str
    path: str
    line: int
    last: int
    purpose: str


def show() -> Report[NotesShown]:
    """Print Holdfast's block."""
    project_files = files_here()
    block = notes_file.shown(project_files.here.root)
    path = notes_file.path_of(project_files.here.root)
    return Report(block.splitlines(), {"path": path, "text": block})


def render() -> Report[NotesRendered]:
    """Write the block anew, and take in what people changed there."""
    project_files = files_here()
    try:
        outcome = notes_file.render(
            project_files.here, project_files.active(), project_files.copies
        )
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
    here = project_files.here
    ids = [decision.id for decision in outcome.taken]
    for decision, name, standings in deciding.judged(here.workspace.store, here.root, ids):
        words = decision_wording.standing_words(name, standings)
        lines.append(f"Taken in: {decision.id}  {decision.text}  ({words})")
    if outcome.moved:
        lines.append(f"{plural(outcome.moved, 'line')} moved below the block.")
    lines += [f"○ {conflict}" for conflict in outcome.conflicts]
    taken = [shaped(TakenDecision, decision) for decision in outcome.taken]
    data = shaped(NotesRendered, outcome, taken=taken)
    return Report(lines, data)


def check() -> Report[NotesChecked]:
    """Say what is wrong, and change nothing; exits with 1 when anything is."""
    project_files = files_here()
    root, wrong = project_files.here.root, []
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
        ailing = healing.ailments(project_files.here, project_files.copies)
        wrong += [
            f"{ailment.file} is {ailment.why}: `holdfast repair heal` mends it"
            for ailment in ailing
        ]
    known = queries.identifiers(project_files.here.workspace.store, project_files.here.project)
    standings = identifiers.looked_at(root, known)
    for identifier in known:
        if standings[identifier["id"]] != identifiers.HERE:
            where = notes_block.place(identifier["path"], identifier["line"], identifier["last"])
            wrong.append(f"{where} is {standings[identifier['id']]}: {identifier['purpose']}")
    lines = [f"○ {problem}" for problem in wrong] or ["● Nothing is wrong."]
    return Report(lines, {"problems": wrong}, exit_code=int(bool(wrong)))


def identify(*, given: str, purpose: str) -> Report[Identified]:
    """Note a place in the code and what it is for; without a purpose it is dropped."""
    project_files = files_here(to_act=True)
    path, line, last = identifiers.parsed(given)
    purpose = " ".join(purpose.split())
    if len(purpose) > identifiers.PURPOSE_CAP:
        raise HoldfastError(
            f"{len(purpose)} characters are too many for a purpose",
            hint=f"say it in {identifiers.PURPOSE_CAP}",
        )
    place = {"id": "", "path": path, "line": line, "last": last}
    standing = identifiers.looked_at(project_files.here.root, [place])[""]
    where = notes_block.place(path, line, last)
    if purpose and standing != identifiers.HERE:
        raise HoldfastError(f"{where} is {standing}", hint="name lines that are there")
    body = {"path": path, "line": line, "last": last, "purpose": purpose}
    made = synthesis.identify(project_files.here, body)
    message = f"{where} is noted: {purpose}" if purpose else f"{where} is dropped."
    data: Identified = {"id": made, "path": path, "line": line, "last": last, "purpose": purpose}
    return Report((message,), data)


VERBS = {
    "show": Verb(show),
    "render": Verb(render),
    "check": Verb(check),
    "identify": Verb(
        identify, argument("given", metavar="PATH:LINE[-LINE]"), argument("purpose", default="")
    ),
}
