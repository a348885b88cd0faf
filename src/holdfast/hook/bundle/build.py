"""Packs the hook's modules into one file, from which the launcher loads them (load.py).

Off the hook's path: when Holdfast is installed or mended, and by itself after an upgrade.
"""

from __future__ import annotations

import ast
import marshal
import os
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType
from typing import Any

from holdfast.agents import known
from holdfast.hook import events
from holdfast.hook.bundle import load
from holdfast.ledger.kinds import KINDS
from holdfast.system import files, paths, seal

ROOT = Path(load.__file__).parents[3]
# What the launcher reads at once: the loader and the table of contents, and their digest.
HEAD_BYTES = 10_240
SIZE_CAP_BYTES = 1 << 25

# Libraries: only where they lie is packed.
LIBRARIES = ("_json", "_blake2", "apsw", "_struct", "fcntl", "select")
# Groups besides the events' own. `door` comes first of all, `event` when there is one to answer,
# `driver` when the store is opened (store/driver.py), `other_payloads` for all but tool calls,
# `processes` where the agent does not say its own number, `first_prompt` once in a session,
# `telling` for texts with words such as token, `shell` for commands that are taken apart,
# `checkpoint` when one is due, `crashed` when a session was left behind, `committed` where a
# project is configured, `tree` where a proof is asked for, `actions` where a requirement names one,
# `commands` when that is a command, `rule_gates` where a rule was made to hold or may be broken.
DOOR, EVENT, BRIEF, DRIVER, PROCESSES = "door", "event", "brief", "driver", "processes"
FIRST_PROMPT, TELLING, SHELL, CHECKPOINT = "first_prompt", "telling", "shell", "checkpoint"
CRASHED, COMMITTED, STATUS_LINE, TREE = "crashed", "committed", "statusline", "tree"
ACTIONS, COMMANDS, RULE_GATES = "actions", "commands", "rule_gates"
ROOTS = {
    DOOR: ("hook.entry_point",),
    EVENT: ("_json", "_blake2", "agents.known", "config.compiled"),
    **known.BUNDLED,
    BRIEF: ("hook.brief_file",),
    STATUS_LINE: ("_json", "hook.status_line"),
    DRIVER: ("apsw",),
    PROCESSES: ("system.processes", "hook.ahead"),
    FIRST_PROMPT: ("rooms.work.places.first_prompt",),
    TELLING: ("redaction.named_secrets",),
    SHELL: ("shell.simple_commands", "shell.one_line", "rooms.gates.evidence.own_tool"),
    COMMITTED: ("config.committed",),
    ACTIONS: ("rooms.gates.actions.reading", "rooms.gates.actions.matching"),
    COMMANDS: (
        *("rooms.gates.actions.command_reading", "shell.child_programs"),
        "shell.project_scripts",
    ),
    RULE_GATES: (
        *("rooms.gates.rule_turns", "rooms.prompts.gate_offers", "rooms.prompts.typed_text"),
        "rooms.prompts.clauses",
    ),
    TREE: ("rooms.gates.evidence.seen_trees", "system.git", "select"),
    CRASHED: (
        *("agents.transcripts", "rooms.prompts.settling", *known.AFTER_A_CRASH),
        *("_struct", "rooms.identity.snapshot", "rooms.work.compaction"),
        "rooms.gates.requirement_files",
    ),
    CHECKPOINT: (
        *("rooms.work.compaction", "rooms.work.summary", "rooms.work.handoff"),
        *("rooms.work.checkpoint", "rooms.gates.tier_one", "rooms.gates.handlers"),
        *("rooms.gates.requirement_files", "rooms.sessions.handlers", "rooms.recovery.handlers"),
        *("rooms.recovery.synthesis", "rooms.decisions.deciding", "rooms.tracker.trackers"),
        *("rooms.trajectory.day_files", "rooms.sessions.registry_file", "fcntl"),
    ),
    "tool_asked": (
        *("hook.judge", "ledger.reader", "rooms.sessions.queries", "rooms.sessions.git_branch"),
        *("rooms.gates.pre_tool", "rooms.gates.protection.protected_places"),
    ),
}
ALWAYS = (
    *("hook.record", "config.settings", "hook.transaction", "ledger.workspace"),
    *("redaction.secrets", "redaction.formats", "rooms.sessions.queries", "ledger.hook_costs"),
)
# What events need besides their handlers and the rooms that project them; what a tool call needs
# besides, by what the tool did.
_SETTLING = (
    *("agents.transcripts", *known.AFTER_A_CRASH, "rooms.prompts.settling"),
    *("rooms.prompts.projection", "rooms.sessions.checked_acts"),
)
_SPEAKING = ("rooms.sessions.hook_chain", "rooms.sessions.checked_acts", "system.ancestors")
_FOLDING = ("rooms.identity.mind", "hook.brief_file", "system.processes")
_THREADING = (
    *("rooms.threads.linking", "rooms.threads.thread_view", "rooms.threads.thread_state"),
    *("rooms.threads.where_it_stopped", "rooms.threads.queries", "rooms.work.last_words"),
    *("rooms.work.open_failures", "rooms.work.branches.queries", "rooms.work.handoff"),
    *("rooms.threads.projection", "rooms.prompts.telling", "rooms.prompts.choices"),
)
_REGISTERING = ("rooms.sessions.registry_file", "fcntl")
_ASKING_GIT = ("system.git", "select")
_SNAPSHOT = ("_struct", "rooms.identity.snapshot")
_OBSERVING = (
    "rooms.gates.confidence",
    "rooms.gates.evidence.proof",
    "rooms.gates.evidence.closing_lines",
    "rooms.sessions.work_tree",
)
_SUMMING_UP = (
    *("rooms.work.summary", "rooms.work.start_view", "rooms.work.handoff", "rooms.work.checkpoint"),
    *("rooms.work.found_work", "rooms.work.open_tasks", "rooms.work.other_tools"),
    *("rooms.work.pins", "rooms.work.topics", "shell.check_tools"),
)
_CLOSING = ("rooms.work.compaction", "rooms.tracker.queries", "rooms.trajectory.day_files")
_ASKING = ("rooms.gates.messages", "rooms.gates.refusals", "rooms.gates.requirement_files")
MORE = {
    "session_began": (
        *("rooms.work.restoration", "rooms.work.relevance", "rooms.work.updates"),
        *(*_SUMMING_UP, *_FOLDING, *_SNAPSHOT, *_REGISTERING, *_ASKING_GIT),
        *("rooms.work.projection", "rooms.recovery.levels", "rooms.tracker.trackers"),
        *("rooms.tracker.queries", "ledger.faults", "hook.briefing", "rooms.gates.projection"),
        "rooms.work.written_rules",
        *("rooms.sessions.hook_chain", "rooms.sessions.checked_acts", "system.ancestors"),
        *("rooms.work.branches.where_it_stands", "rooms.work.branches.queries"),
        *("rooms.work.places.new_files", "rooms.work.places.known_files"),
        *("rooms.work.places.queries", *_THREADING),
        *("rooms.prompts.projection", "rooms.decisions.queries"),
        *known.AT_SESSION_START,
    ),
    "prompt_given": (
        *("rooms.prompts.understanding", "rooms.prompts.understanding"),
        *("rooms.work.topics", "rooms.work.updates", "rooms.work.start_view", "hook.briefing"),
        *("rooms.sessions.hook_chain", "rooms.sessions.checked_acts", "system.ancestors"),
        *("rooms.gates.confidence", "rooms.sessions.git_branch", *_FOLDING, *_SETTLING),
        *_THREADING,
    ),
    "tool_used": ("rooms.work.topics", "rooms.work.found_work", *_FOLDING),
    "command_typed": (*_SPEAKING, "agents.transcripts"),
    "calls_refused": (
        *("rooms.prompts.choices", "rooms.prompts.projection", "hook.briefing"),
        *(*_SPEAKING, "agents.transcripts"),
    ),
    "context_closing": (
        *(*_SUMMING_UP, *_CLOSING, *_SETTLING, "hook.brief_file", "system.processes"),
        *("rooms.recovery.levels", "rooms.decisions.queries", "rooms.work.written_rules"),
        *("rooms.prompts.projection", "hook.briefing", *_REGISTERING),
        *("rooms.gates.confidence", "rooms.gates.edit_change"),
    ),
    "turn_ended": (
        *(*_SUMMING_UP, *_CLOSING, *_OBSERVING, *_FOLDING, *_ASKING, *_SETTLING),
        *(*_SNAPSHOT, *_REGISTERING, *_ASKING_GIT),
        *("rooms.work.branches.branch_state", "rooms.work.branches.queries"),
        *("rooms.work.branches.projection", *known.AT_SESSION_START),
    ),
    "turn_failed": (*_SETTLING, "rooms.prompts.projection"),
    "session_ended": (
        *(*_SUMMING_UP, *_CLOSING, *_FOLDING, *_ASKING, *_SETTLING),
        *(*_SNAPSHOT, *_REGISTERING, "rooms.tracker.trackers", "rooms.recovery.handlers"),
        "hook.consolidate",
    ),
}
_EDITING = ("rooms.decisions.noticed.quote_removed", "rooms.work.places.definitions")
_REPLYING = (
    *("rooms.prompts.handlers", "rooms.prompts.choices", "agents.user_replies"),
    *(*_SPEAKING, "agents.transcripts"),
)
BY_DEED = {
    "run": (
        *(*_OBSERVING, "rooms.work.branches.handlers", *_SPEAKING),
        *("shell.check_tools", "agents.transcripts"),
    ),
    "read": _OBSERVING,
    "edit": (*_OBSERVING, *_EDITING),
    "create": _EDITING,
    "ask": (*_REPLYING, "rooms.prompts.projection"),
}


