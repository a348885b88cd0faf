"""Links that somebody gives by their word: a person by command, an agent by pointing.

Law: a person's word counts before an agent's, and both before what Holdfast made of facts.
"""

from __future__ import annotations

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
