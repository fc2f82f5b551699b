"""A network on paper: it shows configurations that were recorded, and writes down what would be configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_netbench.errors import AniError
from pytest_netbench.model.task import Task
from pytest_netbench.model.trial import MethodSpec
from pytest_netbench.rpccodes import Code


class PaperAni:
    """An ``Ani`` without a lab.

    Args:
        task: Has the topology.
        configs: The running configs by node.
    """

    def __init__(self, task: Task, configs: Mapping[str, str]) -> None:
        self._task = task
        self.configs = configs
        self.commands: dict[str, list[str]] = {}
        """By device, in the order of their first change: what was configured."""

    def get_topology(self, devices: Sequence[str] = ()) -> dict[str, Any]:
        return {"topology": self._task.network.topology.wire(tuple(devices))}

    def get_running_cfg(self, device: str) -> dict[str, Any]:
        if device not in self.configs:
            raise AniError(f"no running config of {device} is recorded", code=Code.INVALID_PARAMS)
        return {"running_config": self.configs[device]}

    def update_cfg(self, device: str, commands: Sequence[str]) -> dict[str, Any]:
        self.commands.setdefault(device, []).extend(commands)
        return {"results": [{"command": command, "status": "success"} for command in commands]}

    def execute_cmd(self, device: str, command: str) -> dict[str, Any]:
        return self.call("execute-cmd", {"device": device, "command": command})

    def call(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:  # nothing can be done
        raise AniError(f"{method}: the network is on paper", code=Code.POLICY_DENIED)

    def budget_left(self) -> dict[str, float | None]:
        return {}

    def offered(self) -> tuple[MethodSpec, ...]:
        return ()

    def add_completion(self, data: Mapping[str, Any], *, tokens: int) -> None:
        """Nothing is recorded."""

    def note(self, text: str) -> None:
        """Nothing is recorded."""
