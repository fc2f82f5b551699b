"""Building a lab's network: nodes, links, wires, and the clock its daemons go by. Standard library only."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from pytest_netbench.backends.netns.supervisor import nodes, roots, wiring
from pytest_netbench.backends.netns.supervisor.labclock import LabClock
from pytest_netbench.backends.netns.supervisor.spawn import Namespaces


class Network(NamedTuple):
    """A network that stands.

    Attributes:
        spaces: Every node's namespaces.
        home: The lab's own network namespace.
        clock: Lab time, if daemons can be made to go by it.
        wires: Pid and description of the programs that delay, lose and limit what links carry.
    """

    spaces: Mapping[str, Namespaces]
    home: int
    clock: LabClock | None
    wires: Mapping[int, str]


def build(spec: Mapping[str, Any], host: roots.Host) -> Network:
    """Build what ``spec`` says (see ``backends.netns.plan``).

    Raises:
        OSError: With what could not be made.
    """
    roots.prepare_lab(spec["hidden"])
    programs = {name: roots.share_file(name, content) for name, content in host.shared.items()}
    clock = LabClock.create(roots.CLOCK, spec["time_scale"]) if "labtime.so" in programs else None
    home = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    wiring.quiet_outside()
    makers = [nodes.Maker(index, node["name"], host) for index, node in enumerate(spec["nodes"])]
    spaces = {maker.name: maker.wait() for maker in makers}
    lines, wires = wiring.batch(spec["links"], {maker.name: maker.pid for maker in makers})
    wiring.lay(lines)
    for maker in makers:
        maker.release()
    for node in spec["nodes"]:
        nodes.plug_in(spaces[node["name"]], home, node["interfaces"])
    running = {
        wiring.start_wire(programs["wire"], near, far, arguments): f"wire {near}-{far}"
        for near, far, arguments in wires
    }
    return Network(spaces, home, clock, running)
