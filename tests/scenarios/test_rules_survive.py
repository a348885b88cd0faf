"""What the user said holds until it is withdrawn, whatever becomes of the context it was said in;
and between beginnings an agent is told what changed, once, and nothing else."""

from __future__ import annotations

import statistics

import pytest

from cli.terminal import run, typed_and_told
from conftest import git
from holdfast.hook.tokens import count
from holdfast.rooms.sessions import archive, queries as sessions
from holdfast.system import clock
from scenarios.story import WINDOW, A, B, C, D, Story

RULE = "Never push to main"
TASK = "Fix the retry loop of the fetcher in src/fetch.py."
PROMPT = f"{TASK} {RULE}."
GIVEN_BACK = f"> {RULE}  ("
OF_THE_TASK = "Don't touch the database schema"
OTHER_TASK = "New task: write the release notes for version two"
DAY = 24.0


@pytest.fixture
def story(door, repo, tmp_path) -> Story:
    return Story(door, repo, tmp_path)


def carries_rule(said: str) -> bool:
    """Word for word, once, as the user's, and before what is open."""
    rules = said.find("Rules the user gave")
    later = [
        at
        for text in ("Next steps, from", "Pinned:", "`\n> Exit code")
        if (at := said.find(text)) >= 0
    ]
    return said.count(GIVEN_BACK) == 1 and 0 <= rules < min([*later, len(said)])


# A rule survives


@pytest.mark.promise("C2")
@pytest.mark.promise("C13")
def test_a_rule_of_last_week_survives_compactions_a_clear_a_crash_and_the_night(story):
    story.begin(A, hours=7 * DAY)
    story.say(A, PROMPT, hours=7 * DAY)
    story.stop(A, hours=7 * DAY)
    story.end(A, hours=7 * DAY)
    story.begin(B, hours=DAY)  # yesterday somebody looked in
    story.say(B, "What does the retry loop do?", hours=DAY)
    story.end(B, hours=DAY)

    assert carries_rule(story.begin(C))
    for _ in range(2):
        assert [carries_rule(said) for said in story.compact(C)] == [True, True]
    assert carries_rule(story.clear(C, D))
    story.say(D, "go on")
    story.crash(D)
    told = story.begin(D, "resume")
    assert "did not end: it crashed" in told
    assert carries_rule(told)
    story.crash(D)
    assert carries_rule(story.begin("eeeeeeee"))
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_rule_outlives_a_month_of_other_sessions(story):
    story.begin(A, hours=40 * DAY)
    story.say(A, PROMPT, hours=40 * DAY)
    story.end(A, hours=40 * DAY)
    for day in range(30, 0, -5):
        session = f"{day:08}"
        story.begin(session, hours=day * DAY)
        story.say(session, f"Write chapter {day} of the user guide", hours=day * DAY)
        story.end(session, hours=day * DAY)

    assert carries_rule(story.begin(B))
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_rule_that_was_withdrawn_comes_back_in_no_quotation(story):
    story.begin(A)
    story.say(A, PROMPT)
    story.stop(A, f"Done.\nNext: open a pull request, because of {RULE}.")
    story.say(A, "You may push now.")
    closing, begun = story.compact(A)
    assert RULE not in closing + begun
    story.crash(A)

    told = story.begin(B)

    assert f'"{TASK}' in told
    assert RULE not in told
    assert story.say(B, "go on") == ""
    story.ends_well()


@pytest.mark.promise("C2")
@pytest.mark.promise("C14")
def test_a_rule_that_was_withdrawn_is_in_no_handoff(story, repo):
    story.begin(A)
    story.say(A, PROMPT)
    story.stop(A)
    story.say(A, "You may push now.")
    story.stop(A, "Pushed.")

    folder = repo / ".git" / "holdfast" / "handoffs"
    for name in (f"{A}.json", f"{A}.md"):
        assert TASK in (folder / name).read_text()
        assert RULE not in (folder / name).read_text()
    story.ends_well()


@pytest.mark.promise("C1")
@pytest.mark.promise("C2")
def test_a_change_of_goal_leaves_the_rules_alone(story):
    story.begin(A)
    story.say(A, PROMPT)

    assert story.say(A, OTHER_TASK) == ""
    story.fail(A, "pytest -q")

    for said in story.compact(A):
        assert carries_rule(said)
    story.end(A)
    begun = story.begin(B)
    assert f'> asked: "{OTHER_TASK}"' in begun
    assert carries_rule(begun)
    assert [body["goal"] for body in story.bodies("goal_set", A)] == [
        TASK,
        OTHER_TASK,
    ]
    story.ends_well()


