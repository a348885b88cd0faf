"""A project's instruction files: which rules stand in them, and how one is written there.

An agent reads these files by itself, so what stands there is not told again. Laws: a rule stands in
a file only as a unit: from the start of a line or sentence to its end, so that a part of another
sentence, which may mean the opposite, does not count; white space, case and bullets make no
difference; what is written changes nothing around it, and is written once.
"""

from __future__ import annotations

from holdfast.errors import HoldfastError

READ_BYTES = 1 << 16
BLOCK_BEGIN, BLOCK_END = b"<!-- holdfast: begin -->", b"<!-- holdfast: end -->"
HEADING = "## Rules"
BULLETS = ("- ", "* ", "+ ")
ENDS = ".!?;"
EMPHASIS = "*_"
NEAR = 8
PLACES = 500  # of a rule in a file that are looked at


def stands_in(text: str, files: list[str]) -> bool:
    """Whether a rule stands in one of the files, given as `units` makes them."""
    rule = units(text).strip("\n").strip(f"{ENDS} ")
    return bool(rule) and any(_is_unit(rule, file) for file in files)


def units(text: str) -> str:
    """A text in lower case, a line for each paragraph, bullet or heading."""
    lines: list[str] = []
    is_open = False  # the line before goes on
    for raw in text.replace("\u2019", "'").lower().splitlines():
        line = " ".join(raw.split())
        bare = _without_mark(line)
        if is_open and bare == line and line:
            lines[-1] = f"{lines[-1]} {line}"
        elif line:
            lines.append(bare)
        is_open = bool(line) and not line.startswith("#")
    return "\n" + "\n".join(lines) + "\n"


def written(content: bytes, text: str) -> bytes:
    """An instruction file with a rule: a bullet under the heading, which comes last if it is
    missing."""
    end = b"\r\n" if b"\r\n" in content else b"\n"
    bullet = end.join(_bullet(text)) + end
    lines = content.splitlines(keepends=True)
    heading = _heading_at(lines)
    place = len(lines) if heading < 0 else _end_of_section(lines, heading)
    before, after = b"".join(lines[:place]), b"".join(lines[place:])
    if before and not before.endswith((b"\n", b"\r")):
        before += end
    if heading < 0:
        gap = end if before and not before.endswith(end * 2) else b""
        return before + gap + HEADING.encode() + end * 2 + bullet
    gap = end if place == heading + 1 else b""
    return before + gap + bullet + after


# A block of ours: what a session would be told, for agents without hooks (hook/agents_file.py)


def with_block(content: bytes, text: str) -> tuple[bytes, str]:
    """A file with our block: in the place of the one that is there, else at its end; and what was
    put between their text and it. HoldfastError when the block there has lost an end."""
    end = b"\r\n" if b"\r\n" in content else b"\n"
    lines = [BLOCK_BEGIN, *text.encode("utf-8", "backslashreplace").split(b"\n"), BLOCK_END]
    block = end.join(lines)
    place = _block_in(content)
    if place is not None:
        return content[: place[0]] + block + content[place[1] :], ""
    gap = b"" if not content else end if content.endswith(end) else end * 2
    return content + gap + block + end, gap.decode()


def without_block(content: bytes, gap: bytes = b"") -> bytes:
    """The file without our block, and without what was put around it."""
    place = _block_in(content)
    if place is None:
        return content
    before, after = content[: place[0]], content[place[1] :]
    if gap and before.endswith(gap):
        before = before[: -len(gap)]
    for end in (b"\r\n", b"\n"):
        if after.startswith(end):
            return before + after[len(end) :]
    return before + after


def _block_in(content: bytes) -> tuple[int, int] | None:
    """Where our block begins and ends, each mark on a line of its own."""
    begin, end = _mark_at(content, BLOCK_BEGIN), _mark_at(content, BLOCK_END)
    if begin is None and end is None:
        return None
    if begin is None or end is None or end < begin:
        raise HoldfastError(
            "one of the two marks around Holdfast's block is gone",
            hint=f"take out what is left of it: {BLOCK_BEGIN.decode()}, {BLOCK_END.decode()}",
        )
    return begin, end + len(BLOCK_END)


def _mark_at(content: bytes, mark: bytes) -> int | None:
    at = content.find(mark)
    while at >= 0:
        after = content[at + len(mark) : at + len(mark) + 1]
        if (at == 0 or content[at - 1 : at] == b"\n") and after in (b"", b"\r", b"\n"):
            return at
        at = content.find(mark, at + 1)
    return None


def _is_unit(rule: str, file: str) -> bool:
    start = -1
    for _ in range(PLACES):
        start = file.find(rule, start + 1)
        if start < 0:
            break
        stop = start + len(rule)
        before = file[max(0, start - NEAR) : start].rstrip(f" {EMPHASIS}")[-1:]
        after = file[stop : stop + NEAR].lstrip(f" {EMPHASIS}")[:1]
        if before in f"\n{ENDS}" and after in f"\n{ENDS}":
            return True
    return False


def _without_mark(line: str) -> str:
    """A line without its bullet, number or heading marks."""
    bare = line.lstrip("#").lstrip() if line.startswith("#") else line
    if bare.startswith(BULLETS):
        return bare[2:].lstrip()
    number, mark, rest = bare.partition(" ")
    if mark and number[:-1].isdecimal() and number[-1] in ".)":
        return rest
    return bare


def _bullet(text: str) -> list[bytes]:
    first, *rest = text.splitlines() or [""]
    lines = [f"- {first.strip()}", *(f"  {line.rstrip()}".rstrip() for line in rest)]
    return [line.encode("utf-8", "surrogateescape") for line in lines]


def _heading_at(lines: list[bytes]) -> int:
    fenced = False
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith((b"```", b"~~~")):
            fenced = not fenced
        elif not fenced and bare.lower() == HEADING.lower().encode():
            return number
    return -1


def _end_of_section(lines: list[bytes], heading: int) -> int:
    """After the last line of the section that a heading opens."""
    last, fenced = heading, False
    for number in range(heading + 1, len(lines)):
        bare = lines[number].strip()
        if bare.startswith((b"```", b"~~~")):
            fenced = not fenced
        if not fenced and bare.startswith((b"# ", b"## ", BLOCK_BEGIN)):
            break
        if bare:
            last = number
    return last + 1
