"""What a git command does: one function for each verb that is an action.

Laws: git's own files are read as plain files, and only where a verb or a branch asks for them; an
alias is what git makes of it, and cannot stand for a verb of git's own.
"""

from __future__ import annotations

from holdfast.rooms.gates.actions.options import Options
from holdfast.rooms.gates.actions.vocabulary import Action
from holdfast.shell.program import GLOBALS, Word, after_flags
from holdfast.shell.shell_state import joined
from holdfast.system import environment, files, paths, repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CONFIG_CAP_BYTES = 200_000
HELP = " h|help"
COMMIT = (
    "a|all p|patch interactive only o i|include s|signoff no-signoff amend no-edit e|edit"
    " n|no-verify"
    " verify q|quiet v|verbose allow-empty allow-empty-message no-post-rewrite dry-run short long"
    " porcelain z|null branch status no-status reset-author m|message= F|file= C|reuse-message="
    " c|reedit-message= fixup= squash= author= date= t|template= cleanup= trailer= S|gpg-sign~"
    " no-gpg-sign u|untracked-files~ pathspec-from-file= pathspec-file-nul ahead-behind" + HELP
)
PUSH = (
    "all branches mirror tags follow-tags no-follow-tags d|delete f|force force-with-lease~"
    " force-if-includes n|dry-run porcelain u|set-upstream v|verbose q|quiet progress no-verify"
    " verify"
    " prune atomic signed~ thin no-thin recurse-submodules= o|push-option= repo= receive-pack="
    " exec=" + HELP
)
ADD = (
    "n|dry-run v|verbose f|force i|interactive p|patch e|edit A|all no-ignore-removal u|update"
    " N|intent-to-add refresh ignore-errors ignore-missing renormalize chmod= pathspec-from-file="
    + HELP
)
RESET = "hard soft mixed merge keep q|quiet N|intent-to-add p|patch pathspec-from-file=" + HELP
SWITCH = (
    "b= B= c|create= C|force-create= orphan= d|detach f|force discard-changes t|track~ no-track"
    " guess"
    " no-guess q|quiet m|merge ours theirs p|patch conflict= progress no-progress l"
    " ignore-other-worktrees overlay no-overlay pathspec-from-file= recurse-submodules" + HELP
)
REBASE = "abort quit continue skip edit-todo show-current-patch onto= i|interactive x|exec=" + HELP
PULL = "r|rebase~ no-rebase ff no-ff ff-only dry-run q|quiet v|verbose s|strategy=" + HELP
CLEAN = "d f|force i|interactive n|dry-run q|quiet e|exclude= x X" + HELP
RESTORE = "s|source= S|staged W|worktree p|patch ours theirs q|quiet pathspec-from-file=" + HELP
APPLY = "check stat numstat summary R|reverse 3|3way cached index p= C= directory= v|verbose" + HELP
PLAIN = (
    "n|dry-run f|force r cached q|quiet k a|all abort quit continue skip m|mainline= e|edit" + HELP
)
STASH_LOOKS = frozenset({"list", "show", "create"})
# Verbs of git's own that an alias cannot take.
OWN = frozenset(
    "am apply archive bisect blame branch bundle cherry-pick clone config describe diff fetch"
    " for-each-ref format-patch fsck gc grep gui help init log ls-files ls-remote merge merge-base"
    " mv notes reflog remote rev-list rev-parse rm shortlog show show-ref sparse-checkout status"
    " submodule symbolic-ref tag update-index worktree cat-file check-ignore diff-tree version var"
    " update-ref hash-object ls-tree range-diff cherry count-objects commit-tree write-tree".split()
)
BRANCH_PREFIX = "refs/heads/"
DEPLOYING = frozenset({"heroku", "dokku"})  # remotes that run what they are given


class Git:
    """One git command: its verb's words, and the repository that it is about."""

    def __init__(
        self, words: list[Word], folder: str, switched: dict[str, str], aliases: dict[str, str]
    ) -> None:
        start = after_flags(words, 1, GLOBALS["git"])
        self.verb = words[start] if start < len(words) else None
        self.words = words[start + 1 :]
        self.folder, self.gitdir = folder, ""
        self.aliases = aliases
        self.switched = switched  # branches that earlier commands of the same text went to
        self.stdin: str | None = None
        before = [word.text for word in words[1:start]]
        for flag, value in zip(before, [*before[1:], ""], strict=False):
            if flag == "-C":
                self.folder = joined(self.folder, value)
            elif flag == "-c" and value.lower().startswith("alias."):
                name, _, text = value[6:].partition("=")
                self.aliases = {**self.aliases, name.lower(): text}
            elif flag.startswith("--git-dir"):
                given = flag.partition("=")[2] or value
                self.gitdir = joined(self.folder, given)

    def repository(self) -> str:
        """Its folder, "" when there is none to be seen."""
        place = self.folder.rstrip("/")
        while place and not self.gitdir:
            self.gitdir = repository.gitdir_of(place)
            place = place.rpartition("/")[0]
        return self.gitdir

    def branch(self) -> str:
        """The branch that is checked out when the command runs."""
        gitdir = self.repository()
        if gitdir in self.switched:
            return self.switched[gitdir]
        head = (files.read_text(f"{gitdir}/HEAD", 4096) or "").strip() if gitdir else ""
        return head[5:].strip().removeprefix(BRANCH_PREFIX) if head.startswith("ref: ") else ""

    def setting(self, name: str) -> str:
        return configuration(self.repository()).get(name, "")

    def is_branch(self, text: str) -> bool:
        common = repository.common_of(self.repository()) if self.repository() else ""
        if not common:
            return False
        packed = files.read_text(f"{common}/packed-refs", CONFIG_CAP_BYTES) or ""
        places = (f"refs/heads/{text}", f"refs/remotes/{text}", f"refs/tags/{text}")
        return any(files.exists(f"{common}/{each}") or f" {each}\n" in packed for each in places)


