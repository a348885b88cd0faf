"""Rules the user gave: which are in force here, and to give, drop, keep or reword one.

`add TEXT` gives a rule that holds for good (with --dead-end: what was tried and failed). `drop ID`
withdraws one, `keep ID` makes one of a single task hold for good, `edit ID TEXT` rewords one. With
--all also those that lapsed or were withdrawn, and why. All but the list speak in your name: they
want a terminal and no agent around.
"""

from __future__ import annotations

from typing import Any

import click

from holdfast.briefing import inline
from holdfast.cli import person
from holdfast.cli.here import SHORT, day, misuse, named, only, place, verbatim
from holdfast.cli.report import Report
from holdfast.cli.words import plural
from holdfast.continuity import saying, shelf
from holdfast.continuity.saying import Place
from holdfast.errors import HoldfastError
from holdfast.sessions.life import short

PARAMETERS: list[click.Parameter] = [
    click.Argument(
        ["act"], type=click.Choice(["list", "add", "drop", "keep", "edit"]), default="list"
    ),
    click.Argument(["words"], nargs=-1),
    click.Option(["--all", "every"], is_flag=True, help="Lapsed and withdrawn ones, too."),
    click.Option(["--dead-end", "dead_end"], is_flag=True, help="What was tried and failed."),
]

SEE = "holdfast constraints --all"
NONE = (
    "No rules are in force here. What you forbid or demand in a prompt becomes one;",
    "`holdfast constraints add TEXT` gives one that holds for good.",
)


def run(*, act: str, words: tuple[str, ...], every: bool, dead_end: bool) -> Report:
    _fit(act, words)
    if act == "list":
        return _listed(place(), every=every, dead_end=dead_end)
    person.ask(f"holdfast constraints {act}")
    here = place(to_say=True)
    if act == "add":
        made = saying.give_rule(here, " ".join(words), dead_end=dead_end)
        return _done(made, "In force for good:")
    if act == "edit":
        rule = _standing(here, words[0])
        made = saying.reword(here, rule, " ".join(words[1:]))
        return _done(made, f"In force in place of {rule['id'][:SHORT]}:", before=rule["id"])
    rule = _standing(here, words[0])
    if act == "drop":
        saying.withdraw(here, rule["id"])
        return _done(rule, "No longer in force:")
    if not (rule["lasting"] or rule["kept"]):
        saying.keep_rule(here, rule["id"])
    return _done(rule, "Holds for good:")


def _fit(act: str, words: tuple[str, ...]) -> None:
    """Misuse, before anybody is asked who they are."""
    if act == "list" and words:
        misuse(f"list takes no text; did you mean `add {' '.join(words)}`?")
    if act == "add" and not words:
        misuse("add takes the rule's text")
    if act == "edit" and len(words) < 2:
        misuse("edit takes an ID and the new text")
    if act in ("drop", "keep"):
        only(words, act)


def _standing(here: Place, given: str) -> dict[str, Any]:
    """A rule that was given and not withdrawn, lapsed ones too."""
    rule = named(shelf.all_rules(here.workspace.store, here.project), given, "rule", SEE)
    if rule["withdrawn"]:
        raise HoldfastError(
            f"{rule['id'][:SHORT]} was withdrawn",
            hint="`holdfast constraints add TEXT` gives it anew",
        )
    return rule


def _done(rule: dict[str, Any], what: str, **more: str) -> Report:
    line = f"{rule['id'][:SHORT]}  {verbatim(rule['text'], SHORT + 2)}"
    names = ("id", "text", "sort", "at", "session")
    return Report((what, line), {"rule": {name: rule[name] for name in names}} | more)


def _listed(here: Place, *, every: bool, dead_end: bool) -> Report:
    store = here.workspace.store
    in_force = {rule["id"] for rule in saying.rules_here(here)}
    gone = shelf.withdrawals(store, here.project)
    tasks = {one["thread"]: one["goal"] for one in shelf.goals(store, here.project, 200)}
    found = [
        _told(rule, rule["id"] in in_force, gone.get(rule["id"]), tasks.get(rule["thread"], ""))
        for rule in shelf.all_rules(store, here.project)
        if (every or rule["id"] in in_force) and (not dead_end or rule["sort"] == "dead_end")
    ]
    left = len(gone_or_lapsed(here, in_force)) if not every else 0
    lines = [_line(one) for one in found] or list(NONE)
    if left:
        lines.append(f"{plural(left, 'rule')} lapsed or withdrawn: `{SEE}` tells why.")
    return Report(tuple(lines), {"rules": found, "not_in_force": left if not every else None})


def gone_or_lapsed(here: Place, in_force: set[str]) -> list[str]:
    every = shelf.all_rules(here.workspace.store, here.project)
    return [rule["id"] for rule in every if rule["id"] not in in_force]


def _told(
    rule: dict[str, Any], in_force: bool, gone: dict[str, Any] | None, task: str
) -> dict[str, Any]:
    names = ("id", "text", "sort", "at", "session", "how")
    why = ""
    if gone:
        words = f": {inline(gone['words'], 80)}" if gone["words"] else ""
        why = f"withdrawn {day(gone['at'])} by {gone['how']}{words}"
    elif not in_force:
        why = f"lapsed with its task: {inline(task, 60)}" if task else "lapsed with its task"
    return {
        **{name: rule[name] for name in names},
        "lasting": bool(rule["lasting"] or rule["kept"]),
        "in_force": in_force,
        "why": why,
    }


def _line(rule: dict[str, Any]) -> str:
    said = [
        rule["sort"].replace("_", " "),
        "for good" if rule["lasting"] else "for this task",
        day(rule["at"]),
        short(rule["session"]) if rule["session"] else "by command",
    ]
    if rule["why"]:
        said[1] = rule["why"]
    mark = "●" if rule["in_force"] else "·"
    text = verbatim(rule["text"], SHORT + 4)
    return f"{mark} {rule['id'][:SHORT]}  {text}  ({', '.join(said)})"
