"""What the user chose: answers, words beside a refusal or a Yes, plans that were approved.

Pure: from what was asked and what the person said to a choice that can be kept, or to none.

Laws:
  - a choice is in the person's own words, or the option that the person picked; of a plan, which
    the agent wrote, only its title and its path are kept;
  - what the client says in the person's place, an empty answer and a bare Yes are no choice;
  - a question is no choice, nor is an order for the moment: "wait", "test it first";
  - an offered option that only says how the agent goes on now is none either; what the person
    types in its place is one;
  - linear in the length of what was said, and the same words always give the same choice.
"""

from __future__ import annotations

from holdfast.agents.user_replies import are_clients
from holdfast.redaction.gate import cut
from holdfast.rooms.prompts import origin
from holdfast.rooms.prompts.similarity import has_any
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from holdfast.agents.user_replies import Answered

ANSWER, REFUSAL, APPROVAL, PLAN = "answer", "refusal", "approval", "plan"

ASKED_CAP = 160  # characters of what was refused or allowed
QUESTION_CAP = 400
TITLE_CAP = 120
READ_CAP = 4_000  # as much of a text is kept

# What clients write where a person answered nothing.
NO_ANSWER = ("(notes only)", "(no option selected)", "(no answer provided)")

_ASKING = frozenset("why what what's how when where who which whose".split())
_ASKING_VERBS = frozenset(
    "do does did is are was were can could should would will have has had isn't aren't don't"
    " doesn't didn't can't couldn't shouldn't wouldn't won't hasn't haven't".split()
)
_SUBJECTS = frozenset(
    "we you i it this that they there these those he she the our your my its any some all".split()
)
# An order for the moment, or a remark: over once it was followed.
_OF_THE_MOMENT = (
    *(" wait ", " hang on ", " hold on ", " pause ", " let's ", " lets ", " discuss "),
    *(" keep going ", " go on ", " continue ", " from here ", " first ", " later ", " try again "),
)
# Words by which one way is taken and another left.
_DECIDING = (
    *(" i want ", " we want ", " i'd like ", " we'd like ", " don't want ", " do not want "),
    *(" prefer ", " rather ", " instead ", " better ", " overkill ", " by default ", " only "),
    *(" should be ", " should not be ", " shouldn't be ", " should stay ", " we should "),
    *(" must be ", " needs to be ", " called ", " named ", " stick with ", " go with "),
    *(" no need ", " not ", " don't ", " never ", " without "),
)
_DECIDING_VERBS = frozenset("use keep leave prefer drop skip".split())  # where a clause begins
# A Yes and what goes with it.
_AGREEING = frozenset(
    "yes yeah yep yup sure ok okay fine good great nice cool perfect thanks thank you please go"
    " ahead do it looks lgtm approved proceed continue that's this is".split()
)
# What a question asks that is about the agent's next minutes, and how an option answers it.
_WHAT_NEXT = (" do next ", " next step ", " next steps ", " happen next ", " what next ")
_AGENT_ASKS = (" should i ", " shall i ", " want me to ", " like me to ", " ready to ", " may i ")
_GOING_ON = frozenset(
    "wait continue proceed go pause stop resume retry commit push later now not".split()
)


class Chosen(Value):
    """A choice as it is to be kept."""

    path: str  # of a plan, else ""
    question: str  # what it answers
    sort: str
    text: str  # verbatim


def of_answers(answered: Iterable[Answered]) -> list[Chosen]:
    """A choice for each question that was answered, in their order."""
    chosen = []
    for asked in answered:
        text = asked.text.strip()
        notes = asked.notes.strip()
        if text.lower() in NO_ANSWER:
            text = ""
        if not (text or notes) or are_clients(text):
            continue
        if text and not notes and _is_offered(text, asked.options) and _goes_on(asked, text):
            continue
        both = f"{text}; {notes}" if text and notes else text or notes
        chosen.append(_chosen(ANSWER, both, cut(asked.question.strip(), QUESTION_CAP)))
    return chosen


def of_refusal(words: str, asked: str) -> Chosen | None:
    """What the person said in refusing a call, where it says what is wanted instead; `asked` is
    what the call would have done."""
    return _beside(REFUSAL, words, asked) if is_decision(words) else None


