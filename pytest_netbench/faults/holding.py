"""Hosts that take a server's connections from others."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import ClassVar, Final

from pytest_netbench.faults import holder
from pytest_netbench.faults.attacks import Attack, AttackFault
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Observation
from pytest_netbench.faults.wording import about
from pytest_netbench.model.hosting import WEB_PORT
from pytest_netbench.model.network import Subnet
from pytest_netbench.platforms.linux.balancer import MOST_CONNECTIONS
from pytest_netbench.platforms.linux.web import MOST_REQUESTS

HELD: Final = 3 * MOST_CONNECTIONS
"""One part is accepted, the next waits to be accepted, and so do the last ones, in the queue of the kernel's."""
REQUESTS: Final = 2 * MOST_REQUESTS
"""One half is served, and so many of the other wait as the queue of the kernel's has places."""


class Held(Attack):
    """A host that holds connections, and the server that it holds them to.

    Attributes:
        address: Of the node.
    """

    address: str


class HoldingFault(AttackFault[Held]):
    """A host holds so many connections to a server that it accepts none of others."""

    program: ClassVar[ModuleType] = holder
    parameters = Held
    what: ClassVar[str]
    """What is held, in the words of its explanation."""

    def _attacks(self, attack: Attack, lan: Subnet, address: str) -> Iterator[Held]:  # noqa: ARG002  (any LAN will do)
        yield Held(**dict(attack), address=address)

    def explain(self, parameters: Held) -> str:
        return f"{about(self)} {parameters.node} {self.what} {parameters.victim}."

    def evidence(self, parameters: Held, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.victim} has many connections with {p.node}."
        yield from asking.state(network, p.victim, "connections", because, port=WEB_PORT, address=p.address)
        yield self.unanswered(p)


class LbConnectionsHeld(HoldingFault):
    """A host, which is the one to name, holds so many idle connections to a load balancer that it takes no others."""

    name = "lb-connections-held"
    label = "LB_HELD"
    kind = "lb"
    needs_services: tuple[str, ...] = ("lb",)
    called = {"nika": "lb_connection_state_exhaustion"}
    what = "holds them to"

    def _arguments(self, parameters: Held) -> tuple[str, ...]:
        return (parameters.target, str(WEB_PORT), str(HELD))


class WebFlood(HoldingFault):
    """A host, which is the one to name, makes requests to a web server and never ends them: it takes none of others."""

    name = "web-flood"
    label = "WEB_FLOOD"
    kind = "web"
    needs_services: tuple[str, ...] = ("web",)
    called = {"nika": "web_dos_attack"}
    what = "makes them to"

    def _arguments(self, parameters: Held) -> tuple[str, ...]:
        request = ("GET / HTTP/1.1", f"Host: {parameters.target}", "Accept: */*")
        return (parameters.target, str(WEB_PORT), str(REQUESTS), *request)
