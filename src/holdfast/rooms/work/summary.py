"""The summary: what is known of a session's work, gathered once and told in several views.

Briefing, instructions for the summariser, checkpoint, handoff and the commands all read this one
value; none of them collects by itself.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.tracker import beads
from holdfast.rooms.work import (
    budget,
    checkpoint,
    command_queries,
    found_work,
    handoff,
    open_failures,
    open_tasks,
    other_tools,
    pins as work_pins,
    projection,
    queries as work_queries,
    topics,
)
from holdfast.rooms.work.found_work import WorkItem
from holdfast.rooms.work.last_words import without_commits
from holdfast.system import clock, files, jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.settings import Settings
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.prompts.queries import GivenRule, Goal
    from holdfast.rooms.work.command_queries import Command
    from holdfast.rooms.work.open_failures import OpenFailure
    from holdfast.rooms.work.open_tasks import OpenTask
    from holdfast.rooms.work.queries import Activity, Handoff, Learning, Pin, Task
    from holdfast.store.sqlite import Store

    Rules = list[GivenRule]

STATE_CAP_BYTES = 1 << 20
LEARNINGS = 3
COMMITS = 5
INHERITED_TODOS = 5  # of a list that was made in an earlier session


class InheritedList(Value):
    """What an earlier session left on its list, which nobody has gone on with by a list since."""

    session: str
    todos: list[Task]


class Summary(Value):
    """What is known of one session's work, and of the rules and pins of its project."""

    project: str
    session: str
    activity: Activity
    goal: Goal | None
    rules: list[GivenRule]
    dead_ends: list[GivenRule]
    withdrawn: list[str]  # texts that nothing which is quoted may bring back
    created: list[str]
    edited: list[str]
    read: list[str]
    failing: list[OpenFailure]
    last_command: Command | None
    todos: list[Task]
    list_before: InheritedList | None  # of another session, where this one made none
    pins: list[Pin]
    handoff: Handoff | None
    next_steps: list[str]
    next_source: str
    summary: str
    summary_source: str
    topics: list[str]
    helpers: list[tuple[str, str]]
    learnings: list[Learning]
    queue: list[WorkItem]
    phase: str


def draw(
    store: Store, project: str, session: str, *, now: str, branch: str = "", is_dirty: bool = False
) -> Summary:
    """Everything that a view may want to tell of one session; `branch` is checked out now, and a
    session `is_dirty` of whose files some are not committed."""
    done = work_queries.activity(store, session) or work_queries.NO_ACTIVITY
    caps = checkpoint.CAPS
    rules, dead_ends = in_force(store, project, session, branch)
    failing = open_failures.of_session(store, project, session, now, is_dirty=is_dirty)
    todos = open_todos(store, session)
    given = work_queries.last_handoff(store, session)
    if work_queries.is_commit_refused(store, session):
        done = done.changed(
            last_message=without_commits(done.last_message),
            message_before=without_commits(done.message_before),
            summary=without_commits(done.summary),
        )
        given = given.changed(summary=without_commits(given.summary)) if given else None
    steps, steps_source = handoff.next_steps(given, todos, done.last_message, done.summary)
    text, text_source = handoff.summary(given, _last_words(done), done.summary)
    is_measured = done.tokens and done.window
    return Summary(
        project=project,
        session=session,
        activity=done,
        goal=prompt_queries.goal_of(store, session),
        rules=rules,
        dead_ends=dead_ends,
        withdrawn=prompt_queries.withdrawn_texts(store, project),
        created=work_queries.files(store, session, "created", caps["files_created"]),
        edited=work_queries.files(store, session, "edited", caps["files_edited"]),
        read=work_queries.files(store, session, "read", caps["files_read"]),
        failing=failing,
        last_command=command_queries.last_command(store, session),
        todos=todos,
        list_before=list_before(store, session),
        pins=pins(store, project, session),
        handoff=given,
        next_steps=steps,
        next_source=steps_source,
        summary=text,
        summary_source=text_source,
        topics=work_queries.topics(store, session, topics.TOP),
        helpers=work_queries.helpers(store, session),
        learnings=work_queries.learnings(store, project, LEARNINGS),
        queue=_queue(store, session, failing, now),
        phase=budget.phase(done.tokens, done.window) if is_measured else budget.VERBOSE,
    )


def open_todos(store: Store, session: str) -> list[Task]:
    """What is left on the list that the agent made in a session."""
    tasks = work_queries.tasks(store, session)
    return [task for task in tasks if task.stage in open_tasks.TODO_STAGES]


def list_before(store: Store, session: str) -> InheritedList | None:
    """The list that a session took over; one of its own takes its place."""
    source = work_queries.list_of(store, session)
    todos = open_todos(store, source) if source not in ("", session) else []
    return InheritedList(source, todos) if todos else None


def _last_words(done: Activity) -> str:
    """The agent's last message; a short one says little without the one before it."""
    message, before = done.last_message, done.message_before
    if not message or not before or len(message) >= projection.SUBSTANTIAL:
        return message or before
    return f"{message}\n\nBefore that: {before}"


def in_force(store: Store, project: str, session: str, branch: str = "") -> tuple[Rules, Rules]:
    """The rules that hold in a session, and apart from them the dead ends."""
    held = prompt_queries.rules(store, project, session, branch)
    return (
        [rule for rule in held if rule.sort != "dead_end"],
        [rule for rule in held if rule.sort == "dead_end"],
    )


