"""Faults of load balancers: of the program, and of what it is configured with. No command of an agent repairs them.

Each is observed at the load balancer itself, through its loopback address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.servers import (
    OnServer,
    ProgramFault,
    ServerDown,
    ServerSlow,
    hosting,
    nobodys_address,
)
from pytest_netbench.faults.wording import about
from pytest_netbench.lab.clients import get
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import WEB_PORT, LoadBalancer, ServerName
from pytest_netbench.model.network import DrawnNetwork

OTHER_PORT: Final = 8080
"""Nothing listens there."""
_URL: Final = f"http://127.0.0.1:{WEB_PORT}/"
_OK: Final = 200
_PATIENCE_S: Final = 2.0
_ROUNDS: Final = 2
"""Requests of others may take the turn of the server that is asked for."""
_TRIES: Final = 8
"""More than the web servers of most networks."""


class LbServerDown(ServerDown):
    """The load balancer does not run: nothing listens on its port, although its web servers answer."""

    name = "lb-server-down"
    label = "LB_DOWN"
    kind = "lb"
    needs_services: tuple[str, ...] = ("lb",)


class LbServerSlow(ServerSlow):
    """The load balancer gets almost no processor time: pages of fast web servers take up to seconds through it."""

    name = "lb-server-slow"
    label = "LB_SLOW"
    kind = "lb"
    needs_services: tuple[str, ...] = ("lb",)
    called = {"nika": "load_balancer_overload"}
    running_s = 0.1
    """It asks a web server over the network in that time."""


class WrongBackend(OnServer):
    """A load balancer, a web server of it, where that listens, and the address and port that are asked instead."""

    server: str
    socket: str
    instead: str


class LbBackendWrong(ProgramFault[WrongBackend]):
    """The load balancer has a wrong address or port of one of its web servers: a share of the requests fails."""

    name = "lb-backend-wrong"
    label = "LB_BACKEND"
    kind: ClassVar[ServerName] = "lb"
    needs_services: tuple[str, ...] = ("lb",)
    parameters = WrongBackend

    def places(self, network: DrawnNetwork) -> Iterator[WrongBackend]:
        for node in network.topology.nodes:
            for one in node.services:
                if isinstance(one, LoadBalancer):
                    for server, socket in one.servers.items():
                        for instead in _wrong(network, server, socket):
                            yield WrongBackend(
                                node=node.name,
                                platform=network.platform_of(node.name),
                                server=server,
                                socket=socket,
                                instead=instead,
                            )

    def inject(self, parameters: WrongBackend, lab: Lab) -> None:
        healthy = _config_of(lab, parameters.node)
        servers = {**healthy.servers, parameters.server: parameters.instead}
        _serve(healthy.model_copy(update={"servers": servers}), parameters, lab)

    def undo(self, parameters: WrongBackend, lab: Lab) -> None:
        _serve(_config_of(lab, parameters.node), parameters, lab)

    def observe(self, parameters: WrongBackend, lab: Lab) -> None:
        p = parameters
        config = lab.driver(p.node).running_config(lab.nodes[p.node])
        if not re.search(_line(p), config, re.MULTILINE):
            raise FaultHasNoEffect(self.name, f"{p.node} has not {p.instead} for {p.server}")
        for _ in range(_ROUNDS * len(_config_of(lab, p.node).servers)):
            if get(lab.nodes[p.node], _URL, timeout_s=_PATIENCE_S).status != _OK:
                return
        raise FaultHasNoEffect(self.name, f"the load balancer on {p.node} answers each request")

    def explain(self, parameters: WrongBackend) -> str:
        p = parameters
        return f"{about(self)} The one on {p.node} asks {p.instead} for {p.server}, which listens at {p.socket}."

    def evidence(self, parameters: WrongBackend, network: Observable) -> Iterator[Observation]:  # noqa: ARG002  (it is asked on its host)
        p = parameters
        yield asking.config_matches(p.node, _line(p), f"{p.node} asks {p.instead} for {p.server}.")
        because = f"{p.node} gets no page for some requests to its own load balancer."
        params, shows = {"node": p.node, "url": _URL}, Matches(pattern=r'"status": 503')
        yield Observation(method="http-get", params=params, shows=shows, because=because, tries=_TRIES)


def _line(parameters: WrongBackend) -> str:
    """The line of the config, as a regular expression."""
    return rf"^\s+server {re.escape(parameters.server)} {re.escape(parameters.instead)}$"


def _wrong(network: DrawnNetwork, server: str, socket: str) -> Iterator[str]:
    address, _, port = socket.partition(":")
    yield f"{address}:{OTHER_PORT}"
    yield f"{nobodys_address(network, server)}:{port}"


def _config_of(lab: Lab, node: str) -> LoadBalancer:
    """What the load balancer of a host is configured with in the healthy network."""
    return next(one for one in lab.topology.node(node).services if isinstance(one, LoadBalancer))


def _serve(config: LoadBalancer, parameters: WrongBackend, lab: Lab) -> None:
    driver, node = hosting(lab, parameters.node), lab.nodes[parameters.node]
    driver.end_server(node, "lb")
    driver.serve(node, [config])
