"""A session as a colleague reads it: what was asked, done, decided, and what is open.

Laws: nothing is composed, every text is somebody's own; each passes redaction once more, and no
path of this machine outside the project is told. In Markdown and in HTML whatever is not ours
stands in code, which it cannot leave, or is escaped: no tag, link, mention, image or reference of
it comes to life, in a browser or in a pull request. The HTML asks nobody for anything and runs no
script.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

from holdfast import __version__
from holdfast.hook.voice import visible
from holdfast.ledger import timeline_queries as timeline
from holdfast.ledger.entry_words import CHECKS, COMMITS, LIFE, kinds_of, summary_of
from holdfast.ledger.timeline_queries import KeptEntry
from holdfast.ledger.workspace import Workspace
from holdfast.redaction.gate import gate_text
from holdfast.rooms.decisions import decision_wording, queries as decisions
from holdfast.rooms.decisions.decision import standing
from holdfast.rooms.decisions.grounding import standing as grounding
from holdfast.rooms.prompts import choice_queries
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.work import queries as work, summary as work_summary
from holdfast.rooms.work.queries import Activity
from holdfast.system import clock, files, paths

TEXT_CAP, ITEMS_CAP, CHOICES_CAP = 1_200, 60, 200
GONE = "[a path outside the project]"
# Where machines keep what is theirs; a route of a program, such as /api/users, is none of these.
ROOTS = (
    "home Users root tmp var opt usr etc mnt media srv private data work Volumes workspace".split()
)
MACHINE_PATHS = re.compile(
    rf"(?:file://)?(?<![\w.:/~-])(?:/(?:{'|'.join(ROOTS)})(?:/[^\s\"'`<>|;:,()\[\]{{}}]*)?(?![\w])"
    r"|~/[^\s\"'`<>|;:,()\[\]{}]*|[A-Za-z]:\\[^\s\"'`<>|;,()]*)"
)
CHANGED = {"edit": "changed", "create": "created"}


@dataclass(frozen=True)
class Item:
    """One line: when, what it is in our words, and somebody's own text."""

    text: str
    label: str = ""
    at: str = ""


@dataclass(frozen=True)
class Section:
    title: str
    items: list[Item]
    empty: str = ""  # what is said where there is nothing; "" leaves the section out


@dataclass(frozen=True)
class Fact:
    name: str
    value: str


@dataclass(frozen=True)
class SessionReport:
    title: str
    task: str
    facts: list[Fact]
    sections: list[Section]


def gather(workspace: Workspace, session: Session) -> SessionReport:
    """Everything that is told of a session, ready to be shown."""
    tell = Teller(workspace, session)
    row = queries.project(workspace.store, session.project)
    done = work.activity(workspace.store, session.id)
    goal = tell.state.goal
    task = goal.goal if goal else (done.last_prompt if done else "")
    ended = f" to {_minute(session.ended_at)}" if session.ended_at else ", still open"
    facts = [
        ("Project", tell.line(row[1]) if row else ""),
        ("Branch", tell.line(session.branch or "")),
        ("Agent", tell.line(f"{session.agent} {session.model or ''}".strip())),
        ("When (UTC)", f"{_minute(session.started_at)}{ended}"),
        ("Ended", tell.line(session.end_reason or "")),
        ("Did", _counted(done) if done else ""),
    ]
    return SessionReport(
        title=f"Session {session.id.replace('-', '')[:8]}",
        task=tell.text(task),
        facts=[Fact(name, value) for name, value in facts if value],
        sections=[
            Section("What was asked", tell.asked(), "Nothing was asked."),
            Section("Files", tell.files(), "No file was changed."),
            Section("Checks, commits and pull requests", tell.words(CHECKS, COMMITS)),
            Section("Decisions", tell.decisions()),
            Section("Rules and choices", tell.rules()),
            Section("Open", tell.open(), "Nothing is known to be open."),
            Section("Beginnings, compactions, crashes", tell.words(LIFE)),
        ],
    )


