"""Making the nodes of a lab, and plugging their interfaces in. Standard library only."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Sequence
from functools import partial

from pytest_netbench.backends.netns.supervisor import roots
from pytest_netbench.backends.netns.supervisor.spawn import Home, Namespaces
from pytest_netbench.kernel import interfaces
from pytest_netbench.kernel import syscalls as sys
from pytest_netbench.probing import networks

# Duplicate address detection and rate limits of ICMP errors would only add waiting: one second, and one per second.
_SYSCTLS = {
    "net/ipv6/conf/default/accept_dad": "0",
    "net/ipv6/conf/all/accept_dad": "0",
    "net/ipv6/conf/default/dad_transmits": "0",
    "net/ipv6/conf/default/router_solicitations": "0",
    "net/ipv4/icmp_ratelimit": "0",
    "net/ipv6/icmp/ratelimit": "0",
    "net/ipv4/ping_group_range": "0 0",
    # Routing protocols join a group on each interface; the default is 20.
    "net/ipv4/igmp_max_memberships": "1000",
}


def home() -> Home:
    """The namespaces that this process is in."""
    return Home(mount=_own("mnt"), network=_own("net"), uts=_own("uts"))


def make(name: str, *, lab: Home, stem: roots.Stem) -> Namespaces:
    """Make a node: its network now, its files and host name when they are first used.

    Raises:
        OSError: With what could not be made.
    """
    try:
        sys.unshare(sys.CLONE_NEWNET)
        network = _own("net")
        for key, value in _SYSCTLS.items():
            with contextlib.suppress(FileNotFoundError):
                write_sysctl(key, value)
        interfaces.set_up("lo")
    except OSError as error:
        raise OSError(error.errno, f"node {name} could not be made: {error}") from None
    finally:
        sys.setns(lab.network, sys.CLONE_NEWNET)
    return Namespaces(network=network, home=lab, furnish=partial(roots.furnish, name, stem=stem, home=lab))


def write_sysctl(key: str, value: str) -> None:
    """Set a variable, e.g. ``net/ipv4/ip_forward``, of the network namespace that this process is in."""
    handle = os.open(f"{roots.PROC}/sys/{key}", os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, value.encode())
    finally:
        os.close(handle)


def inside_network(namespaces: Namespaces, home: int) -> contextlib.AbstractContextManager[None]:
    """Be in the network of a node for a moment; sockets made there stay there."""
    return networks.inside(namespaces.network, home)


def plug_in(namespaces: Namespaces, home: int, names: Sequence[str], *, summed: Collection[str] = ()) -> None:
    """Set the interfaces of a node up, see ``kernel.interfaces``."""
    with inside_network(namespaces, home):
        interfaces.plug_in(names, summed=summed)


def _own(kind: str) -> int:
    return os.open(f"{roots.PROC}/self/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)
