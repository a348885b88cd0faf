"""List the rules in force here; add, keep, drop, reword or scope one, or write it to a file.

Everything but `list` speaks in your name, so run it yourself, in a terminal outside the agent.
`holdfast constraints` is the old name of this command.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict, cast

import click

from holdfast.agents.surroundings import INSTRUCTION_FILES
from holdfast.cli.helpers import person_check, place_here
from holdfast.cli.helpers.place_here import SHORT, day, named, verbatim, with_id
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.verbs import ID, TEXT, Verb, argument, flag, option
from holdfast.cli.helpers.wording import fitted, plural, times
from holdfast.config.requirement import ASKS, DENY
from holdfast.errors import HoldfastError
from holdfast.hook.voice import inline
from holdfast.rooms.gates import own_gates
from holdfast.rooms.prompts import (
    attribution,
    gate_offers,
    instruction_files,
    queries as prompt_queries,
)
from holdfast.rooms.prompts.queries import GivenRule, Withdrawal
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands
from holdfast.rooms.work.commands import Place
from holdfast.store.sqlite import Store
from holdfast.system import files

FILE_MODE = 0o644


def write_into(root: str, text: str, name: str | None) -> tuple[str, bool]:
    """Put a rule into the instruction file: which one, and whether it was not there before."""
    name = name or _only(root)
    path = os.path.realpath(f"{root}/{name}")
    if not path.startswith(f"{os.path.realpath(root)}/"):
        raise HoldfastError(f"{name} leads out of the project", hint="write it there yourself")
    content = _content(path, name)
    theirs = instruction_files.without_block(content or b"").decode()
    if instruction_files.stands_in(text, [instruction_files.units(theirs)]):
        return name, False
    whole = instruction_files.written(content or b"", text)
    try:
        if content is None:
            files.write_whole(path, whole)
            os.chmod(path, FILE_MODE)
        else:
            files.write_over(path, whole)
    except OSError as error:
        raise HoldfastError(f"{name} was not written: {error.strerror}") from error
    return name, True


def _content(path: str, name: str) -> bytes | None:
    """None for a file that is not there yet. Who cannot read all of it must not replace it."""
    if not os.path.lexists(path):
        return None
    content = files.read_bytes(path, files.READ_CAP_BYTES + 1)
    if content is None or len(content) > files.READ_CAP_BYTES:
        raise HoldfastError(f"{name} cannot be read whole", hint="write it there yourself")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise HoldfastError(f"{name} is not UTF-8", hint="write it there yourself") from error
    return content


def _only(root: str) -> str:
    """The one instruction file that is there; a link to another is the same file."""
    by_path = {os.path.realpath(f"{root}/{name}"): name for name in reversed(INSTRUCTION_FILES)}
    there: list[str] = [name for path, name in by_path.items() if os.path.exists(path)]
    if len(there) == 1:
        return there[0]
    which = f"{' and '.join(sorted(there))} are both there" if there else "there is none here yet"
    names = " or ".join(f"--file {name}" for name in INSTRUCTION_FILES)
    raise HoldfastError(f"which instruction file? {which}", hint=f"say {names}")


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
}
HOLDS = {ASKS: "you are asked", DENY: "the agent is refused"}
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
    gate: str
    broken: int
    scope: str
    branch: str
    times_told: int


class RulesListed(TypedDict):
    """Rules, and how many candidates there are."""

    rules: list[ListedRule]
    candidates: int


class RuleRow(TypedDict):
    """A rule, word for word."""

    id: str
    text: str
    sort: str
    at: str
    session: str


class RuleEnforced(TypedDict):
    """A rule, the requirement that makes it hold, and whether that asks or refuses."""

    rule: RuleRow
    requirement: str
    answer: str


class RuleChanged(TypedDict):
    """A rule, and what was changed of it: the one before, its scope, the file it stands in."""

    rule: RuleRow
    before: NotRequired[str]
    scope: NotRequired[str]
    file: NotRequired[str]


def listed(*, every: bool, candidates: bool, dead_end: bool) -> Report[RulesListed]:
    """List the rules in force here, word for word.

    With --candidates, what was heard in prompts and no session is told.
    """
    place = place_here.place()
    store = place.workspace.store
    in_force = {rule["id"]: rule["standing"] for rule in commands.rules_here(place)}
    gone = prompt_queries.withdrawals(store, place.project)
    times = prompt_queries.times_told(store, place.project)
    gates = own_gates.read(place.root)
    rules = [
        _described(
            *(rule, in_force.get(rule.id), gone.get(rule.id), times.get(rule.id, 0)),
            gates.get(own_gates.name_of(rule), {}).get("answer", ""),
        )
        for rule in prompt_queries.all_rules(store, place.project)
        if not dead_end or rule.sort == "dead_end"
    ]
    shown = [rule for rule in rules if every or rule["candidate" if candidates else "in_force"]]
    waiting = sum(rule["candidate"] for rule in rules)
    lines = [line for rule in shown for line in _lines(store, rule)]
    lines = lines or list(NO_CANDIDATES if candidates else NONE)
    if shown and candidates:
        lines.append("`holdfast rules keep ID` makes a rule of one.")
    elif waiting and not every:
        lines.append(f"{plural(waiting, 'candidate')}: `holdfast rules --candidates`")
    return Report(lines, {"rules": shown, "candidates": waiting})


def add(*, text: tuple[str, ...], dead_end: bool) -> Report[RuleChanged]:
    """Give a rule that every session is told."""
    place = person_check.ask_here("rules add")
    made = commands.give_rule(place, " ".join(text), dead_end=dead_end)
    return _done(made, "In force in every session:")


def keep(*, id_: str) -> Report[RuleChanged]:
    """Make a rule of a candidate, or undo a withdrawal."""
    place = person_check.ask_here("rules keep")
    rule = _named(place, id_)
    if rule.withdrawn or rule.standing not in ("command", "kept"):
        commands.keep_rule(place, rule.id)
    return _done(rule.as_dict(), "In force in every session:")


def drop(*, id_: str) -> Report[RuleChanged]:
    """Withdraw a rule."""
    place = person_check.ask_here("rules drop")
    rule = _standing(place, id_)
    commands.withdraw(place, rule.id)
    return _done(rule.as_dict(), "No longer in force:")


def edit(*, id_: str, text: tuple[str, ...]) -> Report[RuleChanged]:
    """Reword a rule."""
    place = person_check.ask_here("rules edit")
    rule = _standing(place, id_)
    made = commands.reword(place, rule, " ".join(text))
    return _done(made, f"In force in place of {rule.id[:SHORT]}:", before=rule.id)


def scope(*, id_: str, scope: str) -> Report[RuleChanged]:
    """Limit a rule to its task and branch, or lift that limit."""
    place = person_check.ask_here("rules scope")
    rule = _standing(place, id_)
    commands.scope_rule(place, rule, scope)
    on = f" (on {rule.branch})" if rule.branch else ""
    what = f"Told on its task{on} alone:" if scope == "task" else "Told in the whole project:"
    return _done(rule.as_dict(), what, scope=scope)


def write(*, id_: str, file: str | None) -> Report[RuleChanged]:
    """Put a rule into the project's instruction file.

    It becomes a bullet under `## Rules`, once. What stands there is not told again.
    """
    place = person_check.ask_here("rules write")
    rule = _standing(place, id_)
    path, is_new = write_into(place.root, rule.text, file)
    what = f"Written to {path}:" if is_new else f"It stands in {path} already:"
    return _done(rule.as_dict(), what, file=path)


def enforce(*, id_: str, ask: bool, deny: bool, off: bool) -> Report[RuleEnforced]:
    """Make a rule hold by a gate that stands before what it forbids.

    The gate is made of the rule's words, and asks you; where the agent would not show you why, it
    refuses. It counts as long as the rule does.
    """
    if ask + deny + off > 1:
        place_here.misuse("say one of --ask, --deny and --off")
    place = person_check.ask_here("rules enforce")
    rule = _named(place, id_) if off else _standing(place, id_)
    if off:
        what = "Asked no more:" if own_gates.release(place.root, rule) else "It had no gate:"
        commands.note_turn(place, rule.id, "released", "")
        released = (what, with_id(rule.id, rule.text))
        return Report(released, {"rule": shaped(RuleRow, rule), "requirement": "", "answer": ""})
    answer = DENY if deny else ASKS if ask else ""
    name, proposal, answer = own_gates.enforce(place.root, rule, answer)
    commands.note_turn(place, rule.id, "enforced", answer)
    lines = (
        f"Made to hold, as {name}: {gate_offers.sentence(proposal, asks=answer == ASKS)}",
        with_id(rule.id, rule.text),
        f"`holdfast rules enforce {rule.id[:SHORT]} --off` takes it back.",
    )
    return Report(lines, {"rule": shaped(RuleRow, rule), "requirement": name, "answer": answer})


def _named(place: Place, given: str) -> GivenRule:
    """A rule or candidate, withdrawn ones too."""
    rules = prompt_queries.all_rules(place.workspace.store, place.project)
    return named(rules, given, "rule", SEE)


def _standing(place: Place, given: str) -> GivenRule:
    """One that was not withdrawn."""
    rule = _named(place, given)
    if rule.withdrawn:
        raise HoldfastError(
            f"{rule.id[:SHORT]} was dropped already",
            hint=f"`holdfast rules keep {rule.id[:SHORT]}` takes that back",
        )
    return rule


def _done(rule: Mapping[str, Any], what: str, **more: str) -> Report[RuleChanged]:
    offer = gate_offers.offer(rule["id"], rule["text"]) if "In force" in what else None
    return Report(
        (what, with_id(rule["id"], rule["text"]), *([offer] if offer else [])),
        cast("RuleChanged", {"rule": shaped(RuleRow, rule), **more}),
    )


def _described(
    rule: GivenRule, standing: str | None, gone: Withdrawal | None, times: int, gate: str
) -> ListedRule:
    """A rule with where it holds and why; `standing` is None where it is not in force."""
    in_force = standing is not None
    elsewhere = "holds elsewhere" if rule.standing else "told to no session"
    why = BY[standing] if standing is not None else elsewhere
    if rule.withdrawn and gone:
        words = f": {inline(gone.words, 80)}" if gone.words else ""
        why = f"{TURNS[gone.turn]} {day(gone.at)} by {gone.how}{words}"
    return shaped(
        ListedRule,
        rule,
        in_force=in_force,
        candidate=not (rule.withdrawn or rule.standing),
        why=why,
        whose=attribution.whose(rule),
        gate=gate,
        broken=int(rule.broken.split()[0]),
        times_told=times,
    )


def _lines(store: Store, rule: ListedRule) -> list[str]:
    """The rule, and what makes it hold, or how often it was broken."""
    lines = [_line(rule)]
    if rule["gate"]:
        lines.append(f"{' ' * (SHORT + 4)}made to hold: {HOLDS[rule['gate']]}")
    elif rule["broken"]:
        turns = prompt_queries.turns_of(store, rule["id"], "broken")
        since, last = day(turns[-1].at), turns[0]
        lines.append(
            f"{' ' * (SHORT + 4)}broken {times(rule['broken'])} since {since}, last:"
            f" `{inline(last.words, 80)}` in {short(last.session)}"
        )
        offer = gate_offers.offer(rule["id"], rule["text"])
        lines += [f"{' ' * (SHORT + 4)}{offer}"] if offer else []
    return lines


def _line(rule: ListedRule) -> str:
    on = f" on {rule['branch']}" if rule["branch"] else ""
    scope = f"for its task{on}" if rule["scope"] == "task" else "for the project"
    notes = [rule["sort"].replace("_", " "), rule["whose"], rule["why"], day(rule["at"]), scope]
    if rule["times_told"] or rule["in_force"]:
        notes.append(f"told {times(rule['times_told'])}" if rule["times_told"] else "not told yet")
    if rule["session"]:
        notes.append(short(rule["session"]))
    notes = [note for note in notes if note]
    mark = "●" if rule["in_force"] else "·"
    text = f"{mark} {rule['id'][:SHORT]}  {verbatim(rule['text'], SHORT + 4)}"
    return fitted(text, f"({', '.join(notes)})", SHORT + 4)


DEAD_END = flag("--dead-end", help="An approach that has failed.")
VERBS = {
    "list": Verb(
        listed,
        flag("--all", "every", help="Also candidates and withdrawn rules."),
        flag("--candidates", help="What sounded like a rule and is not told."),
        flag("--dead-end", help="Only approaches that have failed."),
    ),
    "add": Verb(add, TEXT, DEAD_END),
    "keep": Verb(keep, ID),
    "drop": Verb(drop, ID),
    "edit": Verb(edit, ID, TEXT),
    "scope": Verb(scope, ID, argument("scope", type=click.Choice(SCOPES))),
    "enforce": Verb(
        enforce,
        ID,
        flag("--ask", help="Ask you, where the agent shows why."),
        flag("--deny", help="Refuse."),
        flag("--off", help="Take the gate away."),
    ),
    "write": Verb(
        write,
        ID,
        option(
            "--file",
            type=click.Choice(INSTRUCTION_FILES),
            help="Which file; by default the one that exists.",
        ),
    ),
}
