"""Cables and segments between nodes: one netlink batch for all, and the wires between them. Standard library only."""

from __future__ import annotations

import itertools
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pytest_netbench.backends.netns.supervisor.roots import PROC
from pytest_netbench.kernel.cabling import redirects
from pytest_netbench.kernel.cabling.rtnetlink import End, Netlink, Request, bridge, veth
from pytest_netbench.kernel.cabling.wires import FIRST_INDEX, MTU, Laid, Port, extension, far_end

# The first octets of hardware addresses: locally administered.
_HARDWARE = 0x024E


class Plan(NamedTuple):
    """What makes all links.

    Attributes:
        requests: To the lab's own namespace.
        wires: Interfaces and arguments of the wires that must run then.
        links: As they are laid.
        next_index: Above all that are used.
    """

    requests: list[Request]
    wires: list[tuple[str, str, list[str]]]
    links: list[Laid]
    next_index: int


def batch(links: Sequence[Mapping[str, Any]], networks: Mapping[str, int], *, redirecting: bool) -> Plan:
    """Plan all links.

    Every endpoint has an interface outside its node, so that a cut changes no interface of a node (see ``cables``).

    Args:
        links: ``{"endpoints": [[node, kernel interface], …], "wire": [arguments] or None}``.
        networks: Each node's network namespace.
        redirecting: Whether the kernel can redirect frames. If not, a cable without wire is a pair of interfaces in
            both nodes.
    """
    # The kernel reports a veth's carrier at once only if the indexes of its two ends differ; else up to a second later.
    indexes = itertools.count(FIRST_INDEX)
    plan = Plan([], [], [], 0)
    for number, link in enumerate(links):
        wire = link["wire"]
        ends = [_of_node(interface, next(indexes), networks[node]) for node, interface in link["endpoints"]]
        if len(ends) > 2:
            plan.links.append(_lan(plan, number, ends, wire, indexes))
        elif len(ends) == 2 and wire is None and not redirecting:
            plan.requests.append(veth(*ends))
            plan.links.append(Laid(()))
        else:
            plan.links.append(_cable(plan, number, ends, wire, indexes))
    return plan._replace(next_index=next(indexes))


def _of_node(interface: str, index: int, network: int) -> End:
    """An interface of a node. Its hardware address is the same in each lab of a task.

    Roots of spanning trees, link-local addresses and what hosts make of router advertisements follow from it.
    """
    return End(interface, index, network, struct.pack("!HI", _HARDWARE, index))


def _cable(plan: Plan, number: int, ends: list[End], wire: list[str] | None, indexes: Iterator[int]) -> Laid:
    """A cable, or a stub if it has one end."""
    ports = tuple(Port(f"w{number}{letter}", next(indexes)) for letter, _ in zip("ab", ends, strict=False))
    plan.requests.extend(veth(End(*port), end, mtu=MTU) for port, end in zip(ports, ends, strict=True))
    if wire is not None:
        plan.wires.append((ports[0].name, ports[1].name, wire))
    elif len(ports) == 2:
        one, other = (port.position for port in ports)
        plan.requests.extend((*redirects.redirect(one, other), *redirects.redirect(other, one)))
    return Laid(ports, wired=wire is not None)


def _lan(plan: Plan, number: int, ends: list[End], wire: list[str] | None, indexes: Iterator[int]) -> Laid:
    master = next(indexes)
    plan.requests.append(bridge(End(f"b{number}", master)))
    ports = tuple(Port(f"p{number}.{port}", next(indexes)) for port in range(len(ends)))
    for port, end in zip(ports, ends, strict=True):
        plan.requests.append(veth(End(*port), end, master=master if wire is None else None, mtu=MTU))
        if wire is not None:
            plan.requests.extend(extension(port, master, (next(indexes), next(indexes))))
            plan.wires.append((port.name, far_end(port), wire))
    return Laid(ports, bridge=master, wired=wire is not None)


def lay(requests: list[Request]) -> None:
    """Make the links from this namespace.

    Raises:
        OSError: With what the kernel refused.
    """
    if not requests:
        return
    with Netlink() as netlink:
        try:
            netlink.do(requests)
        except OSError as error:
            raise OSError(error.errno, f"links could not be made: {error.strerror}") from None


def quiet_outside() -> None:
    """No IPv6 on the lab's own bridges and stubs, which are yet to be made: a switch does not speak."""
    path = f"{PROC}/sys/net/ipv6/conf/default/disable_ipv6"
    if os.path.exists(path):
        with open(path, "w") as file:
            file.write("1")
