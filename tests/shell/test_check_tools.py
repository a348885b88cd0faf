"""Which commands check the work, and which only look as if they did."""

from __future__ import annotations

import pytest

from holdfast.shell.check_tools import checks, names_check

RUNS = {
    "go test ./...": "tests: go test",
    "go -C api vet": "lint: go vet",
    "cargo +nightly t": "tests: cargo test",
    "cargo c": "types: cargo check",
    "mvn test": "tests: maven",
    "mvn compile": "build: maven",
    "mvn package": "tests: maven, build: maven",
    "mvn package -DskipTests": "build: maven",
    "mvn package -DskipTests=false": "tests: maven, build: maven",
    "gradle :app:unitTest": "tests: gradle",
    "gradle build -x test": "build: gradle",
    "gradle check jar": "tests: gradle, build: gradle",
    "dotnet publish": "build: dotnet publish",
    "cmake --build out": "build: cmake",
    "cmake --build out --target test": "tests: ctest",
    "cmake --build out -t check": "tests: ctest",
    "docker compose build": "build: docker",
    "docker buildx build .": "build: docker",
    "tsc": "types: tsc, build: tsc",
    "tsc --noEmit": "types: tsc",
    "ruff check": "lint: ruff",
    "ruff format --check": "lint: ruff format",
    "ruff format --diff": "lint: ruff format",
    "manage.py test shop": "tests: unittest",
    "make": "build: make",
    "make -j 4": "build: make",
    "make -C api lint": "lint: make lint",
    "make -s test": "tests: make test",
    "make -k build": "build: make build",
    "make CI=1 unit_test test_all": "tests: make test_all",
    "make check": "tests: make check?, lint: make check?, types: make check?",
    "just type-check": "types: just type-check",
    "just compile:all": "build: just compile:all",
    "npm test": "tests: npm test",
    "npm test build": "tests: npm test",
    "npm t": "tests: npm test",
    "npm tst -- --bail": "tests: npm test",
    "npm run-script types -- --strict": "types: npm types",
    "npm --prefix web run lint": "lint: npm lint",
    "npm run test build": "tests: npm test",
    "npm run --silent build": "build: npm build",
    "npm run -s build": "build: npm build",
    "npm -s run build": "build: npm build",
    "mvn -s settings.xml test": "tests: maven",
    "yarn build": "build: yarn build",
    "yarn build test": "build: yarn build",
    "pnpm ./node_modules/.bin/jest": "tests: jest",
    "bun run-script types": "types: bun types",
    "yarn ruff check": "lint: ruff",
    "pytest -n 4": "tests: pytest",
    "py.test": "tests: pytest",
}
NO_RUNS = [
    *(
        "go mod tidy",
        "go test -c",
        "go",
        "cargo",
        "cargo fmt",
        "mvn clean",
        "gradle",
        "gradle -m test",
    ),
    *("dotnet", "dotnet restore", "cmake -B out", "docker run app", "docker build --check ."),
    *(
        "ruff",
        "ruff format",
        "manage.py migrate",
        "make -n test",
        "make clean",
        "just",
        "npm build",
    ),
    *(
        "npm install",
        "npm",
        "yarn",
        "pytest --collect-only",
        "pytest -V",
        "ctest -N",
        "pnpm jest --version",
        "grep test",
    ),
]


def checked(command: str) -> str:
    name, *words = command.split()
    return ", ".join(f"{kind}: {tool}" for kind, tool in checks(name, words))


@pytest.mark.promise("G6")
@pytest.mark.parametrize("command", RUNS)
def test_a_command_that_checks_the_work_is_known_with_its_kind(command):
    assert checked(command) == RUNS[command]
    assert names_check(command)


@pytest.mark.promise("G6")
@pytest.mark.parametrize("command", NO_RUNS)
def test_a_command_that_only_lists_rehearses_or_does_something_else_is_no_check(command):
    assert checked(command) == ""


@pytest.mark.parametrize("command", ["go mod tidy", "npm install", "docker run app", "ls pytests"])
def test_most_commands_have_no_words_of_a_check_in_them(command):
    assert not names_check(command)


@pytest.mark.parametrize("command", ["C:\\tools\\pytest.exe -q", "$(cargo test)", "a='x';tox"])
def test_the_words_of_a_check_are_seen_whatever_stands_beside_them(command):
    assert names_check(command)
