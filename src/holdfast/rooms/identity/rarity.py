"""How rare a term is in a project: how many of its sessions had it, the old ones fading.

It is learnt from the sessions before and stands still during one.

Laws: no more than CAP terms are remembered; the same sessions give the same bytes; a term that
every session has says next to nothing, one that none had says RAREST.
"""

from __future__ import annotations

from holdfast.rooms.identity.drift import ln

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CAP = 1600
ONE = 4  # what a session counts; a count is kept in a byte
MOST = 255
FADES_EVERY = 8  # sessions; an eighth is taken then, so that about sixty-four are remembered
RAREST = 64
SHORT = 0xFFFF  # of a term's number, what is remembered


class Usual:
    """How many sessions there were; of the terms they had, numbers of two bytes and counts."""

    def __init__(self, sessions: int = 0, ids: bytes = b"", counts: bytes = b"") -> None:
        if len(ids) != 2 * len(counts):
            raise ValueError("a damaged vocabulary")
        self.sessions = sessions
        self.ids = ids
        self.counts = counts

    def rarity(self) -> dict[int, int]:
        """How much each known term says: the logarithm of sessions to those that had it."""
        remembered = min(self.sessions, MOST // ONE) * ONE + 6
        most = ln(remembered / 2)
        scale = bytearray(MOST + 1)
        for count in set(self.counts):
            rare = RAREST * ln(remembered / (count + 2)) / most
            scale[count] = max(1, min(RAREST, round(rare)))
        return dict(zip(self._ids(), self.counts.translate(scale), strict=True))

    def after(self, terms: Iterable[int]) -> Usual:
        """What is usual when one more session has ended, which had these terms."""
        counts = dict(zip(self._ids(), self.counts, strict=True))
        if self.sessions % FADES_EVERY == FADES_EVERY - 1:
            counts = {term: left for term, count in counts.items() if (left := count * 7 >> 3)}
        for term in {term & SHORT for term in terms}:
            counts[term] = min(counts.get(term, 0) + ONE, MOST)
        kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:CAP]
        ids = b"".join([term.to_bytes(2, "little") for term, _ in kept])
        return Usual(self.sessions + 1, ids, bytes([count for _, count in kept]))

    def _ids(self) -> list[int]:
        return memoryview(self.ids).cast("H").tolist()
