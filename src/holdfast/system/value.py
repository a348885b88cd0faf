"""Values for the hook's path, where `dataclasses` and `typing` would cost every event.

A subclass declares its fields as a dataclass does, in the order of its columns where it is a row.
Laws: every field without a default is given, once, and no other is; of a `Value` none is set again;
mypy checks a constructor by the fields' types. The bundle keeps the names and leaves the types out.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, Self, dataclass_transform


class _Fields:
    """What has declared fields: equal where they are."""

    if TYPE_CHECKING:
        _fields: tuple[str, ...]
    else:
        _fields = ()

        def __init_subclass__(cls):
            cls._fields += cls.__dict__.get("__fields__") or tuple(cls.__annotations__)

        def __init__(self, *values, **named):
            fields, held = self._fields, self.__dict__
            held.update(zip(fields, values, strict=False), **named)
            if len(values) + len(named) != len(fields) or tuple(held) != fields:
                self._check(len(values) + len(named))

        def _check(self, count):
            """Of fields that were left out the class has the default."""
            fields = self._fields
            missing = [name for name in fields if not hasattr(self, name)]
            if missing or len(self.__dict__) != count or not self.__dict__.keys() <= set(fields):
                raise TypeError(f"{type(self).__name__} has the fields {', '.join(fields)}")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.as_dict() == self.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.as_dict().items())
        return f"{type(self).__name__}({fields})"

    def as_dict(self) -> dict[str, Any]:
        """For JSON, in the order of the fields."""
        return {name: getattr(self, name) for name in self._fields}

    def changed(self, **fields: Any) -> Self:
        """A copy with other values for some fields."""
        return type(self)(**{**self.as_dict(), **fields})


if TYPE_CHECKING:

    @dataclass_transform(eq_default=False)
    class _Typed(_Fields):
        """For mypy."""

    @dataclass_transform(frozen_default=True, eq_default=False)
    class _TypedFrozen(_Fields):
        """For mypy."""

else:
    _Typed = _TypedFrozen = _Fields


class Record(_Typed):
    """A record whose fields may be set again."""


class Value(_TypedFrozen):
    """A record that stays as it was made."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} stays as it is")
