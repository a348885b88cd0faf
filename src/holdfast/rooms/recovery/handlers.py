"""What the papers do at each event: greet, examine, and after the commit tell, render and log.

`greet` and `examine` run inside the event's transaction; `heal` and `settle` follow the commit, and
what they keep is an entry of its own. Facts of other rooms (where the work stands, what the last
checkpoint was) come along in the work's facts.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.hook.event import DECISIONS, Remark
from holdfast.system import clock, files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.context import Work
    from holdfast.ledger.workspace import Workspace
    from holdfast.rooms.decisions.deciding import Here
    from holdfast.rooms.decisions.decision import Decision, Standing
    from holdfast.rooms.recovery.full_checkpoint import Checkup
    from holdfast.rooms.tracker.trackers import Tracker

LEVEL1_AT = ("startup", "clear", "compact")
END_LIMIT_S = 1.0
COPIES = "notes"  # the folder of what was rendered lately
IDENTIFIERS = 50


# In the transaction


def greet(work: Work) -> None:
    """Level 1 of recovery; what the last full checkpoint found; identifiers are looked at."""
    if work.kept is None or work.is_late:
        return
    source = work.event.body["source"]
    unsound = _verify(work)
    if work.settings["recovery.tiered"] and source in (*LEVEL1_AT, "resume"):
        _tell_level1(work, source, unsound)
    previous = work.previous()
    if source in ("startup", "clear") and previous:
        from holdfast.rooms.recovery import full_checkpoint

        found = full_checkpoint.last_of(work.store, previous)
        told = found["findings"] if found else []
        items = [str(one["says"]) for one in told if isinstance(one, dict) and "says" in one]
        if items:
            text = "The last full checkpoint of the session before found:"
            work.remarks.append(Remark(DECISIONS, text, items=items, rest="see `holdfast ground`"))


def _verify(work: Work) -> int:
    """Look whether identifiers are still there, without loading them; how many are not."""
    from holdfast.rooms.notes import identifiers
    from holdfast.rooms.tracker import queries

    known = queries.identifiers(work.store, work.project, IDENTIFIERS)
    if not known:
        return 0
    standings = identifiers.looked_at(str(work.event.body["worktree"]), known)
    work.keep("identifiers_verified", {"standings": standings}, key=work.consequence("verified"))
    return sum(one != identifiers.HERE for one in standings.values())


def _tell_level1(work: Work, source: str, unsound: int) -> None:
    from holdfast.rooms.decisions import queries
    from holdfast.rooms.recovery import levels

    root = str(work.event.body["worktree"])
    last = _last(work, root)
    active = {**_item_line(work, root), **work.facts.get("active", {})}
    if source == "resume":  # its whole transcript comes back: only what no longer holds is news
        last, active, unsound = [one for one in last if one[1] == "broken"], {}, 0
        questions = 0
    else:
        questions = len(queries.open_items(work.store, work.project, "question"))
    lines = levels.level1(active, last, questions, unsound, work.settings["recovery.level1_tokens"])
    if lines:
        text = "Session continuity, level 1 (more: `holdfast context recover 2 WORDS`):"
        work.remarks.append(Remark(DECISIONS, text, items=lines))


def _last(work: Work, root: str) -> list[tuple[Decision, str, dict[str, Standing]]]:
    """The last decisions with their standing; judging is loaded where there is one."""
    from holdfast.rooms.decisions.queries import count_current

    if not count_current(work.store, work.project, limit=1):
        return []
    from holdfast.rooms.decisions.deciding import greeting

    return greeting(work.store, work.project, root)


def _item_line(work: Work, root: str) -> dict[str, str]:
    """The item in work, by its file or our own list: a program is not waited for here."""
    from holdfast.rooms.tracker import beads, trackers

    if work.settings["tracker.program"] == trackers.OFF or not root:
        return {}
    where = trackers.FILE if beads.files(root) else trackers.OWN
    item = trackers.Tracker(work.store, work.project, root, where).active()
    return {"Current Bead": trackers.named(item)} if item else {}


def examine(work: Work) -> None:
    """Steps 1, 2 and 7 of the full checkpoint; strict ones are asked about by the one evaluator."""
    if work.kept is None or "subagent" in work.event.body:
        return
    if work.event.kind == "context_closing":
        _tell_level1_to_summariser(work)
    found = _judged(work)
    if found is None:
        return
    work.facts["checkup"] = found
    if work.event.kind == "turn_ended":
        work.facts["pressing"] = found.pressing()
    _keep_checkup(work, found, "stop" if work.event.kind == "turn_ended" else "compact")


def _judged(work: Work) -> Checkup | None:
    """None where there is nothing to judge, which most turns are."""
    from holdfast.ledger.queries import has_kind
    from holdfast.rooms.tracker import queries

    if work.settings["checkpoint.mode"] == "off" or not work.worktree:
        return None
    session, store = work.event.session, work.store
    searched = has_kind(store, session, work.project, "ghost_checked")
    if not searched and not queries.has_claims(store, session):
        return None
    from holdfast.rooms.recovery import full_checkpoint

    return full_checkpoint.judge(
        work.store, work.project, work.worktree, work.event.session, work.settings
    )


def _keep_checkup(work: Work, found: Checkup, cause: str) -> None:
    """An entry, where it says something that the last one did not."""
    from holdfast.rooms.recovery import full_checkpoint

    body = found.body(cause)
    last = full_checkpoint.last_of(work.store, work.event.session)
    if last is None:
        is_news = bool(found.claims or found.findings)
    else:
        is_news = any(body[name] != last[name] for name in ("grounded", "claims", "findings"))
    if is_news:
        work.keep("checkpoint_judged", body, key=work.consequence("checkup"))


def _tell_level1_to_summariser(work: Work) -> None:
    """A compaction is told which decisions hold, so that its summary does not say otherwise."""
    from holdfast.rooms.recovery import levels

    last = _last(work, work.worktree)
    lines = levels.level1({}, last, tokens=work.settings["recovery.level1_tokens"])
    if lines:
        work.remarks.append(Remark(DECISIONS, "Decisions, and how they stand:", items=lines))


# After the commit


def heal(work: Work) -> None:
    """State files that are gone or emptied come back."""
    if work.kept is None or not work.settings["notes.enabled"]:
        return
    work.worktree, work.gitdir = work.event.body["worktree"], work.event.body["gitdir"]
    root, copies = work.worktree, _copies(work)
    if not root or not any(map(files.exists, (f"{root}/.holdfast", f"{root}/.beads", copies))):
        return  # most projects: nothing of it is there, and nothing is missed
    from holdfast.rooms.recovery import healing

    healing.heal(_here(work), work.facts.get("active", {}), copies)


def settle(work: Work) -> None:
    """The item is told, notes are rendered, the trajectory is written."""
    if work.kept is None or not work.worktree:
        return
    from holdfast.rooms.tracker import queries

    if queries.has_content(work.store, work.project):
        _synthesise(work)
    if work.event.kind == "session_ended":
        _tracker(work).sync()
    render_trajectory(work)


def _tracker(work: Work) -> Tracker:
    from holdfast.rooms.tracker import trackers

    limit_s = END_LIMIT_S if work.event.kind == "session_ended" else trackers.LIMIT_S
    chosen = work.settings["tracker.program"]
    return trackers.Tracker(work.store, work.project, work.worktree, chosen, limit_s)


def _synthesise(work: Work) -> None:
    from holdfast.rooms.notes import notes_file
    from holdfast.rooms.recovery import full_checkpoint, synthesis
    from holdfast.rooms.tracker import trackers

    here, items = _here(work), _tracker(work)
    item = items.active()
    told = synthesis.tell_item(here, items, item) if item else 0
    synthesis.decay(here)
    outcome = None
    if work.settings["notes.enabled"]:
        active = {"Current Bead": trackers.named(item) if item else ""}
        try:
            outcome = notes_file.render(
                here, {**active, **work.facts.get("active", {})}, _copies(work)
            )
        except (OSError, StoreError):
            pass  # a link, no space, somebody else's: `holdfast notes check` says so
    if "checkpointed" in work.facts:
        _log_sync(work, outcome.decisions if outcome else 0, bool(told), bool(outcome))
    if work.event.kind in ("context_closing", "session_ended"):
        found = work.facts.get("checkup") or full_checkpoint.judge(
            work.store, work.project, work.worktree, here.session, work.settings
        )
        synthesis.hand_on(here, items, item, found, work.event.agent)


def render_trajectory(work: Work) -> None:
    """What came since the last turn; what is far behind is left to a process of its own."""
    if not work.settings["trajectory.enabled"]:
        return
    from holdfast.rooms.trajectory import day_files

    common = work.common() if work.gitdir else ""
    folder, within = _trajectory_of(work.state, work.project, common)
    if day_files.is_behind(work.store, folder) and _leave_to_another(work, common):
        return
    days = work.settings["trajectory.live_days"], work.settings["trajectory.kept_days"]
    day_files.render(work.store, work.project, folder, within=within, now=work.event.at, days=days)


def _trajectory_of(state: str, project: str, common: str) -> tuple[str, str]:
    """The trajectory's folder, and the folder of ours that it lies in."""
    from holdfast.rooms.trajectory.day_files import FOLDER

    folder = paths.beside(common, state, project, FOLDER)
    return folder, paths.project_folder(common) if common else state


