"""The supervisor's build specification for a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest_netbench
from pytest_netbench.backends.netns import packages
from pytest_netbench.errors import LabError, RequirementMissing
from pytest_netbench.kernel.isolation import unused_uid
from pytest_netbench.lab import wires
from pytest_netbench.lab.request import LabRequest
from pytest_netbench.model.topology import Link
from pytest_netbench.native import build
from pytest_netbench.platforms.driver import HostedDriver, ImportsPackages, ReadsRawFrames


def specification(request: LabRequest, drivers: Mapping[str, HostedDriver], *, time_scale: float) -> dict[str, Any]:
    """The supervisor's specification of a network.

    Raises:
        RequirementMissing: The network has shaped links and there is no compiler for the program that does it.
        LabError: An interface name that its platform cannot have.
    """
    shared = {}
    if (library := build.labtime()) is not None:
        shared["labtime.so"] = str(library)
        if (pacer := build.pacer()) is not None:
            shared["pacer"] = str(pacer)
    shared |= {name: str(path) for name, path in build.ios_rules().items()}
    if (switch := build.switch()) is not None:
        shared["switch"] = str(switch)
    if (wire_program := build.wire()) is not None:
        shared["wire"] = str(wire_program)
    elif any(not link.quality.is_plain for link in request.topology.links):
        raise RequirementMissing(*wires.lack())
    for driver in drivers.values():
        if isinstance(driver, ImportsPackages):
            shared |= {f"{name}.zip": str(packages.archive(name)) for name in driver.packages}
    shared |= {name: str(path) for name, path in request.shared.items()}
    summed = _summed(request, drivers)
    return {
        "nodes": [
            {
                "name": node.name,
                "interfaces": [
                    kernel_name(drivers, request, node.name, interface)
                    for interface in request.topology.interfaces(node.name)
                ],
                **({"summed": summed[node.name]} if node.name in summed else {}),
            }
            for node in request.topology.nodes
        ],
        "links": [_link(request, drivers, link) for link in request.topology.links],
        "time_scale": time_scale,
        "date": request.date,
        "shared": shared,
        "hidden": hidden_directories(),
        "uid": unused_uid(),
        "tunnels": any("vpn" in kinds for kinds in request.topology.servers.values()),
    }


def _summed(request: LabRequest, drivers: Mapping[str, HostedDriver]) -> dict[str, list[str]]:
    """By node: the interfaces whose checksums a program at the other end reads."""
    found: dict[str, list[str]] = {}
    for link in request.topology.links:
        reading = [drivers[request.dialects[end.node]] for end in link.endpoints]
        if any(isinstance(driver, ReadsRawFrames) and driver.reads_raw_frames for driver in reading):
            for end in link.endpoints:
                name = kernel_name(drivers, request, end.node, end.interface)
                found.setdefault(end.node, []).append(name)
    return found


def no_switch() -> tuple[str, str]:
    """What a task with switches lacks where the switching program cannot be built, and the remedy."""
    return f"nodes that switch: {build.why_not()}", wires.NO_COMPILER


def kernel_name(drivers: Mapping[str, HostedDriver], request: LabRequest, node: str, interface: str) -> str:
    """The kernel's name of an interface."""
    try:
        return drivers[request.dialects[node]].kernel_interface(interface)
    except ValueError as error:
        raise LabError(f"{node}: {error}") from error


def hidden_directories() -> list[str]:
    """Directories below /usr that a lab must not show: this package carries tasks, and so may the present directory."""
    own = Path(pytest_netbench.__file__).resolve().parent
    candidates = [own, own.parent / "tasks", Path.cwd(), Path("/usr/src"), Path("/usr/local/src")]
    return [str(path) for path in candidates if str(path).startswith("/usr/")]


def _link(request: LabRequest, drivers: Mapping[str, HostedDriver], link: Link) -> dict[str, Any]:
    return {
        "endpoints": [
            [endpoint.node, kernel_name(drivers, request, endpoint.node, endpoint.interface)]
            for endpoint in link.endpoints
        ],
        "wire": None if link.quality.is_plain else wires.shaping(link.quality, ports=len(link.endpoints)),
    }
