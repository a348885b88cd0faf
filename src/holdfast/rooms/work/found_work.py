"""The work queue: work that turned up on the way, and what of it is offered first.

An item is {"id", "sort", "source", "description", "priority", "found_at", "hours"}. Laws: the same
work is offered once, and the same is what has one sort and begins with the same fifty characters;
only the thirty newest are weighed; a mark counts for an edit only if the edit brought it.
"""

from __future__ import annotations

from holdfast.system.value import Value

TYPE_CHECKING = False

ERROR, TEST_FAILURE, GAP, TODO, STUB = "error", "test_failure", "gap", "todo", "stub"
WEIGHTS = {ERROR: 1.5, TEST_FAILURE: 1.3, GAP: 1.1, TODO: 1.0, STUB: 0.8}
SYNTAX_PRIORITY, IMPORT_PRIORITY, TEST_PRIORITY, OTHER_PRIORITY = 90, 85, 80, 70
# Under any error.
PRIORITIES = {GAP: 60, TODO: 50, STUB: 50}

RECENT_BONUS = 10
RECENT_DAYS = 1.0
DAY_HOURS = 24
CONSIDERED = 30
OFFERED = 5
SAME_CAP = 50
MARKS = 5
DESCRIPTION_CAP = 120
PATH_CAP = 30  # of the fifty characters that tell items apart, some must be the mark's own

SYNTAX_SIGNS = ("syntaxerror", "syntax error", "indentationerror", "taberror")
IMPORT_SIGNS = (
    *("importerror", "modulenotfounderror", "no module named"),
    *("cannot find module", "cannot find package", "err_module_not_found", "unresolved import"),
)

# These run tests when told to: by their first word, or by any of their targets.
BY_WORD = frozenset(
    "npm yarn pnpm bun cargo go mix dotnet swift deno bazel rails zig flutter dart playwright"
    " cypress manage.py artisan stack cabal composer hatch".split()
)
BY_TARGET = frozenset("make gmake mvn mvnw gradle gradlew just rake ninja sbt ant invoke".split())
BETWEEN = ("&&", "|", ";", "\n")

TAGS = ("TODO", "FIXME", "XXX")
STUBS = ("raise NotImplementedError", "todo!(", "unimplemented!(")
OPENERS = ("#", "//", "/*", "--")  # of comments, anywhere in a line
LINE_OPENERS = ("*", ";", "%")  # of comments, where a line begins
LEAD = " \t#/*!-<;%@[("  # may stand between the two


def judge_error(command: str, says: str) -> tuple[str, int]:
    """The sort and the priority of a command that failed, from the end of what it said."""
    if runs_tests(command):
        return TEST_FAILURE, TEST_PRIORITY
    heard = says.lower()
    if any(sign in heard for sign in SYNTAX_SIGNS):
        return ERROR, SYNTAX_PRIORITY
    if any(sign in heard for sign in IMPORT_SIGNS):
        return ERROR, IMPORT_PRIORITY
    return ERROR, OTHER_PRIORITY


class WorkItem(Value):
    """Work that turned up and may be offered."""

    sort: str
    description: str
    priority: int
    found_at: str
    hours: float  # since it was found


def score(item: WorkItem, age_days: float) -> float:
    bonus = RECENT_BONUS * max(0.0, 1 - max(0.0, age_days) / RECENT_DAYS)
    return float(item.priority * WEIGHTS.get(item.sort, 1.0) + bonus)


def ordered(items: list[WorkItem], limit: int = OFFERED) -> list[WorkItem]:
    """What to offer, best first; of equals the newer, then by its words."""
    by_words = sorted(items, key=lambda item: item.description)
    newest = sorted(by_words, key=lambda item: item.found_at, reverse=True)
    distinct: dict[tuple[str, str], WorkItem] = {}
    for item in newest:
        distinct.setdefault((item.sort, item.description[:SAME_CAP]), item)
    weighed = list(distinct.values())[:CONSIDERED]
    weighed.sort(key=lambda item: -score(item, item.hours / DAY_HOURS))
    return weighed[: max(0, limit)]


