"""A Linux router that no longer forwards, NetArena's ``disable_routing`` (DR), or by one of its interfaces (DI, DT)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network

from pydantic import Field

from pytest_netbench.dialects.state_checks import StateCheck
from pytest_netbench.faults.builders import shell_fault
from pytest_netbench.faults.change import Change, OnNode
from pytest_netbench.faults.site import Affected, Site, cut_off

PRIORITY = 100
USUAL_MTU = 1500
LOW_MTUS = (68, 72, 76)
"""Every echo request of usual size and every connection with data is lost at these; below 68 IPv4 is switched off."""
LONG_MS = 5000


def _off(p: OnNode) -> Change:
    return Change(
        inject=("sysctl -qw net.ipv4.ip_forward=0",),
        repair=("sysctl -qw net.ipv4.ip_forward=1",),
        signs=(StateCheck("sysctl -n net.ipv4.ip_forward", r"^0$"),),
        wrong=f"{p.node} forwards no IPv4 packets. Hosts reach their gateway and the hosts of their subnet,"
        " but no other subnet.",
    )


IP_FORWARDING_OFF = shell_fault(
    "ip-forwarding-off",
    about="The kernel forwards nothing.",
    label="DR",
    parameters=OnNode,
    called={"netarena": "disable_routing, method 1"},
    at=lambda site: (OnNode(node=site.router),),
    breaks=lambda _, site: lambda flow: bool(site.crosses(flow)),
    touches=lambda p: frozenset({f"{p.node} ip_forward"}),
    change=_off,
)


class ProhibitingRule(OnNode):
    """A routing rule. Without an interface it applies to all packets, also the node's own."""

    interface: str | None = None
    to: str | None = None

    @property
    def selector(self) -> str:
        """What it applies to, in the words of ``ip rule``."""
        to = "" if self.to is None else f" to {self.to}"
        return to + ("" if self.interface is None else f" iif {self.interface}")


def _rules(site: Site) -> Iterator[ProhibitingRule]:
    yield ProhibitingRule(node=site.router)
    for lan in site.lans:
        yield ProhibitingRule(node=site.router, interface=lan.interface)
        for other in site.others(lan):
            yield ProhibitingRule(node=site.router, interface=lan.interface, to=str(other.prefix))


def _prohibited(p: ProhibitingRule, site: Site) -> Affected:
    if p.interface is None:
        return site.passes_router
    if p.to is None:
        return lambda flow: p.interface in site.crosses(flow)
    pair = {p.interface, site.lan_with(IPv4Network(p.to)).interface}
    return lambda flow: site.crosses(flow) == pair


def _prohibiting(p: ProhibitingRule) -> Change:
    which = "all packets, also those of its own"
    effect = f"Nothing passes {p.node}, and it answers nobody"
    if p.interface is not None:
        which = f"packets that come in on {p.interface}"
        effect = "The hosts there and those of other subnets do not reach each other"
    if p.to is not None:
        which += f" and go to {p.to}"
        effect = "The two subnets do not reach each other, because one direction is enough to lose the answers"
    return Change(
        inject=(f"ip rule add priority {PRIORITY}{p.selector} prohibit",),
        repair=(f"ip rule del priority {PRIORITY}",),
        signs=(StateCheck("ip rule show", rf"^{PRIORITY}:\s+from all{re.escape(p.selector)} prohibit\s*$"),),
        wrong=f"A routing rule on {p.node} prohibits {which}. {effect}.",
    )


POLICY_RULE_PROHIBIT = shell_fault(
    "policy-rule-prohibit",
    about="A routing rule prohibits what comes from one LAN, what goes from it to another one, or everything.",
    label="DR",
    parameters=ProhibitingRule,
    called={"netarena": "disable_routing, method 3"},
    at=_rules,
    breaks=_prohibited,
    touches=lambda p: frozenset({f"{p.node} rule {PRIORITY}"}),
    change=_prohibiting,
)


class OnInterface(OnNode):
    """Parameters of a fault of one interface."""

    interface: str


def behind_interface(p: OnInterface, site: Site) -> Affected:
    """Whatever the hosts behind the interface send and receive by way of the router."""
    return site.beyond(site.lan_on(p.interface).hosts)


INTERFACE_DOWN = shell_fault(
    "interface-down",
    about="An interface is administratively down.",
    label="DI",
    parameters=OnInterface,
    called={"netarena": "disable_interface, methods 1 and 2"},
    at=lambda site: (OnInterface(node=site.router, interface=lan.interface) for lan in site.lans),
    breaks=behind_interface,
    touches=lambda p: frozenset({f"{p.node} {p.interface}"}),
    change=lambda p: Change(
        inject=(f"ip link set dev {p.interface} down",),
        repair=(f"ip link set dev {p.interface} up",),
        signs=(StateCheck(f"ip -o link show dev {p.interface}", r"state DOWN"),),
        wrong=f"Interface {p.interface} of {p.node} is administratively down. {cut_off(p.node)}",
    ),
)


class LowMtu(OnInterface):
    """An interface and its MTU in bytes."""

    mtu: int = Field(ge=68, le=1499)


MTU_TOO_LOW = shell_fault(
    "interface-mtu-too-low",
    about="The MTU of an interface is so low that it receives almost nothing.",
    label="DI",
    parameters=LowMtu,
    called={"netarena": "disable_interface, method 3"},
    at=lambda site: (
        LowMtu(node=site.router, interface=lan.interface, mtu=mtu) for lan in site.lans for mtu in LOW_MTUS
    ),
    breaks=behind_interface,
    touches=lambda p: frozenset({f"{p.node} {p.interface} mtu"}),
    change=lambda p: Change(
        inject=(f"ip link set dev {p.interface} mtu {p.mtu}",),
        repair=(f"ip link set dev {p.interface} mtu {USUAL_MTU}",),
        signs=(StateCheck(f"ip -o link show dev {p.interface}", rf"mtu {p.mtu} "),),
        wrong=f"Interface {p.interface} of {p.node} has an MTU of {p.mtu} bytes, so that almost every packet that"
        f" arrives there is dropped. {cut_off(p.node)}",
    ),
)


class Delay(OnInterface):
    """An interface, and the delay in milliseconds of what it sends."""

    delay_ms: int = Field(gt=0)


TRAFFIC_DELAYED = shell_fault(
    "traffic-delayed",
    about="What an interface sends is delayed for longer than anybody waits. Needs the kernel's netem.",
    label="DT",
    parameters=Delay,
    requires=("netem",),
    called={"netarena": "drop_traffic_to_from_subnet, method 4"},
    at=lambda site: (Delay(node=site.router, interface=lan.interface, delay_ms=LONG_MS) for lan in site.lans),
    breaks=behind_interface,
    touches=lambda p: frozenset({f"{p.node} {p.interface} qdisc"}),
    change=lambda p: Change(
        inject=(f"tc qdisc add dev {p.interface} root netem delay {p.delay_ms}ms",),
        repair=(f"tc qdisc del dev {p.interface} root",),
        signs=(StateCheck(f"tc qdisc show dev {p.interface}", r"netem .*delay"),),
        wrong=f"Interface {p.interface} of {p.node} delays what it sends by {p.delay_ms} ms, which is longer than"
        f" anybody waits for an answer. {cut_off(p.node)}",
    ),
)
