"""What an agent points at is kept as the user's: a rule, a choice or a dead end, word for word.

`rooms/prompts/pointing.py` says what may be pointed at. Here the words are looked up in what the
project keeps: what was typed, and the answers and refusals that were given to an agent's questions.

Laws:
  - no person is asked for, because nothing can be invented: the text comes from the ledger;
  - the newest place where the user's own words stand decides, and an older one is no way around it;
  - what is there already is not kept again: a candidate is pointed at, a rule is left as it is;
  - what the words are about is the agent's text, and is kept as that.
"""

from __future__ import annotations

from dataclasses import dataclass

from holdfast.rooms.prompts import choice_queries, lifting, pointing, queries, understanding
from holdfast.rooms.prompts.pointing import Refused, Unit
from holdfast.rooms.prompts.similarity import TAKING_BACK, stems
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place
from holdfast.system.given_words import worded
from holdfast.system.paths import digest

POINTED = "pointed"
RULE, CHOICE, DEAD_END = "rule", "choice", "dead_end"
PROJECT, TASK = "project", "task"
PROMPTS, CHOICES = 5_000, 1_000  # as far back as is looked, newest first
ABOUT_CAP = 300
# Not the user's own words in this text: an older one may have them.
ELSEWHERE = frozenset(
    (
        pointing.NOT_TYPED,
        pointing.TOO_SHORT,
        pointing.PLAN,
        pointing.CLIENT,
        pointing.PASTED,
        pointing.QUOTED,
    )
)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What is kept now, and whether it was there before."""

    kind: str  # rule, choice, dead_end, thread
    id: str
    text: str
    scope: str  # of a rule: project, task
    about: str  # of a choice: what it answers, in the agent's words
    is_new: bool


@dataclass(frozen=True, slots=True)
class _Source:
    """Something the user said."""

    at: str
    text: str
    prompt: str  # its id; "" for none
    session: str
    branch: str
    is_answer: bool
    choice: str = ""  # its id, when it is kept as one


def remember_rule(
    place: Place, quote: str, *, scope: str = PROJECT, kind: str = RULE
) -> Remembered | Refused:
    """Keep what is quoted as a rule of the user's, or as what the user says has failed."""
    with place.workspace.store.transaction():
        pointed = _look_up(place, quote, as_rule=True)
        if isinstance(pointed, Refused):
            return pointed
        unit, source = pointed
        known = _known_rule(place, unit, source, kind)
        if known is None:
            return _give(place, unit, source, scope, kind)
        is_new = known.standing not in ("command", "kept", POINTED)
        if is_new:
            _turn(place, known.id, POINTED, unit.text)
        if known.standing in ("command", "kept"):
            scope = known.scope  # the person's own
        elif known.scope != scope:
            _turn(place, known.id, "scoped", scope)
        rule = queries.rule(place.workspace.store, known.id) or known
        return Remembered(kind, rule.id, rule.text, scope, "", is_new)


def remember_choice(place: Place, quote: str, *, about: str = "") -> Remembered | Refused:
    """Keep what is quoted as a choice of the user's."""
    if pointing.asks_leave(about):
        return Refused(pointing.PERMISSION)
    about = worded(about, "what it is about", ABOUT_CAP, instead="say less") if about else ""
    with place.workspace.store.transaction():
        pointed = _look_up(place, quote, as_rule=False)
        if isinstance(pointed, Refused):
            return pointed
        unit, source = pointed
        for choice in choice_queries.choices(place.workspace.store, place.project, CHOICES):
            if choice.sort == "approval":  # of which nobody is told by itself
                continue
            is_there = choice.id == source.choice or (
                choice.prompt == source.prompt != "" and choice.text == unit.text
            )
            if is_there:
                return Remembered(CHOICE, choice.id, choice.text, "", choice.question, False)
        body = {
            "text": unit.text,
            "question": about,
            "sort": "typed",
            "pointed": True,
            "branch": source.branch,
            "thread": queries.thread_of(place.workspace.store, source.session),
            **_said_in(place, source),
        }
        entry = _say(place, "choice_made", body)
        return Remembered(CHOICE, entry, unit.text, "", about, True)


