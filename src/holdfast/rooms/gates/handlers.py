"""What gates do at the events of a session: see what ran, move confidence, ask when a turn ends.

`count_dynamic` runs before the event's transaction, `after_commit` after it, all else inside.
Whatever fails lets through: a gate that cannot judge is a fault that is told, and never a wall.
"""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.config.compiled import kinds_of
from holdfast.hook.event import GATES, Answer, Remark
from holdfast.rooms.gates import queries, scopes as gates_scopes
from holdfast.rooms.gates.judgement import EDITS, attempt, gating, unmet, uses_up
from holdfast.rooms.gates.pre_tool import call_of, demanded, facts_of
from holdfast.system import environment, files, paths
from holdfast.system.environment import bring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdfast.config.requirement_type import Requirement, Requirements
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.gates.confidence import State
    from holdfast.rooms.gates.evidence.proof import Evidence
    from holdfast.rooms.gates.judgement_facts import Facts, Open
    from holdfast.rooms.gates.queries import Conduct
    from holdfast.rooms.gates.tool_call import Call

TEXT_CAP = 200
# What satisfies a requirement, or makes evidence old.
MOVING = ("skill", *EDITS)
EDITING = frozenset({"edit_files", "write"})  # actions that a turn's end is asked about
COMMAND_CAP = 500


# What ran


def on_tool_used(context: EventContext) -> None:
    """After a tool: skills satisfy, triggers arm, single use is used up, evidence is seen."""
    if context.kept is None or context.unverified:
        return
    body = context.kept.body
    if body["deed"] == "skill" and body["ok"]:
        _skill_done(context, acts.skill(body["input"]))
    requirements, concerned = demanded(context), {}
    if requirements:
        call = call_of(context)
        concerned = gating(requirements, call, context.failures.append)
        _triggered(context, concerned, call, ok=body["ok"])
        if any(each["rule"] for each in concerned.values()):
            environment.bring("rule_gates")
            from holdfast.rooms.gates import rule_turns

            rule_turns.on_tool_used(context, concerned, call, ok=body["ok"])
    evidence = _evidence_in(context, body)
    move_confidence(context, evidence)
    if requirements and (concerned or evidence or body["deed"] in MOVING):
        _count_open(context, requirements)


def _count_open(context: EventContext, requirements: Requirements) -> None:
    """For the status line. A number may take its time: then the end of the turn counts."""
    if not any(each["type"] == "dynamic" for each in requirements.values()):
        context.status_facts["gates"] = str(context.open_gates())


def look_at_tree(context: EventContext) -> None:
    """Before the transaction, for git may take its time: how the files stand that a proof covers,
    where one is asked for; after what may prove something, and at the end of a turn."""
    if not context.is_late:
        attempt(context.failures.append, _look_at_tree, context)


def _look_at_tree(context: EventContext) -> None:
    if not _may_matter(context) or not _asks_for_evidence(context):
        return
    bring("tree")
    from holdfast.rooms.gates.evidence import tree

    context.tree = tree.look(context.worktree, [path for path, _ in facts_of(context).edits()])
    context.gate_facts = None


def _may_matter(context: EventContext) -> bool:
    """Whether the event may prove something; when a turn ends, whether anything was proved."""
    body = context.event.body
    if context.event.kind == "turn_ended":
        return any(proof.tree for proof in facts_of(context).runs().values())
    if body["deed"] != "run":
        return True
    from holdfast.shell.check_tools import names_check

    command = body.get("command", "")
    return (
        names_check(command)
        or any(name in command for name in _runs(context))
        or _is_exempt(context, command)
    )


def _asks_for_evidence(context: EventContext) -> bool:
    if any(kinds_of(each) for each in demanded(context).values()):
        return True
    stored = queries.contract(context.store, context.event.session)
    return bool(stored and stored["evidence_required"])


def _runs(context: EventContext) -> set[str]:
    """Commands that requirements ask for by their words."""
    return {name for each in demanded(context).values() for name in each["evidence_runs"]}


