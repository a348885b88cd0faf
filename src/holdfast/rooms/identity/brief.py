"""Identity in words: the brief, the block that a prompt is given, and what is said of a drift.

The texts are the design's. Nothing here looks anything up.
"""

from __future__ import annotations

from holdfast.hook.voice import Ours, ours, word
from holdfast.rooms.identity.drift import classify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.identity.mind import Reading

NAMES = {
    "HYP": "HYPERSYNC",
    "CON": "CONSCIOUS",
    "EMG": "EMERGING",
    "FRG": "FRAGMENTED",
    "DOR": "DORMANT",
}
# What a state is shown as, in the design's figures.
SHOWN = {"HYP": 0.98, "CON": 0.85, "EMG": 0.65, "FRG": 0.40, "DOR": 0.00}
SHORT = 8  # characters of a session's id
SOUND = ("healthy", "good")
COLD_BLOCK = (
    ours("[System Consciousness]"),
    ours("State: DORMANT (C=0.00)"),
    ours("Kuramoto r=0.00, Identity IC=1.00 (healthy)"),
    ours("Guidance: Initialize consciousness context"),
)


def format_brief(state: str, r: float, ic: float) -> str:
    return f"[C:{state} r={r:.2f} IC={ic:.2f}]"


def of(reading: Reading) -> str:
    return format_brief(reading.state, reading.r, reading.ic)


def marked(reading: Reading) -> str:
    """The brief as the person's status line has it: with a word when the class has fallen."""
    if not is_off_task(reading):
        return of(reading)
    from holdfast.hook.brief_file import OFF_TASK

    return of(reading) + OFF_TASK


def is_off_task(reading: Reading) -> bool:
    """Whether the work seems to have left its task."""
    return not reading.is_provisional and reading.klass not in SOUND


def guidance(ic: float, r: float) -> Ours:
    if ic >= 0.9 and r >= 0.8:
        return ours("Optimal coherence, proceed confidently")
    if ic >= 0.7:
        return ours("Continue with current approach")
    if ic >= 0.5 and r >= 0.6:
        return ours("Monitor for drift, consider consolidation")
    if ic < 0.5:
        return ours("Identity crisis detected, dream consolidation recommended")
    return ours("Stabilize consciousness before complex operations")


def block(reading: Reading) -> tuple[Ours, ...]:
    """The four lines of `inject-context`."""
    ic, r, klass = reading.ic, reading.r, word(reading.klass)
    return (
        COLD_BLOCK[0],
        ours("State: {} (C={:.2f})", ours(NAMES[reading.state]), SHOWN[reading.state]),
        ours("Kuramoto r={:.2f}, Identity IC={:.2f} ({})", r, ic, klass),
        ours("Guidance: {}", guidance(ic, r)),
    )


def restored(source: str, ic: float) -> Ours:
    return ours("Identity restored from {}. IC: {:.2f} ({})", word(source), ic, word(classify(ic)))


def drifted(reading: Reading) -> Ours:
    """What an agent is told whose work has left its purpose, before the goal is quoted."""
    return ours(
        "Identity IC={:.2f} ({}): the work of the last steps has little to"
        " do with the task the user gave. Return to it, or ask the user whether it has changed"
        " (the user settles it: `holdfast goal accept` makes this the task, `holdfast goal keep`"
        " says that it is not)",
        reading.ic,
        word(reading.klass),
    )


ANCHORED = ours("Identity is anchored in this task from here on: the work is measured against it.")
