"""How a thread stands: open, done or resting, and by which fact.

Laws: what a person said of it wins, until something is asked in it again; then what can be seen
(files, checks, lists, the pull request), then what the agent's last message asks or announces; a
session whose prompt was never answered is open; what has rested for RESTING_DAYS is resting.
Nothing is kept: it is how it stands when it is looked at.
"""

from __future__ import annotations

from holdfast.rooms.threads import queries
from holdfast.rooms.work import handoff, open_failures, open_tasks, queries as work_queries
from holdfast.rooms.work.branches import queries as branch_queries, work_seen
from holdfast.system import clock
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.rooms.threads.queries import ThreadSession
    from holdfast.store.sqlite import Store

OPEN, DONE, RESTING = "open", "done", "resting"
RESTING_DAYS = 14
END = 240  # characters of a message in which it says what is left
# What an agent says that waits for an answer, or has not finished.
LEFT = (
    *("would you like", "want me to", "shall i", "should i", "do you want", "let me know"),
    *("ready to commit", "ready for review", "ready to merge", "next step", "remaining"),
    *("still need", "still fail", "not yet", "once you", "which option", "which approach"),
    *("waiting for", "please run", "please test", "please try", "please check", "let me ", "now i"),
    *("i'll now", "i'll start", "i'll begin", "i will now"),
)


class State(Value):
    """How a thread stands, and why."""

    name: str
    why: str


def of(
    store: Store,
    project: str,
    last: ThreadSession,
    *,
    now: str,
    dirty: Collection[str] = (),
) -> State:
    """`last` is the session by which it is judged; `dirty` files are not committed."""
    turn = turn_of(store, last.thread)
    if turn and turn[0] == "closed":
        return State(DONE, turn[1] or "closed by hand")
    state = _by_facts(store, project, last, now, dirty)
    if turn:
        return state if state.name == OPEN else State(OPEN, turn[1] or "reopened by hand")
    if state.name == OPEN and _days_since(last.at, now) > RESTING_DAYS:
        return State(RESTING, state.why)
    return state


def turn_of(store: Store, thread: str) -> tuple[str, str] | None:
    """Whether a thread was closed or reopened, and with which words, if nothing was asked in it
    since."""
    turn = queries.last_turn(store, thread, "closed", "reopened")
    if turn is None or queries.prompted_at(store, thread) > turn[2]:
        return None
    return turn[:2]


def is_sure(
    store: Store, project: str, last: ThreadSession, now: str, dirty: Collection[str]
) -> bool:
    """Whether more than its last words says that a thread is open."""
    return bool(
        turn_of(store, last.thread)
        or queries.is_cut_off(store, last.id)
        or has_open_facts(store, project, last.id, now, dirty)
    )


def _by_facts(
    store: Store, project: str, last: ThreadSession, now: str, dirty: Collection[str]
) -> State:
    request = branch_queries.pull_request_of(store, project, last.branch)
    is_own = request is not None and request.is_sure
    if request is not None and is_own and request.state == work_seen.MERGED:
        return State(DONE, f"pull request #{request.number} is merged")
    why = what_is_open(store, project, last.id, now, dirty)
    if why:
        return State(OPEN, why)
    if request is not None and is_own and request.state == work_seen.OPEN:
        return State(OPEN, f"pull request #{request.number} is open")
    return State(DONE, "nothing was left")


def what_is_open(store: Store, project: str, session: str, now: str, dirty: Collection[str]) -> str:
    """What of a session is not finished; "" where all is."""
    return has_open_facts(store, project, session, now, dirty) or what_is_left(store, session)


def has_open_facts(
    store: Store, project: str, session: str, now: str, dirty: Collection[str]
) -> str:
    """The same by what can be seen, whatever was said."""
    why = is_unfinished(store, project, session, now, dirty)
    if why:
        return why
    tasks = work_queries.tasks(store, session)
    many = sum(1 for task in tasks if task.stage in open_tasks.TODO_STAGES)
    if many:
        return f"{many} left on the agent's list"
    given = work_queries.last_handoff(store, session)
    return "a handoff says what comes next" if given and given.next_steps else ""


def is_unfinished(
    store: Store, project: str, session: str, now: str, dirty: Collection[str]
) -> str:
    """The same by files and checks, which no later session has settled; a list may just be old."""
    if dirty and work_queries.has_changed(store, session, dirty):
        return "its files are not committed"
    failing = open_failures.of_session(store, project, session, now, is_dirty=bool(dirty))
    return "a check fails" if failing else ""


def what_is_left(store: Store, session: str) -> str:
    """What the last words of a session leave open; "" for nothing."""
    done = work_queries.activity(store, session)
    if done is None:
        return ""
    message = done.last_message.rstrip()
    if not message:
        return "its last prompt was not answered" if done.prompts else ""
    end = message[-END:].lower()
    if message.endswith("?"):
        return "the agent asked something"
    if message.endswith(":") or handoff.announced(message) or any(words in end for words in LEFT):
        return "the agent named what comes next"
    return ""


def _days_since(at: str, now: str) -> float:
    return (clock.seconds_of(now) - clock.seconds_of(at)) / 86_400
