"""What a session is told of the user's choices: those of the branch and the task it works on.

Laws: a choice is told with what it answers, dated, and as the user's; the newest first, few and
short; what was dropped, superseded or made on another branch is not told. On a branch that many
tasks share a choice is told for its own task, and to others for a day. All of it is quoted.
"""

from __future__ import annotations

from holdfast.hook.event import CHOICES, Remark
from holdfast.hook.tokens import count
from holdfast.hook.voice import inline, ours
from holdfast.rooms.prompts import choice_queries, choices
from holdfast.rooms.prompts.queries import thread_of
from holdfast.system import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.rooms.prompts.choice_queries import Choice
    from holdfast.store.sqlite import Store

MANY = 5
LOOKED_AT = 50
DAY_S = 86_400
TOKENS = 110
QUESTION_CAP, TEXT_CAP = 140, 240


def choices_here(
    store: Store, project: str, branch: str, session: str, *, now: str, with_plans: bool
) -> list[Remark]:
    """What the user chose on a branch for the task in force, or lately; nothing for nothing. A plan
    without a file is told to its own session: to others the lines about sessions name it."""
    items: list[str] = []
    sources: list[str] = []
    tokens = TOKENS
    thread = thread_of(store, session)
    lately = clock.iso(clock.seconds_of(now) - DAY_S)
    made = choice_queries.choices_on(store, project, branch, session, LOOKED_AT)
    telling = [
        each
        for each in made
        if (each.thread == thread or each.at > lately)
        and (with_plans or each.sort != choices.PLAN or each.path)
    ]
    for choice in telling[:MANY]:
        line = worded(choice)
        tokens -= count(line)
        if items and tokens < 0:
            break
        items.append(line)
        sources.append(f"choice {choice.id}")
    if not items:
        return []
    heading = ours("The user chose, on this branch:" if branch else "The user chose:")
    rest = ours("see `holdfast choices`")
    return [Remark(CHOICES, heading, items=items, rest=rest, item_sources=sources)]


def worded(choice: Choice) -> str:
    """A choice in a line, with what it answers and its date."""
    text, question = inline(choice.text, TEXT_CAP), inline(choice.question, QUESTION_CAP)
    if choice.sort == choices.PLAN:
        words = f"Approved the plan {text}" + (f", in {inline(choice.path)}" if choice.path else "")
    elif not question:
        words = text
    elif choice.sort == choices.REFUSAL:
        words = f'Asked to {question}, the user refused: "{text}"'
    else:
        words = f"Q: {question} A: {text}"
    return f"{words}  ({choice.at[:10]})"
