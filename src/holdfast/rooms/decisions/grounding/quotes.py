"""Where a quote is now: the rules by which it is found again, or is gone.

Three searches, each only when the one before found nothing: word for word; without indentation;
by tokens, so that another layout of the same code is the same code.

Laws:
  - grounded is a quote that can be read word for word where it was cited;
  - a number, a name, an operator or a literal that changed is another quote: the old one is gone;
  - one `return None` is like another, so a quote that is short, or was there more than once, is
    told from its likes by the lines around it, and is gone when they are. How much of them must be
    left was measured on histories of a dozen repositories.
"""

from __future__ import annotations

from holdfast.rooms.decisions.decision import BROKEN, GROUNDED, MOVED, Standing
from holdfast.system.paths import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from holdfast.rooms.decisions.decision import Around, Evidence

NEAR = 4  # lines before and after, without blank ones, that are kept of what lies around a quote
SEEN = 8  # and that are looked at for them: lines come in between
NEAR_BACK = 100
HEADS = 3  # lines that a quote is set in under
HEADS_BACK = 400
HEADS_SHARE = 2.5  # neighbours change more often than what they stand under
TELLING_CHARACTERS = 12
TELLING_WORDS = 2
TELLING_WORD = 9  # characters of one word that is enough
ENOUGH = 0.34  # of what lay around a quote, to know it again by, with a line next to it
ENOUGH_ALONE = 0.5  # without one
ENOUGH_ONCE = 0.2  # where it was there once, and is there once
ENOUGH_LEFT = 0.8  # where it was cited, when one of its likes is gone: it may have been this one
WINDOW_LINES = 60
SPREAD = 4  # lines that one line may be spread over
MOST_LIKES = 500  # of a quote in one file, the nearest

WHERE_CITED = "where it was cited"
ELSEWHERE = "word for word, on another line"
LAID_OUT = "in another layout"
GONE = "the quote is gone"
NO_FILE = "the file is gone"
LIKES = "only its likes are there, elsewhere"


class Text:
    """A file's lines, and what is asked of them more than once."""

    def __init__(self, content: str) -> None:
        self.lines = lines_of(content)
        self._digests: dict[int, str] = {}
        self._tokens: dict[int, list[str]] = {}
        self._places: dict[str, list[int]] | None = None

    def mark(self, at: int) -> str:
        """A line's digest, however it is set in; "" for a blank one."""
        if at not in self._digests:
            words = " ".join(self.lines[at].split())
            self._digests[at] = digest(words.encode())[:8] if words else ""
        return self._digests[at]

    def tokens(self, at: int) -> list[str]:
        if at not in self._tokens:
            self._tokens[at] = tokens_of(self.lines[at])
        return self._tokens[at]

    def places(self, stripped: str) -> list[int]:
        """Where a line is, however it is set in."""
        if self._places is None:
            self._places = {}
            for at, line in enumerate(self.lines):
                self._places.setdefault(line.strip(), []).append(at)
        return self._places.get(stripped, [])


def lines_of(content: str) -> list[str]:
    """Lines as editors and git count them: ended by a line feed and nothing else."""
    lines = content.replace("\r\n", "\n").split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines


def seek(evidence: Evidence, text: Text) -> Standing:
    """How a quote stands in a file."""
    first, quote = max(0, evidence.line - 1), evidence.quote.split("\n")
    if not quote[0].strip():  # which would be found everywhere
        return Standing(BROKEN, evidence.path, evidence.line, evidence.last, GONE)
    is_telling = tells(evidence)
    if is_telling and _is_at(text.lines, first, quote, is_part=evidence.part):
        return _standing(GROUNDED, evidence, first, len(quote), WHERE_CITED)
    why, refused = GONE, set[tuple[int, int]]()
    for places, how in _searches(evidence, text, quote):
        candidates = [place for place in places if place not in refused]
        if not candidates:
            continue
        is_once = how is ELSEWHERE and len(candidates) == 1 == evidence.around.get("times", 1)
        chosen = _chosen(evidence, text, candidates, is_telling=is_telling, is_once=is_once)
        if chosen is None:
            why = LIKES
            refused.update(candidates)
            continue
        at, size = chosen
        if how is ELSEWHERE and at == first:
            return _standing(GROUNDED, evidence, at, size, WHERE_CITED)
        return _standing(MOVED, evidence, at, size, how)
    return Standing(BROKEN, evidence.path, evidence.line, evidence.last, why)


