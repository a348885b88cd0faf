"""What an agent is told between beginnings: only what changed, and only what it cannot know.

What the user says in the session itself is in its context already; what a command or another
session changed is not, and neither is how full the window is. Laws of what others did meanwhile:
it is told once, dated and with the session that did it, in few words, and nothing when nothing was
done; to a session that was resumed, compacted or long silent all of it, to one that is being worked
in only what concerns its own branch and worktree.
"""

from __future__ import annotations

from holdfast.hook.briefing import count, inline
from holdfast.hook.event import GATES, GOAL, PINS, RULES, SINCE, Remark
from holdfast.rooms.prompts import choice_queries
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts.attribution import PERSON, goal_title
from holdfast.rooms.work import budget, start_view
from holdfast.rooms.work import queries as work_queries
from holdfast.system import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.work.queries import Activity, CommitMade, SessionElsewhere

RETURNING = ("resume", "compact")
SILENT_S = 3_600  # a session that nobody has spoken to for so long
MEANWHILE_TOKENS = 100  # and the line above
SESSIONS, COMMITS, LOOKED_AT, FEW = 3, 2, 40, 2
TEXT_CAP, SUBJECT_CAP = 160, 70


def tell(context: EventContext) -> None:
    """Remarks on what has changed since this session was last told."""
    store, session = context.store, context.event.session
    done = work_queries.activity(store, session)
    if done is None:
        return
    last_told = done.last_told
    since = last_told.get("at", "")
    goal = prompt_queries.goal_of(store, session)
    continued = _continued(context, since)
    if not continued and goal is not None and goal.how == "command" and goal.at > since:
        context.remarks.append(Remark(GOAL, f"{goal_title(goal)}, set by command:", goal.goal))
    _rules_given(context, since)
    tell_meanwhile(context)
    pinned = [pin for pin in work_queries.pins(store, context.project, session) if pin.at > since]
    if pinned:
        items = [start_view.pinned(pin) for pin in pinned]
        context.remarks.append(Remark(PINS, "Pinned since:", items=items))
    phase, is_exhausted = _phase(context, done, last_told)
    if context.remarks:
        context.told_state = {"at": context.event.at, "phase": phase, "exhausted": is_exhausted}


def _continued(context: EventContext, since: str) -> bool:
    """That a person has named a session to go on from, and what came with it."""
    store, session = context.store, context.event.session
    sources = [
        origin.source
        for origin in work_queries.inheritances(store, session)
        if origin.how == "continued" and origin.at > since
    ]
    for source in sources:
        name, goal = source[:8], prompt_queries.goal_of(store, source)
        text = f"Continued from {name} (`holdfast handoff --session {name}` tells where it stood)"
        text = f"{text}. {goal_title(goal)} there:" if goal else f"{text}."
        context.remarks.append(Remark(GOAL, text, goal.goal if goal else ""))
        pins = [pin for pin in work_queries.inherited_pins(store, session) if pin.source == source]
        if pins:
            items = [start_view.pinned(pin) for pin in pins]
            context.remarks.append(Remark(PINS, "Pins that came with it:", items=items))
    return bool(sources)


def _rules_given(context: EventContext, since: str) -> None:
    store, session = context.store, context.event.session
    kept = prompt_queries.kept_since(store, context.project, since, but=session)
    fresh = [
        rule
        for rule in prompt_queries.rules(store, context.project, session, context.branch())
        if rule.id in kept
        or (rule.at > since and (rule.session != session or rule.how == "command"))
    ]
    if fresh:
        from holdfast.rooms.work.written_rules import not_written

        fresh = not_written(context, fresh)
    of_user = [rule for rule in fresh if rule.author == PERSON]
    notes = [rule for rule in fresh if rule.author != PERSON]
    if of_user:
        text = "Rules the user has given elsewhere, word for word:"
        context.remarks.append(start_view.rules_remark(text, of_user))
    if notes:
        context.remarks.append(start_view.rules_remark("Noted as a rule elsewhere:", notes))


# What others did meanwhile


