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
UNFINISHED_OF = 4  # sessions of a thread, the last
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


class Look:
    """What is open of sessions' work, as it is seen at one moment; `dirty` files are not committed.
    Each session is looked at once."""

    def __init__(self, store: Store, project: str, now: str, dirty: Collection[str] = ()) -> None:
        self.store, self.project, self.now, self.dirty = store, project, now, dirty
        self._unfinished: dict[str, str] = {}

    def state(self, last: ThreadSession) -> State:
        """Of a thread, by the session that it is judged by."""
        turn = turn_of(self.store, last.thread)
        if turn and turn[0] == "closed":
            return State(DONE, turn[1] or "closed by hand")
        state = self._by_facts(last)
        if turn:
            return state if state.name == OPEN else State(OPEN, turn[1] or "reopened by hand")
        if state.name == OPEN and _days_since(last.at, self.now) > RESTING_DAYS:
            return State(RESTING, state.why)
        return state

    def judged_by(self, sessions: list[ThreadSession], shown: str = "") -> ThreadSession:
        """The session by which a thread is told: of the last ones that which left something, else
        the one that is to be `shown`, else the last in which something was asked."""
        left = (each for each in sessions[:UNFINISHED_OF] if self.unfinished(each.id))
        meant = (each for each in sessions if each.id == shown)
        return next(left, None) or next(meant, None) or self._asked_last(sessions)

    def _asked_last(self, sessions: list[ThreadSession]) -> ThreadSession:
        asked = (each for each in sessions if queries.is_asked(self.store, each.id))
        return next(asked, sessions[0])

    def is_open(self, sessions: list[ThreadSession], *, by_words: bool) -> bool:
        """Whether a thread is to be told as open: by its last words too, which are cheap to see, or
        by facts alone."""
        last = self._asked_last(sessions)
        if by_words and what_is_left(self.store, last.id) and not self._is_done(last):
            return True
        last = self.judged_by(sessions)
        return self.state(last).name == OPEN and (by_words or self.is_sure(last))

    def _is_done(self, last: ThreadSession) -> bool:
        """Whether a person or its pull request says so, whatever is open in it."""
        turn = turn_of(self.store, last.thread)
        if turn:
            return turn[0] == "closed"
        request = branch_queries.own_pull_request(self.store, self.project, last.branch)
        return request is not None and request.state == work_seen.MERGED

    def is_sure(self, last: ThreadSession) -> bool:
        """Whether more than its last words says that a thread is open. Once a session that was told
        of it has worked on, only files and checks do: its lists may be out of date."""
        if queries.is_worked_after(self.store, last.thread):
            return bool(self.unfinished(last.id))
        return bool(
            turn_of(self.store, last.thread)
            or queries.is_cut_off(self.store, last.id)
            or self.facts(last.id)
        )

    def _by_facts(self, last: ThreadSession) -> State:
        request = branch_queries.own_pull_request(self.store, self.project, last.branch)
        if request is not None and request.state == work_seen.MERGED:
            return State(DONE, f"pull request #{request.number} is merged")
        why = self.open(last.id)
        if why:
            return State(OPEN, why)
        if request is not None and request.state == work_seen.OPEN:
            return State(OPEN, f"pull request #{request.number} is open")
        return State(DONE, "nothing was left")

    def open(self, session: str) -> str:
        """What of a session is not finished; "" where all is."""
        return self.facts(session) or what_is_left(self.store, session)

    def facts(self, session: str) -> str:
        """The same by what can be seen, whatever was said."""
        why = self.unfinished(session)
        if why:
            return why
        tasks = work_queries.tasks(self.store, session)
        many = sum(1 for task in tasks if task.stage in open_tasks.TODO_STAGES)
        if many:
            return f"{many} left on the agent's list"
        given = work_queries.last_handoff(self.store, session)
        return "a handoff says what comes next" if given and given.next_steps else ""

    def unfinished(self, session: str) -> str:
        """The same by files and checks, which no later session has settled; a list may just be
        old."""
        if session not in self._unfinished:
            self._unfinished[session] = self._see(session)
        return self._unfinished[session]

    def _see(self, session: str) -> str:
        if self.dirty and work_queries.has_changed(self.store, session, self.dirty):
            return "its files are not committed"
        failing = open_failures.of_session(
            self.store, self.project, session, self.now, is_dirty=bool(self.dirty)
        )
        return "a check fails" if failing else ""


def turn_of(store: Store, thread: str) -> tuple[str, str] | None:
    """Whether a thread was closed or reopened, and with which words, if nothing was asked in it
    since."""
    turn = queries.last_turn(store, thread, "closed", "reopened")
    if turn is None or queries.prompted_at(store, thread) > turn[2]:
        return None
    return turn[:2]


def next_steps(store: Store, session: str) -> str:
    """Whether the last words of a session name next steps in so many words."""
    done = work_queries.activity(store, session)
    return "the agent named next steps" if done and handoff.announced(done.last_message) else ""


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
