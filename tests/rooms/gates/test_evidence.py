"""Evidence, on what the tools really print: tests/rooms/gates/outputs, one file per run.

A file is named tool[-variant].outcome.txt; `.documented.txt` marks what was written down from a
tool's documentation, because the tool could not be had where the others were recorded.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from holdfast.rooms.gates import triggers
from holdfast.rooms.gates.evidence import output_readers, proof
from holdfast.rooms.gates.evidence.proof import (
    KINDS,
    TOLD_CAP,
    Evidence,
    covers,
    is_valid,
    recognise,
    reviewed,
)

pytestmark = pytest.mark.promise("G6")

OUTPUTS = Path(__file__).parent / "outputs"
RECORDED = sorted(OUTPUTS.glob("*.txt"))

# How a recorded tool was called, and the evidence its command asks for.
CALLED = {
    "pytest": ("pytest", "tests"),
    "unittest": ("python -m unittest", "tests"),
    "go-test": ("go test ./...", "tests"),
    "go-build": ("go build ./...", "build"),
    "cargo-test": ("cargo test --offline", "tests"),
    "cargo-build": ("cargo build", "build"),
    "jest": ("npx jest", "tests"),
    "vitest": ("npx vitest run", "tests"),
    "mocha": ("npx mocha", "tests"),
    "npm-test": ("npm test", "tests"),
    "npm-build": ("npm run build", "build"),
    "mvn-test": ("mvn -B test", "tests"),
    "mvn-package": ("mvn -B package -DskipTests", "build"),
    "gradle-test": ("./gradlew --no-daemon test", "tests"),
    "gradle-build": ("gradle clean build", "build"),
    "dotnet-test": ("dotnet test", "tests"),
    "dotnet-build": ("dotnet build", "build"),
    "docker-build": ("docker build -t app:dev .", "build"),
    "rspec": ("bundle exec rspec", "tests"),
    "phpunit": ("vendor/bin/phpunit tests", "tests"),
    "ctest": ("ctest --test-dir build", "tests"),
    "cmake-build": ("cmake --build build", "build"),
    "make-test": ("make test", "tests"),
    "make-build": ("make build", "build"),
    "tsc": ("npx tsc --noEmit", "types"),
    "eslint": ("npx eslint .", "lint"),
    "ruff": ("ruff check .", "lint"),
    "ruff-format": ("ruff format --check .", "lint"),
    "mypy": ("mypy .", "types"),
}
# Nothing ran, and the tool called that a failure.
NONE_WITH_FAILING_EXIT = {
    *("pytest", "pytest-quiet", "pytest-deselected", "jest", "vitest", "mypy", "tsc"),
    *("unittest-newer", "unittest-newer-skipped"),
}
# These say nothing when all is well: without their exit code nobody can tell.
SILENT = {"go-build.passed", "tsc.passed", "eslint.passed", "make-build.passed", "npm-build.passed"}
# These fail in no words of their own; go says what does not compile, and nothing of tests.
FAILED_SILENTLY = {"npm-build.failed", "go-test-broken.failed"}


def told_by(file: Path) -> tuple[str, str, str, str]:
    """The run's name, its outcome, the command and the kind of evidence."""
    name, outcome = file.name.split(".")[:2]
    tool = max((known for known in CALLED if name.startswith(known)), key=len)
    return name, outcome, *CALLED[tool]


def results(found: list[Evidence]) -> list[tuple[str, bool]]:
    return [(evidence.kind, evidence.passed) for evidence in found]


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.name[:-4])
def test_a_recorded_run_is_recognised_for_what_it_was(file):
    name, outcome, command, kind = told_by(file)
    ok = outcome == "passed" or (outcome == "none" and name not in NONE_WITH_FAILING_EXIT)

    found = recognise(command, ok, file.read_text())

    assert results(found) == ([] if outcome == "none" else [(kind, outcome == "passed")])


