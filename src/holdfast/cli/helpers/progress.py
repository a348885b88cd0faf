"""A bar for what takes long, on a terminal; silence elsewhere.

It is drawn on stderr, within the terminal's width, without colours where NO_COLOR is set, and gone
when the work is done: stdout is the report alone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[[int, int], None]


@contextmanager
def progress(doing: str) -> Iterator[Tell]:
    """What is told how much is done, of how much."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)