def runs_tests(command: str) -> bool:
    return any(map(_is_test_run, _runs(command)))


def _runs(command: str) -> list[list[str]]:
    """Of each command in a line the words that name what is run, without what runs it.

    The store keeps a command as one line, and the beginning of it: no text for a grammar.
    """
    for mark in BETWEEN:
        command = command.replace(mark, "\0")
    runs = []
    for part in command.split("\0"):
        words = [word.strip("\"'()") for word in part.split()]
        runs += _named([word for word in words if word])
    return runs


def _named(words: list[str]) -> list[list[str]]:
    from holdfast.shell.check_tools import ALIASES
    from holdfast.shell.simple_commands import run_by
    from holdfast.shell.wrappers import SHELLS

    while words and "=" in words[0]:
        words = words[1:]
    runs: list[list[str]] = []
    commands = run_by(words) if words else []
    for run in commands:
        names = [word.rpartition("/")[2].lower() for word in run if _names(word)]
        if not names:
            continue
        names[0] = ALIASES.get(names[0], names[0])
        if names[0] in SHELLS:  # `bash -c 'make test'`, whose quotes are gone
            return [*runs, *_named([word for word in run[1:] if word[:1] != "-"])]
        # `sudo make test` is a run of make; `yarn run test` one of yarn, and of `test`.
        if run is commands[-1] or names[0] in BY_WORD:
            runs.append(names)
    return runs


def marks_in(new: str, old: str, path: str) -> list[tuple[str, str]]:
    """The todos and the stubs that an edit brought, as sort and description."""
    before = {line.strip() for line in old.splitlines()}
    marks: dict[tuple[str, str], None] = {}
    for line in new.splitlines():
        text = line.strip()
        sort = _mark(text) if text not in before else ""
        if sort:
            description = f"{_near(path)}: {' '.join(text.split())}"
            marks[sort, description[:DESCRIPTION_CAP].rstrip()] = None
        if len(marks) == MARKS:
            break
    return list(marks)


def _is_test_run(names: list[str]) -> bool:
    from holdfast.shell.check_tools import CHECKS

    head, rest = names[0], [name for name in names[1:] if name != "run"]
    if head in BY_TARGET:
        return any(name == "check" or name.startswith("test") for name in rest)
    if head in BY_WORD:
        first = rest[0] if rest else ""
        return first == "t" or CHECKS.get(first) == "tests" or first.startswith("test")
    return CHECKS.get(head) == "tests"


def _names(word: str) -> bool:
    """Neither an option, nor a number, nor a variable that is set for the command."""
    return word[:1] not in "-+" and not word[:1].isdigit() and "=" not in word


def _mark(text: str) -> str:
    """The sort of mark that a line carries, "" for none."""
    for tag in TAGS:
        at = text.find(tag)
        after = text[at + len(tag) : at + len(tag) + 1]
        if at >= 0 and not (after.isalnum() or after == "_") and _opens(text[:at]):
            return TODO
    if not text.startswith((*OPENERS, *LINE_OPENERS)) and any(stub in text for stub in STUBS):
        return STUB
    return ""


def _opens(before: str) -> bool:
    """Whether a comment begins here: its first word would be next. Not in a string or a URL."""
    code = before.rstrip(LEAD)
    lead = before[len(code) :]
    if code.endswith(('"', "'", "`")) or (code.endswith(":") and lead.startswith("//")):
        return False
    if not code and lead.lstrip().startswith(LINE_OPENERS):
        return True
    return any(opener in lead for opener in OPENERS)


def _near(path: str) -> str:
    """A path, or as much of its end as leaves room for what stands in the file."""
    if len(path) <= PATH_CAP:
        return path
    kept = path.rpartition("/")[2][-PATH_CAP:]
    for part in reversed(path.split("/")[:-1]):
        if len(part) + 1 + len(kept) > PATH_CAP:
            break
        kept = f"{part}/{kept}"
    return kept
