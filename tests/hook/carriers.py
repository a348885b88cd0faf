"""Every way on which other people's text comes into an answer, planted through the real door.

A world plants one attack in each of its carriers and returns all that agent and person were told.
A carrier names the places in the source at which it enters: `test_carriers.py` compares them with
the source, so a new place wants a carrier here.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

from conftest import git
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.sessions import checked_acts
from hook.attacks import Evil
from scenarios.story import A, B, C, Story

TASK = "Parse the tags of the import with all their blanks"
VIEW = "work.start_view"
STANDS = "work.branches.where_it_stands"


class Carrier(NamedTuple):
    """What carries a text, by the marker that its attacks bear, and where it enters an answer."""

    marker: str
    what: str
    places: tuple[str, ...]


class World(NamedTuple):
    """A story in which some carriers are planted together."""

    play: Callable[[Story, Evil], list[str]]
    carriers: tuple[Carrier, ...]


class Heard:
    """All that a story answered: to the agent, and to the person."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.answers: list[str] = []

    def add(self, answer: str) -> None:
        self.answers += [answer, self.story.door.shown]


def branch_name(text: str) -> str:
    """As much of a text as git takes for a branch's name."""
    legal = "".join("\u00a0" if each.isspace() else each for each in text)
    legal = "".join(each for each in legal if each >= " " and each not in "~^:?*[\\\x7f{/")
    legal = legal.encode("utf-8", "ignore").decode().replace("..", "")
    return f"b{shortened(legal)}z"


def file_name(text: str) -> str:
    """As much of a text as a file's name may hold."""
    legal = text.replace("/", "").replace("\x00", "").encode("utf-8", "ignore").decode()
    return f"{shortened(legal)}.py"


def shortened(name: str) -> str:
    return name if len(name) <= 90 else name[:40] + name[-50:]


def write_config(story: Story, text: str, name: str = "config.yaml") -> None:
    folder = story.repo / ".holdfast"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)


# Where the work stands


