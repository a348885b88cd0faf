"""What a command line asks of `gh`, `glab` and `git`: which verb, which number, which repository.

Which programs a line runs is told by the one reader of command lines (`holdfast.shell`). It is
loaded only for a line that has the words of such a command in it; most have not.
"""

from __future__ import annotations

from holdfast.system.environment import bring
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.shell.simple_commands import SimpleCommand

COMMAND_CAP = 50_000  # characters
HOSTS = ("gh", "glab")
# Of git, what tells something that git's own files do not, or not to whom it happened.
GIT_VERBS = frozenset("push commit checkout switch branch worktree cherry-pick revert".split())
# Flags of gh and glab that take a value of their own.
VALUED = frozenset(
    "-R --repo --json -q --jq --template --body -b --body-file -F --base -B --head -H --title -t"
    " --limit -L --search -S --interval -i --subject --match-head-commit --author-email -A"
    " --hostname --method -X --header --field -f --raw-field --input --cache --preview --milestone"
    " --label --assignee --reviewer --project --add-label --remove-label --add-assignee"
    " --remove-assignee --add-reviewer --remove-reviewer --recover --branch --job -j --attempt"
    " --commit -e --event -u --user --status --created --workflow --source-branch --target-branch"
    " --description --message -m --reason --comment --state --author --app --mention".split()
)
# Short flags that take a value with these verbs, and stand alone with others.
VALUED_WITH = {
    "create": frozenset("-a -l -m -p -r -s -d -T".split()),
    "edit": frozenset("-m -p".split()),
    "list": frozenset("-a -l -s -w -c".split()),
    "view": frozenset("-a -t".split()),
    "close": frozenset("-c -r".split()),
}
STANDING_ALONE = {
    "merge": frozenset("-m -t".split()),
    "review": frozenset(["-F"]),
}
# Flags of git's verbs that take a value of their own.
GIT_VALUED = frozenset(
    "-m -F -C -c --message --file --author --date --reuse-message --reedit-message --template"
    " --push-option -o --orphan -b -B --create".split()
)
WRITING = frozenset("-f -F --field --raw-field --input -X --method".split())


class Question(Value):
    """One command of a line, as far as it says whom its output is about."""

    __slots__ = tuple(
        "program group verb number branch base title repo part query"
        " writes is_draft is_later".split()
    )
    if TYPE_CHECKING:
        program: str  # gh, glab, git
        group: str  # pr, issue, run, api; "" for git
        verb: str
        number: int  # 0: none was named
        branch: str  # that it asks about or makes
        base: str  # what a pull request is to go into, or a new branch starts from
        title: str  # given on the command line
        repo: str  # owner/name
        part: str  # of an API address, behind the number: comments, reviews, ...
        query: str  # what is made of the answer: --jq, --template
        writes: bool  # it sends something: its answer is our own words
        is_draft: bool
        is_later: bool  # it asks for a merge once the checks have passed


def may_ask(command: str) -> bool:
    """Whether a line has the words of such a command in it at all."""
    if len(command) > COMMAND_CAP or not ("git" in command or "gh" in command or "glab" in command):
        return False
    words = set(command.translate(_APART).split())
    if not words.isdisjoint(HOSTS):
        return True
    return "git" in words and not words.isdisjoint(_TELLING)


def asked(command: str, home: str = "") -> list[Question]:
    """What a line asks, in its order; nothing where no program of these is run. `home` is where
    the work tree lies."""
    if not may_ask(command):
        return []
    bring("shell")
    from holdfast.shell import simple_commands
    from holdfast.shell.program import name, normalised

    questions = []
    read = simple_commands.parsed(command)
    if read is None:  # a text that somebody has cut: what stands before it may do
        head, mark, _ = command.partition('"$(cat <<')
        read = simple_commands.parsed(f'{head}""') if mark else None
    is_elsewhere = False  # a repository made for a trial is not this one
    for simple in read or []:
        program = name(simple.words[0])
        is_elsewhere = is_elsewhere or _leaves([word.text for word in simple.words], home)
        if program == "git" and is_elsewhere:
            continue
        if program == "git" or program in HOSTS:
            repo = _repo_flag(simple) if program in HOSTS else ""
            words = [word.text for word in normalised(simple.words)[1:]]
            question = _of_git(words) if program == "git" else _of_host(program, words, repo)
            if question is not None:
                questions.append(question)
    return questions


def _leaves(words: list[str], home: str) -> bool:
    """`cd /tmp/x`, `git init`, `git clone`."""
    target = "".join(words[1:2])
    if words[0] in ("cd", "pushd"):
        if home.startswith(SCRATCH):
            return False
        return target.startswith(SCRATCH) or "mktemp" in target or "TMP" in target
    return words[0] == "git" and target in ("init", "clone")


SCRATCH = ("/tmp/", "/private/tmp/", "/var/folders/", "/var/tmp/")  # noqa: S108


def _question(program: str, group: str, verb: str, **fields: Any) -> Question:
    empty: Any = dict.fromkeys(Question.__slots__, "")
    empty |= {"number": 0, "writes": False, "is_draft": False, "is_later": False}
    return Question(**{**empty, "program": program, "group": group, "verb": verb, **fields})


def _repo_flag(simple: SimpleCommand) -> str:
    words = [word.text for word in simple.words]
    for at, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag in ("-R", "--repo"):
            return repo_of(value if equals else "".join(words[at + 1 : at + 2]))
    return ""


