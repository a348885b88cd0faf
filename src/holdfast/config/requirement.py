"""Requirements as configuration: one table of fields, and the way from layers to requirements.

What a team demands is written in YAML, layer over layer. Here the layers become one table per
requirement in which every field is filled in, so that nobody further down asks what is missing.
Known to the compiler of settings, to the gates and to the schema for editors; it reads no file and
no clock.

Laws:
  - later layers win: tables merge, all else is replaced; `inherit: false` drops what is weaker;
  - what is broken is one line that names file, requirement and field, and takes nothing else down;
  - a name that we do not know is told and not read. The requirement stays: a slip of the pen in a
    field that nobody reads must not open a gate.
"""

from __future__ import annotations

from holdfast.agents.acts import EDITING_TOOLS
from holdfast.config.field import (
    FILLED,
    WORD_CAP,
    Field,
    Remarks,
    key_of,
    kind_of,
    read_table,
    spelled,
)
from holdfast.rooms.gates.actions.vocabulary import ACTIONS, ARGUMENTS, arguments_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Any

    from holdfast.config.field import Where
    from holdfast.config.requirement_type import Requirement, Requirements

    Problem = tuple[str, str]  # the file, and what is wrong with it

BLOCKING, DYNAMIC, GUARD = TYPES = ("blocking", "dynamic", "guard")
SESSION, BRANCH, PERMANENT, SINGLE_USE = SCOPES = ("session", "branch", "permanent", "single_use")
PROTECTED_BRANCH, SINGLE_SESSION = GUARDS = ("protected_branch", "single_session")
OPAQUE = ("allow", "ask", "deny")
DENY, ASKS = ANSWERS = ("deny", "ask")
KINDS_OF_RULES = ("forbid", "ask", "prove")  # as templates have them
EVIDENCE = ("tests", "build", "lint", "types", "review")

LONGEST_S = 10 * 365 * 86_400
REQUIREMENTS_CAP = 200
# Lines that are said: nobody reads more of them about one slip.
WRONG_CAP, OPTIONS_CAP = 5, 30


def _flag(default: bool, help_: str, types: tuple[str, ...] = ()) -> Field:
    return Field("flag", default, help_, types)


def _text(help_: str, types: tuple[str, ...] = (), *, most: int = 4_000) -> Field:
    return Field("text", "", help_, types, most=most)


def _texts(
    default: list[str],
    help_: str,
    types: tuple[str, ...] = (),
    *,
    least: int = 0,
    single: bool = False,
    required: bool = False,
) -> Field:
    item = Field("text", "", least=1, most=500)
    return Field(
        "list", default, help_, types, item=item, least=least, most=50, single=single,
        required=required,
    )  # fmt: skip


def _seconds(default: int | None, help_: str, types: tuple[str, ...] = ()) -> Field:
    return Field("whole", default, help_, types, least=1, most=LONGEST_S)


def _some(default: list[str], choices: tuple[str, ...], help_: str, *types: str) -> Field:
    item = Field("choice", "", choices=choices)
    return Field("list", default, help_, types, item=item, most=50)


def _table(default: Any, help_: str, fields: dict[str, Field], *types: str) -> Field:
    return Field("table", default, help_, types, fields=fields)


def _unused(why: str) -> Field:
    return Field("unused", None, why)


TRIGGER = Field(
    "table",
    FILLED,
    "A tool by its name, or a table that says more about it.",
    bare="tool",
    fields={
        "tool": Field("word", "", "The tool's name.", most=WORD_CAP, required=True),
        "command_pattern": Field(
            "pattern", "", "A regular expression found in the tool's command.", most=1_000
        ),
        "paths": _texts([], "Patterns of the paths that count; none: every path.", single=True),
    },
)


def _argument(argument: str) -> Field:
    if argument.endswith("?"):
        return Field("flag", None, "So, or not so.")
    if argument.endswith("~"):
        return Field("pattern", "", "A regular expression; ! turns it around.", most=1_000)
    return _texts([], "What fits: texts with * and ?; ! before one turns it around.", single=True)


ACTION = Field(
    "table",
    FILLED,
    "An action by its name, or a table with its arguments.",
    bare="action",
    fields={
        "action": Field("choice", "", "What is done.", choices=tuple(ACTIONS), required=True),
        **{argument.rstrip("?~"): _argument(argument) for argument in ARGUMENTS},
    },
)