def _standing(name: str, evidence: Evidence, at: int, size: int, why: str) -> Standing:
    return Standing(name, evidence.path, at + 1, at + size, why)


def tells(evidence: Evidence) -> bool:
    """Whether a quote is known by itself: long enough, and there once when it was cited."""
    return evidence.around.get("times", 1) == 1 and is_telling(evidence.quote)


def is_telling(quote: str) -> bool:
    words = _words(quote)
    many = sum(len(word) > 1 for word in words)
    return any(len(word) >= TELLING_WORD for word in words) or (
        many >= TELLING_WORDS and sum(map(len, words)) >= TELLING_CHARACTERS
    )


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


# The three searches


def _searches(
    evidence: Evidence, text: Text, quote: list[str]
) -> Iterator[tuple[list[tuple[int, int]], str]]:
    """Places as (line, lines), by each search in turn."""
    size = len(quote)
    if evidence.part:
        yield [(at, size) for at in parts_at(text.lines, quote)], ELSEWHERE
        return
    yield [(at, size) for at in _verbatim(text, quote)], ELSEWHERE
    yield [(at, size) for at in _set_in(text, quote)], LAID_OUT
    yield list(_rewrapped(text, quote)), LAID_OUT


def count(text: Text, quote: list[str], *, is_part: bool) -> list[int]:
    """Where a quote is, word for word."""
    return parts_at(text.lines, quote) if is_part else list(_verbatim(text, quote))


def _verbatim(text: Text, quote: list[str]) -> Iterator[int]:
    return (at for at in text.places(quote[0].strip()) if text.lines[at : at + len(quote)] == quote)


def _set_in(text: Text, quote: list[str]) -> Iterator[int]:
    bare = [line.strip() for line in quote]
    for at in text.places(bare[0]):
        if [line.strip() for line in text.lines[at : at + len(bare)]] == bare:
            yield at


def _rewrapped(text: Text, quote: list[str]) -> Iterator[tuple[int, int]]:
    """Lines whose tokens are the quote's, wherever they are broken."""
    wanted = laid_out([token for line in quote for token in tokens_of(line)])
    if len(_words(" ".join(wanted))) < TELLING_WORDS:
        return
    most = min(WINDOW_LINES, SPREAD * max(len(wanted), len(quote)))
    matches = 0
    for at in range(len(text.lines)):
        first = text.tokens(at)
        if not first or _marked(first[0]) != wanted[0]:
            continue
        window: list[str] = []
        for size, line in enumerate(range(at, min(at + most, len(text.lines))), 1):
            window += text.tokens(line)
            if laid_out(window) == wanted:
                yield at, size
                matches += 1
                break
            if len(window) > len(wanted) + SPREAD + len(wanted) // 2:
                break
        if matches >= MOST_LIKES:
            return


def _is_at(lines: list[str], at: int, quote: list[str], *, is_part: bool) -> bool:
    if is_part:
        return _is_part(lines[at : at + len(quote)], quote)
    return lines[at : at + len(quote)] == quote


def parts_at(lines: list[str], quote: list[str]) -> list[int]:
    """Where a quote is a part of its lines."""
    size = len(quote)
    return [
        at
        for at, line in enumerate(lines)
        if quote[0] in line and _is_part(lines[at : at + size], quote)
    ]


