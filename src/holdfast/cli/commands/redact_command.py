"""Show a text as Holdfast would keep it: without its secrets.

FILE may be - for standard input. --check prints only the surroundings of each secret, with the
secret masked, and exits with 1 when there is one.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TypedDict

import click

from holdfast.cli.helpers.report import Report
from holdfast.cli.helpers.verbs import argument, flag
from holdfast.cli.helpers.wording import plural
from holdfast.errors import NotFound
from holdfast.redaction.gate import redact, spans
from holdfast.system.jsontext import plain


class Redacted(TypedDict):
    """The text without its secrets."""

    text: str


class SecretsFound(TypedDict):
    """The secrets that would go; never the secrets themselves."""

    file: str
    found: list[Secret]


PARAMETERS = [
    flag("--check", help="Tell what would go, and print nothing else."),
    argument("file", type=click.Path()),
]

AROUND = 40  # characters shown on each side of what would go
SHOWN = 4  # and as many of itself, when it is long enough to spare them
LONG = 20


class Secret(TypedDict):
    """Where a secret stands, and what it is; never the secret itself."""

    line: int
    column: int
    kind: str
    length: int
    surroundings: str


def run(*, file: str, check: bool) -> Report[Redacted | SecretsFound]:
    text = plain(read(file))
    if not check:
        return Report(tuple(redact(text).removesuffix("\n").split("\n")), {"text": redact(text)})
    secrets = secrets_in(text)
    lines = [
        f"{item['line']}:{item['column']}  {item['kind']}  {item['surroundings']}"
        for item in secrets
    ]
    verdict = f"{plural(len(secrets), 'secret')} would go." if secrets else "● Nothing would go."
    return Report((*lines, verdict), {"file": file, "found": secrets}, 1 if secrets else 0)


def read(file: str) -> str:
    if file == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        return Path(file).read_bytes().decode("utf-8", "replace")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise NotFound(f"cannot read {file}: {reason}", hint="name a file, or -") from None


def secrets_in(text: str) -> list[Secret]:
    """Each secret: where it is, what it is, and its surroundings with every secret masked."""
    secrets = spans(text)
    masks = [mask(text[start:end], kind) for start, end, kind in secrets]
    pieces: list[str] = []
    at = 0
    for (start, end, _), masked in zip(secrets, masks, strict=True):
        pieces += (text[at:start], masked)
        at = end
    pieces.append(text[at:])
    shown = "".join(pieces)
    items: list[Secret] = []
    begin = 0
    for number, (start, end, kind) in enumerate(secrets):
        begin += len(pieces[2 * number])
        line_from = text.rfind("\n", 0, start) + 1
        items.append(
            {
                "line": text.count("\n", 0, start) + 1,
                "column": start - line_from + 1,
                "kind": kind,
                "length": end - start,
                "surroundings": surroundings(shown, begin, begin + len(masks[number])),
            }
        )
        begin += len(masks[number])
    return items


def mask(secret: str, kind: str) -> str:
    head = secret[:SHOWN] if len(secret) > LONG and kind != "private" else ""
    return f"[{head}… {len(secret)} characters]"


def surroundings(shown: str, start: int, end: int) -> str:
    """What stands around it on its line, cut to a width that a terminal holds."""
    line_from = shown.rfind("\n", 0, start) + 1
    line_to = shown.find("\n", end)
    before = shown[max(line_from, start - AROUND) : start]
    after = shown[end : end + AROUND if line_to < 0 else min(line_to, end + AROUND)]
    return f"{before}{shown[start:end]}{after}".strip()
