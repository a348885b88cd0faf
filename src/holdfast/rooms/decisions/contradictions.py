"""What goes against a decision: another filler in its slot, a no, one thing instead of another.

Read off the words alone, in forms that are certain:

    slot        "use X tokens", "use Y tokens": the same words but for those after "use", "with",
                "by"; or the same words with another number
    negation    "use X", "do not use X": the very words, and a no in one of them
    instead     "Y instead of X", "Y rather than X", "Y, not X", where X was decided; or X, where
                the decision says "Y instead of X"

For all else the nearest decisions are shown, by the words they share: whoever reads them judges.
Laws: a sentence that affirms, asks, remembers or weighs is no fork; silence means only that none of
these forms is there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from holdfast.rooms.decisions.stems import EMPTY, LIGHT, stem

CAP = 2_000  # characters of a sentence that are read
MOST = 3  # decisions that are shown
FILLER = 4  # words that a slot may hold
TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_][^\W_]*[+#]*")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of|as opposed to)\b|,\s*(?:and |but )?not\b"
)
NO = frozenset("not no never none nor stop stops avoid avoids without cannot nothing".split())
USE = frozenset("use uses using used adopt adopts choose pick prefer take".split())
SLOTS = USE | frozenset("with by via in through".split())
# Words that a sentence may have or lack, and says the same.
SMALL = frozenset(
    "a an the our we i ll let s us is are be to do does will shall must please".split()
)
BOUNDS = frozenset(
    "most least over under below above than up within before after until per from".split()
)
OTHERWISE = frozenset(
    "keep keeps kept keeping still stay stays stayed remain remains continue continues same again"
    " already unchanged hold holds only also too either both besides except unless if when whether"
    " until was were had been did would could should might maybe perhaps considered unlike like"
    " fallback default locally sometimes once yes agreed confirm revert reverted back".split()
)


class Sentence(NamedTuple):
    """What a sentence says, and what it says in so many words that it does not mean."""

    words: tuple[str, ...]
    refused: dict[str, str]
    is_no: bool

    def terms(self) -> frozenset[str]:
        """The stems of all it speaks of, the verbs of doing among them."""
        return frozenset(stem(word) for word in self.words if word not in EMPTY | USE)


def certain(decision: str, statement: str) -> str:
    """In what a statement goes against a decision, where that is certain; else ""."""
    if "?" in statement or OTHERWISE & set(_tokens(statement)):
        return ""
    held, stated = _read(decision), _read(statement)
    if held.is_no != stated.is_no and held.terms() == stated.terms() != frozenset():
        return f"says {'no to what the decision says' if stated.is_no else 'what it rules out'}"
    if held.is_no or stated.is_no:
        return ""
    return (
        _instead(held, stated)
        or _another_number(held.words, stated.words)
        or _another_filler(held.words, stated.words)
    )


def terms(text: str) -> dict[str, str]:
    """The stems of the words that say what a text is about, and those words."""
    telling = [word for word in _tokens(text) if word not in EMPTY and word not in LIGHT]
    return {stem(word): word for word in reversed(telling)}


def nearest(decisions: Sequence[str], statement: str) -> list[tuple[int, list[str]]]:
    """The decisions, by their place, that share most words with a statement, and which."""
    spoken = terms(statement)
    shared = [
        (place, sorted(word for term, word in terms(text).items() if term in spoken))
        for place, text in enumerate(decisions)
    ]
    return sorted((pair for pair in shared if pair[1]), key=lambda pair: -len(pair[1]))[:MOST]


def taken_out(before: str, after: str) -> list[tuple[set[str], set[str]]]:
    """The lines that a change took out of a file: what each spoke of, and what of it the file has
    no longer."""
    left = set(terms(HUMP.sub(" ", after)))
    lines = set(before.splitlines()) - set(after.splitlines())
    spoken = [set(terms(HUMP.sub(" ", line))) for line in sorted(lines)]
    return [(words, words - left) for words in spoken if words - left]


def _tokens(text: str) -> list[str]:
    return TOKEN.findall(text.lower())


@lru_cache(maxsize=4096)
def _read(text: str) -> Sentence:
    lower = re.sub(r"n[\u2019']t\b", " not", text[:CAP].lower()).replace("no longer", "not")
    meant, *refused = INSTEAD.split(lower, maxsplit=1)
    words = _tokens(meant)
    return Sentence(
        tuple(word for word in words if word not in SMALL and word not in NO),
        terms(" ".join(refused)),
        any(word in NO for word in words),
    )


def _instead(held: Sentence, stated: Sentence) -> str:
    ours, theirs, refused = held.terms(), stated.terms(), stated.refused
    if (
        refused
        and ours.issuperset(refused)
        and (ours == set(refused) or ours & theirs - {*refused})
    ):
        return f"puts something else in place of {', '.join(sorted(refused.values()))}"
    if held.refused and theirs.issuperset(held.refused) and theirs <= ours | set(held.refused):
        return f"takes up {', '.join(sorted(held.refused.values()))}, which the decision rules out"
    return ""


def _another_number(ours: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    (number, about), (other, same) = (_numbers(words) for words in (ours, theirs))
    if about != same or len(about) < 2 or BOUNDS & set(ours) != BOUNDS & set(theirs):
        return ""
    if not len(number) == len(other) == 1 or number == other:
        return ""
    return f"says {other[0]} where the decision says {number[0]}"


def _numbers(words: tuple[str, ...]) -> tuple[list[str], set[str]]:
    """The numbers among words, and what the others speak of."""
    numbers = [word for word in words if word[0].isdigit()]
    return numbers, set(terms(" ".join(word for word in words if word not in numbers)))


def _another_filler(ours: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    start = _alike(ours, theirs)
    end = _alike(ours[start:][::-1], theirs[start:][::-1])
    mine, other = ours[start : len(ours) - end], theirs[start : len(theirs) - end]
    before = ours[start - 1] if start else ""
    rest = (*ours[: max(start - 1, 0)], *ours[len(ours) - end :])
    if before not in SLOTS or (before in USE and not end) or not terms(" ".join(rest)):
        return ""
    is_filled = 0 < len(mine) <= FILLER and 0 < len(other) <= FILLER
    if not is_filled or set(map(stem, mine)) & set(map(stem, other)):
        return ""
    return f"says {' '.join(other)} where the decision says {' '.join(mine)}"


def _alike(ours: tuple[str, ...], theirs: tuple[str, ...]) -> int:
    """How many words are the same from the beginning on, in any of their forms."""
    pairs = enumerate(zip(ours, theirs, strict=False))
    differing = (n for n, (a, b) in pairs if stem(a) != stem(b) and not {a, b} <= USE)
    return next(differing, min(len(ours), len(theirs)))
