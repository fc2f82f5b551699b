"""The nodes that stand for Deployments of a cluster that exists: of each, one of its pods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

from pytest_netbench.backends.kubeconfig.control import Control
from pytest_netbench.errors import AniError, LabError
from pytest_netbench.lab.kubernetes.nodes import ClusterNode
from pytest_netbench.platforms.access import DEFAULT_LIMITS, Completed, SandboxLimits
from pytest_netbench.platforms.capabilities import AGENT_SHELL, EXEC
from pytest_netbench.platforms.capability import Capability
from pytest_netbench.rpccodes import Code

T = TypeVar("T")
_EXEC_S: Final = 30.0


class PodNode(ClusterNode):
    """The pod that stands for a Deployment, whichever that is at the moment.

    Args:
        name: Of the Deployment, and of the node in the task.
        platform: Its platform.
        role: What it is for.
        control: The cluster.
    """

    def __init__(self, name: str, platform: str, role: str | None, *, control: Control) -> None:
        super().__init__(name, platform, role)
        self._control = control

    def shell(
        self,
        command: str,
        *,
        writable: bool,
        reads: Sequence[str] = (),  # a container has the privileges that it has
        limits: SandboxLimits = DEFAULT_LIMITS,
    ) -> Completed:
        if writable:
            raise AniError(f"{self.name}: nothing is changed in pods", code=Code.DEVICE_ERROR)
        return self._run(["sh", "-c", command], timeout_s=limits.timeout_s, most=limits.output_bytes)

    def run(self, argv: Sequence[str], *, input: str | None = None, timeout_s: float = _EXEC_S) -> Completed:
        if input is not None:
            raise LabError(f"{self.name}: programs in pods of backend kubeconfig get no input")
        return self._run(argv, timeout_s=timeout_s)

    def run_many(self, argvs: Sequence[Sequence[str]], *, timeout_s: float = _EXEC_S) -> list[Completed]:
        return [self.run(argv, timeout_s=timeout_s) for argv in argvs]

    def _run(self, argv: Sequence[str], *, timeout_s: float, most: int = 1 << 20) -> Completed:
        cluster = self._control.cluster
        pod = self._control.run(cluster.pod_of(self.name))
        if pod is None:
            raise AniError(f"{self.name}: no pod of this Deployment is ready", code=Code.DEVICE_ERROR)
        return self._control.run(cluster.run(pod, argv, timeout_s=timeout_s, most=most), timeout_s=timeout_s + _EXEC_S)

    def capability(self, kind: Capability[T]) -> T:
        return kind.of(dict.fromkeys((AGENT_SHELL.name, EXEC.name), self), owner=f"node {self.name}")
