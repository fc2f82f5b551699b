"""The capabilities of a whole lab: what it may offer to tests and operators beyond ``Lab``.

Owns one protocol and one key for each. Those of single nodes are in ``platforms/capabilities.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from pytest_netbench.errors import RequirementMissing
from pytest_netbench.lab.probing import Prober
from pytest_netbench.lab.protocols import Lab
from pytest_netbench.model.topology import LinkQuality
from pytest_netbench.platforms.access import NodeAccess
from pytest_netbench.platforms.capabilities import CLUSTER, NODE_CAPABILITIES
from pytest_netbench.platforms.capability import Capability

LostKind = Literal["forwarded", "udp", "openings", "fragments", "too-big"]
"""forwarded: all but multicast, OSPF and BGP; openings: TCP packets that open a connection; too-big: ICMP messages that
a packet is too long."""


@dataclass(frozen=True, kw_only=True)
class Defect:
    """What is wrong with a cable that has carrier, each way. Nothing by default.

    Attributes:
        loss: Share of the frames that are lost.
        corruption: Share of the IPv4 packets of which one bit is flipped. Checksums are not corrected.
        flow_loss: Share of the TCP and UDP flows that are lost, each of them wholly. The hash of addresses, protocol
            and ports decides.
        most_bytes: Longer IP packets are lost, without notice to anybody.
        queue_bytes: So many bytes of IP packets may wait for their turn on the line; more are lost.
        line_bps: Rate of the line that they wait for; 20 Mbit/s without it.
        police_bps: What exceeds this rate is lost at once; nothing waits.
        lost_port: TCP and UDP packets from or to this port are lost.
        lost_groups: Multicast is lost; broadcast is not.
        lost_kind: IPv4 packets of this kind are lost.
        known_ms: So many milliseconds after the first one, TCP and UDP flows are lost that did not begin before.
        dark_ms: In each period all is lost for so many milliseconds.
        period_ms: The period, with ``dark_ms``.
        busy_bps: Above this rate the cable is busy.
        busy_loss: Share of the frames that are lost while it is.
        one_way: Only what the interface sends by which the cable is named has the defect.
    """

    loss: float = 0.0
    corruption: float = 0.0
    flow_loss: float = 0.0
    most_bytes: int | None = None
    queue_bytes: int | None = None
    line_bps: int | None = None
    police_bps: int | None = None
    lost_port: int | None = None
    lost_groups: bool = False
    lost_kind: LostKind | None = None
    known_ms: int | None = None
    dark_ms: int | None = None
    period_ms: int | None = None
    busy_bps: int | None = None
    busy_loss: float = 0.0
    one_way: bool = False


class LinkControl(Protocol):
    """The cables of a lab. Each is named by one of its endpoints: a node, and an interface in any known form."""

    def cut(self, node: str, interface: str) -> None:
        """Cut the cable at an interface: both its ends lose carrier, and no configuration changes.

        In a LAN only the cable between this interface and the segment is cut. No effect on a cable that is already cut.

        Raises:
            LabError: There is no such interface, or the lab cannot cut it.
        """
        ...

    def flap(self, node: str, interface: str, *, down_s: float, up_s: float) -> None:
        """Cut the cable at an interface and restore it, again and again, until ``restore`` is called.

        Args:
            node: The node.
            interface: Its interface.
            down_s: Lab seconds without carrier, with which it begins.
            up_s: Lab seconds with carrier.

        Raises:
            LabError: There is no such interface, or the lab cannot cut it.
        """
        ...

    def restore(self, node: str, interface: str) -> None:
        """Restore the cable. Ends that a configuration shut down stay down. Does nothing if it is not cut.

        Raises:
            LabError: There is no such interface.
        """
        ...

    def detach(self, node: str, interface: str) -> None:
        """Take an interface out of its node, as if its card were pulled; the other ends of its cable lose carrier.

        Addresses and routes of the interface are gone. No effect on one that is not there.

        Raises:
            LabError: There is no such interface, or the lab cannot take it out.
        """
        ...

    def attach(self, node: str, interface: str) -> None:
        """Put an interface into its node again, up and without addresses. No effect on one that is there.

        Raises:
            LabError: There is no such interface.
        """
        ...

    def is_cut(self, node: str, interface: str) -> bool:
        """Whether the cable at an interface is cut.

        Raises:
            LabError: There is no such interface.
        """
        ...

    def quality(self, node: str, interface: str) -> LinkQuality:
        """What the link at an interface does to packets at present.

        Raises:
            LabError: There is no such interface.
        """
        ...

    def set_quality(self, node: str, interface: str, quality: LinkQuality) -> None:
        """Give a link another delay, jitter, loss and rate. Carrier stays; packets on their way are lost.

        Raises:
            LabError: There is no such interface, or the link cannot be shaped.
        """
        ...

    def set_defect(self, node: str, interface: str, defect: Defect) -> None:
        """Give a cable a defect, or take it away. Its quality and its carrier stay; packets on their way are lost.

        Raises:
            LabError: There is no such interface, or its link is no cable.
        """
        ...


class NodeControl(Protocol):
    """Power control for the nodes of a lab."""

    def reboot(self, node: str, *, config: str | None = None) -> None:
        """Restart a node and return once its config is loaded.

        All its processes end without notice to their peers, and its interfaces lose carrier meanwhile. What was
        configured and is not in the config is lost. Sessions form again afterwards.

        Args:
            node: The node.
            config: The config that it loads, and its saved one from then on; ``None`` is that of the deployment.

        Raises:
            LabError: There is no such node, or it did not boot.
        """
        ...

    def crash(self, node: str) -> None:
        """Let a node send and receive nothing, as if all of it had stopped; its interfaces keep carrier.

        Who asks it gets no answer. What it has configured is there again after ``revive``. No effect on a node that has
        crashed already.

        Raises:
            LabError: There is no such node, or one of its links cannot be blocked.
        """
        ...

    def revive(self, node: str) -> None:
        """Let a node that has crashed go on. Sessions form again afterwards. No effect on one that has not.

        Raises:
            LabError: There is no such node.
        """
        ...

    @property
    def crashed(self) -> Collection[str]:
        """The nodes that have crashed."""
        ...


Dropped = Literal["api", "dns", "services"]
"""What a machine of a cluster may drop. api: all packets to and from the API; its kubelet's and its pods'. dns: what
pods send to port 53 of a pod, if the machine passes it on. services: what its pods send to addresses of services."""


class WorkerControl(Protocol):
    """The machines of a cluster on which pods run. They are called as nodes of the cluster."""

    def drop(self, worker: str, what: Dropped) -> None:
        """Let a machine drop packets that it should pass, and tell nobody.

        Raises:
            LabError: There is no such machine, or it drops something already.
        """
        ...

    def restore(self, worker: str) -> None:
        """Let a machine pass all packets again, and return once it and all pods are ready.

        Raises:
            LabError: There is no such machine.
            NotReady: Something is not ready in time.
        """
        ...

    def pods(self, worker: str) -> Sequence[str]:
        """The nodes of the lab that are pods on a machine at present, in alphabetical order."""
        ...

    def is_ready(self, worker: str) -> bool:
        """Whether the API has a machine as ready."""
        ...


PROBES: Final = Capability[Prober]("probes", "real packets between nodes")
LINKS: Final = Capability[LinkControl]("links", "cables that can be cut, restored and shaped")
NODES: Final = Capability[NodeControl]("nodes", "nodes that can be rebooted and can crash")
WORKERS: Final = Capability[WorkerControl]("workers", "machines of a cluster that can drop packets")

LAB_CAPABILITIES: Final[Mapping[str, Capability[Any]]] = {
    kind.name: kind for kind in (PROBES, LINKS, NODES, CLUSTER, WORKERS)
}
"""By name: what a lab as a whole may offer."""

CAPABILITIES: Final[Mapping[str, Capability[Any]]] = {**LAB_CAPABILITIES, **NODE_CAPABILITIES}
"""By name: all that there are."""


def unmet(requirements: Iterable[str], offered: Collection[str], *, owner: str) -> str | None:
    """Return the sentence for the first required capability that is not offered; ``None`` if there is none.

    Args:
        requirements: Names; those that are not of capabilities are left out.
        offered: Names of the capabilities there are.
        owner: What offers them, e.g. ``backend netns``.
    """
    for name in requirements:
        if name in CAPABILITIES and name not in offered:
            return CAPABILITIES[name].lack(owner)
    return None


def offers(node: NodeAccess, kind: Capability[Any]) -> bool:
    """Return whether a node has a capability."""
    try:
        node.capability(kind)
    except RequirementMissing:
        return False
    return True


def crashed(lab: Lab) -> Collection[str]:
    """Return the nodes of a lab that have crashed; none if it cannot let them."""
    try:
        return lab.capability(NODES).crashed
    except RequirementMissing:
        return ()
