"""Put our hooks into an agent's settings, and take them out again.

Laws: foreign entries and unknown keys stay as they are, to the byte; what was there is backed up
before the first change; installing twice is installing once; uninstalling gives back the file as
it was, less nothing that others added meanwhile, and a file that we made is gone.

The hook command is the real interpreter with -I -S and a launcher of ours that knows where
Holdfast and its driver lie: no shim, no site, no search (docs/internals/decisions/0003).
"""

from __future__ import annotations

import compileall
import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import apsw

import holdfast
from holdfast.agents.claude_code import payloads, settings_layers, status_payload
from holdfast.errors import SettingsError
from holdfast.hook.bundle import build
from holdfast.rooms.sessions import work_tree
from holdfast.setup import settings_file
from holdfast.setup.settings_file import JsonObject, JsonValue
from holdfast.system import clock, files, paths, seal

PLUGIN = "holdfast"  # as plugin/.claude-plugin/plugin.json names it
LAUNCHER = """\
# Holdfast's door for coding agents, written by `holdfast init`: their hooks run it.
import sys, marshal, posix, _imp, _frozen_importlib_external as files
sys.path += {folders!r}; posix.umask(63)
try:
    try:
        pack = b"HOLDFAST_NO_BUNDLE" in posix.environ or __file__[:-2] + files.MAGIC_NUMBER.hex()
        head = posix.read(pack := posix.open(pack, 0), {head})
        damaged = _imp.source_hash({key}, head[:-{seal}]) != head[-{seal}:]
        damaged or exec(marshal.loads(head))
    except Exception: pass  # no bundle, a stale one, or not wanted: modules are found one by one
    from holdfast.hook import main; main()
except BaseException as error:
    try:
        import json, time; at = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        said = {{"at": at, "kind": "package gone", "place": "hook.py", "detail": repr(error)}}
        open(__file__[:-7] + "faults.jsonl", "a").write(json.dumps(said) + chr(10))
    finally: sys.exit(0)
"""


class Record(TypedDict, total=False):
    """What is written down of an installation: JSON, one file for each settings file. Empty when
    there is none."""

    path: str
    at: str
    made_folder: bool
    backup: str | None  # None: there was no settings file
    made: list[list[str]]  # the containers we made, as `settings_file.add` answers
    status_line: str | None  # the user's own, as it stood in the file before ours
    after: str  # the digest of what we wrote


@dataclass(frozen=True)
class Change:
    """What an installation or removal does to one file."""

    path: Path
    before: str | None  # None: there is no such file
    after: str | None  # None: the file goes

    @property
    def is_none(self) -> bool:
        return self.before == self.after


@dataclass(frozen=True)
class Plan:
    """A change that installs, and what is to be written down of it."""

    change: Change
    made: list[list[str]]  # the containers we would make
    status_line: str | None  # the user's own that we would stand in for


def settings_path(project: Path | None) -> Path:
    """A project's personal settings, which are not committed; the home's without a project."""
    if project is None:
        return Path(paths.home()) / ".claude" / "settings.json"
    return project / ".claude" / "settings.local.json"


def hook_command(state: str) -> str:
    interpreter = os.path.realpath(sys.executable)
    return shlex.join([interpreter, "-I", "-S", paths.launcher(state)])


def is_ours(hook: JsonValue) -> bool:
    """Whether a hook runs a launcher of ours, whatever interpreter it names. So is one over HTTP of
    an earlier version, which is replaced by a command or taken out."""
    if not isinstance(hook, dict):
        return False
    command = hook.get("command")
    headers = hook.get("headers")
    if isinstance(headers, dict) and "Holdfast-Variables" in headers:
        return True
    if not isinstance(command, str) or "-I -S " not in command:
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return bool(words) and words[-1].endswith("/holdfast/hook.py")


def has_status_line(path: Path) -> bool:
    """Whether a settings file has our status line."""
    text = _read(path) or ""
    with _named(path):
        return status_payload.is_ours(settings_file.member(text, status_payload.KEY))


def hooks(state: str) -> dict[str, JsonObject]:
    """Our hook for each event."""
    command = hook_command(state)
    return {
        event: {"type": "command", "command": command, "timeout": timeout}
        for event, timeout in payloads.HOOKS.items()
    }


def plan_install(state: str, path: Path, *, status_line: bool | None = None) -> Plan:
    """The change that installs. A status line of ours is put in, taken out, or left as it is."""
    text = _read(path)
    record = _record(state, path)
    groups: dict[str, JsonObject] = {
        event: {"matcher": "", "hooks": [hook]} for event, hook in hooks(state).items()
    }
    with _named(path):
        added = settings_file.add(text or "", groups, is_ours, record.get("made", []))
        after, users_own = _with_status_line(
            added.text, path, hook_command(state), record, status_line
        )
    return Plan(Change(path, text, after), added.made, users_own)


def _with_status_line(
    text: str, path: Path, command: str, record: Record, wanted: bool | None
) -> tuple[str, str | None]:
    key, users_own = status_payload.KEY, record.get("status_line")
    current = settings_file.member(text, key)
    is_there = status_payload.is_ours(current)
    if not (is_there if wanted is None else wanted):
        return settings_file.take_member(text, key, status_payload.is_ours, users_own), None
    # Padding and the like are the user's, in whichever file they stand.
    shape = current if current is not None else status_payload.below(str(path))
    value: JsonObject = {
        **(shape if isinstance(shape, dict) else {}),
        "type": "command",
        "command": f"{command} {status_payload.ERRAND} {name_of(path)}",
    }
    after, replaced = settings_file.put_member(text, key, value, status_payload.is_ours)
    return after, users_own if replaced is None else replaced


