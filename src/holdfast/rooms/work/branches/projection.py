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
SHOWN = "title url state branch base review"  # of a pull request; what was not shown is kept


def _branch_seen(store: Store, entry: Entry, home: str) -> None:
    store.replace(
        "branch_states",
        project=home,
        **entry.header("session at seq"),
        branch=entry.body["branch"],
        tools=store.value("select tools from activity where session = ?", entry.session),
        state=jsontext.dumps(entry.body),
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
        row = _texts(fields, "sha branch subject")
        row["branch"] = row["branch"] or body["branch"]
        store.replace("commits", project=home, **entry.header("session at seq"), **row)
    for fields in _objects(body, "branches"):
        row = _texts(fields, "branch parent")
        if row["parent"]:
            store.replace("branch_parents", project=home, **entry.header("session at"), **row)


def _sighted(store: Store, entry: Entry, home: str, fields: Body) -> None:
    number, branch = _whole(fields, "number"), _text(fields, "branch")
    shown = _texts(fields, SHOWN)
    newer = [f"{name} = coalesce(nullif(excluded.{name}, ''), {name})" for name in shown]
    latest = [f"{name} = excluded.{name}" for name in ("at", "seq", "seen_on")]
    store.insert(
        "pull_requests",
        then=f"on conflict do update set {', '.join([*latest, *newer])}",
        project=home,
        **entry.header("session at seq"),
        sort=_text(fields, "sort") or "pull_request",
        about=str(number) if number else branch,
        number=number,
        seen_on=entry.body["branch"],
        **shown,
        checks="",
        checked_at="",
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
    number, row = _whole(fields, "number"), _texts(fields, "author path text")
    store.replace(
        "review_comments", project=home, **entry.header("session at seq"), number=number, **row
    )
    store.run(
        "delete from review_comments where session = ?1 and number = ?2 and seq < (select min(seq)"
        " from (select seq from review_comments where session = ?1 and number = ?2"
        " order by seq desc limit ?3))",
        entry.session,
        number,
        COMMENTS,
    )


def _objects(body: Body, name: str) -> list[Body]:
    """What a list of the entry holds; what is no object is left out."""
    return [fields for fields in body.get(name, ()) if isinstance(fields, dict)]


def _text(fields: Body, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _texts(fields: Body, names: str) -> dict[str, str]:
    return {name: _text(fields, name) for name in names.split()}


def _whole(fields: Body, name: str) -> int:
    value = fields.get(name)
    return value if isinstance(value, int) else 0


DERIVED = {"branch_seen": _branch_seen, "work_seen": _work_seen}
