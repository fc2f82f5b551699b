"""Cables and segments between nodes: one ``ip -batch`` for all, and the wires between them. Standard library only."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Mapping
from typing import Any

from pytest_netbench.backends.netns.supervisor import spawn
from pytest_netbench.backends.netns.supervisor.roots import PROC

# Above all that the lab's own namespace gives its stubs by itself.
_FIRST_INDEX = 10_000


def batch(links: list[dict[str, Any]], pids: Mapping[str, int]) -> tuple[list[str], list[tuple[str, str, list[str]]]]:
    """Commands that make all links, and the wires that must then run.

    Args:
        links: ``{"endpoints": [[node, kernel interface], …], "wire": [arguments] or None}``.
        pids: A process in each node's network namespace.

    Returns:
        ``ip -batch`` lines, and (interface, interface, arguments) of each wire in the lab's own namespace.
    """
    lines: list[str] = []
    wires: list[tuple[str, str, list[str]]] = []
    # The kernel reports a veth's carrier at once only if the indexes of its two ends differ; else up to a second later.
    indexes = itertools.count(_FIRST_INDEX)
    for number, link in enumerate(links):
        endpoints, wire = link["endpoints"], link["wire"]
        # by path: a number is looked up in /proc by newer iproute2, and /proc is not this lab's
        ends = [
            f"dev {interface} index {next(indexes)} netns {PROC}/{pids[node]}/ns/net" for node, interface in endpoints
        ]
        if len(ends) == 2 and wire is None:
            lines.append(f"link add {ends[0]} type veth peer name {ends[1].removeprefix('dev ')}")
            continue
        if len(ends) == 2:
            for side, end in zip("ab", ends, strict=True):
                lines += _stub(end, f"w{number}{side}")
            wires.append((f"w{number}a", f"w{number}b", wire))
            continue
        bridge = f"b{number}"
        lines += [f"link add {bridge} type bridge stp_state 0 mcast_snooping 0", f"link set {bridge} up"]
        for port, end in enumerate(ends):
            outer = f"p{number}.{port}"
            if wire is None:
                lines += [*_stub(end, outer), f"link set {outer} master {bridge}"]
                continue
            near, far, master = f"w{number}.{port}a", f"w{number}.{port}b", f"m{number}.{port}"
            lines += [
                *_stub(end, near),
                f"link add {far} up type veth peer name {master}",
                f"link set {master} up master {bridge}",
            ]
            wires.append((near, far, wire))
    return lines, wires


def _stub(end: str, outer: str) -> list[str]:
    return [f"link add {end} type veth peer name {outer}", f"link set {outer} up"]


def lay(lines: list[str]) -> None:
    """Run the batch in this namespace.

    Raises:
        OSError: With the words of ``ip``.
    """
    if not lines:
        return
    done = subprocess.run(
        ["ip", "-batch", "-"],
        input="\n".join(lines) + "\n",
        text=True,
        capture_output=True,
        check=False,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
    )
    if done.returncode:
        raise OSError(f"links could not be made: {done.stderr.strip()}")


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
        path = f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6"
        if os.path.exists(path):
            with open(path, "w") as file:
                file.write("1")
