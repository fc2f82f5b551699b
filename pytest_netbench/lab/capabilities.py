"""The capabilities of a whole lab: what it may offer to tests and to those who operate it, beyond ``Lab``.

Owns one protocol and one key for each. Those of single nodes are in ``platforms/capabilities.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from pytest_netbench.model.topology import LinkQuality
from pytest_netbench.platforms.capability import Capability


class LinkControl(Protocol):
    """The cables of a lab. Each is named by one of its endpoints: a node and an interface, by any name that the platform knows."""

    def cut(self, node: str, interface: str) -> None:
        """Pull the cable at an interface: both its ends lose carrier, and no configuration changes.

        In a LAN only the cable between this interface and the segment is pulled. A cable that is cut already stays cut.

        Raises:
            LabError: There is no such interface, or the lab cannot cut it.
        """
        ...

    def restore(self, node: str, interface: str) -> None:
        """Plug the cable in again. Ends that a configuration shut down stay down. Does nothing if it is not cut.

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


class NodeControl(Protocol):
    """The nodes of a lab as machines with a power switch."""

    def reboot(self, node: str) -> None:
        """Restart a node from its startup config and return once it is loaded.

        All its processes end without a goodbye, its interfaces lose carrier meanwhile, and what was configured since the deployment is
        gone. Sessions form afterwards in their own time.

        Raises:
            LabError: There is no such node, or it did not boot.
        """
        ...


LINKS: Final = Capability[LinkControl]("links", "cables that can be cut, restored and shaped")
NODES: Final = Capability[NodeControl]("nodes", "nodes that can be rebooted")

LAB_CAPABILITIES: Final[Mapping[str, Capability[Any]]] = {kind.name: kind for kind in (LINKS, NODES)}
"""By name."""