def standing(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    below, branch = branch_name(evil("zqparent")), branch_name(evil("zqbranch"))
    git(story.repo, "switch", "-q", "-c", below)
    git(story.repo, "switch", "-q", "-c", branch)
    story.begin(A)
    story.say(A, f"{TASK}. {evil('zqasked')}")
    (story.repo / "tags.py").write_text("TAGS = 1\n")
    story.edit(A, file_name(evil("zqpath")))
    story.stop(A)
    story.crash(A)
    (story.repo / "left.py").write_text("LEFT = 1\n")
    heard.add(story.begin(B))
    heard.answers.append(story.door.run(b"", errand=f"brief {B}").stdout.decode())
    heard.add(story.say(B, "What does `tags.py` lack?"))
    return heard.answers


def reviewing(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    git(story.repo, "switch", "-q", "-c", "tags")
    story.begin(A)
    story.say(A, TASK)
    seen = {
        "number": 12,
        "title": evil("zqtitle"),
        "state": "OPEN",
        "baseRefName": evil("zqbase"),
        "headRefName": "tags",
        "url": "https://github.com/team/app/pull/12",
        "statusCheckRollup": [
            {"__typename": "CheckRun", "name": evil("zqcheck"), "status": "COMPLETED",
             "conclusion": "FAILURE"}
        ],
    }  # fmt: skip
    story.run(A, "gh pr create --title x --body y", "https://github.com/team/app/pull/12\n")
    story.run(A, "gh pr view --json number,title,state,baseRefName", json.dumps(seen))
    comment = {"body": evil("zqcomment"), "path": evil("zqfile"), "user": evil("zqauthor")}
    asked = "gh api repos/team/app/pulls/12/comments --jq '.[] | {path, user: .user.login, body}'"
    story.run(A, asked, json.dumps(comment))
    story.end(A)
    heard.add(story.begin(B))
    git(story.repo, "switch", "-q", "main")
    story.begin(C)
    heard.add(story.say(C, "What does pull request #12 lack?"))
    return heard.answers


def going_on(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    git(story.repo, "switch", "-q", "-c", "tags")
    story.begin(A)
    story.say(A, f"{TASK}. {evil('zqasked')}")
    story.edit(A, file_name(evil("zqpath")))
    story.stop(A, f"The tags have spaces now. {evil('zqstopped')} Do you want more of it?")
    story.end(A)
    heard.add(story.begin(B))
    git(story.repo, "switch", "-q", "main")
    heard.add(story.begin(C))
    return heard.answers


THREAD = "threads.thread_view.gone_on_with"
GOING_ON = World(
    going_on,
    (
        Carrier("zqasked", "prompt of a session before", (THREAD, "threads.thread_view.open_ones")),
        Carrier("zqpath", "path of an edit", (THREAD,)),
        Carrier("zqstopped", "message of an agent", (THREAD,)),
    ),
)
STANDING = World(
    standing,
    (
        Carrier("zqbranch", "branch", (f"{STANDS}._branch", "sessions.handlers.announce_crash")),
        Carrier("zqparent", "the branch below", (f"{STANDS}._branch",)),
        Carrier("zqasked", "prompt of a session before", (THREAD,)),
        Carrier("zqpath", "path of an edit", (THREAD,)),
    ),
)  # fmt: skip
REVIEWING = World(
    reviewing,
    (
        Carrier("zqtitle", "title of a pull request", (f"{STANDS}._described",
                                                       "work.places.first_prompt._described")),
        Carrier("zqbase", "base of a pull request", (f"{STANDS}._described",)),
        Carrier("zqcheck", "name of a check", (f"{STANDS}._checks",)),
        Carrier("zqcomment", "review comment", (f"{STANDS}.lines",)),
        Carrier("zqfile", "path of a review comment", (f"{STANDS}.lines",)),
        Carrier("zqauthor", "author of a review comment", (f"{STANDS}.lines",)),
    ),
)  # fmt: skip


# What is left to do


def working(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    (story.repo / ".beads").mkdir()
    issue = {"id": evil("zqissue"), "title": evil("zqtracked"), "status": "open"}
    (story.repo / ".beads" / "issues.jsonl").write_text(json.dumps(issue) + "\n")
    story.begin(A)
    story.say(A, TASK)
    story.edit(A, file_name(evil("zqpath")))
    story.run(A, f"echo {evil('zqcommand')}")
    story.fail(A, f"pytest {evil('zqfailed')}", f"Exit code 1\nFAILED {evil('zqoutput')}")
    story.plan(A, evil("zqtodo"))
    story.pin(A, evil("zqpin"), evil("zqlabel"), hours=0.01)
    story.stop(A, f"Done so far.\n\nNext: {evil('zqmessage')}")
    heard.add(story.tell("PreCompact.auto", A))
    heard.add(story.begin(A, "compact"))
    story.end(A)
    heard.add(story.begin(B))
    return heard.answers


WORKING = World(
    working,
    (
        Carrier("zqissue", "id of an item", (f"{VIEW}.inherited",)),
        Carrier("zqtracked", "title of an item", (f"{VIEW}.inherited",)),
        Carrier("zqpath", "changed file", (f"{VIEW}.files",)),
        Carrier("zqfailed", "command that failed", (f"{VIEW}.work",)),
        Carrier("zqoutput", "output of a command", (f"{VIEW}.work",)),
        Carrier("zqtodo", "the agent's list", (f"{VIEW}.work",)),
        Carrier("zqpin", "pin", (f"{VIEW}.pins_remark",)),
        Carrier("zqlabel", "label of a pin", (f"{VIEW}.pins_remark",)),
        Carrier("zqmessage", "the agent's last message", (f"{VIEW}.stopped",)),
    ),
)


# What the user said


def speaking(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    story.begin(A)
    rule = {"sort": "forbids", "lasting": True, "thread": "", "how": "command", "author": "person"}
    story.keep("rule_given", {**rule, "text": evil("zqrule")}, session=A)
    note = {**rule, "author": evil("zqwho"), "text": evil("zqnote")}
    story.keep("rule_given", note, session=A)
    goal = {"goal": evil("zqgoal"), "keywords": [], "thread": "t", "how": "command"}
    story.keep("goal_set", {**goal, "author": "person"}, session=A)
    choice = {"branch": "feature/auth", "thread": "t", "sort": "answer"}
    chosen = {**choice, "text": evil("zqchosen"), "question": evil("zqquestion")}
    story.keep("choice_made", chosen, session=A)
    heard.add(story.tell("PreCompact.auto", A))
    heard.add(story.begin(A, "compact"))
    story.say(A, f"What of it? {evil('zqbefore')}")
    story.say(A, f"{TASK}. {evil('zqlast')}")
    heard.add(story.begin(A, "compact"))
    story.end(A)
    heard.add(story.begin(B))
    heard.add(story.say(B, f"Never push to main and {evil('zqheard')}"))
    return heard.answers


SPEAKING = World(
    speaking,
    (
        Carrier("zqrule", "rule", (f"{VIEW}.rules_remark",)),
        Carrier("zqnote", "rule that is not the user's", (f"{VIEW}.rules_remark",)),
        Carrier("zqgoal", "goal", (f"{VIEW}.goal",)),
        Carrier("zqchosen", "choice", ("prompts.telling.choices_made",)),
        Carrier("zqquestion", "question of the agent", ("prompts.telling.choices_made",)),
        Carrier("zqlast", "the last prompt", (f"{VIEW}.last_prompt",)),
        Carrier("zqbefore", "a prompt before it", (f"{VIEW}.prompts_before",)),
    ),
)


# What a team demands


def demanding(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    first = {
        "message": evil("zqmessage"),
        "checklist": [evil("zqcheck")],
        "evidence": {"dirs": [evil("zqdir")], "require_markers": [evil("zqmarker")],
                     "require_verdict": evil("zqverdict")[:200]},
    }  # fmt: skip
    header = evil("zqheader")[:200]
    options = {"hooks": {"session_start": {"custom_header": header}}}
    story.demand(json.dumps({"requirements": {"talked": first}, **options}))
    heard.add(story.begin(A))
    heard.add(story.ask_edit(A))
    story.edit(A, "src/a.py")
    heard.add(story.stop(A))
    second = {"short_message": evil("zqshort")[:200]}
    story.demand(json.dumps({"requirements": {"talked": first, "agreed": second}}))
    heard.add(story.ask_edit(A))
    heard.add(story.ask_edit(A, f".claude/{file_name(evil('zqprotected'))}/requirements.yaml"))
    heard.add(story.ask_run(A, f"holdfast req satisfy {evil('zqact')}"))
    return heard.answers


GATE = "gates.messages"
DEMANDING = World(
    demanding,
    (
        Carrier("zqmessage", "message of a requirement", (f"{GATE}._single",)),
        Carrier("zqcheck", "checklist", (f"{GATE}._single",)),
        Carrier("zqdir", "folder of evidence", (f"{GATE}._quoted", f"{GATE}._proof")),
        Carrier("zqmarker", "marker of evidence", (f"{GATE}._quoted", f"{GATE}._proof")),
        Carrier("zqverdict", "verdict of evidence", (f"{GATE}._proof",)),
        Carrier("zqheader", "header of the status", (f"{GATE}.status",)),
        Carrier("zqshort", "short message", (f"{GATE}._cell",)),
    ),
)


# What is wrong with the configuration


def configuring(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    old = {"deprecated": True, "deprecated_message": evil("zqdeprecated")[:500]}
    broken = {"scope": evil("zqvalue"), evil("zqfield"): 1}
    demands = {"requirements": {"old": old, "broken": broken, evil("zqname"): {}}}
    story.demand(json.dumps({**demands, evil("zqoption"): 1}))
    write_config(story, json.dumps({evil("zqkey"): 1}))
    heard.add(story.begin(A))
    return heard.answers


CONFIGURING = World(
    configuring,
    (
        Carrier("zqdeprecated", "deprecated_message", ("hook.record.own_news",)),
        Carrier("zqfield", "field of a requirement", ("hook.record.own_news",)),
        Carrier("zqname", "name of a requirement", ("hook.record.own_news",)),
        Carrier("zqoption", "option of requirements", ("hook.record.own_news",)),
        Carrier("zqkey", "key of the configuration", ("hook.record.own_news",)),
    ),
)


# What is handed on, decided and noticed


def handing_on(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    story.begin(A)
    story.say(A, TASK)
    story.read(A, file_name(evil("zqread")))
    serena = {"tool_name": "mcp__serena__activate_project", "tool_input": {"project": "x"}}
    serena["tool_input"] = {"project": evil("zqserena").replace("/", "")}
    story.tell("PostToolUse", A, **serena)
    second = {"tool_name": "mcp__pal__chat", "tool_input": {"continuation_id": evil("zqpal")}}
    story.tell("PostToolUse", A, **second)
    contract = {"criteria": [evil("zqcriterion")], "evidence_required": ["tests"]}
    story.keep("contract_set", {**contract, "goal": evil("zqcontract")}, session=A)
    story.plan(A, evil("zqlist"))
    given = {"summary": evil("zqsummary"), "next_steps": [evil("zqstep")], "source": "command"}
    asked = {"blockers": [evil("zqblocker")], "questions": [evil("zqopen")]}
    heard.add(story.tell("PreCompact.auto", A))
    heard.add(story.begin(A, "compact"))
    story.keep("handoff_given", {**given, **asked}, session=A)
    story.keep("stop_passed", {"open": [evil("zqleft")]}, session=A)
    story.end(A)
    heard.add(story.begin(B))
    return heard.answers


HANDING_ON = World(
    handing_on,
    (
        Carrier("zqread", "file that was read", (f"{VIEW}.read_files",)),
        Carrier("zqlist", "list of the agent", (f"{VIEW}.inherited",)),
        Carrier("zqserena", "project of another tool", ("work.other_tools.revival",)),
        Carrier("zqpal", "id of another tool", ("work.other_tools.revival",)),
        Carrier("zqcontract", "contract", ("gates.handing_on._contract_told",)),
        Carrier("zqcriterion", "criterion", ("gates.handing_on._contract_told",)),
        Carrier("zqsummary", "handoff", (f"{VIEW}.stopped",)),
        Carrier("zqstep", "next step", (f"{VIEW}.work",)),
        Carrier("zqblocker", "blocker", (f"{VIEW}.work",)),
        Carrier("zqopen", "open question", (f"{VIEW}.work",)),
        Carrier("zqleft", "what a session was let go with", ("gates.handlers.on_session_start",)),
    ),
)


def deciding(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    name = file_name(evil("zqplace"))
    (story.repo / name).write_text("GRACE = 15\nOTHER = 1\n")
    story.begin(A)
    quote = {"path": name, "line": 1, "last": 1, "quote": "GRACE = 15", "part": False}
    cited = {**quote, "around": "", "commit": ""}
    made = {"text": evil("zqdecided"), "because": evil("zqbecause"), "source": "command"}
    rest = {"evidence": [cited], "scenarios": [], "how": "command"}
    story.keep("decision_made", {**made, **rest}, session=A)
    item = {"sort": "question", "text": evil("zqitem"), "source": "command"}
    story.keep("item_opened", item, session=A)
    heard.add(story.tell("PreCompact.auto", A))
    heard.add(story.begin(A, "compact"))
    (story.repo / name).write_text("OTHER = 1\n")
    given = {"file_path": f"{story.repo}/{name}", "old_string": "GRACE = 15\n", "new_string": ""}
    heard.add(story.tell("PostToolUse.Edit", A, tool_input=given))
    return heard.answers


DECIDING = World(
    deciding,
    (
        Carrier("zqdecided", "decision", ("recovery.handlers._tell_level1",
                                          "recovery.handlers._tell_level1_to_summariser",
                                          "decisions.noticed.quote_removed._tell")),
        Carrier("zqbecause", "reason", ("decisions.noticed.quote_removed._tell",)),
        Carrier("zqplace", "place of a quote", ("decisions.noticed.quote_removed._tell",)),
        Carrier("zqitem", "open item", ("recovery.handlers._tell_level1",)),
    ),
)  # fmt: skip


def meanwhile(story: Story, evil: Evil) -> list[str]:
    heard = Heard(story)
    story.begin(A)
    story.begin(B)
    rule = {"sort": "forbids", "lasting": True, "thread": "", "how": "command", "author": "person"}
    gone = story.keep("rule_given", {**rule, "text": evil("zqgone")}, session=B)
    story.say(A, TASK)
    turned = {"subject": gone.id, "turn": "withdrawn", "how": "command", "words": ""}
    story.keep("turned", turned, session=B)
    choice = {"branch": "feature/auth", "thread": "t", "sort": "answer", "question": "Which?"}
    story.keep("choice_made", {**choice, "text": evil("zqelsewhere")}, session=B)
    pointed = {**choice, "text": evil("zqpointed"), "question": evil("zqasked"), "pointed": True}
    story.keep("choice_made", pointed, session=A)
    goal = {"goal": evil("zqset"), "keywords": [], "thread": "t", "how": "command"}
    story.keep("goal_set", {**goal, "author": evil("zqwho")}, session=A)
    pin = {"content": evil("zqsince"), "label": "", "critical": False}
    story.keep("pinned", pin, session=A)
    signs = [evil("zqsign")]
    workspace = Workspace(story.state)
    checked_acts.keep(workspace, evil("zqact"), signs, evil("zqundo"))
    workspace.store.close()
    heard.add(story.say(A, "Go on with it"))
    workspace = Workspace(story.state)
    checked_acts.keep(workspace, evil("zqact"), signs, evil("zqundo"))
    workspace.store.close()
    heard.add(story.begin(C))
    heard.add(story.say(C, f"Never push to main and {evil('zqheard')}"))
    return heard.answers


MEANWHILE = World(
    meanwhile,
    (
        Carrier("zqgone", "rule that was lifted", ("work.meanwhile._rules_lifted",)),
        Carrier("zqelsewhere", "choice made elsewhere", ("work.meanwhile.tell",)),
        Carrier("zqpointed", "what an agent pointed at", ("prompts.pointed_lines.line_of",)),
        Carrier("zqasked", "what it says it answers", ("prompts.pointed_lines.line_of",)),
        Carrier("zqset", "goal set by command", ("work.updates.tell",)),
        Carrier("zqwho", "author", ("prompts.attribution.goal_title",)),
        Carrier("zqsince", "pin set by command", ("work.updates.tell",)),
        Carrier("zqsign", "process names", ("sessions.checked_acts._line",)),
        Carrier("zqact", "command that was run", ("sessions.checked_acts._line",)),
        Carrier("zqheard", "rule in a prompt", ("prompts.handlers._show",)),
    ),
)

WORLDS = {
    "standing": STANDING,
    "going_on": GOING_ON,
    "reviewing": REVIEWING,
    "working": WORKING,
    "speaking": SPEAKING,
    "demanding": DEMANDING,
    "configuring": CONFIGURING,
    "handing on": HANDING_ON,
    "deciding": DECIDING,
    "meanwhile": MEANWHILE,
}

# Places at which nothing can be planted, or only what another place is planted with; with why.
FENCE = "the fence itself"
WORD = "configuration takes no such name that is more than letters, digits and _ . : -"
OURS = "one of our own phrases"
NOT_PLANTED = {
    "hook.briefing._fitting": FENCE,
    "hook.briefing.rules_in": FENCE,
    "hook.briefing.tasks_in": FENCE,
    "gates.vanished._demands": "a name that configuration took, and a path of our own list",
    "web.pages.project_page._told": "a remark's items, fenced as the briefing fences them",
    "hook.unkept.answer": "a sentence of ours with the path of our own state",
    "gates.messages._in_cell": WORD,
    "gates.messages._listed": WORD,
    "gates.messages._of_rule": "a rule, quoted as prompts.handlers._show",
    "gates.refusals.refusal": "a part of a command, as code",
    "prompts.gate_offers._act": "a program or a path that a rule names, as code",
    "prompts.gate_offers.needs": "a command that a rule names, as code",
    "gates.messages._several": WORD,
    "gates.messages._way": WORD,
    "gates.messages.denial": WORD,
    "gates.messages.warning": "a name, and a sentence of ours with the name of a branch",
    "gates.messages.stop": OURS,
    "gates.protection.command_effects.refusal": OURS,
    "gates.protection.protected_places.refusal": "a path, as in a line about changed files",
    "sessions.checked_acts._unchecked": OURS,
    "identity.handlers._inherit": "an error of ours",
    "identity.handlers._tell_damage": "an error of ours",
    "gates.pre_tool.judge_without_state": "a name that configuration gave, as in gates.vanished",
    "identity.handlers._tell": "the goal, as work.start_view.goal",
    "work.restoration._not_restored": "an error of ours",
    "prompts.handlers._take_back": "a rule, as prompts.handlers._show",
    "prompts.handlers.keep_choice": "a choice, as prompts.pointed_lines.line_of",
    "prompts.pointed_lines._show_told_again": "a rule, as prompts.handlers._show",
    "recovery.handlers._close_item": "the title of an item, as work.start_view.inherited",
    "recovery.handlers.on_session_start": "decisions, as recovery.handlers._tell_level1",
    "work.places.first_prompt._places": "a path, as in a line about changed files",
    "work.places.first_prompt.dated": "a path, as in a line about changed files",
    "work.preamble.preamble": "single words, and the name of a folder",
    "work.start_view.list_before": "the agent's list, as work.start_view.work",
    "work.start_view.queue": "a command, as work.start_view.work",
    "work.updates._continued": "goal and pins, as work.updates.tell",
}
