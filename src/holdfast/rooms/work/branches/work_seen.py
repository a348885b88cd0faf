"""What the output of a command shows of the work: pull requests, issues, checks, commits, branches.

Values alone. A field that a command did not show is empty; `merged` puts two sights of one thing
together, the later one winning wherever it shows something.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from holdfast.ledger.kinds import Body

# States as they are kept, whatever a program calls them.
OPEN, DRAFT, MERGED, CLOSED = "open", "draft", "merged", "closed"
APPROVED, CHANGES, REQUIRED, COMMENTED = REVIEWS = (
    "approved",
    "changes requested",
    "review required",
    "commented",
)
PASSED, FAILED, PENDING, SKIPPED = "passed", "failed", "pending", "skipped"

TITLE_CAP, NAME_CAP, COMMENT_CAP = 200, 200, 600
COMMENTS, CHECKS, ITEMS = 30, 100, 40
FAILING = 5


class CheckRun(Value):
    """One check, job or workflow run by its last known state."""

    branch: str
    name: str
    number: int  # of the pull request; 0 where the output does not tell
    state: str


class ReviewComment(Value):
    """What somebody said on a pull request; `path` where it stands beside a line."""

    author: str
    number: int
    path: str
    text: str


class PullRequest(Value):
    """A pull or merge request, or an issue, as one output shows it."""

    base: str
    branch: str
    number: int  # 0: that of its branch
    repo: str  # owner/name where the output or the command names it
    review: str
    sort: str  # pull_request, issue
    state: str
    title: str
    url: str

    def merged(self, later: PullRequest) -> PullRequest:
        return self.changed(
            **{name: value for name, value in later.as_dict().items() if value},
        )


class Commit(Value):
    """A commit that a command made."""

    branch: str
    sha: str
    subject: str


class NewBranch(Value):
    """A branch that a command made; `parent` is what it was started from, where that was named."""

    branch: str
    parent: str


class Push(Value):
    """What became of a branch at a push: pushed, new, rejected."""

    branch: str
    how: str


class Seen(Value):
    """Everything that one output shows."""

    branches: list[NewBranch]
    checks: list[CheckRun]
    comments: list[ReviewComment]
    commits: list[Commit]
    pull_requests: list[PullRequest]
    pushes: list[Push]

    def is_empty(self) -> bool:
        return not any(self.as_dict().values())

    def body(self) -> Body:
        """As an entry keeps it: what there is, and of a long list its beginning."""
        return {
            name: [value.as_dict() for value in listed[: LIMITS.get(name, ITEMS)]]
            for name, listed in self.as_dict().items()
            if listed
        }


LIMITS = {"comments": COMMENTS, "checks": CHECKS}


def nothing() -> Seen:
    return Seen(branches=[], checks=[], comments=[], commits=[], pull_requests=[], pushes=[])


def pull_request(sort: str = "pull_request", **fields: Any) -> PullRequest:
    """A pull request of which only these fields are known."""
    empty: Any = dict.fromkeys(PullRequest._fields, "")
    return PullRequest(**{**empty, "sort": sort, "number": 0, **fields})


def united(sights: Iterable[PullRequest]) -> list[PullRequest]:
    """One for each number and repository, the later sights over the earlier ones."""
    known: dict[tuple[str, int, str], PullRequest] = {}
    for sight in sights:
        key = (sight.sort, sight.number, "" if sight.number else sight.branch)
        known[key] = known[key].merged(sight) if key in known else sight
    return list(known.values())


def state_of(word: object) -> str:
    """A pull request's or an issue's state in our words, "" for none of them."""
    return _STATES.get(str(word).strip().lower().replace(" ", "_"), "")


def review_of(word: object) -> str:
    return _REVIEWS.get(str(word).strip().lower().replace(" ", "_"), "")


def check_state_of(*words: object) -> str:
    """A check's state: its conclusion where it has one, else how far it is."""
    for word in words:
        state = _CHECKS.get(str(word or "").strip().lower())
        if state:
            return state
    return ""


def verdict_of(reviews: list[tuple[str, str]]) -> str:
    """What reviews come to: the last word of each reviewer that decides anything."""
    last: dict[str, str] = {}
    for author, word in reviews:
        review = review_of(word)
        if review and (review != COMMENTED or author not in last):
            last[author] = review
    words = set(last.values())
    return next((word for word in (CHANGES, APPROVED, COMMENTED) if word in words), "")


_STATES = {
    "open": OPEN,
    "opened": OPEN,
    "draft": DRAFT,
    "merged": MERGED,
    "closed": CLOSED,
    "locked": CLOSED,
}
_REVIEWS = {
    "approved": APPROVED,
    "changes_requested": CHANGES,
    "review_required": REQUIRED,
    "commented": COMMENTED,
}
_CHECKS = {
    **dict.fromkeys("success pass passed ok ✓".split(), PASSED),
    **dict.fromkeys(
        "failure fail failed error timed_out startup_failure action_required x ✗ ×".split(),
        FAILED,
    ),
    **dict.fromkeys(
        "pending in_progress queued waiting requested expected running created scheduled"
        " * ○".split(),
        PENDING,
    ),
    **dict.fromkeys(
        "skipped skipping neutral cancelled canceled cancel stale manual -".split(), SKIPPED
    ),
}
