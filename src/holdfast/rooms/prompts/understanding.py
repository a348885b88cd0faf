"""What of a prompt must outlive it: the goal, rules, and words that lift a rule or hold it up.

`origin.py` says whose turn it is; `typed_text.py` takes the person's own words apart from code,
logs and quotations; `standing_orders.py` knows the forms of words that are rules, `lifting.py`
those that lift one, `task.py` those in which people give a task. What has none of these forms is
not heard: an agent may point at it (`pointing.py`).

Laws:
  - the first task that a person gives in a session is its goal; a later one takes its place when it
    is a task of its own and names enough to be told apart from a step; what only asks to look, or
    reports, takes the place of none. A task that has nothing to do with the goal of the session
    before begins a new thread, and only that ends the rules of a task;
  - every rule, withdrawal and goal is a verbatim part of the prompt;
  - what stands in code, logs and quotations is never heard, nor what a client wrote;
  - a bullet under a line that forbids is never kept without that line;
  - in doubt it is not a rule: one wrongly kept annoys for ever, one missed can be said again;
  - the same prompt is always heard the same way, in time linear in its length.
"""

from __future__ import annotations

from holdfast.rooms.prompts import clauses, lifting, origin, standing_orders, task
from holdfast.rooms.prompts.similarity import EDGES, has_any, is_same_task, keywords
from holdfast.rooms.prompts.typed_text import SPELLINGS, Sentence, own_words, spaced, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.rooms.prompts.queries import Goal

__all__ = ["Heard", "Rule", "hear", "is_same_task", "keywords", "sort_of"]

RULE_CAP = 400
FIRST_WORDS, LAST_WORDS = 800, 400  # of speech: what is between them was pasted
OPENING_WORDS = 25  # of a prompt, and of its first two sentences: where a change of task is said

CORRECTING = (
    *(" instead of ", " i said ", " i meant ", " not like that ", " wrong ", " rather than "),
    *(" is called ", " we call it ", " should be ", " i asked for "),
)
PREFERRING = (
    *(" prefer ", " i'd rather ", " rather have ", " i like ", " i'd like ", " usually "),
    *(" ideally ", " nicer ", " taste ", " tend to "),
)
FORBIDDING = (
    *(" don't ", " never ", " no ", " not ", " without ", " avoid ", " stop ", " mustn't "),
    *(" shouldn't ", " can't ", " refrain ", " forbidden ", " off limits ", " hands off "),
    *(" alone ", " untouched ", " unchanged ", " nothing ", " nobody ", " banned ", " as it is "),
    *(" quit ", " off "),
)
CHANGING = (
    *(
        " new task ",
        " new change ",
        " next problem ",
        " next change ",
        " next issue ",
        " unrelated ",
        " last change ",
        " next task ",
        " different task ",
        " another task ",
        " next up ",
        " switch to ",
    ),
    *(" switch over to ", " moving on ", " move on to ", " on to something ", " something else "),
    *(" something different ", " now on to ", " next thing ", " instead let's ", " drop that and "),
    *(" change of plan ", " change of plans ", " more urgent "),
    *(
        " let's now ",
        " now let's work ",
        " forget the ",
        " forget about the ",
        " leave that for now ",
    ),
)


class Rule:
    """What the user forbids, demands, corrects or prefers, verbatim."""

    def __init__(self, text: str, *, is_order: bool = False) -> None:
        self.text = text
        self.sort = sort_of(text)
        self.is_order = is_order  # a rule by itself; else nobody is told before it is said again

    def __repr__(self) -> str:
        return f"Rule({self.text!r}, {self.sort!r}, is_order={self.is_order})"


class Heard:
    """What was heard in one prompt."""

    def __init__(self) -> None:
        self.goal = ""
        self.is_change = False
        self.only_opens = False  # the goal: enough for a session that has none, and for no change
        self.rules: list[Rule] = []
        self.withdrawals: list[str] = []  # sentences that lift a rule, if there is one they mean
        self.affirmations: list[str] = []  # sentences that hold one up


def hear(prompt: str) -> Heard:
    """Hear one prompt."""
    heard = Heard()
    whose = origin.of(prompt)
    if whose != origin.PERSON:
        heard.goal = origin.title_of_plan(prompt) if whose == origin.PLAN else ""
        return heard
    command, arguments = origin.command_of(prompt)
    own = " " * len(command) + own_words(prompt[len(command) :])
    sentences = _within_reach(split(own))
    if not sentences:
        heard.goal = task.cut(prompt.rstrip()) if task.names_a_place(arguments) else ""
        return heard
    share = 4 * len(own.split()) // max(len(prompt.split()), 1)
    may_order = standing_orders.may_order(prompt, share)
    rules = _hear_lists(prompt, sentences, heard, may_order=may_order)
    if may_order:
        rules |= _hear_orders(prompt, sentences, heard, rules)
        rules |= _hear_plain(prompt, sentences, heard, rules)
    _hear_of_rules(prompt, sentences, heard)
    given = task.given(prompt, sentences, rules)
    if command and (given is None or given.only_opens):
        given = task.of_command(prompt, arguments, given)
    if given is not None:
        heard.goal = given.text
        heard.is_change = _is_change(sentences)
        heard.only_opens = given.only_opens and not heard.is_change
    return heard


