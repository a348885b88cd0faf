"""Frozen values for the hook's path, where `dataclasses` and `typing` would cost every event.

A subclass names its fields in `__slots__`, in the order of its columns where it is a row, and their
types under TYPE_CHECKING. Laws: every field is given once; none is set again; mypy checks what a
constructor is given by those types.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, Self, dataclass_transform

    @dataclass_transform(frozen_default=True, eq_default=False)
    class Fields:
        """So that mypy checks a constructor by the fields' types."""

else:
    Fields = object


class Value(Fields):
    """A record whose fields are attributes."""

    __slots__ = ()

    if not TYPE_CHECKING:

        def __init__(self, *values, **named):
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
        names: tuple[str, ...] = self.__slots__
        return {name: getattr(self, name) for name in names}

    def changed(self, **fields: Any) -> Self:
        """A copy with other values for some fields."""
        return type(self)(**{**self.as_dict(), **fields})
