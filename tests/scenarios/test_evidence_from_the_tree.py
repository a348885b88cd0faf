"""What a proof is worth later on: told by files and git, whoever changed them and however.

Each case is a repository of its own, a few steps in it, and what a person would say of the tests by
then. Every line is really run, and told to the real hook as the agent's, unless somebody else ran
it.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from story import A, Story

from conftest import git, make_repo

pytestmark = [pytest.mark.promise("G6"), pytest.mark.promise("G11")]

DEMAND = """
requirements:
  tested:
    evidence_required: [tests]
    trigger_tools: [{tool: Bash, command_pattern: git commit}]
"""
FORMATTING = "completion: {formatters_exempt: true}\n"
PASSED = "..........                                  [100%]\n10 passed in 0.12s"
FAILED = "....F.....                                  [100%]\n1 failed, 9 passed in 0.12s"
STANDS, UNSEEN, BROKEN = "", "has not been seen", "the last run failed"
COMMITTED = {
    ".gitignore": "build/\nnode_modules/\n*.pyc\n.venv/\n",
    "src/a.py": "a = 1\n",
    "src/b.py": "b = 1\n",
    "src/made.py": "# generated\n",
    "tests/test_a.py": "def test_a(): pass\n",
    "docs/guide.txt": "Read me.\n",
    "tool.sh": "true\n",
    "bin/pytest": "#!/bin/sh\n",
}
CHANGE = "sed -i s/1/2/ src/a.py"
TESTS = "pytest -q"
PATCH = "printf '%s\\n' '--- a/src/a.py' '+++ b/src/a.py' '@@ -1 +1 @@' '-a = 1' '+a = 2'"
ON_MAIN = "git checkout -q main"


class Case(NamedTuple):
    """Lines, one after the other. Before a colon stands who: the person, a subagent, an MCP tool, a
    tool that edits; `says X does Y` is a command X whose effect is Y; the rest is the agent's."""

    name: str
    lines: list[str]
    expected: str  # what the refusal of a commit says; nothing where the proof stands
    settings: str = ""


def changed(first: str, more: int = 0) -> str:
    return f"since then {first}{f' and {more} more' if more else ''} changed"


