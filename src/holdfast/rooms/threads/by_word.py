"""Links that somebody gives by their word: a person by command, an agent by pointing.

Law: a person's word counts before an agent's, and both before what Holdfast made of facts.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError, NotFound
from holdfast.rooms.prompts.attribution import AGENT
from holdfast.rooms.threads import linking, queries
from holdfast.rooms.work.commands import Place, keep

POINTED = "pointed"


def link(here: Place, session: str, thread: str, *, author: str, facts: list[str]) -> None:
    """Say to which thread a session belongs, in the caller's transaction."""
    body = {
        "thread": thread,
        "permille": 1000,
        "reason": linking.NAMED if author == queries.PERSON else POINTED,
        "facts": facts,
        "author": author,
    }
    keep(here, "thread_linked", body, session=session)


def point(here: Place, thread: str, facts: list[str]) -> bool:
    """Have the session here go on with a thread, as its agent says; whether that is new."""
    store, session = here.workspace.store, here.session
    if not session:
        raise NotFound("no session is at work here", hint="run this inside the agent")
    with store.transaction():
        if queries.thread_of(store, session) == thread:
            return False
        own = queries.link_of(store, session)
        if own is not None and own.author == queries.PERSON:
            raise HoldfastError(
                "the user has said which thread this session belongs to",
                hint="ask the user to run `holdfast threads move`",
            )
        link(here, session, thread, author=AGENT, facts=facts)
    return True
