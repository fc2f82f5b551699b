"""An ANI in memory: devices are lists of configuration lines. For tests of agents without a lab."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_netbench.ani.methods import METHODS, DraftMethods, check_params, unknown_method
from pytest_netbench.errors import AniError, BudgetExhausted
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import Brief, MethodSpec, Step


class MemoryAni(DraftMethods):
    """Keeps the Ani protocol: policy, budget, recording.

    A command that begins with ``invalid`` is refused by the device; ``no X`` takes line ``X`` away.

    Args:
        configs: Configuration lines per device.
        budget: The limits.
        forbidden: Methods that the policy refuses.
    """

    def __init__(
        self, configs: Mapping[str, Sequence[str]], *, budget: Budget | None = None, forbidden: Sequence[str] = ()
    ) -> None:
        self.configs = {device: list(lines) for device, lines in configs.items()}
        self.steps: list[Step] = []
        self._budget = budget or Budget()
        self._forbidden = tuple(forbidden)
        self._used = {"calls": 0, "commands": 0, "tokens": 0}
        self._began = time.monotonic()

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        try:
            result = self._answer(method, params)
        except (AniError, BudgetExhausted) as error:
            self._step("ani", {"method": method, "params": dict(params), "error": {"message": str(error)}})
            raise
        self._step("ani", {"method": method, "params": dict(params), "result": result})
        return result

    def offered(self) -> tuple[MethodSpec, ...]:
        return tuple(spec for name, spec in METHODS.items() if name not in self._forbidden)

    def budget_left(self) -> dict[str, float | None]:
        left = {name: self._left(name) for name in self._used}
        wall_s = self._budget.wall_s
        return {**left, "wall_s": None if wall_s is None else max(0.0, wall_s - (time.monotonic() - self._began))}

    def add_completion(self, data: Mapping[str, Any], *, tokens: int) -> None:
        self._step("completion", dict(data))
        if tokens:
            self._charge("tokens", tokens)

    def note(self, text: str) -> None:
        self._step("note", {"text": text})

    @property
    def notes(self) -> list[str]:
        return [step.data["text"] for step in self.steps if step.kind == "note"]

    @property
    def completions(self) -> list[dict[str, Any]]:
        return [step.data for step in self.steps if step.kind == "completion"]

    @property
    def methods(self) -> list[str]:
        """Wire names of the requests so far."""
        return [step.data["method"] for step in self.steps if step.kind == "ani"]

    def _answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._charge("calls", 1)
        if method not in METHODS:
            raise unknown_method(method, known=METHODS)
        if method in self._forbidden:
            raise AniError(f"method {method!r} is not permitted in this task")
        checked = check_params(method, params).plain()
        if method == "get-topology":
            return {"topology": {"nodes": list(self.configs), "links": []}}
        device = checked["device"]
        if device not in self.configs:
            raise AniError(f"unknown device {device!r} (known: {', '.join(self.configs)})", code=-32602)
        if method == "get-running-cfg":
            return {"running_config": "\n".join(self.configs[device])}
        if method == "execute-cmd":
            self._charge("commands", 1)
            return {"output": f"{device}# {checked['command']}"}
        self._charge("commands", len(checked["commands"]))
        return {"results": [self._apply(device, command) for command in checked["commands"]]}

    def _apply(self, device: str, command: str) -> dict[str, str]:
        lines = self.configs[device]
        if command.startswith("invalid"):
            return {"command": command, "status": "error", "message": "% Unknown command"}
        if command.startswith("no "):
            if command[3:] not in lines:
                return {"command": command, "status": "error", "message": "% Can't find the line"}
            lines.remove(command[3:])
        elif command not in lines:
            lines.append(command)
        return {"command": command, "status": "success"}

    def _charge(self, name: str, count: int) -> None:
        allowed = getattr(self._budget, name)
        self._used[name] += count
        if allowed is not None and self._used[name] > allowed:
            raise BudgetExhausted(name, allowed)

    def _left(self, name: str) -> float | None:
        allowed = getattr(self._budget, name)
        return None if allowed is None else max(0, allowed - self._used[name])

    def _step(self, kind: Any, data: dict[str, Any]) -> None:
        self.steps.append(Step(at_s=time.monotonic() - self._began, kind=kind, data=data))


def brief_of(ani: MemoryAni, *, budget: Budget | None = None) -> Brief:
    """A brief for the devices of ``ani``."""
    return Brief(
        task_name="Static routes",
        family="configure",
        intents=("R1 reaches 192.0.2.0/24 by R2",),
        devices=dict.fromkeys(ani.configs, "frr"),
        methods=tuple(METHODS.values()),
        budget=budget or Budget(),
    )
