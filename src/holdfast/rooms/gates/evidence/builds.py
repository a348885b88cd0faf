"""Readers of builds, lint and type checks. Most of them are silent about what went well."""

from __future__ import annotations

from holdfast.rooms.gates.evidence.closing_lines import FAILED, NOTHING, PASSED, heaviest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.gates.evidence.closing_lines import Outcome

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
