"""What became of rules: what the person allowed or refused of those that a gate stands for, and
what was done against the others.

Laws: it is counted when a turn ends, and told at the next start, never in the middle of work; what
the person asked for breaks nothing.
"""

from __future__ import annotations

from holdfast.rooms.gates import queries, refusals
from holdfast.rooms.gates.evidence.proof import KINDS as EVIDENCE
from holdfast.rooms.gates.judgement import EDITS, acts, attempt
from holdfast.rooms.gates.rule_gates import ALLOWED, ASKED, is_allowed, words_of
from holdfast.rooms.gates.tool_call import Call
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts.templates import ASK, PROVE, lifts, propose
from holdfast.rooms.prompts.typed_text import own_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from holdfast.config.requirement_type import Requirements
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.prompts.templates import Proposal
    from holdfast.store.sqlite import Store

REFUSED, BROKEN = "refused", "broken"
IN_PROMPT = "prompt"  # how a person allowed something
LAPSES_AFTER = 3  # times that the person allowed it running
BREAKS_CAP = 10  # of a rule in a turn
LOOKED_AT = 200  # calls of a turn
ENTRIES = 5_000  # of a session
ACTING = ("run", "edit", "create", "delegate", "other")


def on_tool_used(context: EventContext, concerned: Requirements, call: Call, *, ok: bool) -> None:
    """After a call that a gate of a rule stands before: by what it was allowed."""
    asked = _asked(context, concerned)
    for name, requirement in concerned.items():
        rule = requirement["rule"]
        if rule is None or rule["kind"] == PROVE:
            continue
        if name in asked:
            _keep(context, rule["id"], ALLOWED, ASKED, words_of(call))
            _offer_to_lapse(context, rule["id"])
        elif ok and is_allowed(context, call, requirement):
            _keep(context, rule["id"], ALLOWED, IN_PROMPT, words_of(call))


def on_turn(context: EventContext) -> None:
    """At a prompt and at the end of a turn: what was asked and did not run was refused. At its end
    what was done against other rules is kept."""
    requirements: Requirements = context.requirements()["requirements"]
    rules = {name: each["rule"]["id"] for name, each in requirements.items() if each["rule"]}
    for name in _asked(context, rules):
        _keep(context, rules[name], REFUSED, ASKED, "")
    if context.event.kind == "turn_ended":
        attempt(context.failures.append, _count_breaks, context, {*rules.values()})


def _asked(context: EventContext, names: Iterable[str]) -> list[str]:
    return refusals.asked(context.state, context.event.session, names, context.failures.append)


def _keep(
    context: EventContext, id_: str, turn: str, how: str, words: str, number: int = 0
) -> None:
    body = {"subject": id_, "turn": turn, "how": how, "words": words}
    context.keep("turned", body, key=context.consequence(f"{turn}:{id_}", number))


def _offer_to_lapse(context: EventContext, id_: str) -> None:
    turns = prompt_queries.turns_of(context.store, id_, f"{ALLOWED} {REFUSED}")
    running = next((at for at, turn in enumerate(turns) if turn.turn == REFUSED), len(turns))
    if not running or running % LAPSES_AFTER:
        return
    from holdfast.hook.voice import ours, word

    line = ours(
        "You allowed this {} times running. `holdfast rules enforce {} --off` asks no more;"
        " `holdfast rules drop {}` drops the rule.",
        running,
        word(id_[:6]),
        word(id_[:6]),
    )
    context.for_person.append(line)


# What was broken


def _count_breaks(context: EventContext, enforced: set[str]) -> None:
    rules = prompt_queries.rules(
        context.store, context.project, context.event.session, context.branch()
    )
    free = [rule for rule in rules if rule.id not in enforced and rule.author == "person"]
    calls = list(_calls(context)) if free else []
    prompt = prompt_queries.last_words(context.store, context.event.session)
    if not calls or prompt is None:
        return
    for rule in free:
        proposal = propose(rule.text) if rule.at < prompt.at else None  # not in this very turn
        done = [call for call in calls if proposal and _does(proposal, call)]
        if proposal is None or not done or proposal.kind == ASK:
            continue
        if proposal.kind == PROVE:
            done = _unproven(context, proposal, done)
        elif lifts(own_words(prompt.text), proposal.actions, context.branch()):
            continue
        broken = map(words_of, done)
        for number, words in enumerate([*broken][:BREAKS_CAP]):
            _keep(context, rule.id, BROKEN, "seen", words, number)


def _unproven(context: EventContext, proposal: Proposal, done: list[Call]) -> list[Call]:
    """Those of the last calls before which the proof was not there. What commands prove is known
    where a requirement names them alone."""
    wants: set[Any] = set()
    for field in ("evidence_required", "satisfied_by_skill"):
        named: Any = proposal.demand.get(field, ())
        wants |= {*named}
    along = acts_and_proofs(context.store, context.event.session, context.worktree)
    lacking = [(not wants <= proved, call) for call, proved in along if _does(proposal, call)]
    return [call for lacks, call in lacking[-len(done) :] if lacks]


def acts_and_proofs(store: Store, session: str, root: str) -> Iterator[tuple[Call, set[str]]]:
    """What a session's tools did, each with the evidence that stood and the skills that had run."""
    proved: set[str] = set()
    for kind, body in queries.acts_and_proofs(store, session, ENTRIES):
        if kind == "evidence_seen":
            proved = proved | {body["sort"]} if body["passed"] else proved - {body["sort"]}
            continue
        yield call_of_body(body, root), proved
        if body["deed"] == "skill":
            proved = proved | {str(body["input"].get("skill", ""))}
        elif body["deed"] in EDITS and not body.get("path", "").endswith(".md"):
            proved = proved.difference(EVIDENCE)


def _calls(context: EventContext) -> Iterator[Call]:
    """What the turn did, subagents too."""
    for body in queries.calls_of_turn(context.store, context.event.session, LOOKED_AT):
        if body["deed"] in ACTING:
            yield call_of_body(body, context.worktree)


def call_of_body(body: Body, root: str) -> Call:
    """A tool call as an entry has it."""
    path = body.get("path", "")
    return Call(
        body["tool"],
        body["deed"],
        path=path,
        where=f"{root}/{path}" if path and not path.startswith("/") else path,
        command=body.get("command", ""),
        folder=root,
        subagent=body.get("subagent", ""),
        input=body.get("input") or {},
        root=root,
    )


def _does(proposal: Proposal, call: Call) -> bool:
    if call.subagent and proposal.demand.get("for_subagents") is False:
        return False
    triggers: Any = proposal.actions
    return acts(triggers, call)
