"""Pictures as SVG, drawn here and styled by classes: no script and no style of their own.

Coordinates are numbers of ours; no text that was kept is written into a picture but through the
template, which escapes it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640.0, 120.0
RING, CENTRE = 78.0, 110.0
STEP, LANE, MARGIN = 78.0, 30.0, 26.0


@dataclass(frozen=True)
class Dot:
    x: float
    y: float
    label: str


@dataclass(frozen=True)
class Line:
    """A curve over a frame of WIDTH by HEIGHT: its path and its points."""

    path: str
    dots: list[Dot]


def line(values: Sequence[float], labels: Sequence[str], *, highest: float = 1.0) -> Line:
    """A curve of values from 0 to the highest."""
    if not values:
        return Line("", [])
    width = WIDTH / max(1, len(values) - 1)
    points = [
        (round(place * width, 1), round(HEIGHT * (1 - min(1.0, max(0.0, value / highest))), 1))
        for place, value in enumerate(values)
    ]
    if len(points) == 1:
        points.append((WIDTH, points[0][1]))
    path = "M" + " L".join(f"{x} {y}" for x, y in points)
    dots = [Dot(x, y, label) for (x, y), label in zip(points, labels, strict=False)]
    return Line(path, dots)


def ring(phases: Sequence[float], names: Sequence[str]) -> list[Dot]:
    """The facets at their phases around a circle: those that agree stand together."""
    dots = []
    last: dict[int, int] = {}
    for phase, name in sorted(zip(phases, names, strict=True)):
        bucket = round(phase * 5)
        crowd = last.get(bucket, 0)
        last[bucket] = crowd + 1
        x, y = math.cos(phase), -math.sin(phase)
        radius = RING - crowd * 9
        label = f"{name} {round(math.degrees(phase)) % 360}°"
        dots.append(Dot(round(CENTRE + radius * x, 1), round(CENTRE + radius * y, 1), label))
    return dots


def mean(phases: Sequence[float]) -> tuple[float, float]:
    """The point that the order parameter leads to: near the rim where facets agree."""
    x = sum(math.cos(phase) for phase in phases) / max(1, len(phases))
    y = sum(math.sin(phase) for phase in phases) / max(1, len(phases))
    return round(CENTRE + RING * x, 1), round(CENTRE - RING * y, 1)


@dataclass(frozen=True)
class Edge:
    path: str
    how: str


@dataclass(frozen=True)
class Node:
    """A session in the graph of a chain."""

    x: float
    y: float


@dataclass(frozen=True)
class Graph:
    nodes: dict[str, Node]
    edges: list[Edge]
    width: float
    height: float


def graph(order: Sequence[str], links: Sequence[tuple[str, str, str]]) -> Graph:
    """Sessions below each other, the newest first; what followed another one hangs below it in the
    same lane, a fork gets a lane of its own."""
    before = {session: (previous, how) for session, previous, how in links}
    lanes: dict[str, int] = {}
    free = 0
    taken: set[str] = set()
    for session in reversed(order):  # the earliest first: it opens a lane
        previous = before.get(session, ("", ""))[0]
        if previous in lanes and previous not in taken:
            lanes[session] = lanes[previous]
            taken.add(previous)
        else:
            lanes[session] = free
            free += 1
    used = sorted(set(lanes.values()), key=lambda lane: -lane)
    place = {lane: number for number, lane in enumerate(used)}
    nodes = {
        session: Node(MARGIN + place[lanes[session]] * LANE, MARGIN + row * STEP)
        for row, session in enumerate(order)
    }
    edges = []
    for session, (previous, how) in before.items():
        if session in nodes and previous in nodes:
            child, parent = nodes[session], nodes[previous]
            middle = (child.y + parent.y) / 2
            path = (
                f"M{child.x} {child.y} C{child.x} {middle} {parent.x} {middle}"
                f" {parent.x} {parent.y}"
            )
            edges.append(Edge(path, how))
    width = 2 * MARGIN + LANE * max(0, len(used) - 1)
    return Graph(nodes, edges, width, 2 * MARGIN + STEP * max(0, len(order) - 1))
