"""What happens to sessions: they begin, are linked, crash, end, and are told of.

Facts of git, /proc and the clock are taken here and lie in the entries' bodies; nothing is ever
guessed again. `before_session_start` runs before the store is opened, `after_commit` and
`mirror_others` after the commit, everything else inside the event's transaction.
"""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.hook.event import CRASH, Remark
from holdfast.hook.voice import known, named, ours, word
from holdfast.rooms.sessions import liveness, project, queries, work_tree
from holdfast.rooms.sessions.life import SAME_LIFE, short
from holdfast.system import clock, environment, processes
from holdfast.system.jsontext import plain

LATELY = 10  # sessions of a project among which the process of a new one is looked for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event import Event
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.sessions.queries import Session
    from holdfast.rooms.sessions.work_tree import Whereabouts
    from holdfast.store.sqlite import Store


def before_session_start(event: Event) -> None:
    """Take the facts of a beginning before anything is opened: it may have to wait."""
    from holdfast.rooms.sessions import hook_chain

    event.body.update(facts_of(event))
    hook_chain.look_above(event)


def facts_of(event: Event) -> Body:
    where = work_tree.look(_folder_of(event))
    return {
        "cwd": event.cwd,
        # As the ledger will hold them: they are asked for by the same names later.
        "worktree": plain(where.root),
        "gitdir": plain(where.gitdir),
        "branch": plain(where.branch),
        "channel": surroundings.channel(),
        "transcript": event.transcript,
        "pid": event.pid,
        "process_started": processes.process_started(event.pid),
        "boot": processes.boot(),
        "host": processes.host(),
        "namespace": processes.namespace(),
    }


def on_session_start(context: EventContext) -> None:
    """One of the five beginnings: register the session and link it to the one before."""
    event = context.event
    source = event.body["source"]
    where = context.where or _where(event.body["worktree"], event.body["gitdir"])
    context.project = resolve_project(context, where)
    _judge_start(context)
    # A session may begin anew after each end; the same beginning told twice is kept once.
    key = f"{event.key}:{queries.endings(context.store, event.session)}"
    context.kept = context.keep("session_began", event.body, key=key)
    if context.kept is not None and source not in (*SAME_LIFE, "resume"):
        link(context, source)


def _judge_start(context: EventContext) -> None:
    """How the hook hangs below the agent: what later events of that process are measured by."""
    from holdfast.rooms.sessions import hook_chain

    body, store = context.event.body, context.store
    chain = body.pop(hook_chain.CHAIN, [])
    lately = [*reversed(queries.of_project(store, context.project, LATELY))]
    others = [*lately, *queries.still_open(store)]
    others = [each for each in others if each.id != context.event.session]
    hook = hook_chain.of_start(store, chain, body["pid"], body["process_started"], others)
    if hook:
        body["hook"] = hook


def mark_crashed(context: EventContext) -> None:
    """End every open session whose process is gone, at its last activity."""
    event = context.event
    here = _process(event.body)
    for session in queries.still_open(context.store):
        process, key = _process_of(session), _end_key(context, session.id)
        if process.is_same(here):
            # One process, one session at a time: it went on with another and did not say so.
            if session.id != event.session and event.body["source"] not in ("startup", *SAME_LIFE):
                context.keep_for(session, "session_ended", {"reason": "replaced"}, key=key)
        elif _standing(context, session, process, here) == liveness.GONE:
            body = {"last_active_at": session.last_active_at, "found_by": event.session}
            context.keep_for(session, "session_crashed", body, key=key)
            context.recovered.append(session.id)
    if context.recovered:
        environment.bring("crashed")


def link(context: EventContext, source: str) -> None:
    """Who came before. A fork's parent is told by its transcript, which is not there yet."""
    event = context.event
    if source == "fork":
        return
    before, how = _cleared_by(context) if source == "clear" else None, "cleared"
    if before is None:
        branch = event.body["branch"]
        before = queries.latest_ended(context.store, context.project, branch, but=event.session)
        how = "followed"
    if before is not None:
        context.keep("session_linked", {"previous": before.id, "how": how}, key="linked")


