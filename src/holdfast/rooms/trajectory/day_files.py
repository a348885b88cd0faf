"""The trajectory: the ledger as JSON lines, for people and for tools that read logs.

    <git common dir>/holdfast/trajectory/<agent>-<date>.jsonl      one line to an entry
    <state home>/trajectory/<project>/...                       where there is no repository

One schema, published as docs/trajectory.schema.json. Laws: an entry is one line, once: a cursor
says up to where was written and how long the files were, and what a process that died left beyond
that is cut off before the next line; nothing is rendered on the way of a tool call, and the end of
a turn never waits for more than a turn's worth: what is further behind (the files were deleted, the
project is new in an old store) is rendered by a process of its own; files are ours alone; what is
older than 30 days is compressed, what is older than a year goes. Safe to delete: what still has a
body is rendered again.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.ledger import queries as ledger
from holdfast.system import clock, files as system_files, jsontext, paths, processes
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.store.sqlite import Store

LIVE_DAYS, KEPT_DAYS = 30, 365
AT_ONCE = 2_000  # entries that are written between two moves of the cursor
BEHIND = 400  # entries, of whichever project: a hook looks at no more
RENDERS = 10_000  # before somebody who catches up gives up
TIDIED = 4  # files compressed at one time
PACKED_CAP_BYTES = 1 << 28
NOBODY = "holdfast"  # whose lines are those that no agent stands behind
FOLDER = "trajectory"
SPAN = "span-"
CURSOR, LOCK, CATCHING_UP = ".cursor", ".lock", ".catching-up"

# The phase that a kind of entry is; every other kind is a phase by its own name.
PHASES = {
    "prompt_given": "intent",
    "tool_used": "execute",
    "claim_made": "cite",
    "decision_made": "decision",
    "handoff_given": "session_handoff",
    "handoff_logged": "session_handoff",
    "fork_noticed": "fork_detected",
    "ghost_checked": "negative_ground",
    "state_healed": "self_heal",
    "state_synced": "delta_sync",
    "checkpoint_taken": "checkpoint",
    "checkpoint_judged": "checkpoint",
}


def file_of(agent: str, at: str) -> str:
    return f"{paths.as_name(agent or NOBODY)}-{at[:10]}.jsonl"


def ref(agent: str, at: str, session: str) -> str:
    """The lines of a session in the file of a day; `holdfast trajectory show REF` shows them."""
    return f"{FOLDER}/{file_of(agent, at)}:{SPAN}{session}"


def in_ref(given: str) -> tuple[str, str]:
    """The file's name and the session of a ref, ("", "") of what is none."""
    name, _, span = given.removeprefix(f"{FOLDER}/").partition(":")
    is_ref = name.endswith(".jsonl") and span.startswith(SPAN) and "/" not in name
    return (name, span.removeprefix(SPAN)) if is_ref else ("", "")


def line_of(entry: Entry) -> dict[str, Any]:
    """An entry as a line; that of a fork also says which record wins."""
    return {
        **(_fork(entry) if entry.kind == "fork_noticed" else {}),
        "ts": entry.at,
        "agent": entry.agent or NOBODY,
        "phase": PHASES.get(entry.kind, entry.kind),
        "kind": entry.kind,
        "session_id": entry.session,
        "entry": f"{entry.machine}:{entry.seq}",
        "data": entry.body,
    }


def _fork(entry: Entry) -> dict[str, str]:
    body = entry.body
    resolution = "both_kept" if body["went_on"] else "bead_wins"
    return {
        "bead_id": body["decision"],
        "context_decision": body["said"],
        "bead_decision": body.get("held", ""),
        "resolution": "code_wins" if body["sort"] == "edit" else resolution,
    }


def render(
    store: Store,
    project: str,
    folder: str,
    *,
    within: str,
    now: str,
    days: tuple[int, int] = (LIVE_DAYS, KEPT_DAYS),
) -> int:
    """Write what came since the last time; the number of lines. What cannot be written is left
    for the next time."""
    try:
        system_files.own_folder(folder, within=within)
        with processes.Lock(f"{folder}/{LOCK}"):
            written = _append(store, project, folder)
            tidy(folder, now, *days)
    except (OSError, StoreError):
        return 0  # somebody else's repository, or no space: the store has it all
    return written


def is_behind(store: Store, folder: str) -> bool:
    """Whether more is to be rendered than a hook may wait for."""
    return ledger.last_place(store) - _place_in(folder) > BEHIND


def catch_up(render_more: Callable[[], int]) -> None:
    """Render all that is not rendered yet."""
    for _ in range(RENDERS):
        if render_more() < AT_ONCE:
            return


