"""An edit that takes away what a decision rests on: noticed at once, told once.

Paid after every edit, so it asks one question by index and loads no more unless the file is quoted.
An edit through a shell is not seen here: the decision is found broken when it is next judged.
"""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.rooms.decisions.noticed import queries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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

    decision = find(context.store, id_)
    content = source_files.read(context.worktree, path)
    read = source_files.Source(content) if content is not None else None
    for citation in decision.evidence:
        if citation.path != path or not _touches(context.event.body["input"], citation):
            continue
        if read is None or seek(citation, read.for_quote(citation.quote)).name == BROKEN:
            _tell(context, decision, citation)


def _touches(given: Mapping[str, object], evidence: Evidence) -> bool:
    """Whether what was replaced has a line of the quote. A file that was written anew may have."""
    texts = acts.replaced_texts(given)
    if not texts:
        return True
    quoted = [line.strip() for line in evidence.quote.split("\n") if line.strip()]
    for text in texts:
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        if any(quote in line or line in quote for line in lines for quote in quoted):
            return True
    return False


def _tell(context: EventContext, decision: Decision, evidence: Evidence) -> None:
    from holdfast.hook.event import DECISIONS, Remark

    body = {
        "sort": "edit",
        "decision": decision.id,
        "citation": evidence.id,
        "said": evidence.where(),
        "why": "an edit took away what the decision rests on",
        "went_on": True,
    }
    # Once for a quote in a session: its key says so.
    if context.keep("fork_noticed", body, key=f"fork:{evidence.id}") is None:
        return
    short = decision.id[:6]
    text = (
        f"This edit took away what decision {short} rests on ({evidence.where()}). The decision"
        " holds until it is superseded: put the lines back, or run"
        f" `holdfast supersede {short} TEXT --evidence PATH:LINE` with what holds now."
    )
    quoted = [f"Decision {short}: {decision.text}"]
    if decision.because:
        quoted.append(f"because {decision.because}")
    context.remarks.append(
        Remark(DECISIONS, text, "\n".join([*quoted, "It quotes:", evidence.quote]))
    )
