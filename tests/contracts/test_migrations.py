"""Released migrations are frozen: to mend one, add another."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from holdfast.store import driver, migrate

# name -> sha256 of the file, from the day it came to the main line. A line here never changes: to
# mend a migration, add another. Stores of what files were before lie in tests/stores.
RELEASED: dict[str, str] = {
    "0001_ledger_sessions_activity.sql": (
        "68beec5fee241d2091977a9105be75300c772503fd1c626f0d40646154378120"
    ),
    "0002_signed_pages.sql": "d0aebce4bcb64030ca71cb7d4394e3c7c4ba8b6d20adf27435b3379c0edde83d",
    "0003_continuity.sql": "f168949177161c492d44f12c3ab75862043bf2d19c03e846d9ddd93a6ce577fc",
    "0004_gates.sql": "b10fff93009bd435e79d7d12637d05eb731f0efa961232650026c9183e14da14",
    "0005_identity.sql": "8e26fc3bb36c8c37ed39536847b8134972d75b181a7cd512fa63a2590ea55edb",
    "0006_dream.sql": "eb6bd55a9249e12c450a33c182e5d3285aa86d403aa66716fb60f1f9a825f739",
    "0007_decisions.sql": "9b87f582b84f5ae38051ad5bdc1555db123851d3fc6c932f3c236d51f23b07b4",
    "0008_papers.sql": "c8e9ea69a6e0f3d22a623d7e865375a117ba8f9cfdbb94d16e13435dfaf3ec27",
    "0009_noticed.sql": "26e8e5692a900cc51fdfeac114edda36ba222d41ce1d5fe40d58dd4f8ed580d8",
    "0010_derived_anew.sql": "aeb28f0931444dc9e99678c6b48794257c7d39e1dad76400359f339549f9d3cd",
    "0011_questions_by_index.sql": (
        "013733ccca61f8bc0091b7b88334e9b11e566e2107afd9b81bd0ebb2d8c5e6e5"
    ),
    "0012_rules_and_candidates.sql": (
        "342cf82ee34766f7c907897fbeb4fc72a4d9413d5d7053711f8859b4aaec8080"
    ),
    "0013_whose_words.sql": "915301d1a4d146d2d4ab2daf11978e2a923be453bba5acc644a3edf319599b83",
    "0014_work_state.sql": "186075fbe395cca5353886a683564e3ac72a0d1bb9c3488eb6e7c1fc4afd0333",
    "0015_definitions.sql": "a09de0b7c77fa746ebc6ae39dfdaec28ca568907269d4608efbeb120d2e70c21",
    "0016_handed_on.sql": "271c18b62444f13dc3b0841653332d99c5ec78bfe2f6636fce4974646ab54a2d",
    "0017_sequence.sql": "ed1f97000704467e83a9bc71c8da7c14a4f45f004bfd9dc2c6d329c37f3ea9e7",
    "0018_recall.sql": "ac37c316247ad4be8d69a66c976f0231969740a95a6ff1c8d6ab6e818c300e24",
    "0019_recalled_projects.sql": (
        "07b3a0ababf6ab05cce7659a8b25ab31a9938604bbb25cc9361064d1dad15aae"
    ),
    "0020_confirmed.sql": "04ecb9f18c74de4d82aeb1cc445d10110af485e613fa88176bff98c6a71fc0a3",
    "0021_threads.sql": "98652074ef8869e995beabe90d5821c6e8e89d99af3e7878d32feac9c538f4f3",
    "0022_threads_by_index.sql": "7d8e95cd1684aa1c6458c018a71b27230b4042f4be48c970c170d5af7a6df3a1",
    "0023_tested.sql": "12f891249baba2e6a0c42d8d6d4ed9c9d1ed93a6a68d2d22c0fe6ee8383e0d81",
}


def test_released_migrations_are_unchanged():
    for name, digest in RELEASED.items():
        content = Path(migrate.FOLDER, name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest, name


def test_every_migration_is_frozen():
    assert sorted(RELEASED) == migrate.names()


def test_migrations_are_numbered_without_a_gap_up_to_the_schema():
    names = migrate.names()

    assert all(re.fullmatch(r"\d{4}_[a-z_]+\.sql", name) for name in names)
    assert [int(name[:4]) for name in names] == list(range(1, driver.SCHEMA + 1))
