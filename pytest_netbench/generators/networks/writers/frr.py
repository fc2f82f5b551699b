"""Startup configs of FRR routers."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.generators.networks.draft import Device, Port
from pytest_netbench.generators.networks.processes import Bgp, Neighbor, Ospf, Policy


def write(device: Device) -> str:
    """Return the startup config of ``device``."""
    lines = [f"hostname {device.name}"]
    for port in device.routed_ports:
        lines += _interface(device, port)
    lines += [f"ip route {route.prefix} {route.next_hop or 'blackhole'}" for route in device.routes]
    if device.ospf is not None:
        lines += _ospf(device.ospf)
    if device.bgp is not None:
        lines += _bgp(device.bgp)
    for policy in device.policies:
        lines += _policy(policy)
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
    yield "exit"


def _ospf(process: Ospf) -> Iterator[str]:
    yield "router ospf"
    yield f" ospf router-id {process.router_id}"
    yield from (f" network {prefix} area {area}" for prefix, area in process.networks)
    if process.default is not None:
        yield f" default-information originate metric {process.default}"
    yield "exit"


def _bgp(process: Bgp) -> Iterator[str]:
    yield f"router bgp {process.autonomous_system}"
    yield f" bgp router-id {process.router_id}"
    yield " no bgp ebgp-requires-policy"
    for one in process.neighbors:
        yield f" neighbor {one.address} remote-as {one.autonomous_system}"
        yield f" neighbor {one.address} description {one.name}"
        if one.from_loopback:
            yield f" neighbor {one.address} update-source lo"
    yield " address-family ipv4 unicast"
    yield from (f"  network {prefix}" for prefix in process.networks)
    for one in process.neighbors:
        yield from (f"  neighbor {one.address} {words}" for words in _settings(one))
    if process.paths > 1:
        yield f"  maximum-paths {process.paths}"
    yield " exit-address-family"
    yield "exit"


def _settings(one: Neighbor) -> Iterator[str]:
    if one.next_hop_self:
        yield "next-hop-self"
    if one.inbound is not None:
        yield f"route-map {one.inbound} in"
    if one.outbound is not None:
        yield f"route-map {one.outbound} out"


def _policy(policy: Policy) -> Iterator[str]:
    for number, prefix in enumerate(policy.prefixes, start=1):
        yield f"ip prefix-list {policy.name} seq {5 * number} permit {prefix}"
    yield f"route-map {policy.name} permit 10"
    if policy.prefixes:
        yield f" match ip address prefix-list {policy.name}"
    if policy.local_preference is not None:
        yield f" set local-preference {policy.local_preference}"
    if policy.prepend:
        yield f" set as-path prepend {' '.join(map(str, policy.prepend))}"
    yield "exit"
