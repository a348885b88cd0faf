"""Before the context goes: checkpoints, what the summariser is told, and the handoff as files."""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts.attribution import author_of, goal_title
from holdfast.rooms.work import handoff, queries as work_queries, run_output, start_view, summary
from holdfast.rooms.work.start_view import all_struck, struck
from holdfast.system import files, git, jsontext, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.config.settings import Settings
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.prompts.queries import GivenRule
    from holdfast.rooms.work.summary import Summary
    from holdfast.store.sqlite import Store


COMMITTED = 200  # files
UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


def close(context: EventContext) -> None:
    """A checkpoint, and instructions for the summariser."""
    from holdfast.rooms.work.written_rules import not_written

    state = _draw(context)
    checkpoint(context, "compact", state)
    context.marker = "PRE_COMPACT"
    context.remarks += start_view.rules(state.changed(rules=not_written(context, state.rules)))
    context.remarks += start_view.goal(state)
    context.remarks += start_view.work(state)
    context.remarks += start_view.list_before(state)
    if context.settings["briefing.preamble"]:
        context.remarks += start_view.queue(state)
    context.remarks += start_view.helpers(state, context.worktree)
    context.remarks += start_view.pins(state)
    context.remarks += start_view.files(state)


def checkpoint(context: EventContext, cause: str, state: Summary | None = None) -> None:
    """Where the ledger stands, and tier 1 as it is now."""
    body = summary.checkpoint_of(state or _draw(context), cause, context.gates_state())
    context.keep("checkpoint_taken", body, key=f"checkpoint:{context.event.key}")
    context.checkpoint_cause = cause


def given(store: Store, state: Summary, session: dict[str, Any], *, now: str) -> dict[str, Any]:
    """The handoff of a session's state as data, with where each text came from."""
    last = work_queries.last_checkpoint(store, state.project, session["id"])
    withdrawn = state.withdrawn
    blockers = [
        {
            "type": "command",
            "details": command.command,
            "says": "; ".join(run_output.telling_lines(command.says)),
        }
        for command in state.failing[:3]
    ]
    handed_off = state.handoff
    blockers = [
        *(
            {"type": "told", "details": text}
            for text in all_struck(handed_off.blockers if handed_off else [], withdrawn)
        ),
        *blockers,
    ]
    return {
        "schema_version": 1,
        "prepared_at": now,
        "session_id": session["id"],
        "project": session["worktree"].rpartition("/")[2],
        "branch": session["branch"],
        "goal": struck(state.goal.goal, withdrawn) if state.goal else "",
        "goal_title": goal_title(state.goal) if state.goal else "",
        "rules": _with_authors(state.rules),
        "dead_ends": _with_authors(state.dead_ends),
        "summary": struck(state.summary, withdrawn),
        "summary_source": state.summary_source,
        "next_steps": all_struck(state.next_steps, withdrawn),
        "next_steps_source": state.next_source,
        "blockers": blockers[:3],
        "questions": all_struck(handed_off.questions if handed_off else [], withdrawn),
        "pins": [
            {"label": pin.label, "content": pin.content, "author": pin.author} for pin in state.pins
        ],
        "recent_files": [*state.created, *state.edited][:5],
        "recent_commits": summary.commits(session["gitdir"]),
        "last_checkpoint": last.id if last else None,
    }


def _with_authors(rules: list[GivenRule]) -> list[dict[str, str]]:
    return [{"text": rule.text, "since": rule.at, "author": author_of(rule)} for rule in rules]


def render(context: EventContext) -> None:
    """<git common dir>/holdfast/handoffs/<session>.json and .md; what cannot be written is left."""
    session = context.session()
    if session is None:
        return
    state = _draw(context)
    context.mirrored[state.session] = mirrored(
        context.store, state, context.worktree, context.settings
    )
    context.active = summary.active(context.store, state)
    if not context.gitdir or not state.activity.prompts:
        return  # nothing was asked for: there is nothing to hand off
    document = given(context.store, state, session, now=context.event.at)
    ours = paths.project_folder(context.common())
    try:
        folder = files.own_folder(f"{ours}/handoffs", within=ours)
        name = f"{folder}/{paths.as_name(session['id'])}"
        files.write_whole(f"{name}.json", f"{jsontext.dumps(document)}\n".encode())
        files.write_whole(f"{name}.md", handoff.markdown(document).encode())
    except (OSError, StoreError):
        pass  # somebody else's repository, or no space: the store has it all


def mirror_crashed(context: EventContext) -> None:
    """What the mirrors of sessions show that were found crashed: nothing rendered their end."""
    for session in context.crashed_sessions():
        state = summary.draw(
            context.store,
            session.project,
            session.id,
            now=context.event.at,
            branch=session.branch,
        )
        settings = context.workspace.settings(session.worktree)
        context.mirrored[session.id] = mirrored(context.store, state, session.worktree, settings)


def mirrored(store: Store, state: Summary, root: str, settings: Settings) -> dict[str, Any]:
    """What the session's mirror shows of it, in the mirror's own fields."""
    return {
        "working_memory": [
            {"content": pin.content, "pinnedAt": pin.at, "label": pin.label}
            for pin in state.pins
            if pin.session == state.session  # others' are theirs to be forgotten
        ],
        "hot_topics": state.topics,
        "pending_tasks": [task.as_dict() for task in summary.pending(root, settings, state)],
        "recent_learnings": [
            learning.id for learning in state.learnings if learning.session == state.session
        ],
        "restored_from": [
            origin.as_dict() for origin in work_queries.inheritances(store, state.session)
        ],
        "tool_counts": work_queries.tools(store, state.session),
    }


def commit(context: EventContext) -> None:
    """Commit the files that this session itself changed, when the project asks for it."""
    root, settings = context.worktree, context.settings
    if not settings["close.commit"] or not context.gitdir or context.event.kind != "turn_ended":
        return
    if any(files.exists(f"{context.gitdir}/{name}") for name in UNDER_WAY):
        return  # a merge or a rebase is somebody's own to finish
    touched = [
        path for path, _ in work_queries.changed(context.store, context.event.session, COMMITTED)
    ]
    ours = [path for path in touched if not path.startswith("/")]
    if not ours:
        return
    asked = ("ls-files", "--modified", "--others", "--exclude-standard", "--", *ours)
    changed = git.said(root, *asked).splitlines()
    if not changed:
        return
    goal = prompt_queries.goal_of(context.store, context.event.session)
    subject = " ".join((goal.goal if goal else "").split())[:72] or "Changes of a session"
    git.act(root, "add", "--", *changed)
    message = f"{subject}\n\nKept by Holdfast at the end of a turn (close.commit)."
    git.act(root, "commit", "-q", "-m", message, "--", *changed, limit_s=10.0)


def _draw(context: EventContext) -> Summary:
    return summary.draw(
        context.store,
        context.project,
        context.event.session,
        now=context.event.at,
        branch=context.branch(),
    )