def is_being_caught_up(folder: str, within: str) -> bool:
    """Whether another process is at it; so it is where nobody may write."""
    try:
        system_files.own_folder(folder, within=within)
        lock = processes.Lock(f"{folder}/{CATCHING_UP}")
    except (OSError, StoreError):
        return True
    try:
        return not lock.take()
    finally:
        lock.release()


def _append(store: Store, project: str, folder: str) -> int:
    after, sizes = _cursor(folder)
    texts: dict[str, list[str]] = {}
    last, place, many = ledger.last_place(store), after, 0
    for place, entry in ledger.of_project(store, project, after=after, limit=AT_ONCE):  # noqa: B007
        texts.setdefault(file_of(entry.agent, entry.at), []).append(jsontext.dumps(line_of(entry)))
        many += 1
    if many < AT_ONCE:
        place = max(place, last)  # what follows is other projects', and is not read again
    if place == after:
        return 0
    lengths = {}
    for name, lines in texts.items():
        content = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        lengths[name] = _extend(f"{folder}/{name}", sizes.get(name), content)
    cursor = jsontext.dumps({"place": place, "sizes": {**_lately(folder, sizes), **lengths}})
    system_files.write_whole(f"{folder}/{CURSOR}", cursor.encode())
    return many


def _extend(path: str, size: int | None, content: bytes) -> int:
    """Append to a file as it was after the last time; its length."""
    flags = system.O_WRONLY | system.O_CREAT | system.O_NOFOLLOW | system.O_CLOEXEC
    handle = system.open(path, flags, 0o600)
    try:
        length = int(system.fstat(handle).st_size)
        if size is not None and length > size:
            system.ftruncate(handle, size)
            length = size
        elif size is None and length:
            # The cursor does not know it: it is of a render that died before it could say so.
            system.ftruncate(handle, 0)
            length = 0
        system.lseek(handle, length, 0)
        system_files.write_all(handle, content)
        system.fsync(handle)
        return length + len(content)
    finally:
        system.close(handle)


def _cursor(folder: str) -> tuple[int, dict[str, int]]:
    try:
        return _read_cursor(folder)
    except (ValueError, KeyError, TypeError, AttributeError):
        # Begun anew: lines that are there would be there twice.
        for name in system_files.names_in(folder):
            if name.endswith((".jsonl", ".jsonl.gz")):
                system.unlink(f"{folder}/{name}")
        return 0, {}


def _read_cursor(folder: str) -> tuple[int, dict[str, int]]:
    cursor = jsontext.loads(system_files.read_text(f"{folder}/{CURSOR}") or "")
    return int(cursor["place"]), {name: int(size) for name, size in cursor["sizes"].items()}


def _place_in(folder: str) -> int:
    """Up to where was rendered; 0 where nobody can tell."""
    try:
        return _read_cursor(folder)[0]
    except (ValueError, KeyError, TypeError, AttributeError):
        return 0


def _lately(folder: str, sizes: dict[str, int]) -> dict[str, int]:
    """Sizes of the files that are still there: the others were compressed, or are gone."""
    there = set(system_files.names_in(folder))
    return {name: size for name, size in sizes.items() if name in there}


def tidy(folder: str, now: str, live_days: int = LIVE_DAYS, kept_days: int = KEPT_DAYS) -> None:
    """Compress what is old, remove what is very old; a few files at a time."""
    seconds = clock.seconds_of(now)
    live, kept = (clock.iso(seconds - days * 86_400)[:10] for days in (live_days, kept_days))
    done = 0
    for name in system_files.names_in(folder):
        ending, day = name.partition(".")[2], day_of(name)
        if ending not in ("jsonl", "jsonl.gz") or day >= live or done == TIDIED:
            continue
        if day < kept:
            system.unlink(f"{folder}/{name}")
        elif ending == "jsonl":
            _compress(f"{folder}/{name}")
            done += 1


def _compress(path: str) -> None:
    """One member more to the compressed file, then the plain one goes."""
    import zlib

    plain = system_files.read_bytes(path, PACKED_CAP_BYTES + 1) or b""
    if len(plain) > PACKED_CAP_BYTES:
        return  # more than can be held at once: it stays as it is
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)  # 31: with the head of gzip
    packed = packer.compress(plain) + packer.flush()
    before = system_files.read_bytes(f"{path}.gz", 1 << 30) or b""
    system_files.write_whole(f"{path}.gz", before + packed)
    system.unlink(path)


def files(folder: str) -> list[str]:
    """Every file of it, the oldest day first."""
    names = [
        name for name in system_files.names_in(folder) if name.endswith((".jsonl", ".jsonl.gz"))
    ]
    return sorted(names, key=lambda name: (day_of(name), name))


def day_of(name: str) -> str:
    """The day whose lines a file has."""
    return name.partition(".")[0][-10:]
