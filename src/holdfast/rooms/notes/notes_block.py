"""NOTES.md: our block, rendered; everything around it is people's and stays to the byte.

    <!-- holdfast:begin DIGEST -->   ...   <!-- holdfast:end -->

The digest is of what lies between, so that the file itself says whether somebody changed it there.
Laws: what is outside of the block is never touched; of what was changed inside, a decision's words
are read back, so is a decision that was added as we write one, and a box that was ticked, unticked
or added under one of our headings; a decision that another machine wrote is carried along, and
every other line that we did not write is moved below the block: none is lost. Paths are told from
${PROJECT_ROOT}.
"""

from __future__ import annotations

from holdfast.rooms.decisions import decision_wording
from holdfast.rooms.decisions.decision import BLOCKER, NEXT_STEP, QUESTION, STANDINGS, standing
from holdfast.system.paths import digest
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from holdfast.rooms.decisions.decision import Decision, Standing
    from holdfast.rooms.decisions.queries import OpenItem
    from holdfast.rooms.tracker.queries import Identifier

BEGIN, END = b"<!-- holdfast:begin", b"<!-- holdfast:end -->"
CLOSE = b"-->"
MOVED = b"## Moved out of the block above"
TITLE = b"# Notes\n\n"
ROOT = "${PROJECT_ROOT}"
DECISIONS = 50
OLDER = 100  # decisions that are not shown are counted so far, and not all of them at every turn
TITLE_CAP = 60
CONFLICT = "CONFLICT:"
DECISION, RATIONALE, STANDING = "**Decision**:", "**Rationale**:", "**Standing**:"
STOOD = [f"{STANDING} {decision_wording.standing_words(name)}".encode() for name in STANDINGS]
SECTION, TAG = "#### ", "<!-- decision "
HEAD = (
    "## Session Continuity",
    "<!-- Rendered by Holdfast; after /clear load this first: `holdfast context recover 1`.",
    "     Change a decision's words here and it is superseded; write anything else outside. -->",
)


class Parts:
    """A file around our block."""

    def __init__(self, before: bytes, mark: str, inner: bytes, after: bytes) -> None:
        self.before = before
        self.mark = mark  # the digest that the block was written with
        self.inner = inner
        self.after = after
        self.newline = b"\r\n" if b"\r\n" in inner else b"\n"

    def is_edited(self) -> bool:
        """Whether somebody changed what lies between the markers."""
        return digest(_plain(self.inner)) != self.mark

    def lines(self) -> list[bytes]:
        return self.inner.split(b"\n")


def split(content: bytes, last: Callable[[str], bytes | None] = lambda _: None) -> Parts | None:
    """The file's parts, None without a block. `last` finds what was rendered under a digest: by
    that a block that lost its end is told from what follows it."""
    start = content.find(BEGIN)
    close = content.find(CLOSE, start) if start >= 0 else -1
    if close < 0 or b"\n" in content[start:close]:
        return None
    words = content[start + len(BEGIN) : close].split()
    mark = next((word.decode() for word in words if _is_digest(word)), "")
    strange = b" ".join(word for word in words if word.decode("ascii", "replace") != mark)
    begin = close + len(CLOSE)
    end = content.find(END, begin)
    if end >= 0:
        return Parts(content[:start], mark, strange + content[begin:end], content[end + len(END) :])
    ours = _as_far_as(content[begin:], last(mark) or b"")
    inner = strange + content[begin : begin + ours]
    return Parts(content[:start], mark, inner, content[begin + ours :])


def _is_digest(word: bytes) -> bool:
    return len(word) == 32 and all(letter in b"0123456789abcdef" for letter in word)


def _as_far_as(content: bytes, ours: bytes) -> int:
    """How many bytes of a text are lines of ours, from its beginning on."""
    same = 0
    for line, other in zip(content.split(b"\n"), ours.split(b"\n"), strict=False):
        if line.rstrip(b"\r") != other:
            break
        same += len(line) + 1
    return min(same, len(content))


