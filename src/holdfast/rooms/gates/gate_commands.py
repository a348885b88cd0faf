"""What is done to gates by command: satisfy, approve, clear, prune, switch, agree on a contract.

Laws: an act on several requirements is one transaction, all of them or none, and each is an entry;
a name that nobody knows stops the act; what would be kept cut is refused. Whose act it may be is
for the door to ask.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdfast.config.requirement_type import Lasting, Requirements
from holdfast.errors import HoldfastError, NotFound
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.gates import contract, queries, requirement_files, scopes
from holdfast.rooms.gates.scopes import State
from holdfast.system import environment, files, paths

if TYPE_CHECKING:
    from holdfast.rooms.gates.queries import StoredContract

Body = dict[str, Any]  # of an entry that was kept, with its time

COMMAND = "command"
WORDS_CAP = 1_000
CRITERION_CAP = 300
ALL = ""  # the requirement of a switch that is for every one of them
SESSIONS = "`holdfast req sessions` lists those at work"


@dataclass(frozen=True)
class Place:
    """Where an act counts: which project and branch, for which session, when."""

    workspace: Workspace
    project: str
    session: str  # "" where none is at work
    worktree: str
    branch: str
    common: str  # the folder that worktrees share, "" without git
    at: str
    requirements: Requirements  # all that read, with those that are switched off


# Satisfied and approved


def satisfy(
    place: Place, names: Sequence[str], *, whole_branch: bool = False, words: str = ""
) -> list[Body]:
    """By a person's word, which needs no further proof: for this session, or for the branch."""
    chosen = _chosen(place, names)
    for name, requirement in chosen.items():
        if requirement["type"] == scopes.GUARD:
            raise HoldfastError(
                f"{name} is a condition, which nobody satisfies",
                hint=f"`holdfast req approve {name}` lets a session pass for a while",
            )
        if requirement["scope"] in scopes.PER_SESSION and not whole_branch:
            _need_session(place, name)
    return meet(place, chosen, scopes.CLI, whole_branch=whole_branch, words=words)


def approve(
    place: Place, names: Sequence[str], *, seconds: int | None = None, words: str = ""
) -> list[Body]:
    """Let one session pass for a time, whatever the scope."""
    chosen = _chosen(place, names)
    for name in chosen:
        _need_session(place, name)
    return meet(place, chosen, scopes.APPROVAL, seconds=seconds, words=words)


def meet(
    place: Place,
    chosen: Mapping[str, Lasting],
    by: str,
    *,
    whole_branch: bool = False,
    seconds: int | None = None,
    words: str = "",
) -> list[Body]:
    """Keep that requirements are satisfied; what was kept of each."""
    if len(words) > WORDS_CAP:
        raise HoldfastError(
            f"{len(words)} characters are too many: {WORDS_CAP} are kept",
            hint="name a file that says more",
        )
    made = []
    with place.workspace.store.transaction():
        for name, requirement in chosen.items():
            whose = scopes.kept_with(
                requirement["scope"], place.session, by, whole_branch=whole_branch
            )
            body = {
                "requirement": name,
                "branch": place.branch,
                "whose": whose,
                "by": by,
                "words": words,
            }
            expires_at = scopes.expiry(requirement, by, place.at, seconds)
            if expires_at is not None:
                body["expires_at"] = expires_at
            made.append(_keep(place, "requirement_met", body, session=whose))
    render(place)
    return made


def trigger(place: Place, name: str) -> bool:
    """Arm a requirement for this session; False when it was armed before."""
    with place.workspace.store.transaction():
        if scopes.is_triggered(states_of(place, name), place.session):
            return False
        body = {"requirement": name, "branch": place.branch, "tool": ""}
        _keep(place, "requirement_triggered", body, session=place.session)
    render(place)
    return True


# Cleared


