from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdfast.rooms.sessions.fork_parent import CANDIDATES_CAP, parent_of
from holdfast.rooms.sessions.queries import FIELDS, Session


def at(minute: int) -> str:
    return f"2026-11-15T10:{minute:02d}:00.000Z"


@pytest.fixture
def session(tmp_path: Path):
    def make(name: str, began: int, *rows: tuple[str, int]) -> Session:
        path = tmp_path / f"{name}.jsonl"
        lines = [
            json.dumps({"uuid": u, "timestamp": at(t)}, separators=(",", ":")) for u, t in rows
        ]
        path.write_text("\n".join(lines) + "\n")
        known = {"id": name, "started_at": at(began), "transcript": str(path)}
        return Session(*(known.get(field, "") for field in FIELDS))

    return make


@pytest.mark.promise("S6")
def test_of_many_forks_of_one_parent_none_is_taken_for_the_parent(session):
    parent = session("parent", 0, ("u1", 1), ("u2", 2))
    forks = [
        session(f"fork{n}", 5 + n, ("u1", 1), ("u2", 2), (f"own{n}", 6 + n))
        for n in range(CANDIDATES_CAP + 5)
    ]
    newest_first = [*reversed(forks), parent]

    assert parent_of(forks[-1], newest_first, is_whole=True) == "parent"


@pytest.mark.promise("S6")
def test_a_fork_of_a_fork_has_the_fork_for_its_parent(session):
    first = session("first", 0, ("u1", 1))
    second = session("second", 3, ("u1", 1), ("u2", 4))
    third = session("third", 6, ("u1", 1), ("u2", 4), ("u3", 7))

    assert parent_of(third, [third, second, first], is_whole=True) == "second"


@pytest.mark.promise("S6")
def test_a_transcript_that_may_still_be_on_its_way_tells_nothing(session):
    parent = session("parent", 0, ("u1", 1), ("u2", 2))
    half = session("half", 5, ("u1", 1))

    assert parent_of(half, [half, parent], is_whole=False) == ""
    assert parent_of(half, [half, parent], is_whole=True) == "parent"