def configuration(gitdir: str) -> dict[str, str]:
    """What git is told by its files, the repository's own last: `alias.p` -> `push`."""
    home = paths.home()
    places = [f"{environment.env('XDG_CONFIG_HOME') or f'{home}/.config'}/git/config"]
    places.append(f"{home}/.gitconfig")
    if gitdir:
        places.append(f"{repository.common_of(gitdir)}/config")
    read: dict[str, str] = {}
    for place in places:
        section = ""
        for raw in (files.read_text(place, CONFIG_CAP_BYTES) or "").splitlines():
            line = raw.strip()
            if line.startswith("["):
                kind, _, name = line.strip("[]").partition(" ")
                name = name.strip().strip('"')
                section = f"{kind.lower()}.{name}." if name else f"{kind.lower()}."
            elif line[:1] not in ("#", ";", ""):
                name, _, value = line.partition("=")
                read[section + name.strip().lower()] = value.strip().strip('"').replace('\\"', '"')
    return read


def _commit(git: Git) -> list[Action]:
    options = Options(git.words, COMMIT)
    if "dry-run" in options:
        return []
    flags = sorted(f"--{name}" for name in options.flags if len(name) > 1)
    message = "\n\n".join(options.values.get("message", []))
    file = options.value("file")
    if file and file != "-":
        message = files.read_text(joined(git.folder, file), CONFIG_CAP_BYTES) or ""
    amends = "amend" in options
    return [
        Action("commit", branch=git.branch(), amend=amends, flags=flags, message=message.strip())
    ]


def _push(git: Git) -> list[Action]:
    options = Options(git.words, PUSH)
    if "dry-run" in options:
        return []
    force = bool({"force", "force-with-lease", "mirror"} & options.flags)
    operands = [*options.operands, *options.paths]
    remote = options.value("repo") or (operands[0].text if operands else "")
    refspecs = [word for word in operands[1:] if word.text != "tag"]
    if {"all", "branches", "mirror"} & options.flags:
        return [Action("push", branch="*", remote=remote, force=force)]
    if not refspecs:
        branch = "" if "tags" in options else _by_itself(git, remote)
        return [Action("push", branch=branch, remote=remote or _remote(git), force=force)]
    made = [_pushed(git, word, remote, force=force) for word in refspecs]
    return [*made, Action("deploy")] if remote in DEPLOYING else made


def _remote(git: Git) -> str:
    return git.setting(f"branch.{git.branch()}.remote")


def _by_itself(git: Git, remote: str) -> str:
    """The branch that is pushed to when none is named."""
    branch = git.branch()
    follows = git.setting(f"branch.{branch}.merge").removeprefix(BRANCH_PREFIX)
    is_own = git.setting("push.default") == "current" or remote not in ("", _remote(git))
    return branch if is_own or not follows else follows


def _pushed(git: Git, word: Word, remote: str, *, force: bool) -> Action:
    text = word.text.removeprefix("+")
    source, colon, goal = text.partition(":")
    goal = goal if colon else source
    if goal in ("HEAD", "@"):
        goal = git.branch()
    branch = "*" if text == ":" else goal.removeprefix(BRANCH_PREFIX)
    is_branch = not branch.startswith("refs/") and word.is_known
    action = Action(
        "push",
        branch=branch if is_branch else "",
        remote=remote,
        force=force or word.text.startswith("+"),
    )
    action.unknown = frozenset() if word.is_known else frozenset({"branch"})
    return action


def _add(git: Git) -> list[Action]:
    options = Options(git.words, ADD)
    if "dry-run" in options:
        return []
    paths_ = [word.text for word in (*options.operands, *options.paths)]
    is_whole = bool({"all", "update"} & options.flags)
    paths_ = ["." if path == ":/" else path for path in paths_ if path[:2] not in (":!", ":^")]
    return [Action("add", path=path) for path in paths_ or (["."] if is_whole else [])]


def _reset(git: Git) -> list[Action]:
    return [Action("reset_hard")] if "hard" in Options(git.words, RESET) else []


def _stash(git: Git) -> list[Action]:
    first = git.words[0].text if git.words else ""
    return [] if first in STASH_LOOKS else [Action("stash")]


