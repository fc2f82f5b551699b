"""Cables and segments between nodes: one batch of netlink for all, and the wires between them. Standard library only."""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from typing import Any

from pytest_netbench.backends.netns.supervisor import spawn
from pytest_netbench.backends.netns.supervisor.roots import PROC
from pytest_netbench.backends.netns.supervisor.rtnetlink import End, Netlink, Request, bridge, set_state, veth

# Above all that the lab's own namespace gives its stubs by itself.
_FIRST_INDEX = 10_000


def batch(
    links: list[dict[str, Any]], networks: Mapping[str, int]
) -> tuple[list[Request], list[tuple[str, str, list[str]]]]:
    """Requests that make all links, and the wires that must then run.

    Args:
        links: ``{"endpoints": [[node, kernel interface], …], "wire": [arguments] or None}``.
        networks: Each node's network namespace.

    Returns:
        Requests to the lab's own namespace, and (interface, interface, arguments) of each wire in it.
    """
    requests: list[Request] = []
    wires: list[tuple[str, str, list[str]]] = []
    # The kernel reports a veth's carrier at once only if the indexes of its two ends differ; else up to a second later.
    indexes = itertools.count(_FIRST_INDEX)
    for number, link in enumerate(links):
        wire = link["wire"]
        ends = [End(interface, next(indexes), networks[node]) for node, interface in link["endpoints"]]
        if len(ends) == 2 and wire is None:
            requests.append(veth(*ends))
            continue
        if len(ends) == 2:
            near, far = f"w{number}a", f"w{number}b"
            requests += [veth(End(outer, next(indexes)), end) for outer, end in zip((near, far), ends, strict=True)]
            wires.append((near, far, wire))
            continue
        master = next(indexes)
        requests.append(bridge(End(f"b{number}", master)))
        for port, end in enumerate(ends):
            if wire is None:
                requests.append(veth(End(f"p{number}.{port}", next(indexes)), end, master=master))
                continue
            near, far = f"w{number}.{port}a", f"w{number}.{port}b"
            requests += [
                veth(End(near, next(indexes)), end),
                veth(End(f"m{number}.{port}", next(indexes)), End(far, next(indexes)), master=master),
                set_state(far, up=True),
            ]
            wires.append((near, far, wire))
    return requests, wires


def lay(requests: list[Request]) -> None:
    """Make the links from this namespace.

    Raises:
        OSError: With what the kernel refused.
    """
    if not requests:
        return
    with Netlink() as netlink:
        try:
            netlink.do(requests)
        except OSError as error:
            raise OSError(error.errno, f"links could not be made: {error.strerror}") from None


def start_wire(program: str, near: str, far: str, arguments: list[str]) -> int:
    """Start a wire between two interfaces of this namespace; returns its pid once it forwards.

    Raises:
        OSError: It does not.
    """
    reader, writer = os.pipe()
    # Its other end stays open as long as this process lives; the wire goes with it.
    stdin, _ = os.pipe()
    pid = spawn.trusted(None, [program, near, far, *arguments], (stdin, writer, 2))
    for fd in (writer, stdin):
        os.close(fd)
    said = os.read(reader, 64)
    os.close(reader)
    if not said.startswith(b"ready"):
        raise OSError(f"the wire between {near} and {far} did not start")
    return pid


def quiet_outside() -> None:
    """No IPv6 on the lab's own bridges and stubs: a switch does not speak."""
    for scope in ("default", "all"):
        path = f"{PROC}/sys/net/ipv6/conf/{scope}/disable_ipv6"
        if os.path.exists(path):
            with open(path, "w") as file:
                file.write("1")