def _is_exempt(context: EventContext, command: str) -> bool:
    """Whether a command formats, and a proof right before it stands by the person's setting."""
    if not context.settings["completion.formatters_exempt"]:
        return False
    from holdfast.rooms.gates.evidence import proof

    return bool(attempt(context.failures.append, proof.only_formats, command))


def on_command_typed(context: EventContext) -> None:
    """A skill that the person typed as a slash command."""
    if context.kept is not None and not context.unverified:
        _skill_done(context, context.kept.body["name"])


def on_calls_settled(context: EventContext) -> None:
    """A skill that the agent's record has counts for the whole branch, where its requirement does;
    what was satisfied by one that it has not is taken back."""
    for record in context.records:
        awaited = {call.id: call for call in record.awaited}
        for settled in record.calls:
            call = awaited[settled.call]
            skill = _skill_of(call.kind, call.body)
            if not isinstance(skill, str) or not skill:
                continue
            if settled.stands:
                _skill_confirmed(context, record.session, skill, settled.at)
            elif record.session == context.event.session:
                _take_back(context, skill, settled.at)


def _skill_of(kind: str, body: Body) -> Any:
    if kind == "command_typed":
        return body["name"]
    return acts.skill(body["input"]) if body.get("deed") == "skill" else ""


def _skill_confirmed(context: EventContext, session: str, skill: str, at: str) -> None:
    from holdfast.rooms.gates import skills

    is_own = session == context.event.session
    branch = facts_of(context).branch if is_own else context.branch_of(session)
    for number, (name, requirement) in enumerate(demanded(context).items()):
        is_shared = not gates_scopes.kept_with(requirement["scope"], session, gates_scopes.SKILL)
        if is_shared and skills.satisfies(skill, name, requirement):
            body = _met(name, requirement, gates_scopes.SKILL, skill, at)
            body |= {"branch": branch, "whose": gates_scopes.ROOT}
            key = context.consequence(f"met:{name}", number + 1)
            context.keep_of(session, "requirement_met", body, key=key)
            own = {"requirement": name, "branch": branch, "whose": session, "why": "of the branch"}
            key = context.consequence(f"cleared:{name}", number + 1)
            context.keep_of(session, "requirement_cleared", own, key=key)
    context.gate_facts = None


def _take_back(context: EventContext, skill: str, at: str) -> None:
    from holdfast.rooms.gates import skills

    session, facts = context.event.session, facts_of(context)
    for name, requirement in demanded(context).items():
        if not skills.satisfies(skill, name, requirement):
            continue
        by_it = [
            state
            for state in gates_scopes.of_session(facts.states_of(name), session)
            if (state.satisfied_by, state.satisfied_at) == (gates_scopes.SKILL, at)
        ]
        if by_it:
            body = {"requirement": name, "branch": facts.branch, "whose": session}
            key = context.consequence(f"cleared:{name}")
            context.keep("requirement_cleared", {**body, "why": "never ran"}, key=key)
    context.gate_facts = None


def _skill_done(context: EventContext, given: Any) -> None:
    if not isinstance(given, str) or not given:
        return
    from holdfast.rooms.gates import skills
    from holdfast.rooms.gates.evidence import proof

    seen = proof.reviewed(given)
    if seen is not None:
        _keep_evidence(context, [seen], "")
    for name, requirement in demanded(context).items():
        if skills.satisfies(given, name, requirement):
            satisfy(context, name, requirement, gates_scopes.SKILL, given)


def satisfy(
    context: EventContext, name: str, requirement: Requirement, by: str, words: str
) -> None:
    session = context.event.session
    whose = gates_scopes.kept_with(requirement["scope"], session, by)
    if context.event.body.get("awaits"):  # until the agent's record has it, for its session alone
        whose = session
    body = _met(name, requirement, by, words, context.event.at)
    body |= {"branch": facts_of(context).branch, "whose": whose}
    context.keep("requirement_met", body, key=context.consequence(f"met:{name}"))
    _log(context, f"met: {name} by {by}: {words}")


