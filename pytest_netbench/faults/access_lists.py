"""An access list whose lines are in a wrong order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network

from pytest_netbench.dialects.cisco_ios import access as ios
from pytest_netbench.dialects.linux import access as linux
from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.change import OnDevice
from pytest_netbench.faults.device import DeviceFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.model.services import AccessList, AccessRule

_STEP = 10
"""Between the numbers of two lines in IOS."""


class WrongOrder(OnDevice):
    """An access list of the node in its right order. The line at ``place`` has changed places with the next one."""

    access: AccessList
    place: int

    @property
    def wrong(self) -> tuple[AccessRule, ...]:
        """The lines as they are while the fault is there."""
        return swapped(self.access.rules, self.place)


class AccessListOrder(DeviceFault[WrongOrder]):
    """Two lines of an access list have changed places, so that it permits or denies what it must not."""

    needs_services: tuple[str, ...] = ("filter",)
    domain = "policy"
    name = "access-list-order"
    label = "ACL_ORDER"
    lets_through = True
    parameters = WrongOrder
    platforms = ("cisco_ios", "linux")

    def _places(self, network: DrawnNetwork) -> Iterator[WrongOrder]:
        # of routers that share a LAN only the first forwards what its hosts send
        for access in {one.name: one for one in reversed(network.access_lists)}.values():
            for place in range(len(access.rules) - 1):
                if _differ(network, access, swapped(access.rules, place)):
                    platform = network.platform_of(access.node)
                    yield WrongOrder(node=access.node, platform=platform, access=access, place=place)

    def touches(self, parameters: WrongOrder) -> frozenset[str]:
        return frozenset({f"{parameters.node} access-list {parameters.access.name}"})

    def injection(self, parameters: WrongOrder) -> tuple[str, ...]:
        moved = self._moved(parameters, parameters.wrong, to=parameters.place + 2)
        # a line without matches among others would tell that it has been moved
        return moved if parameters.platform == "linux" else (*moved, "do clear access-list counters")

    def repair(self, parameters: WrongOrder) -> tuple[str, ...]:
        return self._moved(parameters, parameters.access.rules, to=parameters.place)

    def explain(self, parameters: WrongOrder) -> str:
        head, lines = _shown(parameters)
        first, second = (f"`{line}`" for line in lines[parameters.place : parameters.place + 2])
        where = f"On {parameters.node}, in `{head}`"
        return f"{about(self)} {where}, {first} stands before {second} and must stand behind it."

    def shown(self, parameters: WrongOrder) -> tuple[str, ...]:  # noqa: ARG002  (what matters is the order)
        return ()

    def remains(self, parameters: WrongOrder, lab: Lab) -> Iterator[str]:
        config = lab.driver(parameters.node).running_config(lab.nodes[parameters.node])
        head, expected = _shown(parameters)
        found = [line for *above, line in config_paths(config) if above[-1:] == [head] and line in expected]
        if found != expected:
            yield f"{head} has the lines {found}, expected {expected}"

    def symptoms(self, parameters: WrongOrder, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (any node has a config)
        head, lines = _shown(parameters)
        first, second = lines[parameters.place : parameters.place + 2]
        pattern = (
            rf"^\s*{re.escape(head)}\n(?:\s+.*\n)*?\s+(?:\d+ )?{re.escape(first)}\n\s+(?:\d+ )?{re.escape(second)}$"
        )
        because = "A line of the access list that must stand behind the next one stands before it."
        yield asking.config_matches(parameters.node, pattern, because)

    def _moved(self, parameters: WrongOrder, rules: Sequence[AccessRule], *, to: int) -> tuple[str, ...]:
        """Commands after which the lines are ``rules``: that at ``place`` of the right order is moved before ``to``."""
        access, place = parameters.access, parameters.place
        if parameters.platform == "linux":
            return (linux.replacing_command(rules, access.interface),)
        moved = ios.rule_words(access.rules[place])
        at = place if to > place else place + 1
        return (
            f"ip access-list extended {access.name}",
            f" no {_STEP * (at + 1)}",
            f" {_STEP * to + _STEP // 2} {moved}",
            f"ip access-list resequence {access.name} {_STEP} {_STEP}",
        )


def swapped(rules: Sequence[AccessRule], place: int) -> tuple[AccessRule, ...]:
    """Return ``rules`` with that at ``place`` behind the next one."""
    return (*rules[:place], rules[place + 1], rules[place], *rules[place + 2 :])


def _differ(network: DrawnNetwork, access: AccessList, rules: tuple[AccessRule, ...]) -> bool:
    """Whether another order decides otherwise on a flow from the LAN of a list to another LAN."""
    other = access.model_copy(update={"rules": rules})
    lan = next(
        IPv4Network(lan.prefix)
        for lan in network.lans
        if any((one.node, one.interface) == (access.node, access.interface) for one in lan.attachments)
    )
    addresses = [network.addresses[host] for host in network.hosts]
    inside = [address for address in addresses if IPv4Address(address) in lan]
    return any(
        access.permits(source=source, target=target, protocol="tcp", port=port)
        != other.permits(source=source, target=target, protocol="tcp", port=port)
        for source in inside
        for target in addresses
        if target not in inside
        for port in access.ports
    )


def _shown(parameters: WrongOrder) -> tuple[str, list[str]]:
    """The line that opens a list in a running config, and its lines in the wrong order."""
    if parameters.platform == "linux":
        return "chain forward", [linux.rule_words(rule, parameters.access.interface) for rule in parameters.wrong]
    return f"ip access-list extended {parameters.access.name}", [ios.rule_words(rule) for rule in parameters.wrong]
