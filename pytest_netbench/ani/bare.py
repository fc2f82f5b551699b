"""The interface of a task without a network: it offers no method, counts time and tokens, and records notes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pytest_netbench.ani.meter import Meter
from pytest_netbench.ani.protocol import WorkWatcher
from pytest_netbench.ani.recorder import Recorder
from pytest_netbench.errors import AniError, LabError
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import BudgetUsed, CommandStatus, MethodSpec, SshAccess, Step
from pytest_netbench.rpccodes import Code


class BareAni:
    """The interface of an agent without a lab. Every request is refused, counted and recorded.

    Args:
        budget: What may be used.
        clock: Wall seconds, monotonic.
    """

    ssh: SshAccess | None = None
    lab_error: LabError | None = None
    commands: tuple[CommandStatus, ...] = ()

    def __init__(self, *, budget: Budget, clock: Callable[[], float] = time.monotonic) -> None:
        self._meter = Meter(budget, clock=clock)
        self._recorder = Recorder()
        self._closed = threading.Event()

    def get_topology(self, devices: Sequence[str] = ()) -> dict[str, Any]:
        return self.call("get-topology", {"devices": list(devices)})

    def get_running_cfg(self, device: str) -> dict[str, Any]:
        return self.call("get-running-cfg", {"device": device})

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        return self.call("update-cfg", {"device": device, "commands": list(commands)})

    def execute_cmd(self, device: str, command: str) -> dict[str, Any]:
        return self.call("execute-cmd", {"device": device, "command": command})

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._refuse_if_closed()
        self._meter.start()
        self._meter.charge_call()
        error = AniError(f"unknown method {method!r}: this task has no network to ask", code=Code.METHOD_NOT_FOUND)
        data = {
            "method": method,
            "params": params,
            "error": {"code": error.code, "message": str(error)},
            "duration_s": 0.0,
            "budget_left": self._meter.left(),
        }
        self._recorder.add("ani", data, at_s=self._meter.elapsed_s)
        raise error

    def budget_left(self) -> dict[str, float | None]:
        return self._meter.left()

    def add_completion(self, data: Mapping[str, Any], *, tokens: int) -> None:
        self._refuse_if_closed()
        self._meter.start()
        self._recorder.add("completion", data, at_s=self._meter.elapsed_s)
        self._meter.charge_tokens(tokens)

    def note(self, text: str) -> None:
        self._refuse_if_closed()
        self._meter.start()
        self._recorder.add("note", {"text": text}, at_s=self._meter.elapsed_s)

    def offered(self) -> tuple[MethodSpec, ...]:
        return ()

    # for the code that runs the trial

    def start(self) -> None:
        """Start the agent's clock; otherwise the first request does."""
        self._meter.start()

    def watch(self, watcher: WorkWatcher) -> None:
        """Nothing can be changed, so nothing is told."""

    def close(self) -> None:
        """Refuse everything from now on. Idempotent."""
        self._closed.set()
        self._meter.stop()

    @property
    def steps(self) -> tuple[Step, ...]:
        """The trace so far."""
        return self._recorder.steps

    @property
    def budget_used(self) -> BudgetUsed:
        """The used budget."""
        return self._meter.used()

    def _refuse_if_closed(self) -> None:
        if self._closed.is_set():
            raise AniError("the trial has ended: no further requests are answered", code=Code.POLICY_DENIED)
