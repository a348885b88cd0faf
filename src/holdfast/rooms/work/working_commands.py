"""How this project's tests, linters and types were run when they passed, in one line of a start.

Laws: only whole runs are told, as they would be typed again; only what passed in two sessions, or
within two weeks; nothing that the project's instruction files name, for the agent reads those
anyway; a form that did not run in two sessions and never passed is told beside one that did.
"""

from __future__ import annotations

from holdfast.hook.event import TOPICS, Remark
from holdfast.hook.voice import Ours, code, joined, ours, word
from holdfast.rooms.work import check_runs, command_queries, run_output
from holdfast.system import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.hook.event_context import EventContext
    from holdfast.rooms.work.check_runs import Check
    from holdfast.rooms.work.command_queries import RepeatedCommand

SESSIONS = 12
COMMANDS, LONGEST = 30, 100
LATELY_S = 14 * 86_400
FORMS = {check_runs.TESTS: 2, check_runs.LINT: 1, check_runs.TYPES: 1, check_runs.BUILD: 1}


COMPILERS = ("go ", "cargo ", "dotnet ", "swift ", "zig ", "tsc", "cmake ")


class Form:
    """One way to run a check, with everything that is known of it."""

    __slots__ = ("at", "kind", "places", "sessions", "text", "times")

    def __init__(self, kind: str, text: str) -> None:
        self.kind = kind
        self.text = text
        self.at = ""
        self.places: dict[str, int] = {}  # folders in which it was run, and how often
        self.sessions: set[str] = set()  # two of them at most: more need not be told apart
        self.times = 0

    def add(self, command: RepeatedCommand, check: Check) -> None:
        self.at = max(self.at, command.at)
        self.times += command.times
        self.sessions |= {command.first_session, command.last_session}
        if check.place:
            self.places[check.place] = self.places.get(check.place, 0) + command.times

    def line(self) -> str:
        """As it is typed; from the folder that a session went to for it."""
        place = max(self.places, key=lambda name: (self.places[name], name), default="")
        return f"cd {place} && {self.text}" if place else self.text


def remarks(context: EventContext) -> list[Remark]:
    """One line, or none."""
    ran = command_queries.repeated_commands(
        context.store,
        context.project,
        context.event.session,
        sessions=SESSIONS,
        longest=LONGEST,
        limit=COMMANDS,
    )
    passed, failed = forms(ran)
    lately = clock.iso(clock.seconds_of(context.event.at) - LATELY_S)
    telling: list[Form] = []
    for kind, many in FORMS.items():
        known = sorted(
            (form for form in passed if form.kind == kind),
            key=lambda form: (-len(form.sessions), form.text.count(" -"), -form.times, form.text),
        )
        if not any(is_named(form.text, context.instructions or []) for form in known):
            usual = [form for form in known if _is_telling(form, lately)]
            telling += usual[:many]
    if all(form.kind == check_runs.BUILD for form in telling):
        return []
    ran_in = {session for form in telling for session in form.sessions}
    sources = [f"session {session}" for session in sorted(ran_in)]
    return [Remark(TOPICS, _line(telling, failed), sources=sources)]


def _is_telling(form: Form, lately: str) -> bool:
    """It passed in two sessions or lately; and a compiler's own build is what anybody would try."""
    is_compiler = form.kind == check_runs.BUILD and form.text.startswith(COMPILERS)
    return not is_compiler and (len(form.sessions) > 1 or form.at >= lately)


def forms(ran: list[RepeatedCommand]) -> tuple[list[Form], list[Form]]:
    """The forms in which checks passed, and those that did not run in two sessions and never
    passed."""
    passed: dict[tuple[str, str], Form] = {}
    failed: dict[tuple[str, str], Form] = {}
    for command in ran:
        for check in check_runs.checks_in(command.command, command.worktree):
            name = (check.kind, check.form)
            if not check.form or not check.is_whole or check.is_probe:
                continue
            if not command.ok:
                if run_output.did_not_run(command.says):
                    failed.setdefault(name, Form(*name)).add(command, check)
            elif not (check.hides_exit and run_output.says_failed(command.says)):
                passed.setdefault(name, Form(*name)).add(command, check)
    never = [form for name, form in failed.items() if name not in passed and len(form.sessions) > 1]
    return list(passed.values()), never


def is_named(form: str, files: list[str]) -> bool:
    """Whether an instruction file, as `instruction_files.units` makes it, names the command."""
    text = form.lower()
    for file in files:
        at = file.find(text)
        while at >= 0:
            around = file[max(0, at - 1) : at] + file[at + len(text) : at + len(text) + 1]
            if not any(letter.isalnum() or letter in ":_-" for letter in around):
                return True
            at = file.find(text, at + 1)
    return False


def _line(telling: list[Form], failed: list[Form]) -> Ours:
    kinds: dict[str, list[Ours]] = {}
    for form in telling:
        kinds.setdefault(form.kind, []).append(code(form.line()))
    checks = [ours("{} {}", word(kind), joined(" and ", kinds[kind])) for kind in kinds]
    useless = [code(form.text) for form in failed if form.kind in kinds]
    return ours(
        "Commands that passed here: {} (last {}).{}",
        joined(", ", checks),
        word(max(form.at for form in telling)[:10]),
        ours(" {} did not run here.", useless[0]) if useless else ours(""),
    )