def write(state: str) -> None:
    """Put the pack beside the launcher, and take away what other interpreters had there."""
    path = paths.pack(state, MAGIC_NUMBER.hex())
    files.write_whole(path, content())
    for name in files.names_in(state):
        if is_pack(name) and not path.endswith(name):
            os.unlink(f"{state}/{name}")


def is_pack(name: str) -> bool:
    return name.startswith("hook.") and len(name) == len("hook.") + 2 * len(MAGIC_NUMBER)


def is_current(state: str) -> bool:
    """Whether the pack is there to its last byte, and holds what the sources say today."""
    whole = files.read_bytes(paths.pack(state, MAGIC_NUMBER.hex()), SIZE_CAP_BYTES) or b""
    return whole.endswith(_ending(whole[: -len(stamp()) - seal.BYTES]))


def _ending(before: bytes) -> bytes:
    return stamp() + seal.digest(before)


def stamp() -> bytes:
    """Which sources a pack was made from, as they were."""
    groups = _groups()
    sources = {source: source.stat() for source in map(_source, _names(groups))}
    stamps = [(str(each), stat.st_mtime_ns, stat.st_size) for each, stat in sources.items()]
    return paths.digest(repr((groups, stamps)).encode()).encode()


@cache
def content() -> bytes:
    """The pack: the loader's code with its table of contents, then the modules' code."""
    groups = _groups()
    numbers = {name: chr(number) for number, name in enumerate(_names(groups))}
    places: dict[str, tuple[bytes, str]] = {
        group: (b"", "".join(map(numbers.__getitem__, names))) for group, names in groups.items()
    }
    blobs: list[bytes] = []
    for chunk, (users, names) in enumerate(together(groups).items()):
        blob = marshal.dumps({numbers[name]: _packed(name) for name in names})
        blob += seal.digest(blob)
        for group in users:
            places[group] = (places[group][0] + bytes((chunk,)), places[group][1])
        blobs.append(blob)
    loader = Path(load.__file__).read_text(encoding="utf-8")
    given = f"pack, {HEAD_BYTES}, {[*map(len, blobs)]!r}, {places!r}, {seal.KEY}"
    loader += f"\nbring = loader({given})\nbring({DOOR!r})\n"
    head = marshal.dumps(compiled_text(loader, "load.py"))
    if len(head) > HEAD_BYTES - seal.BYTES:
        raise ValueError(f"the pack's table of contents has {len(head)} bytes")
    head = head.ljust(HEAD_BYTES - seal.BYTES, b"\0")
    before = b"".join((head, seal.digest(head), *blobs))
    return before + _ending(before)


