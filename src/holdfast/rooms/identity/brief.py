"""Identity in words: the brief, the block that a prompt is given, and what is said of a drift.

The texts are the design's. Nothing here looks anything up.
"""

from __future__ import annotations

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
SOUND = ("healthy", "good")
COLD_BLOCK = (
    "[System Consciousness]",
    "State: DORMANT (C=0.00)",
    "Kuramoto r=0.00, Identity IC=1.00 (healthy)",
    "Guidance: Initialize consciousness context",
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


def guidance(ic: float, r: float) -> str:
    if ic >= 0.9 and r >= 0.8:
        return "Optimal coherence, proceed confidently"
    if ic >= 0.7:
        return "Continue with current approach"
    if ic >= 0.5 and r >= 0.6:
        return "Monitor for drift, consider consolidation"
    if ic < 0.5:
        return "Identity crisis detected, dream consolidation recommended"
    return "Stabilize consciousness before complex operations"


def block(reading: Reading) -> tuple[str, ...]:
    """The four lines of `inject-context`."""
    name, c = NAMES[reading.state], SHOWN[reading.state]
    return (
        COLD_BLOCK[0],
        f"State: {name} (C={c:.2f})",
        f"Kuramoto r={reading.r:.2f}, Identity IC={reading.ic:.2f} ({reading.klass})",
        f"Guidance: {guidance(reading.ic, reading.r)}",
    )


def restored(source: str, ic: float) -> str:
    return f"Identity restored from {source}. IC: {ic:.2f} ({classify(ic)})"


def drifted(reading: Reading) -> str:
    """What an agent is told whose work has left its purpose, before the goal is quoted."""
    return (
        f"Identity IC={reading.ic:.2f} ({reading.klass}): the work of the last steps has little to"
        " do with the task the user gave. Return to it, or ask the user whether it has changed"
        " (the user settles it: `holdfast goal accept` makes this the task, `holdfast goal keep`"
        " says that it is not)"
    )


ANCHORED = "Identity is anchored in this task from here on: the work is measured against it."
