"""A requirement that is not satisfied: what a judgement answers with."""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.requirement_type import Requirement


class Open(Value):
    """A requirement that is not satisfied. `reason` is what a guard or a number has to say."""

    name: str
    requirement: Requirement
    reason: str = ""
