"""Which reader understands which tool: the one place where they are listed."""

from __future__ import annotations

from holdfast.rooms.gates.evidence.builds import (
    build,
    cargo_build,
    dotnet_build,
    eslint,
    go_build,
    gradle_build,
    maven_build,
    mypy,
    ruff,
    ruff_format,
    tsc,
)
from holdfast.rooms.gates.evidence.closing_lines import FAILED, NOTHING, heaviest
from holdfast.rooms.gates.evidence.test_runs import (
    cargo_test,
    ctest,
    dotnet_test,
    go_test,
    gradle_tests,
    jest,
    maven_tests,
    mocha,
    phpunit,
    pytest,
    rspec,
    unittest,
    vitest,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from holdfast.rooms.gates.evidence.closing_lines import Outcome

    Reader = Callable[[list[str]], Outcome]


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
