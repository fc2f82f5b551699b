"""Policy, budget and trace for lines that an agent enters at a device's own command line."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Protocol

from pytest_netbench.ani.ledger import Ledger
from pytest_netbench.ani.recorder import clip
from pytest_netbench.ani.standing import CONSOLE, LONGEST_LINE_S, Standing
from pytest_netbench.ani.watching import Watching
from pytest_netbench.errors import AniError, BudgetExhausted
from pytest_netbench.lab.ssh.hosts import Typed
from pytest_netbench.model.trial import CommandStatus
from pytest_netbench.platforms.terminal import CommandKind, CommandNotPermitted

METHOD = CONSOLE
_MAX_OUTPUT_BYTES = 65_536


class Admit(Protocol):
    """Raises ``AniError`` if a device may not be used, or not be changed."""

    def __call__(self, device: str, *, changes: bool) -> None: ...


class CommandGuard:
    """Implements ``lab.ssh.Guard``: policy, budget and trace, as for a request.

    A line that reads is one call and one command. A line that configures is one command; consecutive configuring lines
    of one session are one call, as in ``update-cfg``. Lines that only change the session's mode are recorded and free.

    Args:
        admit: Raises ``AniError`` if a device may not be used (now); ``changes`` asks whether it may be configured.
        ledger: Counts, and keeps trace and configuration commands.
        watching: Is told of what may change something.
        noticing: Devices that tell it of each change themselves.
        check: Raises ``AniError`` for a line that is not permitted.
        broken: Is told of the error that ended a session, and of the device.
        standing: Takes a turn for each line, if the network stands still between them.
    """

    def __init__(
        self,
        *,
        admit: Admit,
        ledger: Ledger,
        watching: Watching,
        noticing: Container[str],
        check: Callable[[str, str, CommandKind], None],
        broken: Callable[[str, Exception], None],
        standing: Standing | None = None,
    ) -> None:
        self._admit = admit
        self._ledger = ledger
        self._meter = ledger.meter
        self._watching = watching
        self._noticing = noticing
        self._check = check
        self._broken = broken
        self._standing = standing
        self._configuring: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    @property
    def stands_still(self) -> bool:
        return self._standing is not None

    @contextmanager
    def moving(self) -> Iterator[Typed]:
        if self._standing is None:
            yield Typed()
            return
        with self._standing.moving() as turn:
            yield Typed(turn=turn, until=time.monotonic() + LONGEST_LINE_S)

    @contextmanager
    def enter(self, device: str, session: str, line: str, kind: CommandKind) -> Iterator[Typed]:
        self._meter.start()
        at_s = self._meter.elapsed_s
        params = {"device": device, "session": session, "line": line, "kind": kind}
        known_to_be_over = self._meter.exhausted
        took: dict[str, float] = {}
        typed = Typed()
        work = ExitStack()
        try:
            work.enter_context(self._turn(kind, typed, took))
            self._admit(device, changes=kind == "configure")
            self._charge(device, session, kind)
            self._check(device, line, kind)
        except BaseException as error:
            work.close()
            if not isinstance(error, AniError | BudgetExhausted):
                raise
            if not known_to_be_over:
                self._ledger.request(METHOD, params, at_s, error=self._ledger.refusal(error), **took)
            raise CommandNotPermitted(f"% netbench: {error}") from error
        try:
            with work, self._watched(device, session, line, kind):
                yield typed
        finally:
            output = clip(typed.output, _MAX_OUTPUT_BYTES)
            self._ledger.request(METHOD, params, at_s, result={"output": output}, **took)
            if kind == "configure":
                status = "error" if typed.refused else "success"
                self._ledger.commands.append(
                    CommandStatus(device=device, command=line, status=status, message=typed.refused)
                )

    def broken(self, device: str, error: Exception) -> None:
        self._broken(device, error)
        self._ledger.note(f"{device}: a session ended by an error: {error}")

    @contextmanager
    def _turn(self, kind: CommandKind, typed: Typed, took: dict[str, float]) -> Iterator[None]:
        """Around a line in a network that stands still: its turn, in which its change is complete, too."""
        if self._standing is None:
            yield
            return
        self._ledger.refuse_if_closed()
        self._meter.check()
        is_free = kind == "session"
        turn = (
            self._standing.moving(took)
            if is_free
            else self._standing.turn(METHOD, changes=kind == "configure", took=took)
        )
        with turn as typed.turn:
            typed.until = time.monotonic() + LONGEST_LINE_S
            try:
                yield
            finally:
                self._watching.complete()

    def _watched(self, device: str, session: str, line: str, kind: CommandKind) -> AbstractContextManager[None]:
        if kind == "session" or device in self._noticing:
            return nullcontext()
        try:
            self._admit(device, changes=True)
        except AniError:
            return nullcontext()
        return self._watching.line(device, session, line)

    def _charge(self, device: str, session: str, kind: CommandKind) -> None:
        if kind == "session":
            self._meter.check()
            return
        place = (device, session)
        with self._lock:
            goes_on = kind == "configure" and place in self._configuring
            if kind == "configure":
                self._configuring.add(place)
            else:
                self._configuring.discard(place)
        if not goes_on:
            self._meter.charge_call()
        self._meter.charge_commands(1)
