"""Acts in the person's name: each is kept as it was checked, and told when it may not have been the
person.

What carries signs takes no effect: it waits for the person, who confirms it by typing the command.
Three things are told: an act that waits; a goal, a rule or a turn of one that was kept by
command although no command asked for a person; what spoke for the user and did not come from the
agent's own process, or is not in its record.
A person is told once, at the next start or prompt, and `status` and `doctor` go on showing it.
"""

from __future__ import annotations

from holdfast.hook.voice import Ours, code, ours, quoted, word
from holdfast.rooms.sessions import queries
from holdfast.system import clock, files, paths
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.workspace import Workspace
    from holdfast.store.sqlite import Store

KIND = "act_checked"
# What spoke for the user, and was not the client's.
WHATS = {
    "prompt": "A prompt",
    "command": "A typed command",
    "refusal": "A refusal",
    "answer": "An answer",
    "plan": "The approval of a plan",
    "skill": "A skill",
    "run": "The result of a command",
}
SPAN_S = 60.0  # what a command keeps, it keeps within this time of its check
# Which commands keep what.
MADE_BY = {
    "goal_set": ("goal ",),
    "rule_given": ("rules ", "constraints "),
    "turned": ("rules ", "constraints ", "choices "),
}
COUNTED = tuple(command for commands in MADE_BY.values() for command in commands)
SHOWN = 5  # lines at once
SIGNS_CAP = 400
LATEST = 5  # sessions
SHOWN_S = 7 * 86_400.0  # how long `status` and `doctor` show it


def body_of(act: str, signs: list[str], undo: str = "", waits: str = "") -> dict[str, object]:
    return {"act": act, "signs": signs, "undo": undo, **({"waits": waits} if waits else {})}


def key_of(at: str) -> str:
    """By time, so that those after a time are one range of an index."""
    return f"act:{at}:{system.urandom(6).hex()}"


def keep(workspace: Workspace, act: str, signs: list[str], undo: str = "", waits: str = "") -> None:
    """Keep an act that was checked, in a transaction of its own."""
    at = clock.now()
    with workspace.store.transaction():
        workspace.keep(KIND, body_of(act, signs, undo, waits), key=key_of(at), at=at)


# Telling


def noticed(
    store: Store, session: str, after: str, since: str, *, for_person: bool = True
) -> list[Ours]:
    """What may not have been the person's after a time, in a line each, the newest last. Acts are
    checked `since` then: what was kept before may be of an earlier version. What waits is told to
    the person alone with its words: they are nobody's yet."""
    looked_from = clock.iso(clock.seconds_of(after) - SPAN_S) if after else ""
    acts = queries.checked_acts(store, looked_from)
    lines = [
        (at, _line(at, act, for_person=for_person))
        for at, act in acts
        if act["signs"] and at > after
    ]
    kept = queries.said_by_command(store, session, max(looked_from, since)) if since else []
    checks = [(clock.seconds_of(at), str(act["act"])) for at, act in acts]
    used: set[tuple[int, str]] = set()
    for at, kind, body in kept:
        check = _check_of(clock.seconds_of(at), kind, checks, used)
        used.add((check, kind))
        if check < 0 and at > after:
            lines.append((at, _unchecked(at, kind, body)))
    return [line for _, line in sorted(lines)]


def _check_of(
    second: float, kind: str, checks: list[tuple[float, str]], used: set[tuple[int, str]]
) -> int:
    """The check that an entry by command followed from, by its place; -1 when there is none. One
    check stands for one entry of a kind."""
    for number, (checked, act) in enumerate(checks):
        is_near = 0 <= second - checked <= SPAN_S
        if is_near and act.startswith(MADE_BY[kind]) and (number, kind) not in used:
            return number
    return -1