def clear(place: Place, names: Sequence[str], *, whose: str | None = None) -> list[Body]:
    """What is known of requirements on this branch goes: of everybody, or of one session. Names
    that the configuration no longer has count as long as anything is known of them."""
    with place.workspace.store.transaction():
        states = queries.states(place.workspace.store, place.project, place.branch)
        for name in names:
            known(name, {*place.requirements, *(state.requirement for state in states)})
        gone = [
            state
            for state in states
            if state.requirement in names and whose in (None, state.session)
        ]
        made = _clear(place, place.branch, gone, COMMAND)
    render(place)
    return made


def names_kept(place: Place) -> list[str]:
    """The requirements of which anything is known on this branch."""
    states = queries.states(place.workspace.store, place.project, place.branch)
    return sorted({state.requirement for state in states})


def gone_branches(place: Place, kept: Collection[str]) -> dict[str, list[str]]:
    """Branches that are not among those git has, and what is known of them."""
    store, gone = place.workspace.store, {}
    for branch in queries.branches(store, place.project):
        states = queries.states(store, place.project, branch) if branch not in kept else []
        if states and branch:
            gone[branch] = sorted({state.requirement for state in states})
    return gone


def prune(place: Place, kept: Collection[str]) -> dict[str, list[str]]:
    """Clear what is known of branches that are gone, and take their mirrors away."""
    store = place.workspace.store
    with store.transaction():
        gone = gone_branches(place, kept)
        for branch in gone:
            _clear(place, branch, queries.states(store, place.project, branch), "pruned")
    _remove_mirrors(place, kept)
    return gone


def _clear(place: Place, branch: str, states: Iterable[State], why: str) -> list[Body]:
    made = []
    for state in states:
        body = {
            "requirement": state.requirement,
            "branch": branch,
            "whose": state.session,
            "why": why,
        }
        made.append(_keep(place, "requirement_cleared", body, session=state.session))
    return made


def _remove_mirrors(place: Place, kept: Collection[str]) -> None:
    if not place.common:
        return
    names = {requirement_files.path_of(place.common, branch).rpartition("/")[2] for branch in kept}
    ours = paths.project_folder(place.common)
    folder = f"{ours}/requirements"
    for name in files.names_in(folder) if files.is_ours(ours) else ():
        if name.endswith(".json") and name not in names:
            try:
                environment.system.unlink(f"{folder}/{name}")
            except OSError:
                pass  # somebody else's, or gone: nothing is read from it


# Switched


def switch(place: Place, names: Sequence[str], *, on: bool) -> list[Body]:
    """Requirements on and off, for every session of the project."""
    for name, requirement in _chosen(place, names).items():
        if on and not requirement["enabled"]:
            raise HoldfastError(
                f"{name} is switched off by the configuration",
                hint="`holdfast req config --sources` names the file to change",
            )
    with place.workspace.store.transaction():
        return [_switch(place, name, scopes.ROOT, on=on) for name in names]


def pause(place: Place, *, whole_project: bool, on: bool) -> Body:
    """All gates on and off: for one session, or for all of the project."""
    if not whole_project and not place.session:
        raise HoldfastError(
            "no session is at work here whose gates could be switched",
            hint=f"--project is for all of them, --session ID for one: {SESSIONS}",
        )
    with place.workspace.store.transaction():
        return _switch(place, ALL, scopes.ROOT if whole_project else place.session, on=on)


def _switch(place: Place, name: str, whose: str, *, on: bool) -> Body:
    body = {"requirement": name, "whose": whose, "on": on}
    return _keep(place, "gates_switched", body, session=whose)


# The contract


