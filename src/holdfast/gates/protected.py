"""What an agent may not do to the gates themselves, while there are any.

Their configuration, the agent's own hook settings and our state are the person's; so are the
commands that satisfy, approve, clear and switch. Reading is free.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.gates.judge import Call

# Ends of paths, from the root of a project or a home.
FILES = (
    ".claude/requirements.yaml",
    ".claude/requirements.local.yaml",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".holdfast/config.yaml",
    ".holdfast/config.local.yaml",
    "holdfast/config.yaml",
)
FOLDERS = (".git/holdfast/", "state/holdfast/")
NAMES = ("requirements.yaml", "requirements.local.yaml", "settings.json", "settings.local.json",
         "config.yaml", "config.local.yaml", "state/holdfast", ".git/holdfast")  # fmt: skip
PERSONS = frozenset("satisfy approve clear pause disable prune".split())
# What only reads whatever it is given.
READERS = frozenset(
    "cat less more head tail grep rg egrep fgrep ls stat file wc diff cmp jq yq bat find fd tree"
    " echo printf test [ md5sum sha256sum git realpath readlink dirname basename".split()
)
WRITING_GIT = frozenset("checkout restore rm mv apply reset stash clean".split())


def refusal(call: Call, state: str) -> str:
    """Why a call is the person's and not the agent's, "" when it is the agent's."""
    if call.deed in ("edit", "create"):
        if is_protected(call.where or call.path, state):
            return (
                f"{call.path or call.where} holds the gates' rules, or the agent's hooks: only"
                " the person changes it. Nothing was written."
            )
        return ""
    if not call.command:
        return ""
    lowered = call.command.lower()
    if "req" in lowered and any(word in lowered for word in PERSONS):
        if any(_is_persons(words) for words in _commands(call.command)):
            return "Satisfying, approving and switching are the person's commands. It was not run."
    named = [name for name in NAMES if name in lowered]
    if (named or f"{state}/" in call.command) and _writes(call.command, state):
        return (
            "The command changes the gates' rules, the agent's hooks or Holdfast's own state:"
            " only the person does that. It was not run."
        )
    return ""


def is_protected(path: str, state: str) -> bool:
    import os

    bare = os.path.expanduser(os.path.normpath(path)).replace("\\", "/")
    whole = f"/{bare.lstrip('/')}"
    return (
        any(whole.endswith(f"/{file}") for file in FILES)
        or any(f"/{folder}" in f"{whole}/" for folder in FOLDERS)
        or bare.startswith(f"{state}/")
    )


def is_own_command(call: Call) -> bool:
    """Whether a call only asks Holdfast something: never in the way of that."""
    if "holdfast" not in call.command and "req" not in call.command:
        return False
    found = _commands(call.command)
    return bool(found) and all(_is_ours(words) for words in found)


def _commands(command: str) -> list[list[str]]:
    from holdfast.gates import shell

    return shell.commands(command) or []


def _name(word: str) -> str:
    return word.rpartition("/")[2]


def _is_ours(words: list[str]) -> bool:
    return bool(words) and _name(words[0]) in ("holdfast", "req")


def _is_persons(words: list[str]) -> bool:
    """`req satisfy`, `holdfast req satisfy`, also as a module or through a wrapper."""
    names = [_name(word) for word in words]
    for at, name in enumerate(names):
        if name == "req" and at + 1 < len(names):
            rest = [word for word in names[at + 1 :] if not word.startswith("-")]
            if rest and rest[0] in PERSONS:
                return at == 0 or "holdfast" in names[:at]
    return False


def _writes(command: str, state: str) -> bool:
    """Whether a command line may write to what is protected: by a redirection, or by handing it
    to a program that is not known to read alone."""
    from holdfast.gates import shell

    for target in _targets(shell.outline(command)):
        if is_protected(target, state):
            return True
    found = shell.commands(command)
    if found is None:
        return True
    return any(
        any(is_protected(part, state) for word in words[1:] for part in _paths_in(word))
        and not _only_reads(words)
        for words in found
        if words
    )


def _paths_in(word: str) -> list[str]:
    """A word, and what follows its sign of equality: `--file=x`, `of=x`."""
    return [word, word.partition("=")[2]] if "=" in word else [word]


def _only_reads(words: list[str]) -> bool:
    name = _name(words[0])
    if name == "git":
        verbs = [word for word in words[1:] if not word.startswith("-")]
        return not WRITING_GIT & set(verbs[:2])
    if name in ("sed", "perl"):
        return not any(word.startswith("-") and "i" in word for word in words[1:])
    return name in READERS


def _targets(outline: str) -> list[str]:
    """Files that a line's redirections write to."""
    found = []
    for at, sign in enumerate(outline):
        if sign == ">":
            rest = outline[at + 1 :].lstrip(">|& ")
            found.append(rest.split()[0].strip("'\"") if rest.split() else "")
    return [one for one in found if one]
