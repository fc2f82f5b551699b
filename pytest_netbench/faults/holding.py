"""Hosts that take a server's connections from others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar, Final

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults import holder
from pytest_netbench.faults.device import OnDevice
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.protocol import Commands
from pytest_netbench.faults.servers import asked, servers_in
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.clients import get
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import ALIVE, WEB_PORT
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import PROCESSES, PROGRAMS
from pytest_netbench.platforms.linux.balancer import MOST_CONNECTIONS

HELD: Final = 3 * MOST_CONNECTIONS
"""One part is accepted, the next waits to be accepted, and so do the last ones, in the queue of the kernel's."""
_INTERPRETER: Final = "/usr/bin/python3"
_PROGRAM: Final = "python3"
_TERM: Final = 15
_PATIENCE_S: Final = 0.4
_URL: Final = f"http://127.0.0.1:{WEB_PORT}{ALIVE}"


class Held(OnDevice):
    """A host that holds connections, and the load balancer that it holds them to.

    Attributes:
        interface: Of the node.
        address: Of the node.
        victim: The load balancer.
        target: Its address.
    """

    interface: str
    address: str
    victim: str
    target: str


class LbConnectionsHeld:
    """A host holds so many idle connections to the load balancer that it accepts none of others."""

    name = "lb-connections-held"
    label = "LB_HELD"
    parameters = Held
    lets_through: bool = False
    platforms: tuple[str, ...] = ("linux",)
    requires: tuple[str, ...] = ("processes", "programs", "probes")
    called: Mapping[str, str] = {"nika": "lb_connection_state_exhaustion"}
    found_at: ClassVar[str] = "node"
    domain: ClassVar[str] = "security"

    def places(self, network: DrawnNetwork) -> Iterator[Held]:
        # a list that another fault changes could be in the way
        victims = [] if network.access_lists else [one.node for one in servers_in(network, "lb")]
        for victim in victims:
            for host in network.hosts:
                is_hidden = network.is_hidden(host) or network.is_hidden(victim)
                if host != victim and network.is_managed(host) and not is_hidden:
                    (at,) = (one for one in network.lan_of(host).attachments if one.node == host)
                    yield Held(
                        node=host,
                        platform=network.platform_of(host),
                        interface=at.interface,
                        address=at.address,
                        victim=victim,
                        target=network.addresses[victim],
                    )

    def touches(self, parameters: Held) -> frozenset[str]:
        holder_of_them = {f"{parameters.node} {parameters.interface}", f"{parameters.node} {_PROGRAM}"}
        return frozenset({*holder_of_them, f"{parameters.victim} lb"})

    def cuts(self, parameters: Held) -> frozenset[str]:  # noqa: ARG002  (packets reach the load balancer)
        return frozenset()

    def recover(self, parameters: Held) -> Commands:  # noqa: ARG002  (an agent does not see the program)
        return {}

    def explain(self, parameters: Held) -> str:
        return f"{about(self)} {parameters.node} holds them to {parameters.victim}."

    def evidence(self, parameters: Held, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.victim} has many connections with {p.node}."
        yield from asking.state(network, p.victim, "connections", because, port=WEB_PORT, address=p.address)
        because = f"{p.victim} gets no answer from its own load balancer, which runs."
        yield asked("lb", p.victim, r'"error": ', because, timeout_s=_PATIENCE_S)

    def inject(self, parameters: Held, lab: Lab) -> None:
        argv = (_INTERPRETER, "-I", "-S", "-c", _source(), parameters.target, str(WEB_PORT), str(HELD))
        lab.nodes[parameters.node].capability(PROCESSES).start(argv, lab_time=False)

    def undo(self, parameters: Held, lab: Lab) -> None:
        lab.nodes[parameters.node].capability(PROGRAMS).signal(_PROGRAM, _TERM)

    def observe(self, parameters: Held, lab: Lab) -> None:
        if _PROGRAM not in lab.nodes[parameters.node].capability(PROGRAMS).running():
            raise FaultHasNoEffect(self.name, f"{parameters.node} holds nothing")
        # another fault may be on the way
        (seen,) = lab.prober.probe([Probe(source=parameters.node, target=parameters.target)])
        page = get(lab.nodes[parameters.victim], _URL, timeout_s=_PATIENCE_S)
        if seen.delivered and page.error is None:
            raise FaultHasNoEffect(self.name, f"the load balancer of {parameters.victim} answers")


@cache
def _source() -> str:
    return Path(holder.__file__).read_text()