def adopt(context: EventContext) -> None:
    """An event of a session whose beginning nobody told us: installed mid-session, or lost."""
    body = {"source": "adopted", **(context.adopted or {})}
    context.project = resolve_project(context, _where(body["worktree"], body["gitdir"]))
    context.worktree, context.gitdir = body["worktree"], body["gitdir"]
    # Adopted once, and once more after each time that something of it was forgotten.
    times = queries.keys_like(context.store, context.event.session, "forgotten")
    context.keep("session_began", body, key=f"began:adopted:{times}" if times else "began:adopted")


def link_fork(context: EventContext) -> None:
    """Find a fork's parent by the rows its transcript shares with others', once."""
    session = queries.find(context.store, context.event.session)
    if session is None or session.source != "fork":
        return
    if queries.previous_of(context.store, session.id) is not None:
        return
    from holdfast.rooms.sessions.fork_parent import parent_of

    has_ended = context.event.kind == "session_ended"
    others = queries.of_project(context.store, session.project, 1_000)
    parent = parent_of(session, others, is_whole=has_ended)
    if parent or has_ended:
        link_to_parent(context, parent)
        context.forked = (parent, session.begun) if parent else None


def link_to_parent(context: EventContext, parent: str) -> None:
    context.keep("session_linked", {"previous": parent, "how": "forked"}, key="linked")


def on_session_end(context: EventContext) -> None:
    event = context.event
    context.kept = context.keep("session_ended", event.body, key=_end_key(context, event.session))


def announce_crash(context: EventContext) -> None:
    """The crash notice: that the session before, or this one itself, was cut off."""
    if context.kept is None:
        return
    event = context.event
    own = event.body["source"] == "resume"
    session_id = event.session if own else context.previous()
    session = queries.find(context.store, session_id) if session_id else None
    if session is None:
        return
    # A session that was resumed is open again: what was found just now tells.
    has_crashed = session_id in context.recovered if own else session.end_reason == "crashed"
    if not has_crashed:
        return
    context.crashed = session.id
    which = ours("The session before this one ({})", word(short(session.id)))
    text = ours(
        "{}{} did not end: it crashed, and was last active at {}.",
        ours("This session") if own else which,
        ours(" on branch {}", named(session.branch)) if session.branch else ours(""),
        word(session.last_active_at),
    )
    context.remarks.append(Remark(CRASH, text, sources=[f"session {session.id}"]))


def after_commit(context: EventContext) -> None:
    """After the commit: the project's id beside its repository, and the mirrors."""
    from holdfast.rooms.sessions import registry_file

    try:
        registry_file.render_registry(context.workspace)
    except TimeoutError:  # many hooks at once
        registry_file.mark_due(context.state)
    session = queries.find(context.store, context.event.session)
    if session is not None and context.kept is not None:
        _brief(context, session)
    if session is not None and session.gitdir:
        common = work_tree.common_of(session.gitdir)
        if context.is_id_wrong or not work_tree.id_on_file(common):
            project.write(common, session.project)
        if context.event.kind != "session_began":
            more = context.mirrored.get(session.id, {})
            registry_file.render_session(context.store, session, common, more)


def mirror_others(context: EventContext) -> None:
    """After a beginning's commit: the mirrors of sessions that were found crashed, and of the one
    that this one follows."""
    from holdfast.rooms.sessions import registry_file

    if context.kept is None:
        return
    others = {*context.recovered, context.previous()} - {"", context.event.session}
    for id_ in sorted(others):
        other = queries.find(context.store, id_)
        if other is not None:
            registry_file.render_again(context.store, other, context.mirrored.get(id_))


def _brief(context: EventContext, session: Session) -> None:
    """The brief file: identity's brief, and what else a status line tells."""
    from holdfast.hook import brief_file

    if session.ended_at is not None:
        brief_file.remove(session.id)
    elif context.kept is not None:
        facts = {**context.status_facts, brief_file.GITDIR: session.gitdir}
        brief_file.update(session.id, context.kept.seq, context.brief, facts)


