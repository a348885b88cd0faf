"""What a session is told of the user's choices: those of the work that it goes on with.

Laws: a choice is told with what it answers, dated, and as the user's; the newest first, few and
short; what was dropped or superseded is not told. All of it is quoted.
"""

from __future__ import annotations

from holdfast.hook.event import CHOICES, Remark
from holdfast.hook.tokens import count
from holdfast.hook.voice import inline, ours
from holdfast.rooms.prompts import choice_queries, choices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.prompts.choice_queries import Choice

MANY = 5
TOKENS = 110
QUESTION_CAP, TEXT_CAP = 140, 240


def choices_made(context: EventContext, sessions: list[str], *, with_plans: bool) -> list[Remark]:
    """What the user chose in some sessions; nothing for nothing. A plan without a file is told to
    its own session: others know it by where the work stopped."""
    items: list[str] = []
    sources: list[str] = []
    tokens = TOKENS
    made = choice_queries.choices_in(
        context.store, context.project, sessions, context.branch(), context.event.session, MANY * 2
    )
    telling = [each for each in made if with_plans or each.sort != choices.PLAN or each.path]
    for choice in telling[:MANY]:
        line = worded(choice)
        tokens -= count(line)
        if items and tokens < 0:
            break
        items.append(line)
        sources.append(f"choice {choice.id}")
    rest = ours("see `holdfast choices`")
    remark = Remark(
        CHOICES, ours("The user chose in this work:"), items=items, rest=rest, item_sources=sources
    )
    return [remark] if items else []


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
