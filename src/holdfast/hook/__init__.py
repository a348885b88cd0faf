"""One event, from stdin to the answer."""

from __future__ import annotations


def main() -> None:
    """What every launcher calls that was ever installed."""
    from holdfast.hook.entry_point import main as answer_one_event

    answer_one_event()
