"""An edit that takes away what a decision rests on: noticed at once, told once.

Law: certain by construction. What the edit replaced held a line of the quote, that line is nowhere
in the file now, and the quote cannot be found there in any layout. A file that is written anew says
not what it replaced, so nothing is said of it: the decision is found broken when it is next judged.
Paid after every edit, so it asks one question by index and loads no more unless the file is quoted.
An edit through a shell is not seen here: the decision is found broken when it is next judged.
"""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.rooms.decisions.noticed import queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.decisions.decision import Decision, Evidence


def on_edit(context: EventContext) -> None:
    """After an edit: quotes of decisions in force that can no longer be read in the file."""
    kept = context.kept
    if kept is None or not kept.body["ok"] or context.is_late:
        return
    path = kept.body.get("path", "")
    for id_ in queries.resting_on(context.store, context.project, path) if path else []:
        _look(context, id_, path)


def _look(context: EventContext, id_: str, path: str) -> None:
    from holdfast.rooms.decisions.decision import BROKEN
    from holdfast.rooms.decisions.grounding import source_files
    from holdfast.rooms.decisions.grounding.quotes import seek
    from holdfast.rooms.decisions.queries import find

    edits = acts.replacements(context.event.body["input"])
    content = source_files.read(context.worktree, path) if edits else None
    if content is None:
        return
    decision = find(context.store, id_)
    source = source_files.Source(content)
    lines = {line.strip() for line in content.split("\n")}
    for citation in decision.evidence:
        if citation.path != path or not _took(edits, citation, lines):
            continue
        if seek(citation, source.for_quote(citation.quote)).name == BROKEN:
            _tell(context, decision, citation)


def _took(edits: list[tuple[str, str]], evidence: Evidence, lines: set[str]) -> bool:
    """Whether one of these edits took a line of a quote out of the file whose lines are given."""
    quoted = [line.strip() for line in evidence.quote.split("\n") if line.strip()]
    if evidence.part:
        gone = [line for line in quoted if not any(line in whole for whole in lines)]
        return any(line in old and line not in new for line in gone for old, new in edits)
    for quote in quoted:
        if quote in lines:
            continue
        for old, new in edits:
            if quote in (line.strip() for line in old.split("\n")):
                return True
            # A part of the line was replaced: the line as it reads now is in the file.
            if old and "\n" not in old and quote.replace(old, new, 1).strip() in lines:
                return old in quote
    return False


def _tell(context: EventContext, decision: Decision, evidence: Evidence) -> None:
    from holdfast.hook import voice
    from holdfast.hook.event import DECISIONS, Remark

    body = {
        "sort": "edit",
        "decision": decision.id,
        "citation": evidence.id,
        "said": evidence.where(),
        "held": decision.text,
        "why": "an edit took away what the decision rests on",
        "went_on": True,
    }
    # Once for a quote in a session: its key says so.
    if context.keep("fork_noticed", body, key=f"fork:{evidence.id}") is None:
        return
    short = voice.word(decision.id[:6])
    text = voice.ours(
        "This edit took away what decision {} rests on ({}): it is BROKEN."
        " If the choice still holds, cite where it can be read; if not, say what holds now: both by"
        " `holdfast decisions supersede {} TEXT --evidence PATH:LINE`. Else put the lines back.",
        short,
        voice.code(evidence.where()),
        short,
    )
    quoted = [f"Decision {short}: {decision.text}"]
    if decision.because:
        quoted.append(f"because {decision.because}")
    context.remarks.append(
        Remark(DECISIONS, text, "\n".join([*quoted, "It quotes:", evidence.quote]))
    )
