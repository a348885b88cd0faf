"""What the commands about decisions share: where they act, how evidence is read, their lines."""

from __future__ import annotations

import os
from typing import NotRequired, TypedDict, cast

from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.place_here import SHORT, day, misuse, place, verbatim
from holdfast.cli.helpers.report import shaped
from holdfast.cli.helpers.verbs import flag, option
from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import decision_wording
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.decisions.decision import (
    AGENT,
    BROKEN,
    FILE,
    GROUNDED,
    MOVED,
    PERSON,
    SCENARIOS,
    UNSUPPORTED,
    Decision,
    Evidence,
    Scenario,
    Standing,
    standing,
)
from holdfast.rooms.decisions.grounding.citation import cited
from holdfast.rooms.sessions import work_tree
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work.commands import Place
from holdfast.system.jsontext import plain


class EvidenceRow(TypedDict):
    """Lines that a decision rests on, and how they stand; `now` is where they moved to."""

    path: str
    line: int
    last: int
    quote: str
    standing: str
    why: str
    now: NotRequired[str]


class DecisionRow(TypedDict):
    """A decision, what it rests on and how that stands."""

    id: str
    text: str
    because: str
    at: str
    session: str
    source: str
    supersedes: str
    superseded_by: str
    standing: str
    evidence: list[EvidenceRow]
    scenarios: list[Scenario]


class ForkRow(TypedDict):
    """A decision in force that something goes against, or touches."""

    id: str
    text: str
    because: str
    at: str
    standing: str
    where: list[str]
    why: str
    sure: str


class ClaimRow(TypedDict):
    """What a session said to be so, and how far that is grounded."""

    id: str
    text: str
    grounding: str
    grounded: bool
    standing: str
    why: str


MARKS = {GROUNDED: "●", MOVED: "◐", BROKEN: "○", UNSUPPORTED: "·"}
EVIDENCE = [
    option(
        "--evidence",
        multiple=True,
        metavar="PATH:LINE[-LINE]",
        help="What it rests on; repeatable.",
    ),
    option(
        "--quote",
        multiple=True,
        metavar="TEXT",
        help="The text there, word for word: the first belongs to the first evidence, and so on."
        " Read from the file unless said.",
    ),
]
REASONS = [
    option("--because", default="", metavar="TEXT", help="Why."),
    *EVIDENCE,
    option(
        "--scenario",
        "scenarios",
        multiple=True,
        metavar="KIND:NAME:EXPECTED",
        help=f"What must happen then; KIND is {', '.join(SCENARIOS)}. Repeatable.",
    ),
    flag("--anyway", help="Keep it beside a decision that it seems to contradict."),
    flag("--unsupported", help="Keep it without evidence that cannot be read."),
]


def here(*, to_act: bool = True) -> Here:
    """The project, work tree and session of this folder, and who is acting."""
    return here_in(place(to_say=to_act))


def here_in(where: Place) -> Here:
    """The same for a place that is known."""
    return Here(
        where.workspace,
        project=where.project,
        root=plain(work_tree.look(os.getcwd()).root),
        session=where.session,
        at=where.at,
        source=AGENT if person_check.doubt() else PERSON,
    )


def evidence_of(
    at: Here, given: tuple[str, ...], quotes: tuple[str, ...], *, spare: bool = False
) -> tuple[list[Evidence], list[str]]:
    """The evidence given, read from its files. What cannot be read is an error; with `spare` it is
    left out, and the second list says so."""
    if len(quotes) > len(given):
        misuse("each --quote is of one --evidence")
    read, bad = [], []
    for number, citation in enumerate(given):
        try:
            quote = quotes[number] if number < len(quotes) else ""
            read.append(cited(at.root, os.getcwd(), citation, quote))
        except HoldfastError as error:
            if not spare:
                raise
            bad.append(f"left out: {error}")
    return read, bad


def scenarios_of(given: tuple[str, ...]) -> list[Scenario]:
    scenarios = []
    for each in given:
        kind, _, rest = each.partition(":")
        name, colon, expected = rest.partition(":")
        if not colon:
            misuse(f"--scenario is KIND:NAME:EXPECTED, and not {each}")
        scenarios.append(Scenario(kind.strip(), name.strip(), expected.strip()))
    return scenarios


def as_dict(decision: Decision, standings: dict[str, Standing]) -> DecisionRow:
    """A decision as programs read it."""
    return shaped(
        DecisionRow,
        decision,
        standing=standing(decision.evidence, standings),
        evidence=[evidence_as_dict(each, standings[each.id]) for each in decision.evidence],
    )


def evidence_as_dict(evidence: Evidence, now: Standing) -> EvidenceRow:
    judged = {"standing": now.name, "why": now.why}
    if now.name == MOVED:
        judged["now"] = now.where()
    return cast("EvidenceRow", {**evidence.as_dict(), **judged})


def line_of(decision: Decision, name: str) -> str:
    whose = short(decision.session) if decision.session else "by command"
    words = decision_wording.standing_words(name)
    notes = [words, day(decision.at), "edited in NOTES.md" if decision.source == FILE else whose]
    if decision.superseded_by:
        notes[0] = f"superseded by {decision.superseded_by[:SHORT]}"
    mark = MARKS[name] if not decision.superseded_by else "·"
    return (
        f"{mark} {decision.id[:SHORT]}  {verbatim(decision.text, SHORT + 4)}  ({', '.join(notes)})"
    )


def broken_lines(decision: Decision, standings: dict[str, Standing]) -> list[str]:
    """Where a decision broke, a line each."""
    return [
        f"{'':{SHORT + 4}}{each.where()}: {standings[each.id].why}"
        for each in decision.evidence
        if standings[each.id].name == BROKEN
    ]


def evidence_lines(decision: Decision, standings: dict[str, Standing]) -> list[str]:
    lines = []
    for each in decision.evidence:
        now = standings[each.id]
        if now.name == GROUNDED:
            how = GROUNDED
        elif now.name == MOVED:
            how = f"moved to {now.where()}, {now.why}"
        else:
            how = f"{now.name}: {now.why}"
        lines.append(f"  {MARKS[now.name]} {each.where()}  {how}")
        lines += [f"      | {verbatim(line)}" for line in each.quote.split("\n")]
    return lines