def _leave_to_another(work: Work, common: str) -> bool:
    """Have a process of its own catch up, unless one is at it; False where none can be started."""
    from holdfast.rooms.trajectory import day_files
    from holdfast.system import processes

    launcher = paths.launcher(work.state)
    if not files.exists(launcher):
        return False
    if not day_files.is_being_caught_up(*_trajectory_of(work.state, work.project, common)):
        import sys

        errand = ["trajectory", work.project, work.worktree, common]
        processes.spawn_detached([sys.executable, "-I", "-S", launcher, *errand])
    return True


def catch_up(workspace: Workspace, project: str, worktree: str, common: str) -> None:
    """The errand: the whole trajectory of a project; one process at a time."""
    from holdfast.rooms.trajectory import day_files
    from holdfast.system import processes

    folder, within = _trajectory_of(workspace.state, project, common)
    settings = workspace.settings(worktree)
    days = settings["trajectory.live_days"], settings["trajectory.kept_days"]
    lock = processes.Lock(f"{files.own_folder(folder, within)}/{day_files.CATCHING_UP}")
    try:
        if lock.take():
            day_files.catch_up(
                workspace.store, project, folder, within=within, now=clock.now(), days=days
            )
    finally:
        lock.release()


def _log_sync(work: Work, persisted: int, bead: bool, notes: bool) -> None:
    from holdfast.rooms.recovery import synthesis

    body = {
        "tokens": int(work.event.body.get("tokens") or 0),
        "decisions_persisted": persisted,
        "bead_updated": bead,
        "notes_updated": notes,
    }
    synthesis.keep(_here(work), "state_synced", body)


def _here(work: Work) -> Here:
    from holdfast.rooms.decisions.deciding import Here

    return Here(
        work.workspace,
        project=work.project,
        root=work.worktree,
        session=work.event.session,
        at=work.event.at,
    )


def _copies(work: Work) -> str:
    common = work.common() if work.gitdir else ""
    return paths.beside(common, work.state, work.project, COPIES)
