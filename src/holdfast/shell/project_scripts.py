"""What a short script of the project, or one of its chores, has a shell run.

Read as plain files, where the reading of commands was told of a folder: shell scripts, the scripts
of a package.json, the recipes of a Makefile. A recipe that names what only make knows stays unread.
"""

from __future__ import annotations

from holdfast.shell.program import Word, name, normalised
from holdfast.system import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdfast.shell.shell_state import Scope

SOURCING = frozenset({"source", "."})
MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
NEVER_ASKED = ("activate", ".bashrc", ".zshrc", ".profile", ".bash_profile", "nvm.sh")


def script(words: list[Word], outer: str, scope: Scope, shells: frozenset[str]) -> str | None:
    """The text that a program is, None when it is no script of a shell's; what nobody can read is
    noted."""
    path = words[0].text
    by_shell = outer in shells or outer in SOURCING
    if not scope.world.folder or not words[0].is_known or not (by_shell or "/" in path):
        return None
    text = scope.world.read(path, scope.folder)
    first = (text or "").partition("\n")[0]
    is_script = by_shell or path.endswith(".sh")
    if text is not None and (is_script or (first.startswith("#!") and first.endswith("sh"))):
        return text
    if is_script and text is None and not path.endswith(NEVER_ASKED):
        scope.world.hide(" ".join([outer, path]) if by_shell else path)
    return None


def chore(words: list[Word], scope: Scope) -> str | None:
    """The text behind `npm run NAME` or `make NAME`; None where there is none to be seen."""
    program = name(words[0])
    if not scope.world.folder or program not in (*MANAGERS, "make", "gmake"):
        return None
    texts = [word.text for word in normalised(words)[1:]]
    if program in MANAGERS:
        if texts[:1] in (["run"], ["run-script"]):
            texts = texts[1:]
        elif program == "npm" and texts[:1] not in (["test"], ["start"], ["stop"], ["restart"]):
            return None
        return _package_script(texts[0], scope) if texts else None
    targets = [text for text in texts if not text.startswith("-") and "=" not in text]
    if any(word.text in ("-n", "--dry-run", "--just-print") for word in words):
        return None
    recipes = [_recipe(target, scope) for target in targets]
    return "\n".join(recipe for recipe in recipes if recipe) or None


def _package_script(wanted: str, scope: Scope) -> str | None:
    try:
        package = jsontext.loads(scope.world.read("package.json", scope.folder) or "{}")
        text = package["scripts"][wanted]
    except (ValueError, KeyError, TypeError):
        return None
    return text if isinstance(text, str) else None


def _recipe(wanted: str, scope: Scope) -> str:
    texts = [scope.world.read(file, scope.folder) for file in MAKEFILES]
    lines: list[str] = []
    is_inside = False
    for line in next(filter(None, texts), "").splitlines():
        if line.startswith("\t"):
            if is_inside:
                lines.append(line.strip().lstrip("@-+").replace("$$", "$"))
        elif line.strip():
            is_inside = wanted in line.partition(":")[0].split() and ":=" not in line
    return "\n".join(lines)
