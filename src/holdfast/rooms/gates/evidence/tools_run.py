"""Which tools a command line runs, and whether its exit code speaks for each of them.

What is only mentioned, listed, rehearsed or asked for help was not run.
"""

from __future__ import annotations

from holdfast.rooms.gates.evidence.command_line import speaks, split

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NESTED_CAP = 2  # bash -c "bash -c ..."

# Seen in none of these letters, a command runs nothing of ours: most commands end here.
TRACES = (
    *("test", "go ", "cargo", "jest", "mocha", "mvn", "gradle", "dotnet", "rspec", "phpunit"),
    *("make", "tsc", "eslint", "ruff", "mypy", "npm", "yarn", "bun", "docker", "podman", "just"),
    *("rake", "tox"),
)
KEYWORDS = frozenset({"if", "then", "else", "elif", "do", "while", "until", "time", "{", "!"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
# Words before the tool itself -> how many plain words they take besides their options.
PREFIXES = {
    **dict.fromkeys(("env", "command", "exec", "nice", "nohup", "sudo", "stdbuf", "xvfb-run"), 0),
    **dict.fromkeys(("npx", "pnpx", "bunx", "nyc", "c8", "cross-env", "dotenv"), 0),
    "timeout": 1,
}
RUNNERS = frozenset(
    f"{name} {verb}"
    for verb, names in (
        ("run", "uv poetry pipenv pdm hatch rye conda"),
        ("exec", "npm pnpm yarn bundle mise"),
        ("dlx", "pnpm yarn"),
        ("x", "bun"),
    )
    for name in names.split()
)
# Options, of prefixes and of make, whose value is a word of its own.
VALUED = frozenset(
    "--with --extra --group --python -p -n -u -k -s --project --directory --package -C -f"
    " --makefile -o -e -i --signal --kill-after --filter --prefix --workspace -F -W -X".split()
)
PACKAGE_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
MAKERS = frozenset({"make", "gmake", "just", "rake"})

NOT_A_RUN = frozenset(
    "--version --help -h --collect-only --co --no-run --dry-run --list --listTests --list-tests"
    " --show-only --showConfig --print-config --init --show-files --show-settings --fixtures"
    " --markers --setup-plan --just-print --recon --question --listFilesOnly --watch --watchAll"
    " --list-suites --list-groups".split()
)
# The same for one tool alone: `-n` is a rehearsal to make, and four workers to pytest.
NOT_A_RUN_OF = {
    **dict.fromkeys(("pytest", "ruff", "mypy", "cargo", "mocha"), frozenset({"-V"})),
    **dict.fromkeys(MAKERS, frozenset({"-n", "-q", "-p"})),
    "go": frozenset({"-n", "-c", "-list"}),
    "ctest": frozenset({"-N"}),
    "gradle": frozenset({"-m"}),
    "dotnet": frozenset({"-t"}),
    "tsc": frozenset({"-w", "-v"}),
    "mvn": frozenset({"-v"}),
    "vitest": frozenset({"list", "bench", "init"}),
}


class Run:
    """One tool that a command line runs; `exit_known` when the line's exit code is its own."""

    __slots__ = ("exit_known", "is_last", "kind", "tool")

    def __init__(self, kind: str, tool: str, exit_known: bool, is_last: bool) -> None:
        self.kind = kind
        self.tool = tool
        self.exit_known = exit_known
        self.is_last = is_last


def runs(command: str, nested: int = 0) -> list[Run]:
    """The tools a command line runs, in its order."""
    if not any(trace in command for trace in TRACES):
        return []
    pieces = split(command)
    places = [at for at, piece in enumerate(pieces) if isinstance(piece, list)]
    found: list[Run] = []
    for at in places:
        words, plain = bare(pieces[at])
        name = name_of(words[0]) if words else ""
        if name in SHELLS and nested < NESTED_CAP:
            inner = runs(_script(words), nested + 1)
        else:
            inner = [Run(kind, tool, True, True) for kind, tool in tools(name, words[1:])]
        known = bool(inner) and plain and speaks(pieces, at)
        for run in inner:
            run.exit_known = run.exit_known and known
            run.is_last = run.is_last and at == places[-1]
        found += inner
    return found


def commands(command: str) -> list[list[str]]:
    """The words of each simple command, without what stands before the program itself."""
    return [bare(piece)[0] for piece in split(command) if isinstance(piece, list)]


def name_of(word: str) -> str:
    """A program's name without its folder: `.venv/bin/pytest` is pytest."""
    name = word.rsplit("/", 1)[-1]
    for ending in (".exe", ".cmd", ".bat"):
        name = name.removesuffix(ending)
    return {"gradlew": "gradle", "mvnw": "mvn", "mvnd": "mvn", "py.test": "pytest"}.get(name, name)


def bare(words: list[str] | str) -> tuple[list[str], bool]:
    """The command without what stands before the program, and whether its exit is untouched."""
    words, plain = list(words), True
    while words:
        first, name = words[0], name_of(words[0])
        if first in KEYWORDS:
            plain = plain and first in ("time", "{")
            del words[0]
        elif _is_assignment(first):
            del words[0]
        elif name in PREFIXES:
            words = _past_options(words[1:])[PREFIXES[name] :]
        elif f"{name} {words[1] if words[1:] else ''}" in RUNNERS:
            words = _past_options(words[2:])
        elif name.startswith("python") and (module := _module(words)):
            words = module
        elif name == "coverage" and words[1:3] == ["run", "-m"]:
            words = words[3:]
        else:
            break
    return words, plain


def _module(words: list[str]) -> list[str]:
    """What `python -m` runs, with its own words; nothing when it runs a script."""
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] not in ("-m", "-c"):
        at += 2 if words[at] in VALUED else 1
    return words[at + 1 :] if words[at : at + 1] == ["-m"] else []


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def _past_options(words: list[str]) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in VALUED else 1
    return words[at:]


def _plain(words: list[str]) -> list[str]:
    """The words that are neither options, their values, nor assignments."""
    found, skip = [], False
    for word in words:
        if skip or word.startswith("-") or _is_assignment(word):
            skip = not skip and word in VALUED
        else:
            found.append(word)
    return found


def _script(words: list[str]) -> str:
    """What `bash -c` is given; "" when it runs a file."""
    for at, word in enumerate(words[1:-1], 1):
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return words[at + 1]
    return ""


def tools(name: str, words: list[str]) -> list[tuple[str, str]]:
    """The kinds of evidence that this program with these words can give, with the tool's name."""
    not_a_run = NOT_A_RUN_OF.get(name, frozenset())
    if any(word in NOT_A_RUN or word in not_a_run for word in words):
        return []
    if name in SINGLE:
        return list(SINGLE[name])
    return FAMILIES[name](words) if name in FAMILIES else []


def _go(words: list[str]) -> list[tuple[str, str]]:
    kinds = {"test": "tests", "build": "build", "install": "build", "vet": "lint"}
    verb = (_past_options(words) or [""])[0]
    return [(kinds[verb], f"go {verb}")] if verb in kinds else []


def _cargo(words: list[str]) -> list[tuple[str, str]]:
    words = [word for word in words if not word.startswith(("+", "-"))]
    short = {"t": "test", "b": "build", "c": "check"}
    kinds = {"test": "tests", "build": "build", "check": "types", "clippy": "lint"}
    verb = short.get(words[0], words[0]) if words else ""
    return [(kinds[verb], f"cargo {verb}")] if verb in kinds else []


def _maven(words: list[str]) -> list[tuple[str, str]]:
    skipping = any(
        word.startswith(("-DskipTests", "-Dmaven.test.skip")) and not word.endswith("=false")
        for word in words
    )
    goals = set(_plain(words))
    found = []
    if goals & {"test", "package", "verify", "install", "deploy"} and not skipping:
        found.append(("tests", "maven"))
    if goals & {"compile", "test-compile", "package", "verify", "install", "deploy"}:
        found.append(("build", "maven"))
    return found


def _gradle(words: list[str]) -> list[tuple[str, str]]:
    found = []
    excluded = {words[at + 1] for at, word in enumerate(words[:-1]) if word == "-x"}
    tasks = [word.rsplit(":", 1)[-1] for word in _plain(words) if word not in excluded]
    if any(task == "check" or task.lower().endswith("test") for task in tasks):
        found.append(("tests", "gradle"))
    if {"build", "assemble", "classes", "jar", "compileJava", "compileKotlin"} & set(tasks):
        found.append(("build", "gradle"))
    return found


def _dotnet(words: list[str]) -> list[tuple[str, str]]:
    kinds = {"test": "tests", "build": "build", "publish": "build"}
    verb = words[0] if words else ""
    return [(kinds[verb], f"dotnet {verb}")] if verb in kinds else []


def _cmake(words: list[str]) -> list[tuple[str, str]]:
    if words[:1] != ["--build"]:
        return []
    targets = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("--target", "-t")]
    return [("tests", "ctest")] if {"test", "check"} & set(targets) else [("build", "cmake")]


