"""Words that tell of a secret: what has none of them is not looked at further.

Nor is a member whose name only has one inside it, and is a name of our own.
"""

from __future__ import annotations

ROOTS = (
    "bearer", "pass", "pw", "secret", "token", "key", "auth", "cred", "jwt", "cookie",
    "sessid",
)  # fmt: skip
HARMLESS = ("author", "keywords")
