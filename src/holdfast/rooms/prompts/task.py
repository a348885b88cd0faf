"""Whether a turn gives a task, and which words of it say the task.

People word a task in few ways: an order ("Add a flag"), a proposal ("let's drop the cache"), a
request that looks like a question ("can you fix the build?"), a wish ("I'd like the list sorted"),
a problem that they report ("the build fails since Monday"), a command with arguments. This module
knows these forms by their opening words and nothing of what the task is about.

Laws:
  - the task is a verbatim part of the prompt: the sentence that asks, with what belongs to it;
  - a question asks for no work unless it is worded as a request; saying yes, going on, and single
    acts of version control give no task;
  - what asks to look, or only reports, opens a session that has no task yet, and changes none;
  - in doubt it is no task.
"""

from __future__ import annotations

from holdfast.rooms.prompts import typed_text
from holdfast.rooms.prompts.similarity import is_content
from holdfast.rooms.prompts.typed_text import QUOTED, Sentence
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

GOAL_CAP = 300
# How strongly a sentence asks for work.
NOTHING, REPORTS, LOOKS, ASKS = range(4)

# Said before a request, and no part of it.
LEADS = frozenset(
    "ok okay yes yeah yep no nope great good nice cool perfect thanks now also and but so then"
    " first next well hm hmm ah oh hey hi hello right actually sorry btw maybe alright please again"
    " argh finally instead lastly additionally further just quick quickly short sure".split()
)
AGREEING = frozenset("yes yeah yep yup sure ok okay lgtm agreed correct exactly".split())
# Between the words of a request and its verb.
BETWEEN = frozenset(
    "please also just now then first maybe quickly again actually instead still simply try to help"
    " me us you start begin go ahead and continue really even either both completely already"
    " together later not only always we i work on".split()
)
# Changes the work, or is work by itself.
WORKING = frozenset(
    "adapt add address adjust adopt align allow alter analyse analyze annotate append apply archive"
    " assign attach audit automate avoid backfill backport benchmark bisect block bootstrap"
    " brainstorm break build bump bundle cache capture change clean cleanup clear"
    " collapse combine configure connect consolidate convert correct cover create customize"
    " cut debug decouple dedupe deduplicate define delete deploy deprecate design detect develop"
    " diagnose disable display distinguish document draft drop edit eliminate embed enable encrypt"
    " enforce enhance ensure exclude expand explore export expose extend extract filter fix"
    " flatten format gather generate group guard handle harden hide highlight hook implement"
    " import improve include increase inline insert install instrument integrate introduce"
    " invert investigate isolate limit link load localize lock make map measure merge migrate"
    " minimize mirror mock modernize modify monitor move normalise normalize notify omit optimise"
    " optimize organise organize override package parse patch pin plan populate port prefix"
    " prepare prevent print produce profile propagate propose protect prototype prove provide"
    " raise rearrange rebuild record redesign redirect reduce refactor refine reformat regenerate"
    " register release reload remove rename render reorder reorganise reorganize repair replace"
    " reproduce research resize resolve restore restrict restructure rethink return reuse revamp"
    " reverse revert revise rework rewrite rotate save scaffold scan schedule secure seed"
    " send separate serialize set setup shorten simplify skip solve sort specify speed split"
    " stop store stream streamline strip style suppress support swap switch sync"
    " synchronize teach tidy toggle trace track transform translate treat trim troubleshoot"
    " truncate tune turn tweak undo unify unwrap update upgrade use validate vendor wire wrap"
    " write".split()
)
# Asks to look, to tell, to try: enough to open a session, never to change its task.
LOOKING = frozenset(
    "assess check compare confirm consider determine do double-check"
    " evaluate examine figure find have identify inspect look play"
    " read recheck recommend reply report respond review run see spawn start study"
    " suggest take test think try ultrathink verify"
    " walk work".split()
)
# Acts of version control and of the moment.
OPERATING = frozenset(
    "amend cherry-pick checkout close comment commit fetch fold force-push merge open post publish"
    " pull push rebase rerun reset retry revert run squash stage stash tag unstage".split()
)
OPERATED = frozenset(
    "branch branches comment comments commit commits description merge pr prs push rebase summary"
    " worktree".split()
)
# Verbs that make a commit, a branch or a pull request rather than work.
MAKING = frozenset(
    "add break bring create cut draft edit generate get give group log make mark move put rename"
    " reply respond send set split switch update use write".split()
)
REQUESTS = (
    "can you", "could you", "would you", "will you", "can we", "could we", "can i have",
    "would you mind", "i want you to", "i want us to", "i'd like you to", "i'd like us to",
    "i would like you to", "i need you to", "is it possible to", "any chance you could",
    "is there any chance you could", "let's", "let us", "please", "we should", "we need to",
    "we have to", "we must", "we want to", "we'd like to", "i want to", "i'd like to",
    "i would like to", "i need to", "need to", "i do want to", "i'd love to", "i'm trying to",
    "you should", "you need to", "i think we should", "i think we need to",
    "i think we can", "i think you should", "i suggest we", "i suggest to", "i would suggest we",
    "i'd suggest we", "i propose to", "i propose we", "maybe we should", "maybe we can",
    "it'd be nice to", "it would be nice to", "would be nice to", "would be good to",
    "i wonder if we can", "i wonder if we could", "how about we", "your task is to",
    "the task is to", "the goal is to", "time to", "want to", "feel free to",
)  # fmt: skip
# A wish for a thing: what is wished for follows at once.
WISHES = (
    "i want", "i'd like", "i would like", "i do want", "i need", "we need", "need a", "need an",
    "need some", "we want", "i'm looking for",
    "i'm working on", "we are working on", "we're working on", "we will work on",
    "new change", "new task", "next task", "next problem", "the next problem", "first problem",
    "todo", "task", "next thing", "next up", "bug", "feature", "debug", "brainstorm",
)  # fmt: skip
# How to do something: asked before there is a task, it is the task.
HOW_TO = (
    "how can we", "how could we", "how can i", "how do we", "how would we", "how should we",
    "how hard would it be to", "how can it be", "how can this be", "what would it take to",
    "what's the best way to", "what is the best way to", "what's the proper fix",
    "what is the proper fix", "what's the most", "what is the most",
)  # fmt: skip
# What is said of something that does not work.
TROUBLE = frozenset(
    "broken breaks break bug bugs crash crashed crashes crashing error errors exception fail failed"
    " failing fails failure failures flaky hang hangs incorrect incorrectly inconsistent leak"
    " leaking leaks issue issues missing outdated obsolete panic panics problem problems"
    " regression segfault slow slower slowly stale stuck timeout unused vulnerability warning"
    " warnings weird wrong wrongly duplicated duplicate".split()
)
NOT_DOING = frozenset("doesn't didn't don't isn't aren't can't won't not never wasn't".split())
DOING = frozenset(
    "work working works show shown display displayed appear render rendered load loaded return"
    " start part there set updated created used possible respond match".split()
)
# Names nothing by itself.
POINTING = frozenset(
    "it this that these those them they one ones option options thing things something all fix"
    " change changes same both rest else way stuff plan step steps phase approach first second"
    " third issue".split()
)
# Ask wherever they stand in a sentence: speech has few commas.
ANYWHERE = frozenset(("can", "could", "would", "let's", "i'd", "i", "we", "please"))
# Before "can we" they make a question or a condition of it.
ASKING = frozenset(
    "after and as because before how if like or so than that then until what what's when where"
    " wherever whether which who why".split()
)
LOGGING, LOGGED = (
    frozenset(("log", "file", "open")),
    frozenset(("issue", "issues", "bug", "ticket")),
)
# "Next thing:" is no way of saying "next".
HEADINGS = frozenset("thing things task problem up change issue step".split())
WH = frozenset("what what's which where who whose when how why".split())
YES_OR_NO = frozenset("is are was were do does did has have isn't doesn't don't didn't".split())
AUXILIARIES = YES_OR_NO | frozenset("can could will would should".split())
DOING_IT = frozenset("do make run perform give".split())
WORK_DONE = frozenset(
    "analysis audit cleanup dive investigation refactor refactoring review rewrite".split()
)
RUN = frozenset("run rerun retry".split())
OPENING_WORDS = 8  # of the longest one, and more
TELLING_WORDS = 5  # of a sentence that tells what a request points at
NAMING_WORDS = 2  # a request that names less points at what was said before
SHORT, ENOUGH = 80, 200  # characters: what is shorter takes in what follows it, up to enough
BREAKS = ",;:\u2014("
WORDS_OF_CONSENT = 12  # who says yes and little more goes on
WORDS_OF_A_TURN = 3  # who says less only points at something


