"""Where a project's files are, and what they demand: all that a judgement reads of configuration.

Law: whatever is compiled is looked up by its sources' stamps and its own digest, and never trusted
without them: it is compiled again.
"""

from __future__ import annotations

from holdfast.agents import surroundings
from holdfast.system import environment, files, jsontext, paths, seal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.config.requirement_type import Requirement

    Compiled = dict[str, Any]  # the JSON that `compiler.compile_requirements` writes
    Stamp = list[int] | None

COMPILED_CAP_BYTES = 4 << 20
FORM = 2  # of compiled requirements: what an earlier version wrote lacks fields
NO_REQUIREMENTS: Compiled = {"requirements": {}, "options": {}, "problems": []}
USER, PROJECT, LOCAL, RULES = "user", "project", "local", "rules"


def is_off() -> bool:
    """Whether a variable switches Holdfast off. The compiled settings say whether a file does."""
    return environment.env("HOLDFAST_ENABLED").lower() in ("0", "false")


def sources(root: str) -> list[tuple[str, str]]:
    """The files of the cascade, weakest first, whether they are there or not."""
    places = [(USER, f"{paths.config_home()}/config.yaml")]
    if root:
        places.append((PROJECT, f"{root}/.holdfast/config.yaml"))
        places.append((LOCAL, f"{root}/.holdfast/config.local.yaml"))
    return places


_COMPILED: list[Compiled] = []
DAMAGED: list[str] = []  # files that this process found damaged: they are compiled again


def own_gates(root: str) -> str:
    """The file of the gates that the person made of rules in a project, for all its worktrees."""
    from holdfast.system.repository import common_of, gitdir_of

    gitdir = gitdir_of(root)
    return paths.own_gates(common_of(gitdir) if gitdir else root)


def requirement_sources(root: str) -> list[tuple[str, str]]:
    """The files that may hold requirements, weakest first: at each level those in the agents' own
    folders come before ours."""
    names = {
        USER: [f"{paths.home()}/{name}" for name in surroundings.REQUIREMENTS],
        PROJECT: [f"{root}/{name}" for name in surroundings.REQUIREMENTS],
        LOCAL: [f"{root}/{name}" for name in surroundings.LOCAL_REQUIREMENTS],
    }
    places = [(layer, path) for layer, ours in sources(root) for path in (*names[layer], ours)]
    if root and files.exists(paths.own_gates()):
        places.append((RULES, own_gates(root)))
    return places


def requirements(state: str, root: str) -> Compiled | None:
    """A project's requirements as they were compiled; None when a source has changed since."""
    stamps = stamps_of(state, root, requirement_sources(root))
    path = paths.compiled_requirements(state, root)
    if not any(stamps) and not files.exists(path):
        return NO_REQUIREMENTS
    if _COMPILED and _COMPILED[-1]["stamps"] == stamps:  # asked for more than once by one event
        return _COMPILED[-1]
    compiled: Compiled | None = read(path)
    if compiled:
        try:
            if compiled["stamps"] == stamps and compiled["form"] == FORM:
                usual, unusual = compiled["usual"], compiled["requirements"]
                compiled["requirements"] = {name: {**usual, **unusual[name]} for name in unusual}
                _COMPILED[:] = [compiled]
                return compiled
        except (ValueError, KeyError, TypeError):
            pass  # foreign: to be compiled again
    return None


def read(path: str) -> Any:
    """What was compiled; None when it is not there, or not what was written."""
    content = files.read_bytes(path, COMPILED_CAP_BYTES)
    if not content:
        return None
    text = seal.opened(content)
    if text is not None:
        return jsontext.loads(text.decode())
    try:
        jsontext.loads(content.decode())  # by an earlier version, which wrote no digest
    except ValueError:
        DAMAGED.append(path)
    return None


def stamps_of(state: str, root: str, places: list[tuple[str, str]]) -> list[Stamp]:
    """What changes when a source does: for each its file; for those in the work tree, whether it is
    committed; and with committed ones, what the person trusts."""
    stamps = [files.stamp(path) for _, path in places]
    if not root or not any(stamps):
        return stamps
    inside = f"{root.rstrip('/')}/"
    near = [at for at, (_, path) in enumerate(places) if stamps[at] and path.startswith(inside)]
    if not near:
        return stamps
    environment.bring("committed")
    from holdfast.config.committed import committed

    answer = committed(state, root, [places[at][1] for at in near], [stamps[at] for at in near])
    for at, is_committed in zip(near, answer, strict=True):
        stamps[at] = [*(stamps[at] or ()), int(is_committed)]
    return [*stamps, files.stamp(paths.trusted(state))] if any(answer) else stamps


def demands_nothing(state: str, folder: str) -> bool:
    """Whether it is certain, without a look into the store, that nothing is demanded where an
    agent was started."""
    if not folder.startswith("/"):
        return False
    place = folder.rstrip("/")
    while place and not files.exists(f"{place}/.git"):
        place = place.rpartition("/")[0]
    compiled = requirements(state, place or folder)
    return compiled is not None and not compiled["requirements"]


def kinds_of(requirement: Requirement) -> list[str]:
    """The kinds of evidence that it asks for, commands by their words among them."""
    runs = [f"run:{name}" for name in requirement["evidence_runs"]]
    return [*requirement["evidence_required"], *runs]


def parts(name: str, each: Requirement) -> list[str]:
    """A demand and what makes it one: who takes a part of it away weakens it."""
    parts = [each["type"], *each["satisfied_by_skill"], *kinds_of(each), *each["evidence_first"]]
    parts += each["protected_branches"] if each["type"] == "guard" else []
    parts += [jsontext.dumps(action) for action in each["trigger"]]
    parts += [f"opaque: {each['opaque']}"] if each["opaque"] != "allow" else []
    for trigger in each["trigger_tools"]:
        parts.append(" ".join((trigger["tool"], trigger["command_pattern"], *trigger["paths"])))
    return [name, *(f"{name}: {part.strip()}" for part in parts)]
