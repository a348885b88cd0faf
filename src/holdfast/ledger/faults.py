"""Faults of our own: swallowed at the door, and never silently.

A fault is one JSON line, appended. When the state home cannot take it the runtime folder does.
Nothing here raises.
"""

from __future__ import annotations

from holdfast.errors import REFUSALS, SystemRefused
from holdfast.redaction.gate import gate_text
from holdfast.system import clock, files, jsontext, paths
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SIZE_CAP_BYTES = 1 << 20
COUNTED: list[str] = []  # by this process


def count(state: str, kind: str, error: BaseException) -> None:
    """Count what was raised, and where."""
    COUNTED.append(kind)
    trace, place = error.__traceback__, ""
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    from holdfast.system import refused

    cause = refused.cause_of(error, state)
    where = refused.place_of(error, state) if cause else ""
    note(state, kind, place, f"{type(error).__name__}: {error}", cause=cause, where=where)


def note(
    state: str, kind: str, place: str, detail: str = "", *, cause: str = "", where: str = ""
) -> None:
    """Count a fault: its kind, where it happened, when; and where it was not ours, what the system
    refused."""
    fault = {"at": clock.now(), "kind": kind, "place": place, "detail": gate_text(detail, 300)}
    if cause:
        fault |= {"cause": cause, "where": gate_text(where, 300)}
    line = jsontext.dumps(fault)
    for folder, within in ((state, ""), (paths.spare(state), paths.runtime_folder())):
        try:
            _append(paths.faults(files.own_folder(folder, within)), f"{line}\n".encode())
        except Exception:  # noqa: BLE001, S112 - the last resort has no other to turn to
            continue
        return


def all_of(state: str) -> list[dict[str, Any]]:
    """Every fault that is on record, oldest first."""
    faults = []
    for folder in _folders(state):
        for line in (files.read_text(paths.faults(folder)) or "").splitlines():
            try:
                record = jsontext.loads(line)
            except ValueError:
                continue  # a line that a full disk cut short
            if isinstance(record, dict):
                faults.append(record)
    return sorted(faults, key=lambda fault: str(fault.get("at")))


def summed(faults: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Faults by kind and place, with how many and since when, the latest first."""
    sums: dict[tuple[str, str], dict[str, Any]] = {}
    for fault in faults:
        kind, place = str(fault.get("kind")), str(fault.get("place"))
        total = sums.setdefault(
            (kind, place), {"kind": kind, "place": place, "count": 0, "first": fault.get("at")}
        )
        total |= {
            "count": total["count"] + 1,
            "last": fault.get("at"),
            "detail": fault.get("detail"),
            "refusal": refusal_in(fault),
        }
    return sorted(sums.values(), key=lambda total: str(total["last"]), reverse=True)


def refusal_in(fault: dict[str, Any]) -> SystemRefused | None:
    """What the system refused, where a fault was that."""
    cause = str(fault.get("cause"))
    return SystemRefused(cause, str(fault.get("where"))) if cause in REFUSALS else None


def news(state: str) -> str:
    """One line about the faults that nobody was told of yet, "" when there are none."""
    if not any(files.exists(paths.faults(folder)) for folder in _folders(state)):
        return ""
    last_told = files.read_text(paths.told(state), 64) or ""
    fresh = [fault for fault in all_of(state) if str(fault.get("at")) > last_told]
    if not fresh:
        return ""
    refusals = [refusal for refusal in map(refusal_in, fresh) if refusal]
    kinds: dict[str, int] = {}
    for fault in fresh:
        if refusal_in(fault) is None:
            kinds[str(fault.get("kind"))] = kinds.get(str(fault.get("kind")), 0) + 1
    named = ", ".join(f"{kind} ({count})" for kind, count in kinds.items())
    own = f"Holdfast had faults of its own since it last said so: {named}. See `holdfast doctor`."
    return " ".join([*_refused(refusals), *([own] if named else [])])


def _refused(refusals: list[SystemRefused]) -> list[str]:
    """The last thing that the system refused, as one sentence."""
    if not refusals:
        return []
    from holdfast.hook.voice import inline

    last = refusals[-1]
    times = "once" if len(refusals) == 1 else f"{len(refusals)} times"
    return [f"Holdfast could not do its work {times} ({inline(str(last))}): {last.hint}."]


def mark_told(state: str, at: str) -> None:
    """Nobody is told of the same fault twice."""
    files.write_whole(paths.told(state), at.encode())


def clear(state: str) -> int:
    """What was wrong is mended: the record is put aside; the number of faults in it."""
    count = len(all_of(state))
    for folder in _folders(state):
        path = paths.faults(folder)
        if files.exists(path):
            system.rename(path, f"{path}.1")
    return count


def _folders(state: str) -> tuple[str, str]:
    return state, paths.spare(state)


def _append(path: str, line: bytes) -> None:
    flags = (
        system.O_WRONLY | system.O_CREAT | system.O_APPEND | system.O_NOFOLLOW | system.O_CLOEXEC
    )
    handle = system.open(path, flags, 0o600)
    try:
        if system.fstat(handle).st_size < SIZE_CAP_BYTES:
            files.write_all(handle, line)
    finally:
        system.close(handle)
