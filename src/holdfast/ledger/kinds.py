"""THE TABLE of kinds: what an entry may say, who projects it, how long it lives.

Every kind of entry has one row: the rooms whose projections read it, its fields, whether it
outlives its session, whose text it holds, how long its texts may be.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Fields = dict[str, tuple[type, ...]]
    # What an entry or an event says: JSON, in the fields of its kind.
    Body = dict[str, Any]

SESSIONS, PROMPTS, WORK = "sessions", "prompts", "work"
GATES, IDENTITY = "gates", "identity"
DECISIONS, TRACKER, CONSOLIDATION = "decisions", "tracker", "consolidation"
RECALL = "recall"
# What people and agents do all day.
_ACTS = (SESSIONS, WORK, GATES, IDENTITY)
_EVERY = (*_ACTS, PROMPTS, DECISIONS, TRACKER)

# Fields of a body: name -> the types it may have. A name with "?" may be missing.
_TEXT, _FLAG, _WHOLE, _LIST, _OBJECT = (str,), (bool,), (int,), (list,), (dict,)

# What the agent's transcript said of its context when the event came.
_USAGE = {"tokens?": _WHOLE, "window?": _WHOLE, "model?": _TEXT}

# Whether the agent's own process sent an event. `unverified`: it did not, and the event speaks for
# nobody. `awaits`: the agent's record will tell. `by_client`: the hook hung below the agent.
_SENT = dict.fromkeys(("unverified?", "awaits?", "by_client?"), _FLAG)
# The prompt or the call that it was said in, by its id, and whether that waits to be confirmed.
_IN_PROMPT = {"prompt?": _TEXT, "awaits?": _FLAG}

TEXT_CAP = 4_000


class Kind(Value):
    """One row of the table."""

    rooms: tuple[str, ...]  # whose projections read it
    fields: Fields
    version: int = 1  # of the fields
    lasting: bool = False  # it holds when its session is over: the archive leaves it
    held_of: str = ""  # the field that names another session: forgotten with that one
    cap: int = TEXT_CAP  # of a text; what constraints and goals are quoted from is kept longer


KINDS = {
    "project_met": Kind((SESSIONS,), {"name": _TEXT, "root": _TEXT}),
    "project_aliased": Kind((SESSIONS,), {"sort": _TEXT, "value": _TEXT}),
    "projects_merged": Kind(
        (SESSIONS, PROMPTS, WORK, IDENTITY, DECISIONS, TRACKER, CONSOLIDATION, RECALL),
        {"into": _TEXT},
    ),
    "session_began": Kind(
        (SESSIONS, IDENTITY),
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
            "hook?": _TEXT,  # how the hook hangs below the agent's process
            "git?": _OBJECT,  # where the branch stands, as in branch_seen
        },
    ),
    "session_linked": Kind((SESSIONS, IDENTITY), {"previous": _TEXT, "how": _TEXT}),
    "session_crashed": Kind((SESSIONS, IDENTITY), {"last_active_at": _TEXT, "found_by": _TEXT}),
    "session_ended": Kind((SESSIONS, IDENTITY), {"reason": _TEXT, "captured?": _OBJECT}),
    "session_archived": Kind(_EVERY, {"file": _TEXT, "session": _OBJECT}),
    "session_restored": Kind((), {"file": _TEXT}),
    # What was forgotten is named by header and number alone: no text of it lies here.
    "session_forgotten": Kind(
        (*_EVERY, CONSOLIDATION, RECALL),
        {"entries": _WHOLE, "import?": _FLAG},  # only the import is undone: a new one may follow
    ),
    # Its session is derived again, which is no matter of one room.
    "entry_forgotten": Kind((RECALL,), {"machine": _TEXT, "seq": _WHOLE, "kind": _TEXT}),
    "project_forgotten": Kind((*_EVERY, CONSOLIDATION, RECALL), {"entries": _WHOLE}),
    # Of a session's transcript: the numbers of the entries that came of it, the first to the last.
    "transcript_imported": Kind(
        (RECALL,),
        {"file": _TEXT, "rows": _WHOLE, "bytes": _WHOLE, "first": _WHOLE, "last": _WHOLE},
        lasting=True,
    ),
    "prompt_given": Kind(
        (*_ACTS, PROMPTS),
        {"prompt": _TEXT, "branch?": _TEXT, "source?": _TEXT, **_SENT, **_USAGE},
        cap=20_000,
    ),
    # What became of a prompt that the hook had seen, by the agent's own transcript.
    "prompt_settled": Kind(
        (PROMPTS,),
        {
            "prompt": _TEXT,  # its id
            # typed, queued, sdk, command, plan, client, notification, unknown, absent, unread,
            # automated
            "origin": _TEXT,
            "stands": _FLAG,
            "why?": _TEXT,  # where it does not stand: taken back, rewound, draft
            "row?": _TEXT,  # of the transcript
        },
        lasting=True,
    ),
    "command_typed": Kind(
        (SESSIONS, GATES),
        {"name": _TEXT, "arguments": _TEXT, "prompt": _TEXT, "sort?": _TEXT, **_SENT},
    ),
    # What became of a call that spoke for the user or satisfied something, by the agent's record.
    "call_settled": Kind(
        (SESSIONS, PROMPTS, GATES),
        {"call": _TEXT, "at": _TEXT, "stands": _FLAG, "why?": _TEXT},
        lasting=True,
    ),
    "tool_used": Kind(
        _ACTS,
        {
            "tool": _TEXT,
            "deed": _TEXT,
            "ok": _FLAG,
            "path?": _TEXT,
            "command?": _TEXT,
            "input": _OBJECT,
            "output?": _TEXT,
            "error?": _TEXT,
            "reply?": _OBJECT,  # what the user said through it (agents/user_replies.py)
            "interrupted?": _FLAG,
            "duration_ms?": _WHOLE,
            "subagent?": _TEXT,
            "branch?": _TEXT,
            **_SENT,
        },
    ),
    # Calls that the user refused, with words: of {"call", "tool", "about", "words"}.
    "calls_refused": Kind((SESSIONS,), {"calls": _LIST, **_SENT}),
    "context_closing": Kind(
        (SESSIONS, WORK), {"trigger": _TEXT, "instructions": _TEXT, "subagent?": _TEXT, **_USAGE}
    ),
    "context_compacted": Kind((SESSIONS, WORK), {"trigger": _TEXT, "summary": _TEXT}, cap=20_000),
    "turn_ended": Kind(
        _ACTS, {"message": _TEXT, "again": _FLAG, "background": _LIST, "branch?": _TEXT, **_USAGE}
    ),
    "turn_failed": Kind((SESSIONS,), {"error": _TEXT, "details": _TEXT}),
    "subagent_began": Kind((SESSIONS,), {"subagent": _TEXT, "sort": _TEXT}),
    "subagent_ended": Kind((SESSIONS,), {"subagent": _TEXT, "sort": _TEXT, "message": _TEXT}),
    "notified": Kind((SESSIONS,), {"sort": _TEXT, "message": _TEXT}),
    "task_created": Kind((SESSIONS, WORK), {"task": _TEXT, "subject": _TEXT, "description": _TEXT}),
    "task_completed": Kind(
        (SESSIONS, WORK), {"task": _TEXT, "subject": _TEXT, "description": _TEXT}
    ),
    "instructions_loaded": Kind((SESSIONS,), {"path": _TEXT, "sort": _TEXT, "reason": _TEXT}),
    "moved": Kind((SESSIONS,), {"before": _TEXT, "after": _TEXT, "branch?": _TEXT}),
    "tables_rebuilt": Kind((), {"rooms": _LIST, "entries": _WHOLE}),
    # What a damaged disk took: whole entries, or their texts alone.
    "entries_lost": Kind((), {"what": _TEXT, "machine": _TEXT, "from": _WHOLE, "to": _WHOLE}),
    "store_repaired": Kind(
        (),
        {
            "kept": _WHOLE,
            "lost": _WHOLE,
            "texts_lost": _WHOLE,
            "pages_healed": _WHOLE,
            "quarantine": _TEXT,
        },
    ),
    "goal_set": Kind(
        (PROMPTS, GATES, IDENTITY),
        {
            "goal": _TEXT,
            "keywords": _LIST,
            "thread": _TEXT,
            "how": _TEXT,  # prompt, command, plan
            "author?": _TEXT,
            **_IN_PROMPT,
        },
        lasting=True,
    ),
    "rule_given": Kind(
        (PROMPTS,),
        {
            "text": _TEXT,
            "sort": _TEXT,
            "lasting": _FLAG,
            "thread": _TEXT,
            "how": _TEXT,
            "order?": _FLAG,  # typed as an order by itself
            "heard_in?": _TEXT,  # which prompt, by its digest: sent again it says nothing again
            "author?": _TEXT,
            "scope?": _TEXT,  # project, task
            "branch?": _TEXT,
            "was?": _TEXT,  # its id in a session that was forgotten
            **_IN_PROMPT,
        },
        lasting=True,
    ),
    # What the user chose, in the user's words, and what it answers.
    "choice_made": Kind(
        (PROMPTS,),
        {
            "text": _TEXT,
            "question": _TEXT,
            "sort": _TEXT,  # answer, refusal, approval, plan, typed
            "branch": _TEXT,
            "thread": _TEXT,
            "pointed?": _FLAG,  # the agent pointed at it
            "path?": _TEXT,  # of a plan
            "row?": _TEXT,  # of the agent's transcript
            "was?": _TEXT,  # its id in a session that was forgotten
            **_IN_PROMPT,
        },
        lasting=True,
    ),
    "pinned": Kind(
        (WORK,),
        {
            "content": _TEXT,
            "label": _TEXT,
            "critical": _FLAG,
            "author?": _TEXT,
            "imported?": _TEXT,  # the session of an older state file
            "was?": _TEXT,  # its id in a session that was forgotten
        },
        lasting=True,
    ),
    "learnt": Kind((WORK,), {"text": _TEXT, "source": _TEXT, "categories": _LIST}, lasting=True),
    # What became of a rule, a choice, a pin or a learning: withdrawn, kept; of a rule also
    # repeated, pointed (at, by the agent), scoped, disowned; of a prompt offered, by earlier
    # versions; of a learning also merged, with the id of the one that says the same.
    "turned": Kind(
        (PROMPTS, WORK),
        {
            "subject": _TEXT,
            "turn": _TEXT,
            "how": _TEXT,
            "words": _TEXT,
            **_IN_PROMPT,
        },
        lasting=True,
    ),
    # Other sessions' texts are named by id alone: what is forgotten there is forgotten here.
    "state_inherited": Kind(
        (PROMPTS, WORK),
        {
            "how": _TEXT,  # followed, cleared, forked, continued, restored
            "sessions": _LIST,  # of {"session", "permille"}
            "checkpoint?": _TEXT,  # that it was restored from
            "goal": _TEXT,
            "thread": _TEXT,
            "pins": _LIST,  # of {"pin", "source"}
            "todos?": _TEXT,  # the session whose list of what is to do is gone on with
            "tasks": _WHOLE,  # left undone there; now context_given counts those that are told
            "decayed": _WHOLE,  # left behind because confidence has decayed
        },
    ),
    "checkpoint_taken": Kind(
        (WORK,),
        {"cause": _TEXT, "schema": _WHOLE, "tokens": _WHOLE, "phase": _TEXT, "tier1": _OBJECT},
    ),
    "handoff_given": Kind(
        (WORK,),
        {
            "summary": _TEXT,
            "next_steps": _LIST,
            "blockers": _LIST,
            "questions": _LIST,
            "source": _TEXT,
        },
    ),
    # Where a branch stood at the end of a turn, by git; -1 for what it did not tell.
    "branch_seen": Kind(
        (WORK,),
        {
            "branch": _TEXT,
            "head": _TEXT,
            "parent": _TEXT,
            "how": _TEXT,  # created, configured, default
            "upstream": _TEXT,
            **dict.fromkeys(("ahead", "behind", "unpushed", "unpulled"), _WHOLE),
            **dict.fromkeys(("uncommitted", "untracked", "conflicts", "stash"), _WHOLE),
            "operation": _TEXT,
            "files": _LIST,
            "commits": _LIST,  # of [name, subject]
        },
    ),
    # What the output of a command showed of pull requests, issues, checks, reviews, commits.
    "work_seen": Kind(
        (WORK,),
        {
            "branch": _TEXT,  # that was checked out
            **dict.fromkeys(("pull_requests?", "checks?", "comments?"), _LIST),
            **dict.fromkeys(("commits?", "branches?", "pushes?"), _LIST),
        },
    ),
    "chain_walked": Kind((), {"depth": _WHOLE, "found": _WHOLE}),
    "context_given": Kind(
        (PROMPTS, WORK),
        {
            "tokens": _WHOLE,
            "characters": _WHOLE,
            "told?": _OBJECT,
            "rules?": _LIST,  # by their ids
            "tasks?": _WHOLE,  # of earlier sessions
            # What was said and where it came from, by names alone: {"section", "tokens", "sources"}
            "lines?": _LIST,
        },
    ),
    # `whose` is the session that a satisfaction counts for, "" for the whole branch.
    "requirement_met": Kind(
        (GATES,),
        {
            "requirement": _TEXT,
            "branch": _TEXT,
            "whose": _TEXT,
            "by": _TEXT,
            "words": _TEXT,  # the skill, or what the person said of it
            "since?": _TEXT,
            "expires_at?": _TEXT,
        },
        lasting=True,
    ),
    "requirement_triggered": Kind((GATES,), {"requirement": _TEXT, "branch": _TEXT, "tool": _TEXT}),
    "requirement_cleared": Kind(
        (GATES,),
        {"requirement": _TEXT, "branch": _TEXT, "whose": _TEXT, "why": _TEXT},
        lasting=True,
    ),
    "gates_switched": Kind(
        (GATES,), {"requirement": _TEXT, "whose": _TEXT, "on": _FLAG}, lasting=True
    ),
    # How often each; and a commit by when that was.
    "tools_denied": Kind(
        (GATES,), {"requirements": _OBJECT, "tools": _OBJECT, "commits?": _OBJECT}
    ),
    "evidence_seen": Kind(
        (GATES,), {"sort": _TEXT, "passed": _FLAG, "tool": _TEXT, "said": _TEXT, "command": _TEXT}
    ),
    "confidence_moved": Kind(
        (GATES,), {"value": _WHOLE, "change": _WHOLE, "observation": _TEXT, "reason": _TEXT}
    ),
    # Of one that a session takes over, `from` is the session that it was first set in.
    "contract_set": Kind(
        (GATES,),
        {
            "goal": _TEXT,
            "criteria": _LIST,
            "evidence_required": _LIST,
            "author?": _TEXT,
            "thread?": _TEXT,  # the task it was made for
            "from?": _TEXT,
            "unproven?": _LIST,  # kinds of evidence, when it was handed on
            "edits_wait?": _FLAG,  # for proof, since then
        },
        held_of="from",
    ),
    "stop_blocked": Kind(
        (GATES,), {"open": _LIST, "lacks": _LIST}
    ),  # lacks: what presses of the contract
    "stop_passed": Kind((GATES,), {"open": _LIST}),
    # What a session takes over from the one before: terms of what it did, in digits.
    "identity_inherited": Kind(
        (IDENTITY,),
        {"from": _TEXT, "legacy": _TEXT, "without_goal?": _FLAG},
        held_of="from",
        cap=20_000,
    ),
    "identity_told": Kind(
        (IDENTITY,), {"class": _TEXT, "ic": _WHOLE, "events": _WHOLE}
    ),  # ic: of ten thousand
    "identity_settled": Kind((IDENTITY,), {"verdict": _TEXT}),  # accept, keep
    "identity_persisted": Kind((IDENTITY,), {"how": _TEXT}),
    # What a session used, as dreams of earlier versions noted it. Nothing is made of it any more.
    "recalled": Kind((), {"step": _WHOLE, "until": _TEXT, "memories": _LIST}, lasting=True),
    # What a dream tidied in a session: topics put together (from, into), the share of their weight
    # that topics keep, work that was found twice (sort, description).
    "tidied": Kind((WORK,), {"topics": _LIST, "permille": _WHOLE, "work": _LIST}),
    # Learnings are named by id alone. What may be missing, only earlier versions wrote.
    "dreamt": Kind(
        (CONSOLIDATION,),
        {
            "why": _TEXT,
            "ended": _TEXT,
            "step?": _WHOLE,
            "ms": _WHOLE,
            "counts": _OBJECT,
            **dict.fromkeys(("strengthened?", "pruned?", "proposed?"), _LIST),
            "merged": _LIST,  # of [learning, the one that says the same]
        },
    ),
    # evidence: of {"path", "line", "last", "quote", "part", "around", "commit"}
    "decision_made": Kind(
        (DECISIONS,),
        {
            "text": _TEXT,
            "because": _TEXT,
            "source": _TEXT,
            "evidence": _LIST,
            "scenarios": _LIST,  # of {"kind", "name", "expected"}
            "supersedes?": _TEXT,
            "how": _TEXT,
            "was?": _TEXT,  # its id in a session that was forgotten
        },
        lasting=True,
    ),
    "claim_made": Kind((DECISIONS,), {"text": _TEXT, "grounding": _TEXT, "evidence": _LIST}),
    "item_opened": Kind(
        (DECISIONS,), {"sort": _TEXT, "text": _TEXT, "source": _TEXT}, lasting=True
    ),
    "item_resolved": Kind((DECISIONS,), {"item": _TEXT, "words": _TEXT}, lasting=True),
    # `decision` held when something was said or done against it; `went_on`: kept all the same.
    "fork_noticed": Kind(
        (DECISIONS,),
        {
            "sort": _TEXT,  # decision, statement, edit
            "decision": _TEXT,
            "citation?": _TEXT,
            "said": _TEXT,
            "held?": _TEXT,  # what the decision says
            "why": _TEXT,
            "went_on": _FLAG,
        },
    ),
    "ghost_checked": Kind(
        (DECISIONS,),
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
        lasting=True,
    ),
    # A place in the code and what it is for; without a purpose it is dropped.
    "identified": Kind(
        (TRACKER,), {"path": _TEXT, "line": _WHOLE, "last": _WHOLE, "purpose": _TEXT}, lasting=True
    ),
    "identifiers_verified": Kind(
        (TRACKER,), {"standings": _OBJECT}, lasting=True
    ),  # identifier: here, short or gone
    # Our own list, where a project has no tracker; and what was written to any tracker's item.
    "item_tracked": Kind((TRACKER,), {"item": _TEXT, "title": _TEXT, "stage": _TEXT}, lasting=True),
    "item_told": Kind(
        (TRACKER,),
        {"item": _TEXT, "tracker": _TEXT, "sort": _TEXT, "subject": _TEXT, "text": _TEXT},
        lasting=True,
    ),
    # The full checkpoint: what its seven steps found.
    "checkpoint_judged": Kind(
        (),
        {
            "cause": _TEXT,
            "mode": _TEXT,
            "grounded": _WHOLE,
            "claims": _WHOLE,
            "findings": _LIST,  # of {"step", "says", "presses"}
        },
    ),
    "handoff_logged": Kind(
        (),
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
    "state_synced": Kind(
        (),
        {
            "tokens": _WHOLE,
            "decisions_persisted": _WHOLE,
            "bead_updated": _FLAG,
            "notes_updated": _FLAG,
        },
    ),
    "state_healed": Kind((), {"file": _TEXT, "why": _TEXT, "source": _TEXT}),
    # An act in the person's name; signs that it was not the person; the command that undoes it.
    "act_checked": Kind(
        (),
        # `waits`: the command that the person may confirm by typing it; it had no effect.
        {"act": _TEXT, "signs": _LIST, "undo": _TEXT, "waits?": _TEXT},
        lasting=True,
    ),
    # What the person trusts of a repository's committed configuration, on this machine: files with
    # their digests, and what had waited for it; or that nothing is trusted any more.
    "repository_trusted": Kind(
        (), {"files": _OBJECT, "allowed": _LIST, "author": _TEXT}, lasting=True
    ),
    "trust_revoked": Kind((), {"files": _OBJECT, "author": _TEXT}, lasting=True),
    "probed": Kind((), {"nonce": _TEXT}),
    "event_seen": Kind((SESSIONS,), {"name": _TEXT, "said": _OBJECT}),
}

# What the archive leaves where it is.
SPARED_BY_ARCHIVE = (
    "session_archived",
    "session_restored",
    *(name for name, kind in KINDS.items() if kind.lasting),
)
# Kinds that hold something of another session, and the field that names it: forgotten with it.
HELD_OF = {name: kind.held_of for name, kind in KINDS.items() if kind.held_of}


def rooms_of(kind: str) -> tuple[str, ...]:
    """Whose projections read a kind; nobody's, when only a newer version knows it."""
    return KINDS[kind].rooms if kind in KINDS else ()
