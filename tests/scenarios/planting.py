"""Scripted sessions that leave facts behind, four ways to lose the context, and what comes back.

Every session is made from its number alone: which project, which words, in which order, what
stops to hold before the end. It is played through the installed hook command in a repository of
its own. Then the context is lost, and what the model is sent is searched for every fact, word for
word: those that hold must be there, those that no longer hold must not.

Laws: words come from planted_words.toml and know nothing of how they are heard; the last prompt
of a session holds no fact, so that none is found in its quotation by luck; a fact is looked for
where it would be told (a command as failing, a file as changed).
"""

from __future__ import annotations

import copy
import random
import shlex
import time
import tomllib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conftest import Agent, Door, git, make_repo
from holdfast.hook.tokens import count
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.prompts import queries as prompt_queries
from holdfast.rooms.sessions.queries import find
from holdfast.rooms.work import queries as work_queries
from holdfast.system import clock
from holdfast.system.paths import launcher

WORDS = tomllib.loads((Path(__file__).parent / "planted_words.toml").read_text(encoding="utf-8"))
WAYS = ("crash", "clear", "compaction", "new day")
SUMMARISER = "summariser"  # what PreCompact gives to whoever writes the summary
SPOKEN = ("goal", "lasting rule", "task rule", "correction", "dead end")
KINDS = (
    *SPOKEN,
    *("file", "failing command", "next step", "pin", "critical pin"),
)
# What may stop to hold, and in how many sessions it does.
TURNS = {
    "rule withdrawn": 0.5,
    "command passes": 0.3,
    "todo done": 0.3,
    "pin withdrawn": 0.3,
    "goal changed": 0.3,
}
NEXT_BY = ("todos", "message", "handoff")
DAY_S = 20 * 3600.0


@dataclass
class Fact:
    kind: str
    text: str
    holds: bool = True
    error: str = ""  # what a failing command said last

    def is_in(self, told: str) -> bool:
        """Whether the model is told it, as what it is."""
        if self.kind == "file":
            return f"{self.text} (edited)" in told or f"{self.text} (created)" in told
        if self.kind == "failing command":
            lines = [line for line in told.splitlines() if self.text in line]
            return any("fail" in line.lower().replace(self.text.lower(), "") for line in lines)
        return self.text in " ".join(told.replace("\n> ", "\n").split())

    def leaks_into(self, told: str) -> bool:
        return self.is_in(told) or bool(self.error and self.error in told)


@dataclass
class Script:
    """One session: where it happens, what is said and done, what it leaves."""

    number: int
    project: str
    branch: str
    commits: list[str]
    existing: list[str]
    acts: list[tuple[Any, ...]] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)

    def words(self) -> str:
        return " ".join(str(part) for act in self.acts for part in act)


@dataclass
class Outcome:
    """What the model was sent after one way of losing the context."""

    script: Script
    way: str
    told: str
    believed: list[bool]  # of each fact, whether the store had it in force when all was said

    @property
    def lost(self) -> list[Fact]:
        return [fact for fact in self.script.facts if fact.holds and not self.tells(fact)]

    def tells(self, fact: Fact) -> bool:
        """Another session is told the latest files alone."""
        is_changed = fact.kind == "file" and "; changed " in self.told
        return is_changed or fact.is_in(self.told)

    @property
    def leaked(self) -> list[Fact]:
        return [fact for fact in self.script.facts if not fact.holds and fact.leaks_into(self.told)]

    @property
    def misheard(self) -> list[Fact]:
        """What hearing got wrong before anything could be lost: facts it did not take for any,
        and ends of facts that it did not notice."""
        pairs = zip(self.script.facts, self.believed, strict=True)
        return [fact for fact, believed in pairs if fact.holds != believed]

    @property
    def tokens(self) -> int:
        return count(self.told)


# Writing a session


