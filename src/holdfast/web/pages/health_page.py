"""Health: what the doctor finds, what hooks cost, what went wrong, how the ledger grows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from holdfast.ledger import (
    faults,
    hook_costs,
    queries as ledger,
    spool,
    timeline_queries as timeline,
)
from holdfast.rooms.sessions import queries
from holdfast.setup.doctor import MARKS, Patient, examination, hook_probe, kept_entries
from holdfast.system import clock, paths
from holdfast.web import drawing
from holdfast.web.visit import Page, Visit

DAYS, LOOKED_AT, BARS = 30, 10_000, 48
TONES = {"well": "ok", "note": "quiet", "poor": "warn", "broken": "bad"}
# What tries something out, or reads the whole store or every session's files, is the command's: a
# page only looks. What hooks cost and what went wrong is shown apart.
LEFT_OUT = (
    *(hook_probe.probe, kept_entries.store, kept_entries.mirrors),
    *(hook_probe.fired, hook_probe.swallowed),
)


@dataclass(frozen=True)
class Fault:
    what: str
    times: int
    last: str
    why: str


@dataclass(frozen=True)
class Bar:
    x: float
    width: float
    height: float
    label: str


def page(visit: Visit) -> Page:
    state, store = visit.reading.state, visit.store
    checks = [check for check in examination.CHECKS if check not in LEFT_OUT]
    latest = queries.listed(store, limit=1)
    root = latest[0].worktree if latest else paths.home()
    findings = examination.examine(Patient(state, Path(root)), checks)
    costs = list(hook_costs.all_of(state))
    medians, labels = _over_time(costs)
    ceiling = max([*medians, 1])
    view = {
        "findings": findings,
        "marks": MARKS,
        "tones": TONES,
        "firings": hook_probe.firings(state),
        "costs": drawing.line(medians, labels, highest=ceiling),
        "cost_ceiling": round(ceiling),
        "costs_from": clock.iso(costs[0].at) if costs else "",
        "costs_to": clock.iso(costs[-1].at) if costs else "",
        "faults": [
            Fault(
                str(each["refusal"] or f"{each['kind']} at {each['place']}"),
                int(each["count"]),
                str(each["last"]),
                each["refusal"].hint if each["refusal"] else str(each["detail"]),
            )
            for each in faults.summed(faults.all_of(state))
        ],
        "waiting": len(spool.waiting(state)),
        "entries": ledger.last_place(store),
        "bytes": _size(paths.store(state)),
        "growth": _bars(timeline.growth(store, _days(visit.now))),
        "redactions": timeline.redactions(store, LOOKED_AT),
    }
    return Page("health.html", "Health", view, tab="Health")


def _over_time(costs: list[hook_costs.Cost]) -> tuple[list[float], list[str]]:
    """The median of what hooks took, over equal parts of all that is on record."""
    if not costs:
        return [], []
    size = max(1, -(-len(costs) // BARS))
    medians, labels = [], []
    for start in range(0, len(costs), size):
        part = costs[start : start + size]
        median = hook_costs.quantile([cost.ms for cost in part], 0.5)
        medians.append(float(median))
        labels.append(f"{median} ms, {len(part)} hooks from {clock.iso(part[0].at)[:16]}Z on")
    return medians, labels


def _days(now: str) -> list[str]:
    """The last days, the earliest first."""
    last = date.fromisoformat(now[:10])
    return [(last - timedelta(days=back)).isoformat() for back in range(DAYS - 1, -1, -1)]


def _bars(days: list[tuple[str, int]]) -> list[Bar]:
    """A bar for each day."""
    highest = max([1, *(count for _, count in days)])
    width = drawing.WIDTH / DAYS
    return [
        Bar(
            round(place * width, 1),
            round(width * 0.8, 1),
            round(drawing.HEIGHT * count / highest, 1),
            f"{day}: {count:,} entries",
        )
        for place, (day, count) in enumerate(days)
    ]


def _size(path: str) -> int:
    return sum(file.stat().st_size for file in Path(path).parent.glob(f"{Path(path).name}*"))
