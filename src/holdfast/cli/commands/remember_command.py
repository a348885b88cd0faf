"""Keep what the user said as a rule, a choice or a dead end, by quoting it; or point at the thread
of work that this session goes on with.

For agents. The words are looked up in what the user typed and answered in this project, widened to
the whole sentence with its condition and negation, and kept as the user's. Refused: words that the
user did not type, a paste, a plan, a question, a permission, what lifts a rule, and what the user
has withdrawn since. A thread is named by its id, or by what the user typed in a session of it; what
the user says of threads counts before that.
"""

from __future__ import annotations

from typing import TypedDict

import click

from holdfast.cli.helpers import thread_rows
from holdfast.cli.helpers.place_here import SHORT, misuse, place
from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import flag, option
from holdfast.errors import HoldfastError
from holdfast.hook.voice import inline
from holdfast.rooms.prompts.pointing import UNIT_CAP, Refused
from holdfast.rooms.threads import by_word
from holdfast.rooms.work import remembering
from holdfast.rooms.work.commands import Place
from holdfast.rooms.work.remembering import CHOICE, DEAD_END, PROJECT, RULE, TASK, Remembered

THREAD = "thread"


class WordsKept(TypedDict):
    """What was kept as the user's."""

    remembered: Remembered


PARAMETERS = [
    flag("--rule", "as_rule", help="Keep it as a rule: how work is done from now on."),
    flag("--choice", "as_choice", help="Keep it as a choice: what the user has settled."),
    flag("--dead-end", "as_dead_end", help="Keep it as a dead end: what the user says has failed."),
    option("--thread", metavar="WORDS|ID", help="This session goes on with that thread."),
    option("--quote", metavar="TEXT", help="The user's words, as they were typed."),
    option(
        "--scope",
        type=click.Choice([PROJECT, TASK]),
        help="Where a rule holds: in the project, or for this task.  [default: project]",
    ),
    option("--about", metavar="TEXT", help="What a choice answers, in your words."),
]


def run(
    *,
    as_rule: bool,
    as_choice: bool,
    as_dead_end: bool,
    quote: str | None,
    scope: str | None,
    about: str | None,
    thread: str | None = None,
) -> Report[WordsKept]:
    if thread is not None:
        if as_rule or as_choice or as_dead_end or quote or scope or about:
            misuse("--thread stands alone")
        return _pointed(place(to_say=True), thread)
    if not quote:
        misuse("say what is kept: --quote TEXT")
    if as_rule + as_choice + as_dead_end != 1:
        misuse("say what it is: --rule, --choice, --dead-end or --thread")
    if as_choice and scope:
        misuse("--scope is for a rule")
    if about and not as_choice:
        misuse("--about is for a choice")
    here = place(to_say=True)
    if as_choice:
        kept = remembering.remember_choice(here, quote, about=about or "")
    else:
        kind = DEAD_END if as_dead_end else RULE
        kept = remembering.remember_rule(here, quote, scope=scope or PROJECT, kind=kind)
    if isinstance(kept, Refused):
        raise HoldfastError(f"not kept: {kept.message}", hint=kept.hint)
    opening = "Kept" if kept.is_new else "Kept before"
    notes = [{RULE: f"{kept.scope} rule", CHOICE: "choice", DEAD_END: "dead end"}[kept.kind]]
    if kept.about:
        notes.append(f"about: {inline(kept.about)}")
    line = (
        f"{opening} as the user's words, {kept.id[:SHORT]}: {inline(kept.text, UNIT_CAP)}"
        f"  ({', '.join(notes)})"
    )
    return Report((line,), {"remembered": kept})


def _pointed(here: Place, given: str) -> Report[WordsKept]:
    """Words are looked up in what was typed; a word alone is an id."""
    session = remembering.session_quoted(here, given) if " " in given else given
    if isinstance(session, Refused):
        hint = "quote what the user typed in a session of the thread, or see `holdfast threads`"
        raise HoldfastError(f"not linked: {session.message}", hint=hint)
    thread = thread_rows.thread_named(here, session)
    is_new = by_word.point(here, thread.id, [given])
    kept = Remembered(THREAD, thread.id, thread.title, "", "", is_new)
    line = f"This session goes on with thread {thread.id[:SHORT]}: {inline(thread.title, UNIT_CAP)}"
    return Report((line,), {"remembered": kept})
