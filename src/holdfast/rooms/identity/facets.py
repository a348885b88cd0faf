"""Thirteen facets of what is said and done, one per embedder of the design: sources of terms.

An `Act` is one event taken apart once, its texts cut into words; a facet says which terms it has
there. A term is a number, and the same word has the same number in every facet.

Laws: a facet sees what its line says and nothing else; the same act has the same terms in every
process; an odd body has fewer terms and never raises; no more of a text is looked at than its cap;
words that every sentence or every program has are left out; numbers and hashes say nothing.
"""

from __future__ import annotations

from holdfast.system.word_endings import without_ending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdfast.ledger.kinds import Body

STOP = frozenset(
    "about above actually after again all already also always and another any are around back"
    " because been before being below between both but can cannot could did didn does doesn"
    " doing don done down each either else even ever every few first for from get give goes going"
    " good got had has have haven her here hey him his how however instead into isn its itself"
    " just keep kind know last let lets like little look looks lot made make makes many may maybe"
    " might more most much must need needs never next not nothing now off okay once one only onto"
    " other our out over own per please put rather really right same say see seems set she should"
    " since some something still such sure take than thank thanks that the their them then there"
    " these they thing things think this those though through too two under until upon use used"
    " using very via want was way well were what when where whether which while who why will with"
    " without won would yes yet you your"
    " func function return var let const def class self this import package public private static"
    " void int str string bool true false nil null none err error errors type struct interface if"
    " elif else end fmt new async await try catch except raise throw with pass break continue range"
    " len map list dict object value key name args kwargs src tmp usr home users var opt".split()
)
MARKS = str.maketrans(dict.fromkeys("\t\r\n !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~", " "))
SHORTEST, LONGEST = 3, 40
ENDINGS = tuple(
    (ending, "", 4) for ending in "ations ation ating ated ings ing ions ion ies ers ed".split()
)
# What pieces gave: whole sessions that are taken in say the same words over and over.
_STEMS: dict[str, list[str]] = {}
STEMS_KEPT = 20_000


def pieces(text: str, cap: int) -> list[str]:
    """The text cut at everything but letters, figures and the underscore."""
    return text[:cap].translate(MARKS).split()


def stems(cut: list[str], most: int) -> list[str]:
    """Stems of a text that was cut, each once, in the order of their first appearance."""
    stemmed: dict[str, None] = {}
    for piece in dict.fromkeys(cut):
        known = _STEMS.get(piece)
        for part in _stems_of(piece) if known is None else known:
            stemmed[part] = None
        if len(stemmed) >= most:
            break
    return list(stemmed)[:most]


def _stems_of(piece: str) -> list[str]:
    stemmed = [
        stem(part)
        for part in humps(piece)
        if part not in STOP and SHORTEST <= len(part) <= LONGEST and part.isalpha()
    ]
    if len(_STEMS) >= STEMS_KEPT:
        _STEMS.clear()
    _STEMS[piece] = stemmed
    return stemmed


def names(cut: list[str], most: int) -> list[str]:
    """Names that a program gives: with a hump, an underscore, or six letters and more."""
    lowered: dict[str, None] = {}
    for piece in dict.fromkeys(cut):
        if not SHORTEST < len(piece) <= LONGEST or not piece.isidentifier():
            continue
        low = piece.lower()
        if low in STOP or (low == piece and "_" not in piece and len(piece) < 6):
            continue
        lowered[low] = None
        if len(lowered) >= most:
            break
    return list(lowered)


def humps(piece: str) -> list[str]:
    """parseHTTPHeader and parse_http_header as parse, http, header."""
    if piece.islower() and "_" not in piece:
        return [piece]
    spaced = []
    for at, letter in enumerate(piece[:LONGEST]):
        if letter == "_":
            spaced.append(" ")
            continue
        if letter.isupper() and at:
            before, after = piece[at - 1], piece[at + 1 : at + 2]
            if not before.isupper() or after.islower():
                spaced.append(" ")
        spaced.append(letter.lower())
    return "".join(spaced).split()


def stem(word: str) -> str:
    """The word without its ending: invoice, invoices, invoiced and invoicing are one."""
    if len(word) < 5:
        return word
    shorter = without_ending(word, ENDINGS)
    if shorter != word:
        return shorter
    if word[-1] == "s" and word[-2] not in "su":
        word = word[:-1]
    return word[:-1] if word[-1] == "e" else word


