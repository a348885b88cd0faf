"""What was said and done before, as `holdfast recall` and `context recover 2` tell it.

A hit's standing is asked of the room that knows it: a prompt that was taken back, a rule or a
choice that was dropped and an item that was resolved are not found; a decision says whether it
holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict, cast

from holdfast.cli.helpers.place_here import SHORT
from holdfast.cli.helpers.project_files import ProjectFiles
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural
from holdfast.hook.tokens import count
from holdfast.ledger.entry import Entry
from holdfast.rooms.decisions import deciding, decision_wording, queries as decisions
from holdfast.rooms.decisions.decision import AGENT as BY_AGENT, FILE, PERSON, Decision, Standing
from holdfast.rooms.prompts import choice_queries, queries as prompt_queries, telling
from holdfast.rooms.prompts.attribution import author_of
from holdfast.rooms.recall import recalling
from holdfast.rooms.recall.documents import AGENT, USER
from holdfast.rooms.recall.passage import Found
from holdfast.rooms.recall.ranking import Question
from holdfast.rooms.sessions import queries as sessions
from holdfast.rooms.work import commands
from holdfast.rooms.work.start_view import struck


class Hit(TypedDict):
    """Something that was said, decided, done or committed before."""

    number: str
    sort: str
    ref: str
    at: str
    text: str
    session: str
    branch: str
    who: str
    standing: str


class Recalled(TypedDict):
    """What was found, and what telling it costs in tokens."""

    query: str
    level: str
    tokens: int
    found: list[Hit]


INDEX, TIMELINE, FULL = "index", "timeline", "full"
LEVELS = (INDEX, TIMELINE, FULL)
SHOWN = {INDEX: 5, TIMELINE: 1, FULL: 3}
WIDTH = 100  # characters of a line
CHOICES = 3_000
DECIDED_BY = {PERSON: USER, BY_AGENT: AGENT, FILE: "edited in NOTES.md"}
NOTHING = "Nothing like that was kept here."


@dataclass(frozen=True)
class Filters:
    """What the answer is limited to."""

    kinds: tuple[str, ...] = ()
    since: float = 0.0
    file: str = ""
    branch: str = ""


class Standings:
    """How what was found stands, in a project, now; each room is asked once."""

    def __init__(self, project_files: ProjectFiles) -> None:
        self.files = project_files
        self.store = project_files.here.workspace.store

    def __call__(self, entry: Entry, hit: Found) -> Found | None:
        if entry.kind == "prompt_given" and not self._is_prompt(entry):
            return None
        if entry.kind == "decision_made":
            return self._decision(entry.id)
        if entry.kind == "rule_given":
            return self._rules.get(entry.id)
        if entry.kind == "choice_made":
            return self._choices.get(entry.id)
        if entry.kind == "item_opened":
            return self._items.get(entry.id)
        hit.text = struck(hit.text, self._gone)
        hit.branch = hit.branch or self._branch(hit.session)
        return hit if hit.text else None

    def _is_prompt(self, entry: Entry) -> bool:
        """A prompt that stands, and not the one that asks: what the session at work was given
        last."""
        return prompt_queries.stands(self.store, entry.id) and entry.id != self._asking

    def _branch(self, session: str) -> str:
        known = sessions.find(self.store, session) if session else None
        return known.branch if known else ""

    @cached_property
    def _asking(self) -> str:
        session = self.files.place.session
        return prompt_queries.last_prompt(self.store, session) if session else ""

    @cached_property
    def _gone(self) -> list[str]:
        return prompt_queries.withdrawn_texts(self.store, self.files.here.project)

    @cached_property
    def _rules(self) -> dict[str, Found]:
        return {
            rule.id: Found(
                "rule", rule.id[:SHORT], rule.at, rule.text, session=rule.session,
                who=author_of(rule), branch=rule.branch,
            )
            for rule in commands.rules_in_force(self.files.place)
        }  # fmt: skip

    @cached_property
    def _choices(self) -> dict[str, Found]:
        return {
            each.id: Found(
                "choice", each.id[:SHORT], each.at, telling.worded(each).rpartition("  (")[0],
                session=each.session, who=USER,
            )
            for each in choice_queries.choices(self.store, self.files.here.project, CHOICES)
        }  # fmt: skip

    @cached_property
    def _items(self) -> dict[str, Found]:
        return {
            row["id"]: Found(
                row["sort"].replace("_", " "), row["id"][:SHORT], row["at"], row["text"],
                session=row["session"],
            )
            for row in decisions.open_items(self.store, self.files.here.project)
        }  # fmt: skip

    def _decision(self, id_: str) -> Found:
        ((decision, name, own),) = deciding.judged(self.store, self.files.here.root, [id_])
        return decided(decision, name, own)


def decided(decision: Decision, name: str, own: dict[str, Standing]) -> Found:
    """A decision with how it stands: one that was superseded holds no more, however its quotes
    stand."""
    by = decision.superseded_by
    because = f" because {decision.because}" if decision.because else ""
    places = " ".join(cited.where() for cited in decision.evidence)
    standing = f"superseded by {by[:SHORT]}" if by else decision_wording.standing_words(name, own)
    return Found(
        "decision",
        decision.id[:SHORT],
        decision.at,
        f"{decision.text}{because} {places}".strip(),
        session=decision.session,
        who=DECIDED_BY.get(decision.source, decision.source),
        standing=standing,
        proof=decision_wording.proof(decision, own),
    )


def hits(
    project_files: ProjectFiles, text: str, limit: int, filters: Filters | None = None
) -> list[Found]:
    """What is about a question, the best first."""
    filters = filters or Filters()
    question = Question(
        text,
        project_files.here.project,
        since=filters.since,
        kinds=filters.kinds,
        file=filters.file,
        branch=filters.branch,
    )
    store = project_files.here.workspace.store
    return recalling.recall(store, question, limit, Standings(project_files))


def recall(
    project_files: ProjectFiles, text: str, level: str, filters: Filters
) -> Report[Recalled]:
    """An answer of one level, with what it costs in tokens. `#NUMBER` names an entry."""
    store, standing = project_files.here.workspace.store, Standings(project_files)
    number = int(text[1:]) if text[:1] == "#" and text[1:].isdecimal() else 0
    if number:
        named = recalling.by_number(store, number, standing)
        listed = [named] if named else []
    else:
        listed = hits(project_files, text, SHOWN[level], filters)
    if level == TIMELINE and listed:
        listed = recalling.around(store, int(listed[0].number or 0), standing) or listed
    elif level == FULL:
        read = (recalling.by_number(store, int(each.number or 0), standing) for each in listed)
        listed = [each or hit for each, hit in zip(read, listed, strict=True)]
    lines = shown(listed, level, "" if number else text)
    answer = "\n".join(lines)
    data: Recalled = {
        "query": text,
        "level": level,
        "tokens": count(answer),
        "found": [cast("Hit", each.as_dict()) for each in listed],
    }
    archived = sessions.count_archived(store, project_files.here.project)
    rest = f"Not looked at: {plural(archived, 'archived session')} (`holdfast restore SESSION`)."
    more = (rest,) if archived and not number else ()
    if not listed:
        is_known = not number or recalling.has_number(store, number)
        return Report((NOTHING if is_known else f"There is no entry {number} here.", *more), data)
    cost = f"({plural(len(listed), 'hit')}, {plural(count(answer), 'token')})"
    return Report((*lines, cost, *more), data)


def shown(listed: Sequence[Found], level: str, text: str) -> list[str]:
    if level == FULL:
        return [each.whole() for each in listed]
    return [each.line(WIDTH, text) for each in listed]
