"""Every setting: one table. The only reader of configuration and of variables that override it.

One cascade, later wins, lists replace: the user's file, the project's, the project's local one,
then `HOLDFAST_*`; those of them that are committed lie below the others (`config/layers.py`). YAML
is read by `config/compiler.py`, once per change, into a compiled file; here, on the hook path, that
file is only looked up by the sources' stamps.

Law: what a repository brings along may not weaken what protects its reader. It sets nothing that
the person has not trusted, and a setting that is marked personal never.
"""

from __future__ import annotations

from holdfast.config import compiled
from holdfast.config.compiled import sources
from holdfast.system import environment, files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Settings = dict[str, Any]  # by name; a value has the type of its default in SETTINGS

VARIABLE, DEFAULT = "variable", "default"


class Setting:
    """A name's default, what it means, its range, and whether only its reader may set it."""

    def __init__(
        self,
        default: Any,
        help_: str,
        *,
        range_: tuple[float, float] = (1, 1 << 40),
        personal: bool = False,
    ) -> None:
        self.default = default
        self.help = help_
        self.range = range_
        self.personal = personal


SETTINGS: dict[str, Setting] = {
    "enabled": Setting(True, "Whether hooks do anything in this project."),
    "briefing.start_tokens": Setting(1500, "The most tokens of a briefing when a session begins."),
    "briefing.prompt_tokens": Setting(
        400, "The most tokens added to a prompt when something has changed."
    ),
    "briefing.preamble": Setting(
        False,
        "Whether a briefing also has hot topics, active projects, discovered work, files"
        " read and the context phase.",
    ),
    "briefing.pointing": Setting(
        True,
        "Whether a session that begins is told how to have your words kept as a rule or choice.",
    ),
    "continuity.enabled": Setting(
        True, "Whether a session inherits pins, tasks and topics from earlier ones."
    ),
    "continuity.lookback_days": Setting(
        7, "How many days back Holdfast looks for sessions to inherit from.", range_=(1, 30)
    ),
    "continuity.relevance_threshold": Setting(
        0.25, "The least relevance of a session to inherit from.", range_=(0.1, 1.0)
    ),
    "continuity.max_sessions_scored": Setting(
        3, "The most sessions to inherit from.", range_=(1, 10)
    ),
    "continuity.max_inherited_pins": Setting(5, "The most pins to inherit.", range_=(1, 8)),
    "continuity.decay_min_floor": Setting(
        0.3,
        "The smallest share of its confidence that something inherited keeps with age.",
        range_=(0.1, 0.9),
    ),
    "continuity.critical_inheritance_days": Setting(
        7, "How many days CRITICAL pins are inherited regardless of relevance.", range_=(1, 30)
    ),
    "continuity.sync_tokens": Setting(
        5_000,
        "Tokens of context between checkpoints; 0 for never.",
        range_=(0, 1 << 40),
    ),
    "budget.exhausted_tokens": Setting(
        -1,
        "Tokens of context at which a notice is given; -1 for 75 % of the window, 0 for never.",
        range_=(-1, 1 << 40),
    ),
    "tasks.state_file": Setting(
        "pipeline/state.json",
        "A pipeline's state file, relative to the project root; its unfinished tasks are told.",
    ),
    "completion.mode": Setting(
        "normal",
        "How a contract is enforced at the end of a turn: strict, normal or loose.",
    ),
    "completion.formatters_exempt": Setting(
        False,
        "Whether a proof stands when the next command but reading only formats: black, prettier,"
        " gofmt and the like.",
    ),
    "grounding.mode": Setting(
        "warn",
        "What ungrounded claims do to a full checkpoint: strict refuses it, warn says so,"
        " off ignores them.",
    ),
    "grounding.threshold": Setting(
        0.95, "The smallest share of a session's claims that must be grounded.", range_=(0.0, 1.0)
    ),
    "identity.enabled": Setting(
        True,
        "Whether a session inherits a purpose and the status line says when its work seems off"
        " task; drift is recorded either way.",
    ),
    "identity.status_line": Setting(
        False, "Whether the status line shows a session's brief, `[C:STATE r=X.XX IC=X.XX]`."
    ),
    "identity.remarks": Setting(
        False,
        "Whether the agent is told when its work leaves the task, and which purpose it inherits.",
    ),
    "identity.always": Setting(
        False, "Whether every prompt gets the state of identity, not only a change of class."
    ),
    "close.commit": Setting(
        False,
        "Whether the end of a turn commits the session's own changes. Never pushes; runs"
        " no git hooks.",
    ),
    "close.items": Setting(
        False,
        "Whether the end of a turn closes a tracker item that the session began and proved.",
    ),
    "dream.enabled": Setting(
        True,
        "Whether a dream may start by itself, after a session or when one drifts. `holdfast dream`"
        " always works.",
    ),
    "dream.cooldown_s": Setting(
        60, "Seconds between dreams that start by themselves.", range_=(0, 86_400)
    ),
    "dream.limit_s": Setting(20, "Seconds after which a dream gives up.", range_=(1, 20)),
    "dream.archive_days": Setting(
        365,
        "Days after which a dream archives a session whose work is done; recall does not find it"
        " from then on.",
        range_=(1, 3_650),
    ),
    "notes.enabled": Setting(
        True, "Whether decisions are written to `.holdfast/NOTES.md` in the project."
    ),
    "recovery.tiered": Setting(
        True, "Whether a briefing has level 1: decisions and their standing."
    ),
    "recovery.level1_tokens": Setting(100, "The most tokens of level 1.", range_=(40, 1_000)),
    "recovery.level2_tokens": Setting(500, "The most tokens of level 2.", range_=(100, 4_000)),
    "recovery.level3_tokens": Setting(
        2_000, "The most tokens of level 3 when it is injected.", range_=(200, 20_000)
    ),
    "checkpoint.mode": Setting(
        "warn", "What a full checkpoint does with a finding: strict, warn or off."
    ),
    "checkpoint.min_scenarios": Setting(
        3, "How many scenarios a session's decisions and a tracker item need.", range_=(0, 20)
    ),
    "tracker.program": Setting(
        "auto", "Where tracker items live: auto, br, bd, file (`.beads`), own, or off."
    ),
    "trajectory.enabled": Setting(True, "Whether the trajectory is written as JSON lines."),
    "trajectory.live_days": Setting(
        30, "Days after which a trajectory file is compressed.", range_=(1, 365)
    ),
    "trajectory.kept_days": Setting(
        365, "Days after which a trajectory file is removed.", range_=(1, 3_650)
    ),
    "sessions.silence_hours": Setting(
        24,
        "Hours of silence after which a session counts as crashed, where its process"
        " cannot be seen.",
    ),
    "archive.older_than_days": Setting(
        30,
        "Days after which `holdfast archive` archives a session.",
        range_=(0, 3_650),
    ),
    "redaction.patterns": Setting([], "More secrets to remove: a list of {name, pattern}."),
    "redaction.exceptions": Setting(
        [], "Patterns of texts that are not secrets and stay.", personal=True
    ),
}


