"""Files, their modes, and where they are mounted.

Laws: what we create is ours alone (files 0600, directories 0700); a directory that is a link or
belongs to somebody else is refused; a file is replaced whole (temporary file, fsync, rename).
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.system.environment import LINUX, system

READ_CAP_BYTES = 1 << 20
INPUT_CAP_BYTES = 16 << 20
# One read takes so much. More, and the memory for it is asked of the system each time.
PART_BYTES = 1 << 16
NETWORK_FILE_SYSTEMS = frozenset(
    "nfs nfs4 cifs smb smb2 smb3 smbfs afs ncpfs 9p ceph glusterfs lustre gpfs beegfs davfs "
    "fuse.sshfs fuse.s3fs fuse.rclone fuse.glusterfs fuse.davfs2 webdav".split()
)


def read_bytes(path: str, cap: int = READ_CAP_BYTES, *, tail: bool = False) -> bytes | None:
    """A small file's content, or the end of a large one, None when it cannot be read. A pipe or a
    device is no file."""
    try:
        # Not waiting: somebody's pipe would keep us for ever.
        handle = system.open(path, system.O_RDONLY | system.O_CLOEXEC | system.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    try:
        status = system.fstat(handle)
        if (status.st_mode & 0o170000) != 0o100000:
            return None
        if tail:
            system.lseek(handle, max(0, status.st_size - cap), 0)
        return read_all(handle, cap, max(PART_BYTES, status.st_size + 1))
    except OSError:
        return None
    finally:
        system.close(handle)


def read_after(path: str, start: int, limit: int) -> tuple[int, bytes]:
    """What a file has from a byte on, its last `limit` bytes where there is more, and where that
    begins. A file that is shorter by now is another one: it is read from its beginning."""
    try:
        handle = system.open(path, system.O_RDONLY | system.O_CLOEXEC | system.O_NONBLOCK)
    except (OSError, ValueError):
        return start, b""
    try:
        status = system.fstat(handle)
        if (status.st_mode & 0o170000) != 0o100000:
            return start, b""
        begin = max(start if start <= status.st_size else 0, status.st_size - limit)
        system.lseek(handle, begin, 0)
        return begin, read_all(handle, limit)
    except OSError:
        return start, b""
    finally:
        system.close(handle)


def read_text(path: str, cap: int = READ_CAP_BYTES) -> str | None:
    content = read_bytes(path, cap)
    return None if content is None else content.decode("utf-8", "replace")


def read_all(handle: int, cap: int, at_once: int = PART_BYTES) -> bytes:
    """Up to `cap` bytes of an open file or pipe."""
    parts = []
    while cap > 0:
        part = system.read(handle, min(cap, at_once))
        if not part:
            break
        parts.append(part)
        cap -= len(part)
    return b"".join(parts)


def read_stdin() -> tuple[bytes, bool]:
    """All of stdin up to a cap, and whether there was more. The rest is read and let go, so
    that the agent never writes into a closed pipe."""
    raw = read_all(0, INPUT_CAP_BYTES + 1)
    if len(raw) <= INPUT_CAP_BYTES:
        return raw, False
    while system.read(0, 1 << 20):
        pass
    return raw[:INPUT_CAP_BYTES], True


def write_whole(path: str, content: bytes, *, sync: bool = True) -> None:
    """Replace a file as one act: a reader sees the old one or the new one. Without a sync it may
    be empty after a power loss."""
    temporary = f"{path}.{system.getpid()}.tmp"
    flags = system.O_WRONLY | system.O_CREAT | system.O_EXCL | system.O_NOFOLLOW | system.O_CLOEXEC
    try:
        handle = system.open(temporary, flags, 0o600)
    except FileExistsError:  # left by a process that had our number and died
        system.unlink(temporary)
        handle = system.open(temporary, flags, 0o600)
    try:
        try:
            write_all(handle, content)
            if sync:
                system.fsync(handle)
        finally:
            system.close(handle)
        system.rename(temporary, path)
    except OSError:
        system.unlink(temporary)
        raise


def write_over(path: str, content: bytes) -> None:
    """Replace a file of somebody's as one act; its mode stays."""
    mode = system.stat(path).st_mode & 0o777
    write_whole(path, content)
    system.chmod(path, mode)


