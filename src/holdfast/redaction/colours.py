"""A text without the colours of a terminal, and places in it as places in the text."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]  # from, to, kind

PARAMETERS = "0123456789;?"


def without(text: str, mark: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without the codes that begin with the mark; where each piece begins, in both."""
    first, *coded = text.split(mark)
    pieces, places = [first], [(0, 0)]
    here, there = len(first), len(first)
    for piece in coded:
        rest = piece.lstrip(PARAMETERS)
        skipped = len(piece) - len(rest) + rest[:1].isalpha()
        there += len(mark) + skipped
        places.append((here, there))
        pieces.append(piece[skipped:])
        here += len(piece) - skipped
        there += len(piece) - skipped
    return "".join(pieces), places


def restored(spans: list[Span], places: list[tuple[int, int]]) -> list[Span]:
    """Where the spans of the text without colours lie in the text. Both are in order."""
    placed: list[Span] = []
    at = 0
    for start, end, kind in spans:
        at = _piece(places, at, start)
        begin = places[at][1] + start - places[at][0]
        at = _piece(places, at, end - 1)
        placed.append((begin, places[at][1] + end - places[at][0], kind))
    return placed


def _piece(places: list[tuple[int, int]], at: int, place: int) -> int:
    while at + 1 < len(places) and places[at + 1][0] <= place:
        at += 1
    return at
