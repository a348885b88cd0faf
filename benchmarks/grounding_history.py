"""Quotes followed through a repository's own history, judged beside git's own line tracking.

Lines are cited at commits of the main line, and judged at later ones that touched their file. What
is true is told by git and not by our rules: `git blame --reverse` follows each line forward to the
commit in question, through renames; without it, once more with blanks ignored (another layout).
Only what git saw deleted there is compared by its text: whole lines that were in the file once, and
are in it once, were moved; lines whose characters without blanks are there once were broken over
others. Everything else is gone.
"""

from __future__ import annotations

import random
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from decisions.histories import Truth
from decisions.scoring import Case, Score, decision_of, git
from holdfast.decisions.citing import evidence_at
from holdfast.decisions.commit import blobs
from holdfast.decisions.decision import Evidence
from holdfast.decisions.judging import judge
from holdfast.decisions.source import Source
from holdfast.errors import HoldfastError
from holdfast.store.sqlite import Store

LINES = 3_000  # of a file that is cited: longer ones are data
FEWEST = 5
SPREAD_CHARACTERS = 20
STEPS = 8  # later commits at which one quote is judged


@dataclass
class Followed:
    """Quotes of one file at one commit, and where the file is by now."""

    commit: str
    path: str
    now: str
    source: Source
    evidence: list[Evidence]
    judged: int = 0


@dataclass
class Change:
    commit: str
    touched: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)


def score_repository(store: Store, repo: Path, *, seed: int, cases: int) -> Score:
    pick = random.Random(seed)
    changes = main_line(repo)
    found: list[Case] = []
    # Several rounds: each begins to cite at other commits, until there are enough cases.
    for _ in range(6):
        followed: list[Followed] = []
        for change in changes:
            follow(followed, change)
            found += judged_at(store, repo, change, followed)
            if len(found) >= cases:
                return Score(found)
            if len(followed) < 60:
                followed += cited_at(repo, change, pick)
    return Score(found)


def main_line(repo: Path) -> list[Change]:
    said = git(
        repo, "log", "--first-parent", "--reverse", "-m", "-M", "--name-status",
        "--format=commit %H", "HEAD",
    )  # fmt: skip
    changes: list[Change] = []
    for line in said.splitlines():
        if line.startswith("commit "):
            changes.append(Change(line.split()[1]))
        elif line:
            kind, *paths = line.split("\t")
            changes[-1].touched |= set(paths)
            if kind.startswith("R"):
                changes[-1].renamed[paths[0]] = paths[1]
    return changes


def follow(followed: list[Followed], change: Change) -> None:
    for one in followed:
        one.now = change.renamed.get(one.now, one.now)


def cited_at(repo: Path, change: Change, pick: random.Random) -> list[Followed]:
    """A few files that this commit touched, and lines of each: those are worked on."""
    paths = pick.sample(sorted(change.touched), min(4, len(change.touched)))
    read = blobs(str(repo), change.commit, paths)
    made = []
    for path in paths:
        content = read(path)
        if content is None or not FEWEST <= content.count("\n") <= LINES:
            continue
        source = Source(content)
        evidence = []
        for _ in range(5):
            size = pick.choice((1, 1, 1, 1, 2, 3, 5))
            at = pick.randrange(max(1, len(source.text.lines) - size))
            lines = source.redacted().lines[at : at + size]
            if lines and lines[0].strip() and lines[-1].strip():
                try:
                    one = evidence_at(path, source, at + 1, lines, commit=change.commit)
                except HoldfastError:
                    continue
                one.id = f"{change.commit[:8]}:{path}:{at}:{size}:{pick.random()}"
                evidence.append(one)
        made.append(Followed(change.commit, path, path, source, evidence))
    return made


