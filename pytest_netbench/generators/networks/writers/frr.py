"""Startup configs of FRR routers."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.generators.networks.draft import Device, Port
from pytest_netbench.generators.networks.processes import Bgp, Isis, Ospf
from pytest_netbench.generators.networks.writers.shared import policy_lines, settings
from pytest_netbench.model.hosting import RTR_PORT

_ISIS = "CORE"
_NARROW = 63
_RETRY_S = 2


def write(device: Device) -> str:
    """Return the startup config of ``device``."""
    lines = [f"hostname {device.name}"]
    # FRR takes a wide metric only of an interface whose process it knows already, also when it boots
    isis_first = device.isis is not None and any(cost > _NARROW for cost in device.isis.costs.values())
    if device.isis is not None and isis_first:
        lines += _isis(device.isis)
    for port in device.routed_ports:
        lines += _interface(device, port)
    lines += [f"ip route {route.prefix} {route.next_hop or 'blackhole'}" for route in device.routes]
    if device.ospf is not None:
        lines += _ospf(device.ospf)
    if device.isis is not None and not isis_first:
        lines += _isis(device.isis)
    if device.bgp is not None:
        lines += _bgp(device.bgp)
        lines += _rpki(device.bgp)
    for policy in device.policies:
        lines += [*policy_lines(policy), "exit"]
    return "\n".join([*lines, ""])


def _interface(device: Device, port: Port) -> Iterator[str]:
    yield f"interface {port.interface}"
    if port.purpose:
        yield f" description {port.purpose}"
    yield f" ip address {port.routed}"
    if device.ospf is not None and port.interface in device.ospf.passive:
        yield " ip ospf passive"
    if device.ospf is not None and port.interface in device.ospf.point_to_point:
        yield " ip ospf network point-to-point"
    if device.ospf is not None and port.interface in device.ospf.costs:
        yield f" ip ospf cost {device.ospf.costs[port.interface]}"
    if device.isis is not None:
        yield from _isis_interface(device.isis, port.interface)
    yield "exit"


def _isis_interface(process: Isis, interface: str) -> Iterator[str]:
    yield f" ip router isis {_ISIS}"
    if interface in process.passive:
        yield " isis passive"
    if interface in process.point_to_point:
        yield " isis network point-to-point"
    if interface in process.costs:
        yield f" isis metric {process.costs[interface]}"


def _ospf(process: Ospf) -> Iterator[str]:
    yield "router ospf"
    yield f" ospf router-id {process.router_id}"
    yield from (f" network {prefix} area {area}" for prefix, area in process.networks)
    if process.default is not None:
        yield f" default-information originate metric {process.default}"
    yield "exit"


def _isis(process: Isis) -> Iterator[str]:
    yield f"router isis {_ISIS}"
    yield f" net {process.entity}"
    yield " is-type level-2-only"
    yield "exit"


def _bgp(process: Bgp) -> Iterator[str]:
    yield f"router bgp {process.autonomous_system}"
    yield f" bgp router-id {process.router_id}"
    if len(process.neighbors) > 1:
        # otherwise the older of two equal paths is taken, and the same network can have other routes after a repair
        yield " bgp bestpath compare-routerid"
    yield " no bgp ebgp-requires-policy"
    for one in process.neighbors:
        yield f" neighbor {one.address} remote-as {one.autonomous_system}"
        yield f" neighbor {one.address} description {one.name}"
        if one.from_loopback:
            yield f" neighbor {one.address} update-source lo"
    yield " address-family ipv4 unicast"
    yield from (f"  network {prefix}" for prefix in process.networks)
    for one in process.neighbors:
        yield from (f"  neighbor {one.address} {words}" for words in settings(one))
    if process.paths > 1:
        yield f"  maximum-paths {process.paths}"
    yield " exit-address-family"
    yield "exit"


def _rpki(process: Bgp) -> Iterator[str]:
    if process.cache is not None:
        yield "rpki"
        yield f" rpki retry_interval {_RETRY_S}"  # without routes to the cache, the first attempt fails
        yield f" rpki cache {process.cache} {RTR_PORT} preference 1"
        yield "exit"
