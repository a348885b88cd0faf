"""The chain: which session came before, which after, to a depth.

A link is an entry and is never guessed again. A chain may fork forwards (two sessions that both
followed one); backwards it is one line. A circle, which no rule of ours makes, ends the walk.
"""

from __future__ import annotations

from typing import NamedTuple

from holdfast.rooms.sessions import queries
from holdfast.store.sqlite import Store


class Link(NamedTuple):
    session: str
    how: str  # how this one is linked to the one it came from


def before(store: Store, session: str, depth: int) -> list[Link]:
    """The sessions before, nearest first; each with how its follower was linked to it."""
    chain: list[Link] = []
    seen = {session}
    while len(chain) < depth:
        link = queries.previous_of(store, session)
        if link is None or link[0] in seen:
            break
        chain.append(Link(*link))
        session = link[0]
        if not session:
            break  # known to be unknown: a fork whose parent no transcript told
        seen.add(session)
    return chain


def after(store: Store, session: str, depth: int) -> list[Link]:
    """The sessions after, breadth first, nearest first."""
    chain: list[Link] = []
    seen, edge = {session}, [session]
    for _ in range(depth):
        links = [Link(*link) for place in edge for link in queries.next_of(store, place)]
        fresh = [link for link in links if link.session not in seen]
        if not fresh:
            break
        chain += fresh
        seen |= {link.session for link in fresh}
        edge = [link.session for link in fresh]
    return chain
