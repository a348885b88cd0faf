"""What became of a prompt that a hook has seen, and of a call that spoke for the user.

A prompt is provisional when its hook fires. The agent's own transcript says later whether a person
typed it, whether it was sent at all, and whether it was taken back (hook/events.py says when it is
looked at).

Laws:
  - what the transcript does not hold yet is not settled; each row settles one prompt; where it
    cannot be told nothing is retracted;
  - a compaction and a cleared context retract nothing: what was said before was said;
  - what was settled is settled anew only when it no longer stands;
  - absent is only what the transcript would have: it was read from before, and goes on after it;
  - a call stands where the record has a result of the same tool, about the same thing, with the
    answers that were told; it does not where the record tells it otherwise.
"""

from __future__ import annotations

from holdfast.agents import transcript_rows as kinds, user_replies
from holdfast.system import clock
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.agents.transcript_rows import FinishedCall, Row, Tail
    from holdfast.ledger.kinds import Body

# Why a prompt does not stand.
DRAFT, TAKEN_BACK, REWOUND = "draft", "taken back", "rewound"
# The agent's transcript goes on without it; there was none that could be read.
ABSENT, UNREAD = "absent", "unread"
# It opens session after session: a program sends it.
AUTOMATED = "automated"
OPENING, SHORTEST_OPENING = 80, 40  # characters
LAG_S = 2.0  # what was written later than this after an event came after it
ALIKE = 0.5  # of the words of a prompt, where the agent has written it a little differently
# Somebody sat at the keyboard and sent it by itself: an earlier number than the one before shows
# that the conversation went back. What was queued goes out together, under one number.
SENT = (kinds.TYPED, kinds.COMMAND)
NUMBERED = (*SENT, kinds.QUEUED)
SPOKEN = (kinds.TYPED, kinds.QUEUED, kinds.SDK, kinds.UNKNOWN)
# What begins a turn, and what a prompt may have become.
BEGINNINGS = tuple(kind for kind in kinds.TURNS if kind != kinds.CLIENT)
MATCHED = (*kinds.TURNS, kinds.DROPPED)
# How the gate shows that something was left out (redaction/gate.py): begin and end of the mark.
MARKS = (("[removed: ", "]"), (" [... ", " characters ...] "))
MARK_CAP = 80


class Prompt(Value):
    """A prompt as it was kept. A draft that was taken back has no row and does not stand: it may
    be sent after all."""

    id: str
    text: str
    row: str  # the one that settled it, "" as long as none has
    stands: bool
    at: str
    waits: bool  # it is told to nobody else before it was settled
    by_client: bool  # the client sent it, by the processes above the hook


class Settlement(Value):
    """What is known of a prompt now."""

    prompt: str
    origin: str  # ledger/kinds.py lists them
    stands: bool
    why: str  # why not
    row: str  # the row's id in the transcript


def opening_of(prompt: str) -> str:
    """What of a prompt tells that a program opens sessions with it; "" where it is too short to
    tell, or a command."""
    opening = prompt.strip()[:OPENING]
    return "" if len(opening) < SHORTEST_OPENING or opening.startswith("/") else opening


def settle(prompts: list[Prompt], tail: Tail) -> list[Settlement]:
    """What the rows tell of a session's prompts, in the order of the prompts."""
    return Settling(tail.rows, {prompt.row for prompt in prompts}).of(prompts)


class Settling:
    """What rows tell of prompts, asked once or one prompt after the other."""

    def __init__(self, rows: list[Row], settled: set[str]) -> None:
        self._retracted = gone(rows)
        self._rows = {row.uuid: row for row in rows if row.uuid}
        self._waiting = _Waiting(rows, settled)

    def of(self, prompts: list[Prompt]) -> list[Settlement]:
        settlements = []
        retracted = self._retracted
        for prompt in prompts:
            is_known = bool(prompt.row)
            row = self._rows.get(prompt.row) if is_known else self._waiting.take(prompt.text)
            if row is None or (is_known and not (prompt.stands and row.uuid in retracted)):
                continue
            if row.kind != kinds.DROPPED:
                why = retracted.get(row.uuid, "")
                settlements.append(Settlement(prompt.id, row.kind, not why, why, row.uuid))
            elif prompt.stands:
                settlements.append(Settlement(prompt.id, kinds.QUEUED, False, DRAFT, ""))
        return settlements


