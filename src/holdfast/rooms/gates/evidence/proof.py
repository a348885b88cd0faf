"""Evidence: a tool ran, and what it said can be believed.

Which tools a command line runs is read by the reader that triggers use: what arms a requirement can
also satisfy it. The exit code first, then the text. Laws:
  - a command that failed is never a pass;
  - where the exit code is hidden (`| tail`, `|| true`, `; echo done`) only the text counts;
  - a zero exit with a text that says otherwise is not a pass;
  - a run that ran nothing (no tests, all skipped, up to date) is no evidence, either way;
  - evidence holds until a file that it covers is another one (`tree.py`).
"""

from __future__ import annotations

from holdfast.rooms.gates.evidence.closing_lines import FAILED, NOTHING, PASSED, lines_of
from holdfast.rooms.gates.protection.own_files import FILES
from holdfast.shell.check_tools import checks, names_check
from holdfast.system.environment import bring
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.shell.check_tools import Check
    from holdfast.shell.simple_commands import SimpleCommand

KINDS = ("tests", "build", "lint", "types", "review")
RUN = "run:"  # before a command that a requirement names, a kind of its own
TOLD_CAP = 200
EXIT_ZERO = "exit code 0"

# These test runners end with zero after a run without tests: their exit alone proves nothing.
# pytest ends with 5 then, and a project's own target answers for itself.
NEED_WORDS = frozenset(
    "unittest jest vitest mocha maven gradle rspec phpunit ctest".split()
) | {"go test", "cargo test", "dotnet test"}  # fmt: skip

PROSE = (".md", ".mdx", ".rst", ".adoc")
PROSE_IN_DOCS = (*PROSE, ".txt", ".html", ".css", ".svg", ".png", ".jpg", ".gif", ".pdf")
OUR_FOLDERS = frozenset({".git", ".holdfast"})
REVIEW_WORDS = frozenset({"review", "reviews", "reviewer", "reviewing"})


class Evidence(Value):
    """What one tool proved: its kind, how it went, and the closing line that says so."""

    kind: str
    passed: bool
    tool: str
    closing_line: str


def recognise(
    command: str,
    ok: bool,
    output: str,
    *,
    folder: str = "",
    root: str = "",
    may_format: bool = False,
) -> list[Evidence]:
    """Every evidence a command gave, once for each kind and tool, in the command's order.

    `ok` is whether the tool call succeeded; `output` is what was printed, errors included; `folder`
    is where it ran, of a project at `root`.
    """
    runs = runs_of(command, folder, root, may_format=may_format)
    if not runs:
        return []
    # Most commands run no tool: the readers are loaded for those that do.
    from holdfast.rooms.gates.evidence import output_readers

    lines = lines_of(output)
    heard = {(run.kind, run.tool): ("", "") for run in runs}
    for kind, tool in heard:
        heard[kind, tool] = output_readers.read(kind, tool, lines)
    outcomes = [heard[run.kind, run.tool] for run in runs]
    somebody_failed = any(state == FAILED for state, _ in outcomes)
    seen: dict[tuple[str, str], Evidence] = {}
    for run, (state, line) in zip(runs, outcomes, strict=True):
        closing_line = " ".join(line.split())[:TOLD_CAP]
        if state == PASSED and not run.exit_known and closing_line in command:
            continue  # `pytest || echo "3 passed in 0.1s"`: the command says it, not the tool
        passed = _passed(run, state, ok, somebody_failed)
        if passed is None:
            continue
        tool = run.tool.rstrip("?")
        earlier = seen.get((run.kind, tool))
        if earlier is None or earlier.passed:
            closing_line = closing_line or _exit_in_words(ok)
            seen[run.kind, tool] = Evidence(run.kind, passed, tool, closing_line)
    return list(seen.values())


def _passed(run: Run, state: str, ok: bool, somebody_failed: bool) -> bool | None:
    """How the run went; None when nobody can tell."""
    if state == FAILED:
        return False
    if state == NOTHING:
        return None
    if not ok:
        # Whose failure it is, is known when the last one's exit code is the line's and no other
        # tool says that it failed: then that one never ran.
        return False if run.is_last and run.exit_known and not somebody_failed else None
    if state == PASSED:
        return True
    needs_words = run.tool.endswith("?") or (run.kind == "tests" and run.tool in NEED_WORDS)
    return True if run.exit_known and not needs_words else None


def _exit_in_words(ok: bool) -> str:
    return EXIT_ZERO if ok else "a failing exit code"


