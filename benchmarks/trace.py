"""How far one event travels: modules loaded, and how often the running file changes.

    python benchmarks/trace.py [--package FOLDER]

One session is begun, prompted and edits a file, without the bundle, so that every module is found
by its name. The hooks of one PostToolUse and one SessionStart are traced: each call of a function
of ours that lies in another file than the one called before is a change.
`--package` traces another checkout's `src`, to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAYLOADS = ROOT / "tests" / "payloads" / "claude_code" / "2.1.325"

TRACED = """
import os, sys
sys.path += {folders!r}
changes, last = [0], [None]
def note(frame, event, argument):
    name = frame.f_code.co_filename
    if "/holdfast/" not in name or event != "call":
        return
    if last[0] is not None and name != last[0]:
        changes[0] += 1
    last[0] = name
def leave(code, leave=os._exit):
    sys.setprofile(None)
    ours = [module for name, module in sys.modules.items() if name.startswith("holdfast.")]
    modules = sum(not hasattr(module, "__path__") for module in ours)
    os.write(2, f"{{modules}} {{changes[0]}}".encode())
    leave(code)
import posix
posix._exit = leave
sys.argv = [{launcher!r}]
from holdfast.hook import main
sys.setprofile(note)
main()
"""


def traced(package: Path, home: Path, repo: Path, payload: dict[str, object]) -> tuple[int, int]:
    """One hook: modules of ours that it loaded, and changes of file."""
    import apsw

    folders = [str(package), str(Path(apsw.__file__).parents[1])]
    script = TRACED.format(folders=folders, launcher=str(home / ".local/state/holdfast/hook.py"))
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script],
        input=json.dumps(payload).encode(),
        env={"HOME": str(home), "XDG_RUNTIME_DIR": str(home), "CLAUDE_PROJECT_DIR": str(repo)},
        cwd=repo,
        capture_output=True,
        check=True,
    )
    modules, changes = done.stderr.split()
    return int(modules), int(changes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--package", type=Path, default=ROOT / "src")
    package = parser.parse_args().package.resolve()
    with tempfile.TemporaryDirectory() as folder:
        home, repo = Path(folder, "home"), Path(folder, "app")
        os.makedirs(home, 0o700)
        subprocess.run(["git", "init", "-q", "-b", "main", str(repo)], check=True)
        (repo / "a.py").write_text("a = 1\n")
        begun = {"session_id": "s1", "cwd": str(repo)}
        edit = {"file_path": str(repo / "a.py"), "old_string": "a = 1", "new_string": "a = 2"}
        for name, more in (
            ("SessionStart.startup", {}),
            ("UserPromptSubmit", {}),
            ("PostToolUse.Edit", {"tool_input": edit}),
            ("Stop", {}),
            ("SessionEnd.other", {}),
        ):
            payload = json.loads((PAYLOADS / f"{name}.json").read_text())
            result = traced(package, home, repo, {**payload, **begun, **more})
            if name.startswith("PostToolUse"):
                print(f"PostToolUse   modules {result[0]}, changes of file {result[1]}")
        payload = json.loads((PAYLOADS / "SessionStart.startup.json").read_text())
        result = traced(package, home, repo, {**payload, **begun, "session_id": "s2"})
        print(f"SessionStart  modules {result[0]}, changes of file {result[1]}")


if __name__ == "__main__":
    main()
