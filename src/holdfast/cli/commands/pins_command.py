"""List what is pinned here, CRITICAL first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

import click

from holdfast.cli.commands.pin_command import PinRow, row
from holdfast.cli.helpers.place_here import SHORT, day, place, verbatim
from holdfast.cli.helpers.report import Report
from holdfast.rooms.prompts.attribution import AGENT
from holdfast.rooms.sessions.life import short
from holdfast.rooms.work import commands
from holdfast.rooms.work.pins import CAP


class InheritedPin(PinRow):
    """A pin, and the session it was inherited from."""

    inherited_from: str | None


class PinsListed(TypedDict):
    """What is pinned here, CRITICAL first, and how many may be."""

    pins: list[InheritedPin]
    cap: int


PARAMETERS: list[click.Parameter] = []


def run() -> Report[PinsListed]:
    pins = sorted(commands.pins_here(place()), key=lambda pin: not pin["critical"])
    lines = [_line(pin) for pin in pins]
    if not pins:
        lines = ["Nothing is pinned here. `holdfast pin TEXT` keeps something in sight."]
    rows: list[InheritedPin] = [
        {**row(pin), "inherited_from": pin["source"] or None} for pin in pins
    ]
    return Report(tuple(lines), {"pins": rows, "cap": CAP})


def _line(pin: Mapping[str, Any]) -> str:
    notes = [day(pin["at"]), short(pin["session"]) if pin["session"] else "every session here"]
    if pin["source"]:
        notes[1] = f"inherited from {short(pin['source'])}"
    if pin["author"] == AGENT:
        notes.append("pinned by an agent")
    label = f"{pin['label']}: " if pin["label"] else ""
    mark = "●" if pin["critical"] else "·"
    critical = "CRITICAL, " if pin["critical"] else ""
    text = verbatim(f"{label}{pin['content']}", SHORT + 4)
    return f"{mark} {pin['id'][:SHORT]}  {text}  ({critical}{', '.join(notes)})"
