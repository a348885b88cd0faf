"""Hooks over HTTP: whether anybody hears them, and what nobody heard."""

from __future__ import annotations

import os
from collections.abc import Iterator

from holdfast.ledger.reader import Reading
from holdfast.rooms.sessions import hook_server
from holdfast.setup import install
from holdfast.setup.doctor.finding import BROKEN, NOTE, POOR, WELL, Finding, Patient
from holdfast.setup.doctor.installed_hooks import files
from holdfast.system import paths


def heard(patient: Patient) -> Iterator[Finding]:
    """The server that hooks knock on, as they were installed."""
    ports = sorted({install.port_of(patient.state, path) for path in files(patient)} - {0})
    for port in ports:
        if hook_server.is_listening(port):
            yield Finding("http", WELL, f"something answers on port {port}")
            continue
        message = (
            f"nothing answers on port {port}, so prompts and tool calls are not kept:"
            " run `holdfast serve --hooks`, or `holdfast init` for commands again"
        )
        yield Finding("http", BROKEN, message)


def missed(patient: Patient) -> Iterator[Finding]:
    """What of the last session's tool calls was not kept."""
    is_http = any(install.port_of(patient.state, path) for path in files(patient))
    if not is_http or not os.path.exists(paths.store(patient.state)):
        return
    store = Reading(patient.state).store
    last = hook_server.last_here(store, str(patient.root))
    count = hook_server.missed(store, last) if last else 0
    if last and count:
        many = "1 tool call" if count == 1 else f"{count} tool calls"
        message = f"not kept: {many} of session {last.id}, whose hooks nobody heard"
        yield Finding("http", POOR, message)
    if not hook_server.has_token(patient.state):
        yield Finding("http", NOTE, "HOLDFAST_TOKEN is not set in this shell, or not the token")
