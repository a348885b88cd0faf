"""How the requirements of a branch stand for a session: one screen, one line, or all there is."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict, cast

from holdfast.cli.helpers import gates_here
from holdfast.cli.helpers.place_here import verbatim
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.session_rows import SessionRow, line, session_data
from holdfast.cli.helpers.wording import ago, local_time, plural
from holdfast.config.requirement import DYNAMIC, GUARD
from holdfast.config.requirement_type import Requirement, Trigger
from holdfast.hook.voice import inline
from holdfast.rooms.gates import judgement, messages, queries, scopes
from holdfast.rooms.gates.gate_commands import Place
from holdfast.rooms.gates.judgement_facts import Facts, Open
from holdfast.rooms.gates.scopes import State
from holdfast.rooms.sessions import acting_session, queries as session_queries
from holdfast.rooms.sessions.life import short


class RequirementRow(TypedDict):
    """A requirement, how it stands and what to do about it."""

    name: str
    type: str
    scope: str
    standing: str
    said: str
    satisfied_by: str | None
    satisfied_at: str | None
    expires_at: str | None
    whole_branch: bool
    triggered: bool
    skill: str | None
    value: NotRequired[float | None]
    thresholds: NotRequired[dict[str, float | None] | None]


class RequirementsStand(TypedDict):
    """How the requirements of a branch stand for a session."""

    branch: str
    session: str | None
    paused: bool
    satisfied: int
    total: int
    requirements: list[RequirementRow]
    problems: int


class SeenSession(SessionRow):
    """A session at work, and whether its process is seen."""

    seen: bool


class SessionsAtWork(TypedDict):
    """The sessions at work in this project."""

    sessions: list[SeenSession]


Row = dict[str, Any]

OPEN, UNJUDGED, NEAR, SATISFIED, OFF = "open", "unjudged", "near", "satisfied", "off"
MARKS = {OPEN: "○", UNJUDGED: "○", NEAR: "◐", SATISFIED: "●", OFF: "·"}
SHOWN = 20
REASON_CAP = 100
NOTHING = (
    "Nothing is demanded here.",
    "`holdfast req init --preset relaxed` writes a beginning; --preview shows it first.",
)


def report(
    *,
    session: str | None = None,
    branch: str | None = None,
    verbose: bool = False,
    summary: bool = False,
) -> Report[RequirementsStand]:
    """Show how each requirement stands, and what to run for it."""
    place = gates_here.place(session, branch)
    rows = standing(place)
    is_off, _ = queries.is_off(place.workspace.store, place.project, place.session)
    is_all_off, _ = queries.is_off(place.workspace.store, place.project, scopes.ROOT)
    problems = len(gates_here.demands(place.worktree).problems)
    counted = [row for row in rows if row["standing"] != OFF]
    done = sum(row["standing"] in (SATISFIED, NEAR) for row in counted)
    data: RequirementsStand = {
        "branch": place.branch,
        "session": place.session or None,
        "paused": is_off,
        "satisfied": done,
        "total": len(counted),
        "requirements": cast("list[RequirementRow]", rows),
        "problems": problems,
    }
    head = f"{done}/{len(counted)} satisfied on {place.branch or 'no branch'}"
    if summary:
        return Report((_summary(head, counted, is_off),), data)
    whose = f"session {short(place.session)}" if place.session else "no session is at work"
    lines = [f"Requirements  {head}, {whose}"] if rows else list(NOTHING)
    if is_off:
        which = " --project" if is_all_off else ""
        lines.append(f"Gates are off: nothing is refused. `holdfast req resume{which}` ends it.")
    lines += _lines(place, rows, verbose=verbose)
    if any(row["standing"] == OPEN for row in rows):
        lines.append("`holdfast req satisfy NAME` and `approve NAME` are yours, in a terminal.")
    if problems:
        lines.append(f"○ {plural(problems, 'problem')} in the files: `holdfast req verify`")
    return Report(lines, data)


def sessions() -> Report[SessionsAtWork]:
    """List the sessions at work in this project."""
    place = gates_here.place()
    still_open = [
        session
        for session in session_queries.still_open(place.workspace.store)
        if session.project == place.project
    ]
    still_open.sort(key=lambda session: session.active, reverse=True)
    places = {session.worktree for session in still_open}
    seen = {
        session.id
        for tree in places
        for session in acting_session.at_work(place.workspace.store, tree, but="")
    }
    lines = []
    for session in still_open:
        lines.append(f"{line(session, place.at, named=False)}  {session.id}")
        if session.id not in seen:
            lines[-1] += "  (its process is not seen)"
    rows: list[SeenSession] = [
        {**session_data(session), "seen": session.id in seen} for session in still_open
    ]
    empty = "No session is at work in this project."
    return Report(lines or [empty], {"sessions": rows})


def standing(place: Place) -> list[Row]:
    """Every requirement with how it stands, what is open first."""
    facts = gates_here.facts(place)
    _, switched = facts.switches()
    rows = []
    for name, requirement in place.requirements.items():
        row = _known(name, requirement, facts)
        if not requirement["enabled"] or name in switched:
            row |= {"standing": OFF, "said": "off by command" if name in switched else "off"}
        else:
            row |= _judged(name, requirement, facts)
        rows.append(row)
    return sorted(rows, key=lambda row: list(MARKS).index(row["standing"]))


def _known(name: str, requirement: Requirement, facts: Facts) -> Row:
    """What is kept of it: by whom it was satisfied, since when, for how long."""
    states = facts.states_of(name)

    def counts(state: State) -> bool:
        if requirement["type"] == GUARD:  # a condition: nothing but an approval lifts it
            return scopes.is_approved([state], facts.session, facts.now)
        return scopes.is_satisfied(requirement["scope"], [state], facts.session, facts.now)

    met = next((state for state in states if counts(state)), None)
    return {
        "name": name,
        "type": requirement["type"],
        "scope": requirement["scope"],
        "satisfied_by": met.satisfied_by if met else None,
        "satisfied_at": met.satisfied_at if met else None,
        "expires_at": met.expires_at if met else None,
        "whole_branch": bool(met and met.session == scopes.ROOT),
        "triggered": scopes.is_triggered(states, facts.session),
        "skill": messages.skill_of(requirement) or None,
    }


def _judged(name: str, requirement: Requirement, facts: Facts) -> Row:
    failures: list[Exception] = []
    unmet = judgement.unmet({name: requirement}, facts, failures.append)
    if failures:
        why = inline(str(failures[0]), REASON_CAP)
        return {"standing": UNJUDGED, "said": f"cannot be judged, so it lets through: {why}"}
    if requirement["type"] == DYNAMIC:
        return _counted(name, requirement, facts, unmet)
    if unmet:
        return {"standing": OPEN, "said": _way(unmet[0], facts)}
    return {"standing": SATISFIED, "said": _reason(name, requirement, facts)}


def _counted(name: str, requirement: Requirement, facts: Facts, unmet: list[Open]) -> Row:
    limits = requirement["thresholds"]
    row: Row = {"thresholds": limits, "value": None, "standing": SATISFIED}
    if not unmet and facts.is_satisfied(name, requirement):
        return row | {"said": f"not counted: {_reason(name, requirement, facts)}"}
    number = facts.number(requirement)
    row["value"] = number["value"]
    text = f"{number['value']} of {limits['block']}"
    if limits["warn"] is not None:
        text += f", a word from {limits['warn']} on"
        if number["value"] >= limits["warn"]:
            row["standing"] = NEAR
    text += f" ({inline(number['summary'], REASON_CAP)})" if number.get("summary") else ""
    if unmet:
        row["standing"] = OPEN
        text += f": `holdfast req approve {name}`"
    return row | {"said": text}


def _way(unmet: Open, facts: Facts) -> str:
    """What to run for it."""
    name, requirement = unmet.name, unmet.requirement
    if requirement["type"] == GUARD:
        reason = inline(unmet.reason.splitlines()[0], REASON_CAP)
        return f"{reason} Or `holdfast req approve {name}`"
    ways = []
    skill = messages.skill_of(requirement)
    if skill and not facts.is_satisfied(name, requirement):
        ways.append(f"run `/{skill}`")
    if judgement.needs_proof(requirement):
        ways += [inline(each, REASON_CAP) for each in judgement.lacking(requirement, facts)]
    text = "; ".join(ways) or f"`holdfast req satisfy {name}`"
    return f"{text} (asked for at the end of a turn)" if requirement["stop_only"] else text


def _reason(name: str, requirement: Requirement, facts: Facts) -> str:
    """Why nothing is asked for."""
    row = _known(name, requirement, facts)
    if row["satisfied_by"] is None:
        if requirement["type"] != GUARD:
            return "its proof stands"
        guarded = requirement["guard_type"] == "protected_branch"
        return "the branch is not protected" if guarded else "no other session is at work here"
    text = f"by {row['satisfied_by']}, {ago(row['satisfied_at'] or facts.now, facts.now)}"
    if row["whole_branch"]:
        text += ", for the whole branch"
    end = row["expires_at"]
    return f"{text}, until {local_time(end, facts.now)}" if end else text


def _summary(head: str, counted: list[Row], is_off: bool) -> str:
    names = [row["name"] for row in counted if row["standing"] == OPEN]
    text = f"Requirements: {head}" if counted else "Requirements: none"
    if names:
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        text += f"; open: {', '.join(names[:SHOWN])}{more}"
    return f"{text}; gates are off" if is_off else text


def _lines(place: Place, rows: list[Row], *, verbose: bool) -> list[str]:
    width = max((len(row["name"]) for row in rows), default=0)
    lines = []
    for row in rows if verbose else rows[:SHOWN]:
        sort = row["scope"] if row["type"] == "blocking" else row["type"]
        lines.append(f"{MARKS[row['standing']]} {row['name']:{width}}  {sort:10}  {row['said']}")
        if verbose:
            lines += [f"    {line}" for line in _more(place.requirements[row["name"]], row)]
    if not verbose and len(rows) > SHOWN:
        lines.append(f"... and {len(rows) - SHOWN} more: `holdfast req status --verbose`")
    return lines


def _more(requirement: Requirement, row: Row) -> list[str]:
    lines = [f"scope {row['scope']}" + (", triggered in this session" if row["triggered"] else "")]
    lines.append(
        f"in front of {', '.join(_trigger(trigger) for trigger in requirement['trigger_tools'])}"
    )
    text = requirement["description"] or requirement["message"]
    if text:
        lines.append(verbatim(text.strip(), 4))
    lines += [f"- {inline(item, 200)}" for item in requirement["checklist"]]
    if requirement["satisfied_by_skill"]:
        skills = ", ".join(f"`/{skill}`" for skill in requirement["satisfied_by_skill"])
        lines.append(f"satisfied by {skills}")
    if requirement["evidence_required"]:
        lines.append(f"proof: {', '.join(requirement['evidence_required'])}")
    return lines


def _trigger(trigger: Trigger) -> str:
    text = str(trigger["tool"])
    if trigger["command_pattern"]:
        text += f" ({inline(trigger['command_pattern'], 80)})"
    return f"{text} in {', '.join(trigger['paths'])}" if trigger["paths"] else text
