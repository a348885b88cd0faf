"""Other processes: who they are, what they say, and locks between them.

What differs between systems about them sits here. Apart from `files.py`: what is judged before
every tool call needs none of it.
"""

from __future__ import annotations

import time

from holdfast.system import environment, files, paths
from holdfast.system.environment import INSIDE, LINUX, system
from holdfast.system.files import READ_CAP_BYTES, read_bytes, read_text
from holdfast.system.value import Value

LOCK_WAIT_S = 1.0
LOOK_EVERY_S = 0.005
# Of git's own variables those that say who commits and which files are the person's configuration.
KEPT_FOR_GIT = (
    *(b"GIT_AUTHOR_", b"GIT_COMMITTER_", b"GIT_CONFIG_GLOBAL", b"GIT_CONFIG_SYSTEM"),
    *(b"GIT_CONFIG_NOSYSTEM", b"GIT_CEILING_DIRECTORIES", b"GIT_DISCOVERY_ACROSS_FILESYSTEM"),
)
QUIET = {
    b"LC_ALL": b"C",
    b"GIT_OPTIONAL_LOCKS": b"0",
    b"GIT_TERMINAL_PROMPT": b"0",
    b"GIT_ALLOW_PROTOCOL": b"none",
    b"GIT_NO_LAZY_FETCH": b"1",
}
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


class Asked(Value):
    """A program that was started, and the pipe that it prints to."""

    arguments: list[str]
    pid: int  # 0: it could not be started
    handle: int


ASKED: list[Asked] = []


def ask_ahead(arguments: list[str]) -> None:
    """Start a program whose answer will be wanted: it works while we do something else."""
    ASKED.append(_ask(arguments))


class Filter:
    """A command of the user's that is given its input and may print something, in a group of its
    own: what it starts ends with it, when it takes too long and when we are ended ourselves."""

    def __init__(self, arguments: list[str], text: bytes) -> None:
        import _signal  # type: ignore[import-not-found]  # without the enums of `signal`

        self._pid = 0
        ends = (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT)
        for number in ends:
            _signal.signal(number, self._end)
        reading, self._input = system.pipe()
        self._output, writing = system.pipe()
        system.set_blocking(self._input, False)
        actions = [(system.POSIX_SPAWN_DUP2, reading, 0), (system.POSIX_SPAWN_DUP2, writing, 1)]
        given = {**system.environ, INSIDE.encode(): b"1"}
        # Who ends us in between waits until we know whom to end.
        before = _signal.pthread_sigmask(_signal.SIG_BLOCK, ends)
        try:
            self._pid = system.posix_spawn(
                arguments[0], arguments, given, file_actions=actions, setpgroup=0, setsigmask=before
            )
        finally:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, before)
        system.close(reading)
        system.close(writing)
        self._rest = memoryview(text)
        self._feed()

    def output(self, limit_s: float) -> bytes:
        """What it printed; nothing when it failed, or was not done in time."""
        import select

        deadline, output, is_open = time.monotonic() + limit_s, b"", True
        while time.monotonic() < deadline and len(output) < READ_CAP_BYTES:
            reading = [self._output] if is_open else []
            waiting = [self._input] if self._rest else []
            readable, writable, _ = select.select(reading, waiting, [], LOOK_EVERY_S)
            if writable:
                self._feed()
            if readable:
                part = system.read(self._output, 1 << 16)
                output, is_open = output + part, bool(part)
            else:
                pid, status = system.waitpid(self._pid, system.WNOHANG)
                if pid:
                    return output if status == 0 else b""
        self._kill()
        system.waitpid(self._pid, 0)
        return b""

    def _feed(self) -> None:
        try:
            written = system.write(self._input, self._rest)
            self._rest = self._rest[written:]
        except BrokenPipeError:  # it does not read
            self._rest = self._rest[:0]
        if not self._rest:
            system.close(self._input)

    def _kill(self) -> None:
        try:
            system.killpg(self._pid, 9)
        except ProcessLookupError:
            pass

    def _end(self, *_: object) -> None:
        if self._pid:
            self._kill()
        system._exit(0)


# Where programs are found


def program(arguments: list[str]) -> str:
    """The program that a command line names, from the folders of PATH that count; "" for none."""
    name = arguments[0]
    if "/" in name:
        return name
    for folder in _folders(arguments):
        path = f"{folder}/{name}"
        if system.access(path, system.X_OK) and not files.is_folder(path):
            return path
    return ""


def environment_of(arguments: list[str]) -> dict[bytes, bytes]:
    """The variables that a program is given. Those that send git somewhere else are left out: we
    name the folder that we ask about."""
    kept = {
        name: value
        for name, value in system.environ.items()
        if not name.startswith(b"GIT_") or name.startswith(KEPT_FOR_GIT)
    }
    path = ":".join(_folders(arguments)).encode("utf-8", "surrogateescape")
    return {**kept, **QUIET, b"PATH": path, INSIDE.encode(): b"1"}


def _folders(arguments: list[str]) -> list[str]:
    """The folders of PATH without those that a repository could fill: relative ones, and those in
    the work tree that we stand in or ask about. The home's own work tree is the person's."""
    asked = [arguments[at + 1] for at, word in enumerate(arguments[:-1]) if word == "-C"]
    near = [_here(), *asked]
    trees = {work_tree_of(folder) or folder.rstrip("/") for folder in near} - {paths.home(), ""}
    folders = []
    for folder in (environment.env("PATH") or "/usr/bin:/bin").split(":"):
        is_whole = folder.startswith("/") and not {".", ".."} & set(folder.split("/"))
        if is_whole and not any(f"{folder}/".startswith(f"{tree}/") for tree in trees):
            folders.append(folder)
    return folders


def _here() -> str:
    try:
        return str(system.getcwd())
    except OSError:  # the folder is gone
        return ""


def work_tree_of(folder: str) -> str:
    """The root of the work tree that a folder lies in, "" when in none."""
    place = folder.rstrip("/")
    while place.startswith("/"):
        if files.exists(f"{place}/.git"):
            return place
        place = place.rpartition("/")[0]
    return ""


def _ask(arguments: list[str]) -> Asked:
    """By hand: `subprocess` brings as much along as a whole hook costs."""
    ours, theirs = system.pipe()
    null = system.open("/dev/null", system.O_RDWR | system.O_CLOEXEC)
    actions = [
        (system.POSIX_SPAWN_DUP2, handle, n) for n, handle in enumerate((null, theirs, null))
    ]
    try:
        pid = system.posix_spawn(
            program(arguments), arguments, environment_of(arguments), file_actions=actions
        )
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