@pytest.mark.parametrize("hidden", ["{} 2>&1 | tail -200", "{} || true", "{}; echo done"])
@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.name[:-4])
def test_a_recorded_run_is_known_by_its_text_where_the_exit_code_is_hidden(file, hidden):
    name, outcome, command, kind = told_by(file)

    found = recognise(hidden.format(command), True, file.read_text())

    if outcome == "none" or f"{name}.{outcome}" in SILENT | FAILED_SILENTLY:
        assert found == []
    else:
        assert results(found) == [(kind, outcome == "passed")]


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.name[:-4])
def test_a_failing_exit_is_never_a_pass_whatever_the_text_says(file):
    _, _, command, _ = told_by(file)

    assert not [
        evidence for evidence in recognise(command, False, file.read_text()) if evidence.passed
    ]


def test_every_tool_has_a_recorded_pass_and_a_recorded_failure():
    outcomes: dict[str, set[str]] = {}
    for file in RECORDED:
        _, outcome, command, _ = told_by(file)
        outcomes.setdefault(command, set()).add(outcome)

    assert set(outcomes) == {command for command, _ in CALLED.values()}
    assert all({"passed", "failed"} <= found for found in outcomes.values())


def test_what_is_told_is_the_closing_line_without_colours():
    said = (OUTPUTS / "vitest.passed.txt").read_text()

    (found,) = recognise("npx vitest run", True, said)

    assert found.as_dict() == {
        "kind": "tests",
        "passed": True,
        "tool": "vitest",
        "closing_line": "Tests 2 passed | 1 skipped (3)",
    }


PASSED = "2 passed in 0.01s"


@pytest.mark.parametrize(
    "command",
    [
        "cat test.log",
        "grep -r pytest .",
        "echo pytest",
        "git commit -m 'make pytest pass; pytest -q'",
        "pip install pytest",
        "which pytest",
        "vim tests/test_pytest.py",
        "tail -5 pytest.log",
        "pytest --version",
        "pytest --collect-only",
        "pytest --collect-only -q | tail -3",
        "pytest --help",
        "cargo test --no-run",
        "cargo test -- --list",
        "go test -c ./...",
        "go test -list . ./...",
        "ctest -N",
        "rspec --dry-run",
        "make -n test",
        "make --dry-run test",
        "gradle test --dry-run",
        "dotnet test --list-tests",
        "npx jest --listTests",
        "ruff format .",
        "npm install",
        "npm run start",
        "make clean",
        "docker run app pytest-image",
        "cat > run.sh <<'EOF'\npytest -q\nEOF",
        "cat <<EOF | tee run.sh\nmake test\nEOF\necho written",
        "# pytest -q\nls",
        "test -f pytest.ini",
        "python run.py -m pytest",
        "python -c 'import pytest' -m pytest",
    ],
)
def test_what_only_looks_like_a_run_is_no_evidence(command):
    assert recognise(command, True, PASSED) == []


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q",
        ".venv/bin/pytest -x tests",
        "python -m pytest",
        "python3.12 -X dev -m pytest -m 'not slow'",
        "uv run --extra dev pytest -n 4",
        "poetry run python -m pytest",
        "cd app && PYTHONPATH=src timeout 60 pytest",
        "env -u HOME A=b pytest",
        "timeout -k 5 60 .venv/bin/python -m pytest",
        "bash -lc 'cd app && pytest -q'",
        "(cd app && pytest)",
        "time pytest",
        "coverage run -m pytest",
        "pytest \\\n  -q tests",
        "set -euo pipefail; pytest -q 2>&1 | tail -3; echo done",
        "pytest -q > log.txt 2>&1",
        "pytest -q;",
        "{ cd app; pytest; }",
        "if [ -d app ]; then cd app; fi; pytest",
        "set -e; (cd app; pytest); echo done",
        "root=$(cd .. || exit; pwd); pytest",
    ],
)
def test_pytest_is_found_however_it_is_called(command):
    assert results(recognise(command, True, "")) == [("tests", True)]


