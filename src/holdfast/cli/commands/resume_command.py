"""Suggest an earlier session to go on with, and the agent's command that reopens it.

By the branch that is checked out, the files that are changed and how long ago it was; with WORDS
also by what was said. While Holdfast is paused it ends the pause, as `holdfast unpause` does.
"""

from __future__ import annotations

from typing import TypedDict

from holdfast.agents import histories
from holdfast.cli.commands import unpause_command
from holdfast.cli.commands.unpause_command import Unpaused
from holdfast.cli.helpers.project_files import ProjectFiles, files_here
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import argument
from holdfast.cli.helpers.wording import ago, plural
from holdfast.config import pause_file
from holdfast.hook.voice import inline
from holdfast.rooms.prompts import queries as prompts
from holdfast.rooms.recall import queries, recalling
from holdfast.rooms.recall.ranking import Question, Search
from holdfast.rooms.sessions import acting_session, queries as sessions, work_tree
from holdfast.rooms.work.branches import branch_state
from holdfast.system import clock, paths


class OfferedSession(TypedDict):
    """An earlier session to go on from, why, and the agent's command that reopens it."""

    session: str
    branch: str
    why: list[str]
    goal: str
    command: str


class SessionsOffered(TypedDict):
    """The earlier sessions that fit best."""

    sessions: list[OfferedSession]


OFFERED = 3
GOAL_CAP = 120
GIT_LIMIT_S = 2.0
NOWHERE = 0  # in the index: a session of which no word was said


def offer(project_files: ProjectFiles, words: str) -> Report[SessionsOffered]:
    """The sessions that fit best, the first with the command that reopens it."""
    place, store = project_files.place, project_files.here.workspace.store
    where = work_tree.look(place.root)
    files = branch_state.glance(place.root, where.gitdir, place.branch, GIT_LIMIT_S).files
    recalling.fill(store)
    question = Question(
        words,
        place.project,
        now=clock.seconds_of(place.at),
        but=place.session,
        files=tuple(files if where.gitdir else ()),
        on_branch=place.branch,
    )
    search = Search(store, question)
    ranked = search.sessions()
    names = queries.session_names(store, [number for number, _ in ranked[: OFFERED * 2]])
    offered: list[OfferedSession] = []
    last = None if words else acting_session.newest(store, place.project, place.root)
    crashed = last.id if last and acting_session.has_crashed(last) else ""
    if crashed and crashed not in names.values():
        names = {NOWHERE: crashed, **names}
    for number, name in names.items():
        session = sessions.find(store, name)
        if session is None or name == place.session or len(offered) == OFFERED:
            continue
        why = [ago(session.last_active_at, place.at)]
        if name == crashed:
            why.insert(0, "crashed")
        if session.branch and session.branch == place.branch:
            why.insert(0, "same branch")
        shared = search.files_shared(number)
        if shared:
            why.append(f"changed {shared} of {plural(len(files), 'changed file')}")
        goal = prompts.goal_of(store, name)
        reopen = histories.REOPEN.get(session.agent, "")
        offered.append(
            {
                "session": name,
                "branch": session.branch,
                "why": why,
                "goal": goal.goal if goal else "",
                "command": f"{reopen} {name}" if reopen else "",
            }
        )
    if not offered:
        return Report(("No earlier session here to go on from.",), {"sessions": []})
    lines = [_line(each) for each in offered]
    if offered[0]["command"]:
        lines.append(f"Reopen the first: {offered[0]['command']}")
    return Report(lines, {"sessions": offered})


def _line(offered: OfferedSession) -> str:
    about = f"{offered['session'][:8]} on {inline(offered['branch'], 60)}"
    goal = f"\n> {inline(offered['goal'], GOAL_CAP)}" if offered["goal"] else ""
    return f"{about} ({', '.join(offered['why'])}){goal}"


PARAMETERS = [argument("words", nargs=-1)]


def run(*, words: tuple[str, ...]) -> Report[SessionsOffered | Unpaused]:
    if pause_file.until(paths.state_home()) and not words:
        return unpause_command.run()
    return offer(files_here(), " ".join(words))
