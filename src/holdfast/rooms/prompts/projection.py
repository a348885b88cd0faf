"""What entries make of what the user said: prompts, goals, rules, choices, what became of them.

Reads the entry and this room's tables, nothing else: the replay law. Every row is owned by the
session of its entry, so `drop` and a second derivation of that session alone give equal rows.

A prompt is provisional when its hook has seen it. What settles it may say that nobody sent it, or
that no person wrote it: then what was heard in it no longer stands.
"""

from __future__ import annotations

from holdfast.ledger import projections
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.store.sqlite import Store

# What was said goes with its session's archive; what follows from it stays.
OF_SESSION = "prompts session_goals rules_told".split()
OF_WORDS = "goals rules choices rule_turns".split()
OWNED = (*OF_SESSION, *OF_WORDS)
HOMES = "prompt_homes"
TABLES = (*OWNED, HOMES)

GIVEN = "given"  # the origin of a prompt that only the hook has seen
AUTOMATED = "automated"  # of one that a program opens session after session with
UNVERIFIED = "unverified"  # of one that did not come from the agent's own process
# What stands for its own session, and waits for the agent's record before others are told of it.
WAITS = 2
# A person's, once it is settled. Of a client that does not say who made a turn the hook's word
# holds: "unknown".
PERSONS = frozenset({GIVEN, "typed", "queued", "command", "sdk", "unknown", "unread"})
# An order by the prompt that an earlier version heard it in. The archive takes prompts away: then
# it is told to nobody again, as a replay without them would have it.
JUDGED_ANEW = 2


def derive(store: Store, entry: Entry) -> None:
    if entry.kind in ("session_archived", "session_forgotten"):
        drop(store, entry.session, OF_SESSION if entry.kind == "session_archived" else OWNED)
        store.run(
            "update rules set is_order = 0 where session = ? and is_order = ?",
            entry.session,
            JUDGED_ANEW,
        )
        return
    _DERIVED[entry.kind](store, entry)


def drop(store: Store, session: str, tables: Iterable[str] = OWNED) -> None:
    projections.drop(store, session, tables)


def _prompt_given(store: Store, entry: Entry) -> None:
    body = entry.body
    is_unverified = body.get("unverified", False)
    store.insert(
        "prompts",
        project=_home_of(store, entry),
        **entry.header("id session seq at"),
        text=body["prompt"],
        branch=body.get("branch", ""),
        origin=UNVERIFIED if is_unverified else GIVEN,
        stands=0 if is_unverified else _stands(body),
        row="",
        by_client=body.get("by_client", False),
    )


def _stands(body: Body) -> int:
    return WAITS if body.get("awaits") else 1


def _prompt_settled(store: Store, entry: Entry) -> None:
    body = entry.body
    if body["origin"] == AUTOMATED:
        # Whatever the agent's record says of it; a rule that was announced stays the person's.
        store.run(
            "update prompts set stands = 0, origin = ? where id = ?", AUTOMATED, body["prompt"]
        )
        store.run(
            "update session_goals set stands = 0 where prompt = ? and prompt <> ''", body["prompt"]
        )
        return
    if store.value("select origin from prompts where id = ?", body["prompt"]) == AUTOMATED:
        return
    stands = int(body["stands"] and body["origin"] in PERSONS)
    store.run(
        "update prompts set origin = ?, stands = ?, row = ? where id = ?",
        body["origin"],
        stands,
        body.get("row", ""),
        body["prompt"],
    )
    _settle(store, body["prompt"], stands)


def _call_settled(store: Store, entry: Entry) -> None:
    _settle(store, entry.body["call"], int(entry.body["stands"]))


def _settle(store: Store, prompt: str, stands: int) -> None:
    for table in ("rules", "session_goals", "choices", "rule_turns"):
        # Said twice, for the index of what was said in a prompt.
        store.run(
            f"update {table} set stands = ? where prompt = ? and prompt <> ''", stands, prompt
        )
    if not stands:  # what it lifted or strengthened is as it was before
        store.run("delete from rule_turns where prompt = ? and prompt <> ''", prompt)


