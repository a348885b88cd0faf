"""Whether an action is one that a requirement's trigger names.

Laws: every argument of the trigger must fit; `!` before a text turns it around; an argument that
nobody can tell fits nothing, and the command is opaque then; a message that the line does not have
fits nothing either.
"""

from __future__ import annotations

from holdfast.rooms.gates.path_globs import path_matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.config.requirement_type import ActionTrigger
    from holdfast.rooms.gates.actions.vocabulary import Action

NOT = "!"
PLACED = frozenset({"edit_files", "write", "add"})
EVERY = "*"  # the branch of `git push --all`


def names(trigger: ActionTrigger, action: Action, root: str) -> bool:
    """Whether a trigger names an action in the project at `root`."""
    if trigger["action"] != action.name:
        return False
    if action.name in PLACED and "path" not in trigger and not _inside(action, root):
        return False
    return all(
        _fits(argument, wanted, action, root)
        for argument, wanted in trigger.items()
        if argument not in ("action", "instead")
    )


def _fits(argument: str, wanted: object, action: Action, root: str) -> bool:
    if isinstance(wanted, bool):
        return bool(action.arguments.get(argument)) is wanted
    if isinstance(wanted, str):
        text = action.text if argument == "pattern" else str(action.arguments.get("message") or "")
        return (argument == "pattern" or bool(text)) and _is_in(wanted, text)
    if argument in action.unknown or not isinstance(wanted, list):
        return False
    fits = ASKED.get(argument, _is_like)
    refused = [glob[1:] for glob in wanted if glob.startswith(NOT)]
    asked = [glob for glob in wanted if not glob.startswith(NOT)]
    return (not asked or any(fits(argument, glob, action, root) for glob in asked)) and not any(
        fits(argument, glob, action, root) for glob in refused
    )


def _is_in(pattern: str, text: str) -> bool:
    import re

    negated = pattern.startswith(NOT)
    match = re.search(pattern[negated:], text, re.IGNORECASE | re.MULTILINE)
    return bool(match) is not negated


def _is_like(argument: str, glob: str, action: Action, root: str) -> bool:
    held = action.arguments.get(argument) or ""
    texts = held if isinstance(held, list) else [str(held)]
    return any(text == EVERY or path_matches(glob, text) for text in texts)


def _is_there(argument: str, glob: str, action: Action, root: str) -> bool:
    """A path of the project fits, or is a folder that holds what would."""
    path = _inside(action, root) or _whole(action)
    start = glob.split("*", 1)[0].rstrip("/")
    holds = path == "." or f"{start}/".startswith(f"{path.rstrip('/')}/")
    return (
        path_matches(glob, path)
        or path_matches(f"{glob.rstrip('/')}/**", path)
        or (holds and action.name == "add")
    )


def _is_program(argument: str, glob: str, action: Action, root: str) -> bool:
    """`npm run build`: the program, and as many of its words as the text has."""
    program, *words = glob.split()
    texts = action.text.split()[1 : 1 + len(words)]
    return words == texts and path_matches(program, str(action.arguments["program"]))


def _has_word(argument: str, flag: str, action: Action, root: str) -> bool:
    return any(word == flag or word.startswith(f"{flag}=") for word in action.text.split())


ASKED = {"path": _is_there, "program": _is_program, "flag": _has_word}


def _whole(action: Action) -> str:
    from holdfast.shell.shell_state import joined

    return joined(action.folder, str(action.arguments.get("path", "")))


def _inside(action: Action, root: str) -> str:
    """The path from the project's root, "" when it lies elsewhere."""
    if not action.arguments.get("path"):
        return "." if "path" in action.unknown else ""
    whole = _whole(action)
    if whole == root:
        return "."
    return whole[len(root) + 1 :] if whole.startswith(f"{root}/") else ""
