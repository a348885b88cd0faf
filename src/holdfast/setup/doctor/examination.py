"""Every check, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import apsw

from holdfast.errors import HoldfastError
from holdfast.setup.doctor import (
    BROKEN,
    Finding,
    Patient,
    hook_probe,
    installed_hooks,
    kept_entries,
    switches,
)
from holdfast.system import refused

Check: TypeAlias = Callable[[Patient], Iterable[Finding]]


def examine(patient: Patient, checks: Iterable[Check] | None = None) -> list[Finding]:
    """Every check, in order; a check that fails is a finding, never an end."""
    findings: list[Finding] = []
    for check in CHECKS if checks is None else checks:
        try:
            findings += check(patient)
        except (HoldfastError, OSError, ValueError, apsw.Error) as error:
            refusal = refused.explained(error, patient.state)
            message = f"{refusal}; {refusal.hint}" if refusal else str(error)
            findings.append(Finding(check.__name__, BROKEN, message))
    return findings


def trouble(patient: Patient) -> list[str]:
    """What `status` warns of: why hooks do not run, in a line each. Nothing is tried out."""
    findings = examine(patient, GLANCES)
    return [finding.message for finding in findings if finding.standing == BROKEN]


GLANCES: tuple[Check, ...] = (
    switches.silenced,
    installed_hooks.hooks,
    installed_hooks.interpreter,
    switches.requirements,
)
CHECKS: tuple[Check, ...] = (
    switches.switched,
    *GLANCES,
    hook_probe.launcher,
    kept_entries.folder,
    switches.configuration,
    hook_probe.probe,
    kept_entries.store,
    kept_entries.acts,
    hook_probe.spool,
    kept_entries.mirrors,
    hook_probe.swallowed,
    hook_probe.fired,
    switches.retention,
)
