"""What is known of a branch, from all sessions of a project: the latest sight of everything."""

from __future__ import annotations

from holdfast.rooms.work.branches import branch_state
from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.ledger.kinds import Body
    from holdfast.rooms.work.branches.branch_state import BranchState
    from holdfast.store.sqlite import Store

SIGHTS, COMMENTS = 40, 3
_COLUMNS = "number, title, url, state, branch, base, review, checks, checked_at, at, session"


class KnownPullRequest(Value):
    """A pull request or an issue as all sights of it show it."""

    number: int
    title: str
    url: str
    state: str
    branch: str
    base: str
    review: str
    checks: Body  # passed, failed, pending, failing
    checked_at: str
    at: str  # last seen
    session: str  # by whom
    is_sure: bool  # it was shown to be this branch's; else it was only looked at there


class KnownComment(Value):
    """What somebody said on a pull request."""

    at: str
    author: str
    path: str
    text: str


class KnownBranch(Value):
    """Everything that is known of a branch."""

    branch: str
    parent: str  # "" where nobody noted it
    state: BranchState | None  # as it stood when a session last looked
    pull_request: KnownPullRequest | None
    stacked_on: KnownPullRequest | None  # the parent's
    comments: list[KnownComment]


def known_of(store: Store, project: str, branch: str, since: str) -> KnownBranch:
    """`since` is what counts as lately."""
    state = last_state(store, project, branch)
    request = pull_request_of(store, project, branch)
    if request is not None and request.is_sure and request.at < since:
        # A long-lived branch has one after the other: what was looked at since may be the next.
        newer = _looked_at(store, project, branch)
        request = newer if newer is not None and newer.at > request.at else request
    parent = (request.base if request and request.is_sure else "") or _parent(
        store, project, branch, state
    )
    above = pull_request_of(store, project, parent) if parent else None
    is_stacked = above is not None and above.is_sure and above.number
    return KnownBranch(
        branch=branch,
        parent=parent,
        state=state,
        pull_request=request,
        stacked_on=above if is_stacked else None,
        comments=_comments(store, project, request.number) if request else [],
    )


def last_state(store: Store, project: str, branch: str) -> BranchState | None:
    """As it stood when a session last looked."""
    state = store.value(
        "select state from branch_states where project = ? and branch = ?"
        " order by at desc, session limit 1",
        project,
        branch,
    )
    return branch_state.of_body(jsontext.loads(state)) if state else None


def untracked_after(store: Store, session: str) -> int:
    """How many files git did not know when a session last looked; less than nothing where it never
    did."""
    state = store.value(
        "select state from branch_states where session = ? order by at desc limit 1", session
    )
    return branch_state.of_body(jsontext.loads(state)).untracked if state else -1


class BranchSeen(Value):
    """A branch as a session last looked at it, and its pull request."""

    at: str
    branch: str
    pull_request: KnownPullRequest | None
    session: str
    state: BranchState


def seen_last(store: Store, project: str, limit: int) -> list[BranchSeen]:
    """The branches that sessions looked at last, the latest first."""
    rows = store.rows(
        # From one branch to the next by the index, however many sessions looked at each.
        "with recursive known (branch) as (select min(branch) from branch_states where project = ?1"
        " union all select (select min(branch) from branch_states where project = ?1"
        " and branch > known.branch) from known where branch is not null)"
        " select last.branch, last.at, last.session, last.state from known"
        " join branch_states as last on last.project = ?1 and last.branch = known.branch"
        " and (last.session, last.at) = (select session, at from branch_states as each"
        " where each.project = ?1 and each.branch = known.branch order by each.at desc limit 1)"
        " order by last.at desc limit ?2",
        project,
        limit,
    )
    return [
        BranchSeen(
            branch=branch,
            at=at,
            session=session,
            state=branch_state.of_body(jsontext.loads(state)),
            pull_request=pull_request_of(store, project, branch),
        )
        for branch, at, session, state in rows
    ]


def tools_at_last_look(store: Store, session: str) -> int:
    """How many tools the session had used when its branch was last looked at."""
    last = "select tools from branch_states where session = ? order by seq desc limit 1"
    return store.number(last, session)


def pull_request_of(store: Store, project: str, branch: str) -> KnownPullRequest | None:
    """The pull request of a branch: one that an output showed to be its own, else one that was
    looked at while it was checked out and that is nobody else's."""
    number = _own_number(store, project, branch)
    seen = None if number else _looked_at(store, project, branch)
    return seen or _united(store, project, "pull_request", number, branch, is_sure=True)


def own_pull_request(store: Store, project: str, branch: str) -> KnownPullRequest | None:
    """The same, only where an output showed it to be the branch's own."""
    number = _own_number(store, project, branch)
    request = "pull_request"
    return _united(store, project, request, number, branch, is_sure=True) if number else None


