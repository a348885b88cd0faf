"""Restoration: what a session that begins is given of those before it.

The chain gives goal, thread of rules and the state of the work; relevance decides from which
sessions pins, tasks and topics are inherited. Restoring has 1,500 ms; beyond that it is a cold
start, and says so. Silent when nothing qualifies.
"""

from __future__ import annotations

import time

from holdfast.hook import belief
from holdfast.hook.event import NOTICE, Remark
from holdfast.hook.voice import ours, word
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.work import (
    budget,
    checkpoint,
    fading,
    handoff,
    meanwhile,
    open_tasks,
    pins,
    queries as work_queries,
    relevance,
    start_view,
    summary,
    updates,
)
from holdfast.rooms.work.preamble import Inheritance
from holdfast.rooms.work.relevance import ScoredSession
from holdfast.system import clock, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.prompts.queries import Goal
    from holdfast.rooms.work.queries import Checkpoint, Pin
    from holdfast.rooms.work.summary import Summary

LIMIT_S = 1.5
CANDIDATES = 12
PROMPTS = 20  # of a session, the latest: what a compaction may take away
HEADINGS = {"compact": "POST_COMPACT", "resume": "SESSION_REVIVAL"}


def restore(context: EventContext) -> None:
    """By the kind of beginning; what is said is composed from the summary of one session."""
    source = context.event.body["source"]
    context.marker = HEADINGS.get(source, "SESSION_START")
    if source == "resume" and not context.crashed:
        updates.tell(context)  # its whole transcript comes back by itself
        return
    is_named = False
    if source in checkpoint.RESTORING and context.settings["continuity.enabled"]:
        is_named = _from_checkpoint(context) or _inherit(context)
    own = source in ("compact", "resume")
    about = context.event.session if own else context.goes_on_with
    state = summary.draw(
        context.store,
        context.project,
        about or context.event.session,
        now=context.event.at,
        branch=context.event.body["branch"],
        is_dirty=not own and _is_dirty(context, about),
    )
    if not own:
        state = _as_it_begins(context, state)
    if not about:
        state = state.changed(list_before=None)
    context.active = summary.active(context.store, state)
    _say(context, state, own=own, is_named=is_named)
    if own:
        meanwhile.tell(context, state.activity)
    is_telling = bool(context.remarks)
    if is_telling:
        phase = state.phase if own else budget.VERBOSE  # its own window is empty
        context.told_state = {"at": context.event.at, "phase": phase}
    if is_telling and context.settings["briefing.pointing"]:
        context.remarks += start_view.pointing()


def _as_it_begins(context: EventContext, state: Summary) -> Summary:
    """Goal, rules and pins as they hold in the session that begins."""
    store, session = context.store, context.event.session
    rules, dead_ends = summary.in_force(
        store, context.project, session, context.event.body["branch"]
    )
    return state.changed(
        goal=prompt_queries.goal_of(store, session),
        pins=summary.pins(store, context.project, session),
        rules=rules,
        dead_ends=dead_ends,
    )


def _say(context: EventContext, state: Summary, *, own: bool, is_named: bool) -> None:
    """What is told besides the thread that a session goes on with, which its own room tells."""
    context.remarks += start_view.rules(_not_written(context, state))
    if context.event.body["source"] == "fork":  # the rest is in the transcript it brings along
        context.remarks += [*start_view.goal(state), *start_view.pins(state)]
        return
    if own:
        context.remarks += [*start_view.goal(state), *start_view.last_prompt(state)]
        if context.event.body["source"] == "compact":  # else they are in its transcript
            prompts = prompt_queries.last_prompts(context.store, context.event.session, PROMPTS)
            context.remarks += start_view.prompts_before(state, prompts[1:])
    elif state.goal and (state.goal.how == "command" or is_named):
        # Else the line about its thread tells it.
        context.remarks += start_view.goal(state)
    if own or context.goes_on_with or context.is_own_branch:
        context.remarks += _standing(context)
    if own:
        context.remarks += start_view.stopped(state)
        context.remarks += start_view.work(state)
        context.remarks += [*start_view.files(state), *start_view.helpers(state, context.worktree)]
    elif context.goes_on_with:
        context.remarks += start_view.work(state, is_surfaced=True)
        hours = _hours_since(context, state.activity.last_prompt_at)
        if context.settings["briefing.preamble"] and not _refusal(context, state, hours):
            context.remarks += start_view.queue(state)
            if checkpoint.comes_back("files_read", hours):
                context.remarks += start_view.read_files(state)
    context.remarks += start_view.pins(state)
    context.remarks += _inherited(context, state, own=own)


def _is_dirty(context: EventContext, session: str) -> bool:
    """Whether a file that a session changed is not committed."""
    dirty = context.dirty()
    return bool(dirty) and work_queries.has_changed(context.store, session, dirty)