# One requirement. Field -> what it may hold, default, meaning, and the types it counts for.
FIELDS: dict[str, Field] = {
    "enabled": _flag(True, "Whether it counts."),
    "type": Field(
        "choice",
        BLOCKING,
        "blocking: until somebody satisfies it. dynamic: while a number is too high. guard: while a"
        " condition holds.",
        choices=TYPES,
    ),
    "scope": Field(
        "choice",
        SESSION,
        "How long a satisfaction lasts: this session; this branch until somebody clears it; for"
        " good; or one trigger action.",
        choices=SCOPES,
    ),
    "trigger_tools": Field(
        "list",
        [{"tool": tool, "command_pattern": "", "paths": []} for tool in EDITING_TOOLS],
        "The tools that it stands in front of.",
        item=TRIGGER,
        least=1,
        most=50,
    ),
    "trigger": Field(
        "list",
        [],
        "The actions that it stands in front of, besides the tools that are named.",
        item=ACTION,
        least=1,
        most=50,
        single=True,
    ),
    "opaque": Field(
        "choice",
        "allow",
        "What of a command whose action nobody can read: it passes, the person is asked, or it is"
        " refused.",
        choices=OPAQUE,
    ),
    "answer": Field(
        "choice",
        DENY,
        "What becomes of the call while it is open: it is refused, or the person is asked where the"
        " agent shows why.",
        choices=ANSWERS,
    ),
    "rule": _table(
        None,
        "The rule it was made of by `holdfast rules enforce`, which counts in your own file alone.",
        {
            "id": _text("The rule.", most=64),
            "words": _text("What you said."),
            "at": _text("When.", most=40),
            "kind": Field("choice", "forbid", "What it wants.", choices=KINDS_OF_RULES),
        },
    ),
    "checklist": _texts([], "What to do, point by point."),
    "message": _text("What an agent is told when it is refused."),
    "short_message": _text("The same in one line, for tables.", most=200),
    "description": _text("What it is for. For people."),
    "satisfied_by_skill": Field(
        "list",
        [],
        "The skills that satisfy it when they are done.",
        (BLOCKING, DYNAMIC),
        item=Field("word", "", most=WORD_CAP),
        single=True,
        most=50,
    ),
    "auto_resolve_skill": Field("word", "", "The skill an agent is told to run.", most=WORD_CAP),
    "stop_only": _flag(
        False, "Refuses no tool; it is asked for when the agent stops.", (BLOCKING, DYNAMIC)
    ),
    "replan_ttl": _seconds(
        None, "Seconds after which a satisfaction has to be renewed.", (BLOCKING,)
    ),
    "evidence": _table(
        None,
        "A file that has to be there besides.",
        {
            "dirs": _texts([], "Folders in which it may lie.", least=1, single=True, required=True),
            "require_markers": _texts([], "Texts that it holds, all of them.", single=True),
            "require_verdict": _text("A text inside its `## Verdict` section.", most=200),
            "max_age_seconds": _seconds(None, "How old it may be."),
        },
        BLOCKING,
    ),
    "evidence_required": _some(
        [], EVIDENCE, "Kinds of proof, newer than the last edit.", BLOCKING
    ),
    "evidence_runs": _texts(
        [], "Commands that have to have succeeded on the files as they are.", (BLOCKING,)
    ),
    "evidence_first": _texts(
        [], "Patterns of files of which one has to be changed before.", (BLOCKING,)
    ),
    "min_confidence": Field(
        "whole", None, "The least confidence, 0 to 100.", (BLOCKING,), least=0, most=100
    ),
    "approval_ttl": _seconds(300, "Seconds for which a person's approval lasts."),
    "for_subagents": _flag(False, "Whether it counts inside subagents too."),
    "calculator": Field(
        "word", "", "What counts the number.", (DYNAMIC,), most=WORD_CAP, required=True
    ),
    "thresholds": Field(
        "table",
        None,
        "Where the number is too high.",
        (DYNAMIC,),
        required=True,
        fields={
            "block": Field("number", None, "From here on the tool is refused.", required=True),
            "warn": Field("number", None, "From here on it is worth a word."),
        },
    ),
    "cache_ttl": _seconds(60, "Seconds for which a counted number is used again.", (DYNAMIC,)),
    "blocking_message": _text(
        "What is told then; {total}, {value}, {summary}, {base_branch}, {warn_threshold} and"
        " {block_threshold} are filled in.",
        (DYNAMIC,),
    ),
    "guard_type": Field(
        "choice", "", "The condition.", (GUARD,), choices=GUARDS, required=True
    ),
    "protected_branches": _texts(
        ["master", "main"], "Branches that are not edited.", (GUARD,), least=1
    ),
    "deprecated": _flag(False, "Still counts, and says that it will go."),
    "deprecated_message": _text("What to use instead.", most=500),
}  # fmt: skip

