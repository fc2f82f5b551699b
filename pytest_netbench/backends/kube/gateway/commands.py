"""Commands in containers, and what their programs write, for clients that speak websockets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from typing import Final

from aiohttp import web

from pytest_netbench.backends.kube.gateway.answers import is_asked, status
from pytest_netbench.backends.kube.gateway.channels import (
    CLOSE,
    RESIZE,
    STDERR,
    STDIN,
    STDOUT,
    Channels,
    Gone,
    outcome,
    size_of,
)
from pytest_netbench.backends.kube.machine import containers, pipes
from pytest_netbench.backends.kube.machine.container import Container, Piece
from pytest_netbench.backends.kube.machine.podrun import AnyContainer
from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import SandboxLimits
from pytest_netbench.platforms.capabilities import StreamedProgram, TerminalSize

LONGEST_S: Final = 600.0
MOST: Final = 64
_LIMITS: Final = SandboxLimits(timeout_s=LONGEST_S)
_NEEDS_WEBSOCKETS: Final = "commands in pods need a client that speaks websockets: kubectl since 1.31"


class Commands:
    """Serves ``exec`` and ``attach``, at most ``MOST`` at a time."""

    def __init__(self) -> None:
        self._running = 0

    async def execute(self, request: web.BaseRequest, container: AnyContainer) -> web.StreamResponse:
        """Run a command in a container."""
        refused = self._refused(request)
        if refused is not None:
            return refused
        words = request.query.getall("command", [])
        if not words:
            return status(400, "BadRequest", "you must specify at least one command for the container")
        with self._counted():
            channels = Channels()
            await channels.open(request)
            try:
                program = await asyncio.to_thread(_started, container, words, is_asked(request.query, "tty"))
            except LabError as error:
                await _send(channels, STDERR, f"{error}\n".encode())
                return await channels.close(outcome(126))
            try:
                return await _converse(channels, program, takes_input=is_asked(request.query, "stdin"))
            finally:
                program.close()

    async def attach(self, request: web.BaseRequest, container: AnyContainer) -> web.StreamResponse:
        """Follow the program of a container."""
        refused = self._refused(request)
        if refused is not None:
            return refused
        if not isinstance(container, Container):
            return status(400, "BadRequest", "this container takes no input: use logs to see what it writes")
        if container.program is None:
            return status(400, "BadRequest", f"container {container.spec['name']} is not running")
        # before anything is waited for: the program may end meanwhile
        queue, program = container.attach(), container.program
        with self._counted():
            try:
                channels = Channels()
                await channels.open(request)
                return await _follow(channels, queue, program, takes_input=container.takes_input)
            finally:
                container.detach(queue)

    def _refused(self, request: web.BaseRequest) -> web.Response | None:
        if not Channels.are_offered(request):
            return status(400, "BadRequest", _NEEDS_WEBSOCKETS)
        if self._running >= MOST:
            return status(429, "TooManyRequests", f"at most {MOST} commands run in pods at a time")
        return None

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1


def _started(container: AnyContainer, words: list[str], terminal: bool) -> StreamedProgram:
    env = {**container.variables, "HOME": "/root", **({"TERM": "xterm"} if terminal else {})}
    return container.slot.stream(
        containers.executed(container.spec, words),
        env=env,
        host_name=container.host_name,
        terminal=TerminalSize() if terminal else None,
        limits=_LIMITS,
    )


async def _send(channels: Channels, channel: int, data: bytes) -> None:
    with contextlib.suppress(Gone):
        await channels.send(channel, data)


async def _converse(channels: Channels, program: StreamedProgram, *, takes_input: bool) -> web.StreamResponse:
    """Carry the streams of a program until it ends or its client is gone."""
    if not takes_input:
        program.close_stdin()
    streams = [(STDOUT, program.stdout)] + ([] if program.stderr is None else [(STDERR, program.stderr)])
    output = asyncio.create_task(_carry_all(channels, streams))
    taking = asyncio.create_task(_take(channels, program, takes_input=takes_input))
    try:
        await asyncio.wait([output, taking], return_when=asyncio.FIRST_COMPLETED)
        if taking.done() or output.exception() is not None:  # the client is gone
            return await channels.close(outcome(-1))
        await pipes.readable(program.ended)
        done = program.status()
    except LabError as error:
        return await channels.close(outcome(137, why=str(error)))
    finally:
        for task in (output, taking):
            task.cancel()
        await asyncio.gather(output, taking, return_exceptions=True)
    if done.stderr:
        await _send(channels, STDERR, f"{done.stderr}\n".encode())
    why = f"the command was ended: it ran for {LONGEST_S:g} s" if done.timed_out else ""
    return await channels.close(outcome(done.returncode, why=why))


async def _carry_all(channels: Channels, streams: Sequence[tuple[int, int]]) -> None:
    # when one ends because the client is gone the others end, too: their descriptors are closed soon
    async with asyncio.TaskGroup() as group:
        for number, fd in streams:
            group.create_task(_carry(channels, number, fd))


async def _carry(channels: Channels, number: int, fd: int) -> None:
    while data := await pipes.read(fd):
        await channels.send(number, data)


async def _take(channels: Channels, program: StreamedProgram, *, takes_input: bool) -> None:
    """Give a program what its client sends, until that is gone."""
    async for channel, data in channels.received():
        if channel == RESIZE and (size := size_of(data)) is not None:
            program.resize(columns=size[0], rows=size[1])
        elif not takes_input:
            continue
        elif channel == CLOSE and data[:1] == bytes([STDIN]):
            takes_input = False
            program.close_stdin()
        elif channel == STDIN:
            with contextlib.suppress(OSError):  # the program does not read any more
                await pipes.write(program.stdin, data)


async def _follow(
    channels: Channels, queue: asyncio.Queue[Piece], program: StreamedProgram, *, takes_input: bool
) -> web.StreamResponse:
    """Carry what a container's program writes until it ends, and what its client sends, until that is gone."""
    taking = asyncio.create_task(_take(channels, program, takes_input=takes_input))
    carrying = asyncio.create_task(_carry_pieces(channels, queue))
    try:
        await asyncio.wait({taking, carrying}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (taking, carrying):
            task.cancel()
        await asyncio.gather(taking, carrying, return_exceptions=True)
    return await channels.close(outcome(0))


async def _carry_pieces(channels: Channels, queue: asyncio.Queue[Piece]) -> None:
    while (piece := await queue.get())[1]:
        await channels.send(*piece)
