"""Pointing: an agent quotes the user, and the user's own words are kept, not the agent's.

The words are looked up in what was typed and widened to the whole unit they stand in (`units.py`);
of a sentence that gives a task, too, a rule is its clause alone (`clauses.py`).

Laws:
  - spans of a turn follow one another and cover it; the typed ones are what `typed_text.own_words`
    leaves standing: there is one judgement;
  - what is kept is verbatim the user's: the quotation only says where to look;
  - the words must be there in order; white space, case, quotation marks and marks of markup may
    differ, and the end may be cut with dots;
  - a part never stands for a whole that says something else: the unit is kept, or nothing;
  - what others wrote, what is asked, and what was withdrawn is never kept;
  - pointing never permits and never lifts anything;
  - time is linear in what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.rooms.prompts import (
    clauses,
    lifting,
    origin,
    similarity,
    typed_text,
)
from holdfast.rooms.prompts.similarity import has_any
from holdfast.rooms.prompts.typed_text import COMMAND, Region, read
from holdfast.rooms.prompts.understanding import sort_of
from holdfast.rooms.prompts.units import Layout, Passage

TYPED = "typed"


@dataclass(slots=True)
class Span:
    """A part of a turn and where it came from: typed, plan, client, command, or the kind of paste
    (log, diff, code, review, table, quotation)."""

    start: int
    end: int
    origin: str


def spans(prompt: str) -> list[Span]:
    """The whole turn as spans, in order; none for an empty one."""
    if not prompt:
        return []
    whose = origin.of(prompt)
    if whose != origin.PERSON:
        return [Span(0, len(prompt), whose)]
    name, _ = origin.command_of(prompt)
    regions = [Region(0, len(name), COMMAND)] if name else []
    regions += [
        Region(region.start + len(name), region.end + len(name), region.kind)
        for region in read(prompt[len(name) :])[1]
    ]
    parts: list[Span] = []
    at = 0
    # Of two that begin together the wider one was recognised around the other.
    for region in sorted(regions, key=lambda region: (region.start, -region.end)):
        if region.end <= at:
            continue
        start = max(region.start, at)
        if start > at:
            _add(parts, prompt, at, start, TYPED)
        _add(parts, prompt, start, region.end, region.kind)
        at = region.end
    if at < len(prompt):
        _add(parts, prompt, at, len(prompt), TYPED)
    return parts


def _add(parts: list[Span], prompt: str, start: int, end: int, origin_: str) -> None:
    if parts and (
        parts[-1].origin == origin_ or (origin_ == TYPED and not prompt[start:end].strip())
    ):
        parts[-1].end = end
    else:
        parts.append(Span(start, end, origin_))


UNIT_CAP = 600
LEAST_WORDS, LEAST_CHARACTERS = 2, 8
MATCHES = 50  # of the same words in one text

EMPTY, NOT_TYPED, TOO_SHORT, TOO_LONG = "empty", "not_typed", "too_short", "too_long"
PLAN, CLIENT, PASTED, QUOTED = "plan", "client", "pasted", "quoted"
QUESTION, PERMISSION, LIFTING, WITHDRAWN = "question", "permission", "lifting", "withdrawn"
AMBIGUOUS = "ambiguous"

# Of each reason what is wrong, and what to do about it.
MESSAGES = {
    EMPTY: ("the quotation has no words", "quote what the user typed"),
    NOT_TYPED: ("the user did not type these words here", "quote them exactly as they were typed"),
    TOO_SHORT: ("this is too short to say what is meant", "quote the whole sentence"),
    TOO_LONG: (
        f"with what belongs to it, this is longer than {UNIT_CAP} characters",
        "quote less of it",
    ),
    PLAN: ("these words stand in a plan, which an agent wrote", "quote what the user typed"),
    CLIENT: ("these words are the client's, not the user's", "quote what the user typed"),
    PASTED: (
        "these words were pasted: code, output or somebody else's text",
        "quote the user's own words about it",
    ),
    QUOTED: (
        "these words are a quotation within what the user typed",
        "quote the user's own words around it",
    ),
    QUESTION: ("the user asked this, and did not settle it", "quote the answer, if there is one"),
    PERMISSION: (
        "this is a permission, and pointing never makes one",
        "only the user can keep it, in a terminal outside the agent",
    ),
    LIFTING: (
        "this takes a rule back, and pointing never lifts anything",
        "only the user can withdraw a rule",
    ),
    WITHDRAWN: ("the user has withdrawn this since", "only the user can bring it back"),
    AMBIGUOUS: ("the user typed these words in more than one place", "quote the whole sentence"),
}

WORD = re.compile(r"[^\s<>\u2013\u2014\u2192]+")
EDGES = ".,;:!?/\u2026\"'`*_~#>|()[]{}<\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"
DOTS = ("...", "\u2026")

# What is asked of the agent, in the form of a question.
REQUESTS = ("can you ", "could you ", "would you ", "will you ", "would you mind ", "please ")
OUR_REQUESTS = ("can we ", "could we ", "can it ", "could it ", "why don't you ", "why don't we ")
URGING = frozenset("please just always never also instead not only rather simply".split())
LASTING = frozenset(("always", "never"))
# Asked of the agent, and answered with words.
INQUIRING = frozenset(
    "tell explain say describe clarify confirm summarize summarise elaborate remind give show"
    " check see find look list".split()
)
TAGS = (
    ", ok?", ", okay?", ", please?", ", alright?", ", understood?", ", got it?", ", deal?",
)  # fmt: skip
# A question even without its mark.
ASKING = (
    "should we ", "should i ", "should it ", "shall we ", "shall i ", "do we ", "do you think ",
    "is it ", "is there ", "is this ", "is that ", "are there ", "are we ", "are you ", "does it ",
    "does this ", "does that ", "did you ", "did we ", "what if ", "what about ", "how about ",
    "what is ", "what are ", "what does ", "what do ", "what's ", "why is ", "why does ", "why do ",
    "why did ", "how do ", "how does ", "how is ", "how can ", "where is ", "where are ",
    "which one ", "would it ", "wouldn't it ", "could it be ", "shouldn't we ",
)  # fmt: skip
LEADS = frozenset(
    "and but also so then plus ok okay btw well hm hmm ah oh yes yeah right great hey".split()
)
WITHOUT_ASKING = " without asking "
TO_THE_AGENT = (
    " you may ", " you can ", " you could ", " you're allowed ", " you are allowed ",
    " you're free to ", " you are free to ", " you have permission ", " feel free ",
    " allows you ", " i allow you ", " i permit you ",
)  # fmt: skip
PERMITTING = (
    *TO_THE_AGENT, *lifting.PERMITTING, " go ahead ", " it's alright to ", " it is alright to ",
    " allowed to ", " permitted ", " no need to ask ", WITHOUT_ASKING, " i allow ", " i permit ",
    " i authorize ", " i authorise ", " i'm fine with ", " i'm ok with ", " i'm okay with ",
    " ok to ", " okay to ", " fine to ", " don't need to ask ", " allow ", " be my guest ",
    " is okay ", " is ok ",
)  # fmt: skip
# A question whose answer would be a permission.
ASKING_LEAVE = (
    " may i ", " can i ", " could i ", " should i ", " shall i ", " am i allowed ", " allowed to ",
    " permission ", " ok to ", " okay to ", " fine to ", " ok if i ", " okay if i ", " mind if i ",
)  # fmt: skip
# Before "you can", and it is no permission: "if you can", "as you can see".
NO_PERMISSION_AFTER = frozenset(
    "if as where when whenever that what how so before until once sure whether think because"
    " which than wherever".split()
)
DENYING = frozenset("not never no don't isn't aren't nothing nobody only".split())


@dataclass(frozen=True, slots=True)
class Unit:
    """The user's own words, whole."""

    text: str  # its spans, a line each
    spans: tuple[tuple[int, int], ...]  # of the prompt
    sort: str  # forbids, demands, corrects or prefers

    @property
    def start(self) -> int:
        return self.spans[0][0]

    @property
    def end(self) -> int:
        return self.spans[-1][1]


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a quotation is not kept."""

    reason: str

    @property
    def message(self) -> str:
        return MESSAGES[self.reason][0]

    @property
    def hint(self) -> str:
        return MESSAGES[self.reason][1]


def unit_of(
    prompt: str,
    quote: str,
    *,
    as_rule: bool = True,
    is_answer: bool = False,
    withdrawn: Sequence[str] = (),
) -> Unit | Refused:
    """The unit of a prompt that holds a quotation, as a rule or as a choice of the user's.

    `is_answer`: the text is an answer or a refusal, so all of it is the person's; `withdrawn` are
    texts that the user took back after it."""
    wanted = _words(quote)
    if not wanted:
        return Refused(EMPTY)
    if as_rule and len(wanted) < LEAST_WORDS:
        return Refused(TOO_SHORT)
    if max(wanted, key=len) not in prompt.lower().replace("\u2019", "'") and not _is_cut(quote):
        return Refused(NOT_TYPED)
    pieces = [piece for piece in WORD.finditer(prompt) if _bare(piece.group())]
    matches = _matches(pieces, wanted, is_cut=_is_cut(quote))
    if not matches:
        return Refused(NOT_TYPED)
    whose = origin.PERSON if is_answer else origin.of(prompt)
    if whose != origin.PERSON:
        return Refused(PLAN if whose == origin.PLAN else CLIENT)
    typed = prompt if is_answer else _typed(prompt)
    return _best(prompt, typed, wanted, matches, as_rule=as_rule, withdrawn=withdrawn)


def _typed(prompt: str) -> str:
    """The prompt with everything blanked that the person did not type, its length kept; inline
    quotations as GAP. The one place that says whose words they are."""
    return typed_text.own_words(prompt)


def same_words(text: str, other: str) -> bool:
    """Whether two texts have the same words in the same order."""
    return _words(text) == _words(other)


def _words(text: str) -> list[str]:
    """Words as they are compared: without case, marks and quotation marks."""
    return [word for piece in WORD.findall(text) if (word := _bare(piece))]


def _is_cut(quote: str) -> bool:
    return quote.rstrip().rstrip("\"'`\u201d\u2019").endswith(DOTS)


def _bare(piece: str) -> str:
    word = piece.lower().replace("\u2019", "'").strip(EDGES)
    while word and not word[-1].isascii() and not word[-1].isalnum():  # an emoji
        word = word[:-1].rstrip(EDGES)
    return word


def _matches(
    pieces: list[re.Match[str]], wanted: list[str], *, is_cut: bool
) -> list[tuple[int, int]]:
    """Where the words stand, one after the other: the places in the text."""
    words = [_bare(piece.group()) for piece in pieces]
    text = f" {' '.join(words)} "
    needle = f" {' '.join(wanted)}" + ("" if is_cut else " ")
    starts: dict[int, int] = {}
    at = 0
    for number, word in enumerate(words):
        starts[at] = number
        at += len(word) + 1
    matches: list[tuple[int, int]] = []
    at = text.find(needle)
    while at >= 0 and len(matches) < MATCHES:
        first = starts[at]
        last = first + len(wanted) - 1
        matches.append((pieces[first].start(), pieces[last].end()))
        at = text.find(needle, at + 1)
    return matches


def _best(
    prompt: str,
    typed: str,
    wanted: list[str],
    matches: list[tuple[int, int]],
    *,
    as_rule: bool,
    withdrawn: Sequence[str],
) -> Unit | Refused:
    """Of the places where the words stand the one that is meant."""
    layout = Layout(typed)
    is_short = len(wanted) < LEAST_WORDS or len(" ".join(wanted)) < LEAST_CHARACTERS
    units: dict[tuple[tuple[int, int], ...], Unit] = {}
    refusals: list[Refused] = []
    for match in matches:
        unit = _unit_at(prompt, typed, layout, match, as_rule=as_rule)
        if isinstance(unit, Refused):
            refusals.append(unit)
        elif _words(unit.text) == wanted:
            return _unless_withdrawn(unit, withdrawn)
        elif is_short and (as_rule or not _opens(layout, match)):
            refusals.append(Refused(TOO_SHORT))
        else:
            units.setdefault(unit.spans, unit)
    if len(units) > 1:
        return Refused(AMBIGUOUS)
    if not units:
        return next((each for each in refusals if each.reason not in (PASTED, QUOTED)), refusals[0])
    return _unless_withdrawn(next(iter(units.values())), withdrawn)


def _opens(layout: Layout, match: tuple[int, int]) -> bool:
    """Whether it is what a sentence begins with, as an answer is: "yes, 2, and rename it"."""
    passage = layout.passages[layout.passage_at(match[0])]
    return LEADS.issuperset(_words(layout.text[passage.mark : match[0]]))


def _unit_at(
    prompt: str, typed: str, layout: Layout, match: tuple[int, int], *, as_rule: bool
) -> Unit | Refused:
    reason = _foreign(prompt, typed, *match)
    if reason:
        return Refused(reason)
    first, last = layout.passage_at(match[0]), layout.passage_at(match[1] - 1)
    if first < 0:
        return Refused(PASTED)
    if all(_asks(layout, number, match) for number in range(first, last + 1)):
        return Refused(QUESTION)
    spans = layout.whole(first, last)
    if as_rule and first == last:
        spans = _to_clause(prompt, layout.passages[first], spans, match)
    if sum(end - start + 1 for start, end in spans) - 1 > UNIT_CAP:
        return Refused(TOO_LONG)
    if any(_has_foreign(prompt, typed, *span) for span in spans):
        return Refused(PASTED)
    text = "\n".join(prompt[start:end] for start, end in spans)
    if _lifts(text):
        return Refused(LIFTING)
    if permits(text, PERMITTING if as_rule else TO_THE_AGENT):
        return Refused(PERMISSION)
    return Unit(text, tuple(spans), sort_of(text))


def _to_clause(
    prompt: str, passage: Passage, spans: list[tuple[int, int]], match: tuple[int, int]
) -> list[tuple[int, int]]:
    """The spans without the task that a sentence gives beside the rule."""
    begin, end = spans[-1]
    if end != passage.end:
        return spans  # an exception of its own, or more, goes with it
    at = passage.start
    first, last = clauses.around(prompt[at:end], match[0] - at, match[1] - at)
    start, stop = clauses.ruling(prompt[at + first : at + last])
    start, stop = at + first + start, at + first + stop
    if start == at:
        return [*spans[:-1], (begin, stop)]
    above = [(begin, len(prompt[: passage.mark].rstrip()))] if begin < passage.mark else []
    return [*spans[:-1], *above, (start, stop)]


def _foreign(prompt: str, typed: str, start: int, end: int) -> str:
    """Why a quotation is not of the person's own words; "" when it is."""
    if _has_foreign(prompt, typed, start, end):
        within = (span.origin for span in spans(prompt) if span.start < end and start < span.end)
        return CLIENT if next(iter(within), "") in (origin.CLIENT, COMMAND) else PASTED
    if not typed[start:end].replace(typed_text.GAP, "").strip(f"{EDGES} \n"):
        return QUOTED
    return ""