CASES = [
    # The shell
    Case("sed in place", [TESTS, CHANGE], changed("src/a.py")),
    Case("a redirection over a file", [TESTS, "echo 'a = 3' > src/a.py"], changed("src/a.py")),
    Case("a redirection behind a file", [TESTS, "echo 'c = 3' >> src/a.py"], changed("src/a.py")),
    Case("tee", [TESTS, "echo 'a = 3' | tee src/a.py"], changed("src/a.py")),
    Case("a heredoc", [TESTS, "cat > src/c.py <<E\nc = 1\nE"], changed("src/c.py")),
    Case(
        "a program that writes",
        [TESTS, "python3 -c \"open('src/a.py', 'w').write('a = 4')\""],
        changed("src/a.py"),
    ),
    Case("a copy over a file", [TESTS, "cp src/b.py src/a.py"], changed("src/a.py")),
    Case("a file moved", [TESTS, "mv src/a.py src/c.py"], changed("src/a.py", 1)),
    Case("a file moved by git", [TESTS, "git mv src/a.py src/c.py"], changed("src/a.py", 1)),
    Case("a file deleted", [TESTS, "rm src/b.py"], changed("src/b.py")),
    Case("a file deleted by git", [TESTS, "git rm -q src/b.py"], changed("src/b.py")),
    Case("a file that became a link", [TESTS, "ln -sf b.py src/a.py"], changed("src/a.py")),
    Case("a mode that git records", [TESTS, "chmod +x tool.sh"], changed("tool.sh")),
    Case("a mode that git does not record", [TESTS, "chmod g-r src/a.py"], STANDS),
    Case("touched, not changed", [TESTS, "touch src/a.py"], STANDS),
    Case("written anew as it was", [TESTS, "cp src/a.py x && mv x src/a.py"], STANDS),
    Case("changed and changed back", [TESTS, CHANGE, "sed -i s/2/1/ src/a.py"], STANDS),
    Case("several files", [TESTS, "sed -i s/1/2/ src/*.py; touch z"], changed("src/a.py", 2)),
    Case("of the same size", [CHANGE, TESTS, "sed -i s/2/3/ src/a.py"], changed("src/a.py")),
    Case("read only", [TESTS, "cat src/a.py && git status && git diff"], STANDS),
    # Formatters
    Case("a formatter", [TESTS, f"says black src does {CHANGE}"], changed("src/a.py")),
    Case("a formatter with nothing to do", [TESTS, "says black src does true"], STANDS),
    Case(
        "a formatter that is exempt",
        [TESTS, f"says ruff format . does {CHANGE}"],
        STANDS,
        FORMATTING,
    ),
    Case(
        "a formatter that is exempt, and an edit before it",
        [TESTS, "sed -i s/1/5/ src/b.py", f"says black src does {CHANGE}"],
        changed("src/a.py", 1),
        FORMATTING,
    ),
    Case(
        "a formatter that is exempt, and an edit after it",
        [TESTS, f"says prettier --write src does {CHANGE}", "sed -i s/1/5/ src/b.py"],
        changed("src/b.py"),
        FORMATTING,
    ),
    Case(
        "an edit that is no formatter's",
        [TESTS, CHANGE],
        changed("src/a.py"),
        FORMATTING,
    ),
    # git
    Case("a checkout of another branch", [TESTS, ON_MAIN], changed("bin/pytest", 5)),
    Case("there and back again", [TESTS, ON_MAIN, "git checkout -q feature/auth"], STANDS),
    Case("a new branch", [TESTS, "git checkout -q -b other"], STANDS),
    Case("what was tested is dropped", [CHANGE, TESTS, "git checkout src"], changed("src/a.py")),
    Case("a stash", [CHANGE, TESTS, "git stash -q"], changed("src/a.py")),
    Case("a stash that is popped", [CHANGE, TESTS, "git stash -q", "git stash pop -q"], STANDS),
    Case(
        "a stash with new files that is popped",
        [f"{CHANGE}; touch src/c.py", TESTS, "git stash -q -u", "git stash pop -q"],
        STANDS,
    ),
    Case("a patch applied", [TESTS, f"{PATCH} | git apply"], changed("src/a.py")),
    Case("a merge with code", [TESTS, "git merge -q theirs"], changed("src/b.py")),
    Case("a merge with prose", [TESTS, "git merge -q prose"], STANDS),
    Case("a rebase onto other code", [TESTS, "git rebase -q theirs"], changed("src/b.py")),
    Case("a cherry-pick", [TESTS, "git cherry-pick theirs"], changed("src/b.py")),
    Case("a pull", [TESTS, "git pull -q . theirs"], changed("src/b.py")),
    Case("a hard reset", [TESTS, "git reset -q --hard HEAD~1"], changed("bin/pytest", 5)),
    Case("a soft reset", [TESTS, "git reset -q --soft HEAD~1"], STANDS),
    Case("a revert", [TESTS, "git revert --no-edit HEAD"], changed("bin/pytest", 5)),
    Case("a commit of what was tested", [CHANGE, TESTS, "git commit -qam x"], STANDS),
    Case(
        "a commit of part of it",
        [f"{CHANGE}; touch c.py", TESTS, "git commit -qam x"],
        STANDS,
    ),
    Case(
        "a commit, and an edit",
        [CHANGE, TESTS, "git commit -qam x", "sed -i s/1/9/ src/b.py"],
        changed("src/b.py"),
    ),
    Case("a new file that is committed", ["touch c.py", TESTS, "git add ."], STANDS),
    Case("an amended message", [TESTS, "git commit -q --amend -m other"], STANDS),
    Case("an amended commit", [CHANGE, TESTS, "git commit -qa --amend -m y"], STANDS),
    Case(
        "an amended commit with more in it",
        [TESTS, CHANGE, "git commit -qa --amend -m y"],
        changed("src/a.py"),
    ),
    Case("a repository that is packed", [TESTS, "git gc -q && git pack-refs --all"], STANDS),
    Case("another worktree edited", [TESTS, "echo 1 > ../tree/src/a.py"], STANDS),
    Case("another worktree tested", ["cd ../tree && pytest -q"], UNSEEN),
    # Whose
    Case("an edit by the tool", [TESTS, "edit: src/a.py"], changed("src/a.py")),
    Case("an edit by a subagent", [TESTS, "subagent: edit: src/a.py"], changed("src/a.py")),
    Case("a subagent's shell", [TESTS, f"subagent: {CHANGE}"], changed("src/a.py")),
    Case("an MCP server's tool", [TESTS, f"mcp: {CHANGE}"], changed("src/a.py")),
    Case("the person, in an editor", [TESTS, f"person: {CHANGE}"], changed("src/a.py")),
    Case("a subagent's tests", [CHANGE, f"subagent: {TESTS}"], STANDS),
    Case("prose at the root", [TESTS, "edit: README.md"], STANDS),
    Case("prose in docs", [TESTS, "echo more >> docs/guide.txt"], STANDS),
    Case("an edit outside of the project", [TESTS, "edit: ../elsewhere.py"], STANDS),
    # Ignored, generated, new
    Case("an ignored file", [TESTS, "mkdir build; echo 1 > build/out.py"], STANDS),
    Case("ignored packages", [TESTS, "mkdir node_modules; echo > node_modules/x.js"], STANDS),
    Case("what is ignored", [TESTS, "echo dist/ >> .gitignore"], STANDS),
    Case("a generated file", [TESTS, "echo made >> src/made.py"], changed("src/made.py")),
    Case("what the tests leave behind", ["says pytest -q does touch .coverage"], STANDS),
    Case("a new file", [TESTS, "echo 1 > src/new.py"], changed("src/new.py")),
    Case("a new file in a new folder", [TESTS, "mkdir n; echo > n/a.py"], changed("n/a.py")),
    Case("a new file edited", ["touch c.py", TESTS, "echo 1 > c.py"], changed("c.py")),
    Case("a new file deleted", ["touch c.py", TESTS, "rm c.py"], changed("c.py")),
    Case("a name with a blank and an accent", [TESTS, "echo 1 > 'é 1.py'"], changed("é 1.py")),
    Case("a submodule as it was", [TESTS, "git submodule update -q"], STANDS),
    Case(
        "a submodule at another commit",
        [TESTS, "git -C lib -c user.name=a -c user.email=a commit -q --allow-empty -m x"],
        changed("lib"),
    ),
    # Runs
    Case("a run that failed since", [TESTS, "fails: pytest -q"], BROKEN),
    Case("tests again after an edit", [TESTS, CHANGE, TESTS], STANDS),
    Case("one test file", [CHANGE, "pytest -q tests/test_a.py"], STANDS),
    Case("tests, then an edit, in one line", [f"{TESTS}; {CHANGE}"], UNSEEN),
    Case("an edit, then tests, in one line", [f"{CHANGE} && pytest -q"], STANDS),
    Case("tests and a commit in one line", [f"{TESTS} && git commit -qam x --allow-empty"], STANDS),
    Case("tests in a folder of the project", ["cd tests && pytest -q"], STANDS),
    Case("a program of the project", ["./bin/pytest -q"], STANDS),
    Case("a program of its environment", [".venv/bin/pytest -q"], STANDS),
    Case("a program from elsewhere", ["../fake/pytest -q"], UNSEEN),
    Case("a path to elsewhere", ["PATH=../fake:$PATH pytest -q"], UNSEEN),
    Case("a path that was led elsewhere", ["export PATH=/tmp/x:$PATH; pytest -q"], UNSEEN),
    Case("a function of that name", ["pytest() { echo '3 passed in 0.1s'; }; pytest"], UNSEEN),
    # Without git
    Case("no git, nothing done", ["person: rm -rf .git", "edit: src/a.py", TESTS], STANDS),
    Case(
        "no git, an edit",
        ["person: rm -rf .git", "edit: src/a.py", TESTS, "edit: src/b.py"],
        changed("src/b.py"),
    ),
    Case(
        "no git, a known file by the shell",
        ["person: rm -rf .git", "edit: src/a.py", TESTS, "echo 9 > src/a.py"],
        changed("src/a.py"),
    ),
    Case(
        "no git, changed back",
        ["person: rm -rf .git", "edit: src/a.py", TESTS, "echo 9 > src/a.py", "edit: src/a.py"],
        STANDS,
    ),
]  # fmt: skip
# What is still judged as a person would not.
NOT_YET: frozenset[str] = frozenset()