@pytest.mark.promise("C2")
@pytest.mark.promise("W1")
def test_what_only_sounds_like_a_rule_is_told_to_nobody(story, repo):
    story.begin(A)
    story.say(A, f"{TASK} {OF_THE_TASK}.")
    told = [*story.compact(A), story.stop(A), story.clear(A, B)]
    story.end(B)
    told += [story.begin(C), story.say(C, "go on"), *story.compact(C)]

    assert not any("Rules the user gave" in said or f"> {OF_THE_TASK}" in said for said in told)
    assert OF_THE_TASK not in (repo / f".git/holdfast/handoffs/{A}.md").read_text()
    (candidate,) = story.holdfast("rules", "--candidates")["rules"]
    assert (candidate["text"], candidate["in_force"]) == (OF_THE_TASK, False)
    story.ends_well()


@pytest.mark.promise("C13")
def test_after_a_compaction_the_users_last_prompts_are_told_word_for_word(story):
    heading = "The user's prompts before, word for word, the newest first:"
    story.begin(A)
    story.say(A, PROMPT)
    story.say(A, "Keep the functions short, as in fetch.py:\n- no helper of one line")
    story.say(A, "And what about the timeout?")
    story.say(A, "go on")

    closing, begun = story.compact(A)

    before = begun.partition(heading)[2].partition("\n\n")[0].splitlines()
    assert before[1].startswith("> And what about the timeout?  (20")
    assert before[2] == "> Keep the functions short, as in fetch.py:"
    assert before[3].startswith("> - no helper of one line  (20")
    assert before[4].startswith(f"> {PROMPT}  (20")
    assert "The last prompt:\n> go on" in begun
    assert heading not in closing  # who sums up has them before it
    story.end(A)
    assert heading not in story.begin(A, "resume")
    story.end(A)
    assert heading not in story.begin(B)
    story.ends_well()


@pytest.mark.promise("C13")
def test_after_a_compaction_prompts_of_a_task_before_are_not_told(story):
    story.begin(A)
    story.say(A, PROMPT)
    story.say(A, "Keep the functions short.")
    story.say(A, OTHER_TASK)
    story.say(A, "And keep the chapters short.")
    story.say(A, "go on")

    begun = story.compact(A)[1]

    assert "> And keep the chapters short." in begun
    assert "Keep the functions short" not in begun
    story.ends_well()


@pytest.mark.promise("C13")
def test_after_a_compaction_no_more_is_told_of_prompts_than_there_is_room_for(story):
    story.begin(A)
    for number in range(12):
        story.say(A, f"What of part {number}? {'Is it as wide as the part before it? ' * 12}")

    begun = story.compact(A)[1]

    told = begun.partition("The user's prompts before")[2].partition("\n\n")[0]
    assert "> What of part 10?" in told
    assert "part 9?" in told
    assert "part 6?" not in told
    assert count(told) < 440
    story.ends_well()


@pytest.mark.promise("C13")
def test_a_prompt_that_was_taken_back_is_not_told_after_a_compaction(story):
    story.begin(A)
    story.say(A, TASK)
    story.say(A, "Look at the timeout.")
    story.say(A, "go on")
    story.keep(
        "prompt_settled",
        {"prompt": story.entries("prompt_given")[1].id, "origin": "typed", "stands": False},
        session=A,
    )

    begun = story.compact(A)[1]

    assert "Look at the timeout" not in begun
    story.ends_well()


@pytest.mark.promise("C2")
@pytest.mark.promise("W1")
def test_a_candidate_that_the_person_keeps_is_a_rule_in_every_session(story):
    story.begin(A)
    story.say(A, f"{TASK} {OF_THE_TASK}.")
    story.end(A)
    (candidate,) = story.holdfast("rules", "--candidates")["rules"]
    typed_and_told(story.repo, "rules", "keep", candidate["id"])

    told = story.begin(B)

    assert f"> {OF_THE_TASK}  (" in told.partition("Rules the user gave")[2]
    story.ends_well()


