"""What entries make of branches, pull requests and commits: a row for each session's own sight.

Reads the entry and its own session's rows. What sessions saw is put together by `queries.py`.
"""

from __future__ import annotations

from holdfast.rooms.work.branches import work_seen
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.entry import Entry
    from holdfast.ledger.kinds import Body
    from holdfast.store.sqlite import Store

COMMENTS = 40  # of one pull request in one session: the latest


def _branch_seen(store: Store, entry: Entry, home: str) -> None:
    body = entry.body
    store.run(
        "insert or replace into branch_states (session, branch, project, at, seq, tools, state)"
        " values (?, ?, ?, ?, ?, (select tools from activity where session = ?), ?)",
        entry.session,
        body["branch"],
        home,
        entry.at,
        entry.seq,
        entry.session,
        jsontext.dumps(body),
    )


def _work_seen(store: Store, entry: Entry, home: str) -> None:
    body = entry.body
    for fields in _objects(body, "pull_requests"):
        _sighted(store, entry, home, fields)
    for (number, branch), checks in _by_subject(_objects(body, "checks")).items():
        _checked(store, entry, home, number, branch, checks)
    for fields in _objects(body, "comments"):
        _commented(store, entry, home, fields)
    for fields in _objects(body, "commits"):
        _committed(store, entry, home, fields)
    for fields in _objects(body, "branches"):
        if _text(fields, "parent"):
            store.run(
                "insert or replace into branch_parents (session, branch, parent, project, at)"
                " values (?, ?, ?, ?, ?)",
                entry.session,
                _text(fields, "branch"),
                _text(fields, "parent"),
                home,
                entry.at,
            )


def _sighted(store: Store, entry: Entry, home: str, fields: Body) -> None:
    number = _whole(fields, "number")
    shown = [_text(fields, name) for name in "title url state branch base review".split()]
    store.run(
        "insert into pull_requests (session, sort, about, number, project, at, seq, seen_on,"
        " title, url, state, branch, base, review, checks, checked_at)"
        " values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', '') on conflict do update set"
        " at = excluded.at, seq = excluded.seq, seen_on = excluded.seen_on,"
        " title = case excluded.title when '' then title else excluded.title end,"
        " url = case excluded.url when '' then url else excluded.url end,"
        " state = case excluded.state when '' then state else excluded.state end,"
        " branch = case excluded.branch when '' then branch else excluded.branch end,"
        " base = case excluded.base when '' then base else excluded.base end,"
        " review = case excluded.review when '' then review else excluded.review end",
        entry.session,
        _text(fields, "sort") or "pull_request",
        str(number) if number else _text(fields, "branch"),
        number,
        home,
        entry.at,
        entry.seq,
        entry.body["branch"],
        *shown,
    )


def _checked(
    store: Store, entry: Entry, home: str, number: int, branch: str, checks: list[Body]
) -> None:
    """The checks that one output showed; those of another output before it no longer count."""
    _sighted(store, entry, home, {"number": number, "branch": branch})
    states = [_text(check, "state") for check in checks]
    failing = [_text(check, "name") for check in checks if check.get("state") == work_seen.FAILED]
    counts = {
        name: states.count(name) for name in (work_seen.PASSED, work_seen.FAILED, work_seen.PENDING)
    }
    summed = {**counts, "failing": [name for name in failing if name][: work_seen.FAILING]}
    store.run(
        "update pull_requests set checks = ?, checked_at = ? where session = ?"
        " and sort = 'pull_request' and about = ?",
        jsontext.dumps(summed),
        entry.at,
        entry.session,
        str(number) if number else branch,
    )


def _by_subject(checks: list[Body]) -> dict[tuple[int, str], list[Body]]:
    subjects: dict[tuple[int, str], list[Body]] = {}
    for check in checks:
        subject = (_whole(check, "number"), _text(check, "branch"))
        subjects.setdefault(subject, []).append(check)
    return subjects


def _commented(store: Store, entry: Entry, home: str, fields: Body) -> None:
    number = _whole(fields, "number")
    store.run(
        "insert or replace into review_comments (session, number, author, path, text,"
        " project, at, seq) values (?, ?, ?, ?, ?, ?, ?, ?)",
        entry.session,
        number,
        _text(fields, "author"),
        _text(fields, "path"),
        _text(fields, "text"),
        home,
        entry.at,
        entry.seq,
    )
    store.run(
        "delete from review_comments where session = ?1 and number = ?2 and seq < (select min(seq)"
        " from (select seq from review_comments where session = ?1 and number = ?2"
        " order by seq desc limit ?3))",
        entry.session,
        number,
        COMMENTS,
    )


def _committed(store: Store, entry: Entry, home: str, fields: Body) -> None:
    store.run(
        "insert or replace into commits (session, sha, project, at, seq, branch, subject)"
        " values (?, ?, ?, ?, ?, ?, ?)",
        entry.session,
        _text(fields, "sha"),
        home,
        entry.at,
        entry.seq,
        _text(fields, "branch") or entry.body["branch"],
        _text(fields, "subject"),
    )


def _objects(body: Body, name: str) -> list[Body]:
    """What a list of the entry holds; what is no object is left out."""
    return [fields for fields in body.get(name, ()) if isinstance(fields, dict)]


def _text(fields: Body, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _whole(fields: Body, name: str) -> int:
    value = fields.get(name)
    return value if isinstance(value, int) else 0


DERIVED = {"branch_seen": _branch_seen, "work_seen": _work_seen}