def _met(name: str, requirement: Requirement, by: str, words: str, at: str) -> Body:
    expires_at = gates_scopes.expiry(requirement, by, at)
    body = {"requirement": name, "by": by, "words": words[:TEXT_CAP]}
    return {**body, "expires_at": expires_at} if expires_at is not None else {**body}


def _log(context: EventContext, words: str, *, is_news: bool = True) -> None:
    """A line in the log of judgements, where a person asked for one."""
    if files.exists(paths.gate_level(context.state)):
        from holdfast.rooms.gates import judgement_log as log

        weight = log.INFO if is_news else log.DEBUG
        attempt(context.failures.append, log.note, context, weight, words)


def _triggered(context: EventContext, concerned: Requirements, call: Call, *, ok: bool) -> None:
    """Armed by the tool having run, failed or not; single use is used up by a success alone."""
    facts, session = facts_of(context), context.event.session
    for name, requirement in concerned.items():
        common = {"requirement": name, "branch": facts.branch}
        own = facts.states_of(name)
        if requirement["scope"] == gates_scopes.SINGLE_USE and ok and uses_up(requirement, call):
            if gates_scopes.cleared(requirement["scope"], own, session):
                body = {**common, "whose": session, "why": "used"}
                context.keep("requirement_cleared", body, key=context.consequence(f"used:{name}"))
        elif requirement["type"] != gates_scopes.GUARD and not gates_scopes.is_triggered(
            own, session
        ):
            body = {**common, "tool": call.tool}
            context.keep("requirement_triggered", body, key=context.consequence(f"armed:{name}"))
    context.gate_facts = None


def _evidence_in(context: EventContext, body: Body) -> list[Evidence]:
    if body["deed"] != "run" or body.get("interrupted"):
        return []
    from holdfast.rooms.gates.evidence import proof

    output = f"{body.get('output', '')}\n{body.get('error', '')}"
    # Without the shell's grammar there is no evidence; what else the event did stays.
    command = body.get("command", "")
    evidence: list[Evidence] = (
        attempt(
            context.failures.append,
            lambda: proof.recognise(
                command,
                body["ok"],
                output,
                folder=context.event.cwd,
                root=context.worktree,
                may_format=context.settings["completion.formatters_exempt"],
            ),
        )
        or []
    )
    named = (command, body["ok"], _runs(context))
    evidence += attempt(context.failures.append, proof.named_runs, *named) or []
    _keep_evidence(context, evidence, command)
    if not evidence and context.tree and _is_exempt(context, command):
        _keep_formatted(context)
    return evidence


def _keep_formatted(context: EventContext) -> None:
    """What was proved right before covers the files as they were formatted."""
    session = context.event.session
    before = queries.proofs_at(context.store, session, queries.act_before(context.store, session))
    covered = _covered(context, [each["sort"] for each in before])
    for body in before if covered else ():
        key = context.consequence(f"formatted:{body['sort']}")
        context.keep("evidence_seen", {**body, **covered}, key=key)


def _covered(context: EventContext, kinds: Iterable[str]) -> Body:
    """What an entry says of the files that a proof covers, where they were looked at."""
    if not kinds or not context.tree:
        return {}
    from holdfast.rooms.gates.evidence import seen_trees

    session = context.event.session
    kept = (context.state, session, context.worktree, kinds, context.tree)
    digest = attempt(context.failures.append, seen_trees.keep, *kept)
    return {"tree": digest} if digest else {}


def _keep_evidence(context: EventContext, evidence: list[Evidence], command: str) -> None:
    kinds: dict[str, Evidence] = {}
    for item in evidence:  # of one kind the one that failed, else the last
        if item.kind not in kinds or kinds[item.kind].passed:
            kinds[item.kind] = item
    covered = _covered(context, kinds)
    for kind, item in kinds.items():
        body = {
            "sort": kind,
            "passed": item.passed,
            "tool": item.tool,
            "said": item.closing_line[:TEXT_CAP],
            "command": " ".join(command.split())[:COMMAND_CAP],
            **covered,
        }
        context.keep("evidence_seen", body, key=context.consequence(f"evidence:{kind}"))