def modules() -> list[str]:
    """Every module that an event may need, each after those it imports."""
    return list(_names(_groups()))


def _packed(name: str) -> tuple[str, str, str, int, int, CodeType | None]:
    source = _source(name)
    folder = str(source.parent) if source.name.startswith("__init__.") else ""
    status = source.stat()
    code = None if name in LIBRARIES else compiled(source)
    return (name, str(source), folder, status.st_mtime_ns, status.st_size, code)


def together(groups: dict[str, tuple[str, ...]]) -> dict[tuple[str, ...], list[str]]:
    """Modules that the same groups need: they are read at once."""
    chunks: dict[tuple[str, ...], list[str]] = {}
    for name in _names(groups):
        users = tuple(group for group, names in groups.items() if name in names)
        chunks.setdefault(users, []).append(name)
    return chunks


def _groups() -> dict[str, tuple[str, ...]]:
    return {name: tuple(_in_order(roots)) for name, roots in _roots().items()}


def _names(groups: dict[str, tuple[str, ...]]) -> dict[str, None]:
    return dict.fromkeys(name for group in groups.values() for name in group)


def _roots() -> dict[str, tuple[str, ...]]:
    """What each group loads by name; the rest follows from what those import."""
    groups = ROOTS | {f"tool_used.{deed}": roots for deed, roots in BY_DEED.items()}
    handlers = _handlers()
    for kind, row in events.EVENTS.items():
        groups[kind] = (
            *ALWAYS,
            *handlers[row.__name__],
            *(f"rooms.{room}.projection" for room in KINDS[kind].rooms),
            *MORE.get(kind, ()),
        )
    return groups


