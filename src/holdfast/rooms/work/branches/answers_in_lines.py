"""Pull requests, checks, commits and branches in what `gh`, `glab` and `git` print for people.

Both of their forms: columns between tabs where the output is read by a program, which is how an
agent mostly gets it, and what a terminal would show. A line that is neither is passed over.
"""

from __future__ import annotations

from holdfast.rooms.work.branches import work_seen
from holdfast.rooms.work.branches.tool_questions import parts_of_url
from holdfast.rooms.work.branches.work_seen import (
    COMMENT_CAP,
    NAME_CAP,
    TITLE_CAP,
    CheckRun,
    Commit,
    NewBranch,
    Push,
    ReviewComment,
    pull_request,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.rooms.work.branches.tool_questions import Question
    from holdfast.rooms.work.branches.work_seen import Seen

    Reader = Callable[[list[str], Question, Seen], None]

LINES = 4_000
URLS = 20
HEAD_LINES = 40
SIGNS = ("✓", "X", "*", "-", "✗", "×", "!", "+", "○")
# What gh says once something was done: the words, and the state it is in then.
DONE = (
    ("merged pull request", work_seen.MERGED),
    ("was already merged", work_seen.MERGED),
    ("closed pull request", work_seen.CLOSED),
    ("is already closed", work_seen.CLOSED),
    ("reopened pull request", work_seen.OPEN),
    ('is marked as "ready for review"', work_seen.OPEN),
    ('is converted to "draft"', work_seen.DRAFT),
    ("closed issue", work_seen.CLOSED),
    ("reopened issue", work_seen.OPEN),
)
REVIEWED = (
    ("approved pull request", work_seen.APPROVED),
    ("requested changes to pull request", work_seen.CHANGES),
)


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
    if question.program == "git":
        for reader in _GIT.get(question.verb, ()):
            reader(lines, question, seen)
        return
    readers = _HOST.get((question.group, question.verb), (_addresses,))
    for reader in readers:
        reader(lines, question, seen)


# Of gh and glab


def _head(lines: list[str], question: Question, seen: Seen) -> None:
    """`title:<tab>...` and so on, up to a line of dashes: a view that a program reads."""
    for start, line in enumerate(lines):
        if not line.startswith("title:\t"):
            continue
        fields: dict[str, str] = {}
        for row in lines[start : start + HEAD_LINES]:
            name, tab, value = row.partition(":\t")
            if row.startswith("--") or not (tab or row.endswith(":")):
                break
            fields.setdefault(name, value.strip())
        number = _whole(fields.get("number", "").lstrip("#!")) or question.number
        repo, sort, in_url = parts_of_url(fields.get("url", ""))
        reviewers = [part.strip() for part in fields.get("reviewers", "").split(",")]
        reviews = [
            (part.partition(" (")[0], part.partition("(")[2].rstrip(")")) for part in reviewers
        ]
        seen.pull_requests.append(
            pull_request(
                sort or _sort(question),
                number=number or in_url,
                repo=repo,
                title=fields.get("title", "")[:TITLE_CAP],
                url=fields.get("url", "")[:NAME_CAP],
                state=work_seen.state_of(fields.get("state", "")),
                review=work_seen.verdict_of(reviews),
            )
        )


def _shown(lines: list[str], question: Question, seen: Seen) -> None:
    """A view as a terminal shows it: title, then `Open • NAME wants to merge ...`."""
    for at, line in enumerate(lines):
        state, mark, rest = line.partition(" • ")
        word = work_seen.state_of(state)
        if not mark or not word or not at:
            continue
        title, _, number = lines[at - 1].rpartition("#")
        title, _, repo = title.rstrip().rpartition(" ")
        is_pull = "into " in rest and " from " in rest
        into, _, source = (
            rest.partition(" into ")[2].partition(" from ") if is_pull else ("", "", "")
        )
        seen.pull_requests.append(
            pull_request(
                _sort(question),
                number=_whole(number) or question.number,
                repo=repo if "/" in repo else "",
                title=(title if _whole(number) else lines[at - 1]).strip()[:TITLE_CAP],
                state=word,
                base=into.split()[0] if into else "",
                branch=source.split()[0].rpartition(":")[2] if source else "",
            )
        )


def _spoken(lines: list[str], question: Question, seen: Seen) -> None:
    """`gh pr view --comments`: who and how, a line of dashes, the text, and dashes again."""
    author, text, is_text, is_comment = "", [""], False, False
    for line in [*lines, "--"]:
        if is_text and line != "--":
            text.append(line)
        elif line.startswith("author:\t"):
            author, text, is_comment = line[8:].strip(), [], False
        elif line.startswith("association:\t"):
            is_comment = True  # what a pull request itself says has none
        elif line == "--":
            words = " ".join(" ".join(text).split())[:COMMENT_CAP] if is_text else ""
            if words and is_comment:
                seen.comments.append(
                    ReviewComment(author=author, path="", text=words, number=question.number)
                )
            is_text = not is_text and is_comment


def _list(lines: list[str], question: Question, seen: Seen) -> None:
    """Columns: number, title, branch, state of pull requests; number, state, title of issues."""
    for line in lines:
        cells = [cell.strip() for cell in line.split("\t")]
        number = _whole(cells[0].lstrip("#!"))
        if not number or len(cells) < 3:
            _list_row(line, question, seen)
            continue
        if question.program == "glab":  # !12  group/name!12  title  (main) ← (feature)
            base, _, branch = cells[-1].partition("←")
            fields = {"title": cells[-2], "branch": branch.strip(" ()"), "base": base.strip(" ()")}
            fields["state"] = work_seen.OPEN
        elif question.group == "issue":
            fields = {"state": work_seen.state_of(cells[1]), "title": cells[2]}
        else:
            state = work_seen.state_of(cells[3]) if len(cells) > 3 else ""
            fields = {"title": cells[1], "branch": cells[2].rpartition(":")[2], "state": state}
        fields["title"] = fields["title"][:TITLE_CAP]
        seen.pull_requests.append(pull_request(_sort(question), number=number, **fields))


def _list_row(line: str, question: Question, seen: Seen) -> None:
    """`#12  Title of it  feature/x  about 1 day ago`, as a terminal shows a list."""
    cells = [cell.strip() for cell in line.strip().split("  ") if cell.strip()]
    number = _whole(cells[0][1:]) if cells and cells[0][0] in "#!" else 0
    if number and len(cells) > 1:
        branch = cells[2].rpartition(":")[2] if len(cells) > 3 and question.group == "pr" else ""
        title, _, inside = cells[1].rpartition(" [")  # a row of `gh pr status`
        if inside.endswith("]") and title:
            cells[1], branch = title, inside[:-1].rpartition(":")[2]
        seen.pull_requests.append(
            pull_request(_sort(question), number=number, title=cells[1][:TITLE_CAP], branch=branch)
        )


def _status(lines: list[str], question: Question, seen: Seen) -> None:
    """`gh pr status`: under each pull request what its checks and reviews say."""
    for at, line in enumerate(lines):
        before = len(seen.pull_requests)
        _list_row(line, question, seen)
        if len(seen.pull_requests) == before or at + 1 == len(lines):
            continue
        if any(each.number == seen.pull_requests[-1].number for each in seen.checks):
            continue  # it stands in two lists
        below = lines[at + 1].lower()
        sight = seen.pull_requests[-1]
        review = next((word for word in _REVIEW_WORDS if word in below), "")
        review = review.replace("waiting for review", "").strip() or work_seen.REQUIRED * bool(
            review
        )
        seen.pull_requests[-1] = sight.changed(state=work_seen.OPEN, review=review)
        seen.checks.extend(_counted(below, sight.number))


def _counted(below: str, number: int) -> list[CheckRun]:
    """`1/3 checks failing`: which ones they are, it does not say."""
    for words, state in _CHECK_WORDS:
        if words in below:
            share = (below.partition(words)[0].split() or [""])[-1].partition("/")[0]
            many = max(1, min(_whole(share), 50))
            return [CheckRun(name="", state=state, branch="", number=number)] * many
    return []


_REVIEW_WORDS = (work_seen.APPROVED, work_seen.CHANGES, work_seen.REQUIRED)
_CHECK_WORDS = (
    ("checks failing", work_seen.FAILED),
    ("checks pending", work_seen.PENDING),
    ("checks passing", work_seen.PASSED),
)


def _checks(lines: list[str], question: Question, seen: Seen) -> None:
    """`name<tab>pass<tab>1m2s<tab>https://...`; with signs in a terminal."""
    known: dict[str, CheckRun] = {}  # a line that is watched comes again
    for line in lines:
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) > 2:
            name, state = cells[0], work_seen.check_state_of(cells[1])
        else:
            sign, _, rest = line.strip().partition(" ")
            state = work_seen.check_state_of(sign) if sign in SIGNS and "://" in rest else ""
            name = rest.strip().partition("  ")[0]
        if name and state:
            known[name] = CheckRun(
                name=name[:NAME_CAP], state=state, branch=question.branch, number=question.number
            )
    seen.checks.extend(known.values())