def within(path: str) -> str:
    """A path without the part that says whose machine and whose copy it is."""
    if not path.startswith("/"):
        return path
    parts = path.split("/")
    if parts[1] in ("home", "Users") and len(parts) > 4:
        return "/".join(parts[4:])
    return "/".join(parts[-4:])


PRIME = 4294967291  # the largest below 2 ** 32
STIRS = 2654435761  # so that words which begin alike are not numbered alike
PROMPT_CAP, TEXT_CAP, WHOLE_CAP, COMMAND_CAP, ERROR_CAP = 3000, 600, 6000, 400, 300
WORDS, SYMBOLS, ENTITIES, LED = 120, 60, 24, 8  # at most, of an act
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
_NUMBERS: dict[str, int] = {}
NUMBERS_KEPT = 20_000


def number(word: str) -> int:
    """A term's number: the word's own bytes, stirred and divided."""
    known = _NUMBERS.get(word)
    if known is None:
        known = int.from_bytes(word.encode("utf-8", "replace"), "little") * STIRS % PRIME
        if len(_NUMBERS) >= NUMBERS_KEPT:
            _NUMBERS.clear()
        _NUMBERS[word] = known
    return known


class Trail:
    """What the events before left behind: the little that order, cause and company need."""

    def __init__(self, numbers: list[int] | None = None) -> None:
        self.deed, self.error, self.since_change, self.since_prompt, files, *rest = (
            numbers or [0] * 5
        )
        self.files, self.words = rest[:files], rest[files:]

    def numbers(self) -> list[int]:
        before = [self.deed, self.error, self.since_change, self.since_prompt, len(self.files)]
        return before + self.files + self.words


class Act:
    """One event, taken apart."""

    def __init__(self, trail: Trail, text: str, cap: int, *, is_done: bool) -> None:
        self.trail = trail
        self.is_done = is_done
        self.is_change = False
        self.sort = self.deed = self.error = ""
        self.parts: list[str] = []  # of the path
        self.command: list[str] = []
        cut = pieces(text, cap)
        self.words = stems(cut, WORDS)
        self.symbols = names(cut, SYMBOLS)
        self.entities: list[str] = []

    def path(self) -> str:
        return "/".join(self.parts)

    def name(self) -> str:
        return self.parts[-1].lower() if self.parts else ""

    def verb(self) -> str:
        return self.command[0] if self.command else self.deed


def of_prompt(text: str, trail: Trail) -> Act:
    act = Act(trail, text, PROMPT_CAP, is_done=False)
    act.deed = "ask"
    act.entities = _entities(text[:PROMPT_CAP])
    return act


def of_tool(body: Body, trail: Trail) -> Act:
    given = body.get("input")
    given = given if isinstance(given, dict) else {}
    path = within(_text(body.get("path")))[:300]
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    texts = [text[:TEXT_CAP] for text in map(_text, given.values()) if text[:1] not in ("", "/")]
    act = Act(trail, " ".join(texts + parts[-3:]), WHOLE_CAP, is_done=True)
    act.sort, act.deed = _text(body.get("tool")), _text(body.get("deed")) or "other"
    act.is_change = act.deed in CHANGES
    act.parts = parts
    named = _text(given.get("description"))[:TEXT_CAP]
    if act.deed == "run":
        command = _text(body.get("command"))[:COMMAND_CAP]
        act.command = _verbs(command)
        named += f" {command} {_text(body.get('output'))[:TEXT_CAP]}"
    act.entities = _entities(named) + ([act.name()] if parts else [])
    if body.get("ok") is False:
        act.error = _family(_text(body.get("error")))
    return act


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _verbs(command: str) -> list[str]:
    """The programs that a line runs, with what they are told to do."""
    verbs = []
    for part in command.replace("&&", ";").replace("|", ";").split(";"):
        bare = [word for word in part.split() if "=" not in word]
        if bare and bare[0] != "cd":
            order_given = bare[1:2] if "".join(bare[1:2]).isalpha() else []
            verbs.append(" ".join([bare[0].rsplit("/", 1)[-1], *order_given]))
    return verbs


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
        if len(named) >= ENTITIES:
            break
    return list(named)