def absent(prompts: list[Prompt], settlements: list[Settlement], tail: Tail) -> list[Settlement]:
    """Those of the prompts that wait for the transcript which it should have and has not. One that
    the agent wrote a little differently is no such prompt."""
    newly = {settlement.prompt for settlement in settlements}
    waiting = [each for each in prompts if each.waits and not each.row and each.id not in newly]
    used = {prompt.row for prompt in prompts} | {settlement.row for settlement in settlements}
    free = [row for row in tail.rows if row.kind in SPOKEN and row.uuid not in used]
    queued = {_plain(text) for text in tail.queued}
    more = []
    for prompt in waiting:
        if _plain(prompt.text) in queued:
            more.append(Settlement(prompt.id, kinds.QUEUED, True, "", ""))
            continue
        alike = next((row for row in free if _is_alike(row.text, prompt.text)), None)
        if alike is not None:
            free.remove(alike)
            more.append(Settlement(prompt.id, alike.kind, True, "", alike.uuid))
        elif goes_on_after(tail, prompt.at):
            more.append(Settlement(prompt.id, ABSENT, False, ABSENT, ""))
    return more


def without_record(prompts: list[Prompt], *, stands: bool) -> list[Settlement]:
    """Of prompts that wait for a record which is not to be had."""
    origin, why = (UNREAD, "") if stands else (ABSENT, ABSENT)
    return [Settlement(prompt.id, origin, stands, why, "") for prompt in prompts]


def goes_on_after(tail: Tail, at: str) -> bool:
    """Whether all that was written around a time would be in a tail."""
    times = [row.at for row in tail.rows if row.at]
    reaches_back = not tail.begin or (bool(times) and min(times) < at)
    after = clock.iso(clock.seconds_of(at) + LAG_S)
    return bool(times) and reaches_back and max(times) > after


def _is_alike(written: str, given: str) -> bool:
    ours, theirs = set(given.lower().split()), set(written.lower().split())
    return len(ours & theirs) >= ALIKE * min(len(ours), len(theirs)) > 0


def is_enough(prompts: list[Prompt], settlements: list[Settlement], tail: Tail) -> bool:
    """Whether a longer tail could tell no more: it has the latest prompt, what each prompt that it
    settles follows, and where the count began anew all that went before."""
    if not tail.begin:
        return True
    rows = {row.uuid: row for row in tail.rows}
    newly = {settlement.prompt: settlement.row for settlement in settlements}
    if prompts and not prompts[-1].row and prompts[-1].id not in newly:
        return False
    for place, prompt in enumerate(prompts):
        row = rows.get(newly.get(prompt.id, ""))
        if row is None:
            continue
        before = [each.row for each in prompts[:place] if each.row and each.stands]
        begins_anew = row.number == 1 or not row.parent
        if begins_anew and any(uuid not in rows for uuid in before):
            return False
        if row.parent and row.parent not in rows:
            return False
    return True


def words_beside(tail: Tail) -> list[Row]:
    """Words that no prompt holds: given with a refusal or a Yes, and plans that were accepted; only
    those of turns that stand."""
    retracted = gone(tail.rows)
    words, is_gone = [], False
    for row in tail.rows:
        if row.kind in BEGINNINGS:
            is_gone = row.uuid in retracted
        if row.kind in (kinds.REFUSAL, kinds.APPROVAL, kinds.PLAN) and not is_gone:
            words.append(row)
    return words


def cut_off(tail: Tail) -> str:
    """What the agent said last before it began a call that nothing was said after: the turn never
    ended. "" where the last that it did was to speak."""
    calls = False
    for row in reversed(tail.rows):
        if row.kind == kinds.ANSWER:
            calls = calls or bool(row.call)
            if row.text:
                return row.text if calls else ""
        elif row.kind in BEGINNINGS and not calls:
            return ""
    return ""


class _Waiting:
    """Rows that have settled nothing yet, by what was said in them."""

    def __init__(self, rows: list[Row], settled: set[str]) -> None:
        spoken = [(_plain(row.text), row) for row in rows if row.kind in MATCHED]
        self.in_order = [each for each in spoken if each[0]]
        self.by_text: dict[str, list[int]] = {}
        self.used = set(settled)
        for place in range(len(self.in_order) - 1, -1, -1):
            self.by_text.setdefault(self.in_order[place][0], []).append(place)

    def take(self, text: str) -> Row | None:
        """The first row that holds a prompt, which then is taken."""
        plain = _plain(text)
        places = self.by_text.get(plain)
        while places:
            row = self._use(places.pop())
            if row is not None:
                return row
        parts = _around_marks(text)
        for place, (spoken, row) in enumerate(self.in_order):
            is_cut = len(parts) > 1 and _holds(spoken, parts)
            if is_cut or (row.kind == kinds.PLAN and spoken in plain):
                taken = self._use(place)
                if taken is not None:
                    return taken
        return None

    def _use(self, place: int) -> Row | None:
        row = self.in_order[place][1]
        name = row.uuid or f"draft {place}"
        if name in self.used:
            return None
        self.used.add(name)
        return row


