"""The trees that a session's proofs cover, in a file of its own: an entry has their digest alone.

Laws: what is in the file counts only by the digest in the entry; where it is gone, or is not what
the entry says, the session's edits tell whether a proof is old, as they do without it.
"""

from __future__ import annotations

from holdfast.rooms.gates.evidence import tree as trees
from holdfast.rooms.gates.evidence.proof import covers
from holdfast.system import files, jsontext, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.rooms.gates.evidence.tree import Kept, Tree
    from holdfast.rooms.gates.queries import Proof

READ_BYTES = 8 << 20


def keep(state: str, session: str, root: str, kinds: Iterable[str], tree: Tree) -> str:
    """Write down what proofs of these kinds cover; its digest."""
    kept = trees.kept(root, tree)
    path = paths.tested(state, session)
    files.own_folder(path.rpartition("/")[0], within=state)
    text = jsontext.dumps({**_kept(state, session), **dict.fromkeys(kinds, kept)})
    files.write_whole(path, text.encode("utf-8", "backslashreplace"), sync=False)
    return trees.digest(kept)


def changed_since(
    state: str, session: str, root: str, kind: str, proof: Proof, now: Tree
) -> list[str] | None:
    """The files that a proof covers and that are not as they were; None where nobody can tell."""
    before = _kept(state, session).get(kind)
    if before is None or trees.digest(before) != proof.tree:
        return None
    changed = trees.changed(root, before, now)
    return None if changed is None else list(filter(covers(kind), changed))


def _kept(state: str, session: str) -> dict[str, Kept]:
    try:
        kept: dict[str, Kept] = jsontext.loads(
            files.read_text(paths.tested(state, session), READ_BYTES) or "{}"
        )
    except ValueError:
        return {}  # torn
    return kept