def _family(error: str) -> str:
    """The words of an error that are no names, numbers or places."""
    cut = pieces(error, ERROR_CAP)[:14]
    return " ".join(piece.lower() for piece in cut if piece.isalpha() and len(piece) > 2)[:80]


# The facets. Each returns terms.


def meaning(act: Act) -> list[int]:
    """E1 semantic: what it is about, in the stems of all that is said, named and written."""
    return [number(word) for word in act.words]


def fresh(act: Act) -> list[int]:
    """E2 recency: the file in hand, else the first words; only the last turn's are remembered."""
    return [number(word) for word in ([act.name()] if act.parts else act.words[:LED])]


def rhythm(act: Act) -> list[int]:
    """E3 period: how long since the last prompt and the last change, by deed, whatever the text."""
    since = (
        min(act.trail.since_prompt, 63).bit_length(),
        min(act.trail.since_change, 63).bit_length(),
    )
    return [number(f"{act.verb()} {since[0]}"), number(f"{act.verb()} c {since[1]}")]


def order(act: Act) -> list[int]:
    """E4 position: which deed follows which."""
    return [(act.trail.deed * 31 + number(act.verb())) % PRIME]


def cause(act: Act) -> list[int]:
    """E5 causal: which errors came, and what was done about them."""
    then = number(act.name() or act.verb())
    own = [number(act.error), number(f"{act.verb()} failed")] if act.error else []
    return [*own, (act.trail.error * 31 + then) % PRIME] if act.trail.error else own


def asked(act: Act) -> list[int]:
    """E6 lexical: the words of an act, held against those that people used and no others."""
    return meaning(act)


def symbols(act: Act) -> list[int]:
    """E7 code: the names in what was written, searched and mentioned."""
    return [number(name) for name in act.symbols]


def neighbours(act: Act) -> list[int]:
    """E8 graph: files in each other's company in one turn, whichever came first."""
    here = number(act.path()) if act.parts else 0
    return [here * there % PRIME for there in act.trail.files[:3] if here and there != here]


def places(act: Act) -> list[int]:
    """E9 structure: where in the tree, folder by folder."""
    depths = range(1, min(len(act.parts), 7) + 1)
    return [number("/".join(act.parts[:depth])) for depth in depths]


def intent(act: Act) -> list[int]:
    """E10 intent: to fix, add, shape, test, explain or ship; by words, tools and command verbs."""
    intents = [INTENTS[word] for word in act.words if word in INTENTS]
    tools = [act.sort, *act.command[:4]] if act.is_done else []
    return [number(sign) for sign in intents + tools]


def entities(act: Act) -> list[int]:
    """E11 entity: files, issues, packages, addresses by name, wherever they were named."""
    return [number(name) for name in act.entities]


def touches(act: Act) -> list[int]:
    """E12 late interaction: exactly this file, exactly this deed."""
    if not act.parts:
        return [number(verb) for verb in act.command[:2]]
    sort = "change" if act.is_change else "look"
    return [number(f"{sort} {act.path()}"), number(act.path())]


def expansion(act: Act) -> list[int]:
    """E13 expansion: words together with the files they led to, as this project joins them."""
    here = number(act.name()) if act.parts else 0
    return [here * word % PRIME for word in act.trail.words if here]


FACETS: tuple[Callable[[Act], list[int]], ...] = (
    meaning, fresh, rhythm, order, cause, asked, symbols, neighbours, places, intent, entities,
    touches, expansion,
)  # fmt: skip
NAMES = tuple(facet.__name__ for facet in FACETS)


def leave(act: Act) -> None:
    """What the next event will see of this one."""
    trail = act.trail
    trail.deed = number(act.verb())
    trail.error = number(act.error) if act.error else 0
    if act.parts:
        here = number(act.path())
        trail.files = [here, *[file for file in trail.files if file != here]][:4]
    if act.is_done:
        trail.since_prompt += 1
        trail.since_change = 0 if act.is_change else trail.since_change + 1
    else:
        trail.since_prompt = 0
        trail.files = []  # company is kept within a turn
        trail.words = [number(word) for word in act.words[:LED]] or trail.words
