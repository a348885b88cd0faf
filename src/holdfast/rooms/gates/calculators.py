"""What a dynamic requirement counts: the size of a branch, or what an installed calculator says.

A calculator is a Python entry point in the group `holdfast.calculators`: a function that is given
the project's root and answers with a number, or a table with `value` and `summary`. It is named in
a configuration, and comes from an installed package: a repository cannot bring one along. It runs
in a process of its own with a time limit.

Numbers are used again for a while, and so is that there was none: one that hangs does not hang
before every tool.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError, StoreError
from holdfast.rooms.gates.protection import own_files
from holdfast.system import (
    clock,
    files as system_files,
    git as system_git,
    jsontext,
    paths,
    processes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol, TypedDict, final

    class Counted(Protocol):
        """What is counted for: a branch of a work tree, now."""

        state: str
        branch: str
        worktree: str
        now: str
        failed: Callable[[Exception], None]

    @final
    class Number(TypedDict):
        """What was counted, as a calculator's process prints it and as it is used again."""

        value: float
        summary: str
        base_branch: str

    @final
    class NoNumber(TypedDict):
        """Why there is none."""

        error: str


GROUP = "holdfast.calculators"
LIMIT_S = 5.0
GIT_LIMIT_S = 2.0
BRANCH_SIZE = ("branch_size", "branch_size_calculator")
BASES = ("origin/main", "origin/master", "main", "master")
FEATURES = ("refs/heads/feature", "refs/heads/fix")
FEATURES_CAP = 20
UNTRACKED_CAP = 200
UNTRACKED_BYTES = 1 << 20


def number(facts: Counted, calculator: str, ttl_s: int) -> Number:
    """The number, counted anew when it is older than `ttl_s`; HoldfastError when there is none."""
    place = f"{facts.worktree}\0{facts.branch}\0{calculator}"
    path = paths.counted(facts.state, place)
    now = clock.seconds_of(facts.now)
    try:
        kept = jsontext.loads(system_files.read_text(path) or "null")
        if kept and kept["place"] == place and abs(now - kept["at"]) < ttl_s:
            return _answer(kept["number"])
    except (ValueError, KeyError, TypeError):
        pass  # torn: counted anew
    counted = _counted(calculator, facts)
    text = jsontext.dumps({"place": place, "at": now, "number": counted})
    try:
        system_files.own_folder(paths.runtime_folder())
        system_files.own_folder(paths.spare(facts.state), within=paths.runtime_folder())
        system_files.write_whole(path, text.encode())
    except (OSError, StoreError) as error:
        facts.failed(error)  # counted all the same, and once more at the next call
    return _answer(counted)


def _answer(counted: Number | NoNumber) -> Number:
    if "error" in counted:
        raise HoldfastError(str(counted["error"]))
    return {**counted}


def _counted(calculator: str, facts: Counted) -> Number | NoNumber:
    if calculator not in BRANCH_SIZE:
        return _run(calculator, facts.worktree)
    try:
        return branch_size(facts.worktree, facts.branch)
    except HoldfastError as error:
        return {"error": str(error)}


def branch_size(root: str, branch: str) -> Number:
    """Lines a branch changes against its base: committed, staged, in the work tree, untracked. What
    Holdfast itself put there, and nobody added to git, is not the branch's."""

    def git(*words: str) -> str:
        stdout = system_git.heard(root, *words, limit_s=GIT_LIMIT_S)
        if stdout is None:
            raise HoldfastError(f"git {words[0]} did not answer")
        return stdout

    if system_git.said(root, "rev-parse", "--verify", "HEAD"):
        base = _base(git, branch)
        # Two histories may have nothing in common: then it is all of the difference.
        start = system_git.said(root, "merge-base", base or "HEAD", "HEAD") or base
    else:
        base, start = "", "--cached"  # no commit yet
    lines, files = 0, 0
    for row in git("diff", "--numstat", start).splitlines():
        lines += sum(int(part) for part in row.split("\t")[:2] if part.isdecimal())
        files += 1
    names = git("ls-files", "--others", "--exclude-standard", "-z").split("\0")
    theirs = [name for name in names if name and not own_files.is_of_holdfast(name)]
    for name in theirs[:UNTRACKED_CAP]:
        content = system_files.read_bytes(f"{root}/{name}", UNTRACKED_BYTES)
        if content is not None and b"\0" not in content:
            lines += content.count(b"\n")
            files += 1
    summary = f"{lines} lines in {files} files against {base or 'nothing'}"
    return {"value": lines, "summary": summary, "base_branch": base}


def _base(git: Callable[..., str], branch: str) -> str:
    """What a branch is compared with: the closest feature it stands on, else the main line."""
    names = "--format=%(refname:short)"
    known = git("for-each-ref", names, "refs/heads", "refs/remotes").split()
    main = [name for name in BASES if name in known and name != branch][:1]
    below = git("for-each-ref", names, "--merged=HEAD", *FEATURES).split()
    features = [name for name in below if name != branch][:FEATURES_CAP]
    ahead = {
        name: int(git("rev-list", "--count", f"{name}..HEAD") or 0) for name in [*main, *features]
    }
    return min(ahead, key=lambda name: ahead[name], default="")


def _run(calculator: str, root: str) -> Number | NoNumber:
    """Run an installed calculator, in a process of its own."""
    import sys

    code = (
        "import sys; sys.path[:0] = sys.argv[3:];"
        " from holdfast.rooms.gates.calculators import main; main(sys.argv[1], sys.argv[2])"
    )
    words = [sys.executable, "-I", "-S", "-c", code, calculator, root, *sys.path]
    stdout = processes.said_by(words, LIMIT_S)
    if not stdout:
        return {"error": f"the calculator {calculator} gave no answer within {LIMIT_S:.0f} s"}
    answer: Number | NoNumber = jsontext.loads(stdout)
    if "error" in answer:
        return {"error": f"the calculator {calculator}: {answer['error']}"}
    return answer


def main(calculator: str, root: str) -> None:
    """In the calculator's own process: its answer as JSON."""
    import contextlib
    import io
    from importlib import metadata
    from math import isfinite

    heard = io.StringIO()
    try:
        offers = list(metadata.entry_points(group=GROUP, name=calculator))
        if not offers:
            raise LookupError("no package that is installed offers it")
        with contextlib.redirect_stdout(heard):
            result = offers[0].load()(root)
        answer = result if isinstance(result, dict) else {"value": result}
        value = answer.get("value")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"it answered with {type(value).__name__}, not with a number")
        if not isfinite(value):
            raise ValueError("it answered with no number")
        reply = {"value": value, "summary": str(answer.get("summary", ""))[:400], "base_branch": ""}
    except Exception as error:  # noqa: BLE001 - somebody else's code, in a process of its own
        reply = {"error": f"{type(error).__name__}: {error}"[:400]}
    system_files.write_all(1, jsontext.dumps(reply).encode())
