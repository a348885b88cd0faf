"""git, as Holdfast calls it: it answers, and runs nothing that a repository brings along.

Laws: no hooks, no fsmonitor, no filters, no drivers of diffs, no pager, editor, remote or prompt; a
bare repository inside a work tree is not believed; a variable that points git somewhere else does
not count, for we ask about the folder that we name. A repository's own configuration is looked
at for programs under names of its own (`filter.NAME.clean`); each is overridden.

What changes a repository (`act`) runs with the filters and the signing of the person's own git, as
a commit of the person's would, and without hooks: it is asked for where a person allowed it.
"""

from __future__ import annotations

from holdfast.system import files, processes, repository
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LIMIT_S = 2.0
NOWHERE = "/dev/null"
# What may name a program, under names that are always the same.
_ALWAYS = (
    "core.fsmonitor=false",
    f"core.hooksPath={NOWHERE}",
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "core.askPass=",
    "core.gitProxy=",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "sequence.editor=false",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
)
_ASKED = (
    f"core.attributesFile={NOWHERE}",
    "diff.external=",
    "log.showSignature=false",
    "gpg.program=false",
)
# Where git would look at files by ten threads, and there are next to no cores, they are in each
# other's way, and in ours: a session's start takes a third less time without them.
_FEW_CORES = 4
_IN_TURN = ("core.preloadIndex=false",) if (system.cpu_count() or 1) < _FEW_CORES else ()
# Sections of a repository's configuration in which programs have names of the repository's own,
# or from which further files are read.
_NAMED = ("filter", "merge", "include", "gpg", "credential")
_PROGRAMS = (
    r"^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver|gpg\..*\.program"
    r"|credential\..*\.helper)$"
)
_NO_PROGRAM = {"required": "false"}
# Their answers may be made by a driver of diffs.
_COMPARING = frozenset({"diff", "log", "show", "diff-tree", "diff-index", "diff-files"})
_WITHOUT_DRIVERS = ("--no-ext-diff", "--no-textconv")


def said(folder: str, *words: str, limit_s: float = LIMIT_S) -> str:
    """What git prints about a folder, "" when it fails or takes longer than a hook may wait."""
    return heard(folder, *words, limit_s=limit_s) or ""


def heard(folder: str, *words: str, limit_s: float = LIMIT_S) -> str | None:
    """What git prints about a folder, None when it fails or takes too long."""
    arguments = question(folder, *words)
    return processes.heard_from(arguments, limit_s) if arguments else None


def run(folder: str, *words: str, given: bytes = b"", limit_s: float = LIMIT_S) -> bytes | None:
    """The same as bytes, with something to read: for commands, not for hooks."""
    import subprocess

    arguments = question(folder, *words)
    program = processes.program(arguments) if arguments else ""
    if not program:
        return None
    try:
        done = subprocess.run(
            [program, *arguments[1:]],
            input=given,
            capture_output=True,
            timeout=limit_s,
            check=False,
            env=processes.environment_of(arguments),
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def act(folder: str, *words: str, limit_s: float = LIMIT_S) -> bool:
    """Have git change something, with the person's own filters and signature; whether it did."""
    arguments = ["git", *_options(_ALWAYS), "-C", folder, *words]
    return processes.heard_from(arguments, limit_s) is not None


def question(folder: str, *words: str) -> list[str]:
    """The whole command line of a question; none where the repository names programs in a way
    that we cannot override."""
    if words[0] in _COMPARING:
        words = (words[0], *_WITHOUT_DRIVERS, *words[1:])
    root = processes.work_tree_of(folder)
    overridden = _overridden(folder, root)
    if overridden is None:
        return []
    # A repository's own folder is named as such. One that was committed is a folder like others.
    is_own = not root or f"{folder}/".startswith(f"{root}/.git/")
    place = ["--git-dir", folder] if is_own and _is_bare(folder) else ["-C", folder]
    return ["git", *_options((*_ALWAYS, *_ASKED, *_IN_TURN, *overridden)), *place, *words]


def _options(values: Iterable[str]) -> list[str]:
    return [word for value in values for word in ("-c", value)]


def _is_bare(folder: str) -> bool:
    return all(files.exists(f"{folder}/{name}") for name in ("HEAD", "objects", "refs"))


def _overridden(folder: str, root: str) -> list[str] | None:
    """Programs that the repository's own configuration names. Only where it may name any, git is
    asked for them: that reads files, and runs nothing."""
    gitdir = repository.gitdir_of(root) if root else folder
    common = repository.common_of(gitdir) if gitdir else ""
    texts = [
        (files.read_text(f"{place}/{name}") or "").lower().replace(" ", "").replace("\t", "")
        for place, name in ((common, "config"), (gitdir, "config.worktree"))
        if place
    ]
    if not any(f"[{section}" in text for text in texts for section in _NAMED):
        return []
    asked = ["git", *_options(_ALWAYS + _ASKED), "-C", folder, "config", "--name-only", "-z"]
    names = processes.said_by([*asked, "--get-regexp", _PROGRAMS]).split("\0")
    if any("=" in name for name in names):
        return None
    return [f"{name}={_NO_PROGRAM.get(name.rpartition('.')[2], '')}" for name in names if name]


def is_as_committed(root: str, path: str) -> bool:
    """Whether a file that was ever tracked is what HEAD says, there or not there. A checkout, a
    pull and a stash leave it so; False when git does not tell."""
    if not path.startswith(f"{root}/"):
        return False
    name = path[len(root) + 1 :]
    changed = _asked_of_file(root, "diff", "--name-only", "HEAD", name)
    return changed == "" and bool(
        _asked_of_file(root, "log", "--all", "-n1", "--format=%h", "", name)
    )


def is_missing(root: str, path: str) -> bool:
    """Whether the last commit has a file that is not in the work tree."""
    name = path[len(root) + 1 :]
    words = ("diff", "--diff-filter=D", "--name-only", "HEAD", name)
    return path.startswith(f"{root}/") and bool(_asked_of_file(root, *words))


def _asked_of_file(root: str, *words: str) -> str | None:
    *asked, ref, name = words
    refs = [ref] if ref else []
    return heard(root, *asked, *refs, "--", f":(literal){name}")


def not_committed(worktree: str, limit_s: float = LIMIT_S) -> list[str] | None:
    """Files of a work tree that are not committed, by their paths from its root; None where git
    does not tell."""
    if not repository.gitdir_of(worktree):
        return []
    asked = ("status", "--porcelain", "-z", "--untracked-files=all")
    rows = heard(worktree, *asked, limit_s=limit_s)
    return (
        None
        if rows is None
        else [row.strip().partition(" ")[2].strip() for row in rows.split("\0") if row]
    )
