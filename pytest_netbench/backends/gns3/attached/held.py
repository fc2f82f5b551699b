"""The nodes of a project that a run uses: saved before they are changed, put back at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_netbench import parts
from pytest_netbench.backends.gns3.attached.project import Known
from pytest_netbench.backends.gns3.nodes import node_of
from pytest_netbench.backends.gns3.server import Server
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.lab.attaching.exchanging import Exchanges, configs_of
from pytest_netbench.lab.attaching.guards import Guard
from pytest_netbench.lab.attaching.site import Device
from pytest_netbench.lab.protocols import LabNode
from pytest_netbench.lab.shells.node import ShellNode
from pytest_netbench.model.topology import Topology
from pytest_netbench.model.trial import RefusedLine
from pytest_netbench.platforms.vpcs.session import session_of
from pytest_netbench.platforms.vpcs.settings import Settings

_FACT: Final = re.compile(r"^(IP/MASK|GATEWAY|DNS|DOMAIN NAME|MTU):? *: *(.*?) *$", re.MULTILINE)
_LEASED: Final = re.compile(r"^DHCP", re.MULTILINE)
_USUAL_MTU: Final = ("0", "1500")


class VpcsConfigs:
    """The settings of one host. Its methods are those of ``configs.Configs``; what is saved are lines of ``show ip``.

    Args:
        driver: The driver ``vpcs``.
        node: The host.
    """

    def __init__(self, driver: Any, node: LabNode) -> None:
        self._driver = driver
        self._node = node

    def running(self) -> str:
        """The settings as they are now.

        Raises:
            LabError: They cannot be read, or a server has given them.
        """
        shown = session_of(self._node).send("show ip")
        if _LEASED.search(shown):
            raise LabError(f"{self._node.name}: its address was given by a DHCP server, and could not be put back")
        facts = {key: " ".join(value.split()) for key, value in _FACT.findall(shown)}
        if "IP/MASK" not in facts:
            raise LabError(f"{self._node.name}: cannot read its settings: {shown.strip()!r}")
        return "".join(f"{key}: {value}\n" for key, value in facts.items())

    def clear(self) -> None:
        """Take its address away, so that another host can have it."""
        session = session_of(self._node)
        session.send(Settings().command)
        session.send("clear arp")  # it takes no address that it has seen another host have

    def load(self, wanted: str) -> Sequence[RefusedLine]:
        """Exchange the settings for the lines of a startup config; return the refused lines."""
        self.clear()
        refused: Sequence[RefusedLine] = self._driver.boot(self._node, wanted)
        return refused

    def restore(self, saved: str) -> None:
        """Make the settings what they were.

        Raises:
            LabError: They are not; the text has the lines.
        """
        if self.running() == saved:
            return
        self.clear()
        said = [session_of(self._node).send(line).strip() for line in _typed(saved)]
        now = self.running().splitlines()
        if wrong := [f"+ {line}" for line in saved.splitlines() if line not in now]:
            shown = "; ".join(one for one in said if one)
            raise LabError("\n".join([f"{self._node.name}: settings differ from what was saved ({shown}):", *wrong]))


def _typed(saved: str) -> Iterator[str]:
    facts = {key: value for key, _, value in (line.partition(": ") for line in saved.splitlines())}
    now = Settings.shown("".join(f"{key} : {value}\n" for key, value in facts.items()))
    yield now.command
    if facts.get("DNS"):
        yield f"ip dns {facts['DNS']}"
    if facts.get("DOMAIN NAME"):
        yield f"ip domain {facts['DOMAIN NAME']}"
    if facts.get("MTU", "0") not in _USUAL_MTU:
        yield f"ip mtu {facts['MTU']}"


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
