"""The judgement: which requirements a tool call asks for, and which of them are open.

Laws:
  - a judgement that fails lets through, and what failed is told to the caller;
  - a requirement is asked for by what a call does, not by what it mentions;
  - a person's word is enough; an agent's needs the proof that the requirement names.
"""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.config.compiled import kinds_of
from holdfast.rooms.gates.judgement_facts import Open

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from holdfast.config.requirement_type import (
        ActionTrigger,
        EvidenceFile,
        Requirement,
        Requirements,
        Trigger,
    )
    from holdfast.rooms.gates.judgement_facts import Facts
    from holdfast.rooms.gates.tool_call import Call

# Where plans are written, which some requirements ask for before anything may be written.
PLANS = (*(f"/{folder}/" for folder in surroundings.PLANS), "/docs/plans/")
EDITS = frozenset({"edit", "create"})
# The actions that a tool's deed may be; any other deed may be each of them.
_EDITED = frozenset({"edit_files", "write"})
POSSIBLE = {
    **dict.fromkeys(EDITS, _EDITED),
    **dict.fromkeys(("read", "search", "fetch", "plan", "ask"), frozenset[str]()),
    "delegate": frozenset({"subagent"}),
    "skill": frozenset({"skill"}),
}


def gating(
    requirements: Requirements, call: Call, failed: Callable[[Exception], None]
) -> Requirements:
    """The requirements that stand in front of a call. One whose trigger cannot be read does not."""
    return {
        name: each
        for name, each in requirements.items()
        if attempt(failed, _is_in_front_of, name, each, call)
    }


def asked_of(requirements: Requirements, call: Call) -> Requirements:
    """Those that a call is refused for. Subagents are exempt by setting from being asked; what they
    do counts for their session all the same."""
    return {
        name: each
        for name, each in requirements.items()
        if not each["stop_only"] and (not call.subagent or each["for_subagents"])
    }


def attempt(failed: Callable[[Exception], None], act: Callable[..., Any], *given: Any) -> Any:
    """What an act answers; None when it fails, and what failed is told."""
    try:
        return act(*given)
    except Exception as error:  # noqa: BLE001 - a gate that cannot judge lets through
        failed(error)
        return None


def is_plan(call: Call) -> bool:
    """Whether a call writes a plan: it comes before what asks for one."""
    return call.deed in EDITS and any(place in f"/{call.path}" for place in PLANS)


def uses_up(requirement: Requirement, call: Call) -> bool:
    """Whether a call is the action that a satisfaction was for. Where commands are named it is one
    of them, and what else stands in the list only asks for it."""
    named = [trigger for trigger in requirement["trigger_tools"] if trigger["command_pattern"]]
    if requirement["trigger"] and acts(requirement["trigger"], call):
        return True
    return not (named or requirement["trigger"]) or any(_names(trigger, call) for trigger in named)


def _is_in_front_of(name: str, requirement: Requirement, call: Call) -> bool:
    if any(_names(trigger, call) for trigger in requirement["trigger_tools"]):
        return True
    if not requirement["trigger"]:
        return False
    if acts(requirement["trigger"], call):
        return True
    if requirement["opaque"] == "allow" or not (call.seen and call.seen.opaque):
        return False
    call.unseen |= {name}
    return True


def acts(triggers: Sequence[ActionTrigger], call: Call) -> bool:
    """Whether a call does one of the actions that are named."""
    wanted = {trigger["action"] for trigger in triggers}
    if not wanted & POSSIBLE.get(call.deed, wanted):
        return False
    from holdfast.system.environment import bring

    bring("actions")
    from holdfast.rooms.gates.actions import matching, reading

    if call.seen is None:
        if "run" not in wanted and reading.only_looks(call.command):
            return False
        call.seen = reading.of_call(call)
    return any(
        matching.names(trigger, action, call.root)
        for trigger in triggers
        for action in call.seen.actions
    )


def _names(trigger: Trigger, call: Call) -> bool:
    if trigger["tool"] != call.tool:
        return False
    pattern, globs = trigger["command_pattern"], trigger["paths"]
    if pattern:
        from holdfast.rooms.gates.triggers import judged

        # A command that nobody can read, with the pattern's words in it, counts as named.
        verdict = judged(pattern, call.command, required=frozenset(trigger["literals"]))
        if verdict is False:
            return False
        call.is_unread |= verdict is None
    if globs:
        from holdfast.rooms.gates.path_globs import path_matches

        return any(path_matches(glob, call.path) for glob in globs)
    return True


