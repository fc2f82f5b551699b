"""Startup configs of IOS routers and switches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Interface

from pytest_netbench.dialects.cisco_ios.access import prefix_words, rule_words
from pytest_netbench.dialects.cisco_ios.markings import name_of
from pytest_netbench.generators.networks.draft import Device, Port
from pytest_netbench.generators.networks.processes import Bgp, Neighbor, Ospf, Standby, StaticRoute
from pytest_netbench.generators.networks.writers.shared import policy_lines, settings
from pytest_netbench.model.services import AccessList, AccessRule, Marking, Translation

_HIDDEN = "HIDDEN"
_PUBLIC = "PUBLIC"
_CLASS = "MARKED"
_POLICY = "FROM-LAN"


def write(device: Device) -> str:
    """Return the startup config of ``device``, as ``show running-config`` prints it."""
    sections = [["version 15.2" if device.kind == "switch" else "version 15.7", f"hostname {device.name}"]]
    if device.kind == "switch":
        sections += [list(lines) for lines in _switching(device)]
    if device.marking is not None:
        sections += [list(lines) for lines in _policy(device.marking)]
    sections += [list(_interface(device, port)) for port in device.ports]
    if device.ospf is not None:
        sections.append(list(_ospf(device.ospf)))
    if device.bgp is not None:
        sections.append(list(_bgp(device.bgp)))
    if device.translation is not None:
        sections.append(list(_translation(device.translation)))
    sections.append([_route(route) for route in device.routes])
    if device.translation is not None:
        sections.append(list(_hidden(device.translation)))
    sections += [list(_access_list(one)) for one in device.access_lists]
    if device.marking is not None:
        sections.append(list(_marked(device.marking)))
    sections += [list(policy_lines(policy)) for policy in device.policies]
    return "".join(f"{line}\n" for lines in sections if lines for line in (*lines, "!")) + "end\n"


def _switching(device: Device) -> Iterator[Iterable[str]]:
    if device.forwards:
        yield ["ip routing"]
    yield [
        "spanning-tree mode rapid-pvst",
        *(f"spanning-tree vlan {number} priority {value}" for number, value in sorted(device.tree_priorities.items())),
    ]
    yield from ([f"vlan {number}", f" name {name}"] for number, name in device.vlans.items())


def _interface(device: Device, port: Port) -> Iterator[str]:
    yield f"interface {port.interface}"
    if port.purpose:
        yield f" description {port.purpose}"
    if port.subnet is None:
        yield from _switchport(port)
    else:
        if device.kind == "switch" and port.toward:
            yield " no switchport"
        yield f" ip address {port.routed.ip} {port.routed.netmask}"
        yield from _services(device, port)
        if device.ospf is not None and port.interface in device.ospf.point_to_point:
            yield " ip ospf network point-to-point"
        if device.ospf is not None and port.interface in device.ospf.costs:
            yield f" ip ospf cost {device.ospf.costs[port.interface]}"
        if port.standby is not None:
            yield from _standby(port, port.standby)
    yield " no shutdown"


def _services(device: Device, port: Port) -> Iterator[str]:
    yield from (f" ip access-group {one.name} in" for one in device.access_lists if one.interface == port.interface)
    if device.translation is not None and port.interface in device.translation.inside:
        yield " ip nat inside"
    if device.translation is not None and port.interface in device.translation.outside:
        yield " ip nat outside"
    if device.marking is not None and port.interface in device.marking.interfaces:
        yield f" service-policy input {_POLICY}"


def _standby(port: Port, standby: Standby) -> Iterator[str]:
    yield f" standby {standby.group} ip {port.net.gateway}"
    if standby.priority is not None:
        yield f" standby {standby.group} priority {standby.priority}"
        yield f" standby {standby.group} preempt"


def _switchport(port: Port) -> Iterator[str]:
    if port.access is not None:
        yield f" switchport access vlan {port.access}"
        yield " switchport mode access"
        yield " spanning-tree portfast"
    if port.trunk:
        yield f" switchport trunk allowed vlan {','.join(map(str, port.trunk))}"
        yield " switchport mode trunk"


def _ospf(process: Ospf) -> Iterator[str]:
    yield "router ospf 1"
    yield f" router-id {process.router_id}"
    yield from (f" passive-interface {name}" for name in process.passive)
    yield from (f" network {prefix.network_address} {prefix.hostmask} area {area}" for prefix, area in process.networks)
    if process.default is not None:
        yield f" default-information originate metric {process.default}"


def _bgp(process: Bgp) -> Iterator[str]:
    yield f"router bgp {process.autonomous_system}"
    yield f" bgp router-id {process.router_id}"
    if len(process.neighbors) > 1:
        # otherwise the older of two equal paths is taken, and the same network can have other routes after a repair
        yield " bgp bestpath compare-routerid"
    yield from (f" network {prefix.network_address} mask {prefix.netmask}" for prefix in process.networks)
    for one in process.neighbors:
        yield f" neighbor {one.address} remote-as {one.autonomous_system}"
        yield f" neighbor {one.address} description {one.name}"
        yield from (f" neighbor {one.address} {words}" for words in _settings(one))
    if process.paths > 1:
        yield f" maximum-paths {process.paths}"


def _settings(one: Neighbor) -> Iterator[str]:
    if one.from_loopback:
        yield "update-source Loopback0"
    yield from settings(one)


def _translation(one: Translation) -> Iterator[str]:
    public = IPv4Interface(one.address)
    yield f"ip nat pool {_PUBLIC} {public.ip} {public.ip} prefix-length {public.network.prefixlen}"
    yield f"ip nat inside source list {_HIDDEN} pool {_PUBLIC} overload"


def _hidden(one: Translation) -> Iterator[str]:
    yield f"ip access-list standard {_HIDDEN}"
    yield from (f" permit {prefix_words(prefix)}" for prefix in one.hidden)


def _policy(one: Marking) -> Iterator[Iterable[str]]:
    yield [f"class-map match-any {_CLASS}", f" match access-group name {_CLASS}"]
    yield [
        f"policy-map {_POLICY}",
        f" class {_CLASS}",
        f"  set dscp {name_of(one.dscp)}",
        " class class-default",
        f"  set dscp {name_of(0)}",
    ]


def _marked(one: Marking) -> Iterator[str]:
    yield f"ip access-list extended {_CLASS}"
    yield f" {rule_words(AccessRule(permit=True, protocol='udp', ports=(one.port, one.port)))}"


def _access_list(one: AccessList) -> Iterator[str]:
    yield f"ip access-list extended {one.name}"
    yield from (f" {rule_words(rule)}" for rule in one.rules)


def _route(route: StaticRoute) -> str:
    return f"ip route {route.prefix.network_address} {route.prefix.netmask} {route.next_hop or 'Null0'}"
