"""Released migrations are frozen: to mend one, add another."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from holdfast.store import migrate, sqlite

# name -> sha256 of the file, from the day it was released
RELEASED: dict[str, str] = {}


def test_released_migrations_are_unchanged():
    for name, digest in RELEASED.items():
        content = Path(migrate.FOLDER, name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest, name


def test_migrations_are_numbered_without_a_gap_up_to_the_schema():
    names = migrate.names()

    assert all(re.fullmatch(r"\d{4}_[a-z_]+\.sql", name) for name in names)
    assert [int(name[:4]) for name in names] == list(range(1, sqlite.SCHEMA + 1))