def pins(store: Store, project: str, session: str) -> list[Pin]:
    """What a session keeps in sight: its own pins and what it inherited, ten at most."""
    own = work_queries.pins(store, project, session)
    labels = {work_pins.label_of(pin.content, pin.label) for pin in own}
    inherited = [
        pin
        for pin in work_queries.inherited_pins(store, session)
        if work_pins.label_of(pin.content, pin.label) not in labels
    ]
    return work_pins.in_sight(own, inherited)


def active(store: Store, state: Summary) -> dict[str, str]:
    """Where the work stands, as notes tell it. Never the words of a prompt: notes are committed."""
    last = work_queries.last_checkpoint(store, state.project)
    is_given = state.next_source in (handoff.GIVEN, handoff.TODOS)
    return {
        "Last Checkpoint": last.at[:16] + "Z" if last else "",
        "Reasoning State": "; ".join(state.next_steps) if is_given else "",
    }


def pending(root: str, settings: Settings, state: Summary) -> list[OpenTask]:
    """Tasks that are still to do, as their sources tell it now: done ones are simply not there."""
    return open_tasks.merged(
        open_tasks.from_todos(task.as_dict() for task in state.todos),
        inherited_tasks(state),
        *outside(root, settings).values(),
        open_tasks.from_pins(state.pins),
    )


def inherited_tasks(state: Summary) -> list[OpenTask]:
    """The first of what is left on a list that was taken over."""
    todos = state.list_before.todos if state.list_before else []
    return open_tasks.from_todos(task.as_dict() for task in todos)[:INHERITED_TODOS]


def outside(root: str, settings: Settings) -> dict[str, list[OpenTask]]:
    """Tasks in files of the project: its tracker's, and the state of its pipeline."""
    tasks: dict[str, list[OpenTask]] = {}
    if not root:
        return tasks
    path = settings["tasks.state_file"]
    text = files.read_text(f"{root}/{path}", STATE_CAP_BYTES) if path else None
    if text is not None:
        try:
            tasks["state"] = open_tasks.from_state(jsontext.loads(text))
        except ValueError:
            pass  # half written, or somebody else's: the other sources will do
    issues = beads.read(root)
    if issues is not None:
        tasks["beads"] = open_tasks.from_issues(issues)
    return tasks


def commits(gitdir: str) -> list[str]:
    """Subjects of the latest commits, newest first, from git's own log of HEAD."""
    tail = files.read_bytes(f"{gitdir}/logs/HEAD", 1 << 14, tail=True) if gitdir else None
    subjects: list[str] = []
    for line in reversed((tail or b"").decode("utf-8", "replace").splitlines()):
        what, _, subject = line.partition("\t")[2].partition(": ")
        if what.startswith("commit") and subject and subject not in subjects:
            subjects.append(subject)
        if len(subjects) == COMMITS:
            break
    return subjects


def checkpoint_of(state: Summary, cause: str, of_gates: Body) -> Body:
    """The body of a checkpoint: tier 1 as it is now, with what gates keep of it; where the ledger
    stands its header says."""
    return {
        "cause": cause,
        "schema": checkpoint.VERSION,
        "tokens": state.activity.tokens or 0,
        "phase": state.phase,
        "tier1": {**tier1(state), **of_gates},
    }


def tier1(state: Summary) -> Body:
    """What a checkpoint keeps. Texts of the goal, of rules and pins are named by their ids: what
    is forgotten where it was said is forgotten here."""
    goal = state.goal
    states = dict(state.helpers)
    pointers = [value for name, value in sorted(states.items()) if name != other_tools.SERENA]
    return {
        "session_id": state.session,
        "original_goal": goal.id if goal else "",
        "goal_keywords": goal.keywords if goal and goal.session == state.session else [],
        "constraints": [rule.id for rule in (*state.rules, *state.dead_ends)],
        "pins": [pin.id for pin in state.pins],
        "todos": _list_in_force(state),
        "serena_activated": other_tools.SERENA in states,
        "serena_project": states.get(other_tools.SERENA, ""),
        "pal_continuation_id": pointers[0] if pointers else "",
        "files_created": state.created,
        "files_edited": state.edited,
        "errors_unresolved": [command.command for command in state.failing],
    }


def _list_in_force(state: Summary) -> str:
    """Whose list has something left to do."""
    if state.todos:
        return state.session
    return state.list_before.session if state.list_before else ""


def _queue(store: Store, session: str, failing: list[OpenFailure], now: str) -> list[WorkItem]:
    items = []
    for check in failing:
        sort, priority = found_work.judge_error(check.command, check.says)
        items.append(_item(sort, priority, f"`{check.command}` fails", check.at, now))
    for work in work_queries.found_work(store, session, found_work.CONSIDERED):
        priority = found_work.PRIORITIES[work.sort]
        items.append(_item(work.sort, priority, work.description, work.at, now))
    return found_work.ordered(items)


def _item(sort: str, priority: int, description: str, at: str, now: str) -> WorkItem:
    hours = max(0.0, (clock.seconds_of(now) - clock.seconds_of(at)) / 3600)
    return WorkItem(sort, description, priority, at, hours)