@pytest.mark.promise("C2")
@pytest.mark.promise("W1")
def test_a_candidate_that_is_said_again_in_another_session_is_a_rule(story):
    story.begin(A)
    story.say(A, f"{TASK} {OF_THE_TASK}.")
    story.end(A)
    story.begin(B)
    story.say(B, f"Write the release notes. And please {OF_THE_TASK.lower()}!")
    story.end(B)

    told = story.begin(C)

    assert f"> {OF_THE_TASK}  (" in told.partition("Rules the user gave")[2]
    assert [body["turn"] for body in story.bodies("turned")] == ["repeated"]
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_prompt_that_is_sent_again_says_nothing_again(story):
    for session in (A, B):
        story.begin(session)
        story.say(session, f"{TASK} {OF_THE_TASK}.")
        story.end(session)

    assert f"> {OF_THE_TASK}  (" not in story.begin(C)
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_rule_that_was_announced_as_kept_is_told_until_it_is_dropped(story):
    story.begin(A)
    story.say(A, PROMPT)
    assert story.door.shown.startswith(f'Holdfast: Kept as your rule: "{RULE}" (')
    (order,) = story.entries("rule_given")
    story.end(A)
    for number in range(20):
        session = f"{number:08}"
        assert carries_rule(story.begin(session))
        assert "Told again" not in story.door.shown
        story.end(session)

    typed_and_told(story.repo, "rules", "drop", order.id[:6])

    assert GIVEN_BACK not in story.begin(B)
    story.ends_well()


def told_at_eight_starts(story, *texts: str) -> list[str]:
    """Orders as the version before left them: told at eight starts, and at four more no longer."""
    story.begin(A, hours=50)
    for text in texts:
        story.say(A, f"{text}.", hours=49)
    story.end(A, hours=48)
    orders = []
    for number in range(12):
        session = f"{number:08}"
        story.begin(session, hours=20 - number)
        orders = orders or [entry.id for entry in story.entries("rule_given")]
        if number < 8:
            body = {"tokens": 90, "characters": 400, "rules": orders}
            story.keep("context_given", body, session=session, hours=20 - number)
        story.end(session, hours=20 - number)
    return orders


@pytest.mark.promise("C2")
def test_an_order_that_the_version_before_stopped_telling_is_back_and_the_person_is_told_once(
    story,
):
    (order,) = told_at_eight_starts(story, RULE)

    assert carries_rule(story.begin(B))
    back = f'Told again, until you drop it: your rule "{RULE}" (holdfast rules drop {order[:6]})'
    assert story.door.shown.count(back) == 1
    story.end(B)
    assert carries_rule(story.begin(C))
    assert "Told again" not in story.door.shown
    story.ends_well()


@pytest.mark.promise("C2")
def test_several_orders_that_are_told_again_are_one_line(story):
    told_at_eight_starts(story, RULE, "Never amend commits")

    story.begin(B)

    assert story.door.shown.count("Told again") == 1
    assert "until you drop them: 2 of your rules (holdfast rules lists them)" in story.door.shown
    story.ends_well()


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    "held_up",
    [
        "You forgot the rule about pushing to main again!",
        "Don't forget: no pushing to main.",
        "the rule about pushing to main still applies",
    ],
)
def test_who_holds_a_rule_up_never_lifts_it_and_it_lasts(story, held_up):
    story.begin(A)
    story.say(A, PROMPT)
    story.end(A)
    story.begin(B)
    assert story.say(B, held_up) == ""
    story.end(B)

    assert carries_rule(story.begin(C))
    assert [body["turn"] for body in story.bodies("turned")] == ["repeated"]
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_candidate_that_is_held_up_in_another_session_is_a_rule(story):
    story.begin(A)
    story.say(A, f"{TASK} {OF_THE_TASK}.")
    story.end(A)
    story.begin(B)
    story.say(B, "You forgot the rule about the database schema again!")
    assert f'Kept as your rule: "{OF_THE_TASK}" (' in story.door.shown
    story.end(B)

    told = story.begin(C)

    assert f"> {OF_THE_TASK}  (the user, " in told.partition("Rules the user gave")[2]
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_list_under_a_line_that_forbids_keeps_that_line(story):
    forbidden = "Never:\n- push to main\n- amend commits"
    story.begin(A)
    story.say(A, f"{TASK}\n\n{forbidden}\n")
    story.end(A)

    told = story.begin(B)

    assert "> Never:\n> - push to main\n> - amend commits  (" in told
    assert "\n> push to main" not in told
    story.ends_well()


# Who said it


@pytest.mark.promise("C1")
@pytest.mark.promise("C2")
@pytest.mark.promise("W1")
def test_no_sentence_that_tells_a_rule_or_a_goal_lacks_its_author(story, repo):
    by_command, dead_end = "Ask before a release", "Mocking the clock: the tests hang"
    story.begin(A)
    story.say(A, f"{PROMPT} {OF_THE_TASK}.")
    typed_and_told(repo, "rules", "add", by_command)
    typed_and_told(repo, "rules", "add", "--dead-end", dead_end)
    told = [*story.compact(A), story.stop(A)]
    story.begin(B)
    told.append(story.say(B, "go on"))
    typed_and_told(repo, "goal", "set", TASK)
    typed_and_told(repo, "rules", "add", "Use uv")
    told += [story.say(B, "ok"), story.clear(B, C)]
    told.append((repo / f".git/holdfast/handoffs/{A}.md").read_text().replace("\n- ", "\n> "))

    statements = (RULE, by_command, dead_end, OF_THE_TASK, "Use uv")
    lines = [line for text in told for line in text.splitlines() if line.startswith(">")]
    rules = [line for line in lines if line.startswith(tuple(f"> {text}" for text in statements))]
    assert len(rules) > 12
    day = clock.now()[:10]
    assert [line for line in rules if f" (the user, {day})" not in line] == []
    titles = [
        text.split(f"> {TASK}")[0].strip().splitlines()[-1] for text in told if f"> {TASK}" in text
    ]
    assert len(titles) > 3
    assert [title for title in titles if "The user's goal" not in title] == []
    story.ends_well()


