"""A copy of this tree with an environment of its own, where anything may be changed and run.

Every process that a test starts, a hook by its launcher and a command by its script, comes from the
copy. Tests run in a shield: to them everything but the copy is read-only, they see no process
but their own, and whatever they leave running ends with them. A mutant that removes the wrong
folder or ends the wrong process does no harm.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src") / "holdfast"
# What runs in circles ends by the time of the processor, which no other work on the machine takes.
LIMIT = "ulimit -t 60"
SHIELD = (
    *("unshare", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"),
    *("sh", "-c"),
    f'mount --bind "$0" "$0" && mount -o remount,bind,ro / && cd "$0" && {LIMIT} && exec "$@"',
)


class Tree:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scratch = folder / "scratch"
        self._stamps = 0
        named = subprocess.run(
            ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"],
            check=True,
            capture_output=True,
            text=True,
        )
        for name in filter(None, named.stdout.split("\0")):
            if (ROOT / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
        for cache in (ROOT / "src").rglob("__pycache__"):  # byte code, while it is of these sources
            shutil.copytree(cache, folder / cache.relative_to(ROOT), dirs_exist_ok=True)
        self._make_environment()

    def _make_environment(self) -> None:
        python = self.folder / ".venv" / "bin" / "python"
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", str(python.parents[1])], check=True
        )
        site = next(python.parents[1].glob("lib/python*/site-packages"))
        # The libraries of the environment that this runs in, without what points at its sources.
        libraries = sysconfig.get_path("purelib")
        (site / "copy.pth").write_text(f"{self.folder / 'src'}\n{libraries}\n")
        for script in ("holdfast", "req"):
            written = (Path(sys.executable).parent / script).read_text()
            copied = python.with_name(script)
            copied.write_text(f"#!{python}\n{written.split(chr(10), 1)[1]}")
            copied.chmod(0o755)

    def write(self, name: str, content: bytes) -> None:
        """A source with a time that it never had before: byte code is known by time and length."""
        self._stamps += 2
        (self.folder / name).write_bytes(content)
        times = (ROOT / name).stat().st_mtime + self._stamps
        os.utime(self.folder / name, (times, times))

    def put_back(self, name: str) -> None:
        shutil.copy2(ROOT / name, self.folder / name)

    def pytest(self, *arguments: str, seconds: float) -> subprocess.CompletedProcess[str] | None:
        """pytest in the shield, in a clean environment; None when the time is over."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        (self.scratch / "home").mkdir(parents=True)
        python = str(self.folder / ".venv" / "bin" / "python")
        options = (
            "-p",
            "no:cacheprovider",
            "-p",
            "pytest_timeout",
            f"--basetemp={self.scratch}/base",
        )
        try:
            return subprocess.run(
                [*SHIELD, str(self.folder), python, "-m", "pytest", *options, *arguments],
                env={
                    "HOME": str(self.scratch / "home"),
                    "TMPDIR": str(self.scratch),
                    "PATH": f"{Path(python).parent}:{os.environ['PATH']}",
                    "LANG": os.environ.get("LANG", "C.UTF-8"),
                    "PYTHONPATH": str(self.folder / "benchmarks"),
                    # Other plugins take most of the time in which pytest starts.
                    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                },
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
