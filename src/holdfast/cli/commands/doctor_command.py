"""Check that Holdfast works here, by running the installed hook and reading its entry back.

With --fix it repairs what can be repaired safely, and checks again. Exits with 1 when something is
broken.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypedDict

from holdfast.cli.commands import overview_command
from holdfast.cli.helpers.report import Report, shaped
from holdfast.cli.helpers.verbs import flag
from holdfast.cli.helpers.wording import plural
from holdfast.config import pause_file
from holdfast.ledger import faults
from holdfast.rooms.sessions import work_tree
from holdfast.setup import install
from holdfast.setup.doctor import (
    BROKEN,
    MARKS,
    POOR,
    Finding,
    Patient,
    examination,
    hook_probe,
    installed_hooks,
)
from holdfast.setup.doctor.hook_probe import Firings
from holdfast.system import paths


class FindingRow(TypedDict):
    """What a check found."""

    check: str
    standing: str
    said: str


class MendableFinding(FindingRow):
    """What a check found, and whether `--fix` mends it."""

    mendable: bool


class Examined(TypedDict):
    """What the doctor found."""

    well: bool
    findings: list[MendableFinding]
    mended: list[str]
    hooks: list[Firings]


PARAMETERS = [
    flag("--fix", help="Repair what can be repaired safely."),
]


def run(*, fix: bool) -> Report[Examined]:
    patient = Patient(paths.state_home(), Path(work_tree.look(os.getcwd()).root))
    findings = examination.examine(patient)
    mended: list[Finding] = []
    if fix:
        mended = [finding for finding in findings if finding.mend]
        for finding in mended:
            if finding.mend:
                finding.mend()
        findings = examination.examine(patient)
        if all(finding.standing != BROKEN for finding in findings):
            faults.clear(patient.state)
            findings = [finding for finding in findings if finding.check != "faults"]
    lines = [
        f"{MARKS[finding.standing]} {finding.check:14} {finding.message}" for finding in findings
    ]
    lines += [f"  mended: {finding.check}: {finding.message}" for finding in mended]
    broken = sum(finding.standing == BROKEN for finding in findings)
    poor = sum(finding.standing == POOR for finding in findings)
    mendable = sum(finding.mend is not None for finding in findings)
    is_installed = bool(installed_hooks.files(patient) or install.plugin_file(str(patient.root)))
    until = pause_file.until(patient.state)
    lines.append(_verdict(broken, poor, mendable, is_installed=is_installed, until=until))
    return Report(
        lines,
        {
            "well": not broken,
            "findings": [
                shaped(MendableFinding, each, said=each.message, mendable=each.mend is not None)
                for each in findings
            ],
            "mended": [finding.check for finding in mended],
            "hooks": hook_probe.firings(patient.state),
        },
        1 if broken else 0,
    )


def _verdict(broken: int, poor: int, mendable: int, *, is_installed: bool, until: str) -> str:
    pause = f"Holdfast is paused {overview_command.paused(until)}." if until else ""
    if not broken and not poor and not is_installed:
        return "Nothing is broken, and nothing is kept here before you run `holdfast init`."
    if not broken and not poor:
        return f"Nothing is broken, but {pause}" if pause else "Well."
    parts = []
    if broken:
        parts.append(f"{plural(broken, 'thing')} broken")
    if poor:
        parts.append(f"{plural(poor, 'thing')} worth a look")
    hint = "; `holdfast doctor --fix` mends what it can" if mendable else ""
    return f"{', '.join(parts)}{hint}. {pause}".rstrip()
