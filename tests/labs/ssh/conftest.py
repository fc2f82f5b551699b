"""A real lab of two IOS routers, an FRR router and a Linux host, all of which answer with SSH."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_netbench import parts
from pytest_netbench.ani.interface import AgentInterface
from pytest_netbench.ani.policy import Policy
from pytest_netbench.ani.ssh import open_ssh
from pytest_netbench.lab.request import request_of
from pytest_netbench.model.task import Budget
from pytest_netbench.model.trial import SshAccess, SshLogin
from tests.support.netns_networks import network

CONFIGS = {
    **{
        f"R{one}": f"interface Gi0/0\n ip address 10.0.0.{one} 255.255.255.0\n no shutdown\n"
        f"router bgp 6500{one}\n neighbor 10.0.0.{other} remote-as 6500{other}\n network 10.0.0.0 mask 255.255.255.0\n"
        for one, other in ((1, 2), (2, 1))
    },
    "f1": "interface eth0\n ip address 10.1.0.1/24\n",
    "h1": "ip address add 10.1.0.2/24 dev eth0\n",
}
PLATFORMS = {"R1": "cisco_ios", "R2": "cisco_ios", "f1": "frr", "h1": "linux"}


@dataclass(frozen=True)
class Served:
    """A lab whose devices answer with SSH."""

    lab: Any
    ani: AgentInterface
    access: SshAccess

    def __getitem__(self, device: str) -> SshLogin:
        return self.access.hosts[device]

    def config(self, device: str) -> str:
        """The running config of a device."""
        return self.ani.get_running_cfg(device)["running_config"]

    def lines(self, device: str) -> list[str]:
        """The lines that were entered at a device so far."""
        params = [step.data["params"] for step in self.ani.steps if step.kind == "ani"]
        return [one["line"].strip() for one in params if one.get("line") and one["device"] == device]


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    """The lab; one for the tests of a module."""
    backend = parts.load("backends", "netns")()
    wanted = network(PLATFORMS, ["R1 Gi0/0 - R2 Gi0/0", "f1 eth0 - h1 eth0"], CONFIGS)
    lack = backend.lacks(request_of(wanted))
    if lack is not None:
        pytest.skip(f"{lack[0]}; fix: {lack[1]}")
    lab = backend.deploy(request_of(wanted))
    try:
        ani = AgentInterface(lab, policy=Policy(), budget=Budget(calls=None, commands=None, wall_s=None))
        try:
            yield Served(lab, ani, open_ssh(ani))
        finally:
            ani.close()
        assert ani.lab_error is None
    finally:
        lab.destroy()
