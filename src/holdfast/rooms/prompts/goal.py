"""The goal: what the user set out to do, and when another task has taken its place.

Laws: the first task that a person gives is the goal; a prompt that goes on with it leaves it
alone; a change is an act of the user, told outright or by a task that has nothing to do with the
one at hand. Rules of a task hold for its thread: only a change that starts a new thread ends them.
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
    topics: Collection[str],
) -> str:
    """What a prompt does to the goal: leaves it, carries it on as a sequel, or changes it.

    `is_first`: no prompt of this session has given a task yet; `is_related`: the prompt shares
    its subject with the goal; `words` are the prompt's, `topics` what the session works on.
    """
    if not heard.goal or heard.continues:
        return KEPT
    if current is None:
        return SEQUEL  # of nothing: what was demanded before there was a task holds for it
    if heard.is_change:
        return CHANGED
    if is_related:
        return KEPT
    if is_first:
        return CHANGED
    if len(words) >= WORDS_OF_A_TASK and not set(words) & set(topics):
        return SEQUEL
    return KEPT
