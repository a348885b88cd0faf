"""A sentence and the clause in it that is a rule: a task beside a rule is no part of it.

Laws:
  - what is kept is verbatim, and in one piece;
  - a clause is never parted from what may turn its meaning: a negation or a condition before it, an
    exception after it, a line that ends in a colon, the thing that "it" stands for;
  - what is cut once is not cut again.
"""

from __future__ import annotations

from holdfast.rooms.prompts.standing_orders import HERE, POINTERS, SHOWN, TASKS
from holdfast.rooms.prompts.task import LOOKING, MAKING, OPERATING, WORKING

TYPE_CHECKING = False
if TYPE_CHECKING:
    Clause = tuple[int, int]

EDGES = ".,;:!?\"'`*_()[]\u2019\u201c\u201d"
JOINING = frozenset("and then now also so plus but".split())
# With one of these a clause of its own begins, also without a comma before it.
BEGINNING = frozenset("never always don't".split())
ALSO_BEGINNING = frozenset("do please stop avoid only".split())
NEGATING = frozenset(
    "never don't no not nothing nobody without avoid stop mustn't shouldn't can't cannot neither"
    " nor won't".split()
)
CONDITIONS = frozenset(
    "if when whenever while unless except until once otherwise only before after for in during on"
    " with at".split()
)
OPENING = frozenset("if when whenever while".split())  # the condition of what follows, or before
EXCEPTING = frozenset("unless except until otherwise but".split()) | OPENING
# Words of a rule, and hardly ever of a task.
RULING = NEGATING - {"stop", "not"} | frozenset("always must ever only prefer".split())
# What a task begins with. "Use uv" is a rule as often.
WORK = WORKING - frozenset("avoid prefix prevent prove use".split())
VERBS = TASKS | WORKING | LOOKING | OPERATING | MAKING | SHOWN
BRACKETS = {"(": 1, "[": 1, ")": -1, "]": -1}


def around(text: str, begin: int, end: int) -> Clause:
    """The clauses of a sentence that hold a part of it, with what may turn their meaning."""
    clauses = _clauses(text)
    held = [n for n, (start, stop) in enumerate(clauses) if start < end and begin < stop]
    return _reached(text, clauses, held[0], held[-1]) if held else (0, len(text))


def ruling(text: str) -> Clause:
    """The clauses of a sentence that may be a rule, where others are a task."""
    clauses = _clauses(text)
    rules = [n for n, clause in enumerate(clauses) if not _is_task(_words(text, *clause))]
    return _reached(text, clauses, rules[0], rules[-1]) if rules else (0, len(text))


def _is_task(words: list[str]) -> bool:
    while words and (words[0] in JOINING or words[0] == "please"):
        words = words[1:]
    return bool(words) and words[0] in WORK and RULING.isdisjoint(words)


def _reached(text: str, clauses: list[Clause], first: int, last: int) -> Clause:
    start, end = clauses[first][0], clauses[last][1]
    if first and not _stands_alone(text, start, end):
        start = 0
    if last + 1 < len(clauses) and _excepts(text[end:].split()):
        end = len(text)
    if start:
        while _bare(text[start:].split(None, 1)[0]) in JOINING:
            start += len(text[start:].split(None, 1)[0])
            start += len(text[start:]) - len(text[start:].lstrip())
    piece = text[start:end]
    return start, start + len(piece.rstrip() if end == len(text) else piece.rstrip(" \n,;"))


def _excepts(pieces: list[str]) -> bool:
    """Whether what follows limits what is before it: "push when done" limits itself."""
    words = [_bare(piece) for piece in pieces]
    own = [at for at, word in enumerate(words) if word in OPENING and at]
    own = [at for at in own if pieces[at - 1][-1] not in ",;"]
    return any(word in EXCEPTING and at not in own for at, word in enumerate(words))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether a clause means the same without what is before it."""
    before, own = _words(text, 0, start), _words(text, start, end)
    for place in HERE:
        own = f" {' '.join(own)} ".replace(place, " ").split()
    if not before or JOINING.issuperset(own) or not POINTERS.isdisjoint(own):
        return False
    is_whole = own[0] in OPENING and "," in text[start:end].rstrip(" ,")
    is_whole |= own[0] == "but" and not BEGINNING.isdisjoint(own[1:2])
    if before[0] in CONDITIONS or (own[0] in EXCEPTING and not is_whole):
        return False
    return text[:start].rstrip().endswith(";") or NEGATING.isdisjoint(before)


def _clauses(text: str) -> list[Clause]:
    """A sentence in pieces; what is in brackets, what a colon announces, quotations and several
    lines are one."""
    pieces = text.split()
    if "\n" in text or '"' in text or any(piece.endswith(":") for piece in pieces):
        return [(0, len(text))]
    starts, at, depth = [0], 0, 0
    for number, piece in enumerate(pieces):
        at = text.index(piece, at)
        before = pieces[number - 1] if number else ""
        is_over = before.endswith(";") or _begins(pieces[number : number + 4], before)
        if number and is_over and not depth:
            starts.append(at)
        at += len(piece)
        depth += sum(map(BRACKETS.get, piece, [0] * len(piece)))
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def _begins(pieces: list[str], before: str) -> bool:
    """Whether a clause of its own begins here: with a word that joins, or after a comma."""
    words = [_bare(piece) for piece in pieces]
    is_joined = words[0] in JOINING
    while words and words[0] in JOINING:
        words = words[1:]
    if len(words) < 2 or not (is_joined or before.endswith(",")):
        return False
    if words[0] in BEGINNING:
        return words[1] in VERBS
    is_verb = words[0] in ALSO_BEGINNING or (is_joined and words[0] in TASKS)
    is_asked = is_joined and words[0] == "please" and words[1] in VERBS
    return is_asked or (is_verb and before.endswith(","))


def _words(text: str, start: int, end: int) -> list[str]:
    return [word for piece in text[start:end].split() if (word := _bare(piece))]


def _bare(piece: str) -> str:
    return piece.lower().replace("\u2019", "'").strip(EDGES)
