"""The one stemmer: a word without its ending, so that push, pushes, pushed and pushing are one.

Who stems brings a table of endings. The tables differ, and stay: what an identity was made of is
kept.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Ending, what stands in its place, how many letters must be left; the first that fits is cut.
    Endings = tuple[tuple[str, str, int], ...]


def without_ending(word: str, endings: Endings) -> str:
    """The word without the first of the endings that fits, or the word."""
    for ending, instead, least in endings:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)] + instead
    return word


def undouble(word: str, but: str = "") -> str:
    """The word without the second of two equal letters at its end: `stopp` is `stop`."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in but:
        return word[:-1]
    return word