# The beginning


def count_dynamic(context: EventContext) -> None:
    """Before the transaction: numbers that it will ask for may take their time, and while it runs
    all other hooks wait. What was counted, or could not be, is found again for a while; what else
    fails here fails there, where the event is kept all the same."""
    attempt(lambda _: None, _count_dynamic, context)
    context.gate_facts = None  # the project of a beginning is not known yet


def _count_dynamic(context: EventContext) -> None:
    compiled: Requirements = context.requirements()["requirements"]
    if context.is_late or not any(each["type"] == "dynamic" for each in compiled.values()):
        return
    facts = facts_of(context)
    for name, each in demanded(context).items():
        is_due = context.event.kind == "session_began" or gates_scopes.is_triggered(
            facts.states_of(name), context.event.session
        )
        if each["type"] == "dynamic" and is_due:
            attempt(lambda _: None, facts.number, each)


def on_session_start(context: EventContext) -> None:
    """What is open, told once; what a cleared session hands on; what the last one left open."""
    if context.kept is None:
        return
    source = context.event.body["source"]
    requirements = demanded(context)
    if requirements and source == "clear":
        _carry_over(context, requirements)
    previous = context.previous()
    left = queries.conduct_of(context.store, previous).left_open if previous else []
    if left and source != "resume":
        from holdfast.hook.voice import ours

        text = ours("The session before was let go with this open:")
        context.remarks.append(Remark(GATES, text, items=[str(name) for name in left[:5]]))
    options = context.requirements()["options"].get("hooks", {}).get("session_start", {})
    if not requirements or context.is_late or not options.get("inject_context", True):
        return
    from holdfast.rooms.gates import messages

    context.gate_facts = None  # something may have been carried over just now
    open_ = unmet(requirements, facts_of(context), context.failures.append)
    if open_:
        status = messages.status(
            open_, len(requirements), context.event.session, options.get("custom_header", "")
        )
        context.remarks.append(Remark(GATES, status, sources=["gates"]))


def _carry_over(context: EventContext, requirements: Requirements) -> None:
    options = context.requirements()["options"]["hooks"]["session_start"]["carry_over"]
    previous = context.previous()
    if not options["enabled"] or not previous:
        return
    facts = facts_of(context)
    before = queries.states(context.store, context.project, facts.branch, previous)
    for state in gates_scopes.carried(
        before,
        options["window"],
        context.event.at,
        options["scopes"],
        requirements=requirements,
        session=context.event.session,
    ):
        body = {
            "requirement": state.requirement,
            "branch": facts.branch,
            "whose": context.event.session,
            "by": gates_scopes.CARRY_OVER,
            "words": previous,
            "since": state.satisfied_at or context.event.at,
        }
        if state.expires_at:
            body["expires_at"] = state.expires_at
        context.keep(
            "requirement_met", body, key=context.consequence(f"carried:{state.requirement}")
        )


# The end of a turn


def on_fork_linked(context: EventContext) -> None:
    if context.forked is not None:
        from holdfast.rooms.gates import handing_on

        handing_on.on_fork_linked(context)


