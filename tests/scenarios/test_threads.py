"""Threads of work: a session is told of the work that it goes on with, by facts or by its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents import recordings
from cli.terminal import typed
from conftest import Door, git
from holdfast.rooms.threads.queries import FILED
from scenarios.story import A, B, C, D, Story

pytestmark = [pytest.mark.promise("T1"), pytest.mark.promise("T2")]
HERE, NAMED = "This goes on with earlier work", "Earlier work on this"
OPEN = "Open here"
RETRY = "Let fetch.py retry three times when the gateway answers 503"
RETRIED = "The fetcher retries three times now. The backoff of the gateway is still fixed."
EXPORT = "Write the invoices of a quarter as CSV, with a column for the currency"
REVIEW = "Review the newest pull request, and say in one word whether it is good to merge:"
EXPORTED = "invoices.csv has its currency column. Do you want the totals rounded?"


@pytest.fixture
def story(door: Door, repo: Path, tmp_path: Path) -> Story:
    return Story(door, repo, tmp_path)


def work(story: Story, session: str, task: str, stopped: str, hours: float = 1.0) -> str:
    """A session with one prompt; what it was told."""
    told = story.begin(session, hours=hours)
    told += story.say(session, task, hours=hours)
    story.edit(session, "src/fetch.py", hours=hours)
    story.stop(session, stopped, hours=hours)
    story.end(session, hours=hours)
    return told


def leave_uncommitted(story: Story) -> None:
    """A session on main, a day ago, with a file that is not committed."""
    (story.repo / "README.md").write_text("changed\n")
    story.begin(A, hours=30.0)
    story.say(A, EXPORT, hours=30.0)
    story.edit(A, "README.md", hours=30.0)
    story.stop(A, EXPORTED, hours=30.0)
    story.end(A, hours=30.0)


def quoted(told: str, title: str) -> list[str]:
    """The lines that are quoted under a line."""
    return told.partition(title)[2].partition("\n\n")[0].splitlines()[1:]


@pytest.mark.promise("T4")
@pytest.mark.parametrize("hours", [5 / 60, 20.0, 30 * 24.0])
def test_on_a_branch_of_its_own_the_work_there_is_told(story, hours):
    git(story.repo, "switch", "-q", "-c", "retry")
    work(story, A, RETRY, RETRIED, hours)
    story.read("somebody", "README.md")

    assert quoted(story.begin(B), HERE) == [f'> asked: "{RETRY}"', f'> stopped: "{RETRIED}"']
    (link,) = story.bodies("thread_linked", B)
    assert link["permille"] > FILED
    assert (link["thread"], link["reason"], link["facts"]) == (A, "branch", ["retry"])
    story.ends_well()


@pytest.mark.promise("T3")
@pytest.mark.promise("T4")
def test_on_a_branch_that_all_share_open_work_is_told_by_title_and_done_work_not(story):
    work(story, A, EXPORT, EXPORTED, 9.0)
    work(story, B, "Mend the typo in the README", "The typo is gone.", 5.0)
    for number in range(7):
        work(story, f"{number}{D[1:]}", f"Bump dependency {number}", "Bumped.", 4.0)

    told = story.begin(C)

    assert len(quoted(told, OPEN)) == 1
    assert EXPORT[:40] in quoted(told, OPEN)[0]
    assert HERE not in told
    story.ends_well()


@pytest.mark.promise("T5")
def test_the_words_of_the_first_prompt_name_the_work_among_others(story):
    work(story, A, EXPORT, EXPORTED, 30.0)
    work(story, B, RETRY, RETRIED, 3.0)
    story.begin(C)

    told = story.say(C, "go on with the currency column of the invoices")

    assert quoted(told, NAMED) == [f'> asked: "{EXPORT}"', f'> stopped: "{EXPORTED}"']
    assert NAMED not in story.say(C, "and the currency of the invoices of last year")
    story.ends_well()


@pytest.mark.promise("T3")
@pytest.mark.promise("T4")
def test_a_new_file_that_is_not_committed_leaves_its_thread_open_and_one_that_git_ignores_not(
    story,
):
    (story.repo / ".gitignore").write_text("scratch.txt\n")
    git(story.repo, "add", ".gitignore")
    git(story.repo, "commit", "-q", "-m", "Ignore")
    for session, task, name, after in (
        (A, EXPORT, "scratch.txt", C),
        (B, "Fix the retries of the gateway in fetch.py", "fetch.py", D),
    ):
        story.begin(session)
        story.say(session, task)
        (story.repo / name).write_text("new\n")
        given = {"file_path": f"{story.repo}/{name}", "content": "new\n"}
        made = {"type": "create", "filePath": given["file_path"], "content": "new\n"}
        story.tell(
            *("PostToolUse", session), tool_name="Write", tool_input=given, tool_response=made
        )
        story.stop(session, "It is there.")
        story.end(session)
        told = story.begin(after)
        assert (HERE in told, OPEN in told) == (name == "fetch.py", False)
        story.end(after)

    assert '> asked: "Fix the retries of the gateway in fetch.py"' in told
    assert story.bodies("thread_linked", D)[0]["permille"] < FILED
    story.ends_well()


@pytest.mark.promise("T4")
def test_open_work_is_told_by_title_beside_the_thread_that_goes_on(story):
    leave_uncommitted(story)
    story.begin(B, hours=2.0)
    story.say(B, RETRY, hours=2.0)
    story.fail(B, "pytest -q", "Exit code 1\nE   assert 4 == 3", hours=2.0)
    story.stop(B, RETRIED, hours=2.0)
    story.end(B, hours=2.0)

    told = story.begin(C)

    assert HERE in told
    assert len(quoted(told, OPEN)) == 1
    story.ends_well()


@pytest.mark.promise("T4")
@pytest.mark.promise("T5")
def test_the_files_told_are_those_most_worked_on_and_those_that_a_prompt_names(story):
    git(story.repo, "switch", "-q", "-c", "retry")
    story.begin(A, hours=9.0)
    story.say(A, RETRY, hours=9.0)
    for name in "abacbdxe":
        story.edit(A, f"src/{'gateway' if name == 'x' else name}.py", hours=9.0)
    story.stop(A, RETRIED, hours=9.0)
    story.end(A, hours=9.0)

    assert "; changed src/b.py, src/a.py):" in story.begin(B)
    git(story.repo, "switch", "-q", "main")
    story.begin(C)
    assert "; changed src/gateway.py, src/b.py):" in story.say(C, "go on with the gateway retries")
    story.ends_well()


@pytest.mark.promise("T5")
def test_who_names_earlier_work_is_told_of_that_and_not_of_the_latest(story):
    work(story, A, RETRY, RETRIED, 30.0)
    for number, task in enumerate((EXPORT, "Draw the logo in blue", "Bump the linter")):
        work(story, f"{number}{D[1:]}", task, "Done.", 3.0 - number)
    story.begin(C)

    told = story.say(C, "go on with the retry work")

    assert quoted(told, NAMED)[0] == f'> asked: "{RETRY}"'
    story.ends_well()


@pytest.mark.promise("T5")
def test_a_later_prompt_that_goes_on_with_other_work_is_told_of_its_thread(story):
    work(story, A, EXPORT, EXPORTED, 30.0)
    story.begin(C)
    assert story.say(C, "Draw the logo of the shop in blue") == ""
    story.stop(C, "The logo is blue now.")

    told = story.say(C, "Back to the invoices: add the totals to their currency column")

    assert quoted(told, NAMED)[0] == f'> asked: "{EXPORT}"'
    assert NAMED not in story.say(C, "Back to the invoices: round the currency column")
    threads = story.holdfast("threads", "--all")["threads"]
    assert {each["id"]: len(each["sessions"]) for each in threads} == {A: 1, C: 1}
    story.ends_well()


@pytest.mark.promise("T5")
@pytest.mark.parametrize("prompt", ["Looks good, continue with step 2", "Back to the left, please"])
def test_a_later_prompt_that_goes_on_with_its_own_work_names_no_other(story, prompt):
    work(story, A, EXPORT, EXPORTED, 30.0)
    story.begin(C)
    story.say(C, RETRY)
    story.stop(C, RETRIED)

    assert NAMED not in story.say(C, prompt)
    assert story.bodies("thread_linked", C) == []
    story.ends_well()


@pytest.mark.promise("T2")
def test_a_first_prompt_about_something_else_leaves_the_thread_of_a_file_and_not_a_persons(story):
    leave_uncommitted(story)
    assert HERE in story.begin(B)
    story.say(B, RETRY)
    story.end(B)
    typed(story.repo, "sessions", "continue", A[:8])

    story.begin(C)
    story.say(C, RETRY)

    ends = [story.bodies("thread_linked", session)[-1]["reason"] for session in (B, C)]
    assert ends == ["another task", "named"]
    story.ends_well()


@pytest.mark.promise("T4")
def test_a_list_is_open_work_until_a_session_that_was_told_of_it_worked_on(story):
    story.begin(A, hours=30.0)
    story.say(A, EXPORT, hours=30.0)
    story.plan(A, "Write the column", "Test the column", hours=30.0)
    story.stop(A, "The column is there.", hours=30.0)
    story.end(A, hours=30.0)
    assert f'> asked: "{EXPORT}"' in story.begin(B)
    story.say(B, "Draw the logo of the shop in blue, with a thin white border")
    story.end(B)
    assert EXPORT[:40] in story.begin(C)
    story.end(C)

    story.edit(B, "logo.svg")

    assert EXPORT[:40] not in story.begin(D)
    story.ends_well()


@pytest.mark.promise("T6")
def test_a_list_is_left_until_a_later_session_changes_the_same_files(story):
    git(story.repo, "switch", "-q", "-c", "retry")
    story.begin(A, hours=9.0)
    story.say(A, RETRY, hours=9.0)
    story.plan(A, "Write the retry", "Test the retry", hours=9.0)
    story.edit(A, "src/fetch.py", hours=9.0)
    story.end(A, hours=9.0)
    work(story, B, "Bump the linter of the retries", "Bumped.", 5.0)
    work(story, C, "Mend a typo of the retries", "Mended.", 3.0)

    assert "Write the retry" not in story.begin(D).partition("[SESSION")[0]
    story.ends_well()


@pytest.mark.promise("T5")
def test_a_prompt_about_something_else_names_no_work(story):
    work(story, A, EXPORT, EXPORTED, 30.0)
    work(story, B, RETRY, RETRIED, 3.0)
    story.begin(C)

    assert story.say(C, "Draw the logo of the shop in blue") == ""
    assert story.bodies("thread_linked") == []
    story.ends_well()


def test_two_threads_on_main_in_turns_stay_two(story):
    work(story, A, EXPORT, EXPORTED, 30.0)
    work(story, B, RETRY, RETRIED, 20.0)
    going_on = "Go on with the invoices: round the totals of the currency column"
    work(story, C, going_on, "Rounded.", 10.0)

    going_back = "Back to the gateway: let its backoff grow with each retry after a 503"
    work(story, D, going_back, "It grows.", 5.0)
    story.read("somebody", "README.md")  # takes the past in

    links = {body["thread"] for body in story.bodies("thread_linked", C)}
    assert (links, story.bodies("thread_linked", D)[0]["thread"]) == ({A}, B)
    story.ends_well()


@pytest.mark.promise("C14")
@pytest.mark.parametrize(("hours", "title"), [(2.0, HERE), (23.0, OPEN), (25.0, "")])
def test_next_steps_in_so_many_words_are_told_for_hours_and_their_thread_for_a_day(
    story, hours, title
):
    """Where nothing that can be seen is open."""
    work(story, A, EXPORT, "The column is there.\n\nNext: round the totals.", hours)
    story.read("somebody", "README.md")

    told = story.begin(B)

    assert [each for each in (HERE, OPEN) if each in told] == [title] * bool(title)
    story.ends_well()


def test_a_small_session_in_between_does_not_push_unfinished_work_out(story):
    git(story.repo, "switch", "-q", "-c", "retry")
    story.begin(A, hours=9.0)
    story.say(A, RETRY, hours=9.0)
    (story.repo / "README.md").write_text("changed\n")
    story.edit(A, "README.md", hours=9.0)
    story.stop(A, RETRIED, hours=9.0)
    story.end(A, hours=9.0)
    story.begin(B, hours=2.0)
    story.say(B, "What does the gateway answer on Sundays?", hours=2.0)
    story.stop(B, "It answers 503 on Sundays, too.", hours=2.0)
    story.end(B, hours=2.0)
    story.read("somebody", "README.md")

    assert quoted(story.begin(C), HERE) == [f'> asked: "{RETRY}"', f'> stopped: "{RETRIED}"']
    story.ends_well()


@pytest.mark.promise("T6")
def test_where_it_stopped_is_told_in_sentences_without_code_and_headings(story):
    git(story.repo, "switch", "-q", "-c", "retry")
    middle = "The loop counts what it did. " * 40
    work(
        story,
        A,
        RETRY,
        f"## Result\n\n**Retries** work.\n```\ncode\n```\n- {middle}\n\nShall I raise the limit?",
    )

    (_, stopped) = quoted(story.begin(B), HERE)

    assert stopped.startswith('> stopped: "Retries work. The loop counts')
    assert stopped.endswith('Shall I raise the limit?"')
    assert "code" not in stopped
    assert "Result" not in stopped
    assert len(stopped) < 450
    story.ends_well()


@pytest.mark.promise("T6")
@pytest.mark.parametrize("how", ["end", "crash"])
def test_where_a_turn_was_cut_off_is_told_by_what_the_agent_said_last(story, how):
    git(story.repo, "switch", "-q", "-c", "retry")
    story.begin(A)
    story.say(A, RETRY)
    said = "The loop retries now. I raise the limit of the gateway next."
    content = [
        {"type": "text", "text": said},
        {"type": "tool_use", "id": "cut", "name": "Bash", "input": {"command": "sleep 60"}},
    ]
    story.write_row(
        A,
        {"type": "assistant", "uuid": "cut", "message": {"role": "assistant", "content": content}},
    )
    getattr(story, how)(A)

    told = story.begin(B)

    assert quoted(told, HERE) == [f'> asked: "{RETRY}"', f'> stopped: "{said}"']
    assert ("; it crashed):" in told) == (how == "crash")
    assert [body["message"] for body in story.bodies("turn_cut", A)] == [said]
    story.ends_well()


def test_after_a_plan_was_accepted_the_cleared_session_goes_on_with_it(story):
    work(story, B, RETRY, RETRIED, 3.0)
    story.begin(A)
    story.say(A, EXPORT)
    story.tell(
        "PostToolUse",
        A,
        tool_name="ExitPlanMode",
        tool_input={"plan": "# CSV of invoices"},
        tool_response={"plan": "# CSV of invoices", "filePath": "/plans/csv.md"},
    )

    story.clear(A, C)

    assert story.bodies("thread_linked", C)[0]["reason"] in ("plan", "files")
    story.ends_well()


@pytest.mark.promise("T5")
def test_what_an_accepted_plan_names_is_told_at_the_first_call(story):
    moving = "Let CI take pnpm-lock.yaml and not package-lock.json: pnpm for npm"
    work(story, A, moving, "The lockfile is left.", 1.0)
    work(story, B, RETRY, RETRIED, 0.9)
    lines = recordings.transcript("03a").read_text().splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if "auto-continuation" in line)
    story.begin(C)
    Path(story.transcript(C)).write_text("".join(lines[:first]))
    assert HERE not in story.clear(C, D)
    Path(story.transcript(D)).write_text("".join(lines[first:]))
    call = {"tool_input": {"file_path": f"{story.repo}/README.md"}}

    told, later = (story.tell("PostToolUse.Read", D, **call) for _ in range(2))

    assert quoted(told, NAMED)[-1] == '> stopped: "The lockfile is left."'
    assert later == ""
    assert [body["how"] for body in story.bodies("goal_set", D)] == ["plan"]
    assert story.bodies("thread_linked", D)[0]["thread"] == A
    story.ends_well()


def test_what_it_only_may_go_on_with_is_told_and_makes_a_thread_of_its_own(story):
    story.begin(A)
    story.say(A, EXPORT)
    story.stop(A, "invoices.csv has its currency column.")

    told = story.clear(A, B)

    assert NAMED not in story.say(B, "Mend the typo in the README")  # what was told is not again
    assert f'> asked: "{EXPORT}"' in quoted(told, HERE)
    (link,) = story.bodies("thread_linked", B)
    assert (link["thread"], link["permille"] < FILED) == (A, True)
    threads = story.holdfast("threads", "--all")["threads"]
    assert {each["id"]: len(each["sessions"]) for each in threads} == {A: 1, B: 1}
    story.ends_well()


def test_who_clears_the_context_goes_on_with_the_work_of_just_before(story):
    story.begin(A)
    story.say(A, EXPORT)
    story.stop(A, EXPORTED)

    told = story.clear(A, C)

    assert quoted(told, HERE) == [f'> asked: "{EXPORT}"', f'> stopped: "{EXPORTED}"']
    story.ends_well()


@pytest.mark.promise("T4")
@pytest.mark.promise("W5")
@pytest.mark.promise("W7")
def test_a_first_session_ever_is_told_nothing_whatever_git_knows(story):
    git(story.repo, "switch", "-q", "-c", "topic")
    (story.repo / "README.md").write_text("changed\n")

    assert story.begin(A) == ""
    story.say(A, RETRY)
    story.end(A)
    assert "Branch `topic`, from `main`: 1 file not committed." in story.begin(B)
    story.ends_well()


@pytest.mark.promise("T4")
@pytest.mark.promise("W7")
def test_files_outside_of_the_project_and_withdrawn_words_are_not_told(story):
    git(story.repo, "switch", "-q", "-c", "topic")
    story.begin(A)
    story.say(A, f"{RETRY}. Never push to main.")
    story.edit(A, "src/fetch.py")
    story.tell("PostToolUse.Edit", A, tool_input={"file_path": "/elsewhere/plan.md"})
    story.say(A, "You may push to main again: forget the rule never push to main.")
    story.end(A)

    told = story.begin(B)

    assert "; changed src/fetch.py):" in told
    assert "push to main" not in told.lower()
    story.ends_well()


def test_what_a_program_opens_day_after_day_is_no_thread(story):
    for number in range(4):
        session = f"{number}{D[1:]}"
        story.begin(session, hours=9.0 - number)
        story.source = "sdk"
        story.say(session, f"{REVIEW} {number}", hours=9.0 - number)
        story.stop(session, "Good.", hours=9.0 - number)
        story.end(session, hours=9.0 - number)

    assert REVIEW[:30] not in story.begin(B)
    assert "Review" not in str(story.holdfast("threads", "--all"))
    story.ends_well()


@pytest.mark.promise("T1")
def test_a_thread_is_open_while_work_of_a_session_before_the_last_is(story):
    story.begin(A, hours=3.0)
    story.say(A, RETRY, hours=3.0)
    story.fail(A, "pytest -q", "Exit code 1\nE   assert 4 == 3", hours=3.0)
    story.crash(A)
    story.begin(B)

    (thread,) = story.holdfast("threads", "--all")["threads"]

    assert (thread["id"], thread["state"], thread["why"]) == (A, "open", "a check fails")
    assert [link["session"] for link in thread["sessions"]] == [B, A]
    story.ends_well()


def test_with_all_no_thread_is_left_out(story):
    for number in range(21):
        session = f"{number:02}{A[2:]}"
        story.begin(session)
        story.say(session, f"Task {number} of the fetcher")

    assert len(story.holdfast("threads")["threads"]) == 20
    assert len(story.holdfast("threads", "--all")["threads"]) == 21