def assembled(
    parts: Parts | None, content: bytes, inner: str, moved: Iterable[bytes] = ()
) -> bytes:
    """The file with a new block, and below it what was moved out."""
    lines = list(moved)
    newline = parts.newline if parts else b"\r\n" if b"\r\n" in content else b"\n"
    text = f"\n{inner}\n".encode("utf-8", "backslashreplace")
    block = BEGIN + f" {digest(text)} ".encode() + CLOSE + text.replace(b"\n", newline) + END
    if parts is None:
        gap = b"" if not content else newline if content.endswith(b"\n") else newline * 2
        before, after = (content or TITLE) + gap, newline
    else:
        before, after = parts.before, parts.after
    if lines:
        heading = newline * 2 + MOVED + newline * 2
        rest = after.removeprefix(heading)
        ending = b"" if rest.startswith((b"\n", b"\r\n")) else newline
        after = heading + newline.join(lines) + ending + rest
    return before + block + after


# What people changed


def sections(text: str) -> dict[str, list[str]]:
    """The decisions in a block: what is tagged with them -> their lines, the heading first."""
    by_tag: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith("#"):
            tag = line.partition(TAG)[2].partition(" -->")[0].strip()
            lines = by_tag.setdefault(tag, []) if line.startswith(SECTION) and tag else None
        if lines is not None:
            lines.append(line)
    return by_tag


def added(text: str) -> list[list[str]]:
    """Decisions that somebody wrote into the log by hand: a heading as ours without a tag, and the
    line that says what was decided."""
    parts: list[list[str]] = []
    lines: list[str] | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith("#"):
            lines = [] if line.startswith(SECTION) and TAG not in line else None
            if lines is not None:
                parts.append(lines)
        if lines is not None:
            lines.append(line)
    return [lines for lines in parts if words_of(lines)[0]]


def title_of(heading: str) -> str:
    """What a heading says besides the time, which we write before it."""
    title = flat(heading.removeprefix(SECTION))
    time, dash, rest = title.partition(" - ")
    return rest if dash and time[:4].isdecimal() and " " not in time else title


def words_of(lines: list[str]) -> tuple[str, str]:
    """What a section says was decided, and why: each up to the next field."""
    words = {DECISION: "", RATIONALE: ""}
    for field, line in _fields(lines):
        words[field] += f" {line.removeprefix(field)}"
    return flat(words[DECISION]), flat(words[RATIONALE])


