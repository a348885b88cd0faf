"""Other processes: who they are, what they say, and locks between them.

What differs between systems about them sits here. Apart from `files.py`: what is judged before
every tool call needs none of it.
"""

from __future__ import annotations

import time

from holdfast.system.environment import INSIDE, LINUX, system
from holdfast.system.files import READ_CAP_BYTES, read_bytes, read_text

LOCK_WAIT_S = 1.0
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ash", "ksh", "fish", "busybox"})


class Lock:
    """A lock between processes, held while the file is open: it cannot outlive its holder."""

    def __init__(self, path: str) -> None:
        flags = system.O_RDWR | system.O_CREAT | system.O_CLOEXEC | system.O_NOFOLLOW
        self._handle = system.open(path, flags | system.O_NONBLOCK, 0o600)

    def take(self, *, wait_s: float = 0.0) -> bool:
        """Whether it was had in time. Its holder may have been stopped: nobody waits for ever."""
        import fcntl

        until = time.monotonic() + wait_s
        while True:
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    return False
                time.sleep(0.005)
            else:
                return True

    def release(self) -> None:
        system.close(self._handle)

    def __enter__(self) -> Lock:
        if not self.take(wait_s=LOCK_WAIT_S):
            self.release()
            raise TimeoutError("somebody holds the lock and does not let go")
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def process_started(pid: int) -> str:
    """When a process started, in the system's own count; "" when there is no such process."""
    if pid <= 0:
        return ""
    if not LINUX:
        return said_by(["ps", "-o", "lstart=", "-p", str(pid)])
    stat = read_bytes(f"/proc/{pid}/stat", 4096)
    # The name in brackets may itself hold spaces and brackets: count from the last one.
    fields = stat.rpartition(b")")[2].split() if stat else []
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return ""
    return fields[19].decode()


def parent_of(pid: int) -> int:
    if not LINUX:
        return int(said_by(["ps", "-o", "ppid=", "-p", str(pid)]) or 0)
    stat = read_bytes(f"/proc/{pid}/stat", 4096)
    fields = stat.rpartition(b")")[2].split() if stat else []
    return int(fields[1]) if len(fields) > 1 else 0


def name_of(pid: int) -> str:
    """A process's short name."""
    if not LINUX:
        return said_by(["ps", "-o", "comm=", "-p", str(pid)]).rpartition("/")[2]
    return (read_text(f"/proc/{pid}/comm", 64) or "").strip()


def boot() -> str:
    """Which run of the machine this is: process numbers mean nothing across two of them."""
    if not LINUX:
        return said_by(["sysctl", "-n", "kern.bootsessionuuid"])
    return (read_text("/proc/sys/kernel/random/boot_id", 64) or "").strip()


def host() -> str:
    """The machine's own id, else its name."""
    known = (read_text("/etc/machine-id", 64) or "").strip()
    return known or str(system.uname().nodename)


def namespace() -> str:
    """The pid namespace: inside a container the same number is another process."""
    if not LINUX:
        return ""
    try:
        return str(system.readlink("/proc/self/ns/pid"))
    except OSError:
        return ""


def spawn_detached(arguments: list[str]) -> None:
    """Start a process that outlives us and holds none of our pipes."""
    null = system.open("/dev/null", system.O_RDWR)
    system.posix_spawn(
        arguments[0],
        arguments,
        {**system.environ, INSIDE.encode(): b"1"},
        file_actions=[(system.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)],
        setsid=True,
    )
    system.close(null)


def said_by_git(folder: str, *arguments: str, limit_s: float = 2.0) -> str:
    """What git prints, "" when it fails or takes longer than a hook may wait."""
    return said_by(["git", "-C", folder, *arguments], limit_s)


def said_by(arguments: list[str], limit_s: float = 2.0) -> str:
    """What a program prints, "" when it fails or takes too long."""
    return heard_from(arguments, limit_s) or ""


def heard_from(arguments: list[str], limit_s: float = 2.0) -> str | None:
    """What a program prints, None when it fails or takes too long."""
    for asked in ASKED:
        if asked.arguments == arguments:
            ASKED.remove(asked)
            return _answer(asked, limit_s)
    return _answer(_ask(arguments), limit_s)


class Asked:
    """A program that was started, and the pipe that it prints to."""

    __slots__ = ("arguments", "handle", "pid")

    def __init__(self, arguments: list[str], pid: int, handle: int) -> None:
        self.arguments = arguments
        self.pid = pid  # 0: it could not be started
        self.handle = handle


ASKED: list[Asked] = []


def ask_ahead(arguments: list[str]) -> None:
    """Start a program whose answer will be wanted: it works while we do something else."""
    ASKED.append(_ask(arguments))


def _ask(arguments: list[str]) -> Asked:
    """By hand: `subprocess` brings as much along as a whole hook costs."""
    more = {INSIDE: "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    environment = {**system.environ, **{name.encode(): more[name].encode() for name in more}}
    ours, theirs = system.pipe()
    null = system.open("/dev/null", system.O_RDWR | system.O_CLOEXEC)
    actions = [
        (system.POSIX_SPAWN_DUP2, handle, n) for n, handle in enumerate((null, theirs, null))
    ]
    try:
        pid = system.posix_spawnp(arguments[0], arguments, environment, file_actions=actions)
    except (OSError, ValueError):  # it is not there, or its arguments are no arguments
        pid = 0
    system.close(theirs)
    system.close(null)
    return Asked(arguments, pid, ours)


def _answer(asked: Asked, limit_s: float) -> str | None:
    pid = asked.pid
    stdout = _read_until(asked.handle, time.monotonic() + limit_s) if pid else None
    system.close(asked.handle)
    if not pid:
        return None
    if stdout is None:
        system.kill(pid, 9)
    status = system.waitpid(pid, 0)[1]
    return stdout.decode("utf-8", "replace").strip() if stdout is not None and status == 0 else None


def _read_until(handle: int, deadline: float) -> bytes | None:
    """All that comes through a pipe; None when it is not closed in time, or is endless."""
    import select

    output = b""
    while len(output) < READ_CAP_BYTES:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([handle], [], [], left)[0]:
            return None
        part = system.read(handle, 1 << 16)
        if not part:
            return output
        output += part
    return None
