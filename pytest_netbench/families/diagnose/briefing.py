"""The brief of a diagnosis. It is the same whether something is wrong or not. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_netbench.families.diagnose.planned import known
from pytest_netbench.families.diagnose.uses import SLOW_S, AddressService, Tunnel, Uses, leases_of, uses_of
from pytest_netbench.families.faulty.clusters import is_cluster, setting
from pytest_netbench.families.faulty.design import designed
from pytest_netbench.families.faulty.flows import wanted
from pytest_netbench.model.demand import Demand
from pytest_netbench.model.diagnosis import Diagnose
from pytest_netbench.model.faulty import MarkedFlows
from pytest_netbench.model.hosting import RTR_PORT

ONLY_LOOK: Final = "You can look at the network, and send packets, and change nothing."
FASTER: Final = (
    "Time in the network may run several times as fast as yours: timers, ages and uptimes of devices count its seconds."
)
DETECTED: Final = (
    "Something is wrong in this network. Find out what and where. Several things may be wrong at the same time. A"
    " redundant network may carry all traffic although something in it is wrong."
)
LOCALIZED: Final = "It is known where: each of these resources has one cause, and there is no other:"
REPORTED: Final = "An operator reports:"
ADVICE: Final = (
    "Find out whether anything is wrong in this network, and if so what and where. It may be healthy. Several things"
    " may be wrong at the same time. A redundant network may carry all traffic although something in it is wrong."
)
NOW: Final = (
    "What was over before you began, such as a cable that had no carrier for a moment, is not asked for. A cable with a"
    " loose contact loses its carrier again within a minute of the network's time."
)
WATCHED: Final = (
    "All counts that is wrong at any time of the first {period_s:g} seconds of the network's time, which begin when you"
    " can: also what begins later, comes and goes, or is over when you answer. What is over needs no repair."
)
TWO_PHASES: Final = (
    "When you have finished your investigation, call `submit-diagnosis` once, with your findings in your own words. Its"
    " answer lists the fault types and the resources that can be named. From then on no device answers. Then give your"
    " answer: whether anything is wrong, and for each cause its resource and its fault type."
)
LISTED: Final = "`list-fault-types` lists the fault types that an answer can name. Ask it whenever you like."
TRAFFIC: Final = "The network carries this traffic all the time. When it is healthy, no more is lost than is said here:"
UNREADABLE: Final = (
    "You cannot log in to any node: you have reports, telemetry and tests. Telemetry has the counters and neighbors of"
    " the network's own routers and switches."
)
TESTERS: Final = (
    "You cannot log in to hosts. `check-reachability` starts at these hosts only, and `measure-rate` is between two of"
    " them: {hosts}. Telemetry has the traffic between them and their requests, and no other."
)
BROWSED: Final = (
    "Hosts ask for these pages all the time, {per_s:g} times a second in all; telemetry has what came of it."
)
CALLED: Final = "Pods call the services that they need about once a second; telemetry has what came of it (`requests`)."
SERVED: Final = (
    "These services work in the healthy network, from each of its hosts ({clients}), in less than {slow_s:g} s:"
)

TUNNELS: Final = "In the healthy network these hosts reach each other by WireGuard tunnels, whose interfaces are wg0:"
MARKED: Final = (
    "In the healthy network routers mark the packets that {hosts} send to other subnets: those to UDP port {port}"
    " arrive with DSCP {dscp}, all others with 0."
)
VALIDATED: Final = (
    "In the healthy network routers accept no route from another autonomous system that the RPKI calls invalid. That a"
    " provider announces one is known, and cannot be changed. What the RPKI says they learn from the cache on {node}"
    " ({address}, TCP port {port})."
)
LEASED: Final = "In the healthy network these hosts have what a DHCP server of their subnet gives them:"


def _leases(servers: Sequence[AddressService]) -> Iterator[str]:
    """What an operator knows of the DHCP servers of a network; nothing if there are none."""
    if servers:
        yield LEASED
    for one in servers:
        clients = ", ".join(f"{name} {address}" for name, address in one.clients.items())
        names = f", DNS server {one.config.resolver}" if one.config.resolver else ""
        yield f"- DHCP on {one.node} for {one.config.prefix}: gateway {one.config.gateway}{names}; {clients}."


def _tunnels(tunnels: Sequence[Tunnel]) -> Iterator[str]:
    """What an operator knows of the tunnels of a network; nothing if there are none."""
    if tunnels:
        yield TUNNELS
    for one in tunnels:
        first, second = (f"{address} on {node}" for node, address in zip(one.nodes, one.addresses, strict=True))
        yield f"- {first} and {second}."


def _marks(marked: Sequence[MarkedFlows]) -> Iterator[str]:
    """What an operator knows of the DSCP of packets; nothing if routers do not mark."""
    if marked:
        hosts = ", ".join(dict.fromkeys(host for one in marked for host in one.sources))
        yield MARKED.format(hosts=hosts, port=marked[0].port, dscp=marked[0].dscp)


def _validation(uses: Uses) -> Iterator[str]:
    """What an operator knows of the validation of routes; nothing without a cache."""
    if uses.rpki is not None:
        node, address = uses.rpki
        yield VALIDATED.format(node=node, address=address, port=RTR_PORT)


def _services(uses: Uses) -> Iterator[str]:
    """What an operator knows of the servers of a network; nothing if there are none."""
    if not uses.clients:
        return
    yield SERVED.format(clients=", ".join(uses.clients), slow_s=SLOW_S)
    if uses.dns is not None:
        zone = f"the names of all hosts in {uses.dns.domain}"
        yield f"- DNS on {uses.dns.node} ({uses.dns.address}): {zone}. Hosts look names up there."
    for one in uses.pages:
        role = f", a load balancer of {', '.join(one.servers)}" if one.servers else ""
        yield f"- HTTP on {one.node} ({one.address}){role}: {one.url} is a page of {one.page_bytes} bytes."


def _access(payload: Diagnose) -> Iterator[str]:
    """Where tests start, if not at each host."""
    if payload.monitored:
        yield UNREADABLE
    if payload.test_hosts:
        yield TESTERS.format(hosts=", ".join(payload.test_hosts))


def _traffic(demand: Demand) -> str:
    return f"- {demand}, at most {demand.most_loss:.0%}"


def assignment(payload: Diagnose, phases: str = TWO_PHASES) -> str:
    """Return what the agent has to do, with the order in which it does it."""
    uses = uses_of(payload)
    unwanted = list(wanted(payload, allowed=False))
    lines = [
        ADVICE if payload.given == "nothing" else DETECTED,
        *([LOCALIZED, *(f"- {one.resources[0]}" for one in payload.causes)] if payload.given == "localization" else []),
        *([REPORTED, payload.report] if payload.report else []),
        NOW if payload.period_s is None else WATCHED.format(period_s=payload.period_s),
        *([LISTED] if payload.types_known else []),
        phases,
        *_access(payload),
        *designed(payload),
        *known(payload.decoys),
        *setting(payload),
        "These connections work in the healthy network:",
        *wanted(payload, allowed=True),
        *(["These do not work in the healthy network, by intent:", *unwanted] if unwanted else []),
        *([TRAFFIC, *map(_traffic, payload.demands)] if payload.demands else []),
        *_services(uses),
        *_tunnels(uses.tunnels),
        *_marks(uses.marked),
        *_validation(uses),
        *_leases(leases_of(payload)),
        *([BROWSED.format(per_s=payload.browsing.per_s)] if payload.browsing else []),
        *([CALLED] if is_cluster(payload) else []),
    ]
    return "\n".join(lines)
