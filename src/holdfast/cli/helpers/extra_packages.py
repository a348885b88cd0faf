"""Commands that need packages of an extra say which one, where they are not installed."""

from __future__ import annotations

from holdfast.errors import HoldfastError


def missing(error: ModuleNotFoundError, what: str, extra: str) -> HoldfastError:
    """What to tell of a package that is not there; a module of ours that is not there is a bug."""
    if (error.name or "").partition(".")[0] == "holdfast":
        raise error
    again = f"uv tool install '.[{extra}]'` or `pipx install --force '.[{extra}]'"
    return HoldfastError(
        f"{what} needs the package {error.name}, which is not installed",
        hint=f"in the clone run `{again}`",
    )
