"""Faults of cables and of the interfaces at their ends: cut, loose, or gone.

They are outside the nodes: no config, process or file of a node shows them, and no command on a node repairs them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Any, Final, Self

from pytest_netbench.errors import LabError
from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.change import Act, Change, Check, OnNode, OnPort, Symptom, given, of_port, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.hosts import address_in, configured_mac
from pytest_netbench.lab.capabilities import LINKS
from pytest_netbench.lab.devices import called
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.turn_access import go_by_the_wall
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import EXEC

DOWN_S: Final = 15.0
UP_S: Final = 45.0
"""Lab seconds."""
_LEAST_S: Final = 0.5
_PAUSE_S: Final = 0.02  # between two looks: the node is not told to report changes
_CONFIGURED_BY_COMMANDS: Final = "linux"
"""The platform on which nobody gives an interface its address again."""


class Cable(OnNode):
    """A cable, by both its ends."""

    interface: str
    peer_node: str
    peer_interface: str

    @property
    def ends(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Node and interface of each end."""
        return (self.node, self.interface), (self.peer_node, self.peer_interface)


class RoutedCable(Cable):
    """A cable between two interfaces of one subnet, and the address at its second end."""

    peer_address: str

    @property
    def way(self) -> str:
        """From its first end to its second one."""
        return f"{self.node} to {self.peer_address}"


class AddressedCable(RoutedCable):
    """A cable between two interfaces of one subnet, with the addresses at both ends."""

    address: str

    @property
    def turned(self) -> Self:
        """The cable from its other end."""
        return type(self)(
            node=self.peer_node,
            interface=self.peer_interface,
            address=self.peer_address,
            peer_node=self.node,
            peer_interface=self.interface,
            peer_address=self.address,
        )


def of_cable(p: Cable) -> frozenset[str]:
    """What a fault of a cable touches."""
    return frozenset(f"{node} {interface}" for node, interface in p.ends)


def cables(network: DrawnNetwork) -> Iterator[Cable]:
    """The cables that an agent can look at from one end: nobody could tell which of the others is wrong."""
    controls = network.topology.controls
    for link in network.topology.links:
        if len(link.endpoints) == 2 and any(controls[end.node] != "foreign" for end in link.endpoints):
            one, other = link.endpoints
            yield Cable(node=one.node, interface=one.interface, peer_node=other.node, peer_interface=other.interface)


def routed_cables(network: DrawnNetwork) -> Iterator[tuple[RoutedCable, str]]:
    """Each cable whose ends have addresses of one subnet, with the address of its first end."""
    addressed = {
        (one.node, one.interface): (one.address, IPv4Network(subnet.prefix))
        for subnet in network.subnets
        for one in subnet.attachments
    }
    for cable in cables(network):
        one, other = (addressed.get(end) for end in cable.ends)
        if one and other and one[1] == other[1]:
            yield RoutedCable(**cable.model_dump(), peer_address=other[0]), one[0]


def has_carrier(lab: Lab, node: str, interface: str) -> bool:
    """Whether an interface has carrier. One that is shut down has none.

    Raises:
        LabError: It cannot be read.
    """
    kernel = called(lab, node, interface)
    done = lab.nodes[node].capability(EXEC).run(["ip", "-j", "link", "show", "dev", kernel])
    if done.returncode:
        raise LabError(f"{node}: the state of {interface} could not be read: {done.stderr.strip()}")
    (link,) = json.loads(done.stdout)
    return "LOWER_UP" in link["flags"] and "NO-CARRIER" not in link["flags"]


def watch(lab: Lab, node: str, interface: str, *, period_s: float) -> set[bool]:
    """The states of carrier that an interface has within a period of lab seconds; it ends when there are both."""
    ends_at = time.monotonic() + max(_LEAST_S, period_s / lab.time_scale)
    seen: set[bool] = set()
    while len(seen) < 2 and time.monotonic() < ends_at:
        seen.add(has_carrier(lab, node, interface))
        time.sleep(_PAUSE_S)  # samples of a state, for the whole of the period
    return seen


def link_impairment(name: str, **fields: Any) -> OutsideValue[Any]:
    """Return a fault of a cable, or of what is at its end."""
    usual = {
        "platforms": ("frr", "cisco_ios", "linux"),
        "requires": ("links",),
        "domain": "link",
        "found_at": "link",
        "touches": of_cable,
        "parameters": Cable,
        "at": cables,
    }
    return OutsideValue(name, **{**usual, **fields})


def impaired(p: Cable, act: Act, undo: Act, check: Check, *symptoms: Symptom, said: str = "") -> Change:
    """What is changed at a cable. ``said``: sentences behind that which names it."""
    one, other = (" ".join(end) for end in p.ends)
    where = f"It is the cable between {one} and {other}.{said}"
    return Change(act=act, undo=undo, checks=(check,), symptoms=symptoms, detail=where)


