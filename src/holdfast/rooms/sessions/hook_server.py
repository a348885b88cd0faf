"""Whether anybody hears the hooks that go over HTTP: `holdfast serve --hooks` must be running.

Law: what was missed is told from what is certain: a tool call that the agent's own transcript has
an answer to, and the ledger does not know.
"""

from __future__ import annotations

from holdfast.agents import surroundings, transcripts
from holdfast.agents.sender_surroundings import TOKEN
from holdfast.ledger.queries import is_kept
from holdfast.rooms.sessions import queries
from holdfast.system import environment, files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.sessions.queries import Session
    from holdfast.store.sqlite import Store

LIMIT_S = 0.5
TAIL_BYTES = 1 << 20
LOOKED_AT = 50


def ports(root: str) -> list[int]:
    """Where the hooks of a project knock, by the settings that the agent reads."""
    return surroundings.hook_ports(root)


def is_listening(port: int) -> bool:
    import _socket  # `socket` would bring a tenth of a hook along

    probe = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        probe.settimeout(LIMIT_S)
        return probe.connect_ex(("127.0.0.1", port)) == 0
    except OSError:
        return False
    finally:
        probe.close()


def has_token(state: str) -> bool:
    """Whether this process, and so the agent that started it, has the token in its environment."""
    known = (files.read_text(paths.token(state)) or "").strip()
    return bool(known) and environment.env(TOKEN) == known


def last_here(store: Store, worktree: str, but: str = "") -> Session | None:
    """The session before, in a work tree."""
    sessions = queries.latest(store, LOOKED_AT)
    return next((each for each in sessions if each.worktree == worktree and each.id != but), None)


def missed(store: Store, session: Session) -> int:
    """How many of the last tool calls of a session its agent has written down, and we have not."""
    calls = transcripts.finished_calls(session.agent, session.transcript, TAIL_BYTES)
    return sum(
        at >= session.started_at and not is_kept(store, session.id, f"tool:{id_}")
        for id_, at in calls
    )
