"""Make the older stores of this folder again: `python tests/stores/make.py [commit ...]`.

Each commit of HISTORY is unpacked into a scratch folder, and its own hook and its own commands
write a small store: nothing of today's code has a part in it. It takes a full clone, and this
interpreter must have today's dependencies. Places are the same on every machine; times, process
ids and salts are not, so an archive differs each time it is made.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAYLOADS = HERE.parent / "payloads" / "claude_code" / "2.1.325"
SCRATCH = Path("/tmp/holdfast-older")  # it is in the entries: no place of anybody's home

# The last commit of every state that the tables were ever in, on any line of the history; the last
# one that heard rules in plans; and the last one before rooms were renamed.
HISTORY = (
    ("01-a", "667525a"),
    ("01-b", "ebe253b"),
    ("02", "ac7b243"),
    ("03", "81e68f0"),
    ("04-a", "48ebe8b"),
    ("04-b", "4623dca"),
    ("05", "3792870"),
    ("06-a", "ccf5c14"),
    ("06-b", "235dc68"),
    ("06-c", "300359b"),
    ("07-a", "3b5955b"),
    ("07-b", "96ac2e6"),
    ("07-c", "9f31fac"),
    ("08", "eb6fec6"),
    ("09-a", "87f539b"),
    ("09-b", "bda5b22"),
    ("09-c", "edc7027"),
    ("09-d", "2a54a6e"),
    ("09-e", "e3ee210"),  # the last that heard rules in plans
    ("12", "086fd8c"),  # the rooms had other names
)
LAUNCHER = (
    "import os, sys; from holdfast.setup import install; os.makedirs(sys.argv[1], 0o700, True);"
    "install.write_launcher(sys.argv[1]); print(install.hook_command(sys.argv[1]))"
)
FIRST, SECOND, THIRD = (f"{letter * 8}-0000-4000-8000-000000000000" for letter in "abf")
PLAN = (
    "Implement the following plan:\n\n# Plan: Tags for notes\n\n## Rules\n\n"
    "- Never write to the old table.\n- Always use transactions.\n"
)
EVENTS = (
    ("SessionStart.startup", FIRST, {}),
    ("UserPromptSubmit", FIRST, {"prompt": "Add a login page. Never touch the billing module."}),
    ("PostToolUse.Read", FIRST, {}),
    ("PostToolUse.Edit", FIRST, {}),
    ("PostToolUseFailure.Bash", FIRST, {}),
    ("PostToolUse.TodoWrite", FIRST, {}),
    ("Stop", FIRST, {"last_assistant_message": "The form is there, its test fails."}),
    ("PreCompact.auto", FIRST, {}),
    ("SessionEnd.other", FIRST, {}),
    ("SessionStart.startup", SECOND, {}),
    ("UserPromptSubmit", SECOND, {"prompt": "Finish the login page."}),
    ("PostToolUse.Edit", SECOND, {}),
    ("Stop", SECOND, {"last_assistant_message": "Done."}),
)
# A plan that was accepted comes back as a prompt, and so does what the client writes.
PLANNED = {
    "09-e": (
        ("SessionStart.startup", THIRD, {}),
        ("UserPromptSubmit", THIRD, {"prompt": PLAN}),
        ("UserPromptSubmit", THIRD, {"prompt": "Never rename a public function."}),
    )
}
# What a version does not know yet it refuses, and its store has nothing of it.
COMMANDS = (
    ("pin", "The staging host is called heron."),
    ("learn", "Run the migrations before the tests."),
    ("contract", "set", "--session", SECOND, "--goal", "login", "--criterion", "its test passes"),
    ("decide", "Sessions are kept in a cookie.", "--because", "The proxy keeps no state."),
    ("decide", "Sessions are kept in the database."),
    ("dream",),
)


def make(name: str, commit: str) -> None:
    shutil.rmtree(SCRATCH, ignore_errors=True)
    source, repo, state = SCRATCH / "source", SCRATCH / "app", SCRATCH / "state" / "holdfast"
    for folder in (source, repo, state.parent, SCRATCH / "home", SCRATCH / "run"):
        folder.mkdir(parents=True, mode=0o700)
    packed = subprocess.run(
        ["git", "-C", str(ROOT), "archive", commit, "src"], check=True, capture_output=True
    )
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(source, filter="data")
    environment = {
        "HOME": str(SCRATCH / "home"),
        "XDG_RUNTIME_DIR": str(SCRATCH / "run"),
        "HOLDFAST_STATE_HOME": str(state),
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": str(source / "src"),
        "CLAUDE_PROJECT_DIR": str(repo),
        "GIT_AUTHOR_NAME": "dev",
        "GIT_AUTHOR_EMAIL": "dev@example.com",
        "GIT_COMMITTER_NAME": "dev",
        "GIT_COMMITTER_EMAIL": "dev@example.com",
    }

    def run(*command: str, said: bytes = b"", is_sure: bool = True) -> str:
        done = subprocess.run(
            command,
            input=said,
            env=environment,
            cwd=repo,
            capture_output=True,
            timeout=60,
            check=False,
        )
        if is_sure and done.returncode:
            raise SystemExit(f"{name}: {command}: {done.stderr.decode()}")
        return done.stdout.decode().strip()

    run("git", "init", "-q", "-b", "feature")
    (repo / "README.md").write_text("# app\n")
    run("git", "add", ".")
    run("git", "commit", "-q", "-m", "Begin")
    hook = run(sys.executable, "-c", LAUNCHER, str(state))
    for number, (event, session, more) in enumerate((*EVENTS, *PLANNED.get(name, ()))):
        said = json.loads((PAYLOADS / f"{event}.json").read_text())
        own = {"cwd": str(repo), "session_id": session, "transcript_path": "/nowhere.jsonl"}
        keys = {"prompt_id": f"p{number}", "tool_use_id": f"t{number}"}
        said.update({**own, **{key: value for key, value in keys.items() if key in said}, **more})
        run("/bin/sh", "-c", hook, said=json.dumps(said).encode())
    for command in COMMANDS:
        run(sys.executable, "-m", "holdfast", *command, is_sure=False)
    if (state / "spool").is_dir() and list((state / "spool").iterdir()):
        raise SystemExit(f"{name}: events are left in the spool")
    _pack(name, state)


def _pack(name: str, state: Path) -> None:
    with tarfile.open(HERE / f"{name}.tar.gz", "w:gz", compresslevel=9) as archive:
        for path in (state / "store.db", state / "store.db-wal"):
            if path.exists():
                about = tarfile.TarInfo(path.name)
                about.size, about.mode = path.stat().st_size, 0o600
                archive.addfile(about, io.BytesIO(path.read_bytes()))


if __name__ == "__main__":
    os.umask(0o077)
    wanted = sys.argv[1:]
    for name, commit in HISTORY:
        if not wanted or commit in wanted:
            make(name, commit)
            print(name, commit)
    shutil.rmtree(SCRATCH, ignore_errors=True)
