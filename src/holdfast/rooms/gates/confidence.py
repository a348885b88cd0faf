"""Confidence: 0 to 100, moved only by what was seen, each time with its reason.

The table OBSERVATIONS is all there is: nothing moves the number that is not in it, and nothing
is in it that an event does not show. Whole numbers only, so a replay comes to the same value.
"""

from __future__ import annotations

from holdfast.rooms.gates.edit_change import change_of, oscillates
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from holdfast.rooms.gates.evidence.proof import Evidence

START = 75
TURN_BOUND = 15  # what one turn may gain, and what it may lose

# name -> (change, what it means). What no event shows (sycophancy, a claim without proof, a
# deferral, code quality) is left out, and so is what costs nothing to do again: searching.
OBSERVATIONS: dict[str, tuple[int, str]] = {
    "tool_failure": (-5, "a tool failed, or said that it did"),
    "sunk_cost": (-20, "the same command failed three times in a row"),
    "user_correction": (-10, "the person corrected the work"),
    "edit_oscillation": (-12, "the same text was changed back and forth"),
    "unverified_edits": (-5, "the turn ended with edits newer than their evidence"),
    "pre_commit_no_tests": (-10, "a commit with edits newer than their evidence"),
    "goal_drift": (-8, "five turns with hardly a word of the goal"),
    "test_pass": (5, "the tests passed"),
    "build_success": (5, "the build succeeded"),
    "lint_pass": (3, "lint found nothing"),
    "types_pass": (3, "the type check found nothing"),
    "commit": (3, "a commit with its evidence standing"),
    "user_ok": (2, "the person was content"),
    "file_read": (1, "a file was read"),
}
ZONES = (
    (30, "IGNORANCE"),
    (50, "HYPOTHESIS"),
    (70, "WORKING"),
    (85, "CERTAINTY"),
    (94, "TRUSTED"),
    (100, "EXPERT"),
)
GAINS = {
    "tests": "test_pass",
    "build": "build_success",
    "lint": "lint_pass",
    "types": "types_pass",
}

FAILURES_IN_A_ROW = 3
DRIFT_TURNS = 5
DRIFT_PERCENT = 10
OPENING = 80  # characters: a correction stands at the beginning of what is said
CONTENT_CAP = 60  # characters: a longer answer asks for something

CORRECTIONS = (
    *("no,", "no.", "no!", "no -", "nope,", "wrong", "that's wrong", "that is wrong"),
    *("that's not", "that is not", "that isn't", "not what i", "this is wrong", "this isn't what"),
    *("you broke", "you misunderstood", "you forgot", "i said", "i told you", "i asked for"),
    *("undo that", "undo this", "revert that", "revert this", "stop,", "stop!", "stop doing"),
)
CONTENT = (
    *("thanks", "thank you", "great", "perfect", "looks good", "look good", "lgtm", "nice"),
    *("well done", "good job", "excellent", "awesome", "that works", "works now", "it works"),
)
RESERVATIONS = ("but", "however", "except", "though", "not", "still", "now", "?")


class State(Value):
    """What was known before an event: each field a value that the caller looked up."""

    evidence: Iterable[Evidence] = ()  # of this very event: proof.recognise
    failures: int = 0  # of this very command in a row, before this event
    changes: Iterable[tuple[str, str, str]] = ()  # change_of() of the session's earlier edits
    is_unverified: bool = False  # edits are newer than the evidence for them
    turns: int = 0  # that ended since the goal was set
    goal_words: Sequence[str] = ()
    recent_words: Iterable[str] = ()  # of what was said and done in the last five turns


def zone(value: int) -> str:
    for top, name in ZONES:
        if value <= top:
            return name
    return ZONES[-1][1]


