"""Our own voice: what Holdfast says itself, and how anybody else's text stands in it.

Laws: only literals are ours. `ours` fills the braces of a literal with numbers and with text of
this type. All other text is somebody else's: it stands in our lines as a word, a name, code or a
quotation that it cannot leave, or in a fence, where every line says that it is quoted. Whatever is
given for ours and is not of this type is fenced.

Other people's text is stripped of control and hidden characters and of anything that imitates an
agent's own markup, and cut. `inline` only makes one harmless line of it, for what is fenced as a
whole or shown to a person.
"""

from __future__ import annotations

from holdfast.agents.surroundings import MARKUP
from holdfast.redaction.gate import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import LiteralString

QUOTE_CAP, INLINE_CAP, WORD_CAP = 1_200, 200, 120
# What a name is made of that may stand without quotation marks: nobody speaks in it.
NAME_MARKS = "._/@+-~"
WORD_MARKS = "-_.:+"

# Tags by which agents mark what is theirs, and who speaks in a conversation.
TAGS = (
    *("antml:", "system", "function", "invoke", "parameter", "tool", "user", "assistant", "human"),
    *("command-", "local-command", "bash-", "session-start", "task-notification", "thinking"),
    *("instruction", "context", "policy", "admin", "holdfast", *MARKUP),
)
SPEAKERS = ("human", "assistant", "system", "user")
PHASE = "[phase"  # our own answers open with it
# Printable, and yet nobody sees them.
BLANK_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"


class Ours(str):
    """Text in our own voice. Only this module makes it."""

    __slots__ = ()


def ours(template: LiteralString, *parts: Ours | float) -> Ours:
    """A literal of ours, its braces filled."""
    return Ours(template.format(*map(_part, parts)) if parts else template)


def known(text: str, choices: Iterable[LiteralString]) -> Ours:
    """One of our own phrases, as it was kept; what is none of them is quoted."""
    return Ours(text) if text in choices else quoted(text)


def joined(separator: LiteralString, parts: Iterable[Ours]) -> Ours:
    return Ours(separator.join(map(_part, parts)))  # type: ignore[arg-type]


def own(text: str) -> Ours:
    """What is given for ours; in a fence when it is not."""
    return text if isinstance(text, Ours) else fence(text)


def _part(part: Ours | float) -> Ours | float:
    return part if isinstance(part, (Ours, int, float)) else quoted(str(part))


def phase(marker: str) -> Ours:
    """What opens an answer: the phase of the session's life."""
    return ours("[PHASE: {}]", word(marker))


# Other people's text inside of our lines


def word(text: str, cap: int = WORD_CAP) -> Ours:
    """An id, a date, a version: letters, digits and a few marks are left of it."""
    letters = [each for each in text if (each.isascii() and each.isalnum()) or each in WORD_MARKS]
    return Ours("".join(letters[:cap]))


def named(text: str, cap: int = INLINE_CAP) -> Ours:
    """A path, a branch, whatever has a name: in backquotes unless it is plainly a name."""
    flat = inline(text, cap)
    is_plain = flat.isascii() and all(each.isalnum() or each in NAME_MARKS for each in flat)
    return Ours(flat) if is_plain and flat else code(flat, cap)


def code(text: str, cap: int = INLINE_CAP) -> Ours:
    """A command or a name in backquotes."""
    return Ours(f"`{inline(text, cap)}`")


def quoted(text: str, cap: int = INLINE_CAP) -> Ours:
    """Words in quotation marks."""
    return Ours(f'"{inline(text, cap).replace(chr(34), chr(39))}"')


def fence(text: str, cap: int = QUOTE_CAP) -> Ours:
    """Lines on their own: each of them says that it is a quotation."""
    return Ours("\n".join(f"> {line}".rstrip() for line in cut(harmless(text), cap).splitlines()))


# Other people's text, made harmless


def inline(text: str, cap: int = INLINE_CAP) -> str:
    """One harmless line without backquotes. It is not ours: it is to be fenced, or shown."""
    return cut(" ".join(harmless(text).split()).replace("`", "'"), cap)


def harmless(text: str) -> str:
    """Without control and hidden characters, and without what an agent could take for its own
    markup."""
    text = visible(text)
    if "<" in text:
        first, *pieces = text.split("<")
        text = first + "".join(map(_without_tag, pieces))
    if "[" in text and PHASE in text.casefold():
        first, *pieces = text.split("[")
        text = first + "".join(map(_without_phase, pieces))
    if ":" in text:
        text = "\n".join(map(_without_turn, text.split("\n")))
    return text


def visible(text: str) -> str:
    """Without control and hidden characters, ends of lines and tabs aside."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text.replace("\r\n", "\n").replace("\r", "\n")))


def _visible(character: str) -> str:
    if character.isprintable():
        return "" if _is_hidden(character) else character
    if character in "\n\t":
        return character
    return " " if character.isspace() else ""


def _is_hidden(character: str) -> bool:
    # Tag characters and variation selectors carry text that nobody sees.
    place = ord(character)
    return (
        0xE0000 <= place <= 0xE0FFF
        or 0xFE00 <= place <= 0xFE0F
        or 0x180B <= place <= 0x180F
        or character in BLANK_LETTERS
    )


def _without_tag(piece: str) -> str:
    """What follows a `<`, with it: a tag of an agent's own becomes a text in parentheses."""
    if not piece[:40].lstrip(" \t\n/").casefold().startswith(TAGS):
        return f"<{piece}"
    return f"({piece.replace('>', ')', 1)}"


def _without_phase(piece: str) -> str:
    return f"({piece}" if piece[: len(PHASE)].casefold().startswith(PHASE[1:]) else f"[{piece}"


def _without_turn(line: str) -> str:
    """`Human: ...` opens a turn of a conversation; `Human - ...` does not."""
    who, colon, words = line.partition(":")
    return f"{who} -{words}" if colon and who.strip().casefold() in SPEAKERS else line
