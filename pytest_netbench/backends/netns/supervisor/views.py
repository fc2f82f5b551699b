"""What daemons may write: their own places, and nothing that decides what root runs in a node. Standard library only.

With a router's configuration an agent chooses which files its daemons write (``log file``, ``dump bgp``). So daemons
have a separate mount namespace, in which everything else is read-only.
"""

from __future__ import annotations

import os

from pytest_netbench.backends.netns.supervisor.spawn import Namespaces
from pytest_netbench.kernel import syscalls as sys

_WRITABLE = ("/run", "/tmp", "/var")
# mounts that the node makes here later (``ip netns add``) are those of its daemons, too
_SHARED = "/run/netns"


class Views:
    """The mount namespaces of daemons, one for each node that has any; made at first use.

    Args:
        home: Descriptor of the mount namespace of this process.
    """

    def __init__(self, home: int) -> None:
        self._home = home
        self._made: dict[Namespaces, int] = {}

    def of(self, node: Namespaces) -> int:
        """Return a descriptor of the mount namespace of a node's daemons.

        Raises:
            OSError: It could not be made.
        """
        if node not in self._made:
            sys.setns(node.mount, sys.CLONE_NEWNS)
            try:
                self._made[node] = _open_beside()
            finally:
                sys.setns(self._home, sys.CLONE_NEWNS)
        return self._made[node]


def _open_beside() -> int:
    os.makedirs(_SHARED, exist_ok=True)
    sys.bind(_SHARED, _SHARED)
    sys.mount("none", _SHARED, "", sys.MS_SHARED)
    sys.unshare(sys.CLONE_NEWNS)
    for path in _WRITABLE:
        sys.bind(path, path)
    sys.remount_read_only("/")
    return os.open("/proc/self/ns/mnt", os.O_RDONLY | os.O_CLOEXEC)
