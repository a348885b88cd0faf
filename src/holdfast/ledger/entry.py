"""An entry: one thing that was learnt, and the shape its kind asks for.

    header   machine, seq, at, project, session, agent, kind, version, key, digest, checksum
    body     JSON, apart from the header, so that it can be forgotten while the header stays

Laws (docs/internals/decisions/0001-the-entry.md):
  - an entry is never edited;
  - `seq` is gap-free per machine, and is the order of commits whatever the clocks say;
  - (session, key) names the event itself: what arrives twice is kept once;
  - `digest` covers salt and body. The salt lies with the body and goes with it, so that a
    gravestone cannot be asked whether it once held a guessed text;
  - `checksum` covers every other field of the header.
"""

from __future__ import annotations

from holdfast.errors import EntryRefused
from holdfast.ledger.kinds import KINDS
from holdfast.redaction.gate import Gated
from holdfast.system.paths import digest as digest_of
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.ledger.kinds import Body


class Draft(Value):
    """An entry on its way in: all but what the ledger itself assigns."""

    kind: str
    at: str
    project: str
    session: str
    agent: str
    key: str
    body: Gated


class Head(Value):
    """What of a header says whose entry it is, of when and of which kind."""

    machine: str
    seq: int
    at: str
    project: str
    session: str
    agent: str
    kind: str
    version: int


class Entry(Head):
    """What `derive` reads: a header's meaning and the body. `counts_from` is a time later than its
    own, where the machine's clock stood behind an earlier entry's."""

    body: Body
    counts_from: str = ""

    @property
    def rank(self) -> str:
        """The order of entries as a text: of one machine by their numbers, whatever its clock says;
        of several by time."""
        return f"{self.counts_from or self.at}:{self.seq:012d}"

    @property
    def id(self) -> str:
        """How what an entry gave is named: short, the same on every machine, and the same when its
        session was forgotten and what it gave still stands."""
        return self.body.get("was") or digest_of(f"{self.machine}:{self.seq}".encode())[:12]

    def header(self, names: str) -> dict[str, Any]:
        """Columns of a row that are the entry's own, by their names."""
        return {name: getattr(self, name) for name in names.split()}

    def fields(self, names: str) -> dict[str, Any]:
        """Columns of a row that the body has under the same names."""
        return {name: self.body[name] for name in names.split()}


def check(kind: str, body: object) -> int:
    """The version of the shape, or EntryRefused: one rule per kind, on the way in."""
    if kind not in KINDS:
        raise EntryRefused(f"no such kind of entry: {kind}")
    shape = KINDS[kind]
    if not isinstance(body, dict):
        raise EntryRefused(f"{kind}: the body is not an object")
    matched = 0
    for name, type_ in shape.fields.items():
        optional = name[-1] == "?"
        value = body.get(name[:-1] if optional else name)
        if value is None:
            if optional:
                matched += name[:-1] in body
                continue
            raise EntryRefused(f"{kind}: {name} is missing")
        # bool is an int to Python, and not to us.
        if type(value) is not type_:
            raise EntryRefused(f"{kind}: {name} is a {type(value).__name__}")
        matched += 1
    if matched != len(body):
        known = {name.rstrip("?") for name in shape.fields}
        raise EntryRefused(f"{kind}: unknown fields {sorted(set(body) - known)}")
    return shape.version


def checksum(*header: object) -> str:
    """Over every field of the header but the checksum itself."""
    return digest_of("\x1f".join(str(field) for field in header).encode())
