"""What of a prompt must outlive it: the goal, rules, withdrawals, dead ends, going on.

`tests/corpus/README.md` defines what counts as what. `origin.py` says whose turn it is;
`typed_text.py` takes the person's own words apart from code, logs and quotations; `features.py`
cuts them into clauses and says what each is like; `classifier.py` weighs that;
`standing_orders.py` knows the one form of words that other sessions are told, `task.py` the forms
in which people give a task. This module decides how much of the text belongs to what was heard, of
which sort a rule is, and whether it was said for good.

Laws:
  - every rule, withdrawal, dead end and goal is a verbatim part of the prompt;
  - what stands in code, logs and quotations is never heard, nor what a client wrote;
  - a bullet under a line that forbids is never kept without that line;
  - in doubt it is not a rule: one wrongly kept annoys for ever, one missed can be said again;
  - the same prompt is always heard the same way, in time linear in its length.
"""

from __future__ import annotations

from holdfast.rooms.prompts import classifier, features, lifting, origin, standing_orders, task
from holdfast.rooms.prompts.similarity import has_any, is_same_task, keywords
from holdfast.rooms.prompts.typed_text import Sentence, own_words, spaced, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.prompts.features import Part

__all__ = ["GOAL_CAP", "Heard", "Rule", "hear", "is_same_task", "keywords"]

GOAL_CAP = task.GOAL_CAP
RULE_CAP = 400
FIRST_WORDS, LAST_WORDS = 800, 400  # of speech: what is between them was pasted
GOING_ON_WORDS = 40  # who says more asks for more than to go on

# Said before a rule, and no part of it.
LEADS = frozenset(
    "and but also so then plus ok okay btw well hm hmm ah oh yes yeah right great nice cool".split()
)
# A clause that says when or where the next one holds.
SCOPES = frozenset(
    "in for during until while when whenever if from on as before after since unless once".split()
)
REASONS = frozenset(("because", "since"))
LASTING = (
    *(" always ", " never ", " ever ", " every ", " each ", " from now on ", " in general "),
    *(" generally ", " usually ", " whenever ", " as a rule ", " general rule ", " policy "),
    *(
        " in this project ",
        " in this repo ",
        " in this codebase ",
        " in our ",
        " here ",
        " anymore ",
    ),
    *(" any more ", " no more ", " again ", " we use ", " we don't ", " we do ", " we never "),
    *(" we always ", " our rule ", " the rule ", " everywhere ", " under no circumstances "),
    *(" at all times ", " for good ", " in future ", " in the future ", " going forward "),
)
NOT_LASTING = (" for this ", " for now ", " in this pr ", " in this change ", " until ", " while ")
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

    __slots__ = ("is_order", "lasting", "sort", "text")

    def __init__(self, text: str, sort: str, lasting: bool, *, is_order: bool = False) -> None:
        self.text = text
        self.sort = sort  # forbids, demands, corrects or prefers
        self.lasting = lasting
        self.is_order = is_order  # by itself: standing_orders.py

    def __repr__(self) -> str:
        return f"Rule({self.text!r}, {self.sort!r}, lasting={self.lasting})"


class Heard:
    """What was heard in one prompt."""

    __slots__ = (
        "affirmations",
        "choices",
        "continues",
        "dead_ends",
        "goal",
        "is_change",
        "is_plain",
        "only_opens",
        "rules",
        "withdrawals",
    )

    def __init__(self) -> None:
        self.goal = ""
        self.is_change = False
        self.only_opens = False  # the goal: enough for a session that has none, and for no change
        self.is_plain = False  # a task by its words, too, not by its form alone
        self.continues = False
        self.rules: list[Rule] = []
        self.withdrawals: list[str] = []  # sentences that lift a rule, if there is one they mean
        self.affirmations: list[str] = []  # sentences that hold one up
        self.dead_ends: list[str] = []
        # None yet: of the forms in which people type a choice none was right in eight of ten cases
        # on both halves of the field. Answers and refusals are choices without being inferred.
        self.choices: list[str] = []


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
    parts = [features.cut(sentence) for sentence in sentences]
    share = 4 * len(own.split()) // max(len(prompt.split()), 1)
    is_change = _is_change(parts)
    is_task, goes_on, around = classifier.of_prompt(features.of_prompt(parts, share))
    taken = _hear_lists(prompt, parts, heard, share)
    if standing_orders.may_order(prompt, share):
        taken |= _hear_orders(prompt, sentences, heard, taken)
    ordered = set(taken)
    taken |= _hear_parts(prompt, parts, heard, share, around, taken)
    _hear_of_rules(prompt, sentences, heard)
    given = task.given(prompt, sentences, ordered if is_task else taken, taken)
    if command and (given is None or given.only_opens):
        given = task.of_command(prompt, arguments, given)
    if given is not None:
        heard.goal = given.text
        heard.only_opens = given.only_opens and not is_change
        heard.is_plain = is_task
        heard.is_change = is_change
    size = sum(len(sentence.words) for sentence in sentences)
    heard.continues = goes_on and not heard.goal and size < GOING_ON_WORDS
    return heard


