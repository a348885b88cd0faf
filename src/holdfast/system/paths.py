"""Every place we touch on disk.

    state home      the store, the spool, faults, mirrors of all projects, archives
    runtime folder  brief files: gone after a reboot, and that is fine
    git common dir  <common>/holdfast: what belongs to one project, never in the work tree

Functions answer with names only. Folders are made by those who write into them.
"""

from __future__ import annotations

from holdfast.system.environment import env, system

SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")


def home() -> str:
    known = env("HOME")
    if known.startswith("/"):
        return known.rstrip("/") or "/"
    import pwd

    return pwd.getpwuid(system.geteuid()).pw_dir


def state_home() -> str:
    chosen = env("HOLDFAST_STATE_HOME")
    if chosen.startswith("/"):
        return chosen.rstrip("/")
    base = env("XDG_STATE_HOME")
    return f"{base.rstrip('/') if base.startswith('/') else home() + '/.local/state'}/holdfast"


def on_path(name: str) -> bool:
    """Whether a shell that has our variables would find the program."""
    folders = env("PATH").split(":")
    return any(folder and system.access(f"{folder}/{name}", system.X_OK) for folder in folders)


def config_home() -> str:
    base = env("XDG_CONFIG_HOME")
    return f"{base.rstrip('/') if base.startswith('/') else home() + '/.config'}/holdfast"


def compiled_folder(state: str) -> str:
    return f"{state}/settings"


def compiled_settings(state: str, root: str) -> str:
    name = digest(root.encode("utf-8", "backslashreplace"))
    return f"{compiled_folder(state)}/{name}.json"


def trusted(state: str) -> str:
    """What the person trusts of repositories' configuration, on this machine."""
    return f"{state}/trusted.json"


def trust_told(state: str) -> str:
    """Of which contents a session was told that something waits for trust."""
    return f"{state}/trust.told"


def compiled_requirements(state: str, root: str) -> str:
    return f"{compiled_settings(state, root)[:-5]}.requirements.json"


def tracked(state: str, root: str) -> str:
    """Which of a project's files of requirements git has."""
    return f"{compiled_settings(state, root)[:-5]}.committed"


def seen_demands(state: str, root: str) -> str:
    """What a project demanded in its last session, and which hooks it had."""
    return f"{compiled_settings(state, root)[:-5]}.seen.json"


def own_gates(repository: str = "") -> str:
    """The gates that a person made of rules for a repository; without one their folder."""
    folder = f"{config_home()}/rules"
    if not repository:
        return folder
    return f"{folder}/{digest(repository.encode('utf-8', 'surrogateescape'))}.yaml"


def runtime_folder() -> str:
    base = env("XDG_RUNTIME_DIR")
    if base.startswith("/"):
        return f"{base.rstrip('/')}/holdfast"
    return f"/tmp/holdfast-{system.geteuid()}"  # noqa: S108 - own_folder refuses somebody else's


def store(state: str) -> str:
    return f"{state}/store.db"


def spools(state: str) -> tuple[str, str]:
    """Where events wait: the state home, and for a full disk the runtime folder."""
    return f"{state}/spool", f"{spare(state)}/spool"


def spare(state: str) -> str:
    """A state home's corner of the runtime folder, for when it cannot be written to itself."""
    return f"{runtime_folder()}/{mark(state):08x}"


def faults(state: str) -> str:
    return f"{state}/faults.jsonl"


def told(state: str) -> str:
    """Up to which fault an agent has been told."""
    return f"{state}/faults.told"


def acts_told(state: str) -> str:
    """Since when acts in the person's name are checked, and up to when they were told."""
    return f"{state}/acts.told"


def quarantine(state: str) -> str:
    """Copies of damaged files; nothing of ours removes them but `forget` and `purge`."""
    return f"{state}/quarantine"


def costs(state: str) -> str:
    return f"{state}/costs.log"