def of_words(lines: list[str]) -> list[str]:
    """The lines of a section that hold its decision and its reason."""
    return [line for _, line in _fields(lines)]


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Those lines with the field that each belongs to. A field is over with the next one, with a
    heading or with an empty line."""
    field = ""
    for line in lines[1:]:
        if not line.strip() or line.startswith(("**", "#")):
            field = next((name for name in (DECISION, RATIONALE) if line.startswith(name)), "")
        if field:
            yield field, line


def theirs(parts: Parts, ours: Iterable[str]) -> list[bytes]:
    """Lines inside the block that we did not write, in their order: `ours` are all lines that may
    be ours, as often as they are. How a decision stood is ours, whatever it says."""
    known: dict[bytes, int] = {}
    for own in ours:
        stripped = own.encode("utf-8", "backslashreplace").rstrip()
        known[stripped] = known.get(stripped, 0) + 1
    foreign = []
    for line in parts.lines():
        stripped = line.rstrip()
        if known.get(stripped):
            known[stripped] -= 1
        elif stripped and not stripped.startswith(BEGIN) and stripped not in STOOD:
            foreign.append(line.rstrip(b"\r"))
    return foreign


def conflict(tag: str, text: str, because: str, why: str) -> bytes:
    """How an edit that cannot be taken in is shown: the person settles it and removes the line."""
    words = f'"{text}"' + (f' (because "{because}")' if because else "")
    message = f"{CONFLICT} decision {tag.partition(' ')[0]} was changed here to {words}, {why}"
    return message.encode("utf-8", "backslashreplace")


def conflicts(content: bytes) -> list[str]:
    """The conflicts that a file shows."""
    lines = content.decode("utf-8", "replace").splitlines()
    return [line for line in lines if line.startswith(CONFLICT)]


class Box(Value):
    """A line with a box under one of our headings."""

    sort: str
    line: str
    is_ticked: bool
    text: str


def boxes(text: str) -> list[Box]:
    """The boxes of a block, each under the heading that says what it is."""
    sorts = {heading: sort for sort, heading in HEADINGS.items()}
    sort = ""
    read_: list[Box] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith("#"):
            sort = sorts.get(line.rstrip(), "")
        words = flat(line[len(OPEN) :])
        if sort and words and line.startswith((OPEN, *TICKED)):
            read_.append(Box(sort, line, is_ticked=line.startswith(TICKED), text=words))
    return read_


# What we write


def flat(text: str) -> str:
    """A text as it stands in one line of ours: it opens no comment and closes none."""
    kept = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(kept.replace("<!--", "<! --").replace("-->", "-- >").split())


def place(path: str, line: int = 0, last: int = 0) -> str:
    """A path as notes tell it; a line of 0 is no line."""
    where = f"{ROOT}/{flat(path)}"
    return where + (f":{line}" if line else "") + (f"-{last}" if last > line else "")


def tag_of(id_: str, machine: str) -> str:
    """Which decision a section is, and on which machine it was made."""
    return f"{id_} {machine[:6]}"


def section(decision: Decision, tag: str, standings: dict[str, Standing]) -> list[str]:
    """A decision as the decision log writes it."""
    title = flat(decision.text)
    short = title if len(title) <= TITLE_CAP else f"{title[:TITLE_CAP].rstrip()}…"
    lines = [f"{SECTION}{decision.at[:19]}Z - {short} {TAG}{tag} -->", f"{DECISION} {title}"]
    if decision.because:
        lines.append(f"{RATIONALE} {flat(decision.because)}")
    name = standing(decision.evidence, standings)
    lines.append(f"{STANDING} {decision_wording.standing_words(name)}")
    if decision.evidence:
        lines.append("**Evidence**:")
    for cited in decision.evidence:
        quote = flat(cited.quote).replace("`", "'")
        where = place(cited.path, cited.line, cited.last)
        lines.append(f"- `{quote}` [{where}]{_how(standings.get(cited.id))}")
    if decision.scenarios:
        lines.append("**Test Scenarios**:")
    for number, each in enumerate(decision.scenarios, 1):
        lines.append(f"{number}. {each.kind}: {flat(each.name)}: {flat(each.expected)}")
    return [*lines, ""]


def _how(now: Standing | None) -> str:
    """How a quote stands, where it is not as it was."""
    if now is None or now.name == "grounded":
        return ""
    return (
        f" (now {place(now.path, now.line, now.last)})" if now.name == "moved" else f" ({now.name})"
    )


OPEN, TICKED = "- [ ] ", ("- [x] ", "- [X] ")

# Where open items stand; questions have their place even when there are none.
HEADINGS = {
    NEXT_STEP: "### Active Sub-Goals",
    BLOCKER: "### Blockers",
    QUESTION: "### Pending Questions",
}


def block(
    active: dict[str, str],
    identifiers: list[Identifier],
    log: list[list[str]],
    items: list[OpenItem],
    older: int = 0,
    ticked: list[OpenItem] | None = None,
) -> str:
    """All that lies between the markers."""
    lines = [*HEAD, "", "### Active Context"]
    lines += [f"- **{name}**: {flat(value)}" for name, value in active.items() if value]
    lines += ["", "### Places in the Code"]
    if identifiers:
        lines += ["| Identifier | Purpose | Last Verified |", "|---|---|---|"]
    for identifier in identifiers:
        where = place(identifier["path"], identifier["line"], identifier["last"]).replace(
            "|", "\\|"
        )
        purpose = flat(identifier["purpose"]).replace("|", "\\|")
        stood = f" ({identifier['standing']})" if identifier["standing"] not in ("", "here") else ""
        lines.append(
            f"| {where} | {purpose} | {identifier['verified_at'][:19] or 'never'}{stood} |"
        )
    lines += ["", "### Decision Log", ""]
    lines += [line for each in log for line in each]
    if older:
        many = f"{older} older" if older <= OLDER else f"more than {OLDER} older"
        lines += [f"{many}: `holdfast decisions`", ""]
    for sort, heading in HEADINGS.items():
        shown = [f"{OPEN}{flat(item['text'])}" for item in items if item["sort"] == sort]
        done = [item for item in ticked or () if item["sort"] == sort]
        shown += [f"{TICKED[0]}{flat(item['text'])}" for item in done]
        if shown or sort == QUESTION:
            lines += [heading, *shown, ""]
    return "\n".join(lines[:-1])


def _plain(inner: bytes) -> bytes:
    return inner.replace(b"\r\n", b"\n")
