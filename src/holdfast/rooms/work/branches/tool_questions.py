"""What a command line asks of `gh`, `glab` and `git`: which verb, which number, which repository.

Which programs a line runs is told by the one reader of command lines (`holdfast.shell`). It is
loaded only for a line that has the words of such a command in it; most have not.
"""

from __future__ import annotations

from holdfast.rooms.work.branches.work_seen import CLOSED, DRAFT, MERGED, OPEN
from holdfast.system.environment import bring
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMMAND_CAP = 50_000  # characters
HOSTS = ("gh", "glab")
# Of git, what tells something that git's own files do not, or not to whom it happened.
GIT_VERBS = frozenset("push commit checkout switch worktree cherry-pick revert".split())
GROUPS = {"pr": "pr", "mr": "pr", "issue": "issue", "run": "run", "ci": "run", "pipeline": "run"}
VERBS = {"new": "create", "show": "view", "ls": "list"}
# The state in which a command that went well leaves what it names.
LEAVES = {"create": OPEN, "merge": MERGED, "close": CLOSED, "reopen": OPEN, "ready": OPEN}
# A number behind one of these is none of a pull request.
COUNTING = frozenset("-L --limit -i --interval --milestone".split())
WRITING = frozenset("-f -F --field --raw-field --input -X --method".split())
BRANCHING = frozenset("-b -B -c -C --create".split())


class Question(Value):
    """One command of a line, as far as it says whom its output is about."""

    program: str  # gh, glab, git
    group: str  # pr, issue, run, api; "" for git
    verb: str
    number: int  # 0: none was named
    branch: str  # that it asks about or makes
    base: str  # what a pull request is to go into, or a new branch starts from
    title: str  # given on the command line
    repo: str  # owner/name
    leaves: str  # the state of it afterwards, "" for as it was
    writes: bool  # it sends something: its answer is our own words


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
            words = [word.text for word in normalised(simple.words)[1:]]
            flags = _flags([word.text for word in simple.words])
            question = _of_git(words) if program == "git" else _of_host(program, words, flags)
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
    empty: Any = dict.fromkeys(Question._fields, "")
    empty |= {"number": 0, "writes": False}
    return Question(**{**empty, "program": program, "group": group, "verb": verb, **fields})


def _flags(words: list[str]) -> dict[str, str]:
    """Each flag with what stands behind it, which is its value where it takes one."""
    flags: dict[str, str] = {}
    for word, after in zip(words, [*words[1:], ""], strict=True):
        flag, equals, value = word.partition("=")
        if len(word) > 1 and word[0] == "-":
            flags[flag] = value if equals else after
    return flags


def _of_host(program: str, words: list[str], flags: dict[str, str]) -> Question | None:
    repo = repo_of(flags.get("-R") or flags.get("--repo") or "")
    if words[:1] == ["api"]:
        return _of_api(program, words[1:], flags)
    group = GROUPS.get("".join(words[:1]), "")
    if not group or len(words) < 2:
        return None
    verb = VERBS.get(words[1], words[1])
    number, branch, url_repo = (0, "", "") if group == "run" else _meant(words[2:], group, verb)
    makes = verb in ("create", "edit")
    state = LEAVES.get(verb, "")
    if verb == "create" and ("--draft" in flags or (program == "gh" and "-d" in flags)):
        state = DRAFT
    given = flags.get("--head") or flags.get("-H") or flags.get("--source-branch") or ""
    if group == "run":
        given = flags.get("--branch") or flags.get("-b") or ""
    return _question(
        program,
        group,
        verb,
        number=number,
        branch=(given or branch).rpartition(":")[2],
        base=(flags.get("--base") or flags.get("-B") or flags.get("--target-branch") or "")
        if makes
        else "",
        title=(flags.get("--title") or flags.get("-t") or "") if makes else "",
        repo=url_repo or repo,
        leaves="" if {"--auto", "--disable-auto", "--undo"} & flags.keys() else state,
    )


def _meant(words: list[str], group: str, verb: str) -> tuple[int, str, str]:
    """Number, branch and repository that the words behind a verb name."""
    if verb in ("list", "create"):
        return 0, "", ""
    before = ""
    for word in words:
        repo, _, number = parts_of_url(word) if "://" in word else ("", "", 0)
        number = number or _whole(word.lstrip("#!"))
        if number and before not in COUNTING:
            return number, "", repo
        before = word
    first = "".join(words[:1])
    is_branch = group == "pr" and first[:1] != "-" and first.isprintable() and "$" not in first
    return 0, first if is_branch and "://" not in first else "", ""


def _of_api(program: str, words: list[str], flags: dict[str, str]) -> Question | None:
    """`repos/OWNER/NAME/pulls/12/comments`, `projects/ID/merge_requests/12/notes`, `graphql`."""
    address = next((word for word in words if word == "graphql" or "/" in word), "")
    parts = address.partition("?")[0].removeprefix("https://api.github.com").strip("/").split("/")
    is_graphql = parts == ["graphql"]
    method = flags.get("-X") or flags.get("--method") or "POST"
    writes = not (is_graphql or WRITING.isdisjoint(flags) or method.upper() == "GET")
    repo, number, part, group = "", 0, "", "api"
    if parts[:1] == ["repos"] and len(parts) > 2 and "{" not in parts[1]:
        repo = f"{parts[1]}/{parts[2]}"
    for name in ("pulls", "issues", "merge_requests"):
        if name in parts:
            rest = parts[parts.index(name) + 1 :]
            number = _whole(rest[0]) if rest else 0
            part = "/".join(rest[1:])
            group = "issue" if name == "issues" and not part else "pr"
    if not (number or is_graphql or "pulls" in parts or "check-runs" in parts):
        return None
    verb = "view" if number and not part else "api"
    group = group if number else "api"
    return _question(program, group, verb, number=number, repo=repo, writes=writes)


def _of_git(words: list[str]) -> Question | None:
    verb = words[0] if words else ""
    if verb not in GIT_VERBS:
        return None
    branch, base = "", ""
    if verb in ("checkout", "switch", "worktree"):
        at = next((at for at, word in enumerate(words) if word in BRANCHING), 0)
        branch = "".join(words[at + 1 : at + 2]) if at else ""
        rest = [*words[1:at], *words[at + 2 :]]
        operands = [word for word in rest if word[:1] != "-"]
        if not branch or (verb == "worktree" and operands[:1] != ["add"]):
            return None
        base = "".join(operands[2:3] if verb == "worktree" else operands[:1])
    return _question("git", "", verb, branch=branch, base=base)


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
