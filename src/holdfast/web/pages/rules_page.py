"""Rules and choices: whose each is, where it came from, where it holds, how often it was told."""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.ledger import timeline_queries as timeline
from holdfast.rooms.prompts import (
    attribution,
    choice_queries,
    gate_offers,
    queries as prompts,
    templates,
)
from holdfast.rooms.prompts.queries import GivenRule, Withdrawal
from holdfast.rooms.work import queries as work
from holdfast.store.sqlite import Store
from holdfast.web.visit import Page, Visit

CANDIDATES, GONE, CHOICES = 30, 30, 40
LOOKED_AT = 120  # of what was heard last, for candidates
BY = {
    "command": "given by command",
    "kept": "kept by you",
    "pointed": "the agent pointed at it",
    "repeated": "said again in another session",
    "order": "typed as an order",
    "": "heard once",
}


@dataclass(frozen=True)
class ShownRule:
    rule: GivenRule
    whose: str
    why: str
    times: int
    number: int  # of the entry, 0 where it is not there
    prompt: int  # of the entry in which it was said, 0 for none
    gone: Withdrawal | None
    gate: str  # what it would do, or does
    holds: bool  # by it


def page(visit: Visit) -> Page:
    project, store = visit.project(), visit.store
    force = prompts.standing_rules(store, project.id)
    heard = prompts.heard_last(store, project.id, LOOKED_AT)
    candidates = [rule for rule in heard if not (rule.standing or rule.withdrawn)][:CANDIDATES]
    gone = prompts.withdrawn_last(store, project.id, GONE)
    withdrawals = {rule.id: turn for rule, turn in gone}
    listed = [*force, *candidates, *(rule for rule, _ in gone)]
    times = prompts.times_each_told(store, [rule.id for rule in listed])

    def shown(rules: list[GivenRule]) -> list[ShownRule]:
        return [_shown(store, rule, withdrawals.get(rule.id), times) for rule in rules]

    view = {
        "in_force": shown(force),
        "candidates": shown(candidates),
        "gone": shown([rule for rule, _ in gone]),
        "choices": choice_queries.all_choices(store, project.id, CHOICES),
        "pins": work.pins(store, project.id, ""),
    }
    return Page("rules.html", "Rules and choices", view, project=project, tab="Rules")


def _shown(
    store: Store, rule: GivenRule, gone: Withdrawal | None, times: dict[str, int]
) -> ShownRule:
    entry = timeline.at_time(store, rule.session, "rule_given", rule.at)
    prompt = (
        timeline.at_time(store, rule.session, "prompt_given", rule.at)
        if rule.session and rule.how == "prompt"
        else None
    )
    proposal = templates.propose(rule.text)
    turns = prompts.turns_of(store, rule.id, "enforced released") if proposal else []
    return ShownRule(
        rule=rule,
        whose=attribution.whose(rule),
        why=BY.get(rule.standing, rule.standing),
        times=times.get(rule.id, 0),
        number=entry.seq if entry else 0,
        prompt=prompt.seq if prompt else 0,
        gone=gone,
        gate=str(gate_offers.sentence(proposal)) if proposal else "",
        holds=bool(turns) and turns[0].turn == "enforced",
    )