@pytest.fixture
def project(story: Story, tmp_path: Path) -> Story:
    """A branch of code over an empty main, two branches beside it, a module and a worktree."""
    repo = story.repo
    for name, text in COMMITTED.items():
        path = repo / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    (repo / "bin" / "pytest").chmod(0o755)
    lib = make_repo(tmp_path / "lib")
    (repo / ".gitmodules").write_text(f'[submodule "lib"]\n\tpath = lib\n\turl = {lib}\n')
    git(repo, "-c", "protocol.file.allow=always", "clone", "-q", str(lib), "lib")
    git(repo, "add", ".")
    git(repo, "commit", "-q", "-m", "Write the code")
    for branch, name in (("theirs", "src/b.py"), ("prose", "README.md")):
        git(repo, "checkout", "-q", "-b", branch)
        (repo / name).write_text("b = 9\n")
        git(repo, "commit", "-q", "-am", f"Change {name}")
        git(repo, "checkout", "-q", "feature/auth")
    git(repo, "worktree", "add", "-q", "-b", "beside", str(tmp_path / "tree"))
    for key, value in (("user.name", "dev"), ("user.email", "dev@example.com")):
        git(repo, "config", key, value)
    (repo / ".git" / "info").mkdir(exist_ok=True)
    (repo / ".git" / "info" / "exclude").write_text(".claude/\n.holdfast/\n")
    return story


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case,
            id=case.name,
            marks=[pytest.mark.xfail(strict=True)] if case.name in NOT_YET else [],
        )
        for case in CASES
    ],
)
def test_a_proof_counts_as_a_person_would_say(project: Story, case: Case) -> None:
    project.demand(DEMAND)
    if case.settings:
        project.demand(case.settings, ".holdfast/config.local.yaml")
    project.begin(A)
    for line in case.lines:
        play(project, line)

    refused = project.ask_run(A, "git commit -m x")

    assert case.expected in refused
    assert bool(refused) is bool(case.expected), refused
    project.ends_well()


