"""An entry: one thing that was learnt, and the shape its kind asks for.

    header   machine, seq, at, project, session, agent, kind, version, key, digest, checksum
    body     JSON, apart from the header, so that it can be forgotten while the header stays

Laws (docs/decisions/0001-the-entry.md):
  - an entry is never edited;
  - `seq` is gap-free per machine, and is the order of commits whatever the clocks say;
  - (session, key) names the event itself: what arrives twice is kept once;
  - `digest` covers salt and body. The salt lies with the body and goes with it, so that a
    gravestone cannot be asked whether it once held a guessed text;
  - `checksum` covers every other field of the header.
"""

from __future__ import annotations

from holdfast.errors import EntryRefused
from holdfast.redaction.gate import Gated
from holdfast.system.paths import digest as digest_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Fields of a body: name -> the types it may have. A name with "?" may be missing.
_TEXT, _FLAG, _WHOLE, _LIST, _OBJECT = (str,), (bool,), (int,), (list,), (dict,)

# What the agent's transcript said of its context when the event came.
_USAGE = {"tokens?": _WHOLE, "window?": _WHOLE, "model?": _TEXT}
# Kinds that hold when their session is long over: the archive leaves them where they are.
LASTING = (
    *("goal_set", "rule_given", "turned", "pinned", "learnt"),
    *("requirement_met", "requirement_cleared", "gates_switched"),
    "recalled",
    *("decision_made", "item_opened", "item_resolved", "ghost_checked"),
    *("identified", "identifiers_verified", "item_tracked", "item_told"),
)
# Kinds that hold something of another session, and the field that names it: forgotten with it.
HELD_OF = {"identity_inherited": "from"}
SPARED_BY_ARCHIVE = ("session_archived", "session_restored", *LASTING)

