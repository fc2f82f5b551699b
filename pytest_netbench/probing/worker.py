"""The process that makes one call for a ``NamespaceProber``, and then ends. Standard library only.

It reads the request from standard input, a line of JSON, and writes what came of it to standard output. Its caller
stays in its own namespaces.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import resource
import socket
import struct
from collections.abc import Sequence
from typing import Any, NoReturn

from pytest_netbench.kernel.syscalls import CLONE_NEWNET, CLONE_NEWUSER, setns
from pytest_netbench.probing import captures, netlink
from pytest_netbench.probing.calls import Calls, Measured, Request, write_and_exit
from pytest_netbench.probing.networks import Networks

_RTM_GETADDR = 22
_ADDRESS = struct.Struct("=BBBBI")
_IFA_ADDRESS, _IFA_LOCAL = 1, 2
_GLOBAL = 0
_FAMILIES = (socket.AF_INET, socket.AF_INET6)


def interfaces(networks: Networks, node: str) -> list[str]:
    """The names of a node's interfaces, in the kernel's order."""
    with networks.inside(node):
        return [name for _, name in sorted(socket.if_nameindex())]


def usable(networks: Networks, node: str, wanted: Sequence[str]) -> list[str]:
    """Addresses of global scope, without loopback ones: IPv4 before IPv6, each in the order of the interfaces.

    Args:
        networks: The networks of the nodes.
        node: Whose addresses.
        wanted: Interfaces whose addresses count; empty for all.
    """
    with networks.inside(node), netlink.open_socket() as link:
        names = dict(socket.if_nameindex())
        entries = list(netlink.dump(link, _RTM_GETADDR, _ADDRESS.pack(socket.AF_UNSPEC, 0, 0, 0, 0)))
    order = {name: number for number, name in enumerate(wanted or [names[index] for index in sorted(names)])}
    found = []
    for entry in entries:
        family, _, _, scope, index = _ADDRESS.unpack_from(entry)
        place = order.get(names.get(index, ""))
        known = dict(netlink.attributes(entry[_ADDRESS.size :]))
        packed = known.get(_IFA_LOCAL) or known.get(_IFA_ADDRESS)
        if family not in _FAMILIES or scope != _GLOBAL or place is None or not packed:
            continue
        address = socket.inet_ntop(family, packed)
        if not address.startswith("127."):
            found.append((_FAMILIES.index(family), place, address))
    return [address for _, _, address in sorted(found, key=lambda one: one[:2])]


PERMISSION, USAGE, FAILED = "permission", "usage", "failed"
"""Why a call was not made, as callers are told."""
READY = b"\n"
"""What a capture writes as soon as nothing passes uncaptured; JSON may begin with it."""

_NS_GET_USERNS = 0xB701
_PR_SET_PDEATHSIG, _SIGKILL = 1, 9


class _Refused(Exception):
    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


def main() -> NoReturn:
    """Serve one call."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with os.fdopen(0, "rb", closefd=False) as file:
        request = json.loads(file.readline())

    def work() -> Measured:
        try:
            result, slow_to_close = _measure(request)
        except _Refused as refused:
            return {"error": [refused.kind, str(refused)]}, ()
        except OSError as error:
            return {"error": [FAILED, error.strerror or str(error)]}, ()
        return {"result": result}, slow_to_close

    write_and_exit(work, 1)


def _measure(request: Request) -> Measured:
    networks = _enter(request["networks"])
    for node, wanted in request["interfaces"].items():
        _check_interfaces(networks, node, wanted)
    call, given = request["call"], request["given"]
    if call == "check":
        return None, ()
    if call == "addresses":
        return usable(networks, given["node"], request["interfaces"].get(given["node"], ())), ()
    if call == "capture":
        _check_interfaces(networks, given["node"], [given["interface"]])
        return captures.capture(networks, given, ready=_say_ready, stop=0), ()
    calls = Calls(networks)
    return {"probe": calls.probe, "path": calls.path, "traffic": calls.traffic}[call](given)


def _say_ready() -> None:
    os.write(1, READY)


def _check_interfaces(networks: Networks, node: str, wanted: list[str]) -> None:
    known = interfaces(networks, node)
    for name in wanted:
        if name not in known:
            raise _Refused(USAGE, f"{node}: there is no interface {name!r} (known: {', '.join(known)})")


def _enter(descriptors: dict[str, int]) -> Networks:
    """Be able to enter each network, and be in the first: there may be no way back to where this process began."""
    try:
        _try(descriptors)
    except _Refused:
        # a user without privileges has them in the user namespaces that they made, such as that of a rootless container
        owner = _common_owner(descriptors)
        if owner is None:
            raise
        setns(owner, CLONE_NEWUSER)
        _try(descriptors)
    home = next(iter(descriptors.values()))
    setns(home, CLONE_NEWNET)
    return Networks(descriptors, home)


def _try(descriptors: dict[str, int]) -> None:
    for node, descriptor in descriptors.items():
        try:
            setns(descriptor, CLONE_NEWNET)
        except OSError as error:
            raise _Refused(PERMISSION, f"{node}: its network namespace may not be entered by this user") from error


def _common_owner(descriptors: dict[str, int]) -> int | None:
    """A descriptor of the user namespace that owns all these; ``None`` if they have several, or one out of reach."""
    owners: dict[Any, int] = {}
    for descriptor in descriptors.values():
        try:
            owner = fcntl.ioctl(descriptor, _NS_GET_USERNS)
        except OSError:
            return None
        owners[os.fstat(owner).st_ino] = owner
    own = os.stat("/proc/self/ns/user").st_ino
    return next(iter(owners.values())) if len(owners) == 1 and own not in owners else None
