"""Threads as a person asks for them: why a session is in one, which to reopen, what to hand on."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import refused, run, told, typed

from conftest import Door, git
from scenarios.story import A, B, C, D, Story

RETRY = "Let fetch.py retry three times when the gateway answers 503"
RETRIED = "The fetcher retries three times now. The backoff of the gateway is still fixed."
EXPORT = "Write the invoices of a quarter as CSV, with a column for the currency"
EXPORTED = "invoices.csv has its currency column. Do you want the totals rounded?"


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    """Two threads on main: the invoices a day ago, then the retries."""
    story = Story(door, repo, tmp_path)
    work(story, A, EXPORT, EXPORTED, hours=30.0)
    work(story, B, RETRY, RETRIED, hours=3.0)
    story.read("somebody", "README.md")  # takes the past in
    return story


def work(story: Story, session: str, task: str, stopped: str, hours: float = 1.0) -> None:
    story.begin(session, hours=hours)
    story.say(session, task, hours=hours)
    story.edit(session, f"src/{session[0]}.py", hours=hours)
    story.stop(session, stopped, hours=hours)
    story.end(session, hours=hours)


def goes_on(story: Story) -> None:
    """A third session goes on with the invoices."""
    story.begin(C)
    story.say(C, "go on with the currency column of the invoices")


@pytest.mark.promise("T2")
def test_why_a_session_is_in_a_thread_is_told_with_its_strength_and_its_facts(story):
    goes_on(story)
    (kept,) = story.bodies("thread_linked", C)

    shown = told(story.repo, "threads", "why", C[:8])["thread"]

    first, last = shown["sessions"]
    assert (shown["id"], last["session"], last["reason"], last["facts"]) == (A, A, "", [])
    assert {"session": C, "reason": "words", "permille": kept["permille"]}.items() <= first.items()
    assert first["facts"] == kept["facts"] != []
    lines = run(story.repo, "threads", "show", A).stdout
    assert f"(by the words of its first prompt, {kept['permille'] / 1000:.2f}: " in lines
    assert "open: " in lines
    assert told(story.repo, "threads", "show", A)["thread"] == shown
    assert "no thread" in refused(run(story.repo, "threads", "why", "zzzzzz"))


def stands(story: Story, thread: str) -> tuple[str, str]:
    shown = told(story.repo, "threads", "show", thread)["thread"]
    return shown["state"], shown["why"]


@pytest.mark.promise("T3")
def test_what_a_person_closes_is_done_until_something_is_asked_in_it_again(story):
    assert stands(story, A) == ("open", "the agent asked something")

    typed(story.repo, "threads", "close", A[:8])

    assert stands(story, A) == ("done", "closed by hand")
    typed(story.repo, "threads", "reopen", A[:8])
    assert stands(story, A)[0] == "open"
    typed(story.repo, "threads", "close", A[:8])
    goes_on(story)
    story.stop(C, "The column is there. Shall I commit it?")
    story.read("somebody", "README.md")
    assert stands(story, A) == ("open", "the agent asked something")
    story.ends_well()


def offered(story: Story, *words: str) -> list[tuple[str, str, str]]:
    """What `resume` offers: thread, session, and the first reason."""
    rows = told(story.repo, "resume", *words)["threads"]
    return [(each["thread"]["id"], each["session"], each["why"][0]) for each in rows]


@pytest.mark.promise("T1")
def test_what_facts_point_to_is_offered_first_with_how_to_reopen_it(story):
    goes_on(story)
    story.crash(C)
    git(story.repo, "switch", "-q", "-c", "logo")
    work(story, D, "Draw the logo of the shop in blue", "It is blue.", hours=2.0)
    story.read("somebody", "README.md")
    (story.repo / "src").mkdir()
    (story.repo / "src" / "b.py").write_text("changed")

    assert offered(story) == [
        (A, C, "crashed"),
        (B, B, "its files are not committed"),
        (D, D, "its branch is checked out"),
    ]
    shown = run(story.repo, "resume").stdout
    assert "its files are not committed" in shown
    assert f"ago: claude --resume {C}" in shown
    story.ends_well()


@pytest.mark.promise("T1")
def test_words_offer_the_thread_that_they_name_whatever_the_branch(story):
    git(story.repo, "switch", "-q", "-c", "logo")
    work(story, D, "Draw the logo of the shop in blue", "It is blue.", hours=2.0)
    story.read("somebody", "README.md")

    assert offered(story, "currency", "column")[0][:2] == (A, A)
    assert offered(story, "the gateway retries")[0][:2] == (B, B)
    assert offered(story, "zeppelin") == []
    assert "No thread of work here has these words" in run(story.repo, "resume", "zeppelin").stdout


@pytest.mark.promise("C14")
def test_the_handoff_of_a_thread_has_what_all_its_sessions_chose_committed_and_left(story):
    git(story.repo, "switch", "-q", "-c", "retries")
    story.begin(C)
    story.say(C, "go on with the retries of the gateway in fetch.py")
    question = {"question": "Which backoff?", "options": []}
    story.tell(
        "PostToolUse",
        C,
        tool_name="AskUserQuestion",
        tool_input={"questions": [question]},
        tool_response={"answers": {"Which backoff?": "Exponential"}},
    )
    story.run(C, "git commit -m x", "[retries 0123abc] Let the backoff grow\n 1 file changed")
    story.plan(C, "Test the backoff")
    story.stop(C, "The backoff grows. The test is still missing.")
    story.say(C, "thanks")
    story.stop(C, "You are welcome.")

    shown = told(story.repo, "handoff", B[:8])
    page = run(story.repo, "handoff", C).stdout

    thread = shown["thread"]
    assert (thread["title"], thread["state"]) == (RETRY, "open")
    assert [each["session"] for each in thread["sessions"]] == [C, B]
    assert thread["resume"] == f"claude --resume {C}"
    assert thread["commits"] == ["0123abc Let the backoff grow"]
    assert thread["branches"] == ["retries", "main"]
    assert thread["files"] == ["src/b.py"]
    assert ["Q: Which backoff? A: Exponential" in each for each in thread["choices"]] == [True]
    assert (shown["session_id"], shown["next_steps"]) == (C, ["Test the backoff"])
    assert told(story.repo, "handoff")["thread"] == thread
    assert "thread" not in told(story.repo, "handoff", "--session", C)
    for part in (f"> {RETRY}", "Open: 1 left on the agent's list; 2 sessions.", "## Next steps"):
        assert part in page
    assert "## Choices of the thread\n\n- Q: Which backoff? A: Exponential" in page
    assert page.rstrip().endswith(f"To go on in its session: `claude --resume {C}`.")
    assert "no thread" in refused(run(story.repo, "handoff", "zzzzzz"))
    assert "not both" in refused(run(story.repo, "handoff", B, "--session", B), 2)


@pytest.mark.promise("T2")
def test_each_line_of_a_start_is_told_with_what_it_stands_on_and_the_thread_with_its_reason(story):
    git(story.repo, "switch", "-q", "-c", "logo")
    work(story, D, "Draw the logo of the shop in blue", "It is blue.", hours=2.0)
    story.read("somebody", "README.md")
    typed(story.repo, "rules", "add", "Never use red")

    parts = told(story.repo, "brief", "--why")["parts"]

    (thread,) = [each for each in parts if "Draw the logo" in each["text"]]
    assert [each["sort"] for each in thread["sources"]] == ["session", "thread", "link"]
    because = thread["sources"][2]["text"]
    assert (because[:19], because[-6:]) == ("on the same branch,", ": logo")
    (rules,) = [each for each in parts if "> Never use red" in each["text"]]
    assert {each["sort"] for each in rules["sources"]} == {"rule"}
    assert all(each["sources"] for each in parts if "> " in each["text"])
    shown = run(story.repo, "brief", "--why").stdout
    assert f"  <- link: {because}" in shown
    assert "parts" not in told(story.repo, "brief")


@pytest.mark.promise("T2")
def test_an_agent_points_at_a_thread_by_what_the_user_typed_and_a_person_wins(story):
    story.begin(C)
    story.say(C, "Draw the logo of the shop in blue")
    inside = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": C}

    def point(words: str) -> str:
        return told(story.repo, "remember", "--thread", words, **inside)["remembered"]["id"]

    def thread_of_c() -> str:
        return told(story.repo, "threads", "why", C)["thread"]["id"]

    for words in ("the logo of the shop", "delete the whole shop", "zzzzzz"):
        refused(run(story.repo, "remember", "--thread", words, **inside))
    assert thread_of_c() == C
    assert (point("a column for the currency"), thread_of_c()) == (A, A)
    (link,) = story.bodies("thread_linked", C)
    assert (link["author"], link["facts"]) == ("agent", ["a column for the currency"])
    assert "an agent pointed at it, 1.00: a column" in run(story.repo, "threads", "why", C).stdout
    assert (point(B[:8]), thread_of_c()) == (B, B)
    assert typed(story.repo, "threads", "split", C).returncode == 0
    assert "the user has said" in refused(run(story.repo, "remember", "--thread", A, **inside))
    assert thread_of_c() == C
    story.ends_well()
