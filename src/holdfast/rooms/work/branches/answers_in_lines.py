"""Addresses of pull requests, and commits, branches and pushes in what `git` prints for people.

What `gh` and `glab` print for people is not read: their JSON is, the address that they print, and
what the command itself says. A line that is none of these is passed over.
"""

from __future__ import annotations

from holdfast.rooms.work.branches.tool_questions import parts_of_url
from holdfast.rooms.work.branches.work_seen import (
    NAME_CAP,
    TITLE_CAP,
    Commit,
    NewBranch,
    Push,
    pull_request,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.work.branches.tool_questions import Question
    from holdfast.rooms.work.branches.work_seen import Seen

LINES = 4_000
URLS = 20
# Their answers are other people's texts.
UNREAD = frozenset({("pr", "diff"), ("pr", "api"), ("api", "api")})


def plain_lines(output: str) -> list[str]:
    """Lines without colours and without what a progress bar wrote over."""
    if "\x1b" in output:
        pieces = output.split("\x1b[")
        output = pieces[0] + "".join(map(_past_escape, pieces[1:]))
    return [line.rstrip().rpartition("\r")[2] for line in output.split("\n")[:LINES]]


def _past_escape(piece: str) -> str:
    at = 0
    while at < len(piece) and (piece[at] in "0123456789;?"):
        at += 1
    return piece[at + 1 :]


def read(lines: list[str], question: Question, seen: Seen) -> None:
    """Add what lines show, as an answer to one question."""
    if question.program != "git":
        if question.verb == "checkout":
            _taken_out(lines, question, seen)
        elif (question.group, question.verb) not in UNREAD and question.group != "run":
            _addresses(lines, question, seen)
    elif question.verb in ("checkout", "switch", "worktree"):
        _new_branch(lines, question, seen)
    else:
        if question.verb != "push":
            _commits(lines, question, seen)
        if question.verb in ("push", "commit"):  # a hook may push
            _pushes(lines, question, seen)


def read_alone(lines: list[str], seen: Seen) -> None:
    """What any other command printed: the address of a pull request, where it is the only one."""
    known = {line.strip().partition("#")[0] for line in lines if _is_address(line.strip())}
    if len(known) == 1:
        url = known.pop()
        repo, sort, number = parts_of_url(url)
        if sort == "pull_request":
            seen.pull_requests.append(pull_request(number=number, repo=repo, url=url[:NAME_CAP]))


def _taken_out(lines: list[str], question: Question, seen: Seen) -> None:
    """`gh pr checkout 12`: the branch that git switched to is the pull request's."""
    for line in lines:
        if question.number and line.lower().startswith("switched to "):
            seen.pull_requests.append(pull_request(number=question.number, branch=_in_quotes(line)))


def _addresses(lines: list[str], question: Question, seen: Seen) -> None:
    """Lines that are the address of a pull request or an issue, and nothing else. What `create`
    and `edit` made of it, the command line says."""
    makes = question.verb in ("create", "edit")
    addresses = [line.strip() for line in lines if _is_address(line.strip())]
    for url in addresses[:URLS]:
        repo, sort, number = parts_of_url(url)
        sight = pull_request(sort, number=number, repo=repo, url=url.partition("#")[0][:NAME_CAP])
        if makes and sort == ("issue" if question.group == "issue" else "pull_request"):
            sight = sight.changed(
                title=" ".join(question.title.split())[:TITLE_CAP],
                base=question.base,
                branch=question.branch,
                state=question.leaves,
            )
        seen.pull_requests.append(sight)


def _is_address(text: str) -> bool:
    is_url = text.startswith(("https://", "http://")) and " " not in text
    return is_url and parts_of_url(text)[2] > 0


# Of git


def _commits(lines: list[str], question: Question, seen: Seen) -> None:
    """`[main 1a2b3c4] Subject`. A first commit of all is one in a repository made for a trial."""
    for line in lines:
        inside, end, subject = line[1:].partition("] ") if line.startswith("[") else ("", "", "")
        *branch, sha = inside.split() or [""]
        if end and branch and _is_sha(sha) and branch[-1] != "(root-commit)":
            name = " ".join(branch)
            name = "" if name == "detached HEAD" else name
            seen.commits.append(Commit(sha=sha, subject=subject[:TITLE_CAP], branch=name))


def _new_branch(lines: list[str], question: Question, seen: Seen) -> None:
    if not question.branch:
        return
    if any(f"new branch '{question.branch}'" in line for line in lines):
        parent = question.base
        for prefix in ("refs/heads/", "refs/remotes/", "origin/", "upstream/"):
            parent = parent.removeprefix(prefix)
        is_named = parent and not parent.upper().startswith(("HEAD", "@", "FETCH_HEAD"))
        is_named = is_named and not _is_sha(parent) and "$" not in parent and "~" not in parent
        seen.branches.append(NewBranch(branch=question.branch, parent=parent if is_named else ""))


def _pushes(lines: list[str], question: Question, seen: Seen) -> None:
    """What became of each branch, and what the other side answered about pull requests."""
    pending = ""
    before = len(seen.pull_requests)
    for line in lines:
        text = line.removeprefix("remote:").strip()
        words = text.split()
        if "->" in words and not line.startswith("remote:"):
            at = words.index("->")
            target = words[at + 1] if at + 1 < len(words) else ""
            how = _how_pushed(text, words[:at])
            if how and target and not target.endswith(f"/{words[at - 1]}"):  # that is a fetch
                seen.pushes.append(Push(branch=target[:NAME_CAP], how=how))
        elif line.startswith("remote:") and "request" in text.lower() and "://" not in text:
            is_there = text.lower().startswith(("view", "visit the existing"))
            pending = _named_after_for(words) or "?" if is_there else ""
        elif pending and "://" in text:
            repo, sort, number = parts_of_url(text)
            if number:
                branch = "" if pending == "?" else pending
                seen.pull_requests.append(
                    pull_request(sort, number=number, repo=repo, url=text[:NAME_CAP], branch=branch)
                )
            pending = ""
    branches = {push.branch for push in seen.pushes}
    if len(branches) == 1:  # whose pull request it is, not every host says
        seen.pull_requests[before:] = [
            sight if sight.branch else sight.changed(branch=next(iter(branches)))
            for sight in seen.pull_requests[before:]
        ]


def _how_pushed(text: str, words: list[str]) -> str:
    if text.startswith("!"):
        return "rejected"
    if "[new branch]" in text:
        return "new"
    return "pushed" if any(".." in word for word in words[:2]) else ""


def _named_after_for(words: list[str]) -> str:
    """`View merge request for feature/x:`"""
    return words[words.index("for") + 1].strip("':") if "for" in words[:-1] else ""


def _in_quotes(line: str) -> str:
    return line.partition("'")[2].rpartition("'")[0]


def _is_sha(text: str) -> bool:
    return 7 <= len(text) <= 40 and all(letter in "0123456789abcdef" for letter in text)


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
