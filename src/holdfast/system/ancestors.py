"""The processes above this one, as Linux tells them in /proc: who started whom, and how.

Where there is no /proc nothing is known, and `above` answers with nothing: whoever asks then says
nothing either. A process that was left behind by its parent hangs below the first process of all,
or below a service manager.
"""

from __future__ import annotations

from holdfast.system.environment import LINUX, system
from holdfast.system.files import read_bytes
from holdfast.system.processes import SHELLS
from holdfast.system.value import Value

LIMIT = 64  # a chain that is longer than this ends nowhere
TEXT_CAP_BYTES = 1 << 17
# Where a shell reads from, and where it puts that aside while it redirects for a command.
SOURCES = (0, 10, 11, 12, 255)
FLAGS = 5  # letters of flags in one word, such as -lic; longer ones are a word of their own

# Shells that people type into.
TYPED_INTO = SHELLS | set("mksh oksh tcsh csh nu xonsh elvish pwsh osh yash".split())
# They take in what others left behind.
MANAGERS = frozenset({"systemd", "init"})


class Ancestor(Value):
    """A process above this one."""

    pid: int
    parent: int
    name: str
    started: str  # in the system's own count

    def words(self) -> list[str]:
        """What it was started with, [] when that cannot be read."""
        content = read_bytes(f"/proc/{self.pid}/cmdline", TEXT_CAP_BYTES) or b""
        return content.decode("utf-8", "surrogateescape").split("\0")[:-1]

    def variable(self, name: str) -> str:
        """A variable that it was started with, "" when it was not set or cannot be read."""
        content = read_bytes(f"/proc/{self.pid}/environ", TEXT_CAP_BYTES) or b""
        for entry in content.split(b"\0"):
            key, _, value = entry.partition(b"=")
            if key == name.encode():
                return value.decode("utf-8", "surrogateescape")
        return ""

    def terminal(self) -> str:
        """The terminal that it reads from, "" when it reads from anything else."""
        return terminal_of(self.pid)

    def command_text(self) -> str:
        """The text that a shell was given to run; "" when it reads what it runs."""
        words = self.words()
        for at, word in enumerate(words[1:-1], 1):
            if word.startswith("-") and "c" in word and len(word) <= FLAGS:
                return words[at + 1]
        return ""

    def is_typed_into(self) -> bool:
        """Whether it is a shell that reads what it runs from a terminal."""
        if self.name.lstrip("-") not in TYPED_INTO or not self.terminal():
            return False
        return not self.command_text() and not self._has_script()

    def _has_script(self) -> bool:
        """Whether it was given a file to run: a word that is no flag and no flag's value."""
        before = "-"
        for word in self.words():
            if not word.startswith(("-", "+")) and not before.startswith("-"):
                return True
            before = word
        return False


def terminal_of(pid: int) -> str:
    """The terminal that a process reads from, "" when it reads from anything else."""
    for number in SOURCES:
        try:
            place = str(system.readlink(f"/proc/{pid}/fd/{number}"))
        except OSError:
            continue
        if place.startswith(("/dev/pts/", "/dev/tty", "/dev/hvc", "/dev/con")):
            return place
    return ""


def above(limit: int = LIMIT) -> list[Ancestor]:
    """The chain of parents, the nearest first; [] where it cannot be told. It ends with the first
    process of all, or where a parent is not of this world: a container was entered from outside."""
    chain: list[Ancestor] = []
    pid = int(system.getppid()) if LINUX else 0
    while pid > 0 and len(chain) < limit:
        stat = read_bytes(f"/proc/{pid}/stat", 4096) or b""
        head, _, tail = stat.rpartition(b")")  # the name may itself hold brackets
        fields = tail.split()
        if len(fields) < 20:
            break
        name = head.partition(b"(")[2].decode("utf-8", "replace")
        chain.append(Ancestor(pid, int(fields[1]), name, fields[19].decode()))
        pid = int(fields[1])
    return chain


def is_whole(chain: list[Ancestor]) -> bool:
    """Whether a chain reaches the first process of all."""
    return bool(chain) and chain[-1].pid == 1
