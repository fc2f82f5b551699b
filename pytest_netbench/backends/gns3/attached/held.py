"""The nodes of a project that a run uses: saved before they are changed, put back at the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_netbench import parts
from pytest_netbench.backends.gns3.attached.project import Known
from pytest_netbench.backends.gns3.attached.vpcs_configs import VpcsConfigs
from pytest_netbench.backends.gns3.nodes import node_of
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.attaching.exchanging import Exchanges, configs_of
from pytest_netbench.lab.attaching.guards import Guard
from pytest_netbench.lab.attaching.site import Device
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import RefusedLine

_PROMPT_S: Final = 60.0
"""What runs already shows its prompt within this time."""
_RUNS_FRR: Final = ("sh", "-c", "test -e /run/frr/zebra.vty || test -e /var/run/frr/zebra.vty")


class HeldNode:
    """One node.

    Args:
        name: In the task.
        known: It.
        topology: That of the task; to put it back, one with its interfaces.
        server: Where it runs.

    Raises:
        LabError: It is stopped, or has no console by telnet.
        RequirementMissing: The environment lacks a password.
    """

    def __init__(self, name: str, known: Known, topology: Topology, server: Server) -> None:
        self.known = known
        if not known.runs:
            raise LabError(f"{known.shown['name']}: this node of the project is not started (fix: start it in GNS3)")
        reached = node_of(
            name,
            known.shown,
            known.kind,
            dialect=known.dialect,
            topology=topology,
            server=server,
            within_s=min(known.kind.boot_s, _PROMPT_S),
        )
        self.node = reached.node
        self.login = reached.login
        self.driver: Any = parts.load("drivers", known.kind.driver)()
        device = Device(name=str(known.shown["name"]), dialect=known.dialect)
        self.guard = Guard(device, name)
        self.configs: Exchanges = (
            VpcsConfigs(self.driver, self.node)
            if known.kind.console == "vpcs"
            else configs_of(device, self.driver, self.node)
        )

    def save(self) -> str:
        """All that is put back.

        Raises:
            LabError: It cannot be read.
            RequirementMissing: The node cannot be used.
        """
        if isinstance(self.node, ShellNode) and not self.node.run(_RUNS_FRR).returncode:
            raise RequirementMissing(f"{self.known.shown['name']} runs FRR, whose configuration is not exchanged here")
        return self.configs.running()

    def vacate(self) -> None:
        """Give an address up that another node may get, where a host asks for others with its address."""
        if isinstance(self.configs, VpcsConfigs):
            self.configs.clear()

    def load(self, startup_config: str) -> Sequence[RefusedLine]:
        """Exchange what is configured for a startup config; return the refused lines.

        Raises:
            LabError: What is there cannot be removed.
        """
        return self.configs.load(startup_config)

    def close(self) -> None:
        """Let go of its console. Idempotent."""
        self.node.close()
