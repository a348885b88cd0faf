"""Orders by themselves: sentences to the agent that say of themselves that they last.

"Never push to main." is one; "the importer should never drop a row" is what a product shall do. A
rule that was only inferred is wrong far more often than not, so this is the one form of words that
other sessions are told without the person having kept or repeated it.

Laws:
  - an order is a whole sentence of the person's own, what a colon in one announces, or a line with
    all bullets under it, verbatim;
  - it begins with the words that make it last, and then with something to be done;
  - what a product shall do by itself, and what is said for the moment, asked, or written as a
    document is no order;
  - in doubt it is none.
"""

from __future__ import annotations

from holdfast.agents.surroundings import INSTRUCTIONS
from holdfast.rooms.prompts.typed_text import Sentence, spaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Said before an order, and no part of what makes it one.
LEADS = frozenset(
    "and but also so then plus ok okay btw well hm hmm ah oh yes yeah right great no nope please"
    " hey important rule rules reminder again just simply".split()
)
PREPOSITIONS = frozenset(
    "about after although as at because before between by during except for from if in into like on"
    " once over per since than though to under unless until via when wherever while with".split()
)
FILLERS = frozenset(("please", "you", "just", "ever", "again", "to", "should"))
# Each opens an order by itself; longer ones first.
OPENINGS = (
    "from now on please never", "from now on please always", "from now on please don't",
    "from now on never", "from now on always", "from now on don't", "from now on you",
    "from now on please", "from now on", "going forward always", "going forward never",
    "going forward don't", "going forward please", "going forward", "in future please",
    "in future", "in the future please", "in the future", "under no circumstances should you",
    "under no circumstances", "you must never", "you must always", "you should never",
    "you should always", "make sure you never", "make sure you always", "make sure to never",
    "make sure to always", "remember to never", "remember to always", "remember never",
    "remember always", "i want you to never", "i want you to always", "don't you ever",
    "don't ever", "never ever", "never again", "never", "always",
)  # fmt: skip
# What an agent does and a program hardly ever: with one of these an order is about the work.
WORK = frozenset(
    "amend answer apologise apologize ask assume branch bump comment commit consult deploy discuss"
    " edit explain follow force force-push format guess hardcode install invent investigate lint"
    " mention merge mock modify plan prefer propose publish push read rebase refactor reformat"
    " release rename reply respond review rewrite run sign speak squash stash stub suggest"
    " summarise summarize tag talk tell test touch translate update upgrade use verify work".split()
)
# Done by agents and by programs: an order when its object is of the work.
EITHER = frozenset(
    "add change check clean copy create delete document do drop give go import include keep leave"
    " make move name open put remove set show skip start stop write".split()
)
# What an agent does, or is asked for.
TASKS = (
    WORK
    | EITHER
    | frozenset(
        "adapt address adjust allow alter analyse analyze annotate attach audit automate backfill"
        " batch begin benchmark bootstrap break bring build call catch cite close compare compile"
        " compress compute configure confirm connect consolidate convert cover debug declare"
        " decouple dedupe describe design diagnose disable downgrade draft eliminate enable encrypt"
        " ensure evaluate examine execute expand explore export expose extend extract figure filter"
        " find finish fix flatten gather generate get group guard harden identify ignore implement"
        " improve index inline instrument integrate introduce join kill limit link localize look"
        " map measure migrate mirror monitor normalize optimise optimize override package parse"
        " paste patch pin port prefix prepare prevent produce profile protect prototype provide"
        " pull quote reduce regenerate repair replace reproduce resolve restrict restructure rework"
        " rotate scaffold schedule search secure seed ship silence simplify solve speed split"
        " stream strip style support suppress swallow swap switch sync take teach think tidy trace"
        " track trim try tune tweak type unify validate vendor wire wrap".split()
    )
)
OBJECTS = frozenset(
    "agents agents.md api branch branches changelog code comment comments commit commits"
    " dependencies dependency diff docs docstring docstrings documentation emoji emojis file files"
    " function functions git github issue issues libraries library lint linter main master message"
    " messages migration migrations package packages plan pr prs production push readme repo"
    " repository review schema subagent subagents test tests todo todos typecheck types worktree"
    " worktrees".split()
) | {name.lower() for name in INSTRUCTIONS}
# Verbs of another class that follow "always" in an order.
DONE = frozenset("cc handle escape log-in ping re-read rerun validate".split())
# Done by a program alone: after "always" what a product shall do, and after "never", too, if shown.
SHOWN = frozenset(
    "animate block crash display emit exit expire fall hide highlight let load lock paginate quit"
    " redirect refresh reload render respawn return reveal scroll show throw trap".split()
)
# After "never", and not what is to be left undone: "never mind", "never seen that before".
NOT_DONE = frozenset(
    "a about after again always an any as at be because been before being better by come did do"
    " does done for found from gone good got had happened happy has have heard if in into is known"
    " like made met mind more much my no not of on once one only or our quite said same saw seemed"
    " seen so the their these they this those thought to too took two used very was were what when"
    " will with worked would".split()
)
# After "from now on no", and nothing is forbidden.
ALLOWED = frozenset(
    "limit limits longer need needs problem problems reason restriction restrictions rule rules"
    " worries".split()
)
# Each forbids or demands what follows, though it need not last.
PLAIN = frozenset(("never", "always", "don't", "mustn't"))
# Of what was said before: by itself it says nothing.
POINTERS = frozenset("it them him her they that this these those".split())
# Before a colon: what follows is announced, and is understood without these words.
ANNOUNCING = frozenset(
    "constraint constraints convention conventions guideline guidelines mind note notice order"
    " orders please policies policy remember reminder rule rules thing things".split()
)
MOMENTARY = (
    " for now ", " for this ", " in this pr ", " in this branch ", " in this change ",
    " in this commit ", " in this session ", " in this file ", " on this branch ", " until ",
    " this time ", " today ", " tonight ", " yet ", " right now ", " at the moment ", " just now ",
    " for the moment ", " this function ", " this method ", " this test ",
)  # fmt: skip

