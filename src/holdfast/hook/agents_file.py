"""A block in AGENTS.md or CLAUDE.md with what a session would be told: for agents without hooks.

`holdfast init --agents-file` asks for it; the end of a turn and of a session renders it anew, by a
process of its own, and so do commands that steer or decide.

Laws: what stands around the block stays to the byte, and what we added goes to the byte; a link
that leads out of the project is not followed; a file that is not UTF-8, or whose block has lost an
end, is left alone.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.system import environment, files, jsontext, paths
from holdfast.system.environment import system
from holdfast.system.value import Value

TYPE_CHECKING = False

CAP_BYTES = 1 << 20
MODE = 0o644
INTRODUCTION = (
    "## Where the work stands\n\nKept up to date by Holdfast; what you write between these two"
    " marks is replaced."
)


def refresh(state: str, root: str) -> str:
    """The errand: render the block anew. A file that is not for us to write stays as it is."""
    from holdfast.system.processes import Lock

    environment.bring("driver")
    record = recorded(state, root)
    if not record:
        return ""
    folder = files.own_folder(paths.runtime_folder())
    with Lock(f"{folder}/agents-{paths.mark(root):08x}.lock"):
        try:
            change = planned(state, root, record.path)
        except HoldfastError as error:
            from holdfast.ledger import faults

            faults.count(state, "agents file not written", error)
        else:
            if change.after is not None and change.after != change.before:
                write(change.path, change.after)
    return ""


class Record(Value):
    """What is written down of a block."""

    gap: str  # what we put between their text and our block
    made: bool  # there was no such file
    path: str


class Change(Value):
    """What becomes of the file; None where it is not there."""

    path: str
    before: bytes | None
    after: bytes | None
    gap: str  # what we put between their text and our block


def planned(state: str, root: str, path: str) -> Change:
    """The file with its block as it would be now."""
    from holdfast.hook import preview
    from holdfast.rooms.prompts import instruction_files

    target, content = _content(root, path)
    text = preview.briefing_here(state, root) if files.exists(paths.store(state)) else ""
    block = f"{INTRODUCTION}\n\n{text or preview.NOTHING}"
    after, gap = instruction_files.with_block(content or b"", block)
    known = recorded(state, root)
    if known and known.path == path:
        gap = known.gap
    return Change(target, content, after, gap)


def planned_removal(state: str, root: str) -> Change | None:
    """The file without its block; None where nobody asked for one."""
    from holdfast.rooms.prompts import instruction_files

    record = recorded(state, root)
    if not record:
        return None
    target, content = _content(root, record.path)
    if content is None:
        return Change(target, None, None, "")
    after: bytes | None = instruction_files.without_block(content, record.gap.encode())
    if record.made and not after:
        after = None
    return Change(target, content, after, "")


def install(state: str, root: str, path: str) -> Change:
    change = planned(state, root, path)
    record = recorded(state, root)
    if record and record.path != path:
        uninstall(state, root)
        record = None
    if record is None:
        record = Record(path=path, gap=change.gap, made=change.before is None)
        files.own_folder(paths.installs(state), within=state)
        content = jsontext.dumps(record.as_dict()).encode()
        files.write_whole(paths.agents_file(state, root), content)
    if change.after is not None and change.after != change.before:
        write(change.path, change.after)
    return change


def uninstall(state: str, root: str) -> Change | None:
    change = planned_removal(state, root)
    if change is None:
        return None
    if change.after != change.before:
        if change.after is None:
            system.unlink(change.path)
        else:
            write(change.path, change.after)
    system.unlink(paths.agents_file(state, root))
    return change


def recorded(state: str, root: str) -> Record | None:
    """None where nobody asked for a block."""
    text = files.read_text(paths.agents_file(state, root))
    try:
        return Record(**jsontext.loads(text)) if text else None
    except (KeyError, TypeError, ValueError):  # damaged
        return None


def write(path: str, content: bytes) -> None:
    try:
        if files.exists(path):
            files.write_over(path, content)
        else:
            files.write_whole(path, content)
            system.chmod(path, MODE)
    except OSError as error:
        raise HoldfastError(f"{path} was not written: {error.strerror}") from error


def _content(root: str, path: str) -> tuple[str, bytes | None]:
    """The real path, and what stands there; None for a file that is not there yet."""
    import os

    target = os.path.realpath(path)
    if not target.startswith(f"{os.path.realpath(root)}/"):
        raise HoldfastError(f"{path} leads out of the project", hint="name a file inside it")
    if not os.path.lexists(target):
        return target, None
    content = files.read_bytes(target, CAP_BYTES + 1)
    if content is None or len(content) > CAP_BYTES:
        raise HoldfastError(f"{path} cannot be read whole", hint="is it a file, and yours?")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise HoldfastError(
            f"{path} is not UTF-8", hint="save it as UTF-8; nothing was changed"
        ) from error
    return target, content