# Everything else that a file may say.
OPTIONS: dict[str, Field] = {
    "version": Field("version", "1.0", "The version of the format."),
    "enabled": _flag(True, "Whether any requirement counts."),
    "inherit": _flag(True, "false: the layers below this file do not count."),
    "requirements": _table(
        FILLED, "The requirements, by name.", {"*": Field("table", FILLED, fields=FIELDS)}
    ),
    "hooks": _table(
        FILLED,
        "What happens at the events of a session.",
        {
            "session_start": _table(
                FILLED,
                "When a session begins.",
                {
                    "inject_context": _flag(True, "Whether it is told what is open."),
                    "briefing_format": _unused("the status has one form, the compact one"),
                    "custom_header": _text("A line above the status.", most=200),
                    "carry_over": _table(
                        FILLED,
                        "What a session cleared a moment ago hands on.",
                        {
                            "enabled": _flag(True, "Whether it hands anything on."),
                            "window": Field(
                                "whole", 300, "Seconds: no older satisfaction.", least=0,
                                most=LONGEST_S,
                            ),
                            "scopes": _some(
                                [SESSION], (SESSION, SINGLE_USE), "Which scopes are handed on."
                            ),
                        },
                    ),
                },
            ),
            "stop": _table(
                FILLED,
                "When the agent stops.",
                {
                    "verify_requirements": _flag(True, "Whether it is asked what is open."),
                    "verify_scopes": _some([SESSION], SCOPES, "Which scopes it is asked for."),
                },
            ),
            "session_end": _table(
                FILLED,
                "When a session ends.",
                {
                    "clear_session_state": _flag(
                        False, "Whether what this session satisfied is forgotten."
                    )
                },
            ),
            "plan_enter": _unused("plan mode is not interrupted"),
            "prompt_submit": _unused("prompts are kept, and not commented on"),
            "session_learning": _unused("sessions are kept as a whole; nothing is learnt by rule"),
            "wip_tracking": _unused("the ledger knows what was worked on"),
            "obsidian": _unused("nothing is sent to other tools"),
            "qdrant": _unused("nothing is sent to other tools"),
            "retrieval": _unused("recall has its own settings"),
        },
    ),
    "workflow": _unused("a requirement says itself when it counts; there are no phases"),
    "logging": _unused("`holdfast req logging` says what is logged, for you alone"),
    "console": _unused("hooks print nothing but their answer"),
    "debug": _unused("`holdfast doctor` shows what each hook did"),
    "budgets": _unused("what a session may spend is not limited here"),
    "strict_preflight": _unused(
        "a gate that cannot judge lets through and says so; `holdfast doctor` proves it works"
    ),
}  # fmt: skip


def compile_all(
    layers: list[tuple[str, dict[str, Any]]], others: Collection[str] = ()
) -> tuple[Requirements, list[Problem]]:
    """Every valid requirement with all its fields, and what was wrong, a line each.

    Layers are (file, content), weakest first. `others` are names on the first level that somebody
    else reads. What is switched off is there too, with `enabled` false: see `active`.
    """
    merged = _Merged(layers)
    _, remarks = _options(merged, others)
    shown = [*remarks.wrong[:OPTIONS_CAP], *remarks.notes[:OPTIONS_CAP]]
    problems = [*merged.problems, *(merged.problem(*remark) for remark in shown)]
    given = merged.tree.get("requirements", {})
    on = merged.tree.get("enabled") is not False
    compiled: Requirements = {}
    for number, (name, body) in enumerate(given.items()):
        if number == REQUIREMENTS_CAP:
            message = (
                f"more than {REQUIREMENTS_CAP} requirements: those from {name} on are left out"
            )
            problems.append(merged.problem(("requirements",), message))
            break
        requirement, own_problems = _requirement(name, body, merged)
        problems += own_problems
        if requirement is not None:
            requirement["enabled"] = requirement["enabled"] and on
            compiled[name] = requirement
    return compiled, problems


def active(requirements: Requirements) -> Requirements:
    """Those that count."""
    return {name: each for name, each in requirements.items() if each["enabled"]}


