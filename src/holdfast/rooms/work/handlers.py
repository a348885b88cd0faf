"""What events do in this room: the state of the work is kept, restored and told.

Facts of git, files and the clock are taken here; whatever of them matters later lies in an entry.
Everything but `look`, `measure`, `read_instructions` and `after_commit` runs inside the event's
transaction.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.work import budget, queries as work_queries
from holdfast.system import files, paths
from holdfast.system.environment import bring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event import Event
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.prompts.queries import Goal

TAIL_BYTES = 1 << 17
KEYWORDS = 40
GIT_LIMIT_S = 0.3
CHANGED_FILES = 30
FIX_FILES = 3
FOLLOWS = {"forked": "fork", "followed": "prompt"}


# Facts, taken before anything is opened


def look(event: Event) -> None:
    """What the place itself says the work is about: branch, commits, changed files."""
    from holdfast.hook import ahead
    from holdfast.rooms.work import checkpoint, topics
    from holdfast.rooms.work.branches import branch_state
    from holdfast.rooms.work.summary import commits

    body = event.body
    if body["source"] not in checkpoint.RESTORING or not body["gitdir"]:
        return
    branch = body["branch"].replace("/", " ")
    # As it is written, and its words: nobody says "fix-retry-loop" in a sentence.
    words = topics.words(branch) + topics.words(branch.replace("-", " ").replace("_", " "))
    for subject in commits(body["gitdir"]):
        words += topics.words(subject)
    folder = ahead.folder_of(event)  # in the words in which git was asked before
    state = branch_state.glance(folder, body["gitdir"], body["branch"], GIT_LIMIT_S)
    body["git"] = state.body()
    body["files"] = state.files[:CHANGED_FILES]
    touched = [word for path in body["files"] for word in topics.words(path)]
    body["keywords"] = list(dict.fromkeys(words + touched))[:KEYWORDS]
    body["changed"] = list(dict.fromkeys(touched))[:KEYWORDS]


def measure(event: Event) -> None:
    """How full the agent's context is, as its transcript or its status line says."""
    from holdfast.hook import brief_file

    figures = brief_file.figures(event.session)
    tail = files.read_bytes(event.transcript, TAIL_BYTES, tail=True) if event.transcript else b""
    usage = budget.last_usage(tail or b"")
    tokens, model = usage or ((figures[0], "") if figures else (0, ""))
    if not tokens:
        return
    event.body["tokens"] = tokens
    event.body["window"] = budget.window(model, figures[1] if figures else 0, tokens)
    event.body["model"] = model


def read_instructions(context: EventContext) -> None:
    """What the agent reads by itself: rules and commands that stand there are not told again."""
    from holdfast.rooms.work import written_rules

    context.instructions = written_rules.read(context)


# What the user says


def on_prompt(context: EventContext) -> None:
    """What has changed since the session was last told; rooms/prompts has heard the prompt."""
    if context.kept is None or context.unverified:
        return
    from holdfast.rooms.work import updates

    updates.tell(context)


def on_first_prompt(context: EventContext) -> None:
    """Where that lies which it names. Once in a session: later the agent knows."""
    if context.kept is None or context.unverified or context.is_late:
        return
    if work_queries.count_prompts(context.store, context.event.session) != 1:
        return
    bring("first_prompt")
    from holdfast.rooms.work.places import first_prompt

    context.remarks += first_prompt.remarks(context, context.kept.body["prompt"])


# What was learnt


def learn_from_fixes(context: EventContext) -> None:
    """Commands that failed and pass now, after files were changed: fixes that were seen to work."""
    if context.kept is None:
        return
    from holdfast.rooms.work import command_queries

    store, session = context.store, context.event.session
    for fix in command_queries.mended(store, session):
        files = work_queries.changed_between(store, session, fix.failed_at, fix.at, FIX_FILES)
        if not files:
            continue
        from holdfast.rooms.work import run_output
        from holdfast.rooms.work.found_work import judge_error

        sort, _ = judge_error(fix.command, fix.failed_says)
        error = (run_output.telling_lines(fix.failed_says) or [""])[0]
        text = f"`{fix.command[:200]}` failed ({error}); it passed after {', '.join(files)}"
        key = f"fix:{fix.failed_at}:{fix.at}"
        context.keep("learnt", {"text": text, "source": "fix", "categories": [sort]}, key=key)