def unmet(
    requirements: Requirements, facts: Facts, failed: Callable[[Exception], None]
) -> list[Open]:
    """Those that are open, with what is to be said of each. One that cannot be judged is not."""
    judged = [attempt(failed, judge, name, each, facts) for name, each in requirements.items()]
    return [open_ for open_ in judged if open_ is not None]


def judge(name: str, requirement: Requirement, facts: Facts) -> Open | None:
    """What is open about a requirement, None when nothing is. What a rule forbids is open before
    the very call alone."""
    if requirement["rule"] and not facts.is_before_tool:
        return None
    if requirement["type"] == "guard":
        reason = "" if facts.is_approved(name) else _condition(requirement, facts)
    elif requirement["type"] == "dynamic":
        satisfied = facts.is_satisfied(name, requirement)
        reason = "" if satisfied else _too_high(name, requirement, facts)
    else:
        return _unmet(name, requirement, facts)
    return Open(name, requirement, reason) if reason else None


def _unmet(name: str, requirement: Requirement, facts: Facts) -> Open | None:
    if facts.is_by_person(name, requirement):
        return None
    if not needs_proof(requirement):
        return None if facts.is_satisfied(name, requirement) else Open(name, requirement)
    # Where a skill is named, both: the skill was run, and the proof is there.
    is_done = not requirement["satisfied_by_skill"] or facts.is_satisfied(name, requirement)
    lacks = lacking(requirement, facts)
    return Open(name, requirement, lacks=lacks) if lacks or not is_done else None


def needs_proof(requirement: Requirement) -> bool:
    return bool(
        requirement["evidence"]
        or requirement["evidence_required"]
        or requirement["evidence_runs"]
        or requirement["evidence_first"]
        or requirement["min_confidence"] is not None
    )


def lacking(requirement: Requirement, facts: Facts) -> list[str]:
    """What of the proof that a requirement names is not there, in a few words each."""
    lacks = []
    if requirement["evidence"] and not facts.has_file(requirement["evidence"]):
        lacks.append(_file(requirement["evidence"]))
    if requirement["evidence_first"] and not facts.has_changed(requirement["evidence_first"]):
        lacks.append(f"nothing in {', '.join(requirement['evidence_first'])} has been changed yet")
    kinds = kinds_of(requirement)
    if kinds:
        from holdfast.rooms.gates import contract

        named = contract.Contract("", (), kinds)
        evidence = facts.evidence(named.evidence_required)
        lacks += contract.lacking(named, evidence, facts.edits())
    least = requirement["min_confidence"]
    if least is not None and facts.conduct().confidence < least:
        lacks.append(f"confidence is {facts.conduct().confidence}")
    return lacks


def _file(evidence: EvidenceFile) -> str:
    """Which file would do."""
    asks = [repr(each) for each in evidence["require_markers"]]
    if evidence["require_verdict"]:
        asks.append(f"the verdict {evidence['require_verdict']!r}")
    text = f"a file in {' or '.join(evidence['dirs'])}"
    return f"{text} with {' and '.join(asks)}" if asks else text


def _condition(requirement: Requirement, facts: Facts) -> str:
    """What a guard has to say, "" while its condition does not hold."""
    if requirement["guard_type"] == "protected_branch":
        if facts.branch not in requirement["protected_branches"]:
            return ""
        message = requirement["message"] or "Make a branch of your own, and work there."
        return f"The branch {facts.branch} is protected. {message}"
    others = facts.others()
    if not others:
        return ""
    from holdfast.system import clock

    now = clock.seconds_of(facts.now)
    lines = [
        f"- {session.id[:8]} on {session.branch or 'no branch'},"
        f" active {_ago(now - clock.seconds_of(session.last_active_at))}"
        for session in others[:5]
    ]
    message = requirement["message"] or "Use a worktree of your own, or wait for its end."
    return "\n".join([f"Another session is at work here. {message}", *lines])


def _ago(seconds: float) -> str:
    whole = max(0, int(seconds))
    for unit, size in (("h", 3600), ("m", 60)):
        if whole >= size:
            return f"{whole // size}{unit} ago"
    return f"{whole}s ago"


def _too_high(name: str, requirement: Requirement, facts: Facts) -> str:
    """What a number has to say from its limit on; one at its warning is told as being near."""
    number, limits = facts.number(requirement), requirement["thresholds"]
    warn = limits.get("warn")
    values: dict[str, object] = {
        **number,
        "total": number["value"],
        "warn_threshold": warn,
        "block_threshold": limits["block"],
    }
    if number["value"] < limits["block"]:
        if warn is not None and number["value"] >= warn:
            facts.near[name] = values
        return ""
    from holdfast.rooms.gates import messages

    return messages.blocking(requirement, values)
