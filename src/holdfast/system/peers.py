"""Who holds the other end of a connection on this machine, as Linux tells it.

Law: never a guess. A number is answered only of a process that has this very connection open.

The kernel is asked for the one socket by its addresses (NETLINK_SOCK_DIAG): /proc/net/tcp, which
says the same, takes it milliseconds to write.
"""

from __future__ import annotations

import errno
import socket
import struct

from holdfast.system.environment import LINUX, system

Address = tuple[str, int]

UNKNOWN = -1
_SOCK_DIAG, _BY_FAMILY, _REQUEST, _ERROR = 4, 20, 1, 2
_ANY_STATE, _NO_COOKIE = 0xFFFFFFFF, 0xFFFFFFFF
_LIMIT_S = 1.0
_NO_ENTRY = struct.pack("=i", -errno.ENOENT)
_HEADER = struct.Struct("=IHHII")  # of every message: length, type, flags, sequence, port
_ASKED = struct.Struct("=BBBBI")  # family, protocol, more, padding, states
_ADDRESSES = struct.Struct("!HH16s16s")  # and after it interface and cookie, in our own order
_REST = struct.Struct("=III")
_TOLD = struct.Struct("=BBBB48sIIIII")  # ... expires, queues, user, inode


class Peer:
    """Who is at the other end: each UNKNOWN where nobody can tell; process 0 is nobody at all."""

    __slots__ = ("pid", "user")

    def __init__(self, pid: int, user: int) -> None:
        self.pid = pid
        self.user = user


def at_other_end(theirs: Address, ours: Address, hint: int = 0) -> Peer:
    """The process and the user at the other end of an open connection. `hint` is a process that
    may be it: it is looked at first."""
    try:
        answer = _ask(theirs, ours) if LINUX else b""
    except OSError:  # a kernel or a sandbox without it
        answer = b""
    kind = _HEADER.unpack_from(answer)[1] if len(answer) >= _HEADER.size else 0
    if kind == _BY_FAMILY and len(answer) >= _HEADER.size + _TOLD.size:
        *_, user, inode = _TOLD.unpack_from(answer, _HEADER.size)
        return Peer(_holder(f"socket:[{inode}]", hint) if inode else 0, user)
    is_gone = answer[_HEADER.size :][:4] == _NO_ENTRY if kind == _ERROR else False
    return Peer(0 if is_gone else UNKNOWN, UNKNOWN)


def _ask(theirs: Address, ours: Address) -> bytes:
    family = socket.AF_INET6 if ":" in theirs[0] else socket.AF_INET
    ends = [socket.inet_pton(family, end[0]).ljust(16, b"\0") for end in (theirs, ours)]
    asked = (
        _ASKED.pack(family, socket.IPPROTO_TCP, 0, 0, _ANY_STATE)
        + _ADDRESSES.pack(theirs[1], ours[1], *ends)
        + _REST.pack(0, _NO_COOKIE, _NO_COOKIE)
    )
    head = _HEADER.pack(_HEADER.size + len(asked), _BY_FAMILY, _REQUEST, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, _SOCK_DIAG) as kernel:
        kernel.settimeout(_LIMIT_S)
        kernel.send(head + asked)
        return kernel.recv(1 << 13)


def _holder(name: str, hint: int) -> int:
    if hint and _holds(hint, name):
        return hint
    for entry in system.listdir("/proc"):
        if entry.isdecimal() and _holds(int(entry), name):
            return int(entry)
    return 0


def _holds(pid: int, name: str) -> bool:
    folder = f"/proc/{pid}/fd"
    try:
        handles = system.listdir(folder)
    except OSError:  # it has gone, or is somebody else's
        return False
    for handle in handles:
        try:
            if system.readlink(f"{folder}/{handle}") == name:
                return True
        except OSError:
            continue
    return False