def _runs(lines: list[str], question: Question, seen: Seen) -> None:
    """`completed<tab>failure<tab>title<tab>workflow<tab>branch<tab>event<tab>...`, newest first;
    of each workflow and branch the newest run counts."""
    known: dict[tuple[str, str], CheckRun] = {}
    for line in lines:
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) < 7:
            continue
        state = work_seen.check_state_of(cells[1], cells[0])
        if state:
            run = CheckRun(name=cells[3][:NAME_CAP], state=state, branch=cells[4], number=0)
            known.setdefault((run.name, run.branch), run)
    seen.checks.extend(known.values())


def _run(lines: list[str], question: Question, seen: Seen) -> None:
    """`X feature/x CI owner/name#12 · 1234`, then `JOBS` with a sign each."""
    branch, number, is_jobs = question.branch, 0, False
    for line in lines:
        sign, _, rest = line.partition(" ")
        if not branch and " · " in rest and sign in SIGNS:
            head = rest.rpartition(" · ")[0].split()
            branch = head[0] if head else ""
            number = _whole(head[-1].rpartition("#")[2]) if "#" in head[-1] else 0
            if number:
                seen.pull_requests.append(pull_request(number=number, branch=branch))
        is_jobs = (is_jobs or line == "JOBS") and line not in ("ANNOTATIONS", "ARTIFACTS")
        if is_jobs and sign in SIGNS and rest:
            name = rest.partition(" (ID ")[0].rpartition(" in ")[0] or rest.partition(" (ID ")[0]
            state = work_seen.check_state_of(sign)
            if state:
                seen.checks.append(
                    CheckRun(name=name[:NAME_CAP], state=state, branch=branch, number=number)
                )