# Beginnings


def on_session_start(context: EventContext) -> None:
    """Restore what earlier sessions left, and say what matters of it."""
    if context.kept is None:
        return
    from holdfast.rooms.work import restoration

    restoration.restore(context)


# Compaction, the end of a turn, the end


def on_context_closing(context: EventContext) -> None:
    """Before a compaction: a checkpoint, and what the summariser must carry over."""
    if context.kept is None or "subagent" in context.event.body:
        return
    from holdfast.rooms.work import compaction

    _follow(context)
    compaction.close(context)


def checkpoint_when_due(context: EventContext) -> None:
    """After enough was said since the last one: a checkpoint, so that everything is current."""
    if context.kept is None:
        return
    done = work_queries.activity(context.store, context.event.session)
    if done is None:
        return
    if context.event.kind == "turn_ended":
        _follow(context)
    limit = context.settings["continuity.sync_tokens"]
    if limit and done.tokens - done.synced_tokens >= limit:
        bring("checkpoint")
        from holdfast.rooms.work import compaction

        compaction.checkpoint(context, "stop" if context.event.kind == "turn_ended" else "delta")


def _follow(context: EventContext) -> None:
    """A fork whose parent its transcript has told by now: its goal is the parent's, unless it was
    given another task meanwhile."""
    store, session = context.store, context.event.session
    if prompt_queries.thread_of(store, session) != session:
        return
    before, known = context.previous(), context.session()
    if not before or known is None or known["source"] != "fork":
        return
    from holdfast.rooms.prompts import understanding

    own, goal = prompt_queries.goal_of(store, session), prompt_queries.goal_left(store, before)
    if own and goal and not understanding.is_same_task(goal.keywords, own.goal):
        return
    _take_over(context, before, "forked", goal or own)


def on_thread_named(context: EventContext) -> None:
    """The goal of the work that a first prompt goes on with, where the prompt gives none."""
    before = context.goes_on_with
    if before and context.kept is not None:
        own = prompt_queries.goal_of(context.store, context.event.session)
        if own is None:
            goal = prompt_queries.goal_left(context.store, before)
            _take_over(context, before, "followed", goal)


def _take_over(context: EventContext, before: str, how: str, goal: Goal | None) -> None:
    body = {
        "how": how,
        "sessions": [{"session": before, "permille": 1000}],
        "goal": goal.id if goal else "",
        "thread": prompt_queries.thread_of(context.store, before),
        "pins": [],
        "todos": work_queries.list_of(context.store, before),
        "tasks": 0,
        "decayed": 0,
    }
    context.keep(
        "state_inherited", body, key="inherited:fork" if how == "forked" else "inherited:prompt"
    )


def on_session_end(context: EventContext) -> None:
    """At the end: what the session leaves, in figures; with `/clear` a checkpoint as well."""
    store, session = context.store, context.event.session
    todo = [task for task in work_queries.tasks(store, session) if task.stage != "completed"]
    context.event.body["captured"] = {
        "pins": len(work_queries.pins(store, context.project, session)),
        "learnings": work_queries.count_learnings(store, session),
        "tasks": len(todo),
        "files": work_queries.count_changed(store, session),
    }
    if context.event.body["reason"] == "clear":
        from holdfast.rooms.work import compaction

        compaction.checkpoint(context, "clear")


def after_commit(context: EventContext) -> None:
    """After the commit: the handoff as files for whoever comes next, and what the project asks
    for at the end of a turn."""
    if context.kept is None:
        return
    from holdfast.rooms.work import compaction

    compaction.render(context)
    compaction.commit(context)


def render_agents_file(context: EventContext) -> None:
    """After a turn or a session has ended: the block in the project's instruction file, where a
    person asked for it; by a process of its own."""
    if context.kept is None or context.is_late or not context.worktree:
        return
    if files.exists(paths.agents_file(context.state, context.worktree)):
        import sys

        from holdfast.system.processes import spawn_detached

        launcher = paths.launcher(context.state)
        errand = ("agents_file", context.worktree)
        spawn_detached([sys.executable, "-I", "-S", launcher, *errand])


def mirror_crashed(context: EventContext) -> None:
    """After a beginning's commit: what is known of the sessions that were found crashed."""
    if context.recovered:
        from holdfast.rooms.work import compaction

        compaction.mirror_crashed(context)
