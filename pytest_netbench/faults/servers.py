"""Faults of servers on hosts: of their programs, which no command of an agent repairs.

Each is observed at the server itself, through its loopback address, so that other faults do not hide it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from ipaddress import IPv4Network
from typing import Any, Final, TypeVar, get_args

from pytest_netbench.dialects.state_checks import state_check_of
from pytest_netbench.errors import LabError
from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.change import Act, Change, OnDevice, Symptom, given, shows
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.hosts import free_addresses
from pytest_netbench.lab.clients import get, look_up
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import ALIVE, DNS_PORT, WEB_PORT, HostService, ServerName
from pytest_netbench.model.network import DrawnNetwork
from pytest_netbench.platforms.capabilities import EXEC, PROGRAMS
from pytest_netbench.platforms.driver import HostsServers

STOPPED_S: Final = 3.0
RUNNING_S: Final = 0.01
"""A slow server runs for so long after each pause."""
NOTICED_MS: Final = 1000.0
"""A slow server takes at least as long for one of a few requests in a row."""
BLOCKED_S: Final = 0.5
LOOPBACK: Final = "127.0.0.1"
_HOST_TURN_S: Final = (1.5, 0.06)
"""Wall seconds of each turn in which all programs of a host are stopped, and run: 4 % of a processor."""
_SHORT: Final = "short of processor time"
_TRIES: Final = 5
_PATIENCE_S: Final = 6.0
_ANY_NAME: Final = "localhost.example"
_NOBODY: Final = (199, 222, 251)
"""Numbers of addresses in a LAN, of which the first that is free is nobody's."""


class OnServer(OnDevice):
    """A host with a server."""


S = TypeVar("S", bound=HostService)


def servers_in(network: DrawnNetwork, kind: ServerName) -> Iterator[OnServer]:
    """The hosts of a network with a server of a kind."""
    for node in network.topology.nodes:
        if any(one.kind == kind for one in node.services):
            yield OnServer.of(network, node.name)


def services_of(network: DrawnNetwork, kind: type[S]) -> Iterator[tuple[str, S]]:
    """Each host with a service of a type, and what it is configured with."""
    return ((node.name, one) for node in network.topology.nodes for one in node.services if isinstance(one, kind))


def config_of(lab: Lab, node: str, kind: type[S]) -> S:
    """What a service of a host is configured with in the healthy network."""
    return next(one for one in lab.topology.node(node).services if isinstance(one, kind))


def hosting(lab: Lab, node: str) -> HostsServers:
    """The driver of a host with servers.

    Raises:
        LabError: Its nodes have none.
    """
    driver = lab.driver(node)
    if not isinstance(driver, HostsServers):
        raise LabError(f"{node}: nodes of driver {driver.name!r} have no servers")
    return driver


def serving(node: str, kind: type[S], change: Callable[[S], S] = lambda one: one, *, ends: ServerName | None) -> Act:
    """What lets a service of a host run with another config, or with its own again. ``ends``: what has to end first."""

    def act(lab: Lab) -> None:
        driver, host = hosting(lab, node), lab.nodes[node]
        if ends is not None:
            driver.end_server(host, ends)
        driver.serve(host, [change(config_of(lab, node, kind))])

    return act


def asked(
    kind: ServerName,
    node: str,
    pattern: str,
    because: str,
    *,
    name: str = _ANY_NAME,
    tries: int = 1,
    timeout_s: float | None = None,
    is_shared: bool = False,
) -> Symptom:
    """What a server answers on its own host, as a regular expression of the answer."""
    method, params = "lookup-name", {"node": node, "name": name, "server": LOOPBACK}
    if kind != "dns":
        method, params = "http-get", {"node": node, "url": _url(kind)}
    timeout = {} if timeout_s is None else {"timeout_s": timeout_s}
    shown = Matches(pattern=pattern)
    one = Observation(
        method=method,
        params={**params, **timeout},
        shows=shown,
        because=because,
        tries=tries,
        is_shared=is_shared,
    )
    return lambda _: [one]


def words_of(kind: ServerName) -> str:
    """What a server is called in sentences."""
    return "load balancer" if kind == "lb" else f"{kind} server"


def answers(kind: ServerName, node: str, lab: Lab, *, timeout_s: float) -> tuple[str | None, float]:
    """Why a server does not answer on its own host, and how long that took in milliseconds."""
    if kind == "dns":
        answer = look_up(lab.nodes[node], _ANY_NAME, server=LOOPBACK, timeout_s=timeout_s)
        return answer.error, answer.time_ms or 0.0
    page = get(lab.nodes[node], _url(kind), timeout_s=timeout_s)
    return page.error, page.total_ms


def _url(kind: ServerName) -> str:
    """What a server is asked for on its own host: a load balancer for what it answers without its web servers."""
    return f"http://{LOOPBACK}:{WEB_PORT}{ALIVE if kind == 'lb' else '/'}"


def nobodys_address(network: DrawnNetwork, host: str) -> str:
    """An address of the LAN of a host that nobody has."""
    lan = network.lan_of(host)
    return next(free_addresses(lan, (*_NOBODY, *range(IPv4Network(lan.prefix).num_addresses - 2, 1, -1))))


process_fault = partial(OutsideValue, requires=("programs",), domain="service")


def _of_server(name: str, kind: ServerName, **fields: Any) -> OutsideValue[OnServer]:
    return process_fault(
        name,
        parameters=OnServer,
        needs_services=(kind,),
        at=lambda network: servers_in(network, kind),
        touches=lambda p: frozenset({f"{p.node} {kind}"}),
        **fields,
    )


