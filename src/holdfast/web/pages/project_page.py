"""A project: what the next session would be told, word for word, and where each line came from."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from holdfast.hook import briefing, voice
from holdfast.hook.briefing import Paragraph
from holdfast.hook.event import SECTIONS
from holdfast.hook.preview import Preview, next_start
from holdfast.ledger.entry_words import SECTIONS as TITLES
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.git_branch import branch_of
from holdfast.rooms.sessions.queries import Session
from holdfast.rooms.work.branches import queries as branches
from holdfast.store.sqlite import Store
from holdfast.system import files
from holdfast.web.origins import Origin, origin_of
from holdfast.web.visit import Page, Visit

SESSIONS, BRANCHES = 8, 12


@dataclass(frozen=True)
class Line:
    """One line of the briefing, as it would be read, and its cost; an item has its own source."""

    text: str
    tokens: int
    origin: Origin | None = None


@dataclass(frozen=True)
class Told:
    """One remark: its lines, its cost, and where it came from as a whole."""

    title: str
    lines: list[Line]
    tokens: int
    origins: list[Origin]


@dataclass(frozen=True)
class Briefing:
    heading: str
    heading_tokens: int
    remarks: list[Told]
    tokens: int


@dataclass(frozen=True)
class Worktree:
    """A folder of the project in which a session would begin."""

    branch: str
    href: str
    is_chosen: bool


def page(visit: Visit) -> Page:
    project = visit.project()
    store = visit.store
    sessions = queries.of_project(store, project.id, SESSIONS)
    root = visit.query.get("worktree") or (sessions[0].worktree if sessions else project.root)
    why = "" if files.is_folder(root) else f"{root} is not there any more"
    if root not in {project.root, *(session.worktree for session in sessions)}:
        why = "that folder is none of this project's"
    made = None if why else _briefing(store, next_start(visit.reading.state, root))
    gitdir = next((each.gitdir for each in sessions if each.worktree == root), "")
    return Page(
        "project.html",
        "What the next session would be told",
        {
            "worktrees": _worktrees(sessions, root),
            "briefing": made,
            "why_none": why,
            "branch": branch_of(gitdir) if gitdir and not why else "",
            "branches": branches.seen_last(store, project.id, BRANCHES),
            "sessions": sessions,
        },
        project=project,
        tab="Briefing",
    )


def _worktrees(sessions: list[Session], chosen: str) -> list[Worktree]:
    """Where the latest sessions worked, and the folder is still there."""
    latest = {session.worktree: session for session in reversed(sessions)}
    return [
        Worktree(
            branch_of(session.gitdir) or session.branch,
            f"?{urlencode({'worktree': path})}",
            path == chosen,
        )
        for path, session in sorted(latest.items())
        if files.is_folder(path)
    ]


def _briefing(store: Store, preview: Preview) -> Briefing:
    return Briefing(
        heading=preview.heading,
        heading_tokens=briefing.count(preview.heading),
        remarks=[_told(store, part) for part in preview.parts],
        tokens=briefing.count(preview.text()),
    )


def _told(store: Store, part: Paragraph) -> Told:
    """A remark in lines: the item that a line belongs to says where it came from."""
    remark = part.remark
    items = [voice.fence(item, briefing.ITEM_CAP) for item in remark.items[: part.many]]
    sources = remark.item_sources[: part.many]
    text = str(part.text)
    lines: list[Line] = []
    for item, source in zip(items, sources, strict=False):
        head, item_there, text = text.partition(f"\n{item}")
        lines += _own_lines(head)
        lines.append(Line(item, briefing.count(item), origin_of(store, source)))
        text = text if item_there else ""
    lines += _own_lines(text)
    return Told(
        title=TITLES[SECTIONS[remark.priority]],
        lines=lines,
        tokens=briefing.count(part.text),
        origins=[origin_of(store, source) for source in remark.sources],
    )


def _own_lines(text: str) -> list[Line]:
    return [Line(line, briefing.count(line)) for line in text.split("\n") if line]
