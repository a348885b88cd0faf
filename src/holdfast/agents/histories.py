"""Finished sessions of the agents we know, as the events that their hooks would have brought.

Of Claude Code, Codex CLI and Gemini CLI, in the words of the first one's hooks: the one reader of
payloads makes events of them. Of Claude Code alone the rows say who typed what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from holdfast.agents import codex, gemini_cli
from holdfast.agents.claude_code import footprint, history, payloads, transcript
from holdfast.agents.told import Told
from holdfast.hook.event import Event
from holdfast.system import clock

if TYPE_CHECKING:
    from holdfast.agents.told import Row

# Where the agents keep their sessions, below a home.
FOLDERS = (footprint.TRANSCRIPTS, codex.FOLDER, gemini_cli.FOLDER)
# How a session is reopened, and its id follows; Gemini CLI counts them instead.
REOPEN = {payloads.NAME: footprint.REOPEN, codex.NAME: codex.REOPEN}

tail = transcript.of_rows


class Recorded(NamedTuple):
    """An event of the past, the branch of its time, and how many rows there were by then."""

    event: Event
    branch: str
    rows: int


class Owner(NamedTuple):
    """Whose a file is, as far as a row says so."""

    agent: str
    session: str
    folder: str


def owner(row: Row, path: str) -> Owner:
    if gemini_cli.is_first(row):
        return Owner(gemini_cli.NAME, gemini_cli.session_of(row), gemini_cli.folder_of(path))
    if codex.is_first(row):
        return Owner(codex.NAME, codex.session_of(row), codex.folder_of(row))
    session, folder = row.get("sessionId"), row.get("cwd")
    return Owner(
        payloads.NAME,
        session if isinstance(session, str) else "",
        folder if isinstance(folder, str) else "",
    )


def events(agent: str, session: str, path: str, rows: list[Row], known: int = 0) -> list[Recorded]:
    """A session's events in order, beyond the rows that are known already; it is over by then."""
    if agent == codex.NAME:
        recorded = codex.Reader().read(rows)
    elif agent == gemini_cli.NAME:
        recorded = gemini_cli.Reader(path).read(rows)
    else:
        recorded = _of_claude_code(rows)
    if all(each.name in ("SessionStart", "SessionEnd") for each in recorded):
        return []
    return list(_read(agent, session, path, _going_on(recorded, known) if known else recorded))


def _of_claude_code(rows: list[Row]) -> list[Told]:
    reader = history.Reader()
    reader.read(rows)
    reader.end(reason="other")
    return reader.events


def _read(agent: str, session: str, path: str, recorded: Iterable[Told]) -> Iterator[Recorded]:
    """What was told as the hook reads it: its kinds, its fields, its natural keys."""
    for each in recorded:
        payload = {
            **each.fields,
            "hook_event_name": each.name,
            "session_id": session,
            "cwd": each.cwd,
            "transcript_path": path,
        }
        # What has no key of its own is known by where it stands.
        raw = f"{each.name}:{each.row}:{each.rows}".encode()
        event = payloads.read(
            payload, raw=raw, at=clock.iso(each.at), process=(0, ""), size=lambda _: 0
        )
        if event is not None:
            event.agent = agent
            yield Recorded(event, each.branch, each.rows)


def _going_on(recorded: list[Told], known: int) -> list[Told]:
    """What a transcript has beyond the rows that were taken in: the session was resumed."""
    rest = [each for each in recorded if each.rows >= known]
    if not rest or rest[0].name == "SessionStart":
        return rest
    return [rest[0]._replace(name="SessionStart", fields={"source": "resume"}, row=""), *rest]
