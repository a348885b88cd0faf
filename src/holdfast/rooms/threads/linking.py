"""Which thread a session belongs to: by facts when it begins, by the words of its first prompt.

Laws: a link is decided once and kept as an entry with its strength and reason; being on a branch
that many tasks share says little, being on one of its own nearly all; a person's link wins. Below
FILED (queries.py) a session begins a thread of its own, and its link says only what it may go on
with; below the bar it is told of no other.

Facts and words add up to one figure, by weights that were chosen on recorded sessions, leaving one
repository out at a time (benchmarks/results/threads.md).
"""

from __future__ import annotations

from holdfast.rooms.identity.drift import ln
from holdfast.rooms.threads import queries, terms, thread_state
from holdfast.rooms.work.queries import continuation_asked, has_changed
from holdfast.system import clock
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.threads.thread_state import Look
    from holdfast.store.sqlite import Store

NAMED, PLAN, BRANCH, CRASH = "named", "plan", "branch", "crash"
CLEARED, FILES, FORK, WORDS = "cleared", "files", "fork", "words"
UNFINISHED, OTHER_TASK = "unfinished", "another task"
# What each fact is worth; PLAN, CRASH and FILES pass the bar at any age.
SURE = 9.0
OWN_BRANCH, SHARED_BRANCH, JUST_CLEARED = 5.0, 0.4, 0.8
LEFT_OPEN, JUST_SAID_SO = 4.0, 2.0  # of the last session on the branch
SOON_S, DAY_S = 3_600, 86_400
NUMBER, OTHER_NUMBER, SAYS_SO = 1.7, 0.4, 3.0
# What words are worth, by how rare those are that both have: of a prompt, of a branch's name.
PROMPT, NAME, PROMPT_PADDING, NAME_PADDING = 0.65, 0.9, 5, 1
AGE, NAMED_AGE, SOON_H = 0.3, 0.1, 0.05  # whoever names earlier work may mean an old one
# The bar at a start, with a prompt, and with one that was told of another thread at the start.
AT_START, AT_PROMPT, AGAINST_START = 2.0, 1.65, 2.2
TASK_WORDS = 4  # of a prompt: with fewer it may be about anything
LATELY = 12  # sessions that are looked at whatever their words
CANDIDATES = 12  # and those that share most


class Match(Value):
    """The earlier session that a session goes on with."""

    session: str
    strength: int  # in thousandths
    reason: str
    facts: list[str]


class Figure(Value):
    """What speaks for one earlier session."""

    worth: float
    left: float  # of it, what speaks for telling and not for a thread
    reason: str
    facts: list[str]


class Asked(Value):
    """Words, and which earlier sessions have each of them."""

    words: list[str]
    having: dict[str, list[str]]
    worth: dict[str, float]  # of a session, by the words that it has

    def of(self, session: str) -> list[str]:
        """The words that a session has, the rarest first."""
        own = [word for word in self.words if session in self.having[word]]
        return sorted(own, key=lambda word: len(self.having[word]))


def at_start(context: EventContext, look: Look) -> Match | None:
    """By what can be seen before anything is asked."""
    asked_for = continuation_asked(context.store, context.project)
    if asked_for and queries.is_asked(context.store, asked_for):
        return Match(asked_for, 1000, NAMED, ["a person said so"])
    return _best(context, look, "", AT_START)


def by_words(
    context: EventContext, look: Look, prompt: str, *, is_told: bool, is_first: bool
) -> Match | None:
    """By what is asked as well; surer, where the start has told of a thread. A later prompt must
    have words of it."""
    bar = AGAINST_START if is_told or not is_first else AT_PROMPT
    return _best(context, look, prompt, bar, by_words_alone=not is_first)


