"""`holdfast rules`: whose each rule is, where it is told and how often; and into which file."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import on_screen, refused, run, told, typed, typed_and_told

from conftest import git
from scenarios.story import A, B, C

TASK = "Fix the retry loop of the fetcher in src/fetch.py."
RULE = "Never push to main"
CANDIDATE = "Don't touch the database schema"


def listed(repo: Path, *arguments: str) -> dict[str, dict]:
    return {rule["text"]: rule for rule in told(repo, "rules", *arguments)["rules"]}


def add(repo: Path, text: str = RULE) -> str:
    return str(typed_and_told(repo, "rules", "add", text)["rule"]["id"])


@pytest.mark.promise("C2")
@pytest.mark.promise("W1")
def test_each_rule_is_listed_with_its_author_date_scope_and_how_often_it_was_told(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}.")
    story.say(A, f"{CANDIDATE}.")
    typed_and_told(story.repo, "rules", "add", "Use uv")
    story.end(A)
    story.begin(B)
    story.end(B)
    story.begin(C)

    rules = listed(story.repo, "--all")

    assert {text: (rule["author"], rule["whose"]) for text, rule in rules.items()} == {
        RULE: ("person", "heard in your prompt"),
        CANDIDATE: ("person", "heard in your prompt"),
        "Use uv": ("person", "you"),
    }
    assert {text: rule["times_told"] for text, rule in rules.items()} == {
        RULE: 2,
        CANDIDATE: 0,
        "Use uv": 2,
    }
    assert rules[RULE]["scope"] == "project"
    shown = run(story.repo, "rules").stdout
    day = rules[RULE]["at"][:10]
    by = f"(forbids, heard in your prompt, an order, {day}, for the project, told 2 times, aaaaaaaa"
    assert f"{RULE}  {by})" in shown
    assert f"Use uv  (demands, you, by command, {day}, for the project, told 2 times" in shown
    assert CANDIDATE not in shown
    story.ends_well()


def test_a_rule_is_wrapped_where_the_terminal_is_narrow_and_loses_no_word(story):
    story.begin(A)
    rule = "Never push to main, nor to any branch that somebody else may have checked out"
    add(story.repo, f"{rule}\n  not even once")
    story.end(A)
    story.begin(B)

    wide, narrow = run(story.repo, "rules").stdout, on_screen(story.repo, 50, "rules")

    assert f"{rule}\n            not even once  (forbids, you, by command, " in wide
    assert ", told once, aaaaaaaa)" in wide
    assert max(len(line) for line in narrow.splitlines()) <= 50
    assert narrow.split() == wide.split()
    first, *rest = narrow.splitlines()
    assert first[:10].endswith("  ")
    assert all(line.startswith(" " * 10) for line in rest)
    assert "            not even once\n          (forbids" in narrow


@pytest.mark.promise("C2")
def test_what_the_agent_pointed_at_is_told_and_listed_as_such(story):
    story.begin(A)
    story.say(A, f"{TASK} {CANDIDATE}.")
    (heard,) = story.entries("rule_given")
    body = {"subject": heard.id, "turn": "pointed", "how": "pointed", "words": CANDIDATE}
    story.keep("turned", body, session=A)
    story.end(A)

    begun = story.begin(B)

    day = heard.at[:10]
    pointed = f"> {CANDIDATE}  (the user's words, pointed at by the agent, {day})"
    assert pointed in begun.partition("Rules the user gave")[2]
    assert listed(story.repo)[CANDIDATE]["whose"] == "the agent pointed at your words"
    story.ends_well()


@pytest.mark.promise("W1")
def test_what_an_agent_noted_is_told_as_a_note_and_not_as_the_users_rule(story):
    story.begin(A)
    noted = {"text": "Run the linter", "sort": "demands", "lasting": True, "thread": ""}
    story.keep("rule_given", {**noted, "how": "command", "author": "agent"}, session=A)
    story.end(A)

    begun = story.begin(B)

    assert "Rules the user gave" not in begun
    assert "> Run the linter  (an agent's note, not the user's words, " in begun
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_rule_of_a_task_is_told_on_its_branch_and_on_no_other(story):
    story.begin(A)
    story.say(A, TASK)
    rule = add(story.repo)
    typed_and_told(story.repo, "rules", "scope", rule[:6], "task")
    assert f"for its task on {git(story.repo, 'branch', '--show-current')}" in (
        run(story.repo, "rules").stdout
    )
    story.end(A)
    assert RULE in story.begin(B)
    story.say(B, "New task: write the release notes for version two")
    story.end(B)
    git(story.repo, "checkout", "-q", "-b", "other")
    assert RULE not in story.begin(C)
    assert RULE not in listed(story.repo)
    story.end(C)

    git(story.repo, "checkout", "-q", "feature/auth")
    assert RULE in story.begin("dddddddd")
    story.end("dddddddd")
    git(story.repo, "checkout", "-q", "other")
    typed_and_told(story.repo, "rules", "scope", rule, "project")
    assert RULE in story.begin("eeeeeeee")
    turns = [(body["turn"], body["words"]) for body in story.bodies("turned")]
    assert turns == [("scoped", "task"), ("scoped", "project")]
    story.ends_well()


# The instruction file


@pytest.mark.promise("C2")
def test_a_rule_is_written_once_under_its_heading_and_nothing_around_it_changes(story):
    story.begin(A)
    first, second = add(story.repo), add(story.repo, "Use uv")
    path = story.repo / "AGENTS.md"
    before = b"# App\r\n\r\n## Rules\r\n\r\n* Be kind\r\n\r\n## Build\r\n\tmake  \r\n\xc3\xa4"
    path.write_bytes(before)
    path.chmod(0o640)

    for rule in (first, second, first):
        assert typed_and_told(story.repo, "rules", "write", rule)["file"] == "AGENTS.md"

    added = b"- Never push to main\r\n- Use uv\r\n"
    assert path.read_bytes() == before.replace(b"* Be kind\r\n", b"* Be kind\r\n" + added)
    assert path.stat().st_mode & 0o777 == 0o640
    assert "stands in AGENTS.md already" in typed(story.repo, "rules", "write", first).stdout
    story.ends_well()


@pytest.mark.promise("C2")
def test_where_no_instruction_file_or_more_than_one_is_there_the_person_names_it(story):
    story.begin(A)
    rule = add(story.repo)

    assert "which instruction file?" in refused(typed(story.repo, "rules", "write", rule))
    typed_and_told(story.repo, "rules", "write", rule, "--file", "AGENTS.md")
    assert (story.repo / "AGENTS.md").read_text() == f"## Rules\n\n- {RULE}\n"
    (story.repo / "CLAUDE.md").write_text("# App")
    assert "are both there" in refused(typed(story.repo, "rules", "write", rule))
    typed_and_told(story.repo, "rules", "write", rule, "--file", "CLAUDE.md")
    assert (story.repo / "CLAUDE.md").read_text() == f"# App\n\n## Rules\n\n- {RULE}\n"
    refused(typed(story.repo, "rules", "write", rule, "--file", "README.md"), code=2)
    refused(typed(story.repo, "rules", "drop", rule, "--file", "AGENTS.md"), code=2)
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_link_from_one_instruction_file_to_the_other_stays_a_link(story):
    story.begin(A)
    rule = add(story.repo)
    (story.repo / "AGENTS.md").write_text("# App\n")
    (story.repo / "CLAUDE.md").symlink_to("AGENTS.md")

    typed_and_told(story.repo, "rules", "write", rule)

    assert (story.repo / "CLAUDE.md").is_symlink()
    assert (story.repo / "AGENTS.md").read_text() == f"# App\n\n## Rules\n\n- {RULE}\n"
    (story.repo / "AGENTS.md").unlink()
    (story.repo / "AGENTS.md").symlink_to("/etc/hostname")
    assert "leads out of the project" in refused(typed(story.repo, "rules", "write", rule))
    story.ends_well()


# The old name


@pytest.mark.promise("C2")
def test_constraints_is_the_old_name_of_the_same_command(story):
    story.begin(A)
    add(story.repo)

    assert told(story.repo, "constraints") == told(story.repo, "rules")
    old, new = (run(story.repo, name, "--help").stdout for name in ("constraints", "rules"))
    assert old.partition("\n\n")[2] == new.partition("\n\n")[2] != ""
    assert "only a person may run `holdfast rules drop`" in refused(
        run(story.repo, "constraints", "drop", "x")
    )
    assert "constraints" not in run(story.repo, "--help").stdout
    story.ends_well()
