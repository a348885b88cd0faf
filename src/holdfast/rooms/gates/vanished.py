"""Demands and hooks that were there and are gone: the end of the turn says so, or the next session,
once.

Law: what a commit took away is the team's decision, and what a command of ours took away is the
person's: neither is told.
"""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.config.compiled import parts, requirement_sources
from holdfast.system import files, jsontext, paths
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.hook.voice import Ours

SHOWN = 5  # names in a line
HELD = " Until a person runs `holdfast trust` here, it counts as before."


class Seen(Value):
    """What a session had when it began."""

    demands: list[str]  # by name, and "name: part" for all that makes it one
    files: dict[str, str]  # the digest of each that may hold demands
    events: list[str]  # those with a hook of ours

    def text(self) -> str:
        return jsontext.dumps(self.as_dict())


def look(context: EventContext) -> None:
    """Before a session begins, and when a turn ends: what is there, and what was there before. At
    an end the person alone is told: an agent that is told goes on."""
    root = context.worktree
    if context.is_late or not root:
        return
    before, now = seen(context.state, root), _now(context)
    if before is None or before.text() != now.text():
        context.seen_demands = now.text()
    lines = [*_demands(root, before, now), *_hooks(before, now)] if before else []
    if lines:
        from holdfast.hook.event import NOTICE, Remark

        if context.event.kind == "session_began":
            context.remarks += [Remark(NOTICE, line) for line in lines]
        context.for_person += lines


def note(context: EventContext) -> None:
    """After the commit: nobody is told of the same loss twice."""
    if context.seen_demands:
        path = paths.seen_demands(context.state, context.worktree)
        files.own_folder(path.rpartition("/")[0], within=context.state)
        files.write_whole(path, context.seen_demands.encode())


def seen(state: str, root: str) -> Seen | None:
    """What the last session had; None where that is not known."""
    try:
        return Seen(**jsontext.loads(files.read_text(paths.seen_demands(state, root)) or ""))
    except (ValueError, TypeError):
        return None


def _now(context: EventContext) -> Seen:
    contents = {path: files.read_bytes(path) for _, path in requirement_sources(context.worktree)}
    digests = {path: paths.digest(text) for path, text in contents.items() if text is not None}
    compiled = context.requirements()
    held = compiled.get("held", {})  # it is told what is gone of them, though they still count
    left = [each[1:] for each in held.values()]
    demanded = [each for each in compiled["requirements"].items() if each[0] not in held]
    return Seen(
        sorted({name for each in demanded for name in parts(*each)}.union(*left)),
        digests,
        surroundings.events_with(paths.launcher(context.state), context.worktree),
    )


def _demands(root: str, before: Seen, now: Seen) -> list[Ours]:
    gone = [name for name in before.demands if name not in now.demands]
    names = [name for name in gone if name.partition(": ")[0] not in gone or ": " not in name]
    both = {**now.files, **before.files}
    changed = [path for path in both if before.files.get(path) != now.files.get(path)]
    if not names or not changed:
        return []  # switched off by command
    from holdfast.hook.voice import code, joined, ours
    from holdfast.system.git import is_as_committed

    unexplained = [path for path in changed if not is_as_committed(root, path)]
    if not unexplained:
        return []
    path = unexplained[0]
    more = len(names) - SHOWN
    line = ours(
        "No longer demanded since the last session here: {}{}. {} {}, and no commit did that: if it"
        " was not you, bring it back.{}",
        joined(", ", [code(name, 60) for name in names[:SHOWN]]),
        ours(" and {} more", more) if more > 0 else ours(""),
        code(path),
        _become(path, before, now),
        ours(HELD if path.startswith(f"{root}/") else ""),
    )
    return [line]


def _become(path: str, before: Seen, now: Seen) -> Ours:
    from holdfast.hook.voice import ours

    if path not in now.files:
        return ours("is gone")
    return ours("was changed" if path in before.files else "is new")


def _hooks(before: Seen, now: Seen) -> list[Ours]:
    from holdfast.hook.voice import joined, ours, word

    events = [word(event, 60) for event in before.events if event not in now.events]
    if not events:
        return []
    line = ours(
        "Hooks for {} are gone from the settings since the last session here: `holdfast init` puts"
        " them back.",
        joined(", ", events),
    )
    return [line]
