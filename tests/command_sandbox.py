"""A project in a scratch folder, and a PATH on which each program only writes down its call."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

# These run, in the scratch folder; everything else that a command names is a shim or is not there.
REAL = (
    "bash sh env timeout nice nohup xargs find cat grep tee true false sleep mkdir touch setsid"
    " stdbuf sed head tail ls sort wc which printf echo test mv cp dd base64 tr cut seq basename"
    " dirname python3 node perl chmod install truncate ln"
).split()
SHIMS = (
    "git npm yarn pnpm bun npx docker psql mysql sqlite3 dropdb redis-cli pytest gh glab kubectl"
    " helm terraform vercel twine cargo gem poetry uv pip pip3 ssh scp rsync rm vale curl alembic"
    " go make apt-get brew composer bundle flyctl fly aws serverless npx jest vitest mongosh prisma"
    " knex flyway rails patch pulumi netlify wrangler firebase gcloud ansible-playbook tox mvn"
    " gradle dotnet sudo rimraf hub tofu sftp wget ruby php mysqladmin lerna goreleaser heroku"
).split()
SHIM = """#!{bash}
printf '%s\\x1f' "${{0##*/}}" "$@" >> "$LOG"; printf '\\x1e' >> "$LOG"
case "${{0##*/}}" in
  sudo) while [ "${{1#-}}" != "$1" ]; do [ "$1" = -u ] && shift; shift; done; exec "$@" ;;
  npm|yarn|make) [ "$1" = run ] && shift; [ -f "$RECIPES/$1" ] && exec sh "$RECIPES/$1" ;;
  npx) exec "$@" ;;
esac
exit 0
"""
RECIPES = {"ship": "git push origin main", "tidy": "rm -rf build"}
FILES = {
    "src/a.py": "a = 1\n",
    "src/b.py": "b = a\n",
    "docs/b.md": "# B\n",
    "docs/plans/one.md": "plan\n",
    "notes.txt": "notes\n",
    "msg.txt": "A message\n",
    "cmd.txt": "git push origin main\n",
    "build/x.o": "",
    "sub/file.txt": "",
    "fix.patch": "",
    "drop.sql": "drop table users;\n",
    "scripts/release.sh": "#!/bin/sh\nset -e\ngit push origin main\nnpm publish\n",
    "scripts/check.sh": "#!/bin/sh\npytest -q\n",
    "package.json": '{"scripts": {"ship": "git push origin main", "tidy": "rm -rf build"}}\n',
    "Makefile": "ship:\n\tgit push origin main\n\ntidy:\n\t@rm -rf build\n",
    ".git/HEAD": "ref: refs/heads/feature\n",
    ".git/refs/heads/main": f"{'1' * 40}\n",
    ".git/refs/heads/dev": f"{'2' * 40}\n",
    ".git/refs/heads/feature": f"{'3' * 40}\n",
    ".git/config": '[alias]\n\tpp = push\n\tci = commit\n[branch "feature"]\n\tremote = origin\n'
    "\tmerge = refs/heads/feature\n",
}
HOME_FILES = {".gitconfig": "[alias]\n  yolo = !git commit -m x && git push -f origin main\n"}


def make(folder: Path) -> tuple[Path, Path]:
    """The project, and the home beside it."""
    project, home = folder / "project", folder / "home"
    for root, files in ((project, FILES), (home, HOME_FILES)):
        for name, content in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")
    for script in (project / "scripts").iterdir():
        script.chmod(0o755)
    return project, home


def shims(folder: Path) -> Path:
    """The folder that is all of PATH."""
    for program in REAL:
        for place in ("/usr/bin", "/bin", "/usr/local/bin"):
            if Path(place, program).exists():
                (folder / program).symlink_to(f"{place}/{program}")
                break
    text = SHIM.format(bash=(folder / "bash").resolve())
    for program in SHIMS:
        path = folder / program
        path.write_text(text, "utf-8")
        path.chmod(0o755)
    recipes = folder / "recipes"
    recipes.mkdir()
    for name, recipe in RECIPES.items():
        (recipes / name).write_text(recipe, "utf-8")
    return folder


def run(command: str, path: Path, folder: Path) -> tuple[list[list[str]], set[str]]:
    """The calls that were written down, and the files that changed."""
    project, home = make(folder)
    log = folder / "log"
    before = _contents(project)
    environment = {"PATH": str(path), "LOG": str(log), "HOME": str(home)}
    environment["RECIPES"] = str(path / "recipes")
    subprocess.run(
        [str(path / "bash"), "-c", command],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
    )
    if command.rstrip().endswith("&"):
        until = time.monotonic() + 20
        while not log.exists() and time.monotonic() < until:
            time.sleep(0.02)
    text = log.read_bytes().decode("utf-8", "replace") if log.exists() else ""
    calls = [call.split("\x1f")[:-1] for call in text.split("\x1e")[:-1]]
    after = _contents(project)
    return calls, {name for name in before | after if before.get(name) != after.get(name)}


def _contents(project: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(project)): path.read_bytes()
        for path in project.rglob("*")
        if path.is_file()
    }
