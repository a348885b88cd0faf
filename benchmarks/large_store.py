"""A store with a past: as many sessions of one project as asked for, a hundred entries each.

The first sessions, and every one with a rule that holds for good, go in by `Workspace.keep`, the
way a hook's own do: through the gate, with their checksums, into the derived tables. The others are
copies of these: the same deeds in another session, at another time, under other numbers.

Laws: a copy's entries carry salts, digests and checksums of their own; its derived rows are what
the projections would derive from its entries (tests/scenarios/test_large_store.py replays them);
sessions follow each other in the ledger. Only the file is not synchronised while it is being built.
"""

from __future__ import annotations

import os
import random
import sys
import time
import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple

from holdfast.ledger import queries as ledger
from holdfast.ledger.entry import checksum
from holdfast.ledger.replay import derived_tables
from holdfast.ledger.workspace import Workspace
from holdfast.rooms.identity import queries as identity
from holdfast.rooms.identity.snapshot import Snapshot
from holdfast.rooms.sessions import queries
from holdfast.rooms.sessions.work_tree import common_of
from holdfast.rooms.trajectory import day_files
from holdfast.store.sqlite import Store
from holdfast.system import clock, paths

TURNS, TOOLS = 8, 10
# Began, linked, notified, ended; a goal, a rule, a task; a turn is a prompt and its end.
ENTRIES = 7 + TURNS * (TOOLS + 2)
PATTERNS = 60  # sessions that others are copies of
LASTING = 500  # one session in so many has a rule that holds for good
BATCH = 250  # sessions in one transaction
APART_S = 600.0  # so that a thousand of them lie within the week that is looked back on
CACHE_KB = 1 << 20

WORDS = (
    "the retry loop of the importer drops a row when its parser meets an empty field so keep"
    " that case apart and write a test before you change the queue or its timeout again"
).split()
COMMANDS = (
    "python -m pytest -q tests/{0}",
    "git status --short",
    "git diff src/{0}.py",
    "rg -n {0} src",
    "ruff check src",
)

Draft = tuple[str, str, dict[str, Any]]  # kind, natural key, body
Rows = list[tuple[Any, ...]]


class Life(NamedTuple):
    """Which session it is, when it begins, and which one came before."""

    session: str
    at: float
    previous: str


def build(state: str, first: str, sessions: int) -> None:
    """Add that many sessions to a store; `first` is one that began through the door."""
    workspace = Workspace(state)
    workspace.is_of_the_past = True
    store = workspace.store
    model = queries.find(store, first)
    if model is None:
        raise LookupError(f"session {first} was not kept")
    store.run("pragma synchronous = off")
    store.run(f"pragma cache_size = -{CACHE_KB}")
    chance = random.Random(sessions)
    begun = time.monotonic()
    patterns: list[Pattern] = []
    lives = _lives(chance, first, sessions)
    for start in range(0, sessions, BATCH):
        with store.transaction():
            copies = Copies(store, model.project)
            for place in range(start, min(start + BATCH, sessions)):
                life, lasting = next(lives), place % LASTING == LASTING - 1
                if place >= PATTERNS and not lasting:
                    copies.add(patterns[place % PATTERNS], life)
                    continue
                copies.write()
                thread = _live(workspace, model, life, chance, lasting=lasting)
                if place < PATTERNS:
                    patterns.append(Pattern(store, life, thread))
            copies.write()
            identity.point_to_newest(store, model.project)
        _tell(f"{min(start + BATCH, sessions)} of {sessions} sessions", begun, start, 10 * BATCH)
    _render_trajectory(workspace, model)
    _tell("the trajectory", begun)
    store.run("pragma synchronous = full")
    store.close()


def _lives(chance: random.Random, first: str, sessions: int) -> Iterator[Life]:
    first_at = time.time() - (sessions + 6) * APART_S  # the last one ends before now
    previous = first
    for place in range(sessions):
        session = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        yield Life(session, first_at + place * APART_S, previous)
        previous = session