@pytest.mark.promise("C2")
def test_the_person_sees_what_was_kept_as_a_rule_and_how_to_undo_it(story):
    story.begin(A)
    story.say(A, f"{TASK} {OF_THE_TASK}.")
    assert story.door.shown == ""  # a candidate is nobody's rule
    story.say(A, f"{RULE}.")
    (heard, order) = story.entries("rule_given")
    kept = "Holdfast: Kept as your rule:"
    offer = "Make it hold? Before `git push` to `main` Claude will have to ask you"
    assert story.door.shown == (
        f'{kept} "{RULE}" (undo: holdfast rules drop {order.id[:6]})\n'
        f"{offer}: `holdfast rules enforce {order.id[:6]}`."
    )
    story.end(A)
    story.begin(B)
    story.say(B, f"Write the release notes. And please {OF_THE_TASK.lower()}!")
    assert story.door.shown == f'{kept} "{OF_THE_TASK}" (undo: holdfast rules drop {heard.id[:6]})'
    story.say(B, "You forgot the rule about pushing to main again!")
    assert story.door.shown == ""  # it was one before
    (shown,) = [line for line in status_lines(story) if line.startswith("Kept")]
    assert OF_THE_TASK in shown

    typed_and_told(story.repo, "rules", "drop", heard.id[:6])

    story.end(B)
    assert OF_THE_TASK not in story.begin(C)
    story.ends_well()


def status_lines(story) -> list[str]:
    return run(story.repo, "status").stdout.splitlines()


@pytest.mark.promise("C2")
def test_status_shows_what_the_agent_pointed_at(story):
    story.begin(A)
    story.say(A, f"{TASK} {OF_THE_TASK}.")
    (heard,) = story.entries("rule_given")
    body = {"subject": heard.id, "turn": "pointed", "how": "pointed", "words": OF_THE_TASK}
    story.keep("turned", body, session=A)

    kept = story.holdfast("status")["kept"]

    assert [(rule["id"], rule["whose"]) for rule in kept["rules"]] == [
        (heard.id, "the agent pointed at your words")
    ]
    story.ends_well()


# What the agent reads by itself


@pytest.mark.promise("C2")
def test_a_rule_that_stands_in_the_instruction_file_is_not_told_again(story, repo):
    story.begin(A)
    story.say(A, PROMPT)
    typed_and_told(repo, "rules", "add", "Use uv")
    story.end(A)
    (repo / "CLAUDE.md").write_text("# App\n\n* never  push\n  to MAIN.\n")

    begun = story.begin(B)

    assert GIVEN_BACK not in begun
    assert "> Use uv  (" in begun
    (used,) = [rule["id"] for rule in story.holdfast("rules")["rules"] if rule["text"] == "Use uv"]
    assert story.bodies("context_given", B)[0]["rules"] == [used]
    story.end(B)
    (repo / "CLAUDE.md").write_text("Ask yourself why we never push to main.\n")
    assert carries_rule(story.begin(C))
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_rule_in_the_instruction_file_is_not_told_to_the_summariser(story, repo):
    story.begin(A)
    story.say(A, PROMPT)
    typed_and_told(repo, "rules", "add", "Use uv")
    (repo / "CLAUDE.md").write_text("# App\n\nNever push to main.\n")

    summariser, begun = story.compact(A)

    for text in (summariser, begun):
        assert GIVEN_BACK not in text
        assert "> Use uv  (" in text
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_rule_given_elsewhere_is_told_unless_the_agent_read_it_when_it_began(story, repo):
    (repo / "CLAUDE.md").write_text("# App\n\nNever push to main.\n")
    story.begin(A)
    story.say(A, TASK)
    typed_and_told(repo, "rules", "add", "Never push to main")
    assert RULE not in story.say(A, "go on")
    used = typed_and_told(repo, "rules", "add", "Use uv")["rule"]["id"]
    typed_and_told(repo, "rules", "write", used)

    assert "> Use uv  (" in story.say(A, "go on, please")  # written since: it has not read that
    story.ends_well()


