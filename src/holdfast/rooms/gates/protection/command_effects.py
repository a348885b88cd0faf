"""What a command would do to the gates themselves (protected_places.py).

It is judged by the files it names and by what its programs are known to do. A program that hides
what it does gets past this, and then the ledger and the files' own history show it.
"""

from __future__ import annotations

from holdfast.hook.voice import code, ours
from holdfast.rooms.gates.protection.own_files import FILES, FOLDERS, HINTS, is_protected
from holdfast.rooms.gates.protection.persons_acts import persons_act
from holdfast.system import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.hook.event import Speech
    from holdfast.rooms.gates.tool_call import Call

# What only reads whatever it is given, or makes an empty folder.
READERS = frozenset(
    "cat tac less more head tail grep rg egrep fgrep ls stat file wc diff cmp comm jq bat tree echo"
    " awk printf test [ md5sum sha1sum sha256sum shasum cksum realpath readlink dirname basename du"
    " which sort uniq cut column nl od xxd hexdump strings yamllint zip mkdir".split()
)
WRITING_GIT = frozenset("checkout restore rm mv apply reset stash clean switch".split())
# They write to the last that they are given.
COPIERS = frozenset("cp rsync scp install".split())
# They write in place when told to.
EDITORS = frozenset("sed gsed yq".split())
INTERPRETERS = ("python", "node", "ruby", "perl", "php", "deno", "bun")
# Of a program's text one of these says that it may write.
WRITING_WORDS = (
    *("write", "dump", "'w", '"w', "'a", '"a', "'r+", '"r+', ">", "rename", "replace", "move"),
    *("unlink", "remove", "rmtree", "truncate", "copy", "shutil", "subprocess", "system", "exec"),
)
# Modules of ours that act for a person: a program's text that names one goes around the commands.
OUR_MODULES = (
    *("holdfast.cli", "holdfast.config", "holdfast.setup", "holdfast.ledger", "holdfast.rooms"),
    *("holdfast.store", "holdfast.hook", "pause_file", "person_check"),
)

# In a command that is too long to be read: how often, and how far behind our name, is looked.
LOOKS, REACH = 2_000, 80


def refusal(call: Call, state: str) -> Speech:
    """Why a command is the person's and not the agent's, "" when it is the agent's."""
    lowered = f"{call.command} {call.folder.rpartition('/')[2]}".lower()
    may_be = "req" in lowered or "holdfast" in lowered
    if may_be:
        commands = _commands(call.command)
        act = next(filter(None, map(_persons, commands)), "")
        if act:
            return ours(
                "{} is one of the person's commands. It was not run.", code(f"holdfast {act}")
            )
        if not commands and _may_run_persons(call.command):
            return ours(
                "The command is too long to be read, and one of the person's commands may be in it."
                " It was not run."
            )
        if any(_reaches_in(words) for words in commands):
            return ours(
                "A program that calls Holdfast's own modules may do what only the person does."
                " It was not run."
            )
    if any(hint in lowered for hint in (*HINTS, state.lower())) and _changes(call, state):
        return ours(
            "The command changes the gates' rules, the agent's hooks or Holdfast's own state:"
            " only the person does that. It was not run."
        )
    return ""


def are_ours(command: str) -> bool:
    """Whether all that a command line runs is Holdfast's own."""
    commands = _commands(command)
    return bool(commands) and all(_ours(words) is not None for words in commands)


def _commands(command: str) -> list[list[str]]:
    from holdfast.shell import simple_commands

    return [words for words in simple_commands.commands(command) or [] if words]


def _name(word: str) -> str:
    return word.rpartition("/")[2]


def _ours(words: Sequence[str]) -> list[str] | None:
    """What Holdfast is told to do: `req x` as `holdfast req x`, also as a module of Python."""
    name, rest = _name(words[0]), list(words[1:])
    if name.startswith("python") and "-m" in rest:
        rest = rest[rest.index("-m") + 1 :]
        name = rest.pop(0) if rest else ""
    if name not in ("holdfast", "req"):
        return None
    return ["req", *rest] if name == "req" else rest


def _persons(words: Sequence[str]) -> str:
    """The person's act that a command is, "" when it is none."""
    return persons_act(_ours(words) or [])


def _reaches_in(words: Sequence[str]) -> bool:
    """Whether a program's text calls our modules, or runs one of the person's commands."""
    if not _name(words[0]).startswith((*INTERPRETERS, "awk", "gawk", "mawk")):
        return False
    texts = [word for word in words[1:] if "holdfast" in word and " " in word]
    return any(
        any(module in text for module in OUR_MODULES) or _runs_persons(text) for text in texts
    )


