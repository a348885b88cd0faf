"""List decisions; show, replace or check one; keep what is open: questions, steps and blockers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, cast

from holdfast.cli.commands.decide_command import Decided, kept
from holdfast.cli.helpers import decision_views
from holdfast.cli.helpers.decision_views import DecisionRow, ForkRow
from holdfast.cli.helpers.place_here import SHORT, day, verbatim, with_id
from holdfast.cli.helpers.report import Report, progress
from holdfast.cli.helpers.verbs import ID, LIMIT, TEXT, Verb, argument, flag, option
from holdfast.rooms.decisions import deciding as decisions_deciding, queries
from holdfast.rooms.decisions.decision import BLOCKER, BROKEN, NEXT_STEP, QUESTION, standing
from holdfast.rooms.decisions.decision_wording import standing_words
from holdfast.rooms.decisions.grounding import standing as grounding_standing
from holdfast.rooms.decisions.noticed import noticing as noticed
from holdfast.rooms.decisions.noticed.noticing import Fork
from holdfast.rooms.decisions.noticed.queries import forks


class DecisionsListed(TypedDict):
    """Decisions, the newest first, as the files are now or `at` a commit."""

    at: str | None
    decisions: list[DecisionRow]


class OpenItem(TypedDict):
    """A question, a next step or a blocker."""

    id: str
    sort: str
    text: str
    at: str
    session: str
    source: str


class ItemKept(TypedDict):
    """What is open now."""

    item: OpenItem


class ItemResolved(TypedDict):
    """What is no longer open."""

    resolved: OpenItem


class ItemsOpen(TypedDict):
    """All that is open."""

    open: list[OpenItem]


class StatementChecked(TypedDict):
    """The decisions that a statement goes against, and those to look at."""

    fork: bool
    forks: list[ForkRow]
    look: list[ForkRow]


class NoticedFork(TypedDict):
    """What went against a decision."""

    id: str
    at: str
    session: str
    sort: str
    decision: str
    citation: str
    said: str
    why: str
    went_on: bool


class ForksNoticed(TypedDict):
    """What went against decisions so far."""

    forks: list[NoticedFork]


class DecisionShown(TypedDict):
    """One decision in full."""

    at: str | None
    decision: DecisionRow
    superseded_by: list[str]


EMPTY = "No decisions yet. `holdfast decide TEXT --evidence PATH:LINE` keeps one."
WORDS = {QUESTION: "question", NEXT_STEP: "next step", BLOCKER: "blocker"}


def listed(*, every: bool, limit: int, rev: str, check: bool) -> Report[DecisionsListed]:
    """List the decisions in force, newest first, and whether their evidence still holds.

    The cited files are opened: ● grounded, ◐ moved, ○ broken, · unsupported or superseded.
    """
    here = decision_views.here(to_act=False)
    store = here.workspace.store
    chosen = (queries.history if every else queries.current)(store, here.project, limit=limit)
    with progress("Grounding") as tell:
        count = grounding_standing.Count(tell)
        standings = grounding_standing.judge(store, here.root, chosen, at_rev=rev, count=count)
    names = [standing(decision.evidence, standings) for decision in chosen]
    broken = [
        decision.id
        for decision, name in zip(chosen, names, strict=True)
        if name == BROKEN and not decision.superseded_by
    ]
    lines = []
    for decision, name in zip(chosen, names, strict=True):
        lines.append(decision_views.line_of(decision, name))
        if decision.id in broken:
            lines += decision_views.broken_lines(decision, standings)
    if broken:
        lines.append(
            f"`holdfast decisions show {broken[0][:SHORT]}` shows what was quoted where it broke."
        )
    left = queries.count_current(store, here.project) - limit
    if left > 0 and not every:
        lines.append(f"({left} more: --limit {limit + left})")
    data: DecisionsListed = {
        "at": rev or None,
        "decisions": [decision_views.as_dict(decision, standings) for decision in chosen],
    }
    return Report(lines or [EMPTY], data, exit_code=int(check and bool(broken)))


def ask(*, text: tuple[str, ...]) -> Report[ItemKept]:
    """Keep a question that is open."""
    return _opened(QUESTION, text)


def next_step(*, text: tuple[str, ...]) -> Report[ItemKept]:
    """Keep a next step."""
    return _opened(NEXT_STEP, text)


def block(*, text: tuple[str, ...]) -> Report[ItemKept]:
    """Keep what is in the way."""
    return _opened(BLOCKER, text)


def _opened(sort: str, text: tuple[str, ...]) -> Report[ItemKept]:
    item = decisions_deciding.open_item(decision_views.here(), sort, " ".join(text))
    return Report(("Open:", _line(item)), {"item": cast("OpenItem", item)})


def resolve(*, id_: str, text: tuple[str, ...]) -> Report[ItemResolved]:
    """Say that something is no longer open."""
    item = decisions_deciding.resolve(decision_views.here(), id_, " ".join(text))
    return Report(("Resolved:", _line(item)), {"resolved": cast("OpenItem", item)})


def check(*, text: tuple[str, ...]) -> Report[StatementChecked]:
    """Show the decisions that a statement goes against, and those nearest to it.

    Without TEXT, what the work tree changed is looked at. Exits with 1 when a statement certainly
    goes against one, and keeps that.
    """
    here = decision_views.here()
    if not text:
        return _checked([], noticed.changed_near(here))
    return _checked(*noticed.check(here, " ".join(text)))


def open_items() -> Report[ItemsOpen]:
    """List what is open."""
    here = decision_views.here(to_act=False)
    items = queries.open_items(here.workspace.store, here.project)
    empty = "Nothing is open. `holdfast decisions ask|next|block TEXT` keeps something."
    return Report(tuple(map(_line, items)) or (empty,), {"open": cast("list[OpenItem]", items)})


def noticed_forks() -> Report[ForksNoticed]:
    """List what went against a decision so far."""
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
    return Report(lines or [empty], {"forks": noticed})


def _checked(forks: list[Fork], touching: list[Fork]) -> Report[StatementChecked]:
    lines = []
    for fork in (*forks, *touching):
        about = ", ".join([standing_words(fork.standing), *fork.where])
        text = verbatim(fork.decision.text, SHORT + 4)
        lines += [fork.sure(), f"  {fork.decision.id[:SHORT]}  {text}  ({about})"]
        lines += [f"  {fork.advice()}"]
    data: StatementChecked = {
        "fork": bool(forks),
        "forks": [cast("ForkRow", fork.as_dict()) for fork in forks],
        "look": [cast("ForkRow", fork.as_dict()) for fork in touching],
    }
    return Report(lines or [noticed.NOTHING], data, exit_code=1 if forks else 0)


def _line(item: Mapping[str, Any]) -> str:
    origin = f"{WORDS[item['sort']]}, {day(item['at'])}"
    return f"{with_id(item['id'], item['text'])}  ({origin})"


def show(*, id_: str, rev: str) -> Report[DecisionShown]:
    """Show one decision in full: why, each quote and where it is now, scenarios."""
    here = decision_views.here(to_act=False)
    store = here.workspace.store
    decision = queries.find(store, id_, project=here.project)
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
    data: DecisionShown = {
        "at": rev or None,
        "decision": decision_views.as_dict(decision, standings),
        "superseded_by": by,
    }
    return Report(lines, data)


def supersede(*, id_: str, text: tuple[str, ...], **reasons: object) -> Report[Decided]:
    """Replace a decision in force with a better one; the old one stays readable."""
    return kept(id_, " ".join(text), **reasons)  # type: ignore[arg-type]


MAYBE_TEXT = argument("text", nargs=-1)
VERBS = {
    "list": Verb(
        listed,
        flag("--all", "every", help="Superseded ones, too."),
        LIMIT,
        option("--at", "rev", default="", metavar="REV", help="As a commit has them."),
        flag("--check", help="Exit with 1 when one is broken."),
    ),
    "show": Verb(
        show, ID, option("--at", "rev", default="", metavar="REV", help="As a commit has it.")
    ),
    "supersede": Verb(supersede, ID, TEXT, *decision_views.REASONS),
    "ask": Verb(ask, TEXT),
    "next": Verb(next_step, TEXT),
    "block": Verb(block, TEXT),
    "open": Verb(open_items),
    "resolve": Verb(resolve, ID, MAYBE_TEXT),
    "check": Verb(check, MAYBE_TEXT),
    "forks": Verb(noticed_forks),
}
