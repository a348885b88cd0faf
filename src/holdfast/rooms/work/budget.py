"""The context budget: how full an agent's window is, and how much Holdfast may still say.

Laws: figures come from the agent itself, never from a guess of ours; what cannot be known is None,
and right after a compaction nothing can; a share on a boundary belongs to the fuller phase.
"""

from __future__ import annotations

from holdfast.system.jsontext import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERBOSE, CONDENSED, SIGNALS, CRITICAL = "VERBOSE", "CONDENSED", "SIGNALS", "CRITICAL"

# From this percentage of the window on, fullest first; and the share of its budget that is said.
# 0.0 leaves tier 1 alone, which is said whatever the phase.
PHASES = ((85, CRITICAL, 0.0), (70, SIGNALS, 0.2), (40, CONDENSED, 0.5), (0, VERBOSE, 1.0))
SHARES = {name: fraction for _, name, fraction in PHASES}

WINDOW_TOKENS = 200_000
LONG_WINDOW_TOKENS = 1_000_000
KNOWN_WINDOWS = (WINDOW_TOKENS, LONG_WINDOW_TOKENS)

# A transcript names the model without the "[1m]" that asked for the long window, so these are the
# ones whose window is long by itself (Claude Code 2.1.117 on). Opus and Sonnet 4.6 are not here:
# theirs is long only if asked for, and of two guesses the smaller one says less.
LONG_BY_NAME = ("[1m]", "opus-4-7", "opus-4-8", "opus-5", "sonnet-5", "fable-", "mythos-")

EXHAUSTED_PERCENT = 75

SYNTHETIC = "<synthetic>"  # what Claude Code says in the model's place, with made-up usage
FIGURES = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


def phase(tokens: int, window: int) -> str:
    for percent, name, _ in PHASES:
        if tokens * 100 >= percent * window:
            return name
    return VERBOSE


def share(phase: str) -> float:
    """How much of its budget Holdfast may use; 0.0 means tier 1 alone."""
    return SHARES[phase]


def window(model: str, reported: int, seen: int) -> int:
    """The window in tokens: as reported, else by the model's name; never less than was seen in it.

    `reported` is the status line's figure and `seen` the most tokens of this session, 0 if unknown.
    """
    size = reported if reported > 0 else _by_name(model)
    if seen <= size:
        return size
    return next((known for known in KNOWN_WINDOWS if known >= seen), seen)


def is_exhausted(tokens: int, window: int, limit: int = -1) -> bool:
    """Whether it is time for the notice: at a share of the window, or at a limit that was set; one
    of 0 asks for none."""
    if limit < 0:
        limit = max(1, window * EXHAUSTED_PERCENT // 100)
    return 0 < limit <= tokens


def usage_of(row: dict[str, Any]) -> tuple[int, str] | None:
    """Tokens in context and the model, from an assistant's row of a Claude Code transcript."""
    message = row.get("message")
    if row.get("type") != "assistant" or row.get("isSidechain") or not isinstance(message, dict):
        return None
    model = message.get("model")
    tokens = _sum(message.get("usage"))
    if model == SYNTHETIC or not tokens:
        return None
    return tokens, model if isinstance(model, str) else ""


def last_usage(tail: bytes) -> tuple[int, str] | None:
    """What the last reply in the end of a transcript reported, unless a compaction came after it.

    The first and the last line may be torn. From the end on, and only what looks like it is parsed.
    """
    end = len(tail)
    while end > 0:
        start = tail.rfind(b"\n", 0, end) + 1
        if _may_be_reply(tail, start, end):
            usage = usage_of(_row(tail[start:end]))
            if usage:
                return usage
        elif tail.find(b'"compact_boundary"', start, end) >= 0:
            row = _row(tail[start:end])
            if row.get("type") == "system" and row.get("subtype") == "compact_boundary":
                return None
        end = start - 1
    return None


def figures_of(payload: dict[str, Any]) -> tuple[int, int] | None:
    """Tokens in context and window from a status line's payload; 0 tokens where none are told.

    Its totals are not read: Claude Code once summed them over the whole session.
    """
    context = payload.get("context_window")
    if not isinstance(context, dict):
        return None
    size = _whole(context.get("context_window_size"))
    if not size:
        return None
    tokens = _sum(context.get("current_usage"))
    return tokens or size * min(_whole(context.get("used_percentage")), 100) // 100, size


def _by_name(model: str) -> int:
    name = model.lower()
    return LONG_WINDOW_TOKENS if any(part in name for part in LONG_BY_NAME) else WINDOW_TOKENS


def _may_be_reply(tail: bytes, start: int, end: int) -> bool:
    # Inside a JSON string the quotes would be escaped, so text that speaks of usage does not match.
    return tail.find(b'"usage"', start, end) >= 0 and tail.find(b'"assistant"', start, end) >= 0


def _row(line: bytes) -> dict[str, Any]:
    try:
        row = loads(line.decode("utf-8", "replace"))
    except ValueError:  # torn, or not ours to read
        return {}
    return row if isinstance(row, dict) else {}


def _sum(usage: Any) -> int:
    if not isinstance(usage, dict):
        return 0
    return sum(_whole(usage.get(figure)) for figure in FIGURES)


def _whole(value: Any) -> int:
    """A count as it should be, 0 for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    return int(value) if 0 <= value < 1e15 else 0
