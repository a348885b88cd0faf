"""Rules that an agent reads by itself in the project's instruction files: they are not told again.

Law: a file counts as the agent has read it. At a beginning and at a compaction it is read anew;
within a session one that was changed since the session began does not count.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.prompts.instruction_files import (
    BLOCK_BEGIN,
    READ_BYTES,
    stands_in,
    units,
    without_block,
)
from holdfast.system import clock, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.prompts.queries import GivenRule

FILES = 8


def not_written(context: EventContext, rules: list[GivenRule]) -> list[GivenRule]:
    """The rules that do not stand in a file which the agent has read."""
    if not rules:
        return rules
    if context.instructions is None:
        session = context.session()
        context.instructions = read(context, since=session["started_at"] if session else "")
    written = context.instructions
    return [rule for rule in rules if not stands_in(rule.text, written)]


def read(context: EventContext, *, since: str = "") -> list[str]:
    """The instruction files, a line to a unit; `since` leaves out what was changed after it. Only
    where there are rules to tell."""
    project, store = context.likely_project(), context.store
    if not project or not prompt_queries.has_rules(store, project):
        return []
    from holdfast.agents.surroundings import INSTRUCTIONS

    contents = []
    names = dict.fromkeys((*INSTRUCTIONS, *context.loaded_instructions(project)))
    for name in list(names)[:FILES]:
        path = name if name.startswith("/") else f"{context.worktree}/{name}"
        if since and files.changed_at(path) >= clock.seconds_of(since):
            continue
        content = files.read_bytes(path, READ_BYTES)
        if content:
            contents.append(units(_theirs(content).decode("utf-8", "replace")))
    return contents


def _theirs(content: bytes) -> bytes:
    """Without our own block, which may be older than what was withdrawn since."""
    if BLOCK_BEGIN not in content:
        return content
    try:
        return without_block(content)
    except HoldfastError:
        return content[: content.index(BLOCK_BEGIN)]