def is_text_of(written: str, kept: str) -> bool:
    """Whether a text that was kept is the one that was written, but for what was left out."""
    parts = _around_marks(kept)
    written = _plain(written)
    return written == parts[0] if len(parts) == 1 else _holds(written, parts)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _around_marks(text: str) -> list[str]:
    """What stands around the marks of what was left out, in order."""
    parts, at = [], 0
    while True:
        marks = [(text.find(opening, at), opening, ending) for opening, ending in MARKS]
        begin, opening, ending = min(
            (mark for mark in marks if mark[0] >= 0), default=(-1, "", ""), key=lambda mark: mark[0]
        )
        if begin < 0:
            break
        end = text.find(ending, begin, begin + MARK_CAP)
        if end < 0:
            at = begin + len(opening)
            continue
        parts.append(text[:begin])
        text, at = text[end + len(ending) :], 0
    return [_plain(part) for part in (*parts, text)]


def _holds(spoken: str, parts: list[str]) -> bool:
    """Whether a text is the parts in their order, with anything between them."""
    if not spoken.startswith(parts[0]) or not spoken.endswith(parts[-1]):
        return False
    at = 0
    for part in parts:
        place = spoken.find(part, at)
        if place < 0:
            return False
        at = place + len(part)
    return any(parts)


# Which rows no longer belong to the conversation


def gone(rows: list[Row]) -> dict[str, str]:
    """The turns that a person took out of the conversation, and why: by their numbers where the
    agent counts, by what follows what where it does not."""
    retracted = _off_path(rows) | _outnumbered(rows)
    reasons = {}
    is_answered = False
    for row in reversed(rows):
        if row.kind == kinds.ANSWER:
            is_answered = True
        elif row.kind in BEGINNINGS:
            if row.uuid in retracted:
                reasons[row.uuid] = REWOUND if is_answered else TAKEN_BACK
            is_answered = False
    return reasons


def _outnumbered(rows: list[Row]) -> set[str]:
    """Prompts whose number was given again: the conversation went back to before them."""
    standing: list[Row] = []
    retracted: set[str] = set()
    for row in rows:
        if row.kind == kinds.BOUNDARY or (row.uuid and not row.parent and row.kind not in SENT):
            standing.clear()  # another conversation begins, and counts anew
        if not row.number or row.kind not in NUMBERED:
            continue
        while row.kind in SENT and standing and standing[-1].number >= row.number:
            retracted.add(standing.pop().uuid)
        standing.append(row)
    return retracted


def _off_path(rows: list[Row]) -> set[str]:
    """Rows between two that follow each other, and on no way from the newest to the oldest.

    A way that ends, at a compaction, at a cleared context or where the tail begins, is taken up
    again at the newest row before: nothing tells that it does not go on there.
    """
    places = {row.uuid: place for place, row in enumerate(rows) if row.uuid}
    on_path: set[int] = set()
    lowest = len(rows)
    for place in range(len(rows) - 1, -1, -1):
        if place >= lowest or not rows[place].uuid:
            continue
        step: int | None = place
        while step is not None and step not in on_path:
            on_path.add(step)
            lowest = min(lowest, step)
            step = places.get(rows[step].parent)
    return {row.uuid for place, row in enumerate(rows) if place not in on_path}


OTHERWISE = "told otherwise"
SPOKEN_KINDS = (kinds.COMMAND, kinds.TYPED, kinds.QUEUED, kinds.SDK, kinds.UNKNOWN)


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
        self.cut_off = ""  # what the agent said last in a turn that never ended


def what_spoke(kind: str, body: Body) -> str:
    """What an event is that speaks for the user or satisfies something, in a word."""
    words = {"prompt_given": "prompt", "command_typed": "command", "calls_refused": "refusal"}
    if kind in words:
        return words[kind]
    if "reply" in body:
        return "plan" if body["reply"].get("plan") else "answer"
    return str(body["deed"])


def settle_calls(calls: list[AwaitedCall], tail: Tail) -> list[CallSettlement]:
    settlements = []
    for call in calls:
        why = _why_not(call, tail)
        if why is None and goes_on_after(tail, call.at):
            why = ABSENT
        if why is not None:
            settlements.append(CallSettlement(call.id, call.at, not why, why))
    return settlements


def calls_without_record(calls: list[AwaitedCall], *, stands: bool) -> list[CallSettlement]:
    """Of calls that wait for a record which is not to be had."""
    why = "" if stands else ABSENT
    return [CallSettlement(call.id, call.at, stands, why) for call in calls]


def _why_not(call: AwaitedCall, tail: Tail) -> str | None:
    """Why the record does not have it as it was told, "" where it has, None where it has nothing
    of it."""
    if call.kind == "command_typed":
        name = f"/{call.body['name']}"
        spoken = [row.text for row in tail.rows if row.kind in SPOKEN_KINDS] + tail.queued
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
