"""Where the work stopped and what is left, from a message of the agent: whole sentences of it.

Laws: nothing is composed and no word moves; code, tables, headings and marks of lists are left out;
a message says where it stands in its first sentences, and what is left in its last.
"""

from __future__ import annotations

from holdfast.rooms.work.last_words import opening, prose

CAP = 200  # characters
ROOM = 100  # left over by the last message, in which the one before it is told as well
TAIL_LEAST = 40  # characters that are kept for how it ends
CUT = " ... "


def of(messages: list[str], cap: int = CAP) -> str:
    """Where the last of some messages says that the work stopped; a short one with the one before
    it."""
    *before, last = [message for message in messages if message.strip()] or [""]
    text = excerpt(last, cap)
    if before and len(text) < cap - ROOM:
        text = f"{excerpt(before[-1], cap - len(text))}{CUT}{text}"
    return text


def excerpt(message: str, cap: int = CAP) -> str:
    """The first two sentences of a message and its last, in so many characters."""
    sentences = [sentence for line in prose(message) for sentence in _sentences(line)]
    while len(sentences) > 1 and sentences[-1].endswith(":"):
        sentences.pop()  # what it announced is code or a table
    whole = " ".join(sentences)
    first, between, last = sentences[:2], sentences[2:-1], sentences[2:][-1:]
    if len(whole) <= cap or not last:
        return opening(whole, cap)
    each = (cap - TAIL_LEAST - len(CUT)) // len(first)
    head = " ".join(opening(sentence, each) for sentence in first) + (CUT if between else " ")
    return head + opening(last[0], cap - len(head))


def _sentences(line: str) -> list[str]:
    """A line cut after each full stop, question mark or colon that a capital follows."""
    sentences = []
    start = 0
    for place, letter in enumerate(line):
        if letter == " " and line[place - 1] in ".!?:" and _opens(line[place + 1 : place + 2]):
            sentences.append(line[start:place])
            start = place + 1
    return [*sentences, line[start:]]


def _opens(letter: str) -> bool:
    return letter.isupper() or letter.isdecimal() or letter in "\"'(["
