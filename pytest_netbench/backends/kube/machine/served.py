"""A container whose program is the one of this package. It runs with the lab's rights, which an agent never has."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from pytest_netbench.backends.kube.machine import containers, happenings
from pytest_netbench.backends.kube.machine.happenings import Note
from pytest_netbench.backends.kube.machine.logs import Log, moment_of, new_text
from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.backends.kube.machine.statuses import State, ended, identity_of
from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import Object

_PROBE_PAUSE_S: Final = 0.02
_PROMPT_S: Final = 0.5
"""A program that serves so soon is reported once, as ready: each report costs every follower of the API an event."""
_LOOK_S: Final = 5.0
_STARTS_S: Final = 5.0
"""So long a program may take until it serves."""
_PROBED_S: Final = 1.0
_SILENT_S: Final = 0.9
_KILLED: Final = -9


class ServedContainer:
    """One container.

    Args:
        pod: Of which it is.
        spec: Its part of the pod.
        slot: Where it runs.
        variables: Its environment.
        changed: Is told when its state has changed.
        connects: Returns whether a TCP port of an address takes a connection from the machine.
        note: Takes note of what happens to it.
    """

    has_terminal = takes_input = False
    program = None

    def __init__(
        self,
        pod: Object,
        spec: Mapping[str, Any],
        slot: SlotNode,
        variables: Mapping[str, str],
        changed: Callable[[], None],
        *,
        connects: Callable[[str, int], Awaitable[bool]],
        note: Note,
    ) -> None:
        self.spec = spec
        self.slot = slot
        self.variables = variables
        self.host_name = str(pod["metadata"]["name"])[:63]
        self.log = Log()
        self.previous: Log | None = None
        self.state = State("waiting", {"reason": "ContainerCreating"})
        self._identity = identity_of(pod, spec)
        self._changed = changed
        self._connects = connects
        self._note = note
        self._text = ""
        self._moment = 0.0
        self._reading = asyncio.Lock()

    async def run(self) -> None:
        """Run the program, and start it again whenever it has ended."""
        restarts, last = 0, None
        serves = containers.serves(self.spec)
        env = {**self.variables} | ({} if serves is None else {"NETBENCH_SERVE": serves})
        port = containers.probed_port(self.spec)
        while True:
            started = containers.now()
            happenings.made(self._note, self.spec)
            await asyncio.to_thread(self.slot.start, self.spec["name"], containers.argv(), env)
            happenings.started(self._note, self.spec)
            if port is not None:
                await self._await_serving(port, State("running", {"startedAt": started}, restarts=restarts, last=last))
            self._set(State("running", {"startedAt": started}, ready=True, restarts=restarts, last=last))
            while await asyncio.to_thread(self._runs):
                await asyncio.sleep(_LOOK_S)
            last = ended(_KILLED, started=started, finished=containers.now(), identity=self._identity)
            self._set(State("terminated", last, restarts=restarts, last=last))
            restarts += 1

    async def _await_serving(self, port: int, meanwhile: State) -> None:
        """Return once the program serves; with a state meanwhile, and with notes, if that takes long."""
        began = noted = time.monotonic()
        while True:
            asked = time.monotonic()
            if await self._connects(self.slot.address, port):
                return
            now = time.monotonic()
            if now - began > _PROMPT_S and self.state != meanwhile:
                self._set(meanwhile)
            if now - began > _STARTS_S and now - noted > _PROBED_S:
                noted = now
                is_silent = now - asked > _SILENT_S
                happenings.not_ready(self._note, self.spec, self.slot.address, port, is_silent=is_silent)
            await asyncio.sleep(_PROBE_PAUSE_S)

    def _runs(self) -> bool:
        try:
            return self.slot.runs(self.spec["name"])
        except LabError:
            return True  # the lab ends

    def _set(self, state: State) -> None:
        self.state = state
        self._changed()

    async def refresh(self) -> None:
        """Bring the log up to date."""
        async with self._reading:
            text = await asyncio.to_thread(self.slot.log, self.spec["name"])
            new, self._text = new_text(self._text, text), text
            for line in new.splitlines(keepends=True):
                self._moment = moment_of(line) or self._moment
                self.log.feed(line.encode(), self._moment)
