"""One decision in full; and what is still open: questions, next steps, blockers.

`show ID` opens the cited files. `ask`, `next` and `block TEXT` keep what is open, `open` lists it,
`resolve ID [TEXT]` says that it no longer is.
"""

from __future__ import annotations

from typing import Any

import click

from holdfast.cli import deciding
from holdfast.cli.here import SHORT, day, misuse, only, verbatim
from holdfast.cli.report import Report
from holdfast.decisions import deeds, judging, shelf
from holdfast.decisions.decision import BLOCKER, NEXT_STEP, QUESTION, standing

SORTS = {"ask": QUESTION, "next": NEXT_STEP, "block": BLOCKER}
WORDS = {QUESTION: "question", NEXT_STEP: "next step", BLOCKER: "blocker"}

PARAMETERS: list[click.Parameter] = [
    click.Argument(["act"], type=click.Choice(["show", *SORTS, "resolve", "open"])),
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
    if act == "open":
        if words:
            misuse("open takes nothing more")
        return _listed()
    if not words:
        misuse(f"{act} takes {'an ID' if act == 'resolve' else 'a TEXT'}")
    here = deciding.here()
    if act == "resolve":
        item = deeds.resolve(here, words[0], " ".join(words[1:]))
        return Report(("Resolved:", _line(item)), {"resolved": item})
    item = deeds.open_item(here, SORTS[act], " ".join(words))
    return Report(("Open:", _line(item)), {"item": item})


def _listed() -> Report:
    here = deciding.here(to_act=False)
    items = shelf.open_items(here.workspace.store, here.project)
    empty = "Nothing is open. `holdfast decision ask|next|block TEXT` keeps something."
    return Report(tuple(map(_line, items)) or (empty,), {"open": items})


def _line(item: dict[str, Any]) -> str:
    said = f"{WORDS[item['sort']]}, {day(item['at'])}"
    return f"{item['id'][:SHORT]}  {verbatim(item['text'], SHORT + 2)}  ({said})"


def _shown(given: str, rev: str) -> Report:
    here = deciding.here(to_act=False)
    store = here.workspace.store
    one = shelf.find(store, given, project=here.project)
    found = judging.judge(store, here.root, [one], at_rev=rev)
    lines = [deciding.line_of(one, standing(one.evidence, found))]
    if one.because:
        lines.append(f"  because {verbatim(one.because, 10)}")
    lines += deciding.evidence_lines(one, found)
    lines += [f"  {each.kind}: {each.name}: {each.expected}" for each in one.scenarios]
    if one.supersedes:
        lines.append(f"  in place of {one.supersedes[:SHORT]}")
    by = shelf.superseding(store, one.id)
    if len(by) > 1:
        lines.append(f"  superseded more than once: {', '.join(id_[:SHORT] for id_ in by)}")
    data = {"at": rev or None, "decision": deciding.as_dict(one, found), "superseded_by": by}
    return Report(tuple(lines), data)