def _tell(done: str, begun: float, place: int = 0, every: int = 1) -> None:
    if place % every == 0:
        print(f"  {done}, {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)


def _render_trajectory(workspace: Workspace, model: queries.Session) -> None:
    """The files that these sessions would have left beside the repository, turn by turn."""
    common = common_of(model.gitdir)
    folder = paths.beside(common, workspace.state, model.project, day_files.FOLDER)
    within = paths.project_folder(common)
    now = clock.now()
    day_files.catch_up(
        lambda: day_files.render(workspace.store, model.project, folder, within=within, now=now)
    )


# A session that is kept


def _live(
    workspace: Workspace,
    model: queries.Session,
    life: Life,
    chance: random.Random,
    *,
    lasting: bool,
) -> str:
    """One session from its beginning to its end; the thread of its task."""
    at, thread = life.at, _id(chance)
    for kind, key, body in _drafts(model, life.previous, thread, chance, lasting=lasting):
        at += chance.uniform(1, 10)
        workspace.keep(
            kind,
            body,
            key=key,
            at=clock.iso(at),
            project=model.project,
            session=life.session,
            agent=model.agent,
        )
    return thread


def _drafts(
    model: queries.Session, previous: str, thread: str, chance: random.Random, *, lasting: bool
) -> Iterator[Draft]:
    # A process of this host that is long gone: nobody can take it for the benchmark's own.
    began = {"source": "startup", "pid": 4_000_000, "process_started": "1"}
    for name in "cwd worktree gitdir branch channel transcript boot host namespace".split():
        began[name] = getattr(model, name)
    yield "session_began", "began:startup", began
    yield "session_linked", "linked", {"previous": previous, "how": "followed"}
    goal = _words(chance, 5, 12)
    task = {"goal": goal, "keywords": goal.split()[:10], "thread": thread, "how": "prompt"}
    yield "goal_set", "goal", task
    rule = {"text": _words(chance, 4, 9), "sort": "forbids", "lasting": lasting, "how": "prompt"}
    yield "rule_given", "rule", {**rule, "thread": thread}
    todo = {"task": "1", "subject": _words(chance, 3, 6), "description": ""}
    yield "task_created", "task_created:1", todo
    for _ in range(TURNS):
        yield "prompt_given", f"prompt:{_id(chance)}", {"prompt": _words(chance, 5, 60)}
        for _ in range(TOOLS):
            yield "tool_used", f"tool:toolu_{_id(chance)}", _tool(chance)
        ended = {"message": _words(chance, 20, 120), "again": False, "background": []}
        yield "turn_ended", f"turn_ended:{_id(chance)}", ended
    yield "notified", f"notified:{_id(chance)}", {"sort": "idle", "message": _words(chance, 5, 9)}
    yield "session_ended", "ended:1", {"reason": "prompt_input_exit"}


def _tool(chance: random.Random) -> dict[str, Any]:
    """Four of ten run a command, three read a file, three change one."""
    draw = chance.random()
    took = chance.randrange(5, 3_000)
    module = f"module_{chance.randrange(400):03d}"
    if draw < 0.4:
        command = chance.choice(COMMANDS).format(module)
        return {
            "tool": "Bash",
            "deed": "run",
            "ok": chance.random() < 0.9,
            "command": command,
            "input": {"command": command, "description": _words(chance, 3, 8)},
            "output": _words(chance, 10, 150),
            "interrupted": False,
            "duration_ms": took,
        }
    path = f"src/{module}.py"
    given = {"file_path": path}
    if draw >= 0.7:
        given |= {"old_string": _words(chance, 5, 40), "new_string": _words(chance, 5, 60)}
    tool, deed = ("Read", "read") if draw < 0.7 else ("Edit", "edit")
    return {
        "tool": tool,
        "deed": deed,
        "ok": True,
        "path": path,
        "input": given,
        "duration_ms": took,
    }


def _words(chance: random.Random, least: int, most: int) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(least, most)))


def _id(chance: random.Random) -> str:
    return f"{chance.getrandbits(96):024x}"


# Its copies


class Pattern:
    """A session that was kept: its entries and every row that was derived from them."""

    def __init__(self, store: Store, life: Life, thread: str) -> None:
        self.life, self.thread = life, thread
        rows = list(
            store.rows(
                "select seq, at, agent, kind, version, key, body from entries join bodies"
                " using (place) where session = ? order by place",
                life.session,
            )
        )
        self.seq = rows[0][0]
        if [row[0] for row in rows] != list(range(self.seq, self.seq + len(rows))):
            raise LookupError("a session's entries do not follow each other")
        self.since = [(row[1], clock.seconds_of(row[1]) - life.at) for row in rows]
        # (agent, kind, version, key, body, whether the body names this session's own)
        own = (life.session, life.previous, thread)
        self.entries = [(*row[2:], any(name in row[6] for name in own)) for row in rows]
        self.derived = {
            table: found for table in derived_tables() if (found := _owned(store, table, life))
        }
        known = {value for found in self.derived.values() for row in found for value in row}
        machine = store.machine()
        self.named = [  # goals and rules, by the number of their entry
            (n, id_) for n in range(len(rows)) if (id_ := _named(machine, self.seq + n)) in known
        ]
        self.snapshot = Snapshot.unpack(self.derived["identities"][0][3])


