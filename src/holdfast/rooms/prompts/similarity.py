"""Which words carry a text, and what two texts have to do with each other.

Laws:
  - the same text always gives the same words, in the order of their first appearance;
  - words that name something no rule is about take nothing back;
  - where two rules are meant equally well, the newest is taken back and the other stays: a rule
    that was lost is worse than one that has to be taken back twice.
"""

from __future__ import annotations

from holdfast.system.word_endings import undouble, without_ending

STOP_WORDS = frozenset(
    "able about actually after again all already also always and another any anything are"
    " aren't around because been before being between bit both but can can't come could"
    " currently did didn't does doesn't doing don't done dont down during e.g each etc"
    " even ever every everything few first for from get give goes going gone good got had"
    " has have hello help her here hey him his how however i'd i'm i've i.e instead into"
    " isn't it's its itself just keep know last least less let let's lets like long lot"
    " made make many may maybe more most much must mustn't need needs never new next not"
    " nothing now off often okay old once one only other our out over own per please pls"
    " put rather really same say see set she should shouldn't since some something still"
    " such sure take than thank thanks that that's the their them then there there's these"
    " they thing things this those through time too two under until upon us use using very"
    " via want wants was way we we're well went were what what's whatever when where"
    " whether which while who why will with without won't would yes yet you you're your".split()
)
SAME_AS = {
    "deps": "dependency", "dep": "dependency", "package": "dependency",
    "packages": "dependency", "library": "dependency", "libraries": "dependency",
    "lib": "dependency", "libs": "dependency", "crate": "dependency",
    "crates": "dependency", "dependencies": "dependency", "pr": "pull",
    "docs": "documentation", "doc": "documentation", "emoji": "emojis",
}  # fmt: skip
ALL_RULES = (
    " all rules ", " all the rules ", " all my rules ", " all of the rules ",
    " every rule ", " all those rules ", " all constraints ", " all restrictions ",
    " all previous rules ", " all earlier rules ", " all of my rules ",
    " all previous instructions ", " all my instructions ", " all these rules ",
    " rules at all ", " all instructions ", " all of those rules ", " all of them ",
    " all the constraints ", " all the restrictions ", " everything i said ",
)  # fmt: skip
POINTING = frozenset("rule rules forget scratch scrap ignore disregard drop back said".split())
TAKING_BACK = frozenset(
    "add adding after again ahead allow allowed anymore anyway applies apply ask asked"
    " asking back ban cancel change changed concerning constraint constraints disregard"
    " drop earlier feel fine follow following forget free frozen gone ignore instruction"
    " instructions lift lifted limit longer matter mention mentioned mind necessary need"
    " needed nevermind off okay permitted policy previous previously push-rule regarding"
    " remove required requirement restriction restrictions retract revoke rule rules said"
    " scrap scratch skip stop thing told touch undo use useful using wanted withdraw"
    " without".split()
)
COMMON_WORK = frozenset(
    "add bug chang check cod commit continu cre error fail fil find fix implement improv"
    " issu look mak mov need push remov run show step tak test tri upd work writ".split()
)

EDGES = ".,;:!?\u2026()[]{}<>\"'`*_~|=+\u201c\u201d\u2018\u2019\u00ab\u00bb/\\#@&^%$-\u2014\u2013"
INNER = "/\\,;:()[]{}=|\u2014\"'`<>"
WORD_CAP = 40
READ_CAP = 20_000
# Longest first; what is left has at least three letters.
ENDINGS = tuple(
    (ending, "", 3)
    for ending in (
        "ations", "ation", "ating", "ated", "ates", "ate", "ings", "ing", "ions", "ion", "edly",
        "ies", "ers", "ed", "es", "er", "ly", "s", "e", "y",
    )
)  # fmt: skip


def keywords(text: str, limit: int = 10) -> list[str]:
    """The words that carry a text, lower-cased; identifiers and file names are kept whole."""
    words: dict[str, None] = {}
    for piece in text[:READ_CAP].replace("\u2019", "'").split():
        for word in _parts(piece):
            if is_content(word):
                words[word] = None
        if len(words) >= limit:
            break
    return list(words)[: max(0, limit)]


def _parts(piece: str) -> list[str]:
    """A piece of text as words: `src/auth.py` gives both names, `don't` stays one."""
    bare = piece.strip(EDGES).lower()
    if bare in STOP_WORDS or "://" in bare:
        return []
    for mark in INNER:
        if mark in bare:
            bare = bare.replace(mark, " ")
    return [part.strip(EDGES) for part in bare.split()]


def is_content(word: str) -> bool:
    """At least three letters, and not one of the words that every sentence has."""
    if not 3 <= len(word) <= WORD_CAP or word in STOP_WORDS:
        return False
    return word.isalpha() or sum(map(str.isalpha, word)) >= 3


def stem(word: str) -> str:
    """The word without its ending: push, pushes, pushed and pushing are one."""
    word = SAME_AS.get(word, word)
    if len(word) < 4 or "." in word or "_" in word or word.endswith("ss"):
        return word
    return undouble(without_ending(word, ENDINGS), but="sl")


def stems(text: str, without: frozenset[str] = frozenset()) -> set[str]:
    """The stems of a text's words, of the parts of compound ones too."""
    roots = set()
    for word in keywords(text, 60):
        for part in (word, *word.replace("-", " ").replace("_", " ").split()):
            if part not in without and is_content(part):
                roots.add(stem(part))
    return roots


def taken_back(withdrawal: str, rules: list[tuple[str, str]]) -> list[str]:
    """The ids of the rules in force, newest last, that the user's words take back."""
    if not rules:
        return []
    spoken = f" {' '.join(word.strip(EDGES) for word in withdrawal.lower().split())} "
    if any(part in spoken for part in ALL_RULES):
        return [name for name, _ in rules]
    named = stems(withdrawal, TAKING_BACK)
    if not named:  # "forget that rule" means the last one; "go ahead" means none
        return [rules[-1][0]] if POINTING & set(spoken.split()) else []
    shared = [(len(named & stems(text)), name) for name, text in rules]
    best = max(count for count, _ in shared)
    if best == 0 or best * 4 < len(named):
        return []
    return [[name for count, name in shared if count == best][-1]]


def is_same_task(goal_keywords: list[str], prompt: str) -> bool:
    """Whether a prompt that asks for work goes on with the goal rather than starting another."""
    goal = stems(" ".join(goal_keywords)) - COMMON_WORK
    asked = stems(prompt) - COMMON_WORK
    if not asked:
        return True  # it names nothing of its own: "fix it", "now the tests"
    shared = goal & asked
    return len(shared) >= 2 or len(shared) * 3 >= len(asked)


PASTED_WORDS = 10
NEGATIVE = frozenset(
    "never not no don't dont cannot can't cant without avoid stop mustn't shouldn't".split()
)


def is_same_rule(text: str, other: str) -> bool:
    """Whether two sentences say the same rule: the same words carry them, and both forbid or
    neither does. What is long and the same to the letter was pasted again, not said again."""
    if _forbids(text) != _forbids(other) or (text == other and len(text.split()) > PASTED_WORDS):
        return False
    first, second = stems(text), stems(other)
    shared = len(first & second)
    return shared >= 2 and shared * 5 >= len(first | second) * 3


def _forbids(text: str) -> bool:
    words = text.lower().replace("\u2019", "'").split()
    return not NEGATIVE.isdisjoint(word.strip(EDGES) for word in words)


def has_any(spoken: str, phrases: tuple[str, ...]) -> bool:
    """Whether one of the phrases stands in a text; both have a space around each word."""
    return any(phrase in spoken for phrase in phrases)
