"""Show how full the agent's context is, and what of it is kept."""

from __future__ import annotations

import os
from typing import TypedDict, cast

import click

from holdfast.cli.helpers import checkpoint_views, place_here, recovery_views
from holdfast.cli.helpers.place_here import SHORT
from holdfast.cli.helpers.project_files import files_here
from holdfast.cli.helpers.report import Data, Report, shaped
from holdfast.cli.helpers.verbs import Verb, argument, flag
from holdfast.cli.helpers.wording import ago, plural
from holdfast.errors import HoldfastError, NotFound
from holdfast.hook import briefing
from holdfast.hook.event import Event
from holdfast.hook.event_context import EventContext
from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.gates import handing_on
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands, compaction, queries as activity, summary
from holdfast.rooms.work.commands import Place


class LastCheckpoint(TypedDict):
    """The last checkpoint, why it cannot be restored here, and what came since."""

    id: str
    at: str
    cause: str
    session: str
    tokens: int
    phase: str
    refusal: str | None
    tokens_since: int | None


class ContextStatus(TypedDict):
    """How full the context of a session is, and what Holdfast said to each of the last ones."""

    session: str
    live: bool
    tokens: int | None
    window: int | None
    phase: str | None
    said: dict[str, int]
    checkpoint: LastCheckpoint | None


class TakenCheckpoint(TypedDict):
    """A checkpoint, with what a session goes on with."""

    id: str
    at: str
    session: str
    cause: str
    schema: int
    tokens: int
    phase: str
    tier1: Data


class CheckpointTaken(TypedDict):
    """The checkpoint that was taken."""

    checkpoint: TakenCheckpoint


class CompactionRehearsed(TypedDict):
    """What the summariser would be given."""

    session: str
    text: str
    tokens: int


LEVELS = ("1", "2", "3")
SESSIONS = 5


def _with_a_session(*, to_say: bool = False) -> Place:
    place = place_here.place(to_say=to_say)
    if not place.about:
        raise NotFound("no session here yet", hint="start the agent, then ask again")
    return place


def restore(*, id_: str) -> Report[checkpoint_views.CheckpointRestored]:
    """Go on from a checkpoint, the last unless you name another.

    At once in a live session, else in the next one.
    """
    return checkpoint_views.restore(_with_a_session(to_say=True), id_)


def recover(
    *, level: str, words: tuple[str, ...], inject: bool
) -> Report[recovery_views.Recovered]:
    """Print what was known: 1 the minimum to go on with, 2 a search for WORDS, 3 everything."""
    return recovery_views.recover(files_here(), int(level), " ".join(words), inject=inject)


def status() -> Report[ContextStatus]:
    """Show tokens, phase, what Holdfast said, and whether the last checkpoint can be restored."""
    place = _with_a_session()
    store = place.workspace.store
    state = summary.draw(store, place.project, place.about, now=place.at, branch=place.branch)
    done = state.activity
    tokens, window = done.tokens or 0, done.window or 0
    tokens_by_session = {
        session.id: ledger.tokens_given(store, session.id)
        for session in queries.of_project(store, place.project, SESSIONS)
    }
    tokens_by_session.setdefault(place.about, ledger.tokens_given(store, place.about))
    last = activity.last_checkpoint(store, place.project)
    data: ContextStatus = {
        "session": place.about,
        "live": bool(place.session),
        "tokens": tokens or None,
        "window": window or None,
        "phase": state.phase if tokens else None,
        "said": tokens_by_session,
        "checkpoint": None,
    }
    live = "live" if place.session else "not live"
    lines = [f"Session   {short(place.about)}, {live}"]
    if tokens and window:
        full = f"{tokens} of {window} tokens ({tokens * 100 // window} %)"
        lines.append(f"Context   {full}, phase {state.phase}")
    else:
        lines.append("Context   not known yet: the agent tells it with its next reply")
    others = [
        f"{many} to {short(id_)}"
        for id_, many in tokens_by_session.items()
        if id_ != place.about and many
    ]
    more = f"  (before: {', '.join(others)})" if others else ""
    lines.append(f"Said      {plural(tokens_by_session[place.about], 'token')} by Holdfast{more}")
    if last is None:
        lines.append("Checkpoint none yet: `holdfast context checkpoint` takes one")
        return Report(lines, data)
    refusal = checkpoint_views.refusal(place, last)
    since = _since(place, last, done)
    data["checkpoint"] = shaped(LastCheckpoint, last, refusal=refusal or None, tokens_since=since)
    taken = checkpoint_views.TAKEN.get(last.cause, last.cause)
    whose = f"{taken}, {ago(last.at, place.at)}, in {short(last.session)}"
    lines.append(f"Checkpoint {last.id[:SHORT]}, {whose}")
    command = "`holdfast context restore`"
    verdict = f"○ cannot be restored here: {refusal}" if refusal else f"● {command} brings it back"
    lines.append(f"          {verdict}")
    if since is not None:
        limit = place.settings["continuity.sync_tokens"]
        following = f"; the next is taken at {limit}" if limit else ""
        lines.append(f"Since     {plural(since, 'token')} of context{following}")
    return Report(lines, data)