def _best(
    context: EventContext, look: Look, prompt: str, bar: float, *, by_words_alone: bool = False
) -> Match | None:
    store, session, branch = context.store, context.event.session, context.branch()
    is_own = not terms.is_shared(branch)
    many = queries.count_sessions(store, context.project)
    asked = _asked(context, terms.of_text(prompt[: terms.READ_CAP], terms.MOST), many)
    named = _asked(context, terms.of_text(branch) if is_own else [], many)
    before = context.previous() if queries.source_of(store, session) == "clear" else ""
    here = queries.latest_on(store, context.project, branch, but=session)
    live, says_so = context.live(), bool(prompt) and terms.goes_on(prompt)
    figures: dict[str, Figure] = {}
    candidates = _candidates(context, asked, named, (here, before, context.crashed))
    for other, at, is_there in queries.asked_of(store, context.project, branch, candidates):
        if not "" < at <= context.event.at:
            continue  # what was asked later, nobody went on with: transcripts are of the past
        if by_words_alone and not asked.of(other):
            continue
        worth, reason, facts = 0.0, WORDS, [*asked.of(other)[:5], *named.of(other)[:3]]
        if is_there:
            worth += OWN_BRANCH if is_own else SHARED_BRANCH
            if is_own:
                reason, facts = BRANCH, [branch]
        seconds = max(0.0, clock.seconds_of(context.event.at) - clock.seconds_of(at))
        is_left = other == here and other not in live
        left, what = _left(look, other, seconds) if is_left else (0.0, "")
        if left:
            worth += left
            reason, facts = UNFINISHED, [what]
        if other == before:
            worth += JUST_CLEARED
            reason, facts = CLEARED, ["its context was cleared just now"]
        for fact, words in _sure(context, other, before):
            worth += SURE
            reason, facts = fact, [words]
        worth += PROMPT * asked.worth.get(other, 0.0) / (len(asked.words) + PROMPT_PADDING) ** 0.5
        worth += NAME * named.worth.get(other, 0.0) / (len(named.words) + NAME_PADDING) ** 0.5
        worth -= (NAMED_AGE if says_so else AGE) * ln(seconds / 3600 + SOON_H)
        numbers = [word for word in asked.words if terms.is_number(word)]
        if numbers:
            is_same = any(other in asked.having[number] for number in numbers)
            worth += NUMBER if is_same else -OTHER_NUMBER
        worth += SAYS_SO * says_so
        figures[other] = Figure(worth, left, reason, facts)
    best = max(figures, key=lambda other: (figures[other].worth, other), default="")
    if not best or figures[best].worth <= bar:
        return None
    figure = figures[best]
    sure = max(0, min(999, round((figure.worth - figure.left) * 100)))
    return Match(best, sure, figure.reason, figure.facts)


def _asked(context: EventContext, words: list[str], many: int) -> Asked:
    having = {
        word: queries.having(context.store, context.project, word, context.event.session)
        for word in words
    }
    worth: dict[str, float] = {}
    for sessions in having.values():
        for other in sessions:
            worth[other] = worth.get(other, 0.0) + ln(1 + many / len(sessions))
    return Asked(words, having, worth)


def _left(look: Look, other: str, seconds: float) -> tuple[float, str]:
    """What is open of a session by what can be seen, or a moment ago by its last words; for a day
    by the next steps that they name."""
    what = look.facts(other)
    if what:
        return LEFT_OPEN, what
    if seconds < SOON_S:
        what = thread_state.what_is_left(look.store, other)
    elif seconds < DAY_S:
        what = thread_state.next_steps(look.store, other)
    return (JUST_SAID_SO, what) if what else (0.0, "")


def leave(context: EventContext, prompt: str, thread: str) -> None:
    """Begin a thread of the session's own, where its prompt is about something else."""
    if _is_another_task(context, prompt, thread):
        facts = ["no word of it is of that work"]
        own = Match(context.event.session, 1000, OTHER_TASK, facts)
        keep(context, own, key="thread:prompt")


def _is_another_task(context: EventContext, prompt: str, thread: str) -> bool:
    """Whether a prompt has words enough to say what it is about, and not one of those of a thread.
    On a branch of its own, whatever is asked belongs to it."""
    store, project, session = context.store, context.project, context.event.session
    words = terms.of_text(prompt[: terms.READ_CAP], terms.MOST)
    if not terms.is_shared(context.branch()) or terms.goes_on(prompt) or len(words) < TASK_WORDS:
        return False
    own = [each.id for each in queries.sessions_of(store, thread, session)]
    return not queries.shares_word(store, project, words, own)


def _candidates(
    context: EventContext, asked: Asked, named: Asked, facts: tuple[str, ...]
) -> list[str]:
    """Those that share most, those that facts point to, and the latest."""
    store, project, session = context.store, context.project, context.event.session
    most = [
        other
        for words in (asked, named)
        for other in sorted(words.worth, key=lambda other: (-words.worth[other], other))[
            :CANDIDATES
        ]
    ]
    latest = queries.latest_ids(store, project, but=session, limit=LATELY)
    every = dict.fromkeys((*most, *facts, *latest))
    return [other for other in every if other and other != session]


def _sure(context: EventContext, other: str, before: str) -> list[tuple[str, str]]:
    """Facts that say by themselves that the work goes on, the surest last."""
    store, facts = context.store, []
    dirty = context.event.body.get("files", ())  # a new one may be left lying about
    if dirty and has_changed(store, other, dirty):
        facts.append((FILES, "its files are not committed"))
    if other == context.crashed and queries.is_cut_off(store, other):
        facts.append((CRASH, "it crashed"))
    if other == before and queries.approved_plan_last(store, before):
        facts.append((PLAN, "the plan that was approved there"))
    return facts


def keep(context: EventContext, match: Match, *, key: str) -> str:
    """Keep the session's link, and say to which thread; to itself, it has one of its own."""
    is_own = match.session == context.event.session
    thread = match.session if is_own else queries.thread_of(context.store, match.session)
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