def play(story: Story, line: str, **more: str) -> None:
    """One step, by whoever does it."""
    who, colon, rest = line.partition(": ")
    if colon and who == "subagent":
        play(story, rest, agent_id="sub-1")
    elif colon and who == "edit":
        write(story.repo / rest)
        story.edit(A, rest, **more)
    elif colon and who in ("person", "mcp"):
        shell(story.repo, rest)
        if who == "mcp":
            story.tell("PostToolUse", A, tool_name="mcp__files__edit", tool_input={}, **more)
    elif colon and who == "fails":
        story.fail(A, rest, f"Exit code 1\n{FAILED}", **more)
    else:
        told, _, effect = line.removeprefix("says ").partition(" does ")
        shell(story.repo, effect or told)
        story.run(A, told, PASSED if "pytest" in told else "ok", **more)


def write(path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("a = 7\n")


def shell(folder: Path, line: str) -> None:
    """As the agent's own shell; there is no test runner here that could pass or fail."""
    runner = "pytest() { :; }; " if not line.startswith(("./", ".venv", "../")) else ""
    subprocess.run(["bash", "-c", runner + line], cwd=folder, check=False, capture_output=True)


def test_there_are_as_many_cases_as_are_promised() -> None:
    assert len({case.name for case in CASES}) == len(CASES) >= 60
    assert {case.name for case in CASES} >= NOT_YET
    assert shutil.which("git")
