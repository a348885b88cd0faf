"""What recovery does at each event: tell a new session where the work stands, judge the checkpoint,
and after the commit write to the tracker, the notes and the trajectory.

`read_notes` runs before the event's transaction, `on_session_start` and `judge_checkpoint` inside.
`heal_files` and `after_commit` follow the commit, and what they keep is an entry of its own. What
other rooms know (where the work stands, what the last checkpoint was) comes along in fields of the
context.
"""

from __future__ import annotations

from holdfast.errors import StoreError
from holdfast.hook.event import DECISIONS, Remark
from holdfast.hook.voice import ours
from holdfast.ledger import queries as ledger
from holdfast.system import clock, files, jsontext, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.ledger.kinds import Body
    from holdfast.ledger.workspace import Workspace
    from holdfast.rooms.decisions.deciding import Here
    from holdfast.rooms.decisions.decision import Decision, Standing
    from holdfast.rooms.recovery.full_checkpoint import Checkup
    from holdfast.rooms.tracker.trackers import Item, Tracker

LEVEL1_AT = ("startup", "clear", "compact")
SHORT_LIMIT_S = 1.0  # where somebody waits
DUE = ("stop", "delta")  # checkpoints that so many tokens called for
COPIES = "notes"  # the folder of what was rendered lately
IDENTIFIERS = 50


# Before the transaction


def read_notes(context: EventContext) -> None:
    """What somebody changed in NOTES.md since the last turn: a session that begins is told it as
    it stands there now. Kept as the file's, and as of no session."""
    root = context.worktree
    if context.is_late or not context.settings["notes.enabled"] or not root:
        return
    if not files.exists(f"{root}/.holdfast/NOTES.md"):
        return  # most projects
    project = context.likely_project()
    if not project:
        return
    from holdfast.rooms.decisions.deciding import Here
    from holdfast.rooms.notes import notes_file

    here = Here(context.workspace, project=project, root=root, at=context.event.at)
    try:
        notes_file.take_in(here, _copies(context, project))
    except (OSError, StoreError):
        pass  # a link, somebody else's, being rendered: `holdfast notes check` says so


# In the transaction


def on_session_start(context: EventContext) -> None:
    """Level 1 of recovery; what the last full checkpoint found; identifiers are looked at."""
    if context.kept is None or context.is_late:
        return
    source = context.event.body["source"]
    unsound = _verify(context)
    if context.settings["recovery.tiered"] and source in (*LEVEL1_AT, "resume"):
        _tell_level1(context, source, unsound)
    previous = context.previous()
    if source in ("startup", "clear") and previous:
        items = _findings(context, previous)
        if items:
            text = ours("The last full checkpoint of the session before found:")
            rest = ours("see `holdfast ground`")
            sources = [f"session {previous}"]
            context.remarks.append(Remark(DECISIONS, text, items=items, rest=rest, sources=sources))


def _findings(context: EventContext, previous: str) -> list[str]:
    """What the last full checkpoint of a session found, judged anew: what was superseded or mended
    since is no finding any more."""
    checkpoint = _last_checkpoint(context, previous)
    root = str(context.event.body["worktree"])
    if not checkpoint or not checkpoint["findings"] or not root:
        return []
    from holdfast.rooms.recovery import full_checkpoint

    checkup = full_checkpoint.judge(
        context.store, context.project, root, previous, context.settings
    )
    return [finding["says"] for finding in checkup.findings]


def _last_checkpoint(context: EventContext, session: str) -> Body | None:
    """What the last full checkpoint of a session found."""
    bodies = ledger.bodies_of_kind(context.store, session, "checkpoint_judged")
    checkpoint: Body | None = jsontext.loads(bodies[-1]) if bodies else None
    return checkpoint


def _verify(context: EventContext) -> int:
    """Look whether identifiers are still there, without loading them; how many are not."""
    from holdfast.rooms.tracker import queries

    known = queries.identifiers(context.store, context.project, IDENTIFIERS)
    if not known:
        return 0
    from holdfast.rooms.notes import identifiers

    standings = identifiers.looked_at(str(context.event.body["worktree"]), known)
    context.keep(
        "identifiers_verified", {"standings": standings}, key=context.consequence("verified")
    )
    return sum(standing != identifiers.HERE for standing in standings.values())


def _tell_level1(context: EventContext, source: str, unsound: int) -> None:
    from holdfast.rooms.decisions import queries
    from holdfast.rooms.recovery import levels

    root = str(context.event.body["worktree"])
    last = [each for each in _last(context, root) if each[0].id not in context.told_decisions]
    active = {**_item_line(context, root), **context.active}
    if source == "resume":  # its whole transcript comes back: only what no longer holds is news
        last, active, unsound = [judged for judged in last if judged[1] == "broken"], {}, 0
        items = []
    else:
        items = queries.open_items(context.store, context.project)
    lines = levels.level1(active, last, items, unsound, context.settings["recovery.level1_tokens"])
    if lines:
        text = ours("Session continuity, level 1 (more: `holdfast context recover 2 WORDS`):")
        sources = [f"decision {decision.id}" for decision, *_ in last]
        context.remarks.append(Remark(DECISIONS, text, items=lines, sources=sources))


