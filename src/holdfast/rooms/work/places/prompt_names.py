"""What a prompt names: files, names of code, pull requests and issues.

Laws: one pass over the text, and of a long one only its beginning is read; what a name is, is told
by its form alone: whether anything is called so, others know; addresses hold no names of files.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

CAP = 4_000  # characters
NAMES = 12  # of each sort
SHORTEST_NAME, LONGEST_NAME = 4, 80
LONGEST_ENDING = 5
AROUND = "\"'`“”‘’()[]{}<>,;:!?*|"


class PromptNames(Value):
    """Each in the order in which it was met, once."""

    files: list[str]  # with an ending; folders before it as far as they were given
    identifiers: list[str]  # as they were written
    requests: list[Request]


class Request(Value):
    """A pull request or an issue by its number or by its address."""

    number: int
    sort: str  # pull_request, issue; "" where the prompt does not say
    url: str  # "" where only the number was given


def read(prompt: str) -> PromptNames:
    tokens = prompt[:CAP].split()
    return PromptNames(
        files=_first(filter(None, map(_file, tokens))),
        identifiers=_first(name for token in tokens for name in _identifiers(token)),
        requests=_requests(tokens),
    )


def is_compound(name: str) -> bool:
    """Made of several words, as no word of a sentence is: parseTags, parse_tags, parse-tags."""
    inner = name.strip("_-")
    if "_" in inner or "-" in inner:
        return True
    before = inner[:1]
    for letter in inner[1:]:
        if letter.isupper() and not before.isupper():
            return True
        before = letter
    return False


def _first(names: Iterable[str]) -> list[str]:
    kept: dict[str, None] = {}
    for name in names:
        kept[name] = None
        if len(kept) == NAMES:
            break
    return list(kept)


def _file(token: str) -> str:
    """`"src/app.py:12",` as src/app.py; "" for what names no file."""
    if "://" in token:
        return ""
    name = token.strip(AROUND).partition(":")[0].partition("#")[0].rstrip(".").removeprefix("@")
    name = name.replace("\\", "/").removeprefix("./")
    stem, dot, ending = name.rpartition("/")[2].rpartition(".")
    is_ending = ending.isalnum() and ending[:1].isalpha() and len(ending) <= LONGEST_ENDING
    if not dot or not is_ending or name.startswith(("/", "~", "..")):
        return ""
    return name if any(letter.isalpha() for letter in stem) else ""


def _identifiers(token: str) -> Iterable[str]:
    if "://" in token or "/" in token:
        return
    for piece in "".join(letter if _is_of_name(letter) else " " for letter in token).split():
        name = piece.strip("-")
        is_marked = name.isidentifier() and (f"{name}(" in token or f"`{name}`" in token)
        is_meant = is_compound(name) or is_marked
        if SHORTEST_NAME <= len(name) <= LONGEST_NAME and is_meant and not name[0].isdigit():
            yield name


def _is_of_name(letter: str) -> bool:
    return letter.isalnum() or letter in "_-"


def _requests(tokens: list[str]) -> list[Request]:
    """Pull requests and issues: `#12`, `PR 12`, `issue #12`, or an address."""
    requests: dict[int, Request] = {}
    before = ""
    for token in tokens:
        sort, number, url = _SORTS.get(before, ""), 0, ""
        word = token.strip(AROUND + ".")
        if "://" in word:
            sort, number, url = _of_address(word)
        elif word.startswith(("#", "!")) or sort:
            number = _number(word.removeprefix("#").removeprefix("!"))
        if number:
            requests.setdefault(number, Request(number=number, sort=sort, url=url))
        before = word.lower()
    return list(requests.values())[:NAMES]


_SORTS = {"pr": "pull_request", "mr": "pull_request", "request": "pull_request", "issue": "issue"}
_PARTS = {"pull": "pull_request", "merge_requests": "pull_request", "issues": "issue"}


def _of_address(address: str) -> tuple[str, int, str]:
    parts = address.partition("?")[0].partition("#")[0].split("/")
    for place, part in enumerate(parts[:-1]):
        number = _number(parts[place + 1]) if part in _PARTS else 0
        if number:
            return _PARTS[part], number, "/".join(parts[: place + 2])
    return "", 0, ""


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 8 else 0
