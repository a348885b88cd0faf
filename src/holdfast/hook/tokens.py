"""How many tokens a text is, near enough to keep a budget, without a tokenizer.

A text is reduced to its shape, one class per character, and each class and each run of a class has
a price, fitted to what Claude reported for real sessions: benchmarks/tokens.py, which also says
how far off it is. Laws: an empty text is 0; more text is never fewer tokens; two texts joined cost
what they cost apart, give or take two tokens.
"""

from __future__ import annotations

# Prices in thousandths of a token.
WORD, LETTER, DIGIT = 450, 145, 525
MARK, MARK_RUN = 550, 650
GAP = 1_650  # white space that is more than a single space: a line's end, an indentation
# Of these the sessions hold too few to fit: rounded up from what is known of other scripts.
TWO_BYTES, THREE_BYTES, FOUR_BYTES = 750, 1_300, 2_500

LOWER = b"abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
CONTINUED = bytes(range(0x80, 0xC0))  # the second and later bytes of a character


def _shapes() -> bytes:
    table = bytearray(b"." * 256)
    for members, shape in (
        (LOWER, b"a"),
        (UPPER, b"A"),
        (b"0123456789", b"0"),
        (b" ", b" "),
        (b"\t\n\v\f\r", b"n"),
        (range(0xC0, 0xE0), b"2"),
        (range(0xE0, 0xF0), b"3"),
        (range(0xF0, 0x100), b"4"),
    ):
        for byte in members:
            table[byte] = shape[0]
    return bytes(table)


def _only(members: bytes) -> bytes:
    table = bytearray(b" " * 256)
    for byte in members:
        table[byte] = byte
    return bytes(table)


SHAPES = _shapes()
LETTERS, MARKS = _only(b"aA"), _only(b".")
INK = bytes.maketrans(b"aA0.234n", b"xxxxxxx ")
BREAKS = bytes.maketrans(b"aA0.234", b"xxxxxxx")


def count(text: str) -> int:
    """About as many tokens as Claude's tokenizer makes of the text."""
    shape = text.encode("utf-8", "replace").translate(SHAPES, CONTINUED)
    held = shape.count
    # camelCase is two words; a single space belongs to the word after it and is free.
    words = len(shape.translate(LETTERS).split()) + held(b"aA")
    gaps = shape.translate(INK).count(b"x  ") + shape.translate(BREAKS).count(b"xnx")
    thousandths = (
        WORD * words
        + LETTER * (held(b"a") + held(b"A"))
        + DIGIT * held(b"0")
        + MARK * held(b".")
        + MARK_RUN * len(shape.translate(MARKS).split())
        + GAP * gaps
        + TWO_BYTES * held(b"2")
        + THREE_BYTES * held(b"3")
        + FOUR_BYTES * held(b"4")
    )
    return -(-thousandths // 1_000)
