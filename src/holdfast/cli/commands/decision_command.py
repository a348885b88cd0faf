"""Show one decision in full, and keep track of questions, next steps and blockers.

`show ID` opens the cited files. `ask`, `next` and `block TEXT` record what is open, `open` lists
it, `resolve ID [TEXT]` closes it. `check TEXT` shows the decisions that a statement certainly goes
against, and exits with 1 when there are any, and those that it touches; without TEXT it looks at
what the work tree changed. `forks` lists what went against a decision so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.place_here import SHORT, day, misuse, only, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.rooms.decisions import deciding as decisions_deciding
from holdfast.rooms.decisions import queries
from holdfast.rooms.decisions.decision import BLOCKER, NEXT_STEP, QUESTION, standing
from holdfast.rooms.decisions.decision_wording import standing_words
from holdfast.rooms.decisions.grounding import standing as grounding_standing
from holdfast.rooms.decisions.noticed import noticing as noticed
from holdfast.rooms.decisions.noticed.noticing import Fork
from holdfast.rooms.decisions.noticed.queries import forks

SORTS = {"ask": QUESTION, "next": NEXT_STEP, "block": BLOCKER}
WORDS = {QUESTION: "question", NEXT_STEP: "next step", BLOCKER: "blocker"}

PARAMETERS: list[click.Parameter] = [
    click.Argument(
        ["act"], type=click.Choice(["show", *SORTS, "resolve", "open", "check", "forks"])
    ),
    click.Argument(["words"], nargs=-1),
    click.Option(
        ["--at", "rev"], default="", metavar="REV", help="show: as a commit has the files."
    ),
]


def run(*, act: str, words: tuple[str, ...], rev: str) -> Report:
    if rev and act != "show":
        misuse(f"{act} takes no --at")
    if act == "show":
        return _shown(only(words, "show"), rev)
    if act in LISTS:
        if words:
            misuse(f"{act} takes nothing more")
        return LISTS[act]()
    if not words and act != "check":
        misuse(f"{act} takes {'an ID' if act == 'resolve' else 'a TEXT'}")
    here = decision_views.here()
    if act == "check":
        text = " ".join(words)
        return _checked(*(noticed.check(here, text) if words else noticed.check_changes(here)))
    if act == "resolve":
        item = decisions_deciding.resolve(here, words[0], " ".join(words[1:]))
        return Report(("Resolved:", _line(item)), {"resolved": item})
    item = decisions_deciding.open_item(here, SORTS[act], " ".join(words))
    return Report(("Open:", _line(item)), {"item": item})


def _listed() -> Report:
    here = decision_views.here(to_act=False)
    items = queries.open_items(here.workspace.store, here.project)
    empty = "Nothing is open. `holdfast decision ask|next|block TEXT` keeps something."
    return Report(tuple(map(_line, items)) or (empty,), {"open": items})


def _noticed() -> Report:
    here = decision_views.here(to_act=False)
    noticed = forks(here.workspace.store, here.project)
    lines = []
    for fork in noticed:
        how = "kept beside it" if fork["went_on"] else "not followed"
        how = "an edit" if fork["sort"] == "edit" else how
        lines.append(
            f"{day(fork['at'])}  {fork['decision'][:SHORT]}  {verbatim(fork['said'], 20)}"
            f"  ({fork['why']}; {how})"
        )
    empty = "No fork was noticed: nothing was said or done against a decision in force."
    return Report(tuple(lines) or (empty,), {"forks": noticed})


def _checked(forks: list[Fork], touching: list[Fork]) -> Report:
    lines = []
    for fork in (*forks, *touching):
        about = ", ".join([standing_words(fork.standing), *fork.where])
        text = verbatim(fork.decision.text, SHORT + 4)
        lines += [fork.sure(), f"  {fork.decision.id[:SHORT]}  {text}  ({about})"]
        lines += [f"  {fork.advice()}"]
    data = {
        "fork": bool(forks),
        "forks": [fork.as_dict() for fork in forks],
        "look": [fork.as_dict() for fork in touching],
    }
    return Report(tuple(lines) or (noticed.NOTHING,), data, exit_code=1 if forks else 0)


def _line(item: Mapping[str, Any]) -> str:
    origin = f"{WORDS[item['sort']]}, {day(item['at'])}"
    return f"{item['id'][:SHORT]}  {verbatim(item['text'], SHORT + 2)}  ({origin})"


def _shown(given: str, rev: str) -> Report:
    here = decision_views.here(to_act=False)
    store = here.workspace.store
    decision = queries.find(store, given, project=here.project)
    standings = grounding_standing.judge(store, here.root, [decision], at_rev=rev)
    lines = [decision_views.line_of(decision, standing(decision.evidence, standings))]
    if decision.because:
        lines.append(f"  because {verbatim(decision.because, 10)}")
    lines += decision_views.evidence_lines(decision, standings)
    lines += [f"  {each.kind}: {each.name}: {each.expected}" for each in decision.scenarios]
    if decision.supersedes:
        lines.append(f"  in place of {decision.supersedes[:SHORT]}")
    by = queries.superseding(store, decision.id)
    if len(by) > 1:
        lines.append(f"  superseded more than once: {', '.join(id_[:SHORT] for id_ in by)}")
    data = {
        "at": rev or None,
        "decision": decision_views.as_dict(decision, standings),
        "superseded_by": by,
    }
    return Report(tuple(lines), data)


LISTS = {"open": _listed, "forks": _noticed}
