"""What the output of a check says of its failure: whether it ran, and the lines that matter.

Laws: one pass over the lines, however long the text; a line is told as it was printed, cut; what
says that nothing ran (a flag that is not known, a program that is not there) is no failure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = 2
LINE_CAP = 160
SCANNED = 60_000  # characters at the beginning, and as many at the end

# The line names a test that failed; or an error.
TEST_FAILED = (
    "--- fail", "fail:", "failed ", "fail ", "fail\t", "not ok ", "● ", "✗ ", "✕ ", "× ", "✖ ",
    "test failed",
)  # fmt: skip
ERRORS = (
    "error ", "error:", "error[", "fatal:", "panic:", "e   ", "npm err!", "[error]", "assertion",
    "traceback",
)  # fmt: skip
WITHIN = (": error", "error ts", "error:", "exception:", " failed", "undefined:", ": fail")
TRACEBACK = "Traceback (most recent call last):"
NEAR = 3  # lines from the name of a test to what is wrong with it
# Printed around it.
AROUND = (
    "exit code", "=== run", "=== pause", "=== cont", "--- pass", "--- skip", "ok  ", "ok\t", "?   ",
    "pass", "$ ", "> ", "make: entering", "make: leaving", "warning:", "info ", "debug ",
    "traceback:",
)  # fmt: skip
# Said when the check did not run at all.
NOT_RUN = (
    "command not found", "not recognized as", "no such file or directory", "directory not found",
    "setup failed", "unknown flag", "unknown option", "unknown command", "unknown shorthand",
    "unrecognized argument", "unrecognized option", "unexpected argument", "no such option",
    "flag provided but not defined", "invalid option", "missing script", "no rule to make target",
    "no such task", "no task", "task not found", "tool_use_error", "permission denied",
    "timed out", "interrupted by user", "doesn't want to proceed", "no go files", "no such target",
    "cannot find main module", "is not in std", "no tests ran", "usage:", "executable file not",
    "cannot find package", "module not found: ", "no matching packages", "no test files found",
    "file or directory not found", "does not exist", "requested permissions", "was blocked",
    "connection refused", "out of memory", "signal: killed", "no space left",
    "does not contain main module", "matched no packages", "no packages to test",
)  # fmt: skip
# The shell's own errors, and the client's.
OF_THE_SHELL = ("(eval):", "bash:", "zsh:", "sh:", "/bin/", "/usr/bin/")
OF_THE_CLIENT = (
    "doesn't want to proceed", "tool_use_error", "interrupted by user", "temporarily unavailable",
    "permission to use",
)  # fmt: skip
CODES_NOT_RUN = tuple(f"exit code {code}" for code in (126, 127, 130, 137, 143))
OPENING = 300  # characters
# A run whose exit code is hidden has failed when its output says so in one of these ways.
FAILED_OPENINGS = ("--- fail", "fail\t", "failed ", "build failed", "make: ***", "npm err!")
FAILED_WITHIN = ("error task failed", "test result: failed", "could not compile", "errors found")
BEFORE_COUNTS = frozenset(
    "found tests tests: suites: test result: completed total passed skipped failed. warnings ✖"
    " examples specs and".split()
)
COUNTED = ("failed", "failures", "failure", "errors", "error", "issues:", "problems")


def telling_lines(output: str) -> list[str]:
    """The first test that failed and what is wrong with it, or the first errors; without either the
    last lines that are no mere surroundings."""
    lines = [line for line in _lines(output) if not _is_around(line.lower())]
    tests = [at for at, line in enumerate(lines) if _names_test(line.lower())]
    errors = [at for at, line in enumerate(lines) if _names_error(line.lower())]
    if tests:
        first = tests[0]
        near = [at for at in errors if first < at <= first + NEAR]
        near = near or [at for at in errors if first - NEAR <= at < first][-1:] or tests[1:]
        chosen = [first, *near]
    else:
        counted = [at for at, line in enumerate(lines) if _counts_failures(line.lower())]
        raised = [at for at in errors if _is_raised(lines[at].lower())]
        chosen = [*raised[:1], *errors] or counted or list(range(len(lines)))[-LINES:]
    return list(dict.fromkeys(lines[at][:LINE_CAP].rstrip() for at in chosen))[:LINES]


def did_not_run(output: str) -> bool:
    """Whether the output says that there was no run to speak of."""
    opening = output[:OPENING].lower()
    if opening.startswith(CODES_NOT_RUN) or any(phrase in opening for phrase in OF_THE_CLIENT):
        return True
    lines = [line.lower() for line in telling_lines(output)]
    has_traceback = TRACEBACK in output
    if not lines and opening.strip():
        return not opening.startswith("exit code")
    return any(
        line.startswith(OF_THE_SHELL) or any(phrase in line for phrase in NOT_RUN)
        for line in lines
        if not (_names_place(line) or line.startswith("--- fail"))
        and not (has_traceback and _names_exception(line))
    )


def says_failed(output: str) -> bool:
    """Whether the output itself says that the run failed."""
    for line in _lines(output):
        low = line.lower()
        if low.startswith(FAILED_OPENINGS) or any(phrase in low for phrase in FAILED_WITHIN):
            return True
        if _counts_failures(low):
            return True
    return False


def _lines(output: str) -> Iterator[str]:
    if len(output) > 2 * SCANNED:
        output = f"{output[:SCANNED]}\n{output[-SCANNED:]}"
    inside = -1  # how far the traceback is indented whose frames are passed over
    for raw in output.splitlines():
        line = _without_colours(raw.strip())
        indent = len(raw) - len(raw.lstrip())
        if line.startswith(TRACEBACK):
            inside = indent
        elif line and not 0 <= inside < indent:
            inside = -1
            yield line
    if inside >= 0:
        yield TRACEBACK  # cut off before it came to what was raised


def _without_colours(line: str) -> str:
    if "\x1b[" not in line:
        return line
    first, *rest = line.split("\x1b[")
    return first + "".join(part.partition("m")[2] for part in rest)


def _is_around(low: str) -> bool:
    if low.startswith(AROUND) or low.endswith("%]") or not any(map(str.isalnum, low)):
        return True
    return _is_frame(low)


def _is_frame(low: str) -> bool:
    """`_pytest/python.py:528: in importtestmodule`: by which way it came to the error."""
    place, is_in, name = low.rpartition(": in ")
    return bool(is_in) and place.rpartition(":")[2].isdecimal() and " " not in name


def _is_raised(low: str) -> bool:
    """`E   KeyError: 3`, among lines of source that are marked as it is."""
    return low.startswith("e ") and _names_exception(low[2:].strip())


def _names_test(low: str) -> bool:
    return low.startswith(TEST_FAILED) and len(low.split()) > 1


def _names_error(low: str) -> bool:
    if low.startswith(ERRORS) or any(phrase in low for phrase in WITHIN):
        return "0 failed" not in low and "error task failed" not in low
    return _names_place(low)


def _names_place(low: str) -> bool:
    """`cart.go:12:3: undefined`, `src/cart.ts(3,7): error`: a file, a line and what is wrong."""
    head, colon, rest = low.partition(":")
    if not colon or "." not in head or " " in head.strip():
        return "(" in low and "): " in low and "." in low.partition("(")[0]
    number = rest.partition(":")[0]
    return number.strip().isdecimal() and bool(rest.partition(":")[2].strip())


def _names_exception(low: str) -> bool:
    """`FileNotFoundError: ...`: raised by what ran."""
    name = low.partition(":")[0]
    return name.endswith(("error", "exception")) and name.replace(".", "_").isidentifier()


def _counts_failures(low: str) -> bool:
    """`2 failed, 3 passed`, `5 issues:`, `Tests: 1 failed`."""
    for sign in ",=(;|":
        low = low.replace(sign, " ")
    words = low.split()
    return any(
        word.isdecimal()
        and int(word[:6]) > 0
        and words[at + 1] in COUNTED
        and (at == 0 or words[at - 1] in BEFORE_COUNTS)
        for at, word in enumerate(words[:-1])
    )
