"""Whether the routers of a lab are up and agree with each other, asked over their daemons' own sockets.

Asked in stages, cheapest first; a stage is entered once the ones before miss nothing but what is excused.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.driver import Pending
from pytest_netbench.platforms.frr import rib, stages
from pytest_netbench.platforms.frr.lookout import Lookout
from pytest_netbench.platforms.sessions import Absence, Excused, Session, none_excused, split

_TABLES = (("zebra", "show ip route"), ("zebra", "show ipv6 route"))


def pending(
    nodes: Mapping[str, HostedNode], daemons: Mapping[str, frozenset[str]], *, excused: Excused = none_excused
) -> Pending:
    """What is not yet up among ``nodes``; ``daemons`` are those that run on each."""
    lookout = Lookout(nodes, daemons, excused)
    down: list[Session] = []
    for stage in stages.ALL:
        found = list(stage(lookout))
        phrases, off = split((one for one in found if isinstance(one, Absence)), excused)
        down += off
        missing = (*phrases, *dict.fromkeys(one for one in found if isinstance(one, str)))
        if missing:
            return Pending(missing=missing, excused=tuple(down))
    tables = [text for node in nodes.values() for text, _ in node.vty(_TABLES)]
    return Pending(fingerprint=rib.fingerprint(tables), excused=tuple(down))