def sort_of(text: str) -> str:
    """Whether a text forbids, demands, corrects or prefers."""
    words = (word.strip(EDGES) for word in text.lower().replace("\u2019", "'").split())
    spoken = spaced([SPELLINGS.get(word, word) for word in words if word])
    if has_any(spoken, PREFERRING):
        return "prefers"
    if text.lower().startswith(("no,", "nope,", "nah,")) or has_any(spoken, CORRECTING):
        return "corrects"
    return "forbids" if has_any(spoken, FORBIDDING) else "demands"


def _hear_lists(
    prompt: str, sentences: list[Sentence], heard: Heard, *, may_order: bool
) -> set[int]:
    """Keep lists whose first line makes orders of them, whole; the places of their sentences, and
    of lists whose first line forbids: no bullet says anything without it."""
    taken: set[int] = set()
    for listing in standing_orders.listings(prompt, sentences):
        is_order = may_order and standing_orders.is_ordering_list(listing)
        if not (is_order or listing.forbids):
            continue
        text = prompt[listing.start : listing.end]
        if is_order and len(text) <= standing_orders.ORDER_CAP:
            heard.rules.append(Rule(text, is_order=True))
        taken |= {*listing.places, *listing.line_above}
    return taken


def _hear_orders(prompt: str, sentences: list[Sentence], heard: Heard, kept: set[int]) -> set[int]:
    """Keep orders by themselves, whole; the places of their sentences."""
    taken: set[int] = set()
    above, before = None, 0
    for place, sentence in enumerate(sentences):
        above = above if sentence.is_item else sentence
        if place in kept:
            continue
        stands_out = standing_orders.stands_out(prompt, sentence, above, before)
        at = standing_orders.begins(sentence, stands_out=stands_out)
        text = prompt[sentence.starts[at] : sentence.ends[-1]]
        if at >= 0 and len(text) <= standing_orders.ORDER_CAP:
            heard.rules.append(Rule(text, is_order=True))
            taken.add(place)
            before = sentence.ends[-1]
    return taken


def _hear_plain(prompt: str, sentences: list[Sentence], heard: Heard, kept: set[int]) -> set[int]:
    """Keep what has the plain form of a rule, without a task beside it; the places of sentences
    that say nothing else."""
    taken: set[int] = set()
    for place, sentence in enumerate(sentences):
        if (
            place in kept
            or sentence.is_question
            or standing_orders.PLAIN.isdisjoint(spaced(sentence.words).split())
        ):
            continue
        start = sentence.starts[0]
        text = prompt[start : sentence.ends[-1]]
        first, last = clauses.ruling(text)
        words = zip(sentence.words, sentence.starts, strict=True)
        ruling = [word for word, at in words if first <= at - start < last]
        if last - first <= RULE_CAP and standing_orders.sounds_like_one(ruling):
            heard.rules.append(Rule(text[first:last]))
            if (first, last) == (0, len(text)):
                taken.add(place)
    return taken


def _hear_of_rules(prompt: str, sentences: list[Sentence], heard: Heard) -> None:
    """Sentences about rules that were given before: lifted, or held up."""
    for sentence in sentences:
        text = prompt[sentence.starts[0] : sentence.ends[-1]]
        # A quotation that does not end where the sentence does is of somebody else's words.
        if sentence.is_question or len(text) > RULE_CAP or text.count('"') % 2:
            continue
        if lifting.affirms(text):
            heard.affirmations.append(text)
        elif lifting.may_lift(text):
            heard.withdrawals.append(text)


def _is_change(sentences: list[Sentence]) -> bool:
    """Whether words say outright that the task changes; near the start, where one says so."""
    words = [word for sentence in sentences[:2] for word in sentence.words]
    return has_any(spaced(words[:OPENING_WORDS]), CHANGING)


def _within_reach(sentences: list[Sentence]) -> list[Sentence]:
    """The first and the last words of a long prompt: what is in between was pasted."""
    first = _reach(sentences, FIRST_WORDS)
    if first >= len(sentences):
        return sentences
    last = _reach(sentences[:first:-1], LAST_WORDS)
    return sentences[:first] + sentences[max(first, len(sentences) - last) :]


def _reach(sentences: list[Sentence], limit: int) -> int:
    """How many sentences hold the first `limit` words."""
    words = 0
    for i, sentence in enumerate(sentences):
        words += len(sentence.words) + 4  # short ones cost, too
        if words > limit:
            return i + 1
    return len(sentences)


KEPT, SEQUEL, CHANGED = "kept", "sequel", "changed"
# A task told in fewer words than this is a step of the one at hand, unless it is said outright.
WORDS_OF_A_TASK = 4


def judge_goal(
    heard: Heard,
    current: Goal | None,
    *,
    is_first: bool,
    is_related: bool,
    words: Collection[str],
) -> str:
    """What a prompt does to the goal: leaves it, carries it on as a sequel, or changes it.

    `is_first`: no prompt of this session has given a task yet; `is_related`: the prompt shares
    its subject with the goal; `words` are those that carry the task.
    """
    if not heard.goal:
        return KEPT
    if current is None:
        return SEQUEL  # of nothing: what was demanded before there was a task holds for it
    if heard.is_change:
        return CHANGED
    if is_first:
        return SEQUEL if is_related else CHANGED
    return KEPT if heard.only_opens or len(words) < WORDS_OF_A_TASK else SEQUEL
