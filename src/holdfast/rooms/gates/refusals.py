"""Refusals, counted in a small file of the runtime folder: the store is not written to before a
tool runs. A refusal that comes again within seconds is said in one line; the counts are taken
into the ledger at the end of the turn.

Losing the file loses a count, never a verdict: what cannot be counted is told as a failure.
"""

from __future__ import annotations

from holdfast.hook.voice import code, joined, ours
from holdfast.rooms.gates import messages
from holdfast.system import clock, files, jsontext, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from holdfast.hook.event import Event
    from holdfast.hook.voice import Ours
    from holdfast.rooms.gates.judgement_facts import Open
    from holdfast.rooms.gates.tool_call import Call

    Failed = Callable[[Exception], None]
    # How often a requirement and a tool were refused; when a commit was; when something was said.
    Counts = dict[str, dict[str, float]]

KEPT_S = 60
OPAQUE_PARTS, OPAQUE_CAP = 3, 200  # of a command that are shown
NEW: Counts = {"said": {}, "asked": {}, "requirements": {}, "tools": {}, "commits": {}}
COUNTED = ("requirements", "tools", "commits")


def refusal(
    state: str,
    event: Event,
    call: Call,
    unmet: Sequence[Open],
    failed: Failed,
    *,
    asks: bool = False,
) -> Ours:
    """The refusal, or the question to the person; the short form when the same was said a moment
    ago."""
    names = [each.name for each in unmet]
    whole = messages.denial(unmet, event.session, asks=asks)
    if call.is_unread:
        whole = ours("{}\n{}", whole, ours(messages.UNREAD))
    if call.unseen and call.seen:
        parts = joined(", ", [code(part, OPAQUE_CAP) for part in call.seen.opaque[:OPAQUE_PARTS]])
        whole = ours("{}\n{} {}", whole, ours(messages.OPAQUE), parts)
    counted = _read(state, event.session)
    # Whoever was not told the whole is told it.
    now, mark = clock.seconds_of(event.at), f"{paths.mark(call.subagent + whole):08x}"
    is_again = abs(now - counted["said"].get(mark, -1e9)) <= messages.REPEAT_S
    counted["said"] = {
        known: at for known, at in counted["said"].items() if abs(now - at) < KEPT_S
    } | {mark: now}
    if asks:
        counted["asked"] |= dict.fromkeys(names, now)
    commits = [event.at] if "commit" in call.command and _commits(call.command) else []
    for sort, given in zip(COUNTED, (names, [call.tool], commits), strict=True):
        for name in given:
            counted[sort][name] = counted[sort].get(name, 0) + 1
    _write(state, event.session, counted, failed)
    is_short = is_again and not any(each.requirement["rule"] for each in unmet)
    return messages.short(names) if is_short else whole


def _commits(command: str) -> bool:
    from holdfast.rooms.gates.confidence import is_commit
    from holdfast.system.environment import bring

    bring("shell")
    return is_commit(command)


def asked(state: str, session: str, names: Iterable[str], failed: Failed) -> list[str]:
    """Those of the requirements that the person was asked about since; it is told once."""
    counted = _read(state, session)
    waiting = [name for name in names if name in counted["asked"]]
    for name in waiting:
        del counted["asked"][name]
        counted["requirements"].pop(name, None)  # not refused, but asked
    if waiting:
        _write(state, session, counted, failed)
    return waiting


def is_new(state: str, event: Event, mark: str, failed: Failed) -> bool:
    """Whether something was not said within the last minute; from now on it was."""
    counted = _read(state, event.session)
    now = clock.seconds_of(event.at)
    if abs(now - counted["said"].get(mark, -1e9)) < KEPT_S:
        return False
    counted["said"][mark] = now
    _write(state, event.session, counted, failed)
    return True


def take(state: str, session: str, failed: Failed) -> Counts | None:
    """What was counted since it was last asked for; None when nothing was."""
    counted = _read(state, session)
    counts = {sort: counted[sort] for sort in COUNTED if counted[sort] or sort != "commits"}
    if not any(counts.values()):
        return None
    _write(state, session, {**NEW, "said": counted["said"]}, failed)
    return counts


def _read(state: str, session: str) -> Counts:
    try:
        kept = jsontext.loads(files.read_text(paths.denied(state, session)) or "{}")
        if all(isinstance(kept[name], dict) for name in NEW):
            return {name: kept[name] for name in NEW}
    except (ValueError, KeyError, TypeError):
        pass  # torn, or not there yet
    return {name: {} for name in NEW}


def _write(state: str, session: str, counted: Counts, failed: Failed) -> None:
    from holdfast.errors import StoreError

    try:
        files.own_folder(paths.runtime_folder())
        files.own_folder(paths.spare(state), within=paths.runtime_folder())
        files.write_whole(paths.denied(state, session), jsontext.dumps(counted).encode())
    except (OSError, StoreError) as error:
        failed(error)  # no space, or somebody else's folder: it is said again in full