def _hear_lists(prompt: str, parts: list[list[Part]], heard: Heard, share: int) -> set[int]:
    """Keep lists whose first line makes orders of them or forbids, whole or not at all; the places
    of their sentences."""
    taken: set[int] = set()
    for listing in standing_orders.listings(prompt, [clauses[0].sentence for clauses in parts]):
        is_order = standing_orders.is_ordering_list(listing) and standing_orders.may_order(
            prompt, share
        )
        if not (is_order or listing.forbids):
            continue
        text = prompt[listing.start : listing.end]
        sounds = is_order or any(
            classifier.is_rule(looks, None)
            for place in listing.places
            for looks, _, _ in _judge(parts, place, share)
        )
        if sounds and len(text) <= standing_orders.ORDER_CAP:
            sort = "forbids" if listing.forbids else "demands"
            heard.rules.append(Rule(text, sort, is_order, is_order=is_order))
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
            words = spaced(sentence.words[at:])
            heard.rules.append(Rule(text, _sort(words, words, sentence), True, is_order=True))
            taken.add(place)
            before = sentence.ends[-1]
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


def _hear_parts(
    prompt: str,
    parts: list[list[Part]],
    heard: Heard,
    share: int,
    of_prompt: float,
    kept: set[int],
) -> set[int]:
    """Keep what is said for later; the places of sentences that say nothing else."""
    judged = [_judge(parts, place, share) for place in range(len(parts))]
    likeliest = max(
        range(len(parts)), key=lambda place: max(judgement[0] for judgement in judged[place])
    )
    taken: set[int] = set()
    for place, sentence in enumerate(parts):
        if place in kept:
            continue
        around = of_prompt if place == likeliest else None
        # A clause is one thing: what takes back or tells of a failure is not a rule as well.
        sorts = [
            "W" if is_back else "D" if is_dead else "R" if classifier.is_rule(looks, around) else ""
            for looks, is_back, is_dead in judged[place]
        ]
        for first, last, sort in _runs(sorts):
            end = _end_of_failure(sorts, last) if sort == "D" else last
            _keep(prompt, sentence, _from(sentence, sorts, first), end, sort, heard)
        if all(sorts):
            taken.add(place)
    return taken


def _judge(parts: list[list[Part]], place: int, share: int) -> list[tuple[float, bool, bool]]:
    """Of each clause of a sentence how much it looks like a rule, and whether it takes one back or
    tells of a failure. What has the very form of an order looks more like one."""
    around = classifier.of_sentence(features.of_sentence(parts, place, share))
    judgements = []
    for part in parts[place]:
        looks, is_back, is_dead = classifier.of_part(features.of_part(part, place, len(parts)))
        looks += around + classifier.OF_ORDER * features.is_order(part)
        judgements.append((looks, is_back, is_dead))
    return judgements


def _runs(sorts: list[str]) -> list[tuple[int, int, str]]:
    """Neighbouring clauses of one sort are one thing that was said."""
    runs: list[tuple[int, int, str]] = []
    for i, sort in enumerate(sorts):
        if not sort:
            continue
        if runs and runs[-1][1] == i - 1 and runs[-1][2] == sort:
            runs[-1] = (runs[-1][0], i, sort)
        else:
            runs.append((i, i, sort))
    return runs


def _end_of_failure(sorts: list[str], last: int) -> int:
    """What failed is told with how it failed: up to the next thing that is said."""
    while last + 1 < len(sorts) and not sorts[last + 1]:
        last += 1
    return last


def _from(sentence: list[Part], sorts: list[str], first: int) -> int:
    """With the clause before it that says when or where it holds."""
    if first == 1 and not sorts[0] and sentence[0].words[0] in SCOPES:
        return 0
    return first


def _keep(prompt: str, clauses: list[Part], first: int, last: int, sort: str, heard: Heard) -> None:
    sentence = clauses[0].sentence
    at = clauses[first].first
    # Cut where nobody paused, it goes on: "use" and "only urllib" are one order.
    while last + 1 < len(clauses) and _goes_on(clauses[last], clauses[last + 1]):
        last += 1
    end = clauses[last].end
    while (
        sentence.words[at] in LEADS and sentence.starts[at + 1 : at + 2] and sentence.ends[at] < end
    ):
        at += 1
    text = prompt[sentence.starts[at] : end]
    if not text.strip() or len(text) > RULE_CAP:
        return
    if sort == "D":
        heard.dead_ends.append(text)
    elif sort == "R":
        words = [word for part in clauses[first : last + 1] for word in part.words]
        around = f" {' '.join(words)} "
        whole = f" {' '.join(word for part in clauses for word in part.words)} "
        heard.rules.append(Rule(text, _sort(around, whole, sentence), _is_lasting(around)))


def _goes_on(part: Part, after: Part) -> bool:
    """Whether the next clause belongs to it: its reason, or what only our cut took from it."""
    if after.words[0] in REASONS:
        return True
    return not part.mark and after.words[0] not in features.CUTTING


def _sort(text: str, whole: str, sentence: Sentence) -> str:
    if has_any(text, PREFERRING):
        return "prefers"
    denies = sentence.words[0] in ("no", "nope", "nah", "not") and "," in "".join(
        sentence.marks[:4]
    )
    if denies or has_any(whole, CORRECTING):
        return "corrects"
    return "forbids" if has_any(text, FORBIDDING) else "demands"


def _is_lasting(text: str) -> bool:
    if has_any(text, (" always ", " never ", " from now on ")):
        return True
    return has_any(text, LASTING) and not has_any(text, NOT_LASTING)


def _is_change(parts: list[list[Part]]) -> bool:
    """Whether words say outright that the task changes; near the start, where one says so."""
    words = [word for sentence in parts[:2] for part in sentence for word in part.words]
    return has_any(f" {' '.join(words[:25])} ", CHANGING)


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
