"""Checks of what is asked of a ``NamespaceProber``, before a process is started for it."""

from __future__ import annotations

import difflib
import ipaddress
from collections.abc import Collection
from typing import get_args, get_type_hints

from pytest_netbench.errors import UsageError
from pytest_netbench.probing.records import OfferedFlow, Probe

_PROTOCOLS = get_args(get_type_hints(Probe)["protocol"])
_ANSWERED = ("tcp", "udp")
_PORTS = range(1, 65536)
_DSCPS = range(64)
_SMALLEST, _LARGEST = 64, 1400


def check_node(where: str, name: str, known: Collection[str]) -> None:
    """Refuse a node that is not there.

    Raises:
        UsageError: With what is known.
    """
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"{where}: unknown node {name!r} (known: {', '.join(known)}).{hint}")


def check_probe(where: str, probe: Probe, known: Collection[str]) -> None:
    """Refuse a probe that cannot be sent.

    Raises:
        UsageError: With the field, and what was expected.
    """
    nodes = (probe.source, probe.listen_on, probe.stand_in, *probe.arrives_at, *probe.follow)
    for name in nodes:
        if name is not None:
            check_node(where, name, known)
    if probe.protocol not in _PROTOCOLS:
        raise UsageError(f"{where}: unknown protocol {probe.protocol!r} (known: {', '.join(_PROTOCOLS)})")
    version = _version(where, "target", probe.target)
    if probe.source_address is not None and _version(where, "source_address", probe.source_address) != version:
        raise UsageError(f"{where}: source_address and target are of different versions of IP")
    for field, port in (
        ("port", probe.port),
        ("source_port", probe.source_port),
        ("listen_port", probe.listen_port),
    ):
        if port is not None:
            _check_range(where, field, port, _PORTS)
    _check_range(where, "dscp", probe.dscp, _DSCPS)
    if probe.timeout_s <= 0:
        raise UsageError(f"{where}: timeout_s is {probe.timeout_s:g}, expected more than 0 s")


def check_flow(where: str, flow: OfferedFlow, target: str, known: Collection[str]) -> None:
    """Refuse a flow that cannot be sent.

    Raises:
        UsageError: With the field, and what was expected.
    """
    for name in (flow.source, flow.target):
        check_node(where, name, known)
    _version(where, "target address", target)
    _check_range(where, "port", flow.port, _PORTS)
    _check_range(where, "dscp", flow.dscp, _DSCPS)
    _check_range(where, "packet_bytes", flow.packet_bytes, range(_SMALLEST, _LARGEST + 1))
    if flow.rate_bps <= 0:
        raise UsageError(f"{where}: rate_bps is {flow.rate_bps}, expected more than 0 bit/s")


def check_address(where: str, address: str) -> None:
    """Refuse what is no IP address.

    Raises:
        UsageError: With what it is.
    """
    _version(where, "target", address)


def _version(where: str, field: str, address: str) -> int:
    try:
        return ipaddress.ip_address(address).version
    except ValueError:
        raise UsageError(f"{where}: {field} {address!r} is no IP address") from None


def _check_range(where: str, field: str, value: int, allowed: range) -> None:
    if value not in allowed:
        raise UsageError(f"{where}: {field} is {value}, expected {allowed[0]} to {allowed[-1]}")
