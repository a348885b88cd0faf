"""Checks that are still failing: the latest run of its kind failed, and nothing has superseded it.

A failure is closed when a check of its kind passes later, in this session or in a later one on its
branch or in its worktree; when a session commits after it; when files are edited after it and other
checks pass; when it is a day old. While files of its session are not committed, neither its age nor
another session's commit closes it. Tests that pass prove a build, too.

Laws: one for each kind at most; a run that did not happen is none, and what is only tried out is
none; what cannot be told any more, for its session has run too much since, is not told.
"""

from __future__ import annotations

from holdfast.rooms.work import check_runs, command_queries, projection, queries, run_output
from holdfast.rooms.work.branches import queries as branch_queries
from holdfast.system import clock
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.work.command_queries import Command
    from holdfast.store.sqlite import Store

DAY_S = 86_400
LATER_SESSIONS = 20


class OpenFailure(Value):
    """A check that fails."""

    at: str
    command: str
    is_edited_since: bool  # files were changed after it, and it was not run again
    says: str


class Run(Value):
    """A command that checked: which kinds, whether it failed, and whether that is worth telling."""

    command: Command
    kinds: set[str]
    failed: bool
    is_tellable: bool = True


def of_session(
    store: Store, project: str, session: str, now: str, *, is_dirty: bool = False
) -> list[OpenFailure]:
    """The failing checks of a session that are still open, the latest first."""
    since = "" if is_dirty else clock.iso(clock.seconds_of(now) - DAY_S)
    lately = command_queries.commands_since(store, session, since)
    suspects = sorted(command.at for command in lately if may_be_failing(command))
    place = command_queries.place_of(store, session)
    branch = "" if is_dirty else place.branch
    while suspects and branch_queries.has_commit_after(
        store, project, session, branch, suspects[0]
    ):
        del suspects[0]
    if not suspects:
        return []
    own, first = command_queries.all_commands(store, session), suspects[0]
    edited_at = queries.last_edit_at(store, session)
    later = command_queries.commands_beside(
        store, project, session, place=place, since=first, sessions=LATER_SESSIONS
    )
    failing = still_failing(
        own,
        later,
        root=place.worktree,
        edited_at=edited_at,
        known_from=command_queries.known_from(store, session, projection.COMMANDS[1]),
    )
    return [
        OpenFailure(
            command=command.command,
            at=command.at,
            says=command.says,
            is_edited_since=command.at < edited_at,
        )
        for command in failing
        if command.at >= first
    ]


def may_be_failing(command: Command) -> bool:
    """Whether it is worth a look: it failed, or its output says so behind a pipe."""
    if not check_runs.may_check(command.command):
        return False
    return not command.ok or run_output.says_failed(command.says)


def still_failing(
    own: list[Command],
    later: list[Command],
    *,
    root: str = "",
    edited_at: str = "",
    known_from: str = "",
) -> list[Command]:
    """Of a session's commands the checks that fail, the latest first. `later` are those of other
    sessions; `edited_at` is when files were last changed; before `known_from` a command that passed
    may have been dropped."""
    checks: dict[str, list[check_runs.Check]] = {}  # the same command is run again and again
    for command in (*own, *later):
        if command.command not in checks:
            checks[command.command] = check_runs.checks_in(command.command, root)
    every = sorted([*own, *later], key=_time)
    runs = [_run_of(command, checks[command.command]) for command in every]
    latest: dict[str, Run] = {}
    passed_at = ""
    for run in runs:
        if run is None:
            continue
        if not run.failed:
            passed_at = run.command.at
        for kind in run.kinds:
            latest[kind] = run
        if check_runs.TESTS in run.kinds and not run.failed:
            latest |= dict.fromkeys((check_runs.BUILD, check_runs.TYPES), run)
    failing = {
        run.command.command: run.command
        for run in latest.values()
        if run.failed
        and run.is_tellable
        and run.command in own
        and run.command.at >= known_from
        # Of a chain nobody knows which part failed: any of them, until one passes.
        and all(latest[kind] is run for kind in run.kinds)
        and not run.command.at < edited_at < passed_at
    }
    return sorted(failing.values(), key=_time, reverse=True)


def _time(command: Command) -> str:
    return command.at


def _run_of(command: Command, checks: list[check_runs.Check]) -> Run | None:
    """What a command tells of its checks; None for nothing."""
    if not checks:
        return None
    hidden = [check for check in checks if check.hides_exit]
    failed = not command.ok or (bool(hidden) and run_output.says_failed(command.says))
    if failed and run_output.did_not_run(command.says):
        return None
    concerned = hidden if failed and command.ok else checks
    return Run(
        command,
        {check.kind for check in concerned},
        failed=failed,
        is_tellable=not any(check.is_probe for check in concerned),
    )
