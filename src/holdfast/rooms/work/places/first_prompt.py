"""What is told with a session's first prompt: where that lies which the prompt names.

Laws: what is not sure is not told; nothing that the prompt says by itself; a file that is gone from
a folder that is still there is not told; at most a hundred tokens.
"""

from __future__ import annotations

from holdfast.agents.surroundings import INSTRUCTION_FILES
from holdfast.hook.event import NEXT, Remark
from holdfast.hook.tokens import count
from holdfast.hook.voice import Ours, code, joined, ours, quoted, word
from holdfast.rooms.work.places import known_files, prompt_names, queries
from holdfast.system.files import exists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.work.branches.queries import KnownPullRequest
    from holdfast.rooms.work.places.prompt_names import PromptNames, Request

TOKENS = 100
ITEMS = 4
# A name that is defined in more files than this means none of them.
DEFINED_IN = 2
REQUESTS = 2
TITLE_CAP = 80
# Copies of the project within itself.
COPIES = "worktrees/"


def remarks(context: EventContext, prompt: str) -> list[Remark]:
    """What is told with a prompt that is a session's first."""
    names = prompt_names.read(prompt)
    requests = _requests(context, names.requests)
    left = TOKENS - sum(map(count, requests))
    lines = [Remark(NEXT, text) for text in requests]
    places = _places(context, names, prompt)
    while places:
        text = ours("Named in the prompt: {}.", joined("; ", places))
        if count(text) <= left:
            return [*lines, Remark(NEXT, text)]
        places.pop()
    return lines


def _places(context: EventContext, names: PromptNames, prompt: str) -> list[Ours]:
    """Files and names of code, each with its path, the surest first."""
    known = _KnownPlaces(context, names)
    lines: dict[str, Ours] = {}
    for path in known.files():
        lines.setdefault(path, known.dated(path))
    for path, name, at in known.definitions():
        lines.setdefault(path, ours("{} in {} ({})", code(name), code(path), word(at[:10])))
    for path in known.meant():
        lines.setdefault(path, known.dated(path))
    worktree = context.worktree
    return [
        line for path, line in lines.items() if path not in prompt and not _is_gone(worktree, path)
    ][:ITEMS]


class _KnownPlaces:
    """What of a project's files has to do with the names of a prompt."""

    def __init__(self, context: EventContext, names: PromptNames) -> None:
        self._context = context
        self._names = names
        sessions = queries.latest_sessions(context.store, context.project, context.event.session)
        wanted = known_files.stems_of(names)
        self._touched = {
            row[0]: known_files.KnownFile(edits=row[1], last_at=row[2], path=row[0])
            for row in queries.touched(context.store, sessions)
            if known_files.stem_of(row[0]) in wanted and not _is_elsewhere(row[0])
        }

    def files(self) -> list[str]:
        """Files that the prompt names with their ending: those that are the only ones so called,
        or the only ones that sessions changed."""
        tracked = known_files.tracked(self._context.gitdir, self._names.files)
        paths = []
        for name in self._names.files:
            touched = known_files.named(name, self._touched)
            candidates = list(dict.fromkeys((*touched, *tracked.get(name, ()))))
            if len(candidates) > 1:
                candidates = [path for path in touched if self._touched[path].edits]
            if len(candidates) == 1:
                paths.append(candidates[0])
        return paths

    def definitions(self) -> list[tuple[str, str, str]]:
        """Path, name and time of the last edit."""
        context = self._context
        if not self._names.identifiers:
            return []
        by_name: dict[str, list[tuple[str, str, str]]] = {}
        for place in queries.definitions(context.store, context.project, self._names.identifiers):
            row = (place.path, place.name, place.at)
            by_name.setdefault(place.name, []).append(row)
        sure = []
        for rows in by_name.values():
            sources = [row for row in rows if not known_files.is_test(row[0])] or rows
            sure += sources if len(sources) <= DEFINED_IN else []
        return sure

    def meant(self) -> list[str]:
        files = known_files.meant(self._names, list(self._touched.values()))
        return [file.path for file in files]

    def dated(self, path: str) -> Ours:
        file = self._touched.get(path)
        if file is None:
            return code(path)
        how = ours("changed" if file.edits else "read")
        return ours("{} ({} {})", code(path), how, word(file.last_at[:10]))


def _requests(context: EventContext, named: list[Request]) -> list[Ours]:
    """Pull requests and issues that outputs have shown. The branch's own was told at the start."""
    if not named:
        return []
    from holdfast.rooms.work.branches.queries import numbered

    lines = []
    for request in named[:REQUESTS]:
        sights = {
            sort: numbered(context.store, context.project, sort, request.number)
            for sort in ((request.sort,) if request.sort else ("pull_request", "issue"))
        }
        known = [(sort, sight) for sort, sight in sights.items() if sight and sight.title]
        if len(known) != 1:
            continue
        sort, sight = known[0]
        is_other = bool(request.url) and sight.url.lower() != request.url.lower()
        if not is_other and (not sight.branch or sight.branch != context.branch()):
            lines.append(_described(sort, sight))
    return lines


def _described(sort: str, sight: KnownPullRequest) -> Ours:
    """`Pull request #12 "Parse tags" (open; branch `tags`; seen 2026-03-01).`"""
    which = ours("Issue" if sort == "issue" else "Pull request")
    branch = ours("branch {}", code(sight.branch)) if sight.branch else ours("")
    facts = filter(None, [word(sight.state), branch, ours("seen {}", word(sight.at[:10]))])
    title = quoted(sight.title, TITLE_CAP)
    return ours("{} #{} {} ({}).", which, sight.number, title, joined("; ", facts))


def _is_elsewhere(path: str) -> bool:
    """Outside of the project, a copy of it, or what the agent reads by itself."""
    is_outside = path.startswith(("/", "../")) or COPIES in path
    return is_outside or path.rpartition("/")[2] in INSTRUCTION_FILES


def _is_gone(worktree: str, path: str) -> bool:
    folder = path.rpartition("/")[0]
    return exists(f"{worktree}/{folder}") and not exists(f"{worktree}/{path}")