def reviewed(skill: str) -> Evidence | None:
    """The evidence that a skill gives whose name says review: `code-review`, not `preview`."""
    name = skill.lower()
    for sign in ":/_.":
        name = name.replace(sign, "-")
    if not REVIEW_WORDS & set(name.split("-")):
        return None
    return Evidence("review", True, skill[:TOLD_CAP], f"the skill {skill} ran"[:TOLD_CAP])


def is_valid(
    evidence_at: str, edits: Iterable[tuple[str, str]], covers: Callable[[str], bool]
) -> bool:
    """Whether no covered file was edited at or after the evidence. Times are our ISO text."""
    return not any(at >= evidence_at for path, at in edits if covers(path))


def covers(kind: str) -> Callable[[str], bool]:
    """Which files an edit of makes evidence of this kind stale.

    Tests, build, lint and types cover every file but prose and our own state; a review covers
    prose too. Below `docs/` code counts as code: `docs/` may be any folder's name on the way.
    """
    return is_kept_file if kind == "review" else is_source


def is_source(path: str) -> bool:
    folders = path.replace("\\", "/").lower().split("/")
    if folders[-1].startswith(".git") or path.endswith(FILES):
        return False
    prose = PROSE_IN_DOCS if "docs" in folders[:-1] else PROSE
    return is_kept_file(path) and not folders[-1].endswith(prose)


def is_kept_file(path: str) -> bool:
    """Whether a file is part of the work: neither git's nor our own state."""
    return not OUR_FOLDERS & set(path.replace("\\", "/").split("/")[:-1])


def named_runs(command: str, ok: bool, names: Iterable[str]) -> list[Evidence]:
    """Of commands that are asked for by their words those that a line runs, where its exit code
    tells how they went."""
    wanted = [name for name in names if name in " ".join(command.split())]
    if not wanted or len(command) > COMMAND_CAP:
        return []
    bring("shell")
    from holdfast.shell import simple_commands

    runs = {
        f"{' '.join(word.text for word in simple.words)} ": simple.decides
        for simple in simple_commands.parsed(command) or []
    }
    return [
        Evidence(RUN + name, ok, name[:TOLD_CAP], _exit_in_words(ok))
        for name in wanted
        if any(decides and words.startswith(f"{name} ") for words, decides in runs.items())
    ]


def only_formats(command: str) -> bool:
    """Whether formatters are all that a command line runs."""
    if len(command) > COMMAND_CAP:
        return False
    from holdfast.rooms.gates.evidence.own_tool import FORMATTERS, formats

    if not any(formatter in command for formatter in FORMATTERS):
        return False
    bring("shell")
    from holdfast.shell import simple_commands
    from holdfast.shell.program import name

    parsed = simple_commands.parsed(command) or []
    outer = [simple.run_by for simple in parsed]  # `npx prettier` is one run, of prettier
    inner = [simple for simple in parsed if simple not in outer]
    return bool(inner) and all(
        formats(name(simple.words[0]), [word.text for word in simple.words[1:]]) for simple in inner
    )


COMMAND_CAP = 50_000  # characters: nobody wrote a longer line to prove something


class Run(Value):
    """One tool that a command line runs; `exit_known` when the line's exit code is its own."""

    kind: str
    tool: str
    exit_known: bool
    is_last: bool


def runs_of(
    command: str, folder: str = "", root: str = "", *, may_format: bool = False
) -> list[Run]:
    """The project's own tools that a command line runs, in its order, after which it changes no
    file that they may have seen."""
    if len(command) > COMMAND_CAP or not names_check(command):
        return []
    # Most commands run no tool: the reader is loaded for those that may.
    bring("shell")
    from holdfast.rooms.gates.evidence.own_tool import Line, edits, formats
    from holdfast.shell import simple_commands
    from holdfast.shell.program import name

    line = Line(command, folder, root)
    tools: dict[SimpleCommand, list[Check]] = {}
    for simple in simple_commands.parsed(command) or []:
        program, words = name(simple.words[0]), [word.text for word in simple.words]
        is_elsewhere = line.is_elsewhere(simple)
        if not is_elsewhere:
            line.move(words)
        done = checks(program, words[1:])
        if edits(program, words[1:]) or (not may_format and formats(program, words[1:])):
            tools.clear()
        if not done or not (is_elsewhere or line.owns(words[0])):
            continue
        tools[simple] = done
        outer = simple.run_by
        while outer is not None:  # `yarn run eslint` is one run, of eslint
            tools.pop(outer, None)
            outer = outer.run_by
    return [
        Run(kind, tool, simple.decides, simple.is_last)
        for simple, done in tools.items()
        for kind, tool in done
    ]