def _last(context: EventContext, root: str) -> list[tuple[Decision, str, dict[str, Standing]]]:
    """The last decisions that are still believed, with their standing; judging is loaded where
    there is one."""
    from holdfast.rooms.decisions.queries import count_current

    if not count_current(context.store, context.project, limit=1):
        return []
    from holdfast.hook import belief
    from holdfast.rooms.decisions import decision_wording
    from holdfast.rooms.decisions.deciding import greeting

    floor, now = context.settings["continuity.decay_min_floor"], context.event.at
    return [
        each
        for each in greeting(context.store, context.project, root)
        if decision_wording.confidence_left(*each[:2], now, floor) >= belief.DROPPED_UNDER
    ]


def _item_line(context: EventContext, root: str) -> dict[str, str]:
    """The item in work, by its file or our own list: a program is not waited for here."""
    from holdfast.rooms.tracker import beads, trackers

    if context.settings["tracker.program"] == trackers.OFF or not root:
        return {}
    where = trackers.FILE if beads.files(root) else trackers.OWN
    item = trackers.Tracker(context.store, context.project, root, where).active()
    return {"Current Bead": trackers.named(item)} if item else {}


def judge_checkpoint(context: EventContext) -> None:
    """Steps 1, 2 and 7 of the full checkpoint; strict ones are asked about by the one evaluator."""
    if context.kept is None or "subagent" in context.event.body:
        return
    if context.event.kind == "context_closing":
        _tell_level1_to_summariser(context)
    checkup = _judged(context)
    if checkup is None:
        return
    context.checkup = checkup
    if context.event.kind == "turn_ended":
        context.pressing = checkup.pressing()
    _keep_checkup(context, checkup, "stop" if context.event.kind == "turn_ended" else "compact")


def _judged(context: EventContext) -> Checkup | None:
    """None where there is nothing to judge, which most turns are."""
    from holdfast.ledger.queries import has_kind
    from holdfast.rooms.tracker import queries

    if context.settings["checkpoint.mode"] == "off" or not context.worktree:
        return None
    session, store = context.event.session, context.store
    searched = has_kind(store, session, context.project, "ghost_checked")
    if not searched and not queries.has_claims(store, session):
        return None
    from holdfast.rooms.recovery import full_checkpoint

    return full_checkpoint.judge(
        context.store, context.project, context.worktree, context.event.session, context.settings
    )


def _keep_checkup(context: EventContext, checkup: Checkup, cause: str) -> None:
    """An entry, where it says something that the last one did not."""

    body = checkup.body(cause)
    last = _last_checkpoint(context, context.event.session)
    if last is None:
        is_news = bool(checkup.claims or checkup.findings)
    else:
        is_news = any(body[name] != last[name] for name in ("grounded", "claims", "findings"))
    if is_news:
        context.keep("checkpoint_judged", body, key=context.consequence("checkup"))


def _tell_level1_to_summariser(context: EventContext) -> None:
    """A compaction is told which decisions hold, so that its summary does not say otherwise."""
    from holdfast.rooms.recovery import levels

    last = _last(context, context.worktree)
    lines = levels.level1({}, last, tokens=context.settings["recovery.level1_tokens"])
    if lines:
        text = ours("Decisions, and how they stand:")
        context.remarks.append(Remark(DECISIONS, text, items=lines))


# After the commit


def heal_files(context: EventContext) -> None:
    """State files that are gone or emptied come back."""
    if context.kept is None or not context.settings["notes.enabled"]:
        return
    context.worktree, context.gitdir = context.event.body["worktree"], context.event.body["gitdir"]
    root, copies = context.worktree, _copies(context)
    if not root or not any(map(files.exists, (f"{root}/.holdfast", f"{root}/.beads", copies))):
        return  # most projects: nothing of it is there, and nothing is missed
    from holdfast.rooms.recovery import healing

    healing.heal(_here(context), context.active, copies)


def after_commit(context: EventContext) -> None:
    """The item is told, notes are rendered, the trajectory is written."""
    if context.kept is None or not context.worktree:
        return
    from holdfast.rooms.tracker import queries

    if queries.has_content(context.store, context.project):
        _synthesise(context)
    elif context.checkpoint_cause in DUE:
        _log_sync(context, 0, bead=False, notes=False)
    if context.event.kind == "session_ended":
        _tracker(context).sync()
    render_trajectory(context)


