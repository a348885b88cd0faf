"""What can be read as another choice: a name of the same kind, or an amount, in the same slot.

Laws: a sentence that affirms is no fork, whatever else it says, and neither is a question, a
memory, a condition or a comparison; a statement that speaks of anything a decision does not
speak of is no fork of it; what cannot be read so is left to whoever reads the decision. So most
contradictions are not named, and what is named can be believed.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from holdfast.rooms.decisions.contradiction import alternatives
from holdfast.rooms.decisions.contradiction.claim import CAP, Claim, read
from holdfast.rooms.decisions.contradiction.quantity import LABELLED, Amount
from holdfast.rooms.decisions.contradiction.sentence_signs import (
    AFFIRMS,
    BOUNDS,
    MEANS,
    TOKEN,
    UNSURE,
)
from holdfast.rooms.decisions.contradiction.stems import ACTS, stem, stems_of

__all__ = ["certain"]

_read = lru_cache(maxsize=4096)(read)
# Words that a sentence may have and a decision lack, and that are no other subject.
QUIET = frozenset("call limit rebuild release setting value version".split())
OPPOSED = (
    ("read", "writ"), ("upload", "download"), ("import", "export"), ("input", "output"),
    ("incoming", "outgoing"), ("public", "privat"), ("old", "new"), ("staging", "production"),
    ("development", "production"), ("stor", "show"), ("stor", "display"), ("kept", "show"),
    ("intern", "extern"), ("unit", "brows"), ("admin", "public"),
)  # fmt: skip


def certain(decision: str, statement: str) -> str:
    """In what a statement chooses otherwise than a decision, as far as that can be read; "" where
    it cannot."""
    lower = statement[:CAP].lower()
    if AFFIRMS.search(lower) or UNSURE.search(lower):
        return ""
    held, stated = _read(decision), _read(statement)
    if held.is_moot or stated.is_moot or _opposed(held, stated):
        return ""
    if not stated.denied and not all(clause.is_yes for clause in stated.clauses):
        return ""
    return (
        _another_name(held, stated)
        or _another_amount(held, stated, decision.lower(), lower)
        or _another_means(held, decision, statement)
    )


def _opposed(held: Claim, stated: Claim) -> bool:
    """Whether they speak of two things that come in pairs: uploads here, downloads there."""
    ours, theirs = held.words - stated.words, stated.words - held.words
    return any((a in ours and b in theirs) or (b in ours and a in theirs) for a, b in OPPOSED)


def _adds(held: Claim, stated: Claim, known: frozenset[str]) -> bool:
    """Whether a statement speaks of something that the decision does not speak of."""
    return bool(stated.subject - stems_of(QUIET) - known - held.words)


def _another_name(held: Claim, stated: Claim) -> str:
    for kind in sorted(held.chosen.keys() | held.denied.keys()):
        about = stems_of(alternatives.kinds()[kind].words)
        ours, theirs = held.chosen.get(kind, frozenset()), stated.chosen.get(kind, frozenset())
        known = about | stated.names_of(kind) | held.names_of(kind) | stems_of(ACTS)
        if not theirs or ours & theirs or stated.is_additive or _adds(held, stated, known):
            continue
        if not _is_of_one_thing(held, stated, kind, about):
            continue
        if theirs & held.denied.get(kind, frozenset()):
            return f"takes up {_list(theirs)}, which the decision rules out"
        if ours:
            return f"chooses {_list(theirs)} where the decision chose {_list(ours)}"
    return ""


def _is_of_one_thing(held: Claim, stated: Claim, kind: int, about: frozenset[str]) -> bool:
    """Whether two claims choose for one thing: they share a word besides those for the kind, or
    neither has any."""
    acts = stems_of(ACTS)
    ours = held.subject - acts - held.names_of(kind)
    theirs = stated.subject - acts - stated.names_of(kind)
    if ours & theirs:
        return True
    return (not ours or not theirs) and (ours | theirs) <= about


def _list(names: frozenset[str]) -> str:
    return " and ".join(sorted(names))


def _another_amount(held: Claim, stated: Claim, decision: str, statement: str) -> str:
    """Another number in the same slot: each says one, of one measure, about the same."""
    if len(held.amounts) != 1 or len(stated.amounts) != 1:
        return ""
    if set(BOUNDS.findall(decision)) != set(BOUNDS.findall(statement)):
        return ""
    (ours,), (theirs,) = held.amounts, stated.amounts
    if not _is_comparable(ours, theirs) or ours.value == theirs.value:
        return ""
    units = frozenset({stem(ours.unit), stem(theirs.unit)})
    ignored = stems_of(ACTS) | units
    is_same = (held.subject - ignored) & (stated.subject - ignored)
    if _adds(held, stated, units) or not (is_same or ours.dimension in LABELLED):
        return ""
    return f"says {theirs.spelt} where the decision says {ours.spelt}"


def _is_comparable(ours: Amount, theirs: Amount) -> bool:
    return ours.dimension == theirs.dimension and ours.unit == theirs.unit


def _another_means(held: Claim, decision: str, statement: str) -> str:
    """Names that no table knows: the sentences are the same, word for word, but for the name after
    "with", "by", "use"."""
    ours, theirs = (TOKEN.findall(text[:CAP].lower()) for text in (decision, statement))
    shaped = [_names_in(text[:CAP]) for text in (decision, statement)]
    for place, (before, word) in enumerate(pairwise(ours), 1):
        if before not in MEANS or word not in shaped[0] or theirs[:place] != ours[:place]:
            continue
        other = theirs[place] if place < len(theirs) else ""
        ending = [words[place + 1 :] for words in (ours, theirs)]
        dropped = [[each for each in rest if each != "js"] for rest in ending]
        if other != word and other in shaped[1] and dropped[0] == dropped[1]:
            return f"chooses {other} where the decision chose {word}"
    return ""


def _names_in(text: str) -> frozenset[str]:
    """The tokens of words that look like a name: a capital that does not begin a sentence, or a
    digit."""
    words = text.split()
    return frozenset(
        token
        for place, word in enumerate(words)
        if place and (word[:1].isupper() or any(map(str.isdigit, word)))
        for token in TOKEN.findall(word.lower())
    )