def options(layers: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """What the layers say besides their requirements, every default filled in."""
    read, _ = _options(_Merged(layers), ())
    return read


def origins(layers: list[tuple[str, dict[str, Any]]]) -> dict[str, str]:
    """Where each value came from: `requirements.commit_plan.scope` -> the file that won."""
    merged = _Merged(layers)
    return {spelled(where): file for where, file in merged.origins.items()}


class _Merged:
    """The layers, one over the other; where each value came from; what does not fit in at all."""

    def __init__(self, layers: Iterable[tuple[str, Any]]) -> None:
        self.tree: dict[str, Any] = {}
        self.origins: dict[Where, str] = {}
        self.problems: list[Problem] = []
        for file, layer in layers:
            if not isinstance(layer, dict):
                self.problems.append((file, f"not a table, but {kind_of(layer)}; it is left out"))
                continue
            if layer.get("inherit") is False:
                self.tree, self.origins = {}, {}
            for key, value in layer.items():
                if key == "requirements" and not isinstance(value, dict | None):
                    # Laid over the rest it would take every weaker requirement down.
                    message = f"requirements wants a table of names, not {kind_of(value)}"
                    self.problems.append((file, f"{message}; it is left out"))
                elif not (key == "requirements" and value is None):
                    self._lay(self.tree, OPTIONS, (key_of(key),), value, file)

    def _lay(
        self, tree: dict[str, Any], fields: dict[str, Field], where: Where, value: Any, file: str
    ) -> None:
        # Tables merge only where the schema knows one: a file that is built from a thousand
        # references to itself is then no deeper than ours.
        name = str(where[-1])
        field = fields.get(name) or fields.get("*")
        if isinstance(value, dict) and field and field.fields:
            below = tree.get(name)
            if not isinstance(below, dict):
                below = tree[name] = {}
            for key, each in value.items():
                self._lay(below, field.fields, (*where, key_of(key)), each, file)
        else:
            tree[name] = value
        self.origins[where] = file

    def problem(self, where: Where, message: str) -> Problem:
        """The line, with the file that said what it is about."""
        while where and where not in self.origins:
            where = where[:-1]
        return self.origins.get(where, "configuration"), message


def _options(merged: _Merged, others: Collection[str]) -> tuple[dict[str, Any], Remarks]:
    remarks = Remarks()
    rest = {
        name: value
        for name, value in merged.tree.items()
        if name in OPTIONS or name.partition(".")[0] not in others
    }
    rest.pop("requirements", None)
    read = read_table(OPTIONS, rest, (), remarks)
    del read["requirements"]
    remarks.wrong = [(where, f"{message}; its default counts") for where, message in remarks.wrong]
    return read, remarks


def _requirement(name: str, body: Any, merged: _Merged) -> tuple[Requirement | None, list[Problem]]:
    where: Where = ("requirements", name)
    remarks = Remarks()
    read: Any = None
    if not is_name(name):
        remarks.wrong.append((where, "a name has at most 64 letters, digits and _ . -"))
    elif not isinstance(body, dict):
        remarks.wrong.append((where, f"wants a table of fields, not {kind_of(body)}"))
    else:
        kind = body.get("type") or BLOCKING
        known = kind if isinstance(kind, str) and kind in TYPES else ""
        read = read_table(FIELDS, body, where, remarks, known)
        if "trigger" in body and "trigger_tools" not in body:
            read["trigger_tools"] = []
        read["trigger"] = [
            _narrowed(each, (*where, "trigger", number), remarks)
            for number, each in enumerate(read["trigger"])
        ]
        if read["deprecated"]:
            instead = f": {read['deprecated_message']}" if read["deprecated_message"] else ""
            remarks.notes.append((where, f"is deprecated{instead}"))
        if body.get("enabled") is False:  # somebody's way to silence a broken one
            return (None if remarks.wrong else read), []
    ending = "; the requirement is left out"
    messages = [
        (at, f"requirement {name}: {message}{ending}") for at, message in remarks.wrong[:WRONG_CAP]
    ]
    messages += [
        (at, f"requirement {name}: {message}") for at, message in remarks.notes[:WRONG_CAP]
    ]
    return (None if remarks.wrong else read), [
        merged.problem(at, message) for at, message in messages
    ]


def _narrowed(trigger: Any, where: Where, remarks: Remarks) -> Any:
    """A trigger with the arguments that are asked for alone; what its action has not is told."""
    action = trigger["action"]
    own = arguments_of(action) if action else []
    asked = {name: value for name, value in trigger.items() if value not in ("", [], None)}
    for name in sorted(asked.keys() - {"action", *own}):
        has = f"; it has {', '.join(own)}" if own else ", which has none"
        message = f"{name} is no argument of {action}{has}; it is not read"
        remarks.notes.append(((*where, name), message))
        del asked[name]
    return asked


def is_name(name: str) -> bool:
    """Names stand in tables and in commands that a person copies: no blanks, nothing to quote."""
    bare = name.replace("_", "a").replace(".", "a").replace("-", "a")
    return name.isascii() and bare.isalnum() and name[0] not in "-." and len(name) <= 64
