"""Quotes followed through a repository's own history, judged beside git's own line tracking.

Lines of every file are cited when it appears and again while it is worked on, and judged at the
commits after that that touched the file: on the main line, and on every branch that was merged.
What is true is told by git and not by our rules: `git blame --reverse` follows each line forward to
the commit in question, through renames; without it, once more with blanks ignored (another layout).
Only what git saw deleted there is compared by its text: whole lines that were in the file once, and
are in it once (alone, or with three lines before and after them), were moved or brought back; lines
whose characters without blanks are there once, however they are quoted, were broken over others.
Everything else is gone.
"""

from __future__ import annotations

import random
import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from decisions.histories import Truth
from decisions.quote_scores import Case, Score, decision_of, git

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions.decision import Evidence
from holdfast.rooms.decisions.grounding.citation import evidence_at
from holdfast.rooms.decisions.grounding.committed_files import blobs
from holdfast.rooms.decisions.grounding.source_files import Source
from holdfast.rooms.decisions.grounding.standing import judge
from holdfast.store.sqlite import Store

LINES = 3_000  # of a file that is cited: longer ones are data
FEWEST = 5
SPREAD_CHARACTERS = 20
AROUND = 3  # lines before and after a quote that was there more than once
STEPS = 8  # later commits at which one quote is judged
QUOTES = 6  # of a file at a time
AGAIN = 3  # a file is cited anew at every third commit that touches it
FILES = 15  # of a commit that are judged: those that were judged least
CITED = 200  # of a commit
BEFORE = 40  # commits before a branch at which is cited what is judged on it


@dataclass
class Followed:
    """Quotes of one file at one commit, and where the file is by now."""

    commit: str
    path: str
    now: str
    source: Source
    evidence: list[Evidence]
    last: dict[str, Truth]
    judged: int = 0


@dataclass
class Change:
    commit: str
    touched: set[str] = field(default_factory=set)
    added: set[str] = field(default_factory=set)
    renamed: dict[str, str] = field(default_factory=dict)


def score_repository(store: Store, repo: Path, *, seed: int, cases: int) -> Score:
    pick = random.Random(seed)
    found: list[Case] = []
    seen: set[str] = set()
    for line in lines_of_history(repo):
        new = [at for at, change in enumerate(line) if change.commit not in seen]
        followed: list[Followed] = []
        touches: Counter[str] = Counter()
        for change in line[max(0, new[0] - BEFORE) :] if new else ():
            follow(followed, change)
            if change.commit not in seen:
                found += judged_at(store, repo, change, followed)
                seen.add(change.commit)
            followed += cited_at(repo, change, touches, pick)
            if len(found) >= cases:
                return Score(found)
    return Score(found)


def possible(repo: Path) -> int:
    """Commits that touch a file that was there before, and so could touch a quote."""
    lines = lines_of_history(repo)
    return len({one.commit for line in lines for one in line if one.touched - one.added})


def lines_of_history(repo: Path) -> list[list[Change]]:
    """The main line, and each that was merged, from the root to its end: the newest merge last."""
    merged = git(repo, "rev-list", "--merges", "--reverse", "--parents", "HEAD").splitlines()
    tips = [tip for line in merged for tip in line.split()[2:]]
    return [line_to(repo, tip) for tip in ("HEAD", *tips)]


def line_to(repo: Path, tip: str) -> list[Change]:
    said = git(
        repo, "log", "--first-parent", "--reverse", "-m", "-M", "--name-status",
        "--format=commit %H", tip,
    )  # fmt: skip
    changes: list[Change] = []
    for line in said.splitlines():
        if line.startswith("commit "):
            changes.append(Change(line.split()[1]))
        elif line:
            kind, *paths = line.split("\t")
            changes[-1].touched |= set(paths)
            if kind == "A":
                changes[-1].added |= set(paths)
            if kind.startswith("R"):
                changes[-1].renamed[paths[0]] = paths[1]
    return changes


