"""Where the work stopped and what is left, from a message of the agent: whole sentences of it.

Laws: nothing is composed and no word moves; code, tables, headings and marks of lists are left out;
a message says where it stands in its first sentences, and what is left in its last.
"""

from __future__ import annotations

from holdfast.rooms.work.last_words import opening, prose

CAP = 200  # characters
ROOM = 100  # left over by the last message, in which the one before it is told as well
HEAD_SENTENCES = 2  # that a message begins with
HEAD = 0.65  # of the cap, at most, for each of them
TAIL_LEAST = 40  # characters of how it ends; less says nothing
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
    """The first two sentences of a message and its last that says something, in so many
    characters."""
    sentences = [sentence for line in prose(message) for sentence in _sentences(line)]
    whole = " ".join(sentences)
    while len(sentences) > HEAD_SENTENCES and sentences[-1].endswith(":"):
        sentences.pop()  # what it announced is code or a table
    *between, last = sentences[HEAD_SENTENCES:] or [""]
    if len(whole) <= cap or not last:
        return opening(whole, cap)
    head = " ".join(opening(sentence, int(cap * HEAD)) for sentence in sentences[:HEAD_SENTENCES])
    between_them = CUT if between else " "
    room = cap - len(head)
    return f"{head}{between_them}{opening(last, room)}" if room >= TAIL_LEAST else head


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