def _made(lines: list[str], question: Question, seen: Seen) -> None:
    """What `create` and `edit` print: the address; the rest was given on the command line."""
    before = len(seen.pull_requests)
    _addresses(lines, question, seen)
    for at in range(before, len(seen.pull_requests)):
        sight = seen.pull_requests[at]
        if sight.sort != _sort(question):
            continue
        state = work_seen.DRAFT if question.is_draft else work_seen.OPEN
        seen.pull_requests[at] = sight.changed(
            title=" ".join(question.title.split())[:TITLE_CAP],
            base=question.base,
            branch=question.branch,
            state=state if question.verb == "create" else "",
        )
    for line in lines:  # Creating pull request for feature/x into main in owner/name
        words = line.split()
        if words[:1] == ["Creating"] and "into" in words[:-1] and "for" in words[:-1]:
            branch = words[words.index("for") + 1].rpartition(":")[2]
            base = words[words.index("into") + 1]
            for at in range(before, len(seen.pull_requests)):
                seen.pull_requests[at] = seen.pull_requests[at].changed(branch=branch, base=base)


def _acts(lines: list[str], question: Question, seen: Seen) -> None:
    """`✓ Merged pull request owner/name#12 (Title)` and its like."""
    for line in lines:
        low = line.lower()
        state = next((state for words, state in DONE if words in low), "")
        review = next((review for words, review in REVIEWED if words in low), "")
        if not (state or review) or "#" not in line:
            continue
        before, _, after = line.partition("#")
        number, _, title = after.partition(" ")
        title = title[1:].rpartition(")")[0] if title.startswith("(") else ""
        repo = before.rpartition(" ")[2]
        seen.pull_requests.append(
            pull_request(
                _sort(question),
                number=_whole(number.rstrip(".:,")) or question.number,
                repo=repo if "/" in repo else "",
                title=title[:TITLE_CAP],
                state=state,
                review=review,
            )
        )
    _addresses(lines, question, seen)


