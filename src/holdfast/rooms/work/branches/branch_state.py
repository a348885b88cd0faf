"""Where a branch stands: from git's own files, and from at most two of its processes.

Laws: nothing is written and no lock is taken; a process that takes too long is ended, and what it
would have told is left open (-1), never guessed; a parent is named only where git noted it, and
otherwise it is said that the comparison is with the default branch.
"""

from __future__ import annotations

from holdfast.agents.surroundings import FOLDERS, SETTINGS
from holdfast.hook.ahead import AT_A_GLANCE, STATUS
from holdfast.system import files, git
from holdfast.system.repository import head_of, sha_of
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

UNKNOWN = -1
FILES, COMMITS = 30, 5
AHEAD = 300  # commits that are counted
LOG_BYTES = 1 << 16
OWN_FOLDER = ".holdfast"
CREATED, CONFIGURED, DEFAULT = "created", "configured", "default"
# Files that say what is under way, in the order of asking.
OPERATIONS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


class BranchState(Value):
    """A branch as it stood at one moment."""

    branch: str
    head: str
    parent: str  # the branch that it is compared with
    how: str  # created, configured: git noted it; default: it is only the repository's own
    upstream: str
    ahead: int  # of its parent
    behind: int
    unpushed: int  # ahead of its upstream
    unpulled: int
    uncommitted: int  # files that were changed, conflicts among them
    untracked: int
    conflicts: int
    stash: int  # made on this branch
    operation: str  # under way: merge, rebase 2/5, ...
    files: list[str]  # that were changed
    commits: list[list[str]]  # abbreviated name and subject, that its parent has not

    def body(self) -> Body:
        return self.as_dict()


def of_body(body: Body) -> BranchState:
    """What an entry keeps; a field that it lacks is not known."""
    numbers = dict.fromkeys(_NUMBERS, UNKNOWN)
    texts = dict.fromkeys(("branch", "head", "parent", "how", "upstream", "operation"), "")
    known = {name: value for name, value in body.items() if name in BranchState._fields}
    return BranchState(**{**texts, **numbers, "files": [], "commits": [], **known})


_NUMBERS = "ahead behind unpushed unpulled uncommitted untracked conflicts stash".split()


def glance(folder: str, gitdir: str, branch: str, limit_s: float) -> BranchState:
    """What git's files and one process tell: how it stands with its upstream, what was changed.
    Untracked files would have to be looked for in every folder."""
    status = _status(git.said(folder, *AT_A_GLANCE, limit_s=limit_s))
    return of_body({**_noted(gitdir, branch), **status, "untracked": UNKNOWN})


def look(worktree: str, gitdir: str, branch: str, limit_s: float) -> BranchState:
    """All of it, with two processes: untracked files too, and how far it is from its parent."""
    noted = _noted(gitdir, branch)
    asked = (*STATUS, "--untracked-files=normal")
    status = _status(git.said(worktree, *asked, limit_s=limit_s))
    common, parent = shared_folder(gitdir), noted["parent"]
    compared = _compared(worktree, common, parent, limit_s) if parent else {}
    return of_body({**noted, **status, **compared})


def _noted(gitdir: str, branch: str) -> Body:
    """What git's files tell."""
    common = shared_folder(gitdir)
    parent, how = parent_of(gitdir, common, branch)
    return {
        "branch": branch,
        "parent": parent,
        "how": how,
        "head": head_of(gitdir, common),
        "stash": stashed(common, branch),
        "operation": operation(gitdir),
    }


def _status(printed: str) -> Body:
    """`git status --porcelain=v2 --branch`; nothing where git did not answer."""
    if not printed:
        return {}
    changed, conflicts, untracked = [], 0, 0
    known: Body = {}
    for line in printed.splitlines():
        mark, _, rest = line.partition(" ")
        if mark == "#":
            name, _, value = rest.partition(" ")
            if name == "branch.upstream":
                known["upstream"] = value
            elif name == "branch.ab":
                plus, _, minus = value.partition(" ")
                known["unpushed"], known["unpulled"] = _count(plus[1:]), _count(minus[1:])
            elif name == "branch.oid" and not value.startswith("("):
                known["head"] = value
        elif mark == "?":
            untracked += not _is_of_tools(rest)
        elif mark in ("1", "u"):  # a file that was renamed is two: asked for without renames
            conflicts += mark == "u"
            changed.append(rest.split(" ", {"1": 7, "u": 9}[mark])[-1])
    return {
        **known,
        "uncommitted": len(changed),
        "files": [path.strip('"') for path in changed[:FILES]],
        "conflicts": conflicts,
        "untracked": untracked,
    }


def _is_of_tools(path: str) -> bool:
    """What agents and Holdfast put there themselves is nobody's work."""
    folder, slash, name = path.partition("/")
    if folder == OWN_FOLDER:
        return True
    return path in SETTINGS or bool(slash and not name and folder in FOLDERS)


