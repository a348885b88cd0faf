"""List what you chose here: answers, refusals with words, approved plans.

A session is told the newest choices of its branch: those of its task, and those of the last day.
What you said in allowing a call is listed and told to none. `drop` and `keep` speak in your name,
so run them yourself, in a terminal outside the agent.
"""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers import person_check, place_here
from holdfast.cli.helpers.place_here import SHORT, day, named, verbatim, with_id
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.verbs import ID, Verb, flag
from holdfast.errors import HoldfastError
from holdfast.hook.voice import inline
from holdfast.rooms.prompts import choice_queries
from holdfast.rooms.prompts.choice_queries import ListedChoice
from holdfast.rooms.prompts.choices import APPROVAL
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place

SEE = "holdfast choices --all"
NONE = ("No choices were kept here. Answers to an agent's questions are, and approved plans.",)
SORTS = {
    "answer": "answer",
    "refusal": "said in refusing",
    "approval": "said in allowing, told to no session",
    "plan": "approved plan",
    "typed": "typed",
}
QUESTION_CAP = 160


class PrintedChoice(TypedDict):
    """A choice as it is listed."""

    id: str
    text: str
    question: str
    sort: str
    at: str
    session: str
    branch: str
    path: str
    pointed: bool
    superseded: bool
    dropped: bool


class ChoicesListed(TypedDict):
    """What was chosen here."""

    choices: list[PrintedChoice]


class ChangedChoice(TypedDict):
    """A choice as it is after the command."""

    choice: PrintedChoice


def listed(*, every: bool) -> Report[ChoicesListed]:
    """List what you chose here, newest first."""
    place = place_here.place()
    shown = [
        choice for choice in _all(place) if every or not (choice["superseded"] or choice["dropped"])
    ]
    lines = [line for choice in shown for line in _lines(choice)] or NONE
    return Report(lines, {"choices": shown})


def drop(*, id_: str) -> Report[ChangedChoice]:
    """Take a choice back: no session is told it any more."""
    place = person_check.ask_here("choices drop")
    choice = _named(place, id_)
    if choice["dropped"]:
        raise HoldfastError(
            f"{choice['id'][:SHORT]} was dropped before",
            hint=f"`holdfast choices keep {choice['id'][:SHORT]}` takes that back",
        )
    commands.withdraw(place, choice["id"])
    return _done(choice, "No longer told:", dropped=True)


def keep(*, id_: str) -> Report[ChangedChoice]:
    """Undo `drop`."""
    place = person_check.ask_here("choices keep")
    choice = _named(place, id_)
    if choice["dropped"]:
        commands.keep_rule(place, choice["id"])
    what = "Told on its branch:" if _is_told(choice["sort"]) else "Kept, and told to no session:"
    return _done(choice, what, dropped=False)


def _named(place: Place, given: str) -> PrintedChoice:
    return named(_all(place), given, "choice", SEE)


def _all(place: Place) -> list[PrintedChoice]:
    return [
        _printed(each) for each in choice_queries.all_choices(place.workspace.store, place.project)
    ]


def _printed(listed: ListedChoice) -> PrintedChoice:
    choice = listed.choice
    return shaped(
        PrintedChoice,
        choice,
        pointed=bool(choice.pointed),
        superseded=listed.superseded,
        dropped=listed.withdrawn,
    )


def _lines(choice: PrintedChoice) -> list[str]:
    notes = [SORTS.get(choice["sort"], choice["sort"]), day(choice["at"])]
    notes += [f"on {choice['branch']}"] if choice["branch"] else []
    notes += ["the agent pointed at it"] if choice["pointed"] else []
    notes += ["superseded by a later answer"] if choice["superseded"] else []
    notes += ["dropped"] if choice["dropped"] else []
    is_told = _is_told(choice["sort"]) and not (choice["superseded"] or choice["dropped"])
    text = verbatim(choice["text"], SHORT + 4)
    asked = choice["question"] or choice["path"]
    lines = [f"{'●' if is_told else '·'} {choice['id'][:SHORT]}  {text}  ({', '.join(notes)})"]
    return [*lines, f"{' ' * (SHORT + 4)}{inline(asked, QUESTION_CAP)}"] if asked else lines


def _is_told(sort: str) -> bool:
    return sort != APPROVAL


def _done(choice: PrintedChoice, what: str, *, dropped: bool) -> Report[ChangedChoice]:
    line = with_id(choice["id"], choice["text"])
    changed: PrintedChoice = {**choice, "dropped": dropped}
    return Report((what, line), {"choice": changed})


VERBS = {
    "list": Verb(listed, flag("--all", "every", help="Dropped and superseded ones, too.")),
    "drop": Verb(drop, ID),
    "keep": Verb(keep, ID),
}