def _is_part(lines: list[str], quote: list[str]) -> bool:
    """Whether lines hold the quote: not as a part of a longer word or number."""
    if len(lines) != len(quote):
        return False
    if len(quote) > 1:
        return (
            lines[1:-1] == quote[1:-1]
            and lines[0].endswith(quote[0])
            and not _joins(lines[0][: len(lines[0]) - len(quote[0])], quote[0])
            and lines[-1].startswith(quote[-1])
            and not _joins(quote[-1], lines[-1][len(quote[-1]) :])
        )
    line, wanted, at = lines[0], quote[0], lines[0].find(quote[0])
    while at >= 0:
        if not _joins(line[:at], wanted) and not _joins(wanted, line[at + len(wanted) :]):
            return True
        at = line.find(wanted, at + 1)
    return False


def _joins(left: str, right: str) -> bool:
    """Whether two texts make one word or number where they meet."""
    if not left or not right:
        return False
    a, b = left[-1], right[0]
    if (a.isalnum() or a == "_") and (b.isalnum() or b == "_"):
        return True
    # 3 of 3.5, and 5 of it
    return (a.isdigit() and b == "." and right[1:2].isdigit()) or (
        a == "." and b.isdigit() and left[-2:-1].isdigit()
    )


# Another layout of the same code

_OPERATORS = (
    r"===|!==|\*\*=|//=|>>=|<<=|\.\.\.|\?\?=|==|!=|<=|>=|->|=>|<-|:=|::|&&|\|\||\+\+|--|\+=|-=|\*=|/="
    r"|%=|&=|\|=|\^=|\*\*|//|<<|>>|\?\?|\?\."
)
# A literal that is not closed runs to the end of its line: so a line is read once, whatever it is.
_TOKEN = (
    r"\b[rbfuRBFU]{1,2}(?:\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?)"
    r"|(?<!\w)(?:\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|`[^`]*`?)"
    rf"|\w+(?:(?<=\d)\.\d+)?|{_OPERATORS}|\S"
)
_CLOSERS, _OPENERS = (")", "]", "}"), ("(", "[", "{")
# A bracket after one of these holds a value, and with a comma in it a tuple.
_NO_NAMES = frozenset(
    "return yield in and or not if elif else is await lambda case match for while del assert raise"
    " import from print throw typeof new".split()
)


def tokens_of(line: str) -> list[str]:
    """Words, numbers, operators; a literal is one token, with the blanks in it."""
    import re

    return re.findall(_TOKEN, line)


def laid_out(tokens: list[str]) -> list[str]:
    """Tokens without what only a layout brings: the comma before a closing bracket, a line that
    is continued, which quotation marks are around a literal."""
    kept: list[str] = []
    stack: list[tuple[bool, int]] = []  # whether a comma at its end means nothing; its commas
    for place, word in enumerate(tokens):
        if word == "\\" and place < len(tokens) - 1:
            continue
        if word in _OPENERS:
            before = kept[-1] if kept else ""
            called = before in _CLOSERS or (
                (before[:1].isalnum() or before[:1] == "_") and before not in _NO_NAMES
            )
            stack.append((word != "(" or called, 0))
        elif word == "," and stack:
            stack[-1] = (stack[-1][0], stack[-1][1] + 1)
        elif word in _CLOSERS:
            is_free, commas = stack.pop() if stack else (False, 0)
            if kept and kept[-1] == "," and (is_free or commas > 1):
                kept.pop()
        kept.append(_marked(word))
    return kept


def _marked(token: str) -> str:
    """A literal in single quotation marks as it is in double ones, where that is the same."""
    if len(token) > 1 and token[0] == token[-1] == "'" and not {'"', "\\"} & set(token):
        return f'"{token[1:-1]}"'
    return token


# What lies around


