"""Numbers with units, so that 15 minutes and a quarter of an hour are one amount.

An amount has a dimension: a duration, a period ("every 5 minutes"), a size, a share, a version or
port or code of something, a time of day, or a count of what is named after it. Values of one
dimension can be compared; of a count without a unit nothing but the number is known.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdfast.rooms.decisions.contradiction.stems import EMPTY

SECONDS = {
    "ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "m": 60, "min": 60,
    "minute": 60, "h": 3600, "hr": 3600, "hour": 3600, "d": 86400, "day": 86400, "week": 604800,
    "month": 2592000, "quarter": 7776000, "year": 31536000,
}  # fmt: skip
RATES = {
    "hz": 1, "khz": 1e3, "mhz": 1e6, "ghz": 1e9, "rpm": 1 / 60, "kbit": 1e3, "mbit": 1e6,
    "gbit": 1e9, "kbps": 1e3, "mbps": 1e6, "gbps": 1e9, "baud": 1,
}  # fmt: skip
BYTES = {
    "b": 1, "byte": 1, "kb": 1e3, "kib": 1024, "mb": 1e6, "mib": 1024**2, "mi": 1024**2, "gb": 1e9,
    "gib": 1024**3, "gi": 1024**3, "tb": 1e12,
}  # fmt: skip
WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30,
    "sixty": 60, "hundred": 100, "thousand": 1000, "dozen": 12, "single": 1,
    "several": -1, "multiple": -1,  # more than one, however many
}  # fmt: skip
PERIODS = {
    "hourly": 3600, "daily": 86400, "nightly": 86400, "weekly": 604800, "biweekly": 1209600,
    "fortnightly": 1209600, "monthly": 2592000, "quarterly": 7776000, "yearly": 31536000,
    "annually": 31536000,
}  # fmt: skip
LABELLED = {"port", "mode", "seed", "status", "level", "tier", "version", "epoch"}
STATUS = {"return", "returns", "give", "gives", "answer", "respond", "responds", "responses"}
WITHOUT_END = {"unlimited", "unbounded", "infinite", "limitless", "uncapped"}
TIMES = {"time", "times", "x", "item", "items", "piece"}


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, what it measures, and where in the text its tokens stand."""

    dimension: str
    value: float
    at: tuple[int, ...]
    unit: str = ""  # of a count: what is counted
    spelt: str = ""


def amounts(words: list[str]) -> list[Amount]:
    measured: list[Amount] = []
    place = 0
    while place < len(words):
        amount = _amount(words, place)
        if amount is None:
            place += 1
        else:
            spelt = " ".join(words[min(amount.at) : max(amount.at) + 1])
            measured.append(replace(amount, spelt=spelt))
            place = max(amount.at) + 1
    return measured


def _amount(words: list[str], at: int) -> Amount | None:
    word = words[at]
    before = words[at - 1] if at else ""
    if word in PERIODS:
        return Amount("period", PERIODS[word], (at,))
    if word in WITHOUT_END:
        return Amount("count", float("inf"), (at,))
    if word in ("immediately", "instantly"):
        return Amount("duration", 0, (at,))
    if word in ("noon", "midnight"):
        return Amount("clock", 12 if word == "noon" else 0, (at,))
    if word in ("once", "twice") and at + 2 < len(words) and words[at + 1] in ("a", "per", "every"):
        unit = singular(words[at + 2])
        if unit in SECONDS:
            return Amount("period", SECONDS[unit] / (2 if word == "twice" else 1), (at, at + 2))
    if word in ("every", "each", "per") and at + 1 < len(words):
        unit = singular(words[at + 1])
        if unit in SECONDS and len(unit) > 2:
            return Amount("period", SECONDS[unit], (at, at + 1)) if word != "per" else None
    value = _value(words, at)
    if value is None:
        return None
    return _measured(words, at, value, before)


def _value(words: list[str], at: int) -> float | None:
    word = words[at]
    if word in WORDS:
        return float(WORDS[word])
    if word == "a" and words[at + 1 : at + 2] == ["quarter"]:
        return None
    digits = word.replace(",", "").replace("_", "")
    try:
        # A version: 3.10 is not 3.1.
        return float(digits) + (1e-6 if "." in digits and digits.endswith("0") else 0)
    except ValueError:
        return None


def _measured(words: list[str], at: int, value: float, before: str) -> Amount:
    after = words[at + 1] if at + 1 < len(words) else ""
    unit, taken = singular(after), (at, at + 1)
    if before in LABELLED:
        return Amount(before, value, (at - 1, at))
    if unit in ("am", "pm"):
        return Amount("clock", value % 12 + (12 if unit == "pm" else 0), taken)
    if unit in ("%", "percent", "per-cent"):
        return Amount("share", value, taken)
    if unit in SECONDS and not (len(unit) == 1 and unit in "md" and "." not in unit):
        dimension = "period" if before in ("every", "each") else "duration"
        if words[at + 2 : at + 3] in (["before"], ["earlier"], ["ahead"]):
            dimension = "lead"
        return Amount(dimension, value * SECONDS[unit], taken)
    if after in RATES:
        return Amount("rate", value * RATES[after], taken)
    if unit in BYTES:
        return Amount("size", value * BYTES[unit], taken)
    if before in STATUS and 100 <= value < 600:
        return Amount("status", value, (at,))
    if unit in TIMES:
        return Amount("count", value, taken)
    return Amount("count", value, (at,), unit if unit.isalpha() and unit not in EMPTY else "")


def singular(word: str) -> str:
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word
