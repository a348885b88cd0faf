"""Who spoke in each row of Claude Code's transcript, on what the real client wrote."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, strategies as st

from agents import recordings
from agents.recordings import SITUATIONS, transcript
from holdfast.agents import transcripts
from holdfast.agents.claude_code.transcript import read
from holdfast.agents.transcript_rows import TURNS
from holdfast.agents.user_replies import asked

MEGABYTE = 1 << 20
CUT_OFF = ("interrupted", "[Request interrupted by user for tool use]")

# Who says what in each situation, in the order of the file; of a long text its opening.
SPOKEN = {
    "01a": [("typed", "set it up")],
    "01b": [("typed", "set it up")],
    "01c": [("typed", "set it up"), CUT_OFF],
    "01d": [("typed", "set it up"), ("client", "The user wants to clarify")],
    "01e": [("typed", "ask me")],
    "02a": [("typed", "build it"), ("refusal", "use pnpm instead")],
    "02b": [("typed", "build it"), CUT_OFF],
    "02c": [("typed", "build it"), ("approval", "but pin the exact version")],
    "02d": [("typed", "build"), CUT_OFF],
    "03a": [
        ("typed", "plan a small change"),
        ("typed", "now the plan"),
        CUT_OFF,
        ("plan", "# Plan: move to pnpm"),
    ],
    "03b": [("typed", "plan a small change"), ("typed", "now the plan")],
    "03c": [
        ("typed", "plan a small change"),
        ("typed", "now the plan"),
        ("refusal", "do not touch CI, only the lockfile"),
    ],
    "03d": [("typed", "plan a small change"), ("typed", "now the plan"), CUT_OFF],
    "03e": [
        ("typed", "plan a small change"),
        ("typed", "now the plan"),
        ("approval", "fine, but commit in two steps"),
    ],
    "04a": [("typed", "first prompt"), ("queued", "queued: never use npm")],
    "04b": [("typed", "read the notes"), ("queued", "queued: also prefer pnpm")],
    "04c": [("typed", "first prompt"), ("queued", "queued one"), ("queued", "queued two")],
    "04d": [
        ("typed", "first prompt"),
        ("interrupted", "[Request interrupted by user]"),
        ("queued", "queued to be taken back"),
    ],
    "04e": [
        ("typed", "first prompt"),
        ("dropped", "queued draft"),
        ("queued", "queued draft EDITED"),
    ],
    "04f": [("typed", "first prompt"), ("queued", "send this now")],
    "05a": [("command", "/x fast lane"), ("client", "Do the x thing with: fast lane")],
    "05b": [("command", "/deploy-notes for v2"), ("client", "Base directory for this skill:")],
    "05c": [
        ("typed", "we use pnpm"),
        ("typed", "and python 3.12"),
        ("client", "This session is being continued"),
        ("client", "<local-command-caveat>"),
        ("command", "/compact keep every decision on packages"),
        ("client", "<local-command-stdout>"),
        ("typed", "go on"),
    ],
    "05d": [
        ("typed", "we use pnpm"),
        ("client", "<local-command-caveat>"),
        ("command", "/clear"),
        ("typed", "hello again"),
    ],
    "05e": [
        ("client", "<bash-input>"),
        ("client", "<bash-stdout>"),
        ("typed", "what did I run?"),
    ],
    "05f": [("typed", "# always use pnpm")],
    "05g": [("typed", "look at @notes.txt please")],
    "05h": [("typed", "review this: pasted line 0: never use npm here")],
    "05i": [("typed", "look at /home/dev/project/shot.png now")],
    "05j": [("typed", "what is this [Image #1]"), ("client", "[Image: source:")],
    "05k": [("client", "<local-command-caveat>"), ("command", "/clear"), ("typed", "hello again")],
    "05l": [("typed", "write the notes"), ("client", "Base directory for this skill:")],
    "05m": [
        ("typed", "hello"),
        ("client", "<local-command-caveat>"),
        ("command", "/model sonnet"),
        ("client", "<local-command-stdout>"),
        ("typed", "again"),
    ],
    "05n": [("typed", "hello"), ("client", "<system-reminder>"), ("typed", "again")],
    "07a": [("typed", "first prompt: use npm"), ("typed", "no, pnpm")],
    "07b": [("typed", "run the long thing"), CUT_OFF, ("typed", "stop that, use pnpm")],
    "07c": [
        ("typed", "prompt one: use npm"),
        ("typed", "prompt two: make a file"),
        ("typed", "prompt three: use pnpm"),
    ],
    "07d": [
        ("typed", "prompt one: use npm"),
        ("typed", "prompt two: make a file"),
        ("typed", "prompt three: use pnpm"),
        ("typed", "after resume"),
    ],
    "07e": [("typed", "start it in the background"), ("notification", "<task-notification>")],
    "07f": [
        ("typed", "first prompt: set up"),
        ("interrupted", "[Request interrupted by user]"),
        ("typed", "no, pnpm"),
    ],
    "07g": [("typed", "use a background agent"), ("notification", "<task-notification>")],
    "07h": [("typed", "fail please")],
    "07i": [
        ("typed", "prompt one: use npm"),
        ("typed", "prompt two: no, pnpm"),
        ("client", "This session is being continued"),
        ("typed", "prompt two: no, pnpm"),
    ],
    "07j": [("typed", "hello")],
    "07k": [
        ("typed", "first prompt: use npm"),
        ("typed", "no, pnpm"),
        ("typed", "third: rule x"),
        ("typed", "fourth prompt"),
    ],
    "07l": [("typed", f"prompt {letter}") for letter in "ABCD"],
    "07m": [("typed", f"prompt {letter}") for letter in "ABCD"],
    "08a": [("typed", "edit notes"), CUT_OFF],
    "08b": [("typed", "edit notes"), ("refusal", "keep beta, add a new line")],
    "08c": [("typed", "edit notes"), CUT_OFF],
    "08d": [("typed", "do it")],
    "08e": [("typed", "do it")],
    "08f": [("typed", "do it")],
}


def spoken(path, start=0, limit=MEGABYTE):
    rows = read(str(path), start, limit).rows
    return [(row.kind, row.text) for row in rows if row.kind not in ("", "answer", "boundary")]


def test_every_recorded_situation_is_looked_at():
    assert list(SPOKEN) == SITUATIONS


@pytest.mark.promise("W1")
@pytest.mark.parametrize("number", SITUATIONS)
def test_who_spoke_is_told_by_the_clients_own_marks(number):
    rows = spoken(transcript(number))

    assert [kind for kind, _ in rows] == [kind for kind, _ in SPOKEN[number]]
    for (_, text), (_, opening) in zip(rows, SPOKEN[number], strict=True):
        assert text.startswith(opening)


def test_words_with_a_refusal_or_a_yes_come_with_what_they_are_about():
    about = {
        number: [row.about for row in read(str(transcript(number)), 0, MEGABYTE).rows if row.about]
        for number in ("02a", "02c", "03c", "08b")
    }

    assert about["02a"][-1] == about["02c"][-1] == "run touch built.txt"
    assert about["03c"][-1] == "carry out the plan move to pnpm"
    assert about["08b"][-1] == "edit /home/dev/project/notes.txt"


@pytest.mark.parametrize(
    ("tool", "deed", "fields", "words"),
    [
        ("Write", "create", {"file_path": "a.py", "content": "x"}, "write a.py"),
        ("WebFetch", "fetch", {"url": "https://example.org"}, "fetch https://example.org"),
        ("Skill", "skill", {"skill": "review"}, "use the skill review"),
        ("mcp__hub__open", "other", {"title": "A bug"}, "use mcp__hub__open (A bug)"),
        ("Agent", "delegate", {"prompt": "look"}, "use Agent"),
        ("Edit", "edit", None, "use Edit"),
        ("Bash", "run", {"command": ["odd"]}, "use Bash"),
    ],
)
def test_what_a_call_asked_for_is_said_in_plain_words(tool, deed, fields, words):
    assert asked(tool, deed, fields) == words


# Clients that say less


def row(kind="user", content="hello", **fields):
    given = {"type": kind, "uuid": "u1", "parentUuid": None, "message": {"content": content}}
    return json.dumps({**given, **fields})


def result(text, *more, is_error=False, **fields):
    block = {"type": "tool_result", "tool_use_id": "t1", "content": text, "is_error": is_error}
    return row(content=[block, *({"type": "text", "text": words} for words in more)], **fields)


REFUSED = "The user doesn't want to proceed with this tool use. (...) the user said:\n"
HUMAN = {"kind": "human"}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (row(), "unknown"),
        (row(isMeta=True), "client"),
        (row(isCompactSummary=True), "client"),
        (row(planContent="# The plan"), "plan"),
        (row(content="<command-name>/review</command-name>"), "command"),
        (row(content="<local-command-stdout>ok</local-command-stdout>"), "client"),
        (row(content="<task-notification>done</task-notification>"), "notification"),
        (row(content="[Request interrupted by user]"), "interrupted"),
        (row(promptSource="sdk"), "sdk"),
        (row(promptSource="sdk", origin=HUMAN), "typed"),
        (row(promptSource="system"), "client"),
        (row(origin={"kind": "something new"}), "client"),
        (row(origin=7, promptSource=["typed"]), "unknown"),
        (row(content="[Request interrupted by user]", origin=HUMAN), "typed"),
        (row(content="<system-reminder> is what I see", origin=HUMAN), "typed"),
        (result(REFUSED + "use uv", is_error=True), "refusal"),
        (result(REFUSED + "use uv", is_error=False), ""),
        (result("it failed: " + REFUSED + "use uv", is_error=True), ""),
        (result(REFUSED + "x", is_error=True, permissionDecision={"source": "config"}), ""),
        (result("done", "and pin it"), "approval"),
        (result("done", "<system-reminder>x</system-reminder>"), "client"),
        (result("done", "and pin it", permissionDecision={"source": "config"}), "client"),
        (result("failed", "and pin it", is_error=True, toolDenialKind="permission-rule"), ""),
    ],
)
def test_a_client_that_says_less_is_read_by_structure(tmp_path, line, kind):
    path = tmp_path / "transcript.jsonl"
    path.write_text(line + "\n")

    assert [row.kind for row in read(str(path), 0, MEGABYTE).rows] == [kind]


@pytest.mark.promise("W1")
def test_only_a_command_is_told_without_the_clients_tags(tmp_path):
    tags = "<command-name>/review</command-name><command-args>all</command-args>"
    asked = f"why is {tags} in my transcript?"
    path = tmp_path / "transcript.jsonl"
    path.write_text(f"{row(content=tags)}\n{row(content=asked, origin=HUMAN)}\n")

    assert [(row.kind, row.text) for row in read(str(path), 0, MEGABYTE).rows] == [
        ("command", "/review all"),
        ("typed", asked),
    ]


def test_rows_of_subagents_never_count(tmp_path):
    path = tmp_path / "transcript.jsonl"
    path.write_text(row(isSidechain=True, origin=HUMAN, promptSource="typed") + "\n")

    assert read(str(path), 0, MEGABYTE).rows == []


def test_a_draft_that_is_sent_after_all_is_not_dropped(tmp_path):
    path = tmp_path / "transcript.jsonl"
    acts = [("enqueue", "a"), ("enqueue", "b"), ("popAll", "a\nb"), ("enqueue", "a")]
    path.write_text(
        "".join(
            json.dumps({"type": "queue-operation", "operation": operation, "content": content})
            + "\n"
            for operation, content in acts
        )
    )

    assert sorted(spoken(path)) == [("dropped", "a\nb"), ("dropped", "b")]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_of_a_long_result_only_what_it_follows_is_read_unless_somebody_speaks(tmp_path, separators):
    path = tmp_path / "transcript.jsonl"
    long = '"uuid": "other" ' * 1_000
    lines = [
        result(long, uuid="r1", parentUuid="a1"),
        result(long, "and pin it", uuid="r2", parentUuid="r1"),
        result(long, uuid="r3", parentUuid="r2", isSidechain=True),
        result(REFUSED + long, uuid="r4", parentUuid="r2", is_error=True),
        row("attachment", uuid="r5", parentUuid="r4", attachment={"type": "file", "text": long}),
    ]
    for line in lines:
        assert len(line) > 4_096
    rewritten = [json.dumps(json.loads(line), separators=separators) for line in lines]
    path.write_text("\n".join(rewritten) + "\n")

    rows = read(str(path), 0, MEGABYTE).rows

    assert [(row.uuid, row.parent, row.kind) for row in rows] == [
        ("r1", "a1", ""),
        ("r2", "r1", "approval"),
        ("r4", "r2", "refusal"),
        ("r5", "r4", ""),
    ]


# Reading on


@pytest.mark.parametrize("number", ["03a", "04e", "07c"])
def test_a_transcript_that_grows_is_read_on_where_it_was_left(tmp_path, number):
    content = transcript(number).read_bytes()
    path, rows, end = tmp_path / "transcript.jsonl", [], 0
    for size in range(0, len(content) + 700, 700):
        path.write_bytes(content[:size])
        tail = read(str(path), end, MEGABYTE)
        rows += [row.uuid for row in tail.rows if row.uuid]
        end = tail.end

    assert rows == [row.uuid for row in read(str(path), 0, MEGABYTE).rows if row.uuid]
    assert end == len(content)


def test_of_a_long_transcript_the_end_is_read(tmp_path):
    path = tmp_path / "transcript.jsonl"
    path.write_text("".join(row(uuid=f"u{number}") + "\n" for number in range(1_000)))
    size = path.stat().st_size

    tail = read(str(path), 0, 1_000)

    assert tail.end == size
    assert [row.uuid for row in tail.rows] == [
        f"u{1_000 - n}" for n in range(len(tail.rows), 0, -1)
    ]
    assert 5 < len(tail.rows) < 15


def test_a_line_longer_than_the_limit_is_waited_out(tmp_path):
    path = tmp_path / "transcript.jsonl"
    path.write_text(row(content="x" * 5_000))

    assert (read(str(path), 0, 1_000).rows, read(str(path), 0, 1_000).end) == ([], 0)

    path.write_text(row(content="x" * 5_000) + "\n" + row(uuid="u2") + "\n")
    assert [row.uuid for row in read(str(path), 0, 1_000).rows] == ["u2"]


def test_a_transcript_that_was_replaced_is_read_from_its_beginning(tmp_path):
    path = tmp_path / "transcript.jsonl"
    path.write_text(row() + "\n")

    assert len(read(str(path), 10_000, MEGABYTE).rows) == 1


def test_what_is_no_transcript_has_no_rows(tmp_path):
    for path in (tmp_path, tmp_path / "gone", "", "\0"):
        assert transcripts.read("claude-code", str(path), 5, MEGABYTE).rows == []
    assert transcripts.read("another", str(transcript("01a")), 0, MEGABYTE).rows == []


EVERYTHING = b"".join(transcript(number).read_bytes() for number in SITUATIONS)


@given(st.integers(0, len(EVERYTHING)), st.integers(0, len(EVERYTHING)), st.integers(1, 50_000))
def test_a_file_cut_anywhere_is_read(tmp_path_factory, begin, start, limit):
    path = tmp_path_factory.getbasetemp() / "cut.jsonl"
    path.write_bytes(EVERYTHING[begin:])

    tail = read(str(path), start, limit)

    size = len(EVERYTHING) - begin
    assert 0 <= tail.end <= max(size, start)
    assert len(tail.rows) <= EVERYTHING.count(b"\n")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab<", max_size=5) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab<", max_size=5), inner),
    max_leaves=5,
)
FIELDS = [
    "type",
    "uuid",
    "parentUuid",
    "message",
    "origin",
    "promptSource",
    "isMeta",
    "planContent",
    "toolDenialKind",
    "userFeedback",
    "permissionDecision",
    "turnPosition",
    "attachment",
    "operation",
    "content",
]
SORTS = st.sampled_from(["user", "assistant", "attachment", "system", "queue-operation"])


@given(st.dictionaries(st.sampled_from(FIELDS), JSON), SORTS, st.binary(max_size=20))
def test_rows_of_odd_types_are_passed_over(tmp_path_factory, fields, sort, noise):
    path = tmp_path_factory.getbasetemp() / "odd.jsonl"
    odd = {"uuid": "u", "type": sort, **fields}
    content = {**odd, "message": {"content": [fields, {"type": "tool_result", **fields}]}}
    lines = [json.dumps(odd).encode(), json.dumps(content).encode(), noise, row().encode()]
    path.write_bytes(b"\n".join(lines) + b"\n")

    assert read(str(path), 0, MEGABYTE).rows[-1].kind == "unknown"


def test_reading_takes_steps_in_proportion_to_the_file(tmp_path):
    """Counted in lines of Python, not in seconds: a busy machine counts the same."""
    lines = [line for line in EVERYTHING.splitlines() if b"queue-operation" in line]
    chance = random.Random(7)
    small = lines + [line.encode() for line in (row(uuid=f"u{n}") for n in range(200))]
    chance.shuffle(small)
    path = tmp_path / "transcript.jsonl"

    def steps(times):
        path.write_bytes(b"\n".join(small * times) + b"\n")
        return steps_of(lambda: read(str(path), 0, 1 << 30))

    assert steps(8) < 9 * steps(1)


def steps_of(act):
    import sys

    count = 0

    def tracer(*_):
        nonlocal count
        count += 1
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        act()
    finally:
        sys.settrace(before)
    return count


def test_every_word_for_a_turn_is_one_that_a_recording_or_a_line_shows():
    shown = {kind for rows in SPOKEN.values() for kind, _ in rows} | {"sdk", "unknown"}

    assert set(TURNS) <= shown
    assert recordings.prompts("04e") == ["first prompt", "queued draft", "queued draft EDITED"]
