"""Hosts that attack a server by what they send."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from ipaddress import IPv4Network
from pathlib import Path
from typing import ClassVar, Final

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults import flooder
from pytest_netbench.faults.device import OnDevice
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.servers import asked
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.clients import get
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import WEB_PORT
from pytest_netbench.model.network import DrawnNetwork, Subnet
from pytest_netbench.platforms.capabilities import PROCESSES, PROGRAMS

RATE: Final = 100
"""SYNs in a second: many more than are half open at once, and little work for a machine."""
SOURCES: Final = 4
"""At most: the neighbor tables of all nodes of a machine are one."""
_INTERPRETER: Final = "/usr/bin/python3"
_PROGRAM: Final = "python3"
_TERM: Final = 15
_PATIENCE_S: Final = 0.4
_LOOPBACK: Final = "127.0.0.1"


class Flood(OnDevice):
    """A host that floods, and the server that it floods.

    Attributes:
        interface: Of the node.
        sources: Addresses of its LAN that nobody has, from which it sends.
        victim: The server.
        target: Its address.
    """

    interface: str
    sources: tuple[str, ...]
    victim: str
    target: str


class TcpSynFlood:
    """A host sends SYNs from addresses of nobody to a web server, whose queue of half-open connections is full then."""

    name = "tcp-syn-flood"
    label = "SYN_FLOOD"
    parameters = Flood
    lets_through: bool = False
    platforms: tuple[str, ...] = ("linux",)
    requires: tuple[str, ...] = ("processes", "programs", "probes")
    called: Mapping[str, str] = {"nika": "tcp_syn_flood_attack"}
    found_at: ClassVar[str] = "node"
    domain: ClassVar[str] = "security"

    def places(self, network: DrawnNetwork) -> Iterator[Flood]:
        # a list that another fault changes could be in the way
        victims = [] if network.access_lists else _web_servers(network)
        for victim in victims:
            for host in network.hosts:
                is_hidden = network.is_hidden(host) or network.is_hidden(victim)
                if host != victim and network.is_managed(host) and not is_hidden:
                    lan = network.lan_of(host)
                    (interface,) = (one.interface for one in lan.attachments if one.node == host)
                    if sources := _nobodys(lan):
                        yield Flood(
                            node=host,
                            platform=network.platform_of(host),
                            interface=interface,
                            sources=sources,
                            victim=victim,
                            target=network.addresses[victim],
                        )

    def touches(self, parameters: Flood) -> frozenset[str]:
        attacker = {f"{parameters.node} {parameters.interface}", f"{parameters.node} {_PROGRAM}"}
        return frozenset({*attacker, f"{parameters.victim} web"})

    def cuts(self, parameters: Flood) -> frozenset[str]:  # noqa: ARG002  (packets reach the server)
        return frozenset()

    def recover(self, parameters: Flood) -> Commands:  # noqa: ARG002  (an agent does not see the program)
        return {}

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
        because = f"{p.victim} gets no answer from its own server, which runs."
        yield asked("web", p.victim, r'"error": ', because, timeout_s=_PATIENCE_S)

    def inject(self, parameters: Flood, lab: Lab) -> None:
        words = (parameters.interface, parameters.target, str(WEB_PORT), str(RATE), *parameters.sources)
        argv = (_INTERPRETER, "-I", "-S", "-c", _source(), *words)
        lab.nodes[parameters.node].capability(PROCESSES).start(argv, lab_time=False)

    def undo(self, parameters: Flood, lab: Lab) -> None:
        lab.nodes[parameters.node].capability(PROGRAMS).signal(_PROGRAM, _TERM)

    def observe(self, parameters: Flood, lab: Lab) -> None:
        if _PROGRAM not in lab.nodes[parameters.node].capability(PROGRAMS).running():
            raise FaultHasNoEffect(self.name, f"{parameters.node} sends nothing")
        # another fault may be on the way
        (seen,) = lab.prober.probe([Probe(source=parameters.node, target=parameters.target)])
        page = get(lab.nodes[parameters.victim], f"http://{_LOOPBACK}:{WEB_PORT}/", timeout_s=_PATIENCE_S)
        if seen.delivered and page.error is None:
            raise FaultHasNoEffect(self.name, f"the web server of {parameters.victim} answers")


@cache
def _source() -> str:
    return Path(flooder.__file__).read_text()


def _web_servers(network: DrawnNetwork) -> Sequence[str]:
    return [node.name for node in network.topology.nodes if any(one.kind == "web" for one in node.services)]


def _nobodys(lan: Subnet) -> tuple[str, ...]:
    """Addresses of a LAN that nobody has, from its end."""
    prefix = IPv4Network(lan.prefix)
    taken = {lan.gateway, *(one.address for one in lan.attachments)}
    numbers = range(prefix.num_addresses - 2, 1, -1)
    free = (str(prefix[number]) for number in numbers if str(prefix[number]) not in taken)
    return tuple(address for _, address in zip(range(SOURCES), free, strict=False))