@pytest.mark.promise("C2")
def test_other_instruction_files_count_once_the_agent_was_seen_to_load_them(story, repo):
    story.begin(A)
    rule = story.say(A, PROMPT) or story.entries("rule_given")[0].id
    typed_and_told(repo, "rules", "write", rule, "--file", "AGENTS.md")
    story.end(A)
    assert carries_rule(story.begin(B))
    loaded = {"file_path": f"{repo}/AGENTS.md", "memory_type": "Project"}
    story.tell("InstructionsLoaded", B, **loaded, load_reason="nested_traversal")
    story.end(B)
    assert carries_rule(story.begin(C))  # it is not there from the start
    story.tell("InstructionsLoaded", C, **loaded, load_reason="include")
    story.end(C)

    assert RULE not in story.begin(D)
    story.ends_well()


# Pointing


@pytest.mark.promise("W1")
def test_a_start_ends_with_when_to_point_where_the_command_can_be_run(story):
    line = "When the user states a rule or makes a choice that later sessions should know:"
    path = story.door.environment["PATH"]
    story.begin(A)
    story.say(A, PROMPT)
    story.end(A)
    story.door.environment["PATH"] = "/usr/bin:/bin"
    assert line not in story.begin(D)
    story.end(D)
    story.door.environment["PATH"] = path

    last = story.begin(B).splitlines()[-1]

    assert last.startswith(line)
    assert "`holdfast remember --rule|--choice --quote" in last
    assert count(last) < 40
    assert story.compact(B)[1].splitlines()[-1] == last
    story.end(B)
    assert line not in story.begin(B, "resume")
    story.end(B)
    story.door.environment["HOLDFAST_BRIEFING_POINTING"] = "false"
    assert line not in story.begin(C)
    story.ends_well()


PLAN = (
    "Implement the following plan:\n\n# Plan: Tags for notes\n\n## Steps\n- Never push to main\n"
    "- Always run the linter\n\n## Constraints\n- No unsafe.\n\nForget all rules about main.\n\n"
    "If you need specific details from before exiting plan mode, read the full transcript at: x"
)


@pytest.mark.promise("C1")
@pytest.mark.promise("C2")
@pytest.mark.promise("W1")
def test_a_plan_gives_a_title_for_the_goal_and_nothing_else(story):
    story.begin(A)
    story.say(A, PROMPT)
    story.end(A)
    story.begin(B)
    story.say(B, PLAN)
    story.end(B)

    told = story.begin(C)

    assert ': "Tags for notes"\n' in told
    assert carries_rule(told)
    assert len(story.bodies("rule_given")) == 1
    assert story.bodies("turned") == []
    story.ends_well()


def heard_before(story, prompt: str, text: str) -> None:
    """What a version before orders were known has kept of a prompt."""
    story.begin(A)
    story.keep("prompt_given", {"prompt": prompt}, session=A)
    body = {"text": text, "sort": "forbids", "lasting": True, "thread": "", "how": "prompt"}
    story.keep("rule_given", body, session=A)
    story.end(A)


@pytest.mark.promise("C2")
@pytest.mark.parametrize(
    ("prompt", "is_told"),
    [(PROMPT, True), (PLAN, False), (f"The page says we should {RULE}", False)],
    ids=["an order", "a plan", "a clause"],
)
def test_a_rule_that_an_earlier_version_kept_is_judged_anew(story, prompt, is_told):
    heard_before(story, prompt, RULE)

    told = story.begin(B)

    assert (f"> {RULE}  (" in told) is is_told
    assert [one["text"] for one in story.holdfast("rules", "--all")["rules"]] == [RULE]
    story.ends_well()


@pytest.mark.promise("C2")
@pytest.mark.promise("S8")
def test_judged_anew_an_order_is_a_candidate_when_its_prompt_was_archived(story, workspace):
    heard_before(story, PROMPT, RULE)
    archive.archive(workspace, sessions.find(workspace.store, A), now=clock.now())

    assert f"> {RULE}  (" not in story.begin(B)
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_rule_that_is_lifted_is_shown_to_the_person_who_can_take_it_back(story):
    story.begin(A)
    story.say(A, PROMPT)

    assert story.say(A, "You may push now.") == ""

    shown = story.door.shown
    assert shown.startswith(f'Holdfast: Rule lifted: "{RULE}" (undo: holdfast rules keep ')
    story.end(A)
    assert RULE not in story.begin(B)
    typed_and_told(story.repo, "rules", "keep", shown.rstrip(")").rpartition(" ")[2])
    story.end(B)
    assert carries_rule(story.begin(C))
    story.ends_well()


