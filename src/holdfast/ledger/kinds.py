"""THE TABLE of kinds: what an entry may say, who projects it, how long it lives.

Every kind of entry has one row: the rooms whose projections read it, its fields, whether it
outlives its session, whose text it holds, how long its texts may be.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # What an entry or an event says: JSON, in the fields of its kind.
    Body = dict[str, Any]

SESSIONS, PROMPTS, WORK = "sessions", "prompts", "work"
GATES, IDENTITY = "gates", "identity"
DECISIONS, TRACKER, CONSOLIDATION = "decisions", "tracker", "consolidation"
RECALL, THREADS = "recall", "threads"
# What people and agents do all day.
_ACTS = (SESSIONS, WORK, GATES, IDENTITY)
_EVERY = (*_ACTS, PROMPTS, DECISIONS, TRACKER, THREADS)

# What the agent's transcript said of its context when the event came.
_USAGE = "tokens?:whole window?:whole model?"
# Whether the agent's own process sent an event. `unverified`: it did not, and the event speaks for
# nobody. `awaits`: the agent's record will tell. `by_client`: the hook hung below the agent.
_SENT = "unverified?:flag awaits?:flag by_client?:flag"
# The prompt or the call that it was said in, by its id, and whether that waits to be confirmed.
_IN_PROMPT = "prompt? awaits?:flag"

TYPES = {"": str, "flag": bool, "whole": int, "list": list, "object": dict}
TEXT_CAP = 4_000


class Kind(Value):
    """One row of the table."""

    rooms: tuple[str, ...]  # whose projections read it
    spelled: str  # the fields of a body; one with "?" may be missing, one without a type is a text
    version: int = 1  # of the fields
    lasting: bool = False  # it holds when its session is over: the archive leaves it
    held_of: str = ""  # the field that names another session: forgotten with that one
    cap: int = TEXT_CAP  # of a text; what constraints and goals are quoted from is kept longer

    @property
    def fields(self) -> dict[str, type]:
        """The type of each field; a name with "?" may be missing."""
        split = [field.partition(":") for field in self.spelled.split()]
        return {name: TYPES[type_] for name, _, type_ in split}


KINDS = {
    "project_met": Kind((SESSIONS,), "name root"),
    "project_aliased": Kind((SESSIONS,), "sort value"),
    "projects_merged": Kind(
        (SESSIONS, PROMPTS, WORK, IDENTITY, DECISIONS, TRACKER, CONSOLIDATION, RECALL, THREADS),
        "into",
    ),
    # keywords: of branch, commits and changed files; changed: of changed files alone; files: the
    # changed files themselves; hook: how the hook hangs below the agent's process; git: where the
    # branch stands, as in branch_seen
    "session_began": Kind(
        (SESSIONS, IDENTITY),
        "source cwd worktree gitdir branch channel transcript pid:whole process_started boot "
        "host namespace model? title? agent_type? context_tokens?:whole keywords?:list "
        "changed?:list files?:list hook? git?:object",
    ),
    "session_linked": Kind((SESSIONS, IDENTITY), "previous how"),
    # To which thread of work a session belongs, how sure that is and by what; author: person,
    # agent, or nobody, for Holdfast itself.
    "thread_linked": Kind(
        (THREADS,), "thread permille:whole reason facts:list author", lasting=True
    ),
    # What a person made of a thread: named, closed, reopened, merged (into the one in `words`).
    "thread_turned": Kind((THREADS,), "thread turn words", lasting=True),
    "session_crashed": Kind((SESSIONS, IDENTITY), "last_active_at found_by"),
    "session_ended": Kind((SESSIONS, IDENTITY), "reason captured?:object"),
    "session_archived": Kind(_EVERY, "file session:object"),
    "session_restored": Kind((), "file"),
    # What was forgotten is named by header and number alone: no text of it lies here.
    # import: only that is undone, and a new one may follow
    "session_forgotten": Kind((*_EVERY, CONSOLIDATION, RECALL), "entries:whole import?:flag"),
    # Its session is derived again, which is no matter of one room.
    "entry_forgotten": Kind((RECALL,), "machine seq:whole kind"),
    "project_forgotten": Kind((*_EVERY, CONSOLIDATION, RECALL), "entries:whole"),
    # Of a session's transcript: the numbers of the entries that came of it, the first to the last.
    "transcript_imported": Kind(
        (RECALL,), "file rows:whole bytes:whole first:whole last:whole", lasting=True
    ),
    "prompt_given": Kind(
        (*_ACTS, PROMPTS, THREADS), f"prompt branch? source? {_SENT} {_USAGE}", cap=20_000
    ),
    # What became of a prompt that the hook had seen, by the agent's own transcript.
    # prompt: its id; origin: typed, queued, sdk, command, plan, client, notification, unknown,
    # absent, unread, automated; why: where it does not stand: taken back, rewound, draft; row: of
    # the transcript
    "prompt_settled": Kind((PROMPTS,), "prompt origin stands:flag why? row?", lasting=True),
    "command_typed": Kind((SESSIONS, GATES), f"name arguments prompt sort? {_SENT}"),
    # What became of a call that spoke for the user or satisfied something, by the agent's record.
    "call_settled": Kind((SESSIONS, PROMPTS, GATES), "call at stands:flag why?", lasting=True),
    # reply: what the user said through it (agents/user_replies.py)
    "tool_used": Kind(
        _ACTS,
        "tool deed ok:flag path? command? input:object output? error? reply?:object "
        f"interrupted?:flag duration_ms?:whole subagent? branch? {_SENT}",
    ),
    # Calls that the user refused, with words: of {"call", "tool", "about", "words"}.
    "calls_refused": Kind((SESSIONS,), f"calls:list {_SENT}"),
    "context_closing": Kind((SESSIONS, WORK), f"trigger instructions subagent? {_USAGE}"),
    "context_compacted": Kind((SESSIONS, WORK), "trigger summary", cap=20_000),
    "turn_ended": Kind((*_ACTS, THREADS), f"message again:flag background:list branch? {_USAGE}"),
    # What the agent said last in a turn that never ended, by its own record.
    "turn_cut": Kind((WORK, THREADS), "message"),
    "turn_failed": Kind((SESSIONS,), "error details"),
    "subagent_began": Kind((SESSIONS,), "subagent sort"),
    "subagent_ended": Kind((SESSIONS,), "subagent sort message"),
    "notified": Kind((SESSIONS,), "sort message"),
    "task_created": Kind((SESSIONS, WORK), "task subject description"),
    "task_completed": Kind((SESSIONS, WORK), "task subject description"),
    "instructions_loaded": Kind((SESSIONS,), "path sort reason"),
    "moved": Kind((SESSIONS,), "before after branch?"),
    "tables_rebuilt": Kind((), "rooms:list entries:whole"),
    # What a damaged disk took: whole entries, or their texts alone.
    "entries_lost": Kind((), "what machine from:whole to:whole"),
    "store_repaired": Kind(
        (), "kept:whole lost:whole texts_lost:whole pages_healed:whole quarantine"
    ),
    # how: prompt, command, plan
    "goal_set": Kind(
        (PROMPTS, GATES, IDENTITY, THREADS),
        f"goal keywords:list thread how author? {_IN_PROMPT}",
        lasting=True,
    ),
    # order: typed as an order by itself; heard_in: which prompt, by its digest: sent again it says
    # nothing again; scope: project, task; was: its id in a session that was forgotten
    "rule_given": Kind(
        (PROMPTS,),
        "text sort lasting:flag thread how order?:flag heard_in? author? scope? branch? was? "
        f"{_IN_PROMPT}",
        lasting=True,
    ),
    # What the user chose, in the user's words, and what it answers.
    # sort: answer, refusal, approval, plan, typed; pointed: the agent pointed at it; path: of a
    # plan; row: of the agent's transcript; was: its id in a session that was forgotten
    "choice_made": Kind(
        (PROMPTS,),
        f"text question sort branch thread pointed?:flag path? row? was? {_IN_PROMPT}",
        lasting=True,
    ),
    # imported: the session of an older state file; was: its id in a session that was forgotten
    "pinned": Kind((WORK,), "content label critical:flag author? imported? was?", lasting=True),
    "learnt": Kind((WORK,), "text source categories:list", lasting=True),
    # What became of a rule, a choice, a pin or a learning: withdrawn, kept; of a rule also
    # repeated, pointed (at, by the agent), scoped, disowned, enforced, released, broken, allowed,
    # refused; of a prompt offered, by earlier versions; of a learning also merged, with the id of
    # the one that says the same.
    "turned": Kind((PROMPTS, WORK), f"subject turn how words {_IN_PROMPT}", lasting=True),
    # Other sessions' texts are named by id alone: what is forgotten there is forgotten here.
    # how: followed, cleared, forked, continued, restored; sessions: of {"session", "permille"};
    # checkpoint: that it was restored from; pins: of {"pin", "source"}; todos: the session whose
    # list of what is to do is gone on with; tasks: left undone there; now context_given counts
    # those that are told; decayed: left behind because confidence has decayed
    "state_inherited": Kind(
        (PROMPTS, WORK),
        "how sessions:list checkpoint? goal thread pins:list todos? tasks:whole decayed:whole",
    ),
    "checkpoint_taken": Kind((WORK,), "cause schema:whole tokens:whole phase tier1:object"),
    "handoff_given": Kind((WORK,), "summary next_steps:list blockers:list questions:list source"),
    # Where a branch stood at the end of a turn, by git; -1 for what it did not tell.
    # how: created, configured, default; commits: of [name, subject]
    "branch_seen": Kind(
        (WORK,),
        "branch head parent how upstream ahead:whole behind:whole unpushed:whole unpulled:whole "
        "uncommitted:whole untracked:whole conflicts:whole stash:whole operation files:list "
        "commits:list",
    ),
    # What the output of a command showed of pull requests, issues, checks, reviews, commits.
    # branch: that was checked out
    "work_seen": Kind(
        (WORK,),
        "branch pull_requests?:list checks?:list comments?:list commits?:list branches?:list "
        "pushes?:list",
    ),
    "chain_walked": Kind((), "depth:whole found:whole"),
    # rules: by their ids; tasks: of earlier sessions; lines: what was said and where it came from,
    # by names alone: {"section", "tokens", "sources"}
    "context_given": Kind(
        (PROMPTS, WORK),
        "tokens:whole characters:whole told?:object rules?:list tasks?:whole lines?:list",
    ),
    # `whose` is the session that a satisfaction counts for, "" for the whole branch.
    # words: the skill, or what the person said of it
    "requirement_met": Kind(
        (GATES,), "requirement branch whose by words since? expires_at?", lasting=True
    ),
    "requirement_triggered": Kind((GATES,), "requirement branch tool"),
    "requirement_cleared": Kind((GATES,), "requirement branch whose why", lasting=True),
    "gates_switched": Kind((GATES,), "requirement whose on:flag", lasting=True),
    # How often each; and a commit by when that was.
    "tools_denied": Kind((GATES,), "requirements:object tools:object commits?:object"),
    # tree: the digest of the files that it covers, as they were
    "evidence_seen": Kind((GATES,), "sort passed:flag tool said command tree?"),
    "confidence_moved": Kind((GATES,), "value:whole change:whole observation reason"),
    # Of one that a session takes over, `from` is the session that it was first set in.
    # thread: the task it was made for; unproven: kinds of evidence, when it was handed on;
    # edits_wait: for proof, since then
    "contract_set": Kind(
        (GATES,),
        "goal criteria:list evidence_required:list author? thread? from? unproven?:list "
        "edits_wait?:flag",
        held_of="from",
    ),
    # lacks: what presses of the contract
    "stop_blocked": Kind((GATES,), "open:list lacks:list"),
    "stop_passed": Kind((GATES,), "open:list"),
    # What a session takes over from the one before: terms of what it did, in digits.
    "identity_inherited": Kind(
        (IDENTITY,), "from legacy without_goal?:flag", held_of="from", cap=20_000
    ),
    # ic: of ten thousand
    "identity_told": Kind((IDENTITY,), "class ic:whole events:whole"),
    # verdict: accept, keep
    "identity_settled": Kind((IDENTITY,), "verdict"),
    "identity_persisted": Kind((IDENTITY,), "how"),
    # What a session used, as dreams of earlier versions noted it. Nothing is made of it any more.
    "recalled": Kind((), "step:whole until memories:list", lasting=True),
    # What a dream tidied in a session: topics put together (from, into), the share of their weight
    # that topics keep, work that was found twice (sort, description).
    "tidied": Kind((WORK,), "topics:list permille:whole work:list"),
    # Learnings are named by id alone. What may be missing, only earlier versions wrote.
    # merged: of [learning, the one that says the same]
    "dreamt": Kind(
        (CONSOLIDATION,),
        "why ended step?:whole ms:whole counts:object strengthened?:list pruned?:list "
        "proposed?:list merged:list",
    ),
    # evidence: of {"path", "line", "last", "quote", "part", "around", "commit"}
    # scenarios: of {"kind", "name", "expected"}; was: its id in a session that was forgotten
    "decision_made": Kind(
        (DECISIONS,),
        "text because source evidence:list scenarios:list supersedes? how was?",
        lasting=True,
    ),
    "claim_made": Kind((DECISIONS,), "text grounding evidence:list"),
    "item_opened": Kind((DECISIONS,), "sort text source", lasting=True),
    "item_resolved": Kind((DECISIONS,), "item words", lasting=True),
    # `decision` held when something was said or done against it; `went_on`: kept all the same.
    # sort: decision, statement, edit; held: what the decision says
    "fork_noticed": Kind((DECISIONS,), "sort decision citation? said held? why went_on:flag"),
    # searches: of patterns: what was looked for
    "ghost_checked": Kind(
        (DECISIONS,),
        "feature also:list verdict searches:list code:whole docs:whole where:list commit "
        "dirty:flag",
        lasting=True,
    ),
    # A place in the code and what it is for; without a purpose it is dropped.
    "identified": Kind((TRACKER,), "path line:whole last:whole purpose", lasting=True),
    # standings: of each identifier: here, short or gone
    "identifiers_verified": Kind((TRACKER,), "standings:object", lasting=True),
    # Our own list, where a project has no tracker; and what was written to any tracker's item.
    "item_tracked": Kind((TRACKER,), "item title stage", lasting=True),
    "item_told": Kind((TRACKER,), "item tracker sort subject text", lasting=True),
    # The full checkpoint: what its seven steps found.
    # findings: of {"step", "says", "presses"}
    "checkpoint_judged": Kind((), "cause mode grounded:whole claims:whole findings:list"),
    "handoff_logged": Kind(
        (),
        "bead_id grounded:whole claims:whole decisions_count:whole notes_ref trajectory_ref "
        "next_session_hints:list",
    ),
    "state_synced": Kind(
        (), "tokens:whole decisions_persisted:whole bead_updated:flag notes_updated:flag"
    ),
    "state_healed": Kind((), "file why source"),
    # An act in the person's name; signs that it was not the person; the command that undoes it.
    # waits: the command that the person may confirm by typing it; it had no effect
    "act_checked": Kind((), "act signs:list undo waits?", lasting=True),
    # What the person trusts of a repository's committed configuration, on this machine: files with
    # their digests, and what had waited for it; or that nothing is trusted any more.
    "repository_trusted": Kind((), "files:object allowed:list author", lasting=True),
    "trust_revoked": Kind((), "files:object author", lasting=True),
    "probed": Kind((), "nonce"),
    "event_seen": Kind((SESSIONS,), "name said:object"),
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
