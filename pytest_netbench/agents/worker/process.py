"""One process of an agent, from outside: its start, its messages, what it prints, and how it ended."""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import re
import selectors
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextvars import copy_context
from traceback import FrameSummary
from typing import Any, Final

from pytest_netbench.agents import exits
from pytest_netbench.agents.worker.messages import Connection, NotAMessage
from pytest_netbench.agents.worker.output import Output

_KEEPER: Final = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1));"
    " from pytest_netbench.agents.worker.keeper import main; main()"
)
_CRASHED: Final = "Current thread 0x"
_THREAD: Final = "Thread 0x"
_ENDS_WITHIN_S: Final = 1.0
_MOST_AT_A_TIME: Final = 64
_FRAME: Final = re.compile(r'^  File "(?P<file>[^"]+)", line (?P<line>\d+) in (?P<name>.+)$')

Answer = Callable[[object, object], dict[str, Any]]


class ProcessEnded(Exception):
    """The process has ended, or was ended because of what it sent. The text says how."""


class AgentProcess:
    """A process that makes agents and lets them work. One thread at a time may ask; any may end it.

    Raises:
        OSError: It cannot be started.
    """

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._under_way = 0
        self._counting = threading.Lock()
        self._ending = threading.Lock()
        self._wanted_end = False
        self._asked = False
        self._exit: int | None = None
        self._stacks = os.memfd_create("stacks")
        ours, its = socket.socketpair()
        lives, self._alive = os.pipe()
        self._status, status = os.pipe()
        out, err = os.pipe(), os.pipe()
        self._connection = Connection(ours)
        try:
            self._keeper = subprocess.Popen(
                [sys.executable, "-u", "-c", _KEEPER, json.dumps(sys.path)]
                + [str(one) for one in (its.fileno(), lives, status, self._stacks)],
                stdin=subprocess.DEVNULL,
                stdout=out[1],
                stderr=err[1],
                pass_fds=(its.fileno(), lives, status, self._stacks),
                start_new_session=True,
            )
        finally:
            its.close()
            for descriptor in (lives, status, out[1], err[1]):
                os.close(descriptor)
        self._output = (Output(out[0], lambda: sys.stdout), Output(err[0], lambda: sys.stderr))
        os.set_blocking(self._status, False)

    def ended(self) -> bool:
        """Whether it has ended, as far as is known without waiting."""
        self._read_status()
        return self._exit is not None or self._keeper.poll() is not None

    def send(self, method: str, params: Mapping[str, Any]) -> int:
        """Send a request; ``answer_to`` its number waits for the answer."""
        number = next(self._ids)
        with contextlib.suppress(OSError):  # it has ended, which waiting for the answer says
            self._connection.send({"id": number, "method": method, "params": params})
        return number

    def answer_to(self, number: int, *, answer: Answer, within_s: float | None = None) -> dict[str, Any]:
        """Answer the requests of the process until it answers the request of this number; return its message.

        Args:
            number: From ``send``.
            answer: Answers a request of the process.
            within_s: Wall seconds after which the process is ended; ``None`` is no limit.

        Raises:
            ProcessEnded: It has ended, closed its socket, sent what is no message, or did not answer in time.
        """
        until = None if within_s is None else time.monotonic() + within_s
        self._asked = True
        try:
            return self._answer_to(number, answer, until)
        except TimeoutError:
            self.end()
            raise ProcessEnded(f"the agent's process did not answer within {within_s:g} s, and was ended") from None
        finally:
            self._asked = False

    def _answer_to(self, number: int, answer: Answer, until: float | None) -> dict[str, Any]:
        with selectors.DefaultSelector() as selector:
            for one in (self._connection, self._status, *self._output):
                selector.register(one, selectors.EVENT_READ)
            while True:
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    raise TimeoutError
                ready = {key.fileobj for key, _ in selector.select(left)}
                for output in self._output:
                    if output in ready and not output.read():
                        selector.unregister(output)
                if self._connection in ready and (message := self._received(number, answer)) is not None:
                    self._drain()
                    return message
                if self._status in ready:
                    return self._last(number, answer)

    def end(self) -> None:
        """End it with all that it has started. Idempotent."""
        with self._ending:
            if self._wanted_end:
                return
            self._wanted_end = True
            os.close(self._alive)
            try:
                self._keeper.wait(_ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                self._keeper.kill()  # the agent's process ends with it
                self._keeper.wait()

    def close(self) -> None:
        """Let it end by itself, for a second at most; then end it. Its descriptors are closed."""
        self._connection.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._keeper.wait(_ENDS_WITHIN_S)
        self.end()
        if self._asked:
            return  # a thread still waits for an answer, and notices the end
        self._drain()
        for descriptor in (self._status, self._stacks):
            os.close(descriptor)
        for output in self._output:
            output.close()

    def stack(self) -> list[FrameSummary]:
        """The frames, innermost last, that were noted at a fatal signal or when the time was over; none otherwise."""
        text = os.pread(self._stacks, 2**20, 0).decode(errors="replace")
        # the thread that crashed is named; of all threads the main one, which runs the agent, comes last
        part = text.rpartition(_CRASHED if _CRASHED in text else _THREAD)[2]
        frames = [
            FrameSummary(found["file"], int(found["line"]), found["name"])
            for line in part.partition("\n\n")[0].splitlines()
            if (found := _FRAME.match(line))
        ]
        return frames[::-1]

    def _received(self, number: int, answer: Answer) -> dict[str, Any] | None:
        """Take what has arrived; return the answer to the request of this number, if it is among it."""
        try:
            messages = self._connection.receive()
            if messages is None:
                raise ProcessEnded(self._gone())
            for message in messages:
                if (own := self._taken(message, number, answer)) is not None:
                    return own
        except NotAMessage as error:
            self.end()
            raise ProcessEnded(f"the agent's process sent what is no message to the trial: {error}") from None
        return None

    def _taken(self, message: dict[str, Any], number: int, answer: Answer) -> dict[str, Any] | None:
        if "method" not in message:
            if message.get("id") != number or not isinstance(message.get("result", message.get("error")), dict):
                raise NotAMessage(f"an answer to nothing that was asked: {json.dumps(message)[:80]}")
            return message
        if message["method"] == "log":
            _log(message.get("params"))
        else:
            self._carry_out(message, answer)
        return None

    def _carry_out(self, message: Mapping[str, Any], answer: Answer) -> None:
        """Answer a request in a thread of its own; in this one if too many are under way."""
        context = copy_context()  # what belongs to this trial goes on to do so

        def work() -> None:
            try:
                told = context.run(answer, message.get("method"), message.get("params"))
                with contextlib.suppress(OSError):  # it has ended meanwhile
                    self._connection.send({"id": message.get("id"), **told}, default=str)
            finally:
                with self._counting:
                    self._under_way -= 1

        with self._counting:
            self._under_way += 1
            many = self._under_way > _MOST_AT_A_TIME
        if many:
            work()
        else:
            threading.Thread(target=work, name="netbench request of an agent", daemon=True).start()

    def _last(self, number: int, answer: Answer) -> dict[str, Any]:
        """The answer that it still sent before it ended.

        Raises:
            ProcessEnded: There is none.
        """
        self._read_status()
        # all that holds the other end of the socket ends now
        self._keeper.wait()
        while True:
            with contextlib.suppress(NotAMessage):
                messages = self._connection.receive()
                if messages is None:
                    break
                for message in messages:
                    if "method" not in message and (own := self._taken(message, number, answer)) is not None:
                        return own
        raise ProcessEnded(self._gone())

    def _gone(self) -> str:
        """How it ended. One that has closed its socket only is ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._keeper.wait(_ENDS_WITHIN_S)
        self._read_status()
        by_itself = self._exit is not None
        self.end()
        self._drain()
        if not by_itself:
            return "the agent's process closed its connection to the trial, and was ended"
        assert self._exit is not None
        return f"the agent's process ended with {exits.in_words(self._exit)}"

    def _read_status(self) -> None:
        with contextlib.suppress(BlockingIOError):
            text = os.read(self._status, 64)
            if text:
                self._exit = int(text)

    def _drain(self) -> None:
        """Take what it has printed so far."""
        for output in self._output:
            output.drain()


def _log(params: object) -> None:
    """Handle a log record of the agent as one of this process."""
    if not isinstance(params, dict):
        return
    logger = logging.getLogger(str(params.get("name")))
    level = params.get("levelno")
    if isinstance(level, int) and logger.isEnabledFor(level):
        record = logger.makeRecord(
            logger.name,
            level,
            str(params.get("pathname")),
            params["lineno"] if isinstance(params.get("lineno"), int) else 0,
            str(params.get("text")),
            (),
            None,
            func=str(params.get("funcName")),
        )
        logger.handle(record)
