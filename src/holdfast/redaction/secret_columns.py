"""Secrets in a column whose head tells of one: CSV and its like, tables of Markdown, INSERT.

Laws: of a table at most `ROWS` rows of bounded length are read, and what was read as a table is
not read as the head of another.
"""

from __future__ import annotations

from holdfast.redaction.named_values import Place, is_secret, kind_of
from holdfast.redaction.plausibility import is_told

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]  # from, to, kind

LINE, ROWS, CELL = 400, 50, 40
EDGES = " \t\"'`*|"
INSERT, INSERT_CAP = "insert", 300


def below(text: str, lower: str, start: int, end: int) -> tuple[list[Span], int]:
    """The secrets in the column that the name here heads, and how far the table was read."""
    head_from = text.rfind("\n", max(0, start - LINE), start) + 1
    if not head_from and start > LINE:
        return [], 0
    sign = text[end : end + 1]
    if sign in (",", ")", " ") and INSERT in lower[max(0, start - INSERT_CAP) : start]:
        return _inserted(text, lower, start), 0
    head_to = text.find("\n", end, end + LINE)
    if head_to < 0:
        return [], 0
    head = text[head_from:head_to].rstrip("\r")
    delimiter = _delimiter(head)
    if not delimiter or not _is_head(head, delimiter):
        return [], 0
    column = text[head_from:start].count(delimiter)
    return _read(text, head_to + 1, delimiter, head, column)


def _delimiter(head: str) -> str:
    for sign in "\t|;,":
        if sign in head:
            return sign
    return ""


def _is_head(head: str, delimiter: str) -> bool:
    """Whether each cell is a name, and not a piece of code or of a sentence."""
    cells = head.split(delimiter)
    if delimiter == "|":
        cells = cells[1:-1]
    elif any(cell[:1] == " " for cell in cells[1:]):
        return False
    names = [cell.strip(EDGES).replace("_", "").replace(" ", "").replace("-", "") for cell in cells]
    return bool(names) and all(
        name.isalnum() and not name.isdigit() and len(name) < CELL for name in names
    )


def _read(text: str, at: int, delimiter: str, head: str, column: int) -> tuple[list[Span], int]:
    spans: list[Span] = []
    columns = head.count(delimiter)
    grade = kind_of(head.split(delimiter)[column].strip(EDGES).replace(" ", "_"))
    for _ in range(ROWS):
        to = text.find("\n", at, at + LINE)
        to = to if to >= 0 else min(len(text), at + LINE)
        row = text[at:to]
        if row.count(delimiter) != columns or not grade or grade == "mere key":
            break
        cells = row.split(delimiter)
        value = cells[column].strip(EDGES + "\r")
        if value and _is_one(value, grade):
            begin = at + sum(len(cell) + 1 for cell in cells[:column]) + cells[column].index(value)
            spans.append((begin, begin + len(value), grade))
        at = to + 1
    return spans, at


def _is_one(value: str, grade: str) -> bool:
    place = Place("", grade, ",", is_quoted=True, is_line=False, is_setting=False)
    return is_secret(value, place) and (grade != "password" or is_told(value) or "/" not in value)


def _inserted(text: str, lower: str, start: int) -> list[Span]:
    """The values of a statement that names its columns first: (a, password) VALUES ('x', '...')."""
    opened = text.rfind("(", max(0, start - INSERT_CAP), start)
    closed = text.find(")", start, start + LINE)
    values = lower.find("values", closed, closed + 20) if closed >= 0 else -1
    if opened < 0 or values < 0:
        return []
    column = text.count(",", opened, start)
    grade = kind_of(text[opened + 1 : closed].split(",")[column].strip(EDGES))
    spans: list[Span] = []
    at = values + 6
    for _ in range(ROWS):
        at += len(text[at : at + 9]) - len(text[at : at + 9].lstrip(" \t\r\n,"))
        if text[at : at + 1] != "(" or not grade:
            break
        cells, at = _tuple(text, at + 1)
        if column < len(cells):
            begin, end = cells[column]
            if text[begin : begin + 1] in ("'", '"') and _is_one(text[begin + 1 : end - 1], grade):
                spans.append((begin + 1, end - 1, grade))
    return spans


def _tuple(text: str, at: int) -> tuple[list[tuple[int, int]], int]:
    """Where the members of a tuple lie, and where it ends."""
    cells = []
    until = min(len(text), at + 2 * LINE)
    begin, quote = at, ""
    while at < until:
        sign = text[at]
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in ",)":
            bare = text[begin:at]
            cells.append((begin + len(bare) - len(bare.lstrip()), begin + len(bare.rstrip())))
            begin = at + 1
            if sign == ")":
                break
        at += 1
    return cells, at + 1
