"""The brief file: a session's current brief, in one small file that is read in no time.

For status lines and `consciousness brief`, which may not open a database. It lies in the runtime
folder, is replaced as one act, and only by what is newer: a slow hook never undoes a quick one.
It carries a digest: what was damaged is told to nobody, and the next event writes it anew.

Its lines: the number of the entry it was written after, the brief, then one fact each, a name and
a value: what else a status line tells.
"""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.system import environment, files, paths, seal

COLD = "[C:? r=? IC=?]"
OPENING, CLOSING = "[C:", "]"
OFF_TASK = " off task?"  # behind a brief whose class has fallen, for the person
SIZE_CAP = 4096
# The facts beside the brief. `branch` is the one that `pull` belongs to, and `gitdir` tells which
# is checked out by now.
TASK, BRANCH, GITDIR, PULL, GATES, RULES = "task", "branch", "gitdir", "pull", "gates", "rules"
SHOWN = "shown"  # there where the brief is part of the status line: identity.status_line
FACT_CAP_BYTES = 900

Facts = dict[str, str]


def write(session: str, seq: int, brief: str, facts: Facts | None = None) -> None:
    """Replace a session's brief file, unless a newer one is there."""
    from holdfast.system.processes import Lock

    folder = files.own_folder(paths.runtime_folder())
    lines = [f"{seq}", brief]
    for name, value in (facts or {}).items():
        # A fact that does not fit is left out: half a path is another one.
        if value and "\n" not in value and len(value.encode()) <= FACT_CAP_BYTES:
            lines.append(f"{name} {value}")
    with Lock(f"{folder}/brief.lock"):
        path = paths.brief(folder, session)
        if _seq(_content(path)) < seq:
            # Without a sync: what is gone after a reboot need not survive a power loss.
            files.write_whole(path, seal.sealed("\n".join(lines).encode()), sync=False)


def read(session: str) -> tuple[str, Facts]:
    """The brief, marked where the work seems off its task, or the cold one; and the facts."""
    content = _content(paths.brief(paths.runtime_folder(), session))
    _, brief, *facts = content.split("\n") if content else ("", "")
    return _marked(brief) or COLD, dict(line.split(" ", 1) for line in facts if " " in line)


def _content(path: str) -> str:
    """What was written, "" where there is nothing, or where it is damaged: that is counted once,
    for the file goes."""
    content = files.read_bytes(path, SIZE_CAP)
    if content is None:
        return ""
    text = seal.opened(content)
    if text is None:
        from holdfast.ledger import faults

        faults.note(paths.state_home(), "brief damaged", "brief_file.py", "the next event has it")
        _unlink(path)
    return (text or b"").decode("utf-8", "replace")


def session_here() -> str:
    """Whose brief is asked for: the session that this process runs in; from a terminal the one at
    work in the worktree it stands in."""
    own = surroundings.session_id()
    if own:
        from holdfast.hook.event import session_id

        return session_id(own)
    import os

    from holdfast.rooms.sessions import registry_file, work_tree
    from holdfast.system.jsontext import plain

    try:
        root = work_tree.look(os.getcwd()).root
    except OSError:  # the folder is gone
        return ""
    return registry_file.at_work_in(paths.state_home(), plain(root))


# The verbs of a cache


def format_brief(session: str) -> str:
    """The brief alone."""
    text = read(session)[0]
    end = text.find(CLOSING) + 1
    return text[:end] if text.startswith(OPENING) and end else COLD


def get(session: str) -> tuple[float, float, str, str] | None:
    """IC, r, the state and whose they are; None while nothing is known."""
    words = format_brief(session).strip("[]").split()
    try:
        state, r, ic = (word.partition(mark)[2] for word, mark in zip(words, ":==", strict=True))
        return float(ic), float(r), state, session
    except ValueError:
        return None


def is_warm(session: str) -> bool:
    return get(session) is not None


def update(session: str, seq: int, brief: str = "", facts: Facts | None = None) -> None:
    """What is new of brief and facts; a file that says so already is left alone."""
    old_brief, old_facts = read(session)
    both = {**old_facts, **(facts or {})}
    new_facts = {name: value for name, value in both.items() if value}
    if (brief or old_brief) != old_brief or new_facts != old_facts:
        write(session, seq, brief or old_brief, new_facts)


def _marked(text: str) -> str:
    end = text.find(CLOSING) + 1 if text.startswith(OPENING) else 0
    return text[: end + len(OFF_TASK)] if text.startswith(OFF_TASK, end) else text[:end]


def clear(session: str) -> None:
    remove(session)


def remove(session: str) -> None:
    folder = paths.runtime_folder()
    for path in (paths.brief(folder, session), paths.figures(folder, session)):
        _unlink(path)


def _unlink(path: str) -> None:
    try:
        environment.system.unlink(path)
    except FileNotFoundError:
        pass


def _seq(content: str) -> int:
    first = content.partition("\n")[0]
    return int(first) if first.isdecimal() else -1


# What an agent's status line was told of its context: hooks are not told.


def note_figures(session: str, tokens: int, window: int) -> None:
    folder = files.own_folder(paths.runtime_folder())
    path = paths.figures(folder, session)
    content = seal.sealed(f"{tokens} {window}".encode())
    if files.read_bytes(path, 64) != content:
        files.write_whole(path, content, sync=False)


def figures(session: str) -> tuple[int, int] | None:
    """Tokens in the context and its window, None when no status line has told."""
    content = files.read_bytes(paths.figures(paths.runtime_folder(), session), 64) or b""
    words = (seal.opened(content) or b"").decode().split()
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return None
    return int(words[0]), int(words[1])