def agree(
    place: Place,
    goal: str,
    criteria: Sequence[str],
    evidence: Sequence[str] | None,
    *,
    thread: str = "",
    author: str = "",
) -> contract.Contract:
    """A session's contract, in place of the one before; tests are asked for unless said. It is made
    for the task of a thread, or for the first that comes."""
    _need_session(place, "a contract")
    goal = _within(goal, "a goal", contract.GOAL_CAP)
    if len(criteria) > contract.CRITERIA_CAP:
        raise HoldfastError(
            f"{len(criteria)} criteria are too many: {contract.CRITERIA_CAP} are kept",
            hint="say which of them count",
        )
    draft = {
        "goal": goal,
        "criteria": [_within(criterion, "a criterion", CRITERION_CAP) for criterion in criteria],
    }
    if evidence is not None:
        draft["evidence_required"] = list(evidence)
    made, complaints = contract.read(draft)
    if complaints:
        raise HoldfastError(complaints[0], hint="`holdfast contract --help` shows how")
    with place.workspace.store.transaction():
        body = {**made.as_dict(), "thread": thread, "author": author}
        _keep(place, "contract_set", body, session=place.session)
    return made


def release(place: Place) -> bool:
    """No contract any more; False when there was none."""
    _need_session(place, "a contract")
    with place.workspace.store.transaction():
        if agreed(place) is None:
            return False
        nothing = contract.Contract("", (), ())
        _keep(place, "contract_set", nothing.as_dict(), session=place.session)
        return True


def agreed(place: Place) -> StoredContract | None:
    """The contract in force; an empty one is what a released one leaves."""
    row = queries.contract(place.workspace.store, place.session) if place.session else None
    return row if row and (row["goal"] or row["evidence_required"]) else None


# Names


def known(name: str, names: Collection[str]) -> str:
    """The name; NotFound with what was perhaps meant."""
    if name in names:
        return name
    near = difflib.get_close_matches(
        name.lower(), {candidate.lower(): candidate for candidate in names}, n=1
    )
    if near:
        meant = next(candidate for candidate in names if candidate.lower() == near[0])
        raise NotFound(f"no requirement {name}", hint=f"did you mean {meant}?")
    there = "`holdfast req list` names them" if names else "`holdfast req init` writes some"
    raise NotFound(f"no requirement {name}", hint=there)


def _chosen(place: Place, names: Sequence[str]) -> Requirements:
    return {name: place.requirements[known(name, place.requirements)] for name in names}


def states_of(place: Place, name: str) -> list[State]:
    """The rows of one requirement that count for this session: the root's and its own."""
    states = queries.states(place.workspace.store, place.project, place.branch, place.session)
    return [state for state in states if state.requirement == name]


def said_of(note: str, metadata: str) -> str:
    """A person's words, or a table of theirs, as they are kept."""
    if not metadata:
        return note.strip()
    try:
        table = json.loads(metadata)
    except ValueError as error:
        raise HoldfastError(
            f"the metadata is no JSON: {error}", hint='such as {"by": "me"}'
        ) from error
    return json.dumps(table, ensure_ascii=False)


def _need_session(place: Place, name: str) -> None:
    if not place.session:
        raise HoldfastError(
            f"{name} counts for one session, and none is at work here",
            hint=f"name one with --session ID: {SESSIONS}",
        )


def _within(text: str, what: str, cap: int) -> str:
    text = " ".join(text.split())
    if not text:
        raise HoldfastError(f"{what} needs words", hint="write them in quotation marks")
    if len(text) > cap:
        raise HoldfastError(
            f"{len(text)} characters are too many for {what}: {cap} are kept",
            hint="say it in fewer words",
        )
    return text


# Keeping


def render(place: Place) -> None:
    """The branch's state as a file, after the commit."""
    if place.common:
        active = {name: each for name, each in place.requirements.items() if each["enabled"]}
        store = place.workspace.store
        requirement_files.render(store, place.project, place.branch, place.common, active)


def _keep(place: Place, kind: str, body: Body, *, session: str) -> Body:
    """One entry in the caller's transaction; what it says. It belongs to whom it counts for."""
    entry = place.workspace.say(kind, body, at=place.at, project=place.project, session=session)
    return {"at": place.at, **entry.body}
