"""What became of a call that spoke for the user or satisfied something, by the agent's own record.

Laws: a call stands where the record has a result of the same tool, about the same thing, with the
answers that were told; it does not where the record tells it otherwise, or goes on without it. What
the record cannot tell yet is left open.
"""

from __future__ import annotations

from holdfast.agents import transcript_rows as kinds
from holdfast.agents import user_replies
from holdfast.rooms.prompts.settling import ABSENT, goes_on_after, is_text_of
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.agents.transcript_rows import FinishedCall, Row, Tail
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.prompts.settling import Settlement

OTHERWISE = "told otherwise"
SPOKEN = (kinds.COMMAND, kinds.TYPED, kinds.QUEUED, kinds.SDK, kinds.UNKNOWN)


class AwaitedCall(Value):
    """An event that waits for the agent's record."""

    id: str  # of its entry
    at: str
    by_client: int
    kind: str  # tool_used, calls_refused, command_typed
    call: str  # the agent's own id for it
    body: Body


class CallSettlement(Value):
    """What is known of it now."""

    call: str  # the id of its entry
    at: str
    stands: bool
    why: str  # why not


class Record:
    """What an agent's record tells of a session: of prompts and calls that wait for it, and of
    words that no prompt holds."""

    def __init__(
        self, session: str, settlements: list[Settlement], spoken: Sequence[Row] = ()
    ) -> None:
        self.session = session
        self.settlements = settlements
        self.spoken = spoken
        self.awaited: list[AwaitedCall] = []
        self.calls: list[CallSettlement] = []


def what_spoke(kind: str, body: Body) -> str:
    """What an event is that speaks for the user or satisfies something, in a word."""
    words = {"prompt_given": "prompt", "command_typed": "command", "calls_refused": "refusal"}
    if kind in words:
        return words[kind]
    if "reply" in body:
        return "plan" if body["reply"].get("plan") else "answer"
    return str(body["deed"])


def settle(calls: list[AwaitedCall], tail: Tail) -> list[CallSettlement]:
    settlements = []
    for call in calls:
        why = _why_not(call, tail)
        if why is None and goes_on_after(tail, call.at):
            why = ABSENT
        if why is not None:
            settlements.append(CallSettlement(call.id, call.at, not why, why))
    return settlements


def without_record(calls: list[AwaitedCall], *, stands: bool) -> list[CallSettlement]:
    """Of calls that wait for a record which is not to be had."""
    why = "" if stands else ABSENT
    return [CallSettlement(call.id, call.at, stands, why) for call in calls]


def _why_not(call: AwaitedCall, tail: Tail) -> str | None:
    """Why the record does not have it as it was told, "" where it has, None where it has nothing
    of it."""
    if call.kind == "command_typed":
        name = f"/{call.body['name']}"
        spoken = [row.text for row in tail.rows if row.kind in SPOKEN] + tail.queued
        return "" if any(name in text for text in spoken) else None
    if call.kind == "calls_refused":
        refused = [tail.calls.get(each["call"]) for each in call.body["calls"]]
        known = [each for each in refused if each is not None]
        if len(known) < len(refused):
            return None
        return "" if all(each.is_denied for each in known) else OTHERWISE
    finished = tail.calls.get(call.call)
    if finished is None:
        return None
    return "" if _is_as_told(call.body, finished) else OTHERWISE


def _is_as_told(body: Body, finished: FinishedCall) -> bool:
    if not finished.tool:  # its beginning is not in the tail
        return True
    about = user_replies.asked(body["tool"], body["deed"], body["input"])
    if finished.tool != body["tool"] or (body["ok"] and not finished.ok):
        return False
    if "reply" not in body:
        return is_text_of(finished.about, about)
    answers = body["reply"].get("answers") or {}
    return not finished.answers or all(
        any(is_text_of(written, text) for written in finished.answers)
        for text in answers.values()
        if isinstance(text, str)
    )
