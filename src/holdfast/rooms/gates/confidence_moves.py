"""Confidence as events move it: what was known before, what is observed, what is kept of it.

A prompt comes by here without the gates: nothing is imported before it is asked for.
"""

from __future__ import annotations

from holdfast.rooms.gates import queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.gates.confidence import State
    from holdfast.rooms.gates.evidence.proof import Evidence
    from holdfast.rooms.gates.queries import Conduct


def on_words(context: EventContext) -> None:
    """What a prompt or the end of a turn says of the work."""
    if context.kept is not None and not context.unverified:
        move(context, [])


def move(context: EventContext, evidence: list[Evidence]) -> None:
    kept = context.kept
    if kept is None or not _may_be_observed(kept.kind, kept.body):
        return
    from holdfast.rooms.gates import confidence

    conduct = queries.conduct_of(context.store, context.event.session)
    state = _state_before(context, conduct, evidence)
    for number, name in enumerate(confidence.observe(kept.kind, kept.body, state)):
        value, reason = confidence.step(conduct.confidence, name, recent=conduct.observed)
        conduct.observed.append(name)
        change, conduct.confidence = value - conduct.confidence, value
        if change:
            body = {"value": value, "change": change, "observation": name, "reason": reason}
            context.keep("confidence_moved", body, key=context.consequence("confidence", number))


def _may_be_observed(kind: str, body: Body) -> bool:
    """Whether there is anything to observe: most reads and searches say nothing."""
    if kind != "tool_used":
        return True
    return body["deed"] in ("run", "edit", "read") or not body["ok"]


def _state_before(context: EventContext, conduct: Conduct, evidence: list[Evidence]) -> State:
    """What was known before this event; the event itself is in the projection already."""
    from holdfast.rooms.gates import confidence
    from holdfast.rooms.gates.projection import name_of_command

    body = context.kept.body if context.kept else {}
    is_run = body.get("deed") == "run"
    changes = [(path, before, after) for path, before, after in conduct.changes]
    failed = 0
    if is_run:
        failed = conduct.failures.get(name_of_command(body.get("command", "")), 0)
    return confidence.State(
        evidence=evidence,
        failures=max(0, failed - 1),
        changes=changes[:-1] if body.get("deed") == "edit" else changes,
        # Observed of a commit and of a turn's end alone.
        is_unverified=(is_run or context.event.kind == "turn_ended") and _is_unverified(context),
        turns=conduct.turns,
        goal_words=conduct.goal,
        recent_words=[word for turn in conduct.heard for word in turn],
    )


def _is_unverified(context: EventContext) -> bool:
    """Whether files were edited since the last evidence for them, or without any."""
    from holdfast.rooms.gates.evidence.proof import covers, is_valid
    from holdfast.rooms.gates.pre_tool import facts_of

    facts = facts_of(context)
    seen = [at for kind, (at, passed) in facts.evidence().items() if passed and kind != "review"]
    edits = [edit for edit in facts.edits() if covers("tests")(edit[0])]
    return bool(edits) and not any(is_valid(at, edits, covers("tests")) for at in seen)