# kind -> (version of the shape, fields)
KINDS: dict[str, tuple[int, dict[str, tuple[type, ...]]]] = {
    "project_met": (1, {"name": _TEXT, "root": _TEXT}),
    "project_aliased": (1, {"sort": _TEXT, "value": _TEXT}),
    "projects_merged": (1, {"into": _TEXT}),
    "session_began": (
        1,
        {
            "source": _TEXT,
            "cwd": _TEXT,
            "worktree": _TEXT,
            "gitdir": _TEXT,
            "branch": _TEXT,
            "channel": _TEXT,
            "transcript": _TEXT,
            "pid": _WHOLE,
            "process_started": _TEXT,
            "boot": _TEXT,
            "host": _TEXT,
            "namespace": _TEXT,
            "model?": _TEXT,
            "title?": _TEXT,
            "agent_type?": _TEXT,
            "context_tokens?": _WHOLE,
            "keywords?": _LIST,  # of branch, commits and changed files
            "changed?": _LIST,  # of changed files alone
            "files?": _LIST,  # the changed files themselves
        },
    ),
    "session_linked": (1, {"previous": _TEXT, "how": _TEXT}),
    "session_crashed": (1, {"last_active_at": _TEXT, "found_by": _TEXT}),
    "session_ended": (1, {"reason": _TEXT, "captured?": _OBJECT}),
    "session_archived": (1, {"file": _TEXT, "session": _OBJECT}),
    "session_restored": (1, {"file": _TEXT}),
    # What was forgotten is named by header and number alone: no text of it lies here.
    "session_forgotten": (1, {"entries": _WHOLE}),
    "entry_forgotten": (1, {"machine": _TEXT, "seq": _WHOLE, "kind": _TEXT}),
    "project_forgotten": (1, {"entries": _WHOLE}),
    "prompt_given": (1, {"prompt": _TEXT, "branch?": _TEXT, "source?": _TEXT, **_USAGE}),
    "command_typed": (1, {"name": _TEXT, "arguments": _TEXT, "prompt": _TEXT, "sort?": _TEXT}),
    "tool_used": (
        1,
        {
            "tool": _TEXT,
            "deed": _TEXT,
            "ok": _FLAG,
            "path?": _TEXT,
            "command?": _TEXT,
            "input": _OBJECT,
            "output?": _TEXT,
            "error?": _TEXT,
            "interrupted?": _FLAG,
            "duration_ms?": _WHOLE,
            "subagent?": _TEXT,
            "branch?": _TEXT,
        },
    ),
    "context_closing": (
        1,
        {"trigger": _TEXT, "instructions": _TEXT, "subagent?": _TEXT, **_USAGE},
    ),
    "context_compacted": (1, {"trigger": _TEXT, "summary": _TEXT}),
    "turn_ended": (
        1,
        {"message": _TEXT, "again": _FLAG, "background": _LIST, "branch?": _TEXT, **_USAGE},
    ),
    "turn_failed": (1, {"error": _TEXT, "details": _TEXT}),
    "subagent_began": (1, {"subagent": _TEXT, "sort": _TEXT}),
    "subagent_ended": (1, {"subagent": _TEXT, "sort": _TEXT, "message": _TEXT}),
    "notified": (1, {"sort": _TEXT, "message": _TEXT}),
    "task_created": (1, {"task": _TEXT, "subject": _TEXT, "description": _TEXT}),
    "task_completed": (1, {"task": _TEXT, "subject": _TEXT, "description": _TEXT}),
    "instructions_loaded": (1, {"path": _TEXT, "sort": _TEXT, "reason": _TEXT}),
    "moved": (1, {"before": _TEXT, "after": _TEXT, "branch?": _TEXT}),
    "tables_rebuilt": (1, {"rooms": _LIST, "entries": _WHOLE}),
    # What a damaged disk took: whole entries, or their texts alone.
    "entries_lost": (1, {"what": _TEXT, "machine": _TEXT, "from": _WHOLE, "to": _WHOLE}),
    "store_repaired": (
        1,
        {
            "kept": _WHOLE,
            "lost": _WHOLE,
            "texts_lost": _WHOLE,
            "pages_healed": _WHOLE,
            "quarantine": _TEXT,
        },
    ),
    "goal_set": (1, {"goal": _TEXT, "keywords": _LIST, "thread": _TEXT, "how": _TEXT}),
    "rule_given": (
        1,
        {
            "text": _TEXT,
            "sort": _TEXT,
            "lasting": _FLAG,
            "thread": _TEXT,
            "how": _TEXT,
            "order?": _FLAG,  # typed as an order by itself
            "heard_in?": _TEXT,  # which prompt, by its digest: sent again it says nothing again
        },
    ),
    "pinned": (1, {"content": _TEXT, "label": _TEXT, "critical": _FLAG}),
    "learnt": (1, {"text": _TEXT, "source": _TEXT, "categories": _LIST}),
    # What became of a rule, a pin or a learning: withdrawn, kept; of a rule also repeated; of a
    # learning also merged, with the id of the one that says the same.
    "turned": (1, {"subject": _TEXT, "turn": _TEXT, "how": _TEXT, "words": _TEXT}),
    # Other sessions' texts are named by id alone: what is forgotten there is forgotten here.
    "state_inherited": (
        1,
        {
            "how": _TEXT,
            "sessions": _LIST,  # of {"session", "permille"}
            "goal": _TEXT,
            "thread": _TEXT,
            "pins": _LIST,  # of {"pin", "source"}
            "tasks": _WHOLE,  # surfaced
            "decayed": _WHOLE,  # left behind because confidence has decayed
        },
    ),
    "checkpoint_taken": (
        1,
        {"cause": _TEXT, "schema": _WHOLE, "tokens": _WHOLE, "phase": _TEXT, "tier1": _OBJECT},
    ),
    "handoff_given": (
        1,
        {
            "summary": _TEXT,
            "next_steps": _LIST,
            "blockers": _LIST,
            "questions": _LIST,
            "source": _TEXT,
        },
    ),
    "chain_walked": (1, {"depth": _WHOLE, "found": _WHOLE}),
    "context_given": (1, {"tokens": _WHOLE, "characters": _WHOLE, "told?": _OBJECT}),
    # `whose` is the session that a satisfaction counts for, "" for the whole branch.
    "requirement_met": (
        1,
        {
            "requirement": _TEXT,
            "branch": _TEXT,
            "whose": _TEXT,
            "by": _TEXT,
            "words": _TEXT,  # the skill, or what the person said of it
            "since?": _TEXT,
            "expires_at?": _TEXT,
        },
    ),
    "requirement_triggered": (1, {"requirement": _TEXT, "branch": _TEXT, "tool": _TEXT}),
    "requirement_cleared": (
        1,
        {"requirement": _TEXT, "branch": _TEXT, "whose": _TEXT, "why": _TEXT},
    ),
    "gates_switched": (1, {"requirement": _TEXT, "whose": _TEXT, "on": _FLAG}),
    "tools_denied": (1, {"requirements": _OBJECT, "tools": _OBJECT}),
    "evidence_seen": (
        1,
        {"sort": _TEXT, "passed": _FLAG, "tool": _TEXT, "said": _TEXT, "command": _TEXT},
    ),
    "confidence_moved": (
        1,
        {"value": _WHOLE, "change": _WHOLE, "observation": _TEXT, "reason": _TEXT},
    ),
    "contract_set": (1, {"goal": _TEXT, "criteria": _LIST, "evidence_required": _LIST}),
    "stop_blocked": (1, {"open": _LIST, "lacks": _LIST}),  # lacks: what presses of the contract
    "stop_passed": (1, {"open": _LIST}),
    # What a session takes over from the one before: sketches of what it did, in digits.
    "identity_inherited": (1, {"from": _TEXT, "legacy": _TEXT}),
    "identity_told": (1, {"class": _TEXT, "ic": _WHOLE, "events": _WHOLE}),  # ic: of ten thousand
    "identity_settled": (1, {"verdict": _TEXT}),  # accept, keep
    "identity_persisted": (1, {"how": _TEXT}),
    # What a session used, as a dream replayed it: {"memory", "sort", "name", "permille"}.
    "recalled": (1, {"step": _WHOLE, "until": _TEXT, "memories": _LIST}),
    # What a dream tidied in a session: topics put together (from, into), the share of their weight
    # that topics keep, work that was found twice (sort, description).
    "tidied": (1, {"topics": _LIST, "permille": _WHOLE, "work": _LIST}),
    # Memories are named by id alone. `step`: how many sessions had been replayed by its end.
    "dreamt": (
        1,
        {
            "why": _TEXT,
            "ended": _TEXT,
            "step": _WHOLE,
            "ms": _WHOLE,
            "counts": _OBJECT,
            "strengthened": _LIST,  # of [memory, memory, permille]
            "pruned": _LIST,  # of [memory, memory]
            "merged": _LIST,  # of [learning, the one that says the same]
            "proposed": _LIST,  # of {"sort", "a", "b", "by", "permille"}
        },
    ),
    # evidence: of {"path", "line", "last", "quote", "part", "around", "commit"}
    "decision_made": (
        1,
        {
            "text": _TEXT,
            "because": _TEXT,
            "source": _TEXT,
            "evidence": _LIST,
            "scenarios": _LIST,  # of {"kind", "name", "expected"}
            "supersedes?": _TEXT,
            "how": _TEXT,
        },
    ),
    "claim_made": (1, {"text": _TEXT, "grounding": _TEXT, "evidence": _LIST}),
    "item_opened": (1, {"sort": _TEXT, "text": _TEXT, "source": _TEXT}),
    "item_resolved": (1, {"item": _TEXT, "words": _TEXT}),
    # `decision` held when something was said or done against it; `went_on`: kept all the same.
    "fork_noticed": (
        1,
        {
            "sort": _TEXT,  # decision, statement, edit
            "decision": _TEXT,
            "citation?": _TEXT,
            "said": _TEXT,
            "why": _TEXT,
            "went_on": _FLAG,
        },
    ),
    "ghost_checked": (
        1,
        {
            "feature": _TEXT,
            "also": _LIST,
            "verdict": _TEXT,
            "searches": _LIST,  # of patterns: what was looked for
            "code": _WHOLE,
            "docs": _WHOLE,
            "where": _LIST,
            "commit": _TEXT,
            "dirty": _FLAG,
        },
    ),
    # A place in the code and what it is for; without a purpose it is dropped.
    "identified": (1, {"path": _TEXT, "line": _WHOLE, "last": _WHOLE, "purpose": _TEXT}),
    "identifiers_verified": (1, {"standings": _OBJECT}),  # identifier: here, short or gone
    # Our own list, where a project has no tracker; and what was written to any tracker's item.
    "item_tracked": (1, {"item": _TEXT, "title": _TEXT, "stage": _TEXT}),
    "item_told": (
        1,
        {"item": _TEXT, "tracker": _TEXT, "sort": _TEXT, "subject": _TEXT, "text": _TEXT},
    ),
    # The full checkpoint: what its seven steps found.
    "checkpoint_judged": (
        1,
        {
            "cause": _TEXT,
            "mode": _TEXT,
            "grounded": _WHOLE,
            "claims": _WHOLE,
            "findings": _LIST,  # of {"step", "says", "presses"}
        },
    ),
    "handoff_logged": (
        1,
        {
            "bead_id": _TEXT,
            "grounded": _WHOLE,
            "claims": _WHOLE,
            "decisions_count": _WHOLE,
            "notes_ref": _TEXT,
            "trajectory_ref": _TEXT,
            "next_session_hints": _LIST,
        },
    ),
    "state_synced": (
        1,
        {
            "tokens": _WHOLE,
            "decisions_persisted": _WHOLE,
            "bead_updated": _FLAG,
            "notes_updated": _FLAG,
        },
    ),
    "state_healed": (1, {"file": _TEXT, "why": _TEXT, "source": _TEXT}),
    "probed": (1, {"nonce": _TEXT}),
    "event_seen": (1, {"name": _TEXT, "said": _OBJECT}),
}


