"""The curve of a session's identity ends where its identity stands."""

from __future__ import annotations

from holdfast.ledger import queries as ledger
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.identity import lookup
from holdfast.rooms.identity.lookup import KINDS, curve
from scenarios.story import A, B


def test_the_last_point_of_the_curve_is_how_identity_stands(story):
    story.begin(A, hours=3)
    story.say(A, "Implement the retry of fetch in src/fetch.py.", hours=2.9)
    story.edit(A, "src/fetch.py", hours=2.8)
    story.run(A, "pytest -q tests/test_fetch.py", "3 passed", hours=2.7)
    story.stop(A, hours=2.6)
    story.end(A, hours=2.5)
    story.begin(B)
    story.say(B, "Implement a page of statistics in web/statistics.html.")
    story.edit(B, "web/statistics.html")
    story.edit(B, "web/style.css")
    story.compact(B)
    story.run(B, "npm test", "12 passed")

    store = Workspace(story.state).store
    for session in (A, B):
        kept = [entry for _, entry in ledger.read(store, session=session) if entry.kind in KINDS]
        points = curve(kept)
        reading = lookup.reading_of(store, session)
        assert len(points) >= 3
        assert (points[-1].ic, points[-1].r) == (reading.ic, reading.r)