def _has_foreign(prompt: str, typed: str, start: int, end: int) -> bool:
    """Whether anything in a stretch was blanked."""
    return any(
        own.isspace() and not there.isspace()
        for own, there in zip(typed[start:end], prompt[start:end], strict=True)
    )


def _asks(layout: Layout, number: int, match: tuple[int, int]) -> bool:
    """Whether a passage asks, as far as it is quoted: "it is at X, can we log it?" does not when
    only its beginning is."""
    words = layout.words(number)
    passage = layout.passages[number]
    if match[0] <= passage.start and not words.startswith(("if ", "when ")):
        quoted = " ".join(_words(layout.text[passage.start : match[1]]))
        rest = layout.text[match[1] : passage.end].lower().lstrip(", ;-(")
        if rest.startswith((*REQUESTS, *OUR_REQUESTS)) and not quoted.startswith(ASKING):
            return False
    return is_question(words)


def is_question(words: str) -> bool:
    """Whether a sentence in lower case asks, rather than asks for something to be done."""
    words = _without_leads(words)
    if words.endswith(TAGS):
        return False
    has_mark = words.rstrip(" )\"'").endswith("?")
    following = words.split()[2:5]
    if words.startswith(REQUESTS):
        return not INQUIRING.isdisjoint(following[:2]) and LASTING.isdisjoint(following)
    if words.startswith(OUR_REQUESTS):
        return has_mark and URGING.isdisjoint(following)
    return has_mark or words.startswith(ASKING)