def tell_meanwhile(context: EventContext) -> None:
    """What other sessions changed since this one last spoke; nothing to one that begins."""
    source = context.event.body.get("source", "")
    is_beginning = context.event.kind == "session_began" and source not in RETURNING
    done = work_queries.activity(context.store, context.event.session)
    if context.is_late or is_beginning or done is None:
        return
    since = _last_spoke(context, done)
    if not since:
        return
    _rules_lifted(context, since)
    silent_s = clock.seconds_of(context.event.at) - clock.seconds_of(since)
    items = _choices_changed(context, since)
    others = context.others_since(since)
    if others or source:
        if work_queries.has_decisions(context.store, context.project):
            items += _decisions_changed(context, since)
        items += _work_done(context, others, since, is_near=not source and silent_s < SILENT_S)
    told_items: list[str] = []
    tokens = MEANWHILE_TOKENS
    for item in items:
        tokens -= count(item) + 2
        if told_items and tokens < 0:
            break
        told_items.append(item)
    if told_items:
        text = f"Elsewhere, since this session was last spoken to ({since[:16]}Z):"
        rest = "`holdfast sessions`"
        context.remarks.append(Remark(SINCE, text, items=told_items, rest=rest))


def _last_spoke(context: EventContext, done: Activity) -> str:
    """When the session was last spoken to or told anything; "" where that is not known."""
    store, session = context.store, context.event.session
    spoken = done.last_prompt_at
    if context.event.kind == "prompt_given" and context.kept is not None:
        spoken = prompt_queries.prompt_before(store, session, context.kept.id)
    since = max(spoken, str(done.last_told.get("at", "")))
    if since:
        return since
    known = context.session()
    return str(known["started_at"]) if known else ""


def _rules_lifted(context: EventContext, since: str) -> None:
    gone = prompt_queries.withdrawn_since(
        context.store, context.project, since, but=context.event.session
    )
    if gone:
        text = "The user's rules that are no longer in force:"
        items = [f"{rule.text}  (withdrawn {_when(rule.at, rule.session)})" for rule in gone]
        context.remarks.append(Remark(RULES, text, items=items))


def _choices_changed(context: EventContext, since: str) -> list[str]:
    """Choices that were taken back, and those that were made on this branch; a compaction is told
    the latter anyway."""
    store, session = context.store, context.event.session
    dropped = choice_queries.dropped_since(store, context.project, since, but=session)
    items = [
        f"No longer the user's choice ({_when(choice.at, choice.session)}):"
        f" {inline(choice.text, TEXT_CAP)}"
        for choice in dropped[-FEW:]
    ]
    if context.event.body.get("source") == "compact":
        return items
    made = choice_queries.choices_since(
        store, context.project, context.branch(), since, but=session, limit=FEW
    )
    if made:
        from holdfast.rooms.prompts.telling import worded

        items += [f"The user chose, in {each.session[:8]}: {worded(each)}" for each in made]
    return items


def _decisions_changed(context: EventContext, since: str) -> list[str]:
    """Decisions that an edit elsewhere has broken, and those that were made elsewhere; the last
    ones a compaction is told anyway."""
    broken = context.broken_since(since)[:FEW]
    context.told_decisions += [decision.id for decision, *_ in broken]
    items = [
        f"BROKEN by an edit ({_when(at, session)}), do not rely on it:"
        f" {inline(decision.text, TEXT_CAP)}"
        for decision, at, session in broken
    ]
    if context.event.body.get("source") == "compact":
        return items
    for decision in context.decisions_since(since, FEW):
        if decision.id not in context.told_decisions:
            made = f"decided {_when(decision.at, decision.session)}"
            if decision.source == "file":
                made = f"edited in NOTES.md, {decision.at[:10]}"
            items.append(f"{inline(decision.text, TEXT_CAP)}  ({made})")
    return items


