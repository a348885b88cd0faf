"""Whether the process behind an open session is still there.

A process is known by its number and its start time, on one boot of one host, in one pid
namespace. A live session is never called dead, however long it is silent. Silence counts only
where the process cannot be looked at: another host or another namespace. Another boot of the
same host is proof: no process survives it.
"""

from __future__ import annotations

from holdfast.system.value import Value

ALIVE, GONE, UNKNOWN = "alive", "gone", "unknown"


def standing(
    session: Process, here: Process, *, started_now: str, silent_s: float, silence_limit_s: float
) -> str:
    """`started_now` is the start time of the process that now has the session's number."""
    if session.host != here.host:
        return GONE if silent_s > silence_limit_s else UNKNOWN
    if session.boot != here.boot:
        return GONE
    if session.namespace != here.namespace or not session.pid:
        return GONE if silent_s > silence_limit_s else UNKNOWN
    return ALIVE if started_now == session.started else GONE


class Process(Value):
    """Where an agent runs: enough to find it again, and to know when it is another one."""

    pid: int
    started: str
    boot: str
    host: str
    namespace: str

    def is_same(self, other: Process) -> bool:
        return bool(self.pid) and self == other
