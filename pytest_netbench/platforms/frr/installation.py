"""The FRR that a node has: this machine's, or that of the node's own image."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from pytest_netbench.errors import LabError
from pytest_netbench.platforms.access import OwnPrograms
from pytest_netbench.platforms.capabilities import HostedNode
from pytest_netbench.platforms.frr import daemons

_MEMORY = "frr-installation"
_RESTRICTED = "frr-installation-restricted"
_LOOK = """
for home in {homes}; do
    [ -x "$home/zebra" ] || continue
    echo "$home"
    echo $(ls "$home")
    "$home/zebra" --version
    exit
done
"""


class Installation(NamedTuple):
    """The programs of FRR.

    Attributes:
        directory: Where its daemons are; ``None`` if it is not installed.
        names: The daemons.
        version: E.g. ``"8.4.4"``; ``None`` if it is not known.
    """

    directory: str | None
    names: tuple[str, ...]
    version: str | None

    def home(self, node: str) -> str:
        """The directory of the daemons of ``node``.

        Raises:
            LabError: FRR is not installed.
        """
        if self.directory is None:
            raise LabError(f"{node}: FRR is not installed (fix: {daemons.INSTALL_COMMAND})")
        return self.directory


def of(node: HostedNode) -> Installation:
    """The FRR that the daemons of ``node`` are of.

    Raises:
        LabError: The node's image cannot be asked.
    """
    if _RESTRICTED in node.memory:
        restricted: Installation = node.memory[_RESTRICTED]
        return restricted
    if not isinstance(node, OwnPrograms):
        home = daemons.directory()
        return Installation(None if home is None else str(home), daemons.installed(), daemons.version())
    if _MEMORY not in node.image_memory:
        node.image_memory[_MEMORY] = _of_image(node)
    found: Installation = node.image_memory[_MEMORY]
    return found


def restrict(node: HostedNode, names: Collection[str]) -> None:
    """Let a node have these daemons only, whatever its image has.

    Raises:
        LabError: The node's image cannot be asked.
    """
    found = of(node)
    node.memory[_RESTRICTED] = found._replace(names=tuple(name for name in found.names if name in names))


def _of_image(node: HostedNode) -> Installation:
    script = _LOOK.format(homes=" ".join(map(str, daemons.DIRECTORIES)))
    done = node.run(["/bin/sh", "-c", script])
    if done.returncode:
        raise LabError(f"{node.name}: its image cannot be asked for FRR: {done.stderr.strip() or done.returncode}")
    home, names, version = [*done.stdout.split("\n", 2), "", ""][:3]
    if not home:
        raise LabError(f"{node.name}: its image has no FRR (looked in {', '.join(map(str, daemons.DIRECTORIES))})")
    return Installation(home, daemons.known(names.split()), daemons.parse_version(version))