def _by_first_word(openings: tuple[str, ...]) -> dict[str, list[str]]:
    """Longest first, so that "i want you to" is not taken for "i want"."""
    table: dict[str, list[str]] = {}
    for opening in sorted(openings, key=len, reverse=True):
        table.setdefault(opening.split(" ", 1)[0], []).append(opening)
    return table


_REQUESTS, _WISHES, _HOW_TO = map(_by_first_word, (REQUESTS, WISHES, HOW_TO))


class Form(Value):
    """How strongly a sentence asks, and whether it only points at what it asks for."""

    strength: int
    is_pointing: bool = False


class Task(Value):
    """Words that give a task; one that only opens changes none that is there."""

    text: str
    only_opens: bool


def given(prompt: str, sentences: Sequence[Sentence], rules: set[int]) -> Task | None:
    """The task that a turn gives, by the sentences of the person's own; those at `rules` say
    something else."""
    forms = [
        Form(NOTHING) if place in rules else form(sentence)
        for place, sentence in enumerate(sentences)
    ]
    _point(sentences, forms)
    strengths = [each.strength for each in forms]
    strongest = max(strengths, default=NOTHING)
    if strongest == NOTHING:
        return None
    if strongest == LOOKS and REPORTS in strengths:
        strongest = ASKS  # something is wrong, and somebody shall look
    return Task(_text(prompt, sentences, forms, rules), only_opens=strongest != ASKS)


