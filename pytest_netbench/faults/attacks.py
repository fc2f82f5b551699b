"""Hosts that attack a server by a program, because of which it answers nobody, although it runs.

The root cause is at the host. Only the lab ends the program: an agent sees no programs of others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from ipaddress import IPv4Network
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeVar

from pytest_netbench.faults import flooder, holder
from pytest_netbench.faults.builders import OutsideValue
from pytest_netbench.faults.change import Change, OnPort, Symptom, given, of_port, shows
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.hosts import free_addresses
from pytest_netbench.faults.servers import answers, asked, process_fault, servers_in, words_of
from pytest_netbench.lab.probing import Probe
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.hosting import WEB_PORT, ServerName
from pytest_netbench.model.network import DrawnNetwork, Subnet
from pytest_netbench.platforms.capabilities import PROCESSES, PROGRAMS
from pytest_netbench.platforms.linux.balancer import MOST_CONNECTIONS
from pytest_netbench.platforms.linux.web import MOST_REQUESTS

RATE: Final = 100
"""SYNs in a second: many more than are half open at once, and little work for a machine."""
SOURCES: Final = 4
"""At most: the neighbor tables of all nodes of a machine are one."""
HELD: Final = 3 * MOST_CONNECTIONS
"""One part is accepted, the next waits to be accepted, and so do the last ones, in the queue of the kernel's."""
REQUESTS: Final = 2 * MOST_REQUESTS
"""One half is served, and so many of the other wait as the queue of the kernel's has places."""
_INTERPRETER: Final = "/usr/bin/python3"
_PROGRAM: Final = "python3"
_TERM: Final = 15
_PATIENCE_S: Final = 0.4


class Attack(OnPort):
    """A host that attacks, and the server that it attacks.

    Attributes:
        interface: Of the node.
        victim: The server.
        target: Its address.
    """

    victim: str
    target: str


class Flood(Attack):
    """A host that floods, and the server that it floods.

    Attributes:
        sources: Addresses of its LAN that nobody has, from which it sends.
    """

    sources: tuple[str, ...]


class Held(Attack):
    """A host that holds connections, and the server that it holds them to.

    Attributes:
        address: Of the node.
    """

    address: str


A = TypeVar("A", bound=Attack)


def _attacks(network: DrawnNetwork, kind: ServerName) -> Iterator[tuple[Attack, Subnet, str]]:
    """Each attack on a server of a kind, the LAN of the attacker, and its address there."""
    # a list that another fault changes could be in the way
    victims = [] if network.access_lists else [one.node for one in servers_in(network, kind)]
    for victim in victims:
        for host in network.hosts:
            is_hidden = network.is_hidden(host) or network.is_hidden(victim)
            if host != victim and network.is_managed(host) and not is_hidden:
                lan = network.lan_of(host)
                (at,) = (one for one in lan.attachments if one.node == host)
                where = {"interface": at.interface, "victim": victim, "target": network.addresses[victim]}
                yield Attack.of(network, host, **where), lan, at.address


def _attack(
    name: str,
    kind: ServerName,
    program: ModuleType,
    *,
    arguments: Callable[[A], tuple[str, ...]],
    detail: Callable[[A], str],
    symptoms: Callable[[A], tuple[Symptom, ...]],
    **fields: Any,
) -> OutsideValue[A]:
    """An attack on a server of a kind by a program, whose source is run: standard library only."""

    def start(lab: Lab, p: A) -> None:
        argv = (_INTERPRETER, "-I", "-S", "-c", Path(str(program.__file__)).read_text(), *arguments(p))
        lab.nodes[p.node].capability(PROCESSES).start(argv, lab_time=False)

    def answers_still(lab: Lab, p: A) -> Iterator[str]:
        if _PROGRAM not in lab.nodes[p.node].capability(PROGRAMS).running():
            yield f"{p.node} attacks nobody"
        # another fault may be on the way
        (seen,) = lab.prober.probe([Probe(source=p.node, target=p.target)])
        error, _ = answers(kind, p.victim, lab, timeout_s=_PATIENCE_S)
        if seen.delivered and error is None:
            yield f"the {words_of(kind)} of {p.victim} answers"

    def change(p: A) -> Change:
        because = f"{p.victim} gets no answer from its own {words_of(kind)}, which runs."
        return Change(
            act=given(start, p),
            undo=lambda lab: lab.nodes[p.node].capability(PROGRAMS).signal(_PROGRAM, _TERM),
            checks=(given(answers_still, p),),
            symptoms=(
                *symptoms(p),
                asked(kind, p.victim, r'"error": ', because, timeout_s=_PATIENCE_S, is_shared=True),
            ),
            detail=detail(p),
        )

    usual = {
        "domain": "security",
        "requires": ("processes", "programs", "probes"),
        "needs_services": (kind,),
        "touches": lambda p: of_port(p) | {f"{p.node} {_PROGRAM}", f"{p.victim} {kind}"},
        "change": change,
    }
    return process_fault(name, **{**usual, **fields})


