"""The spool: where an event waits when the store is locked for long, full or damaged.

One file per event, named by when it came and by its natural key, redacted like everything that
is kept. It is taken in before the next event, and by then the store knows whether it had been
kept after all. Files come first to the state home, on a full disk to the runtime folder.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.hook.event import Event
from holdfast.redaction.gate import gate, gate_id, gate_text
from holdfast.system import clock, files, jsontext, paths
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FILES_CAP = 10_000
AT_ONCE = 500  # an agent gives a hook seconds: the next ones take in the rest
CAP = 20_000
IDS = frozenset({"agent", "at", "key", "kind", "name", "session"})
UNREADABLE = ".unreadable"


def put(state: str, event: Event) -> bool:
    """Keep an event for later; False when no place would take it."""
    named = f"{event.session}/{event.key}".encode("utf-8", "backslashreplace")
    name = f"{event.at}-{paths.digest(named)}.json"
    content = jsontext.dumps(_redacted(event)).encode()
    for folder, within in zip(paths.spools(state), (state, paths.runtime_folder()), strict=True):
        try:
            if len(files.names_in(folder)) < FILES_CAP:
                files.write_whole(f"{files.own_folder(folder, within)}/{name}", content)
                return True
        except Exception:  # noqa: BLE001, S112 - the next place, then a counted loss
            continue
    return False


def _redacted(event: Event) -> dict[str, object]:
    """Field by field: under the name "key" an id would be taken for a secret, and two events
    whose keys were removed for one."""
    fields = {
        name: (gate_id if name in IDS else gate_text)(value) if isinstance(value, str) else value
        for name, value in event.as_dict().items()
    }
    return fields | {"body": gate(event.body, CAP).value}


def waiting(state: str) -> list[str]:
    """The files that wait, oldest first."""
    spooled = [
        (name, f"{folder}/{name}")
        for folder, within in zip(paths.spools(state), (state, paths.runtime_folder()), strict=True)
        if files.is_ours(within) and files.is_ours(folder)
        for name in files.names_in(folder)
        if name.endswith(".json")
    ]
    return [path for _, path in sorted(spooled)]


def longest_wait_s(state: str, now: str) -> float:
    """How long the oldest event has waited."""
    names = [path.rpartition("/")[2] for path in waiting(state)[:1]]
    return clock.seconds_of(now) - clock.seconds_of(names[0][:24]) if names else 0.0


def take_in(
    state: str, receive: Callable[[Event], object], unreadable: Callable[[str, Exception], None]
) -> int:
    """Give every waiting event to `receive`, and then remove its file; the number taken in."""
    taken = 0
    for path in waiting(state)[:AT_ONCE]:
        content = files.read_text(path, 1 << 24)
        if content is None:
            continue  # another hook took it in just before
        try:
            receive(Event(**jsontext.loads(content)))
        except Exception as error:
            if is_the_stores(error):
                raise  # later, then: this one and all behind it
            # An event that can never be kept must not block the others. It stays to be looked at.
            unreadable(path, error)
            _quietly(system.rename, path, f"{path}{UNREADABLE}")
            continue
        _quietly(system.unlink, path)
        taken += 1
    return taken


def try_again(state: str) -> None:
    """Have events wait again that could not be kept: what they were refused for may be mended."""
    for folder in paths.spools(state):
        for name in files.names_in(folder):
            if name.endswith(UNREADABLE):
                path = f"{folder}/{name}"
                _quietly(system.rename, path, path.removesuffix(UNREADABLE))


def is_the_stores(error: BaseException) -> bool:
    """Whether it was the store that refused, and not the event that was wrong."""
    return isinstance(error, (StoreError, OSError)) or type(error).__module__ == "apsw"


def _quietly(act: Callable[..., None], *paths_: str) -> None:
    try:
        act(*paths_)
    except FileNotFoundError:
        pass  # two hooks took the same file in; the store kept its event once
