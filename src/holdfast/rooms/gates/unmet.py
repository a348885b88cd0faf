"""A requirement that is not satisfied: what a judgement answers with."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.requirement_type import Requirement


class Open:
    """A requirement that is not satisfied. `reason` is what a guard or a number has to say."""

    __slots__ = ("name", "reason", "requirement")

    def __init__(self, name: str, requirement: Requirement, reason: str = "") -> None:
        self.name = name
        self.requirement = requirement
        self.reason = reason
