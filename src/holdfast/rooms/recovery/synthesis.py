"""What the full checkpoint does besides judging: an item is told, places noted, work handed on.

Everything here runs outside of an event's transaction; each act is an entry of its own.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.rooms.decisions import deciding, decision_wording, queries as decisions
from holdfast.rooms.notes import identifiers, notes_file
from holdfast.rooms.tracker import queries, trackers
from holdfast.rooms.trajectory import day_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.decisions.deciding import Here
    from holdfast.rooms.decisions.decision import Decision
    from holdfast.rooms.recovery.full_checkpoint import Checkup
    from holdfast.rooms.tracker.trackers import Item, Tracker

TOLD_AT_ONCE = 10  # decisions that an item is told of after one turn
IDENTIFIERS = 50
HANDED_ON = 5
PLACE = ("path", "line", "last", "purpose")


def tell_item(here: Here, items: Tracker, item: Item) -> int:
    """Write this session's decisions to the item, each once; how many."""
    store, id_, count = here.workspace.store, item["id"], 0
    for decision in decisions.of_session(store, here.project, here.session):
        is_noted = queries.is_noted(store, here.project, id_, "decision", decision.id)
        if is_noted or count == TOLD_AT_ONCE:
            continue
        if not tell_decision(here, items, id_, decision):
            break
        count += 1
    return count


def tell_decision(here: Here, items: Tracker, id_: str, decision: Decision) -> bool:
    """One decision to an item: into its file's fields, else as a comment; with how it stands now
    that it is written."""
    fields = _fields_of(here, decision)
    text = trackers.decision_comment(fields["decisions"][0])
    fields |= _open(here)
    return _write_to_item(here, items, id_, fields, text, ("decision", decision.id))


def _fields_of(here: Here, decision: Decision) -> dict[str, list[Any]]:
    """A decision and its scenarios as an item's file has them."""
    ((_, name, standings),) = deciding.judged(here.workspace.store, here.root, [decision.id])
    record = {
        "ts": decision.at,
        "decision": decision.text,
        "rationale": decision.because,
        "standing": decision_wording.standing_words(name, standings),
        "evidence": [
            {"path": f"${{PROJECT_ROOT}}/{each.path}", "line": each.line, "quote": each.quote}
            for each in decision.evidence
        ],
    }
    scenarios = [
        {"name": each.name, "type": each.kind, "expected": each.expected}
        for each in decision.scenarios
    ]
    return {"decisions": [record], "test_scenarios": scenarios}


def tell_again(here: Here) -> int:
    """What the items of a tracker's file were told and have no longer, since the file came back
    from an older state; how many items. What was told stays told: no entry says it twice."""
    store, project = here.workspace.store, here.project
    items = trackers.Tracker(store, project, here.root, trackers.FILE)
    made = {decision.id: decision for decision in decisions.history(store, project)}
    mended = set()
    for note in queries.told_to(store, project, trackers.FILE):
        decision = made.get(note["subject"])
        try:
            if note["sort"] == "comment":
                is_news = items.comment_once(note["item"], note["text"], now=note["at"])
            elif note["sort"] == "handoff":
                is_news = items.hand_on_once(note["item"], note["text"], ended=note["at"])
            else:  # of a decision that was forgotten since nothing is told
                fields = _fields_of(here, decision) if decision else {}
                is_news = items.extend(note["item"], fields, now=note["at"])
        except (OSError, LookupError, HoldfastError):
            continue  # an item that the older state did not have yet
        if is_news:
            mended.add(note["item"])
    return len(mended)


def _open(here: Here) -> dict[str, list[Any]]:
    sorts = {"next_step": "next_steps", "blocker": "blockers", "question": "questions"}
    by_field: dict[str, list[Any]] = {}
    for item in decisions.open_items(here.workspace.store, here.project):
        by_field.setdefault(sorts[item["sort"]], []).append(item["text"])
    return by_field


def _write_to_item(
    here: Here,
    items: Tracker,
    id_: str,
    fields: dict[str, list[Any]],
    text: str,
    what: tuple[str, str],
) -> bool:
    """Write to an item and keep that it was; False when the tracker would not have it."""
    try:
        if items.where == trackers.FILE:
            items.extend(id_, fields, now=here.at)
        else:
            items.comment(id_, text, now=here.at)
    except (OSError, LookupError, HoldfastError):
        return False
    keep_told(here, items.where, id_, what, text)
    return True


def keep_told(here: Here, where: str, id_: str, what: tuple[str, str], text: str) -> None:
    body = {"item": id_, "tracker": where, "sort": what[0], "subject": what[1], "text": text}
    keep(here, "item_told", body)


def hand_on(
    here: Here, items: Tracker, item: Item | None, checkup: Checkup, agent: str, *, ended: bool
) -> None:
    """The session's handoff, as an entry; an item is told of it when the session has ended, once
    for each end."""
    store = here.workspace.store
    handoff = {
        "session_id": here.session,
        "ended": here.at,
        "notes_ref": notes_file.ref(here.root),
        "trajectory_ref": day_files.ref(agent, here.at, here.session),
        "grounding_ratio": checkup.ratio(),
    }
    steps = decisions.open_items(store, here.project, "next_step")
    body = {
        "bead_id": item["id"] if item else "",
        "grounded": checkup.grounded,
        "claims": checkup.claims,
        "decisions_count": len(decisions.of_session(store, here.project, here.session)),
        "notes_ref": handoff["notes_ref"],
        "trajectory_ref": handoff["trajectory_ref"],
        "next_session_hints": [step["text"] for step in steps][:HANDED_ON],
    }
    keep(here, "handoff_logged", body)
    if item and ended:
        text = trackers.handoff_comment(handoff)
        _write_to_item(
            here, items, item["id"], {"handoffs": [handoff]}, text, ("handoff", here.session)
        )


def decay(here: Here) -> int:
    """The places that this session's decisions rest on become identifiers: the next one needs to
    know where to look, not what was read. How many."""
    store, made = here.workspace.store, 0
    known = {
        (place["path"], place["line"], place["last"])
        for place in queries.identifiers(store, here.project, IDENTIFIERS)
    }
    for decision in decisions.of_session(store, here.project, here.session):
        for cited in [] if decision.superseded_by else decision.evidence:
            place = (cited.path, cited.line, cited.last)
            if place not in known and len(known) < IDENTIFIERS:
                known.add(place)
                purpose = " ".join(decision.text.split())[: identifiers.PURPOSE_CAP]
                identify(here, dict(zip(PLACE, (*place, purpose), strict=True)))
                made += 1
    return made


# By command


def identify(here: Here, body: Body) -> str:
    """Note a place in the code, or without a purpose drop it; how it is named."""
    return keep(here, "identified", body).id


def track(here: Here, id_: str, title: str, stage: str) -> None:
    """An item of our own list as it stands now."""
    body = {"item": id_, "title": title, "stage": stage}
    keep(here, "item_tracked", body)


def keep(here: Here, kind: str, body: Body) -> Entry:
    """One entry, in a transaction of its own."""
    with here.workspace.store.transaction():
        return here.say(kind, body)
