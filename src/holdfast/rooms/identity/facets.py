"""Thirteen facets of what is done, one per embedder of the design: each a pure function.

An `Act` is one event taken apart once; a facet says which features it has there. Words are said
by people, everything else is done: features of what is done weigh more.

Laws: a facet sees what its line in `FACETS` says and nothing else; the same act has the same
features in every process; an odd body has fewer features and never raises.
"""

from __future__ import annotations

from holdfast.agents import acts
from holdfast.rooms.identity.feature_words import identifiers, names, pieces, stems, within, words
from holdfast.rooms.identity.sketch import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.ledger.kinds import Body

    Features = list[tuple[int, int]]

PROMPT_CAP, TEXT_CAP, COMMAND_CAP, ERROR_CAP = 3000, 1200, 400, 300
OUTPUT_CAP = 600
WRITTEN_WORDS = 100
SAID, DONE, CHANGED = 4, 6, 8  # quarters of an event: to say, to do, to change
CHANGES = ("edit", "create")
INTENTS = {
    "fix": "fix", "bug": "fix", "broken": "fix", "fail": "fix", "crash": "fix", "debug": "fix",
    "add": "add", "implement": "add", "creat": "add", "build": "add", "support": "add",
    "refactor": "shape", "renam": "shape", "mov": "shape", "extract": "shape", "simplify": "shape",
    "clean": "shape", "remov": "shape", "delet": "shape", "split": "shape",
    "test": "test", "cover": "test", "coverag": "test",
    "explain": "explain", "understand": "explain", "review": "explain", "investigat": "explain",
    "document": "write", "readme": "write", "doc": "write", "comment": "write",
    "commit": "ship", "push": "ship", "merg": "ship", "rebas": "ship", "releas": "ship",
}  # fmt: skip


class Trail:
    """What the events before left behind: the little that order, cause and company need."""

    __slots__ = ("deed", "deed_before", "error", "files", "since_change", "since_prompt", "words")

    def __init__(self) -> None:
        self.deed = 0
        self.deed_before = 0
        self.error = 0
        self.files: list[int] = []
        self.words: list[int] = []
        self.since_change = 0
        self.since_prompt = 0

    def numbers(self) -> list[int]:
        return [
            *(self.deed, self.deed_before, self.error, self.since_change, self.since_prompt),
            len(self.files),
            *self.files,
            *self.words,
        ]

    @classmethod
    def of(cls, numbers: list[int]) -> Trail:
        trail = cls()
        trail.deed, trail.deed_before, trail.error = numbers[:3]
        trail.since_change, trail.since_prompt, files = numbers[3:6]
        trail.files, trail.words = numbers[6 : 6 + files], numbers[6 + files :]
        return trail


class Act:
    """One event, taken apart."""

    __slots__ = (
        "command", "deed", "entities", "error", "folders", "is_done", "name", "path", "sort",
        "symbols", "trail", "verb", "weight", "words", "written",
    )  # fmt: skip

    def __init__(self, trail: Trail) -> None:
        self.trail = trail
        self.is_done = False
        self.weight = SAID
        self.sort = self.deed = self.verb = self.path = self.name = self.error = ""
        self.words: list[str] = []
        self.written: list[str] = []
        self.command: list[str] = []
        self.folders: list[str] = []
        self.symbols: list[str] = []
        self.entities: list[str] = []


def of_prompt(text: str, trail: Trail) -> Act:
    act = Act(trail)
    act.deed = "ask"
    act.words = words(text, PROMPT_CAP, 60)
    act.symbols = [name for name in identifiers(text, PROMPT_CAP, 30) if "_" in name]
    act.entities = _entities(text[:PROMPT_CAP])
    return act