class Draft:
    """An entry on its way in: all but what the ledger itself assigns."""

    __slots__ = ("agent", "at", "body", "key", "kind", "project", "session")

    def __init__(
        self,
        kind: str,
        *,
        at: str,
        project: str,
        session: str,
        agent: str,
        key: str,
        body: Gated,
    ) -> None:
        self.kind = kind
        self.at = at
        self.project = project
        self.session = session
        self.agent = agent
        self.key = key
        self.body = body


class Entry:
    """What `derive` reads: a header's meaning and the body."""

    __slots__ = ("agent", "at", "body", "kind", "machine", "project", "seq", "session", "version")

    def __init__(
        self,
        machine: str,
        seq: int,
        at: str,
        project: str,
        session: str,
        agent: str,
        kind: str,
        version: int,
        body: dict[str, Any],
    ) -> None:
        self.machine = machine
        self.seq = seq
        self.at = at
        self.project = project
        self.session = session
        self.agent = agent
        self.kind = kind
        self.version = version
        self.body = body


def check(kind: str, body: object) -> int:
    """The version of the shape, or EntryRefused: one rule per kind, on the way in."""
    if kind not in KINDS:
        raise EntryRefused(f"no such kind of entry: {kind}")
    version, fields = KINDS[kind]
    if not isinstance(body, dict):
        raise EntryRefused(f"{kind}: the body is not an object")
    matched = 0
    for name, types in fields.items():
        optional = name[-1] == "?"
        value = body.get(name[:-1] if optional else name)
        if value is None:
            if optional:
                matched += name[:-1] in body
                continue
            raise EntryRefused(f"{kind}: {name} is missing")
        # bool is an int to Python, and not to us.
        if type(value) not in types:
            raise EntryRefused(f"{kind}: {name} is a {type(value).__name__}")
        matched += 1
    if matched != len(body):
        known = {name.rstrip("?") for name in fields}
        raise EntryRefused(f"{kind}: unknown fields {sorted(set(body) - known)}")
    return version


def checksum(*header: object) -> str:
    """Over every field of the header but the checksum itself."""
    return digest_of("\x1f".join(str(field) for field in header).encode())