def _nobodys(lan: Subnet) -> tuple[str, ...]:
    """Addresses of a LAN that nobody has, from its end."""
    return tuple(free_addresses(lan, tuple(range(IPv4Network(lan.prefix).num_addresses - 2, 1, -1))))[:SOURCES]


def _half_open(p: Flood) -> tuple[Symptom, ...]:
    sent = " or ".join(f"src host {one}" for one in p.sources)
    captured = Observation(
        method="capture-packets",
        params={"node": p.node, "interface": p.interface, "filter": f"tcp dst port {WEB_PORT} and ({sent})"},
        shows=Matches(pattern=rf"> {re.escape(p.target)}\.(?:{WEB_PORT}|http): Flags \[S\]"),
        because=f"{p.node} sends SYNs to {p.victim} from addresses that are not its own.",
    )
    because = f"Several connections to {p.victim} are half open."
    return (lambda _: [captured], shows(p.victim, "half open", because, port=WEB_PORT))


TCP_SYN_FLOOD = _attack(
    "tcp-syn-flood",
    "web",
    flooder,
    about="A host, which is the one to name, sends SYNs of nobody's addresses to a web server, so that its queue is"
    " full.",
    label="SYN_FLOOD",
    called={"nika": "tcp_syn_flood_attack"},
    parameters=Flood,
    at=lambda network: (
        Flood(**dict(attack), sources=sources)
        for attack, lan, _ in _attacks(network, "web")
        if (sources := _nobodys(lan))
    ),
    arguments=lambda p: (p.interface, p.target, str(WEB_PORT), str(RATE), *p.sources),
    detail=lambda p: f"{p.node} sends them to {p.victim}, from {', '.join(p.sources)}.",
    symptoms=_half_open,
)


def _holding(name: str, kind: ServerName, what: str, **fields: Any) -> OutsideValue[Held]:
    """A host holds so many connections to a server that it accepts none of others. ``what``: in words."""

    def held(p: Held) -> tuple[Symptom, ...]:
        because = f"{p.victim} has many connections with {p.node}."
        return (shows(p.victim, "connections", because, port=WEB_PORT, address=p.address),)

    return _attack(
        name,
        kind,
        holder,
        parameters=Held,
        at=lambda network: (Held(**dict(one), address=address) for one, _, address in _attacks(network, kind)),
        detail=lambda p: f"{p.node} {what} {p.victim}.",
        symptoms=held,
        **fields,
    )


LB_CONNECTIONS_HELD = _holding(
    "lb-connections-held",
    "lb",
    "holds them to",
    about="A host, which is the one to name, holds so many idle connections to a load balancer that it takes no"
    " others.",
    label="LB_HELD",
    called={"nika": "lb_connection_state_exhaustion"},
    arguments=lambda p: (p.target, str(WEB_PORT), str(HELD)),
)
WEB_FLOOD = _holding(
    "web-flood",
    "web",
    "makes them to",
    about="A host, which is the one to name, makes requests to a web server and never ends them: it takes none of"
    " others.",
    label="WEB_FLOOD",
    called={"nika": "web_dos_attack"},
    arguments=lambda p: (p.target, str(WEB_PORT), str(REQUESTS), "GET / HTTP/1.1", f"Host: {p.target}", "Accept: */*"),
)
