"""Pins: the few things a session keeps in sight, and which of them the next one inherits.

Laws: a person's pin is the project's: every session has it, and no cap counts it; beside those a
session never has more than ten, however many are offered, and inherits five at most; an inherited
CRITICAL one is pushed out by nothing newer; else what a session pinned itself wins over what it
inherits; duplicates go before anything is counted, so that none of them takes a place; CRITICAL
ones come first, and from any session that is not too old; the others only from a session that is
relevant enough to be restored from.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.work.queries import Pin

CAP = 10
INHERITED_CAP = 5
CRITICAL_HOURS = 168.0
LABEL_CAP = 40

CRITICAL = "CRITICAL"
INHERITED = "[inherited from "


def is_critical(content: str, label: str = "") -> bool:
    """Whether the word stands in it, in capitals: "[CRITICAL] never push", not "NON-CRITICAL"."""
    return _has_word(content, CRITICAL) or _has_word(label, CRITICAL)


def label_of(content: str, label: str = "") -> str:
    """What a pin is known by: its label, or else its first words; in small letters."""
    given = " ".join(label.split())
    return given.lower() if given else _first_words(_own(content)).lower()


def inherit(
    current: list[Pin],
    offered: list[Pin],
    *,
    is_relevant: bool,
    hours: float,
    ages: dict[str, float] | None = None,
    critical_hours: float = CRITICAL_HOURS,
    cap: int = INHERITED_CAP,
) -> list[Pin]:
    """Which of the offered pins come along, in the order in which they are worth it.

    `is_relevant` and `hours` are those of the session they come from; a pin with an age of its own
    in `ages`, by its id, is judged by that.
    """
    labels = {label_of(pin.content, pin.label) for pin in current}
    kept: list[Pin] = []
    by_id = sorted(offered, key=lambda pin: pin.id)
    for pin in sorted(by_id, key=lambda pin: pin.at, reverse=True):
        label = label_of(pin.content, pin.label)
        old = (ages or {}).get(pin.id, hours) > critical_hours
        comes = is_relevant or (pin.critical and not old)
        if comes and label not in labels:
            labels.add(label)
            kept.append(pin)
    # Stable: the newest stay first. What the session before had inherited is older, and stays.
    kept.sort(key=lambda pin: (not pin.critical, not (pin.critical and pin.source)))
    critical = sum(1 for pin in kept if pin.critical)
    own = sum(1 for pin in current if not pin.is_users)
    return kept[: max(0, min(cap, max(critical, CAP - own)))]


def in_sight(own: list[Pin], inherited: list[Pin]) -> list[Pin]:
    """What a session keeps in sight: the user's, and ten of its own and what it inherited.
    Ordinary ones give way to CRITICAL ones, of its own the oldest."""
    newest = [pin for pin in own[::-1] if not pin.is_users]
    ranked = [
        *(pin for pin in inherited if pin.critical),
        *(pin for pin in newest if pin.critical),
        *(pin for pin in newest if not pin.critical),
        *(pin for pin in inherited if not pin.critical),
    ]
    kept = {pin.id for pin in ranked[:CAP]}
    return [pin for pin in (*own, *inherited) if pin.is_users or pin.id in kept]


def provenance(pin: Pin) -> str:
    return f"{INHERITED}{pin.session[:8]} @ {pin.at}]"


def _own(content: str) -> str:
    """A pin's content without where it came from: inherited twice, it is still the same pin."""
    while content.startswith(INHERITED) and "]" in content:
        content = content[content.index("]") + 1 :].lstrip()
    return content


def _first_words(text: str) -> str:
    kept = ""
    for word in text.split():
        longer = f"{kept} {word}" if kept else word
        if len(longer) > LABEL_CAP:
            return kept or word[:LABEL_CAP]
        kept = longer
    return kept


def _has_word(text: str, word: str) -> bool:
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not (before.isalnum() or before in ("_", "-") or after.isalnum() or after == "_"):
            return True
        at = text.find(word, at + 1)
    return False