def remove(path: str) -> None:
    """Have a file gone; it may be already."""
    try:
        system.unlink(path)
    except FileNotFoundError:
        pass


def write_all(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[system.write(handle, view) :]


def open_private(path: str, flags: int) -> int:
    """An opener for `open`: ours alone, and no link."""
    return int(system.open(path, flags | system.O_NOFOLLOW | system.O_CLOEXEC, 0o600))


def changed_at(path: str) -> float:
    """When a file was last written, in seconds; 0 for none."""
    try:
        return float(system.stat(path).st_mtime)
    except (OSError, ValueError):
        return 0.0


def stamp(path: str) -> list[int] | None:
    """What changes when a file does; None when it is not there."""
    try:
        status = system.stat(path)
    except (OSError, ValueError):
        return None
    return [status.st_mtime_ns, status.st_size, status.st_ino]


def exists(path: str) -> bool:
    try:
        system.stat(path)
    except (OSError, ValueError):
        return False
    return True


def is_link(path: str) -> bool:
    try:
        return bool((system.lstat(path).st_mode & 0o170000) == 0o120000)
    except (OSError, ValueError):
        return False


def is_folder(path: str) -> bool:
    try:
        return bool((system.stat(path).st_mode & 0o170000) == 0o040000)
    except (OSError, ValueError):
        return False


def names_in(folder: str) -> list[str]:
    """The names in a folder, sorted; none when it is not there."""
    try:
        return sorted(system.listdir(folder))
    except OSError:
        return []


def own_folder(path: str, within: str = "") -> str:
    """The folder, made when missing: ours, 0700, and no link into somebody else's.

    `within` is a folder of ours that it lies in: every step from there on is looked at too.
    """
    if within:
        step = own_folder(within)
        for name in path[len(within) :].strip("/").split("/"):
            step = own_folder(f"{step}/{name}")
        return path
    try:
        status = system.lstat(path)
    except FileNotFoundError:
        parent = path.rpartition("/")[0]
        if parent and not exists(parent):
            own_folder(parent)
        try:
            system.mkdir(path, 0o700)
        except FileExistsError:  # another hook made it just before
            pass
        status = system.lstat(path)
    if (status.st_mode & 0o170000) != 0o040000:
        raise StoreError(f"{path} is not a folder of ours", hint="move it away; it may be a link")
    if status.st_uid != system.geteuid():
        raise StoreError(f"{path} belongs to somebody else", hint="set HOLDFAST_STATE_HOME")
    return path


def is_ours(folder: str) -> bool:
    """Whether a folder is there and is nobody else's: /tmp is open to all."""
    try:
        status = system.lstat(folder)
    except OSError:
        return False
    return bool((status.st_mode & 0o170000) == 0o040000 and status.st_uid == system.geteuid())


# Mounts


def network_file_system(folder: str) -> str:
    """The kind of network file system a folder lies on; "" for a local one."""
    try:
        device = system.stat(folder).st_dev
    except OSError:
        return ""
    if not LINUX or device >> 8 & 0xFFF:
        return ""  # a device with a major number is a disk of this machine
    import os

    kind = mounted_as(read_text("/proc/self/mounts") or "", os.path.realpath(folder))
    return kind if kind in NETWORK_FILE_SYSTEMS else ""


def mounted_as(mounts: str, folder: str) -> str:
    """The file system that holds a folder, by the table of mounts: the longest prefix wins."""
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ").replace("\\011", "\t").rstrip("/")
        if (folder == point or folder.startswith(point + "/")) and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind
