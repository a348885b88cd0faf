"""What the last sessions did, in a line each: asked, committed, changed, and how it ended.

Which sessions those are says session_queries.py.
"""

from __future__ import annotations

from holdfast.hook.event import STANDS, Remark
from holdfast.hook.voice import inline, ours
from holdfast.rooms.work.last_words import opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.work.session_queries import LastSession

ASKED_CAP, SUBJECT_CAP, READ_CAP = 150, 50, 400
FILES = 2
ENDINGS = {"crashed": "crashed", "clear": "cleared"}


def told(sessions: list[LastSession], withdrawn: list[str]) -> list[Remark]:
    """One remark with a line for each; nothing for none."""
    from holdfast.rooms.work.start_view import struck

    lines = []
    for place, session in enumerate(sessions):
        is_first = place == 0
        asked = (session.asked, session.last) if is_first else (session.asked,)
        texts = [struck(text, withdrawn) for text in asked]
        facts = [f'"{opening(inline(text, READ_CAP), ASKED_CAP)}"' for text in texts if text]
        lines.append(_line(session, " … ".join(facts), is_first=is_first))
    text = ours("The last sessions, newest first:")
    sources = [f"session {session.id}" for session in sessions]
    return [Remark(STANDS, text, items=lines, item_sources=sources)] if lines else []


def _line(session: LastSession, asked: str, *, is_first: bool) -> str:
    how = ENDINGS.get(session.end_reason, "") if session.ended_at else "not ended"
    facts = [asked] if asked else []
    if session.commits:
        named = ", ".join(
            f'{sha[:8]} "{opening(inline(subject, READ_CAP), SUBJECT_CAP)}"'
            for sha, subject in session.commits
        )
        facts.append(f"committed {named}")
    if session.files:
        paths = session.files
        if not is_first:
            paths = list(dict.fromkeys(path.rpartition("/")[2] for path in paths))
        many = FILES + is_first
        more = len(paths) - many
        named = ", ".join(inline(path) for path in paths[:many])
        facts.append(f"changed {named}{f' and {more} more' if more > 0 else ''}")
    if how:
        facts.append(how)
    return f"{session.at[5:16].replace('T', ' ')}, {session.id[:8]}: {'; '.join(facts)}"
