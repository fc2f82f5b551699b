"""The files that an agent's programs in a node share, apart from the node's own. Standard library only.

They are mounted in a mount namespace of their own, so the framework's programs never see them.
"""

from __future__ import annotations

import os

from pytest_netbench.backends.netns.supervisor.spawn import Namespaces
from pytest_netbench.kernel import syscalls as sys

_SHARED = ("/home", "/root", "/var/tmp")
_FILLED = "/tmp"


class Scratches:
    """Mount namespaces, one for each node with such programs; made at first use.

    Args:
        home: Descriptor of the mount namespace of this process.
    """

    def __init__(self, home: int) -> None:
        self._home = home
        self._made: dict[Namespaces, int] = {}

    def of(self, node: Namespaces, *, disk_bytes: int) -> int:
        """Return a descriptor of the mount namespace with a node's files of agents.

        Args:
            node: Which.
            disk_bytes: How much fits in all of them, for the one who asks first.

        Raises:
            OSError: It could not be made.
        """
        if node not in self._made:
            sys.setns(node.mount, sys.CLONE_NEWNS)
            try:
                self._made[node] = _open_beside(disk_bytes)
            finally:
                sys.setns(self._home, sys.CLONE_NEWNS)
        return self._made[node]

    def drop(self, node: Namespaces) -> None:
        """Forget the files of a node. Programs that run keep them to their end."""
        made = self._made.pop(node, None)
        if made is not None:
            os.close(made)


def _open_beside(disk_bytes: int) -> int:
    sys.unshare(sys.CLONE_NEWNS)
    size = f"size={disk_bytes},nr_inodes=4096,mode=1777"
    sys.mount("scratch", _FILLED, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, size)
    for path in _SHARED:
        sys.mount("scratch", path, "tmpfs", sys.MS_NOSUID | sys.MS_NODEV, size)
    return os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