def _of_host(program: str, words: list[str], repo: str) -> Question | None:
    group = {"mr": "pr", "ci": "run", "pipeline": "run"}.get(words[0], words[0]) if words else ""
    if group == "api":
        return _of_api(program, words[1:])
    if group not in ("pr", "issue", "run") or len(words) < 2:
        return None
    verb = {"new": "create", "show": "view", "ls": "list"}.get(words[1], words[1])
    operands, flags = _split(words[2:], _valued(verb))
    has_operand = operands and verb != "list"
    number, branch, url_repo = _meant(operands[0], group) if has_operand else (0, "", "")
    given = flags.get("--head") or flags.get("-H") or flags.get("--source-branch") or ""
    if group == "run":
        given = flags.get("--branch") or (flags.get("-b", "") if verb == "list" else "")
    return _question(
        program,
        group,
        verb,
        number=number,
        branch=(given or branch).rpartition(":")[2],
        base=flags.get("--base") or flags.get("-B") or flags.get("--target-branch") or "",
        title=flags.get("--title") or (flags.get("-t", "") if verb in MAKING else ""),
        repo=url_repo or repo,
        query=_query(flags),
        is_later="--auto" in flags or "--disable-auto" in flags,
        is_draft="--draft" in flags or (verb == "create" and "-d" in flags and program == "gh"),
    )


MAKING = ("create", "edit")


def _valued(verb: str) -> frozenset[str]:
    return (VALUED | VALUED_WITH.get(verb, frozenset())) - STANDING_ALONE.get(verb, frozenset())


def _query(flags: dict[str, str]) -> str:
    return flags.get("--jq") or flags.get("-q") or flags.get("--template") or ""


def _of_api(program: str, words: list[str]) -> Question | None:
    """`repos/OWNER/NAME/pulls/12/comments`, `projects/ID/merge_requests/12/notes`, `graphql`."""
    operands, flags = _split(words, VALUED)
    parts = operands[0].partition("?")[0].strip("/").split("/") if operands else []
    for head in ("https:", "", "api.github.com"):
        if parts[:1] == [head]:
            parts = parts[1:]
    writes = not WRITING.isdisjoint(flags) and parts != ["graphql"]
    writes = writes and flags.get("-X", flags.get("--method", "POST")).upper() != "GET"
    repo, number, part, group = "", 0, "", "api"
    if parts[:1] == ["repos"] and len(parts) > 2 and "{" not in parts[1]:
        repo = f"{parts[1]}/{parts[2]}"
    for name in ("pulls", "issues", "merge_requests"):
        if name in parts:
            rest = parts[parts.index(name) + 1 :]
            number = _whole(rest[0]) if rest else 0
            part = "/".join(rest[1:])
            group = "issue" if name == "issues" and not part else "pr"
    if not number and "pulls" not in parts and parts != ["graphql"] and "check-runs" not in parts:
        return None
    verb = "view" if number and not part else "api"
    return _question(
        program,
        group if number else "api",
        verb,
        number=number,
        repo=repo,
        part=part,
        query=_query(flags),
        writes=writes,
    )


def _of_git(words: list[str]) -> Question | None:
    verb = words[0] if words else ""
    if verb not in GIT_VERBS:
        return None
    operands, flags = _split(words[1:], GIT_VALUED)
    branch, base = "", ""
    if verb in ("checkout", "switch"):
        branch = next(
            (flags[name] for name in ("-b", "-B", "-c", "-C", "--create") if flags.get(name)), ""
        )
        base = operands[0] if branch and operands else ""
        if not branch:
            return None
    elif verb == "worktree":
        if words[1:2] != ["add"]:
            return None
        branch = flags.get("-b") or flags.get("-B") or ""
        base = "".join(operands[2:3])
    return _question("git", "", verb, branch=branch, base=base)


def _split(words: list[str], valued: frozenset[str]) -> tuple[list[str], dict[str, str]]:
    """Operands, and flags with their values; a flag that stands alone has none."""
    operands: list[str] = []
    flags: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if word == "--":
            operands += words[at:]
            break
        if len(word) < 2 or word[0] != "-":
            operands.append(word)
            continue
        flag, equals, value = word.partition("=")
        if not equals and flag in valued and at < len(words):
            value = words[at]
            at += 1
        flags[flag] = value
    return operands, flags


def _meant(operand: str, group: str) -> tuple[int, str, str]:
    """Number, branch and repository that an operand names."""
    number = _whole(operand.lstrip("#!"))
    if number:
        return number, "", ""
    if "://" in operand:
        repo, _, number = parts_of_url(operand)
        return number, "", repo
    is_branch = group == "pr" and operand.isprintable() and "$" not in operand
    return 0, operand if is_branch else "", ""


def parts_of_url(url: str) -> tuple[str, str, int]:
    """Repository, kind and number of an address: `https://host/owner/name/pull/12#...`."""
    path = url.partition("://")[2].partition("?")[0].partition("#")[0].strip("/").split("/")[1:]
    for at in range(1, len(path) - 1):
        sort = _KINDS.get(path[at], "")
        number = _whole(path[at + 1])
        if sort and number:
            return "/".join(part for part in path[:at] if part != "-"), sort, number
    return "", "", 0


_KINDS = {
    "pull": "pull_request",
    "pulls": "pull_request",
    "merge_requests": "pull_request",
    "pull-requests": "pull_request",
    "issues": "issue",
}


def repo_of(text: str) -> str:
    """owner/name, whatever stands before it."""
    parts = text.removesuffix(".git").replace(":", "/").strip("/").split("/")
    return "/".join(parts[-2:]) if len(parts) > 1 else ""


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


_APART = str.maketrans(dict.fromkeys("/\\'\"`$(){}[]|&;<>=,\t\r\n", " "))
_TELLING = frozenset("push commit -b -B switch worktree cherry-pick revert".split())
