"""The capabilities of a whole lab, and the table of all capabilities.

Owns one protocol and one key for each. Those of a node are in ``platforms/capabilities.py``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Protocol

from pytest_netbench.lab.probing import Prober
from pytest_netbench.model.topology import Endpoint, Link, LinkQuality
from pytest_netbench.platforms.capabilities import NODE_CAPABILITIES
from pytest_netbench.platforms.capability import Capability


class LinkControl(Protocol):
    """The links of a running lab, as objects of its topology."""

    def cut(self, link: Link) -> None:
        """Cut a link: all its ends lose their carrier, as if the cable were pulled. Does nothing if it is cut.

        Raises:
            LabError: The link is not in the topology, or the cut failed.
        """
        ...

    def restore(self, link: Link) -> None:
        """Restore a cut link with the quality it had. Does nothing if it is not cut.

        Raises:
            LabError: The link is not in the topology, or it could not be restored.
        """
        ...

    def is_cut(self, link: Link) -> bool:
        """Whether the link is cut now.

        Raises:
            LabError: The link is not in the topology.
        """
        ...

    def set_quality(self, link: Link, quality: LinkQuality) -> None:
        """Give a link another quality, each way, from now on; packets under way keep theirs.

        Raises:
            LabError: The link is not in the topology.
            RequirementMissing: This machine cannot give links that quality.
        """
        ...

    def add_stub(self, end: Endpoint) -> None:
        """Give a node a new interface with carrier and nothing behind it. It goes with the lab.

        Raises:
            LabError: There is no such node, or the interface exists or cannot be made.
        """
        ...


class NodePower(Protocol):
    """Turning nodes off and on."""

    def reboot(self, node: str) -> None:
        """Boot a node again with its saved configuration. Its links lose their carrier meanwhile; returns once it runs.

        Raises:
            LabError: There is no such node, or it did not come back.
        """
        ...


PROBES: Final = Capability[Prober]("probes", "real packets between nodes")
LINKS: Final = Capability[LinkControl]("links", "links that can be cut, restored and changed")
POWER: Final = Capability[NodePower]("power", "nodes that can be rebooted")

LAB_CAPABILITIES: Final[Mapping[str, Capability[Any]]] = {kind.name: kind for kind in (PROBES, LINKS, POWER)}
"""By name: what a lab as a whole may offer."""

CAPABILITIES: Final[Mapping[str, Capability[Any]]] = {**LAB_CAPABILITIES, **NODE_CAPABILITIES}
"""By name: all that there are."""


def unmet(requirements: Iterable[str], offered: Collection[str], *, owner: str) -> str | None:
    """Return the sentence for the first required capability that is not offered; ``None`` if there is none.

    Args:
        requirements: Names; those that are not of capabilities are left out.
        offered: Names of the capabilities there are.
        owner: Who offers them, e.g. ``backend netns``.
    """
    for name in requirements:
        if name in CAPABILITIES and name not in offered:
            return CAPABILITIES[name].lack(owner)
    return None
