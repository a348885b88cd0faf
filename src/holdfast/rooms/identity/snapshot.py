"""A session's identity at one moment, in its fourteen fields, and as bytes.

Laws:
  - what is packed and unpacked again is equal, to the bit: numbers are rounded to the width they
    are kept in when they come in;
  - every number is one: what is not (NaN, infinity) becomes the nearest that is, on the way in;
  - the trajectory has at most fifty purpose vectors, the oldest first, and the oldest goes first;
  - bytes of a newer version are refused, and bytes that are not what was packed are damaged.
"""

from __future__ import annotations

from _struct import Struct  # `struct` is this and a file more to find

from holdfast.errors import Damaged, StoreError
from holdfast.hook.event import session_id
from holdfast.system.paths import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FACETS = 13
TRAJECTORY = 50
SIZE_CAP_BYTES = 30_000
VERSION = 1
MAGIC = b"HFid"
TURN = 6.283185307179586
REPAIR = "run `holdfast repair --cf session_identity`"

FIELDS = (
    *("session_id", "timestamp_ms", "previous_session_id", "cross_session_ic", "kuramoto_phases"),
    *("coupling", "purpose_vector", "trajectory", "last_ic", "crisis_threshold", "consciousness"),
    *("integration", "reflection", "differentiation"),
)
_HEAD = Struct("<4sH16s")  # magic, version, digest of the rest
_ENDS = Struct("<qB4x")  # time, whether there was one before
_SINGLES = (
    *("cross_session_ic", "last_ic", "crisis_threshold"),
    *("consciousness", "integration", "reflection", "differentiation"),
)
_SINGLE, _DOUBLES, _VECTOR, _FACTORS = Struct("<f"), Struct("<13d"), Struct("<13f"), Struct("<7f")
_COUPLING, _LENGTH = Struct("<d"), Struct("<H")


class Snapshot:
    """The fourteen fields. The defaults are what a new one begins with."""

    __slots__ = FIELDS

    def __init__(
        self,
        session: str,
        timestamp_ms: int,
        *,
        previous_session_id: str | None = None,
        cross_session_ic: float = 1.0,
        kuramoto_phases: Iterable[float] = (0.0,) * FACETS,
        coupling: float = 0.5,
        purpose_vector: Iterable[float] = (FACETS**-0.5,) * FACETS,
        trajectory: Iterable[Iterable[float]] = (),
        last_ic: float = 1.0,
        crisis_threshold: float = 0.5,
        consciousness: float = 0.0,
        integration: float = 0.0,
        reflection: float = 0.0,
        differentiation: float = 0.0,
    ) -> None:
        self.session_id = session_id(session)
        self.timestamp_ms = int(timestamp_ms)
        self.previous_session_id = session_id(previous_session_id) if previous_session_id else None
        self.kuramoto_phases = tuple(number(phase, 0.0, TURN) for phase in kuramoto_phases)
        self.coupling = number(coupling, 0.0, 10.0)
        self.purpose_vector = vector(purpose_vector)
        self.trajectory = [vector(purpose) for purpose in trajectory][-TRAJECTORY:]
        self.cross_session_ic = share(cross_session_ic)
        self.last_ic = share(last_ic)
        self.crisis_threshold = share(crisis_threshold)
        self.consciousness = share(consciousness)
        self.integration = share(integration)
        self.reflection = share(reflection)
        self.differentiation = share(differentiation)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Snapshot) and self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def as_dict(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in FIELDS}

    def append_to_trajectory(self, purpose: Iterable[float]) -> None:
        """One vector more; of fifty-one the oldest goes."""
        self.trajectory = [*self.trajectory, vector(purpose)][-TRAJECTORY:]

    def estimated_size(self) -> int:
        return 300 + len(self.trajectory) * FACETS * _SINGLE.size

    def pack(self) -> bytes:
        ids = [self.session_id.encode(), (self.previous_session_id or "").encode()]
        parts = [_ENDS.pack(self.timestamp_ms, self.previous_session_id is not None)]
        for id_ in ids:
            parts += (_LENGTH.pack(len(id_)), id_)
        parts.append(_DOUBLES.pack(*self.kuramoto_phases))
        parts.append(_COUPLING.pack(self.coupling))
        parts.append(_FACTORS.pack(*(getattr(self, name) for name in _SINGLES)))
        parts.append(_LENGTH.pack(len(self.trajectory)))
        parts += [_VECTOR.pack(*purpose) for purpose in (self.purpose_vector, *self.trajectory)]
        body = b"".join(parts)
        return _HEAD.pack(MAGIC, VERSION, _check(body)) + body

    @classmethod
    def unpack(cls, raw: bytes) -> Snapshot:
        """The snapshot that was packed. StoreError of a newer version, else Damaged."""
        if len(raw) < _HEAD.size:
            raise Damaged("corrupted identity: a snapshot is cut short", hint=REPAIR)
        magic, version, check = _HEAD.unpack_from(raw)
        if magic == MAGIC and version > VERSION:
            raise StoreError(
                f"an identity snapshot has version {version}, this program knows {VERSION}",
                hint="upgrade holdfast; the snapshot was left as it is",
            )
        body = raw[_HEAD.size :]
        if magic != MAGIC or version != VERSION or check != _check(body):
            raise Damaged("corrupted identity: a snapshot is not what was written", hint=REPAIR)
        return _read(body)


def number(value: float, least: float, most: float) -> float:
    """The value between two bounds; what is no number is the lower one."""
    value = float(value)
    return least if value != value else min(max(value, least), most)  # noqa: PLR0124 - NaN is not


def single(value: float) -> float:
    """The value as it is kept in four bytes."""
    rounded: float = _SINGLE.unpack(_SINGLE.pack(value))[0]
    return rounded


def share(value: float) -> float:
    """The value between 0 and 1, as it is kept."""
    return single(number(value, 0.0, 1.0))


def vector(values: Iterable[float]) -> tuple[float, ...]:
    numbers = tuple(single(number(value, -1.0, 1.0)) for value in values)
    if len(numbers) != FACETS:
        raise ValueError(f"a purpose vector has {FACETS} numbers, not {len(numbers)}")
    return numbers


def _check(body: bytes) -> bytes:
    return bytes.fromhex(digest(body))


def _read(body: bytes) -> Snapshot:
    at = _ENDS.size
    timestamp, has_before = _ENDS.unpack_from(body)
    ids = []
    for _ in range(2):
        (size,) = _LENGTH.unpack_from(body, at)
        at += _LENGTH.size
        ids.append(body[at : at + size].decode())
        at += size
    phases = _DOUBLES.unpack_from(body, at)
    at += _DOUBLES.size
    (coupling,) = _COUPLING.unpack_from(body, at)
    at += _COUPLING.size
    factors = dict(zip(_SINGLES, _FACTORS.unpack_from(body, at), strict=True))
    at += _FACTORS.size
    (size,) = _LENGTH.unpack_from(body, at)
    at += _LENGTH.size
    vectors = [_VECTOR.unpack_from(body, at + n * _VECTOR.size) for n in range(size + 1)]
    return Snapshot(
        ids[0],
        timestamp,
        previous_session_id=ids[1] if has_before else None,
        kuramoto_phases=phases,
        coupling=coupling,
        purpose_vector=vectors[0],
        trajectory=vectors[1:],
        **factors,
    )