def _count(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() else UNKNOWN


def _compared(worktree: str, common: str, parent: str, limit_s: float) -> Body:
    """Commits on either side, counted up to a bound."""
    refs = (f"refs/heads/{parent}", f"refs/remotes/origin/{parent}")
    ref = next((ref for ref in refs if sha_of(common, ref)), "")
    if not ref:
        return {}
    asked = ("log", "--left-right", "--format=%m%h %s", f"-n{AHEAD + 1}", f"{ref}...HEAD", "--")
    printed = git.heard(worktree, *asked, limit_s=limit_s)
    if printed is None:
        return {}
    lines = printed.splitlines()
    ours = [line[1:].partition(" ") for line in lines if line.startswith(">")]
    commits = [[sha, subject[:200]] for sha, _, subject in ours[:COMMITS]]
    if len(lines) > AHEAD:
        return {"commits": commits}
    return {"ahead": len(ours), "behind": len(lines) - len(ours), "commits": commits}


def shared_folder(gitdir: str) -> str:
    """The folder that all worktrees of a repository share."""
    relative = (files.read_text(f"{gitdir}/commondir", 4096) or "").strip()
    return relative if relative.startswith("/") else f"{gitdir}/{relative}".rstrip("/")


def operation(gitdir: str) -> str:
    """A merge, rebase, cherry-pick, revert or bisect that was begun and not ended."""
    for name, what in OPERATIONS:
        if files.exists(f"{gitdir}/{name}"):
            if what != "rebase":
                return what
            step, end = ("msgnum", "end") if name == "rebase-merge" else ("next", "last")
            done = (files.read_text(f"{gitdir}/{name}/{step}", 64) or "").strip()
            many = (files.read_text(f"{gitdir}/{name}/{end}", 64) or "").strip()
            return f"rebase {done}/{many}" if done.isdecimal() and many.isdecimal() else what
    return ""


def stashed(common: str, branch: str) -> int:
    """Stashes that were made on a branch: `WIP on x: ...`, `On x: ...`."""
    log = files.read_bytes(f"{common}/logs/refs/stash", LOG_BYTES, tail=True) or b""
    mark = f"on {branch}: ".lower().encode()
    return sum(
        line.partition(b"\t")[2].lower().removeprefix(b"wip ").startswith(mark)
        for line in log.splitlines()
    )


def parent_of(gitdir: str, common: str, branch: str) -> tuple[str, str]:
    """The branch that a branch was started from, and how that is known; else the default branch."""
    default = default_of(common)
    if not branch or branch == default:
        return "", ""
    created = _created_from(gitdir, common, branch)
    if created and created != branch:
        return created, CREATED
    configured = _configured(common, branch)
    if configured and configured != branch:
        return configured, CONFIGURED
    return (default, DEFAULT) if default else ("", "")


def default_of(common: str) -> str:
    head = (files.read_text(f"{common}/refs/remotes/origin/HEAD", 4096) or "").strip()
    if head.startswith("ref: refs/remotes/origin/"):
        return head.removeprefix("ref: refs/remotes/origin/")
    names = ("main", "master", "trunk", "develop")
    return next((name for name in names if sha_of(common, f"refs/heads/{name}")), "")


def _created_from(gitdir: str, common: str, branch: str) -> str:
    """`branch: Created from X` in the branch's own log; of HEAD, what it was switched from."""
    log = files.read_bytes(f"{common}/logs/refs/heads/{branch}", 4096) or b""
    first, _, _ = log.decode("utf-8", "replace").partition("\n")
    meta, _, message = first.partition("\t")
    start = message.partition("Created from ")[2].strip()
    if start in ("HEAD", "@"):
        return _switched_from(gitdir, branch, meta)
    for prefix in ("refs/heads/", "refs/remotes/", "origin/", "upstream/"):
        start = start.removeprefix(prefix)
    is_name = start and not set(start) <= set("0123456789abcdef") and not set("~^:@") & set(start)
    return start if is_name else ""


def _switched_from(gitdir: str, branch: str, meta: str) -> str:
    """`checkout: moving from X to BRANCH` at the very moment at which it was created."""
    created = meta.split(" ", 2)[1:2]
    log = files.read_bytes(f"{gitdir}/logs/HEAD", LOG_BYTES, tail=True) or b""
    for line in log.decode("utf-8", "replace").splitlines():
        place, _, message = line.partition("\t")
        source, to, target = message.removeprefix("checkout: moving from ").partition(" to ")
        if to and target == branch and place.split(" ", 2)[1:2] == created:
            is_commit = len(source) == 40 and set(source) <= set("0123456789abcdef")
            return "" if is_commit else source
    return ""


def _configured(common: str, branch: str) -> str:
    """What a branch is to be merged into, by its settings."""
    remote, merge, base, inside = "", "", "", False
    for line in map(str.strip, (files.read_text(f"{common}/config") or "").splitlines()):
        if line.startswith("["):
            inside = line == f'[branch "{branch}"]'
        elif inside:
            name, _, value = (part.strip() for part in line.partition("="))
            if name.lower() in ("gh-merge-base", "vscode-merge-base"):
                base = value
            remote = value if name == "remote" else remote
            merge = value if name == "merge" else merge
    if base:
        return base.removeprefix("origin/")
    return merge.removeprefix("refs/heads/") if remote == "." or merge else ""


def remotes(common: str) -> set[str]:
    """The names of the repositories that this one knows: the last part of each address."""
    names, inside = set(), False
    for line in map(str.strip, (files.read_text(f"{common}/config") or "").splitlines()):
        if line.startswith("["):
            inside = line.startswith('[remote "')
        elif inside and line.partition("=")[0].strip().lower() == "url":
            url = line.partition("=")[2].strip()
            if "://" in url or "@" in url:
                names.add(url.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2])
    return {name.lower() for name in names}


def last_commit(gitdir: str) -> tuple[str, str, int]:
    """Name, subject and time of the last thing that happened to HEAD, if it was a commit."""
    log = files.read_bytes(f"{gitdir}/logs/HEAD", 4096, tail=True) or b""
    line = (log.decode("utf-8", "replace").splitlines() or [""])[-1]
    meta, _, message = line.partition("\t")
    what, _, subject = message.partition(": ")
    fields = meta.split(" ")
    if not what.startswith("commit") or len(fields) < 4:
        return "", "", 0
    return fields[1], subject, max(0, _count(fields[-2]))
