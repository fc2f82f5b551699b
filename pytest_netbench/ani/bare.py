"""The interface of a task without a network: it offers the methods of the task's family, if there are any."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pytest_netbench.ani.interface import LONGEST_CLOSE_S, code_of
from pytest_netbench.ani.meter import Meter
from pytest_netbench.ani.own import OwnMethod, OwnMethods
from pytest_netbench.ani.policy import listing
from pytest_netbench.ani.protocol import WorkWatcher
from pytest_netbench.ani.recorder import Recorder
from pytest_netbench.errors import AniError, LabError, NetbenchError
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import BudgetUsed, CommandStatus, MethodSpec, SshAccess, Step
from pytest_netbench.rpccodes import Code


class BareAni:
    """The interface of an agent without a lab. Every request is counted and recorded; those of the draft are refused.

    Args:
        budget: What may be used.
        methods: What the scene offers.
        clock: Wall seconds, monotonic.
    """

    ssh: SshAccess | None = None
    commands: tuple[CommandStatus, ...] = ()
    violations: Mapping[str, int] = MappingProxyType({})
    waited_s: float = 0.0

    def __init__(
        self, *, budget: Budget, methods: Sequence[OwnMethod] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.lab_error: LabError | None = None
        self._meter = Meter(budget, clock=clock)
        self._recorder = Recorder()
        self._closed = threading.Event()
        self._own = OwnMethods(methods, self._meter, refuse_if_closed=self._refuse_if_closed, closed=self._closed)

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
        at_s = self._meter.elapsed_s
        known_to_be_over = self._meter.exhausted
        try:
            with self._meter.answering():
                result = self._answer(method, params)
        except NetbenchError as error:
            if isinstance(error, LabError):
                self.lab_error = self.lab_error or error
            if not known_to_be_over:
                self._record(method, params, at_s, error={"code": int(code_of(error)), "message": str(error)})
            raise
        self._record(method, params, at_s, result=result)
        return result

    def _answer(self, method: object, params: Mapping[str, Any]) -> dict[str, Any]:
        self._meter.charge_call()
        if (own := self._own.get(method)) is not None:
            return self._own.answer(own, params)
        known = f" (known: {listing(self._own.names)})" if self._own.names else ""
        raise AniError(
            f"unknown method {method!r:.80}: this task has no network to ask{known}", code=Code.METHOD_NOT_FOUND
        )

    def _record(self, method: str, params: Any, at_s: float, **outcome: Any) -> None:
        data = {
            "method": method,
            "params": params,
            **outcome,
            "duration_s": round(self._meter.elapsed_s - at_s, 6),
            "budget_left": self._meter.left(),
        }
        self._recorder.add("ani", data, at_s=at_s)

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
        return self._own.specs

    # for the code that runs the trial

    @property
    def quiet_s(self) -> float | None:
        """Wall seconds since the last answer, 0 while a request is under way; ``None`` if there was none."""
        return self._meter.quiet_s

    def start(self) -> None:
        """Start the agent's clock; otherwise the first request does."""
        self._meter.start()

    def watch(self, watcher: WorkWatcher) -> None:
        """Nothing can be changed, so nothing is told."""

    def close(self) -> None:
        """Refuse everything from now on, and wait a limited time for a running request. Idempotent."""
        self._closed.set()
        self._meter.stop()
        if self._own.lock.acquire(timeout=LONGEST_CLOSE_S):
            self._own.lock.release()

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