@pytest.mark.promise("C2")
def test_what_an_earlier_version_heard_can_still_be_kept(story):
    tried, wish = "We already tried caching the response", "Prefer small functions"
    body = {"lasting": False, "thread": "", "how": "prompt", "order": False, "author": "person"}
    story.begin(A)
    story.keep("rule_given", {"text": tried, "sort": "dead_end", **body}, session=A)
    story.keep("rule_given", {"text": wish, "sort": "prefers", **body}, session=A)
    for said in (*story.compact(A), story.begin(C)):
        assert tried not in said
        assert wish not in said
    heard = story.holdfast("rules", "--candidates")["rules"]
    assert {rule["text"] for rule in heard} == {tried, wish}
    for rule in heard:
        typed_and_told(story.repo, "rules", "keep", rule["id"])
    story.crash(A)
    begun = story.begin(B)
    assert f"> {tried}  (" in begun.partition("Dead ends")[2]
    assert f"> {wish}  (" in begun.partition("Rules the user gave")[2]
    story.ends_well()


@pytest.mark.promise("C2")
def test_a_rule_reaches_a_live_session_in_another_worktree(story, repo, tmp_path):
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", "-b", "feature", str(tree))
    story.begin(A)
    story.begin(B, place=tree)
    story.say(A, PROMPT)

    assert f"> {RULE}" in story.say(B, "ok", place=tree)
    assert carries_rule(story.begin(C, place=tree))
    story.ends_well()


# A fork


def share_rows(story, parent: str, fork: str) -> None:
    """The client writes the parent's rows into the fork's transcript, with their own times."""
    for number in range(3):
        row = {"uuid": f"u{number}", "timestamp": "2020-01-01T00:00:00.000Z"}
        for session in (parent, fork):
            story.write_row(session, row)
    story.write_row(fork, {"uuid": "own", "timestamp": "2999-01-01T00:00:00.000Z"})


@pytest.mark.promise("C2")
@pytest.mark.promise("C13")
@pytest.mark.parametrize(
    "prompt",
    ["go on.", "Fix the retry loop of the fetcher in another way.", "Always run the linter."],
    ids=["goes on", "asks for the same", "gives a rule"],
)
def test_a_fork_keeps_to_its_parents_goal_and_to_what_it_was_told_itself(story, prompt):
    story.begin(A)
    story.say(A, PROMPT)
    story.stop(A)
    story.begin(B, "fork")  # its transcript is not there yet: whose fork it is, nobody knows
    share_rows(story, A, B)
    story.say(B, f"{prompt} Never squash.")
    story.stop(B)

    closing, begun = story.compact(B)

    for said in (closing, begun):
        assert GIVEN_BACK in said
        assert "> Never squash  (" in said
        assert TASK in said
    story.end(B)
    story.end(A)
    story.ends_well()


@pytest.mark.promise("C13")
def test_a_fork_that_is_compacted_in_its_first_turn_keeps_its_parents_goal(story):
    story.begin(A)
    story.say(A, PROMPT)
    story.stop(A)
    story.begin(B, "fork")
    share_rows(story, A, B)
    story.say(B, "go on")

    for said in story.compact(B):
        assert carries_rule(said)
        assert TASK in said


# Between beginnings


@pytest.mark.promise("C2")
def test_a_rule_given_in_one_session_reaches_the_other_live_one_and_not_its_own(story):
    story.begin(A)
    story.begin(B)
    story.say(B, "Explain the build to me")

    assert story.say(A, PROMPT) == ""
    assert story.say(A, "go on") == ""
    told = story.say(B, "thanks")

    assert "[PHASE: SESSION_RUNNING]" in told
    assert f"> {RULE}" in told
    assert story.say(B, "ok") == ""
    assert story.say(A, "You may push now.") == ""
    assert "that are no longer in force:\n> Never push to main" in story.say(B, "and now?")
    assert story.say(B, "ok") == ""
    story.ends_well()


EVERYDAY = """\
hi
what does this project do?
ok thanks
where is the config read?
show me the function
hm, and who calls it?
I see
can you explain the second loop?
why is that a list and not a set?
interesting
yes
no worries
go on
looks good
what about the error handling there?
did the tests pass?
great
how long does the suite take?
ok
please continue
that makes sense
is there a changelog?
what changed last week?
cool
and on windows?
right
what would happen with an empty file?
got it
perfect, thank you
that's all for today
"""


