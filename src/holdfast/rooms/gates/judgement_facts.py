"""What a judgement rests on: the branch, what was satisfied, evidence, numbers, who else is here.

Each fact is looked up when it is first asked for, and once. Nothing here writes into the store: a
judgement before a tool runs leaves no trace but a number that is used again.
"""

from __future__ import annotations

from holdfast.rooms.gates import queries, scopes
from holdfast.system import clock, environment, files
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Protocol

    from holdfast.config.requirement_type import EvidenceFile, Requirement
    from holdfast.rooms.gates.calculators import Number
    from holdfast.rooms.gates.evidence.tree import Tree
    from holdfast.rooms.gates.queries import Conduct, Proof
    from holdfast.rooms.gates.scopes import State
    from holdfast.store.sqlite import Store

    class Companion(Protocol):
        """Another session at work in the same worktree."""

        @property
        def id(self) -> str: ...
        @property
        def branch(self) -> str: ...
        @property
        def last_active_at(self) -> str: ...


FILES_LOOKED_AT = 50
FOLDERS_LOOKED_AT = 50
NAMES_LOOKED_AT = 2_000
FILE_CAP_BYTES = 256 * 1024
FOLDERS_DEEP = 3


class Facts:
    """One project, one session, one moment."""

    def __init__(
        self,
        store: Store,
        *,
        state: str,
        project: str,
        session: str,
        worktree: str,
        branch: str,
        now: str,
        others: Callable[[], Sequence[Companion]],
        failed: Callable[[Exception], None],
        tree: Tree | None = None,
        may_look: bool = True,
    ) -> None:
        self.store = store
        self.state = state
        self.project = project
        self.session = session
        self.worktree = worktree
        self.branch = branch
        self.now = now
        self.is_before_tool = False
        self.near: dict[str, dict[str, object]] = {}  # numbers that come near their limit
        self.failed = failed  # is told what went wrong and changed no verdict
        self._others = others
        self._tree = tree  # how the files stand now
        self._may_look = may_look  # at them, where nobody has: git may take its time
        self._companions: Sequence[Companion] | None = None
        self._states: dict[str, list[State]] | None = None
        self._switches: tuple[bool, set[str]] | None = None
        self._evidence: dict[str, Proof] | None = None
        self._judged: dict[str, Proof] = {}
        self._edits: list[tuple[str, str]] | None = None
        self._conduct: Conduct | None = None

    def know_no_state(self) -> None:
        """The store cannot be read: nothing was satisfied, approved or switched off."""
        self._states, self._switches, self._companions = {}, (False, set()), []

    def states_of(self, requirement: str) -> list[State]:
        """The rows of one requirement that count for this session: the root's and its own."""
        if self._states is None:
            states: dict[str, list[State]] = {}
            for state in queries.states(self.store, self.project, self.branch, self.session):
                states.setdefault(state.requirement, []).append(state)
            self._states = states
        return self._states.get(requirement, [])

    def switches(self) -> tuple[bool, set[str]]:
        """Whether all gates are off, and which requirements are."""
        if self._switches is None:
            self._switches = queries.is_off(self.store, self.project, self.session)
        return self._switches

    def runs(self) -> dict[str, Proof]:
        """The last evidence of each kind, whatever has changed since."""
        if self._evidence is None:
            self._evidence = queries.evidence(self.store, self.session)
        return self._evidence

    def evidence(self, kinds: Iterable[str]) -> dict[str, Proof]:
        """The last evidence of some kinds, with what of the files that it covers changed since."""
        runs = self.runs()
        for kind in {*kinds} & (runs.keys() - self._judged.keys()):
            proof = self._judged[kind] = runs[kind]
            if proof.passed and proof.tree:
                self._judged[kind] = proof.changed(outdated_by=self._changed_since(kind, proof))
        return {kind: self._judged[kind] for kind in kinds if kind in runs}

    def has_changed(self, globs: Sequence[str]) -> bool:
        """Whether the session edited a file of these, or one is not committed."""
        from holdfast.rooms.gates.path_globs import path_matches

        def fits(names: Iterable[str]) -> bool:
            return any(path_matches(glob, name) for name in names for glob in globs)

        if fits(path for path, _ in self.edits()):
            return True
        now = self.tree()
        return now is not None and fits(now.differing)

    def tree(self) -> Tree | None:
        """How the files stand, where that is known or may be looked at."""
        if self._tree is None and self._may_look:
            environment.bring("tree")
            from holdfast.rooms.gates.evidence import tree

            self._tree = tree.look(self.worktree, [path for path, _ in self.edits()])
        return self._tree

    def _changed_since(self, kind: str, proof: Proof) -> list[str] | None:
        now = self.tree()
        if now is None:
            return None
        from holdfast.rooms.gates.evidence import seen_trees

        return seen_trees.changed_since(self.state, self.session, self.worktree, kind, proof, now)

    def edits(self) -> list[tuple[str, str]]:
        """The files that were edited, and when last."""
        if self._edits is None:
            self._edits = queries.edits(self.store, self.session)
        return self._edits

    def conduct(self) -> Conduct:
        if self._conduct is None:
            self._conduct = queries.conduct_of(self.store, self.session)
        return self._conduct

    def others(self) -> Sequence[Companion]:
        """The other sessions at work in this worktree."""
        if self._companions is None:
            self._companions = self._others()
        return self._companions

    def number(self, requirement: Requirement) -> Number:
        """What a dynamic requirement counts: its value and what belongs to it."""
        from holdfast.rooms.gates import calculators

        return calculators.number(self, requirement["calculator"], requirement["cache_ttl"])

    def is_satisfied(self, name: str, requirement: Requirement) -> bool:
        return scopes.is_satisfied(
            requirement["scope"], self.states_of(name), self.session, self.now
        )

    def is_approved(self, name: str) -> bool:
        return scopes.is_approved(self.states_of(name), self.session, self.now)

    def is_by_person(self, name: str, requirement: Requirement) -> bool:
        """Whether a person's word stands behind it: that needs no further proof."""
        words = [
            state
            for state in self.states_of(name)
            if state.satisfied_by in (scopes.CLI, scopes.APPROVAL)
        ]
        return scopes.is_satisfied(requirement["scope"], words, self.session, self.now)

    def has_file(self, evidence: EvidenceFile) -> bool:
        """Whether a file lies where it should, with what it should hold, and is young enough.
        OSError when it may be there, and nobody can look."""
        unread: list[OSError] = []
        for path in self._newest(evidence["dirs"], evidence["max_age_seconds"], unread):
            content = files.read_text(path, FILE_CAP_BYTES)
            if content is None:
                unread.append(OSError(f"{path} cannot be read"))
            elif all(marker in content for marker in evidence["require_markers"]) and (
                not evidence["require_verdict"]
                or evidence["require_verdict"] in verdict_of(content)
            ):
                return True
        if unread:
            raise unread[0]
        return False

    def _newest(
        self, folders: list[str], max_age_s: int | None, unread: list[OSError]
    ) -> list[str]:
        import os
        from stat import S_ISREG

        def note(error: OSError) -> None:
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                unread.append(error)

        least = clock.seconds_of(self.now) - max_age_s if max_age_s else 0.0
        candidates: list[tuple[float, str]] = []
        for folder in folders:
            root = os.path.join(self.worktree, os.path.expanduser(folder)).rstrip("/")
            for at, (place, below, names) in enumerate(os.walk(root, onerror=note)):
                if at >= FOLDERS_LOOKED_AT or place.count("/") - root.count("/") >= FOLDERS_DEEP:
                    below.clear()
                for name in names[:NAMES_LOOKED_AT]:
                    try:
                        known = os.stat(f"{place}/{name}")
                    except OSError:
                        continue  # gone, or a link to nowhere
                    if S_ISREG(known.st_mode) and known.st_mtime >= least:
                        candidates.append((known.st_mtime, f"{place}/{name}"))
        return [path for _, path in sorted(candidates, reverse=True)[:FILES_LOOKED_AT]]


def verdict_of(content: str) -> str:
    """The text of the section `## Verdict`."""
    section, is_inside = [], False
    for line in content.splitlines():
        if line.startswith("#"):
            is_inside = line.lstrip("#").strip().lower().startswith("verdict")
        elif is_inside:
            section.append(line)
    return "\n".join(section)


class Open(Value):
    """A requirement that is not satisfied. `reason` is what a guard or a number has to say."""

    name: str
    requirement: Requirement
    reason: str = ""
    lacks: Sequence[str] = ()  # of the proof that it names
