"""List the rules in force here; add, keep, drop, reword or scope one, or write it to a file.

`add TEXT` gives a rule that every session is told; with --dead-end, an approach that has failed.
`drop ID` withdraws a rule, `keep ID` makes a rule of a candidate or undoes a withdrawal, `edit ID
TEXT` rewords a rule. `scope ID task` limits it to its task and branch, `scope ID project` lifts
that limit. `write ID` puts it into the project's instruction file; what stands there is not told
again. --candidates lists what was heard in prompts and no other session is told, and what you ask
for again and again; --all adds what was withdrawn, and why. Everything but the lists speaks in your
name, so run it yourself, in a terminal outside the agent. `holdfast constraints` is the old name of
this command.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import click

from holdfast.agents.surroundings import INSTRUCTION_FILES
from holdfast.cli.helpers import person_check, project_instructions
from holdfast.cli.helpers.place_here import SHORT, day, misuse, named, only, place, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError
from holdfast.hook.voice import inline
from holdfast.rooms.prompts import attribution
from holdfast.rooms.prompts import habits as prompt_habits
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts.queries import GivenRule, Withdrawal
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place

PARAMETERS: list[click.Parameter] = [
    click.Argument(
        ["act"],
        type=click.Choice(["list", "add", "keep", "drop", "edit", "scope", "write"]),
        default="list",
    ),
    click.Argument(["words"], nargs=-1),
    click.Option(
        ["--all", "every"], is_flag=True, help="List candidates and withdrawn rules, too."
    ),
    click.Option(
        ["--candidates", "candidates"],
        is_flag=True,
        help="List what was heard, and no other session is told.",
    ),
    click.Option(
        ["--dead-end", "dead_end"], is_flag=True, help="Add a dead end, or list dead ends only."
    ),
    click.Option(
        ["--file", "file"],
        type=click.Choice(INSTRUCTION_FILES),
        help="The instruction file that `write` writes to.",
    ),
]
SCOPES = ("project", "task")

SEE = "holdfast rules --all"
NONE = (
    "No rules are in force here. `holdfast rules add TEXT` gives one; so does a prompt that",
    "begins with never, always or from now on. --candidates lists what else was heard.",
)
NO_CANDIDATES = ("No candidates: nothing was heard here that could be a rule.",)
BY = {
    "command": "by command",
    "kept": "kept by you",
    "pointed": "",  # its author says it
    "repeated": "said again in another session",
    "order": "an order",
    "": "of this session",
}
TURNS = {"withdrawn": "withdrawn", "disowned": "found not to be yours"}


class ListedRule(TypedDict):
    """A rule or candidate as it is listed: where it holds, and why."""

    id: str
    text: str
    sort: str
    at: str
    session: str
    how: str
    in_force: bool
    candidate: bool
    why: str
    author: str
    whose: str
    scope: str
    branch: str
    times_told: int


def run(
    *,
    act: str,
    words: tuple[str, ...],
    every: bool,
    candidates: bool,
    dead_end: bool,
    file: str | None,
) -> Report:
    _fit(act, words, file)
    if act == "list":
        return _listed(place(), every=every, candidates=candidates, dead_end=dead_end)
    person_check.ask(f"rules {act}")
    here = place(to_say=True)
    if act == "add":
        made = commands.give_rule(here, " ".join(words), dead_end=dead_end)
        return _done(made, "In force in every session:")
    if act == "edit":
        rule = _standing(here, words[0])
        made = commands.reword(here, rule, " ".join(words[1:]))
        return _done(made, f"In force in place of {rule.id[:SHORT]}:", before=rule.id)
    if act == "drop":
        rule = _standing(here, words[0])
        commands.withdraw(here, rule.id)
        return _done(rule.as_dict(), "No longer in force:")
    if act == "scope":
        return _scoped(here, _standing(here, words[0]), words[1])
    if act == "write":
        return _written(here, _standing(here, words[0]), file)
    rule = _named(here, words[0])
    if rule.withdrawn or rule.standing not in ("command", "kept"):
        commands.keep_rule(here, rule.id)
    return _done(rule.as_dict(), "In force in every session:")


def _named(here: Place, given: str) -> GivenRule:
    """A rule or candidate, withdrawn ones too."""
    rules = prompt_queries.all_rules(here.workspace.store, here.project)
    meant = named([rule.as_dict() for rule in rules], given, "rule", SEE)
    return next(rule for rule in rules if rule.id == meant["id"])


def _scoped(here: Place, rule: GivenRule, scope: str) -> Report:
    commands.scope_rule(here, rule, scope)
    on = f" (on {rule.branch})" if rule.branch else ""
    what = f"Told on its task{on} alone:" if scope == "task" else "Told in the whole project:"
    return _done(rule.as_dict(), what, scope=scope)


def _written(here: Place, rule: GivenRule, file: str | None) -> Report:
    path, is_new = project_instructions.write(here.root, rule.text, file)
    what = f"Written to {path}:" if is_new else f"It stands in {path} already:"
    return _done(rule.as_dict(), what, file=path)


def _fit(act: str, words: tuple[str, ...], file: str | None) -> None:
    """Misuse, before anybody is asked who they are."""
    if file and act != "write":
        misuse("--file goes with write")
    if act == "scope" and (len(words) != 2 or words[1] not in SCOPES):
        misuse("scope takes an ID and `project` or `task`")
    if act == "list" and words:
        misuse(f"list takes no text; did you mean `add {' '.join(words)}`?")
    if act == "add" and not words:
        misuse("add takes the rule's text")
    if act == "edit" and len(words) < 2:
        misuse("edit takes an ID and the new text")
    if act in ("drop", "keep", "write"):
        only(words, act)


def _standing(here: Place, given: str) -> GivenRule:
    """One that was not withdrawn."""
    rule = _named(here, given)
    if rule.withdrawn:
        raise HoldfastError(
            f"{rule.id[:SHORT]} was withdrawn",
            hint=f"`holdfast rules keep {rule.id[:SHORT]}` takes that back",
        )
    return rule


def _done(rule: Mapping[str, Any], what: str, **more: str) -> Report:
    line = f"{rule['id'][:SHORT]}  {verbatim(rule['text'], SHORT + 2)}"
    names = ("id", "text", "sort", "at", "session")
    return Report((what, line), {"rule": {name: rule[name] for name in names}} | more)


def _listed(here: Place, *, every: bool, candidates: bool, dead_end: bool) -> Report:
    store = here.workspace.store
    in_force = {rule["id"]: rule["standing"] for rule in commands.rules_here(here)}
    gone = prompt_queries.withdrawals(store, here.project)
    times = prompt_queries.times_told(store, here.project)
    rules = [
        _described(rule, in_force.get(rule.id), gone.get(rule.id), times.get(rule.id, 0))
        for rule in prompt_queries.all_rules(store, here.project)
        if not dead_end or rule.sort == "dead_end"
    ]
    shown = [rule for rule in rules if every or _is_shown(rule, candidates=candidates)]
    waiting = sum(rule["candidate"] for rule in rules)
    lines = [_line(rule) for rule in shown] or list(NO_CANDIDATES if candidates else NONE)
    habits = prompt_habits.habits(store, here.project) if candidates or every else []
    if shown and candidates:
        lines.append("`holdfast rules keep ID` makes a rule of one.")
    elif waiting and not every:
        lines.append(f"{plural(waiting, 'candidate')}: `holdfast rules --candidates`")
    lines += [prompt_habits.line_of(habit) for habit in habits]
    repeated = [
        {"text": habit.text, "sessions": habit.sessions, "of": habit.of} for habit in habits
    ]
    return Report(tuple(lines), {"rules": shown, "candidates": waiting, "habits": repeated})


def _is_shown(rule: ListedRule, *, candidates: bool) -> bool:
    return bool(rule["candidate"] if candidates else rule["in_force"])


def _described(
    rule: GivenRule, standing: str | None, gone: Withdrawal | None, times: int
) -> ListedRule:
    """A rule with where it holds and why; `standing` is None where it is not in force."""
    in_force = standing is not None
    why = BY[standing] if standing is not None else _why_not_here(rule)
    if rule.withdrawn and gone:
        words = f": {inline(gone.words, 80)}" if gone.words else ""
        why = f"{TURNS[gone.turn]} {day(gone.at)} by {gone.how}{words}"
    return {
        "id": rule.id,
        "text": rule.text,
        "sort": rule.sort,
        "at": rule.at,
        "session": rule.session,
        "how": rule.how,
        "in_force": in_force,
        "candidate": not (rule.withdrawn or rule.standing),
        "why": why,
        "author": rule.author,
        "whose": attribution.whose(rule),
        "scope": rule.scope,
        "branch": rule.branch,
        "times_told": times,
    }


def _why_not_here(rule: GivenRule) -> str:
    return "holds elsewhere" if rule.standing else "told to no other session"


def _line(rule: ListedRule) -> str:
    on = f" on {rule['branch']}" if rule["branch"] else ""
    scope = f"for its task{on}" if rule["scope"] == "task" else "for the project"
    notes = [rule["sort"].replace("_", " "), rule["whose"], rule["why"], day(rule["at"]), scope]
    if rule["times_told"] or rule["in_force"]:
        notes.append(
            f"told {plural(rule['times_told'], 'time')}" if rule["times_told"] else "not told yet"
        )
    if rule["session"]:
        notes.append(short(rule["session"]))
    notes = [note for note in notes if note]
    mark = "●" if rule["in_force"] else "·"
    text = verbatim(rule["text"], SHORT + 4)
    return f"{mark} {rule['id'][:SHORT]}  {text}  ({', '.join(notes)})"
