"""Which checks a command runs: tests, build, lint, types. Of a command as the store keeps it.

Laws: a check is a run of the project's own tests, build, linters or types, wrapped or not; a
question, a rehearsal, a search, a program that is tried out and whatever is run outside of the
project is none. In doubt it is none.
"""

from __future__ import annotations

from holdfast.system.environment import bring
from holdfast.system.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.shell.one_line import Piece

TESTS, BUILD, LINT, TYPES = "tests", "build", "lint", "types"
KINDS = (TESTS, BUILD, LINT, TYPES)
# What a task, a script or a word on the command line promises by its name.
NAMED = {
    **dict.fromkeys("test tests spec specs e2e unittest check checks verify ci".split(), TESTS),
    **dict.fromkeys("lint lints eslint ruff clippy vet".split(), LINT),
    **dict.fromkeys("types typecheck tsc mypy pyright validate".split(), TYPES),
    **dict.fromkeys("build compile assemble".split(), BUILD),
}
# These run a project's own tasks, named after what they do.
RUNNERS = frozenset(
    "mise task go-task moon nx turbo poe invoke inv hatch pdm deno bazel bazelisk buck2 pants sbt"
    " mix rails swift zig flutter dart composer lerna rush earthly dagger ninja ant stack cabal"
    " playwright cypress terraform tofu buf dbt sqlfluff artisan meson pixi rye devbox npm pnpm"
    " yarn bun wireit ng vite next expo lefthook".split()
)
MAKERS = frozenset("make gmake just rake gradle mvn cmake".split())
RUN_WORDS = frozenset("run run-script task exec r".split())
# Any other program checks when it is told to in so many words, but for these.
NO_CHECKERS = frozenset(
    "git gh glab hub jj hg svn echo printf grep rg ag cat ls find sed awk mkdir rm cp mv touch less"
    " head tail code vim which type kill ps curl wget man wc chmod test export pip pip3 uv apt brew"
    " docker podman kubectl helm ssh aws gcloud az npm go cargo systemctl make cmake".split()
)
# What most often runs a check: known without a look at how all other programs run some.
RUN_BY = frozenset((("python", "-m"), ("python3", "-m"), ("uv", "run"), ("poetry", "run")))
TOLD_TO = frozenset("build test lint check typecheck verify validate compile".split())
# Of these only some words check; every other use of them is something else.
ONLY_WITH = {
    "ruff": ("check", "--check", "--diff"),
    "black": ("--check", "--diff"),
    "isort": ("--check", "--check-only", "--diff", "-c"),
    "prettier": ("--check", "-c", "--list-different", "-l"),
    "biome": ("check", "lint", "ci"),
    "golangci-lint": ("run",),
    "pre-commit": ("run",),
    "cmake": ("--build",),
    "gofmt": ("-l", "-d"),
    "fmt": ("--check", "--all --check"),
}
SCRIPTS = tuple(".sh .bash .zsh .py .rb .js .mjs .cjs .ts .pl .ps1".split())
# Other rules than the project's: something is tried out.
OTHER_RULES = frozenset(
    "--no-config --isolated -E --enable --enable-only --disable --disable-all --select --rule"
    " --new-from-rev --no-eslintrc".split()
)
ELSEWHERE = ("/", "~", "..", "$")


class Check(Value):
    """One check that a command runs."""

    hides_exit: bool  # what follows it in the command has the last word
    is_probe: bool  # something is tried out: single files, other rules than the project's
    kind: str  # tests, build, lint, types


def may_check(command: str) -> bool:
    """Whether a command has the words of a check in it at all: most have not."""
    from holdfast.shell.check_tools import BLANKS, CHECKS

    low = command.lower()
    if any(word in low for word in ("test", "lint", "check", "build", "make")):
        return True
    words = set(low.translate(BLANKS).split())
    return not words.isdisjoint(NAMED) or not words.isdisjoint(CHECKS)


def checks_in(command: str, root: str = "") -> list[Check]:
    """The checks that a command runs, in its order. `root` is the worktree's."""
    if not may_check(command):
        return []
    bring("shell")
    from holdfast.shell.one_line import pieces

    parts, root = pieces(command), root.replace("\\", "/")
    checks: list[Check] = []
    place: str | None = ""
    for number, piece in enumerate(parts):
        if piece.words[0] in ("cd", "pushd"):
            place = _moved(place, piece.words, root)
        elif place is not None:
            hides = any(part.after in ("|", "|&", "||", ";", "&") for part in parts[number:-1])
            checks += _checks_of(piece, hides)
    return checks


