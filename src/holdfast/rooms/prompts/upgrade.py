"""Rules of earlier versions that the user never gave: heard in a plan, a paste, the client's text.

Laws: nothing is deleted; an entry says that a rule is nobody's, and why; it is said once, however
often an upgrade runs; what the person has kept, said in words of their own or was pointed at stays.
Read from the ledger alone: the tables may wait for a rebuild, which then takes these entries in.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdfast.ledger import queries as ledger
from holdfast.ledger.entry import Entry
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import origin
from holdfast.rooms.prompts.typed_text import own_words
from holdfast.system import clock

UPGRADE = "upgrade"
WHY = {origin.PLAN: "heard in a plan", origin.CLIENT: "heard in what the client wrote"}
NOT_TYPED = "heard in a paste or a quotation"
PLACES = 20  # of a text in its prompt


def disown(workspace: Workspace) -> int:
    """Keep that some rules are not the user's; how many it was."""
    entries = (entry for _, entry in ledger.read(workspace.store))
    foreign = not_the_users(entries)
    if not foreign:
        return 0
    at, count = clock.now(), 0
    with workspace.store.transaction():
        for rule, why in foreign:
            body = {"subject": rule.id, "turn": "disowned", "how": UPGRADE, "words": why}
            kept = workspace.keep(
                "turned",
                body,
                key=f"disowned:{rule.id}",
                at=at,
                project=rule.project,
                session=rule.session,
                agent=rule.agent,
            )
            count += kept is not None
    return count


def not_the_users(entries: Iterable[Entry]) -> list[tuple[Entry, str]]:
    """Rules that were heard in something no person wrote, each with why."""
    prompts: dict[str, str] = {}  # the last one of each session
    foreign: dict[str, tuple[Entry, str]] = {}
    for entry in entries:
        body = entry.body
        if entry.kind == "prompt_given":
            prompts[entry.session] = body["prompt"]
        elif entry.kind == "rule_given" and body["how"] == "prompt" and "prompt" not in body:
            why = _foreign(body["text"], prompts.get(entry.session, ""))
            if why:
                foreign[entry.id] = (entry, why)
        elif entry.kind == "turned" and body["subject"] in foreign:
            is_said = body["turn"] == "repeated" and not _foreign(
                body["words"], prompts.get(entry.session, "")
            )
            if is_said or body["turn"] in ("kept", "pointed"):
                del foreign[body["subject"]]
    return list(foreign.values())


def _foreign(text: str, prompt: str) -> str:
    """Why a text of a prompt is not the person's, "" when it is, or when the prompt is gone."""
    if not prompt:
        return ""
    whose = origin.of(prompt)
    if whose != origin.PERSON:
        return WHY.get(whose, NOT_TYPED)
    return "" if _is_own(text, prompt) else NOT_TYPED


def _is_own(text: str, prompt: str) -> bool:
    """Whether the text lies, more than half of it, in what the person typed. A text that is not in
    its prompt word for word was put together by the version that heard it: it is left alone."""
    start = prompt.find(text)
    if start < 0 or not text.strip():
        return True
    own = own_words(prompt)
    for _ in range(PLACES):
        left = "".join(own[start : start + len(text)].split())
        if 2 * len(left) > len("".join(text.split())):
            return True
        start = prompt.find(text, start + 1)
        if start < 0:
            break
    return False