def _work_done(
    context: EventContext, others: list[SessionElsewhere], since: str, *, is_near: bool
) -> list[str]:
    """A line for each session that committed, merged or ended. With `is_near` only what was done
    on this branch, and what ended in this worktree."""
    store, own = context.store, context.event.session
    branch = context.branch()
    commits: dict[str, list[CommitMade]] = {}
    made = work_queries.commits_since(store, context.project, since, but=own, limit=LOOKED_AT)
    for commit in made:
        if not is_near or commit.branch == branch:
            commits.setdefault(commit.session, []).append(commit)
    sessions = {session.id: session for session in others}
    lines = []
    for id_ in dict.fromkeys((*commits, *sessions)):
        line = _session_line(context, id_, sessions.get(id_), commits.get(id_, []), since, is_near)
        if line:
            lines.append(line)
    return sorted(lines, reverse=True)[:SESSIONS]


def _session_line(
    context: EventContext,
    id_: str,
    session: SessionElsewhere | None,
    commits: list[CommitMade],
    since: str,
    is_near: bool,
) -> str:
    """`2026-03-01 12:30Z 1a2b3c4d ended, its goal "..."; commits ...; merged #12`"""
    store = context.store
    is_here = session is not None and session.worktree == context.worktree
    ended = session.ended_at if session is not None and (is_here or not is_near) else ""
    ended = ended if ended and ended > since else ""
    branches = [commit.branch for commit in commits]
    merged = work_queries.merged_since(store, context.project, id_, since, branches)
    if is_near:
        merged = merged if commits else []
    changed = work_queries.count_changed(store, id_) if ended and is_here else 0
    if not (commits or merged or (changed and not is_near)):
        return ""
    parts = []
    if ended and session is not None:
        parts.append("crashed" if session.has_crashed else "ended")
    goal = prompt_queries.goal_of(store, id_)
    if goal is not None and goal.session != context.event.session:
        parts.append(f'worked on "{inline(goal.goal, SUBJECT_CAP)}"')
    parts += _deeds(context, commits, merged, changed)
    at = max([*(commit.at for commit in commits), *(at for *_, at in merged), ended or ""])
    return f"{at[:10]} {at[11:16]}Z {id_[:8]}: {'; '.join(parts)}"


def _deeds(
    context: EventContext,
    commits: list[CommitMade],
    merged: list[tuple[int, str, str]],
    changed: int,
) -> list[str]:
    branch, parts = context.branch(), []
    for commit in commits[:COMMITS]:
        where = f" on {inline(commit.branch)}" if commit.branch not in ("", branch) else ""
        parts.append(f"commit {commit.sha} {inline(commit.subject, SUBJECT_CAP)}{where}")
    if len(commits) > COMMITS:
        parts.append(f"{len(commits) - COMMITS} more commits")
    for number, title, _ in merged[:FEW]:
        name = f' "{inline(title, SUBJECT_CAP)}"' if title else ""
        parts.append(f"pull request #{number}{name} merged")
    if changed and not commits:
        parts.append(f"{changed} file{'' if changed == 1 else 's'} changed, no commit seen")
    return parts


def _when(at: str, session: str) -> str:
    return f"{at[:10]} in {session[:8]}" if session else f"{at[:10]} by command"


def _phase(context: EventContext, done: Activity, last_told: Body) -> tuple[str, bool]:
    """The context phase when it changed, and once that the window runs out."""
    tokens, window = done.tokens, done.window
    if not tokens or not window:
        return last_told.get("phase", budget.VERBOSE), False
    phase = budget.phase(tokens, window)
    context.share = budget.share(phase)
    is_new = phase != last_told.get("phase", budget.VERBOSE)
    is_high = phase in (budget.SIGNALS, budget.CRITICAL)
    if is_new and is_high and context.settings["briefing.preamble"]:  # else on the status line
        context.remarks.append(start_view.phase(phase, tokens, window))
    limit = context.settings["budget.exhausted_tokens"]
    exhausted = budget.is_exhausted(tokens, limit)
    if exhausted and not last_told.get("exhausted"):
        context.remarks.append(
            Remark(
                GATES, f"The context holds {tokens} tokens, more than the {limit} set as its limit."
            )
        )
    return phase, exhausted
