"""Files that are the person's: the gates' rules, the agent's hook settings, our state."""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.system import paths

# Ends of paths, in a project or a home.
FILES = (
    *surroundings.REQUIREMENTS,
    *surroundings.LOCAL_REQUIREMENTS,
    *surroundings.SETTINGS,
    ".holdfast/config.yaml",
    ".holdfast/config.local.yaml",
)
FOLDERS = (
    *surroundings.FOLDERS,
    ".holdfast",
)  # that hold them: not to be moved or removed as a whole
OURS = ".git/holdfast"
# One of these stands in what could be meant, or our state home: most is not looked at further.
HINTS = frozenset({"holdfast", *surroundings.FOLDERS, *(name.rpartition("/")[2] for name in FILES)})


def is_of_holdfast(path: str) -> bool:
    """Whether a path in a project is one that Holdfast writes, or has a person write."""
    return path in FILES or path.startswith(".holdfast/")


def is_protected(path: str, state: str, folder: str = "") -> bool:
    """Whether a path is, by its name or by where its links lead."""
    import os

    home = paths.home()
    whole = path.replace("${HOME}", home).replace("$HOME", home).replace("\\", "/")
    whole = os.path.normpath(os.path.join(folder, os.path.expanduser(whole)))
    return _is_named(whole, state) or _is_named(os.path.realpath(whole), state)


def _is_named(path: str, state: str) -> bool:
    # Some file systems do not tell small letters from large ones.
    known = f"/{path.lstrip('/')}/".lower()
    own = (f"{state}/", f"{paths.config_home()}/config.yaml/", f"{paths.own_gates()}/")
    return (
        any(known.endswith(f"/{name}/") for name in (*FILES, *FOLDERS))
        or f"/{OURS}/" in known
        or known.startswith(tuple(each.lower() for each in own))
    )
