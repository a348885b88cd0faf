"""`holdfast import --transcripts`: which sessions are meant, how it goes, what was learnt."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import dataclass
from typing import TypedDict

import click

from holdfast.agents import histories
from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.report import Report, is_for_programs, progress, shaped, show
from holdfast.cli.helpers.wording import plural
from holdfast.errors import NotFound
from holdfast.hook import importing
from holdfast.hook.importing import Taken, Transcript
from holdfast.ledger.reader import Reading
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.recall import queries, recalling
from holdfast.rooms.sessions import work_tree
from holdfast.system import clock, files, paths


class TranscriptsCounted(TypedDict):
    """How much would be read."""

    sessions: int
    bytes: int
    known: int
    dry_run: bool


class TranscriptsTakenIn(TypedDict):
    """What was taken in: entries by kind, sessions that were left out by reason."""

    sessions: int
    bytes: int
    entries: dict[str, int]
    learnt: dict[str, int]
    left_out: dict[str, int]
    failures: list[str]
    dry_run: bool


MB = 1_000_000
# What is told of what was learnt.
LEARNT = {
    "prompts": ("prompt", "prompts"),
    "rules": ("rule", "rules"),
    "candidates": ("rule to confirm", "rules to confirm"),
    "choices": ("choice", "choices"),
    "goals": ("goal", "goals"),
    "pull_requests": ("pull request", "pull requests"),
    "fixes": ("fix", "fixes"),
    "summaries": ("summary", "summaries"),
}
COMMAND = "holdfast import --transcripts"


@dataclass(frozen=True)
class OfProject:
    """A project's transcripts: those that are asked for, and those that were over before."""

    chosen: list[Transcript]
    earlier: list[Transcript]

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.chosen)


def run(
    folder: str, project: str, since: float, *, dry_run: bool
) -> Report[TranscriptsCounted | TranscriptsTakenIn]:
    """Take in the transcripts of a project, the oldest first."""
    kept = of_project([folder] if folder else own_folders(), project, since)
    if dry_run:
        new = _new(kept)
        size = sum(each.bytes for each in new)
        known = len(kept.chosen) - len(new)
        line = f"{plural(len(new), 'session')}, {_size(size)}, would be read."
        line += f" {known} {'is' if known == 1 else 'are'} known already." if known else ""
        counted: TranscriptsCounted = {
            "sessions": len(new),
            "bytes": size,
            "known": known,
            "dry_run": True,
        }
        return Report((f"{line} Nothing was changed.",), counted)
    if not kept.chosen:
        raise NotFound(
            "the agent has kept no session of this project",
            hint="name a folder of transcripts, or another --project",
        )
    person_check.ask_outside("import")
    return _taken_in(kept)


def _taken_in(kept: OfProject) -> Report[TranscriptsTakenIn]:
    began = time.monotonic()
    workspace = Workspace(paths.state_home())
    run_ = importing.Import(workspace)
    run_.know(kept.earlier)
    with progress("Importing") as tell:
        taken = run_.take_in(kept.chosen, lambda done, of, _: tell(done, of))
    recalling.fill(workspace.store)
    learnt = queries.learnt_in(workspace.store, taken.ids)
    return _report(taken, learnt, max(time.monotonic() - began, 0.001))


def offer(root: str) -> list[str]:
    """Where the agent has kept earlier sessions of a project: how much there is. A person at a
    terminal is asked, and everybody else is told the command: nothing is taken in without a yes."""
    kept = of_project(own_folders(), root, 0.0)
    new = _new(kept)
    if not new:
        return []
    kept = OfProject(new, [each for each in kept.chosen if each not in new])
    amount = f"{plural(len(new), 'earlier session')} of this project ({_size(kept.bytes)})"
    is_seen = sys.stdin.isatty() and sys.stderr.isatty()
    if is_for_programs() or not is_seen or person_check.why_not():
        return [f"{amount} can be taken in: `{COMMAND}`."]
    show(
        f"{amount} can be taken in: rules, choices and what was done are known then.", is_error=True
    )
    click.echo("Take them in now? [y/N] ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        return [f"Nothing was taken in; `{COMMAND}` does it later."]
    person_check.ask_outside("import")
    return list(_taken_in(kept).lines)


def _new(kept: OfProject) -> list[Transcript]:
    """What is not known yet; where nothing was kept, nothing is made for the question."""
    state = paths.state_home()
    if not files.exists(paths.store(state)):
        return kept.chosen
    store = Reading(state).store
    try:
        return importing.new_among(store, kept.chosen)
    finally:
        store.close()


def own_folders() -> list[str]:
    """Where the agents have kept sessions."""
    folders = [os.path.join(paths.home(), each) for each in histories.FOLDERS]
    return [folder for folder in folders if os.path.isdir(folder)]


def of_project(folders: list[str], project: str, since: float) -> OfProject:
    """The transcripts below folders whose session began in a project: in any of its worktrees, or
    where one of them was."""
    for folder in folders:
        if not os.path.isdir(folder):
            raise NotFound(f"there is no folder {folder}", hint="name a folder of transcripts")
    here = work_tree.look(os.path.abspath(project))
    homes: dict[str, bool] = {}

    def is_here(each: str) -> bool:
        if each not in homes:
            there = work_tree.look(each)
            is_same = bool(here.common) and there.common == here.common
            homes[each] = is_same or there.root == here.root
        return homes[each]

    chosen: list[Transcript] = []
    earlier: list[Transcript] = []
    for each in importing.listed(*folders):
        if is_here(each.folder):
            is_late = clock.seconds_of(each.last_at) >= since
            (chosen if is_late else earlier).append(each)
    return OfProject(chosen, earlier)


def _size(size: int) -> str:
    return f"{size / MB:.1f} MB" if size >= MB / 10 else f"{-(-size // 1000)} kB"


def _amount(size: int, seconds: float) -> str:
    """How much was read, and how fast where that says something."""
    if not size:
        return ""
    is_rated = size >= MB and seconds >= 1
    rate = f" in {seconds:.1f} s ({size / MB / seconds:.1f} MB/s)" if is_rated else ""
    return f": {_size(size)}{rate}"


def _report(taken: Taken, learnt: dict[str, int], seconds: float) -> Report[TranscriptsTakenIn]:
    lines = [f"{plural(taken.sessions, 'session')} taken in{_amount(taken.bytes, seconds)}."]
    learnt_lines = [plural(learnt[sort], *words) for sort, words in LEARNT.items() if learnt[sort]]
    if learnt_lines:
        lines.append(f"Learnt: {', '.join(learnt_lines)}.")
    skipped = {
        "known already": taken.known,
        "seen by hooks": taken.live,
        "forgotten": taken.forgotten,
        "without a turn": taken.empty,
    }
    left = [f"{count} {why}" for why, count in skipped.items() if count]
    if left:
        lines.append(f"Left out: {', '.join(left)}.")
    if taken.sessions:
        lines.append("`holdfast recall` finds what they say.")
    data = shaped(TranscriptsTakenIn, taken, learnt=learnt, left_out=skipped, dry_run=False)
    warnings = tuple(f"not done: {each}" for each in taken.failures[:5])
    return Report(lines, data, warnings=warnings)