def install(state: str, path: Path, *, status_line: bool | None = None) -> Change:
    """Install into one settings file."""
    plan = plan_install(state, path, status_line=status_line)
    change = plan.change
    prepare(state)
    if change.is_none or change.after is None:
        return change
    record = _record(state, path)
    if not record:
        record = {
            "path": str(path),
            "at": clock.now(),
            "made_folder": not path.parent.exists(),
            "backup": None if change.before is None else _back_up(state, path),
        }
    record["made"] = plan.made
    record["status_line"] = plan.status_line
    record["after"] = paths.digest(change.after.encode())
    _write_record(state, path, record)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, change.after)
    return change


def prepare(state: str) -> None:
    """All that a hook needs but a settings file that names it."""
    files.own_folder(state)
    write_launcher(state)
    # Some installers leave this to the first import, which would be the first hook.
    compileall.compile_dir(str(Path(holdfast.__file__).parent), quiet=2)


def plan_uninstall(state: str, path: Path) -> Change:
    text = _read(path)
    record = _record(state, path)
    if text is None:
        return Change(path, None, None)
    with _named(path):
        after = settings_file.take_member(
            text, status_payload.KEY, status_payload.is_ours, record.get("status_line")
        )
        after = settings_file.remove(after, is_ours, record.get("made", []))
    # Nobody else wrote anything into the file we made: it goes.
    gone = bool(record) and record["backup"] is None and not after.strip()
    return Change(path, text, None if gone else after)


def uninstall(state: str, path: Path) -> Change:
    """Take our hooks out of one settings file; data is kept."""
    change = plan_uninstall(state, path)
    if not change.is_none:
        if change.after is None:
            path.unlink()
        else:
            _write(path, change.after)
    for seen in Path(paths.seen_demands(state, "")).parent.glob("*.seen.json"):
        seen.unlink(missing_ok=True)  # the person took them out: no session misses them
    record = _record(state, path)
    if record.get("made_folder") and path.parent.is_dir() and not any(path.parent.iterdir()):
        path.parent.rmdir()
    if record:
        _record_path(state, path).unlink()
        backup = record["backup"] or ""
        if backup and files.read_bytes(str(path)) == files.read_bytes(backup):
            os.unlink(backup)
    return change


def installed(state: str) -> list[Path]:
    """Every settings file we are installed in."""
    folder = Path(paths.installs(state))
    settings_files = []
    for file in sorted(folder.glob("*.json")) if folder.is_dir() else ():
        settings_files.append(Path(json.loads(file.read_text(encoding="utf-8"))["path"]))
    return settings_files


def settings_near(root: Path) -> list[Path]:
    """The settings files whose hooks an agent runs in a folder: its own, of a linked worktree the
    repository's main one's as well, and the home's."""
    common = Path(work_tree.look(str(root)).common)
    main = [common.parent] if common.name == ".git" and common.parent != root else []
    return [settings_path(each) for each in (root, *main, None)]


def plugin_file(root: str) -> str:
    """The settings file that switches our plugin on, which brings its own hooks; "" for none."""
    return settings_layers.plugin_file(root, PLUGIN)


def launcher_text() -> str:
    """The launcher, with the real folders of Holdfast and of the driver, editable installs too."""
    folders = [str(Path(module.__file__ or "").resolve().parents[1]) for module in (holdfast, apsw)]
    return LAUNCHER.format(
        folders=list(dict.fromkeys(folders)), head=build.HEAD_BYTES, key=seal.KEY, seal=seal.BYTES
    )


def write_launcher(state: str) -> None:
    """The launcher, and the modules it loads."""
    content = launcher_text().encode()
    path = paths.launcher(state)
    if files.read_bytes(path) != content:
        files.write_whole(path, content)
    # For the plugin, whose hooks know the state home and nothing of this machine.
    files.write_whole(paths.plugin_launcher(state), f'exec {hook_command(state)} "$@"\n'.encode())
    build.write(state)


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"cannot read {path}: {error}", hint="nothing was changed") from error


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """What is wrong with a file's text is said of that file."""
    try:
        yield
    except SettingsError as error:
        raise SettingsError(f"{path}: {error}", hint=error.hint) from error


def _write(path: Path, text: str) -> None:
    """As one act, through a link to the file itself, with the file's own mode."""
    target = path.resolve()
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    temporary = target.with_name(f"{target.name}.holdfast-{os.getpid()}")
    try:
        with temporary.open("xb") as file:
            file.write(text.encode("utf-8"))
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SettingsError(f"cannot write {path}: {error}", hint="is it yours?") from error


def name_of(path: Path) -> str:
    """The name of the record of a settings file."""
    return paths.digest(str(path).encode())


def _record_path(state: str, path: Path) -> Path:
    return Path(paths.install(state, name_of(path)))


def _record(state: str, path: Path) -> Record:
    try:
        record: Record = json.loads(_record_path(state, path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _write_record(state: str, path: Path, record: Record) -> None:
    files.own_folder(paths.installs(state), within=state)
    content = json.dumps(record, indent=1).encode()
    files.write_whole(str(_record_path(state, path)), content)


def _back_up(state: str, path: Path) -> str:
    name = f"{paths.digest(str(path).encode())}-{clock.now().replace(':', '')}.backup"
    folder = files.own_folder(f"{paths.installs(state)}/backups", within=state)
    files.write_whole(f"{folder}/{name}", path.read_bytes())
    return f"{folder}/{name}"