def _taken_out(lines: list[str], question: Question, seen: Seen) -> None:
    """`gh pr checkout 12`: the branch that git switched to is the pull request's."""
    for line in lines:
        if question.number and line.lower().startswith("switched to "):
            seen.pull_requests.append(pull_request(number=question.number, branch=_in_quotes(line)))


def _addresses(lines: list[str], question: Question, seen: Seen) -> None:
    """Lines that are the address of a pull request or an issue, and nothing else."""
    many = 0
    for line in lines:
        url = line.strip()
        if not url.startswith(("https://", "http://")) or " " in url or many == URLS:
            continue
        repo, sort, number = parts_of_url(url)
        if number:
            many += 1
            address = url.partition("#")[0][:NAME_CAP]
            seen.pull_requests.append(pull_request(sort, number=number, repo=repo, url=address))


def _picked(lines: list[str], question: Question, seen: Seen) -> None:
    """What `--jq .title` or `--jq '.number,.state'` leaves: a line for each field."""
    fields: dict[str, str] = {}
    rows = iter(line for line in lines if line)
    for part in question.query.strip().split(","):
        path, _, rest = part.strip().partition(" ")
        if not path.startswith(".") or path[1:] not in _PICKED:
            break
        fields[path[1:]] = next(rows, "")
        if rest:  # `.title + "\n" + .body`: the first line is still its own
            if not rest.startswith('+ "\\n'):
                fields.pop(path[1:])
            break
    if not any(fields.values()):
        return
    draft = work_seen.DRAFT if fields.get("isDraft") == "true" else ""
    seen.pull_requests.append(
        pull_request(
            _sort(question),
            number=_whole(fields.get("number", "")) or question.number,
            title=fields.get("title", "")[:TITLE_CAP],
            state=work_seen.state_of(fields.get("state", "")) or draft,
            url=fields.get("url", "") if "://" in fields.get("url", "") else "",
            branch=fields.get("headRefName", "") or question.branch,
            base=fields.get("baseRefName", ""),
            review=work_seen.review_of(fields.get("reviewDecision", "")),
        )
    )


_PICKED = frozenset("number title state url headRefName baseRefName reviewDecision isDraft".split())


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


def _sort(question: Question) -> str:
    return "issue" if question.group == "issue" else "pull_request"


def _is_sha(text: str) -> bool:
    return 7 <= len(text) <= 40 and all(letter in "0123456789abcdef" for letter in text)


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


_VIEWS: tuple[Reader, ...] = (_head, _shown, _picked, _addresses)
_TALK: tuple[Reader, ...] = (*_VIEWS, _spoken)
_HOST: dict[tuple[str, str], tuple[Reader, ...]] = {
    ("pr", "view"): _TALK,
    ("issue", "view"): _VIEWS,
    ("pr", "list"): (_list, _picked, _addresses),
    ("issue", "list"): (_list, _picked, _addresses),
    ("pr", "status"): (_status,),
    ("pr", "checks"): (_checks,),
    ("pr", "create"): (_made,),
    ("issue", "create"): (_made,),
    ("pr", "edit"): (_made,),
    ("pr", "merge"): (_acts,),
    ("pr", "close"): (_acts,),
    ("pr", "reopen"): (_acts,),
    ("pr", "ready"): (_acts,),
    ("pr", "review"): (_acts,),
    ("issue", "close"): (_acts,),
    ("issue", "reopen"): (_acts,),
    ("pr", "checkout"): (_taken_out,),
    ("run", "list"): (_runs,),
    ("run", "view"): (_run,),
    ("run", "watch"): (_run,),
    ("pr", "diff"): (),
    ("pr", "api"): (),
    ("api", "api"): (),
}
_GIT: dict[str, tuple[Reader, ...]] = {
    "push": (_pushes,),
    "commit": (_commits, _pushes),  # a hook may push
    "cherry-pick": (_commits,),
    "revert": (_commits,),
    "checkout": (_new_branch,),
    "switch": (_new_branch,),
    "worktree": (_new_branch,),
}
