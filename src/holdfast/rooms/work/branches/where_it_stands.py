"""Where the work stands, as a session that begins is told: branch, pull request, review, commits.

Laws: git's own facts are those of this moment; what an output showed is dated, for it may have
changed since; what is not known is not told, and a clean default branch is not worth a line.
"""

from __future__ import annotations

from holdfast.hook import voice
from holdfast.hook.event import STANDS, Remark
from holdfast.hook.voice import Ours, joined, ours
from holdfast.rooms.work.branches import branch_state, work_seen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.work.branches.branch_state import BranchState
    from holdfast.rooms.work.branches.queries import KnownBranch, KnownPullRequest

COMMENTS, COMMENT_CAP, TITLE_CAP, FAILING = 2, 160, 80, 3
SURE, LOOKED_AT = "Pull request", "Last looked at on this branch: pull request"
LATELY_DAYS = 2
GIT = "git"  # where a line came from
OLD_DAYS = 14  # a pull request that was last seen so long ago has gone its way


def lines(known: KnownBranch, current: BranchState | None, now: str) -> list[Remark]:
    """A few remarks; `current` is how git shows the branch at this moment."""
    remarks = []
    text = _branch(known, current)
    if text:
        remarks.append(Remark(STANDS, text, sources=[GIT]))
    request = known.pull_request
    if request is not None and request.number and _is_worth_telling(request, current, now):
        which = ours(SURE if request.is_sure else LOOKED_AT)
        sources = [f"seen {request.session} {request.at}"]
        text = ours("{} {}", which, _described(request))
        remarks.append(Remark(STANDS, text, sources=sources))
        if known.comments and request.state not in (work_seen.MERGED, work_seen.CLOSED):
            items = [
                f"{comment.author}{f' on {comment.path}' if comment.path else ''}:"
                f" {comment.text[:COMMENT_CAP]}"
                for comment in known.comments[:COMMENTS]
            ]
            text = ours("Review comments that were read last:")
            remarks.append(Remark(STANDS, text, items=items, sources=sources))
    above = known.stacked_on
    if above is not None and _days_since(above, now) < OLD_DAYS:
        text = ours("Stacked on pull request {}", _described(above))
        remarks.append(Remark(STANDS, text, sources=[f"seen {above.session} {above.at}"]))
    return remarks


def _branch(known: KnownBranch, current: BranchState | None) -> Ours:
    """`Branch x, from main: 3 commits ahead, 1 behind; 2 files not committed.`"""
    if current is None:
        return ours("")
    last = known.state
    is_same = last is not None and last.head == current.head
    parts = []
    if current.operation:
        conflicts = ours("")
        if current.conflicts > 0:
            conflicts = ours(", {} in conflict", _many(current.conflicts, "file"))
        parts.append(ours("{} in progress{}", _operation(current.operation), conflicts))
    if last is not None and is_same and last.ahead + last.behind > 0 and last.parent:
        behind = ours(", {} behind", last.behind) if last.behind else ours("")
        ahead = _many(last.ahead, "commit")
        parts.append(ours("{} ahead of {}{}", ahead, voice.code(last.parent), behind))
    if current.unpushed > 0 or current.unpulled > 0:
        ways = []
        if current.unpushed > 0:
            ways.append(ours("{} not pushed", _many(current.unpushed, "commit")))
        if current.unpulled > 0:
            ways.append(ours("{} not pulled", current.unpulled))
        parts.append(joined(", ", ways))
    uncommitted = current.uncommitted - (current.conflicts if current.operation else 0)
    if uncommitted > 0:
        parts.append(ours("{} not committed", _many(uncommitted, "file")))
    if last is not None and is_same and last.untracked > 0:
        parts.append(ours("{} untracked", last.untracked))
    if current.stash > 0:
        parts.append(ours("{} stashed", current.stash))
    parent = known.parent or (current.parent if current.how != branch_state.DEFAULT else "")
    request = known.pull_request
    is_told = request is not None and request.number and request.base == parent  # with it
    source = ours("")
    if parent and (parts or not is_told):
        source = ours(", from {}", voice.code(parent))
    if not parts and not source:
        return ours("")
    state = ours(": {}", joined("; ", parts)) if parts else ours("")
    return ours("Branch {}{}{}.", voice.code(current.branch), source, state)


def _operation(text: str) -> Ours:
    """`merge`, `rebase 2/5`"""
    what, _, step = text.partition(" ")
    done, _, many = step.partition("/")
    if not step:
        return voice.word(what)
    return ours("{} {}/{}", voice.word(what), voice.word(done), voice.word(many))


def _described(request: KnownPullRequest) -> Ours:
    """`#12 "Parse tags" (open, changes requested; checks: 1 failed (lint); seen 2026-03-01)`"""
    title = ours(" {}", voice.quoted(request.title, TITLE_CAP)) if request.title else ours("")
    words = [voice.word(request.state)] if request.state else []
    words += [voice.known(request.review, work_seen.REVIEWS)] if request.review else []
    into = ours("into {}", voice.code(request.base)) if request.base else ours("")
    seen = ours("seen {}", voice.word(request.at[:10]))
    facts = filter(None, [joined(", ", words), into, _checks(request), seen])
    return ours("#{}{} ({})", request.number, title, joined("; ", facts))


def _checks(request: KnownPullRequest) -> Ours:
    counts = request.checks
    failed, pending = counts.get(work_seen.FAILED, 0), counts.get(work_seen.PENDING, 0)
    names = [voice.named(name, 60) for name in counts.get("failing", ())[:FAILING]]
    if request.state in (work_seen.MERGED, work_seen.CLOSED) or not counts:
        return ours("")
    if failed:
        which = ours(" ({})", joined(", ", names)) if names else ours("")
        return ours("checks: {} failed{}", failed, which)
    if pending:
        return ours("checks: {} pending", pending)
    return ours("checks passed") if counts.get(work_seen.PASSED) else ours("")


def _many(count: int, noun: str) -> Ours:
    return ours("{} {}{}", count, voice.word(noun), ours("" if count == 1 else "s"))


def _is_worth_telling(request: KnownPullRequest, current: BranchState | None, now: str) -> bool:
    """Its own for two weeks, what was only looked at for two days; nothing on the default branch,
    where other people's are looked at."""
    if current is None or not current.parent:
        return False
    return _days_since(request, now) < (OLD_DAYS if request.is_sure else LATELY_DAYS)


def _days_since(request: KnownPullRequest, now: str) -> float:
    from holdfast.system import clock

    return (clock.seconds_of(now) - clock.seconds_of(request.at)) / 86_400
