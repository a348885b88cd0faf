"""What is usual in a project: how many of its sessions had a feature, the old ones fading.

It is the baseline on which alignment is centred: a feature that every session has tells nobody
which session this is. It is learnt from the sessions before and stands still during one.

Laws: the vocabulary never holds more than its cap; the same sessions give the same bytes.
"""

from __future__ import annotations

from holdfast.rooms.identity.sketch import RAREST, SHORT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CAP = 1600
ONE = 4  # what a session counts; a count is kept in a byte
MOST = 255
FADES_EVERY = 8  # sessions; an eighth is taken then, so that about sixty-four are remembered


class Usual:
    """How many sessions there were; of the known features numbers and counts."""

    __slots__ = ("counts", "ids", "scale", "sessions")

    def __init__(self, sessions: int = 0, ids: bytes = b"", counts: bytes = b"") -> None:
        if len(ids) != 2 * len(counts):
            raise ValueError("a damaged vocabulary")
        self.sessions = sessions
        self.ids = ids  # two bytes each
        self.counts = counts  # one byte each
        self.scale = b""  # how much a feature says, by its count

    def rarity(self) -> dict[int, int]:
        """How much each known feature says; one that is not known says RAREST."""
        if not self.counts:
            return {}
        self.scale = self.scale or _scale(self.sessions)
        return dict(zip(self._ids(), self.counts.translate(self.scale), strict=True))

    def after(self, features: Iterable[int]) -> Usual:
        """What is usual when one more session has ended, which had these features."""
        fades = self.sessions % FADES_EVERY == FADES_EVERY - 1
        counts = dict(zip(self._ids(), self.counts, strict=True))
        if fades:
            counts = {f: left for f, count in counts.items() if (left := count * 7 >> 3)}
        for feature in {feature & SHORT for feature in features}:
            counts[feature] = min(counts.get(feature, 0) + ONE, MOST)
        kept = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:CAP]
        ids = b"".join([feature.to_bytes(2, "little") for feature, _ in kept])
        return Usual(self.sessions + 1, ids, bytes([count for _, count in kept]))

    def _ids(self) -> list[int]:
        return memoryview(self.ids).cast("H").tolist()


def _scale(sessions: int) -> bytes:
    """log((sessions + 1.5) / (those that had it + 0.5)) to the power of 1.5, for every count; the
    rarest being RAREST."""
    remembered = min(sessions, MOST // ONE) * ONE
    top = _bits(remembered + 6, 2)
    rare = [RAREST * _bits(remembered + 6, count + 2) // top for count in range(MOST + 1)]
    return bytes([max(1, min(RAREST, round(rarity * (rarity / RAREST) ** 0.5))) for rarity in rare])


def _bits(part: int, whole: int) -> int:
    """Sixty-four times the binary logarithm of a fraction over 1, straight between its powers."""
    ratio = (part << 16) // whole
    power = ratio.bit_length() - 1
    return max(0, (power - 16) * 64 + ((ratio << 6) >> power) - 64)
