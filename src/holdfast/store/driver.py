"""The SQLite driver, loaded without what it would bring along; and what our files are known by."""

from __future__ import annotations

import sys

from holdfast.system.environment import bring

TYPE_CHECKING = False
if TYPE_CHECKING or "collections" in sys.modules:
    import apsw
else:
    # The driver wants one name of collections.abc, to know a mapping by, and the classes around it
    # cost half of what the driver does: for the time of the import that name alone stands in.
    _stand_in = type(sys)("collections.abc")
    _stand_in.Mapping = dict
    sys.modules["collections"] = sys.modules["collections.abc"] = _stand_in
    try:
        bring("driver")
        import apsw
    finally:
        del sys.modules["collections"], sys.modules["collections.abc"]

__all__ = ["APPLICATION", "BUSY", "BUSY_TIMEOUT_S", "SCHEMA", "apsw"]

SCHEMA = 23
APPLICATION = 0x486F6C64  # "Hold": says whose file this is
BUSY_TIMEOUT_S = 5.0
BUSY = (apsw.BusyError, apsw.LockedError)
