"""How long a satisfaction lasts, and where it is kept: the four scopes.

    scope        cleared when                        kept
    session      a new session begins: it sees none   with the session
    branch       somebody clears it                   at the root
    single_use   its trigger action succeeded         with the session, until then
    permanent    never by itself                      at the root

States are the derived rows of one branch. A row with a session is that session's own; the root
is the row without one. Times are UTC texts; the caller brings the clock.

Laws:
  - no session sees what another one satisfied, unless it was kept at the root;
  - the root counts for every session, whatever the scope: a person may satisfy a whole branch;
  - an approval lasts for one session and for a time, whatever the scope;
  - a skill that the agent's record does not have yet counts for its session, whatever the scope;
  - what has expired is not satisfied; what is permanent, and at the root, does not expire.
"""

from __future__ import annotations

from holdfast.system import clock
from holdfast.system.value import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from holdfast.config.requirement_type import Lasting, Requirement, Requirements

# The words of requirement.py, which a hook need not load for four texts.
SESSION, BRANCH, PERMANENT, SINGLE_USE = SCOPES = ("session", "branch", "permanent", "single_use")
GUARD = "guard"
ROOT = ""  # the session of what is kept for the whole branch
PER_SESSION = frozenset({SESSION, SINGLE_USE})
SKILL, CLI, APPROVAL, CARRY_OVER = "skill", "cli", "approval", "carry_over"
ALIAS_LENGTH = 8
CLOCK_SLACK_S = 300.0


class State(Record):
    """What is known of one requirement in one session, or at the root of its branch."""

    requirement: str
    session: str = ROOT
    satisfied: bool = False
    triggered: bool = False
    satisfied_at: str | None = None
    satisfied_by: str | None = None
    expires_at: str | None = None


def is_satisfied(scope: str, states: Iterable[State], session: str, now: str) -> bool:
    """Whether one requirement's states satisfy it, for this session and now."""
    for state in states:
        if not state.satisfied:
            continue
        if state.session == ROOT:
            if scope == PERMANENT or not has_expired(state, now):
                return True
        elif (
            state.session == session
            and (scope in PER_SESSION or state.satisfied_by in (APPROVAL, SKILL))
            and not has_expired(state, now)
        ):
            return True
    return False


def is_approved(states: Iterable[State], session: str, now: str) -> bool:
    """Whether a person let this session pass, and the time they gave is not over."""
    return any(
        state.satisfied
        and state.session == session
        and state.satisfied_by == APPROVAL
        and state.expires_at is not None
        and not has_expired(state, now)
        for state in states
    )


def is_triggered(states: Iterable[State], session: str) -> bool:
    """Whether a tool it stands in front of has run in this session."""
    return any(state.triggered and state.session == session for state in states)


def has_expired(state: State, now: str) -> bool:
    """Whether its time is over. One that was met in the future was met while the clock was ahead,
    and would stay for as long: it is asked for again."""
    if state.expires_at is None:
        return False
    if now >= state.expires_at:
        return True
    met = state.satisfied_at or now
    return met > now and clock.seconds_of(met) - clock.seconds_of(now) > CLOCK_SLACK_S


def kept_with(scope: str, session: str, by: str, *, whole_branch: bool = False) -> str:
    """Where a satisfaction is kept: the session, or the root."""
    if by == APPROVAL:
        return session
    return session if scope in PER_SESSION and not whole_branch else ROOT


def expiry(requirement: Lasting, by: str, at: str, ttl_s: int | None = None) -> str | None:
    """When a satisfaction ends by itself, None for never. `ttl_s` is what the person asked for."""
    if by == APPROVAL:
        ttl_s = ttl_s or requirement["approval_ttl"]
    elif requirement["scope"] == PERMANENT:
        return None
    elif ttl_s is None:
        ttl_s = requirement["replan_ttl"]
    return None if ttl_s is None else clock.iso(clock.seconds_of(at) + ttl_s)


def cleared(scope: str, states: Iterable[State], session: str) -> list[State]:
    """What a trigger action that succeeded takes away: this session's, and of single_use alone."""
    return of_session(states, session) if scope == SINGLE_USE else []


def of_session(states: Iterable[State], session: str) -> list[State]:
    """A session's own rows: all that goes when an ending session's state is to be cleared."""
    return [state for state in states if state.session == session != ROOT]