def script(number: int) -> Script:
    """The session of that number: always the same one."""
    chance = random.Random(f"planted {number}")
    kind = WORDS["kind"][number % len(WORDS["kind"])]
    goals = kind["goals"][number // len(WORDS["kind"]) % 3 :] + kind["goals"]
    files = chance.sample(kind["files"], 3)
    made = Script(
        number,
        f"{kind['name']}-{number}",
        kind["branch"],
        kind["commits"],
        [path for path in kind["files"] if path not in files[:1] or chance.random() < 0.5],
    )
    made.turns = [turn for turn, share in TURNS.items() if chance.random() < share]
    _write(made, chance, kind, goals, files)
    return made


def _write(
    made: Script, chance: random.Random, kind: dict[str, Any], goals: list[str], files: list[str]
) -> None:
    talk = WORDS["talk"]
    changed = "goal changed" in made.turns
    act, fact = made.acts.append, made.facts.append

    def said(phrase: str, name: str, frame: str = "{}", holds: bool = True) -> tuple[str, Fact]:
        text = phrase[phrase.index("«") + 1 : phrase.index("»")]
        known = Fact(name, text, holds)
        fact(known)
        return frame.format(phrase.replace("«", "").replace("»", "")), known

    rules = {
        name: chance.choice(WORDS[key])
        for name, key in (
            ("lasting rule", "lasting"),
            ("task rule", "task"),
            ("correction", "correction"),
        )
    }
    back = chance.choice(list(rules)) if "rule withdrawn" in made.turns else ""
    early_rules = chance.sample(list(rules), 2) if changed else []

    def rule(name: str) -> list[tuple[Any, ...]]:
        _, known = said(rules[name]["say"], name)
        known.holds = name != back
        return [("rule", known.text, "demands")]

    if chance.random() < 0.3:
        act(("prompt", chance.choice(["hi", "hello there", "good morning"])))
    goal, _ = said(goals[0], "goal", holds=not changed)
    early = chance.random() < 0.4
    if early and not changed:
        made.acts += rule("task rule")
    act(("prompt", goal))
    act(("read", chance.choice(kind["files"])))
    act(("run", "git status --short", ""))
    groups = [
        [("prompt", chance.choice(talk["questions"]))],
        [("prompt", chance.choice(talk["steps"]))],
    ]
    if changed:
        for name in early_rules:
            made.acts += rule(name)
        act(("edit", files[0]))
        act(("stop", "The first part is in place."))
        text, _ = said(goals[1], "goal", chance.choice(talk["changes"]))
        act(("prompt", text))
    else:
        groups.append([("edit", files[0])])
    fact(Fact("file", files[0]))
    for path in files[1:]:
        groups.append([("edit", path)])
        fact(Fact("file", path))
    for name in rules:
        if name not in early_rules and not (early and not changed and name == "task rule"):
            groups.append(rule(name))
    if back:
        later = [("drop", next(fact.text for fact in made.facts if fact.kind == back))]
    _, known = said(chance.choice(kind["dead"]), "dead end")
    groups.append([("rule", known.text, "dead_end")])
    groups.append(_failing(made, chance, kind))
    groups += _pins(made, chance, kind)
    groups.append([("run", "git diff --stat", ""), ("read", chance.choice(kind["files"]))])
    groups.append([("stop", "That works now; I will look at the rest.")])
    chance.shuffle(groups)
    made.acts += [one for group in groups for one in group]
    if back:
        made.acts += later
    if "command passes" in made.turns:
        known = next(one for one in made.facts if one.kind == "failing command")
        known.holds = False
        made.acts += [("edit", files[1]), ("run", known.text, "")]
    _ending(made, chance, kind)


def _failing(made: Script, chance: random.Random, kind: dict[str, Any]) -> list[tuple[Any, ...]]:
    command, error = chance.choice(kind["commands"])
    made.facts.append(Fact("failing command", command, error=error.splitlines()[-1]))
    return [("run", command, error)]


def _pins(made: Script, chance: random.Random, kind: dict[str, Any]) -> list[list[tuple[Any, ...]]]:
    critical, plain = chance.sample(kind["pins"], 2)
    made.facts += [Fact("critical pin", critical), Fact("pin", plain)]
    labels = chance.sample(["", "where", "deadline", "note"], 2)
    acts = [[("pin", critical, labels[0], True)], [("pin", plain, labels[1], False)]]
    if "pin withdrawn" in made.turns:
        gone = chance.choice(made.facts[-2:])
        gone.holds = False
        place = 0 if gone.kind == "critical pin" else 1
        acts[place].append(("unpin", gone.text))
    return acts


def _ending(made: Script, chance: random.Random, kind: dict[str, Any]) -> None:
    """What comes next, by one of three ways, and a last prompt that says nothing."""
    talk = WORDS["talk"]
    step, done, other = chance.sample(kind["steps"], 3)
    by = "todos" if "todo done" in made.turns else NEXT_BY[made.number % 3]
    made.facts.append(Fact("next step", step))
    if by == "todos":
        stages = [(done, "in_progress"), (step, "pending")]
        made.acts.append(("todos", stages))
        if "todo done" in made.turns:
            made.facts.append(Fact("next step", done, holds=False))
            made.acts.append(("todos", [(done, "completed"), (step, "in_progress")]))
    made.acts.append(("prompt", chance.choice([*talk["going_on"], *talk["steps"]])))
    message = "I am in the middle of it."
    if by == "message":
        message = chance.choice(
            [
                "The main part is done.\n\nNext step: {}.",
                "Implemented and checked by hand.\n\n## Next steps\n- {}\n- {}",
                "Half of it is in place. Next, I will {}.",
                "Done so far. What is left to do: {}",
            ]
        ).format(step, other)
    made.acts.append(("stop", message))
    if by == "handoff":
        made.acts.append(("handoff", "Where it stands is in the branch.", [step, other]))


# Playing it


class Stage:
    """A repository, an agent's process, and the hook command between them."""

    def __init__(self, door: Door, script: Script, folder: Path) -> None:
        self.door = self.today = door
        self.script = script
        self.repo = make_project(folder / script.project, script)
        self.agent = door.agent()
        self.session = _id(script.number, "first")
        self._ids = 0

    def play(self) -> None:
        self.say("SessionStart.startup")
        for act in self.script.acts:
            getattr(self, f"_{act[0]}")(*act[1:])

    def say(self, name: str, **changes: Any) -> str:
        """One event of this session, now."""
        return self.door.send(
            name, agent=self.agent, folder=self.repo, **{**self._named(), **changes}
        )

    def keep(self, kind: str, body: dict[str, Any]) -> None:
        """What a command of Holdfast's own keeps."""
        with self._opened() as (workspace, known):
            workspace.keep(
                kind,
                body,
                key=f"said:{self._next()}",
                at=self.now(),
                project=known.project,
                session=self.session,
                agent=known.agent,
            )

    def believed(self) -> list[bool]:
        """Of each fact, whether it is in force by now; what is not said in words is taken so."""
        with self._opened() as (workspace, known):
            store = workspace.store
            goal = prompt_queries.goal_of(store, self.session)
            in_force = prompt_queries.rules(store, known.project, self.session)
        rules = " | ".join(rule.text for rule in in_force)

        def is_believed(fact: Fact) -> bool:
            if fact.kind == "goal":
                is_rule = not fact.holds and fact.text in rules  # an old task, taken for a rule
                return is_rule or bool(goal and fact.text in goal.goal)
            return fact.text in rules if fact.kind in SPOKEN else fact.holds

        return [is_believed(fact) for fact in self.script.facts]

    def now(self) -> str:
        return clock.now()

    def _named(self) -> dict[str, str]:
        return {
            "session_id": self.session,
            "prompt_id": self._next(),
            "tool_use_id": self._next(),
            "transcript_path": "",
        }

    def _next(self) -> str:
        self._ids += 1
        return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.session}:{self._ids}"))

    def _opened(self) -> Any:
        return _Opened(self.door.state, self.session)

    def _prompt(self, text: str) -> None:
        self.say("UserPromptSubmit", prompt=text)

    def _rule(self, text: str, sort: str) -> None:
        body = {"text": text, "sort": sort, "lasting": True, "thread": "", "how": "command"}
        self.keep("rule_given", body)

    def _drop(self, text: str) -> None:
        with self._opened() as (workspace, known):
            rules = prompt_queries.rules(workspace.store, known.project, self.session)
        self._withdraw(next(rule.id for rule in rules if rule.text == text))

    def _withdraw(self, subject: str) -> None:
        body = {"subject": subject, "turn": "withdrawn", "how": "command", "words": ""}
        self.keep("turned", body)

    def _read(self, path: str) -> None:
        self.say("PostToolUse.Read", tool_input={"file_path": f"{self.repo}/{path}"})

    def _edit(self, path: str) -> None:
        file = self.repo / path
        is_new = not file.exists()
        file.parent.mkdir(parents=True, exist_ok=True)
        text = "" if is_new else file.read_text()
        file.write_text(f"{text}changed {self._next()}\n")
        if is_new:
            given = {"file_path": str(file), "content": "changed\n"}
            answer = {"type": "create", "filePath": str(file)}
            self.say("PostToolUse.Edit", tool_name="Write", tool_input=given, tool_response=answer)
        else:
            given = {"file_path": str(file), "old_string": "a", "new_string": "changed"}
            self.say("PostToolUse.Edit", tool_input=given)

    def _run(self, command: str, error: str) -> None:
        if error:
            self.say("PostToolUseFailure.Bash", tool_input={"command": command}, error=error)
        else:
            answer = {"stdout": "ok", "stderr": "", "interrupted": False}
            self.say("PostToolUse.Bash", tool_input={"command": command}, tool_response=answer)

    def _todos(self, stages: list[tuple[str, str]]) -> None:
        todos = [
            {"content": text, "status": stage, "activeForm": f"Doing: {text}"}
            for text, stage in stages
        ]
        self.say("PostToolUse.TodoWrite", tool_input={"todos": todos}, tool_response={})

    def _stop(self, message: str) -> None:
        self.say("Stop", last_assistant_message=message)

    def _pin(self, content: str, label: str, critical: bool) -> None:
        self.keep("pinned", {"content": content, "label": label, "critical": critical})

    def _unpin(self, content: str) -> None:
        with self._opened() as (workspace, known):
            own = work_queries.pins(workspace.store, known.project, self.session)
        self._withdraw(next(pin.id for pin in own if pin.content == content))

    def _handoff(self, summary: str, steps: list[str]) -> None:
        body = {"summary": summary, "next_steps": steps, "blockers": [], "questions": []}
        self.keep("handoff_given", {**body, "source": "command"})