def _down(name: str, kind: ServerName, **fields: Any) -> OutsideValue[OnServer]:
    """A server that does not run."""

    def answers_still(lab: Lab, node: str) -> Iterator[str]:
        if hosting(lab, node).server_runs(lab.nodes[node], kind):
            yield f"the {words_of(kind)} of {node} runs"
        error, _ = answers(kind, node, lab, timeout_s=BLOCKED_S)
        if error is None:
            yield f"something on {node} answers as {words_of(kind)}"

    def change(p: OnServer) -> Change:
        port = DNS_PORT if kind == "dns" else WEB_PORT
        return Change(
            act=lambda lab: hosting(lab, p.node).end_server(lab.nodes[p.node], kind),
            undo=lambda lab: hosting(lab, p.node).start_server(lab.nodes[p.node], kind),
            checks=(given(answers_still, p.node),),
            symptoms=(
                shows(p.node, "nothing listens", f"Nothing on {p.node} listens on port {port}.", port=port),
                asked(kind, p.node, r'"error": ', f"{p.node} gets no answer from its own server.", is_shared=True),
            ),
            detail=f"It is the one on {p.node}.",
        )

    return _of_server(name, kind, change=change, **fields)


def _slow(name: str, kind: ServerName, *, running_s: float = RUNNING_S, **fields: Any) -> OutsideValue[OnServer]:
    """A server whose program is stopped most of the time, as one that gets almost no time of a processor."""

    def throttle(lab: Lab, node: str, stopped_s: float, running_s: float) -> None:
        hosting(lab, node).throttle_server(lab.nodes[node], kind, stopped_s=stopped_s, running_s=running_s)

    def is_fast(lab: Lab, node: str) -> Iterator[str]:
        longest = 0.0
        for _ in range(_TRIES):
            error, took_ms = answers(kind, node, lab, timeout_s=_PATIENCE_S)
            if error is not None:
                yield f"the {words_of(kind)} of {node} is not slow: {error}"
            longest = max(longest, took_ms)
            if longest >= NOTICED_MS:
                return
        yield f"the {words_of(kind)} of {node} answers {_TRIES} times within {longest:.0f} ms"

    def change(p: OnServer) -> Change:
        pattern = rf'"{"time_ms" if kind == "dns" else "total_ms"}": [1-9]\d{{3}}(?!.*"error")'
        because = f"The {words_of(kind)} of {p.node} answers itself after more than a second."
        return Change(
            act=given(throttle, p.node, STOPPED_S, running_s),
            undo=given(throttle, p.node, 0.0, 0.0),
            checks=(given(is_fast, p.node),),
            symptoms=(asked(kind, p.node, pattern, because, tries=_TRIES),),
            detail=f"It is the one on {p.node}.",
        )

    return _of_server(name, kind, change=change, **fields)


DNS_SERVER_DOWN = _down(
    "dns-server-down",
    "dns",
    about="The DNS server does not run: nothing listens on its port.",
    label="DNS_DOWN",
    called={"nika": "dns_service_down"},
)
WEB_SERVER_DOWN = _down(
    "web-server-down", "web", about="A web server does not run: nothing listens on its port.", label="WEB_DOWN"
)
LB_SERVER_DOWN = _down(
    "lb-server-down",
    "lb",
    about="The load balancer does not run: nothing listens on its port, although its web servers answer.",
    label="LB_DOWN",
)
DNS_SERVER_SLOW = _slow(
    "dns-server-slow",
    "dns",
    about="The DNS server gets almost no processor time: it answers, and takes up to three seconds for it.",
    label="DNS_SLOW",
    called={"nika": "dns_lookup_latency"},
)
# it serves a page in several steps, and a busy machine may let it wait before each
WEB_SERVER_SLOW = _slow(
    "web-server-slow",
    "web",
    about="A web server gets almost no processor time: it answers, and takes up to three seconds for it.",
    label="WEB_SLOW",
    running_s=0.03,
)
# it asks a web server over the network in that time
LB_SERVER_SLOW = _slow(
    "lb-server-slow",
    "lb",
    about="The load balancer gets almost no processor time: pages of fast web servers take up to seconds through it.",
    label="LB_SLOW",
    called={"nika": "load_balancer_overload"},
    running_s=0.1,
)


def _throttle_all(lab: Lab, node: str, stopped_s: float, running_s: float) -> None:
    lab.nodes[node].capability(PROGRAMS).throttle_all(stopped_s=stopped_s, running_s=running_s)


def _has_time(lab: Lab, p: OnServer) -> Iterator[str]:
    sign = state_check_of(p.platform, _SHORT)
    assert sign is not None
    said = lab.nodes[p.node].capability(EXEC).run(["/bin/sh", "-c", sign.command]).stderr
    if not re.search(sign.pattern, said, re.MULTILINE):
        yield f"a busy program of {p.node} gets {said.strip()} % of a processor"


HOST_CPU_LIMITED = process_fault(
    "host-cpu-limited",
    about="All programs of a host get almost no time of a processor, so that its servers answer late and pings in"
    " time.",
    label="HOST_CPU",
    parameters=OnServer,
    needs_services=("dns",),
    called={"nika": "receiver_resource_contention, sender_resource_contention"},
    at=lambda network: {one.node: one for kind in ("dns", "web") for one in servers_in(network, kind)}.values(),
    touches=lambda p: frozenset({f"all of {p.node}", *(f"{p.node} {kind}" for kind in get_args(ServerName))}),
    change=lambda p: Change(
        act=given(_throttle_all, p.node, *_HOST_TURN_S),
        undo=given(_throttle_all, p.node, 0.0, 0.0),
        checks=(given(_has_time, p),),
        symptoms=(shows(p.node, _SHORT, f"A busy loop on {p.node} gets less than 9 % of a processor."),),
        detail=f"It is the one on {p.node}.",
    ),
)