def follow(followed: list[Followed], change: Change) -> None:
    for one in followed:
        one.now = change.renamed.get(one.now, one.now)


def cited_at(
    repo: Path, change: Change, touches: Counter[str], pick: random.Random
) -> list[Followed]:
    """Lines of files that this commit touched: those are worked on."""
    for old, new in change.renamed.items():
        touches[new] += touches.pop(old, 0)
    due = sorted(path for path in change.touched if touches[path] % AGAIN == 0)
    touches.update(change.touched)
    read = blobs(str(repo), change.commit, due[:CITED])
    made = []
    for path in due[:CITED]:
        content = read(path)
        if content is not None and FEWEST <= content.count("\n") <= LINES:
            made.append(quoted(path, Source(content), change.commit, pick))
    return made


def quoted(path: str, source: Source, commit: str, pick: random.Random) -> Followed:
    evidence = []
    for _ in range(QUOTES):
        size = pick.choice((1, 1, 1, 1, 2, 3, 5))
        at = pick.randrange(max(1, len(source.text.lines) - size))
        lines = source.redacted().lines[at : at + size]
        if lines and lines[0].strip() and lines[-1].strip():
            try:
                one = evidence_at(path, source, at + 1, lines, commit=commit)
            except HoldfastError:
                continue
            one.id = f"{commit[:8]}:{path}:{at}:{size}:{pick.random()}"
            evidence.append(one)
    last = {one.id: Truth("grounded", path, one.line) for one in evidence}
    return Followed(commit, path, path, source, evidence, last)


def judged_at(store: Store, repo: Path, change: Change, followed: list[Followed]) -> list[Case]:
    asked = [one for one in followed if one.now in change.touched and one.evidence]
    asked = sorted(asked, key=lambda one: one.judged)[:FILES]
    quotes = [quote for one in asked for quote in one.evidence]
    found = judge(store, str(repo), [decision_of(quotes)], at_rev=change.commit)
    cases = []
    read = blobs(str(repo), change.commit, {one.now for one in asked})
    for one in asked:
        truths = Truths(repo, one, change.commit, read(one.now))
        for quote in one.evidence:
            truth = truths.of(quote)
            cases.append(Case(change.commit, quote, one.last[quote.id], truth, found[quote.id]))
            one.last[quote.id] = truth
        one.judged += 1
        one.evidence = [quote for quote in one.evidence if one.last[quote.id].name != "broken"]
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
            line = only(now, said) or spread_from(now, bare(said))
        else:  # deleted, and brought back with all that was around it
            start = max(0, quote.line - 1 - AROUND)
            block = before[start : quote.last + AROUND]
            is_told = len(occurrences(before, block)) == 1
            line = only(now, block) + quote.line - 1 - start if is_told and only(now, block) else 0
        if not line:
            return Truth("broken")
        is_there = now[line - 1 : line - 1 + len(said)] == said
        is_same = is_there and (self.one.now, line) == (quote.path, quote.line)
        return Truth("grounded" if is_same else "moved", self.one.now, line)


def only(lines: list[str], said: list[str]) -> int:
    """The line from which lines are there, where that is once; else 0."""
    places = occurrences(lines, said)
    return places[0] + 1 if len(places) == 1 else 0


def bare(lines: list[str]) -> str:
    """Without blanks, and with one kind of quotation marks: what no formatter changes."""
    return "".join("".join(lines).split()).replace("'", '"')


def occurrences(lines: list[str], said: list[str]) -> list[int]:
    return [at for at in range(len(lines)) if lines[at : at + len(said)] == said]


def spread_from(lines: list[str], said: str) -> int:
    """The line from which characters without blanks fill whole lines, where that is once."""
    bared = [bare([line]) for line in lines]
    whole = "".join(bared)
    if len(said) < SPREAD_CHARACTERS or whole.count(said) != 1:
        return 0
    start = whole.index(said)
    begins, at = {}, 0
    ends = set()
    for number, line in enumerate(bared, 1):
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
