"""Pull requests, issues, checks and comments in JSON, known by their shape.

Whoever printed it: `gh --json`, `gh api`, GraphQL, `glab -F json`, what `--jq` made of it, the
answer of an MCP server. Names differ between them; what a thing is, its fields tell. Whatever is
not of a known shape is only looked through.
"""

from __future__ import annotations

from holdfast.rooms.work.branches import work_seen
from holdfast.rooms.work.branches.tool_questions import parts_of_url
from holdfast.rooms.work.branches.work_seen import (
    COMMENT_CAP,
    NAME_CAP,
    TITLE_CAP,
    CheckRun,
    ReviewComment,
    pull_request,
)
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdfast.rooms.work.branches.tool_questions import Question
    from holdfast.rooms.work.branches.work_seen import Seen

    Fields = Mapping[str, Any]

DEPTH = 10
NUMBER, TITLE, URL = ("number", "iid"), ("title",), ("html_url", "url", "web_url", "permalink")
HEAD, BASE = (
    ("headRefName", "source_branch", "sourceBranch"),
    (
        "baseRefName",
        "target_branch",
        "targetBranch",
    ),
)
# Any of these says that a thing with a number is a pull request.
OF_PULL_REQUEST = frozenset(
    "head base isDraft draft mergeable mergeStateStatus reviewDecision statusCheckRollup"
    " merged mergedAt merged_at pull_request additions headRefOid latestReviews reviewRequests"
    " merge_status detailed_merge_status autoMergeRequest changedFiles".split()
).union(HEAD, BASE)
ISSUE_WORDS = frozenset("stateReason state_reason locked".split())
# People, commits and the other end of a pull request are things of their own.
ASIDE = frozenset("head base user author milestone labels commits".split())
CHECK_NAMES = ("name", "context", "workflowName", "displayTitle")
RUN = frozenset("displayTitle databaseId headBranch head_branch".split())
REVIEW_STATES = frozenset("APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING".split())


def read(output: str, questions: list[Question], seen: Seen) -> None:
    """Add what the JSON in an output shows."""
    context = _Reading(questions, seen)
    for value in jsontext.values(output):
        context.walk(value, DEPTH, 0)
    context.close()


class _Reading:
    """One output; `reviews` are gathered until all are known."""

    def __init__(self, questions: list[Question], seen: Seen) -> None:
        self.seen = seen
        numbers = {each.number for each in questions if each.number}
        self.number = numbers.pop() if len(numbers) == 1 else 0  # whom a part is about
        groups = {each.group for each in questions if each.group}
        self.is_issue = groups == {"issue"}
        self.asks_for_one = any(
            each.group in ("pr", "issue") and each.verb == "view" for each in questions
        )
        # Answers to what was sent are our own words.
        self.is_own = bool(questions) and all(each.writes for each in questions)
        branches = {each.branch for each in questions if each.branch}
        self.branch = branches.pop() if len(branches) == 1 else ""
        self.runs: set[tuple[str, str]] = set()
        self.reviews: dict[int, list[tuple[str, str]]] = {}

    def walk(self, value: Any, left: int, number: int) -> None:
        """Look at a value and at what lies in it; `number` is that of the thing around it."""
        if not left:
            return
        if isinstance(value, list):
            for part in value:
                self.walk(part, left - 1, number)
        elif isinstance(value, dict):
            number = self.look(value, number)
            for name, part in value.items():
                if name not in ASIDE and isinstance(part, (list, dict)):
                    self.walk(part, left - 1, number)

    def look(self, fields: Fields, number: int) -> int:
        """What an object is by itself; the number that its parts belong to."""
        if _is_review(fields):
            self.reviews.setdefault(number or self.number, []).append(
                (_author(fields), str(fields["state"]))
            )
            self.comment(fields, number)
        elif "body" in fields and ("path" in fields or _author(fields)) and not _number(fields):
            self.comment(fields, number)
        elif _is_check(fields):
            self.check(fields, number)
        elif _number(fields) and (
            _text(fields, TITLE)
            or OF_PULL_REQUEST & fields.keys()
            or (self.asks_for_one and not number)
        ):
            return self.thing(fields, _number(fields))
        elif self.asks_for_one and not number and _shows_one(fields):
            return self.thing(fields, self.number)
        return number

    def thing(self, fields: Fields, number: int) -> int:
        url = _text(fields, URL)
        repo, sort, _ = parts_of_url(url)
        if not sort:
            is_issue = self.is_issue and not OF_PULL_REQUEST & fields.keys()
            sort = "issue" if is_issue or ISSUE_WORDS & fields.keys() else "pull_request"
        self.seen.pull_requests.append(
            pull_request(
                sort,
                number=number,
                repo="" if repo.startswith("repos/") else repo,
                title=_text(fields, TITLE)[:TITLE_CAP],
                url="" if "api.github.com" in url else url[:NAME_CAP],
                state=_state(fields),
                branch=_ref(fields, HEAD, "head")[:NAME_CAP],
                base=_ref(fields, BASE, "base")[:NAME_CAP],
                review=work_seen.review_of(fields.get("reviewDecision") or ""),
            )
        )
        return number

    def comment(self, fields: Fields, number: int) -> None:
        text = _without_remarks(fields.get("body"))
        if text and not self.is_own and not fields.get("in_reply_to_id"):
            self.seen.comments.append(
                ReviewComment(
                    author=_author(fields)[:NAME_CAP],
                    path=_text(fields, ("path",))[:NAME_CAP],
                    text=text[:COMMENT_CAP],
                    number=number or self.number or _number_in_address(fields),
                )
            )

    def check(self, fields: Fields, number: int) -> None:
        branch = _text(fields, ("headBranch", "head_branch", "ref"))
        if not (branch or number or self.number):
            branch = self.branch
        run = _text(fields, ("workflowName", "name")) if RUN & fields.keys() else ""
        if RUN & fields.keys():
            # A list of runs is a history, newest first: of each workflow the newest counts.
            if (run, branch) in self.runs:
                return
            self.runs.add((run, branch))
        self.seen.checks.append(
            CheckRun(
                name=(run or _text(fields, CHECK_NAMES))[:NAME_CAP],
                state=_check_state(fields),
                branch=branch[:NAME_CAP],
                number=number or self.number,
            )
        )

    def close(self) -> None:
        for number, reviews in self.reviews.items():
            verdict = work_seen.verdict_of(reviews)
            known = any(each.review for each in self.seen.pull_requests if each.number == number)
            if verdict and not known:
                self.seen.pull_requests.append(pull_request(number=number, review=verdict))


