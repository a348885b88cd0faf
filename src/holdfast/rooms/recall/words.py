"""Words as the index has them: stems, the parts of identifiers, and identifiers as a whole.

`refreshToken`, `refresh_token` and "refresh token" share two words; the first two a third. Commit
names are known by their first seven letters. Scripts without blanks give pairs of letters. The
time is linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter

from holdfast.rooms.decisions.stems import EMPTY, LIGHT, stem

READ_CAP = 40_000  # characters of one text: what is longer is a paste
LONGEST = 40
COMMIT = 7
_TOKENS = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HEX = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{7,40}")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
# Words of grammar: every text has them.
GRAMMAR = frozenset(
    "a an and are as at be but by for from had has have he her his i if in into is it its me my of"
    " on or our she so than that the their them then there these they this those to up us was we"
    " were will with would you your".split()
)

# Words that say little of what is asked for; words of asking do not, either.
ASKING = frozenset(
    stem(word)
    for word in (EMPTY | LIGHT)
    | frozenset(
        "again ask asked did does earlier find found know last look looked please previous recall"
        " remember said say show tell told thing things yesterday".split()
    )
)


def words(text: str) -> list[str]:
    """Every word of a text in the order of first use, each once, in letters that the index takes
    for one word."""
    return list(words_counted(text))


def words_counted(text: str) -> dict[str, int]:
    """The same, each with how often it stands there."""
    return {
        word if word.isascii() else f"u_{word.encode('utf-8', 'surrogatepass').hex()}": times
        for word, times in Counter(counted(text)).items()
    }


def counted(text: str) -> list[str]:
    """The words of a text, as often as they stand there."""
    listed: list[str] = []
    for token in _TOKENS.findall(text[:READ_CAP]):
        if token.isascii() and token.isalpha() and (token.islower() or token.istitle()):
            small = token.lower()
            if small not in GRAMMAR and 1 < len(small) <= LONGEST:
                listed.append(stem(small))
        else:
            listed += _parts(token)
    return listed


def _parts(token: str) -> list[str]:
    if not token.isascii() and _UNSPACED.search(token):
        return _pairs(token)
    small = token.lower()
    if _HEX.fullmatch(small):
        return [small[:COMMIT]]
    pieces = [piece.lower() for piece in _HUMPS.sub("_", token).split("_") if piece]
    listed = [
        stem(piece)
        for piece in pieces
        if piece not in GRAMMAR and len(piece) <= LONGEST and (len(piece) > 1 or piece.isdigit())
    ]
    if len(pieces) > 1:
        whole = "".join(pieces)
        if len(whole) <= LONGEST:
            listed.append(whole)
    return listed


def _pairs(token: str) -> list[str]:
    listed = []
    for run in _UNSPACED.findall(token):
        listed += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    for rest in _UNSPACED.split(token):
        listed += counted(rest) if rest else []
    return listed
