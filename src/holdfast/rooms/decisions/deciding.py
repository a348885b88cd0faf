"""What is done with decisions: decide, supersede, cite, ask, resolve; judge them anew.

Laws: an act is one transaction; evidence is read and checked before anything is kept, and what is
bad stops the act; what is returned is what was kept, so without its secrets; what would be kept cut
is refused; a key holds neither a text nor its digest.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import queries
from holdfast.rooms.decisions.decision import (
    AGENT,
    CITATION,
    GROUNDINGS,
    ITEMS,
    SCENARIOS,
    Scenario,
    standing,
)
from holdfast.rooms.decisions.grounding import standing as grounding_standing
from holdfast.system.given_words import worded
from holdfast.system.value import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.ledger.workspace import Workspace
    from holdfast.rooms.decisions.decision import Decision, Evidence, Standing
    from holdfast.rooms.decisions.queries import OpenItem
    from holdfast.store.sqlite import Store

TEXT_CAP = 600
BECAUSE_CAP = 1_200
NAME_CAP = 200
EVIDENCE = 20
LAST = 3  # decisions that come back by themselves


class Here(Record):
    """Where something is decided: which project and work tree, when, in which session, by whom."""

    workspace: Workspace
    project: str
    root: str
    at: str
    session: str = ""
    source: str = AGENT

    def say(self, kind: str, body: Body) -> Entry:
        """One entry of this place and moment, in the caller's transaction."""
        return self.workspace.say(
            kind, body, at=self.at, project=self.project, session=self.session
        )


# Deciding


def decide(here: Here, text: str, **more: Any) -> Decision:
    """Keep a decision, as `keep_decision` does, in a transaction of its own."""
    with here.workspace.store.transaction():
        return keep_decision(here, text, **more)


def keep_decision(
    here: Here,
    text: str,
    *,
    because: str = "",
    evidence: Sequence[Evidence] = (),
    scenarios: Sequence[Scenario] = (),
    supersedes: str = "",
    how: str = "command",
) -> Decision:
    """Keep a decision in the caller's transaction; what was kept of it."""
    body = {
        "text": _worded(text, "a decision"),
        "because": _worded(because, "a reason", BECAUSE_CAP) if because else "",
        "source": here.source,
        "evidence": _bodies(evidence),
        "scenarios": [_checked(scenario).as_dict() for scenario in scenarios],
        "how": how,
    }
    store = here.workspace.store
    if supersedes:
        body["supersedes"] = _in_force(store, here.project, supersedes).id
    return queries.find(store, _keep(here, "decision_made", body))


def supersede(here: Here, old: str, text: str, **more: Any) -> Decision:
    """A better decision takes the place of one in force, which stays readable."""
    return decide(here, text, supersedes=old, **more)


def _in_force(store: Store, project: str, given: str) -> Decision:
    decision = queries.find(store, given, project=project)
    if decision.superseded_by:
        raise HoldfastError(
            f"{decision.id} was superseded by {decision.superseded_by} already",
            hint=f"`holdfast decisions supersede {decision.superseded_by[:6]} TEXT` supersedes it",
        )
    return decision


# Claims


def cite(
    here: Here, text: str, *, grounding: str = CITATION, evidence: Sequence[Evidence] = ()
) -> Decision:
    """Keep what a session says to be so, and what it rests on: a quote, the user's word, or
    nothing, which is an assumption."""
    if grounding not in GROUNDINGS or (grounding == CITATION) != bool(evidence):
        raise HoldfastError(
            "a claim rests on evidence, or is the user's word, or an assumption",
            hint="give --evidence PATH:LINE, --user or --assumption",
        )
    body = {
        "text": _worded(text, "a claim"),
        "grounding": grounding,
        "evidence": _bodies(evidence),
    }
    store = here.workspace.store
    with store.transaction():
        made = _keep(here, "claim_made", body)
        return next(claim for claim, _ in queries.claims(store, "", id_=made))


# Questions, next steps, blockers


def open_item(here: Here, sort: str, text: str) -> OpenItem:
    """Keep what is open; what is open already in these words is not opened twice."""
    if sort not in ITEMS:
        raise HoldfastError(f"{sort} is none of {', '.join(ITEMS)}")
    text, store = _worded(text, f"a {sort.replace('_', ' ')}"), here.workspace.store
    with store.transaction():
        for item in queries.open_items(store, here.project, sort):
            if item["text"] == text:
                return item
        body = {"sort": sort, "text": text, "source": here.source}
        return queries.find_item(store, here.project, _keep(here, "item_opened", body))


def resolve(here: Here, given: str, words: str = "") -> OpenItem:
    """What was open is answered, done, or out of the way."""
    store = here.workspace.store
    with store.transaction():
        item = queries.find_item(store, here.project, given)
        body = {"item": item["id"], "words": _worded(words, "an answer") if words else ""}
        _keep(here, "item_resolved", body)
        return item


# Judging


def greeting(
    store: Store, project: str, root: str, limit: int = LAST
) -> list[tuple[Decision, str, dict[str, Standing]]]:
    """The last decisions in force, each with its standing by name and by evidence. A broken one is
    named as broken, never told as holding."""
    return _standing(store, root, queries.current(store, project, limit=limit))


def judged(
    store: Store, root: str, ids: list[str]
) -> list[tuple[Decision, str, dict[str, Standing]]]:
    """Decisions by their ids, each with its standing."""
    return _standing(store, root, [queries.find(store, id_) for id_ in ids])


def _standing(
    store: Store, root: str, decisions: list[Decision]
) -> list[tuple[Decision, str, dict[str, Standing]]]:
    standings = grounding_standing.judge(store, root, decisions)
    return [
        (
            decision,
            standing(decision.evidence, standings),
            {cited.id: standings[cited.id] for cited in decision.evidence},
        )
        for decision in decisions
    ]


def tidy(store: Store, project: str, root: str) -> dict[str, int]:
    """Ground every decision in force anew, for the dream; how many stand how."""
    counts = grounding_standing.reground(store, project, root)
    return {"checked": sum(counts.values()), **counts}


# Keeping


def _worded(text: str, what: str, cap: int = TEXT_CAP) -> str:
    return worded(text, what, cap, instead="cite a file that says more")


def _checked(scenario: Scenario) -> Scenario:
    if scenario.kind not in SCENARIOS:
        raise HoldfastError(
            f"{scenario.kind} is no kind of scenario", hint=f"there are {', '.join(SCENARIOS)}"
        )
    name = _worded(scenario.name, "a scenario", NAME_CAP)
    return Scenario(scenario.kind, name, _worded(scenario.expected, "an outcome"))


def _bodies(evidence: Sequence[Evidence]) -> list[Body]:
    if len(evidence) > EVIDENCE:
        raise HoldfastError(
            f"{len(evidence)} pieces of evidence are too many: {EVIDENCE} are kept",
            hint="cite the lines that say it best",
        )
    names = ("path", "line", "last", "quote", "part", "around", "commit")
    return [{name: getattr(citation, name) for name in names} for citation in evidence]


def _keep(here: Here, kind: str, body: Body) -> str:
    """One entry in the caller's transaction; how it is named."""
    return here.say(kind, body).id
