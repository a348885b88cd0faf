"""Times as we keep them: UTC, ISO 8601 with milliseconds."""

from __future__ import annotations

import time


def now() -> str:
    """The time, UTC, ISO 8601 with milliseconds."""
    return iso(time.time())


def iso(seconds: float) -> str:
    whole = int(seconds)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
    return f"{stamp}.{int((seconds - whole) * 1000):03d}Z"


def of_day(at: str) -> str:
    """The hour and minute on the clock at the wall."""
    return time.strftime("%H:%M", time.localtime(seconds_of(at)))


def seconds_of(at: str) -> float:
    """The reverse of `iso`: seconds since 1970. By hand, for `strptime` brings half of the
    library along: as much again as a whole hook."""
    year, month, day = int(at[:4]), int(at[5:7]), int(at[8:10])
    if month < 3:  # years are counted from March: a leap day is a year's last
        year, month = year - 1, month + 12
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month - 457) // 5 + day
    whole = (days - 719469) * 86400 + int(at[11:13]) * 3600 + int(at[14:16]) * 60 + int(at[17:19])
    return whole + float(f"0{at[19:-1]}")
