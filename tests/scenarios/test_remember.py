"""An agent points at what the user said: it is kept as the user's, word for word, or refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cli.terminal import refused, run, typed_and_told
from conftest import Door
from holdfast.rooms.prompts import queries
from holdfast.store.sqlite import Store
from scenarios.story import A, B, C, Story

pytestmark = pytest.mark.promise("W3")

TASK = "Fix the retry loop of the fetcher in src/fetch.py."
# Nothing of ours takes it for a rule, but an agent may know better.
RULE = "Our server has plenty of memory, caches can be large."
UNRELATED = "New task: write the release notes for version two."
DAY = 24.0


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    return Story(door, repo, tmp_path)


def remember(story: Story, session: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """As an agent runs it: no terminal, its own environment."""
    return run(story.repo, "remember", *arguments, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=session)


def kept(story: Story, session: str, *arguments: str) -> dict[str, object]:
    done = remember(story, session, *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, ""), done
    remembered: dict[str, object] = json.loads(done.stdout)["remembered"]
    return remembered


def test_a_pointed_at_rule_survives_an_unrelated_task_and_is_told_in_another_session(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}")

    done = remember(story, A, "--rule", "--quote", "has plenty of memory")

    assert done.returncode == 0, done
    (rule,) = story.entries("rule_given")[-1:]
    assert done.stdout.splitlines() == [
        f"Kept as the user's words, {rule.id[:6]}: {RULE}  (project rule)"
    ]
    prompt = story.entries("prompt_given")[0].id
    expected = {"text": RULE, "how": "pointed", "author": "person", "scope": "project"}
    assert expected.items() <= rule.body.items()
    assert rule.body["prompt"] == prompt
    (listed,) = typed_and_told(story.repo, "rules")["rules"]
    assert (listed["id"], listed["author"], listed["how"]) == (rule.id, "person", "pointed")
    story.say(A, UNRELATED)
    story.end(A)
    assert f"> {RULE}" in story.begin(B)
    story.end(B)
    assert f"> {RULE}" in story.begin(C)
    story.ends_well()


WIDENED = (
    "Migrate quote() to Decimal, step by step; in this code base money is never float,"
    " and stop after step 1"
)
CLAUSE = "in this code base money is never float"


def test_a_rule_is_told_without_the_task_that_was_given_beside_it(story):
    story.begin(A)
    story.say(A, f"{WIDENED}.")

    assert kept(story, A, "--rule", "--quote", "money is never float")["text"] == CLAUSE

    story.end(A)
    told = story.begin(B).partition("Rules the user gave")[2]
    assert f"> {CLAUSE}  (" in told
    assert "Migrate" not in told.partition("\n\n")[0]
    story.ends_well()


def test_a_rule_that_an_earlier_version_widened_to_the_task_is_told_as_its_clause(story):
    story.begin(A)
    body = {"text": WIDENED, "sort": "forbids", "lasting": True, "thread": A, "how": "pointed"}
    story.keep("rule_given", {**body, "author": "person", "order": False}, session=A)
    story.end(A)

    told = story.begin(B)

    assert f"> {CLAUSE}  (" in told
    assert "Migrate" not in told
    (listed,) = typed_and_told(story.repo, "rules")["rules"]
    assert listed["text"] == CLAUSE
    typed_and_told(story.repo, "rules", "keep", listed["id"][:6])
    assert typed_and_told(story.repo, "rules")["rules"][0]["text"] == WIDENED
    story.ends_well()


def test_a_candidate_that_is_pointed_at_becomes_the_rule(story):
    story.begin(A)
    story.say(A, "Never push to main.")
    (candidate,) = story.entries("rule_given")

    first = kept(story, A, "--rule", "--quote", "never push to main")
    second = kept(story, A, "--rule", "--quote", "never push to main")

    assert (first["id"], first["is_new"]) == (candidate.id, True)
    assert (second["id"], second["is_new"]) == (candidate.id, False)
    assert len(story.entries("rule_given")) == 1
    (turn,) = story.bodies("turned")
    assert (turn["subject"], turn["turn"]) == (candidate.id, "pointed")
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_dead_end_that_an_earlier_version_heard_and_is_pointed_at_is_told_as_one(story):
    tried = "We already tried caching the response, it made things worse"
    story.begin(A)
    story.say(A, f"{TASK} {tried}.")
    body = {"lasting": False, "thread": "", "how": "prompt", "order": False, "author": "person"}
    story.keep("rule_given", {"text": tried, "sort": "dead_end", **body}, session=A)
    (heard,) = story.entries("rule_given")

    pointed = kept(story, A, "--rule", "--quote", "already tried caching the response")

    assert (pointed["id"], pointed["is_new"]) == (heard.id, True)
    assert len(story.entries("rule_given")) == 1
    story.end(A)
    told = story.begin(B).partition("Dead ends the user told of")[2]
    assert f"> {tried}  (the user's words, pointed at by the agent, " in told
    story.ends_well()


@pytest.mark.promise("W3")
def test_a_dead_end_that_is_quoted_is_told_as_one(story):
    tried = "We already tried caching the response, it made things worse"
    story.begin(A)
    story.say(A, f"{TASK} {tried}.")

    pointed = kept(story, A, "--dead-end", "--quote", "tried caching the response")

    assert (pointed["kind"], pointed["is_new"]) == ("dead_end", True)
    assert not kept(story, A, "--dead-end", "--quote", "tried caching the response")["is_new"]
    story.end(A)
    told = story.begin(B)
    assert (
        f"> {tried}.  (the user's words, pointed at by the agent, "
        in told.partition("Dead ends the user told of")[2]
    )
    story.ends_well()


def test_a_rule_of_the_task_says_so(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}")

    kept(story, A, "--rule", "--quote", "has plenty of memory", "--scope", "task")

    assert story.bodies("rule_given")[-1]["scope"] == "task"
    story.ends_well()


def test_a_choice_is_kept_with_what_the_agent_says_it_answers(story):
    story.begin(A)
    story.say(A, "B, but keep the old name. Then run the tests.")

    done = kept(story, A, "--choice", "--quote", "B", "--about", "Which of the two layouts?")

    assert done["text"] == "B, but keep the old name."
    (choice,) = story.bodies("choice_made")
    assert (choice["sort"], choice["pointed"]) == ("typed", True)
    assert (choice["text"], choice["question"]) == (
        "B, but keep the old name.",
        "Which of the two layouts?",
    )
    again = kept(story, A, "--choice", "--quote", "keep the old name")
    assert (again["id"], again["is_new"]) == (done["id"], False)
    assert len(story.entries("choice_made")) == 1
    story.say(A, "go on")
    assert 'Kept as your choice, because the agent pointed at it: "B, but keep' in story.door.shown
    dropped = typed_and_told(story.repo, "choices", "drop", str(done["id"])[:6])
    assert dropped["choice"]["id"] == done["id"]
    assert "withdrawn" in refused(remember(story, A, "--choice", "--quote", "keep the old name"))
    story.ends_well()


@pytest.mark.parametrize(
    ("prompt", "quote", "why"),
    [
        ("Fix this:\n```\n# always sort the imports\n```", "always sort the imports", "pasted"),
        (
            "Implement the following plan:\n\n# Move\n\nNever touch the old API.",
            "Never touch the old API",
            "a plan",
        ),
        ("Should we use Redis for the queue?", "use Redis for the queue", "asked this"),
        ("You may push to main.", "push to main", "a permission"),
        ("Fix the parser.", "never push to main", "did not type"),
        ("Forget the rule about the linter.", "the rule about the linter", "takes a rule back"),
    ],
)
def test_what_is_not_the_users_settled_word_is_refused(story, prompt, quote, why):
    story.begin(A)
    story.say(A, prompt)
    before = len(story.ledger())

    for kind in ("--rule", "--choice"):
        assert why in refused(remember(story, A, kind, "--quote", quote))

    assert len(story.ledger()) == before
    story.ends_well()


def test_an_answer_to_a_question_for_leave_is_refused(story):
    story.begin(A)
    story.say(A, "yes")

    about = ("--about", "May I push to main?")
    assert "permission" in refused(remember(story, A, "--choice", "--quote", "yes", *about))
    assert story.entries("choice_made") == []
    story.ends_well()


def test_what_the_user_withdrew_cannot_be_pointed_at_until_it_is_said_again(story):
    story.begin(A, hours=DAY)
    story.say(A, f"{TASK} {RULE}", hours=DAY)
    story.begin(B)
    rule = kept(story, B, "--rule", "--quote", "has plenty of memory")
    typed_and_told(story.repo, "rules", "drop", str(rule["id"])[:6])

    message = refused(remember(story, B, "--rule", "--quote", "has plenty of memory"))

    assert "withdrawn this since" in message
    story.say(B, RULE)
    again = kept(story, B, "--rule", "--quote", "has plenty of memory")
    assert (again["text"], again["is_new"]) == (RULE, True)
    story.ends_well()


def test_what_a_later_prompt_lifts_cannot_be_pointed_at(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}")
    story.say(A, "Forget the rule about the caches.")
    assert story.entries("turned") == []  # nothing was heard before that it could lift

    quote = "has plenty of memory"
    assert "withdrawn this since" in refused(remember(story, A, "--rule", "--quote", quote))
    story.ends_well()


def test_the_newest_word_of_the_user_decides(story):
    story.begin(A)
    story.say(A, "Please always use the cache in tests.")
    story.say(A, "Should we really use the cache in tests?")

    message = refused(remember(story, A, "--rule", "--quote", "use the cache in tests"))

    assert "asked this" in message
    assert kept(story, A, "--rule", "--quote", "always use the cache in tests")["is_new"]
    story.ends_well()


def test_the_person_sees_what_was_pointed_at_once(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}")
    rule = kept(story, A, "--rule", "--quote", "has plenty of memory")

    line = f'Kept as your rule, because the agent pointed at it: "{RULE}"'
    undo = f"(undo: holdfast rules drop {str(rule['id'])[:6]})"
    told = story.say(A, "go on")
    assert f"{line} {undo}" in story.door.shown
    assert "pointed" not in told
    story.say(A, "and on")
    assert line not in story.door.shown
    assert (
        f"(your rule, the agent pointed at your words; {undo[1:]}"
        in run(story.repo, "status").stdout
    )
    story.ends_well()


@pytest.mark.promise("G10")
def test_a_rule_that_was_pointed_at_is_offered_a_gate(story):
    story.begin(A)
    story.say(A, f"{TASK} By the way: don't amend commits, others build on them.")
    kept(story, A, "--rule", "--quote", "don't amend commits")
    story.say(A, "go on")
    assert "pointed at it" in story.door.shown
    assert "Make it hold? Before `git commit --amend` Claude will have to ask" in story.door.shown
    story.ends_well()


def test_the_next_start_shows_what_nobody_has_seen(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}")
    kept(story, A, "--rule", "--quote", "has plenty of memory")
    story.crash(A)

    line = "Kept as your rule, because the agent pointed at it:"
    story.begin(B)
    assert line in story.door.shown
    story.begin(C)
    assert line not in story.door.shown
    story.ends_well()


def test_misuse_is_told_in_one_line(story):
    story.begin(A)
    for arguments in (
        ("--quote", "x"),
        ("--rule", "--choice", "--quote", "x"),
        ("--rule", "--quote", "x", "--about", "y"),
        ("--choice", "--quote", "x", "--scope", "task"),
        ("--rule",),
    ):
        refused(remember(story, A, *arguments), code=2)


def test_an_answer_is_looked_up_too(story):
    story.begin(A)
    story.say(A, TASK)
    body = {"question": "Where do fixtures go?", "sort": "answer", "branch": "", "thread": ""}
    answer = story.keep("choice_made", {"text": "Into tests/data, all of them", **body}, session=A)

    rule = kept(story, A, "--rule", "--quote", "into tests/data, all of them")
    choice = kept(story, A, "--choice", "--quote", "into tests/data")

    assert rule["text"] == "Into tests/data, all of them"
    assert (choice["id"], choice["is_new"]) == (answer.id, False)
    story.ends_well()


def test_what_does_not_stand_is_not_looked_up(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}")
    prompt = story.entries("prompt_given")[0].id
    story.keep(
        "prompt_settled",
        {"prompt": prompt, "origin": "typed", "stands": False, "why": "taken back"},
        session=A,
    )

    assert "did not type" in refused(
        remember(story, A, "--rule", "--quote", "has plenty of memory")
    )
    store = Store(f"{story.state}/store.db")
    assert queries.typed_prompts(store, "", A, 10) == []
    store.close()
    story.ends_well()
