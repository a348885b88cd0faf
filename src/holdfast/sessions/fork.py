"""A fork's parent, matched by transcript rows.

The agent copies the parent's rows into the fork's transcript: their uuids stay, their session id
is rewritten, and the parent is named nowhere. So the parent is the session whose transcript holds
the last row that was copied; of several (a fork of a fork), the one that began first.
"""

from __future__ import annotations

from holdfast import platform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.sessions.shelf import Session

READ_CAP_BYTES = 8 << 20
CANDIDATES_CAP = 20
MARK = b'"uuid":"'


def parent_of(fork: Session, others: list[Session]) -> str:
    """The parent's id, "" when no transcript tells."""
    copied = _last_copied(fork)
    if not copied:
        return ""
    holders = []
    for session in others[:CANDIDATES_CAP]:
        if session.id == fork.id or not session.transcript:
            continue
        rows = platform.read_bytes(session.transcript, READ_CAP_BYTES)
        if rows and copied in rows:
            holders.append(session)
    return min(holders, key=lambda session: session.started_at).id if holders else ""


def _last_copied(fork: Session) -> bytes:
    """The last row that is older than the fork itself."""
    from holdfast import jsontext

    last = b""
    for line in (platform.read_bytes(fork.transcript, READ_CAP_BYTES) or b"").splitlines():
        if MARK not in line:
            continue
        try:
            row = jsontext.loads(line.decode("utf-8", "replace"))
        except ValueError:
            continue
        if not isinstance(row, dict) or str(row.get("timestamp")) >= fork.started_at:
            continue
        if isinstance(row.get("uuid"), str):
            last = MARK + row["uuid"].encode("utf-8", "replace") + b'"'
    return last
