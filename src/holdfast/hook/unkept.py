"""A session that begins where nothing can be written: it is told what is known all the same.

The event runs through its row of the table on a copy of the store in memory; no file is rendered
after it. The first line says that nothing is kept, and why. Of a store that cannot even be read
that line is all there is.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.hook import briefing, voice
from holdfast.hook.event import CARRY_ON, NOTICE, Answer, Remark
from holdfast.hook.transaction import receive
from holdfast.ledger.workspace import Workspace
from holdfast.store.driver import apsw
from holdfast.store.memory_copy import MemoryCopy
from holdfast.system import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.compiled import Compiled
    from holdfast.config.settings import Settings
    from holdfast.errors import SystemRefused
    from holdfast.hook.event import Event

PLACE_CAP = 400
COMPACTED = "compact"
UNREADABLE = (
    "Holdfast cannot read its store: nothing of earlier sessions is told, what happens now waits"
    " beside it, and of the requirements only protected branches and files hold."
    " `holdfast doctor` says why, `holdfast repair` mends a damaged one."
)


class ReadOnlyWorkspace(Workspace):
    """What is known, with the settings as they can be read."""

    def __init__(self, state: str) -> None:
        self.state = state
        self.store = MemoryCopy(paths.store(state))
        self._stale: list[str] | None = None
        self.lost = 0
        self.mended: tuple[str, ...] = ()

    def settings(self, root: str) -> Settings:
        try:
            return super().settings(root)
        except OSError:  # changed since they were compiled, and that cannot be written down
            from holdfast.config.compiler import cascade

            return cascade(root).values

    def requirements(self, root: str) -> Compiled:
        try:
            return super().requirements(root)
        except OSError:
            from holdfast.config.compiled import NO_REQUIREMENTS

            return NO_REQUIREMENTS


def answer(state: str, event: Event, refusal: SystemRefused) -> Answer:
    """The briefing, and that nothing is kept. Once for a session: not again after a compaction."""
    text = voice.ours(
        "{} Unless that is mended before the next restart, nothing of this session is kept. {}",
        voice.quoted(_sentence(str(refusal)), PLACE_CAP),
        voice.quoted(_sentence(refusal.hint), PLACE_CAP),
    )
    lines = [] if event.body.get("source") == COMPACTED else [text]
    news = [Remark(NOTICE, line) for line in lines]
    try:
        context = receive(ReadOnlyWorkspace(state), event, news).answer.context
    except (OSError, StoreError, apsw.Error):  # not even to be read
        context = briefing.compose(news)
    return Answer(context, for_person=voice.joined("\n", lines))


def unreadable(event: Event) -> Answer:
    """That the store cannot be read, what that means, and what to do. Once for a session."""
    if event.body.get("source") == COMPACTED:
        return CARRY_ON
    line = voice.ours(UNREADABLE)
    return Answer(briefing.compose([Remark(NOTICE, line)]), for_person=line)


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}."
