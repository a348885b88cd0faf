"""A file that is damaged, cut short or somebody else's is refused, and nothing is changed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from exit.leaving import A, data, holdfast, signed, snapshot
from holdfast.errors import EntryRefused
from holdfast.ledger import export
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import archive, queries as sessions
from holdfast.system import clock, files, jsontext, paths

pytestmark = pytest.mark.promise("O3")


EXPORT: list[str] = []  # made once: it is text, and no test changes it


@pytest.fixture
def lines(request) -> list[str]:
    if not EXPORT:
        EXPORT.extend(request.getfixturevalue("an_export"))
    return list(EXPORT)


@pytest.fixture
def an_export(door, repo, state) -> list[str]:
    """An export: a session with two prompts, archived, and all that names its project."""
    door.send("SessionStart.startup", session_id=A)
    for number in (1, 2):
        door.send("UserPromptSubmit", session_id=A, prompt=f"Draw {number}", prompt_id=f"p{number}")
    door.send("SessionEnd.other", session_id=A)
    workspace = Workspace(state)
    archive.archive(workspace, sessions.find(workspace.store, A), now=clock.now())
    workspace.store.close()
    return holdfast(repo, "export").stdout.splitlines()


def told(lines: list[str], number: int, **changes: object) -> list[str]:
    """The lines with one of them told otherwise, and signed as if it had been kept so."""
    return [*lines[:number], signed({**json.loads(lines[number]), **changes}), *lines[number + 1 :]]


def of_kind(lines: list[str], kind: str) -> int:
    return next(n for n, line in enumerate(lines) if json.loads(line).get("kind") == kind)


def body_of(lines: list[str], kind: str, **changes: object) -> list[str]:
    number = of_kind(lines, kind)
    return told(lines, number, body={**json.loads(lines[number])["body"], **changes})


def header_of(lines: list[str], **changes: object) -> list[str]:
    return [json.dumps({**json.loads(lines[0]), **changes}), *lines[1:]]


DAMAGES = {
    "empty": lambda lines: [],
    "another program's": lambda lines: ['{"type": "user"}', *lines[1:]],
    "no JSON": lambda lines: ["hello", "world"],
    "a list": lambda lines: ["[]", *lines[1:]],
    "of the future": lambda lines: header_of(lines, version=2),
    "without a count": lambda lines: header_of(lines, entries=None),
    "a line too few": lambda lines: lines[:-1],
    "a line too many": lambda lines: [*lines, lines[-1]],
    "a line gone": lambda lines: [*lines[:3], *lines[4:]],
    "cut in a line": lambda lines: [*lines[:-1], lines[-1][:-20]],
    "a blank line": lambda lines: [lines[0], "", *lines[1:]],
    "another text": lambda lines: [line.replace("Draw 1", "Draw 3") for line in lines],
    "another time": lambda lines: [line.replace('"at":"2', '"at":"3') for line in lines],
    "another number": lambda lines: [line.replace('"seq":3', '"seq":99') for line in lines],
    "a field more": lambda lines: [*lines[:2], lines[2][:-1] + ',"x":1}', *lines[3:]],
    "no salt": lambda lines: [*lines[:2], lines[2].replace('"salt":"', '"sal":"'), *lines[3:]],
    "half a salt": lambda lines: [line.replace('"salt":"', '"salt":"z') for line in lines],
    "an unknown kind": lambda lines: told(lines, 1, kind="teapot"),
    "a newer shape": lambda lines: told(lines, 1, version=9),
    "a body of another shape": lambda lines: body_of(lines, "prompt_given", prompt=1),
    "a body with more": lambda lines: body_of(lines, "prompt_given", more="x"),
    "no time": lambda lines: told(lines, 1, at="soon"),
    "number zero": lambda lines: told(lines, 1, seq=0),
    "a number as text": lambda lines: told(lines, 1, seq="1"),
    "half a character": lambda lines: [line.replace("Draw 1", "Draw \\ud800") for line in lines],
    "a zero byte": lambda lines: body_of(lines, "prompt_given", prompt="\x00"),
    "a zero byte in a text": lambda lines: told(lines, 1, body='{"name":"\\u0000","root":"/"}'),
    "no number": lambda lines: told(lines, 1, body='{"name": NaN, "root": "/"}'),
    "a huge number": lambda lines: (
        body_of(lines, "tool_used", duration_ms=1 << 70)
        if any('"tool_used"' in line for line in lines)
        else body_of(lines, "session_began", context_tokens=1 << 70)
    ),
    "a file elsewhere": lambda lines: body_of(lines, "session_archived", file="../../x"),
    "a row of another": lambda lines: body_of(
        lines, "session_archived", session={**_row(lines), "id": "another"}
    ),
    "a row that lacks": lambda lines: body_of(lines, "session_archived", session={"id": A}),
    "a row of rows": lambda lines: body_of(
        lines, "session_archived", session={**_row(lines), "branch": ["x"]}
    ),
}


def _row(lines: list[str]) -> dict:
    return json.loads(lines[of_kind(lines, "session_archived")])["body"]["session"]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_is_not_right_is_refused_and_changes_nothing(lines, state, damage):
    said = "".join(f"{line}\n" for line in DAMAGES[damage](lines)).encode("utf-8")
    assert said != "".join(f"{line}\n" for line in lines).encode()
    elsewhere = f"{state}-elsewhere/holdfast"
    workspace = Workspace(elsewhere)

    with pytest.raises(EntryRefused) as refusal:
        export.take_in(workspace, export.read(said.splitlines(keepends=True)))

    assert refusal.value.hint == "nothing was imported"
    assert workspace.store.value("select count(*) from entries") == 0
    assert files.names_in(paths.archives(elsewhere)) == []


@pytest.mark.parametrize("damage", ["empty", "cut in a line", "another text", "a row that lacks"])
def test_a_refusal_is_one_line_and_a_hint_and_changes_no_byte(
    an_export, repo, state, damage, tmp_path
):
    before = snapshot(state)
    said = "\n".join(DAMAGES[damage](an_export)).encode()
    elsewhere = str(tmp_path / "elsewhere" / "holdfast")

    done = holdfast(repo, "import", "-", said=said)  # whose entries are all here
    there = holdfast(repo, "import", "-", said=said, HOLDFAST_STATE_HOME=elsewhere)

    assert there.returncode == 1
    assert [line[:6] for line in there.stderr.splitlines()] == ["error:", "hint: "]
    if damage == "another text":
        number = next(n for n, line in enumerate(an_export, 1) if "Draw 1" in line)
        assert f"line {number}: the body is damaged" in done.stderr
    assert snapshot(state) == before


def test_a_file_that_is_not_there_is_an_error_and_makes_nothing(repo, state):
    done = holdfast(repo, "import", "nowhere.jsonl")

    assert done.returncode == 1
    assert not Path(state).exists()


def test_no_single_changed_byte_passes_unseen(lines):
    """Every byte counts, but for those that say nothing: the first line's remarks."""
    whole = "\n".join(lines[1:]).encode()
    chance = random.Random(7)
    for place in [chance.randrange(len(whole)) for _ in range(400)]:
        changed = bytearray(whole)
        changed[place] ^= 1 << chance.randrange(8)
        said = [lines[0].encode(), *bytes(changed).split(b"\n")]
        try:
            taken = export.read(said)
        except EntryRefused:
            continue
        assert [line[1:] for line in taken] == [
            line[1:] for line in export.read(line.encode() for line in lines)
        ], (place, bytes(changed[place - 20 : place + 20]))


def test_what_nobody_said_is_not_taken_for_archived(lines, repo, tmp_path):
    """The mark of an archive is not signed: without it the text comes into the store itself."""
    plain = []
    for line in lines:
        said = json.loads(line)
        said.pop("archived", None)
        plain.append(jsontext.dumps(said))
    elsewhere = str(tmp_path / "elsewhere" / "holdfast")

    done = holdfast(
        repo, "import", "-", said="\n".join(plain).encode(), HOLDFAST_STATE_HOME=elsewhere
    )

    assert done.returncode == 1
    assert "archived there is kept here" in done.stdout
    found = data(repo, "sessions", "--all", HOLDFAST_STATE_HOME=elsewhere)["sessions"]
    assert [(one["id"], one["archived"]) for one in found] == [(A, False)]