def _handlers() -> dict[str, tuple[str, ...]]:
    """Modules that each row of the table imports for every event of its kind."""
    tree = ast.parse(Path(events.__file__).read_text(encoding="utf-8"))
    return {
        row.name: tuple(
            f"{node.module}.{alias.name}".removeprefix("holdfast.")
            for node in row.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        )
        for row in tree.body
        if isinstance(row, ast.FunctionDef)
    }


def _in_order(roots: tuple[str, ...]) -> list[str]:
    """Modules and what they import when they are loaded, each after what it needs."""
    order: list[str] = []

    def follow(name: str) -> None:
        if name in order:
            return
        for parent in _parents(name):
            follow(parent)
        for needed in _imports(name):
            follow(needed)
        if name not in order:
            order.append(name)

    for root in roots:
        if root in LIBRARIES:
            order += [root] * _is_file(root)
        else:
            follow(f"holdfast.{root}")
    return order


def _is_file(library: str) -> bool:
    """Whether a library is a file of its own here, and not a part of the interpreter."""
    return _source(library).suffix == ".so"


def _parents(name: str) -> list[str]:
    words = name.split(".")
    return [".".join(words[:end]) for end in range(1, len(words))]


@cache
def _imports(name: str) -> tuple[str, ...]:
    """Modules of ours that a module imports at its top, types apart."""
    imported: list[str] = []
    for node in ast.parse(_source(name).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.append(node.module)
            imported += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(
        each for each in imported if each.startswith("holdfast.") and _source(each).exists()
    )


def _source(name: str) -> Path:
    if name in LIBRARIES:
        # Not find_spec, which asks a module that is loaded: ours may come from a pack.
        return Path(str(getattr(PathFinder.find_spec(name), "origin", "")))
    path = ROOT.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def compiled(source: Path) -> CodeType:
    return compiled_text(source.read_text(encoding="utf-8"), str(source))


def compiled_text(text: str, name: str) -> CodeType:
    tree = _Lean().visit(ast.parse(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt | ast.excepthandler):
            node.end_lineno = node.lineno
            node.col_offset = node.end_col_offset = -1  # not known
    code: CodeType = compile(tree, name, "exec", dont_inherit=True)
    return code


class _Lean(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.returns = None
        arguments = node.args
        named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        for each in (*named, arguments.vararg, arguments.kwarg):
            if each is not None:
                each.annotation = None
        return self._shorter(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        self._shorter(node)
        if node.bases and fields:  # what a value is made of (system/value.py)
            names: list[ast.expr] = [ast.Constant(ast.unparse(each.target)) for each in fields]
            own = ast.Assign([ast.Name("__fields__", ast.Store())], ast.Tuple(names, ast.Load()))
            node.body.insert(0, ast.fix_missing_locations(ast.copy_location(own, fields[0])))
        return node

    def visit_Module(self, node: ast.Module) -> Any:
        return self._shorter(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module == "__future__" else node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node.orelse
        return node

    def _shorter(self, node: Any) -> Any:
        """Without the docstring; what has nothing else in it passes."""
        at = node.body[0].lineno if node.body else 0
        if ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
        self.generic_visit(node)
        if not node.body and not isinstance(node, ast.Module):
            node.body.append(ast.Pass(lineno=at, col_offset=0, end_lineno=at, end_col_offset=0))
        return node
