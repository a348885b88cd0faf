"""Hot topics: the words a session kept coming back to, weighted by where they were met.

Laws: words are in small letters, three to forty characters, and neither stop words nor numbers nor
ids; one call, prompt or label counts a word once, however often it says it; where a person or an
agent gave something a name, it weighs more than where the name was merely used; whole files are
not read for words.
"""

from __future__ import annotations

from holdfast.agents import acts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

TOP = 20
BOUND = 200  # a session keeps no more words than this
TOOL_WEIGHT, CATEGORY_WEIGHT, FOLDER_WEIGHT, SUBJECT_WEIGHT, LABEL_WEIGHT = 1, 2, 2, 2, 3
PROMPT_WORDS = 40
PROMPT_CAP = 4_000  # characters: a pasted log is not what the prompt is about
SHORTEST, LONGEST = 3, 40
SHORTEST_PARAMETER, LONGEST_PARAMETER = 3, 199
NEAREST_FOLDERS = 2

FOLDERS = ("workdir", "cwd", "directory")
IDS = ("id", "task_id", "session_id", "shell_id", "bash_id", "cell_id", "agent_id", "tool_use_id")

STOP = frozenset(
    "the and for with from into onto over under about after before again all also any are aren but"
    " been being both can cannot could did does doing don done each else ever every few get gets"
    " got had has have having her here him his how its itself just let lets like made make makes"
    " may maybe might more most must not now off once one only other our out own per please same"
    " say see shall she should some such take than that their them then there these they this"
    " those through thus too two until use used uses using very via want was way were what when"
    " where which while who whom why will won would yes yet you your yours"
    " cat echo grep sed awk head tail xargs null true false none src lib bin usr etc var tmp home"
    " http https www com org file files path line lines".split()
)
# Names that are written with a hump and are one word all the same.
WHOLE = frozenset(
    "github gitlab javascript typescript postgresql graphql mysql sqlite nodejs mongodb openai"
    " devops macos numpy pytorch fastapi youtube linkedin".split()
)
# What pieces gave: whole sessions that are taken in say the same words over and over.
_WORDS: dict[str, list[str]] = {}
WORDS_KEPT = 20_000


class _Divided(dict[int, str]):
    """For `translate`: what is neither letter, figure, `-` nor `_` divides."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        self[code] = letter if letter.isalnum() or letter in "-_" else " "
        return self[code]


_DIVIDED = _Divided()


def words(text: str) -> list[str]:
    """The words worth remembering, each once, in the order in which they were met."""
    kept: dict[str, None] = {}
    for piece in _pieces(text):
        known = _WORDS.get(piece)
        for word in _words_of(piece) if known is None else known:
            kept[word] = None
    return list(kept)


def _words_of(piece: str) -> list[str]:
    humps = [hump.strip("-_").lower() for hump in _humps(piece)]
    listed = [
        word
        for word in humps
        if SHORTEST <= len(word) <= LONGEST and word not in STOP and not _is_id(word)
    ]
    if len(_WORDS) >= WORDS_KEPT:
        _WORDS.clear()
    _WORDS[piece] = listed
    return listed


def of_tool(tool: str, given: dict[str, Any]) -> dict[str, int]:
    """A tool call's words: its own name, its short parameters, the folders nearest to its path."""
    name = tool.strip().lower()[:LONGEST]
    weights = {name: TOOL_WEIGHT} if name else {}
    for key, value in given.items():
        if not isinstance(value, str) or key in acts.TEXT_FIELDS or key in IDS:
            continue
        if not SHORTEST_PARAMETER <= len(value) <= LONGEST_PARAMETER:
            continue
        is_path = key in acts.PATH_FIELDS or key in FOLDERS
        text = _below_home(value) if is_path else value
        for folder in _nearest(text, is_folder=key in FOLDERS) if is_path else ():
            weights.update(dict.fromkeys(words(folder), FOLDER_WEIGHT))
        for word in words(text):
            weights.setdefault(word, TOOL_WEIGHT)
    return weights


def of_prompt(text: str) -> dict[str, int]:
    return dict.fromkeys(words(text[:PROMPT_CAP])[:PROMPT_WORDS], TOOL_WEIGHT)


def of_label(label: str) -> dict[str, int]:
    return dict.fromkeys(words(label), LABEL_WEIGHT)


def of_subject(text: str) -> dict[str, int]:
    return dict.fromkeys(words(text), SUBJECT_WEIGHT)


def of_categories(categories: list[str]) -> dict[str, int]:
    return {word: CATEGORY_WEIGHT for category in categories for word in words(category)}


def top(weights: dict[str, int], n: int = TOP) -> list[str]:
    """The heaviest words first, equal ones by the alphabet."""
    return sorted(weights, key=lambda word: (-weights[word], word))[: max(0, n)]


def _pieces(text: str) -> list[str]:
    kept = text.translate(_DIVIDED)
    # Two of them divide, as in the name of a server's tool; one belongs to a name.
    return kept.replace("__", " ").replace("--", " ").split()


def _humps(piece: str) -> Iterable[str]:
    """parseHTTPHeader as parse, HTTP, Header; a word without humps as it is."""
    if piece.islower() or piece.isupper() or piece.lower() in WHOLE:
        return (piece,)
    parts, start = [], 0
    for at in range(1, len(piece)):
        begins = piece[at].isupper() and not piece[at - 1].isupper() and piece[at - 1] not in "-_"
        ends = piece[at].isupper() and piece[at - 1].isupper() and piece[at + 1 : at + 2].islower()
        if begins or ends:
            parts.append(piece[start:at])
            start = at
    return (*parts, piece[start:])


def _is_id(word: str) -> bool:
    """A number, a hash, a random id: nothing that would be said again."""
    bare = word.replace("-", "").replace("_", "")
    digits = sum(letter.isdigit() for letter in bare)
    if len(bare) - digits < 2 or word.startswith("0x"):
        return True
    if digits and not bare.strip("0123456789abcdef"):
        return len(bare) >= (7 if bare == word else 32)
    return bare == word and len(word) >= 16 and digits >= 4


def _below_home(path: str) -> str:
    """A path without the part that says whose machine it is."""
    parts = path.split("/")
    return "/".join(parts[3:]) if path.startswith(("/home/", "/Users/")) else path


def _nearest(path: str, *, is_folder: bool) -> list[str]:
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    if parts and not is_folder:
        parts.pop()
    return parts[-NEAREST_FOLDERS:]
