"""Secrets never reach the ledger: the one gate every text passes before it is kept.

`gate` is the only maker of `Gated`, and `ledger.append` takes nothing else. What passes is
plain JSON: text without lone surrogates or NULs, numbers that a database can hold, redacted
first and cut afterwards, so that half a secret never hides behind a cut.

A pattern is compiled only when a literal of it occurs in the text: compiling all of them would
cost more than the hook. Each pattern runs in time linear in the text.
"""

from __future__ import annotations

from holdfast.jsontext import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from typing import Any

TEXT_CAP = 4_000
ITEMS_CAP = 200
DEPTH_CAP = 12
INTEGER_CAP = 1 << 62

# name, literals of which at least one must occur, pattern. Group 1, where there is one, stays.
FORMATS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("private", ("<private>",), r"(?s)<private>.*?(?:</private>|\Z)"),
    (
        "private key",
        ("PRIVATE KEY",),
        (
            r"(?s)-----BEGIN [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,40}-----.*?"
            r"(?:-----END [A-Z ]{0,40}PRIVATE KEY[A-Z ]{0,40}-----|\Z)"
        ),
    ),
    ("aws key", ("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
    (
        "github token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
        r"\bgh[pousr]_[A-Za-z0-9]{36,251}\b",
    ),
    ("github token", ("github_pat_",), r"\bgithub_pat_[A-Za-z0-9_]{50,251}\b"),
    ("anthropic key", ("sk-ant-",), r"\bsk-ant-[A-Za-z0-9_-]{16,200}"),
    ("openai key", ("sk-",), r"\bsk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,200}"),
    ("slack token", ("xox",), r"\bxox[abposr]-[A-Za-z0-9-]{10,250}"),
    (
        "url credentials",
        ("://",),
        r"([a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@]{0,100}:)[^\s/:@]{1,250}(?=@)",
    ),
    ("bearer token", ("earer ",), r"(\b[Bb]earer\s+)[A-Za-z0-9._~+/=-]{16,2000}"),
)


class Gated:
    """A value that came through the gate. Only `gate` makes one."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def gate(value: Any, cap: int = TEXT_CAP) -> Gated:
    """The value as it may be kept: redacted, then cut."""
    return Gated(_kept(value, cap, 0))


def gate_text(text: str, cap: int = TEXT_CAP) -> str:
    """One text as it may be kept."""
    return cut(redact(plain(text)), cap)


def redact(text: str) -> str:
    for name, literals, pattern in FORMATS:
        for literal in literals:
            if literal in text:
                import re

                text = re.sub(pattern, _removal(name), text)
                break
    return text


def cut(text: str, cap: int) -> str:
    """A long text loses its middle, and says how much: its head and its tail tell the most."""
    if len(text) <= cap:
        return text
    head, tail = cap * 2 // 3, cap // 4
    return f"{text[:head]} [... {len(text) - head - tail} characters ...] {text[-tail:]}"


def _kept(value: Any, cap: int, depth: int) -> Any:
    if isinstance(value, str):
        return gate_text(value, cap)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -INTEGER_CAP < value < INTEGER_CAP else str(value)
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if depth >= DEPTH_CAP:
        return "[nested too deeply]"
    if isinstance(value, dict):
        return {
            gate_text(str(name), 200): _kept(item, cap, depth + 1)
            for name, item in list(value.items())[:ITEMS_CAP]
        }
    if isinstance(value, (list, tuple)):
        return [_kept(item, cap, depth + 1) for item in value[:ITEMS_CAP]]
    raise TypeError(f"not a JSON value: {type(value).__name__}")


def _removal(name: str) -> Callable[[re.Match[str]], str]:
    def removed(found: re.Match[str]) -> str:
        before = found.group(1) if found.re.groups else ""
        return f"{before}[removed: {name}]"

    return removed
