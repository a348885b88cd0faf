"""Whether a command is one that a trigger names.

A pattern is a regular expression, searched without regard to case in each simple command that
the text runs. A pattern of several words names its program first, so `git\\s+push` is about git
and not about `echo git push`. Words with blanks in them are data: they are seen only by a pattern
that names the program itself, as `psql .*DROP` does.

Laws:
  - what is in quotes never makes a command;
  - a text that cannot be read, or is too long to be, matches nothing, and `judged` says so with
    None: then its words decide, so that no gate opens because a text is long.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from holdfast.shell.program import Word

HIDDEN = "\x01"  # stands for a word that a pattern may pass over and not read
# A longer command is not searched, for `.*x` takes the square of it; a still longer not matched.
FAR, READ = 4_000, 20_000
DROPPED = "\\'\"\n\r"

# Their arguments are words to say or to look for.
SPEAKERS = frozenset(
    "echo printf grep egrep fgrep rg ag ack sed awk gawk jq yq say logger notify-send expr test"
    " man tldr info help apropos whatis : true false print alias read".split()
)
# Their arguments are names of files, folders and programs.
NAMERS = frozenset(
    "cat tac less more head tail ls ll dir tree cd pushd popd touch mkdir rmdir rm cp mv ln chmod"
    " chown chgrp stat file wc sort uniq diff cmp comm cut tr tee vim vi nvim nano emacs code open"
    " xdg-open which type whereis hash command basename dirname realpath readlink du df find fd"
    " locate tar zip unzip gzip gunzip md5sum sha256sum export declare typeset local readonly unset"
    " set rsync scp install bat strings od xxd base64 pgrep pkill killall".split()
)
# What they are given in quotes is prose.
MESSENGERS = frozenset("git gh glab hg jj svn hub".split())
MESSAGE_FLAGS = frozenset(
    "-m --message -am --title --body -t -b --notes -n --grep --author --subject".split()
)

_required: dict[str, frozenset[str]] = {}
_plain_before: list[str] = []


def matches(pattern: str, text: str, *, required: frozenset[str] | None = None) -> bool:
    return judged(pattern, text, required=required) is True


def judged(pattern: str, text: str, *, required: frozenset[str] | None = None) -> bool | None:
    """Whether the text runs what the pattern names; None when either cannot be read.

    `required` is what `literals` said of the pattern, for a caller that has kept it: then a
    command without those words costs neither `re` nor the grammar.
    """
    if required is None:
        required = _required.get(pattern)
        if required is None:
            required = _required[pattern] = frozenset(literals(pattern))
    if required and "$'" not in text:
        plain = _plain(text)
        for word in required:
            if word not in plain:
                return False
    return _search(pattern, text)


def _plain(text: str) -> str:
    """The letters of a text; of the last one they are remembered, for every trigger asks."""
    if not _plain_before or _plain_before[0] != text:
        plain = text.lower()
        for sign in DROPPED:  # `translate` takes ten times as long
            plain = plain.replace(sign, "")
        _plain_before[:] = text, plain
    return _plain_before[1]


def literals(pattern: str) -> set[str]:
    """Words that stand in whatever matches, in lower case; empty when none can be told."""
    import re
    from re import _parser  # type: ignore[attr-defined]

    try:
        tree = _parser.parse(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError):
        return set()
    runs: list[str] = []
    _collect(tree, runs)
    words: set[str] = set()
    for run in runs:
        words.update(run.lower().translate(SPLIT).split())
    return {word for word in words if word.isascii()}


SPLIT = str.maketrans(dict.fromkeys("\\'\"\n\r\t\v\f", " "))


def _collect(tree: object, runs: list[str]) -> None:
    """Append the runs of letters that every match passes through."""
    run = ""
    for kind, value in tree:  # type: ignore[attr-defined]
        name = str(kind)
        if name == "LITERAL":
            run += chr(value)
            continue
        runs.append(run)
        run = ""
        if name == "SUBPATTERN":
            _collect(value[3], runs)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and value[0] > 0:
            _collect(value[2], runs)
        elif name == "ATOMIC_GROUP":
            _collect(value, runs)
    runs.append(run)


def _search(pattern: str, text: str) -> bool | None:
    import re

    from holdfast.shell import simple_commands

    try:
        regex = re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError):
        return None
    commands = simple_commands.parsed(text)
    if commands is None:
        return None
    if regex.match(""):
        return True
    try:
        if any(_names(regex, command.words) for command in commands):
            return True
    except _TooLongError:
        return None
    if _speaks_shell(pattern) and _is_in_outline(regex, simple_commands.outline(text)):
        return True
    return False if simple_commands.is_whole(text) else None


class _TooLongError(Exception):
    """A command of which only the beginning would be looked at."""


def _speaks_shell(pattern: str) -> bool:
    """It names operators between commands, as `curl .*\\|\\s*sh` does."""
    import re

    bare = re.sub(r"\(\?(<[=!]|P<\w+>)", "", pattern)
    return any(sign in bare for sign in ("\\|", "[|", "&", ";", "<", ">"))


def _is_in_outline(regex: re.Pattern[str], outline: str) -> bool:
    return any(any(sign in match.group() for sign in "|&;<>") for match in regex.finditer(outline))


def _names(regex: re.Pattern[str], command: list[Word]) -> bool:
    from holdfast.shell.program import name, normalised
    from holdfast.shell.wrappers import inner

    program = name(command[0])
    short = normalised(command)
    forms = [short] if len(short) == len(command) else [short, command]
    titles = [program] if program and not _has_blank(program) else [HIDDEN]
    if command[0].is_known and command[0].text != program and not _has_blank(command[0].text):
        titles.append(command[0].text)
    gives_way = program in NAMERS or any(inner(command))
    for words in forms:
        rests = [*_quoted_rests(words, program, is_short=words is short)]
        for title in titles:
            if _is_in_words(regex, title, _bare_rest(words, program), program, gives_way=gives_way):
                return True
            if program and any(_is_in_data(regex, title, *rest) for rest in rests):
                return True
    return False


def _is_in_words(
    regex: re.Pattern[str], title: str, rest: str, program: str, *, gives_way: bool
) -> bool:
    """The pattern stands in the program and its bare words."""
    from holdfast.shell.program import GLOBALS

    text = title + rest
    if _needs(regex, title, rest):
        return True
    if program in SPEAKERS:
        return False
    if len(text) > FAR:
        raise _TooLongError
    tight = _tight_matches(regex, text)
    if all(at == 0 for at, _ in tight):
        return bool(tight) and not gives_way
    return any(
        _counts(matched, is_subcommand=at == len(title) + 1 and program in GLOBALS)
        for at, matched in tight
        if not (gives_way and _is_wordy(matched))
    )


def _tight_matches(regex: re.Pattern[str], text: str) -> list[tuple[int, str]]:
    """Where matches begin and what they hold, without what a leading `.*` takes along."""
    starts = {match.start() for match in regex.finditer(text)}
    starts |= {at + 1 for at, sign in enumerate(text) if sign == " "}
    by_end: dict[int, int] = {}
    for start in sorted(starts):
        match = regex.match(text, start)
        if match and match.group().strip():
            matched = match.group()
            by_end[match.end()] = start + len(matched) - len(matched.lstrip())
    return [(start, text[start:end].strip()) for end, start in by_end.items()]


def _counts(matched: str, *, is_subcommand: bool) -> bool:
    """Of the words after the program one may be named alone, a flag, or the subcommand first."""
    from holdfast.shell.program import GLOBALS

    first, *others = matched.split()
    if not others or not _is_wordy(matched):
        return True
    # `push .*--force` names git's subcommand; `make git push` runs no git.
    return is_subcommand and first not in GLOBALS


def _is_wordy(matched: str) -> bool:
    return matched[0].isalnum() or matched[0] in ("_", HIDDEN)


def _is_in_data(regex: re.Pattern[str], title: str, rest: str, without: str | None) -> bool:
    """The pattern names the program, and reads on into what is in quotes."""
    if not _needs(regex, title, rest):
        return False
    return without is None or not regex.match(title + without)


def _needs(regex: re.Pattern[str], title: str, rest: str) -> bool:
    """It matches from the start, and would not if the program had another name."""
    if len(title) + len(rest) > READ:
        raise _TooLongError
    return bool(regex.match(title + rest)) and not regex.match(HIDDEN + rest)


def _bare_rest(words: list[Word], program: str) -> str:
    shown = [""]
    is_message = False
    for word in words[1:]:
        hides = is_message or _has_blank(word.text)
        shown.append(HIDDEN if hides else _without_expansions(word))
        is_message = program in MESSENGERS and _takes_message(word.text)
    return " ".join(shown)


def _quoted_rests(
    words: list[Word], program: str, *, is_short: bool
) -> Iterator[tuple[str, str | None]]:
    """The arguments with their quotes, and the same with the subcommand hidden.

    For a messenger a pattern must name the subcommand too: `git .*push` is no commit whose
    message speaks of a push, `git commit .*WIP` is.
    """
    if not any(word.is_quoted or not word.is_known or _has_blank(word.text) for word in words[1:]):
        return
    for quote in "\"'":
        shown = [
            f"{quote}{word.text}{quote}" if word.is_quoted or _has_blank(word.text) else word.text
            for word in words[1:]
        ]
        if program not in MESSENGERS:
            yield " ".join(["", *shown]), None
        elif is_short:
            yield " ".join(["", *shown]), " ".join(["", HIDDEN, *shown[1:]])


def _takes_message(flag: str) -> bool:
    if flag in MESSAGE_FLAGS:
        return True
    return flag[:1] == "-" and flag[1:2] != "-" and flag[-1:] == "m" and len(flag) < 6


def _has_blank(text: str) -> bool:
    return text.split(maxsplit=1) != [text]


def _without_expansions(word: Word) -> str:
    if word.is_known:
        return word.text
    if len(word.text) > FAR:
        raise _TooLongError
    import re

    return re.sub(r"\$(\w+|\{[^}]*\}|\(.*\)|.)|`.*`|[<>]\(.*\)", HIDDEN, word.text)