def on_stop(context: EventContext) -> None:
    """THE evaluator of an end. In this order: nothing demanded, asked before, nothing done, work
    still running; then everything that is open, in one message. Once in a turn."""
    if context.kept is None:
        return
    _count_denials(context)
    turn = context.kept.body
    conduct = queries.conduct_of(context.store, context.event.session)
    open_, lacks, pressing = _left(context)
    findings = context.pressing  # of the full checkpoint, where it is strict
    names = [*(requirement.name for requirement in open_), *lacks, *findings]
    if not names:
        if conduct.left_open:  # what this turn was let go with before is done by now
            context.keep("stop_passed", {"open": []}, key=context.consequence("passed"))
        _log(context, "end of a turn: nothing is open", is_news=False)
        return
    # The cap of the client's own is eight; ours is one, so that nobody is ever trapped.
    is_over = turn["again"] or conduct.blocked > 0 or context.is_late
    is_idle = not conduct.deeds or turn["background"]
    if is_over or is_idle or not (open_ or pressing or findings):
        context.keep("stop_passed", {"open": names}, key=context.consequence("passed"))
        _log(context, f"end of a turn: let go with {', '.join(names)} open")
        return
    from holdfast.rooms.gates import messages

    refusal = messages.stop(open_, context.event.session, pressing, findings)
    context.answer = Answer(refusal=refusal)
    body = {"open": names, "lacks": pressing}
    context.keep("stop_blocked", body, key=context.consequence("blocked"))
    _log(context, f"end of a turn: refused, open: {', '.join(names)}")


def _left(context: EventContext) -> tuple[list[Open], list[str], list[str]]:
    """Requirements that this session armed and left open; what its contract lacks; and what of
    that presses, by the mode of the project."""
    context.gate_facts = None
    facts = facts_of(context)  # with what this very event has brought
    open_: list[Open] = []
    options = context.requirements()["options"].get("hooks", {}).get("stop", {})
    if options.get("verify_requirements", True):
        scopes = options.get("verify_scopes", [gates_scopes.SESSION])
        armed = {
            name: each
            for name, each in demanded(context).items()
            if _is_asked_at_stop(each, scopes)
            and gates_scopes.is_triggered(facts.states_of(name), context.event.session)
        }
        open_ = unmet(armed, facts, context.failures.append)
    return open_, *_lacks(context, facts)


def _is_asked_at_stop(requirement: Requirement, scopes: list[str]) -> bool:
    """What stands before commands alone has let them run: nothing of them is left to be asked."""
    if requirement["stop_only"]:
        return True
    is_of_commands = all(each["command_pattern"] for each in requirement["trigger_tools"])
    is_of_commands &= EDITING.isdisjoint(each["action"] for each in requirement["trigger"])
    is_open = requirement["type"] != gates_scopes.GUARD and not is_of_commands
    return is_open and requirement["scope"] in scopes


def _lacks(context: EventContext, facts: Facts) -> tuple[list[str], list[str]]:
    """What the session's contract still lacks, and what of it presses; nothing where nothing has
    changed since it was made, and nothing once the user has given another task."""
    stored = queries.contract(context.store, context.event.session)
    if stored is None:
        return [], []
    from holdfast.rooms.gates import contract

    agreed, edits = contract.of(stored), facts.edits()
    shown = contract.shown(stored, facts.evidence(agreed.evidence_required))
    is_due = contract.awaits_proof(stored, edits) or any(
        proof.outdated_by for proof in shown.values()
    )
    if not is_due or not context.is_at_task(stored["thread"], stored["goal"]):
        return [], []
    lacks = contract.lacking(agreed, shown, edits)
    mode = context.settings["completion.mode"]
    return lacks, contract.missing(agreed, shown, edits, mode, blocked=stored["refused"])


def _count_denials(context: EventContext) -> None:
    """What the hooks refused since the last end, which they only counted."""
    from holdfast.rooms.gates import refusals

    counted = refusals.take(context.state, context.event.session, context.failures.append)
    if counted is not None:
        context.keep("tools_denied", counted, key=context.consequence("denied"))


# The end


def on_session_end(context: EventContext) -> None:
    """At the end of a session: its own state goes where the project says so."""
    if context.kept is None:
        return
    _count_denials(context)
    options = context.requirements()["options"].get("hooks", {}).get("session_end", {})
    if not options.get("clear_session_state"):
        return
    session, number = context.event.session, 0
    for branch in queries.branches(context.store, context.project):
        states = queries.states(context.store, context.project, branch, session)
        for state in gates_scopes.of_session(states, session):
            body = {
                "requirement": state.requirement,
                "branch": branch,
                "whose": session,
                "why": "session ended",
            }
            key = context.consequence("cleared", number)
            context.keep("requirement_cleared", body, key=key)
            number += 1


