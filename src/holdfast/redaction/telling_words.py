"""Words that tell of a secret: what has none of them is not looked at further."""

from __future__ import annotations

ROOTS = (
    "bearer", "pass", "pwd", "secret", "token", "key", "auth", "credential", "jwt", "cookie",
    "sessid",
)  # fmt: skip
