"""How far what a session inherits is believed: pins by who pinned them, lists as the agent's.

Law: a pin that an older version kept without its author counts as the user's, as it did then.
"""

from __future__ import annotations

from holdfast.hook import belief
from holdfast.rooms.prompts.attribution import AGENT
from holdfast.rooms.work import queries
from holdfast.rooms.work.pins import label_of
from holdfast.system import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.work.queries import Pin
    from holdfast.rooms.work.summary import InheritedList
    from holdfast.store.sqlite import Store


def source_of(pin: Pin) -> str:
    return belief.AGENT if pin.author == AGENT else belief.USER


def of_pins(store: Store, pins: list[Pin], now: str, floor: float) -> dict[str, float]:
    """What is left of the confidence in each of some pins, by their ids."""
    times = queries.times_inherited(store, [pin.id for pin in pins])
    labels = [label_of(pin.content, pin.label) for pin in pins]
    return {
        pin.id: belief.decay(
            belief.confidence(
                source_of(pin), times_told=times.get(pin.id, 0), again=labels.count(label) - 1
            ),
            hours_since(pin.at, now),
            floor,
        )
        for pin, label in zip(pins, labels, strict=True)
    }


def of_list(store: Store, left: InheritedList, now: str, floor: float) -> float:
    """What is left of the confidence in a list that was made in an earlier session."""
    latest = max(todo.at for todo in left.todos)
    times = queries.times_taken_over(store, left.session)
    known = belief.confidence(belief.AGENT, times_told=times)
    return belief.decay(known, hours_since(latest, now), floor)


def hours_since(at: str, now: str) -> float:
    return max(0.0, (clock.seconds_of(now) - clock.seconds_of(at)) / 3600) if at else 0.0