class PastStage(Stage):
    """The same, twenty hours ago: the hook command as it is, on a clock that is behind."""

    def __init__(self, door: Door, script: Script, folder: Path) -> None:
        super().__init__(door, script, folder)
        clock = Path(door.state).parent / "yesterday.py"
        clock.write_text(YESTERDAY.format(seconds=DAY_S, launcher=launcher(door.state)))
        *interpreter, _ = shlex.split(door.command)
        self.door = copy.copy(door)
        self.door.command = shlex.join([*interpreter, str(clock)])

    def now(self) -> str:
        return clock.iso(time.time() - DAY_S)


YESTERDAY = """\
import time
real = time.time
time.time = lambda: real() - {seconds}
__file__ = {launcher!r}
exec(compile(open(__file__).read(), __file__, "exec"))
"""


class _Opened:
    """The store, and the session as it is known there."""

    def __init__(self, state: str, session: str) -> None:
        self._workspace = Workspace(state)
        self._session = session

    def __enter__(self) -> tuple[Workspace, Any]:
        known = find(self._workspace.store, self._session)
        assert known is not None
        return self._workspace, known

    def __exit__(self, *_: object) -> None:
        self._workspace.store.close()


def make_project(path: Path, script: Script) -> Path:
    """A repository with a past of its own."""
    make_repo(path)
    for name in script.existing:
        file = path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("a\n")
    (path / "README.md").write_text(f"# {script.project}\n")
    git(path, "add", ".")
    git(path, "commit", "-q", "--amend", "-m", f"Begin {script.project}")
    for subject in script.commits:
        git(path, "commit", "-q", "--allow-empty", "-m", subject)
    if script.branch != "main":
        git(path, "checkout", "-q", "-b", script.branch)
    return path