def _point(sentences: Sequence[Sentence], forms: list[Form]) -> None:
    """A request that names nothing asks for what the rest of the turn tells, if it tells any."""
    reports = any(each.strength == REPORTS for each in forms)
    tells = any(
        len(_naming(sentence.words)) >= TELLING_WORDS
        for sentence, each in zip(sentences, forms, strict=True)
        if not (each.is_pointing or sentence.is_question)
    )
    for place, each in enumerate(forms):
        if each.is_pointing:
            strength = each.strength if reports else min(each.strength, LOOKS) if tells else NOTHING
            forms[place] = Form(strength, is_pointing=True)


def why(text: str) -> str:
    """The form of words by which a text is a task."""
    spoken = typed_text.sentences(text)
    forms = [form(sentence) for sentence in spoken]
    if not any(each.strength for each in forms):
        return "what follows a command"
    place = _place(spoken, forms)
    words = spoken[place].words
    for at in _clause_starts(spoken[place]) if forms[place].strength >= LOOKS else ():
        if _form_at(words, at, spoken[place].is_question):
            for name, openings in (
                ("a request", _REQUESTS),
                ("a wish", _WISHES),
                ("a question how to", _HOW_TO),
            ):
                opening = _opening(openings, words, at)
                if opening:
                    return f'{name}, "{opening}"'
            return f'an order, "{words[at]}"'
    return "a problem that it reports"


def names_a_place(arguments: str) -> bool:
    """Whether a command's arguments name a file or an address."""
    return any("/" in word for word in arguments[:GOAL_CAP].split())


def of_command(prompt: str, arguments: str, asked: Task | None) -> Task | None:
    """A command with arguments is a task; in more than a few words they say it themselves."""
    if len(arguments.split()) < WORDS_OF_A_TURN and not names_a_place(arguments):
        return asked
    if asked is not None:
        return Task(asked.text, only_opens=False)
    return Task(cut(prompt.rstrip()), only_opens=False)


