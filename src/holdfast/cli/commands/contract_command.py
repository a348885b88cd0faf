"""Show or set the contract of a session: goal, criteria, and the evidence needed at the end.

`set --goal T --criterion T ... --evidence tests,lint` makes one and replaces the one before. An
agent may set one too, as long as it asks for no less; only you can clear it. Later sessions take it
over until you give another task. The setting `completion.mode` (strict, normal or loose) says how
it is enforced at the end of a turn.
"""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli.helpers import gates_here, person_check
from holdfast.cli.helpers.place_here import misuse, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import ago
from holdfast.errors import HoldfastError
from holdfast.rooms.gates import contract as contracts
from holdfast.rooms.gates import gate_commands
from holdfast.rooms.gates.evidence.proof import KINDS
from holdfast.rooms.gates.gate_commands import Place
from holdfast.rooms.prompts import task_at_hand
from holdfast.rooms.prompts.attribution import AGENT, PERSON
from holdfast.rooms.sessions.life import short

PARAMETERS: list[click.Parameter] = [
    click.Argument(["act"], type=click.Choice(["show", "set", "clear"]), default="show"),
    click.Option(["--goal"], metavar="TEXT", help="set: what is to be done."),
    click.Option(
        ["--criterion", "criteria"], multiple=True, metavar="TEXT", help="set: when; repeatable."
    ),
    click.Option(
        ["--evidence"], metavar="KINDS", help=f"set: of {', '.join(KINDS)}; tests unless said."
    ),
    click.Option(["--session"], metavar="ID", help="Of this session."),
]
NONE = (
    "No contract: the end of a turn asks for no evidence of its own.",
    "`holdfast contract set --goal TEXT --evidence tests,lint` makes one.",
)


def run(
    *,
    act: str,
    goal: str | None,
    criteria: tuple[str, ...],
    evidence: str | None,
    session: str | None,
) -> Report:
    if act != "set" and (goal or criteria or evidence is not None):
        misuse(f"{act} takes no --goal, --criterion or --evidence")
    if act == "show":
        return _shown(gates_here.place(session))
    if act == "clear":
        person_check.ask("contract clear")
        place = gates_here.place(session, to_act=True)
        was = gate_commands.release(place)
        message = "The contract is cleared." if was else "There was no contract."
        return Report((message,), {"contract": None, "cleared": was})
    if goal is None:
        misuse("set takes --goal TEXT")
    place = gates_here.place(session, to_act=True)
    kinds = None if evidence is None else evidence.replace(",", " ").split()
    _ask_for_a_person(place, contracts.DEFAULT_REQUIRED if kinds is None else kinds)
    author = AGENT if person_check.why_not() else PERSON
    thread = task_at_hand.of(place.workspace.store, place.session)
    gate_commands.agree(place, goal, criteria, kinds, thread=thread, author=author)
    return _shown(place)


def _ask_for_a_person(place: Place, kinds: Any) -> None:
    """What asks for less than before is cleared by another name."""
    current = gate_commands.agreed(place)
    less = [kind for kind in current["evidence_required"] if kind not in kinds] if current else []
    reason = person_check.why_not() if less else ""
    if reason:
        raise HoldfastError(
            f"the contract asks for {', '.join(less)}; to ask for less is the person's, and"
            f" {reason}; nothing was changed",
            hint=person_check.HINT,
        )
    if less:
        person_check.keep("contract set")


def _shown(place: Place) -> Report:
    contract, facts = gate_commands.agreed(place), gates_here.facts(place)
    mode = place.workspace.settings(place.worktree)["completion.mode"]
    if contract is None:
        return Report(NONE, {"session": place.session or None, "contract": None, "mode": mode})
    agreed, shown = contracts.of(contract), contracts.shown(contract, facts.evidence())
    lacks = {
        kind: contracts.lacking(contracts.Contract("", (), [kind]), shown, facts.edits())
        for kind in agreed.evidence_required
    }
    percent = contracts.proven(agreed, shown, facts.edits())
    binds = task_at_hand.is_at(
        place.workspace.store, place.session, contract["thread"], contract["goal"]
    )
    lines = [
        f"Goal      {verbatim(contract['goal'], 10)}",
        f"Since     {ago(contract['at'], place.at)}, session {short(place.session)}, mode {mode}",
    ]
    if contract["source"]:
        lines.append(f"          taken over: it was first set in {short(contract['source'])}")
    if not binds:
        lines.append("          does not bind: you have given another task since")
    lines += [
        f"{'Criteria' if not n else '':10}- {criterion}"
        for n, criterion in enumerate(contract["criteria"])
    ]
    for number, (kind, missing) in enumerate(lacks.items()):
        mark, words = ("○", missing[0]) if missing else ("●", f"{kind}: stands")
        lines.append(f"{'Evidence' if not number else '':10}{mark} {words}")
    lines.append(f"Proven    {percent} %")
    data = {
        "session": place.session,
        "contract": {
            **contract,
            "lacking": [line for missing in lacks.values() for line in missing],
        },
        "proven": percent,
        "binds": binds,
        "mode": mode,
    }
    return Report(tuple(lines), data)
