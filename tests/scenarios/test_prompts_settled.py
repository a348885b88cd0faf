"""A prompt is provisional until the agent's own transcript says what became of it: played through
the installed hook, with what the real client sent, and a transcript that grows behind it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from agents import recordings
from cli.terminal import run
from conftest import git
from holdfast.ledger.workspace import Workspace
from rooms.prompts.test_settling import SETTLED, TYPED
from scenarios.story import A, B, C, Story

RULE = "Never push to main"
TOLD = f"> {RULE}  ("
TASK = "Fix the retry loop of the fetcher in src/fetch.py."
# Events of which more than one payload is recorded, and the field that tells which.
NAMES = {"SessionStart": "source", "SessionEnd": "reason"}
NAMES |= {"PreCompact": "trigger", "PostCompact": "trigger"}


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    story = Story(door, repo, tmp_path)
    story.keeps_record = False  # what the client writes down is the point here
    return story


# What the real client sent


class Played:
    """A situation as it was recorded: each hook sees as much of the transcript as was written when
    the client called it, which is never the prompt at hand."""

    def __init__(self, story: Story, number: str, *, without: str = "") -> None:
        self.story = story
        self.lines = recordings.transcript(number).read_text().splitlines(keepends=True)
        self.place = 0
        payloads = [each for each in recordings.payloads(number) if self.is_ours(each)]
        payloads = [each for each in payloads if each["hook_event_name"] != without]
        sessions = list(dict.fromkeys(each["session_id"] for each in payloads))
        if payloads[0]["hook_event_name"] != "SessionStart":
            story.begin(sessions[0])
        for payload, following in itertools.zip_longest(payloads, payloads[1:]):
            self.write(payload, following)
            name = payload["hook_event_name"]
            kind = f"{name}.{payload[NAMES[name]]}" if name in NAMES else name
            if name == "SessionStart" and payload["session_id"] != sessions[0]:
                story.begin(payload["session_id"], payload["source"], after=sessions[0])
            else:
                said = {"transcript_path": self.path, "cwd": str(story.repo)}
                story.tell(kind, payload["session_id"], **{**payload, **said})
        self.session = sessions[0]

    @staticmethod
    def is_ours(payload):
        return payload["hook_event_name"] in (
            *("SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PostToolUse"),
            *("PreCompact", "PostCompact", "Stop", "StopFailure", "SessionEnd"),
        )

    @property
    def path(self) -> str:
        return str(self.story.folder / "transcript.jsonl")

    def write(self, payload, following) -> None:
        """Everything up to the next prompt, at a prompt only up to itself."""
        asked = payload if payload["hook_event_name"] == "UserPromptSubmit" else following
        ends = [len(self.lines)]
        if asked and asked["hook_event_name"] == "UserPromptSubmit":
            said = json.dumps(asked["prompt"])[1:-1]
            if asked["prompt"].startswith("/"):
                said = f"<command-name>{asked['prompt'].split()[0]}"
            ends = [n for n, line in enumerate(self.lines) if n >= self.place and said in line]
            ends = ends or [self.place]
        self.place = max(self.place, ends[0])
        Path(self.path).write_text("".join(self.lines[: self.place]))


def prompts_of(story: Story, session: str) -> list[tuple[str, bool]]:
    workspace = Workspace(story.state)
    try:
        rows = workspace.store.rows(
            "select origin, stands from prompts where session = ? order by seq", session
        )
        return [(origin, bool(stands)) for origin, stands in rows]
    finally:
        workspace.store.close()


PLAYED = "02a 02c 03b 04a 04b 04c 04e 05a 05c 05m 07a 07b 07c 07f 07i 07k 07l 07m 08b".split()


@pytest.mark.promise("W1")
@pytest.mark.parametrize("number", PLAYED)
def test_what_became_of_a_prompt_is_known_when_its_turn_has_ended(story, number):
    played = Played(story, number)

    expected = [(origin, stands) for origin, stands, _ in SETTLED.get(number, [TYPED])]
    assert prompts_of(story, played.session) == expected
    story.ends_well()


@pytest.mark.promise("W1")
def test_a_turn_that_failed_is_settled(story):
    played = Played(story, "07h")

    assert prompts_of(story, played.session) == [("typed", True)]
    story.ends_well()


def test_a_turn_that_never_ends_is_settled_by_the_end_of_the_session(story):
    played = Played(story, "07h", without="StopFailure")
    assert prompts_of(story, played.session) == [("given", True)]

    Path(played.path).write_text("".join(played.lines))
    story.end(played.session, transcript_path=played.path)

    assert prompts_of(story, played.session) == [("typed", True)]
    story.ends_well()


@pytest.mark.promise("W1")
def test_words_given_with_a_refusal_and_with_a_yes_are_the_users_choices(story):
    git(story.repo, "switch", "-q", "-c", "topic")
    for number in ("02a", "02c", "03e"):
        Played(story, number)

    choices = [(body["sort"], body["text"]) for body in story.bodies("choice_made")]
    assert sorted(choices) == [
        ("approval", "but pin the exact version"),
        ("approval", "fine, but commit in two steps"),
        ("plan", "move to pnpm"),
        ("refusal", "use pnpm instead"),
    ]
    asked = {body["text"]: body["question"] for body in story.bodies("choice_made")}
    assert asked["use pnpm instead"] == "run touch built.txt"
    assert asked["fine, but commit in two steps"] == "carry out the plan move to pnpm"
    told = story.begin(B)
    assert "use pnpm instead" in told
    assert "pin the exact version" not in told  # said with a Yes: for an agent to point at
    listed = run(story.repo, "choices").stdout
    assert "  but pin the exact version  (said in allowing, told to no session, " in listed
    marks = {line.split("  ")[1]: line[0] for line in listed.splitlines() if line[0] != " "}
    assert (marks["use pnpm instead"], marks["but pin the exact version"]) == ("\u25cf", "\u00b7")
    story.ends_well()


@pytest.mark.promise("C1")
@pytest.mark.promise("W1")
def test_a_plan_accepted_with_a_cleared_context_is_what_the_new_session_is_about(story):
    old, new = A, B
    lines = recordings.transcript("03a").read_text().splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if "auto-continuation" in line)
    story.begin(old)
    Path(story.transcript(old)).write_text("".join(lines[:first]))
    story.clear(old, new)
    Path(story.transcript(new)).write_text("".join(lines[first:]))

    story.stop(new, "executing after clear")

    (goal,) = story.bodies("goal_set", new)
    assert (goal["goal"], goal["how"]) == ("move to pnpm", "plan")
    (choice,) = story.bodies("choice_made", new)
    assert (choice["sort"], choice["text"]) == ("plan", "move to pnpm")
    assert story.bodies("rule_given") == []  # the plan says "Never run npm again"
    assert "> move to pnpm" in story.compact(new)[1]
    story.ends_well()


# What follows from it


def write_prompt(story: Story, session: str, text: str, *, uuid: str, parent: str, **fields):
    message = {"role": "user", "content": text}
    row = {"type": "user", "uuid": uuid, "parentUuid": parent or None, "message": message}
    story.write_row(session, {**row, "isSidechain": False, **fields})


def typed(number: int):
    position = {"promptIndex": number, "turnIndex": number}
    return {"origin": {"kind": "human"}, "promptSource": "typed", "turnPosition": position}


def answer(story: Story, session: str, *, uuid: str, parent: str) -> None:
    message = {"role": "assistant", "content": [{"type": "text", "text": "done"}]}
    row = {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message}
    story.write_row(session, row)


@pytest.mark.promise("W1")
@pytest.mark.promise("C2")
def test_a_prompt_that_was_taken_back_leaves_neither_rule_nor_goal(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}.")
    assert TOLD in story.compact(A)[1]
    write_prompt(story, A, f"{TASK} {RULE}.", uuid="u1", parent="", **typed(1))
    story.say(A, "What does the retry loop do?")
    write_prompt(story, A, "What does the retry loop do?", uuid="u2", parent="", **typed(1))
    answer(story, A, uuid="a1", parent="u2")
    story.stop(A)

    for told in (*story.compact(A), story.clear(A, B), story.begin(C)):
        assert RULE not in told
        assert TASK not in told
    assert [body["why"] for body in story.bodies("prompt_settled") if not body["stands"]] == [
        "taken back"
    ]
    story.ends_well()


@pytest.mark.promise("W1")
@pytest.mark.promise("C2")
def test_a_prompt_that_was_taken_back_has_lifted_nothing(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}.")
    write_prompt(story, A, f"{TASK} {RULE}.", uuid="u1", parent="", **typed(1))
    answer(story, A, uuid="a1", parent="u1")
    story.stop(A)
    story.say(A, "You may push now.")
    write_prompt(story, A, "You may push now.", uuid="u2", parent="a1", **typed(2))
    assert RULE not in story.compact(A)[1]
    write_prompt(story, A, "No, wait.", uuid="u3", parent="a1", **typed(2))
    answer(story, A, uuid="a3", parent="u3")
    story.stop(A)

    assert TOLD in story.compact(A)[1]
    assert TOLD in story.clear(A, B)
    story.ends_well()


@pytest.mark.promise("W1")
def test_what_no_person_wrote_gives_no_rule_whatever_the_hook_was_told(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}.")
    write_prompt(
        story, A, f"{TASK} {RULE}.", uuid="u1", parent="", origin={"kind": "another-program"}
    )
    answer(story, A, uuid="a1", parent="u1")
    story.stop(A)

    assert prompts_of(story, A) == [("client", False)]
    assert RULE not in story.clear(A, B)
    story.ends_well()


@pytest.mark.promise("W1")
def test_of_a_client_that_says_less_the_hooks_word_holds(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}.")
    write_prompt(story, A, f"{TASK} {RULE}.", uuid="u1", parent="")
    answer(story, A, uuid="a1", parent="u1")
    story.stop(A)

    assert prompts_of(story, A) == [("unknown", True)]
    assert TOLD in story.clear(A, B)
    story.ends_well()


@pytest.mark.promise("W1")
def test_what_a_rewind_took_back_is_settled_long_after_its_turn_ended(story):
    story.begin(A)
    story.say(A, TASK)
    write_prompt(story, A, TASK, uuid="u1", parent="", **typed(1))
    answer(story, A, uuid="a1", parent="u1")
    story.stop(A)
    story.say(A, f"{RULE}.")
    write_prompt(story, A, f"{RULE}.", uuid="u2", parent="a1", **typed(2))
    for number in range(40):  # a long turn: more than the first look at a transcript takes in
        message = {"role": "user", "content": [{"type": "tool_result", "content": "x" * 20_000}]}
        row = {"type": "user", "uuid": f"r{number}", "message": message, "isSidechain": False}
        story.write_row(A, {**row, "parentUuid": f"r{number - 1}" if number else "u2"})
    answer(story, A, uuid="a2", parent="r39")
    story.stop(A)
    assert prompts_of(story, A) == [("typed", True), ("typed", True)]
    assert TOLD in story.compact(A)[1]

    story.say(A, "Go another way.")
    write_prompt(story, A, "Go another way.", uuid="u3", parent="a1", **typed(2))
    answer(story, A, uuid="a3", parent="u3")
    story.stop(A)

    assert prompts_of(story, A) == [("typed", True), ("typed", False), ("typed", True)]
    assert RULE not in story.compact(A)[1]
    story.ends_well()


@pytest.mark.promise("W1")
def test_a_draft_that_is_sent_after_all_gives_its_rule_again(story):
    def queue(operation: str) -> None:
        story.write_row(
            A, {"type": "queue-operation", "operation": operation, "content": f"{RULE}."}
        )

    story.begin(A)
    story.say(A, TASK, prompt_id="the-turn")
    write_prompt(story, A, TASK, uuid="u1", parent="", **typed(1))
    story.say(A, f"{RULE}.", prompt_id="the-turn")
    queue("enqueue")
    queue("popAll")
    answer(story, A, uuid="a1", parent="u1")
    story.stop(A)
    assert prompts_of(story, A) == [("typed", True), ("queued", False)]
    assert RULE not in story.compact(A)[1]

    story.say(A, f"{RULE}.", prompt_id="the-turn")  # the same event to us
    queue("enqueue")
    write_prompt(story, A, f"{RULE}.", uuid="u2", parent="a1", **typed(2))
    answer(story, A, uuid="a2", parent="u2")
    story.stop(A)

    assert prompts_of(story, A) == [("typed", True), ("typed", True)]
    assert TOLD in story.compact(A)[1]
    story.ends_well()


@pytest.mark.promise("W1")
@pytest.mark.promise("S5")
def test_prompts_of_a_session_that_crashed_are_settled_when_it_is_found(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}.")
    write_prompt(story, A, f"{TASK} {RULE}.", uuid="u1", parent="", **typed(1))
    story.say(A, "No, wait.")
    write_prompt(story, A, "No, wait.", uuid="u2", parent="", **typed(1))
    story.crash(A)

    told = story.begin(B)

    assert "Z; it crashed" in told
    assert RULE not in told
    assert prompts_of(story, A) == [("typed", False), ("typed", True)]
    story.ends_well()


def test_a_session_that_is_resumed_after_a_crash_is_settled_first(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}.")
    write_prompt(story, A, f"{TASK} {RULE}.", uuid="u1", parent="", **typed(1))
    write_prompt(story, A, "No, wait.", uuid="u2", parent="", **typed(1))
    story.crash(A)

    told = story.begin(A, "resume")

    assert RULE not in told
    assert prompts_of(story, A) == [("typed", False)]
    story.ends_well()


def test_looking_again_settles_nothing_twice(story):
    story.begin(A)
    story.say(A, TASK)
    write_prompt(story, A, TASK, uuid="u1", parent="", **typed(1))
    answer(story, A, uuid="a1", parent="u1")
    for _ in range(3):
        story.stop(A)
        story.compact(A)
    story.end(A)

    assert len(story.bodies("prompt_settled")) == 1
    story.ends_well()


def test_a_transcript_that_cannot_be_read_changes_nothing(story):
    story.begin(A)
    story.say(A, f"{TASK} {RULE}.")
    Path(story.transcript(A)).write_bytes(b"\x00\xff{{{\n" * 1_000 + b'{"uuid": [}\n{"type"')

    story.stop(A)

    assert prompts_of(story, A) == [("unread", True)]
    assert TOLD in story.clear(A, B)
    story.ends_well()
