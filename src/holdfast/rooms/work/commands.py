"""What a person says by command: goal, rules, pins, learnings, handoff, checkpoint, continuation.

Laws: an act and the look at what it rests on are one transaction; what is returned is what was
kept, so without its secrets; what would be told cut is refused, for it must be told word for word;
a key holds neither a text nor its digest, for a header is there for good.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.errors import HoldfastError, NotFound
from holdfast.hook.briefing import ITEM_CAP
from holdfast.hook.voice import QUOTE_CAP
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import queries as prompt_queries, understanding
from holdfast.rooms.prompts.attribution import PERSON
from holdfast.rooms.prompts.queries import GivenRule, Goal
from holdfast.rooms.work import (
    checkpoint_restoring,
    handoff,
    pins,
    queries as work_queries,
    summary,
)
from holdfast.system.given_words import worded

if TYPE_CHECKING:
    from holdfast.config.settings import Settings
    from holdfast.rooms.work.queries import Checkpoint

# What a command prints as JSON: the body of an entry, or a row, with its id, time and session.
Printed = dict[str, Any]

COMMAND = "command"
FORBIDDING = ("never ", "no ", "don't ", "dont ", "do not ")
GOALS_BACK = 200
EVER = float("inf")


@dataclass(frozen=True)
class Place:
    """Where something is said: which project, in which session, when."""

    workspace: Workspace
    project: str
    session: str  # whose act it is; "" for the project's alone
    about: str  # whose state is looked at: that session, else the newest here
    at: str
    settings: Settings
    root: str = ""
    branch: str = ""


# What holds here


def goal_here(place: Place) -> Printed | None:
    """The goal in force: the session's, or without a live one what the next would begin with."""
    goal = _goal_in_force(place)
    return goal.as_dict() if goal else None


def _goal_in_force(place: Place) -> Goal | None:
    store = place.workspace.store
    if place.session:
        return prompt_queries.goal_of(store, place.session)
    before = _before(place)
    current = prompt_queries.goal_left(store, before) if before else None
    aside = prompt_queries.goal_without_session(store, place.project)
    if aside and (current is None or prompt_queries.is_later(store, aside, current)):
        return aside
    return current


def thread_here(place: Place) -> str:
    """The task and its sequels; "" where nothing has begun."""
    store = place.workspace.store
    if place.session:
        return prompt_queries.thread_of(store, place.session)
    goal, before = _goal_in_force(place), _before(place)
    return goal.thread if goal else prompt_queries.thread_of(store, before) if before else ""


def rules_here(place: Place) -> list[Printed]:
    """What is in force in the live session here, or would be in the next one."""
    return [rule.as_dict() for rule in rules_in_force(place)]


def rules_in_force(place: Place) -> list[GivenRule]:
    return prompt_queries.rules(place.workspace.store, place.project, place.session, place.branch)


def pins_here(place: Place) -> list[Printed]:
    here = summary.pins(place.workspace.store, place.project, place.about)
    return [pin.as_dict() for pin in here]


def _before(place: Place) -> str:
    """Whom the next session would go on from."""
    return work_queries.continuation_asked(place.workspace.store, place.project) or place.about


# The goal


def set_goal(place: Place, text: str) -> Printed:
    """Told in other words it is still the same task."""
    with place.workspace.store.transaction():
        current = _goal_in_force(place)
        is_new = current is not None and not understanding.is_same_task(current.keywords, text)
        goal = _worded(text, "a goal", QUOTE_CAP)
        return _goal(place, goal, "" if is_new else thread_here(place))


def accept_goal(place: Place) -> Printed:
    """The goal in force is a task of its own, not a sequel of the one before."""
    with place.workspace.store.transaction():
        current = _goal_in_force(place)
        if current is None:
            raise NotFound("there is no goal to accept", hint="`holdfast goal set TEXT` sets one")
        return _goal(place, current.goal, "")


def keep_goal(place: Place) -> Printed:
    """Go back to the goal before."""
    with place.workspace.store.transaction():
        before = _goals_before(place, _goal_in_force(place))
        if not before:
            raise NotFound("there is no goal before this one", hint="see `holdfast goal`")
        return _goal(place, before[0].goal, before[0].thread)


def goals_before(place: Place, current: Printed | None) -> list[Printed]:
    """Other goals than the one in force, newest first: of this session and of whom it follows."""
    before = _goals_before(place, Goal(**current) if current else None)
    return [goal.as_dict() for goal in before]


