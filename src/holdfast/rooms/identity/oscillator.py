"""Thirteen oscillators: an aligned facet locks, a misaligned one runs free.

A facet's natural frequency is its misalignment times a pace of its own: 0 while the facet does
what the purpose says, up to SPREAD when it has nothing to do with it. The mean field pulls all of
them together with COUPLING. Paces lie evenly on both sides of zero, and a field of such
frequencies locks while their half-width is below pi / 4 of the coupling: that is at half a
misalignment. Time is counted in events.

Laws: the same alignments give the same phases; a phase lies in 0..2 pi; nothing asks a clock.
"""

from __future__ import annotations

from holdfast.rooms.identity.drift import FACETS, PI, E

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

COUPLING = 1.0
SPREAD = 1.6
STEPS, STEP = 4, 0.5
# Neighbouring facets get distant paces: they are often misaligned together.
# They lie as the golden section does: no two have a common measure, so that facets which run free
# never come round together.
_GOLDEN = [i * 0.6180339887498949 % 1 for i in range(1, FACETS + 1)]
_MEAN = sum(_GOLDEN) / FACETS
_FURTHEST = max(abs(place - _MEAN) for place in _GOLDEN)
PACES = tuple((place - _MEAN) / _FURTHEST for place in _GOLDEN)
SCALE = 10_000  # phases are kept in ten-thousandths of a radian
TURN = round(2 * PI * SCALE)


def advance(phases: Sequence[int], misalignments: Sequence[float]) -> list[int]:
    """The phases after one more event, in ten-thousandths of a radian."""
    angles = [phase / SCALE for phase in phases]
    pull = [SPREAD * pace * miss for pace, miss in zip(PACES, misalignments, strict=True)]
    for _ in range(STEPS):
        points = [E ** (1j * angle) for angle in angles]
        field = COUPLING * sum(points).conjugate() / FACETS
        # K r sin(psi - angle), without asking for psi.
        angles = [
            angle + STEP * (own - (field * point).imag)
            for angle, own, point in zip(angles, pull, points, strict=True)
        ]
    return [round(angle * SCALE) % TURN for angle in angles]
