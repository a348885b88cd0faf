"""One decision in full; and what is still open: questions, next steps, blockers.

`show ID` opens the cited files. `ask`, `next` and `block TEXT` keep what is open, `open` lists it,
`resolve ID [TEXT]` says that it no longer is. `check TEXT` looks whether a statement contradicts a
decision in force, and exits with 1 when it does; `forks` lists what was noticed.
"""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.place_here import SHORT, day, misuse, only, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.rooms.decisions import deciding as decisions_deciding
from holdfast.rooms.decisions import queries
from holdfast.rooms.decisions.contradiction.meaning_match import SHOWN, judged_by
from holdfast.rooms.decisions.decision import BLOCKER, NEXT_STEP, QUESTION, standing
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
    if not words:
        misuse(f"{act} takes {'an ID' if act == 'resolve' else 'a TEXT'}")
    here = decision_views.here()
    if act == "check":
        return _checked(noticed.check(here, " ".join(words)))
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
    found = forks(here.workspace.store, here.project)
    lines = []
    for one in found:
        how = "kept beside it" if one["went_on"] else "not followed"
        how = "an edit" if one["sort"] == "edit" else how
        lines.append(
            f"{day(one['at'])}  {one['decision'][:SHORT]}  {verbatim(one['said'], 20)}"
            f"  ({one['why']}; {how})"
        )
    empty = "No fork was noticed: nothing was said or done against a decision in force."
    return Report(tuple(lines) or (empty,), {"forks": found})


def _checked(found: list[Fork]) -> Report:
    lines = []
    for one in found:
        where = f" ({', '.join(one.where)})" if one.where else ""
        lines += [f"○ {one.decision.id[:SHORT]}  {verbatim(one.decision.text, SHORT + 4)}{where}"]
        lines += [f"  this {one.why}", f"  {one.advice()}"]
    by = judged_by()
    empty = f"No decision in force says otherwise, {SHOWN[by]}."
    data = {"fork": bool(found), "forks": [one.as_dict() for one in found], "judged_by": by}
    return Report(tuple(lines) or (empty,), data, exit_code=1 if found else 0)


def _line(item: dict[str, Any]) -> str:
    said = f"{WORDS[item['sort']]}, {day(item['at'])}"
    return f"{item['id'][:SHORT]}  {verbatim(item['text'], SHORT + 2)}  ({said})"


def _shown(given: str, rev: str) -> Report:
    here = decision_views.here(to_act=False)
    store = here.workspace.store
    one = queries.find(store, given, project=here.project)
    found = grounding_standing.judge(store, here.root, [one], at_rev=rev)
    lines = [decision_views.line_of(one, standing(one.evidence, found))]
    if one.because:
        lines.append(f"  because {verbatim(one.because, 10)}")
    lines += decision_views.evidence_lines(one, found)
    lines += [f"  {each.kind}: {each.name}: {each.expected}" for each in one.scenarios]
    if one.supersedes:
        lines.append(f"  in place of {one.supersedes[:SHORT]}")
    by = queries.superseding(store, one.id)
    if len(by) > 1:
        lines.append(f"  superseded more than once: {', '.join(id_[:SHORT] for id_ in by)}")
    data = {"at": rev or None, "decision": decision_views.as_dict(one, found), "superseded_by": by}
    return Report(tuple(lines), data)


LISTS = {"open": _listed, "forks": _noticed}