@pytest.mark.parametrize(
    "around",
    [
        *("uvx {}", "env -i {}", "flock /tmp/l {}", "time {}", "time -p {}", "timeout 60 {}"),
        *("nice {}", "nice -n 5 {}", "xvfb-run {}", "xvfb-run -a -s '-screen 0' {}", "sudo -E {}"),
        *("poetry run {}", "uv run {}", "uv tool run {}", "pipx run {}", "pdm run {}", "npx {}"),
        *("bunx {}", "npx --yes {}", "pnpm exec {}", "yarn run {}", "bundle exec {}", "nohup {}"),
        *("docker compose exec app {}", "docker compose exec -T -e CI=1 app {}", "eval '{}'"),
        *("docker run --rm -v .:/app image {}", "kubectl exec pod -- {}", "ssh host {}"),
        *("conda run -n app {}", "direnv exec . {}", "nix develop -c {}", "su -c '{}' me"),
        *("env -i bash -ec 'timeout 60 {}'", "command {}", "exec {}", "stdbuf -oL {}"),
    ],
)
@pytest.mark.parametrize(
    ("command", "evidence"),
    [
        ("pytest -q", ("tests", True)),
        (".venv/bin/pytest", ("tests", True)),
        ("eslint .", ("lint", True)),
        ("mypy src", ("types", True)),
    ],
)
def test_whatever_wraps_a_tool_it_ran(around, command, evidence):
    assert results(recognise(around.format(command), True, "")) == [evidence]
    assert results(recognise(around.format(command), False, "")) == [(evidence[0], False)]


@pytest.mark.parametrize("wrapper", ["uvx", "env -i", "flock /tmp/l", "npx", "docker exec app"])
@pytest.mark.parametrize(("pattern", "command"), [("pytest", "pytest -q"), ("jest", "jest --ci")])
def test_what_arms_a_requirement_can_satisfy_it(wrapper, pattern, command):
    told = {"pytest": PASSED, "jest": "Tests:       2 passed, 2 total"}[pattern]

    assert triggers.matches(pattern, f"{wrapper} {command}")
    assert results(recognise(f"{wrapper} {command}", True, told)) == [("tests", True)]


def test_a_tool_that_a_package_manager_runs_is_one_run_of_that_tool():
    evidence = recognise("yarn run eslint .", True, "")

    assert [(each.kind, each.tool) for each in evidence] == [("lint", "eslint")]


@pytest.mark.parametrize(
    "command",
    [
        "pytest | tail -5",
        "pytest |& tee log",
        "pytest || true",
        "pytest; echo done",
        "pytest\necho done",
        "pytest &",
        "! pytest",
        "if pytest; then echo fine; fi",
        "if ls; then pytest; fi",
        "ls || pytest",
        "ls || (cd app && pytest)",
        "[ -d app ] || exit 0; pytest",
        "(pytest && ls); echo done",
        "(cd app && pytest) | tail -5",
        "set -e; pytest && ls; echo done",
        "set -e; pytest | tail; echo done",
        "bash -c 'pytest | tail'",
        "bash -c 'pytest' || true",
        "find . -name test_a.py -exec pytest {} +",
        "ls tests | xargs pytest",
        "docker compose exec -d app pytest",
        "docker run -dt image pytest",
        "uv run --help pytest",
        "tmux new-session -d pytest",
        "for app in a b; do pytest $app; done",
        "trap 'exit 0' EXIT; pytest",
        "if [ ! -d app ]; then exit 0; fi; pytest",
        "ls && set -e; pytest; echo done",
        "set -- -e; pytest; echo done",
        "set -e; { pytest && ls; }; echo done",
        'echo "$(pytest -q)"',
        "bash <<EOF\npytest -q\nEOF",
    ],
)
def test_silence_proves_nothing_where_the_exit_code_is_not_the_tools(command):
    assert recognise(command, True, "") == []
    assert results(recognise(command, True, PASSED)) == [("tests", True)]
    assert results(recognise(command, True, "1 failed, " + PASSED)) == [("tests", False)]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pytest || true", "1 failed, 3 passed in 0.20s"),
        ("pytest -q | tail -2", "3 passed, 1 error in 0.20s"),
        ("npm test; echo done", "Tests:       1 failed, 3 passed, 4 total\ndone"),
        ("npm test", "Tests:       1 failed, 3 passed, 4 total"),
        ("make test -k; true", "make: *** [Makefile:3: test] Error 1"),
        ("pytest --cov | tail", "FAIL Required test coverage of 90% not reached.\n3 passed in 1s"),
        ("npx jest; true", "Test Suites: 1 failed, 1 total\nTests:       0 total"),
    ],
)
def test_a_zero_exit_with_a_text_that_says_otherwise_is_a_failure(command, output):
    assert results(recognise(command, True, output)) == [("tests", False)]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pytest -q", "no tests ran in 0.01s"),
        ("pytest -q", "collected 0 items"),
        ("pytest", "4 skipped in 0.02s"),
        ("pytest", "2 deselected, 1 xfailed in 0.02s"),
        ("python -m unittest", "Ran 0 tests in 0.000s\n\nOK"),
        ("npx jest --passWithNoTests", "No tests found, exiting with code 0"),
        ("npx jest", "Tests:       0 total"),
        ("npm test", "Tests:       2 skipped, 2 total"),
        ("go test ./...", "?   \texample.com/app\t[no test files]"),
        ("make test", "make: 'test' is up to date."),
        ("make check", "all fine"),
        ("go test ./...", ""),
        ("cargo test > log", ""),
        ("mvn -q test", ""),
    ],
)
def test_a_run_that_ran_nothing_is_no_evidence(command, output):
    assert recognise(command, True, output) == []


