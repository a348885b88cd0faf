"""What a session would be told that began here now: for the person who looks, and for agents that
only read files.

The event runs through its row of the table, as a real beginning does, in a transaction that is
taken back. Laws: nothing of it is kept, no file is rendered after it, and what a person changed in
the notes is left for a real session to take in.
"""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.hook import briefing
from holdfast.hook.briefing import Paragraph
from holdfast.hook.event import Event
from holdfast.hook.event_context import EventContext
from holdfast.hook.record import own_news
from holdfast.hook.transaction import look, receive, voice_of
from holdfast.hook.voice import Ours, ours
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.recovery.handlers import read_notes
from holdfast.store.sqlite import Store, Trial
from holdfast.system import clock, environment, paths
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body

TITLE = "# Where the work stands"
NOTHING = "No session has left anything here yet."


class TrialStore(Store):
    """A store in which every transaction is taken back."""

    def transaction(self) -> Trial:
        return Trial(self._db, lambda: None)


class TrialWorkspace(Workspace):
    """What is known, to be worked on without a trace."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.store = TrialStore(paths.store(state))
        self._stale: list[str] | None = None
        self._session = ("", "")
        self.lost = 0
        self.mended: tuple[str, ...] = ()
        self.link: Body | None = None

    def keep(self, kind: str, body: Body, **rest: Any) -> Entry | None:
        if kind == "thread_linked":
            self.link = body
        return super().keep(kind, body, **rest)


class Preview(Value):
    """What would be said: the heading, what follows it part by part, and to which thread the
    session would be linked, and why."""

    heading: Ours
    parts: list[Paragraph]
    link: Body | None

    def text(self) -> str:
        """Word for word; "" where nothing would be said."""
        whole = [self.heading, *(part.text for part in self.parts)]
        return "\n\n".join(whole) if self.parts else ""


def next_start(state: str, root: str) -> Preview:
    """What a session would be told that began in a folder now, as it would be told it."""
    context = _tried(state, root)
    voice = voice_of(context)
    parts = briefing.paragraphs(context.remarks, **voice)
    return Preview(voice["heading"], parts, context.workspace.link)


def briefing_here(state: str, root: str) -> Ours:
    """The same for who is no session: without the mark of a session's phase. "" when there is
    nothing to say."""
    context = _tried(state, root)
    tokens = context.settings["briefing.start_tokens"]
    return briefing.compose(context.remarks, tokens, heading=ours(briefing.HEADING))


def _tried(state: str, root: str) -> EventContext:
    """A beginning, as far as its answer."""
    event = Event(
        agent=surroundings.AGENTS[0].NAME,
        kind="session_began",
        session=f"preview-{environment.system.urandom(8).hex()}",
        key="preview",
        at=clock.now(),
        cwd=root,
        body={"source": "startup", "model": ""},
        pid=environment.system.getpid(),
    )
    steps = look(event)
    steps.outside = tuple(step for step in steps.outside if step is not read_notes)
    workspace = TrialWorkspace(state)
    try:
        return receive(workspace, event, own_news(workspace, event)[0], steps=steps)
    finally:
        workspace.store.close()
