"""THE TABLE of acts that are a person's: they lower protection or speak for the user.

Every command that asks for a person is here, with its verbs (`cli/helpers/person_check.py`), and
nothing else is: `tests/contracts/test_table_of_acts.py` compares the two. What the agent's shell is
about to run is read by this table (`command_effects.py`), and so is what was noticed of an act.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The verb of a command that has none, and is the person's as a whole.
WHOLE = ""
_RULES = {
    "add": "drop ID",
    "keep": "drop ID",
    "drop": "keep ID",
    "edit": "edit ID TEXT",
    "scope": "scope ID",
    "write": "",
    "enforce": "enforce ID --off",
}
# command -> verb -> what undoes it, as the words after `holdfast`; "" when no command does. A
# template that begins with a verb is of the same command.
ACTS: dict[str, dict[str, str]] = {
    "rules": _RULES,
    "constraints": _RULES,  # by its old name
    "choices": {"drop": "keep ID", "keep": "drop ID"},
    "threads": {
        "rename": "rename ID NAME",
        "merge": "split SESSION",
        "split": "move SESSION ID",
        "move": "split SESSION",
        "close": "reopen ID",
        "reopen": "close ID",
    },
    "goal": {"set": "keep", "accept": "keep", "keep": "set TEXT"},
    "req": {
        "satisfy": "clear NAME",
        "approve": "clear NAME",
        "clear": "satisfy NAME",
        "prune": "",
        "enable": "disable NAME",
        "disable": "enable NAME",
        "pause": "resume",
        "resume": "pause",
        "init": "",
    },
    "contract": {"clear": "set --goal TEXT", "set": "set --goal TEXT"},
    "pause": {WHOLE: "holdfast unpause"},
    "off": {WHOLE: "holdfast unpause"},
    "uninstall": {WHOLE: "holdfast init"},
    "forget": {WHOLE: ""},
    "purge": {WHOLE: ""},
    "import": {WHOLE: ""},
    "trust": {WHOLE: "holdfast trust --revoke"},
}
# Verbs of these commands that are everybody's. A contract may be set by an agent, unless it asks
# for less than the one before: only the command itself can tell.
FREE: dict[str, frozenset[str]] = {
    "rules": frozenset({"list"}),
    "constraints": frozenset({"list"}),
    "choices": frozenset({"list"}),
    "threads": frozenset({"list", "show", "why"}),
    "goal": frozenset({"show"}),
    "req": frozenset("status list sessions explain config verify doctor metrics logging".split()),
    "contract": frozenset({"show", "set"}),
}
# With one of these a command only says what it would do.
LOOKING = frozenset({"--dry-run", "--preview", "--show", "--help", "-h"})


def persons_act(words: Sequence[str]) -> str:
    """The act of `holdfast WORDS...` that is the person's, as it is called; "" for any other."""
    options = words[: words.index("--")] if "--" in words else words
    if LOOKING & set(options):
        return ""
    plain = [word for word in words if not word.startswith("-")]
    verbs = ACTS.get(plain[0]) if plain else None
    if verbs is None:
        return ""
    if WHOLE in verbs:
        return plain[0]
    # The first word that is a verb: before it may stand the value of an option.
    free = FREE[plain[0]]
    verb = next((word for word in plain[1:] if word in verbs or word in free), "")
    return f"{plain[0]} {verb}" if verb and verb not in free else ""


def undoing(act: str) -> str:
    """The command that undoes an act, "" when none does."""
    command, _, verb = act.partition(" ")
    template = ACTS.get(command, {}).get(verb, "")
    if not template or template.startswith("holdfast "):
        return template
    return f"holdfast {command} {template}"