class Teller:
    """What is told of a session; somebody's text as it may leave this machine."""

    def __init__(self, workspace: Workspace, session: Session) -> None:
        workspace.settings(session.worktree)  # with them come patterns of secrets
        self.store, self.session = workspace.store, session
        self.state = work_summary.draw(
            self.store, session.project, session.id, now=clock.now(), branch=session.branch or ""
        )
        self._root = session.worktree.rstrip("/")

    def text(self, given: object) -> str:
        text = given if isinstance(given, str) else ""
        if self._root:
            text = text.replace(f"{self._root}/", "").replace(self._root, ".")
        home = paths.home()
        if len(home) > 1:
            text = text.replace(home, "~")
        return gate_text(MACHINE_PATHS.sub(GONE, text), TEXT_CAP).strip()

    def line(self, given: str) -> str:
        return " ".join(self.text(given).split())

    def entries(self, *kinds: str) -> list[KeptEntry]:
        """The earliest first; of many the latest."""
        entries = timeline.of_session(self.store, self.session.id, kinds=kinds, limit=ITEMS_CAP)
        return [entry for entry in reversed(entries) if entry.body is not None]

    def asked(self) -> list[Item]:
        prompts = [
            entry
            for entry in self.entries("prompt_given")
            if not (entry.body or {}).get("unverified")
        ]
        return [Item(self.text((each.body or {}).get("prompt")), at=each.at) for each in prompts]

    def files(self) -> list[Item]:
        changed = work.changed(self.store, self.session.id, ITEMS_CAP)
        return [Item(self.line(path), CHANGED.get(how, how)) for path, how in changed]

    def words(self, *groups: str) -> list[Item]:
        items = []
        for entry in self.entries(*kinds_of([*groups])):
            words = summary_of(entry)
            items.append(Item(self.text(words.text), words.title, entry.at))
        return items

    def decisions(self) -> list[Item]:
        made = decisions.of_session(self.store, self.session.project, self.session.id)
        is_there = files.is_folder(self.session.worktree)
        standings = grounding.judge(self.store, self.session.worktree, made) if is_there else {}
        items = []
        for each in made:
            text = f"{each.text}\n{each.because}".strip()
            places = [cited.where() for cited in each.evidence]
            if each.superseded_by:
                label = "superseded"
            elif not is_there:
                label = "its work tree is gone, so nothing was looked up"
            else:
                own = {cited.id: standings[cited.id] for cited in each.evidence}
                label = decision_wording.standing_words(standing(each.evidence, standings), own)
            items.append(Item(self.text("\n".join([text, *places])), self.line(label), each.at))
        return items

    def rules(self) -> list[Item]:
        rules = [
            Item(self.text(rule.text), label, rule.at)
            for label, given in (("rule", self.state.rules), ("dead end", self.state.dead_ends))
            for rule in given
            if not self.session.ended_at or rule.at <= self.session.ended_at
        ]
        choices = choice_queries.choices(self.store, self.session.project, CHOICES_CAP)
        own = [choice for choice in reversed(choices) if choice.session == self.session.id]
        return rules + [
            Item(self.text(f"{choice.question}\n{choice.text}"), "choice", choice.at)
            for choice in own
        ]

    def open(self) -> list[Item]:
        failing = [
            Item(self.text(f"{failure.command}\n{failure.says}"), "failing check", failure.at)
            for failure in self.state.failing
        ]
        steps = [
            Item(
                self.text(step),
                f"next, from {self.state.next_source}" if self.state.next_source else "next",
            )
            for step in self.state.next_steps
        ]
        given = self.state.handoff
        blockers_and_questions = [
            *(("in the way", text) for text in (given.blockers if given else [])),
            *(("question", text) for text in (given.questions if given else [])),
        ]
        items = [
            Item(self.text(item["text"]), item["sort"].replace("_", " "), item["at"])
            for item in decisions.open_items(self.store, self.session.project)
            if item["session"] == self.session.id
        ]
        return (
            failing
            + steps
            + [Item(self.text(text), label) for label, text in blockers_and_questions]
            + items
        )


def _counted(done: Activity) -> str:
    counts = ((done.prompts, "prompt"), (done.turns, "turn"), (done.tools, "act"))
    return ", ".join(f"{count} {name}{'s' * (count != 1)}" for count, name in counts)


