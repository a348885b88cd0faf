"""Checkpoints: what of a session comes back, how old it may be, and when it may not come at all.

The three tiers as one table. Files made and edited and unresolved errors are always kept, and told
with their own age; a second model's continuation id is conserved as well; `consecutive_blocks`
expires. Nothing in Holdfast is a source of `nudge_history`, `repair_debt` or the `pending_*` lists:
they are not kept.

Laws: tier 1 comes back at any age; tier 2 under an hour; tier 3, and what the table does not know,
never; a checkpoint is brought up to our version or refused, never read as if it were ours; age
alone proves nothing: it must belong here.
"""

from __future__ import annotations

from holdfast.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from holdfast.ledger.kinds import Body

CONSERVED = (
    *("original_goal", "goal_keywords", "constraints", "pins", "todos", "session_id"),
    *("confidence", "completion_confidence"),
    *("serena_activated", "serena_project", "ralph_mode", "task_contract", "pal_continuation_id"),
    *("files_created", "files_edited", "errors_unresolved"),
)
EXTENDED = ("files_read", "tool_counts", "commands_succeeded", "commands_failed", "turn_count")
EPHEMERAL = (
    *("edit_history", "approach_history", "progress_log"),
    *("framework_errors", "evidence_ledger", "consecutive_blocks"),
)
TIERS = {
    **dict.fromkeys(CONSERVED, 1),
    **dict.fromkeys(EXTENDED, 2),
    **dict.fromkeys(EPHEMERAL, 3),
}
AGED = ("files_created", "files_edited", "errors_unresolved")  # said with their own age
CAPS = {
    "files_read": 50,
    "files_edited": 20,
    "files_created": 20,
    "commands_succeeded": 20,
    "commands_failed": 10,
    "errors_unresolved": 10,
}

# Beginnings that take over from other sessions; the others go on with their own.
RESTORING = ("startup", "clear", "fork")
EXTENDED_HOURS = 1.0
OFFERED_HOURS = 24.0 * 7
RELEVANCE_HOURS = 1.0  # a younger one is about what was just being done, whatever its words

TAKE_ANEW = "take a new checkpoint; the ledger still has everything that was in this one"

VERSION = 2


def _with_gates_and_todos(tier1: Body) -> Body:
    """Version 1 knew neither how the work went nor what it was to reach: it brings none back."""
    unknown = {"confidence": None, "completion_confidence": None, "ralph_mode": ""}
    return {**tier1, **unknown, "task_contract": "", "todos": ""}


# From version n to n + 1: each takes a tier 1 of its version and gives the next one's.
MIGRATIONS: dict[int, Callable[[Body], Body]] = {1: _with_gates_and_todos}


def brought_up(
    tier1: Body,
    version: object,
    migrations: dict[int, Callable[[Body], Body]] = MIGRATIONS,
    current: int = VERSION,
) -> Body:
    """Tier 1 in our own version, or StoreError; what was given is left as it is."""
    if not isinstance(version, int):
        raise StoreError(
            "the checkpoint has no schema version",
            hint=TAKE_ANEW,
        )
    if version > current:
        raise StoreError(
            f"the checkpoint has schema version {version}, this Holdfast reads up to {current}",
            hint="upgrade Holdfast, or take a new checkpoint with this one",
        )
    steps = range(version, current)
    missing = next((step for step in steps if step not in migrations), None)
    if missing is not None:
        raise StoreError(
            f"the checkpoint has schema version {version}, and nothing leads from"
            f" {missing} to {missing + 1}",
            hint=TAKE_ANEW,
        )
    reached = dict(tier1)
    for step in steps:
        reached = migrations[step](dict(reached))
    return reached


def comes_back(field: str, age_hours: float) -> bool:
    """Whether a field is told after that time."""
    return TIERS.get(field, 3) <= (2 if age_hours < EXTENDED_HOURS else 1)


def refusal(
    *,
    project: str,
    here: str,
    path_exists: bool,
    session: str,
    live: Collection[str],
    keywords: Collection[str],
    current_keywords: Collection[str],
    age_hours: float,
    max_age_hours: float = OFFERED_HOURS,
) -> str:
    """Why a checkpoint may not be offered here, "" when it may.

    `live` are the other sessions that are running; the one that asks is not among them.
    """
    if project != here:
        return "it is of another project"
    if not path_exists:
        return "the path of its project is gone"
    if session in live:
        return "its session is live elsewhere"
    if age_hours > RELEVANCE_HOURS and _is_off_topic(keywords, current_keywords):
        return "its keywords have nothing to do with the work at hand"
    if age_hours > max_age_hours:
        return f"it is older than {max_age_hours:g} hours"
    return ""


def _is_off_topic(keywords: Collection[str], current: Collection[str]) -> bool:
    """Only where both sides say what they are about can they be about different things."""
    theirs, ours = {word.lower() for word in keywords}, {word.lower() for word in current}
    return bool(theirs and ours) and not theirs & ours
