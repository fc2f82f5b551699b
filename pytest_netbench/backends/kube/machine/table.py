"""A table of the kernel's packet filter that follows what a machine knows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import Exec

_LONGEST_S = 20.0
_TRIES = 3


class Table:
    """Writes a ruleset whenever it has changed, one writing at a time, from ``release`` to ``hold``.

    Args:
        programs: Of the machine.
        compute: Returns the commands of ``nft`` that replace the table, from what is known now.
    """

    def __init__(self, programs: Exec, compute: Callable[[], str]) -> None:
        self._programs = programs
        self._compute = compute
        self._asked = self._done = 0
        self._condition = asyncio.Condition()
        self._written = ""
        self._wake = asyncio.Event()
        self._may_write = asyncio.Event()
        self.problem = ""
        """What the kernel said of the last ruleset, if it refused it."""

    def changed(self) -> None:
        """Say that something may have changed."""
        self._asked += 1
        self._wake.set()

    def hold(self) -> None:
        """Write nothing more."""
        self._may_write.clear()

    def release(self) -> None:
        """Write."""
        self._may_write.set()

    async def follow(self) -> None:
        """Write for ever."""
        while True:
            await self._wake.wait()
            await self._may_write.wait()
            self._wake.clear()
            asked = self._asked
            text = self._compute()
            if text != self._written:
                await self._write(text)
            async with self._condition:
                self._done = asked
                self._condition.notify_all()

    async def _write(self, text: str) -> None:
        for _ in range(_TRIES):
            try:
                done = await asyncio.to_thread(self._programs.run, ["nft", "-f", "-"], input=text, timeout_s=_LONGEST_S)
            except LabError as error:  # it was not answered in time: nobody knows what the kernel has
                self.problem, self._written = str(error), ""
                continue
            self.problem = done.stderr.strip() if done.returncode else ""
            if not self.problem:
                self._written = text
            return

    async def settled(self) -> None:
        """Return once the kernel has what was known when this was called."""
        asked = self._asked
        async with self._condition:
            await self._condition.wait_for(lambda: self._done >= asked)
