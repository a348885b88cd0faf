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
    from holdfast.rooms.gates.evidence.closing_lines import Outcome


def pytest(lines: list[str]) -> Outcome:
    outcomes = [outcome for line in lines if (outcome := _pytest(line.strip(" =")))]
    return heaviest(outcomes) if outcomes else _dots(lines)


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


def _pytest(line: str) -> Outcome | None:
    if line.startswith(("FAIL Required test coverage", "ERROR: Coverage failure")):
        return FAILED, line
    if line.startswith("collected 0 items") and "error" not in line:
        return NOTHING, line
    head, _, duration = line.partition(" in ")
    if not duration[:1].isdigit():
        return None
    if head == "no tests ran":
        return NOTHING, line
    counts = counted(head)
    words = {word.split(" ")[-1] for word in counts}
    if not words or not words <= PYTEST_WORDS:
        return None
    failed = sum(counts.get(word, 0) for word in ("failed", "error", "errors", "subtests failed"))
    return judged(counts.get("passed", 0) + counts.get("xpassed", 0), failed), line


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


def cargo_test(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        if line.startswith("test result: "):
            verdict, _, rest = line[13:].partition(". ")
            counts = counted(rest.split("; finished")[0], ";")
            failed = counts.get("failed", 0) + (verdict != "ok")
            outcomes.append((judged(counts.get("passed", 0), failed), line))
        elif line.startswith(UNCOMPILED):
            outcomes.append((FAILED, line))
    return heaviest(outcomes)


def jest(lines: list[str]) -> Outcome:
    return heaviest(outcome for line in lines if (outcome := _jest(line)))


def _jest(line: str) -> Outcome | None:
    if line.startswith("No tests found"):
        return NOTHING, line
    name, colon, rest = line.strip().partition(":")
    if not colon or name not in ("Tests", "Test Suites"):
        return None
    counts = counted(rest.replace(" of ", " "))
    if not counts or "Assertions" in rest:
        return None
    if name == "Tests" or counts.get("failed"):
        return judged(counts.get("passed", 0), counts.get("failed", 0)), line
    return None


def vitest(lines: list[str]) -> Outcome:
    return heaviest(outcome for line in lines if (outcome := _vitest(line.strip())))


def _vitest(line: str) -> Outcome | None:
    if line.startswith("No test files found"):
        return NOTHING, line
    for name in ("Test Files ", "Tests ", "Errors "):
        if line.startswith(name):
            counts = counted(line[len(name) :].partition("(")[0].strip(), "|")
            failed = counts.get("failed", 0) + (name == "Errors " and bool(counts))
            if counts and (name == "Tests " or failed):
                return judged(counts.get("passed", 0), failed), line
            if name == "Tests " and line.split() == ["Tests", "no", "tests"]:
                return NOTHING, line
    return None


def mocha(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        words = line.split()
        number = number_in(words[0]) if words else -1
        if number >= 0 and words[1:2] == ["passing"] and len(words) == 3:
            outcomes.append((judged(number, 0), line))
        elif number > 0 and words[1:] == ["failing"]:
            outcomes.append((FAILED, line))
    return heaviest(outcomes)


def maven_tests(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        if "Tests run: " in line:
            counts = paired(line[line.index("Tests run: ") :].split(", Time")[0])
            failed = counts.get("failures", 0) + counts.get("errors", 0)
            passed = counts.get("tests run", 0) - failed - counts.get("skipped", 0)
            outcomes.append((judged(passed, failed), line))
        elif line.rstrip().endswith(("BUILD FAILURE", "COMPILATION ERROR :")):
            outcomes.append((FAILED, line))
        elif line.rstrip().endswith(("No tests to run.", "Tests are skipped.")):
            outcomes.append((NOTHING, line))
    return heaviest(outcomes)


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
    return heaviest(outcome for line in lines if (outcome := _dotnet_test(line.strip())))


def _dotnet_test(line: str) -> Outcome | None:
    if line.startswith(("Passed!", "Failed!", "Skipped!")):
        counts = paired(line.partition(" - ")[2])
        failed = counts.get("failed", 0) + line.startswith("Failed!")
        return judged(counts.get("passed", 0), failed), line
    if line.lower().startswith("test summary: "):
        counts = paired(line[14:])
        return judged(counts.get("succeeded", 0), counts.get("failed", 0)), line
    if line.startswith(("No test is available in", "No test matches the given")):
        return NOTHING, line
    if line.startswith(("Test Run Failed", "Build FAILED")) or is_error(line):
        return FAILED, line
    return None


def rspec(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        counts = counted(line.replace(" occurred outside of examples", ""))
        ran = counts.get("examples", counts.get("example", -1))
        if ran >= 0 and {"failure", "failures"} & set(counts):
            failed = sum(counts.get(word, 0) for word in ("failure", "failures", "error", "errors"))
            outcomes.append((judged(ran - failed - counts.get("pending", 0), failed), line))
    return heaviest(outcomes)


def phpunit(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        if line.startswith("OK (") and "test" in line:
            outcomes.append((PASSED, line))
        elif line in ("FAILURES!", "ERRORS!"):
            outcomes.append((FAILED, line))
        elif line.startswith("Tests: ") and "Assertions: " in line:
            counts = paired(line)
            failed = counts.get("failures", 0) + counts.get("errors", 0)
            idle = counts.get("skipped", 0) + counts.get("incomplete", 0)
            outcomes.append((judged(counts.get("tests", 0) - failed - idle, failed), line))
        elif line.startswith("No tests executed!"):
            outcomes.append((NOTHING, line))
    return heaviest(outcomes)


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


def gradle_build(lines: list[str]) -> Outcome:
    return _by_words(lines, failed=("BUILD FAILED",), passed=("BUILD SUCCESSFUL",))


def maven_build(lines: list[str]) -> Outcome:
    return heaviest(
        (FAILED if "BUILD FAILURE" in line else PASSED, line)
        for line in lines
        if line.rstrip().endswith(("BUILD FAILURE", "BUILD SUCCESS"))
    )


def dotnet_build(lines: list[str]) -> Outcome:
    outcome = _by_words(lines, failed=("Build FAILED", "Build failed"), passed=("Build succeeded",))
    return heaviest([outcome, *((FAILED, line) for line in lines if is_error(line))])


def is_error(line: str) -> bool:
    return ": error CS" in line or ": error MSB" in line


def cargo_build(lines: list[str]) -> Outcome:
    return _by_words(lines, failed=UNCOMPILED, passed=("Finished ",))


def go_build(lines: list[str]) -> Outcome:
    """Go is silent about what went well."""
    return heaviest(
        (FAILED, line) for line in lines if line.partition(".go:")[2].split(":")[0].isdigit()
    )


def tsc(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        if "error TS18003" in line:
            outcomes.append((NOTHING, line))  # no inputs
        elif "error TS" in line:
            outcomes.append((FAILED, line))
        elif line.startswith("Found ") and " error" in line:
            outcomes.append((PASSED if line.startswith("Found 0 ") else FAILED, line))
    return heaviest(outcomes)


def eslint(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        if line.startswith("✖ ") and " problem" in line:
            outcomes.append((PASSED if "(0 errors" in line else FAILED, line))
        elif line.startswith(("Oops! Something went wrong", "ESLint couldn't find")):
            outcomes.append((FAILED, line))
    return heaviest(outcomes)


def ruff(lines: list[str]) -> Outcome:
    idle = [line for line in lines if "No Python files found" in line]
    outcomes: list[Outcome] = []
    for line in lines:
        if line.startswith("All checks passed!"):
            outcomes.append((PASSED, line))
        elif line.startswith("Found ") and " error" in line:
            outcomes.append((PASSED if ", 0 remaining)" in line else FAILED, line))
        elif line.startswith("error: Failed to "):
            outcomes.append((FAILED, line))
    if idle and FAILED not in dict(outcomes):
        return NOTHING, idle[-1]
    return heaviest(outcomes)


def ruff_format(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        if "would be reformatted" in line and line[:1].isdigit():
            outcomes.append((FAILED, line))
        elif line.endswith((" file already formatted", " files already formatted")):
            outcomes.append((PASSED, line))
        elif "No Python files found" in line:
            outcomes.append((NOTHING, line))
    return heaviest(outcomes)


def mypy(lines: list[str]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        if line.startswith("Success: no issues found"):
            outcomes.append((PASSED, line))
        elif line.startswith("Found ") and " error" in line and " file" in line:
            outcomes.append((FAILED, line))
        elif line.startswith("There are no .py"):
            outcomes.append((NOTHING, line))
    return heaviest(outcomes)


BROKEN = (
    *("npm ERR!", "npm error", "ELIFECYCLE", "error Command failed", "ninja: build stopped"),
    *("CMake Error", "ERROR: failed to ", "Build failed", "Failed to compile", "BUILD FAIL"),
    *("error during build", "error: could not compile", "ERROR in "),
)
BUILT = (
    *("[100%] Built target", "✓ built in", "✓ Compiled successfully", "Compiled successfully"),
    *("Successfully built ", "Successfully tagged ", "Build succeeded", "BUILD SUCCESS"),
)


def build(lines: list[str]) -> Outcome:
    """A project's own build, and those that only talk when something is wrong."""
    wrong = [
        (FAILED, line) for line in lines if "make" in line and ": *** [" in line and "Error" in line
    ]
    idle = [
        (NOTHING, line)
        for line in lines
        if line.startswith("make") and (": Nothing to be done" in line or "up to date." in line)
    ]
    docker = [
        (PASSED, line)
        for line in lines
        if " naming to " in line and line.rstrip(" s.0123456789").endswith(("done", ":latest"))
    ]
    outcome = _by_words(lines, failed=BROKEN, passed=BUILT)
    return heaviest([*wrong, *idle, *docker, outcome, tsc(lines)])


def _by_words(lines: list[str], *, failed: tuple[str, ...], passed: tuple[str, ...]) -> Outcome:
    outcomes: list[Outcome] = []
    for line in lines:
        text = line.strip()
        if text.startswith(failed):
            outcomes.append((FAILED, line))
        elif text.startswith(passed):
            outcomes.append((PASSED, line))
    return heaviest(outcomes)


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
    "pytest": pytest,
    "unittest": unittest,
    "go test": go_test,
    "go build": go_build,
    "go install": go_build,
    "go vet": go_build,
    "cargo test": cargo_test,
    "cargo build": cargo_build,
    "cargo check": cargo_build,
    "cargo clippy": cargo_build,
    "jest": jest,
    "vitest": vitest,
    "mocha": mocha,
    "maven": maven_tests,
    "gradle": gradle_tests,
    "dotnet test": dotnet_test,
    "dotnet build": dotnet_build,
    "dotnet publish": dotnet_build,
    "rspec": rspec,
    "phpunit": phpunit,
    "ctest": ctest,
    "tsc": tsc,
    "eslint": eslint,
    "ruff": ruff,
    "ruff format": ruff_format,
    "mypy": mypy,
    "cmake": build,
    "docker": build,
    "make": build,
}
BUILD_READERS: dict[str, Reader] = {"maven": maven_build, "gradle": gradle_build}


def read(kind: str, tool: str, lines: list[str]) -> Outcome:
    """What these lines say about a run of this tool."""
    reader = BUILD_READERS.get(tool) if kind == "build" else None
    return (reader or READERS.get(tool) or chore(kind))(lines)
