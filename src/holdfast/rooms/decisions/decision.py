"""Decisions: what was decided, why, and what it rests on.

Laws:
  - a decision is never edited; a better one supersedes it;
  - a decision with no evidence is unsupported, which is not the same as grounded;
  - its weakest evidence decides how it stands: one quote that is gone breaks it.
"""

from __future__ import annotations

from holdfast.system import jsontext
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypedDict

    class Around(TypedDict, total=False):
        """What lay around a quote: digests of lines, how often it was there, and which it was."""

        before: list[str]
        after: list[str]
        heads: list[str]
        times: int
        nth: int


HAPPY_PATH, EDGE_CASE, ERROR_HANDLING = SCENARIOS = ("happy_path", "edge_case", "error_handling")
PERSON, AGENT = "person", "agent"
FILE = "file"  # edited in NOTES.md: whoever may write the file may have done it
QUESTION, NEXT_STEP, BLOCKER = ITEMS = ("question", "next_step", "blocker")
CITATION, ASSUMPTION, USER = GROUNDINGS = ("citation", "assumption", "user_input")

# Best first.
GROUNDED, MOVED, BROKEN, UNSUPPORTED = STANDINGS = ("grounded", "moved", "broken", "unsupported")


class Evidence:
    """A quote, the place it was read, and what lay around it.

    `part` says that the quote is a part of its lines. `around` holds digests of the lines near by,
    and how often the quote was in the file: by these one `return None` is told from another.
    """

    def __init__(
        self,
        path: str,
        line: int,
        last: int,
        quote: str,
        *,
        id: str = "",
        part: bool = False,
        around: Around | str = "{}",
        commit: str = "",
    ) -> None:
        self.id = id
        self.path = path
        self.line = line
        self.last = last
        self.quote = quote
        self.part = part
        # As it is kept, until it is asked for: most quotes never need it.
        self._around: Around | str = around
        self.commit = commit

    @property
    def around(self) -> Around:
        kept = self._around
        if isinstance(kept, str):
            read: Around = jsontext.loads(kept)
            self._around = kept = read
        return kept

    def as_dict(self) -> dict[str, str | int]:
        return {name: getattr(self, name) for name in ("path", "line", "last", "quote")}

    def where(self) -> str:
        return where(self.path, self.line, self.last)


class Scenario(Value):
    """What must happen for the decision to be right."""

    kind: str
    name: str
    expected: str


class Decision:
    """A claim that later work relies on. A claim of a session has the same shape."""

    def __init__(
        self,
        id: str,
        text: str,
        *,
        because: str = "",
        at: str = "",
        project: str = "",
        session: str = "",
        source: str = AGENT,
        supersedes: str = "",
        superseded_by: str = "",
    ) -> None:
        self.id = id
        self.text = text
        self.because = because
        self.at = at
        self.project = project
        self.session = session
        self.source = source
        self.supersedes = supersedes
        self.superseded_by = superseded_by
        self.evidence: list[Evidence] = []
        self.scenarios: list[Scenario] = []


class Standing(Value):
    """How a quote stands: by which name, and where it is now. `why` is for a person to read."""

    name: str
    path: str = ""
    line: int = 0
    last: int = 0
    why: str = ""

    def where(self) -> str:
        return where(self.path, self.line, self.last)


def where(path: str, line: int, last: int) -> str:
    """A place as people write it."""
    return f"{path}:{line}" + (f"-{last}" if last > line else "")


def standing(evidence: Iterable[Evidence], standings: Mapping[str, Standing]) -> str:
    """How a decision stands: as its weakest evidence does."""
    names = [standings[citation.id].name for citation in evidence]
    return max(names, key=STANDINGS.index) if names else UNSUPPORTED


def holds(name: str) -> bool:
    """Whether what stands so may be told as true: the quote can be read, there or further on."""
    return name in (GROUNDED, MOVED)
