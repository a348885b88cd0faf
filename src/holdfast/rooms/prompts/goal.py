"""The goal: what the session is about, and when another task has taken its place.

Laws: the first task that a person gives in a session is its goal; a later one takes its place when
it is a task of its own and names enough to be told apart from a step; what only asks to look, or
reports, takes the place of none. A task that has nothing to do with the goal of the session before
begins a new thread; all others carry the thread on. Rules of a task hold for its thread: only a
change that starts a new thread ends them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from holdfast.rooms.prompts.queries import Goal
    from holdfast.rooms.prompts.understanding import Heard

KEPT, SEQUEL, CHANGED = "kept", "sequel", "changed"
# A task told in fewer words than this is a step of the one at hand, unless it is said outright.
WORDS_OF_A_TASK = 4


def judge(
    heard: Heard,
    current: Goal | None,
    *,
    is_first: bool,
    is_related: bool,
    words: Collection[str],
) -> str:
    """What a prompt does to the goal: leaves it, carries it on as a sequel, or changes it.

    `is_first`: no prompt of this session has given a task yet; `is_related`: the prompt shares
    its subject with the goal; `words` are those that carry the task.
    """
    if not heard.goal:
        return KEPT
    if current is None:
        return SEQUEL  # of nothing: what was demanded before there was a task holds for it
    if heard.is_change:
        return CHANGED
    if is_first:
        return SEQUEL if is_related else CHANGED
    return KEPT if heard.only_opens or len(words) < WORDS_OF_A_TASK else SEQUEL