def lookup(state: str, root: str) -> Settings | None:
    """Every setting's value in a project; None when a source has changed since it was compiled."""
    stamps = compiled.stamps_of(state, root, sources(root))
    if not any(stamps):
        return with_variables({name: known.default for name, known in SETTINGS.items()})
    kept = compiled.read(paths.compiled_settings(state, root))
    if kept:
        try:
            if kept["stamps"] == stamps and set(kept["values"]) == set(SETTINGS):
                return with_variables(kept["values"])
        except (ValueError, KeyError, TypeError):
            pass  # foreign: to be compiled again
    return None


def problems(kept: list[Settings]) -> list[str]:
    """What was wrong with the files when they were compiled, a line each."""
    return [line for each in kept for line in each.get("problems", ())]


def of_repository(kept: list[Settings]) -> tuple[int, int, str]:
    """Of what a repository brought along: how many things wait for trust, how many parts do not
    read, and the digest of all of it."""
    waiting = sum(each.get("waiting", 0) for each in kept)
    return waiting, sum(each.get("foreign", 0) for each in kept), kept[-1].get("committed", "")


def as_compiled(state: str, root: str) -> list[Settings]:
    """Settings and requirements as they were compiled."""
    kept: list[Settings] = [compiled.requirements(state, root) or {}]
    if any(files.stamp(path) for _, path in sources(root)):
        kept.insert(0, compiled.read(paths.compiled_settings(state, root)) or {})
    return kept


def with_variables(values: Settings) -> Settings:
    """Single settings overridden from outside; a value that does not fit is left out."""
    variables = environment.set_with("HOLDFAST_")
    for name, known in SETTINGS.items() if variables else ():
        given = variables.get(variable_of(name))
        if given:
            value = fitting(given, known)
            if value is not None:
                values[name] = value
    return values


def variable_of(name: str) -> str:
    return f"HOLDFAST_{name.upper().replace('.', '_')}"


def fitting(given: str, known: Setting) -> Any:
    """A variable's text as the type and in the range of its setting, None when it does not fit."""
    default = known.default
    if isinstance(default, bool):
        return {"1": True, "true": True, "0": False, "false": False}.get(given.lower())
    if isinstance(default, str):
        return given
    if not isinstance(default, int | float):
        return None  # lists are for files
    try:
        value = type(default)(given)
    except ValueError:
        return None
    return value if is_within(value, known) else None


def is_within(value: float, known: Setting) -> bool:
    return known.range[0] <= value <= known.range[1]
