"""Show or set the contract of a session: goal, criteria, and the evidence needed at the end.

An agent may set one too, as long as it asks for no less; only you can clear it. Later sessions take
it over until you give another task. The setting `completion.mode` (strict, normal or loose) says
how it is enforced at the end of a turn.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict, cast

from holdfast.cli.helpers import gates_here, person_check
from holdfast.cli.helpers.place_here import verbatim
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import SESSION, Verb, option
from holdfast.cli.helpers.wording import ago
from holdfast.errors import HoldfastError
from holdfast.rooms.gates import contract as contracts, gate_commands
from holdfast.rooms.gates.evidence.proof import KINDS
from holdfast.rooms.gates.gate_commands import Place
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts.attribution import AGENT, PERSON
from holdfast.rooms.sessions.life import short


class ContractRow(TypedDict):
    """What a session has agreed on, and what of its evidence is lacking."""

    at: str
    goal: str
    criteria: list[str]
    evidence_required: list[str]
    refused: int
    id: str
    thread: str
    author: str
    source: str
    unproven: list[str]
    edits_wait: bool
    rank: str
    lacking: list[str]


class ContractShown(TypedDict):
    """The contract of a session; None where it has none."""

    session: str | None
    contract: ContractRow | None
    mode: str
    proven: NotRequired[int]
    binds: NotRequired[bool]


class ContractCleared(TypedDict):
    """Whether there was a contract to clear."""

    contract: None
    cleared: bool


NONE = (
    "No contract: the end of a turn asks for no evidence of its own.",
    "`holdfast contract set --goal TEXT --evidence tests,lint` makes one.",
)


def show(*, session: str | None) -> Report[ContractShown]:
    """Show what the session has agreed on, and what of its evidence is lacking."""
    return _shown(gates_here.place(session))


def agree(
    *, goal: str, criteria: tuple[str, ...], evidence: str | None, session: str | None
) -> Report[ContractShown]:
    """Make a contract, in place of the one before."""
    place = gates_here.place(session, to_act=True)
    kinds = None if evidence is None else evidence.replace(",", " ").split()
    _ask_for_a_person(place, contracts.DEFAULT_REQUIRED if kinds is None else kinds)
    author = AGENT if person_check.doubt() else PERSON
    thread = prompt_queries.thread_of_task(place.workspace.store, place.session)
    gate_commands.agree(place, goal, criteria, kinds, thread=thread, author=author)
    return _shown(place)


def clear(*, session: str | None) -> Report[ContractCleared]:
    """Release the session from its contract."""
    person_check.ask("contract clear")
    place = gates_here.place(session, to_act=True)
    was = gate_commands.release(place)
    message = "The contract is cleared." if was else "There was no contract."
    return Report((message,), {"contract": None, "cleared": was})


def _ask_for_a_person(place: Place, kinds: Any) -> None:
    """What asks for less than before is cleared by another name."""
    current = gate_commands.agreed(place)
    less = [kind for kind in current["evidence_required"] if kind not in kinds] if current else []
    reason = person_check.why_not() if less else ""
    if reason:
        raise HoldfastError(
            f"the contract asks for {', '.join(less)}; only a person may ask for less, and"
            f" {reason}; nothing was changed",
            hint=person_check.HINT,
        )
    if less:
        person_check.keep("contract set")


def _shown(place: Place) -> Report[ContractShown]:
    contract, facts = gate_commands.agreed(place), gates_here.facts(place)
    mode = place.workspace.settings(place.worktree)["completion.mode"]
    if contract is None:
        return Report(NONE, {"session": place.session or None, "contract": None, "mode": mode})
    agreed = contracts.of(contract)
    shown = contracts.shown(contract, facts.evidence(agreed.evidence_required))
    lacks = {
        kind: contracts.lacking(contracts.Contract("", (), [kind]), shown, facts.edits())
        for kind in agreed.evidence_required
    }
    percent = contracts.proven(agreed, shown, facts.edits())
    binds = prompt_queries.is_at_task(
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
    data: ContractShown = {
        "session": place.session,
        "contract": cast(
            "ContractRow",
            {**contract, "lacking": [line for missing in lacks.values() for line in missing]},
        ),
        "proven": percent,
        "binds": binds,
        "mode": mode,
    }
    return Report(lines, data)


VERBS = {
    "show": Verb(show, SESSION),
    "set": Verb(
        agree,
        option("--goal", required=True, metavar="TEXT", help="What is to be reached."),
        option(
            "--criterion",
            "criteria",
            multiple=True,
            metavar="TEXT",
            help="When it is done; repeatable.",
        ),
        option("--evidence", metavar="KINDS", help=f"Of {', '.join(KINDS)}; tests by default."),
        SESSION,
    ),
    "clear": Verb(clear, SESSION),
}
