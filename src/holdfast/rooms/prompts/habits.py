"""What a person asks for again and again, offered to them once as a rule.

A habit is a short request about how work is done ("commit this", "run the tests") that a person
gave in nearly the same words in three of their latest sessions.

Laws: a habit is shown to the person, and told to no agent; it is offered once, which an entry
keeps; what is a rule already is not offered.
"""

from __future__ import annotations

from holdfast.rooms.prompts import queries
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.hook.voice import Ours
    from holdfast.store.sqlite import Store

SESSIONS = 3
OF_LATEST = 20
PROMPTS = 2_000  # as far back as is looked
LONGEST, WORDS = 80, 8
OFFERED = "offered"

# Around a request, and no part of it; longer ones first.
LEADS = (
    "can you please ", "could you please ", "can you ", "could you ", "would you ", "please ",
    "okay ", "ok ", "yes ", "yep ", "great ", "good ", "nice ", "now ", "and ", "then ", "also ",
    "let's ", "lets ", "just ", "go ahead and ", "thanks ",
)  # fmt: skip
ENDS = (" please", " now", " again", " too", " thanks", " then")
WORK = frozenset(
    "amend build bump check clean commit deploy document format lint merge open publish pull push"
    " rebase regenerate release restart review run simplify squash summarise summarize sync tag"
    " test typecheck update verify".split()
)


class Habit(Value):
    """A request that comes back."""

    __slots__ = ("first", "of", "sessions", "text")
    if TYPE_CHECKING:
        first: str  # the prompt that said it first, by its id
        of: int  # of so many that the person spoke in
        sessions: int  # in how many it was asked for
        text: str  # as it was last said


def on_prompt(context: EventContext) -> None:
    """Offer what this prompt makes a habit, once."""
    if context.kept is None or context.unverified:
        return
    request = request_in(context.kept.body["prompt"])
    if not request:
        return
    store, project = context.store, context.project
    habit = next(
        (each for each in habits(store, project) if request_in(each.text) == request), None
    )
    if habit is None or _is_known(store, project, request):
        return
    body = {"subject": habit.first, "turn": OFFERED, "how": "prompt", "words": ""}
    context.keep("turned", body, key=context.consequence("habit"))
    context.for_person.append(line_of(habit))


def line_of(habit: Habit) -> Ours:
    """What is offered, in one line."""
    from holdfast.hook.voice import ours, quoted

    return ours(
        "Asked for in {} of your last {} sessions: {} (to have every session told: holdfast rules"
        " add TEXT)",
        habit.sessions,
        habit.of,
        quoted(habit.text),
    )


def habits(store: Store, project: str) -> list[Habit]:
    """The habits of a project's latest sessions, the most frequent first."""
    latest: list[str] = []
    asked: dict[str, list[queries.ShortPrompt]] = {}
    for prompt in queries.short_prompts(store, project, LONGEST, PROMPTS):
        if prompt.session not in latest:
            if len(latest) == OF_LATEST:
                break
            latest.append(prompt.session)
        request = request_in(prompt.text)
        if request:
            asked.setdefault(request, []).append(prompt)
    made = [
        Habit(
            text=prompts[0].text,
            first=prompts[-1].id,
            sessions=len({prompt.session for prompt in prompts}),
            of=len(latest),
        )
        for prompts in asked.values()
    ]
    return sorted(
        (habit for habit in made if habit.sessions >= SESSIONS),
        key=lambda habit: (-habit.sessions, habit.text),
    )


def request_in(prompt: str) -> str:
    """The request that a whole prompt is, without what is said around it; "" for none."""
    if len(prompt) > LONGEST or "\n" in prompt.strip():
        return ""
    text = " ".join(prompt.lower().replace("\u2019", "'").replace(",", " ").split()).strip(" .!?")
    for _ in range(WORDS):
        shorter = _without(text)
        if shorter == text:
            break
        text = shorter
    words = text.split()
    is_plain = all(word.replace("-", "").replace("'", "").isalpha() for word in words)
    return text if 1 <= len(words) <= WORDS and is_plain and words[0] in WORK else ""


def _without(text: str) -> str:
    for lead in LEADS:
        text = text.removeprefix(lead)
    for end in ENDS:
        text = text.removesuffix(end)
    return text.strip(" .!?")


def _is_known(store: Store, project: str, request: str) -> bool:
    """Offered before, or a rule."""
    texts = [
        *queries.offered_texts(store, project),
        *(rule.text for rule in queries.all_rules(store, project) if rule.standing),
    ]
    return any(request_in(text) == request for text in texts)