def form(sentence: Sentence) -> Form:
    """How strongly a sentence asks for work, and whether it only points at it."""
    words = sentence.words
    opening = _skip(words, 0)
    best = NOTHING
    for at in _clause_starts(sentence):
        best = max(best, _form_at(words, at, sentence.is_question))
        if best == ASKS:
            break
    if _is_open_question(sentence, opening):
        best = min(best, LOOKS) if _opening(_HOW_TO, words, opening) else NOTHING
    if best == ASKS and words[0] in AGREEING and len(words) < WORDS_OF_CONSENT:
        return Form(NOTHING)
    reports = _reports(sentence, words[opening])
    if best in (ASKS, LOOKS):
        if _operates(words):
            return Form(NOTHING)
        if best == LOOKS and reports:
            best = ASKS
        return Form(best, is_pointing=not _naming(words))
    return Form(REPORTS if reports else NOTHING)


def _is_open_question(sentence: Sentence, at: int) -> bool:
    """What, how, why? "When it fails, can you ...?" asks otherwise."""
    words = sentence.words
    if not sentence.is_question or words[at] not in WH:
        return False
    return words[at] != "when" or bool(AUXILIARIES.intersection(words[at + 1 : at + 2]))


def _skip(words: list[str], at: int) -> int:
    """Past what is said before a request, and past an address."""
    while at < len(words) - 1 and (words[at] in LEADS or "://" in words[at]):
        if words[at] == "please" or words[at + 1] in HEADINGS:
            break
        at += 1
    return at


def _opening(openings: dict[str, list[str]], words: list[str], at: int) -> str:
    """Which of the openings stands there; "" when none does."""
    choice = openings.get(words[at])
    if choice is None:
        return ""
    ahead = " ".join(words[at : at + OPENING_WORDS]) + " "
    return next((opening for opening in choice if ahead.startswith(opening + " ")), "")


def _clause_starts(sentence: Sentence) -> list[int]:
    words, marks = sentence.words, sentence.marks
    starts = []
    for i, word in enumerate(words):
        is_start = not i or any(mark in marks[i - 1] for mark in BREAKS)
        is_joined = bool(i) and words[i - 1] in ("and", "but", "so", "then")
        if not (is_start or is_joined):
            if word in ANYWHERE and words[i - 1] not in ASKING:
                starts.append(i)
            continue
        starts.append(_skip(words, i))
    return starts


def _form_at(words: list[str], at: int, is_question: bool) -> int:
    request = _opening(_REQUESTS, words, at)
    if request:
        after = at + request.count(" ") + 1
        if words[after : after + 1] == ["show"] and " you" not in request:
            return ASKS  # "could we show": not to us
        return _verb(words, after, is_question and request != "let's")
    if _opening(_WISHES, words, at) and not (is_question and at):
        return LOOKS if is_question else ASKS
    if _opening(_HOW_TO, words, at):
        return LOOKS
    if is_question or not _is_order(words, at):
        return NOTHING
    if _works(words, at) and not words[at].endswith("ing"):
        return ASKS
    return LOOKS if words[at] in LOOKING else NOTHING


def _is_order(words: list[str], at: int) -> bool:
    """Whether a verb at the start of a clause orders: "test it", not "test is red"."""
    after = words[at + 1] if at + 1 < len(words) else ""
    return bool(after) and after not in (
        "is", "are", "was", "were", "has", "have", "does", "doesn't", "isn't", "should", "would",
        "could", "can", "will", "of", "failed", "fails", "seems", "looks",
    )  # fmt: skip


def _verb(words: list[str], at: int, is_question: bool) -> int:
    while at < len(words) and words[at] in BETWEEN:
        at += 1
    if at >= len(words):
        return NOTHING
    if _works(words, at):
        return ASKS
    return LOOKS if words[at] in LOOKING or not is_question else NOTHING


