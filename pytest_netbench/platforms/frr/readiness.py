"""What FRR routers wait for besides their sessions: RPKI caches, and routes that still change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.driver import Pending
from pytest_netbench.platforms.frr import processes, rib
from pytest_netbench.platforms.frr.look import has_route

_TABLES = (("zebra", "show ip route"), ("zebra", "show ipv6 route"))
_RPKI = (("bgpd", "show rpki cache-server"), ("bgpd", "show rpki cache-connection"))
_CACHE = re.compile(r"^(?:host: )?(\S+) port: \d+", re.MULTILINE)
_IS_SYNCED = re.compile(r"^Connected to group", re.MULTILINE)
_JUDGED = "routes judged by RPKI"


def pending(nodes: Mapping[str, HostedNode], daemons: Mapping[str, frozenset[str]]) -> Pending:
    """What ``nodes`` wait for besides their sessions; ``daemons`` are those that run on each."""
    missing = tuple(phrase for name, node in nodes.items() if "bgpd" in daemons[name] for phrase in _rpki(node))
    if missing:
        return Pending(missing=missing)
    tables = [text for node in nodes.values() for text, _ in node.vty(_TABLES)]
    return Pending(fingerprint=rib.fingerprint(tables))


def _rpki(node: HostedNode) -> Iterator[str]:
    """RPKI caches that have told nothing yet, of routers with a route to one; and routes that came before they did.

    FRR judges these only when they come again, so it is told to take them once more.
    """
    if "bgpd" not in processes.noted_options(node):
        return
    caches, connection = (text for text, _ in node.vty(_RPKI))
    reachable = [one for one in _CACHE.findall(caches) if has_route(node, one)]
    if _IS_SYNCED.search(connection) is None:
        if reachable:
            yield f"{node.name}: the RPKI cache {reachable[0]} has not told anything yet"
    elif processes.is_first_time(node, "bgpd", _JUDGED):
        node.vty([("bgpd", "enable"), ("bgpd", "clear bgp * soft in")])
        yield f"{node.name}: BGP judges again the routes that came before the RPKI cache answered"
