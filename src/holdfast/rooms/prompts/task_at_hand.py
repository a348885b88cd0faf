"""Whether a session is still at a task that something was agreed on for.

Laws: only the user gives another task; one that carries the thread on is the same; words that say
the same are the same task, whichever thread they stand in; what was agreed on before there was a
task holds for the first that comes.
"""

from __future__ import annotations

from holdfast.rooms.prompts.queries import first_thread, goal_of, thread_of
from holdfast.rooms.prompts.similarity import is_same_task, keywords

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.store.sqlite import Store


def is_at(store: Store, session: str, thread: str, words: str) -> bool:
    """`thread` is the task that was meant, "" for the first that comes; `words` say what it is."""
    if (thread or first_thread(store, session)) in ("", thread_of(store, session)):
        return True
    goal = goal_of(store, session)
    return goal is None or is_same_task(keywords(words), goal.goal)


def of(store: Store, session: str) -> str:
    """The thread of a session's task; "" before it was given one."""
    return thread_of(store, session) if goal_of(store, session) else ""