MADE_BY = f"Made by Holdfast {__version__} from what was kept on this machine."
STYLE = """
:root { color-scheme: light dark; --ink: #1d2429; --quiet: #5a666e; --line: #d5dbdf; --paper: #fff;
  --wash: #f4f6f7; --mark: #0b6470 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ea; --quiet: #a3adb4; --line: #3a444b;
  --paper: #14191d; --wash: #1d2429; --mark: #6cc5cf } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1rem 4rem; max-width: 52rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.5rem; margin: 0 0 .5rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
.task { font-size: 1.15rem; margin: 0 0 1rem; white-space: pre-wrap; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0 }
dt, .at, .label, footer { color: var(--quiet) } dd { margin: 0; overflow-wrap: anywhere }
ul { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line) }
li { padding: .5rem 0; border-bottom: 1px solid var(--line) }
.head { font-size: .85rem; display: flex; gap: .75rem; flex-wrap: wrap }
.label { color: var(--mark) } .at { font-variant-numeric: tabular-nums }
.words { white-space: pre-wrap; overflow-wrap: anywhere; margin: .1rem 0 0 }
footer { margin-top: 3rem; font-size: .85rem }
@media print { body { max-width: none } }
"""


def markdown(report: SessionReport) -> str:
    lines = [f"# {report.title}", ""]
    if report.task:
        lines += [*_fenced(report.task), ""]
    lines += [f"- {fact.name}: {_code(fact.value)}" for fact in report.facts]
    for section in shown(report):
        lines += ["", f"## {section.title}", ""]
        lines += [line for item in section.items for line in _listed(item)] or [section.empty]
    return "\n".join([*lines, "", MADE_BY])


def page(report: SessionReport) -> str:
    sections = "\n".join(_section(section) for section in shown(report))
    facts = "".join(
        f"<dt>{_escaped(fact.name)}</dt><dd>{_escaped(fact.value)}</dd>" for fact in report.facts
    )
    task = f'<p class="task">{_escaped(report.task)}</p>' if report.task else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{_escaped(report.title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
<h1>{_escaped(report.title)}</h1>
{task}
<dl>{facts}</dl>
{sections}
</main>
<footer>{_escaped(MADE_BY)}</footer>
</body>
</html>
"""


def shown(report: SessionReport) -> list[Section]:
    return [section for section in report.sections if section.items or section.empty]


def _section(section: Section) -> str:
    items = "\n".join(_item(item) for item in section.items)
    body = f"<ul>\n{items}\n</ul>" if items else f"<p>{_escaped(section.empty)}</p>"
    return f"<section>\n<h2>{_escaped(section.title)}</h2>\n{body}\n</section>"


def _item(item: Item) -> str:
    at = f'<span class="at">{_escaped(_minute(item.at))}</span>' if item.at else ""
    label = f'<span class="label">{_escaped(item.label)}</span>' if item.label else ""
    head = f'<div class="head">{at}{label}</div>' if at or label else ""
    words = f'<p class="words">{_escaped(item.text)}</p>' if item.text else ""
    return f"<li>{head}{words}</li>"


def _escaped(text: str) -> str:
    return html.escape(visible(text))


def _listed(item: Item) -> list[str]:
    head = ", ".join(part for part in (_minute(item.at), _code(item.label)) if part)
    if "\n" not in item.text.strip():
        words = _code(item.text)
        return [f"- {': '.join(part for part in (head, words) if part)}"]
    return [f"- {head}", "", *(f"  {line}".rstrip() for line in _fenced(item.text)), ""]


def _fenced(text: str) -> list[str]:
    """Lines in a fence that is longer than any of theirs."""
    text = visible(text)
    fence = "`" * max(3, _longest(text) + 1)
    return [f"{fence}text", *text.split("\n"), fence]


def _code(text: str) -> str:
    """One line in backquotes that it cannot close."""
    flat = " ".join(visible(text).split())
    if not flat:
        return ""
    marks = "`" * (_longest(flat) + 1)
    space = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{marks}{space}{flat}{space}{marks}"


def _longest(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _minute(at: str) -> str:
    return f"{at[:10]} {at[11:16]}" if at else ""