def _goal_set(store: Store, entry: Entry) -> None:
    body = entry.body
    thread, prompt = body["thread"] or entry.id, body.get("prompt", "")
    store.insert(
        "goals",
        project=_home_of(store, entry),
        **entry.header("id session at rank"),
        **entry.fields("goal how"),
        keywords=jsontext.dumps(body["keywords"]),
        thread=thread,
        author=body.get("author", "person"),
        prompt=prompt,
    )
    _take_up(store, entry, entry.id, thread, prompt, _stands(body))


def _state_inherited(store: Store, entry: Entry) -> None:
    if entry.body["thread"]:
        _take_up(store, entry, entry.body["goal"], entry.body["thread"])


def _take_up(
    store: Store, entry: Entry, goal: str, thread: str, prompt: str = "", stands: int = 1
) -> None:
    """The goal that is in force in a session from now on."""
    if entry.session:
        store.replace(
            "session_goals",
            **entry.header("session seq"),
            goal=goal,
            thread=thread,
            prompt=prompt,
            stands=stands,
        )


def _rule_given(store: Store, entry: Entry) -> None:
    body = entry.body
    store.insert(
        "rules",
        project=_home_of(store, entry),
        **entry.header("id session at"),
        **entry.fields("text sort lasting thread how"),
        is_order=body["order"] if "order" in body else _judged_anew(store, entry),
        heard_in=body.get("heard_in", ""),
        author=body.get("author", "person"),
        scope=body.get("scope", "project"),
        branch=body.get("branch", ""),
        prompt=body.get("prompt", ""),
        stands=_stands(body),
    )


def _judged_anew(store: Store, entry: Entry) -> int:
    """Whether a rule that an earlier version heard was an order by itself; its prompt tells."""
    if entry.body["how"] != "prompt" or not entry.body["lasting"]:
        return 0
    prompt = store.value(
        "select text from prompts where session = ? order by seq desc limit 1", entry.session
    )
    if not prompt or entry.body["text"] not in prompt:
        return 0
    from holdfast.rooms.prompts import understanding

    orders = [rule.text for rule in understanding.hear(prompt).rules if rule.is_order]
    return JUDGED_ANEW if any(entry.body["text"] in order for order in orders) else 0


def _choice_made(store: Store, entry: Entry) -> None:
    body = entry.body
    store.insert(
        "choices",
        project=_home_of(store, entry),
        **entry.header("id session seq at"),
        **entry.fields("text question sort branch thread"),
        pointed=body.get("pointed", False),
        path=body.get("path", ""),
        prompt=body.get("prompt", ""),
        row=body.get("row", ""),
        stands=_stands(body),
    )


def _turned(store: Store, entry: Entry) -> None:
    store.insert(
        "rule_turns",
        project=_home_of(store, entry),
        **entry.header("id session at"),
        **entry.fields("subject turn how words"),
        prompt=entry.body.get("prompt", ""),
        stands=_stands(entry.body),
    )


def _context_given(store: Store, entry: Entry) -> None:
    for rule in entry.body.get("rules", []):
        then = "on conflict do update set times = times + 1"
        store.insert("rules_told", session=entry.session, rule=str(rule), times=1, then=then)


def _projects_merged(store: Store, entry: Entry) -> None:
    projections.merge(store, entry, HOMES, (*OF_WORDS, "prompts"))


def _project_forgotten(store: Store, entry: Entry) -> None:
    """What a person said of it outside of any session; its sessions are forgotten one by one."""
    projections.drop_outside(store, entry.project, OF_WORDS)
    projections.forget_home(store, entry.project, HOMES)


def _home_of(store: Store, entry: Entry) -> str:
    return projections.home_of(store, entry.project, HOMES)


_DERIVED = {
    "prompt_given": _prompt_given,
    "prompt_settled": _prompt_settled,
    "call_settled": _call_settled,
    "goal_set": _goal_set,
    "rule_given": _rule_given,
    "choice_made": _choice_made,
    "turned": _turned,
    "state_inherited": _state_inherited,
    "context_given": _context_given,
    "projects_merged": _projects_merged,
    "project_forgotten": _project_forgotten,
}
