"""What entries make of requirements, evidence, confidence and contracts.

Reads the entry and this room's tables, nothing else: the replay law. Every row is owned by the
session of its entry, so that a session can be forgotten, or derived again, by itself. Of two acts
the later one counts, in whichever order they came: an event may have waited in the spool.
"""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.ledger import projections
from holdfast.rooms.gates.queries import AS_JSON, conduct_of
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.rooms.gates.queries import Conduct
    from holdfast.store.sqlite import Store

# What a session did goes with its archive; what was satisfied and switched stays.
OF_WORK = "edits evidence conduct contracts denials skills".split()
OF_ACTS = "gate_acts gate_switches".split()
TABLES = (*OF_WORK, *OF_ACTS)

FAILING_COMMANDS = 20
CHANGES = 40
TURNS_HEARD = 5


def derive(store: Store, entry: Entry) -> None:
    if entry.kind in ("session_archived", "session_forgotten"):
        drop(store, entry.session, OF_WORK if entry.kind == "session_archived" else TABLES)
        return
    _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str, tables: Iterable[str] = TABLES) -> None:
    projections.drop(store, session, tables)


def _project_forgotten(store: Store, entry: Entry) -> None:
    for table in OF_ACTS:
        store.run(f"delete from {table} where project = ?", entry.project)


def _if_later(columns: str) -> str:
    """What a later act changes of an earlier one."""
    changes = ", ".join(f"{name} = excluded.{name}" for name in columns.split())
    return f"on conflict do update set {changes} where excluded.rank >= rank"


# Requirements


def _act(store: Store, entry: Entry, act: str, whose: str, by: str) -> None:
    store.insert(
        "gate_acts",
        **entry.header("project session at seq rank"),
        **entry.fields("branch requirement"),
        whose=whose,
        act=act,
        by=by,
        since=entry.body.get("since") or entry.at,
        expires_at=entry.body.get("expires_at"),
        then=_if_later("by at seq rank since expires_at"),
    )


def _met(store: Store, entry: Entry) -> None:
    _act(store, entry, "met", entry.body["whose"], entry.body["by"])


def _triggered(store: Store, entry: Entry) -> None:
    _act(store, entry, "triggered", entry.session, entry.body["tool"])


def _cleared(store: Store, entry: Entry) -> None:
    _act(store, entry, "cleared", entry.body["whose"], entry.body["why"])


def _switched(store: Store, entry: Entry) -> None:
    store.insert(
        "gate_switches",
        **entry.header("project session at seq rank"),
        **entry.fields("requirement whose"),
        is_on=entry.body["on"],
        then=_if_later("is_on at seq rank"),
    )


def _denied(store: Store, entry: Entry) -> None:
    for sort in ("requirement", "tool", "commit"):
        for name, times in entry.body.get(f"{sort}s", {}).items():
            if type(times) is int:
                then = "on conflict do update set times = times + excluded.times"
                row = {"sort": sort, "name": name, "times": times}
                store.insert("denials", session=entry.session, **row, then=then)


# Work


def _keep_conduct(store: Store, conduct: Conduct) -> None:
    store.replace(
        "conduct",
        **{
            name: jsontext.dumps(value) if name in AS_JSON else value
            for name, value in vars(conduct).items()
        },
    )


def _tool_used(store: Store, entry: Entry) -> None:
    body, deed = entry.body, entry.body["deed"]
    if deed == "skill" and body["ok"]:
        _skill(store, entry, acts.skill(body["input"]))
    if deed not in ("edit", "create", "run"):
        return
    conduct = conduct_of(store, entry.session)
    conduct.deeds += 1
    command, path = body.get("command", ""), body.get("path", "")
    if deed == "run":
        _count_failures(conduct.failures, command, ok=body["ok"])
    elif body["ok"] and path:
        row = entry.header("session at seq rank")
        store.insert("edits", path=path, **row, then=_if_later("at seq rank"))
        if deed == "edit":
            _note_change(conduct.changes, body)
    _hear(conduct, f"{command} {path}")
    _keep_conduct(store, conduct)


def name_of_command(command: str) -> str:
    """What a command is known by among those that fail."""
    from holdfast.system.paths import digest

    return digest(" ".join(command.split()).encode("utf-8", "backslashreplace"))[:12]


def _count_failures(failures: dict[str, int], command: str, *, ok: bool) -> None:
    name = name_of_command(command)
    if ok:
        failures.pop(name, None)
        return
    failures[name] = failures.pop(name, 0) + 1
    while len(failures) > FAILING_COMMANDS:
        del failures[next(iter(failures))]


def _note_change(changes: list[list[str]], body: Body) -> None:
    from holdfast.rooms.gates.edit_change import change_of

    change = change_of(body)
    if change is not None:
        changes.append(list(change))
        del changes[:-CHANGES]