def _since(place: Place, last: activity.Checkpoint, done: activity.Activity) -> int | None:
    """Tokens of context since a checkpoint; None when it was another session's, or unknown."""
    if last.session != place.about or not done.tokens:
        return None
    return max(0, int(done.tokens) - int(last.tokens))


def checkpoint(*, full: bool) -> Report[CheckpointTaken | recovery_views.FullCheckpoint]:
    """Take a checkpoint."""
    if not full:
        return take_checkpoint()
    _with_a_session(to_say=True)
    return recovery_views.full(files_here(to_act=True))


def take_checkpoint() -> Report[CheckpointTaken]:
    place = _with_a_session(to_say=True)
    made = commands.checkpoint(place, checkpoint_views.gates_state(place))
    tier1 = made["tier1"]
    files = len(tier1["files_created"]) + len(tier1["files_edited"])
    held = [
        "the goal" if tier1["original_goal"] else "no goal yet",
        plural(len(tier1["constraints"]), "rule"),
        plural(len(tier1["pins"]), "pin"),
        f"confidence {tier1['confidence']}",
        "the contract" if tier1["task_contract"] else "no contract",
        plural(files, "changed file"),
        plural(len(tier1["errors_unresolved"]), "failing command"),
    ]
    lines = (
        f"Checkpoint {made['id'][:SHORT]} of {short(made['session'])} is taken.",
        f"It holds {', '.join(held)}.",
    )
    return Report(lines, {"checkpoint": cast("TakenCheckpoint", made)})


class Rehearsal:
    """A workspace that keeps nothing, so that what would be said can be heard before."""

    def __init__(self, workspace: Workspace) -> None:
        self.store = workspace.store
        self.state = workspace.state

    def keep(self, *_: object, **__: object) -> None:
        return None


def compact(*, dry_run: bool) -> Report[CompactionRehearsed]:
    """With --dry-run: print what the summariser would be given.

    Only the agent itself can compact.
    """
    if not dry_run:
        raise HoldfastError(
            "only the agent can compact its context",
            hint="type /compact there; `holdfast context compact --dry-run` shows what it is told",
        )
    place = _with_a_session()
    event = Event(
        agent="",
        kind="context_closing",
        session=place.about,
        key="",
        at=place.at,
        cwd=os.getcwd(),
        body={"trigger": "manual", "instructions": ""},
    )
    work = EventContext(cast("Workspace", Rehearsal(place.workspace)), event)
    work.project, work.settings = place.project, place.settings
    compaction.close(work)
    work.remarks += handing_on.carried_over(work)
    text = briefing.compose(
        work.remarks,
        tokens=place.settings["briefing.start_tokens"],
        heading=briefing.heading(work.marker),
    )
    tokens = briefing.count(text) if text else 0
    lines = text.splitlines() or ["Nothing: no goal, no rule and no open work is known yet."]
    return Report(lines, {"session": place.about, "text": text, "tokens": tokens})


VERBS = {
    "status": Verb(status),
    "checkpoint": Verb(
        checkpoint, flag("--full", help="Run all seven steps of a full checkpoint.")
    ),
    "restore": Verb(restore, argument("id_", metavar="[ID]", default="")),
    "compact": Verb(compact, flag("--dry-run", help="Print what would be carried over.")),
    "recover": Verb(
        recover,
        argument("level", type=click.Choice(LEVELS), default="1"),
        argument("words", nargs=-1),
        flag("--inject", help="Keep level 3 within its token limit."),
    ),
}
