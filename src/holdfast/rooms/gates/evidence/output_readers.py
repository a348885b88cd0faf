"""Readers of what tools print, and which of them understands which tool.

A pass of tests needs at least one that ran and was not skipped. Builds, linters and type checks are
mostly silent about what went well.
"""

from __future__ import annotations

from holdfast.rooms.gates.evidence.closing_lines import (
    FAILED,
    NOTHING,
    PASSED,
    SILENT,
    counted,
    heaviest,
    judged,
    number_in,
    paired,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.rooms.gates.evidence.closing_lines import Outcome

    Reader = Callable[[list[str]], Outcome]


def _by_line(state_of: Callable[[str], str]) -> Reader:
    """A reader by what single lines say of a run: a state, SILENT where a line says nothing."""

    def read(lines: list[str]) -> Outcome:
        return heaviest((state, line) for line in lines if (state := state_of(line)))

    return read


def pytest(lines: list[str]) -> Outcome:
    outcome = _pytest([line.strip(" =") for line in lines])
    return outcome if outcome[0] else _dots(lines)


def _dots(lines: list[str]) -> Outcome:
    """Under -qq no line closes: dots up to 100 %, and nothing after them unless it failed."""
    rows = []
    last = ""
    for line in filter(None, map(str.strip, lines)):
        last = line
        dots, _, share = line.rpartition("[")
        if share.endswith("%]") and dots.strip() and set(dots.strip()) <= set(".sxXFE"):
            rows.append(line)
    if any("F" in row or "E" in row for row in rows):
        return FAILED, rows[-1]
    if rows and rows[-1] == last and last.endswith("[100%]"):
        return (PASSED if any("." in row for row in rows) else NOTHING), last
    return SILENT, ""


@_by_line
def _pytest(line: str) -> str:
    if line.startswith(("FAIL Required test coverage", "ERROR: Coverage failure")):
        return FAILED
    if line.startswith("collected 0 items") and "error" not in line:
        return NOTHING
    head, _, duration = line.partition(" in ")
    if not duration[:1].isdigit():
        return SILENT
    if head == "no tests ran":
        return NOTHING
    counts = counted(head)
    words = {word.split(" ")[-1] for word in counts}
    if not words or not words <= PYTEST_WORDS:
        return SILENT
    failed = sum(counts.get(word, 0) for word in ("failed", "error", "errors", "subtests failed"))
    return judged(counts.get("passed", 0) + counts.get("xpassed", 0), failed)


PYTEST_WORDS = frozenset(
    "passed failed error errors skipped xfailed xpassed deselected warning warnings rerun".split()
)


def unittest(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    ran, ran_line = -1, ""
    for line in lines:
        if line.startswith("Ran ") and " in " in line:
            ran, ran_line = number_in(line.split(" ")[1]), line
        elif line.startswith("FAILED ("):
            outcomes.append((FAILED, line))
        elif line.startswith("NO TESTS RAN"):
            outcomes.append((NOTHING, line))
        elif ran >= 0 and (line == "OK" or line.startswith("OK (")):
            skipped = number_in(line.partition("skipped=")[2].split(",")[0].rstrip(")"))
            outcomes.append((judged(ran - max(skipped, 0), 0), f"{ran_line}, {line}"))
            ran = -1
    return heaviest(outcomes)


def go_test(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    cases = [line.strip()[4:8] for line in lines if line.lstrip().startswith("--- ")]
    all_skipped = "SKIP" in cases and "PASS" not in cases
    for line in lines:
        if (line == "FAIL" and not outcomes) or line.startswith(
            ("FAIL\t", "FAIL ", "--- FAIL", "panic: ")
        ):
            outcomes.append((FAILED, line))
        elif line.startswith(("ok  \t", "ok \t", "ok\t")):
            nothing = all_skipped or "[no tests to run]" in line
            outcomes.append((NOTHING if nothing else PASSED, line))
        elif line.startswith("?") and "[no test files]" in line:
            outcomes.append((NOTHING, line))
    return heaviest(outcomes)


@_by_line
def cargo_test(line: str) -> str:
    if line.startswith("test result: "):
        verdict, _, rest = line[13:].partition(". ")
        counts = counted(rest.split("; finished")[0], ";")
        return judged(counts.get("passed", 0), counts.get("failed", 0) + (verdict != "ok"))
    return FAILED if line.startswith(UNCOMPILED) else SILENT


@_by_line
def jest(line: str) -> str:
    if line.startswith("No tests found"):
        return NOTHING
    name, colon, rest = line.strip().partition(":")
    if not colon or name not in ("Tests", "Test Suites"):
        return SILENT
    counts = counted(rest.replace(" of ", " "))
    if not counts or "Assertions" in rest:
        return SILENT
    if name == "Tests" or counts.get("failed"):
        return judged(counts.get("passed", 0), counts.get("failed", 0))
    return SILENT


def vitest(lines: list[str]) -> Outcome:
    return _vitest(list(map(str.strip, lines)))


@_by_line
def _vitest(line: str) -> str:
    if line.startswith("No test files found"):
        return NOTHING
    for name in ("Test Files ", "Tests ", "Errors "):
        if line.startswith(name):
            counts = counted(line[len(name) :].partition("(")[0].strip(), "|")
            failed = counts.get("failed", 0) + (name == "Errors " and bool(counts))
            if counts and (name == "Tests " or failed):
                return judged(counts.get("passed", 0), failed)
    return NOTHING if line.split() == ["Tests", "no", "tests"] else SILENT


@_by_line
def mocha(line: str) -> str:
    words = line.split()
    number = number_in(words[0]) if words else -1
    if number >= 0 and words[1:2] == ["passing"] and len(words) == 3:
        return judged(number, 0)
    return FAILED if number > 0 and words[1:] == ["failing"] else SILENT


@_by_line
def maven_tests(line: str) -> str:
    if "Tests run: " in line:
        counts = paired(line[line.index("Tests run: ") :].split(", Time", maxsplit=1)[0])
        failed = counts.get("failures", 0) + counts.get("errors", 0)
        return judged(counts.get("tests run", 0) - failed - counts.get("skipped", 0), failed)
    if line.rstrip().endswith(("BUILD FAILURE", "COMPILATION ERROR :")):
        return FAILED
    is_idle = line.rstrip().endswith(("No tests to run.", "Tests are skipped."))
    return NOTHING if is_idle else SILENT


def gradle_tests(lines: list[str]) -> Outcome:
    state, line = gradle_build(lines)
    idle = [task for task in map(_idle_test_task, lines) if task]
    ran = any(line.removeprefix("> Task ").lower().endswith(":test") for line in lines)
    if state == PASSED and idle and not ran:
        return NOTHING, idle[-1]
    return state, line


def _idle_test_task(line: str) -> str:
    task, _, state = line.removeprefix("> Task ").rpartition(" ")
    is_test = task.startswith(":") and task.lower().endswith("test")
    return line if is_test and state in ("NO-SOURCE", "SKIPPED") else ""


def dotnet_test(lines: list[str]) -> Outcome:
    return _dotnet_test(list(map(str.strip, lines)))


@_by_line
def _dotnet_test(line: str) -> str:
    if line.startswith(("Passed!", "Failed!", "Skipped!")):
        counts = paired(line.partition(" - ")[2])
        failed = counts.get("failed", 0) + line.startswith("Failed!")
        return judged(counts.get("passed", 0), failed)
    if line.lower().startswith("test summary: "):
        counts = paired(line[14:])
        return judged(counts.get("succeeded", 0), counts.get("failed", 0))
    if line.startswith(("No test is available in", "No test matches the given")):
        return NOTHING
    is_broken = line.startswith(("Test Run Failed", "Build FAILED")) or is_error(line)
    return FAILED if is_broken else SILENT


@_by_line
def rspec(line: str) -> str:
    counts = counted(line.replace(" occurred outside of examples", ""))
    ran = counts.get("examples", counts.get("example", -1))
    if ran < 0 or not {"failure", "failures"} & set(counts):
        return SILENT
    failed = sum(counts.get(word, 0) for word in ("failure", "failures", "error", "errors"))
    return judged(ran - failed - counts.get("pending", 0), failed)


@_by_line
def phpunit(line: str) -> str:
    if line.startswith("OK (") and "test" in line:
        return PASSED
    if line in ("FAILURES!", "ERRORS!"):
        return FAILED
    if line.startswith("Tests: ") and "Assertions: " in line:
        counts = paired(line)
        failed = counts.get("failures", 0) + counts.get("errors", 0)
        idle = counts.get("skipped", 0) + counts.get("incomplete", 0)
        return judged(counts.get("tests", 0) - failed - idle, failed)
    return NOTHING if line.startswith("No tests executed!") else SILENT


def ctest(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    idle = sum(line.endswith(("(Skipped)", "(Disabled)")) for line in lines)
    for line in lines:
        share, _, rest = line.partition("% tests passed, ")
        words = rest.split()
        if number_in(share) >= 0 and words[1:5] == ["tests", "failed", "out", "of"]:
            failed = number_in(words[0])
            outcomes.append((judged(number_in(words[-1]) - failed - idle, failed), line))
        elif line.startswith("No tests were found"):
            outcomes.append((NOTHING, line))
    return heaviest(outcomes)


UNCOMPILED = (
    "error[E",
    "error: could not compile",
    "error: test failed",
    "error: linking",
)  # cargo's


def _by_words(*, failed: tuple[str, ...], passed: tuple[str, ...]) -> Reader:
    """A reader by how lines begin that say it."""

    def state_of(line: str) -> str:
        text = line.strip()
        return FAILED if text.startswith(failed) else PASSED if text.startswith(passed) else SILENT

    return _by_line(state_of)


gradle_build = _by_words(failed=("BUILD FAILED",), passed=("BUILD SUCCESSFUL",))
cargo_build = _by_words(failed=UNCOMPILED, passed=("Finished ",))
_dotnet_build = _by_words(failed=("Build FAILED", "Build failed"), passed=("Build succeeded",))


@_by_line
def maven_build(line: str) -> str:
    if not line.rstrip().endswith(("BUILD FAILURE", "BUILD SUCCESS")):
        return SILENT
    return FAILED if "BUILD FAILURE" in line else PASSED


def dotnet_build(lines: list[str]) -> Outcome:
    errors = ((FAILED, line) for line in lines if is_error(line))
    return heaviest([_dotnet_build(lines), *errors])


def is_error(line: str) -> bool:
    return ": error CS" in line or ": error MSB" in line


@_by_line
def go_build(line: str) -> str:
    """Go is silent about what went well."""
    return FAILED if line.partition(".go:")[2].split(":")[0].isdigit() else SILENT


@_by_line
def tsc(line: str) -> str:
    if "error TS" in line:
        return NOTHING if "error TS18003" in line else FAILED  # no inputs
    if line.startswith("Found ") and " error" in line:
        return PASSED if line.startswith("Found 0 ") else FAILED
    return SILENT


@_by_line
def eslint(line: str) -> str:
    if line.startswith("✖ ") and " problem" in line:
        return PASSED if "(0 errors" in line else FAILED
    is_broken = line.startswith(("Oops! Something went wrong", "ESLint couldn't find"))
    return FAILED if is_broken else SILENT


def ruff(lines: list[str]) -> Outcome:
    idle = [line for line in lines if "No Python files found" in line]
    state, line = _ruff(lines)
    return (NOTHING, idle[-1]) if idle and state != FAILED else (state, line)


@_by_line
def _ruff(line: str) -> str:
    if line.startswith("All checks passed!"):
        return PASSED
    if line.startswith("Found ") and " error" in line:
        return PASSED if ", 0 remaining)" in line else FAILED
    return FAILED if line.startswith("error: Failed to ") else SILENT


@_by_line
def ruff_format(line: str) -> str:
    if "would be reformatted" in line and line[:1].isdigit():
        return FAILED
    if line.endswith((" file already formatted", " files already formatted")):
        return PASSED
    return NOTHING if "No Python files found" in line else SILENT


@_by_line
def mypy(line: str) -> str:
    if line.startswith("Success: no issues found"):
        return PASSED
    if line.startswith("Found ") and " error" in line and " file" in line:
        return FAILED
    return NOTHING if line.startswith("There are no .py") else SILENT


BROKEN = (
    *("npm ERR!", "npm error", "ELIFECYCLE", "error Command failed", "ninja: build stopped"),
    *("CMake Error", "ERROR: failed to ", "Build failed", "Failed to compile", "BUILD FAIL"),
    *("error during build", "error: could not compile", "ERROR in "),
)
BUILT = (
    *("[100%] Built target", "✓ built in", "✓ Compiled successfully", "Compiled successfully"),
    *("Successfully built ", "Successfully tagged ", "Build succeeded", "BUILD SUCCESS"),
)


_own_build = _by_words(failed=BROKEN, passed=BUILT)


@_by_line
def _make_or_docker(line: str) -> str:
    if "make" in line and ": *** [" in line and "Error" in line:
        return FAILED
    if line.startswith("make") and (": Nothing to be done" in line or "up to date." in line):
        return NOTHING
    is_named = line.rstrip(" s.0123456789").endswith(("done", ":latest"))
    return PASSED if " naming to " in line and is_named else SILENT


def build(lines: list[str]) -> Outcome:
    """A project's own build, and those that only talk when something is wrong."""
    return heaviest([_make_or_docker(lines), _own_build(lines), tsc(lines)])


def chore(kind: str) -> Reader:
    """A project's own target (`make test`, `npm run lint`): whatever tool speaks in it."""

    def read(lines: list[str]) -> Outcome:
        outcomes = [reader(lines) for reader in SPEAKERS[kind]]
        state, line = build(lines)
        if state in (FAILED, NOTHING):  # `make: *** [test] Error 1`; `make: 'test' is up to date.`
            outcomes.append((state, line))
        return heaviest(outcomes)

    return read


SPEAKERS: dict[str, tuple[Reader, ...]] = {
    "tests": (
        *(pytest, unittest, go_test, cargo_test, jest, vitest, mocha, maven_tests),
        *(dotnet_test, rspec, phpunit, ctest),
    ),
    "build": (build, cargo_build, maven_build, gradle_build, dotnet_build),
    "lint": (ruff, ruff_format, eslint),
    "types": (mypy, tsc),
}
READERS: dict[str, Reader] = {
    "pytest": pytest, "unittest": unittest, "go test": go_test, "cargo test": cargo_test,
    "jest": jest, "vitest": vitest, "mocha": mocha, "maven": maven_tests, "gradle": gradle_tests,
    "dotnet test": dotnet_test, "rspec": rspec, "phpunit": phpunit, "ctest": ctest, "tsc": tsc,
    "eslint": eslint, "ruff": ruff, "ruff format": ruff_format, "mypy": mypy,
    **dict.fromkeys(("go build", "go install", "go vet"), go_build),
    **dict.fromkeys(("cargo build", "cargo check", "cargo clippy"), cargo_build),
    **dict.fromkeys(("dotnet build", "dotnet publish"), dotnet_build),
    **dict.fromkeys(("cmake", "docker", "make"), build),
}  # fmt: skip
BUILD_READERS: dict[str, Reader] = {"maven": maven_build, "gradle": gradle_build}


def read(kind: str, tool: str, lines: list[str]) -> Outcome:
    """What these lines say about a run of this tool."""
    reader = BUILD_READERS.get(tool) if kind == "build" else None
    return (reader or READERS.get(tool) or chore(kind))(lines)