def of_tool(body: Body, trail: Trail) -> Act:
    act = Act(trail)
    act.is_done = True
    act.sort = _text(body.get("tool"))
    act.deed = _text(body.get("deed")) or "other"
    act.weight = CHANGED if act.deed in CHANGES else DONE
    given = body.get("input")
    given = given if isinstance(given, dict) else {}
    path = within(_text(body.get("path")))[:300]
    if path:
        _place(act, path)
    if act.deed == "run":
        _command(act, _text(body.get("command")))
        act.entities += _entities(_text(body.get("output"))[:OUTPUT_CAP])
    text = " ".join(
        _text(given.get(key))[:TEXT_CAP]
        for key in ("description", "subject", "prompt", "query", "title", "activeForm")
    )
    text += " ".join(todo for todo, _ in (acts.todos(given) or ())[:12])
    act.words += words(text, TEXT_CAP, 40)
    if act.deed == "search":
        pattern = _text(given.get("pattern"))
        act.symbols = identifiers(pattern, TEXT_CAP, 8)
        act.words += words(pattern, TEXT_CAP, 8)
    elif act.deed in CHANGES:
        old, new = map(_text, acts.written(given))
        cut = pieces(f"{old[:TEXT_CAP]} {new[:TEXT_CAP]}", 2 * TEXT_CAP)
        act.symbols = names(cut, 40)
        act.written = stems(cut, WRITTEN_WORDS)
    if body.get("ok") is False:
        act.error = _family(_text(body.get("error")))
    return act


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _place(act: Act, path: str) -> None:
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    if not parts:
        return
    act.path = "/".join(parts)
    act.name = parts[-1].lower()
    act.folders = ["/".join(parts[:depth]) for depth in range(1, min(len(parts), 7))]
    act.words += words(" ".join(parts[-3:]), TEXT_CAP, 12)
    act.entities.append(act.name)


def _command(act: Act, command: str) -> None:
    """Its verbs, and of what it names the paths and words."""
    text = command[:COMMAND_CAP]
    for part in text.replace("&&", ";").replace("|", ";").split(";"):
        bare = [word for word in part.split() if "=" not in word]
        if not bare or bare[0] == "cd":
            continue
        verb = bare[0].rsplit("/", 1)[-1]
        if len(bare) > 1 and bare[1].isalpha():
            verb = f"{verb} {bare[1]}"
        act.verb = act.verb or verb
        act.command.append(verb)
    act.entities += _entities(text)
    act.words += words(text, COMMAND_CAP, 16)
    act.symbols = [name for name in identifiers(text, COMMAND_CAP, 12) if len(name) > 7]


def _entities(text: str) -> list[str]:
    """File names, issue numbers, packages and addresses that a text names."""
    named: dict[str, None] = {}
    for raw in text.split():
        word = raw.strip("\"'`()[]{}<>,;:!?.*")
        if not 2 < len(word) <= 200:
            continue
        if word[0] == "#" and word[1:].isdigit():
            named[word] = None
        elif "/" in word or "." in word[1:-1]:
            last = word.rstrip("/").rsplit("/", 1)[-1].split(":", 1)[0].lower()
            if len(last) > 2 and not last.replace(".", "").isdigit():
                named[last] = None
        elif "-" in word and word.rsplit("-", 1)[-1].isdigit():
            named[word.lower()] = None  # a tracker's ABC-123
        if len(named) >= 24:
            break
    return list(named)


def _family(error: str) -> str:
    """The words of an error that are no names, numbers or places."""
    return " ".join(
        piece.lower()
        for piece in pieces(error, ERROR_CAP)[:14]
        if piece.isalpha() and len(piece) > 2
    )[:80]


# The facets. Each returns (feature, how much) pairs.


def meaning(act: Act) -> Features:
    """E1 semantic: what it is about, in the stems of everything said, named and written."""
    return [(number(word), act.weight) for word in dict.fromkeys(act.words + act.written)]


