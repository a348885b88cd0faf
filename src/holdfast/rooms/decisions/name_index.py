"""The names in a work tree: each identifier, its parts, and on which lines it stands.

A feature lives in what programs are made of. So what a file is decides what its words are worth:

    code      identifiers count; comments, sentences in strings and tables of strings are prose
    tests     the same, but a test is not the feature
    docs      prose: what is written about a program
    aside     data, fixtures, vendored and generated code: prose
    none      trackers, CI, lock files, our own: not read

Laws: every file is read once, and nothing is read twice over; a file or a tree beyond its bound is
named as unread, never passed over in silence.
"""

from __future__ import annotations

import os
import re
import stat
from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

CODE, TEST, DOC, ASIDE, NONE = "code", "test", "doc", "aside", ""
CAP_BYTES = 1 << 20  # of a file
TREE_BYTES = 64 << 20  # of all that is read
FILES = 20_000
NAME_CAP = 120  # letters: what is longer is data
STRING_CAP = 60
TABLE = 4  # strings on one line from which on they are data
ROWS = 12  # lines of nothing but strings and numbers from which on they are

OWN = {".git", ".hg", ".svn", ".holdfast"}
MACHINERY = {
    ".beads", ".github", ".gitlab", ".circleci", ".buildkite", ".woodpecker", ".ci", ".drone",
    ".semaphore", ".teamcity",
}  # fmt: skip
MACHINERY_NAMES = {
    ".gitlab-ci.yml", ".travis.yml", "azure-pipelines.yml", "jenkinsfile", "appveyor.yml",
    ".drone.yml", "bitbucket-pipelines.yml", ".cirrus.yml", "codecov.yml", "renovate.json",
    "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "packages.lock.json", "go.sum",
    "gradle.lockfile", ".gitignore", ".gitattributes", ".pre-commit-config.yaml",
}  # fmt: skip
LOCKS = (".lock", ".lockb", ".sum", ".lockfile")
DOC_ENDINGS = {
    ".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".asciidoc", ".org", ".tex", ".rdoc",
}  # fmt: skip
DOC_FOLDERS = {"docs", "doc", "documentation"}
DOC_NAMES = {
    "readme", "changelog", "changes", "news", "license", "licence", "authors", "notice", "todo",
}  # fmt: skip
TEST_FOLDERS = {
    "test",
    "tests",
    "spec",
    "specs",
    "__tests__",
    "e2e",
    "testing",
    "benchmarks",
    "bench",
}
TEST_FOLDERS |= {"benches"}
ASIDE_FOLDERS = {
    "fixtures", "fixture", "testdata", "corpus", "snapshots", "__snapshots__", "golden", "vendor",
    "node_modules", "third_party", "thirdparty", "dist", "generated", "examples",
}  # fmt: skip
ASIDE_ENDINGS = {
    ".json", ".jsonl", ".ndjson", ".csv", ".tsv", ".snap", ".svg", ".map", ".po", ".pot", ".log",
    ".ipynb", ".patch", ".diff", ".geojson", ".pem",
}  # fmt: skip

HASH = {
    ".py", ".pyi", ".sh", ".bash", ".zsh", ".fish", ".rb", ".yaml", ".yml", ".toml", ".ini", ".cfg",
    ".conf", ".pl", ".pm", ".r", ".jl", ".ex", ".exs", ".nix", ".tf", ".ps1", ".graphql", ".mk",
    ".cmake", ".env", ".properties", "",
}  # fmt: skip
DASHES = {".sql", ".lua", ".hs", ".elm", ".adb", ".ads"}
MARKUP = {".html", ".htm", ".xml", ".vue", ".svelte", ".xhtml", ".erb", ".hbs"}
# Where a single quotation mark is not that of a string: a lifetime, a character.
TICKS = {".rs", ".go", ".c", ".h", ".cc", ".cpp", ".hpp", ".java", ".kt", ".cs", ".scala", ".hs"}
TICKS |= {".swift", ".ml", ".elm", ".zig"}

