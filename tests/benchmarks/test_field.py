"""The benchmark that plays recorded sessions: what it sends, in which order, and what it writes.

The recordings are made up here, in the layout and with the rows that the real ones have.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# At the end: modules of other tests have names of benchmarks.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import field
from field_events import KILLED, KILLED_EVERY, Choice, Event, Reader, Turn, Turns, together

from holdfast.ledger import queries as ledger
from holdfast.ledger.reader import Reading

BENCHMARKS = Path(field.__file__).parent
RULE = "From now on always run the linter before you commit."
REFUSED = (
    "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user"
    " said:\n"
)
PLAN = "Implement the following plan:\n\n# Plan: never touch the schema\n\nAlways ask first."
needs_clock = pytest.mark.skipif(
    not field.find_library() and "CI" not in os.environ, reason="libfaketime is not installed"
)


class Recorded:
    """A session being written down, a row every ten seconds."""

    def __init__(self, session: str, hour: int, cwd: str = "/home/dev/app") -> None:
        self.session = session
        self.rows: list[dict[str, Any]] = []
        self.turns: list[dict[str, Any]] = []
        self._hour = hour
        self._cwd = cwd

    def row(self, kind: str, **fields: Any) -> dict[str, Any]:
        number = len(self.rows)
        at = f"2026-01-05T{self._hour:02d}:{number // 6:02d}:{number % 6}0.250Z"
        row = {
            "type": kind,
            "uuid": f"{self.session}-{number}",
            "timestamp": at,
            "cwd": self._cwd,
            "gitBranch": "main",
            **fields,
        }
        self.rows.append(row)
        return row

    def user(self, text: str, **fields: Any) -> None:
        row = self.row("user", message={"role": "user", "content": text}, **fields)
        self._turn(text, uuid=row["uuid"])

    def queue(self, text: str) -> None:
        self.row("queue-operation", operation="enqueue", content=text)

    def queued(self, text: str) -> None:
        self.queue(text)
        self._turn(text)

    def agent(self, text: str) -> None:
        self.row("assistant", message={"content": [{"type": "text", "text": text}]})

    def tool(
        self, name: str, given: dict[str, Any], result: Any, *, is_error: bool = False
    ) -> None:
        id_ = f"toolu-{self.session}-{len(self.rows)}"
        use = {"type": "tool_use", "id": id_, "name": name, "input": given}
        self.row("assistant", message={"content": [use]})
        content = result.removeprefix("Error: ") if isinstance(result, str) else "ok"
        said = {"type": "tool_result", "tool_use_id": id_, "content": content}
        said |= {"is_error": is_error}
        self.row("user", message={"content": [said]}, toolUseResult=result)

    def turn_of_last_row(self, text: str) -> None:
        """What the user said through a tool is a turn of its own."""
        self._turn(text, uuid=self.rows[-1]["uuid"])

    def _turn(self, text: str, **fields: str) -> None:
        turn = {"id": f"turn-{self.session}-{len(self.turns)}", "session": self.session}
        self.turns.append({**turn, "text": text, **fields})

    def read(self, choice: Choice | None = None) -> Reader:
        turns = [Turn(t["id"], t["session"], t.get("uuid", ""), t["text"]) for t in self.turns]
        reader = Reader(self.session, Turns(turns), choice or Choice())
        reader.read(self.rows)
        return reader

    def events(self, choice: Choice | None = None) -> list[Event]:
        return self.read(choice).events


def prompts(events: list[Event]) -> list[str]:
    return [event.fields["prompt"] for event in events if event.name == "UserPromptSubmit"]


def names(events: list[Event]) -> list[str]:
    return [event.name for event in events]


def test_a_turn_is_a_prompt_what_the_agent_does_and_a_stop():
    said = Recorded("a", 9)
    said.user("Add a retry to the importer.")
    said.tool("Bash", {"command": "make"}, {"stdout": "ok", "stderr": ""})
    said.tool("Bash", {"command": "make test"}, "Error: Exit code 2\nboom", is_error=True)
    said.agent("Added.")
    said.row("system", subtype="turn_duration")
    said.user("thanks")

    events = said.events()

    assert names(events) == [
        *("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"),
        "UserPromptSubmit",
    ]
    assert events[3].fields["error"] == "Exit code 2\nboom"
    assert events[4].fields["last_assistant_message"] == "Added."
    assert [event.turn for event in events if event.turn] == ["turn-a-0", "turn-a-1"]
    # The transcript ends before the row of the event itself.
    assert [event.rows for event in events] == [0, 0, 2, 4, 6, 7]
    assert events[4].at == events[5].at - 20  # when the agent had answered


def test_a_turn_that_was_interrupted_has_no_stop():
    said = Recorded("a", 9)
    said.user("Add a retry to the importer.")
    said.agent("I will")
    said.user("[Request interrupted by user]")
    said.user("do it differently")

    assert names(said.events()) == ["SessionStart", "UserPromptSubmit", "UserPromptSubmit"]


def test_what_the_client_writes_itself_is_no_prompt():
    said = Recorded("a", 9)
    said.user("Caveat: The messages below were generated by the user", isMeta=True)
    said.user("<command-name>/model</command-name>\n<command-args>opus</command-args>")
    said.user("<local-command-stdout>Set model</local-command-stdout>")
    said.user("<bash-input>git pull</bash-input>")
    said.user("<command-message>ship</command-message>\n<command-name>/ship</command-name>"
              "\n<command-args>to beta</command-args>")  # fmt: skip

    events = said.events()

    assert prompts(events) == ["/ship to beta"]
    assert events[-1].name == "UserPromptExpansion"
    assert events[-1].fields["command_name"] == "ship"


def test_a_call_that_the_user_refused_reaches_a_hook_only_with_the_users_words():
    said = Recorded("a", 9)
    said.user("Add a retry.")
    said.tool("Edit", {}, "User rejected tool use", is_error=True)
    said.tool("Edit", {}, "Error: The user doesn't want to proceed. To tell you how to proceed,"
              " the user said:\nuse the other file", is_error=True)  # fmt: skip

    assert names(said.events())[2:] == ["PostToolBatch", "Stop"]


def test_an_accepted_plan_is_no_prompt_unless_it_is_asked_for():
    said = Recorded("a", 9)
    said.user(PLAN, planContent="# Plan")
    said.agent("Done.")
    said.user("and the docs?")

    assert said.events()[0].source == "clear"
    assert prompts(said.events()) == ["and the docs?"]
    assert prompts(said.events(Choice(plans_as_prompts=True))) == [PLAN, "and the docs?"]


def test_a_queued_prompt_is_sent_once():
    said = Recorded("a", 9)
    said.user("Add a retry to the importer.")
    said.queued("log the attempts as well")
    said.queue("and a test")
    said.agent("Added.")
    said.user("and a test")

    sent = [event for event in said.events() if event.name == "UserPromptSubmit"]

    assert prompts(sent) == [
        *("Add a retry to the importer.", "log the attempts as well", "and a test"),
    ]
    assert [event.turn for event in sent] == ["turn-a-0", "turn-a-1", "turn-a-2"]
    # The absorbed one bears the running turn's number, as in life.
    assert [event.fields["prompt_id"] for event in sent] == ["a-0", "a-0", "a-4"]


def test_only_tools_that_the_user_speaks_through_are_left_when_asked_for():
    said = Recorded("a", 9)
    said.user("Add a retry to the importer.")
    said.tool("Read", {"file_path": "/home/dev/app/a.py"}, {"type": "text"})
    said.tool("Edit", {"file_path": "/home/dev/app/a.py"}, {"filePath": "a.py"})
    said.tool("AskUserQuestion", {"questions": []}, {"answers": {"Which?": "both"}})

    def tools(choice: Choice) -> list[str]:
        events = said.events(choice)
        return [event.fields["tool_name"] for event in events if event.name == "PostToolUse"]

    assert tools(Choice()) == ["Read", "Edit", "AskUserQuestion"]
    assert tools(Choice(looking=False)) == ["Edit", "AskUserQuestion"]
    assert tools(Choice(tools=False)) == ["AskUserQuestion"]


def test_every_seventh_session_is_killed_and_one_that_was_cleared_is_not():
    sessions = []
    for number in range(2 * KILLED_EVERY + 1):
        said = Recorded(f"s{number:02}", number)
        if number == KILLED_EVERY:  # follows the seventh in its process
            said.row("progress", data={"hookName": "SessionStart:clear"})
        said.user("go on")
        sessions.append(said.read())

    events, heirs = together(sessions)

    assert heirs == {"s07": "s06"}
    ends = {event.session: event for event in events if event.name in (KILLED, "SessionEnd")}
    assert [ends[f"s{number:02}"].name for number in (0, 6, 13)] == [
        *("SessionEnd", "SessionEnd", KILLED),
    ]
    assert ends["s06"].fields["reason"] == "clear"
    order = [(event.session, event.name) for event in events]
    assert order.index(("s06", "SessionEnd")) == order.index(("s07", "SessionStart")) - 1


def test_rules_are_found_under_a_heading_however_it_is_worded():
    start = f"""Holdfast keeps this project's continuity.

