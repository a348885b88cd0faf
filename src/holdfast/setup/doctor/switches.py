"""What people set: whether Holdfast is on, its configuration, how long transcripts stay."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from holdfast.config import pause_file
from holdfast.config.compiled import requirement_sources
from holdfast.setup import install
from holdfast.setup.doctor.finding import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.system import environment, files, git, paths

RETENTION_DAYS = 30  # the agent's own default


def retention(patient: Patient) -> Iterator[Finding]:
    """How long the agent keeps its own transcripts: what it deletes nobody can import later."""
    days, where = RETENTION_DAYS, "its default"
    places = [
        install.settings_path(None),
        patient.root / ".claude" / "settings.json",
        install.settings_path(patient.root),
    ]
    for path in places:
        try:
            settings = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(settings, dict) and isinstance(settings.get("cleanupPeriodDays"), int):
            days, where = settings["cleanupPeriodDays"], str(path)
    yield Finding("transcripts", NOTE, f"Claude Code deletes its own after {days} days ({where})")


def switched(patient: Patient) -> Iterator[Finding]:
    """Whether it is switched off, on purpose."""
    if pause_file.until(patient.state):
        yield Finding("paused", NOTE, f"by {paths.pause(patient.state)}: every hook leaves at once")
    if environment.env("HOLDFAST_OFF") not in ("", "0"):
        yield Finding("off", NOTE, "by HOLDFAST_OFF in this shell")


def requirements(patient: Patient) -> Iterator[Finding]:
    """Files with demands that the last commit has and the work tree has not."""
    root = str(patient.root)
    for _, path in requirement_sources(root):
        if not files.exists(path) and git.is_missing(root, path):
            name = path[len(root) + 1 :]
            message = f"{path} is gone: what it demands is not in force."
            way_back = f"`git restore {shlex.quote(name)}` brings it back"
            yield Finding("requirements", BROKEN, f"{message} {way_back}")


def configuration(patient: Patient) -> Iterator[Finding]:
    """The configuration files."""
    from holdfast.config.compiler import cascade

    read = cascade(str(patient.root))
    problems = read.problems
    if read.waiting:
        yield Finding("trust", NOTE, _waits(len(read.waiting)))
    for problem in problems:
        yield Finding("configuration", POOR, str(problem))
    if not problems:
        yield Finding("configuration", WELL, "every file can be read")


def _waits(many: int) -> str:
    what = "1 thing" if many == 1 else f"{many} things"
    return (
        f"{what} of the committed configuration: not allowed until you run `holdfast trust`"
        " (`--show` names what)"
    )