def _not_written(context: EventContext, state: Summary) -> Summary:
    """Without the rules that the agent reads by itself in the project's instruction files."""
    from holdfast.rooms.work.written_rules import not_written

    return state.changed(rules=not_written(context, state.rules))


def _standing(context: EventContext) -> list[Remark]:
    """Where the branch stands, by git as it is now and by what was seen of it. A project's first
    session knows nothing that its agent cannot see."""
    from holdfast.rooms.work.branches import branch_state, queries, where_it_stands

    if work_queries.is_first(context.store, context.project, context.event.session):
        return []
    body = context.event.body
    current = branch_state.of_body(body["git"]) if body.get("git") else None
    branch = current.branch if current else body["branch"]
    if not branch:
        return []
    since = clock.seconds_of(context.event.at) - where_it_stands.LATELY_DAYS * 86_400
    known = queries.known_of(context.store, context.project, branch, clock.iso(since))
    return where_it_stands.lines(known, current, context.event.at)


def _refusal(context: EventContext, state: Summary, hours: float) -> str:
    """Why the state of the session before is not offered, "" when it is."""
    body = context.event.body
    goal = state.goal
    worktree = context.inherited_worktree or body["worktree"]
    return checkpoint.refusal(
        project=state.project,
        here=context.project,
        path_exists=files.exists(worktree) if worktree else True,
        session=state.session,
        live=context.live(),
        keywords=[*state.topics, *(goal.keywords if goal else [])],
        # What is being changed by now says what the work is about; branch and commits were there.
        current_keywords=body.get("changed", []),
        age_hours=hours,
        max_age_hours=context.settings["continuity.lookback_days"] * 24.0,
    )


def _from_checkpoint(context: EventContext) -> bool:
    """Go on from the checkpoint that a person named for the next session. What has become of it
    since then is told; then the session begins as any other."""
    store, session = context.store, context.event.session
    asked = work_queries.checkpoint_asked(store, context.project)
    known = work_queries.checkpoints_like(store, context.project, asked, 1) if asked else []
    if not known:
        return False
    from holdfast.errors import StoreError
    from holdfast.rooms.work import checkpoint_restoring

    origin = known[0]
    try:
        tier1 = checkpoint.brought_up(origin.tier1, origin.version)
    except StoreError as error:
        return _not_restored(context, origin, str(error))
    if origin.session in context.live():
        return _not_restored(context, origin, "its session is live elsewhere")
    cap = context.settings["continuity.max_inherited_pins"]
    body = checkpoint_restoring.inheritance(store, session, origin, tier1, cap=cap, by_person=True)
    context.keep("state_inherited", body, key=context.consequence("inherited"))
    context.inherited_from, context.restored_tier1 = origin.session, tier1
    return True


def _not_restored(context: EventContext, origin: Checkpoint, why: str) -> bool:
    text = ours("Checkpoint {}, which was to be restored, is not:", word(origin.id[:6]))
    context.remarks.append(Remark(NOTICE, text, why))
    return False


def _inherit(context: EventContext) -> bool:
    """Score the sessions of the last days, take over from the best, and keep that as an entry.
    Whether a person named the one to go on from."""
    started = time.monotonic()
    store, settings = context.store, context.settings
    asked = work_queries.continuation_asked(store, context.project)
    how = "continued" if asked else _how(context)
    before = asked or context.goes_on_with
    current = prompt_queries.goal_left(store, before) if before else None
    aside = prompt_queries.goal_without_session(store, context.project)
    if aside and (current is None or prompt_queries.is_later(store, aside, current)):
        current = aside
    thread = (
        current.thread if current else prompt_queries.thread_of(store, before) if before else ""
    )
    scored = _scored(context, current)
    is_late = time.monotonic() - started > LIMIT_S
    if is_late:  # a cold start, but for tier 1: the goal and its rules hold all the same
        text = "Restoring took too long: pins, tasks and topics of earlier sessions are left out."
        context.remarks.append(Remark(NOTICE, ours(text)))
        scored = []
    chosen = relevance.choose(
        [(candidate.session, candidate.score) for candidate in scored],
        settings["continuity.relevance_threshold"],
        settings["continuity.max_sessions_scored"],
    )
    if asked:  # by name: whatever its age and score
        chosen = [(asked, 1.0), *(pair for pair in chosen if pair[0] != asked)]
    by_id = {candidate.session: candidate for candidate in scored}
    pins, decayed = ([], 0) if is_late else _pins(context, chosen, by_id)
    context.chosen = [by_id[session] for session, _ in chosen if session in by_id]
    context.inherited_from = before
    if before in by_id:
        context.inherited_worktree = by_id[before].worktree
    if not chosen and not thread:
        return bool(asked)
    body = {
        "how": how,
        "sessions": [
            {"session": session, "permille": round(score * 1000)} for session, score in chosen
        ],
        "goal": current.id if current else "",
        "thread": thread,
        "pins": [{"pin": pin.id, "source": pin.session} for pin in pins],
        "todos": work_queries.list_of(store, before) if before else "",
        "tasks": 0,  # what is told of them, the entry of the answer counts
        "decayed": decayed,
    }
    context.keep("state_inherited", body, key=context.consequence("inherited"))
    return bool(asked)