def _own_number(store: Store, project: str, branch: str) -> int:
    return store.number(
        "select number from pull_requests where project = ? and branch = ? and branch <> ''"
        " and sort = 'pull_request' and +number > 0 order by at desc, number desc limit 1",
        project,
        branch,
    )


def numbered(store: Store, project: str, sort: str, number: int) -> KnownPullRequest | None:
    """A pull request or an issue by its number, whichever branch is checked out."""
    return _united(store, project, sort, number, "", is_sure=False)


def _looked_at(store: Store, project: str, branch: str) -> KnownPullRequest | None:
    number = store.number(
        "select number from (select number, at from pull_requests where project = ?1"
        " and seen_on = ?2 and sort = 'pull_request' and +number > 0"
        " order by at desc limit ?3) as sight"
        " where not exists (select 1 from pull_requests where project = ?1"
        " and sort = 'pull_request' and number = sight.number and branch > '' and branch < ?2)"
        " and not exists (select 1 from pull_requests where project = ?1"
        " and sort = 'pull_request' and number = sight.number and branch > ?2)"
        " order by at desc, number desc limit 1",
        project,
        branch,
        SIGHTS,
    )
    request = "pull_request"
    return _united(store, project, request, number, branch, is_sure=False) if number else None


def _united(
    store: Store, project: str, sort: str, number: int, branch: str, *, is_sure: bool
) -> KnownPullRequest | None:
    """The latest of what each sight showed; checks of a branch are those of its pull request."""
    rows: list[Any] = []
    if number:
        rows += store.rows(
            f"select {_COLUMNS} from pull_requests where project = ? and sort = ? and number = ?"
            " order by at desc limit ?",
            project,
            sort,
            number,
            SIGHTS,
        )
    if is_sure and branch:
        rows += store.rows(
            f"select {_COLUMNS} from pull_requests where project = ? and branch = ?"
            " and number = 0 and +sort = ? order by at desc limit ?",
            project,
            branch,
            sort,
            SIGHTS,
        )
    rows.sort(key=lambda row: row[-2], reverse=True)
    sights = [dict(zip(KnownPullRequest._fields, row, strict=False)) for row in rows]
    if not sights:
        return None
    known = {**sights[0], "number": number, "is_sure": is_sure}
    for name in ("title", "url", "state", "branch", "base", "review"):
        known[name] = next((sight[name] for sight in sights if sight[name]), "")
    newest = max(sights, key=lambda sight: sight["checked_at"])
    known["checked_at"] = newest["checked_at"]
    known["checks"] = jsontext.loads(newest["checks"]) if newest["checks"] else {}
    return KnownPullRequest(**known)


def _parent(store: Store, project: str, branch: str, state: BranchState | None) -> str:
    noted = store.text(
        "select parent from branch_parents where project = ? and branch = ?"
        " order by at desc, session limit 1",
        project,
        branch,
    )
    if noted or state is None:
        return noted
    is_noted = state.how in (branch_state.CREATED, branch_state.CONFIGURED)
    return state.parent if is_noted else ""


def _comments(store: Store, project: str, number: int) -> list[KnownComment]:
    rows = store.rows(
        "select at, author, path, text from review_comments where project = ? and number = ?"
        " order by at desc, path, text limit ?",
        project,
        number,
        COMMENTS,
    )
    return [KnownComment(*row) for row in rows]


def has_commit_after(store: Store, project: str, session: str, branch: str, at: str) -> bool:
    """Whether a session committed after that: this one anywhere, or any on the branch."""
    return store.holds(
        "select exists (select 1 from commits where session = ?1 and at > ?2) or exists"
        " (select 1 from commits where project = ?3 and branch = ?4 and branch <> ''"
        " and at > ?2)",
        session,
        at,
        project,
        branch,
    )


def has_commit_of(store: Store, sessions: list[str], branch: str) -> bool:
    """Whether one of some sessions committed on a branch."""
    return store.holds(
        "select 1 from commits where branch = ? and session in (select value from json_each(?))",
        branch,
        jsontext.dumps(sessions),
    )


def commits_of(store: Store, sessions: list[str]) -> list[str]:
    """What some sessions committed, newest first, by hash and subject; of an amended one the
    last."""
    rows = store.rows(
        "select sha, subject from commits where session in (select value from json_each(?))"
        " order by at desc, seq desc",
        jsontext.dumps(sessions),
    )
    latest = {subject: sha for sha, subject in reversed(list(rows))}
    return [f"{sha[:7]} {subject}" for subject, sha in reversed(latest.items())]
