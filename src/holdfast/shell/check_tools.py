"""Programs that check the work: tests, builds, linters, type checks.

`CHECKS` are programs that do nothing else. Others do when they are told to: `go test`, `make lint`.
What is only listed, rehearsed or asked for help is no run.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Check = tuple[str, str]  # the kind of check, and the tool's name

CHECKS: dict[str, str] = {
    **dict.fromkeys(
        "pytest unittest tox nox nose2 jest vitest mocha ava karma phpunit rspec minitest ctest"
        " gotestsum nextest pest behave cucumber bats busted".split(),
        "tests",
    ),
    **dict.fromkeys(
        "ruff flake8 pylint black isort eslint biome prettier oxlint stylelint golangci-lint"
        " staticcheck clippy rubocop shellcheck hadolint actionlint yamllint vale markdownlint"
        " ktlint detekt swiftlint pre-commit".split(),
        "lint",
    ),
    **dict.fromkeys("mypy pyright tsc phpstan psalm".split(), "types"),
    **dict.fromkeys("cmake act".split(), "build"),
}
# Of these we know what they print and when they end with zero.
UNDERSTOOD = frozenset(
    "pytest unittest jest vitest mocha rspec phpunit ctest tox eslint mypy".split()
)
ALIASES = {"gradlew": "gradle", "mvnw": "mvn", "mvnd": "mvn", "py.test": "pytest"}
PACKAGE_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
MAKERS = frozenset({"make", "gmake", "just", "rake"})
# Options whose value is a word of its own.
VALUED = frozenset(
    "--with --extra --group --python -p -n -u -k -s --project --directory --package -C -f"
    " --makefile -o -e -i --signal --kill-after --filter --prefix --workspace -F -W -X".split()
)
# `make -s test`, `npm run -s build`: to make and to package managers these stand alone.
VALUED_BY_RUNNERS = VALUED - frozenset("-s -k -i -e".split())

GO = {"test": "tests", "build": "build", "install": "build", "vet": "lint"}
CARGO = {"test": "tests", "build": "build", "check": "types", "clippy": "lint"}
CARGO_SHORT = {"t": "test", "b": "build", "c": "check"}
DOTNET = {"test": "tests", "build": "build", "publish": "build"}

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


def names_check(text: str) -> bool:
    """Whether a text has the words of a check in it at all: most commands have not."""
    for ending in (".exe", ".cmd", ".bat"):
        text = text.replace(ending, " ")
    words = set(text.translate(BLANKS).split())
    return any(name not in VERBS or not VERBS[name].isdisjoint(words) for name in NAMES & words)


def checks(name: str, words: list[str]) -> list[Check]:
    """The kinds of check that this program with these words does, with the tool's name."""
    name = ALIASES.get(name, name)
    not_a_run = NOT_A_RUN_OF.get(name, frozenset())
    if any(word in NOT_A_RUN or word in not_a_run for word in words):
        return []
    if name in UNDERSTOOD:
        return [(CHECKS[name], name)]
    return FAMILIES[name](words) if name in FAMILIES else []


def _is_assignment(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def _past_options(words: list[str], valued: frozenset[str] = VALUED) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in valued else 1
    return words[at:]


def _plain(words: list[str], valued: frozenset[str] = VALUED) -> list[str]:
    """The words that are neither options, their values, nor assignments."""
    plain, skip = [], False
    for word in words:
        if skip or word.startswith("-") or _is_assignment(word):
            skip = not skip and word in valued
        else:
            plain.append(word)
    return plain


def _go(words: list[str]) -> list[Check]:
    verb = (_past_options(words) or [""])[0]
    return [(GO[verb], f"go {verb}")] if verb in GO else []


def _cargo(words: list[str]) -> list[Check]:
    words = [word for word in words if not word.startswith(("+", "-"))]
    verb = CARGO_SHORT.get(words[0], words[0]) if words else ""
    return [(CARGO[verb], f"cargo {verb}")] if verb in CARGO else []


def _maven(words: list[str]) -> list[Check]:
    skipping = any(
        word.startswith(("-DskipTests", "-Dmaven.test.skip")) and not word.endswith("=false")
        for word in words
    )
    goals = set(_plain(words))
    done = []
    if goals & {"test", "package", "verify", "install", "deploy"} and not skipping:
        done.append(("tests", "maven"))
    if goals & {"compile", "test-compile", "package", "verify", "install", "deploy"}:
        done.append(("build", "maven"))
    return done


def _gradle(words: list[str]) -> list[Check]:
    done = []
    excluded = {words[at + 1] for at, word in enumerate(words[:-1]) if word == "-x"}
    tasks = [word.rsplit(":", 1)[-1] for word in _plain(words) if word not in excluded]
    if any(task == "check" or task.lower().endswith("test") for task in tasks):
        done.append(("tests", "gradle"))
    if {"build", "assemble", "classes", "jar", "compileJava", "compileKotlin"} & set(tasks):
        done.append(("build", "gradle"))
    return done


def _dotnet(words: list[str]) -> list[Check]:
    verb = words[0] if words else ""
    return [(DOTNET[verb], f"dotnet {verb}")] if verb in DOTNET else []


def _cmake(words: list[str]) -> list[Check]:
    if words[:1] != ["--build"]:
        return []
    targets = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("--target", "-t")]
    return [("tests", "ctest")] if {"test", "check"} & set(targets) else [("build", "cmake")]