def _without_remarks(body: object) -> str:
    """One line, without what a robot hides in a comment: `<!-- ... -->`."""
    head, *rest = (body if isinstance(body, str) else "").split("<!--")
    return " ".join(" ".join([head, *(part.partition("-->")[2] for part in rest)]).split())


def _number_in_address(fields: Fields) -> int:
    """A comment that was asked for by its own number says whose it is."""
    urls = (_text(fields, (name,)) for name in ("html_url", "pull_request_url"))
    return next((number for _, _, number in map(parts_of_url, urls) if number), 0)


def _is_review(fields: Fields) -> bool:
    return (
        fields.get("state") in REVIEW_STATES
        and not _number(fields)
        and ("submittedAt" in fields or "submitted_at" in fields or bool(_author(fields)))
    )


def _is_check(fields: Fields) -> bool:
    if not _text(fields, CHECK_NAMES) or _number(fields):
        return False
    has_state = bool({"conclusion", "bucket", "displayTitle"} & fields.keys()) or (
        {"context", "workflow", "workflowName", "detailsUrl", "targetUrl"} & fields.keys()
        and {"state", "status"} & fields.keys()
    )
    return bool(has_state) and bool(_check_state(fields))


def _check_state(fields: Fields) -> str:
    named = ("conclusion", "bucket", "state", "status")
    return work_seen.check_state_of(*(fields.get(name) for name in named))


def _shows_one(fields: Fields) -> bool:
    """What `gh pr view --json title,state` prints: fields of the one thing that was asked for."""
    return bool({"title", "state", "url", "reviewDecision", *HEAD, *BASE} & fields.keys())


def _state(fields: Fields) -> str:
    if fields.get("merged") is True or fields.get("mergedAt") or fields.get("merged_at"):
        return work_seen.MERGED
    state = work_seen.state_of(fields.get("state") or "")
    is_draft = fields.get("isDraft") is True or fields.get("draft") is True
    return work_seen.DRAFT if is_draft and state in ("", work_seen.OPEN) else state


def _number(fields: Fields) -> int:
    for name in NUMBER:
        value = fields.get(name)
        if isinstance(value, int) and 0 < value < 1 << 30:
            return value
    return 0


def _text(fields: Fields, names: tuple[str, ...]) -> str:
    for name in names:
        value = fields.get(name)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
    return ""


def _ref(fields: Fields, names: tuple[str, ...], nested: str) -> str:
    inside = fields.get(nested)
    if isinstance(inside, dict):
        return _text(inside, ("ref",))
    return _text(fields, names) or (inside if isinstance(inside, str) and len(inside) < 40 else "")


def _author(fields: Fields) -> str:
    for name in ("author", "user"):
        value = fields.get(name)
        if isinstance(value, dict):
            value = value.get("login") or value.get("username") or value.get("name")
        if isinstance(value, str) and value:
            return value
    return ""
