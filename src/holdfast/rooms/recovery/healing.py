"""Self-heal: state files that are gone or emptied come back, and an entry says so.

Our block comes from the ledger, people's text from git, else from a template; what a tracker's
items were told after the last commit, from the ledger. Laws: nothing that a person took out of git
is brought back; whatever fails, work goes on.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.rooms.notes import notes_block, notes_file
from holdfast.rooms.recovery import synthesis
from holdfast.rooms.tracker import beads, trackers
from holdfast.system import files, git
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.decisions.deciding import Here

MISSING, EMPTIED, NO_BLOCK, UNWRITABLE = "missing", "emptied", "without our block", "not ours"
GIT, LEDGER, TEMPLATE = "git", "ledger", "template"
NOTES = f"{notes_file.FOLDER}/{notes_file.NAME}"
GIT_LIMIT_S = 1.0


class Ailment(Value):
    """A file, what is wrong with it, and where it can come back from."""

    file: str
    why: str
    source: str

    def as_dict(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in ("file", "why", "source")}


def ailments(here: Here, copies: str) -> list[Ailment]:
    """What is wrong with the state files of a project, without mending it."""
    return [
        ailment for ailment in (_notes(here, copies), *_issues(here.root)) if ailment is not None
    ]


def heal(here: Here, active: dict[str, str], copies: str) -> list[Ailment]:
    """Mend it; what was mended, each with an entry."""
    mended = []
    for ailment in ailments(here, copies):
        if ailment.why == UNWRITABLE:
            continue
        try:
            if ailment.source == GIT:
                _bring_back(here.root, ailment.file)
            if ailment.file == NOTES:
                notes_file.render(here, active, copies)
            else:
                synthesis.tell_again(here)
        except (OSError, StoreError):
            continue  # somebody else's, or no space: it is looked at again next time
        if files.exists(f"{here.root}/{ailment.file}"):
            mended.append(ailment)
    for ailment in mended:
        synthesis.keep(here, "state_healed", ailment.as_dict())
    return mended


def _notes(here: Here, copies: str) -> Ailment | None:
    try:
        content = notes_file.read(here.root)
    except StoreError:
        return Ailment(NOTES, UNWRITABLE, "")
    is_empty = content is not None and not content.strip()
    was_here = bool(files.names_in(copies))
    if content is not None and not is_empty:
        lost = was_here and notes_block.split(content) is None and notes_file.has_content(here)
        return Ailment(NOTES, NO_BLOCK, LEDGER) if lost else None
    why = EMPTIED if is_empty else MISSING
    if not (is_empty or was_here or files.exists(f"{here.root}/{notes_file.FOLDER}")):
        return None  # most projects: git need not be asked
    if _in_git(here.root, NOTES):
        return Ailment(NOTES, why, GIT)
    if is_empty or was_here:
        return Ailment(NOTES, why, LEDGER) if notes_file.has_content(here) else None
    return None


def _issues(root: str) -> list[Ailment]:
    """A tracker's file, where no program of its own looks after it."""
    if not files.exists(f"{root}/{beads.FOLDER}"):
        return []
    if any(trackers.is_installed(name) for name in trackers.PROGRAMS):
        return []
    ailing = []
    for name in beads.NAMES:
        file = f"{beads.FOLDER}/{name}"
        content = files.read_bytes(f"{root}/{file}", 64)
        is_gone = content is None and not files.exists(f"{root}/{file}")
        if (is_gone or content == b"") and _in_git(root, file):
            ailing.append(Ailment(file, MISSING if is_gone else EMPTIED, GIT))
    return ailing


def _in_git(root: str, file: str) -> bool:
    """Whether the last commit has it, with something in it, and nobody has taken it out since."""
    if not files.exists(f"{root}/.git"):
        return False
    known = git.said(root, "ls-files", "--", file, limit_s=GIT_LIMIT_S)
    size = git.said(root, "cat-file", "-s", f"HEAD:{file}", limit_s=GIT_LIMIT_S)
    return known == file and size not in ("", "0")


def _bring_back(root: str, file: str) -> None:
    """Git writes it as it was, whatever its bytes."""
    git.said(root, "restore", "--source=HEAD", "--worktree", "--", file)