def resolve_project(context: EventContext, where: Whereabouts) -> str:
    """The project of a place; what is new about it (itself, its aliases) becomes entries."""
    store = context.store
    id_, wrong = project.of_place(store, where)
    if wrong:
        _tell_of_id(context, wrong)
    if not id_ or queries.project(store, id_) is None:
        id_ = id_ or _new_id()
        name = (where.remote or where.root).rstrip("/").rpartition("/")[2] or "/"
        times = queries.keys_like(store, "", f"met:{id_}")
        body = {"name": name, "root": where.root}
        context.note("project_met", body, key=f"met:{id_}:{times}", project=id_)
    elif (
        where.common
        and not where.root_commit
        and not queries.has_alias(store, id_, project.ROOT_COMMIT)
    ):
        where.root_commit = work_tree.root_commit_of(where)
    for sort, value in (
        (project.REMOTE, where.remote),
        (project.ROOT_COMMIT, where.root_commit),
        (project.PATH, where.root),
    ):
        if value and not queries.is_alias(store, id_, sort, value):
            # Not the value: a header is there for good, and a path or a remote may be forgotten.
            times = queries.keys_like(store, "", f"alias:{id_}")
            body = {"sort": sort, "value": value}
            context.note("project_aliased", body, key=f"alias:{id_}:{times}", project=id_)
    return id_


def _tell_of_id(context: EventContext, wrong: str) -> None:
    """One line, to the person and to the doctor; the file is written anew after the commit."""
    from holdfast.ledger import faults

    context.is_id_wrong = True
    line = f"the project's id beside the repository {wrong}: it stays the project it was"
    faults.note(context.state, "project id", "project.py", line)
    what = known(wrong, (project.DAMAGED, project.CHANGED))
    context.for_person.append(
        ours("The project's id beside the repository {}: it stays the project it was.", what)
    )


def known_project(store: Store, root: str, gitdir: str) -> str:
    """The project of a place, as far as it is known; "" when it is not."""
    if gitdir:
        return project.of_place(store, _where(root, gitdir))[0]
    return next(iter(queries.projects_with(store, project.PATH, root)), "")


def _folder_of(event: Event) -> str:
    # The folder the agent was started in: `cd` inside a session does not make another project.
    return surroundings.project_folder() or event.cwd or environment.env("PWD") or "/"


def _where(worktree: str, gitdir: str) -> Whereabouts:
    return work_tree.Whereabouts(worktree, gitdir, work_tree.common_of(gitdir) if gitdir else "")


def _standing(
    context: EventContext, session: Session, process: liveness.Process, here: liveness.Process
) -> str:
    now, last = clock.seconds_of(context.event.at), clock.seconds_of(session.last_active_at)
    return liveness.standing(
        process,
        here,
        started_now=processes.process_started(session.pid),
        silent_s=now - last,
        silence_limit_s=context.settings["sessions.silence_hours"] * 3600.0,
    )


def _process(body: Body) -> liveness.Process:
    return liveness.Process(
        body["pid"], body["process_started"], body["boot"], body["host"], body["namespace"]
    )


def _process_of(session: Session) -> liveness.Process:
    return liveness.Process(
        session.pid, session.process_started, session.boot, session.host, session.namespace
    )


def _cleared_by(context: EventContext) -> Session | None:
    """The session that the same process ran before `/clear`."""
    here = _process(context.event.body)
    same = [
        session
        for session in queries.of_project(context.store, context.project, 20)
        if session.id != context.event.session and _process_of(session).is_same(here)
    ]
    return max(same, key=lambda session: session.active, default=None)


def _end_key(context: EventContext, session: str) -> str:
    # A session may end as often as it began, and each end is told once.
    return f"ended:{queries.beginnings(context.store, session)}"


def _new_id() -> str:
    import time

    return f"{int(time.time() * 1000):012x}{environment.system.urandom(6).hex()}"