def test_each_tool_of_a_combined_command_gives_its_own_evidence():
    command = "cd x && ruff check . && mypy src && pytest -q | tail -5"
    output = (
        "All checks passed!\nSuccess: no issues found in 3 source files\n....\n4 passed in 0.1s"
    )

    found = recognise(command, True, output)

    assert [(e.kind, e.tool, e.passed, e.closing_line) for e in found] == [
        ("lint", "ruff", True, "All checks passed!"),
        ("types", "mypy", True, "Success: no issues found in 3 source files"),
        ("tests", "pytest", True, "4 passed in 0.1s"),
    ]


def test_a_tool_that_never_ran_because_another_failed_is_not_blamed():
    found = recognise("ruff check . && pytest -q", False, "F401 unused\nFound 1 error.")

    assert results(found) == [("lint", False)]


def test_a_tool_is_not_failed_by_the_failure_of_the_one_after_it():
    output = "All checks passed!\n1 failed in 0.1s"

    found = recognise("ruff check . && pytest -q", False, output)

    assert results(found) == [("tests", False)]


def test_two_runs_of_one_tool_pass_together_or_not_at_all():
    output = "2 passed in 0.1s\n1 failed, 1 passed in 0.1s\n3 passed in 0.1s"

    found = recognise("pytest a; pytest b; pytest c", True, output)

    assert results(found) == [("tests", False)]


def test_a_pass_that_the_command_itself_prints_is_not_believed():
    assert recognise('pytest -q || echo "3 passed in 0.1s"', True, "3 passed in 0.1s") == []


def test_a_word_that_the_command_filters_for_does_not_hide_a_failure():
    found = recognise("go test ./... | grep -E 'FAIL|ok'", True, "FAIL\tapp\t0.1s\nFAIL")

    assert results(found) == [("tests", False)]
    assert found[0].closing_line == "FAIL app 0.1s"


def test_a_line_too_long_to_be_read_to_its_end_proves_nothing():
    assert recognise("pytest;" * 14_000, True, PASSED) == []
    assert recognise("pytest #" + "x" * 200_000, True, PASSED) == []


def test_maven_package_proves_build_and_tests_and_only_the_build_when_tests_are_skipped():
    said = (OUTPUTS / "mvn-package.passed.txt").read_text()

    assert results(recognise("mvn -B package", True, said)) == [
        ("tests", True),
        ("build", True),
    ]
    assert results(recognise("mvn package -DskipTests", True, said)) == [("build", True)]


def test_tsc_proves_types_and_also_a_build_when_it_writes_files():
    assert results(recognise("npx tsc --noEmit", True, "")) == [("types", True)]
    assert results(recognise("npx tsc -p .", True, "")) == [("types", True), ("build", True)]


