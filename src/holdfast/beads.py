"""The tracker's own file: `.beads/*.jsonl`, one issue to a line, read and written compatibly.

`bd` (beads) and `br` (beads_rust) export their issues to it. Laws: what cannot be read as an issue
is skipped when reading and kept when writing; a line that is not touched stays as it is, to the
byte; of a line that is touched the known and unknown fields stay in their order with the values
they had, and what is new comes behind them; nothing is ever removed.
"""

from __future__ import annotations

from holdfast import jsontext, platform, processes
from holdfast.paths import mark, runtime_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    Issue = dict[str, Any]

FOLDER = ".beads"
# In the order in which tools look for them; what else ends so (deletions, events) is no issue's.
NAMES = ("issues.jsonl", "beads.jsonl")
READ_CAP_BYTES = 1 << 20
WRITE_CAP_BYTES = 64 << 20
UNFINISHED = ("open", "in_progress", "blocked")
DONE = ("closed", "tombstone")
# What holds an issue up as long as the other one is open.
HOLDING = ("blocks", "parent-child-blocks", "conditional-blocks", "waits-for")


def files(root: str) -> list[str]:
    """The files that hold issues; where a project has others than the usual, those."""
    folder = f"{root}/{FOLDER}"
    names = [name for name in platform.names_in(folder) if name.endswith(".jsonl")]
    usual = [name for name in NAMES if name in names]
    return [f"{folder}/{name}" for name in usual or names]


def issues_in(lines: Iterable[str]) -> dict[str, Issue]:
    """Issues by id; what a later line says of one counts."""
    found: dict[str, Issue] = {}
    for line in lines:
        issue = _issue(line)
        if issue is not None:
            found[issue["id"]] = issue
    return found


def read(root: str, cap: int = READ_CAP_BYTES) -> dict[str, Issue] | None:
    """Every issue of a project's tracker, None when it has no file."""
    found = files(root)
    if not found:
        return None
    texts = [platform.read_text(path, cap) or "" for path in found]
    return issues_in(line for text in texts for line in text.splitlines())


def ready(issues: dict[str, Issue]) -> list[Issue]:
    """Issues that nothing holds up: those in work first, then by priority, then the oldest."""
    open_ = [one for one in issues.values() if stage_of(one) in ("open", "in_progress")]
    free = [one for one in open_ if not _held_up(one, issues)]
    return sorted(
        free,
        key=lambda one: (
            stage_of(one) != "in_progress",
            priority_of(one),
            str(one.get("created_at", "")),
            one["id"],
        ),
    )


def active(issues: dict[str, Issue]) -> Issue | None:
    """The issue that is being worked on: of several the one that was touched last."""
    at_work = [one for one in issues.values() if stage_of(one) == "in_progress"]
    return max(at_work, key=lambda one: (str(one.get("updated_at", "")), one["id"]), default=None)


def stage_of(issue: Issue) -> str:
    said = issue.get("status")
    return said.strip().lower() if isinstance(said, str) else ""


def priority_of(issue: Issue) -> int:
    """0 is the most urgent; a missing one is 0 too, which the tool leaves out."""
    said = issue.get("priority", 0)
    return said if type(said) is int else 4


def listed(issue: Issue, name: str) -> list[Any]:
    """A list of the issue, empty when it has none: every extension is optional."""
    said = issue.get(name)
    return said if isinstance(said, list) else []


def change(root: str, id_: str, act: Callable[[Issue], bool]) -> bool:
    """Let `act` change one issue in its file, and write the file whole; whether it was changed.
    LookupError when no file has it, OSError when it cannot be written."""
    for path in files(root):
        if platform.is_link(path):
            continue
        with _alone_with(path):
            content = _whole(path)
            new = None if content is None else changed(content, id_, act)
            if new is not None:
                if new != content:
                    platform.write_over(path, new)
                return new != content
    raise LookupError(id_)


def add(root: str, issue: Issue) -> None:
    """Append an issue to the project's file."""
    path = next((one for one in files(root) if not platform.is_link(one)), "")
    if not path:
        raise LookupError(FOLDER)
    with _alone_with(path):
        content = _whole(path) or b""
        gap = b"" if not content or content.endswith(b"\n") else b"\n"
        platform.write_over(path, content + gap + dumped(issue) + b"\n")


def dumped(issue: Issue) -> bytes:
    """As the tools write it: no spaces, characters as they are, but for what HTML could mistake."""
    said = jsontext.dumps(issue)
    for sign in "<>&\u2028\u2029":
        said = said.replace(sign, f"\\u{ord(sign):04x}")
    return said.encode("utf-8", "backslashreplace")


def _alone_with(path: str) -> processes.Lock:
    """Not beside the file: somebody would commit it."""
    folder = platform.own_folder(runtime_folder())
    return processes.Lock(f"{folder}/beads-{mark(path):08x}.lock")


def _whole(path: str) -> bytes | None:
    """All of a file that is to be written again; OSError when it is more than can be held."""
    content = platform.read_bytes(path, WRITE_CAP_BYTES + 1)
    if content is not None and len(content) > WRITE_CAP_BYTES:
        raise OSError(f"{path} is longer than {WRITE_CAP_BYTES >> 20} MB")
    return content


def changed(content: bytes, id_: str, act: Callable[[Issue], bool]) -> bytes | None:
    """The file with one issue changed, as it was when `act` changes nothing, None without it. Of
    several lines about it the last one counts, and is the one that is written."""
    lines = content.split(b"\n")
    for number in range(len(lines) - 1, -1, -1):
        try:
            line = lines[number].decode()
        except UnicodeDecodeError:
            continue  # written anew, its odd bytes would be others
        issue = _issue(line)
        if issue is not None and issue["id"] == id_:
            if not act(issue):
                return content
            ending = b"\r" if line.endswith("\r") else b""
            lines[number] = dumped(issue) + ending
            return b"\n".join(lines)
    return None


def _issue(line: str) -> Issue | None:
    try:
        said = jsontext.loads(line)
    except ValueError:  # torn, blank, or a merge conflict's mark
        return None
    if not isinstance(said, dict):
        return None
    name = said.get("id")
    if type(name) is int:
        said["id"] = str(name)
    return said if isinstance(said.get("id"), str) and said["id"].strip() else None


def _held_up(issue: Issue, issues: dict[str, Issue]) -> bool:
    return any(_is_open(issues.get(other)) for other in _holders(issue))


def _is_open(issue: Issue | None) -> bool:
    return issue is not None and stage_of(issue) not in DONE


def _holders(issue: Issue) -> Iterator[str]:
    for one in listed(issue, "dependencies"):
        if isinstance(one, dict) and one.get("type", "blocks") in HOLDING:
            yield str(one.get("depends_on_id", ""))
