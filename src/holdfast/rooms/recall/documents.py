"""What can be found again: which texts an entry holds, what each is, whose words it is; its words.

`refreshToken`, `refresh_token` and "refresh token" share two words; the first two a third. Commit
names are known by their first seven letters. Scripts without blanks give pairs of letters.

Laws: a long text is cut into parts at its paragraphs, so that what is found is a passage and not a
page; what a tool printed is not kept here but for errors; a document is named by its entry and its
part, and read from there; the time is linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from holdfast.agents import acts
from holdfast.ledger.entry import Entry
from holdfast.rooms.decisions.stems import EMPTY, LIGHT, stem
from holdfast.system import clock
from holdfast.system.paths import digest

if TYPE_CHECKING:
    from holdfast.ledger.kinds import Body

READ_CAP = 40_000  # characters of one text: what is longer is a paste
LONGEST = 40
COMMIT = 7
_TOKENS = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HEX = re.compile(r"(?=[a-f]*[0-9])[0-9a-f]{7,40}")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
# Words of grammar: every text has them.
GRAMMAR = frozenset(
    "a an and are as at be but by for from had has have he her his i if in into is it its me my of"
    " on or our she so than that the their them then there these they this those to up us was we"
    " were will with would you your".split()
)

# Words that say little of what is asked for; words of asking do not, either.
ASKING = frozenset(
    stem(word)
    for word in (EMPTY | LIGHT)
    | frozenset(
        "again ask asked did does earlier find found know last look looked please previous recall"
        " remember said say show tell told thing things yesterday".split()
    )
)


def words(text: str) -> list[str]:
    """Every word of a text in the order of first use, each once, in letters that the index takes
    for one word."""
    return list(words_counted(text))


def words_counted(text: str) -> dict[str, int]:
    """The same, each with how often it stands there."""
    return {
        word if word.isascii() else f"u_{word.encode('utf-8', 'surrogatepass').hex()}": times
        for word, times in Counter(counted(text)).items()
    }


def counted(text: str) -> list[str]:
    """The words of a text, as often as they stand there."""
    listed: list[str] = []
    for token in _TOKENS.findall(text[:READ_CAP]):
        if token.isascii() and token.isalpha() and (token.islower() or token.istitle()):
            small = token.lower()
            if small not in GRAMMAR and 1 < len(small) <= LONGEST:
                listed.append(stem(small))
        else:
            listed += _parts(token)
    return listed


def _parts(token: str) -> list[str]:
    if not token.isascii() and _UNSPACED.search(token):
        return _pairs(token)
    small = token.lower()
    if _HEX.fullmatch(small):
        return [small[:COMMIT]]
    pieces = [piece.lower() for piece in _HUMPS.sub("_", token).split("_") if piece]
    listed = [
        stem(piece)
        for piece in pieces
        if piece not in GRAMMAR and len(piece) <= LONGEST and (len(piece) > 1 or piece.isdigit())
    ]
    if len(pieces) > 1:
        whole = "".join(pieces)
        if len(whole) <= LONGEST:
            listed.append(whole)
    return listed


def _pairs(token: str) -> list[str]:
    listed = []
    for run in _UNSPACED.findall(token):
        listed += [run[at : at + 2] for at in range(len(run) - 1)] or [run]
    for rest in _UNSPACED.split(token):
        listed += counted(rest) if rest else []
    return listed


PART, PARTS = 1_200, 40  # characters; parts of one entry
# The sorts, by number: new ones go to the end, for the index has the numbers.
SORTS = (
    "prompt", "answer", "summary", "rule", "choice", "decision", "question", "handoff", "learning",
    "pin", "commit", "pull request", "edit", "command", "error", "task", "report",
    "identifier", "plan", "errand",
)  # fmt: skip
USER, AGENT, CLIENT = "the user", "the agent", "the client"
AUTHORS = {"person": USER, "agent": AGENT}  # as an entry has it; of a sort that both give
WHO = {
    "prompt": USER,
    "rule": USER,
    "choice": USER,
    "answer": AGENT,
    "summary": CLIENT,
    "handoff": AGENT,
    "report": AGENT,
    "edit": AGENT,
    "command": AGENT,
    "task": AGENT,
    "plan": AGENT,
    "errand": AGENT,
}
OFTEN = 3  # a word that stands so often in a passage is what it is about
ERROR_CAP = 600
SYMBOLS = 12
_DEFINITION = re.compile(
    r"\b(?:def|class|func|fn|function|interface|struct|enum|trait|type|module|const)\s+"
    r"(?:\([^()]{0,80}\)\s*)?([A-Za-z_]\w{2,60})"
)
_BREAKS = re.compile(r"\n\s*\n|\n(?=[#*-])")


class Document(NamedTuple):
    """A passage: what it is, and its words."""

    sort: str
    part: int
    text: str


class Indexed(NamedTuple):
    """A document as the index takes it in."""

    place: int
    part: int
    sort: int
    size: int
    session: str
    project: str
    at: int
    words: str


def documents(entry: Entry) -> list[Document]:
    """What an entry holds that can be found again, in parts."""
    reader = READERS.get(entry.kind)
    if reader is None:
        return []
    listed: list[Document] = []
    for sort, text in reader(entry.body):
        for part in parts(text):
            if len(listed) < PARTS:
                listed.append(Document(sort, len(listed), part))
    return listed


def indexed(place: int, entry: Entry, project: str) -> list[Indexed]:
    """The same as the index takes it in, with a word that says what it is, and one more for each
    word that it says often."""
    at = int(clock.seconds_of(entry.at))
    rows = []
    for document in documents(entry):
        times = words_counted(document.text)
        if times:
            marks = sort_word(document.sort)
            if document.sort == "edit":
                marks += f" {file_word(entry.body.get('path', ''))}"
            often = [often_word(word) for word, many in times.items() if many >= OFTEN]
            rows.append(
                Indexed(
                    place,
                    document.part,
                    SORTS.index(document.sort),
                    len(times),
                    entry.session,
                    project,
                    at,
                    " ".join([marks, *times, *often]),
                )
            )
    return rows


def sort_word(sort: str) -> str:
    return f"_s{sort.replace(' ', '')}"


def often_word(word: str) -> str:
    return f"_r{word}"


def file_word(path: str) -> str:
    """What the edits of a file are known by."""
    return f"_f{digest(path.encode('utf-8', 'surrogatepass'))[:10]}"


def parts(text: str) -> list[str]:
    """A text in passages, cut where its paragraphs end."""
    text = text.strip()
    if len(text) <= PART:
        return [text] if text else []
    listed, start = [], 0
    ends = [match.start() for match in _BREAKS.finditer(text)]
    while len(text) - start > PART:
        fitting = [end for end in ends if start + PART // 3 < end <= start + PART]
        blank = text.rfind(" ", start + PART // 2, start + PART)
        end = fitting[-1] if fitting else blank if blank > 0 else start + PART
        listed.append(text[start:end].strip())
        start = end
    return [part for part in (*listed, text[start:].strip()) if part]


# What each kind of entry holds: sort and text.

Texts = list[tuple[str, str]]


def _one(sort: str, *fields: str) -> Callable[[Body], Texts]:
    def read(body: Body) -> Texts:
        values = (_text(body.get(field)) for field in fields)
        return [(sort, "\n".join(value for value in values if value))]

    return read


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(_text(each) for each in value)
    return value if isinstance(value, str) else ""


def _prompt(body: Body) -> Texts:
    return [] if body.get("unverified") else [("prompt", body["prompt"])]


def _decision(body: Body) -> Texts:
    because = f" because {body['because']}" if body["because"] else ""
    cited = [
        f"{each.get('path', '')} {each.get('quote', '')}"
        for each in body["evidence"]
        if isinstance(each, dict)
    ]
    return [("decision", "\n".join([f"{body['text']}{because}", *cited]))]


def _identified(body: Body) -> Texts:
    where = f"{body['path']}:{body['line']}-{body['last']}"
    return [("identifier", f"{where} {body['purpose']}")] if body["purpose"] else []


def _work_seen(body: Body) -> Texts:
    texts: Texts = []
    for commit in body.get("commits") or []:
        if isinstance(commit, dict):
            texts.append(("commit", f"{commit.get('sha', '')} {commit.get('subject', '')}"))
    for each in body.get("pull_requests") or []:
        if isinstance(each, dict) and each.get("title"):
            number, title = each.get("number", ""), each["title"]
            texts.append(("pull request", f"#{number} {title} {each.get('branch', '')}".strip()))
    return texts


def _tool_used(body: Body) -> Texts:
    deed = body["deed"]
    if deed in ("edit", "create"):
        return [("edit", f"{body.get('path', '')} {' '.join(symbols(body['input']))}".strip())]
    if deed == "plan":
        return [("plan", acts.plan(body["input"]))]
    if deed == "delegate":
        return [("errand", acts.errand(body["input"]))]
    if deed != "run":
        return []
    command = _text(body.get("command"))
    if body["ok"]:
        return [("command", f"{command}\n{_text(body['input'].get('description'))}".strip())]
    error = _text(body.get("error"))[-ERROR_CAP:]
    return [("error", f"{command}\n{error}".strip())]


def symbols(given: acts.Input) -> list[str]:
    """Names that an edit defines."""
    _, new = acts.written(given)
    texts = [new if isinstance(new, str) else "", *(pair[1] for pair in acts.replacements(given))]
    names = dict.fromkeys(name for text in texts for name in _DEFINITION.findall(text[:20_000]))
    return list(names)[:SYMBOLS]


READERS: dict[str, Callable[[Body], Texts]] = {
    "prompt_given": _prompt,
    "turn_ended": _one("answer", "message"),
    "context_compacted": _one("summary", "summary"),
    "rule_given": _one("rule", "text"),
    "choice_made": _one("choice", "question", "text"),
    "decision_made": _decision,
    "item_opened": _one("question", "text"),
    "handoff_given": _one("handoff", "summary", "next_steps", "blockers", "questions"),
    "identified": _identified,
    "learnt": _one("learning", "text"),
    "pinned": _one("pin", "label", "content"),
    "work_seen": _work_seen,
    "task_created": _one("task", "subject", "description"),
    "subagent_ended": _one("report", "message"),
    "tool_used": _tool_used,
}