def test_make_check_proves_only_what_its_text_shows():
    output = (
        "ruff check .\nAll checks passed!\nmypy src\nSuccess: no issues found in 9 source files"
    )

    found = recognise("make check", True, output)

    assert [(e.kind, e.tool, e.passed) for e in found] == [
        ("lint", "make check", True),
        ("types", "make check", True),
    ]


def test_warnings_glued_to_the_closing_line_do_not_hide_it():
    # The agent joins what was printed and what was complained about without a new line.
    (found,) = recognise("pytest | cat", True, "=== 2 passed in 0.01s ===DeprecationWarning: old")

    assert found.passed


def test_what_is_told_is_short_whatever_was_printed():
    said = "make: *** [Makefile:3: test] Error 1 " + "x" * 5000

    found = recognise("make test", False, said)[0]

    assert len(found.closing_line) == TOLD_CAP


WORDS = st.sampled_from(
    [
        *("pytest", "npm", "test", "make", "go", "cargo", "bash", "-c", "-m", "python", "mvn"),
        *("run", "|", "||", "&&", ";", "(", ")", "'", '"', "\\", "$(", "`", "<<", "EOF", "\n"),
        *("&", ">", "2>&1", "#", "set", "-e", "exit", "timeout", "docker", "gradle", "-x", "ctest"),
        *("tsc", "ruff", "check", "dotnet", "build", "cmake", "--build", "yarn", "if", "then"),
    ]
)
LINES = st.sampled_from(
    [line for file in RECORDED for line in file.read_text().splitlines() if line.strip()]
)
NOISE = st.text(st.characters(codec="utf-8"), max_size=30)


@given(st.lists(WORDS | NOISE, max_size=12), st.booleans(), st.lists(LINES | NOISE, max_size=8))
def test_no_command_and_no_output_breaks_the_reading(words, ok, lines):
    found = recognise(" ".join(words), ok, "\n".join(lines))

    assert all(evidence.kind in KINDS for evidence in found)
    assert all(0 < len(evidence.closing_line) <= TOLD_CAP for evidence in found)
    assert ok or not any(evidence.passed for evidence in found)


@given(st.lists(LINES | NOISE, max_size=8), st.text("²①9٣,;:|()=. -", max_size=20))
def test_no_line_breaks_a_reader(lines, odd):
    lines = [line.replace("1", odd) for line in lines] + [odd]
    for kind in ("tests", "build", "lint", "types"):
        for reader in (
            *output_readers.SPEAKERS[kind],
            *output_readers.READERS.values(),
            output_readers.chore(kind),
        ):
            state, said = reader(lines)

            assert state in ("", "passed", "failed", "nothing")
            assert bool(state) == bool(said)


PARTS = st.sampled_from(
    [
        *(
            "pytest",
            "(pytest)",
            "! pytest",
            "A=1 pytest 2>&1",
            "bash -c 'pytest | cat'",
            "pytest &",
        ),
        *("true", "false", "exit 0", "exit 1", "set -e", "set -o pipefail", "! true", "(false)"),
        *("if true; then false; fi", "cd . || exit 1", "{ pytest; }", "(pytest; true)", "set +e"),
        *("{ pytest && true; }", "eval 'pytest; true'", "trap 'exit 0' EXIT", "x=$(exit 0)"),
        *("f() { exit 0; }", "f", "true &", "set -- -e", "if false; then exit 0; fi"),
        *("time { pytest; } &", "! { true; pytest; }", "exec true", "(exit 0)"),
    ]
)
SIGNS = st.sampled_from([" && ", " || ", "; ", "\n", " | "])


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(SIGNS, PARTS), min_size=1, max_size=4), st.sampled_from([0, 1]))
def test_bash_agrees_that_a_known_exit_code_was_the_tools_own(parts, code):
    text = "".join(sign + part for sign, part in parts).lstrip(" &|;\n")
    if text.count("pytest") != 1 or not any(run.exit_known for run in proof.runs_of(text)):
        return
    stub = f"pytest() {{ echo ran >&9; return {code}; }}; export -f pytest\nexec 9>&1 >/dev/null\n"

    done = subprocess.run(["bash", "-c", stub + text], capture_output=True, text=True)

    assert done.returncode != 0 or (code == 0 and "ran" in done.stdout) or "syntax" in done.stderr


