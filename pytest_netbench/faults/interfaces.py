"""Faults of an interface of a Linux router: NetArena's ``disable_interface`` (DI), and its delay (DT)."""

from __future__ import annotations

from pydantic import Field

from pytest_netbench.dialects.signs import Sign
from pytest_netbench.faults.builders import shell_fault
from pytest_netbench.faults.change import Change, OnNode
from pytest_netbench.faults.site import Affected, Site
from pytest_netbench.faults.wording import cut_off

USUAL_MTU = 1500
LOW_MTUS = (68, 72, 76)
"""Every echo request of usual size and every connection with data is lost at these; below 68 IPv4 is switched off."""
LONG_MS = 5000


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
        signs=(Sign(f"ip -o link show dev {p.interface}", r"state DOWN"),),
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
        signs=(Sign(f"ip -o link show dev {p.interface}", rf"mtu {p.mtu} "),),
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
        signs=(Sign(f"tc qdisc show dev {p.interface}", r"netem .*delay"),),
        wrong=f"Interface {p.interface} of {p.node} delays what it sends by {p.delay_ms} ms, which is longer than"
        f" anybody waits for an answer. {cut_off(p.node)}",
    ),
)
