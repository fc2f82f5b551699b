"""Policy, budget and trace for lines that an agent enters at a device's own command line."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from pytest_netbench.ani.ledger import Ledger
from pytest_netbench.ani.recorder import clip
from pytest_netbench.ani.watching import Watching
from pytest_netbench.errors import AniError, BudgetExhausted
from pytest_netbench.lab.ssh.hosts import Typed
from pytest_netbench.model.trial import CommandStatus
from pytest_netbench.platforms.terminal import CommandKind, CommandNotPermitted

METHOD = "console"
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
        check: Raises ``AniError`` for a line that is not permitted.
        broken: Is told of the error that ended a session, and of the device.
    """

    def __init__(
        self,
        *,
        admit: Admit,
        ledger: Ledger,
        watching: Watching,
        check: Callable[[str, str, CommandKind], None],
        broken: Callable[[str, Exception], None],
    ) -> None:
        self._admit = admit
        self._ledger = ledger
        self._meter = ledger.meter
        self._watching = watching
        self._check = check
        self._broken = broken
        self._configuring: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    @contextmanager
    def enter(self, device: str, session: str, line: str, kind: CommandKind) -> Iterator[Typed]:
        self._meter.start()
        at_s = self._meter.elapsed_s
        params = {"device": device, "session": session, "line": line, "kind": kind}
        known_to_be_over = self._meter.exhausted
        try:
            self._admit(device, changes=kind == "configure")
            self._charge(device, session, kind)
            self._check(device, line, kind)
        except (AniError, BudgetExhausted) as error:
            if not known_to_be_over:
                self._ledger.request(METHOD, params, at_s, error=self._ledger.refusal(error))
            raise CommandNotPermitted(f"% netbench: {error}") from error
        typed = Typed()
        try:
            with self._watched(device, session, line, kind):
                yield typed
        finally:
            output = clip(typed.output, _MAX_OUTPUT_BYTES)
            self._ledger.request(METHOD, params, at_s, result={"output": output})
            if kind == "configure":
                status = "error" if typed.refused else "success"
                self._ledger.commands.append(
                    CommandStatus(device=device, command=line, status=status, message=typed.refused)
                )

    def broken(self, device: str, error: Exception) -> None:
        self._broken(device, error)
        self._ledger.note(f"{device}: a session ended by an error: {error}")

    def _watched(self, device: str, session: str, line: str, kind: CommandKind) -> AbstractContextManager[None]:
        if kind == "session":
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
