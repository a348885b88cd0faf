"""How decisions stand: the files are opened, and only those that changed since the last look.

Laws:
  - nothing is believed of a file that may have changed after it was read: its stamp must be the
    same, and must have been older than the look by more than a file system's clock is coarse;
  - a quote that was not found where git could still say otherwise is looked for again;
  - what cannot be read is not there.
"""

from __future__ import annotations

import time

import apsw

from holdfast.rooms.decisions import queries
from holdfast.rooms.decisions.decision import BROKEN, GROUNDED, MOVED, Standing
from holdfast.rooms.decisions.grounding import committed_files, source_files
from holdfast.rooms.decisions.grounding.quotes import NO_FILE, seek
from holdfast.rooms.decisions.grounding.ratio import Claim, grounding_of, ratio, weighed
from holdfast.rooms.decisions.queries import Judged
from holdfast.store.driver import BUSY
from holdfast.system.environment import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from holdfast.rooms.decisions.decision import Decision, Evidence
    from holdfast.store.sqlite import Store

__all__ = ["claims", "judge", "ratio", "reground"]

COARSE_NS = 2_000_000_000  # the coarsest clock of a file system
ABSENT = "absent"
UNASKED = "unasked"
OPEN = 16  # files that are held at once
RENAMED = "its file was renamed"


class Count:
    """What a judgement cost: files that were read, quotes that were looked for. Who waits for it is
    told how far it is."""

    def __init__(self, tell: Callable[[int, int], None] = lambda done, of: None) -> None:
        self.tell = tell
        self.files = 0
        self.quotes = 0


def judge(
    store: Store,
    root: str,
    decisions: Iterable[Decision],
    *,
    at_rev: str = "",
    keep: bool = True,
    count: Count | None = None,
) -> dict[str, Standing]:
    """How each piece of evidence stands, by its id: in the work tree, or in a commit."""
    evidence = [citation for decision in decisions for citation in decision.evidence]
    count = count or Count()
    if at_rev:
        from holdfast.rooms.decisions.grounding.committed_files import blobs, resolved

        to = resolved(root, at_rev)
        files = Files(blobs(root, to, {citation.path for citation in evidence}), count)
        return _looked_for(evidence, files, committed_files.Renames(root, to))
    return _in_work_tree(store, root, evidence, keep=keep, count=count)


def _in_work_tree(
    store: Store, root: str, evidence: list[Evidence], *, keep: bool, count: Count
) -> dict[str, Standing]:
    known = queries.judged(store, root, [citation.id for citation in evidence])
    now = {path: _stamp(root, path) for path in {citation.path for citation in evidence}}
    git = committed_files.stamp(root)
    standings: dict[str, Standing] = {}
    for citation in evidence:
        past = known.get(citation.id)
        if past is not None:
            then = past.standing
            if _holds(
                citation.path, now[citation.path], git, past.stamp, then.path, then.name, past.asked
            ):
                standings[citation.id] = then
    left = [citation for citation in evidence if citation.id not in standings]
    return standings | _looked_up(store, root, left, now, git, keep=keep, count=count)


def reground(
    store: Store, project: str, root: str, *, count: Count | None = None
) -> dict[str, int]:
    """Judge all decisions in force, by opening what changed alone; how many stand how."""
    known = queries.last_judged(store, project, root)
    now = {path: _stamp(root, path) for path in {row[1] for row in known}}
    git = committed_files.stamp(root)
    left = [row[0] for row in known if not _holds(row[1], now[row[1]], git, *row[2:])]
    evidence = queries.evidence(store, left)
    _looked_up(store, root, evidence, now, git, keep=True, count=count or Count())
    return queries.tally(store, project, root)


def _holds(
    path: str, stamp: str, git: str, then: str, found_in: str, name: str, asked: str
) -> bool:
    """Whether what was found of a quote is still so: its file is the same as then, and of a quote
    that was gone from it, git could not say otherwise by now."""
    is_same = stamp == then and stamp not in ("", ABSENT) and found_in == path
    return is_same and (name != BROKEN or asked == git)


