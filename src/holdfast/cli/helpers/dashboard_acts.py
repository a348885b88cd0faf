"""What commands know and the dashboard shows as well, in a project by its id: recall, gates; and
what a person may do there: each act is a command's, with the command's own check.

Law: every act asks for a person as its command does, and is kept in the person's name; what a
command cannot undo is done only when its name was typed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from holdfast.cli.helpers import (
    gates_here,
    person_check,
    project_files,
    recall_views,
    requirement_status,
)
from holdfast.cli.helpers.project_files import ProjectFiles
from holdfast.cli.helpers.recall_views import Filters, Recalled
from holdfast.cli.helpers.wording import plural
from holdfast.errors import HoldfastError, NotFound
from holdfast.hook.voice import inline
from holdfast.ledger.workspace import existing
from holdfast.rooms.decisions.deciding import Here
from holdfast.rooms.gates import gate_commands, own_gates, queries as gate_queries, repository_trust
from holdfast.rooms.prompts import choice_queries, gate_offers, queries as prompts
from holdfast.rooms.prompts.attribution import PERSON
from holdfast.rooms.prompts.queries import GivenRule
from holdfast.rooms.sessions import acting_session, forgetting, queries, work_tree
from holdfast.rooms.sessions.git_branch import branch_of
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands, queries as work
from holdfast.rooms.work.commands import Place
from holdfast.system import clock, files
from holdfast.web.visit import Done, Form, Gates

Shown = TypeVar("Shown")

WORDS = 60
MINUTES = 24 * 60
SCOPES = ("project", "task")


# What is shown


def place_of(project: str, session: str = "") -> Place:
    """A project as an act on the dashboard finds it: of no session, unless one is named."""
    workspace = existing()
    store = workspace.store
    row = queries.project(store, project)
    if row is None:
        raise NotFound("there is no such project", hint="the page Now lists those that are")
    latest = queries.of_project(store, row[0], 1)
    root = latest[0].worktree if latest and files.is_folder(latest[0].worktree) else row[2]
    newest = acting_session.newest(store, row[0], root)
    gitdir = newest.gitdir if newest and newest.worktree == root else ""
    return Place(
        workspace,
        row[0],
        session,
        newest.id if newest else "",
        clock.now(),
        workspace.settings(root),
        root,
        branch_of(gitdir) if gitdir else "",
    )


def recall(project: str, words: str, level: str) -> Recalled:
    here = place_of(project)
    about = Here(here.workspace, project=here.project, root=here.root, at=here.at)
    files_of = ProjectFiles(here, about, "", "")
    return recall_views.recall(files_of, words, level, Filters()).data


def gate_place(project: str, session: str = "") -> gate_commands.Place:
    """Where gates are judged: for the session that is named, or that is at work. A session that
    has ended is judged on the branch it was on."""
    here = place_of(project)
    store = here.workspace.store
    acting = acting_session.acting(store, here.project, here.root)
    own = queries.find(store, session) if session else acting
    if own is not None and own.project == here.project:
        return gates_here.of_session(here.workspace, own, own.branch if own.ended_at else None)
    return gates_here.of_no_session(here, work_tree.look(here.root))


def gates(project: str, session: str) -> Gates:
    place = gate_place(project, session)
    store = place.workspace.store
    is_off, _ = gate_queries.is_off(store, place.project, place.session)
    own = queries.find(store, place.session) if place.session else None
    return Gates(
        branch=place.branch,
        session=place.session,
        is_at_work=bool(own and not own.ended_at),
        is_paused=is_off,
        listed=[
            {**row, "description": each["description"] or each["message"]}
            for row in requirement_status.standing(place)
            for each in (place.requirements[row["name"]],)
        ],
        waiting=[
            f"{each.name}: {line}"
            for each in repository_trust.asked(place.worktree)
            for line in each.waiting
        ],
    )


# What is done


def _known(value: Shown | None, what: str) -> Shown:
    if value is None:
        raise NotFound(f"there is no such {what}", hint="load the page again")
    return value


def _rule(form: Form) -> tuple[GivenRule, Place]:
    """The rule that a form names, and its project."""
    rule = _known(prompts.rule(existing().store, form.get("id", "")), "rule")
    return rule, place_of(rule.project)


def add_rule(form: Form) -> Done:
    person_check.ask("rules add")
    made = commands.give_rule(place_of(form.get("project", "")), form.get("text", ""))
    line = f"In force in every session: {inline(made['text'], WORDS)}"
    return Done(line, "rules-drop", {"id": made["id"]})


def drop_rule(form: Form) -> Done:
    person_check.ask("rules drop")
    rule, place = _rule(form)
    if rule.withdrawn:
        raise HoldfastError("that rule was withdrawn before", hint="load the page again")
    commands.withdraw(place, rule.id)
    return Done(f"No longer in force: {inline(rule.text, WORDS)}", "rules-keep", {"id": rule.id})


def keep_rule(form: Form) -> Done:
    person_check.ask("rules keep")
    rule, place = _rule(form)
    if rule.withdrawn or rule.standing not in ("command", "kept"):
        commands.keep_rule(place, rule.id)
    line = f"In force in every session: {inline(rule.text, WORDS)}"
    return Done(line, "rules-drop", {"id": rule.id})


def edit_rule(form: Form) -> Done:
    person_check.ask("rules edit")
    rule, place = _rule(form)
    made = commands.reword(place, rule, form.get("text", ""))
    line = f"In force in its place: {inline(made['text'], WORDS)}"
    return Done(line, "rules-edit", {"id": made["id"], "text": rule.text})


def scope_rule(form: Form) -> Done:
    person_check.ask("rules scope")
    rule, place = _rule(form)
    scope = form.get("scope", "")
    if scope not in SCOPES:
        raise HoldfastError("a rule holds for the project or for its task", hint="choose one")
    commands.scope_rule(place, rule, scope)
    where = "on its task and branch alone" if scope == "task" else "in the whole project"
    back = {"id": rule.id, "scope": rule.scope or "project"}
    return Done(f"Told {where}: {inline(rule.text, WORDS)}", "rules-scope", back)


def enforce_rule(form: Form) -> Done:
    person_check.ask("rules enforce")
    rule, place = _rule(form)
    if form.get("off"):
        own_gates.release(place.root, rule)
        commands.note_turn(place, rule.id, "released", "")
        line = f"Asked no more: {inline(rule.text, WORDS)}"
        return Done(line, "rules-enforce", {"id": rule.id})
    _, proposal, answer = own_gates.enforce(place.root, rule, "")
    commands.note_turn(place, rule.id, "enforced", answer)
    line = f"Made to hold: {gate_offers.sentence(proposal)}"
    return Done(line, "rules-enforce", {"id": rule.id, "off": "1"})


def drop_choice(form: Form) -> Done:
    person_check.ask("choices drop")
    id_ = _turn_choice(form, commands.withdraw)
    return Done("That choice is told to no session any more.", "choices-keep", {"id": id_})


def keep_choice(form: Form) -> Done:
    person_check.ask("choices keep")
    id_ = _turn_choice(form, commands.keep_rule)
    return Done("That choice is told again.", "choices-drop", {"id": id_})


def _turn_choice(form: Form, turn: Callable[[Place, str], object]) -> str:
    choice = _known(choice_queries.choice(existing().store, form.get("id", "")), "choice")
    turn(place_of(choice.project), choice.id)
    return choice.id


def pin(form: Form) -> Done:
    place = place_of(form.get("project", ""))
    made = commands.pin(place, form.get("text", ""), author=PERSON)
    line = f"Pinned for every session here: {inline(made['content'], WORDS)}"
    return Done(line, "unpin", {"id": made["id"]})


def unpin(form: Form) -> Done:
    known = _known(work.pin(existing().store, form.get("id", "")), "pin")
    commands.withdraw(place_of(known.project), known.id)
    back = {"project": known.project, "text": known.content}
    return Done(f"Not pinned any more: {inline(known.content, WORDS)}", "pin", back)


def approve(form: Form) -> Done:
    person_check.ask("req approve")
    minutes = form.get("minutes", "")
    is_number = minutes.isascii() and minutes.isdecimal() and len(minutes) < 6
    if not (is_number and 0 < int(minutes) <= MINUTES):
        raise HoldfastError(f"an approval lasts 1 to {MINUTES} minutes", hint="say how many")
    name, project = form.get("name", ""), form.get("project", "")
    place = gate_place(project, form.get("session", ""))
    gate_commands.approve(place, [name], seconds=int(minutes) * 60)
    line = f"{name} lets session {short(place.session)} pass for {plural(int(minutes), 'minute')}."
    back = {"project": project, "session": place.session, "name": name}
    return Done(line, "clear", back)


def clear(form: Form) -> Done:
    person_check.ask("req clear")
    place = gate_place(form.get("project", ""), form.get("session", ""))
    name = form.get("name", "")
    gate_commands.clear(place, [name], whose=place.session)
    return Done(f"{name} is asked for again.")


def trust(form: Form) -> Done:
    person_check.ask("trust")
    place = place_of(form.get("project", ""))
    asked = repository_trust.asked(place.root)
    many = sum(len(each.waiting) for each in asked)
    repository_trust.give(place.workspace, place.project, place.root, asked)
    line = f"{plural(many, 'thing')} that waited: allowed from now on."
    return Done(line, "untrust", {"project": place.project})


def untrust(form: Form) -> Done:
    person_check.ask("trust")
    place = place_of(form.get("project", ""))
    names = repository_trust.revoke(place.workspace, place.project, place.root)
    return Done(f"Not trusted any more: {', '.join(names) or 'nothing was'}.")


def go_on_from(form: Form) -> Done:
    session = _known(queries.find(existing().store, form.get("session", "")), "session")
    commands.continue_from(place_of(session.project), session.as_dict())
    line = f"The next session that begins goes on from {short(session.id)}."
    return Done(line, "continue-off", {"project": session.project})


def go_on_from_none(form: Form) -> Done:
    commands.continue_from_none(place_of(form.get("project", "")))
    return Done("The next session that begins goes on from the one that fits best.")


def forget(form: Form) -> Done:
    workspace = existing()
    session = _known(queries.find(workspace.store, form.get("session", "")), "session")
    plan = forgetting.plan_sessions(workspace, (session.id,), short(session.id))
    if form.get("typed", "") != plan.name:
        raise HoldfastError("that is not its name; nothing was changed", hint="type it as it is")
    person_check.ask_outside("forget")
    gone = project_files.forget(workspace, plan)
    stays = f" Stays: {'; '.join(plan.left[:3])}." if plan.left else ""
    entries = plural(gone, "entry", "entries")
    standing = " What you own of it and still stands is the project's." if plan.standing else ""
    return Done(f"{plan.name} is forgotten: the text of {entries} is gone.{standing}{stays}")


ACTS: dict[str, Callable[[Form], Done]] = {
    "rules-add": add_rule,
    "rules-drop": drop_rule,
    "rules-keep": keep_rule,
    "rules-edit": edit_rule,
    "rules-scope": scope_rule,
    "rules-enforce": enforce_rule,
    "choices-drop": drop_choice,
    "choices-keep": keep_choice,
    "pin": pin,
    "unpin": unpin,
    "approve": approve,
    "clear": clear,
    "trust": trust,
    "untrust": untrust,
    "continue": go_on_from,
    "continue-off": go_on_from_none,
    "forget": forget,
}