def around(
    text: Text, at: int, size: int, quote: list[str], *, is_part: bool, hidden: Collection[int] = ()
) -> Around:
    """What is kept of the lines around a quote. Of `hidden` lines nothing is, not even a digest:
    they hold secrets."""
    likes = count(text, quote, is_part=is_part)

    def marks(places: list[int]) -> list[str]:
        return ["" if place in hidden else text.mark(place) for place in places]

    return {
        "before": marks(_near(text, at - 1, -1, NEAR)),
        "after": marks(_near(text, at + size, 1, NEAR)),
        "heads": marks(_heads(text, at)),
        "times": len(likes),
        "nth": likes.index(at) if at in likes else 0,
    }


def _near(text: Text, at: int, step: int, many: int) -> list[int]:
    places: list[int] = []
    for place in range(at, at + step * NEAR_BACK, step):
        if not 0 <= place < len(text.lines) or len(places) == many:
            break
        if text.mark(place):
            places.append(place)
    return places


def _heads(text: Text, at: int) -> list[int]:
    """The lines that a line is set in under, the nearest first."""
    places: list[int] = []
    depth = _depth(text.lines[at])
    for place in range(at - 1, max(-1, at - HEADS_BACK), -1):
        line = text.lines[place]
        if depth == 0 or len(places) == HEADS:
            break
        if line.strip() and _depth(line) < depth and any(map(str.isalnum, line)):
            places.append(place)
            depth = _depth(line)
    return places


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _chosen(
    evidence: Evidence,
    text: Text,
    places: list[tuple[int, int]],
    *,
    is_telling: bool,
    is_once: bool,
) -> tuple[int, int] | None:
    """The one of several places that is the quote's; None when none is known to be."""
    if len(places) == 1 and is_telling:
        return places[0]
    kept = evidence.around
    is_same_many = len(places) == kept.get("times")
    likes = list(enumerate(places))
    if len(likes) > MOST_LIKES:
        likes.sort(key=lambda like: abs(like[1][0] - evidence.line))
    best, chosen = (-1.0, 0, 0), places[0]
    for place, (at, size) in likes[:MOST_LIKES]:
        likeness = _likeness(kept, text, at, size)
        is_nth = is_same_many and place == kept.get("nth")
        rank = (round(likeness + 0.15 * is_nth, 3), int(at == evidence.line - 1), -place)
        if rank > best:
            best, chosen = rank, (at, size)
    is_here = chosen[0] == evidence.line - 1  # where a like of it would be taken for it
    if is_here and len(places) < kept.get("times", 1) and best[0] < ENOUGH_LEFT and not is_telling:
        return None
    is_beside = _has_neighbour(kept, text, *chosen)
    is_known = (
        is_telling
        or (is_beside and (best[0] >= ENOUGH or is_once))
        or (best[0] >= ENOUGH_ALONE and not is_here)
        or (best[0] >= ENOUGH_ONCE and is_once)
    )
    return chosen if is_known else None


def _has_neighbour(kept: Around, text: Text, at: int, size: int) -> bool:
    """Whether the next line before or after is the one it was; a file's edge is one, too."""
    before, after = _near(text, at - 1, -1, 1), _near(text, at + size, 1, 1)
    return any(
        [text.mark(place) for place in places] == marks[:1]
        for marks, places in ((kept.get("before", []), before), (kept.get("after", []), after))
    )


def _likeness(kept: Around, text: Text, at: int, size: int) -> float:
    """How much of what lay around a quote lies around a place, from 0 to 1."""
    got = whole = 0.0
    for then, share, places in (
        (kept.get("before", []), 1.0, _near(text, at - 1, -1, SEEN)),
        (kept.get("after", []), 1.0, _near(text, at + size, 1, SEEN)),
        (kept.get("heads", []), HEADS_SHARE, _heads(text, at)),
    ):
        marks = [text.mark(place) for place in places]
        for rank, mark in enumerate(then):
            weight = share / (rank + 1)
            whole += weight
            if mark and mark in marks:
                got += weight if marks.index(mark) == rank else weight * 0.6
    return got / whole if whole else 1.0