# Losing the context


def lose(door: Door, script: Script, way: str, folder: Path) -> list[Outcome]:
    """Play a session, lose its context in one of the ways, and note what the model is sent."""
    stage = PastStage(door, script, folder) if way == "new day" else Stage(door, script, folder)
    stage.play()
    believed = stage.believed()
    return [Outcome(script, name, told, believed) for name, told in _LOSING[way](stage)]


def _crash(stage: Stage) -> list[tuple[str, str]]:
    stage.agent.kill()
    return [("crash", begin(stage, "startup", stage.door.agent()))]


def _clear(stage: Stage) -> list[tuple[str, str]]:
    stage.say("SessionEnd.clear")
    return [("clear", begin(stage, "clear", stage.agent))]


def _compaction(stage: Stage) -> list[tuple[str, str]]:
    asked = stage.say("PreCompact.auto")
    stage.say("PostCompact.auto", compact_summary="<summary>The work goes on.</summary>")
    return [(SUMMARISER, asked), ("compaction", stage.say("SessionStart.compact"))]


def _new_day(stage: Stage) -> list[tuple[str, str]]:
    if stage.script.number % 2:
        stage.say("SessionEnd.other")  # else the machine was switched off
    stage.agent.kill()
    return [("new day", begin(stage, "startup", stage.door.agent()))]


def begin(stage: Stage, source: str, agent: Agent) -> str:
    """A session that begins now."""
    session = _id(stage.script.number, "second")
    return stage.today.send(
        f"SessionStart.{source}",
        agent=agent,
        folder=stage.repo,
        session_id=session,
        prompt_id=session,
        transcript_path="",
    )


_LOSING: dict[str, Callable[[Stage], list[tuple[str, str]]]] = {
    "crash": _crash,
    "clear": _clear,
    "compaction": _compaction,
    "new day": _new_day,
}


def _id(number: int, which: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{number} {which}"))


# Judging


def recall(outcomes: list[Outcome], kind: str = "") -> tuple[int, int]:
    """How many of the facts that hold were told, and how many hold."""
    held = [
        (outcome, fact)
        for outcome in outcomes
        for fact in outcome.script.facts
        if fact.holds and kind in ("", fact.kind)
    ]
    return sum(outcome.tells(fact) for outcome, fact in held), len(held)


def strangers(outcome: Outcome, scripts: list[Script]) -> list[Fact]:
    """Facts of other projects in what this one was told."""
    own = " ".join([outcome.script.words(), *(fact.text for fact in outcome.script.facts)])
    return [
        fact
        for other in scripts
        if other.number != outcome.script.number
        for fact in other.facts
        if fact.text not in own and fact.is_in(outcome.told)
    ]