def _works(words: list[str], at: int) -> bool:
    """Whether a verb changes the work: "add", "adding", "do a review"."""
    verb = words[at]
    if verb in DOING_IT and not WORK_DONE.isdisjoint(words[at + 1 : at + 7]):
        return True
    if verb.endswith("ing"):
        return verb[:-3] in WORKING or verb[:-3] + "e" in WORKING
    return verb in WORKING


def _operates(words: list[str]) -> bool:
    """Whether all that is asked for are acts of version control, or of the moment."""
    verbs = [i for i, word in enumerate(words) if word in WORKING or word in OPERATING | LOGGING]
    return bool(verbs) and all(_is_operation(words, at) for at in verbs)


def _is_operation(words: list[str], at: int) -> bool:
    verb, ahead = words[at], words[at + 1 : at + 6]
    if verb == "move" and ahead[:1] == ["on"]:
        return True
    if verb in RUN:
        return len(words) < 7
    if verb in OPERATING:
        return True
    if verb in LOGGING and not LOGGED.isdisjoint(ahead):
        return True
    return verb in MAKING and not OPERATED.isdisjoint(ahead[:4])


def _naming(words: list[str]) -> list[str]:
    """The words that name what the work is about."""
    return [
        word
        for word in words
        if (is_content(word) or word == QUOTED or "://" in word or "/" in word)
        and word not in POINTING
        and word not in WORKING
        and word not in LOOKING
        and word not in LEADS
        and word not in AGREEING
    ]


def _reports(sentence: Sentence, opening: str) -> bool:
    words = sentence.words
    if len(words) < WORDS_OF_A_TURN:
        return False
    if sentence.is_question and opening != "why" and (opening in WH or opening in YES_OR_NO):
        return False
    if not TROUBLE.isdisjoint(words):
        return True
    return any(
        word in NOT_DOING and not DOING.isdisjoint(words[i + 1 : i + 4])
        for i, word in enumerate(words)
    )


def _text(prompt: str, sentences: Sequence[Sentence], forms: list[Form], rules: set[int]) -> str:
    """The sentence that asks; with the one that reports where it only points at that, and with
    what follows where it is short."""
    place = _place(sentences, forms)
    asked = sentences[place]
    start, end = _start(asked), asked.ends[-1]
    if forms[place].strength >= LOOKS and len(_naming(asked.words)) < NAMING_WORDS:
        reports = [i for i in range(place) if forms[i].strength == REPORTS]
        if not reports and place == len(sentences) - 1:
            reports = list(range(place))[-1:]
        if reports:
            place = reports[0]
            start = _start(sentences[place])
            if end - start > GOAL_CAP:
                end = sentences[place].ends[-1]
    for after in range(place + 1, len(sentences)):
        further = sentences[after].ends[-1]
        if end - start >= SHORT or further - start > ENOUGH or after in rules:
            break
        end = max(end, further)
    if prompt[end : end + 1] in (".", "!", "?"):
        end += 1
    return cut(prompt[start:end])


def _place(sentences: Sequence[Sentence], forms: list[Form]) -> int:
    """Of the first sentence that asks; of one that only points, or of an item of a list, where
    nothing else asks."""
    asking = [i for i, each in enumerate(forms) if each.strength >= LOOKS]
    if not asking:
        return next(i for i, each in enumerate(forms) if each.strength)
    return min(asking, key=lambda i: (sentences[i].is_item, forms[i].is_pointing, i))


def _start(sentence: Sentence) -> int:
    """Where the task begins in its sentence: past an address."""
    at = 0
    while at < len(sentence.words) - 1 and "://" in sentence.words[at]:
        at += 1
    return sentence.starts[at]


def cut(text: str) -> str:
    """At most as much as a goal may have, to a whole word."""
    if len(text) <= GOAL_CAP:
        return text
    return text[:GOAL_CAP].rsplit(None, 1)[0] if " " in text[:GOAL_CAP] else text[:GOAL_CAP]