def _goals_before(place: Place, current: Goal | None) -> list[Goal]:
    store = place.workspace.store
    own = {
        place.session,
        "",
        *(origin.source for origin in work_queries.inheritances(store, place.session)),
    }
    return [
        goal
        for goal in prompt_queries.goals(store, place.project, GOALS_BACK)
        if (not place.session or goal.session in own)
        and (
            current is None
            or (goal.goal != current.goal and not prompt_queries.is_later(store, goal, current))
        )
    ]


def _goal(place: Place, text: str, thread: str) -> Printed:
    body = {
        "goal": text,
        "keywords": understanding.keywords(text),
        "thread": thread,
        "how": COMMAND,
        "author": PERSON,
    }
    made = keep(place, "goal_set", body)
    made["thread"] = made["thread"] or made["id"]
    return made


# Rules


def give_rule(place: Place, text: str, *, dead_end: bool = False) -> Printed:
    """For every session: who takes the trouble of a command does not mean this one alone."""
    with place.workspace.store.transaction():
        return _give(place, text, dead_end=dead_end)


def withdraw(place: Place, subject: str) -> Printed:
    """A rule, a pin or a learning no longer holds."""
    with place.workspace.store.transaction():
        return _turn(place, subject, "withdrawn")


def keep_rule(place: Place, subject: str) -> Printed:
    """What was heard in one session, or was withdrawn, holds for all that come."""
    with place.workspace.store.transaction():
        return _turn(place, subject, "kept")


def reword(place: Place, rule: GivenRule, text: str) -> Printed:
    with place.workspace.store.transaction():
        _turn(place, rule.id, "withdrawn")
        return _give(place, text, dead_end=rule.sort == "dead_end")


def scope_rule(place: Place, rule: GivenRule, scope: str) -> Printed:
    """Where a rule is told: in the whole project, or on its task and its branch alone."""
    with place.workspace.store.transaction():
        return _turn(place, rule.id, "scoped", scope)


def sort_of(text: str) -> str:
    start = " ".join(text.replace("\u2019", "'").replace(",", " ").lower().split())
    return "forbids" if f"{start} ".startswith(FORBIDDING) else "demands"


def note_turn(place: Place, subject: str, turn: str, words: str) -> Printed:
    """That a rule was made to hold, or is no longer."""
    with place.workspace.store.transaction():
        return _turn(place, subject, turn, words)


def _give(place: Place, text: str, *, dead_end: bool) -> Printed:
    text = _worded(text, "a rule", ITEM_CAP)
    sort = "dead_end" if dead_end else sort_of(text)
    for rule in rules_in_force(place):
        is_alike = (rule.text, rule.sort == "dead_end") == (text, dead_end)
        if is_alike and rule.standing in (COMMAND, "kept"):
            return rule.as_dict()  # given before, and still in force
    body = {"text": text, "sort": sort, "lasting": True, "how": COMMAND, "author": PERSON}
    where = {"thread": thread_here(place), "branch": place.branch}
    return keep(place, "rule_given", body | where)


def _turn(place: Place, subject: str, turn: str, words: str = "") -> Printed:
    body = {"subject": subject, "turn": turn, "how": COMMAND, "words": words}
    return keep(place, "turned", body)


# Pins and learnings


def pin(
    place: Place, content: str, *, label: str = "", critical: bool = False, author: str = ""
) -> Printed:
    """A person's is the project's. An agent's is its session's, and refused when there are ten
    already, inherited CRITICAL ones among them. Either is refused when its label is taken."""
    content, label = _worded(content, "a pin", ITEM_CAP), " ".join(label.split())
    with place.workspace.store.transaction():
        own = work_queries.pins(place.workspace.store, place.project, place.session)
        for existing in own:
            if label and existing.label.lower() == label.lower():
                raise HoldfastError(
                    f"there is a pin labelled {existing.label}",
                    hint=f"`holdfast pins drop {existing.id[:6]}` makes room for another",
                )
            if (existing.content, existing.label) == (content, label):
                return existing.as_dict()
        inherited = work_queries.inherited_pins(place.workspace.store, place.session)
        counted = sum(not pin.is_users for pin in own) + sum(pin.critical for pin in inherited)
        if author != PERSON and counted >= pins.CAP:
            raise HoldfastError(
                f"there are {pins.CAP} pins already, and more would not be looked at",
                hint="`holdfast pins` lists them, `holdfast pins drop ID` takes one away",
            )
        is_critical = critical or pins.is_critical(content, label)
        body = {"content": content, "label": label, "critical": is_critical, "author": author}
        return keep(place, "pinned", body, session="" if author == PERSON else None)


def learn(place: Place, text: str, categories: tuple[str, ...] = ()) -> Printed:
    text = _worded(text, "a learning", QUOTE_CAP)
    with place.workspace.store.transaction():
        body = {"text": text, "source": COMMAND, "categories": list(categories)}
        return keep(place, "learnt", body)