def carried(
    states_before: Iterable[State],
    window_s: float,
    now: str,
    scopes: Collection[str] = (SESSION,),
    *,
    requirements: Requirements,
    session: str,
) -> list[State]:
    """What a session that was just cleared hands on: the new session's rows.

    The time of the satisfaction is handed on with it, so that one clear after the other does not
    make it last for ever. A guard is a condition and has nothing to hand on.
    """
    newest: dict[str, State] = {}
    for state in states_before:
        requirement = requirements.get(state.requirement)
        if requirement is None or requirement["type"] == GUARD:
            continue
        if requirement["scope"] not in scopes or requirement["scope"] not in PER_SESSION:
            continue
        if state.session in (ROOT, session) or not _is_recent(state, window_s, now):
            continue
        before = newest.get(state.requirement)
        if before is None or (before.satisfied_at or "") < (state.satisfied_at or ""):
            newest[state.requirement] = state
    return [
        State(
            name,
            session,
            satisfied=True,
            satisfied_at=state.satisfied_at,
            satisfied_by=CARRY_OVER,
            expires_at=state.expires_at,
        )
        for name, state in newest.items()
    ]


def _is_recent(state: State, window_s: float, now: str) -> bool:
    if not state.satisfied or state.satisfied_at is None or has_expired(state, now):
        return False
    # A clock that was set back does not make it newer than new.
    age_s = clock.seconds_of(now) - clock.seconds_of(state.satisfied_at)
    return abs(age_s) <= window_s


def mirror(requirements: Requirements, states: Iterable[State], branch: str) -> dict[str, object]:
    """The states of a branch in the format of `.git/requirements/[branch].json`, version 1.0.

    What is satisfied and has expired says so by its `expires_at`: a file has no clock.
    """
    rows: dict[str, list[State]] = {
        name: [] for name, each in requirements.items() if each["type"] != GUARD
    }
    for state in states:
        rows.setdefault(state.requirement, []).append(state)
    names = _names_of_sessions(state.session for each in rows.values() for state in each)
    return {
        "version": "1.0",
        "branch": branch,
        "requirements": {
            name: _mirrored(_scope_of(requirements.get(name), each), each, names)
            for name, each in rows.items()
        },
    }


def _scope_of(requirement: Requirement | None, states: list[State]) -> str:
    if requirement is not None:
        return str(requirement["scope"])
    # No longer in the configuration: told by where it was kept.
    return SESSION if any(state.session != ROOT for state in states) else BRANCH


def _mirrored(scope: str, states: list[State], names: dict[str, str]) -> dict[str, object]:
    mirrored: dict[str, object] = {"scope": scope}
    root = next((state for state in states if state.session == ROOT), None)
    sessions = {
        names[state.session]: {
            "satisfied": state.satisfied,
            "triggered": state.triggered,
            "satisfied_at": _epoch(state.satisfied_at),
            "satisfied_by": state.satisfied_by,
            "expires_at": _epoch(state.expires_at),
        }
        for state in states
        # Of what is kept at the root a session has nothing of its own but an approval.
        if state.session != ROOT and (scope in PER_SESSION or state.satisfied)
    }
    if scope in PER_SESSION or sessions:
        mirrored["sessions"] = sessions
    if root is not None or scope not in PER_SESSION:
        mirrored["satisfied"] = root is not None and root.satisfied
        mirrored["satisfied_at"] = _epoch(root.satisfied_at) if root else None
        mirrored["satisfied_by"] = root.satisfied_by if root else None
        if root is not None and root.expires_at is not None:
            mirrored["expires_at"] = _epoch(root.expires_at)
    return mirrored


def _names_of_sessions(sessions: Iterable[str]) -> dict[str, str]:
    """Eight characters for each; those that would share them keep their whole ids."""
    by_alias: dict[str, set[str]] = {}
    for session in sessions:
        by_alias.setdefault(session.replace("-", "")[:ALIAS_LENGTH], set()).add(session)
    return {
        session: alias if len(those) == 1 else session
        for alias, those in by_alias.items()
        for session in those
    }


def _epoch(at: str | None) -> int | None:
    return None if at is None else int(clock.seconds_of(at))