def of_approval(words: str, asked: str) -> Chosen | None:
    """What the person said in allowing a call, where it is more than a Yes."""
    sentences = _statements(words)
    is_more = any(
        not has_any(spoken, _OF_THE_MOMENT) and not _AGREEING.issuperset(spoken.split())
        for spoken in sentences
    )
    return _beside(APPROVAL, words, asked) if is_more else None


def of_plan(plan: str, path: str) -> Chosen | None:
    """A plan that the person has approved, by its title and its file."""
    title = _title(plan)
    return Chosen(path=path, question="", sort=PLAN, text=title) if title else None


def key_of(call: str, number: int = 0) -> str:
    """The natural key of what was chosen at a tool call, by the agent's own id for it: whoever
    reads it, and from where, it is kept once."""
    return f"choice:{call}:{number}"


def is_decision(words: str) -> bool:
    """Whether words say what is wanted, and not only ask, wait or remark."""
    if are_clients(words):
        return False
    return any(
        not has_any(spoken, _OF_THE_MOMENT) and (has_any(spoken, _DECIDING) or _orders(spoken))
        for spoken in _statements(words)
    )


def _chosen(sort: str, text: str, question: str) -> Chosen:
    return Chosen(path="", question=question, sort=sort, text=text)


def _beside(sort: str, words: str, asked: str) -> Chosen:
    return _chosen(sort, words.strip(), cut(" ".join(asked.split()), ASKED_CAP))


def _title(plan: str) -> str:
    """The first heading of a plan without its label, else its first line."""
    lines = [line.strip() for line in plan[:READ_CAP].splitlines() if line.strip()]
    if not lines:
        return ""
    heading = next((line for line in lines if line.startswith("#")), "")
    title = origin.title_of_plan(f"{origin.PLAN_OPENING}\n\n{heading}") if heading else ""
    return cut(title or lines[0].lstrip("# "), TITLE_CAP)


# What was answered


def _is_offered(text: str, options: list[str]) -> bool:
    """Whether an answer is one of the options, or several of them."""
    return text in options or all(part in options for part in text.split(", "))


def _goes_on(asked: Answered, text: str) -> bool:
    """Whether an option only says how the agent goes on now."""
    question, option = _spoken(asked.question), _spoken(text).split()
    while option and option[0] in ("yes", "no", "ok"):
        option = option[1:]
    if has_any(question, _WHAT_NEXT):
        return True
    return has_any(question, _AGENT_ASKS) and (not option or option[0] in _GOING_ON)


# What was said beside a call


def _statements(words: str) -> list[str]:
    """The sentences that ask nothing, in small letters, a space around each word."""
    sentences = _sentences(_without_brackets(words[:READ_CAP]))
    return [_spoken(sentence) for sentence in sentences if not _asks(sentence)]


def _sentences(words: str) -> list[str]:
    sentences, start = [], 0
    for end, letter in enumerate(words, 1):
        is_mark = letter in ".!?" and (end == len(words) or words[end].isspace())
        if is_mark or letter == "\n" or end == len(words):
            if words[start:end].strip():
                sentences.append(words[start:end].strip())
            start = end
    return sentences


def _without_brackets(words: str) -> str:
    """What stands in brackets is said in passing."""
    kept, depth = [], 0
    for letter in words:
        depth += letter == "("
        if not depth:
            kept.append(letter)
        depth -= letter == ")" and depth > 0
    return "".join(kept)


def _asks(sentence: str) -> bool:
    if sentence.endswith("?"):
        return True
    for clause in sentence.replace(";", ",").replace(":", ",").split(","):
        spoken = _spoken(clause).split()
        if len(spoken) > 1 and (
            spoken[0] in _ASKING or (spoken[0] in _ASKING_VERBS and spoken[1] in _SUBJECTS)
        ):
            return True
    return False


def _orders(spoken: str) -> bool:
    first = spoken.split()[:1]
    return bool(first) and first[0] in _DECIDING_VERBS


def _spoken(text: str) -> str:
    """In small letters, without marks, a space around each word."""
    plain = text.lower().replace("\u2019", "'")
    words = [word.strip(".,;:!?()[]\"'`*\u2026") for word in plain.split()]
    return f" {' '.join(word for word in words if word)} "
