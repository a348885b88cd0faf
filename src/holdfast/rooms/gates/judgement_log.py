"""The log of judgements: what gates judged, a line each, for whoever wonders why.

Laws: nothing is logged unless a person asked for it (`holdfast req logging`), and until then a hook
looks for one file and loads none of this; every line passed the redaction gate; the log and the one
before it are ours alone and never longer than twice the cap and a line; what cannot be written is
told as a failure and changes no verdict.
"""

from __future__ import annotations

from holdfast.redaction.gate import gate_text, heed
from holdfast.system import files, paths, processes
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.hook.context import Context
    from holdfast.rooms.gates.tool_call import Call

DEBUG, INFO, OFF = "debug", "info", "off"
LEVELS = (DEBUG, INFO, OFF)
SIZE_CAP_BYTES = 1 << 20
WORDS_CAP = 400


def level(state: str) -> str:
    """What is logged: every judgement (debug), what was refused, met or let go (info), nothing."""
    given = (files.read_text(paths.gate_level(state), 16) or "").strip()
    return given if given in LEVELS else OFF


def set_level(state: str, given: str) -> None:
    """From now on; the log itself stays where it is."""
    files.own_folder(state)
    if given != OFF:
        files.write_whole(paths.gate_level(state), f"{given}\n".encode())
        return
    try:
        system.unlink(paths.gate_level(state))
    except FileNotFoundError:
        pass


def note_call(context: Context, call: Call, concerned: Iterable[str], open_: list[str]) -> None:
    """What became of a tool call."""
    act = f"{call.tool} {call.command or call.path}".strip()
    if open_:
        note(context, INFO, f"refused: {', '.join(open_)} open before: {act}")
    elif context.answer.refusal:
        note(context, INFO, f"refused: a place or an act of the person's: {act}")
    else:
        asked = ", ".join(concerned)
        why = f"{asked} met" if asked else "nothing stands before it"
        note(context, DEBUG, f"let through: {why}: {act}")


def note(context: Context, weight: str, words: str) -> None:
    """One line, where the level asks for it."""
    wanted = level(context.state)
    if wanted == OFF or (weight == DEBUG and wanted != DEBUG):
        return
    heed(context.workspace.settings(context.worktree))
    shown = " ".join(gate_text(words, WORDS_CAP).split())
    text = "".join(letter if letter.isprintable() else "?" for letter in shown)
    session = gate_text(context.event.session)
    place = context.branch() or "no branch"
    _append(context.state, f"{context.event.at} {weight.upper():5} {session} {place} {text}\n")


def _append(state: str, line: str) -> None:
    path = paths.gate_log(state)
    with processes.Lock(paths.gate_log_lock(state)):
        try:
            if system.lstat(path).st_size >= SIZE_CAP_BYTES:
                system.rename(path, f"{path}.1")
        except FileNotFoundError:
            pass
        handle = files.open_private(path, system.O_WRONLY | system.O_CREAT | system.O_APPEND)
        try:
            files.write_all(handle, line.encode("utf-8", "replace"))
        finally:
            system.close(handle)