def session_quoted(place: Place, quote: str) -> str | Refused:
    """The last session but this one in which the user typed what is quoted."""
    pointed = _look_up(place, quote, as_rule=False, but=place.session)
    return pointed if isinstance(pointed, Refused) else pointed[1].session


def _look_up(
    place: Place, quote: str, *, as_rule: bool, but: str = ""
) -> tuple[Unit, _Source] | Refused:
    """The newest text of the user's in which the quotation stands, and its unit there."""
    withdrawn = choice_queries.withdrawn_with_time(place.workspace.store, place.project)
    refusal = Refused(pointing.NOT_TYPED)
    later: list[str] = []  # sentences of newer texts that lift something
    for source in _sources(place):
        if but and source.session == but:
            continue
        unit = pointing.unit_of(
            source.text,
            quote,
            as_rule=as_rule,
            is_answer=source.is_answer,
            withdrawn=[text for text, at in withdrawn if at > source.at],
        )
        if isinstance(unit, Unit):
            return Refused(pointing.WITHDRAWN) if _is_lifted(unit, later) else (unit, source)
        if unit.reason not in ELSEWHERE:
            return unit
        if refusal.reason == pointing.NOT_TYPED:
            refusal = unit
        if lifting.may_lift(source.text):
            later += understanding.hear(source.text).withdrawals
    return refusal


def _is_lifted(unit: Unit, later: list[str]) -> bool:
    """Whether one of the later sentences takes it back, by naming what it is about."""
    return any(
        stems(words, TAKING_BACK) and lifting.lifted(words, [("", unit.text, unit.sort)])
        for words in later
    )


def _sources(place: Place) -> list[_Source]:
    """What the user said in this project, newest first."""
    store = place.workspace.store
    sources = [
        _Source(prompt.at, prompt.text, prompt.id, prompt.session, prompt.branch, False)
        for prompt in queries.typed_prompts(store, place.project, place.session, PROMPTS)
    ]
    sources += [
        _Source(
            choice.at, choice.text, choice.prompt, choice.session, choice.branch, True, choice.id
        )
        for choice in choice_queries.choices(store, place.project, CHOICES)
        if choice.sort in ("answer", "refusal", "approval")
    ]
    return sorted(sources, key=lambda source: source.at, reverse=True)


def _known_rule(place: Place, unit: Unit, source: _Source, kind: str) -> queries.GivenRule | None:
    """A rule or candidate that says the same already, the one that holds best first."""
    alike = [
        rule
        for rule in queries.all_rules(place.workspace.store, place.project)
        if not rule.withdrawn
        and (kind == RULE or rule.sort == DEAD_END)
        and (
            pointing.same_words(rule.text, unit.text)
            or (rule.prompt == source.prompt != "" and unit.text in rule.text)
        )
    ]
    return max(alike, key=lambda rule: bool(rule.standing), default=None)


def _give(place: Place, unit: Unit, source: _Source, scope: str, kind: str) -> Remembered:
    store = place.workspace.store
    body = {
        "text": unit.text,
        "sort": DEAD_END if kind == DEAD_END else unit.sort,
        "lasting": scope == PROJECT,
        "thread": queries.thread_of(store, source.session),
        "how": POINTED,
        "author": "person",
        "scope": scope,
        "branch": source.branch,
        **_said_in(place, source),
        "order": False,
        "heard_in": digest(source.text.encode("utf-8", "surrogatepass")),
    }
    return Remembered(kind, _say(place, "rule_given", body), unit.text, scope, "", True)


def _said_in(place: Place, source: _Source) -> commands.Printed:
    """What a quotation holds by: a prompt that turns out not to be the user's takes it along."""
    waits = queries.waits(place.workspace.store, source.prompt)
    return {"prompt": source.prompt, **({"awaits": True} if waits else {})}


def _turn(place: Place, subject: str, turn: str, words: str) -> None:
    _say(place, "turned", {"subject": subject, "turn": turn, "how": POINTED, "words": words})


def _say(place: Place, kind: str, body: commands.Printed) -> str:
    """Keep an entry in the caller's transaction; its id."""
    return place.workspace.say(
        kind, body, at=place.at, project=place.project, session=place.session
    ).id
