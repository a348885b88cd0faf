"""Traces: files outside the store in which text of a session may lie.

Found by name where a name tells, else by the session's id. Laws: only what is ours is removed; a
link is never followed; what mentions the session and is not ours to rewrite is named instead.

    mirror, sheet    rendered from the store, safe to delete; settings: compiled, the same
    archive          the session's entries, compressed
    spool            events that wait; those nobody can read go too: nobody can say whose they are
    quarantine       whole copies of damaged files: they cannot be forgotten in part
    log, faults      reports of bugs may quote any text: the log goes, faults lose their details
    leftover         temporary files of processes that died
"""

from __future__ import annotations

import gzip
import os
import shutil
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from holdfast.system import files, jsontext, paths, processes

QUARANTINE = "quarantine"
# Everything of ours in a state home that holds what was kept. What is not listed stays:
# installs/ and hook.py, without which nothing could be uninstalled, and the pause.
FOLDERS = ("archive", "spool", QUARANTINE, "settings", "trajectory", "notes", "tested")
FILES = (
    "store.db",
    "sessions.json",
    "faults.",
    "acts.",
    "costs.log",
    "holdfast.log",
    "requirements.log",
    "requirements.level",
    "rebuild.lock",
)
GZIP_ERRORS = (OSError, EOFError, zlib.error)


class Trace(NamedTuple):
    path: str
    what: str

    @property
    def is_blanked(self) -> bool:
        """Whether the file stays, less its text."""
        return self.what == "faults"


def mirrors(sessions: tuple[str, ...], commons: tuple[str, ...]) -> list[Trace]:
    """Derived files that are named after a session, or speak of it."""
    traces = []
    for session in sessions:
        for place in (paths.brief, paths.figures):
            path = place(paths.runtime_folder(), session)
            traces += [Trace(file, "sheet") for file in _like(path)]
        for common in commons:
            folder = f"{paths.project_folder(common)}/sessions"
            path = f"{folder}/{paths.as_name(session)}.json"
            traces += [Trace(file, "mirror") for file in _like(path)]
    for common in commons:
        folder = paths.project_folder(common)
        for path in _files(folder):
            is_other = path != f"{folder}/project" and not path.startswith(f"{folder}/sessions/")
            # A handoff quotes rules that other sessions gave, and a branch's requirements know a
            # session by its short name: all go, the next turn renders anew.
            # Trajectory and copies of notes hold many sessions' texts, each once.
            shared = ("handoffs", "requirements", "trajectory", "notes")
            is_shared = path.startswith(tuple(f"{folder}/{name}/" for name in shared))
            if is_shared or (is_other and _mentions(path, sessions)):
                traces.append(Trace(path, "mirror"))
    return traces


def of_project(common: str) -> list[Trace]:
    """All that lies beside a repository but the project's id, which goes last."""
    folder = paths.project_folder(common)
    return [Trace(path, "mirror") for path in _files(folder) if path != f"{folder}/project"]


def settings(state: str, roots: list[str]) -> list[Trace]:
    """What was compiled of a project's configuration; the next hook compiles it again."""
    candidates = [paths.compiled_settings(state, root) for root in roots]
    candidates += [paths.compiled_requirements(state, root) for root in roots]
    candidates += [paths.seen_demands(state, root) for root in roots]
    candidates += [paths.tracked(state, root) for root in roots]
    candidates += [
        path
        for path in _files(paths.spare(state))
        if path.startswith(paths.counted(state)) and _mentions(path, tuple(roots))
    ]
    return [Trace(path, "settings") for path in candidates if files.exists(path)]


def kept(state: str, sessions: tuple[str, ...], key: str = "") -> list[Trace]:
    """Files that hold what was said, under the state home and its corner of the runtime folder.
    With a key only that event's, where a file holds one event."""
    traces = []
    for session in sessions:
        path = f"{paths.archives(state)}/{paths.as_name(session)}.jsonl.gz"
        traces += [Trace(own_file, "archive") for own_file in _like(path)]
        for derived in (paths.denied(state, session), paths.tested(state, session)):
            traces += [Trace(own_file, "sheet") for own_file in _like(derived)]
    for folder in paths.spools(state):
        for path in _files(folder):
            event = _event_in(path) if path.endswith(".json") else None
            if event is None or (event[0] in sessions and _is_key_of(event[1], key)):
                traces.append(Trace(path, "spool"))
    # Of projects without a repository; it is rendered again from what is left.
    traces += [
        Trace(path, "mirror")
        for name in ("trajectory", "notes")
        for path in _files(f"{state}/{name}")
    ]
    quarantine = f"{state}/{QUARANTINE}"
    for name in [] if os.path.islink(quarantine) else files.names_in(quarantine):
        path = f"{quarantine}/{name}"
        if any(_mentions(file, sessions) for file in _files(path)):
            traces.append(Trace(path, "quarantine"))
    for name in files.names_in(state):
        path = f"{state}/{name}"
        is_copy = name.startswith("store.db.") and not _is_at_work(name)
        if is_copy or (_is_ours(name) and name.endswith(".tmp")):
            traces.append(Trace(path, "leftover"))
    logs = (paths.log(state), paths.gate_log(state), f"{paths.gate_log(state)}.1")
    traces += [Trace(path, "log") for path in logs if files.exists(path)]
    for folder in (state, paths.spare(state)):
        for path in (paths.faults(folder), f"{paths.faults(folder)}.1"):
            if _has_details(path):
                traces.append(Trace(path, "faults"))
    return traces