def fresh(act: Act) -> Features:
    """E2 recency: what was in hand a moment ago; its purpose forgets within a few turns."""
    features = [(number(act.name), act.weight)] if act.name else []
    return features + [(number(word), act.weight // 2) for word in act.words[:6]]


def rhythm(act: Act) -> Features:
    """E3 period: how long since the last prompt and the last change, by deed, whatever the text."""
    asked = min(act.trail.since_prompt, 63).bit_length()
    changed = min(act.trail.since_change, 63).bit_length()
    return [(number(f"{act.deed} {asked}"), 4), (number(f"{act.deed} c {changed}"), 4)]


def order(act: Act) -> Features:
    """E4 position: which deed follows which."""
    now = number(act.verb or act.deed)
    return [
        ((act.trail.deed * 31 + now) % 4294967291, 4),
        ((act.trail.deed_before * 961 + act.trail.deed * 31 + now) % 4294967291, 2),
    ]


def cause(act: Act) -> Features:
    """E5 causal: which errors came, and what was done about them."""
    features = []
    if act.error:
        features.append((number(act.error), 8))
        features.append((number(f"{act.verb or act.deed} failed"), 4))
    if act.trail.error:
        then = number(act.name or act.verb or act.deed)
        features.append(((act.trail.error * 31 + then) % 4294967291, 6))
    return features


def asked(act: Act) -> Features:
    """E6 lexical: the very words that people used."""
    return [] if act.is_done else [(number(word), SAID) for word in act.words]


def symbols(act: Act) -> Features:
    """E7 code: the names in what was edited, searched and mentioned."""
    return [(number(name), act.weight) for name in act.symbols]


def neighbours(act: Act) -> Features:
    """E8 graph: files in each other's company in one turn, whichever came first."""
    if not act.path:
        return []
    here = number(act.path)
    return [
        ((here * there) % 4294967291, act.weight)
        for there in act.trail.files[:3]
        if there and there != here
    ]


def places(act: Act) -> Features:
    """E9 structure: where in the tree; the deeper the folder, the more it says."""
    features = [(number(folder), 1 + depth) for depth, folder in enumerate(act.folders)]
    if act.path:
        features.append((number(act.path), act.weight + 2))
    return features


def intent(act: Act) -> Features:
    """E10 intent: to fix, add, shape, test, explain or ship; by words, tools and command verbs."""
    features = [(number(INTENTS[word]), 4) for word in act.words if word in INTENTS]
    if act.is_done:
        features.append((number(act.sort), 4))
        features += [(number(verb), 4) for verb in act.command[:4]]
    return features


def entities(act: Act) -> Features:
    """E11 entity: files, issues, packages, addresses by name, wherever they were named."""
    return [(number(name), act.weight) for name in act.entities]


def touches(act: Act) -> Features:
    """E12 late interaction: exactly this file, exactly this deed."""
    if not act.path:
        return [(number(verb), 2) for verb in act.command[:2]]
    sort = "change" if act.deed in CHANGES else "look"
    return [(number(f"{sort} {act.path}"), act.weight), (number(act.path), act.weight)]


def expansion(act: Act) -> Features:
    """E13 expansion: words together with the files they led to, as this project joins them."""
    if act.is_done:
        if not act.name:
            return []
        here = number(act.name)
        return [((here * word) % 4294967291, act.weight) for word in act.trail.words[:8]]
    return [
        ((number(word) * there) % 4294967291, 4)
        for word in act.words[:8]
        for there in act.trail.files[:2]
    ]


FACETS: tuple[Callable[[Act], Features], ...] = (
    meaning, fresh, rhythm, order, cause, asked, symbols, neighbours, places, intent, entities,
    touches, expansion,
)  # fmt: skip
NAMES = tuple(facet.__name__ for facet in FACETS)


def leave(act: Act) -> None:
    """What the next event will see of this one."""
    trail = act.trail
    trail.deed_before, trail.deed = trail.deed, number(act.verb or act.deed)
    trail.error = number(act.error) if act.error else 0
    if act.path:
        here = number(act.path)
        trail.files = [here, *[file for file in trail.files if file != here]][:4]
    if act.is_done:
        trail.since_prompt += 1
        trail.since_change = 0 if act.deed in CHANGES else trail.since_change + 1
    else:
        trail.since_prompt = 0
        trail.files = []  # company is kept within a turn
        trail.words = [number(word) for word in act.words[:8]] or trail.words
