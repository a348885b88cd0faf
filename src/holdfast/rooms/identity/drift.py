"""How far a session is from its purpose: continuity, its classes, and its states.

Laws: every figure lies between 0 and 1 and is a number; thresholds belong to the better class;
a vector without length has nothing in common with any other.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FACETS = 13
HEALTHY, GOOD, WARNING = 0.9, 0.7, 0.5
HYPERSYNC, CONSCIOUS, EMERGING, FRAGMENTED = 0.95, 0.8, 0.5, 0.3

PI = 3.141592653589793
E = 2.718281828459045


def cosine13(a: Sequence[float], b: Sequence[float]) -> float:
    """The cosine of two vectors; 0 when one of them has no length."""
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    size = (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5
    return max(-1.0, min(1.0, dot / size)) if size > 1e-12 else 0.0


# Where a facet goes that has nothing to do with the task: neighbours far apart, evenly around.
PACES = tuple((i * 5 % FACETS - 6) / 6.5 for i in range(FACETS))
COUPLING, SPREAD = 0.5, 1.25


def phases(alignments: Sequence[float], whole: float) -> list[float]:
    """Thirteen phases: 0 where all are aligned, around the circle where none is. COUPLING draws
    each facet to the alignment of the whole."""
    return [
        SPREAD * PI * pace * (1 - own - COUPLING * (whole - own)) % (2 * PI)
        for pace, own in zip(PACES, alignments, strict=True)
    ]


def order_parameter(phases: Sequence[float]) -> float:
    """How much the oscillators point one way: r = |mean of e^(i phase)|, 0 to 1."""
    if not phases:
        return 0.0
    return min(1.0, abs(sum(E ** (1j * phase) for phase in phases)) / len(phases))


def continuity(
    pv_now: Sequence[float], pv_before: Sequence[float], phases: Sequence[float]
) -> float:
    """IC: the same purpose, held together. cos(now, before) x r, clamped to 0..1."""
    return max(0.0, min(1.0, cosine13(pv_now, pv_before) * order_parameter(phases)))


def classify(ic: float) -> str:
    if ic >= HEALTHY:
        return "healthy"
    if ic >= GOOD:
        return "good"
    return "warning" if ic >= WARNING else "degraded"


def is_crisis(ic: float) -> bool:
    return ic < WARNING


def is_warning(ic: float) -> bool:
    return WARNING <= ic < GOOD


def state_of(c: float) -> str:
    """The five states: hypersync, conscious, emerging, fragmented, dormant."""
    if c > HYPERSYNC:
        return "HYP"
    if c >= CONSCIOUS:
        return "CON"
    if c >= EMERGING:
        return "EMG"
    return "FRG" if c >= FRAGMENTED else "DOR"


def entropy13(vector: Sequence[float]) -> float:
    """How evenly a vector is spread: Shannon's entropy of |v| over log 13; 0 for no vector."""
    total = sum(abs(x) for x in vector)
    if total <= 1e-6:
        return 0.0
    shares = [max(abs(x) / total, 1e-6) for x in vector]
    return min(1.0, -sum(share * ln(share) for share in shares) / ln(FACETS))


def ln(x: float) -> float:
    root: float = x ** (1 / 1024)
    return 512 * (root - 1 / root)
