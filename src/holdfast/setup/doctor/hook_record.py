"""What is on record of hooks: when each fired, what it cost, what went wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from holdfast.agents.claude_code import payloads
from holdfast.ledger import faults, hook_costs
from holdfast.setup.doctor.finding import NOTE, POOR, WELL, Finding, Patient
from holdfast.setup.doctor.installed_hooks import files
from holdfast.system import clock


@dataclass(frozen=True)
class Firings:
    """How often the hook of an event fired, when last, and what it cost."""

    event: str
    count: int
    last_at: str
    p50_ms: int
    p95_ms: int
    failed: int


def fired(patient: Patient) -> Iterator[Finding]:
    """When each hook last fired, how often, and what it cost."""
    rows = firings(patient.state)
    if not rows and files(patient):
        yield Finding(
            "fired", NOTE, "no hook has fired yet: restart the agent after `holdfast init`"
        )
    for row in rows:
        cost = f"p50 {row.p50_ms} ms, p95 {row.p95_ms} ms"
        failed = f", {row.failed} with a fault" if row.failed else ""
        times = "once, at" if row.count == 1 else f"{row.count} times, last at"
        message = f"{row.event}: {times} {row.last_at}, {cost}{failed}"
        yield Finding("fired", WELL if not row.failed else NOTE, message)


def firings(state: str) -> list[Firings]:
    """Per event: how often, when last, what it cost."""
    names = list(payloads.HOOKS)
    by_event: dict[str, list[hook_costs.Cost]] = {}
    for cost in hook_costs.all_of(state):
        name = names[cost.event] if cost.event < len(names) else "other"
        by_event.setdefault(name, []).append(cost)
    return [
        Firings(
            event=name,
            count=len(costs),
            last_at=clock.iso(costs[-1].at),
            p50_ms=hook_costs.quantile([cost.ms for cost in costs], 0.5),
            p95_ms=hook_costs.quantile([cost.ms for cost in costs], 0.95),
            failed=sum(cost.failed for cost in costs),
        )
        for name, costs in by_event.items()
    ]


def swallowed(patient: Patient) -> Iterator[Finding]:
    """Faults on record."""
    sums = faults.summed(faults.all_of(patient.state))
    if not sums:
        yield Finding("faults", WELL, "none on record")
    for fault in sums:
        refusal = fault["refusal"]
        what = str(refusal) if refusal else f"{fault['kind']} at {fault['place']}"
        why = refusal.hint if refusal else fault["detail"]
        times = "once" if fault["count"] == 1 else f"{fault['count']} times, last"
        yield Finding("faults", POOR, f"{what} ({times} at {fault['last']}): {why}")