def _hear(conduct: Conduct, text: str) -> None:
    """Which words of the goal were heard in this turn."""
    if not conduct.goal or not conduct.heard:
        return
    text, turn = text.lower(), conduct.heard[-1]
    turn += [word for word in conduct.goal if word not in turn and word in text]


def _skill(store: Store, entry: Entry, name: Any) -> None:
    if isinstance(name, str) and name:
        then = "on conflict do update set times = times + 1, at = excluded.at"
        store.insert("skills", **entry.header("session at"), name=name[:200], times=1, then=then)


def _command_typed(store: Store, entry: Entry) -> None:
    _skill(store, entry, entry.body["name"])


def _prompt_given(store: Store, entry: Entry) -> None:
    """A turn begins, unless the prompt did not come from the agent's own process."""
    if entry.body.get("unverified"):
        return
    conduct = conduct_of(store, entry.session)
    is_all_done = not conduct.left_open
    conduct.observed, conduct.left_open = [], []
    conduct.deeds, conduct.blocked = 0, 0
    conduct.heard = [*conduct.heard, []][-TURNS_HEARD:]
    _hear(conduct, entry.body["prompt"])
    _keep_conduct(store, conduct)
    if is_all_done:
        _end_contract(store, entry.session)


def _end_contract(store: Store, session: str) -> None:
    """What was proved when the turn before ended is over."""
    from holdfast.rooms.gates import queries

    stored = queries.contract(store, session)
    if stored is None:
        return
    from holdfast.rooms.gates import contract

    if contract.is_proved(stored, queries.evidence(store, session), queries.edits(store, session)):
        store.run("delete from contracts where session = ?", session)


def _turn_ended(store: Store, entry: Entry) -> None:
    if not entry.body["again"]:
        store.run("update conduct set turns = turns + 1 where session = ?", entry.session)


def _goal_set(store: Store, entry: Entry) -> None:
    conduct = conduct_of(store, entry.session)
    words = [word.lower() for word in entry.body["keywords"] if isinstance(word, str)]
    conduct.goal, conduct.turns, conduct.heard = words, 0, [list(words)]
    _keep_conduct(store, conduct)


def _evidence_seen(store: Store, entry: Entry) -> None:
    store.insert(
        "evidence",
        **entry.header("session at seq rank"),
        **entry.fields("passed tool said command"),
        kind=entry.body["sort"],
        tree=entry.body.get("tree", ""),
        then=_if_later("at seq rank passed tool said command tree"),
    )


def _call_settled(store: Store, entry: Entry) -> None:
    """What a call proved that never was is no evidence."""
    if not entry.body["stands"]:
        store.run(
            "delete from evidence where session = ? and at = ?", entry.session, entry.body["at"]
        )


def _confidence_moved(store: Store, entry: Entry) -> None:
    conduct = conduct_of(store, entry.session)
    conduct.confidence = entry.body["value"]
    conduct.observed.append(entry.body["observation"])
    _keep_conduct(store, conduct)


def _contract_set(store: Store, entry: Entry) -> None:
    body = entry.body
    store.replace(
        "contracts",
        **entry.header("id session at rank"),
        goal=body["goal"],
        criteria=jsontext.dumps(body["criteria"]),
        required=jsontext.dumps(body["evidence_required"]),
        refused=0,
        thread=body.get("thread", ""),
        author=body.get("author", ""),
        source=body.get("from", ""),
        unproven=jsontext.dumps(body.get("unproven", [])),
        edits_wait=body.get("edits_wait", False),
    )


def _stop_blocked(store: Store, entry: Entry) -> None:
    conduct = conduct_of(store, entry.session)
    conduct.blocked += 1
    conduct.left_open = entry.body["open"]
    _keep_conduct(store, conduct)
    if entry.body["lacks"]:
        store.run("update contracts set refused = refused + 1 where session = ?", entry.session)


def _stop_passed(store: Store, entry: Entry) -> None:
    conduct = conduct_of(store, entry.session)
    conduct.left_open = entry.body["open"]
    _keep_conduct(store, conduct)


_DERIVED = {
    "project_forgotten": _project_forgotten,
    "requirement_met": _met,
    "requirement_triggered": _triggered,
    "requirement_cleared": _cleared,
    "gates_switched": _switched,
    "tools_denied": _denied,
    "tool_used": _tool_used,
    "command_typed": _command_typed,
    "prompt_given": _prompt_given,
    "turn_ended": _turn_ended,
    "goal_set": _goal_set,
    "evidence_seen": _evidence_seen,
    "call_settled": _call_settled,
    "confidence_moved": _confidence_moved,
    "contract_set": _contract_set,
    "stop_blocked": _stop_blocked,
    "stop_passed": _stop_passed,
}
