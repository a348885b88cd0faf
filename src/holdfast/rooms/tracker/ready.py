"""Which items of a tracker's file could be begun, by the rules of the tools that write it.

Laws:
  - open and in work alone; what is pinned, passing, put off until later, or no work but a record
    of the tool's own (a gate, a message, an agent) is not ready;
  - `blocks` holds up until the other one is done, `conditional-blocks` until it has failed,
    `waits-for` until its parts are done too; an item whose parent is held up is held up with it;
  - a parent that is merely open holds nothing up, and neither does what the file does not have.
"""

from __future__ import annotations

from holdfast.rooms.tracker import beads
from holdfast.system import clock as system_clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdfast.rooms.tracker.beads import Issue

ACTIVE = (beads.OPEN, "in_progress")
DONE = ("closed", "tombstone")
PINNED = "pinned"  # a status as well as a mark: it stays for ever, and holds nothing up
NO_WORK = ("merge-request", "gate", "molecule", "message", "agent", "role", "rig")
NO_WORK_IDS = ("-mol-", "-wisp-")
PART = "parent-child"
FAILED = (
    *("failed", "rejected", "wontfix", "won't fix", "canceled", "cancelled", "abandoned"),
    *("blocked", "error", "timeout", "aborted"),
)
DEPTH = 50  # parents of parents


def ready(issues: dict[str, Issue], now: str) -> list[Issue]:
    """Issues that nothing holds up: those in work first, then by priority, then the oldest."""
    graph = Graph(issues, _instant(now))
    return sorted(
        (issue for issue in issues.values() if graph.is_ready(issue)),
        key=lambda issue: (
            beads.stage_of(issue) != "in_progress",
            beads.priority_of(issue),
            _instant(issue.get("created_at")),
            issue["id"],
        ),
    )


def active(issues: dict[str, Issue]) -> Issue | None:
    """The issue that is being worked on: of several the one that was touched last."""
    at_work = [issue for issue in issues.values() if beads.stage_of(issue) == "in_progress"]
    return max(
        at_work, key=lambda issue: (_instant(issue.get("updated_at")), issue["id"]), default=None
    )


class Graph:
    """Issues and what they hang on."""

    def __init__(self, issues: dict[str, Issue], now: float) -> None:
        self._issues = issues
        self._now = now
        self._parts: dict[str, list[Issue]] = {}
        for issue in issues.values():
            for parent in _on(issue, PART):
                self._parts.setdefault(parent, []).append(issue)

    def is_ready(self, issue: Issue) -> bool:
        return (
            beads.stage_of(issue) in ACTIVE
            and not (issue.get("pinned") or issue.get("ephemeral"))
            and issue.get("issue_type") not in NO_WORK
            and not any(sign in issue["id"] for sign in NO_WORK_IDS)
            and not any(self._is_put_off(each) for each in (issue, *self._parents(issue)))
            and not self._is_held_up(issue)
        )

    def _parents(self, issue: Issue) -> Iterator[Issue]:
        return (self._issues[name] for name in _on(issue, PART) if name in self._issues)

    def _is_put_off(self, issue: Issue) -> bool:
        return _instant(issue.get("defer_until")) > self._now

    def _is_held_up(self, issue: Issue) -> bool:
        line, seen = [issue], {issue["id"]}
        for _ in range(DEPTH):
            if any(self._is_held(each) for each in line):
                return True
            line = [up for each in line for up in self._parents(each) if up["id"] not in seen]
            if not line:
                break
            seen |= {each["id"] for each in line}
        return False

    def _is_held(self, issue: Issue) -> bool:
        """Whether something it depends on by itself is still to be done."""
        known = self._issues
        return (
            any(_is_open(known.get(name)) for name in _on(issue, "blocks"))
            or any(not _has_failed(known.get(name)) for name in _on(issue, "conditional-blocks"))
            or any(
                _is_open(known.get(name)) or any(map(_is_open, self._parts.get(name, ())))
                for name in _on(issue, "waits-for")
            )
        )


def _on(issue: Issue, kind: str) -> Iterator[str]:
    """What an issue depends on in one way."""
    for dependency in beads.listed(issue, "dependencies"):
        if isinstance(dependency, dict) and str(dependency.get("type", "blocks")).lower() == kind:
            yield str(dependency.get("depends_on_id", ""))


def _is_open(issue: Issue | None) -> bool:
    return issue is not None and beads.stage_of(issue) not in (*DONE, PINNED)


def _has_failed(issue: Issue | None) -> bool:
    """Whether it was closed for a reason that is a failure; so it is with what is not there."""
    if issue is None or beads.stage_of(issue) == "tombstone":
        return True
    reason = str(issue.get("close_reason", "")).lower()
    return not _is_open(issue) and any(word in reason for word in FAILED)


def _instant(text: object) -> float:
    """Seconds since 1970 of a time as the tools write it: a day, any fraction, any offset. What is
    no time is long past."""
    if not isinstance(text, str):
        return 0.0
    day, _, clock = text.strip().replace(" ", "T").partition("T")
    clock = clock.rstrip("Zz") or "00:00:00"
    ahead = 0
    try:
        for sign, way in (("+", 1), ("-", -1)):
            clock, has_zone, zone = clock.partition(sign)
            if has_zone:
                ahead = way * (int(zone[:2]) * 3600 + int(zone[-2:]) * 60)
        return system_clock.seconds_of(f"{day}T{clock}Z") - ahead
    except ValueError:
        return 0.0
