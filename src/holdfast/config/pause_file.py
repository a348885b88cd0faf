"""The pause: one file that switches every hook off, from outside the agent.

A file that holds a time (UTC, as `clock.now` writes it) counts until then; an empty one, or one
that holds anything else, has no end. Only the person removes it: a hook that did could remove a
newer pause that has just replaced it.
"""

from __future__ import annotations

from holdfast.system import clock, files, paths
from holdfast.system.environment import system

FOR_EVER = "9999"  # later than any time that is written with four digits of a year
SIGNED = "by command"
STAMP = "0000-00-00T00:00:00.000Z"


def until(state: str) -> str:
    """When the pause ends; FOR_EVER without an end, "" when there is none, or it is over."""
    path = paths.pause(state)
    if not files.exists(path):
        return ""
    text = (files.read_text(path, 64) or "").split("\n")[0].strip()
    if not _is_time(text):
        return FOR_EVER
    return text if text > clock.now() else ""


def is_foreign(state: str) -> bool:
    """Whether there is a pause that no command of Holdfast's has written."""
    content = files.read_text(paths.pause(state), 128)
    return bool(until(state)) and SIGNED not in (content or "")


def begin(state: str, end: str = "", *, by: str = "") -> None:
    """Pause; `by` is the mark of a command that has asked for a person."""
    files.own_folder(state)
    files.write_whole(paths.pause(state), f"{end}\n{by}\n".encode() if end or by else b"")


def end(state: str) -> bool:
    """Lift the pause; whether one was in force."""
    was = bool(until(state))
    try:
        system.unlink(paths.pause(state))
    except FileNotFoundError:
        pass
    return was


def _is_time(text: str) -> bool:
    return len(text) == len(STAMP) and all(
        "0" <= char <= "9" if mark == "0" else char == mark
        for char, mark in zip(text, STAMP, strict=True)
    )
