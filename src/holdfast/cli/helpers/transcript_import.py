"""`holdfast import --transcripts`: which sessions are meant, how it goes, what was learnt."""

from __future__ import annotations

import os
import sys
import time

import click

from holdfast.agents import surroundings
from holdfast.cli.helpers import person_check
from holdfast.cli.helpers.report import Data, Report
from holdfast.cli.helpers.wording import plural
from holdfast.errors import NotFound
from holdfast.hook import importing
from holdfast.hook.importing import Taken, Transcript
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.recall import filling
from holdfast.rooms.sessions import work_tree
from holdfast.system import clock, paths

MB = 1_000_000
STEP_S = 1.0
# What is worth telling of what was learnt, by kind of entry.
LEARNT = {
    "prompt_given": ("prompt", "prompts"),
    "rule_given": ("rule heard", "rules heard"),
    "choice_made": ("choice", "choices"),
    "goal_set": ("goal", "goals"),
    "work_seen": ("look at commits and pull requests", "looks at commits and pull requests"),
    "learnt": ("fix", "fixes"),
    "context_compacted": ("summary", "summaries"),
}


def run(folder: str, project: str, since: float, *, dry_run: bool) -> Report:
    """Take in the transcripts of a project, the oldest first."""
    chosen = of_project(folder or default_folder(), project, since)
    many, size = importing.estimate(chosen)
    if dry_run:
        line = f"{plural(many, 'session')}, {size / MB:.1f} MB, would be read. Nothing was changed."
        return Report((line,), {"sessions": many, "bytes": size, "dry_run": True})
    if not chosen:
        raise NotFound(
            "the agent has kept no session of this project",
            hint="name a folder of transcripts, or another --project",
        )
    person_check.ask_outside("import")
    began = time.monotonic()
    workspace = Workspace(paths.state_home())
    taken = importing.Import(workspace).take_in(chosen, _progress())
    filling.fill(workspace.store)
    return _report(taken, max(time.monotonic() - began, 0.001))


def offered(root: str) -> list[str]:
    """One line where the agent has kept earlier sessions of a project: how much there is, and the
    command that takes it in. Nothing is taken in without it."""
    folder = default_folder()
    many, size = importing.estimate(of_project(folder, root, 0.0) if os.path.isdir(folder) else [])
    if not many:
        return []
    amount = f"{plural(many, 'earlier session')} of this project ({size / MB:.1f} MB)"
    return [f"{amount} can be taken in: `holdfast import --transcripts`."]


def default_folder() -> str:
    return os.path.join(paths.home(), surroundings.TRANSCRIPTS[0])


def of_project(folder: str, project: str, since: float) -> list[Transcript]:
    """The transcripts below a folder whose session began in a project: in any of its worktrees, or
    where one of them was."""
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

    return [
        each
        for each in importing.listed(folder)
        if is_here(each.folder) and clock.seconds_of(each.first_at) >= since
    ]


def _progress() -> importing.Progress:
    """A line on stderr about once a second, where somebody watches."""
    last = [time.monotonic()]

    def tell(done: int, of: int, taken: Taken) -> None:
        now = time.monotonic()
        if sys.stderr.isatty() and (now - last[0] >= STEP_S or done == of):
            last[0] = now
            click.echo(f"\r{done} of {of} sessions, {taken.bytes / MB:.1f} MB", nl=False, err=True)
            if done == of:
                click.echo("", err=True)

    return tell


def _report(taken: Taken, seconds: float) -> Report:
    rate = taken.bytes / MB / seconds
    amount = f"{taken.bytes / MB:.1f} MB in {seconds:.1f} s ({rate:.1f} MB/s)"
    lines = [f"{plural(taken.sessions, 'session')} taken in: {amount}."]
    learnt = [
        plural(taken.entries[kind], *words) for kind, words in LEARNT.items() if taken.entries[kind]
    ]
    if learnt:
        lines.append(f"Learnt: {', '.join(learnt)}.")
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
        lines.append(
            "`holdfast recall` finds what they say; docs/recall.md says how to take it out again."
        )
    data: Data = {
        "sessions": taken.sessions,
        "bytes": taken.bytes,
        "entries": dict(taken.entries),
        "left_out": skipped,
        "failures": taken.failures,
        "dry_run": False,
    }
    warnings = tuple(f"not done: {each}" for each in taken.failures[:5])
    return Report(tuple(lines), data, warnings=warnings)
