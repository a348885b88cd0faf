"""How well quotes are found again: a made-up history, judged commit by commit, and what counts.

right       the standing has the name that is true
relocated   of quotes that moved, the new path and line are the true ones
false       said to be grounded while the quote is gone: there must be none
"""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from decisions.histories import Cited, History, Truth

from holdfast.rooms.decisions.decision import Decision, Evidence, Standing
from holdfast.rooms.decisions.grounding.citation import evidence_at
from holdfast.rooms.decisions.grounding.source_files import Source
from holdfast.rooms.decisions.grounding.standing import judge
from holdfast.store.sqlite import Store

GIT = ("git", "-c", "user.name=dev", "-c", "user.email=dev@example.com", "-c", "gc.auto=0")

FOLLOWED = 6  # commits


@dataclass(frozen=True)
class Case:
    """A quote after a commit that touched its file."""

    commit: str
    evidence: Evidence
    before: Truth  # what was true when it was judged the last time
    truth: Truth
    found: Standing

    def is_right(self) -> bool:
        return self.found.name == self.truth.name

    def is_relocated(self) -> bool:
        return (self.found.path, self.found.line) == (self.truth.path, self.truth.line)

    def is_false(self) -> bool:
        return self.found.name == "grounded" and self.truth.name == "broken"


@dataclass(frozen=True)
class Score:
    cases: list[Case]

    def commits(self) -> int:
        return len({case.commit for case in self.cases})

    def moving(self) -> int:
        """Commits by which the lines of a quote were moved, changed or deleted."""
        return len({case.commit for case in self.cases if case.truth != case.before})

    def by_truth(self) -> Counter[str]:
        return Counter(case.truth.name for case in self.cases)

    def right(self) -> float:
        return sum(case.is_right() for case in self.cases) / len(self.cases)

    def right_if_touched(self) -> float:
        """Of quotes that are no longer as they were: moved, or gone."""
        touched = [case for case in self.cases if case.truth.name != "grounded"]
        return sum(case.is_right() for case in touched) / max(1, len(touched))

    def relocated(self) -> float:
        moved = [case for case in self.cases if case.truth.name == "moved"]
        return sum(case.is_right() and case.is_relocated() for case in moved) / max(1, len(moved))

    def false(self) -> list[Case]:
        return [case for case in self.cases if case.is_false()]

    def wrong(self) -> list[Case]:
        return [
            case
            for case in self.cases
            if not case.is_right() or (case.truth.name == "moved" and not case.is_relocated())
        ]


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        [*GIT, "-C", str(folder), *words], check=True, capture_output=True, text=True, timeout=120
    )
    return done.stdout.strip()


def decision_of(evidence: Iterable[Evidence]) -> Decision:
    made = Decision("d", "as cited")
    made.evidence = list(evidence)
    return made


def score_generated(
    store: Store, folder: Path, *, seed: int, commits: int, quotes: int, in_commits: bool = False
) -> Score:
    """Judge every quote after each commit that touches its file, in the work tree or as a commit
    has it. A quote that is gone, or was judged often, gives its place to another."""
    history = History(seed)
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    head, written = _commit(folder, history, {}, "Begin")
    number = 0
    cited: dict[str, tuple[Cited, Evidence]] = {}
    last: dict[str, Truth] = {}
    cases: list[Case] = []
    followed: Counter[str] = Counter()
    for step in range(commits):
        while len(cited) < quotes:
            number += 1
            one = history.cite()
            cited[f"d:{number}"] = (one, _evidence(one, f"d:{number}", head))
            last[f"d:{number}"] = Truth("grounded", one.path, one.line)
        touched = history.step([one for one, _ in cited.values()])
        head, written = _commit(folder, history, written, f"Step {step}")
        asked = [id_ for id_, (one, _) in cited.items() if {one.path, one.file.path} & touched]
        rev = head if in_commits else ""
        found = judge(store, str(folder), [decision_of(cited[id_][1] for id_ in asked)], at_rev=rev)
        for id_ in asked:
            one, evidence = cited[id_]
            truth = history.truth(one)
            cases.append(Case(head, evidence, last[id_], truth, found[id_]))
            last[id_] = truth
            followed[id_] += 1
            if truth.name == "broken" or followed[id_] == FOLLOWED:
                del cited[id_]
    return Score(cases)


def _evidence(one: Cited, id_: str, commit: str) -> Evidence:
    source = Source(one.file.content())
    made = evidence_at(one.path, source, one.line, one.texts, commit=commit)
    made.id = id_
    return made


def _commit(
    folder: Path, history: History, before: dict[str, str], subject: str
) -> tuple[str, dict[str, str]]:
    now = {file.path: file.content() for file in history.files}
    for path in before.keys() - now.keys():
        (folder / path).unlink()
    for path, content in now.items():
        if before.get(path) != content:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content.encode())
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", subject)
    return git(folder, "rev-parse", "HEAD"), now
