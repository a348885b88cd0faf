"""Figures of this project's sessions: captured, restored, inherited, kept, loaded, said; and how
far a session that begins here would believe what earlier ones left, by who said it."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Any, TypedDict, cast

from holdfast.cli.helpers import place_here
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural, times
from holdfast.hook import belief
from holdfast.ledger import queries as ledger
from holdfast.rooms.decisions import deciding, decision_wording
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.sessions import queries as sessions
from holdfast.rooms.work import commands, fading, queries as activity, summary
from holdfast.rooms.work.commands import Place
from holdfast.store.sqlite import Store


class Believed(TypedDict):
    """How many memories a source left, how far they are believed, and how many are told no more."""

    items: int
    least: float
    most: float
    not_told: int


DECISIONS = 200


def believed(place: Place) -> dict[str, Believed]:
    """Pins, open items of the list in force and decisions: of each source how many there are, what
    is left of the confidence in them, and how many are no longer told at a start."""
    by_source: dict[str, list[float]] = {source: [] for source in belief.CONFIDENCE}
    for source, confidence in _left(place):
        by_source[source].append(confidence)
    return {
        source: {
            "items": len(levels),
            "least": round(min(levels), 2),
            "most": round(max(levels), 2),
            "not_told": sum(level < belief.DROPPED_UNDER for level in levels),
        }
        for source, levels in by_source.items()
        if levels
    }


def _left(place: Place) -> list[tuple[str, float]]:
    store, now = place.workspace.store, place.at
    floor = place.settings["continuity.decay_min_floor"]
    pins = summary.pins(store, place.project, place.about)
    left = fading.of_pins(store, pins, now, floor)
    levels = [(fading.source_of(pin), left[pin.id]) for pin in pins]
    source = activity.list_of(store, place.about)
    todos = summary.open_todos(store, source) if source else []
    if todos:
        level = fading.of_list(store, summary.InheritedList(source, todos), now, floor)
        levels += [(belief.AGENT, level)] * len(todos)
    for decision, standing, _ in deciding.greeting(store, place.project, place.root, DECISIONS):
        level = decision_wording.confidence_left(decision, standing, now, floor)
        levels.append((decision_wording.source_of(decision, standing), level))
    return levels


def believed_line(levels: dict[str, Believed]) -> str:
    """In one line: `3 user 1.00, 2 agent 0.28 to 0.58 (1 not told)`."""
    parts = []
    for source, level in levels.items():
        least, most = f"{level['least']:.2f}", f"{level['most']:.2f}"
        span = least if least == most else f"{least} to {most}"
        untold = f" ({level['not_told']} not told)" if level["not_told"] else ""
        parts.append(f"{level['items']} {source} {span}{untold}")
    return ", ".join(parts) or "nothing is left by earlier sessions"


class SessionFigures(TypedDict):
    """How many sessions began, and how they ended."""

    begun: int
    captured: int
    crashed: int
    restored: int


class InheritedFigures(TypedDict):
    """What later sessions took over."""

    pins: int
    tasks: int
    decayed: int


class CheckpointFigures(TypedDict):
    """How many checkpoints were taken, and why."""

    taken: int
    by_cause: dict[str, int]


class RuleFigures(TypedDict):
    """How many rules were given, withdrawn and are in force."""

    given: int
    withdrawn: int
    in_force: int


class LoadedFigures(TypedDict):
    """What agents loaded."""

    instructions: int
    commands: int
    skills: int


class SaidFigures(TypedDict):
    """What Holdfast said."""

    tokens: int
    sessions: int
    median_tokens: int


class Figures(TypedDict):
    """What was done here; `project` and `believed` are None with --all."""

    sessions: SessionFigures
    inherited: InheritedFigures
    checkpoints: CheckpointFigures
    chain_walks: int
    goals: int
    rules: RuleFigures
    pins: int
    learnings: int
    handoffs: int
    loaded: LoadedFigures
    said: SaidFigures
    believed: dict[str, Believed] | None
    project: str | None


PROJECTS = 100_000
KINDS = (
    *("session_began", "session_ended", "session_crashed", "state_inherited", "chain_walked"),
    *("checkpoint_taken", "context_given", "goal_set", "rule_given", "pinned", "learnt"),
    *("handoff_given", "instructions_loaded", "command_typed", "tool_used"),
)
CAUSES = ("compact", "stop", "delta", "clear", "hand")


def stats(*, everywhere: bool) -> Report[Figures]:
    """Figures of the sessions here: captured, restored, inherited, kept, loaded, said."""
    place = place_here.place()
    store = place.workspace.store
    own = [place.project, *sessions.merged_into(store, place.project)] if place.project else []
    data = cast("Figures", summed(ledger.tallies(store, KINDS, None if everywhere else own)))
    homes = ledger.projects_like(store, "", PROJECTS) if everywhere else [place.project]
    rules = [rule for home in homes for rule in prompt_queries.all_rules(store, home)]
    data["rules"]["withdrawn"] = sum(rule.withdrawn for rule in rules)
    data["rules"]["in_force"] = (
        sum(_in_force(store, home) for home in homes)
        if everywhere
        else len(commands.rules_here(place))
    )
    data["believed"] = None if everywhere or not place.project else believed(place)
    data["project"] = None if everywhere else place.project or None
    if not data["sessions"]["begun"]:
        empty = "No session here yet: figures come with the first one."
        return Report((empty,), data)
    return Report(_lines(data), data)


def summed(rows: Iterable[tuple[str, str, str, int, int, int, int]]) -> dict[str, Any]:
    """Figures from entries, so that they are the same on every machine that has them; what was
    archived or forgotten still counts by its header, without what its text told. `rows` are kind,
    session, sort, number, tokens or pins, tasks, decayed."""
    counts = dict.fromkeys(KINDS, 0)
    sessions: dict[str, set[str]] = {kind: set() for kind in KINDS}
    causes = dict.fromkeys(CAUSES, 0)
    pins = tasks = decayed = skills = 0
    tokens: dict[str, int] = {}
    for kind, session, sort, number, amount, surfaced, dropped in rows:
        counts[kind] += number
        sessions[kind].add(session)
        tasks, decayed = tasks + surfaced, decayed + dropped
        if kind == "context_given":
            tokens[session] = tokens.get(session, 0) + amount
        elif kind == "state_inherited":
            pins += amount
        elif kind == "checkpoint_taken" and sort:
            causes[sort] = causes.get(sort, 0) + number
        elif kind == "tool_used" and sort:
            skills += number
    return {
        "sessions": {
            "begun": len(sessions["session_began"]),
            "captured": len(sessions["session_ended"]),
            "crashed": len(sessions["session_crashed"]),
            "restored": len(sessions["state_inherited"]),
        },
        "inherited": {"pins": pins, "tasks": tasks, "decayed": decayed},
        "checkpoints": {"taken": counts["checkpoint_taken"], "by_cause": causes},
        "chain_walks": counts["chain_walked"],
        "goals": counts["goal_set"],
        "rules": {"given": counts["rule_given"]},
        "pins": counts["pinned"],
        "learnings": counts["learnt"],
        "handoffs": counts["handoff_given"],
        "loaded": {
            "instructions": counts["instructions_loaded"],
            "commands": counts["command_typed"],
            "skills": skills,
        },
        "said": {
            "tokens": sum(tokens.values()),
            "sessions": len(tokens),
            "median_tokens": round(median(tokens.values())) if tokens else 0,
        },
    }


def _in_force(store: Store, project: str) -> int:
    """In its newest session."""
    newest = sessions.of_project(store, project, 1)
    return len(prompt_queries.rules(store, project, newest[0].id if newest else ""))


def _lines(data: Figures) -> list[str]:
    begun, came, rules = data["sessions"], data["inherited"], data["rules"]
    causes = [f"{many} {cause}" for cause, many in data["checkpoints"]["by_cause"].items() if many]
    loaded, output = data["loaded"], data["said"]
    taken = data["checkpoints"]["taken"]
    rows = {
        "Sessions": f"{begun['begun']} begun, {begun['captured']} captured at their end,"
        f" {begun['crashed']} crashed, {begun['restored']} restored",
        "Inherited": f"{plural(came['pins'], 'pin')}, {plural(came['tasks'], 'task')} surfaced,"
        f" {came['decayed']} dropped by decay",
        "Kept": plural(taken, "checkpoint") + (f" ({', '.join(causes)})" if causes else ""),
        "Goals": f"{data['goals']} set",
        "Rules": f"{rules['given']} given, {rules['withdrawn']} withdrawn,"
        f" {rules['in_force']} in force",
        "Pins": f"{data['pins']} pinned",
        "Learnings": f"{data['learnings']} learnt",
        "Handoffs": f"{data['handoffs']} given by hand",
        "Chain": f"walked {times(data['chain_walks'])}",
        "Loaded": f"{plural(loaded['instructions'], 'instruction file')},"
        f" {plural(loaded['skills'], 'skill')}, {plural(loaded['commands'], 'typed command')}",
        "Said": f"{output['tokens']} tokens to {plural(output['sessions'], 'session')},"
        f" {output['median_tokens']} in the median",
    }
    if data["believed"] is not None:
        rows["Believed"] = believed_line(data["believed"])
    return [f"{name:10}{text}" for name, text in rows.items()]
