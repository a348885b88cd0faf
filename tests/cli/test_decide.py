"""Decisions by command: what is kept can be read again, and what cannot be read is not kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import refused, run, told, typed, typed_and_told

from conftest import git
from holdfast.setup import install
from law import assert_replay_law
from scenarios.story import A, Story

FETCH = "import os\n\n\ndef fetch(url, timeout=30):\n    return get(url, timeout)\n"
SECRET = "ghp_" + "a1B2" * 9  # shaped like a token, and nobody's


@pytest.fixture
def at_work(story: Story) -> Story:
    (story.repo / "fetch.py").write_text(FETCH)
    git(story.repo, "add", ".")
    git(story.repo, "commit", "-q", "-m", "Fetch")
    story.begin(A)
    return story


def decide(story: Story, text: str, *more: str) -> dict:
    return told(story.repo, "decide", text, *more)["decision"]


def listed(story: Story, *more: str) -> list[tuple[str, str]]:
    found = told(story.repo, "decisions", *more)["decisions"]
    return [(one["text"], one["standing"]) for one in found]


@pytest.mark.promise("D1")
def test_a_decision_is_kept_with_all_that_was_said_of_it(at_work, state):
    made = decide(
        at_work,
        "Thirty seconds are enough",
        *("--because", "the slowest answer took 12", "--evidence", "fetch.py:4"),
        *("--evidence", "fetch.py", "--quote", "", "--quote", "return get(url, timeout)"),
        *("--scenario", "happy_path:fast: no wait: at all", "--scenario", "edge_case:slow:waits"),
    )

    shown = told(at_work.repo, "decision", "show", made["id"][:6])["decision"]
    assert shown == made
    assert (made["session"], made["source"], made["because"]) == (
        A,
        "agent",
        "the slowest answer took 12",
    )
    assert [(one["path"], one["line"], one["standing"]) for one in made["evidence"]] == [
        ("fetch.py", 4, "grounded"),
        ("fetch.py", 5, "grounded"),
    ]
    assert made["scenarios"][0] == {
        "kind": "happy_path",
        "name": "fast",
        "expected": "no wait: at all",
    }
    assert "def fetch(url, timeout=30):" in run(at_work.repo, "decision", "show", made["id"]).stdout
    assert_replay_law(state, at_work.repo)


@pytest.mark.promise("D1")
@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--evidence", "none.py:1"], "does not exist, or is not a text file"),
        (["--evidence", "fetch.py:99"], "no line 99"),
        (["--evidence", "fetch.py:4", "--quote", "timeout=60"], "does not say that"),
    ],
)
def test_bad_evidence_stops_a_decision_unless_it_may_be_unsupported(at_work, more, said):
    assert said in refused(run(at_work.repo, "decide", "Wait", *more))
    assert listed(at_work) == []

    kept = told(at_work.repo, "decide", "Wait", *more, "--unsupported")
    assert (kept["decision"]["standing"], kept["decision"]["evidence"]) == ("unsupported", [])
    assert said in kept["left_out"][0]


@pytest.mark.parametrize(
    "words",
    [
        ["decide"],
        ["decide", "x", "--scenario", "happy_path:name"],
        ["decide", "x", "--quote", "y"],
        ["decision", "show"],
        ["decision", "ask"],
        ["decision", "open", "x"],
        ["cite", "x"],
        ["cite", "x", "--assumption", "--user"],
    ],
)
def test_misuse_is_told_apart_from_what_can_be_mended(at_work, words):
    refused(run(at_work.repo, *words), code=2)
    assert listed(at_work) == []


def test_an_id_of_too_few_characters_is_answered_with_how_many_it_takes(at_work):
    decision = refused(run(at_work.repo, "decision", "show", "abc"))
    pin = refused(run(at_work.repo, "unpin", "abc"))

    assert "abc is too short: give at least 4 characters of a decision's id" in decision
    assert "abc is too short: give at least 4 characters of a pin's id" in pin


@pytest.mark.promise("D1")
def test_a_person_at_a_terminal_decides_as_a_person_and_an_agent_as_an_agent(at_work):
    assert typed_and_told(at_work.repo, "decide", "use uv")["decision"]["source"] == "person"
    assert decide(at_work, "log to stderr")["source"] == "agent"
    inside = typed(at_work.repo, "decide", "plain names", "--json", CLAUDE_CODE_SESSION_ID=A)
    assert '"source": "agent"' in inside.stdout


@pytest.mark.promise("D1")
def test_a_better_decision_takes_the_place_of_one_in_force(at_work):
    old = decide(at_work, "Thirty seconds", "--evidence", "fetch.py:4")
    new = told(at_work.repo, "supersede", old["id"][:5], "Sixty seconds")["decision"]

    assert listed(at_work) == [("Sixty seconds", "unsupported")]
    assert len(listed(at_work, "--all")) == 2
    assert new["supersedes"] == old["id"]
    assert "superseded by" in refused(run(at_work.repo, "supersede", old["id"], "Ninety seconds"))
    assert "no decision" in refused(run(at_work.repo, "supersede", "ffffffff0000", "x"))


@pytest.mark.promise("D2")
def test_decisions_are_judged_by_opening_the_files(at_work):
    decide(at_work, "Thirty seconds", "--evidence", "fetch.py:4")
    fetch = at_work.repo / "fetch.py"
    assert listed(at_work) == [("Thirty seconds", "grounded")]

    fetch.write_text(f"# new\n{FETCH}")
    assert listed(at_work) == [("Thirty seconds", "moved")]
    assert run(at_work.repo, "decisions", "--check").returncode == 0
    fetch.write_text(FETCH.replace("30", "60"))
    assert listed(at_work) == [("Thirty seconds", "broken")]
    assert run(at_work.repo, "decisions", "--check").returncode == 1
    first, where, see = run(at_work.repo, "decisions").stdout.splitlines()
    assert "BROKEN" in first
    assert where.startswith("          fetch.py:4: ")
    assert see.startswith(f"`holdfast decisions show {first[2:8]}` shows what was quoted")
    assert listed(at_work, "--at", "HEAD") == [("Thirty seconds", "grounded")]
    assert "no commit nowhere" in refused(run(at_work.repo, "decisions", "--at", "nowhere"))


@pytest.mark.promise("D2")
def test_the_ratio_names_each_claim_without_ground(at_work):
    assert "no claims" in run(at_work.repo, "ground").stdout
    assert told(at_work.repo, "ground")["ratio"] is None
    told(at_work.repo, "cite", "it waits 30 s", "--evidence", "fetch.py:4", "--quote", "timeout=30")
    told(at_work.repo, "cite", "they want json", "--user")
    told(at_work.repo, "cite", "it is fast", "--assumption")

    done = run(at_work.repo, "ground")
    assert done.returncode == 1
    assert "0.66: 2 of 3" in done.stdout
    assert "it is fast  (an assumption)" in done.stdout
    assert "they want json" not in done.stdout
    (at_work.repo / "fetch.py").write_text("import os\n")
    assert "it waits 30 s  (fetch.py:4: the quote is gone)" in run(at_work.repo, "ground").stdout
    at_head = run(at_work.repo, "ground", "--at", "HEAD", "--session", A)
    assert "it waits" not in at_head.stdout


@pytest.mark.promise("D2")
def test_the_threshold_and_the_mode_are_settings(at_work):
    told(at_work.repo, "cite", "it is fast", "--assumption")

    assert run(at_work.repo, "ground").returncode == 1
    assert run(at_work.repo, "ground", HOLDFAST_GROUNDING_MODE="off").returncode == 0
    assert run(at_work.repo, "ground", HOLDFAST_GROUNDING_THRESHOLD="0").returncode == 0


@pytest.mark.promise("D1")
def test_what_is_open_is_listed_until_it_is_resolved(at_work):
    asked = told(at_work.repo, "decision", "ask", "per client?")["item"]
    told(at_work.repo, "decision", "next", "write the test")
    told(at_work.repo, "decision", "block", "no key")

    found = told(at_work.repo, "decision", "open")["open"]
    assert [(one["sort"], one["text"]) for one in found] == [
        ("question", "per client?"),
        ("next_step", "write the test"),
        ("blocker", "no key"),
    ]
    told(at_work.repo, "decision", "resolve", asked["id"][:6], "no")
    assert len(told(at_work.repo, "decision", "open")["open"]) == 2
    assert "no open item" in refused(run(at_work.repo, "decision", "resolve", asked["id"]))


def test_no_secret_is_kept_with_a_decision(at_work, state):
    (at_work.repo / "keys.py").write_text(f'api = connect(token="{SECRET}", retries=3)\n')
    made = decide(at_work, f"never print {SECRET}", "--evidence", "keys.py:1")

    assert made["standing"] == "grounded"
    for path in Path(state).rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes()


def test_a_decision_can_be_made_before_any_session(repo, state):
    install.install(state, install.settings_path(repo))
    (repo / "fetch.py").write_text(FETCH)

    done = run(repo, "decide", "Thirty seconds", "--evidence", "fetch.py:4")
    assert (done.returncode, done.stderr) == (0, "")
    assert "● " in run(repo, "decisions").stdout
    assert told(repo, "decisions")["decisions"][0]["session"] == ""
