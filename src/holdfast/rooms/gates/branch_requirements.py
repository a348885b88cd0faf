"""Requirements for programs: satisfy, trigger and clear them without the command line.

    reqs = BranchRequirements(branch, session_id, project_dir)
    reqs.satisfy("commit_plan", scope="session", method="skill", metadata={"skill": "plan"})
    reqs.is_satisfied("commit_plan")

A name need not be configured: `scope` says how long a satisfaction lasts. Each act is an entry.
What is the person's as a command is the person's here, too: without a terminal, or with an agent
around, satisfying and clearing raise HoldfastError; what passes with signs that nobody typed it is
kept with them and told, as a command is. `is_satisfied` answers for what was kept; proof,
conditions and numbers are judged when a tool is asked for.
"""

from __future__ import annotations

import json
import os
from typing import Any

from holdfast.config import requirement
from holdfast.config.compiler import requirement_layers
from holdfast.config.demands import OUR_NAMES
from holdfast.config.requirement_type import Lasting
from holdfast.errors import Ambiguous, HoldfastError, NotFound
from holdfast.hook.event import session_id as normalised
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace, existing
from holdfast.rooms.gates import agent_around, gate_commands, scopes
from holdfast.rooms.gates.gate_commands import Place
from holdfast.rooms.gates.protection import persons_acts
from holdfast.system import clock, git
from holdfast.system.repository import id_on_file

__all__ = ["BranchRequirements"]

METHOD_CAP = 40
GIT_LIMIT_S = 5.0


class BranchRequirements:
    """The requirements of one branch, for one session of a project that Holdfast knows."""

    def __init__(self, branch: str, session_id: str, project_dir: str | os.PathLike[str]) -> None:
        self._workspace = existing()
        self._root, self._common = _repository(os.path.realpath(project_dir))
        self._project = _project(self._workspace, self._common, session_id, self._root)
        self._workspace.settings(self._root)  # with them come patterns of secrets
        layers, _ = requirement_layers(self._root)
        self._requirements, _ = requirement.compile_all(layers, OUR_NAMES)
        self.branch = branch
        self.session_id = _session(self._workspace, session_id)

    def is_satisfied(self, req_name: str, scope: str = "session") -> bool:
        """Whether it was satisfied, for this session and now."""
        place = self._place()
        states = gate_commands.states_of(place, req_name)
        return scopes.is_satisfied(_known(scope), states, self.session_id, place.at)

    def is_triggered(self, req_name: str, scope: str = "session") -> bool:
        """Whether a tool that it stands in front of has run in this session, whatever the scope."""
        _known(scope)
        return scopes.is_triggered(
            gate_commands.states_of(self._place(), req_name), self.session_id
        )

    def mark_triggered(self, req_name: str, scope: str = "session") -> None:
        _known(scope)
        gate_commands.trigger(self._place(), _named(req_name))

    def satisfy(
        self,
        req_name: str,
        scope: str = "session",
        method: str = "skill",
        metadata: dict[str, Any] | None = None,
        ttl: int | None = None,
    ) -> None:
        """From now on and as long as its scope says; an approval, or with `ttl`, for so many
        seconds."""
        self._ask_for_a_person("satisfy")
        if not 0 < len(method) <= METHOD_CAP:
            raise HoldfastError(f"no method {method!r}", hint="such as skill, cli or approval")
        known = self._requirements.get(req_name)
        usual_ttl = requirement.FIELDS["approval_ttl"].default
        fields: Lasting = {
            "scope": _known(scope),
            "approval_ttl": known["approval_ttl"] if known else usual_ttl,
            "replan_ttl": known["replan_ttl"] if known else None,
        }
        words = json.dumps(metadata, ensure_ascii=False) if metadata else ""
        gate_commands.meet(
            self._place(), {_named(req_name): fields}, method, seconds=ttl, words=words
        )

    def clear_single_use(self, req_name: str) -> bool:
        """What this session satisfied is used up; False when there was nothing of it, or when the
        requirement is not for a single use."""
        known = self._requirements.get(req_name)
        if known and known["scope"] != scopes.SINGLE_USE:
            return False
        return self._clear(req_name, self.session_id)

    def clear(self, req_name: str) -> None:
        """Completely: for the branch, and for every session on it."""
        self._clear(req_name, None)

    def _clear(self, req_name: str, whose: str | None) -> bool:
        """False when there was nothing to clear."""
        self._ask_for_a_person("clear")
        place = self._place()
        if req_name not in gate_commands.names_kept(place):
            return False
        return bool(gate_commands.clear(place, [req_name], whose=whose))

    def _place(self) -> Place:
        return Place(
            self._workspace,
            project=self._project,
            session=self.session_id,
            worktree=self._root,
            branch=self.branch,
            common=self._common,
            at=clock.now(),
            requirements=self._requirements,
        )

    def _ask_for_a_person(self, verb: str) -> None:
        agents = agent_around.registered(self._workspace.state)
        why = agent_around.why_no_person(agents)
        if why:
            raise HoldfastError(
                f"only a person may {verb} a requirement, and {why}; nothing was changed",
                hint="run it in a terminal of your own, outside the agent",
            )
        signs = agent_around.signs(agents)
        if signs:
            act = f"req {verb}"
            body = {"act": act, "signs": signs, "undo": persons_acts.undoing(act)}
            at = clock.now()
            with self._workspace.store.transaction():  # found again by its key: by its time
                key = f"act:{at}:{os.urandom(6).hex()}"
                self._workspace.keep("act_checked", body, key=key, at=at)


def _known(scope: str) -> str:
    if scope not in scopes.SCOPES:
        raise HoldfastError(f"no scope {scope}", hint=f"one of {', '.join(scopes.SCOPES)}")
    return scope


def _named(req_name: str) -> str:
    if not req_name or not requirement.is_name(req_name):
        raise HoldfastError(
            f"{req_name!r} is no name of a requirement",
            hint="at most 64 letters, digits and _ . -",
        )
    return req_name


def _session(workspace: Workspace, given: str) -> str:
    """A session that is known, by the start of its id; else the id as it was given."""
    ids = ledger.sessions_like(workspace.store, given)
    if len(ids) > 1:
        raise Ambiguous(f"{given} fits {len(ids)} sessions", hint=f"such as {ids[0]}")
    return ids[0] if ids else normalised(given)


def _repository(folder: str) -> tuple[str, str]:
    """A folder's worktree, and what its worktrees share; without git the folder, and nothing."""

    def asked(what: str) -> str:
        path = git.said(folder, "rev-parse", what, limit_s=GIT_LIMIT_S)
        return os.path.realpath(os.path.join(folder, path)) if path else ""

    return asked("--show-toplevel") or folder, asked("--git-common-dir")


def _project(workspace: Workspace, common: str, session: str, folder: str) -> str:
    """The project by its id beside the repository, else by the session."""
    stored = id_on_file(common) if common else ""
    known = stored or ledger.whose(workspace.store, _session(workspace, session))[0]
    if not known:
        raise NotFound(
            f"{folder} is no project that Holdfast knows", hint="start the agent there once"
        )
    return known
