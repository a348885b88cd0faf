"""Readers of test runs. A pass needs at least one test that ran and was not skipped."""

from __future__ import annotations

from holdfast.rooms.gates.evidence.builds import UNCOMPILED, gradle_build, is_error
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
