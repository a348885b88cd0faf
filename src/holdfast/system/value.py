"""Frozen values for the hook's path, where `dataclasses` and `typing` would cost every event.

A subclass names its fields in `__slots__`, in the order of its columns where it is a row, and their
types under TYPE_CHECKING. Laws: every field is given once; none is set again.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, Self


class Value:
    """A record whose fields are attributes."""

    __slots__: tuple[str, ...] = ()

    def __init__(self, *values: Any, **named: Any) -> None:
        names = self.__slots__
        if len(values) + len(named) != len(names):
            raise TypeError(f"{type(self).__name__} has {len(names)} fields")
        values += tuple(named[name] for name in names[len(values) :])
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} stays as it is")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.as_dict() == self.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({fields})"

    def as_dict(self) -> dict[str, Any]:
        """For JSON, in the order of the fields."""
        return {name: getattr(self, name) for name in self.__slots__}

    def changed(self, **fields: Any) -> Self:
        """A copy with other values for some fields."""
        return type(self)(**{**self.as_dict(), **fields})