NAME = r"[^\W\d]\w*(?:-[^\W\d]\w*)*"
# What opens must close or reach the end: no text is looked through twice.
STRING = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?'
TICK = r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'?"
LETTER = r"'(?:[^'\\\n]|\\.)'"
BACKTICK = r"`[^`]*(?:`|\Z)"
TRIPLE = r'"""[\s\S]*?(?:"""|\Z)|' + r"'''[\s\S]*?(?:'''|\Z)"
BLOCK = r"/\*[\s\S]*?(?:\*/|\Z)"
TAGGED = r"<!--[\s\S]*?(?:-->|\Z)"
A_NAME = re.compile(NAME)
ROW_STARTS = frozenset("\"'([{")
LITERAL = re.compile(rf"{STRING}|{TICK}|\b(?:true|false|none|null|nil|\d\w*)\b", re.IGNORECASE)
LETTER_LEFT = re.compile(r"[^\W\d]")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+")


@dataclass(frozen=True, slots=True)
class Words:
    """Names by their number, each with its line, in the order of the file."""

    names: array[int]
    lines: array[int]


@dataclass(frozen=True, slots=True)
class IndexedFile:
    path: str
    sort: str
    code: Words
    prose: Words


@dataclass(frozen=True, slots=True)
class Index:
    """A work tree's names. `unread` are files that belong here and are beyond a bound."""

    names: tuple[str, ...]
    files: tuple[IndexedFile, ...]
    unread: tuple[str, ...]


def sort_of(path: str) -> str:
    """What a file is, by its path alone."""
    file = Path(path)
    name, stem, ending = file.name.lower(), file.stem.lower(), file.suffix.lower()
    folders = {part.lower() for part in file.parts[:-1]}
    if folders & (OWN | MACHINERY) or name in MACHINERY_NAMES or ending in LOCKS:
        return NONE
    if folders & ASIDE_FOLDERS or ending in ASIDE_ENDINGS or stem.endswith(".min"):
        return ASIDE
    if ending in DOC_ENDINGS or stem in DOC_NAMES or folders & DOC_FOLDERS:
        return DOC
    words = parts_of(file.name.partition(".")[0])
    is_test = words[:1] in (("test",), ("conftest",)) or words[-1:] in (("test",), ("tests",))
    is_test = is_test or stem.endswith((".test", ".spec", "_spec"))
    return TEST if is_test or folders & TEST_FOLDERS else CODE


@lru_cache(maxsize=200_000)
def parts_of(name: str) -> tuple[str, ...]:
    """rateLimiter, rate_limiter, RATE-LIMITER: rate, limiter."""
    return tuple(part.lower() for part in PART.findall(name))


def build(root: str, paths: Iterable[str]) -> Index:
    """Read every file that says something, once."""
    numbers: dict[str, int] = {}
    files: list[IndexedFile] = []
    unread: list[str] = []
    total = 0
    for path in paths:
        sort = sort_of(path)
        if not sort:
            continue
        size = _size(root, path)
        if size < 0:
            continue
        is_beyond = size > CAP_BYTES or total + size > TREE_BYTES or len(files) >= FILES
        content = b"" if is_beyond else _read(root, path)
        if is_beyond:
            if sort == CODE and not _is_binary(_read(root, path, 8_000)):
                unread.append(path)
            continue
        if _is_binary(content):
            continue
        total += size
        text = content.decode("utf-8", "replace")
        files.append(_indexed(path, sort, text, numbers))
    return Index(tuple(numbers), tuple(files), tuple(unread))


def _size(root: str, path: str) -> int:
    """A file's bytes, -1 for what is none: links lead to what is listed elsewhere."""
    try:
        status = os.lstat(os.path.join(root, path))
    except OSError:
        return -1  # gone since it was listed, or deleted and not yet committed
    return status.st_size if stat.S_ISREG(status.st_mode) else -1


def _read(root: str, path: str, most: int = CAP_BYTES) -> bytes:
    try:
        with Path(root, path).open("rb") as file:
            return file.read(most)
    except OSError:
        return b""


def _is_binary(content: bytes) -> bool:
    return b"\0" in content[:8_000]