def _tracker(context: EventContext) -> Tracker:
    from holdfast.rooms.tracker import trackers

    is_awaited = context.event.kind in ("session_ended", "prompt_given")
    limit_s = SHORT_LIMIT_S if is_awaited else trackers.LIMIT_S
    chosen = context.settings["tracker.program"]
    return trackers.Tracker(context.store, context.project, context.worktree, chosen, limit_s)


def _synthesise(context: EventContext) -> None:
    from holdfast.rooms.notes import notes_file
    from holdfast.rooms.recovery import full_checkpoint, synthesis
    from holdfast.rooms.tracker import trackers

    here, items = _here(context), _tracker(context)
    item = items.active()
    tellings = synthesis.tell_item(here, items, item) if item else 0
    if item and context.settings["close.items"] and context.event.kind == "turn_ended":
        _close_item(context, here, items, item)
    synthesis.decay(here)
    outcome = None
    if context.settings["notes.enabled"]:
        active = {"Current Bead": trackers.named(item) if item else ""}
        try:
            outcome = notes_file.render(here, {**active, **context.active}, _copies(context))
        except (OSError, StoreError):
            pass  # a link, no space, somebody else's: `holdfast notes check` says so
    if context.checkpoint_cause:
        persisted = outcome.decisions if outcome else 0
        _log_sync(context, persisted, bead=bool(tellings), notes=bool(outcome))
    if context.event.kind in ("context_closing", "session_ended"):
        checkup = context.checkup or full_checkpoint.judge(
            context.store, context.project, context.worktree, here.session, context.settings
        )
        ended = context.event.kind == "session_ended"
        synthesis.hand_on(here, items, item, checkup, context.event.agent, ended=ended)


def _close_item(context: EventContext, here: Here, items: Tracker, item: Item) -> None:
    """The session's own item, at the end of a turn that leaves nothing open; the person is told."""
    from holdfast.hook.event import Answer
    from holdfast.hook.voice import joined, quoted
    from holdfast.rooms.recovery import closing
    from holdfast.rooms.tracker import trackers

    checkup, settings = context.checkup, context.settings
    if context.answer.refusal or context.event.body["background"] or checkup is None:
        return
    if not closing.is_finished(here, item, checkup, settings) or not context.is_contract_proven():
        return
    if closing.close(here, items, item, checkup):
        before = context.answer.for_person
        line = ours("{} is closed: what it takes was proved", quoted(trackers.named(item)))
        lines = joined("\n", [before, line] if before else [line])
        context.answer = Answer(context.answer.context, for_person=lines)


def render_trajectory(context: EventContext) -> None:
    """What came since the last turn; what is far behind is left to a process of its own."""
    if not context.settings["trajectory.enabled"]:
        return
    from holdfast.rooms.trajectory import day_files

    common = context.common() if context.gitdir else ""
    folder, within = _trajectory_of(context.state, context.project, common)
    if day_files.is_behind(context.store, folder) and _leave_to_another(context, common):
        return
    days = context.settings["trajectory.live_days"], context.settings["trajectory.kept_days"]
    day_files.render(
        context.store, context.project, folder, within=within, now=context.event.at, days=days
    )


def _trajectory_of(state: str, project: str, common: str) -> tuple[str, str]:
    """The trajectory's folder, and the folder of ours that it lies in."""
    from holdfast.rooms.trajectory.day_files import FOLDER

    folder = paths.beside(common, state, project, FOLDER)
    return folder, paths.project_folder(common) if common else state


def _leave_to_another(context: EventContext, common: str) -> bool:
    """Have a process of its own catch up, unless one is at it; False where none can be started."""
    from holdfast.rooms.trajectory import day_files
    from holdfast.system import processes

    launcher = paths.launcher(context.state)
    if not files.exists(launcher):
        return False
    if not day_files.is_being_caught_up(*_trajectory_of(context.state, context.project, common)):
        import sys

        errand = ["trajectory", context.project, context.worktree, common]
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
            now = clock.now()
            day_files.catch_up(
                lambda: day_files.render(
                    workspace.store, project, folder, within=within, now=now, days=days
                )
            )
    finally:
        lock.release()


def _log_sync(context: EventContext, persisted: int, *, bead: bool, notes: bool) -> None:
    from holdfast.rooms.recovery import synthesis

    body = {
        "tokens": int(context.event.body.get("tokens") or 0),
        "decisions_persisted": persisted,
        "bead_updated": bead,
        "notes_updated": notes,
    }
    synthesis.keep(_here(context), "state_synced", body)


def _here(context: EventContext) -> Here:
    from holdfast.rooms.decisions.deciding import Here

    return Here(
        context.workspace,
        project=context.project,
        root=context.worktree,
        session=context.event.session,
        at=context.event.at,
    )


def _copies(context: EventContext, project: str = "") -> str:
    common = context.common() if context.gitdir else ""
    return paths.beside(common, context.state, project or context.project, COPIES)
