"""Which thread a session belongs to: by facts when it begins, by the words of its first prompt.

Laws: a link is decided once and kept as an entry with its strength and reason; being on a branch
that many tasks share says nothing, being on one of its own nearly all; a person's link wins; below
FILED a session begins a thread of its own, and below TOLD no other is told of.
"""

from __future__ import annotations

from holdfast.rooms.identity.drift import ln
from holdfast.rooms.threads import queries, terms
from holdfast.rooms.work.queries import continuation_asked, has_changed
from holdfast.system import clock
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.store.sqlite import Store

NAMED, PLAN, BRANCH, CRASH = "named", "plan", "branch", "crash"
CLEARED, FILES = "cleared", "files"
WORDS = "words"
STRENGTHS = {NAMED: 1000, PLAN: 950, BRANCH: 900, CLEARED: 800, CRASH: 800, FILES: 700}
JUST_S = 600  # who clears the context soon after a prompt mostly goes on with the work
LATELY = 12  # sessions among which the one is looked for whose files are not committed
# What the words of a prompt are worth, in sums of how rare the shared ones are.
TOLD, FILED, AGAINST_A_FACT = 2.1, 4.0, 1.5
NUMBER, OTHER_NUMBER, SAME_BRANCH, JUST_CLEARED, AGE = 2.0, 0.5, 0.5, 0.8, 0.35
SAYS_SO = 4.0  # where the user says that earlier work goes on
PADDING = 5  # words: a prompt of one word that is shared is not sure
SOON_H = 0.05
CANDIDATES = 12  # sessions that share most, which are looked at closely


class Match(Value):
    """The earlier session that a session goes on with."""

    session: str
    strength: int  # in thousandths
    reason: str
    facts: list[str]
    worth: float  # of words; nothing where it is a fact


def at_start(context: EventContext) -> Match | None:
    """By what can be seen before anything is asked."""
    store, project, body = context.store, context.project, context.event.body
    session, branch = context.event.session, body["branch"]
    asked_for = continuation_asked(store, project)
    if asked_for and queries.is_asked(store, asked_for):
        return _by_fact(asked_for, NAMED, "a person said so")
    before = context.previous()
    is_cleared = body["source"] == "clear" and before and queries.is_asked(store, before)
    if is_cleared and queries.approved_plan_last(store, before):
        return _by_fact(before, PLAN, "the plan that was approved there")
    if not terms.is_shared(branch):
        latest = queries.latest_on(store, project, branch, but=session)
        if latest:
            return _by_fact(latest, BRANCH, branch)
    if is_cleared and _was_just_asked(context, before):
        return _by_fact(before, CLEARED, "its context was cleared just now")
    if context.crashed and queries.is_asked(store, context.crashed):
        return _by_fact(context.crashed, CRASH, "it crashed")
    dirty = body.get("files", ())
    if dirty:
        for other in queries.latest(store, project, but=session, limit=LATELY):
            if has_changed(store, other.id, dirty):
                return _by_fact(other.id, FILES, "its files are not committed")
    return None


def _was_just_asked(context: EventContext, session: str) -> bool:
    at = queries.asked_at(context.store, session)
    return bool(at) and clock.seconds_of(context.event.at) - clock.seconds_of(at) < JUST_S


def _by_fact(session: str, reason: str, fact: str) -> Match:
    return Match(session, STRENGTHS[reason], reason, [fact], 0.0)


def by_words(context: EventContext, prompt: str) -> Match | None:
    """The session whose work shares the rarest words with a prompt."""
    store, project, session = context.store, context.project, context.event.session
    asked = terms.of_text(prompt[: terms.READ_CAP], terms.MOST)
    many = queries.count_sessions(store, project)
    if not asked or not many:
        return None
    shared: dict[str, float] = {}
    having: dict[str, list[str]] = {}
    for word in asked:
        sessions = having[word] = queries.having(store, project, word, session)
        for other in sessions:
            shared[other] = shared.get(other, 0.0) + ln(1 + many / len(sessions))
    scale = (len(asked) + PADDING) ** 0.5
    most = sorted(shared, key=lambda other: (-shared[other], other))[:CANDIDATES]
    says_so = terms.goes_on(prompt)
    numbers = [word for word in asked if terms.is_number(word)]
    before = context.previous() if queries.source_of(store, session) == "clear" else ""
    best: tuple[float, str] = (0.0, "")
    for other in most:
        at = queries.active_at(store, other)
        if not at or not queries.is_asked(store, other):
            continue
        hours = max(0.0, clock.seconds_of(context.event.at) - clock.seconds_of(at)) / 3600
        worth = shared[other] / scale - AGE * ln(hours + SOON_H)
        if numbers:
            is_same = any(other in having[number] for number in numbers)
            worth += NUMBER if is_same else -OTHER_NUMBER
        worth += SAME_BRANCH * queries.was_on(store, project, context.branch(), other)
        worth += JUST_CLEARED * (other == before)
        worth += SAYS_SO * says_so
        best = max(best, (worth, other))
    worth, other = best
    if not other:
        return None
    facts = sorted((word for word in asked if other in having[word]), key=lambda w: len(having[w]))
    return Match(other, min(999, round(worth * 150)), WORDS, facts[:5], worth)


def keep(context: EventContext, match: Match, *, key: str) -> str:
    """Keep the session's link, and say to which thread."""
    thread = queries.thread_of(context.store, match.session)
    body = {
        "thread": thread,
        "permille": match.strength,
        "reason": match.reason,
        "facts": match.facts,
        "author": "",
    }
    context.keep("thread_linked", body, key=key)
    return thread


def is_named_by_person(store: Store, session: str) -> bool:
    link = queries.link_of(store, session)
    return link is not None and link.author == queries.PERSON
