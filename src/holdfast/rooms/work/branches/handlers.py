"""What events do here: outputs are read, and a branch is looked at when a turn ends.

`take_stock` runs outside of the transaction, for git may take its time; it never raises for what
git prints. `keep_stock` keeps what it saw.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.work.branches.work_seen import Seen

LIMIT_S = 1.0
JUST_NOW_S = 600


def on_tool_used(context: EventContext) -> None:
    """What the output of a command shows of pull requests, checks, reviews, commits."""
    body = context.event.body
    command = body.get("command", "")
    if context.kept is None or context.unverified:
        return
    output = body.get("output") or body.get("error") or ""
    has_address = "/pull/" in output or "/merge_requests/" in output
    if not (has_address or "git" in command or "gh" in command or "glab" in command):
        return
    from holdfast.rooms.work.branches import tool_questions

    if not (has_address or tool_questions.may_ask(command)):
        return
    from holdfast.rooms.work.branches import pull_requests

    branch = context.branch()
    seen = pull_requests.read(command, output, branch, ok=body["ok"], home=context.worktree)
    seen = _of_this_project(context, seen)
    if body["ok"] and not seen.commits:
        seen = _with_silent_commit(context, command, branch, seen)
    if not seen.is_empty():
        shown = {"branch": branch, **seen.body()}
        context.keep("work_seen", shown, key=context.consequence("work_seen"))
        if seen.pull_requests:
            from holdfast.rooms.work import status_facts

            status_facts.gather_pull_request(context)


def _of_this_project(context: EventContext, seen: Seen) -> Seen:
    """Without other repositories: they are known by the names of the remotes."""
    if not context.gitdir or not any(sight.repo for sight in seen.pull_requests):
        return seen
    from holdfast.rooms.work.branches import branch_state

    names = branch_state.remotes(branch_state.shared_folder(context.gitdir))
    if not names:
        return seen
    ours = [
        sight
        for sight in seen.pull_requests
        if not sight.repo or sight.repo.rpartition("/")[2].lower() in names
    ]
    if len(ours) == len(seen.pull_requests):
        return seen
    return seen.changed(pull_requests=ours, comments=[], checks=[])


def _with_silent_commit(context: EventContext, command: str, branch: str, seen: Seen) -> Seen:
    """`git commit -q` prints nothing: git's own log of HEAD has just been written."""
    from holdfast.rooms.work.branches import branch_state, tool_questions
    from holdfast.rooms.work.branches.work_seen import TITLE_CAP, Commit
    from holdfast.system import clock

    if not any(each.verb == "commit" for each in tool_questions.asked(command, context.worktree)):
        return seen
    sha, subject, at = branch_state.last_commit(context.gitdir)
    if not sha or abs(clock.seconds_of(context.event.at) - at) > JUST_NOW_S:
        return seen
    return seen.changed(commits=[Commit(sha=sha[:9], subject=subject[:TITLE_CAP], branch=branch)])


def take_stock(context: EventContext) -> None:
    """Look at the branch, when a tool was used since the last look."""
    if context.is_late or not context.gitdir:
        return
    from holdfast.rooms.work import queries as work_queries
    from holdfast.rooms.work.branches import branch_state, queries

    session = context.event.session
    done = work_queries.activity(context.store, session)
    if done is None or done.tools <= queries.tools_at_last_look(context.store, session):
        return
    context.branch_state = branch_state.look(
        context.worktree, context.gitdir, context.branch(), LIMIT_S
    )


def keep_stock(context: EventContext) -> None:
    state = context.branch_state
    if context.kept is not None and state is not None:
        context.keep("branch_seen", state.body(), key=context.consequence("branch_seen"))
