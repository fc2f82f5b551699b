"""Nodes of vendors' kinds: they boot by themselves, and are reached by SSH over the management network of their lab."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from pytest_netbench.backends.containerlab.kinds import Device
from pytest_netbench.backends.containerlab.programs import Place
from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.lab.connections import Connections
from pytest_netbench.lab.device_node import DeviceNode
from pytest_netbench.lab.ssh_line import SshLine, SshTarget
from pytest_netbench.model.topology import Topology

_PROMPT_S: Final = 30.0
_PAUSE_S: Final = 2.0


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
        credentials = device.credentials()
        # its key is made anew with each lab
        target = SshTarget(host=address, user=credentials.username, password=credentials.password, host_key="ignore")
        self._device = device
        self._log_in = partial(SshLine, name, target, within_s=_PROMPT_S)
        connections = Connections(self._log_in, credentials.enable_secret)
        super().__init__(name=name, platform=platform, topology=topology, line=connections, hang_up=connections.close)

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
            LabError: Nobody can log in in time; says what came last.
        """
        last: list[LabError] = []

        def answers() -> bool:
            try:
                self._log_in().close()
            except LabError as error:
                last[:] = [error]
                return False
            return True

        within_s = self._device.boot_s
        if not poll(answers, until=bool, within_s=within_s, pause_s=_PAUSE_S):
            raise LabError(f"{self.name}: no login within {within_s:g} s; at last: {last[0]}")


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
