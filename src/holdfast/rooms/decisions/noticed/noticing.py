"""What is done about forks and ghosts: look for them, keep what was found, say what holds.

Laws: a decision whose evidence is gone holds nothing, so nothing forks from it: code beats the
ledger. What was noticed is an entry, whatever is done about it; nothing is overwritten.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import queries
from holdfast.rooms.decisions.contradiction.meaning_match import contradicted
from holdfast.rooms.decisions.decision import BROKEN, standing
from holdfast.rooms.decisions.grounding import standing as grounding_standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.rooms.decisions.deciding import Here
    from holdfast.rooms.decisions.decision import Decision
    from holdfast.rooms.decisions.ghosts import Look

SAID_CAP = 600
DECISION, STATEMENT = "decision", "statement"


class Fork:
    """A decision that holds, in what something contradicts it, and where it can be read."""

    __slots__ = ("decision", "standing", "where", "why")

    def __init__(self, decision: Decision, why: str, standing: str, where: list[str]) -> None:
        self.decision = decision
        self.why = why
        self.standing = standing
        self.where = where

    def advice(self) -> str:
        short = self.decision.id[:6]
        return (
            f"decision {short} holds: follow it, or say what holds now with"
            f" `holdfast supersede {short} TEXT --evidence PATH:LINE`"
        )

    def as_dict(self) -> dict[str, Any]:
        decision = self.decision
        fields = {name: getattr(decision, name) for name in ("id", "text", "because", "at")}
        return {**fields, "standing": self.standing, "where": self.where, "why": self.why}


def forks_of(here: Here, statement: str, *, but: str = "") -> list[Fork]:
    """The decisions in force that a statement contradicts, newest first."""
    store = here.workspace.store
    held = [
        decision
        for decision in queries.current(store, here.project)
        if not (but and decision.id.startswith(but.lower()))
    ]
    whys = contradicted([decision.text for decision in held], statement)
    met = [(decision, why) for decision, why in zip(held, whys, strict=True) if why]
    standings = grounding_standing.judge(store, here.root, [decision for decision, _ in met])
    forks = [
        Fork(
            decision,
            why,
            standing(decision.evidence, standings),
            [standings[each.id].where() for each in decision.evidence],
        )
        for decision, why in met
    ]
    return [fork for fork in forks if fork.standing != BROKEN]


def weigh(here: Here, statement: str, *, but: str = "", anyway: bool = False) -> list[Fork]:
    """What a new decision contradicts. Unless somebody goes on anyway, that stops it: the old one
    holds, and supersession is how it changes."""
    forks = forks_of(here, statement, but=but)
    note(here, statement, forks, sort=DECISION, went_on=anyway)
    if forks and not anyway:
        first = forks[0]
        raise HoldfastError(
            f"this {first.why}; decision {first.decision.id[:6]} holds: {first.decision.text}"
            + (f" ({', '.join(first.where)})" if first.where else ""),
            hint=f"`holdfast supersede {first.decision.id[:6]} TEXT` puts yours in its place;"
            " --anyway keeps both, where they are no contradiction",
        )
    return forks


def check(here: Here, statement: str) -> list[Fork]:
    """What a statement contradicts; kept, when it does."""
    statement = statement.strip()
    if not statement:
        raise HoldfastError("a statement needs words", hint="write them in quotation marks")
    forks = forks_of(here, statement)
    note(here, statement, forks, sort=STATEMENT, went_on=False)
    return forks


def note(here: Here, statement: str, forks: list[Fork], *, sort: str, went_on: bool) -> None:
    if not forks:
        return
    with here.workspace.store.transaction():
        for fork in forks:
            body = {
                "sort": sort,
                "decision": fork.decision.id,
                "said": statement[:SAID_CAP],
                "why": fork.why,
                "went_on": went_on,
            }
            here.say("fork_noticed", body)


def ghost_checked(here: Here, search: Look) -> None:
    """Keep what was looked for, how, and what came of it."""
    with here.workspace.store.transaction():
        here.say("ghost_checked", search.as_body())
