"""The tracker's own file: `.beads/*.jsonl`, one issue to a line, read and written compatibly.

`bd` (beads) and `br` (beads_rust) export their issues to it; explanation/notes.md has the format.
Laws: what cannot be read as an issue is skipped when reading and kept when writing; a line that is
not touched stays as it is, to the byte; of a line that is touched only the fields that changed are
written, what is new comes behind the others, and what a list gains behind what it had; nothing is
ever removed.
"""

from __future__ import annotations

from holdfast.system import files as system_files, jsontext, processes
from holdfast.system.paths import mark, runtime_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Issue = dict[str, Any]

FOLDER = ".beads"
# In the order in which tools look for them.
NAMES = ("issues.jsonl", "beads.jsonl")
# What else the tools keep there; a name with two dots is one side of a merge.
OTHERS = (
    "comments config deletions dependencies events interactions labels memories metadata routes"
    " sync_base"
).split()
READ_CAP_BYTES = 1 << 20
WRITE_CAP_BYTES = 64 << 20
ISSUE = "issue"  # what newer tools say a line is: there are memories, too
OPEN = "open"
UNFINISHED = (OPEN, "in_progress", "blocked")


def files(root: str) -> list[str]:
    """The files that hold issues; where a project has others than the usual, those."""
    folder = f"{root}/{FOLDER}"
    stems = [name[:-6] for name in system_files.names_in(folder) if name.endswith(".jsonl")]
    names = [f"{stem}.jsonl" for stem in stems if "." not in stem and stem not in OTHERS]
    usual = [name for name in NAMES if name in names]
    return [f"{folder}/{name}" for name in usual or names]


def issues_in(lines: Iterable[str]) -> dict[str, Issue]:
    """Issues by id; what a later line says of one counts."""
    issues: dict[str, Issue] = {}
    for line in lines:
        issue = _issue(line)
        if issue is not None:
            issues[issue["id"]] = issue
    return issues


def read(root: str, cap: int = READ_CAP_BYTES) -> dict[str, Issue] | None:
    """Every issue of a project's tracker, None when it has no file."""
    paths = files(root)
    if not paths:
        return None
    texts = [system_files.read_text(path, cap) or "" for path in paths]
    return issues_in(line for text in texts for line in text.split("\n"))


def stage_of(issue: Issue) -> str:
    """The status; one that is left out is open, as it is to the tools."""
    status = issue.get("status", OPEN)
    return status.strip().lower() if isinstance(status, str) else ""


def priority_of(issue: Issue) -> int:
    """0 is the most urgent; a missing one is 0 too, which the tool leaves out."""
    priority = issue.get("priority", 0)
    return priority if type(priority) is int else 4


def listed(issue: Issue, name: str) -> list[Any]:
    """A list of the issue, empty when it has none: every extension is optional."""
    value = issue.get(name)
    return value if isinstance(value, list) else []


def change(root: str, id_: str, act: Callable[[Issue], bool]) -> bool:
    """Let `act` change one issue in its file, and write the file whole; whether it was changed.
    LookupError when no file has it, OSError when it cannot be written."""
    for path in _own_files(root):
        with _alone_with(path):
            content = _whole(path)
            new = None if content is None else changed(content, id_, act)
            if new is not None:
                if new != content:
                    system_files.write_over(path, new)
                return new != content
    raise LookupError(id_)


def add(root: str, issue: Issue) -> None:
    """Append an issue to the project's file, in the manner of its lines."""
    path = next(iter(_own_files(root)), "")
    if not path:
        raise LookupError(FOLDER)
    with _alone_with(path):
        content = _whole(path) or b""
        ending = b"\r\n" if content.endswith(b"\r\n") else b"\n"
        gap = b"" if not content or content.endswith(b"\n") else ending
        if b'{"_type":' in content:
            issue = {"_type": ISSUE, **issue}
        system_files.write_over(path, content + gap + dumped(issue) + ending)


def _own_files(root: str) -> list[str]:
    """Those that are written: no link is followed, of a file or of the folder."""
    if system_files.is_link(f"{root}/{FOLDER}"):
        return []
    return [path for path in files(root) if not system_files.is_link(path)]


def dumped(value: Any) -> bytes:
    """As the tools write it: no spaces, characters as they are, but for what HTML could mistake."""
    text = jsontext.dumps(value)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode("utf-8", "backslashreplace")


def _alone_with(path: str) -> processes.Lock:
    """Not beside the file: somebody would commit it."""
    folder = system_files.own_folder(runtime_folder())
    return processes.Lock(f"{folder}/beads-{mark(path):08x}.lock")


def _whole(path: str) -> bytes | None:
    """All of a file that is to be written again; OSError when it is more than can be held."""
    content = system_files.read_bytes(path, WRITE_CAP_BYTES + 1)
    if content is not None and len(content) > WRITE_CAP_BYTES:
        raise OSError(f"{path} is longer than {WRITE_CAP_BYTES >> 20} MB")
    return content


def changed(content: bytes, id_: str, act: Callable[[Issue], bool]) -> bytes | None:
    """The file with one issue changed, as it was when `act` changes nothing, None without it. Of
    several lines about it the last one counts, and is the one that is written."""
    lines = content.split(b"\n")
    for number in range(len(lines) - 1, -1, -1):
        line = lines[number].decode("utf-8", "surrogateescape")  # odd bytes stay what they are
        issue = _issue(line)
        if issue is not None and issue["id"] == id_:
            if not act(issue):
                return content
            lines[number] = _rewritten(line, issue).encode("utf-8", "surrogateescape")
            return b"\n".join(lines)
    return None


def _rewritten(line: str, issue: Issue) -> str:
    """A line with what changed of its issue; every other byte is the line's own."""
    before = _issue(line) or {}
    # Of a name that is there twice the last one counts.
    places = {name: (start, end) for name, _, start, end in jsontext.members(line)}
    edits = [
        _edit(before[name], issue[name], *place)
        for name, place in places.items()
        if jsontext.dumps(before[name]) != jsontext.dumps(issue[name])
    ]
    last = max(end for _, end in places.values())
    added = [f",{_text(name)}:{_text(issue[name])}" for name in issue if name not in before]
    for start, end, text in sorted([*edits, (last, last, "".join(added))], reverse=True):
        line = line[:start] + text + line[end:]
    return line


def _edit(old: Any, new: Any, start: int, end: int) -> tuple[int, int, str]:
    """How a value becomes another: a list that only gained something keeps what it had."""
    if isinstance(old, list) and isinstance(new, list) and old and new[: len(old)] == old:
        return end - 1, end - 1, "".join(f",{_text(member)}" for member in new[len(old) :])
    return start, end, _text(new)


def _text(value: Any) -> str:
    return dumped(value).decode()


def _issue(line: str) -> Issue | None:
    try:
        issue = jsontext.loads(line)
    except ValueError:  # torn, blank, or a merge conflict's mark
        return None
    if not isinstance(issue, dict) or issue.get("_type", ISSUE) != ISSUE:
        return None
    name = issue.get("id")
    if type(name) is int:
        issue["id"] = str(name)
    return issue if isinstance(issue.get("id"), str) and issue["id"].strip() else None
