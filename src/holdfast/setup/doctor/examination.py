"""Every check, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

import apsw

from holdfast.errors import HoldfastError
from holdfast.setup.doctor import (
    hook_probe,
    hook_record,
    installed_hooks,
    kept_entries,
    launched_code,
    silencers,
    state_folder,
    switches,
)
from holdfast.setup.doctor.finding import BROKEN, Finding, Patient
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
    silencers.silenced,
    installed_hooks.hooks,
    installed_hooks.interpreter,
    switches.requirements,
)
CHECKS: tuple[Check, ...] = (
    switches.switched,
    *GLANCES,
    launched_code.launcher,
    state_folder.folder,
    switches.configuration,
    hook_probe.probe,
    kept_entries.store,
    kept_entries.acts,
    hook_probe.spool,
    kept_entries.mirrors,
    hook_record.swallowed,
    hook_record.fired,
    switches.retention,
)