@pytest.mark.promise("C15")
def test_in_a_long_ordinary_conversation_nothing_is_added_to_its_prompts(story):
    prompts = EVERYDAY.splitlines()
    assert len(prompts) == 30
    story.begin(A)
    story.say(A, PROMPT)
    said = []
    for number, prompt in enumerate(prompts, 1):
        story.fill(A, 12_000 + number * 1_500)
        said.append(story.say(A, prompt))

    assert statistics.median(count(text) for text in said) == 0
    assert sum(count(text) for text in said) == 0
    assert [body["goal"] for body in story.bodies("goal_set")] == [TASK]
    assert [body["text"] for body in story.bodies("rule_given")] == [RULE]
    story.ends_well()


@pytest.mark.promise("C1")
def test_a_change_of_goal_is_kept_and_not_told_to_who_has_just_read_it(story):
    story.begin(A)
    goals = [TASK, OTHER_TASK, "New task: design the logo of the project", f"New task: {TASK}"]
    for goal in goals:
        assert story.say(A, goal) == ""
        assert story.say(A, "ok") == ""

    assert [body["goal"] for body in story.bodies("goal_set")] == goals
    story.ends_well()


@pytest.mark.promise("C1")
def test_a_goal_set_at_another_terminal_is_told_at_the_next_prompt_once(story):
    story.begin(A)
    story.say(A, TASK)
    for goal in ("Fix the retry loop and its tests", "Write the release notes"):
        body = {"goal": goal, "keywords": goal.lower().split(), "thread": "", "how": "command"}
        story.keep("goal_set", body, session=A)

        assert f"The user's goal, set by command:\n> {goal}" in story.say(A, "ok")
        assert story.say(A, "ok") == ""
    story.ends_well()