def _runs_persons(text: str) -> bool:
    """Whether `holdfast VERB` of a person's stands in a program's text, in whatever quotes."""
    bare = "".join(char if char.isalnum() or char in "-/_." else " " for char in text).split()
    starts = [at for at, word in enumerate(bare) if _name(word) == "holdfast"]
    return any(persons_act(bare[at + 1 : at + 4]) for at in starts)


def _may_run_persons(text: str) -> bool:
    """Of a text that is too long to be read, whether one of the person's commands may stand in it,
    in whatever quotes."""
    from holdfast.shell import simple_commands

    if not simple_commands.is_too_long(text):
        return False
    looks = 0
    for name, verb in (("holdfast", []), ("req", ["req"])):
        at = text.find(name)
        while at >= 0:
            looks += 1
            here = text[at + len(name) : at + len(name) + REACH]
            bare = "".join(char if char.isalnum() or char in "-/_." else " " for char in here)
            if looks > LOOKS or (bare[:1] == " " and persons_act([*verb, *bare.split()[:3]])):
                return True
            at = text.find(name, at + 1)
    return False


def _changes(call: Call, state: str) -> bool:
    """Whether a command line may write to what is protected: by a redirection, or by handing it
    to a program that is not known to read alone."""
    from holdfast.shell import simple_commands

    commands = simple_commands.commands(call.command)
    if commands is None:  # nobody can read it: what it names is taken for what it changes
        return any(file in call.command.lower() for file in FILES)
    places = [call.folder]
    for words in filter(None, commands):
        if _name(words[0]) in ("cd", "pushd") and len(words) > 1:
            places.append(_joined(places[-1], words[-1]))
        elif _hands_over(words, places[-1], state):
            return True
    return any(
        is_protected(file, state, place)
        for file in simple_commands.written(call.command)
        for place in places
    )


def _joined(folder: str, word: str) -> str:
    import os

    return os.path.join(folder, os.path.expanduser(word))


def _hands_over(words: Sequence[str], folder: str, state: str) -> bool:
    if _only_reads(words):
        return False
    if _name(words[0]).startswith(INTERPRETERS):
        naming = [word for word in words[1:] if any(file in word.lower() for file in FILES)]
        if any(sign in word for word in naming for sign in WRITING_WORDS):
            return True
    given = [part for word in _operands(words) for part in _paths_in(word)]
    return any(is_protected(path, state, folder) or _reaches(path, folder) for path in given)


def _operands(words: Sequence[str]) -> Sequence[str]:
    """The words that a program may write to."""
    if _name(words[0]) not in COPIERS:
        return words[1:]
    into = [
        words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-t", "--target-directory")
    ]
    return [*into, *(word for word in words if word.startswith("--target-directory=")), words[-1]]


def _paths_in(word: str) -> list[str]:
    """A word, and what follows its sign of equality: `--file=x`, `of=x`."""
    return [word, word.partition("=")[2]] if "=" in word else [word]


def _reaches(pattern: str, folder: str) -> bool:
    """Whether a pattern of a shell names one of the files: `.claude/*.json`."""
    if not set("*?[") & set(pattern):
        return False
    from holdfast.rooms.gates.path_globs import path_matches

    whole = _joined(folder, pattern)
    # A pattern finds names that begin with a point only when it begins with one itself.
    hidden = FOLDERS if pattern.rpartition("/")[2].startswith(".") else ()
    return any(
        path_matches(whole, f"{base}/{name}")
        for base in (folder, folder.rpartition("/")[0], paths.home())
        for name in (*FILES, *hidden)
    )


def _only_reads(words: Sequence[str]) -> bool:
    name = _name(words[0])
    if name == "git":
        verbs = [word for word in words[1:] if not word.startswith("-")]
        return not WRITING_GIT & set(verbs[:2])
    if name in EDITORS:
        return not any(_is_in_place(word) for word in words[1:])
    if name in ("find", "fd"):
        return not {"-delete", "-fprint", "-fprintf", "-fls"} & set(words)
    if name == "tar":
        return "x" not in "".join(words[1:2])
    if "json.tool" in words:
        return len(words) - words.index("json.tool") <= 2
    return name in READERS


def _is_in_place(word: str) -> bool:
    return word.startswith(("--in-place", "--inplace")) or (
        word.startswith("-") and not word.startswith("--") and "i" in word
    )
