"""Where one stands, in lines that several commands say: hooks, trouble, goal, pause, faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from holdfast.cli.helpers.wording import ago, local_time
from holdfast.config import pause_file
from holdfast.hook.voice import inline
from holdfast.ledger import faults
from holdfast.rooms.sessions.work_tree import Whereabouts
from holdfast.setup import install
from holdfast.setup.doctor import Patient, examination
from holdfast.system import clock

NO_PROJECT = "not installed: this folder is in no git repository"
GO_TO = "go to your project's folder and run `holdfast init` there"


def hooks_here(state: str, root: str) -> list[str]:
    """The settings files through which hooks are installed for a project, or our plugin is."""
    folders = {path.parent.parent for path in install.settings_near(Path(root))}
    own = [str(path) for path in install.installed(state) if path.parent.parent in folders]
    plugin = install.plugin_file(root)
    return [*own, plugin] if plugin and plugin not in own else own


def trouble(state: str, root: str) -> list[str]:
    """Why hooks do not run as they should, in a line each."""
    return examination.trouble(Patient(state, Path(root)))


def trouble_line(reasons: Sequence[str]) -> list[str]:
    more = f" ({len(reasons) - 1} more: `holdfast doctor`)" if len(reasons) > 1 else ""
    return [f"Trouble   {reasons[0]}{more}"] if reasons else []


def project_line(where: Whereabouts) -> str:
    return f"Project   {where.root}" + (f"  on {where.branch}" if where.branch else "")


def goal_line(goal: Mapping[str, Any] | None, now: str) -> str:
    if goal is None:
        return "Goal      none was heard yet  (`holdfast goal set TEXT` gives one)"
    return f"Goal      {inline(goal['goal'], 100)}  ({ago(goal['at'], now)})"


def paused(until: str) -> str:
    """Where and how long a pause holds, and what ends it."""
    end = f" until {local_time(until, clock.now())}" if until != pause_file.FOR_EVER else ""
    return f"in every project{end}; `holdfast unpause` ends it"


def faults_summary(swallowed: Sequence[Mapping[str, Any]]) -> str:
    if not swallowed:
        return "none"
    last = swallowed[-1]
    when = ago(str(last["at"]), clock.now())
    refusal = faults.refusal_in(dict(last))
    what = str(refusal) if refusal else f"{last['kind']} at {last['place']}"
    return f"{len(swallowed)}, the last {when}: {what}"
