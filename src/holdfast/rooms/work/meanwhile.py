"""What other sessions did meanwhile, for one that comes back to its work.

Laws: it is told once, dated and with the session that did it, in few words, and nothing when
nothing was done; to a session that was resumed, compacted or long silent all of it, to one that is
being worked in only what was committed on its branch, chosen and decided.
"""

from __future__ import annotations

from holdfast.hook.event import RULES, SINCE, Remark
from holdfast.hook.tokens import count
from holdfast.hook.voice import inline, ours, word
from holdfast.rooms.prompts import choice_queries, queries as prompt_queries
from holdfast.rooms.work import meanwhile_queries as queries, queries as work_queries
from holdfast.system import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.work.meanwhile_queries import CommitMade, SessionElsewhere
    from holdfast.rooms.work.queries import Activity

    Item = tuple[str, str]  # a line, and where it came from

SILENT_S = 3_600  # a session that nobody has spoken to for so long
TOKENS = 100  # and the line above
SESSIONS, COMMITS, LOOKED_AT, FEW = 3, 2, 40, 2
TEXT_CAP, SUBJECT_CAP = 160, 70


def tell(context: EventContext, done: Activity) -> None:
    """What other sessions changed since this one last spoke; `done` is what it did itself."""
    if context.is_late:
        return
    since = _last_spoke(context, done)
    if not since:
        return
    _rules_lifted(context, since)
    items = _choices_changed(context, since)
    if queries.has_decisions(context.store, context.project):
        items += _decisions_changed(context, since)
    silent_s = clock.seconds_of(context.event.at) - clock.seconds_of(since)
    is_near = context.event.kind == "prompt_given" and silent_s < SILENT_S
    items += _work_done(context, since, is_near=is_near)
    many, tokens = 0, TOKENS
    for line, _ in items:
        tokens -= count(line) + 2
        if many and tokens < 0:
            break
        many += 1
    if many:
        text = ours("Elsewhere, since this session was last spoken to ({}Z):", word(since[:16]))
        rest = ours("`holdfast sessions`")
        lines, sources = map(list, zip(*items[:many], strict=True))
        context.remarks.append(Remark(SINCE, text, items=lines, rest=rest, item_sources=sources))


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
        text = ours("The user's rules that are no longer in force:")
        items = [f"{rule.text}  (withdrawn {_when(rule.at, rule.session)})" for rule in gone]
        sources = [f"turned {rule.session} {rule.at}" for rule in gone]
        context.remarks.append(Remark(RULES, text, items=items, item_sources=sources))


def _choices_changed(context: EventContext, since: str) -> list[Item]:
    """Choices that were taken back, and those that were made on this branch; a compaction is told
    the latter anyway."""
    store, session = context.store, context.event.session
    dropped = choice_queries.dropped_since(store, context.project, since, but=session)
    items = []
    for choice in dropped[-FEW:]:
        when = _when(choice.at, choice.session)
        line = f"No longer the user's choice ({when}): {inline(choice.text, TEXT_CAP)}"
        items.append((line, f"turned {choice.session} {choice.at}"))
    if context.event.body.get("source") == "compact":
        return items
    made = choice_queries.choices_since(
        store, context.project, context.branch(), since, but=session, limit=FEW
    )
    if made:
        from holdfast.rooms.prompts.telling import worded

        items += [
            (f"The user chose, in {each.session[:8]}: {worded(each)}", f"choice {each.id}")
            for each in made
        ]
    return items


def _decisions_changed(context: EventContext, since: str) -> list[Item]:
    """Decisions that an edit elsewhere has broken, and those that were made elsewhere; the last
    ones a compaction is told anyway."""
    broken = context.broken_since(since)[:FEW]
    context.told_decisions += [decision.id for decision, *_ in broken]
    items = []
    for decision, at, session in broken:
        words = f"BROKEN by an edit ({_when(at, session)}), do not rely on it:"
        items.append((f"{words} {inline(decision.text, TEXT_CAP)}", f"decision {decision.id}"))
    if context.event.body.get("source") == "compact":
        return items
    for decision, standing in context.decisions_since(since, FEW):
        if decision.id not in context.told_decisions:
            made = f"decided {_when(decision.at, decision.session)}"
            if decision.source == "file":
                made = f"edited in NOTES.md, {decision.at[:10]}"
            line = f"{inline(decision.text, TEXT_CAP)}  ({standing}; {made})"
            items.append((line, f"decision {decision.id}"))
    return items


def _work_done(context: EventContext, since: str, *, is_near: bool) -> list[Item]:
    """A line for each session that committed, merged or ended. With `is_near` only for those that
    committed on this branch."""
    branch = context.branch()
    commits: dict[str, list[CommitMade]] = {}
    own = context.event.session
    for commit in queries.commits_since(
        context.store, context.project, since, but=own, limit=LOOKED_AT
    ):
        if not is_near or commit.branch == branch:
            commits.setdefault(commit.session, []).append(commit)
    others = [] if is_near else context.others_since(since)
    sessions = {session.id: session for session in others}
    lines = [
        (_session_line(context, id_, sessions.get(id_), commits.get(id_, []), since), id_)
        for id_ in dict.fromkeys((*commits, *sessions))
    ]
    lines = sorted((line for line in lines if line[0]), reverse=True)[:SESSIONS]
    return [(line, f"session {id_}") for line, id_ in lines]


def _session_line(
    context: EventContext,
    id_: str,
    session: SessionElsewhere | None,
    commits: list[CommitMade],
    since: str,
) -> str:
    """`2026-03-01 12:30Z 1a2b3c4d ended, its goal "..."; commits ...; merged #12`"""
    store = context.store
    ended = session.ended_at if session is not None and session.ended_at > since else ""
    branches = [commit.branch for commit in commits]
    merged = queries.merged_since(store, context.project, id_, since, branches)
    is_here = session is not None and session.worktree == context.worktree
    changed = work_queries.count_changed(store, id_) if ended and is_here else 0
    if not (commits or merged or changed):
        return ""
    parts = []
    if ended and session is not None:
        parts.append("crashed" if session.has_crashed else "ended")
    goal = prompt_queries.goal_left(store, id_)
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
