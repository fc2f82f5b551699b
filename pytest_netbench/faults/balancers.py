"""A load balancer with a wrong web server. No command of an agent repairs it.

It is observed at the load balancer itself, through its loopback address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_netbench.faults.change import Change, given
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.servers import OnServer, config_of, nobodys_address, process_fault, services_of, serving
from pytest_netbench.lab.clients import get
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import WEB_PORT, LoadBalancer
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


class WrongBackend(OnServer):
    """A load balancer, a web server of it, where that listens, and the address and port that are asked instead."""

    server: str
    socket: str
    instead: str

    @property
    def line(self) -> str:
        """The line of the config, as a regular expression."""
        return rf"^\s+server {re.escape(self.server)} {re.escape(self.instead)}$"


def _backends(network: DrawnNetwork) -> Iterator[WrongBackend]:
    for node, config in services_of(network, LoadBalancer):
        for server, socket in config.servers.items():
            address, _, port = socket.partition(":")
            for instead in (f"{address}:{OTHER_PORT}", f"{nobodys_address(network, server)}:{port}"):
                yield WrongBackend.of(network, node, server=server, socket=socket, instead=instead)


def _answers(lab: Lab, p: WrongBackend) -> Iterator[str]:
    if not re.search(p.line, lab.driver(p.node).running_config(lab.nodes[p.node]), re.MULTILINE):
        yield f"{p.node} has not {p.instead} for {p.server}"
    for _ in range(_ROUNDS * len(config_of(lab, p.node, LoadBalancer).servers)):
        if get(lab.nodes[p.node], _URL, timeout_s=_PATIENCE_S).status != _OK:
            return
    yield f"the load balancer on {p.node} answers each request"


def _failing(_network: Observable, p: WrongBackend) -> Iterator[Observation]:
    yield asking.config_matches(p.node, p.line, f"{p.node} asks {p.instead} for {p.server}.")
    because = f"{p.node} gets no page for some requests to its own load balancer."
    params, shown = {"node": p.node, "url": _URL}, Matches(pattern=r'"status": 503')
    yield Observation(method="http-get", params=params, shows=shown, because=because, tries=_TRIES, is_shared=True)


def _misled(p: WrongBackend) -> Change:
    def wrong(config: LoadBalancer) -> LoadBalancer:
        return config.model_copy(update={"servers": {**config.servers, p.server: p.instead}})

    return Change(
        act=serving(p.node, LoadBalancer, wrong, ends="lb"),
        undo=serving(p.node, LoadBalancer, ends="lb"),
        checks=(given(_answers, p),),
        symptoms=(given(_failing, p),),
        detail=f"The one on {p.node} asks {p.instead} for {p.server}, which listens at {p.socket}.",
    )


LB_BACKEND_WRONG = process_fault(
    "lb-backend-wrong",
    about="The load balancer has a wrong address or port of one of its web servers: a share of the requests fails.",
    label="LB_BACKEND",
    parameters=WrongBackend,
    needs_services=("lb",),
    at=_backends,
    touches=lambda p: frozenset({f"{p.node} lb"}),
    change=_misled,
)