def _at_ends(p: Cable, state: str, words: str) -> Iterator[Symptom]:
    """What each end of a cable shows that an agent can look at."""
    for node, interface in p.ends:
        yield shows(node, state, f"{interface} of {node} {words}.", interface=interface)


def _restore(lab: Lab, p: Cable) -> None:
    lab.capability(LINKS).restore(p.node, p.interface)


def _carries(lab: Lab, p: Cable) -> Iterator[str]:
    for node, interface in p.ends:
        if has_carrier(lab, node, interface):
            yield f"{node} {interface} has carrier"


LINK_DOWN = link_impairment(
    "link-down",
    about="A cable is cut: the interfaces at both its ends have no carrier, although nobody shut them down.",
    label="LINK",
    called={"nika": "link_down"},
    change=lambda p: impaired(
        p,
        lambda lab: lab.capability(LINKS).cut(p.node, p.interface),
        given(_restore, p),
        given(_carries, p),
        *_at_ends(p, "no carrier", "has no carrier, and is not shut down"),
    ),
)


def _is_steady(lab: Lab, p: Cable) -> Iterator[str]:
    seen = watch(lab, *p.ends[0], period_s=DOWN_S + UP_S)
    if len(seen) < 2:
        state = "has carrier" if seen == {True} else "has no carrier"
        yield f"{' '.join(p.ends[0])} {state} all the time"


def _flap(lab: Lab, p: Cable) -> None:
    go_by_the_wall(lab)
    lab.capability(LINKS).flap(p.node, p.interface, down_s=DOWN_S, up_s=UP_S)


LINK_FLAPPING = link_impairment(
    "link-flapping",
    about="A cable has a loose contact: again and again both its ends lose carrier, and have it again some time later.",
    label="FLAP",
    called={"nika": "link_flap"},
    change=lambda p: impaired(
        p,
        given(_flap, p),
        given(_restore, p),
        given(_is_steady, p),
        *_at_ends(p, "carrier was lost", "has lost its carrier"),
    ),
)


class Detached(OnPort):
    """An interface with a cable.

    Attributes:
        interface: Of the node.
        commands: Those by which the node gets its address and routes again; none where a daemon does that.
    """

    commands: tuple[str, ...] = ()


def _cards(network: DrawnNetwork) -> Iterator[Detached]:
    known = {(one.node, one.interface): (net, one) for net in network.subnets for one in net.attachments}
    for link in network.topology.links:
        for end in link.endpoints if len(link.endpoints) > 1 else ():
            platform = network.platform_of(end.node)
            if platform not in INTERFACE_DETACHED.platforms or not network.is_managed(end.node):
                continue
            commands: tuple[str, ...] = ()
            if platform == _CONFIGURED_BY_COMMANDS:
                subnet, one = known[end.node, end.interface]
                mac = configured_mac(network, end.node)
                commands = (
                    *(() if mac is None else (f"ip link set dev {end.interface} address {mac}",)),
                    f"ip address add {address_in(subnet, one)} dev {end.interface}",
                    f"ip route replace default via {subnet.gateway}",
                )
            yield Detached.of(network, end.node, interface=end.interface, commands=commands)


def _attach(lab: Lab, p: Detached) -> None:
    lab.capability(LINKS).attach(p.node, p.interface)
    for command in p.commands:
        done = lab.nodes[p.node].capability(EXEC).run(command.split())
        if done.returncode:
            raise LabError(f"{p.node} refused {command!r}: {done.stderr.strip()}")


def _is_there(lab: Lab, p: Detached) -> Iterator[str]:
    kernel = called(lab, p.node, p.interface)
    if not lab.nodes[p.node].capability(EXEC).run(["ip", "link", "show", "dev", kernel]).returncode:
        yield f"{p.node} has the interface {p.interface}"


def _no_interface(network: Observable, p: Detached) -> Iterator[Observation]:
    because = f"{p.node} has no {p.interface} that is up."
    yield from asking.state(network, p.node, "no interface", because, interface=p.interface)
    yield from asking.not_counted(network, p.node, p.interface, f"{p.interface} of {p.node} has no counters any more.")


INTERFACE_DETACHED = link_impairment(
    "interface-detached",
    about="An interface is gone from its node: its card has failed, and the cable at it has no carrier.",
    label="DETACHED",
    parameters=Detached,
    platforms=("frr", "linux"),
    found_at="interface",
    called={"nika": "link_detach"},
    at=_cards,
    touches=of_port,
    change=lambda p: Change(
        act=lambda lab: lab.capability(LINKS).detach(p.node, p.interface),
        undo=given(_attach, p),
        checks=(given(_is_there, p),),
        symptoms=(given(_no_interface, p),),
        detail=f"It is {p.interface} of {p.node}.",
    ),
)
