"""One request for a page: the store as it is now, what was asked for; and what is shown of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from holdfast.errors import HoldfastError, NotFound
from holdfast.ledger.reader import Reading
from holdfast.rooms.sessions import queries
from holdfast.store.sqlite import Store

# What a command prints with --json, or a template shows, by name.
Printed = Mapping[str, object]


@dataclass(frozen=True)
class ProjectPlace:
    """A project as its pages name it."""

    id: str
    name: str
    root: str


@dataclass(frozen=True)
class Visit:
    """A page that is asked for: by whom does not matter, the guard has let them in."""

    reading: Reading
    now: str
    names: Mapping[str, str]  # of the path
    query: Mapping[str, str]
    powers: Powers

    @property
    def store(self) -> Store:
        return self.reading.store

    def project(self) -> ProjectPlace:
        """The project that the path names."""
        row = queries.project(self.store, self.names["project"])
        if row is None:
            raise NotFound("there is no such project", hint="the page Now lists those that are")
        return ProjectPlace(*row)

    def number(self, name: str, otherwise: int = 0) -> int:
        """A number that was asked for; the other where it is none."""
        given = self.query.get(name, "")
        is_number = given.isascii() and given.isdecimal() and len(given) < 16
        return int(given) if is_number else otherwise


@dataclass(frozen=True)
class Page:
    """What a template is filled with."""

    template: str
    title: str
    content: Printed | HoldfastError
    project: ProjectPlace | None = None
    tab: str = ""
    status: int = 200


@dataclass(frozen=True)
class Done:
    """What an act of a person has done, in a line, or why it was not; and the act that undoes it:
    its name and the fields of its form."""

    line: str
    undo: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    is_refused: bool = False


@dataclass(frozen=True)
class Gates:
    """How the requirements of a branch stand for a session, or for none."""

    branch: str
    session: str
    is_at_work: bool  # the session is open, and may be let pass
    is_paused: bool
    listed: list[Printed]  # as `holdfast req status` has them, with their descriptions
    waiting: list[str]  # of the repository's own configuration, for trust


View = Callable[[Visit], Page]
# A form's fields.
Form = Mapping[str, str]


@dataclass(frozen=True)
class Powers:
    """What commands know to do and the dashboard only shows: acts of a person by name, recall
    (project, words, level) and the state of gates (project, session; "" for the one at work)."""

    acts: Mapping[str, Callable[[Form], Done]]
    recall: Callable[[str, str, str], Printed]
    gates: Callable[[str, str], Gates]
    why_not: str = ""  # why nothing may be changed; "" where a person started it
