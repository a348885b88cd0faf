"""A fork's parent, matched by transcript rows.

The agent copies the parent's rows into the fork's transcript: their uuids stay, their session id
is rewritten, and the parent is named nowhere. So the parent is the session whose transcript holds
the last row that was copied. Another fork of the same parent holds it too, and began later than
the row was written.

The agent writes its transcript late. As long as it may still be on its way, a row of the fork's
own must show that every copied one is there; when the session has ended the file is whole.
"""

from __future__ import annotations

from holdfast.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.sessions.queries import Session

READ_CAP_BYTES = 8 << 20
CANDIDATES_CAP = 20
MARK = b'"uuid":"'


def parent_of(fork: Session, others: list[Session], *, is_whole: bool) -> str:
    """The parent's id, "" when no transcript tells. `others` are newest first."""
    copied, at = _last_copied(fork, is_whole=is_whole)
    if not copied:
        return ""
    others = [session for session in others if session.id != fork.id and session.transcript]
    begun = [session for session in others if session.started_at <= at]
    # A parent that was met mid-session began later than its rows, and before its forks.
    met_late = [session for session in reversed(others) if session.started_at > at]
    for session in [*begun, *met_late][:CANDIDATES_CAP]:
        if copied in (files.read_bytes(session.transcript, READ_CAP_BYTES) or b""):
            return str(session.id)
    return ""


def _last_copied(fork: Session, *, is_whole: bool) -> tuple[bytes, str]:
    """The last row that is older than the fork itself, and when it was written."""
    from holdfast.system import jsontext

    last, at = b"", ""
    for line in (files.read_bytes(fork.transcript, READ_CAP_BYTES) or b"").splitlines():
        if MARK not in line:
            continue
        try:
            row = jsontext.loads(line.decode("utf-8", "replace"))
        except ValueError:
            continue
        if not isinstance(row, dict) or not isinstance(row.get("uuid"), str):
            continue
        if str(row.get("timestamp")) >= fork.started_at:
            return last, at
        last, at = MARK + row["uuid"].encode("utf-8", "replace") + b'"', str(row.get("timestamp"))
    return (last, at) if is_whole else (b"", "")