# "For this project" is for good, and "this app" needs nothing before it.
HERE = tuple(f" this {place} " for place in "app code codebase project repo repository".split())

# A turn that is longer was written or pasted as a document: nobody gives orders that way.
TURN_CHARACTERS, TURN_LINES = 2_000, 30
ORDER_CAP = 600
FORBIDDING = frozenset("never don't not no avoid without forbidden mustn't shouldn't stop".split())
HEADING_WORDS = 8


class Listing:
    """A line that ends in a colon, or a heading, and the bullets under it."""

    def __init__(self, words: list[str], start: int, first: int, *, is_heading: bool) -> None:
        self.words = words  # of the line above
        self.start = start
        self.end = start
        self.first = first  # the place of the first bullet among the sentences
        self.items: list[Sentence] = []
        self.is_heading = is_heading  # as in a document

    @property
    def places(self) -> range:
        return range(self.first, self.first + len(self.items))

    @property
    def line_above(self) -> range:
        """The place of the line that ends in a colon; a heading is no sentence."""
        return range(0) if self.is_heading else range(self.first - 1, self.first)

    @property
    def forbids(self) -> bool:
        return not FORBIDDING.isdisjoint(spaced(self.words).split())


def begins(sentence: Sentence, *, stands_out: bool) -> int:
    """The word at which an order by itself begins in a sentence, which then goes to its end; -1 for
    none. What a colon announces may be one. What does not stand out is an order
    only when it is of the work: else it was pasted, or says what a product shall do."""
    words = sentence.words
    if sentence.is_question or any(phrase in _without_places(words) for phrase in MOMENTARY):
        return -1
    colons = [at + 1 for at, mark in enumerate(sentence.marks[:-1]) if ":" in mark]
    for at in (0, *colons):
        opening, rest = _opening(words[at:])
        clause = _first_clause(sentence, rest) if stands_out else []
        if not opening or not _is_to_be_done(opening, rest, clause):
            continue
        if not at or _announces(words[:at]):
            return at
        if at <= HEADING_WORDS and (at == 1 or words[0] in PREPOSITIONS):
            return 0  # "In tests:" belongs to it
    return -1


def sounds_like_one(words: list[str]) -> bool:
    """The plain form, which need not be for good: never, always or don't, and what agents do."""
    text = _without_places(words)
    words = text.split()
    while words and (words[0] in LEADS or words[0] in FILLERS):
        words = words[1:]
    if not words or words[0] not in PLAIN or any(phrase in text for phrase in MOMENTARY):
        return False
    return _is_of_the_work(words[1:]) and POINTERS.isdisjoint(words)


def _first_clause(sentence: Sentence, rest: list[str]) -> list[str]:
    """The words of an order up to its first comma."""
    first = len(sentence.words) - len(rest)
    commas = (at for at in range(first, len(sentence.words)) if "," in sentence.marks[at])
    return sentence.words[first : next(commas, len(sentence.words) - 1) + 1]


def _without_places(words: list[str]) -> str:
    text = spaced(words)
    for place in HERE:
        text = text.replace(place, " ")
    return text


def is_ordering_list(listing: Listing) -> bool:
    """Whether the bullets are orders by the line above them: "Never:" and what an agent does."""
    opening, rest = _opening(listing.words)
    if (
        not opening
        or listing.is_heading
        or rest not in ([], ["do"], ["do", "this"], ["do", "these"])
    ):
        return False
    of_the_work = [item for item in listing.items if _is_of_the_work(item.words)]
    return bool(listing.items) and len(of_the_work) == len(listing.items)