def pause(state: str) -> str:
    return f"{state}/paused"


def registry(state: str) -> str:
    return f"{state}/sessions.json"


def registry_due(state: str) -> str:
    """There when the registry's mirror may be older than the store."""
    return f"{registry(state)}.due"


def archives(state: str) -> str:
    return f"{state}/archive"


def installs(state: str) -> str:
    return f"{state}/installs"


def install(state: str, name: str) -> str:
    """What is written down of an installation into one settings file."""
    return f"{installs(state)}/{name}.json"


def agents_file(state: str, root: str) -> str:
    """Which file of a project has a block of ours, for agents without hooks."""
    return f"{installs(state)}/agents-{digest(root.encode('utf-8', 'surrogateescape'))}"


def launcher(state: str) -> str:
    return f"{state}/hook.py"


def plugin_launcher(state: str) -> str:
    """The hook command as a script: what the plugin's hooks run."""
    return f"{state}/hook.sh"


def pack(state: str, magic: str) -> str:
    """The hook's modules in one file, for the interpreters whose byte code has this number."""
    return f"{state}/hook.{magic}"


def pack_lock(state: str) -> str:
    return f"{state}/hook.lock"


def dream(state: str, project: str) -> str:
    """The lock of a project's dreams; its time is that of the last one's beginning."""
    return f"{state}/dream-{as_name(project)}.lock"


def log(state: str) -> str:
    return f"{state}/holdfast.log"


def gate_log(state: str) -> str:
    """What gates judged, where a person asked for it; the one before it ends in .1."""
    return f"{state}/requirements.log"


def gate_log_lock(state: str) -> str:
    return f"{gate_log(state)}.lock"


def gate_level(state: str) -> str:
    """What is logged of judgements; not there while nothing is."""
    return f"{state}/requirements.level"


def brief(runtime: str, session: str) -> str:
    return f"{runtime}/brief-{as_name(session)}"


def figures(runtime: str, session: str) -> str:
    return f"{runtime}/context-{as_name(session)}"


def denied(state: str, session: str) -> str:
    """What was refused in a session since its last turn ended."""
    return f"{spare(state)}/denied-{as_name(session)}"


def tested(state: str, session: str) -> str:
    """The files that a session's proofs cover, as they were."""
    return f"{state}/tested/{as_name(session)}.json"


def counted(state: str, place: str = "") -> str:
    """A number that is used again for a while; without a place what all their names begin with."""
    return f"{spare(state)}/count-" + (f"{mark(place):08x}" if place else "")


def project_folder(common: str) -> str:
    return f"{common}/holdfast"


def beside(common: str, state: str, project: str, name: str) -> str:
    """A folder of a project's own: beside its repository, without one in the state home."""
    return f"{project_folder(common)}/{name}" if common else f"{state}/{name}/{as_name(project)}"


def as_name(text: str) -> str:
    """Any text as a file name: letters, digits, - and _ stay, every other byte becomes %XX.

    Two texts never share a name, and no name is a path. A name too long for a file system
    ends in a digest instead.
    """
    name = "".join(
        chr(byte) if chr(byte) in SAFE else f"%{byte:02X}"
        for byte in text.encode("utf-8", "backslashreplace")
    )
    if 0 < len(name) <= 150:
        return name
    return f"{name[:100]}%{digest(text.encode('utf-8', 'backslashreplace'))}"


def mark(text: str) -> int:
    """Thirty-two bits of a text (FNV-1a), where a digest would cost an import."""
    value = 0x811C9DC5
    for byte in text.encode("utf-8", "backslashreplace"):
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


def digest(content: bytes) -> str:
    """Sixteen bytes of BLAKE2b in hexadecimal: names, natural keys, checksums."""
    try:
        from _blake2 import blake2b  # hashlib would bring OpenSSL along
    except ImportError:
        from hashlib import blake2b
    return blake2b(content, digest_size=16).hexdigest()