# Validity ---------------------------------------------------------------------------------------

T1, T2, T3 = (f"2026-01-01T00:00:0{second}.000Z" for second in (1, 2, 3))


def test_evidence_is_valid_until_a_file_it_covers_is_edited():
    assert is_valid(T2, [("src/app.py", T1)], covers("tests"))
    assert not is_valid(T2, [("src/app.py", T1), ("src/b.py", T3)], covers("tests"))
    assert not is_valid(T2, [("src/app.py", T2)], covers("tests")), "the same moment is not newer"
    assert is_valid(T2, [], covers("tests"))


@pytest.mark.parametrize("kind", ["tests", "build", "lint", "types"])
@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("src/app.py", True),
        ("Makefile", True),
        ("requirements.txt", True),
        ("/home/dev/docs/app/src/main.rs", True),
        ("docs/conf.py", True),
        ("/home/dev/app/.claude/worktrees/x/src/main.py", True),
        ("README.md", False),
        ("docs/guide.rst", False),
        ("docs/picture.png", False),
        (".git/holdfast/brief.json", False),
        ("/home/dev/app/.git/COMMIT_EDITMSG", False),
        (".holdfast/requirements.yaml", False),
    ],
)
def test_prose_and_our_own_state_do_not_count_against_what_machines_check(kind, path, counts):
    assert is_valid(T1, [(path, T2)], covers(kind)) is not counts


def test_a_review_covers_prose_too():
    assert not is_valid(T1, [("README.md", T2)], covers("review"))
    assert is_valid(T1, [(".git/COMMIT_EDITMSG", T2)], covers("review"))


@pytest.mark.parametrize("skill", ["code-review", "review", "team:security_review", "Reviewer"])
def test_a_skill_that_says_review_is_evidence_of_a_review(skill):
    found = reviewed(skill)

    assert found is not None
    assert (found.kind, found.passed, found.tool) == ("review", True, skill)


@pytest.mark.parametrize("skill", ["preview", "reviewable-things", "commit", ""])
def test_a_skill_that_only_sounds_like_a_review_is_none(skill):
    assert reviewed(skill) is None


@pytest.mark.promise("G11")
@pytest.mark.parametrize(
    ("command", "is_own"),
    [
        ("pytest", True),
        ("/usr/bin/pytest", True),
        ("~/.local/bin/pytest", True),
        ("~/pytest", False),
        ("./pytest", True),
        ("/tmp/x/pytest", False),
        ("~/envs/a/bin/python -m pytest", True),
        ("~/conda/bin/pytest", True),
        ("PATH=.venv/bin:/usr/bin:$PATH pytest", True),
        ("PATH=$HOME/x:$PATH pytest", True),
        ("PATH=/tmp/x:$PATH pytest", False),
        ("cd sub && pytest", True),
        ("cd .. && ls && cd - && pytest", True),
        ("cd ../other && pytest", False),
        ("cd ~/link && pytest", True),
        ("docker compose exec app /srv/venv/bin/pytest", True),
        ("docker run image sh -c 'cd /srv && pytest'", True),
        ("alias pytest=true; pytest", False),
        ("function pytest { true; }; pytest", False),
        ("pytest && sed -i s/a/b/ a.py", False),
        ("pytest && sed -n 1p a.py", True),
        ("pytest && black .", False),
        ("pytest && black --check .", True),
        ("pytest && git checkout main", False),
        ("pytest && git checkout -b main", True),
        ("pytest && git commit -m x", True),
        ("black . && pytest", True),
    ],
)
def test_a_run_counts_by_the_projects_own_tool_on_its_own_files(home, tmp_path, command, is_own):
    root = tmp_path / "app"
    (root / "sub").mkdir(parents=True)
    (home / "link").symlink_to(root)
    for sign in ("envs/a/pyvenv.cfg", "conda/conda-meta"):
        (home / sign).parent.mkdir(parents=True)
        (home / sign).write_text("")

    runs = [run for run in proof.runs_of(command, str(root), str(root)) if run.kind == "tests"]

    assert bool(runs) is is_own
