"""A hook that has everything loaded and forks for each event: what stands behind hooks over HTTP.

Laws:
  - each event has a process of its own, as with the installed command: what it opens, heeds,
    remembers and leaves behind goes with it, and whatever it dies of hits no other;
  - this process opens no store and has no threads, so that a fork is whole;
  - nothing of the server's surroundings is taken for the agent's: what is known of the agent comes
    with the event, or from the connection it came over, or is unknown;
  - an answer is sent when its event is kept or set aside. Without `DONE` nothing was promised.
"""

from __future__ import annotations

import gc
import signal
import socket
import sys
import time

from holdfast.agents import sender_surroundings as surroundings
from holdfast.hook import entry_point
from holdfast.hook.record import PATIENCE_S
from holdfast.ledger import reader
from holdfast.ledger.workspace import Workspace
from holdfast.system import environment, files, jsontext, paths, peers, processes
from holdfast.system.environment import system

DONE, REFUSED = b"+", b"-"
READY = 4  # processes that wait
GONE, BROKEN = 3, 4  # what one of them leaves with: the server has gone; or nothing was to be done
PAUSE_S = 0.1  # before another one is tried
HEAD_CAP_BYTES = 1 << 16
# What is of one process and of no other.
OWN_VARIABLES = ("PWD", "OLDPWD", environment.INSIDE)


def main() -> None:
    """Answer what comes over the socket that is stdin, until its other end is closed. The launcher
    and the state home are the arguments."""
    launcher, state = sys.argv[1:3]
    sys.argv[:] = [launcher]  # what is started from here is started by the launcher
    control = socket.socket(fileno=system.dup(0))
    null = system.open("/dev/null", system.O_RDWR)
    for number in (0, 1, 2):
        system.dup2(null, number)
    system.chdir("/")
    system.umask(0o077)
    for name in (*OWN_VARIABLES, *surroundings.VARIABLES):
        system.environ.pop(name.encode(), None)
    with control.makefile("rb") as lines:
        _load(jsontext.loads(lines.readline().decode()))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server's, which then closes the socket
    gc.collect()
    gc.freeze()
    for _ in range(READY):
        _fork(state, control)
    control.sendall(DONE)
    while True:  # for each that has answered, another one gets ready
        code = system.waitstatus_to_exitcode(system.wait()[1])
        if code == GONE:
            return
        if code:
            time.sleep(PAUSE_S)
        _fork(state, control)


def _fork(state: str, control: socket.socket) -> None:
    """A process that waits for one event, with the store open."""
    if system.fork():
        return
    code = BROKEN
    try:
        gc.disable()
        ready = _opened(state)
        mark, handles, _, _ = socket.recv_fds(control, 1, 1)
        code = GONE
        if mark:
            entry_point.STARTED_MS, entry_point.STARTED = 0.0, time.perf_counter()
            reader.READY[:] = [ready] if ready and ready.store.is_as_opened() else []
            _answer(state, handles[0])
            code = 0
    finally:
        system._exit(code)


def _opened(state: str) -> Workspace | None:
    """The store, opened ahead; None where that is for the event to do, and to tell."""
    try:
        return Workspace(state, busy_s=PATIENCE_S) if files.exists(paths.store(state)) else None
    except Exception:  # the event meets it again, and is set aside
        return None


def _load(names: list[str]) -> None:
    """Whatever an event may need; what is not there is found, and told, by the event."""
    for name in names:
        try:
            __import__(name)
        except Exception:  # noqa: S112 - it is met again, where somebody is prepared
            continue


def _answer(state: str, handle: int) -> None:
    """One event, in a process of its own."""
    answer = DONE + b"0\n"
    try:
        limit = HEAD_CAP_BYTES + files.INPUT_CAP_BYTES
        head, _, raw = files.read_all(handle, limit).partition(b"\n")
        request = jsontext.loads(head.decode())
        peer = peers.at_other_end(tuple(request["theirs"]), tuple(request["ours"]), request["hint"])
        if peer.user in (peers.UNKNOWN, system.geteuid()):
            _stand_for(peer.pid, request["variables"])
            is_off = entry_point.is_off()
            text = "" if is_off else entry_point.answer(state, raw, was_cut=False)
            answer = DONE + b"%d\n" % max(peer.pid, 0) + text.encode("utf-8", "backslashreplace")
        else:
            answer = REFUSED
    except BaseException as error:  # whatever it is: docs/decisions/0003-never-in-the-way.md
        entry_point.count_fault(state, "door", error)
    files.write_all(handle, answer)


def _stand_for(pid: int, variables: dict[str, str]) -> None:
    """Take the sender's surroundings, as far as they are known, for this process."""
    for name, value in variables.items():
        if value and name in surroundings.CARRIED:
            system.environ[name.encode()] = value.encode()
    if pid != peers.UNKNOWN:
        processes.SENDER[:] = [pid]
    is_agent = pid > 0 and processes.name_of(pid) in surroundings.PROGRAMS
    for name in surroundings.PROCESS_IDS:
        system.environ[name.encode()] = str(pid if is_agent else 0).encode()
