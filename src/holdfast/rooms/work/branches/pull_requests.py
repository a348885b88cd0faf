"""What a command and its output say of pull requests, issues, checks, reviews and commits.

A pure function of texts. Laws: it never raises for a text; it takes time linear in it; it names no
number that neither the command nor the output names; what it cannot read, it leaves out.
"""

from __future__ import annotations

from holdfast.rooms.work.branches import work_seen
from holdfast.rooms.work.branches.tool_questions import Question, asked, may_ask
from holdfast.rooms.work.branches.work_seen import Seen, pull_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from holdfast.rooms.work.branches.work_seen import CheckRun, PullRequest

    T = TypeVar("T")

__all__ = ["may_ask", "read"]

OUTPUT_CAP = 400_000  # characters


def read(command: str, output: str, branch: str = "", *, ok: bool = True, home: str = "") -> Seen:
    """What an output shows; `branch` is checked out in `home`: what names neither branch nor
    number, and is not a list, is about that one."""
    seen = work_seen.nothing()
    from holdfast.rooms.work.branches import answers_in_lines

    questions = asked(command, home)
    lines = answers_in_lines.plain_lines(output[:OUTPUT_CAP])
    if not questions:
        answers_in_lines.read_alone(lines, seen)
        return seen
    if "{" in output and any(each.program != "git" for each in questions):
        from holdfast.rooms.work.branches import answers_in_json

        asks = [each for each in questions if each.program != "git" and each.verb != "diff"]
        if asks:
            answers_in_json.read("\n".join(lines), asks, seen)
    before = len(seen.pull_requests)
    for question in _each_once(questions):
        answers_in_lines.read(lines, question, seen)
    if before and len(seen.pull_requests) > before:
        # Lines within JSON are no lines of their own: an address there was read already.
        known = {sight.number for sight in seen.pull_requests[:before]}
        seen.pull_requests[before:] = [
            sight for sight in seen.pull_requests[before:] if sight.number not in known
        ]
    return _attributed(seen, questions, branch, ok=ok)


def _each_once(questions: list[Question]) -> list[Question]:
    """A loop's command stands twice in a line; its lines are read once."""
    once: list[Question] = []
    for question in questions:
        if question not in once:
            once.append(question)
    return once


def _attributed(seen: Seen, questions: list[Question], branch: str, *, ok: bool) -> Seen:
    """With the number, the repository and the branch that the command gives away."""
    of_one = [each for each in questions if each.group in ("pr", "issue") and each.verb != "list"]
    # `gh pr view`, `gh pr checks`, `gh pr create`: of the branch that is checked out.
    is_here = bool(of_one) and all(
        each.verb in OF_BRANCH and not (each.number or each.branch or each.repo) for each in of_one
    )
    here = branch if is_here else ""
    repo = _only({each.repo for each in questions if each.repo}) or ""
    sights = [_placed(sight, repo, here) for sight in seen.pull_requests]
    sights = [sight for sight in sights if sight.number or (sight.branch and _tells(sight))]
    if ok:
        sights += _only_named(of_one, {sight.number for sight in sights})
        sights += _left(of_one, here)
    number = _only({each.number for each in of_one if each.number}) or 0
    if here and not number:
        number = _only({sight.number for sight in sights if sight.branch == here}) or 0
    checks = [_checked(check, number, here) for check in seen.checks]
    comments = [
        comment if comment.number else comment.changed(number=number) for comment in seen.comments
    ]
    return seen.changed(
        pushes=[push for at, push in enumerate(seen.pushes) if push not in seen.pushes[:at]],
        pull_requests=work_seen.united(sights),
        checks=[check for check in checks if check.number or check.branch],
        comments=[comment for comment in comments if comment.number],
    )


def _only(values: set[T]) -> T | None:
    return next(iter(values)) if len(values) == 1 else None


def _placed(sight: PullRequest, repo: str, here: str) -> PullRequest:
    is_of_branch = sight.sort == "pull_request" and not sight.branch
    return sight.changed(
        repo=sight.repo or repo, branch=here if is_of_branch and here else sight.branch
    )


def _tells(sight: PullRequest) -> bool:
    return bool(sight.title or sight.state or sight.review or sight.url or sight.base)


def _checked(check: CheckRun, number: int, here: str) -> CheckRun:
    if check.number or check.branch:
        return check
    return check.changed(number=number) if number else check.changed(branch=here)


def _only_named(questions: list[Question], known: set[int]) -> list[PullRequest]:
    """What a command names, and its output does not: it was looked at all the same."""
    named = {each.number: each for each in questions if each.number and each.number not in known}
    return [
        pull_request(
            "issue" if each.group == "issue" else "pull_request",
            number=each.number,
            repo=each.repo,
        )
        for each in named.values()
    ]


def _left(questions: list[Question], here: str) -> list[PullRequest]:
    """In which state a command that went well left what it names. A merge says so to a terminal
    alone."""
    return [
        pull_request(
            "issue" if each.group == "issue" else "pull_request",
            number=each.number,
            repo=each.repo,
            branch=each.branch or ("" if each.number else here),
            state=each.leaves,
        )
        for each in questions
        if each.leaves and each.verb != "create" and (each.number or each.branch or here)
    ]


# Without "merge": afterwards another branch may be checked out.
OF_BRANCH = frozenset("view checks create edit ready comment close review status".split())
