from __future__ import annotations

import pytest

from holdfast.rooms.work.check_runs import checks_in

ROOT = "/home/dev/app"


def kinds(command: str) -> list[str]:
    return [check.kind for check in checks_in(command, ROOT)]


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python -m pytest -q", ["tests"]),
        ("npm run test:ci", ["tests"]),
        ("cd web && bun test", ["tests"]),
        (f"cd {ROOT}/web && npm run build 2>&1 | tail -5", ["build"]),
        ("make", ["build"]),
        ("make lint", ["lint"]),
        ("go build ./...", ["build"]),
        ("cargo clippy", ["lint"]),
        ("npx tsc --noEmit", ["types"]),
        ("uvx ruff check", ["lint"]),
        ("mise run lint", ["lint"]),
        ("mise run fmt && mise run lint && mise run test", ["lint", "tests"]),
        ("./gradlew lintDebug", ["lint"]),
        ("pnpm docs:build", ["build"]),
        ("west build -b rev_c", ["build"]),
        ("terraform validate", ["types"]),
        ("./scripts/run-tests.sh", ["tests"]),
        ("python3 check_fetch.py", ["tests"]),
        ("CI=1 timeout 60 sh -c 'npx jest'", ["tests"]),
        ("black --check .", ["lint"]),
        ("cargo fmt --check", ["lint"]),
    ],
)
def test_tests_builds_linters_and_types_are_checks(command, expected):
    assert kinds(command) == expected


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    "command",
    [
        "rg test src",
        "grep -n 'a\\|lint b' x | head",
        "wc -l session/state_test.go",
        "ls tests",
        "git commit -m test",
        "git stash && git log --grep test",
        "npm ci",
        "go run ./cmd",
        "curl localhost/test",
        "test -f x",
        "echo 'make test'",
        "black .",
        "ruff format",
        "mise run fmt",
        "golangci-lint --version",
        "pytest --collect-only",
        "go test -c ./pkg",
        "./scripts/test-harness.sh start-session",
        "chmod +x scripts/test.sh",
        "cd /tmp/scratch && go test ./...",
        "cd ../other && make test",
        "go build /tmp/scratch/main.go",
        "python3 /tmp/test_idea.py",
    ],
)
def test_searches_rehearsals_and_what_lies_elsewhere_are_none(command):
    assert kinds(command) == []


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    ("command", "probe"),
    [
        ("golangci-lint run --no-config -E unused ./pkg/...", True),
        ("ruff check --select E501 src", True),
        ("mypy src/cart.py", True),
        ("mypy src", False),
        ("golangci-lint run ./...", False),
        ("pytest tests/test_cart.py", False),
    ],
)
def test_single_files_and_other_rules_than_the_projects_are_a_probe(command, probe):
    (check,) = checks_in(command, ROOT)

    assert check.is_probe is probe


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    ("command", "hides"),
    [
        ("make test", False),
        ("cd a && make test", False),
        ("make test | tail", True),
        ("make test; echo done", True),
        ("make test || true", True),
        ("make test && echo done", False),
    ],
)
def test_what_follows_a_check_may_hide_its_exit_code(command, hides):
    (check,) = checks_in(command, ROOT)

    assert check.hides_exit is hides