# Handoff, checkpoint, continuation


def hand_off(
    place: Place,
    session: str,
    *,
    summary: str = "",
    next_steps: tuple[str, ...] = (),
    blockers: tuple[str, ...] = (),
    questions: tuple[str, ...] = (),
) -> Printed:
    """For one session, live or over: whoever goes on from it reads this first."""
    if summary:
        summary = _worded(summary, "a summary", handoff.TEXT_CAP)
    if len(next_steps) > handoff.STEPS:
        raise HoldfastError(
            f"{len(next_steps)} next steps are too many: {handoff.STEPS} are told",
            hint="name what comes first",
        )
    body = {
        "summary": summary,
        "next_steps": [_worded(step, "a step", handoff.STEP_CAP) for step in next_steps],
        "blockers": [_worded(blocker, "a blocker", ITEM_CAP) for blocker in blockers],
        "questions": [_worded(question, "a question", ITEM_CAP) for question in questions],
        "source": COMMAND,
    }
    with place.workspace.store.transaction():
        return keep(place, "handoff_given", body, session=session)


def checkpoint(place: Place, of_gates: Printed) -> Printed:
    """Where the ledger stands, and tier 1 of the session here, with what gates keep of it."""
    with place.workspace.store.transaction():
        state = summary.draw(
            place.workspace.store, place.project, place.about, now=place.at, branch=place.branch
        )
        body = summary.checkpoint_of(state, "hand", of_gates)
        return keep(place, "checkpoint_taken", body, session=place.about)


def continue_from(place: Place, source: Printed) -> Printed:
    """Go on from a session by name, whatever its age and score: at once in a live session, else
    in the next one that begins."""
    id_ = source["id"]
    if source["project"] != place.project:
        raise HoldfastError(
            f"{id_[:8]} is a session of another project, {source['worktree']}",
            hint="sessions of this one: `holdfast sessions`",
        )
    if source["archived"]:
        raise HoldfastError(f"{id_[:8]} is archived", hint=f"first `holdfast restore {id_[:8]}`")
    if id_ == place.session:
        raise HoldfastError(f"{id_[:8]} is this very session", hint="name an earlier one")
    with place.workspace.store.transaction():
        if not place.session:
            return _turn(place, id_, "continued")
        return keep(place, "state_inherited", _inheritance(place, id_))


def continue_from_none(place: Place) -> Printed:
    """Take back what was said last of the session to go on from."""
    with place.workspace.store.transaction():
        return _turn(place, "", "continued")


def restore_next(place: Place, origin: Checkpoint) -> Printed:
    """The next session that begins goes on from a checkpoint."""
    with place.workspace.store.transaction():
        return _turn(place, origin.id, checkpoint_restoring.RESTORED)


def _inheritance(place: Place, source: str) -> Printed:
    store = place.workspace.store
    goal = prompt_queries.goal_left(store, source) or prompt_queries.goal_of(store, place.session)
    here = work_queries.inherited_pins(store, place.session)
    offered = [
        pin
        for pin in (
            *work_queries.pins(store, place.project, source),
            *work_queries.inherited_pins(store, source),
        )
        if pin.session not in ("", place.session)  # those are here anyway
    ]
    taken = pins.inherit(
        [*work_queries.pins(store, place.project, place.session), *here],
        offered,
        is_relevant=True,
        hours=0.0,
        critical_hours=EVER,
        cap=max(0, place.settings["continuity.max_inherited_pins"] - len(here)),
    )
    return {
        "how": "continued",
        "sessions": [{"session": source, "permille": 1000}],
        "goal": goal.id if goal else "",
        "thread": prompt_queries.thread_of(store, source),
        "pins": [{"pin": pin.id, "source": source} for pin in taken],
        "todos": work_queries.list_of(store, source),
        "tasks": 0,
        "decayed": 0,
    }


def walked(place: Place, session: str, *, depth: int, reached: int) -> Printed:
    """That a session's chain was looked at."""
    with place.workspace.store.transaction():
        return keep(place, "chain_walked", {"depth": depth, "found": reached}, session=session)


# Keeping


def _worded(text: str, what: str, cap: int) -> str:
    return worded(text, what, cap, instead="name a file that says more")


def keep(place: Place, kind: str, body: Printed, *, session: str | None = None) -> Printed:
    """One entry in the caller's transaction; what it says, with its id and its origin."""
    whose = place.session if session is None else session
    entry = place.workspace.say(kind, body, at=place.at, project=place.project, session=whose)
    return {"id": entry.id, "at": place.at, "session": whose, **entry.body}