def after_commit(context: EventContext) -> None:
    """After the commit: the branch's state as a file."""
    if context.kept is None or not context.gitdir:
        return
    from holdfast.rooms.gates import requirement_files

    compiled: Requirements = context.requirements()["requirements"]
    requirement_files.render(
        context.store, context.project, context.branch(), context.common(), compiled
    )
    _add_figures(context, context.event.session)


def mirror_crashed(context: EventContext) -> None:
    """After a beginning's commit: the figures of the sessions that were found crashed."""
    for session in context.recovered:
        _add_figures(context, session)


def _add_figures(context: EventContext, session: str) -> None:
    from holdfast.rooms.gates import requirement_files

    figures = requirement_files.metrics(context.store, session)
    context.mirrored.setdefault(session, {}).update(figures)


def on_words(context: EventContext) -> None:
    """What a prompt or the end of a turn says of the work."""
    if context.kept is None or context.unverified:
        return
    move_confidence(context, [])
    if context.has_rules():
        environment.bring("rule_gates")
        from holdfast.rooms.gates import rule_turns

        rule_turns.on_turn(context)


def move_confidence(context: EventContext, evidence: list[Evidence]) -> None:
    kept = context.kept
    if kept is None or not _may_be_observed(kept.kind, kept.body):
        return
    from holdfast.rooms.gates import confidence

    conduct = queries.conduct_of(context.store, context.event.session)
    state = _state_before(context, conduct, evidence)
    for number, name in enumerate(confidence.observe(kept.kind, kept.body, state)):
        value, reason = confidence.step(conduct.confidence, name, recent=conduct.observed)
        conduct.observed.append(name)
        change, conduct.confidence = value - conduct.confidence, value
        if change:
            body = {"value": value, "change": change, "observation": name, "reason": reason}
            context.keep("confidence_moved", body, key=context.consequence("confidence", number))


def _may_be_observed(kind: str, body: Body) -> bool:
    """Whether there is anything to observe: most reads and searches say nothing."""
    if kind != "tool_used":
        return True
    return body["deed"] in ("run", "edit", "read") or not body["ok"]


def _state_before(context: EventContext, conduct: Conduct, evidence: list[Evidence]) -> State:
    """What was known before this event; the event itself is in the projection already."""
    from holdfast.rooms.gates import confidence
    from holdfast.rooms.gates.projection import name_of_command

    body = context.kept.body if context.kept else {}
    is_run = body.get("deed") == "run"
    changes = [(path, before, after) for path, before, after in conduct.changes]
    failed = 0
    if is_run:
        failed = conduct.failures.get(name_of_command(body.get("command", "")), 0)
    return confidence.State(
        evidence=evidence,
        failures=max(0, failed - 1),
        changes=changes[:-1] if body.get("deed") == "edit" else changes,
        # Observed of a commit and of a turn's end alone.
        is_unverified=(is_run or context.event.kind == "turn_ended") and _is_unverified(context),
        turns=conduct.turns,
        goal_words=conduct.goal,
        recent_words=[word for turn in conduct.heard for word in turn],
    )


def _is_unverified(context: EventContext) -> bool:
    """Whether files were edited since the last evidence for them, or without any."""
    from holdfast.rooms.gates.evidence.proof import covers, is_valid
    from holdfast.rooms.gates.pre_tool import facts_of

    facts = facts_of(context)
    proofs = facts.runs().items()
    seen = [proof.rank for kind, proof in proofs if proof.passed and kind != "review"]
    edits = [edit for edit in facts.edits() if covers("tests")(edit[0])]
    return bool(edits) and not any(is_valid(at, edits, covers("tests")) for at in seen)
