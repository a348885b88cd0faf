"""An agent's message in a few lines: what it says, without code, tables and decoration.

Laws: nothing is composed; words stay in their order, and what is left out is left out whole: a
block of code, a row of a table, a sentence that no longer fits.
"""

from __future__ import annotations

FENCES = ("```", "~~~")
MARKS = "#>*-+•· \t"
# A sentence that says that something was committed, unless it says that it was not.
COMMITTED = (
    *("committed", "commit created", "created commit", "created the commit", "made the commit"),
)
DENYING = (
    *(" not ", "n't ", " nothing ", " be committed", "uncommitted", " refused", " blocked"),
    *(" denied", " cannot "),
)


def prose(text: str) -> list[str]:
    """The lines of a message that are sentences, without marks of lists and emphasis."""
    lines = []
    in_code = False
    for line in map(str.strip, text.splitlines()):
        if line.startswith(FENCES):
            in_code = not in_code
        elif not in_code and line and not line.startswith(("|", "#")):
            bare = line.lstrip(MARKS).replace("**", "").strip()
            if bare.strip("-=_*"):
                lines.append(bare)
    return lines


def without_commits(text: str) -> str:
    """A message without the sentences that say that something was committed."""
    lines = []
    for line in text.splitlines():
        kept = [part for part in sentences(line) if not _says_committed(f" {part.lower()} ")]
        if kept or not line.strip():
            lines.append(" ".join(kept))
    return "\n".join(lines)


def _says_committed(low: str) -> bool:
    return any(words in low for words in COMMITTED) and not any(words in low for words in DENYING)


def sentences(line: str) -> list[str]:
    """A line cut after each full stop, question mark or semicolon that a space follows."""
    for mark in (". ", "! ", "? ", "; "):
        line = line.replace(mark, f"{mark[0]}\0")
    return [part.strip() for part in line.split("\0") if part.strip()]


def opening(text: str, cap: int) -> str:
    """The first words of a text, and a sign that there are more."""
    if len(text) <= cap:
        return text
    head = text[: cap - 1]
    return f"{head[: head.rfind(' ')] if ' ' in head else head}…"
