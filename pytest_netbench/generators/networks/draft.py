"""Draft: a network while it is drawn. Shapes add devices, cables and LANs; later steps add addresses and routes.

It knows no configuration language. The platforms name interfaces, and the writers turn finished devices into configs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from itertools import repeat
from typing import Literal

from pytest_netbench.dialects.openflow_controller.intents import Intents
from pytest_netbench.generators.networks.interfaces import loopback_name, port_name
from pytest_netbench.generators.networks.processes import (
    Bgp,
    Datapath,
    Entries,
    Isis,
    Ospf,
    Policy,
    Standby,
    StaticRoute,
)
from pytest_netbench.model.hosting import HostService
from pytest_netbench.model.network import SubnetKind
from pytest_netbench.model.services import AccessList, Marking, Translation, Validation
from pytest_netbench.model.topology import Control

DeviceKind = Literal["router", "switch", "host", "controller"]


@dataclass(eq=False, kw_only=True)
class Port:
    """One interface of a device.

    Attributes:
        toward: Devices at the other end of its cable; empty for a loopback or VLAN interface.
        access: VLAN of an access port.
        trunk: VLANs of a trunk; empty for any other interface.
        standby: The group that shares the gateway address of its subnet.
        hardware_address: ``None`` leaves it to the kernel.
    """

    device: Device
    interface: str
    toward: list[Device] = field(default_factory=list)
    subnet: Net | None = None
    address: IPv4Interface | None = None
    access: int | None = None
    trunk: tuple[int, ...] = ()
    standby: Standby | None = None
    hardware_address: str | None = None

    @property
    def routed(self) -> IPv4Interface:
        """Its address, which it has."""
        assert self.address is not None
        return self.address

    @property
    def purpose(self) -> str:
        """What its description says: the devices at the other end, or the LAN if they are several."""
        if len(self.toward) == 1:
            return self.toward[0].name
        return self.net.name if self.toward else ""

    @property
    def net(self) -> Net:
        """Its subnet, which it has."""
        assert self.subnet is not None
        return self.subnet


@dataclass(eq=False, kw_only=True)
class Device:
    """A node of the network.

    Attributes:
        autonomous_system: ``None`` where BGP is not used.
        vlans: Names of a switch's VLANs by number.
        tree_priorities: Priority of a switch in the spanning trees of VLANs that it may be the root of.
        datapath: Of a switch that has a controller.
        intents: Of a controller.
        entries: Of a P4 switch.
    """

    name: str
    kind: DeviceKind
    platform: str
    role: str
    control: Control
    ports: list[Port] = field(default_factory=list)
    autonomous_system: int | None = None
    vlans: dict[int, str] = field(default_factory=dict)
    tree_priorities: dict[int, int] = field(default_factory=dict)
    routes: list[StaticRoute] = field(default_factory=list)
    ospf: Ospf | None = None
    isis: Isis | None = None
    bgp: Bgp | None = None
    policies: list[Policy] = field(default_factory=list)
    access_lists: list[AccessList] = field(default_factory=list)
    translation: Translation | None = None
    marking: Marking | None = None
    validations: list[Validation] = field(default_factory=list)
    services: list[HostService] = field(default_factory=list)
    datapath: Datapath | None = None
    intents: Intents | None = None
    entries: Entries | None = None

    @property
    def routed_ports(self) -> list[Port]:
        """The interfaces that are in a subnet, in the order in which they were added."""
        return [port for port in self.ports if port.subnet is not None]

    @property
    def loopback_address(self) -> IPv4Address:
        """The address of its loopback interface, which it has."""
        return next(port.routed.ip for port in self.routed_ports if port.net.kind == "loopback")

    @property
    def forwards(self) -> bool:
        """Whether it forwards packets between subnets."""
        return self.kind != "host" and any(port.net.kind != "management" for port in self.routed_ports)


@dataclass(eq=False, kw_only=True)
class Net:
    """A subnet.

    Attributes:
        pool: Name of the block of the address plan.
        area: Area of OSPF.
        cost: Metric of the interfaces in it in an IGP; ``None`` leaves it to the routers.
    """

    name: str
    kind: SubnetKind
    pool: str
    area: int = 0
    cost: int | None = None
    ports: list[Port] = field(default_factory=list)
    prefix: IPv4Network | None = None
    gateway: IPv4Address | None = None

    @property
    def network(self) -> IPv4Network:
        """Its prefix, which it has."""
        assert self.prefix is not None
        return self.prefix

    def routers(self) -> list[Port]:
        """Interfaces of devices that forward."""
        return [port for port in self.ports if port.device.kind != "host"]

    def hosts(self) -> list[Port]:
        """Interfaces of hosts."""
        return [port for port in self.ports if port.device.kind == "host"]


class Draft:
    """The network that a shape builds. ``blocks`` are those of its address plan, by pool, once it has addresses.

    ``matrix`` has the traffic from router to router, if the shape knows any.

    Args:
        platform: Of switches, and of the network where nodes do not say otherwise.
        of_routers: The platform of each router in turn; ``platform`` for all if none.
    """

    def __init__(self, platform: str, of_routers: Iterator[str] | None = None) -> None:
        self.platform = platform
        self._of_routers = of_routers or repeat(platform)
        self.devices: list[Device] = []
        self.cables: list[list[Port]] = []
        self.nets: list[Net] = []
        self.blocks: dict[str, IPv4Network] = {}
        self.matrix: list[tuple[Device, Device, float]] = []

    def router(self, name: str, *, role: str = "router", control: Control = "managed") -> Device:
        """Add a router."""
        return self._device(name, "router", next(self._of_routers), role, control)

    def switch(self, name: str, *, role: str = "switch") -> Device:
        """Add a switch. IOS recognises one by its role ``switch``."""
        return self._device(name, "switch", self.platform, role, "managed")

    def controller(self, name: str) -> Device:
        """Add a controller of switches."""
        return self._device(name, "controller", "openflow_controller", "controller", "managed")

    def host(self, name: str, *, control: Control = "observed") -> Device:
        """Add a host."""
        return self._device(name, "host", "linux", "host", control)

    def hosts(self, names: Iterable[str]) -> list[Device]:
        """Add several hosts."""
        return [self.host(name) for name in names]

    def transit(
        self, one: Device, other: Device, *, pool: str = "transit", area: int = 0, cost: int | None = None
    ) -> Net:
        """Connect two routers by a cable with a subnet of its own."""
        net = self._net("transit", pool, area)
        net.cost = cost
        self._attach(net, self.cable([one, other]))
        return net

    def lan(self, router: Device, hosts: Sequence[Device], *, pool: str = "lan", area: int = 0) -> Net:
        """Connect a router and hosts by a LAN with a subnet of its own. The router is the hosts' gateway."""
        net = self._net("lan", pool, area)
        self._attach(net, self.cable([router, *hosts]))
        return net

    def management(self, controller: Device, switches: Sequence[Device]) -> Net:
        """Connect a controller and its switches by a LAN of their own."""
        net = self._net("management", "management", 0)
        self._attach(net, self.cable([controller, *switches]))
        return net

    def switched_lan(self, switch: Device, hosts: Sequence[Device]) -> Net:
        """Connect hosts to a switch, each by a cable, and give them a subnet whose gateway no device has."""
        net = self._net("lan", "lan", 0)
        self._attach(net, [self.cable([host, switch])[0] for host in hosts])
        return net

    def vlan(self, number: int, *, gateways: Sequence[Device], ports: Sequence[Port], area: int = 0) -> Net:
        """Add the subnet of a VLAN.

        Args:
            number: Number of the VLAN.
            gateways: Switches that get an interface in it.
            ports: Interfaces of the hosts, which are cabled already.
            area: OSPF area of the gateways' interfaces.
        """
        net = self._net("lan", "lan", area)
        for switch in gateways:
            port = Port(device=switch, interface=f"Vlan{number}")
            switch.ports.append(port)
            self._attach(net, [port])
        self._attach(net, ports)
        return net

    def trunk(self, one: Device, other: Device, *, vlans: tuple[int, ...]) -> None:
        """Connect two switches by a trunk with these VLANs."""
        for end in self.cable([one, other]):
            end.trunk = vlans

    def loopback(self, router: Device, *, pool: str = "loopback") -> Net:
        """Give a router a loopback address."""
        port = Port(device=router, interface=loopback_name(router.platform))
        router.ports.append(port)
        net = self._net("loopback", pool, 0)
        self._attach(net, [port])
        return net

    def cable(self, devices: Sequence[Device]) -> list[Port]:
        """Connect devices by a cable, or by a LAN if they are more than two. Return its ends."""
        ends = [self._port(device) for device in devices]
        for end in ends:
            end.toward = [device for device in devices if device is not end.device]
        self.cables.append(ends)
        return ends

    def _device(self, name: str, kind: DeviceKind, platform: str, role: str, control: Control) -> Device:
        device = Device(name=name, kind=kind, platform=platform, role=role, control=control)
        self.devices.append(device)
        return device

    def _port(self, device: Device) -> Port:
        taken = sum(bool(port.toward) for port in device.ports)
        port = Port(device=device, interface=port_name(device.platform, device.kind, taken))
        device.ports.append(port)
        return port

    def _net(self, kind: SubnetKind, pool: str, area: int) -> Net:
        number = 1 + sum(net.kind == kind for net in self.nets)
        net = Net(name=f"{kind}-{number}", kind=kind, pool=pool, area=area)
        self.nets.append(net)
        return net

    def _attach(self, net: Net, ports: Iterable[Port]) -> None:
        for port in ports:
            port.subnet = net
            net.ports.append(port)