House RULES of the user's, still in force (2 older ones):
> {RULE}  (2026-01-05 in 0bb9a2d9)
> Never push
> to main.  (2026-01-06, this branch)

Dead ends the user told of (no rules):
> Tried the cache.  (2026-01-06 in 0bb9a2d9)

The user's goal:
> Keep the rule engine small."""

    assert field.rules_told(start) == [RULE, "Never push to main."]
    assert field.rules_told("Project rules\n> Use tabs.\n> Be kind.") == ["Use tabs.", "Be kind."]
    assert field.rules_told("") == []


def test_folders_of_there_are_folders_of_here(tmp_path: Path):
    there = ["/home/dev/app", "/home/dev/app/src", "/home/dev/app/.worktrees/x/fix", "D:\\win"]
    roots = field.Roots([{"cwd": cwd} for cwd in there], tmp_path)

    def here(path: str) -> str:
        return str(json.loads(roots.mapped(json.dumps(path))))

    assert roots.all == [f"{tmp_path}/w/{name}" for name in ("app", "fix", "win")]
    assert here("/home/dev/app/src/a.py") == f"{tmp_path}/w/app/src/a.py"
    assert here("/home/dev/app/.worktrees/x/fix/b.py") == f"{tmp_path}/w/fix/b.py"
    assert here("/home/dev/app-old/a.py") == "/home/dev/app-old/a.py"
    assert here("D:\\win\\src\\a.go:3") == f"{tmp_path}/w/win/src/a.go:3"
    assert roots.unmapped(here("see /home/dev/app/a.py")) == "see /home/dev/app/a.py"
    assert roots.root(f"{tmp_path}/w/app/src") == f"{tmp_path}/w/app"


def test_a_row_in_the_home_folder_makes_it_no_root_of_a_project(tmp_path: Path):
    there = [
        "/home/dev",
        "/home/dev/app",
        "/home/dev/app/src",
        "C:\\Users\\dev",
        "C:\\Users\\dev\\b",
    ]
    roots = field.Roots([{"cwd": cwd} for cwd in there], tmp_path)

    assert roots.all == [f"{tmp_path}/w/{name}" for name in ("dev", "app", "dev-2", "b")]
    assert roots.root(f"{tmp_path}/w/app/src") == f"{tmp_path}/w/app"


def test_sessions_told_of_are_those_whose_words_a_line_quotes():
    rows = [{"type": "user", "message": {"content": "Let the *importer* retry, three times."}}]
    words = field.words_said(rows)
    earlier = {"aaaaaaaa-1": words, "bbbbbbbb-2": words, "cccccccc-3": field.words_said([])}

    def of(*lines: str) -> list[str]:
        return field.sessions_quoted("\n".join(lines), earlier)

    assert of('> 01-05 09:00, aaaaaaaa: "Let the importer retry, three times"') == ["aaaaaaaa-1"]
    assert of("Where it stopped:", "> Let the importer retry", "> x") == ["bbbbbbbb-2"]
    assert of("Let the importer retry", "session cccccccc", "> retry") == []
    assert of("Goes on (session aaaaaaaa, 9Z):", '> stopped: "Retries."') == ["aaaaaaaa-1"]
    assert of("Open here:", "> Let the importer retry (11-18)") == []


def test_a_turn_is_heard_without_a_hook():
    import field_turns

    turn = {"repo": "r", "developer": "d", "branch": "main", "session": "s", "seq": 1, "at": "1"}
    said = {**turn, "id": "t", "origin": "typed", "text": "Add a retry to the importer."}

    (heard,) = field_turns.predictions([said])

    assert heard["goal"].startswith("Add a retry")


def test_without_the_library_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(field, "LIBRARIES", (str(tmp_path / "nowhere"),))
    paths = ["--data", str(tmp_path), "--starts", str(tmp_path), "--predictions", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["field.py", *paths])

    with pytest.raises(SystemExit, match=r"^error: libfaketime.so.1 .*apt-get install faketime"):
        field.main()


def test_what_clocks_left_is_swept_when_its_process_is_long_gone(tmp_path: Path):
    left = {
        "faketime_shm_4194305": True,  # a number that no process has
        "sem.faketime_sem_4194305": True,
        "faketime_shm_4194306": False,  # just now
        f"faketime_shm_{os.getpid()}": False,  # its process is there
        "faketime_notes": False,
    }
    for name in left:
        (tmp_path / name).touch()
        if name != "faketime_shm_4194306":
            os.utime(tmp_path / name, (1_700_000_000, 1_700_000_000))

    field.sweep(tmp_path)

    assert {name: not (tmp_path / name).exists() for name in left} == left


# Through the real hook


def write(data: Path, sessions: list[Recorded]) -> None:
    """A folder of recordings, in the layout that the benchmark reads."""
    (data / "sessions" / "dev+app").mkdir(parents=True)
    index = []
    for said in sessions:
        path = f"sessions/dev+app/{said.session}.jsonl.gz"
        with gzip.open(data / path, "wt", encoding="utf-8") as rows:
            rows.writelines(f"{json.dumps(row)}\n" for row in said.rows)
        about = {"session": said.session, "developer": "dev1", "repository": "dev/app"}
        index.append({**about, "first": said.rows[0]["timestamp"], "file": path})
    (data / "index.json").write_text(json.dumps({"part": "made up", "sessions": index}))
    with gzip.open(data / "prompts.jsonl.gz", "wt", encoding="utf-8") as lines:
        for said in sessions:
            lines.writelines(f"{json.dumps(turn)}\n" for turn in said.turns)


@needs_clock
def test_a_group_that_cannot_be_played_is_named_and_the_others_results_are_kept(tmp_path: Path):
    data = tmp_path / "data"
    sessions = [Recorded(name, hour) for hour, name in enumerate(("whole", "torn", "gone"), 9)]
    for said in sessions:
        said.user("Add a retry to the importer.")
    write(data, sessions)
    index = json.loads((data / "index.json").read_text())
    index["sessions"][1]["developer"] = "dev2"
    (data / "index.json").write_text(json.dumps(index))
    (data / index["sessions"][1]["file"]).write_bytes(b"no archive")
    (data / index["sessions"][2]["file"]).unlink()
    starts = tmp_path / "starts.jsonl"

    done = subprocess.run(
        [
            *(sys.executable, str(BENCHMARKS / "field.py"), "--data", str(data), "--jobs", "1"),
            *("--starts", str(starts), "--predictions", str(tmp_path / "predictions.jsonl")),
        ],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 1
    assert "not played: dev/app, dev2: BadGzipFile" in done.stderr
    assert [json.loads(line)["session"] for line in starts.read_text().splitlines()] == ["whole"]


@needs_clock
def test_what_was_told_and_understood_is_written_as_the_scorer_reads_it(tmp_path: Path):
    first, second, third = Recorded("first", 9), Recorded("second", 10), Recorded("third", 11)
    first.user(f"Add a retry to the importer in src/importer.py. {RULE}")
    first.tool("Write", {"file_path": "/home/dev/app/src/importer.py", "content": "x"}, {})
    first.tool("AskUserQuestion", {"questions": []}, {"answers": {"How often?": "Three times"}})
    first.turn_of_last_row("=> Three times")
    first.tool("Bash", {"command": "make"}, f"Error: {REFUSED}use ninja instead", is_error=True)
    first.turn_of_last_row("use ninja instead")
    first.agent("Added.")
    second.user(PLAN, planContent="# Plan")
    second.agent("Done.")
    third.user("go on")
    write(tmp_path / "data", [first, second, third])
    starts, predictions = tmp_path / "starts.jsonl", tmp_path / "predictions.jsonl"
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    done = subprocess.run(
        [
            *(sys.executable, str(BENCHMARKS / "field.py"), "--data", str(tmp_path / "data")),
            *("--starts", str(starts), "--predictions", str(predictions), "--jobs", "1"),
            "--batches",
        ],
        env={**os.environ, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "failed:" not in done.stderr
    assert "| **all** | 1 | 3 | 13 | 13 | 0 | 0 |" in done.stdout
    told = [json.loads(line) for line in starts.read_text().splitlines()]
    assert [start["session"] for start in told] == ["first", "second", "third"]
    assert set(told[0]) == {"session", "start", "prompt", "tokens", "rules", "sessions"}
    assert [start["sessions"] for start in told[:2]] == [[], ["first"]]
    assert (told[0]["start"], told[0]["tokens"], told[0]["rules"]) == ("", 0, [])
    assert told[1]["rules"] == told[2]["rules"] == [RULE.rstrip(".")]
    assert told[1]["tokens"] > 0
    assert "2026-01-05" in told[1]["start"]  # the time of then
    assert str(scratch) not in json.dumps(told)
    heard = [json.loads(line) for line in predictions.read_text().splitlines()]
    answered, refused = heard.pop(1), heard.pop(1)
    assert (answered["id"], answered["choices"]) == ("turn-first-1", ["Three times"])
    assert (refused["id"], refused["choices"]) == ("turn-first-2", ["use ninja instead"])
    assert [guess["id"] for guess in heard] == ["turn-first-0", "turn-second-0", "turn-third-0"]
    assert heard[0]["rules"] == [{"text": RULE.rstrip("."), "scope": "project"}]
    assert heard[0]["goal"].startswith("Add a retry")
    assert heard[1] == {"id": "turn-second-0", **field.NOTHING}
    assert list(scratch.iterdir()) == []


def test_what_was_read_from_a_row_belongs_to_the_turn_of_that_row(tmp_path: Path):
    def chosen(text: str, row: str, sort: str = "refusal") -> field.Entry:
        body = {"text": text, "sort": sort, "row": row}
        return field.Entry("m", 1, "2026", "p", "s", "a", "choice_made", 1, body)

    played = field.Played("dev/app", "dev1")
    entries = [
        chosen("use ninja", "uuid-1"),
        chosen("use ninja", "uuid-1"),
        chosen("Move to ninja", "uuid-2", "plan"),
        chosen("nowhere", "uuid-3"),
        chosen("seen by the hook", ""),
    ]
    roots = field.Roots([{"cwd": "/home/dev/app"}], tmp_path)

    field.add_chosen(played, entries, {"uuid-1": "turn-1", "uuid-2": "turn-2", "": "turn-3"}, roots)

    assert {id_: guess["choices"] for id_, guess in played.heard.items()} == {
        "turn-1": ["use ninja"]
    }


@needs_clock
def test_a_killed_session_is_not_ended(tmp_path: Path):
    killed, after = Recorded("killed", 9), Recorded("after", 10)
    for said in (killed, after):
        said.user("Add a retry to the importer.")
        said.agent("Added.")
    readers = [killed.read(), after.read()]
    readers[0].end(killed=True)
    readers[1].end(killed=False)
    folder = tmp_path / "machine"
    folder.mkdir()
    roots = field.Roots([*killed.rows, *after.rows], folder)
    events = [
        Event(**{**vars(event), "cwd": roots.mapped(event.cwd)})
        for reader in readers
        for event in reader.events
    ]
    stage = field.Stage(
        folder,
        field.Repository(folder, roots, tmp_path / "none.bundle"),
        {said.session: [json.dumps(row) for row in said.rows] for said in (killed, after)},
        {},
        field.find_library(),
    )

    try:
        failures = [stage.send(event)[1] for event in events]
    finally:
        stage.close()

    assert not any(failures)
    store = Reading(stage.state).store
    kept = [(entry.session, entry.kind, entry.at[:13]) for _, entry in ledger.read(store)]
    store.close()
    assert ("killed", "session_crashed", "2026-01-05T10") in kept
    assert ("after", "session_ended", "2026-01-05T10") in kept
    assert not [each for each in kept if each[:2] == ("killed", "session_ended")]
