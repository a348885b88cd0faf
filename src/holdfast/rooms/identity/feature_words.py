"""Texts as words: what a prompt, a path, a command or an edit has to say, cut small.

Laws: the same text gives the same words; no more of a text is looked at than its cap; words that
every sentence or every program has are left out; numbers and hashes say nothing.
"""

from __future__ import annotations

from holdfast.system.word_endings import without_ending

STOP = frozenset(
    "about above actually after again all already also always and another any are around back"
    " because been before being below between both but can cannot could did didn does doesn"
    " doing don done down each either else even ever every few first for from get give goes going"
    " good got had has have haven her here hey him his how however instead into isn its itself"
    " just keep kind know last let lets like little look looks lot made make makes many may maybe"
    " might more most much must need needs never next not nothing now off okay once one only onto"
    " other our out over own per please put rather really right same say see seems set she should"
    " since some something still such sure take than thank thanks that the their them then there"
    " these they thing things think this those though through too two under until upon use used"
    " using very via want was way well were what when where whether which while who why will with"
    " without won would yes yet you your"
    " func function return var let const def class self this import package public private static"
    " void int str string bool true false nil null none err error errors type struct interface if"
    " elif else end fmt new async await try catch except raise throw with pass break continue range"
    " len map list dict object value key name args kwargs src tmp usr home users var opt".split()
)
MARKS = str.maketrans(dict.fromkeys("\t\r\n !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~", " "))
SHORTEST, LONGEST = 3, 40
ENDINGS = tuple(
    (ending, "", 4) for ending in "ations ation ating ated ings ing ions ion ies ers ed".split()
)
# What pieces gave: whole sessions that are taken in say the same words over and over.
_STEMS: dict[str, list[str]] = {}
STEMS_KEPT = 20_000


def pieces(text: str, cap: int) -> list[str]:
    """The text cut at everything but letters, figures and the underscore."""
    return text[:cap].translate(MARKS).split()


def stems(cut: list[str], most: int) -> list[str]:
    """Stems of a text that was cut, each once, in the order of their first appearance."""
    stemmed: dict[str, None] = {}
    for piece in dict.fromkeys(cut):
        known = _STEMS.get(piece)
        for part in _stems_of(piece) if known is None else known:
            stemmed[part] = None
        if len(stemmed) >= most:
            break
    return list(stemmed)[:most]


def _stems_of(piece: str) -> list[str]:
    stemmed = [
        stem(part)
        for part in humps(piece)
        if part not in STOP and SHORTEST <= len(part) <= LONGEST and part.isalpha()
    ]
    if len(_STEMS) >= STEMS_KEPT:
        _STEMS.clear()
    _STEMS[piece] = stemmed
    return stemmed


def names(cut: list[str], most: int) -> list[str]:
    """Names that a program gives: with a hump, an underscore, or six letters and more."""
    lowered: dict[str, None] = {}
    for piece in dict.fromkeys(cut):
        if not SHORTEST < len(piece) <= LONGEST or not piece.isidentifier():
            continue
        low = piece.lower()
        if low in STOP or (low == piece and "_" not in piece and len(piece) < 6):
            continue
        lowered[low] = None
        if len(lowered) >= most:
            break
    return list(lowered)


def humps(piece: str) -> list[str]:
    """parseHTTPHeader and parse_http_header as parse, http, header."""
    if piece.islower() and "_" not in piece:
        return [piece]
    spaced = []
    for at, letter in enumerate(piece[:LONGEST]):
        if letter == "_":
            spaced.append(" ")
            continue
        if letter.isupper() and at:
            before, after = piece[at - 1], piece[at + 1 : at + 2]
            if not before.isupper() or after.islower():
                spaced.append(" ")
        spaced.append(letter.lower())
    return "".join(spaced).split()


def stem(word: str) -> str:
    """The word without its ending: invoice, invoices, invoiced and invoicing are one."""
    if len(word) < 5:
        return word
    shorter = without_ending(word, ENDINGS)
    if shorter != word:
        return shorter
    if word[-1] == "s" and word[-2] not in "su":
        word = word[:-1]
    return word[:-1] if word[-1] == "e" else word


def within(path: str) -> str:
    """A path without the part that says whose machine and whose copy it is."""
    if not path.startswith("/"):
        return path
    parts = path.split("/")
    if parts[1] in ("home", "Users") and len(parts) > 4:
        return "/".join(parts[4:])
    return "/".join(parts[-4:])
