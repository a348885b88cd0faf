"""Where the work stands, as a session that begins is told: branch, pull request, review, commits.

Laws: git's own facts are those of this moment; what an output showed is dated, for it may have
changed since; what is not known is not told, and a clean default branch is not worth a line.
"""

from __future__ import annotations

from holdfast.hook.briefing import inline
from holdfast.hook.event import STANDS, Remark
from holdfast.rooms.work.branches import branch_state, work_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.work.branches.branch_state import BranchState
    from holdfast.rooms.work.branches.queries import KnownBranch, KnownPullRequest

COMMENTS, COMMENT_CAP, TITLE_CAP, FAILING = 2, 160, 80, 3
LATELY_DAYS = 2
OLD_DAYS = 14  # a pull request that was last seen so long ago has gone its way


def lines(known: KnownBranch, current: BranchState | None, now: str) -> list[Remark]:
    """A few remarks; `current` is how git shows the branch at this moment."""
    remarks = []
    text = _branch(known, current)
    if text:
        remarks.append(Remark(STANDS, text))
    request = known.pull_request
    if request is not None and request.number and _is_worth_telling(request, current, now):
        which = "Pull request" if request.is_sure else "Last looked at on this branch: pull request"
        remarks.append(Remark(STANDS, f"{which} {_described(request)}"))
        if known.comments and request.state not in (work_seen.MERGED, work_seen.CLOSED):
            items = [
                f"{comment.author}{f' on {comment.path}' if comment.path else ''}:"
                f" {comment.text[:COMMENT_CAP]}"
                for comment in known.comments[:COMMENTS]
            ]
            remarks.append(Remark(STANDS, "Review comments that were read last:", items=items))
    above = known.stacked_on
    if above is not None and _days_since(above, now) < OLD_DAYS:
        remarks.append(Remark(STANDS, f"Stacked on pull request {_described(above)}"))
    return remarks


def _branch(known: KnownBranch, current: BranchState | None) -> str:
    """`Branch x, from main: 3 commits ahead, 1 behind; 2 files not committed.`"""
    if current is None:
        return ""
    last = known.state
    is_same = last is not None and last.head == current.head
    parts = []
    if current.operation:
        conflicts = f", {_many(current.conflicts, 'file')} in conflict" * (current.conflicts > 0)
        parts.append(f"{current.operation} in progress{conflicts}")
    if last is not None and is_same and last.ahead + last.behind > 0 and last.parent:
        behind = f", {last.behind} behind" if last.behind else ""
        parts.append(f"{_many(last.ahead, 'commit')} ahead of `{inline(last.parent)}`{behind}")
    if current.unpushed > 0 or current.unpulled > 0:
        ways = []
        if current.unpushed > 0:
            ways.append(f"{_many(current.unpushed, 'commit')} not pushed")
        if current.unpulled > 0:
            ways.append(f"{current.unpulled} not pulled")
        parts.append(", ".join(ways))
    uncommitted = current.uncommitted - (current.conflicts if current.operation else 0)
    if uncommitted > 0:
        parts.append(f"{_many(uncommitted, 'file')} not committed")
    if last is not None and is_same and last.untracked > 0:
        parts.append(f"{last.untracked} untracked")
    if current.stash > 0:
        parts.append(f"{current.stash} stashed")
    parent = known.parent or (current.parent if current.how != branch_state.DEFAULT else "")
    request = known.pull_request
    is_told = request is not None and request.number and request.base == parent  # with it
    source = f", from `{inline(parent)}`" if parent and (parts or not is_told) else ""
    if not parts and not source:
        return ""
    return f"Branch `{inline(current.branch)}`{source}{': ' if parts else ''}{'; '.join(parts)}."


def _described(request: KnownPullRequest) -> str:
    """`#12 "Parse tags" (open, changes requested; checks: 1 failed (lint); seen 2026-03-01)`"""
    title = f' "{inline(request.title, TITLE_CAP)}"' if request.title else ""
    words = [word for word in (request.state, request.review) if word]
    into = f"into `{inline(request.base)}`" if request.base else ""
    checks = _checks(request)
    seen = f"seen {request.at[:10]}"
    facts = [", ".join(words), into, checks, seen]
    return f"#{request.number}{title} ({'; '.join(fact for fact in facts if fact)})"


def _checks(request: KnownPullRequest) -> str:
    counts = request.checks
    failed, pending = counts.get(work_seen.FAILED, 0), counts.get(work_seen.PENDING, 0)
    names = [inline(name, 60) for name in counts.get("failing", ())[:FAILING]]
    if request.state in (work_seen.MERGED, work_seen.CLOSED) or not counts:
        return ""
    if failed:
        which = f" ({', '.join(names)})" if names else ""
        return f"checks: {failed} failed{which}"
    if pending:
        return f"checks: {pending} pending"
    return "checks passed" if counts.get(work_seen.PASSED) else ""


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _is_worth_telling(request: KnownPullRequest, current: BranchState | None, now: str) -> bool:
    """Its own for two weeks, what was only looked at for two days; nothing on the default branch,
    where other people's are looked at."""
    if current is None or not current.parent:
        return False
    return _days_since(request, now) < (OLD_DAYS if request.is_sure else LATELY_DAYS)


def _days_since(request: KnownPullRequest, now: str) -> float:
    from holdfast.system import clock

    return (clock.seconds_of(now) - clock.seconds_of(request.at)) / 86_400
