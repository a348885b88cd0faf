"""News of the ledger for pages that are open: how many entries there are, as it grows.

One look for all of them, four times a second, and only while somebody listens.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from starlette.concurrency import run_in_threadpool

PAUSE_S = 0.25
HEARTBEAT_S = 15.0  # a connection that nobody reads any more is found by writing to it


class Watch:
    """Looks where the ledger ends, and wakes who listens when it has grown."""

    def __init__(self, last_place: Callable[[], int]) -> None:
        self._last_place = last_place
        self._place = -1
        self._listeners = 0
        self._grown = asyncio.Condition()
        self._task: asyncio.Task[None] | None = None
        self.is_over = False

    async def events(self) -> AsyncIterator[bytes]:
        """Server-sent events: the place of the last entry, first as it is."""
        self._listeners += 1
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        try:
            told_place = -1
            while not self.is_over:
                try:
                    async with self._grown:
                        if self._place == told_place:
                            await asyncio.wait_for(self._grown.wait(), HEARTBEAT_S)
                except TimeoutError:
                    yield b": here\n\n"
                    continue
                if self._place != told_place:
                    told_place = self._place
                    yield f"event: grown\ndata: {told_place}\n\n".encode()
        finally:
            self._listeners -= 1

    async def _look(self) -> None:
        while self._listeners and not self.is_over:
            place = await run_in_threadpool(self._last_place)
            if place != self._place:
                async with self._grown:
                    self._place = place
                    self._grown.notify_all()
            await asyncio.sleep(PAUSE_S)

    async def end(self) -> None:
        self.is_over = True
        async with self._grown:
            self._grown.notify_all()
