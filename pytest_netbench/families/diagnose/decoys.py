"""Decoys in a running network: made before it is found healthy, and the observations that exclude them as causes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_netbench.deadline import poll
from pytest_netbench.errors import LabError
from pytest_netbench.faults.cables import DOWN_S
from pytest_netbench.faults.evidence import asking, sql
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.lab.capabilities import LINKS
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.lab.readiness import Watch, wait_until_ready
from pytest_netbench.lab.stopwatch import stamp_of, stopwatch_of
from pytest_netbench.model.decoys import Decoy
from pytest_netbench.model.payload import Networked

NOTICED_S: Final = 5.0
"""Wall seconds in which routers notice that a cable has no carrier."""
_PAUSE_S: Final = 0.05  # no event says that a session is down
_LATEST: Final = "(SELECT max(time_s) FROM neighbors)"
_UP: Final = {"ospf": "OSPF neighbor", "bgp": "BGP neighbor up"}
"""By protocol: the state of a device that has a neighbor."""


def make(lab: Lab, payload: Networked, decoys: Sequence[Decoy]) -> None:
    """Make decoys, and return once the network is ready again.

    Raises:
        LabError: A node refused what a colleague configures, or a cable cannot be cut.
        NotReady: A session did not come back.
    """
    for one in decoys:
        if one.kind == "flap":
            _flap(lab, one)
            wait_until_ready(lab, pace=lab.time_scale, policy=payload.ready)
    for one in decoys:
        if one.kind == "change":
            for status in lab.driver(one.node).apply(lab.nodes[one.node], one.lines):
                if status.status == "error":
                    raise LabError(f"{one.node} refused {status.command!r} of a colleague: {status.message.strip()}")


def _flap(lab: Lab, one: Decoy) -> None:
    """Take the carrier away as long as a loose contact does, and until a router has noticed, and give it back."""
    assert one.interface is not None
    watch, links = Watch(lab), lab.capability(LINKS)
    before = watch.look()
    links.cut(one.node, one.interface)
    began = stamp_of(lab)
    poll(watch.look, until=lambda seen: seen != before, within_s=NOTICED_S, pause_s=_PAUSE_S)
    left_s = DOWN_S - stamp_of(lab).since(began).lab_s
    stopwatch_of(lab).sleep(max(0.0, left_s) / lab.time_scale)
    links.restore(one.node, one.interface)


def excluding(one: Decoy, network: Observable, source: str) -> Iterator[Observation]:
    """The observations that exclude a decoy as a cause.

    Args:
        one: The decoy.
        network: What can be looked at.
        source: A host that tests start at.
    """
    if one.kind == "change":
        yield from asking.config(network, one.node, one.lines, f"{one.node} has what was planned, and no more.")
    elif one.kind == "flap":
        yield from _came_back(one, network)
    else:
        yield from asking.unanswered(source, one.node, f"{one.node} answers nobody, as the brief says.")


def _came_back(one: Decoy, network: Observable) -> Iterator[Observation]:
    """Both ends have the other one as neighbor. Other neighbors of them may be down because of a fault."""
    assert one.peer is not None
    assert one.addresses is not None
    assert one.protocol is not None
    ends = ((one.node, one.addresses[1]), (one.peer, one.addresses[0]))
    for node, address in ends:
        because = f"{node} has its neighbor {address}: the session over {one.interface} of {one.node} came back."
        if node in network.platforms:
            yield from asking.state(network, node, _UP[one.protocol], because, address=address)
        elif network.has_counters and node in network.measured:
            yield Observation(
                method="query-telemetry",
                params={"sql": sql.is_up(node, one.protocol, address, _LATEST)},
                shows=Matches(pattern=r'"rows": \[\[1\]\]'),
                because=because,
            )
