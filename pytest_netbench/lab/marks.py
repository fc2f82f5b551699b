"""Datagrams that show the DSCP with which packets arrive."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_netbench.lab.probing import Probe, ProbeResult
from pytest_netbench.lab.protocols import Lab

Sent = tuple[str, str, str]
"""Node that sends, node that receives, and the address of the latter."""


def arrivals(lab: Lab, flows: Iterable[Sent], port: int, *, follow: tuple[str, ...] = ()) -> list[ProbeResult]:
    """Send a datagram with DSCP 0 on each flow, and again if it is lost; return what came of each, in order.

    Args:
        lab: The running network.
        flows: Who sends to whom.
        port: UDP port to send to.
        follow: Nodes at which to note that a datagram came by.

    Raises:
        LabError: The lab broke.
    """
    probes = [
        Probe(
            source=source,
            target=address,
            protocol="udp",
            port=port,
            listen_on=target,
            listen_port=port,
            arrives_at=(target,),
            follow=follow,
            repetitions=1,
        )
        for source, target, address in flows
    ]
    return lab.prober.probe(probes)