def step(value: int, observation: str, *, recent: Sequence[str]) -> tuple[int, str]:
    """The value after an observation, and why. `recent`: the observations of this turn before it.

    What raises it counts full, then three quarters, a half, a quarter when it comes again in a
    turn; a turn gains and loses TURN_BOUND at most; the value stays within 0 and 100.
    """
    if observation not in OBSERVATIONS:
        return value, f"{observation}: nobody observes that"
    change = _worth(observation, recent)
    # Gains and losses have a bound each: a gain that was lost at 100 must not pay for a loss.
    spent = sum(
        abs(worth)
        for at, name in enumerate(recent)
        if (worth := _worth(name, recent[:at])) * change > 0
    )
    allowed = max(0, min(abs(change), TURN_BOUND - spent))
    after = max(0, min(100, value + (allowed if change > 0 else -allowed)))
    return after, f"{observation} {after - value:+d}: {OBSERVATIONS[observation][1]}"


def _worth(observation: str, recent: Sequence[str]) -> int:
    change = OBSERVATIONS.get(observation, (0, ""))[0]
    if change <= 0:
        return change
    quarters = max(1, 4 - recent.count(observation))
    return change * quarters // 4


def observe(kind: str, body: Mapping[str, Any], state: State) -> list[str]:
    """The observations that an event gives, in order. A subagent's work is not the session's."""
    if body.get("subagent"):
        return []
    if kind == "tool_used":
        return _tool(body, state)
    if kind == "prompt_given":
        return _prompt(str(body.get("prompt", "")), state)
    if kind == "turn_ended":
        return _end(body, state)
    return []


def _tool(body: Mapping[str, Any], state: State) -> list[str]:
    if body.get("interrupted") is True:
        return []  # the person's doing, and no news about the work
    evidence = list(state.evidence)
    observations = [GAINS[each.kind] for each in evidence if each.passed and each.kind in GAINS]
    if body.get("ok") is not True or any(not each.passed for each in evidence):
        # The third time, the sixth: one more failure is one more failure.
        third = (state.failures + 1) % FAILURES_IN_A_ROW == 0 and body.get("deed") == "run"
        return [*observations, "sunk_cost" if third else "tool_failure"]
    deed = body.get("deed")
    if deed == "read":
        observations.append("file_read")
    elif deed == "run" and is_commit(str(body.get("command", ""))):
        observations.append("pre_commit_no_tests" if state.is_unverified else "commit")
    elif deed == "edit" and oscillates(change_of(body), list(state.changes)):
        observations.append("edit_oscillation")
    return observations


def is_commit(command: str) -> bool:
    """Whether a command line commits with git."""
    if "commit" not in command or "git" not in command:
        return False
    from holdfast.shell.program import name, normalised
    from holdfast.shell.simple_commands import parsed

    for simple in parsed(command) or []:
        texts = [word.text for word in normalised(simple.words)]
        is_real = name(simple.words[0]) == "git" and "--dry-run" not in texts
        if is_real and texts[1:2] == ["commit"]:
            return True
    return False


def _prompt(prompt: str, state: State) -> list[str]:
    if state.turns < 1:
        return []  # nothing was done yet that could be right or wrong
    text = " ".join(prompt.lower().replace("’", "'").split())
    if text[:OPENING].startswith(CORRECTIONS):
        return ["user_correction"]
    short = len(text) <= CONTENT_CAP and text.startswith(CONTENT)
    words = text.replace("?", " ? ").replace(",", " ").replace(".", " ").split()
    return ["user_ok"] if short and not set(RESERVATIONS) & set(words) else []


def _end(body: Mapping[str, Any], state: State) -> list[str]:
    if body.get("again") is True:
        return []  # the same end once more, after a gate refused it
    observations = ["unverified_edits"] if state.is_unverified else []
    if has_drifted(state):
        observations.append("goal_drift")
    return observations


def has_drifted(state: State) -> bool:
    """Every fifth turn: fewer than a tenth of the goal's words were heard in the last five."""
    goal = {word.lower() for word in state.goal_words}
    if not goal or state.turns < DRIFT_TURNS or state.turns % DRIFT_TURNS:
        return False
    heard = goal & {word.lower() for word in state.recent_words}
    return 100 * len(heard) < DRIFT_PERCENT * len(goal)
