"""Every check, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import apsw

from holdfast.errors import HoldfastError
from holdfast.setup.doctor import (
    hook_probe,
    hook_record,
    installed_hooks,
    kept_entries,
    launched_code,
    state_folder,
    switches,
)
from holdfast.setup.doctor.finding import BROKEN, Finding, Patient


def examine(patient: Patient) -> list[Finding]:
    """Every check, in order; a check that fails is a finding, never an end."""
    findings: list[Finding] = []
    for check in CHECKS:
        try:
            findings += check(patient)
        except (HoldfastError, OSError, ValueError, apsw.Error) as error:
            findings.append(Finding(check.__name__, BROKEN, f"{error}"))
    return findings


CHECKS: tuple[Callable[[Patient], Iterable[Finding]], ...] = (
    switches.switched,
    installed_hooks.hooks,
    installed_hooks.interpreter,
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
