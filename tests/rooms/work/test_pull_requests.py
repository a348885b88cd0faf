"""What the output of gh, glab and git is read as, by fixtures; tests/payloads/commands says how
they were made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.rooms.work.branches import pull_requests, work_seen
from holdfast.rooms.work.branches.tool_questions import asked, may_ask

FOLDER = Path(__file__).parents[2] / "payloads" / "commands"
FIXTURES = sorted(FOLDER.glob("*.json"))


def load(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def shown(seen: work_seen.Seen) -> dict:
    """Without what is empty, as the fixtures have it."""
    lists = {name: getattr(seen, name) for name in seen._fields}
    return {
        name: [{key: value for key, value in each.as_dict().items() if value} for each in listed]
        for name, listed in lists.items()
        if listed
    }


@pytest.mark.promise("W5")
@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_an_output_is_read_as_what_it_shows(path):
    known = load(path)
    expected = {
        name: [{key: value for key, value in each.items() if value} for each in listed]
        for name, listed in known["expected"].items()
    }

    seen = pull_requests.read(known["command"], known["output"], known["branch"], ok=known["ok"])

    assert shown(seen) == expected


def test_there_are_forty_outputs_and_more_than_twenty_of_them_real():
    assert len(FIXTURES) >= 40
    assert sum(load(path)["recorded"] for path in FIXTURES) > 20


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_an_output_that_breaks_off_names_nothing_that_the_whole_does_not(path):
    known = load(path)
    numbers = {each.get("number") for each in known["expected"].get("pull_requests", ())}

    for end in range(0, len(known["output"]), 23):
        part = known["output"][:end]
        seen = pull_requests.read(known["command"], part, known["branch"], ok=known["ok"])
        for sight in seen.pull_requests:
            # An address that breaks off within its number names another.
            is_cut = sight.number and part.endswith(str(sight.number))
            assert sight.number in numbers or not sight.number or is_cut


def test_colours_and_carriage_returns_do_not_hide_a_line():
    command, url = "gh pr create --title x --body y", "https://github.com/team/app/pull/7"

    seen = pull_requests.read(command, f"\x1b[2Kcreating\r\x1b[32m{url}\x1b[0m\r\n", "topic")

    assert [(each.number, each.branch) for each in seen.pull_requests] == [(7, "topic")]


def test_of_any_other_command_only_the_one_address_by_itself_is_read():
    url = "https://github.com/team/app/pull/"

    [seen] = pull_requests.read("make publish", f"Published.\n{url}7\n", "topic").pull_requests
    assert (seen.number, seen.repo, seen.branch) == (7, "team/app", "")
    assert pull_requests.read("cat links", f"{url}7\n{url}8\n", "topic").is_empty()
    assert pull_requests.read("cat notes", f"see {url}7 for it\n", "topic").is_empty()


def test_only_commands_that_may_tell_something_are_read():
    assert not may_ask("cd src && cat tests/test_a.py | head; git log --oneline -5")
    assert not may_ask("git status --short; git diff")
    assert not may_ask("echo through a high wall")
    assert may_ask("cd src && gh pr view")
    assert may_ask("/usr/bin/gh pr view")
    assert may_ask("git -C src commit -m x")
    assert asked("echo 'gh pr view 12'; grep -r 'git push' .") == []


def test_the_repository_of_a_command_is_that_of_what_it_shows():
    [question] = asked("gh pr view https://github.com/other/tool/pull/5")
    assert (question.repo, question.number) == ("other/tool", 5)

    seen = pull_requests.read(
        "gh --repo other/tool pr checks 5", "lint\tfail\t1s\thttps://x\n", "main"
    )
    assert [each.repo for each in seen.pull_requests] == ["other/tool"]
    assert [each.branch for each in seen.pull_requests] == [""]


def test_a_text_of_megabytes_is_read_all_the_same():
    line = "{" * 50 + "\n[[[\n" + "title:\t\n" + "author:\tx\n--\n"

    seen = pull_requests.read("gh pr view 3 --comments", line * 20_000, "main")

    assert {each.number for each in seen.pull_requests} <= {0, 3}


def test_commits_in_a_scratch_repository_are_not_this_ones():
    output = "[main 1a2b3c4] A trial\n"

    assert pull_requests.read("cd /tmp/x && git commit -m 'A trial'", output).is_empty()
    assert pull_requests.read("git init -q && git commit -m 'A trial'", output).is_empty()
    at_home = pull_requests.read("cd /tmp/x && git commit -m 'A trial'", output, home="/tmp/x")
    assert not at_home.is_empty()
    assert not pull_requests.read("cd ../fix && git commit -m 'A trial'", output).is_empty()
