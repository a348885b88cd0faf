"""What other sessions did after a time: those that worked, their commits and merges."""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.store.sqlite import Store


class SessionElsewhere(Value):
    """Another session of the project."""

    id: str
    worktree: str
    ended_at: str  # "" while it is open
    has_crashed: bool


class CommitMade(Value):
    """A commit that a session made, as its command printed it."""

    sha: str
    subject: str
    branch: str
    session: str
    at: str


def commits_since(
    store: Store, project: str, since: str, *, but: str, limit: int
) -> list[CommitMade]:
    """Commits of other sessions since a time, newest first; of one that was amended the last."""
    rows = store.rows(
        "select sha, subject, branch, session, at from commits where project = ? and at > ?"
        " and session <> ? order by at desc, seq desc limit ?",
        project,
        since,
        but,
        limit,
    )
    latest: dict[tuple[str, str], CommitMade] = {}
    for row in rows:
        commit = CommitMade(*row)
        latest.setdefault((commit.session, commit.subject), commit)
    return list(latest.values())


def merged_since(
    store: Store, project: str, session: str, since: str, branches: list[str]
) -> list[tuple[int, str, str]]:
    """Pull requests that a session saw merged since a time: number, title and when. Only those of
    the branches that it committed on, or that were seen open before: who lists what was merged long
    ago has merged nothing."""
    rows = store.rows(
        "select number, title, at, branch, exists (select 1 from pull_requests as before"
        " where before.project = ?1 and before.sort = 'pull_request'"
        " and before.number = pull_requests.number and before.session <> ?2"
        " and before.at <= ?3 and before.state not in ('merged', 'closed'))"
        " and not exists (select 1 from pull_requests as before"
        " where before.project = ?1 and before.sort = 'pull_request'"
        " and before.number = pull_requests.number and before.session <> ?2"
        " and before.state = 'merged')"
        " from pull_requests where session = ?2 and sort = 'pull_request' and state = 'merged'"
        " and at > ?3 and number > 0 order by at desc, number desc",
        project,
        session,
        since,
    )
    return [
        (number, title, at)
        for number, title, at, branch, was_open in rows
        if was_open or (branch and branch in branches)
    ]


def has_decisions(store: Store, project: str) -> bool:
    """Whether there are any: else their room is not loaded for nothing."""
    return store.holds("select exists (select 1 from decisions where project = ?)", project)