def judged_at(store: Store, repo: Path, change: Change, followed: list[Followed]) -> list[Case]:
    asked = [one for one in followed if one.now in change.touched]
    quotes = [quote for one in asked for quote in one.evidence]
    found = judge(store, str(repo), [decision_of(quotes)], at_rev=change.commit)
    cases = []
    read = blobs(str(repo), change.commit, {one.now for one in asked})
    for one in asked:
        truths = Truths(repo, one, change.commit, read(one.now))
        cases += [
            Case(change.commit, quote, truths.of(quote), found[quote.id]) for quote in one.evidence
        ]
        one.judged += 1
        gone = {case.evidence.id for case in cases if case.truth.name == "broken"}
        one.evidence = [quote for quote in one.evidence if quote.id not in gone]
        if one.judged >= STEPS or not one.evidence:
            followed.remove(one)
    return cases


class Truths:
    """Where git has the lines of a file at a later commit."""

    def __init__(self, repo: Path, one: Followed, commit: str, content: str | None) -> None:
        self.one = one
        self.content = content
        self.plain = blamed(repo, one.commit, commit, one.path)
        self.bare = blamed(repo, one.commit, commit, one.path, "-w")

    def of(self, quote: Evidence) -> Truth:
        for lines in (self.plain, self.bare):
            places = [lines.get(line) for line in range(quote.line, quote.last + 1)]
            path, first = places[0] or ("", 0)
            if places == [(path, first + step) for step in range(len(places))] and path:
                is_there = lines is self.plain and (path, first) == (quote.path, quote.line)
                return Truth("grounded" if is_there else "moved", path, first)
        return self._by_text(quote)

    def _by_text(self, quote: Evidence) -> Truth:
        if self.content is None:
            return Truth("broken")
        now = Source(self.content).text.lines
        said, before = quote.quote.split("\n"), self.one.source.text.lines
        if len(occurrences(before, said)) == 1:
            places = occurrences(now, said)
            if len(places) == 1:
                is_there = (self.one.now, places[0] + 1) == (quote.path, quote.line)
                return Truth("grounded" if is_there else "moved", self.one.now, places[0] + 1)
            line = spread_from(now, "".join("".join(said).split()))
            if line:
                return Truth("moved", self.one.now, line)
        return Truth("broken")


def occurrences(lines: list[str], said: list[str]) -> list[int]:
    return [at for at in range(len(lines)) if lines[at : at + len(said)] == said]


def spread_from(lines: list[str], said: str) -> int:
    """The line from which characters without blanks fill whole lines, where that is once."""
    bare = ["".join(line.split()) for line in lines]
    whole = "".join(bare)
    if len(said) < SPREAD_CHARACTERS or whole.count(said) != 1:
        return 0
    start = whole.index(said)
    begins, at = {}, 0
    ends = set()
    for number, line in enumerate(bare, 1):
        if line:
            begins[at] = number
            at += len(line)
            ends.add(at)
    return begins.get(start, 0) if start + len(said) in ends else 0


def blamed(repo: Path, first: str, last: str, path: str, *more: str) -> dict[int, tuple[str, int]]:
    """Of lines of a file at one commit: where they are at a later one, as far as they are there."""
    done = subprocess.run(
        ["git", "-C", str(repo), "blame", "--first-parent", "--reverse", "--porcelain", *more,
         f"{first}..{last}", "--", path],
        capture_output=True, text=True, errors="replace", check=False, timeout=120,
    )  # fmt: skip
    found: dict[int, tuple[str, int]] = {}
    names: dict[str, str] = {}
    head: tuple[str, int, int] = ("", 0, 0)
    pending: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for line in done.stdout.splitlines():
        words = line.split(" ")
        if line.startswith("\t"):
            if head[0] == last:
                pending[head[0]].append((head[2], head[1]))
        elif len(words[0]) == 40 and len(words) >= 3 and words[1].isdecimal():
            head = (words[0], int(words[1]), int(words[2]))
        elif words[0] == "filename":
            names[head[0]] = line[len("filename ") :]
    for at, there in pending[last]:
        found[at] = (names.get(last, path), there)
    return found
