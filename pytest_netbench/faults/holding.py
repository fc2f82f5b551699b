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

HELD: Final = 3 * MOST_CONNECTIONS
"""One part is accepted, the next waits to be accepted, and so do the last ones, in the queue of the kernel's."""


class Held(Attack):
    """A host that holds connections, and the load balancer that it holds them to.

    Attributes:
        address: Of the node.
    """

    address: str


class LbConnectionsHeld(AttackFault[Held]):
    """A host holds so many idle connections to the load balancer that it accepts none of others."""

    name = "lb-connections-held"
    label = "LB_HELD"
    kind = "lb"
    program: ClassVar[ModuleType] = holder
    parameters = Held
    called = {"nika": "lb_connection_state_exhaustion"}

    def _attacks(self, attack: Attack, lan: Subnet, address: str) -> Iterator[Held]:  # noqa: ARG002  (any LAN will do)
        yield Held(**dict(attack), address=address)

    def _arguments(self, parameters: Held) -> tuple[str, ...]:
        return (parameters.target, str(WEB_PORT), str(HELD))

    def explain(self, parameters: Held) -> str:
        return f"{about(self)} {parameters.node} holds them to {parameters.victim}."

    def evidence(self, parameters: Held, network: Observable) -> Iterator[Observation]:
        p = parameters
        because = f"{p.victim} has many connections with {p.node}."
        yield from asking.state(network, p.victim, "connections", because, port=WEB_PORT, address=p.address)
        yield self.unanswered(p)