def _docker(words: list[str]) -> list[Check]:
    verbs = [word for word in _plain(words) if word not in ("buildx", "compose", "image")]
    return [("build", "docker")] if verbs[:1] == ["build"] and "--check" not in words else []


def _tsc(words: list[str]) -> list[Check]:
    return [("types", "tsc")] if "--noEmit" in words else [("types", "tsc"), ("build", "tsc")]


def _ruff(words: list[str]) -> list[Check]:
    if words[:1] == ["check"]:
        return [("lint", "ruff")]
    judges = words[:1] == ["format"] and ("--check" in words or "--diff" in words)
    return [("lint", "ruff format")] if judges else []


def _django(words: list[str]) -> list[Check]:
    return [("tests", "unittest")] if words[:1] == ["test"] else []


def _chores(tool: str, targets: list[str]) -> list[Check]:
    """What the names of a project's own targets promise; `check` promises nothing by itself."""
    promised: list[Check] = []
    for target in targets:
        stem = target.replace("_", "-").replace(":", "-").split("-")[0].lower()
        if stem in ("test", "tests", "unittest", "spec"):
            promised.append(("tests", f"{tool} {target}"))
        elif stem in ("build", "compile", "all"):
            promised.append(("build", f"{tool} {target}"))
        elif stem in ("lint", "eslint", "ruff"):
            promised.append(("lint", f"{tool} {target}"))
        elif stem in ("typecheck", "types", "tsc", "mypy") or target == "type-check":
            promised.append(("types", f"{tool} {target}"))
        elif stem in ("check", "verify", "ci"):
            promised += [(kind, f"{tool} {target}?") for kind in ("tests", "lint", "types")]
    return promised


def _maker(tool: str) -> Callable[[list[str]], list[Check]]:
    def read(words: list[str]) -> list[Check]:
        plain = _plain(words, VALUED_BY_RUNNERS)
        targets = [word for word in plain if not word.isdigit()]  # `make -j 4`
        if not targets and tool in ("make", "gmake"):
            return [("build", "make")]
        return _chores(tool, targets)

    return read


def _package_manager(tool: str) -> Callable[[list[str]], list[Check]]:
    def read(words: list[str]) -> list[Check]:
        words = _past_options(words, VALUED_BY_RUNNERS)
        if words[:1] in (["run"], ["run-script"]):
            return _chores(tool, _past_options(words[1:], VALUED_BY_RUNNERS)[:1])
        if words[:1] in (["t"], ["tst"]):
            return [("tests", f"{tool} test")]
        if tool == "npm":
            return _chores(tool, words[:1]) if words[:1] == ["test"] else []
        # pnpm, yarn and bun run scripts and installed programs by their bare name.
        direct = checks(words[0].rpartition("/")[2], words[1:]) if words else []
        return direct or _chores(tool, words[:1])

    return read


FAMILIES: dict[str, Callable[[list[str]], list[Check]]] = {
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
    **{tool: _maker(tool) for tool in MAKERS},
    **{tool: _package_manager(tool) for tool in PACKAGE_MANAGERS},
}
NAMES = frozenset([*UNDERSTOOD, *FAMILIES, *ALIASES])
# One of these words must follow.
VERBS: dict[str, frozenset[str]] = {
    "go": frozenset(GO),
    "cargo": frozenset([*CARGO, *CARGO_SHORT]),
    "dotnet": frozenset(DOTNET),
    "docker": frozenset({"build"}),
    "podman": frozenset({"build"}),
    "cmake": frozenset({"--build"}),
    "ruff": frozenset({"check", "format"}),
    "manage.py": frozenset({"test"}),
    "django-admin": frozenset({"test"}),
    "npm": frozenset({"t", "tst", "test", "run", "run-script"}),
}
# What may stand beside a program's name.
BLANKS = str.maketrans(dict.fromkeys("/\\'\"`$(){}[]|&;<>=,\t\r\n", " "))