def stands_out(prompt: str, sentence: Sentence, above: Sentence | None, before: int) -> bool:
    """Whether a sentence begins its line, is on the last one, or follows an order that ended
    `before`: who pastes does not write so. A bullet does when the line `above` announces it."""
    if sentence.is_item:
        return above is not None and ":" in above.marks[-1] and _announces(above.words)
    start = sentence.starts[0]
    line = prompt.rfind("\n", 0, start) + 1
    is_last = "\n" not in prompt[start:].rstrip()
    return is_last or before > line or not prompt[line:start].strip()


def _announces(words: list[str]) -> bool:
    return words[-1] == "more" or not ANNOUNCING.isdisjoint(words[-HEADING_WORDS:])


def may_order(prompt: str, own_share: int) -> bool:
    """Whether a turn is of a kind that people give orders in. `own_share` of four parts of its
    words are the person's own."""
    lines = prompt.split("\n", TURN_LINES)
    is_document = any(line.startswith(("# ", "## ", "### ", "|")) for line in lines)
    return (
        len(prompt) <= TURN_CHARACTERS
        and len(lines) <= TURN_LINES
        and not is_document
        and own_share >= 2
    )


def listings(prompt: str, sentences: Sequence[Sentence]) -> list[Listing]:
    """Bullets with the line they stand under, for those that stand under one."""
    listed: list[Listing] = []
    before: Sentence | None = None
    current: Listing | None = None
    for place, sentence in enumerate(sentences):
        if not sentence.is_item:
            before, current = sentence, None
            continue
        if current is None or (
            current.is_heading and sentence.heading != _heading_of(current, prompt)
        ):
            current = _begun(prompt, before, sentence, place)
            if current is not None:
                listed.append(current)
        if current is not None:
            current.items.append(sentence)
            current.end = sentence.ends[-1]
        before = None
    return listed


def _begun(prompt: str, before: Sentence | None, item: Sentence, place: int) -> Listing | None:
    if before is not None and ":" in before.marks[-1] and len(before.words) <= HEADING_WORDS:
        return Listing(before.words, before.starts[0], place, is_heading=False)
    if item.heading:
        start = prompt.rfind(item.heading, 0, item.starts[0])
        words = item.heading.strip("# :").lower().replace("\u2019", "'").split()
        if start >= 0 and len(words) <= HEADING_WORDS:
            return Listing(words, start, place, is_heading=True)
    return None


def _heading_of(listing: Listing, prompt: str) -> str:
    return prompt[listing.start :].split("\n", 1)[0]


def _opening(words: list[str]) -> tuple[str, list[str]]:
    """The words that make it last, and those after them; "" when there are none."""
    at = 0
    while at < len(words) and words[at] in LEADS:
        at += 1
    text = spaced(words[at:]).strip()
    for opening in OPENINGS:
        if text == opening or text.startswith(f"{opening} "):
            return opening, text[len(opening) :].split()
    return "", []


def _is_to_be_done(opening: str, words: list[str], clause: list[str]) -> bool:
    """Whether an order goes on with something to be done, or to be left undone. Of what is not
    certainly of the work the first clause tells."""
    if _is_of_the_work(words):
        return True
    clause = _without_fillers(clause)
    if clause[1:2] == ["me"]:
        return True
    if len(clause) < 2 or not POINTERS.isdisjoint(_without_places(clause).split()):
        return False
    verb, after = clause[0], clause[1]
    if "now" in opening.split() or "forward" in opening.split():
        if verb == "no":
            return after not in ALLOWED
        if verb in ("all", "any", "each", "every"):
            return len(words) > 3
        if verb == "we":
            return after in TASKS
    if verb in SHOWN:
        return False
    if not FORBIDDING.isdisjoint(opening.split()):
        is_other = verb in NOT_DONE or verb.endswith(("ed", "ing"))
        is_done_by_one = verb.endswith("s") and not verb.endswith("ss")  # "never works"
        return verb.replace("-", "").isalpha() and not (is_other or is_done_by_one)
    return verb in DONE or (verb in TASKS and verb not in EITHER)


def _without_fillers(words: list[str]) -> list[str]:
    while words and words[0] in FILLERS:
        words = words[1:]
    return words


def _is_of_the_work(words: list[str]) -> bool:
    """Whether it goes on with what an agent does."""
    words = _without_fillers(words)
    if not words:
        return False
    verb, rest = words[0], words[1:]
    return verb in WORK or (verb in EITHER and not OBJECTS.isdisjoint(rest))
