"""What is done about forks and ghosts: look for them, keep what was found, say what holds.

Laws: a decision whose evidence is gone holds nothing, so nothing forks from it: code beats the
ledger. What was noticed is an entry, whatever is done about it; nothing is overwritten.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import queries
from holdfast.rooms.decisions.contradiction.certain_forks import certain
from holdfast.rooms.decisions.contradiction.changed_choices import certain_change
from holdfast.rooms.decisions.contradiction.touching import MOST, touched
from holdfast.rooms.decisions.decision import BROKEN, standing
from holdfast.rooms.decisions.decision_wording import standing_words
from holdfast.rooms.decisions.grounding import standing as grounding_standing
from holdfast.rooms.decisions.noticed import work_tree_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdfast.rooms.decisions.deciding import Here
    from holdfast.rooms.decisions.decision import Decision
    from holdfast.rooms.decisions.ghosts import Look

SAID_CAP = 600
CERTAIN, LOOK = "certain", "look"
NOTHING = "No decision in force speaks of this."
DECISION, STATEMENT = "decision", "statement"


class Fork:
    """A decision that something goes against or only touches, in what, and how it stands."""

    __slots__ = ("decision", "is_certain", "standing", "where", "why")

    def __init__(
        self, decision: Decision, why: str, standing: str, where: list[str], *, is_certain: bool
    ) -> None:
        self.decision = decision
        self.why = why
        self.standing = standing
        self.where = where
        self.is_certain = is_certain

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


def touched_by(here: Here, statement: str, *, but: str = "") -> list[Fork]:
    """The decisions in force that a statement touches, the nearest first: by its words, and by the
    files it names."""
    held = _held(here, but)
    whys = {
        place: f"speaks of {what}" if what else "chooses from the same kind"
        for place, what in touched([decision.text for decision in held], statement)
    }
    for place, decision in enumerate(held):
        for cited in decision.evidence:
            if cited.path.rpartition("/")[2] in statement:
                whys.setdefault(place, f"names {cited.path}, which it rests on")
    return _judged(
        here, [(held[place], why) for place, why in list(whys.items())[:MOST]], is_certain=False
    )


def changed_against(here: Here) -> tuple[list[Fork], list[Fork]]:
    """What the work tree changed since its commit: the decisions that goes against for certain, and
    those that rest on files which were changed."""
    held = _held(here, "")
    changes = work_tree_changes.changes(here.root) if held else []
    whys: dict[str, str] = {}
    looks: dict[str, str] = {}
    for change in changes:
        for decision in held:
            why = certain_change(decision.text, change.path, change.before, change.after)
            if why:
                whys.setdefault(decision.id, why)
            elif any(cited.path == change.path for cited in decision.evidence):
                looks.setdefault(decision.id, f"changes {change.path}, which it rests on")
    forks = _judged(here, [(each, whys.get(each.id, "")) for each in held], is_certain=True)
    touching = [(each, looks.get(each.id, "")) for each in held if each.id not in whys]
    return forks, _judged(here, touching, is_certain=False)[:MOST]


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
    """What a statement goes against for certain, which is kept, and what it only touches."""
    statement = statement.strip()
    if not statement:
        raise HoldfastError("a statement needs words", hint="write them in quotation marks")
    forks = forks_of(here, statement)
    note(here, statement, forks, sort=STATEMENT, went_on=False)
    named = {fork.decision.id for fork in forks}
    touching = touched_by(here, statement)
    return forks, [fork for fork in touching if fork.decision.id not in named]


def check_changes(here: Here) -> tuple[list[Fork], list[Fork]]:
    """The same of what the work tree changed since its commit."""
    forks, touching = changed_against(here)
    note(here, "the changes in the work tree", forks, sort=STATEMENT, went_on=False)
    return forks, touching


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