def _owned(store: Store, table: str, life: Life) -> Rows:
    """The rows of a derived table that belong to a session."""
    names = _columns(store, table)
    owner = "id" if table == "sessions" else "session"
    if table == "identity_latest" or owner not in names:
        return []
    return list(
        store.rows(f"select {', '.join(names)} from {table} where {owner} = ?", life.session)
    )


def _columns(store: Store, table: str) -> list[str]:
    return [row[0] for row in store.rows("select name from pragma_table_info(?)", table)]


def _named(machine: str, seq: int) -> str:
    """As the projections name what an entry tells."""
    return paths.digest(f"{machine}:{seq}".encode())[:12]


def _rank(at: str, seq: int) -> str:
    """As `Entry.rank` has it."""
    return f"{at}:{seq:012d}"


class Copies:
    """Copies of sessions on their way into the store, many rows at a time."""

    def __init__(self, store: Store, project: str) -> None:
        self.store, self.project, self.machine = store, project, store.machine()
        self.entries: Rows = []
        self.bodies: Rows = []
        self.derived: dict[str, Rows] = {}
        self.seq = self.place = 0  # of the next entry

    def add(self, pattern: Pattern, life: Life) -> None:
        """The pattern's deeds, done in another session."""
        if not self.entries:
            self.seq, self.place = ledger.next_seq(self.store), ledger.last_place(self.store) + 1
        thread = paths.digest(life.session.encode())[:24]
        ids = {
            pattern.life.session: life.session,
            pattern.life.previous: life.previous,
            pattern.thread: thread,
        }
        times = {at: clock.iso(life.at + since) for at, since in pattern.since}
        named = {id_: _named(self.machine, self.seq + n) for n, id_ in pattern.named}
        ranks = {
            _rank(at, pattern.seq + n): _rank(times[at], self.seq + n)
            for n, (at, _) in enumerate(pattern.since)
        }
        self._derive(pattern, life, {**ids, **times, **named, **ranks})
        for (agent, kind, version, key, text, is_own), at in zip(
            pattern.entries, times.values(), strict=True
        ):
            body = text
            for old, new in ids.items() if is_own else ():
                body = body.replace(old, new)
            salt = os.urandom(16)
            digest = paths.digest(salt + body.encode())
            header = (
                *(self.machine, self.seq, at, self.project, life.session),
                *(agent, kind, version, key, digest),
            )
            self.entries.append((self.place, *header, checksum(*header)))
            self.bodies.append((self.place, salt, body))
            self.seq += 1
            self.place += 1

    def _derive(self, pattern: Pattern, life: Life, instead: dict[str, str]) -> None:
        for table, rows in pattern.derived.items():
            into = self.derived.setdefault(table, [])
            if table == "identities":
                into.append(self._identity(pattern, life, instead))
                continue
            seq = self._seq_of(table)
            for row in rows:
                new = [instead.get(value, value) for value in row]
                if seq is not None:
                    new[seq] += self.seq - pattern.seq
                into.append(tuple(new))

    def _identity(self, pattern: Pattern, life: Life, instead: dict[str, str]) -> tuple[Any, ...]:
        last = instead[pattern.since[-1][0]]
        snapshot = pattern.snapshot
        snapshot.session_id, snapshot.previous_session_id = life.session, life.previous
        snapshot.timestamp_ms = round(clock.seconds_of(last) * 1000)
        return life.session, self.project, snapshot.timestamp_ms, snapshot.pack()

    _seqs: dict[str, int | None] = {}  # noqa: RUF012 - the schema's, which does not change

    def _seq_of(self, table: str) -> int | None:
        """Which column of a table counts entries."""
        if table not in self._seqs:
            names = _columns(self.store, table)
            self._seqs[table] = names.index("seq") if "seq" in names else None
        return self._seqs[table]

    def write(self) -> None:
        if not self.entries:
            return
        self._insert("entries", ("place", *ledger.FIELDS), self.entries)
        self._insert("bodies", ("place", "salt", "body"), self.bodies)
        for table, rows in self.derived.items():
            self._insert(table, _columns(self.store, table), rows)
        self.entries, self.bodies, self.derived = [], [], {}

    def _insert(self, table: str, names: Any, rows: Rows) -> None:
        marks = ", ".join("?" * len(names))
        # Sorted: neighbours in the file are written together.
        self.store._db.executemany(
            f"insert into {table} ({', '.join(names)}) values ({marks})", sorted(rows, key=_first)
        )


def _first(row: Any) -> Any:
    return row[0]
