"""Injecting faults into a lab, and waiting for their effect."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

from pytest_netbench.errors import FaultHasNoEffect
from pytest_netbench.faults.builders import FaultValue
from pytest_netbench.lab.protocols import Lab, LabNode
from pytest_netbench.lab.stopwatch import stopwatch_of
from pytest_netbench.model.base import Model
from pytest_netbench.model.hosting import HostService
from pytest_netbench.model.objects import K8S
from pytest_netbench.model.payload import CLUSTER_PLATFORM
from pytest_netbench.platforms.capabilities import CLUSTER
from pytest_netbench.platforms.driver import HostsServers
from pytest_netbench.platforms.power import Saving

Injected = tuple[FaultValue[Any], Model]
"""A fault, and its parameters."""
NOTICED_LAB_S: Final = 60.0
"""Lab seconds in which a fault takes effect: OSPF notices after 40 s that a neighbor is silent."""
LEAST_S: Final = 1.0
_PAUSE_S = 0.05  # between two looks: no event says that a neighbor is gone


def inject_all(faults: Iterable[Injected], lab: Lab, *, renewed: Collection[str] | None = None) -> None:
    """Inject faults, in order. Save the config of each node, and write the files of its services again.

    No saved config and no time of a file then tells the difference. In a cluster no time of an object does: without a
    fault of an object all are created anew as with one.

    Args:
        faults: With their parameters.
        lab: Where.
        renewed: Kinds of objects that are created anew in a cluster, if nobody needs to be told by what is as old as
            the cluster that no fault is there; ``None`` for all that faults change.

    Raises:
        FaultHasNoEffect: A node refused to be changed.
    """
    faults = tuple(faults)
    for node in lab.nodes.values():
        if node.platform == CLUSTER_PLATFORM:
            cluster = node.capability(CLUSTER)
            if renewed is not None:
                cluster.renews(renewed)
            if not any(fault.found_at == K8S for fault, _ in faults):
                cluster.renew()
    for fault, parameters in faults:
        fault.inject(parameters, lab)
    for host, node, services in _hosting(lab):
        host.refresh_files(node, services)
    for name, node in lab.nodes.items():
        driver = lab.driver(name)
        if isinstance(driver, Saving):
            driver.save_config(node, driver.running_config(node))


def await_effects(faults: Sequence[Injected], lab: Lab, *, least_s: float = LEAST_S) -> None:
    """Return once each fault has taken effect. Services then forget their sessions, which hold packets of the proof.

    Args:
        faults: What was injected.
        lab: The lab with them.
        least_s: Seconds that it may take at any time scale.

    Raises:
        FaultHasNoEffect: One has not in time.
    """
    now = stopwatch_of(lab).now
    ends_at = now() + max(least_s, NOTICED_LAB_S / lab.time_scale)
    for fault, parameters in faults:
        while True:
            try:
                fault.observe(parameters, lab)
                break
            except FaultHasNoEffect:
                if now() > ends_at:
                    raise
            time.sleep(_PAUSE_S)  # the effect may show anywhere in the network; nothing announces it
    for host, node, services in _hosting(lab):
        host.forget_sessions(node, services)


def _hosting(lab: Lab) -> Iterator[tuple[HostsServers, LabNode, Sequence[HostService]]]:
    """The nodes with services, with their drivers and services."""
    for node in lab.topology.nodes:
        driver = lab.driver(node.name)
        if node.services and isinstance(driver, HostsServers):
            yield driver, lab.nodes[node.name], node.services