def _docker(words: list[str]) -> list[tuple[str, str]]:
    verbs = [word for word in _plain(words) if word not in ("buildx", "compose", "image")]
    return [("build", "docker")] if verbs[:1] == ["build"] and "--check" not in words else []


def _tsc(words: list[str]) -> list[tuple[str, str]]:
    return [("types", "tsc")] if "--noEmit" in words else [("types", "tsc"), ("build", "tsc")]


def _ruff(words: list[str]) -> list[tuple[str, str]]:
    if words[:1] == ["check"]:
        return [("lint", "ruff")]
    judges = words[:1] == ["format"] and ("--check" in words or "--diff" in words)
    return [("lint", "ruff format")] if judges else []


def _django(words: list[str]) -> list[tuple[str, str]]:
    return [("tests", "unittest")] if words[:1] == ["test"] else []


def _python(words: list[str]) -> list[tuple[str, str]]:
    return _django(words[1:]) if words and name_of(words[0]) == "manage.py" else []


def _chores(tool: str, targets: list[str]) -> list[tuple[str, str]]:
    """What the names of a project's own targets promise; `check` promises nothing by itself."""
    found: list[tuple[str, str]] = []
    for target in targets:
        stem = target.replace("_", "-").replace(":", "-").split("-")[0].lower()
        if stem in ("test", "tests", "unittest", "spec"):
            found.append(("tests", f"{tool} {target}"))
        elif stem in ("build", "compile", "all"):
            found.append(("build", f"{tool} {target}"))
        elif stem in ("lint", "eslint", "ruff"):
            found.append(("lint", f"{tool} {target}"))
        elif stem in ("typecheck", "types", "tsc", "mypy") or target == "type-check":
            found.append(("types", f"{tool} {target}"))
        elif stem in ("check", "verify", "ci"):
            found += [(kind, f"{tool} {target}?") for kind in ("tests", "lint", "types")]
    return found


