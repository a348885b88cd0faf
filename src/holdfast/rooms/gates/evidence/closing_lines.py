"""Closing lines: where a run says how it went, and how to read numbers off them.

A reader (`output_readers.py`) knows one tool's words. It answers with a state and the line
that says so, ("", "") when none of its words were seen. One failure outweighs any number of
passes. The words are those of recorded runs: tests/rooms/gates/outputs.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Outcome = tuple[str, str]  # the state of a run, and the line that says so

PASSED, FAILED, NOTHING, SILENT = "passed", "failed", "nothing", ""
OUTPUT_TAIL = 60_000  # characters: what closes a run stands at its end
LINES_TAIL = 500


def lines_of(output: str) -> list[str]:
    """The last lines of an output, without colours."""
    return plain(output[-OUTPUT_TAIL:]).splitlines()[-LINES_TAIL:]


def plain(text: str) -> str:
    """The text without terminal colours and movements."""
    if "\x1b" not in text:
        return text
    first, *rest = text.split("\x1b")
    return first + "".join(_past_escape(part) for part in rest)


def _past_escape(part: str) -> str:
    if not part.startswith("["):
        return part[1:]
    for at, sign in enumerate(part[1:], 1):
        if "@" <= sign <= "~":
            return part[at + 1 :]
    return ""


def heaviest(outcomes: Iterable[Outcome]) -> Outcome:
    """The one that counts: a failure, else a pass, else that nothing ran; of equals the last."""
    lines = dict(outcomes)
    for state in (FAILED, PASSED, NOTHING):
        if state in lines:
            return state, lines[state]
    return SILENT, ""


def judged(passed: int, failed: int) -> str:
    return FAILED if failed > 0 else PASSED if passed > 0 else NOTHING


def number_in(text: str) -> int:
    """The number, -1 when it is none that a tool would print."""
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def counted(text: str, between: str = ",") -> dict[str, int]:
    """`2 passed, 1 skipped` as numbers by word; {} when it says anything else."""
    counts = {}
    for part in text.split(between):
        number, _, word = part.strip().partition(" ")
        if number_in(number) < 0 or not word:
            return {}
        counts[word.strip()] = number_in(number)
    return counts


def paired(text: str) -> dict[str, int]:
    """`Tests run: 2, Failures: 0` as numbers by name, in small letters; the rest is passed over."""
    counts = {}
    for part in text.split(","):
        name, _, value = part.rpartition(":")
        number = number_in(value.strip().split(" ")[0].rstrip("."))
        if number >= 0:
            counts[name.strip().lower()] = number
    return counts