def _line(at: str, act: dict[str, object], *, for_person: bool) -> Ours:
    given = "; ".join(map(str, act["signs"])) if isinstance(act["signs"], list) else ""
    signs = quoted(given, SIGNS_CAP)  # names of processes are in it
    if act["act"] in WHATS:
        return ours(
            "{}, noticed {}, was not the client's: {}. It counts for nothing.",
            ours(WHATS[str(act["act"])]),
            _when(at),
            signs,
        )
    if act.get("waits"):
        words = ours(" in a terminal outside the agent: {}", code(str(act["waits"]), SIGNS_CAP))
        return ours(
            "{} was run at {} while an agent was at work, and {}: it may not have been you, so it"
            " waits for you and has no effect. If it was you, confirm it by typing it{}.",
            code(f"holdfast {act['act']}"),
            _when(at),
            signs,
            words if for_person else ours(" in a terminal outside the agent"),
        )
    undo = ours(" {} undoes it.", code(str(act["undo"]))) if act["undo"] else ours("")
    return ours(
        "{} was run at {} while an agent was at work, and {}: it may not have been you.{}",
        code(f"holdfast {act['act']}"),
        _when(at),
        signs,
        undo,
    )


UNCHECKED = {
    "goal_set": ("A goal was set", "holdfast goal keep"),
    "rule_given": ("A rule was given", "holdfast rules drop ID"),
    "withdrawn": ("A rule was withdrawn", "holdfast rules keep ID"),
    "kept": ("A rule was kept", "holdfast rules drop ID"),
}


def _unchecked(at: str, kind: str, body: dict[str, object]) -> Ours:
    turn = str(body.get("turn", "")) if kind == "turned" else kind
    what, undo = UNCHECKED.get(turn, ("A rule was changed", "holdfast rules --all"))
    return ours(
        "{} at {}, by no command of Holdfast's: it may not have been you. {} undoes it.",
        ours(what),
        _when(at),
        code(undo),
    )


def _when(at: str) -> Ours:
    return ours("{} {} UTC", word(at[:10]), word(at[11:16]))


def tell(context: EventContext) -> None:
    """At a start and a prompt: what was noticed since the person was last told. A line for the
    person, and at a start one for the agent, too. An event that speaks for nobody is told nothing,
    for nobody else would be then."""
    event = context.event
    if context.kept is None or context.unverified or event.body.get("hook") == "agent":
        return
    since, last = _marks(context.state)
    lines = noticed(context.store, event.session, last, since)
    if lines and event.kind == "session_began":
        from holdfast.hook.event import NOTICE, Remark

        unsaid = noticed(context.store, event.session, last, since, for_person=False)
        context.remarks += [Remark(NOTICE, line) for line in unsaid[-SHOWN:]]
    context.for_person += lines[-SHOWN:]
    if lines or not since:
        context.told_acts = f"{since or event.at}\n{event.at if lines else last}\n"


def mark_told(context: EventContext) -> None:
    """After the commit: nobody is told of the same act twice."""
    if context.told_acts:
        files.write_whole(paths.acts_told(context.state), context.told_acts.encode())


def keep_unverified(context: EventContext) -> None:
    """That an event came which the agent's own process did not send."""
    if context.kept is not None and context.unverified:
        _keep(context, context.what_spoke(), context.unverified, context.kept.id)


def keep_not_clients(context: EventContext) -> None:
    """What the agent's own record does not have, or has otherwise."""
    for what, why, id_ in context.not_clients:
        _keep(context, what, f"{why} in the agent's own record", id_)


def _keep(context: EventContext, what: str, why: str, id_: str) -> None:
    at = context.event.at
    context.note(KIND, body_of(what, [why]), key=f"act:{at}:{id_}", project="")


def lately(store: Store, state: str, now: str) -> list[Ours]:
    """What `status` and `doctor` show: of the sessions that were active last."""
    after, since = clock.iso(clock.seconds_of(now) - SHOWN_S), _marks(state)[0]
    sessions = [session.id for session in queries.latest(store, LATEST)]
    lines = [line for id_ in sessions or [""] for line in noticed(store, id_, after, since)]
    return list(dict.fromkeys(lines))


def _marks(state: str) -> tuple[str, str]:
    """Since when acts are checked here, and up to when the person was told; "" for never."""
    since, _, last = (files.read_text(paths.acts_told(state), 64) or "").partition("\n")
    return since, last.strip()
