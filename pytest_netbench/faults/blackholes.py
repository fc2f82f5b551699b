"""Routers that discard what they should forward: routes to nowhere, for themselves or announced to others."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.dialects.paths import config_paths
from pytest_netbench.faults.builders import NetworkValue, config_fault
from pytest_netbench.faults.change import Change, OnDevice, Symptom, shows
from pytest_netbench.faults.evidence import asking
from pytest_netbench.faults.paths import announced, routers_of
from pytest_netbench.faults.syntax import announcing, in_family, opening, with_mask
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.network import DrawnNetwork, Subnet


class Discarded(OnDevice):
    """A router, and the prefix that it discards packets to."""

    prefix: str

    @property
    def route(self) -> str:
        """The static route that does it."""
        return f"ip route {with_mask(self.platform, self.prefix)} Null0"

    @property
    def symptom(self) -> Symptom:
        """What shows it."""
        because = f"The route of {self.node} to {self.prefix} discards packets."
        return shows(self.node, "discards", because, **asking.routed(self.prefix))


def _discarding(network: DrawnNetwork) -> Iterator[Discarded]:
    for node, lan in _far_lans(network):
        one = Discarded.of(network, node, prefix=lan.prefix)
        beginning = one.route.removesuffix("Null0")
        # beside another static route it would take only a part of the packets
        if not any(path[-1].startswith(beginning) for path in config_paths(network.startup_configs[node])):
            yield one


ROUTE_BLACKHOLE = config_fault(
    "route-blackhole",
    about="A static route of a router discards packets to a LAN that is behind other routers.",
    label="BLACKHOLE",
    domain="forwarding",
    parameters=Discarded,
    at=_discarding,
    touches=lambda p: frozenset({f"route {p.node}", f"discards {p.prefix}"}),
    change=lambda p: Change(inject=(p.route,), repair=p.without(p.route), symptoms=(p.symptom,)),
)


class Announced(Discarded):
    """What is discarded, the LAN that it is in, and the line that opens the process which announces it."""

    process: str
    lan: str

    def announces(self, lab: Lab) -> Iterator[str]:
        """A phrase if it is not announced."""
        # IOS shows no mask that is that of the network's class
        beginning = "network " + self.prefix.partition("/")[0]
        config = lab.driver(self.node).running_config(lab.nodes[self.node])
        if not any(path[-1].startswith(beginning) for path in config_paths(config)):
            yield f"{self.prefix} is not announced"


def _announced(network: DrawnNetwork, *, of_hosts: bool) -> Iterator[Announced]:
    for node, lan in _far_lans(network) if network.autonomous_systems else ():
        process = opening(network, node, "router bgp")
        if process is None or node not in network.autonomous_systems:
            continue
        # routers do not know a hidden LAN, which no router of its own announces
        if any(lan.prefix in announced(network, one) for one in routers_of(network, lan)):
            hosts = (f"{one.address}/32" for one in lan.attachments if one.node in network.hosts)
            for prefix in hosts if of_hosts else (lan.prefix,):
                yield Announced.of(network, node, prefix=prefix, process=process, lan=lan.prefix)


def _announcing(name: str, *, about: str, label: str, nika: str, of_hosts: bool) -> NetworkValue[Announced]:
    """A fault by which a router announces by BGP what it cannot deliver: single hosts, or LANs."""

    def change(p: Announced) -> Change:
        statement = announcing(p.platform, p.prefix)
        return Change(
            inject=(p.route, *in_family(p.platform, p.process, statement)),
            repair=(*in_family(p.platform, p.process, *p.without(statement)), *p.without(p.route)),
            shown=(p.route,),
            checks=(p.announces,),
            symptoms=(p.symptom,),
        )

    return config_fault(
        name,
        about=about,
        label=label,
        parameters=Announced,
        called={"nika": nika},
        at=lambda network: _announced(network, of_hosts=of_hosts),
        touches=lambda p: frozenset(
            {f"route {p.node}", f"discards {p.lan}", f"bgp {p.node} {p.prefix}", f"{p.node} order of {p.process}"}
        ),
        change=change,
    )


BGP_PREFIX_HIJACKED = _announcing(
    "bgp-prefix-hijacked",
    about="A router announces the LAN of another one as its own by BGP, and discards what it gets for it.",
    label="HIJACK",
    nika="bgp_hijacking",
    of_hosts=False,
)
BGP_BLACKHOLE_LEAKED = _announcing(
    "bgp-blackhole-leaked",
    about="A router discards packets to a host of another LAN, and announces that route by BGP.",
    label="LEAK",
    nika="bgp_blackhole_route_leak",
    of_hosts=True,
)


def _far_lans(network: DrawnNetwork) -> Iterator[tuple[str, Subnet]]:
    """Each router with each LAN that it is not in."""
    for node in network.routers:
        for lan in network.lans:
            if not any(one.node == node for one in lan.attachments):
                yield node, lan