@pytest.mark.promise("C15")
def test_that_the_window_fills_up_is_told_at_the_next_prompt_once(story):
    story.door.environment["HOLDFAST_BRIEFING_PREAMBLE"] = "1"
    story.begin(A)
    story.say(A, TASK)
    told = []
    for percent in (10, 39, 40, 69, 70, 84, 85, 97, 72, 45, 12):
        story.fill(A, WINDOW * percent // 100)
        story.stop(A)  # at the end of a turn nothing is said, and nothing is used up
        told.append([story.say(A, "ok") for _ in range(2)])

    assert [again for _, again in told] == [""] * len(told)
    phases = [first.partition("Context phase ")[2].partition(":")[0] for first, _ in told]
    # fmt: off
    assert phases == [
        "", "", "", "", "SIGNALS", "", "CRITICAL", "", "SIGNALS", "", "",
    ]
    # fmt: on
    story.ends_well()


@pytest.mark.promise("C15")
@pytest.mark.promise("W7")
def test_a_phase_of_the_window_is_on_the_status_line_and_told_to_nobody(story):
    story.begin(A)
    story.say(A, TASK)
    story.fill(A, WINDOW * 72 // 100)

    assert story.say(A, "ok") == ""
    story.ends_well()


@pytest.mark.promise("C15")
@pytest.mark.parametrize(
    ("model", "limit", "fillings", "opening"),
    [
        ("claude-sonnet-4-5", "", (149_999, 150_000, 150_001), "150000 of 200000 tokens (75 %)"),
        ("claude-opus-5", "", (160_000, 749_999, 750_000, 750_001), "750000 of 1000000 tokens"),
        ("claude-opus-5", "160000", (159_999, 160_000, 170_000), "160000 of 1000000 tokens (16 %"),
    ],
)
def test_that_the_window_runs_out_is_told_once_with_how_to_close(
    story, model, limit, fillings, opening
):
    if limit:
        story.door.environment["HOLDFAST_BUDGET_EXHAUSTED_TOKENS"] = limit
    story.begin(A)
    told = []
    for tokens in fillings:
        story.fill(A, tokens, model)
        told.append(story.say(A, "ok"))

    (notice,) = [text for text in told if "The context holds" in text]
    assert told.index(notice) == len(fillings) - 2
    assert f"The context holds {opening}" in notice
    assert "end with a message that says what is done and what comes next" in notice
    assert ("are set as its limit" in notice) is bool(limit)
    story.ends_well()


@pytest.mark.promise("C15")
def test_after_a_compaction_the_next_filling_is_told_again(story):
    story.door.environment["HOLDFAST_BRIEFING_PREAMBLE"] = "1"
    story.begin(A)
    story.say(A, TASK)
    for _ in range(2):
        story.fill(A, WINDOW * 75 // 100)
        assert "Context phase SIGNALS" in story.say(A, "ok")
        story.compact(A)
        story.fill(A, WINDOW * 5 // 100)
        assert "Context phase SIGNALS" not in story.say(A, "ok")
    story.ends_well()


@pytest.mark.promise("C15")
@pytest.mark.parametrize("how", ["clear", "startup"])
def test_how_full_the_window_of_the_session_before_was_is_no_news(story, how):
    story.door.environment["HOLDFAST_BRIEFING_PREAMBLE"] = "1"
    story.begin(A)
    story.say(A, TASK)
    story.fill(A, WINDOW * 75 // 100)
    assert "Context phase SIGNALS" in story.say(A, "ok")
    if how == "clear":
        story.clear(A, B)
    else:
        story.end(A)
        story.begin(B)

    story.fill(B, WINDOW * 5 // 100)
    assert story.say(B, "go on") == ""
    story.fill(B, WINDOW * 75 // 100)
    assert "Context phase SIGNALS" in story.say(B, "ok")
    story.ends_well()


@pytest.mark.promise("C2")
@pytest.mark.promise("C15")
@pytest.mark.parametrize("percent", [10, 50, 75, 90])
def test_however_full_the_window_a_long_rule_given_elsewhere_is_told_whole(story, percent):
    rule = (
        "Never rename the columns of the billing tables, because the nightly export of the finance"
        " department reads them by name and nobody there will notice for weeks that its figures"
        " are wrong"
    )
    story.begin(A)
    story.begin(B)
    story.fill(B, WINDOW * percent // 100)
    story.say(B, "Explain the build to me")

    story.say(A, f"{TASK} {rule}.")

    assert f"> {rule}" in story.say(B, "thanks")
    story.ends_well()


@pytest.mark.promise("C2")
def test_news_that_could_not_be_told_because_the_store_was_locked_is_told_later(story, workspace):
    story.begin(A)
    story.begin(B)
    story.say(A, PROMPT)
    with workspace.store.transaction():  # somebody is at it for long: B's prompt has to wait
        assert story.say(B, "Explain the build to me") == ""

    assert f"> {RULE}" in story.say(B, "thanks")
    story.ends_well()


@pytest.mark.promise("C16")
def test_a_checkpoint_is_taken_after_5000_tokens_and_not_before(story):
    story.begin(A)
    story.say(A, TASK)

    def checkpoints(tokens: int) -> list[tuple[str, int]]:
        story.fill(A, tokens)
        story.say(A, "ok")
        story.stop(A)
        return [(body["cause"], body["tokens"]) for body in story.bodies("checkpoint_taken")]

    assert checkpoints(4_999) == []
    assert checkpoints(5_000) == [("delta", 5_000)]
    assert checkpoints(9_999) == [("delta", 5_000)]
    assert checkpoints(10_000) == [("delta", 5_000), ("delta", 10_000)]
    story.fill(A, 15_000)
    story.stop(A)
    assert story.bodies("checkpoint_taken")[-1]["cause"] == "stop"
    story.compact(A)
    taken = len(story.bodies("checkpoint_taken"))
    assert len(checkpoints(4_999)) == taken  # the window was emptied: it is counted from there
    assert len(checkpoints(5_001)) == taken + 1
    story.ends_well()


@pytest.mark.promise("C16")
def test_a_checkpoint_that_comes_by_itself_has_what_was_said_last(story):
    story.begin(A)
    story.fill(A, 6_000)
    story.say(A, PROMPT)

    (checkpoint,) = story.bodies("checkpoint_taken")
    (goal,), (rule,) = story.entries("goal_set"), story.entries("rule_given")
    assert checkpoint["tier1"]["original_goal"] == goal.id
    assert checkpoint["tier1"]["constraints"] == [rule.id]
    story.ends_well()


@pytest.mark.promise("S7")
def test_a_prompt_that_is_queued_in_a_running_turn_is_kept_beside_it(story):
    story.begin(A)
    queued = ["and use the old parser", "and use the new parser"]  # of one length
    for prompt in (TASK, *queued, queued[0]):
        story.tell("UserPromptSubmit", A, prompt=prompt, prompt_id="the-turn")

    assert [body["prompt"] for body in story.bodies("prompt_given")] == [TASK, *queued]
    story.ends_well()


# A resumed session


@pytest.mark.promise("C2")
def test_a_resumed_session_is_told_news_alone(story):
    story.begin(A)
    story.say(A, PROMPT)
    story.edit(A, "src/fetch.py")
    story.end(A)
    assert story.begin(A, "resume") == ""
    story.end(A)
    story.begin(B)
    assert story.say(B, "Always run the linter before a commit.") == ""

    told = story.begin(A, "resume")

    assert "[PHASE: SESSION_REVIVAL]" in told
    assert "> Always run the linter before a commit" in told
    assert RULE not in told
    assert TASK not in told
    assert "src/fetch.py" not in told
    assert story.say(A, "go on") == ""
    story.ends_well()
