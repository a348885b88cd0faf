"""A session is forgotten: what the user owns stays in its own words, and nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.terminal import run, told, typed, typed_and_told
from conftest import git
from scenarios.made_transcripts import Transcript
from scenarios.story import A, B, C, Story
from scenarios.test_choices_told import answer

pytestmark = pytest.mark.promise("T8")

ALIAS = A[:8]
TASK = "Speed up the walrus exporter."
ORDER = "From now on, never touch the generated files"
HEARD = "Do not touch the old tests"
BY_COMMAND = "Ask before you add a dependency"
CHOICE = "The zebra palette"
DECISION = "Thirty seconds"
PIN = "The staging database is read-only"
OWNED = (ORDER, BY_COMMAND, CHOICE, DECISION, PIN)
OTHERS = ("walrus", HEARD, "the agent's own pin", "narwhal")


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    door.somebody = door.agent()
    return Story(door, repo, tmp_path)


@pytest.fixture
def talk(story) -> Story:
    """A session in which the user gave one thing of each sort, confirmed one of them, and took
    back a rule of an earlier session."""
    (story.repo / "fetch.py").write_text("import time\n\n\nTIMEOUT_S = 30\n")
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "-m", "Fetch")
    story.begin(B)
    story.say(B, "From now on, never push to main.")
    story.end(B)
    story.begin(A)
    story.say(A, f"{TASK} {HEARD}.")
    story.say(A, f"{ORDER}.")
    answer(story, A, CHOICE)
    typed_and_told(story.repo, "rules", "add", BY_COMMAND)
    rules = {rule["text"]: rule["id"] for rule in told(story.repo, "rules")["rules"]}
    typed_and_told(story.repo, "rules", "keep", rules[f"{ORDER}"])
    typed_and_told(story.repo, "rules", "drop", rules["From now on, never push to main"])
    story.holdfast("decide", DECISION, "--evidence", "fetch.py:4", session=A)
    story.pin(A, PIN, hours=0.001)
    story.holdfast("pin", "the agent's own pin", session=A)
    story.stop(A, "The narwhal is faster now.")
    story.end(A)
    return story


def bytes_of(story: Story) -> bytes:
    folders = (Path(story.state), story.repo / ".git" / "holdfast")
    return b"".join(
        path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()
    )


def owned(story: Story) -> list[tuple[str, str, str]]:
    """What is in force by the commands that list it: sort, id, text."""
    rows = [("rule", rule["id"], rule["text"]) for rule in told(story.repo, "rules")["rules"]]
    rows += [
        (sort, row["id"], row["text"])
        for sort in ("choices", "decisions")
        for row in told(story.repo, sort)[sort]
    ]
    return sorted(row for row in rows if HEARD not in row[2])


@pytest.mark.promise("O3")
def test_what_the_user_gave_outlives_its_session_in_its_own_words_and_nothing_else_does(talk):
    before = owned(talk)
    assert len(before) == 4

    dry = run(talk.repo, "forget", ALIAS, "--dry-run").stdout.splitlines()
    assert dry[0] == "This still stands, and stays in its own words as the project's:"
    assert {line.strip() for line in dry[1:6]} == {
        f"rule: {ORDER}",
        f"rule: {BY_COMMAND}",
        f"choice: {CHOICE}",
        f"decision: {DECISION}",
        f"pin: {PIN}",
    }
    assert typed(talk.repo, "forget", ALIAS, "--yes", ALIAS).returncode == 0

    assert owned(talk) == before
    assert {rule["session"] for rule in told(talk.repo, "rules")["rules"]} == {""}
    begun = talk.begin(C)
    assert [text for text in OWNED if text not in begun] == []
    assert "push to main" not in begun  # what was taken back in it stays taken back
    left = bytes_of(talk)
    assert [text for text in OWNED if text.encode() not in left] == []
    assert [text for text in OTHERS if text.encode() in left] == []
    talk.ends_well()


@pytest.mark.promise("O3")
def test_what_stands_goes_along_when_that_is_asked_for_and_no_trace_is_left(talk):
    dry = run(talk.repo, "forget", ALIAS, "--with-what-stands", "--dry-run").stdout
    assert dry.startswith("This still stands, and goes as well:\n")

    done = typed(talk.repo, "forget", ALIAS, "--with-what-stands", "--yes", ALIAS)

    assert done.returncode == 0, done.stderr
    left = bytes_of(talk)
    assert [text for text in (*OWNED, *OTHERS) if text.encode() in left] == []
    talk.ends_well()


def test_what_stands_can_be_dropped_by_the_id_it_had(talk):
    (rule,) = [row for row in owned(talk) if row[2] == BY_COMMAND]
    typed(talk.repo, "forget", ALIAS, "--yes", ALIAS)

    typed_and_told(talk.repo, "rules", "drop", rule[1])

    assert BY_COMMAND not in talk.begin(C)
    talk.ends_well()


@pytest.mark.promise("R3")
def test_an_import_that_was_undone_is_made_again_and_says_nothing_twice(story, repo, tmp_path):
    made = Transcript(A, repo, tmp_path)
    made.say("From now on never push to main. Draw the walrus.")
    made.answer("Drawn.")
    made.say("Now the tusks.")
    made.answer("Done.")
    folder = str(tmp_path / "projects")

    for _ in range(3):
        taken = typed_and_told(repo, "import", "--transcripts", folder)
        assert (taken["sessions"], taken["entries"]["prompt_given"]) == (1, 2)
        assert told(repo, "recall", "tusks")["found"][0]["session"] == A
        assert [rule["text"] for rule in told(repo, "rules")["rules"]] == [
            "From now on never push to main"
        ]
        gone = typed(repo, "forget", "--imported", "--yes", "imported")
        assert gone.returncode == 0, gone.stderr
        assert b"tusks" not in bytes_of(story)

    assert typed(repo, "forget", ALIAS, "--yes", ALIAS).returncode == 0
    story.ends_well()


@pytest.mark.promise("R3")
def test_a_session_that_was_forgotten_by_its_name_is_not_imported_again(story, repo, tmp_path):
    made = Transcript(A, repo, tmp_path)
    made.say("Draw the walrus.")
    made.answer("Drawn.")
    folder = str(tmp_path / "projects")
    typed_and_told(repo, "import", "--transcripts", folder)

    typed(repo, "forget", ALIAS, "--yes", ALIAS)

    again = typed_and_told(repo, "import", "--transcripts", folder)
    assert (again["sessions"], again["left_out"]["forgotten"]) == (0, 1)
    story.ends_well()