def _moved(place: str | None, words: list[str], root: str) -> str | None:
    """Where a `cd` leads, from the root; None for somewhere else."""
    path = words[1].replace("\\", "/").rstrip("/") if len(words) > 1 else "~"
    if root and (path == root or path.startswith(f"{root}/")):
        return path[len(root) + 1 :]
    if path.startswith(ELSEWHERE) or path[1:2] == ":" or place is None:
        return None
    path = path.removeprefix("./")
    return place if path in ("", ".") else f"{place}/{path}".lstrip("/")


def _checks_of(piece: Piece, hides: bool) -> list[Check]:
    words = piece.words
    while words and _is_assignment(words[0]):
        words = words[1:]
    if not words:
        return []
    while tuple(words[:2]) in RUN_BY and words[2:] and words[2][:1] != "-":
        words = words[2:]
    run, kinds = words, _kinds(words)
    if not kinds:  # `npx -y jest`, `sh -c 'make test'`: what is run by it
        run, kinds = _inner_run(words)
    return [
        Check(
            kind=kind,
            is_probe=_is_probe(run, kinds),
            hides_exit=hides,
        )
        for kind in kinds
    ]


def _inner_run(words: list[str]) -> tuple[list[str], list[str]]:
    """The innermost of the commands that this one runs which checks, and the kinds of it."""
    from holdfast.shell.simple_commands import run_by

    for run in reversed(run_by(words)[1:]):
        kinds = _kinds(run)
        if kinds:
            return run, kinds
    return words, _told_to(words)


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def _kinds(words: list[str]) -> list[str]:
    """The kinds of check that these words do."""
    from holdfast.shell.check_tools import ALIASES, CHECKS, NOT_A_RUN, NOT_A_RUN_OF, checks

    path, rest = words[0], words[1:]
    name = path.rpartition("/")[2].lower()
    name = ALIASES.get(name, name)
    not_a_run = NOT_A_RUN_OF.get(name, frozenset())
    if any(word in NOT_A_RUN or word in not_a_run for word in rest) or _is_elsewhere(rest):
        return []
    if name in ONLY_WITH and not any(word in rest for word in ONLY_WITH[name]):
        return []
    if name in CHECKS and name not in ("cmake", "tsc"):
        return [CHECKS[name]]
    kinds = list(dict.fromkeys(kind for kind, tool in checks(name, rest) if tool[-1:] != "?"))
    return kinds or [kind for kind in (_by_name(path, name, rest),) if kind]


def _by_name(path: str, name: str, rest: list[str]) -> str:
    """The kind of check that a task or a script promises by its name, "" for none."""
    plain = [word for word in rest if word[:1] not in "-+" and "=" not in word]
    if name == "npm" and plain[:1] not in (["run"], ["run-script"]):
        return ""  # `npm ci` installs
    if name in RUNNERS or name in MAKERS:
        tasks = [word for word in plain[:3] if word not in RUN_WORDS and "/" not in word]
        return next((kind for kind in map(promised, tasks) if kind), "")
    if name == "cargo":
        is_format = plain[:1] == ["fmt"] and "--check" in rest
        return TESTS if plain[:1] == ["nextest"] else LINT if is_format else ""
    if _is_script(path, plain):
        return promised(name) or (TESTS if "--check" in rest else "")
    return ""


def _told_to(words: list[str]) -> list[str]:
    """Any other program that is told to check: `west build`."""
    plain = [word for word in words[1:] if word[:1] not in "-+"]
    if "/" in words[0] or words[0].lower() in NO_CHECKERS or _is_elsewhere(words[1:]):
        return []
    return [NAMED[word] for word in plain[:2] if word in TOLD_TO][:1]


def promised(name: str) -> str:
    """What a name promises: `test:ci`, `lintDebug`, `run-tests.sh`."""
    letters = [f" {letter}" if letter.isupper() else letter for letter in name]
    text = "".join(letters).lower()
    for sign in "-_:.":
        text = text.replace(sign, " ")
    return next((NAMED[word] for word in text.split() if word in NAMED), "")


def _is_probe(words: list[str], kinds: list[str]) -> bool:
    rest = words[1:]
    if any(word.partition("=")[0] in OTHER_RULES for word in rest):
        return True
    is_single = any("." in word.rpartition("/")[2].strip(".") for word in rest if word[:1] != "-")
    return is_single and TESTS not in kinds and BUILD not in kinds


def _is_elsewhere(rest: list[str]) -> bool:
    """What is not of the project: files or folders elsewhere."""
    before = dict(zip(rest[1:], rest, strict=False))
    return any(word.startswith(("/", "~")) and before.get(word, "")[:1] != "-" for word in rest)


def _is_script(path: str, plain: list[str]) -> bool:
    """A script of the project that is not told what to do: run-tests.sh, check_fetch.py."""
    is_named_so = path.lower().endswith(SCRIPTS) or "/" in path
    return is_named_so and not path.startswith(("/", "~")) and not plain
