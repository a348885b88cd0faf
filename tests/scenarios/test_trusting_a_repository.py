"""A person clones a repository that asks for more than demands, and decides about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli import terminal
from conftest import Door, git, make_repo
from holdfast.setup import install
from law import assert_replay_law
from scenarios.story import A, B, C, D, Story

pytestmark = pytest.mark.promise("X5")

CONFIG = """\
requirements:
  plan: {satisfied_by_skill: plan, message: Plan first.}
close: {commit: true}
"""
WAITS = "1 thing waits for `holdfast trust`"
E = "eeeeeeee-0000-4000-8000-000000000000"


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    upstream = make_repo(tmp_path / "upstream")
    (upstream / ".holdfast").mkdir()
    (upstream / ".holdfast" / "config.yaml").write_text(CONFIG)
    (upstream / "a.py").write_text("a = 1\n")
    git(upstream, "add", ".")
    git(upstream, "commit", "-q", "-m", "Bring what we demand")
    return upstream


@pytest.fixture
def story(upstream: Path, state: str, home: Path, tmp_path: Path):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(upstream), str(clone))
    git(clone, "config", "user.name", "dev")
    git(clone, "config", "user.email", "dev@example.com")
    git(clone, "checkout", "-q", "-b", "work")
    door = Door(state, home, clone)
    install.install(state, install.settings_path(clone))
    yield Story(door, clone, tmp_path)
    door.close()


def work(story: Story, session: str, line: str) -> str:
    """A turn with an edit, after what is demanded was done; the last commit's subject."""
    story.say(session, f"Write {line} into a.py")
    story.skill(session, "plan")
    (story.repo / "a.py").write_text(f"{line}\n")
    story.edit(session, "a.py")
    story.stop(session)
    return git(story.repo, "log", "-1", "--format=%s")


def test_a_clone_asks_once_obeys_when_trusted_and_asks_again_when_it_changed(story: Story):
    told = story.begin(A)
    assert told.count(WAITS) == 1
    assert "Plan first." in story.ask_edit(A, "a.py")  # what it demands counts
    assert work(story, A, "a = 2") == "Bring what we demand"
    story.end(A)

    shown = terminal.told(story.repo, "trust", "--show")
    assert (shown["waiting"], shown["files"][0]["waiting"]) == (1, ["close.commit: True"])
    done = terminal.typed(story.repo, "trust")
    assert (done.returncode, "close.commit: True" in done.stdout) == (0, True), done
    assert "holdfast trust" not in story.begin(B)
    assert work(story, B, "a = 3") == "Write a = 3 into a.py"
    story.end(B)

    (story.repo / ".holdfast" / "config.yaml").write_text(f"{CONFIG}close.items: true\n")
    git(story.repo, "commit", "-qam", "Ask for more")
    assert "2 things wait for `holdfast trust`" in story.begin(C)
    assert work(story, C, "a = 4") == "Ask for more"
    story.end(C)

    assert terminal.typed(story.repo, "trust").returncode == 0
    assert "holdfast trust" not in story.begin(D)
    revoked = terminal.typed_and_told(story.repo, "trust", "--revoke")
    assert revoked == {"revoked": [".holdfast/config.yaml"]}
    story.end(D)
    assert "2 things wait for `holdfast trust`" in story.begin(E)
    assert work(story, E, "a = 5") == "Ask for more"

    kinds = kept(story)
    assert [(kind, body["author"]) for kind, body in kinds] == [
        ("repository_trusted", "person"),
        ("repository_trusted", "person"),
        ("trust_revoked", "person"),
    ]
    assert kinds[0][1]["allowed"] == [".holdfast/config.yaml: close.commit: True"]
    assert_replay_law(story.state, story.repo)


def test_what_waits_is_told_once_for_each_content_and_shown_as_long_as_it_waits(story: Story):
    config = story.repo / ".holdfast" / "config.yaml"
    assert WAITS in story.begin(A)
    assert "holdfast trust" not in story.begin(B)
    worktree = story.folder / "worktree"
    git(story.repo, "worktree", "add", "-q", str(worktree), "-b", "other")
    assert "holdfast trust" not in story.begin(C, place=worktree)

    status = terminal.told(story.repo, "status")
    shown = terminal.run(story.repo, "status").stdout
    examined = terminal.run(story.repo, "doctor").stdout
    assert status["untrusted"] == 1
    assert "Trust     1 thing of the committed configuration" in shown
    assert "1 thing of the committed configuration: not allowed until you run" in examined

    config.write_text(f"{CONFIG}close.items: true\n")
    git(story.repo, "commit", "-qam", "Ask for more")
    assert "2 things wait for `holdfast trust`" in story.begin(D)
    config.write_text(CONFIG)
    git(story.repo, "commit", "-qam", "Ask for less")
    assert "holdfast trust" not in story.begin(E)
    assert terminal.told(story.repo, "status")["untrusted"] == 1

    assert terminal.typed(story.repo, "trust").returncode == 0
    assert terminal.told(story.repo, "status")["untrusted"] == 0
    assert "holdfast trust" not in terminal.run(story.repo, "doctor").stdout


def kept(story: Story) -> list[tuple[str, dict]]:
    """What the ledger holds of trust."""
    return [(kind, body) for _, kind, body in story.ledger() if "trust" in kind]


def test_an_agent_cannot_trust_for_the_person(story: Story):
    story.begin(A)

    refusal = terminal.refused(terminal.run(story.repo, "trust", CLAUDECODE="1"))

    assert "only a person may run `holdfast trust`" in refusal
    assert kept(story) == []
    assert "one of the person's commands" in story.ask_run(A, "holdfast trust")
    assert story.ask_run(A, "holdfast trust --show") == ""


def test_what_a_person_wrote_by_command_goes_on_to_count_when_it_is_committed(story: Story):
    story.begin(A)
    story.end(A)
    git(story.repo, "rm", "-q", ".holdfast/config.yaml")
    git(story.repo, "commit", "-q", "-m", "Drop it")
    done = terminal.typed(story.repo, "req", "init", "--preset", "strict")
    assert done.returncode == 0, done
    assert "wait" not in story.begin(B)
    story.end(B)

    git(story.repo, "add", "-f", ".claude/requirements.yaml")
    git(story.repo, "commit", "-q", "-m", "Demand it of all")

    assert "wait" not in story.begin(C)
    waiting = terminal.told(story.repo, "trust", "--show")
    assert [file["standing"] for file in waiting["files"]] == ["trusted"]


def test_nothing_to_trust_is_said(story: Story):
    story.begin(A)
    git(story.repo, "rm", "-q", ".holdfast/config.yaml")

    done = terminal.typed(story.repo, "trust")

    assert done.stdout == "This repository has no configuration of its own.\n"
    assert terminal.typed(story.repo, "trust", "--revoke").stdout == "Nothing of it was trusted.\n"
    assert terminal.typed(story.repo, "trust", "--show", "--revoke").returncode == 2
