"""What is done about forks and ghosts: look for them, keep what was found, say what holds.

Laws: a decision whose evidence is gone holds nothing, so nothing forks from it: code beats the
ledger. What was noticed is an entry, whatever is done about it; nothing is overwritten.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from holdfast.errors import HoldfastError, NotFound
from holdfast.rooms.decisions import queries
from holdfast.rooms.decisions.contradictions import MOST, certain, nearest, taken_out, terms
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.decisions.decision import BROKEN, Decision, standing
from holdfast.rooms.decisions.decision_wording import standing_words
from holdfast.rooms.decisions.ghosts import Look
from holdfast.rooms.decisions.grounding import (
    committed_files,
    source_files,
    standing as grounding_standing,
)
from holdfast.system.value import Value

SAID_CAP = 600
CERTAIN, LOOK = "certain", "look"
NOTHING = "No decision in force shares a word with this."
DECISION, STATEMENT = "decision", "statement"


class Fork(Value):
    """A decision that something goes against or comes near, in what, and how it stands."""

    decision: Decision
    why: str
    standing: str
    where: list[str]
    is_certain: bool

    def advice(self) -> str:
        short = self.decision.id[:6]
        if not self.is_certain:
            return f"does what you are about to do keep to decision {short}? Read it, and judge"
        return (
            f"decision {short} holds: follow it, or say what holds now with"
            f" `holdfast decisions supersede {short} TEXT --evidence PATH:LINE`"
        )

    def sure(self) -> str:
        """How sure it is that this goes against the decision, and in what."""
        return f"{CERTAIN if self.is_certain else LOOK}: this {self.why}"

    def as_dict(self) -> dict[str, Any]:
        decision = self.decision
        fields = {name: getattr(decision, name) for name in ("id", "text", "because", "at")}
        return {
            **fields,
            "standing": self.standing,
            "where": self.where,
            "why": self.why,
            "sure": CERTAIN if self.is_certain else LOOK,
        }


def forks_of(here: Here, statement: str, *, but: str = "") -> list[Fork]:
    """The decisions in force that a statement certainly goes against, newest first."""
    held = _held(here, but)
    whys = [certain(decision.text, statement) for decision in held]
    forks = _judged(here, zip(held, whys, strict=True), is_certain=True)
    return [fork for fork in forks if fork.standing != BROKEN]


def near(here: Here, statement: str, *, but: str = "") -> list[Fork]:
    """The decisions in force that are nearest to a statement, by the words they share and by the
    files it names."""
    held = _held(here, but)
    whys = {
        place: f"speaks of {', '.join(shared)}"
        for place, shared in nearest([decision.text for decision in held], statement)
    }
    for place, decision in enumerate(held):
        for cited in decision.evidence:
            if cited.path.rpartition("/")[2] in statement:
                whys.setdefault(place, f"names {cited.path}, which it rests on")
    return _judged(
        here, [(held[place], why) for place, why in list(whys.items())[:MOST]], is_certain=False
    )


def changed_near(here: Here) -> list[Fork]:
    """The decisions in force that what the work tree changed since its commit comes near: they rest
    on a file of it, or speak of what a line had that is gone."""
    held = _held(here, "")
    whys: dict[str, str] = {}
    for change in changes(here.root) if held else ():
        removed = taken_out(change.before, change.after)
        for decision in held:
            spelt = terms(decision.text)
            spoken = set(spelt)
            gone = [
                spoken & lost
                for words, lost in removed
                if not all(map(str.isdigit, spoken & words))
            ]
            if any(cited.path == change.path for cited in decision.evidence):
                whys.setdefault(decision.id, f"changes {change.path}, which it rests on")
            elif lost := set().union(*gone):
                whys.setdefault(
                    decision.id,
                    f"takes {', '.join(spelt[term] for term in sorted(lost))} out of {change.path}",
                )
    pairs = [(decision, whys.get(decision.id, "")) for decision in held]
    return _judged(here, pairs, is_certain=False)[:MOST]


def _held(here: Here, but: str) -> list[Decision]:
    return [
        decision
        for decision in queries.current(here.workspace.store, here.project)
        if not (but and decision.id.startswith(but.lower()))
    ]


def _judged(here: Here, pairs: Iterable[tuple[Decision, str]], *, is_certain: bool) -> list[Fork]:
    """Those that something is said of, as they stand now."""
    met = [(decision, why) for decision, why in pairs if why]
    standings = grounding_standing.judge(
        here.workspace.store, here.root, [decision for decision, _ in met]
    )
    return [
        Fork(
            decision,
            why,
            standing(decision.evidence, standings),
            [standings[each.id].where() for each in decision.evidence],
            is_certain=is_certain,
        )
        for decision, why in met
    ]


def weigh(here: Here, statement: str, *, but: str = "", anyway: bool = False) -> list[Fork]:
    """What a new decision contradicts. Unless somebody goes on anyway, that stops it: the old one
    holds, and supersession is how it changes."""
    forks = forks_of(here, statement, but=but)
    note(here, statement, forks, sort=DECISION, went_on=anyway)
    if forks and not anyway:
        first = forks[0]
        raise HoldfastError(
            f"this {first.why}; decision {first.decision.id[:6]} holds: {first.decision.text}"
            f" ({', '.join([standing_words(first.standing), *first.where])})",
            hint=f"`holdfast decisions supersede {first.decision.id[:6]} TEXT` puts yours in its"
            " place; --anyway keeps both, where they are no contradiction",
        )
    return forks


def check(here: Here, statement: str) -> tuple[list[Fork], list[Fork]]:
    """What a statement goes against for certain, which is kept, and what else is nearest to it."""
    statement = statement.strip()
    if not statement:
        raise HoldfastError("a statement needs words", hint="write them in quotation marks")
    forks = forks_of(here, statement)
    note(here, statement, forks, sort=STATEMENT, went_on=False)
    return forks, besides(near(here, statement), forks)


def besides(others: list[Fork], forks: list[Fork]) -> list[Fork]:
    named = {fork.decision.id for fork in forks}
    return [fork for fork in others if fork.decision.id not in named]


def note(here: Here, statement: str, forks: list[Fork], *, sort: str, went_on: bool) -> None:
    if not forks:
        return
    with here.workspace.store.transaction():
        for fork in forks:
            body = {
                "sort": sort,
                "decision": fork.decision.id,
                "said": statement[:SAID_CAP],
                "held": fork.decision.text[:SAID_CAP],
                "why": fork.why,
                "went_on": went_on,
            }
            here.say("fork_noticed", body)


def ghost_checked(here: Here, search: Look) -> None:
    """Keep what was looked for, how, and what came of it."""
    with here.workspace.store.transaction():
        here.say("ghost_checked", search.as_body())


FILES = 300
READ_CAP = 400_000  # characters of one side: what is longer is generated


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after."""

    path: str
    before: str
    after: str


def changes(root: str) -> list[Change]:
    """The files that were changed, without those that are too long to be sources; none outside of a
    repository or before its first commit."""
    try:
        commit = committed_files.resolved(root, "HEAD")
    except NotFound:
        return []
    paths = committed_files.changed(root, commit)[:FILES]
    read = committed_files.blobs(root, commit, paths)
    whole = [Change(path, read(path) or "", source_files.read(root, path) or "") for path in paths]
    return [each for each in whole if len(each.before) < READ_CAP > len(each.after)]