def _how(context: EventContext) -> str:
    return {"clear": "cleared", "fork": "forked"}.get(context.event.body["source"], "followed")


def _scored(context: EventContext, goal: Goal | None) -> list[ScoredSession]:
    store, settings = context.store, context.settings
    days = settings["continuity.lookback_days"]
    since = clock.iso(clock.seconds_of(context.event.at) - days * 86_400)
    candidates = work_queries.candidates(
        store, context.project, since=since, but=context.event.session, limit=CANDIDATES
    )
    names = [candidate.session for candidate in candidates]
    topics = work_queries.topics_of(store, names, 20)
    tasks = work_queries.pending_of(store, names)
    keywords = [*context.event.body.get("keywords", ()), *(goal.keywords if goal else ())]
    keywords += [pin.label for pin in work_queries.pins(store, context.project, "") if pin.label]
    scored = []
    for candidate in candidates:
        hours = _hours_since(context, candidate.last_active_at)
        words, many = topics.get(candidate.session, []), tasks.get(candidate.session, 0)
        score = relevance.score(hours, words, keywords, many, days * 24.0)
        scored.append(
            ScoredSession(candidate.session, candidate.worktree, hours, words, many, score)
        )
    return scored


def _pins(
    context: EventContext, chosen: list[tuple[str, float]], by_id: dict[str, ScoredSession]
) -> tuple[list[Pin], int]:
    """Pins of the sessions that were chosen, the newest of each label, and critical ones of any;
    how many confidence left behind."""
    store, settings = context.store, context.settings
    offered: dict[str, Pin] = {}
    for session, _ in chosen:
        own = (
            *work_queries.pins(store, context.project, session),
            *work_queries.inherited_pins(store, session),
        )
        # What was pinned outside of a session is there anyway.
        offered |= {pin.id: pin for pin in own if pin.session}
    floor = settings["continuity.decay_min_floor"]
    left = fading.of_pins(store, list(offered.values()), context.event.at, floor)
    faded = {id_ for id_, confidence in left.items() if confidence < belief.DROPPED_UNDER}
    offered = {id_: pin for id_, pin in offered.items() if id_ not in faded}
    days = settings["continuity.critical_inheritance_days"]
    since = clock.iso(clock.seconds_of(context.event.at) - days * 86_400)
    for pin in work_queries.critical_pins(store, context.project, since):
        if pin.session not in ("", context.event.session):
            offered.setdefault(pin.id, pin)
    current = work_queries.pins(store, context.project, context.event.session)
    return (
        pins.inherit(
            current,
            list(offered.values()),
            is_relevant=bool(chosen),
            hours=0.0,
            ages={pin.id: _hours_since(context, pin.at) for pin in offered.values()},
            critical_hours=days * 24.0,
            cap=settings["continuity.max_inherited_pins"],
        ),
        len(faded - offered.keys()),
    )


def _inherited(context: EventContext, state: Summary, *, own: bool) -> list[Remark]:
    """The preamble: tasks as they stand now, projects, topics, pins."""
    chosen = [] if own else context.chosen
    root = str(context.event.body["worktree"])
    ages = {open_tasks.TODOS: _hours_since(context, state.activity.last_prompt_at)}
    if state.list_before:
        latest = max(todo.at for todo in state.list_before.todos)
        ages[open_tasks.TODOS] = _hours_since(context, latest)
    tasks = [
        (task, ages.get(task.source, 0.0))
        for task in summary.pending(root, context.settings, state)
    ]
    # A list that was told as next steps is not told again.
    if state.todos and state.next_steps and state.next_source == handoff.TODOS:
        tasks = [pair for pair in tasks if pair[0].source != open_tasks.TODOS]
    # A session in which nothing was said or done has left nothing, not even its project's name.
    left = [origin for origin in chosen if origin.topics or origin.tasks]
    is_whole = context.settings["briefing.preamble"]
    return start_view.inherited(
        Inheritance(
            sessions=len(left),
            tasks=tasks,
            projects=sorted({origin.worktree.rpartition("/")[2] for origin in left if is_whole}),
            topics=chosen[0].topics[:10] if chosen and is_whole else [],
            pins=sum(1 for pin in state.pins if pin.source) if chosen else 0,
        ),
        [f"session {origin.session}" for origin in left],
        is_surfaced=not own,
    )


def _hours_since(context: EventContext, at: str) -> float:
    if not at:
        return 0.0
    return max(0.0, (clock.seconds_of(context.event.at) - clock.seconds_of(at)) / 3600)
