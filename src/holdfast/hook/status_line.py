"""The agent's status line: where the work stands, in one line that fits the terminal.

Laws: no database is opened; the user's own status line is shown first, as it is, whatever becomes
of ours, and is waited for only so long; what the agent tells of its context, which hooks are not
told, is written down for them; what came from a file or a person moves no cursor.
"""

from __future__ import annotations

from holdfast.agents import status_lines, surroundings
from holdfast.hook import brief_file
from holdfast.hook.event import session_id
from holdfast.rooms.sessions.git_branch import branch_of
from holdfast.rooms.work import budget
from holdfast.system import environment, files, jsontext

COLUMNS = 80  # where the agent does not say
TASK_LEAST, BRANCH_MOST = 20, 32
WAIT_S = 3.0
BETWEEN = " · "


def show(state: str, install: str = "", *, is_off: bool = False) -> str:
    """Ours, after the user's own was printed."""
    raw = files.read_stdin()[0]
    own = "" if environment.env(environment.INSIDE) else status_lines.users_own(state, install)
    if not own:
        return "" if is_off else _line(state, raw)
    from holdfast.system.processes import Filter

    # It works while we do.
    running = Filter(["/bin/sh", "-c", own], raw)
    try:
        return "" if is_off else _line(state, raw)
    finally:
        theirs = running.output(WAIT_S).rstrip(b"\n")
        if theirs:
            files.write_all(1, theirs + b"\n")


def _line(state: str, raw: bytes) -> str:
    try:
        text = raw.decode("utf-8", "surrogateescape").strip()
        payload = jsontext.loads(text) if text else None
    except ValueError as error:
        from holdfast.ledger import faults

        faults.count(state, "input unreadable", error)
        payload = None
    if not isinstance(payload, dict):
        payload = {}
    session = session_id(status_lines.session_of(payload) or surroundings.session_id())
    figures = budget.figures_of(payload)
    if figures and session:
        brief_file.note_figures(session, *figures)
    columns = environment.env("COLUMNS")
    width = int(columns) if columns.isdecimal() and 0 < int(columns) < 10_000 else COLUMNS
    width -= status_lines.MARGINS
    brief, facts = brief_file.read(session)
    line = composed(brief, facts, status_lines.pull_request_of(payload), figures, width)
    return f"{line}\n" if line else ""


def composed(
    brief: str,
    facts: brief_file.Facts,
    pull: str,
    figures: tuple[int, int] | None,
    width: int,
) -> str:
    """Task, branch and pull request, context, open gates, rules, by setting the brief. What does
    not fit goes from the end, and the task is cut."""
    gitdir = facts.get(brief_file.GITDIR, "")
    branch = _printable(branch_of(gitdir) if gitdir else "")
    if not pull and branch == facts.get(brief_file.BRANCH):
        pull = facts.get(brief_file.PULL, "")
    where = " ".join([cut(branch, BRANCH_MOST)] * bool(branch) + [f"#{pull}"] * bool(pull))
    is_off_task = brief.endswith(brief_file.OFF_TASK)
    is_shown = brief != brief_file.COLD and bool(facts.get(brief_file.SHOWN))
    brief = brief.removesuffix(brief_file.OFF_TASK) if is_shown else ""
    parts = [
        where,
        _context(figures),
        _counted(facts.get(brief_file.GATES, ""), "gate open", "gates open"),
        brief_file.OFF_TASK.strip() * is_off_task,
        _counted(facts.get(brief_file.RULES, ""), "rule", "rules"),
        brief,
    ]
    parts = [part for part in parts if part]
    task = _printable(facts.get(brief_file.TASK, ""))
    least = min(columns_of(task), TASK_LEAST)
    while parts and columns_of(BETWEEN.join(["x" * least] * bool(task) + parts)) > width:
        parts.pop()
    left = width - columns_of(BETWEEN.join(["", *parts]))
    return cut(BETWEEN.join([cut(task, left)] * bool(task) + parts), width)


def _context(figures: tuple[int, int] | None) -> str:
    if not figures or not figures[0]:
        return ""
    tokens, window = figures
    return f"context {tokens * 100 // window}% {budget.phase(tokens, window)}"


def _counted(number: str, single: str, many: str) -> str:
    if not number.isdecimal() or number == "0":
        return ""
    return f"{number} {single if number == '1' else many}"


def _printable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())


def cut(text: str, width: int) -> str:
    """As much of a text as fits into so many columns."""
    if columns_of(text) <= width:
        return text
    while text and columns_of(text) > width - 1:
        text = text[:-1]
    return f"{text.rstrip()}…" if width > 0 else ""


def columns_of(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text
    )
