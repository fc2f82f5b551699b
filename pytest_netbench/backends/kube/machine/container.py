"""A container whose program is an agent's: it runs in the sandbox, and is started again as its pod says."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_netbench.backends.kube.machine import containers, happenings, pipes, statuses
from pytest_netbench.backends.kube.machine.happenings import Note
from pytest_netbench.backends.kube.machine.logs import Log
from pytest_netbench.backends.kube.machine.slots import SlotNode
from pytest_netbench.backends.kube.machine.statuses import State
from pytest_netbench.errors import LabError
from pytest_netbench.lab.kubernetes.client import Object
from pytest_netbench.platforms.access import Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import StreamedProgram, TerminalSize

STDOUT, STDERR = 1, 2
LIMITS: Final = SandboxLimits(timeout_s=math.inf)
_BYTES_PER_S: Final = 4 << 20
"""What a program writes is read so fast, so that one that floods leaves time to others."""
_EARLY_BYTES: Final = 1 << 16
_WAITING: Final = 64
Piece = tuple[int, bytes]
"""Which output, and what was written to it; nothing at the end."""


class Container:
    """One container.

    Args:
        pod: Of which it is.
        spec: Its part of the pod.
        slot: Where it runs.
        variables: Its environment.
        changed: Is told when its state has changed.
        note: Takes note of what happens to it.
    """

    def __init__(
        self,
        pod: Object,
        spec: Mapping[str, Any],
        slot: SlotNode,
        variables: Mapping[str, str],
        changed: Callable[[], None],
        *,
        note: Note,
    ) -> None:
        self.spec = spec
        self.slot = slot
        self.variables = variables
        self.host_name = str(pod["metadata"]["name"])[:63]
        self.log = Log()
        self.previous: Log | None = None
        self.state = State("waiting", {"reason": "ContainerCreating"})
        self.program: StreamedProgram | None = None
        self._policy = pod["spec"].get("restartPolicy", "Always")
        self._where = f"{pod['metadata']['name']}_{pod['metadata']['namespace']}({pod['metadata']['uid']})"
        self._identity = statuses.identity_of(pod, spec)
        self._changed = changed
        self._note = note
        self._attached: list[asyncio.Queue[Piece]] = []
        self._early: list[Piece] | None = []
        """What the first one who attaches is told: what was written before."""

    @property
    def has_terminal(self) -> bool:
        """Whether its program runs on one."""
        return bool(self.spec.get("tty"))

    @property
    def takes_input(self) -> bool:
        """Whether its program is given input by those who attach."""
        return bool(self.spec.get("stdin"))

    async def refresh(self) -> None:
        """Bring the log up to date: it is."""

    async def run(self) -> None:
        """Run the program, again and again if the pod asks for it."""
        restarts = 0
        while True:
            started = containers.now()
            done = await self._run_once(started, restarts)
            details = statuses.ended(
                done.returncode,
                started=started,
                finished=containers.now(),
                identity=self._identity,
                message=done.stderr,
            )
            last = None if self.state.last is None else self.state.last
            self._set(State("terminated", details, restarts=restarts, last=last))
            if not statuses.starts_again(self._policy, done.returncode):
                return
            await self._wait(restarts, details)
            restarts += 1
            self.previous, self.log = self.log, Log()

    async def _wait(self, restarts: int, details: Mapping[str, Any]) -> None:
        delay = statuses.delay_s(restarts)
        if delay:
            why = f"back-off {delay:g}s restarting failed container={self.spec['name']} pod={self._where}"
            waiting = {"reason": "CrashLoopBackOff", "message": why}
            known_as = f"Back-off restarting failed container {self.spec['name']} in pod {self._where}"
            self._note("BackOff", known_as, container=self.spec["name"], is_warning=True)
            self._set(State("waiting", waiting, restarts=restarts, last=details))
        await asyncio.sleep(delay)
        self.state = self.state._replace(last=details)

    def _set(self, state: State) -> None:
        self.state = state
        self._changed()

    async def _run_once(self, started: str, restarts: int) -> Completed:
        happenings.made(self._note, self.spec)
        try:
            self.program = program = await asyncio.to_thread(self._start)
        except LabError as error:
            return Completed(stdout="", stderr=str(error), returncode=128)
        try:
            happenings.started(self._note, self.spec)
            running = {"startedAt": started}
            self._set(State("running", running, ready=True, restarts=restarts, last=self.state.last))
            if not self.takes_input:
                program.close_stdin()
            streams = [(STDOUT, program.stdout)] + ([] if program.stderr is None else [(STDERR, program.stderr)])
            await asyncio.gather(*(self._collect(number, fd) for number, fd in streams))
            await pipes.readable(program.ended)
            return program.status()
        except LabError as error:
            return Completed(stdout="", stderr=str(error), returncode=137)
        finally:
            self.program = None
            program.close()
            self.log.finish()
            self._tell((STDOUT, b""))

    def _start(self) -> StreamedProgram:
        return self.slot.stream(
            containers.command(self.spec, self.variables),
            env=self.variables,
            host_name=self.host_name,
            terminal=TerminalSize() if self.has_terminal else None,
            limits=LIMITS,
        )

    async def _collect(self, number: int, fd: int) -> None:
        while data := await pipes.read(fd):
            self.log.feed(data)
            self._tell((number, data))
            await asyncio.sleep(len(data) / _BYTES_PER_S)

    def _tell(self, piece: Piece) -> None:
        if self._early is not None and sum(len(data) for _, data in self._early) < _EARLY_BYTES:
            self._early.append(piece)
        for queue in [*self._attached]:
            try:
                queue.put_nowait(piece)
            except asyncio.QueueFull:  # one who does not read
                self._attached.remove(queue)

    # those who attach

    def attach(self) -> asyncio.Queue[Piece]:
        """Follow what the program writes. The first one is told what it wrote before."""
        queue: asyncio.Queue[Piece] = asyncio.Queue(_WAITING)
        for piece in (self._early or [])[: _WAITING - 1]:
            queue.put_nowait(piece)
        self._early = None
        self._attached.append(queue)
        return queue

    def detach(self, queue: asyncio.Queue[Piece]) -> None:
        """End to follow. Input that is given once ends with the first one who gave it."""
        with contextlib.suppress(ValueError):
            self._attached.remove(queue)
        if self.takes_input and self.spec.get("stdinOnce") and self.program is not None:
            self.program.close_stdin()
