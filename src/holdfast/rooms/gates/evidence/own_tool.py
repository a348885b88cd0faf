"""Whether a command line runs the project's own tools on its own files, and what it does to them.

Laws: a bare name is what PATH has, and counts. A program that is named by its path counts inside
the project, in a virtual environment, and where systems and package managers put programs; so do
folders that a line puts on PATH. A function or an alias of a tool's name is none, and neither is a
run in another folder than the project's: another worktree is another tree. What only shows at run
time is not seen.
"""

from __future__ import annotations

from holdfast.shell.program import name
from holdfast.system import files, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdfast.shell.simple_commands import SimpleCommand

SYSTEM = ("/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/home/linuxbrew/", "/Library/")
ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
MACHINES = frozenset("docker podman docker-compose kubectl ssh vagrant wsl".split())
# Programs that rewrite files to a form, with the word that makes them do so.
FORMATTERS = {
    **dict.fromkeys(("black", "isort", "autopep8", "yapf", "rustfmt"), ""),
    **dict.fromkeys(("ruff", "dart", "mix", "biome"), "format"),
    **dict.fromkeys(("cargo", "terraform", "tofu", "go", "deno", "dprint"), "fmt"),
    **dict.fromkeys(("gofmt", "goimports", "shfmt"), "-w"),
    "prettier": "--write",
    "clang-format": "-i",
}
NOT_WRITING = frozenset({"--check", "--diff", "--list-different"})
GIT_WRITES = frozenset(
    "apply am checkout cherry-pick merge pull rebase reset restore revert stash switch".split()
)


class Line:
    """A command line, read from its beginning on: where it stands, and what it has led astray."""

    def __init__(self, command: str, folder: str, root: str) -> None:
        self.folder = self._start = folder
        self.root = root
        self._squeezed = command.replace(" ", "")
        self._is_led_astray = any(
            not self._is_of_project(f"{entry}/program")
            for entry in _put_on_path(command)
            if "$" not in entry
        )

    def is_elsewhere(self, simple: SimpleCommand) -> bool:
        """Whether a container or another machine runs it: the folders there are not ours."""
        outer = simple.run_by
        while outer is not None and name(outer.words[0]) not in MACHINES:
            outer = outer.run_by
        return outer is not None

    def owns(self, program: str) -> bool:
        """Whether a program that it runs here counts as the project's own."""
        tool = program.rpartition("/")[2]
        replaced = (f"{tool}(){{", f"function{tool}{{", f"alias{tool}=")
        if any(words in self._squeezed for words in replaced) or not self._is_in_project():
            return False
        return self._is_of_project(program) if "/" in program else not self._is_led_astray

    def move(self, words: Sequence[str]) -> None:
        """Past a command that changes the folder."""
        if words[0] in ("cd", "pushd") and len(words) > 1 and "$" not in words[-1]:
            back = words[-1] == "-"
            self.folder = self._start if back else self._whole(words[-1])

    def _whole(self, path: str) -> str:
        import os

        return os.path.normpath(os.path.join(self.folder, os.path.expanduser(path)))

    def _is_in_project(self) -> bool:
        if not self.root or not self.folder or self._has(self.folder):
            return True
        import os

        return self._has(os.path.realpath(self.folder))

    def _has(self, path: str) -> bool:
        return f"{path}/".startswith(f"{self.root}/")

    def _is_of_project(self, program: str) -> bool:
        if "$" in program or not self.root:
            return True
        path = self._whole(program)
        own = path.removeprefix(f"{paths.home()}/")
        in_home = own != path and own.startswith((".", "go/bin/"))  # .local/bin, .cargo/bin
        environment = path.rpartition("/")[0].rpartition("/")[0]
        return (
            self._has(path)
            or path.startswith(SYSTEM)
            or in_home
            or any(files.exists(f"{environment}/{sign}") for sign in ENVIRONMENTS)
        )


def _put_on_path(command: str) -> list[str]:
    words = command.replace(";", " ").replace('"', "").replace("'", "").split()
    values = [word[5:] for word in words if word.startswith("PATH=")]
    return [entry for value in values for entry in value.split(":") if entry]


def formats(program: str, words: Sequence[str]) -> bool:
    """Whether a program rewrites files to a form, and does nothing else."""
    word = FORMATTERS.get(program)
    return word is not None and (not word or word in words) and NOT_WRITING.isdisjoint(words)


def edits(program: str, words: Sequence[str]) -> bool:
    """Whether a program is known to change files of the project."""
    if program == "git":
        return any(word in GIT_WRITES for word in words[:1]) and "-b" not in words
    in_place = any(word.startswith(("-i", "--in-place")) for word in words)
    return program == "patch" or (program in ("sed", "gsed", "perl") and in_place)