def unknown(state: str, sessions: tuple[str, ...]) -> list[str]:
    """What else under the state home mentions a session: named, and left alone."""
    return [
        path
        for name in files.names_in(state)
        if not (_is_ours(name) or name == "installs" or name.startswith("hook."))
        for path in _files(f"{state}/{name}")
        if _mentions(path, sessions)
    ]


def everything(state: str) -> list[Trace]:
    """All that was kept in a state home; what makes an uninstallation possible stays."""
    runtime, spare = paths.runtime_folder(), paths.spare(state)
    traces = [Trace(f"{state}/{name}", "kept") for name in files.names_in(state) if _is_ours(name)]
    traces += [
        Trace(f"{runtime}/{name}", "sheet")
        for name in files.names_in(runtime)
        if name.startswith(("brief-", "context-"))
    ]
    return [*traces, Trace(spare, "spool")] if files.exists(spare) else traces


def remove(traces: list[Trace]) -> None:
    for trace in traces:
        if trace.is_blanked:
            _blank(trace.path)
        else:
            remove_path(trace.path)


def remove_path(path: str) -> None:
    """A file, a link itself, or a folder with all that is in it; gone already is fine."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
        return
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def _like(path: str) -> list[str]:
    """The file, and what a process that died while replacing it left behind."""
    folder, _, name = path.rpartition("/")
    if os.path.islink(folder) or os.path.islink(os.path.dirname(folder)):
        return []  # somebody else's
    return [
        f"{folder}/{candidate}"
        for candidate in files.names_in(folder)
        if candidate == name or (candidate.startswith(f"{name}.") and candidate.endswith(".tmp"))
    ]


def _files(path: str) -> Iterator[str]:
    """Every file at or below a path. Links are not followed."""
    if os.path.islink(path):
        return
    if not os.path.isdir(path):
        yield from [path] if os.path.isfile(path) else []
        return
    for folder, _, names in os.walk(path):
        for name in sorted(names):
            if not os.path.islink(f"{folder}/{name}"):
                yield f"{folder}/{name}"


def _mentions(path: str, sessions: tuple[str, ...]) -> bool:
    """Whether a file names one of the sessions, compressed or not; in doubt it does."""
    names = {paths.as_name(session) for session in sessions}
    if any(name in path for name in names):
        return True
    needles = {text.encode() for id_ in sessions for text in (id_, jsontext.dumps(id_)[1:-1])}
    try:
        with open(path, "rb") as file:
            content = file.read()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
    except GZIP_ERRORS:
        return True
    return any(needle in content for needle in needles)


def _is_ours(name: str) -> bool:
    return name in FOLDERS or name.startswith(FILES)


def _event_in(path: str) -> tuple[str, str] | None:
    """The session and key of an event that waits; None when nobody can tell."""
    try:
        event = jsontext.loads(files.read_text(path, 1 << 24) or "")
        return str(event["session"]), str(event["key"])
    except (ValueError, TypeError, KeyError):
        return None


def _is_key_of(event: str, entry: str) -> bool:
    """Whether an entry may be an event's: a beginning's key grows when it is kept."""
    return not entry or f"{entry}:".startswith(f"{event}:")


def _is_at_work(name: str) -> bool:
    """Whether a rebuild's file belongs to a process that is there."""
    pid = name.removeprefix("store.db.rebuild-").partition("-")[0]
    return pid.isdecimal() and bool(processes.process_started(int(pid)))


def _has_details(path: str) -> bool:
    return any(
        not isinstance(fault, dict) or fault.get("detail")
        for fault in _faults(files.read_text(path, 1 << 24) or "")
    )


def _blank(path: str) -> None:
    """Faults keep when, what and where; a line that cannot be read goes."""
    content = files.read_text(path, 1 << 24)
    if content is None:
        return
    faults = [fault | {"detail": ""} for fault in _faults(content) if isinstance(fault, dict)]
    lines = "".join(f"{jsontext.dumps(fault)}\n" for fault in faults)
    files.write_whole(path, lines.encode())


def _faults(content: str) -> Iterator[object]:
    for line in content.splitlines():
        try:
            yield jsontext.loads(line)
        except ValueError:
            yield None
