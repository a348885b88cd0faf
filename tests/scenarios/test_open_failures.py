"""Checks that fail are told while they do: not a search, not a typo, not what passed since."""

from __future__ import annotations

import pytest

from conftest import git
from scenarios.story import A, B, Story

FAILED = (
    "Exit code 1\n=== RUN   TestCart\n--- FAIL: TestCart (0.00s)\n    cart_test.go:3: got 2\nFAIL"
)
LINT = "Exit code 1\ncart.go:57:1: func total is unused (unused)"


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    return Story(door, repo, tmp_path)


def next_start(story: Story) -> str:
    story.end(A)
    return story.begin(B)


@pytest.mark.promise("C3")
def test_a_failing_check_is_told_with_the_two_lines_that_matter(story):
    story.begin(A)
    story.say(A, "Make the cart add up")
    noise = "\n".join(f"=== RUN   TestNumber{number}" for number in range(200))
    story.fail(A, "go test -v ./... 2>&1", f"{FAILED}\n{noise}\nFAIL")

    said = next_start(story)

    assert "`go test -v ./... 2>&1`\n> --- FAIL: TestCart (0.00s)\n> cart_test.go:3: got 2" in said
    assert "=== RUN" not in said
    assert "Exit code" not in said
    story.ends_well()


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("rg total src", "Exit code 1"),
        ("go test --verbos ./...", "Exit code 2\nflag provided but not defined: -verbos"),
        ("mise run tset", "Exit code 1\nmise ERROR no task tset found"),
        ("gotest ./...", "Exit code 127\nzsh: command not found: gotest"),
        ("cd cart && go test ./...", "Exit code 1\n(eval):cd:1: no such file or directory: cart"),
        ("golangci-lint run --no-config -E unused ./cart/...", LINT),
        ("cd /tmp/idea && go build ./...", "Exit code 1\nmain.go:3:1: undefined: total"),
    ],
)
def test_what_is_no_check_or_did_not_run_is_not_told(story, command, error):
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.fail(A, command, error)

    said = next_start(story)

    assert "failed" not in said.lower().replace(command.lower(), "")
    story.ends_well()


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    "later",
    [
        "go test ./...",
        "mise run test:ci",
        "mise run test 2>&1 | tail -30",
    ],
)
def test_a_failure_is_closed_when_a_check_of_its_kind_passes(story, later):
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.fail(A, "go test -run TestCart ./cart", FAILED)
    story.run(A, later, "ok  \tshop/cart\t0.01s")

    assert "TestCart" not in next_start(story)
    story.ends_well()


@pytest.mark.promise("C3")
def test_tests_that_pass_prove_a_build_and_no_linter(story):
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.fail(A, "go build ./...", "Exit code 1\ncart.go:3:1: undefined: total")
    story.fail(A, "mise run lint", LINT)
    story.run(A, "mise run test", "ok")

    said = next_start(story)

    assert "undefined: total" not in said
    assert "`mise run lint`\n> cart.go:57:1: func total is unused" in said
    story.ends_well()


@pytest.mark.promise("C3")
def test_a_build_that_fails_is_told_although_the_tests_fail_too(story):
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.fail(A, "go build ./...", "Exit code 1\ncart.go:3:1: undefined: total")
    story.fail(A, "go test ./...", FAILED)

    said = next_start(story)

    assert "`go build ./...`" in said
    assert "`go test ./...`" in said
    story.ends_well()


@pytest.mark.promise("C3")
def test_a_failure_behind_a_pipe_is_one_although_its_command_succeeded(story):
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.run(A, "go test ./... 2>&1 | tail -20", FAILED.partition("\n")[2])

    assert "`go test ./... 2>&1 | tail -20`\n> --- FAIL: TestCart" in next_start(story)
    story.ends_well()


@pytest.mark.promise("C3")
def test_a_commit_after_it_makes_a_failure_old_news(story, repo):
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.fail(A, "go test ./...", FAILED)
    git(repo, "commit", "-q", "--allow-empty", "-m", "Add up the cart")
    story.run(
        A, "git commit -m 'Add up the cart'", "[main 1234567] Add up the cart\n 1 file changed"
    )

    assert "TestCart" not in next_start(story)
    story.ends_well()


@pytest.mark.promise("C3")
@pytest.mark.parametrize("passes", [False, True])
def test_another_session_beside_it_closes_a_failure(story, passes):
    story.begin(B)
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.fail(A, "go test ./...", FAILED)
    if passes:
        story.run(B, "mise run test", "ok")
    story.crash(A)
    assert ("TestCart" in story.begin(A, "resume")) is not passes
    story.ends_well()


@pytest.mark.promise("C3")
@pytest.mark.parametrize("passes", [False, True])
def test_files_edited_since_are_mentioned_and_other_checks_that_pass_after_them_close_it(
    story, passes
):
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.fail(A, "mise run lint", LINT)
    story.edit(A, "cart.go", "a", "b")
    if passes:
        story.run(A, "mise run test", "ok")
    story.crash(A)

    said = story.begin(B)

    assert ("; files were edited since): `mise run lint`" in said) is not passes
    assert ("func total is unused" in said) is not passes
    story.ends_well()


@pytest.mark.promise("C3")
@pytest.mark.parametrize(("hours", "is_told"), [(20.0, True), (30.0, False)])
def test_a_failure_is_told_for_a_day(story, hours, is_told):
    story.begin(A, hours=hours)
    story.say(A, "Make the cart add up", hours=hours)
    story.fail(A, "go test ./...", FAILED, hours=hours)
    story.end(A, hours=hours)

    assert ("TestCart" in story.begin(B)) is is_told
    story.ends_well()


@pytest.mark.promise("C3")
def test_of_one_kind_the_latest_failure_is_told(story):
    story.begin(A)
    story.say(A, "Make the cart add up")
    story.fail(A, "go test -run TestCart ./cart", FAILED)
    story.fail(A, "go test ./...", FAILED.replace("TestCart", "TestShop"))

    said = next_start(story)

    assert "TestShop" in said
    assert "-run TestCart" not in said
    story.ends_well()
