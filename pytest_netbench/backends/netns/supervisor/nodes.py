"""Making the nodes of a lab, and plugging their interfaces in. Standard library only."""

from __future__ import annotations

import array
import contextlib
import errno
import fcntl
import os
import socket
import struct
from collections.abc import Iterator, Sequence
from typing import NoReturn

from pytest_netbench.backends.netns.supervisor import roots, spawn
from pytest_netbench.backends.netns.supervisor import syscalls as sys
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces

_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_SIOCETHTOOL = 0x8946
_IFF_UP = 0x1
_ETHTOOL_OFF = (0x1F, 0x24, 0x2C)  # STSO, SGSO, SGRO
# Duplicate address detection and rate limits of ICMP errors would only add waiting: one second, and one per second.
_SYSCTLS = {
    "net/ipv6/conf/default/accept_dad": "0",
    "net/ipv6/conf/all/accept_dad": "0",
    "net/ipv6/conf/default/dad_transmits": "0",
    "net/ipv6/conf/default/router_solicitations": "0",
    "net/ipv4/icmp_ratelimit": "0",
    "net/ipv6/icmp/ratelimit": "0",
    "net/ipv4/ping_group_range": "0 0",
}


class Maker:
    """A process that holds a new node's namespaces open until the supervisor has them."""

    def __init__(self, index: int, name: str, host: roots.Host) -> None:
        roots.mount_node(index, host)
        self._ready, ready = os.pipe()
        release, self._release = os.pipe()

        def run() -> NoReturn:
            sys.unshare(sys.CLONE_NEWNS | sys.CLONE_NEWNET | sys.CLONE_NEWUTS)
            socket.sethostname(name)
            roots.enter_node(index, name)
            for key, value in _SYSCTLS.items():
                with contextlib.suppress(FileNotFoundError), open(f"/proc/sys/{key}", "w") as file:
                    file.write(value)
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
                _set_up(control, "lo")
            os.write(ready, b"+")
            os.read(release, 1)
            os._exit(0)

        self.index = index
        self.name = name
        self.pid = spawn.fork(run)
        os.close(ready)
        os.close(release)

    def wait(self) -> Namespaces:
        """Wait until the node stands; returns its namespaces.

        Raises:
            OSError: It could not be made; the child has said why on standard error.
        """
        if os.read(self._ready, 1) != b"+":
            raise OSError(f"node {self.name} could not be made")
        os.close(self._ready)
        kinds = {
            kind: os.open(f"{roots.PROC}/{self.pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)
            for kind in ("mnt", "net", "uts")
        }
        root = os.open(roots.node_path(self.index), os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        return Namespaces(mount=kinds["mnt"], network=kinds["net"], uts=kinds["uts"], root=root)

    def release(self) -> None:
        """Let the holding process end; the namespaces stay with the descriptors."""
        # A byte, not an end of file: makers forked later hold this pipe too.
        os.write(self._release, b"+")
        os.close(self._release)
        os.waitpid(self.pid, 0)


@contextlib.contextmanager
def inside_network(namespaces: Namespaces, home: int) -> Iterator[None]:
    """Be in the network of a node for a moment; sockets made there stay there."""
    sys.setns(namespaces.network, sys.CLONE_NEWNET)
    try:
        yield
    finally:
        sys.setns(home, sys.CLONE_NEWNET)


def plug_in(namespaces: Namespaces, home: int, interfaces: Sequence[str]) -> None:
    """Set interfaces up, with segmentation offload off, so that packets on the wire are packets.

    They are up before anything boots: a startup config that shuts one down then has the last word.
    """
    with inside_network(namespaces, home), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for name in interfaces:
            for command in _ETHTOOL_OFF:
                value = array.array("I", [command, 0])
                request = struct.pack("16sP", name.encode(), value.buffer_info()[0])
                try:
                    fcntl.ioctl(control, _SIOCETHTOOL, request)
                except OSError as error:
                    if error.errno != errno.EOPNOTSUPP:
                        raise
            _set_up(control, name)


def _set_up(control: socket.socket, name: str) -> None:
    request = struct.pack("16sH14x", name.encode(), 0)
    flags = struct.unpack("16sH14x", fcntl.ioctl(control, _SIOCGIFFLAGS, request))[1]
    fcntl.ioctl(control, _SIOCSIFFLAGS, struct.pack("16sH14x", name.encode(), flags | _IFF_UP))
