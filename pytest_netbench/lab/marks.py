"""Datagrams that show the DSCP with which packets arrive."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_netbench.lab.probing import Probe, ProbeResult
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.watch import WatchedFlow


def arrivals(lab: Lab, flows: Iterable[WatchedFlow], *, follow: tuple[str, ...] = ()) -> list[ProbeResult]:
    """Send a datagram with DSCP 0 on each flow, and again if it is lost; return what came of each, in order.

    Args:
        lab: The running network.
        flows: Those of UDP.
        follow: Nodes at which to note that a datagram came by.

    Raises:
        LabError: The lab broke.
    """
    probes = [
        Probe(
            source=flow.source,
            target=flow.address,
            protocol="udp",
            port=flow.port,
            listen_on=flow.target,
            listen_port=flow.port,
            arrives_at=(flow.target,),
            follow=follow,
            repetitions=1,
        )
        for flow in flows
    ]
    return lab.prober.probe(probes)