def _looked_up(
    store: Store,
    root: str,
    evidence: list[Evidence],
    now: dict[str, str],
    git: str,
    *,
    keep: bool,
    count: Count,
) -> dict[str, Standing]:
    """Open the files of some evidence, and keep what was found for the next time."""
    if not evidence:
        return {}
    files = Files(lambda path: source_files.read(root, path), count)
    renames = committed_files.Renames(root)
    standings = _looked_for(evidence, files, renames)
    if keep:
        asked = UNASKED if renames.is_cut else git  # which is never what git says the next time
        _keep(store, root, {e.id: Judged(standings[e.id], now[e.path], asked) for e in evidence})
    return standings


def _keep(store: Store, root: str, judged_by_id: dict[str, Judged]) -> None:
    if store.is_in_transaction():
        queries.keep_judged(store, root, judged_by_id)
        return
    try:
        with store.transaction():
            queries.keep_judged(store, root, judged_by_id)
    except (*BUSY, apsw.FullError, apsw.ReadOnlyError):
        pass  # a cache: the next one looks again


def _stamp(root: str, path: str) -> str:
    """What changes when a file does; "" when it may still change without that, so soon after."""
    try:
        status = system.stat(f"{root}/{path}")
    except (OSError, ValueError):
        return ABSENT
    if max(status.st_mtime_ns, status.st_ctime_ns) + COARSE_NS > time.time_ns():
        return ""
    return f"{status.st_mtime_ns}.{status.st_ctime_ns}.{status.st_size}.{status.st_ino}"


class Files:
    """Files by path, the last few of them: who asks in order has each read once."""

    def __init__(self, read: Callable[[str], str | None], count: Count) -> None:
        self._read = read
        self.count = count
        self._sources: dict[str, source_files.Source | None] = {}

    def seek(self, evidence: Evidence, path: str) -> Standing | None:
        """How a quote stands in a file; None when there is no such file."""
        if path not in self._sources:
            if len(self._sources) >= OPEN:
                del self._sources[next(iter(self._sources))]
            content = self._read(path)
            self.count.files += content is not None
            self._sources[path] = None if content is None else source_files.Source(content)
        source = self._sources[path]
        self.count.quotes += 1
        return None if source is None else seek(evidence, source.for_quote(evidence.quote))


def _looked_for(
    evidence: list[Evidence], files: Files, renames: committed_files.Renames
) -> dict[str, Standing]:
    standings = {}
    in_order = sorted(evidence, key=lambda citation: citation.path)
    for number, citation in enumerate(in_order, 1):
        files.count.tell(number, len(in_order))
        here = files.seek(citation, citation.path)
        if here is None or here.name == BROKEN:
            here = _renamed(citation, files, renames, here)
        standings[citation.id] = here
    return standings


def _renamed(
    citation: Evidence, files: Files, renames: committed_files.Renames, here: Standing | None
) -> Standing:
    """How a quote stands that its file does not hold, or whose file is not there."""
    why = NO_FILE
    for path in renames.of(citation.path, citation.commit):
        there = files.seek(citation, path)
        if there is not None and there.name in (GROUNDED, MOVED):
            return Standing(MOVED, path, there.line, there.last, RENAMED)
        if there is not None:
            why = f"its file is {path} by now, and the quote is gone"
    return here or Standing(BROKEN, citation.path, citation.line, citation.last, why)


def claims(
    store: Store,
    project: str,
    root: str,
    *,
    session: str = "",
    at_rev: str = "",
    count: Count | None = None,
) -> list[Claim]:
    """What a session claimed and decided, or the whole project, as it stands now."""
    cited = queries.claims(store, project, session)
    decided = (
        [claim for claim in queries.of_session(store, project, session) if not claim.superseded_by]
        if session
        else list(reversed(queries.current(store, project)))
    )
    both = [*cited, *((claim, grounding_of(claim)) for claim in decided)]
    claimed = [claim for claim, _ in both]
    standings = judge(store, root, claimed, at_rev=at_rev, count=count)
    return [weighed(claim, grounding, standings) for claim, grounding in both]
