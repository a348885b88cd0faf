"""What a dynamic requirement counts: the size of a branch, or what an installed calculator says.

A calculator is a Python entry point in the group `holdfast.calculators`: a function that is given
the project's root and answers with a number, or a table with `value` and `summary`. It is named in
a configuration, and comes from an installed package: a repository cannot bring one along. It runs
in a process of its own with a time limit. Numbers are used again for a while.
"""

from __future__ import annotations

from holdfast import jsontext, paths, platform
from holdfast.errors import HoldfastError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.gates.facts import Facts

GROUP = "holdfast.calculators"
LIMIT_S = 5.0
GIT_LIMIT_S = 2.0
BRANCH_SIZE = ("branch_size", "branch_size_calculator")
BASES = ("origin/main", "origin/master", "main", "master")
FEATURES = ("feature/", "fix/")
UNTRACKED_CAP = 200
UNTRACKED_BYTES = 1 << 20


def number(facts: Facts, calculator: str, ttl_s: int) -> dict[str, Any]:
    """The number, counted anew when it is older than `ttl_s`."""
    place = f"{facts.worktree}\0{facts.branch}\0{calculator}"
    path = f"{paths.spare(facts.state)}/count-{paths.mark(place):08x}"
    now = platform.seconds_of(facts.now)
    try:
        kept = jsontext.loads(platform.read_text(path) or "null")
        if kept and kept["place"] == place and abs(now - kept["at"]) < ttl_s:
            return dict(kept["number"])
    except (ValueError, KeyError, TypeError):
        pass  # torn: counted anew
    if calculator in BRANCH_SIZE:
        found = branch_size(facts.worktree, facts.branch)
    else:
        found = _asked(calculator, facts.worktree)
    said = jsontext.dumps({"place": place, "at": now, "number": found})
    platform.own_folder(paths.runtime_folder())
    platform.own_folder(paths.spare(facts.state), within=paths.runtime_folder())
    platform.write_whole(path, said.encode())
    return found


def branch_size(root: str, branch: str) -> dict[str, Any]:
    """Lines a branch changes against its base: committed, staged, in the work tree, untracked."""

    def git(*words: str) -> str:
        return platform.said_by_git(root, *words, limit_s=GIT_LIMIT_S)

    base = _base(git, branch)
    start = git("merge-base", base, "HEAD").strip() if base else ""
    changed = git("diff", "--numstat", start or "HEAD")
    lines, files = 0, 0
    for row in changed.splitlines():
        added, removed, _ = (row.split("\t", 2) + ["", ""])[:3]
        lines += int(added) if added.isdecimal() else 0
        lines += int(removed) if removed.isdecimal() else 0
        files += 1
    for name in git("ls-files", "--others", "--exclude-standard", "-z").split("\0")[:UNTRACKED_CAP]:
        content = platform.read_bytes(f"{root}/{name}", UNTRACKED_BYTES) if name else None
        if content is not None and b"\0" not in content:
            lines += content.count(b"\n")
            files += 1
    summary = f"{lines} lines in {files} files against {base or 'nothing'}"
    return {"value": lines, "summary": summary, "base_branch": base}


def _base(git: Any, branch: str) -> str:
    """What a branch is compared with: the closest feature it stands on, else the main line."""
    known = git("for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes").split()
    features = [name for name in known if name.startswith(FEATURES) and name != branch][:20]
    main = next((name for name in BASES if name in known and name != branch), "")
    closest, fewest = main, None
    for name in [*features, *([main] if main else [])]:
        ahead = git("rev-list", "--count", f"{name}..HEAD").strip()
        is_below = git("merge-base", name, "HEAD").strip() == git("rev-parse", name).strip()
        if ahead.isdecimal() and (name == main or is_below):
            if fewest is None or int(ahead) < fewest:
                closest, fewest = name, int(ahead)
    return closest


def _asked(calculator: str, root: str) -> dict[str, Any]:
    """Run an installed calculator, in a process of its own."""
    import sys

    code = (
        "import sys; sys.path[:0] = sys.argv[3:];"
        " from holdfast.gates.counting import main; main(sys.argv[1], sys.argv[2])"
    )
    words = [sys.executable, "-I", "-S", "-c", code, calculator, root, *sys.path]
    said = platform.said_by(words, LIMIT_S)
    if not said:
        raise HoldfastError(f"the calculator {calculator} did not answer in {LIMIT_S:.0f} s")
    found = jsontext.loads(said)
    if "error" in found:
        raise HoldfastError(f"the calculator {calculator}: {found['error']}")
    return dict(found)


def main(calculator: str, root: str) -> None:
    """In the calculator's own process: its answer as JSON."""
    import contextlib
    import io
    from importlib import metadata

    heard = io.StringIO()
    try:
        found = list(metadata.entry_points(group=GROUP, name=calculator))
        if not found:
            raise LookupError("no package that is installed offers it")
        with contextlib.redirect_stdout(heard):
            said = found[0].load()(root)
        answer = said if isinstance(said, dict) else {"value": said}
        value = answer.get("value")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"it answered with {type(value).__name__}, not with a number")
        told = {"value": value, "summary": str(answer.get("summary", ""))[:400], "base_branch": ""}
    except Exception as error:  # somebody else's code
        told = {"error": f"{type(error).__name__}: {error}"[:400]}
    print(jsontext.dumps(told))