def _unless_ended(name: str) -> Callable[[Git], list[Action]]:
    def read(git: Git) -> list[Action]:
        ends = {"abort", "quit", "show-current-patch", "edit-todo"}
        return [] if ends & Options(git.words, REBASE).flags else [Action(name)]

    return read


def _pull(git: Git) -> list[Action]:
    options = Options(git.words, PULL)
    is_rebase = "rebase" in options and options.value("rebase") not in ("false", "no")
    return [Action("rebase")] if is_rebase and "dry-run" not in options else []


def _switch(git: Git) -> list[Action]:
    options = Options(git.words, SWITCH)
    new = options.value("create", "force-create", "b", "B", "orphan")
    operands = [word.text for word in options.operands]
    if new:
        base = "" if "orphan" in options else "".join(operands[:1]) or git.branch()
        return _gone_to(git, new, base)
    if not operands and options.value("track"):
        operands = [options.value("track")]
    if "track" in options and operands:
        return _gone_to(git, operands[0].partition("/")[2] or operands[0], operands[0])
    files_ = [*(operands[1:] or operands), *(word.text for word in options.paths)]
    if git.verb and git.verb.text == "checkout" and _is_of_files(git, options, operands):
        paths_ = [word.text for word in options.paths] or files_
        return [Action("edit_files", path=path) for path in paths_]
    detached = operands[0] if operands else "HEAD" if "detach" in options else ""
    return _gone_to(git, detached) if detached else []


def _is_of_files(git: Git, options: Options, operands: list[str]) -> bool:
    if options.paths or len(operands) > 1 or {"patch", "ours", "theirs"} & options.flags:
        return True
    first = "".join(operands)
    if options.has_dashes or first in ("", "-"):
        return False
    is_there = files.exists(joined(git.folder, first)) and not git.is_branch(first)
    return first in (".", "./") or is_there


def _gone_to(git: Git, to: str, base: str = "") -> list[Action]:
    git.switched[git.repository()] = to
    return [Action("switch_branch", to=to, base=base)]


def _clean(git: Git) -> list[Action]:
    options = Options(git.words, CLEAN)
    return [Action("delete_recursive")] if "d" in options and "dry-run" not in options else []


def _paths(specification: str, *, but: str = "") -> Callable[[Git], list[Action]]:
    def read(git: Git) -> list[Action]:
        options = Options(git.words, specification)
        if "dry-run" in options or "cached" in options or (but and but in options):
            return []
        words = [*options.operands, *options.paths]
        made = [Action("edit_files", path=word.text) for word in words]
        return [*made, Action("delete_recursive")] if "r" in options and words else made

    return read


def _apply(git: Git) -> list[Action]:
    options = Options(git.words, APPLY)
    if {"check", "stat", "numstat", "summary"} & options.flags:
        return []
    texts = [git.stdin or ""]
    texts += [
        files.read_text(joined(git.folder, word.text), CONFIG_CAP_BYTES) or ""
        for word in options.operands
    ]
    return patched("\n".join(texts))


def patched(text: str) -> list[Action]:
    """The files that a patch names; one without a path when it names none that can be seen."""
    lines = [line[4:].split("\t")[0].strip() for line in text.splitlines() if line[:4] == "+++ "]
    made = [Action("edit_files", path=line.removeprefix("b/")) for line in lines]
    if made:
        return made
    unseen = Action("edit_files")
    unseen.unknown = frozenset({"path"})
    return [unseen]


def _config(git: Git) -> list[Action]:
    """Nothing that counts, but an alias may be made that counts later on."""
    texts = [word.text for word in git.words]
    for name, value in zip(texts, [*texts[1:], ""], strict=True):
        if name.lower().startswith("alias."):
            git.aliases[name[6:].lower()] = value
    return []


VERBS: dict[str, Callable[[Git], list[Action]]] = {
    "commit": _commit,
    "push": _push,
    "add": _add,
    "stage": _add,
    "reset": _reset,
    "stash": _stash,
    "revert": _unless_ended("revert"),
    "rebase": _unless_ended("rebase"),
    "pull": _pull,
    "checkout": _switch,
    "switch": _switch,
    "clean": _clean,
    "restore": _paths(RESTORE, but="staged"),
    "rm": _paths(PLAIN),
    "mv": _paths(PLAIN),
    "apply": _apply,
    "am": _apply,
    "config": _config,
}


def actions(git: Git) -> list[Action]:
    """What a verb does; nothing where only help is asked for."""
    texts = [word.text for word in git.words]
    if git.verb is None or "--help" in texts or texts == ["-h"]:
        return []
    verb = VERBS.get(git.verb.text)
    made = verb(git) if verb else []
    for action in made:
        action.folder = git.folder
    return made


def alias(git: Git) -> str:
    """What stands for a verb that git does not know: words of git's, or `!` and a shell's text."""
    verb = git.verb.text if git.verb else ""
    if not verb or verb in VERBS or verb in OWN:
        return ""
    name = verb.lower()
    return git.aliases.get(name) or git.setting(f"alias.{name}")