def _indexed(path: str, sort: str, text: str, numbers: dict[str, int]) -> IndexedFile:
    code, prose = Words(array("L"), array("L")), Words(array("L"), array("L"))
    is_prose_whole = sort in (DOC, ASIDE)
    pieces = [(0, text, True)] if is_prose_whole else _pieces(text, Path(path).suffix.lower())
    line, counted = 1, 0
    for start, piece, is_prose in pieces:
        line += text.count("\n", counted, start)
        counted = start
        _take(piece, line, prose if is_prose else code, numbers)
    return IndexedFile(path, sort, code, prose)


def _take(piece: str, line: int, words: Words, numbers: dict[str, int]) -> None:
    counted = 0
    for match in A_NAME.finditer(piece):
        name = match.group()
        if len(name) > NAME_CAP:
            continue
        start = match.start()
        line += piece.count("\n", counted, start)
        counted = start
        words.names.append(numbers.setdefault(name, len(numbers)))
        words.lines.append(line)


def _pieces(text: str, ending: str) -> Iterator[tuple[int, str, bool]]:
    """A program's names, and its prose: where each begins, its text, whether it is prose."""
    tables = _tables(text)
    data = _long_tables(text)
    first, end = next(data)
    for match in _lexer(ending).finditer(text):
        piece, start = match.group(), match.start()
        while start >= end:
            first, end = next(data)
        if start >= first:
            yield start, piece, True
        elif match.lastgroup == "name":
            yield start, piece, False
        elif match.lastgroup == "comment" or _is_docstring(text, start, piece):
            yield start, piece, True
        elif len(piece) > STRING_CAP or tables(start) or any(map(str.isspace, piece)):
            yield start, piece, True
            # A statement in a string is code all the same: what is made of parts counts.
            for name in A_NAME.finditer(piece):
                if len(parts_of(name.group())) > 1 and "-" not in name.group():
                    yield start + name.start(), name.group(), False
        else:
            yield start, piece, False


def _is_docstring(text: str, start: int, piece: str) -> bool:
    """Whether a string is a statement by itself: nothing but space before it on its line."""
    if not piece.startswith(('"""', "'''")):
        return False
    return not text[max(text.rfind("\n", 0, start), start - STRING_CAP) + 1 : start].strip()


def _tables(text: str) -> Callable[[int], bool]:
    """Whether a place lies on a line of many strings. Asked from the beginning to the end."""
    end, is_table = -1, False

    def is_in_table(start: int) -> bool:
        nonlocal end, is_table
        if start > end:
            first = text.rfind("\n", max(end, 0), start) + 1
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            quotes = max(text.count(mark, first, end) for mark in "\"'")
            is_table = quotes >= TABLE * 2
        return is_table

    return is_in_table


def _long_tables(text: str) -> Iterator[tuple[int, int]]:
    """Where tables of many rows begin and end: pictures by their names, words, countries. What
    stands there is what a program knows, not what it does. The last begins behind the text."""
    first = start = rows = 0
    for line in text.split("\n"):
        if _is_row(line):
            first = first if rows else start
            rows += 1
        else:
            if rows >= ROWS:
                yield first, start
            rows = 0
        start += len(line) + 1
    if rows >= ROWS:
        yield first, start
    yield start, start + 1


def _is_row(line: str) -> bool:
    line = line.strip()
    return line[:1] in ROW_STARTS and not LETTER_LEFT.search(LITERAL.sub("", line))


@lru_cache(maxsize=64)
def _lexer(ending: str) -> re.Pattern[str]:
    comments = [TAGGED] if ending in MARKUP else []
    strings = [STRING, LETTER if ending in TICKS else TICK]
    if ending in HASH:
        comments += [r"#[^\n]*"]
        strings = [TRIPLE, *strings]
    elif ending in DASHES:
        comments += [r"--[^\n]*", BLOCK]
    elif ending not in MARKUP:
        comments += [r"//[^\n]*", BLOCK]
        strings = [*strings, BACKTICK]
    if ending in MARKUP:
        strings = [STRING]
    return re.compile(
        f"(?P<comment>{'|'.join(comments)})|(?P<string>{'|'.join(strings)})|(?P<name>{NAME})"
    )