def _without_leads(words: str) -> str:
    first, _, rest = words.partition(" ")
    while rest and first.strip(",.") in LEADS:
        words = rest.lstrip()
        first, _, rest = words.partition(" ")
    return words


def _lifts(text: str) -> bool:
    """Whether it speaks of lifting a rule."""
    spoken = f" {' '.join(_words(text))} "
    return (
        lifting.may_lift(text)
        and has_any(spoken, lifting.LIFTING)
        and has_any(spoken, lifting.RULE_WORDS)
    )


def asks_leave(question: str) -> bool:
    """Whether a question asks whether something may be done: its answer is a permission."""
    return has_any(f" {' '.join(_words(question))} ", ASKING_LEAVE)


def permits(text: str, phrases: tuple[str, ...] = PERMITTING) -> bool:
    """Whether a text permits something: it speaks of permission, and does not deny it. Of a choice
    only what is said to the agent counts: "A is fine" permits nothing."""
    spoken = f" {' '.join(_words(text))} "
    for phrase in phrases:
        at = spoken.find(phrase)
        while at >= 0:
            before = spoken[:at].split()
            if phrase != WITHOUT_ASKING:  # else denied by any word: "never do it without asking"
                before = before[-1:]
            after = spoken[at + len(phrase) :].split()[:1]
            is_denied = not DENYING.isdisjoint(before + after)
            is_other = phrase.startswith(" you c") and not NO_PERMISSION_AFTER.isdisjoint(before)
            if not is_denied and not is_other:
                return True
            at = spoken.find(phrase, at + 1)
    return False


def _unless_withdrawn(unit: Unit, withdrawn: Sequence[str]) -> Unit | Refused:
    words = f" {' '.join(_words(unit.text))} "
    for text in withdrawn:
        gone = f" {' '.join(_words(text))} "
        if words in gone or gone in words or similarity.is_same_rule(unit.text, text):
            return Refused(WITHDRAWN)
    return unit
