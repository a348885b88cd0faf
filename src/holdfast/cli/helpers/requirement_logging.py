"""What is logged of judgements, and where: `holdfast req logging`."""

from __future__ import annotations

from typing import TypedDict

from holdfast.cli.helpers.report import Report
from holdfast.errors import HoldfastError
from holdfast.rooms.gates import judgement_log
from holdfast.system import paths


class JudgementLog(TypedDict):
    """What is logged of judgements, and where."""

    level: str
    file: str


MEANINGS = {
    judgement_log.DEBUG: "every judgement, and all of info",
    judgement_log.INFO: "what was refused, met or let go",
    judgement_log.OFF: "nothing",
}


def report(given: str | None) -> Report[JudgementLog]:
    """The level in force, once what was asked for is done."""
    state = paths.state_home()
    if given is not None:
        try:
            judgement_log.set_level(state, given)
        except OSError as error:
            raise HoldfastError(
                f"cannot write to {state}: {error.strerror}", hint="the level is as it was"
            ) from error
    level, path = judgement_log.level(state), paths.gate_log(state)
    lines = [f"Logging  {level}: {MEANINGS[level]}", f"File     {path}"]
    if level == judgement_log.OFF and given is None:
        lines.append("`holdfast req logging --level info` begins to log, for every project.")
    return Report(lines, {"level": level, "file": path})
