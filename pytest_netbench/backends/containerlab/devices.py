"""Nodes of vendors' kinds: they boot by themselves, and are reached by SSH over the management network of their lab."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_netbench.backends.containerlab.kinds import Device
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.lab.consoles import Credentials
from pytest_netbench.lab.device_node import DeviceNode
from pytest_netbench.lab.ssh_line import SshLine, SshTarget
from pytest_netbench.model.topology import Topology
from pytest_netbench.platforms.access import CliLine

_TRY_S: Final = 20.0
_PAUSE_S: Final = 2.0


class SshCommandLine:
    """Implements ``platforms.access.CommandLine`` for a device whose key is made anew with each lab."""

    def __init__(self, name: str, address: str, credentials: Credentials) -> None:
        self.enable_secret = credentials.enable_secret
        self._name = name
        self._target = SshTarget(
            host=address, user=credentials.username, password=credentials.password, host_key="ignore"
        )
        self._opened: list[CliLine] = []

    def connect(self) -> CliLine:
        line = SshLine(self._name, self._target)
        self._opened.append(line)
        return line

    def hang_up(self) -> None:
        """End all connections."""
        while self._opened:
            self._opened.pop().close()

    def await_login(self, within_s: float) -> None:
        """Return once one can log in.

        Raises:
            LabError: Nobody can in time; says what came last.
        """
        last: list[LabError] = []

        def answers() -> bool:
            try:
                SshLine(self._name, self._target, within_s=_TRY_S).close()
            except LabError as error:
                last[:] = [error]
                return False
            return True

        if not poll(answers, until=bool, within_s=within_s, pause_s=_PAUSE_S):
            raise LabError(f"{self._name}: no login within {within_s:g} s; at last: {last[0]}")


class ContainerDevice(DeviceNode):
    """A device in a container.

    Args:
        place: The container.
        device: What is known of its kind.
        address: In the management network.
        name: Of the node, in the task.
        platform: Name of its dialect.
        topology: Of the lab.
    """

    def __init__(
        self, place: Place, device: Device, address: str, *, name: str, platform: str, topology: Topology
    ) -> None:
        self.place = place
        self._device = device
        self._ssh = SshCommandLine(name, address, device.credentials())
        super().__init__(name=name, platform=platform, topology=topology, line=self._ssh, hang_up=self._ssh.hang_up)

    @property
    def ends(self) -> tuple[str, ...]:
        """The interfaces of its container that are cabled."""
        return tuple(map(self._device.interfaces.kernel_name, self.interfaces))

    def kernel_interface(self, interface: str) -> str:
        """The name of an interface in its container.

        Raises:
            ValueError: It has no such interface.
        """
        return self._device.interfaces.kernel_name(interface)

    def prepare(self) -> None:
        """Wait until it has booted.

        Raises:
            LabError: It has not in time.
        """
        self._ssh.await_login(self._device.boot_s)


def address_of(container: Mapping[str, Any], network: str) -> str:
    """The address of a container in a network, from what the engine shows of it.

    Raises:
        LabError: It has none there.
    """
    networks = container.get("NetworkSettings", {}).get("Networks") or {}
    address = (networks.get(network) or {}).get("IPAddress")
    if not address:
        raise LabError(f"{container.get('Name', '')}: has no address in {network} (networks: {', '.join(networks)})")
    return str(address)
