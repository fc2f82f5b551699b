"""Hosts that attack a server by what they send."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from types import ModuleType
from typing import ClassVar, Final

from pytest_netbench.faults import flooder
from pytest_netbench.faults.attacks import Attack, AttackFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.wording import about
from pytest_netbench.model.hosting import WEB_PORT
from pytest_netbench.model.network import Subnet

RATE: Final = 100
"""SYNs in a second: many more than are half open at once, and little work for a machine."""
SOURCES: Final = 4
"""At most: the neighbor tables of all nodes of a machine are one."""


class Flood(Attack):
    """A host that floods, and the server that it floods.

    Attributes:
        sources: Addresses of its LAN that nobody has, from which it sends.
    """

    sources: tuple[str, ...]


class TcpSynFlood(AttackFault[Flood]):
    """A host, which is the one to name, sends SYNs of nobody's addresses to a web server, so that its queue is full."""

    name = "tcp-syn-flood"
    label = "SYN_FLOOD"
    kind = "web"
    needs_services: tuple[str, ...] = ("web",)
    program: ClassVar[ModuleType] = flooder
    parameters = Flood
    called = {"nika": "tcp_syn_flood_attack"}

    def _attacks(self, attack: Attack, lan: Subnet, address: str) -> Iterator[Flood]:  # noqa: ARG002  (it sends from others)
        if sources := _nobodys(lan):
            yield Flood(**dict(attack), sources=sources)

    def _arguments(self, parameters: Flood) -> tuple[str, ...]:
        return (parameters.interface, parameters.target, str(WEB_PORT), str(RATE), *parameters.sources)

    def explain(self, parameters: Flood) -> str:
        return (
            f"{about(self)} {parameters.node} sends them to {parameters.victim}, from {', '.join(parameters.sources)}."
        )

    def evidence(self, parameters: Flood, network: Observable) -> Iterator[Observation]:
        p = parameters
        sent = " or ".join(f"src host {one}" for one in p.sources)
        yield Observation(
            method="capture-packets",
            params={"node": p.node, "interface": p.interface, "filter": f"tcp dst port {WEB_PORT} and ({sent})"},
            shows=Matches(pattern=rf"> {re.escape(p.target)}\.(?:{WEB_PORT}|http): Flags \[S\]"),
            because=f"{p.node} sends SYNs to {p.victim} from addresses that are not its own.",
        )
        because = f"Several connections to {p.victim} are half open."
        yield from asking.state(network, p.victim, "half open", because, port=WEB_PORT)
        yield self.unanswered(p)


def _nobodys(lan: Subnet) -> tuple[str, ...]:
    """Addresses of a LAN that nobody has, from its end."""
    prefix = IPv4Network(lan.prefix)
    taken = {lan.gateway, *(one.address for one in lan.attachments)}
    numbers = range(prefix.num_addresses - 2, 1, -1)
    free = (str(prefix[number]) for number in numbers if str(prefix[number]) not in taken)
    return tuple(address for _, address in zip(range(SOURCES), free, strict=False))