def _maker(tool: str) -> Callable[[list[str]], list[tuple[str, str]]]:
    def read(words: list[str]) -> list[tuple[str, str]]:
        targets = [word for word in _plain(words) if not word.isdigit()]  # `make -j 4`
        if not targets and tool in ("make", "gmake"):
            return [("build", "make")]
        return _chores(tool, targets)

    return read


def _package_manager(tool: str) -> Callable[[list[str]], list[tuple[str, str]]]:
    def read(words: list[str]) -> list[tuple[str, str]]:
        words = _past_options(words)
        if words[:1] in (["run"], ["run-script"]):
            return _chores(tool, _past_options(words[1:])[:1])
        if words[:1] in (["t"], ["tst"]):
            return [("tests", f"{tool} test")]
        if tool == "npm":
            return _chores(tool, words[:1]) if words[:1] == ["test"] else []
        # pnpm, yarn and bun run scripts and installed programs by their bare name.
        direct = tools(name_of(words[0]), words[1:]) if words else []
        return direct or _chores(tool, words[:1])

    return read


SINGLE: dict[str, tuple[tuple[str, str], ...]] = {
    **{name: (("tests", name),) for name in ("pytest", "unittest", "jest", "vitest", "mocha")},
    **{name: (("tests", name),) for name in ("rspec", "phpunit", "ctest", "tox")},
    "eslint": (("lint", "eslint"),),
    "mypy": (("types", "mypy"),),
}
FAMILIES: dict[str, Callable[[list[str]], list[tuple[str, str]]]] = {
    "go": _go,
    "cargo": _cargo,
    "mvn": _maven,
    "gradle": _gradle,
    "dotnet": _dotnet,
    "cmake": _cmake,
    "docker": _docker,
    "podman": _docker,
    "tsc": _tsc,
    "ruff": _ruff,
    "manage.py": _django,
    "django-admin": _django,
    "python": _python,
    "python3": _python,
    **{tool: _maker(tool) for tool in MAKERS},
    **{tool: _package_manager(tool) for tool in PACKAGE_MANAGERS},
}
