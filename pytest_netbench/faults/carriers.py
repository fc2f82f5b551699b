"""Whether interfaces of nodes have carrier, as their kernels say."""

from __future__ import annotations

import json
import time
from typing import Final

from pytest_netbench.errors import LabError
from pytest_netbench.lab.protocols import Lab

_LEAST_S: Final = 0.5
_PAUSE_S: Final = 0.02  # between two looks: the node is not told to report changes


def has_carrier(lab: Lab, node: str, interface: str) -> bool:
    """Whether an interface has carrier. One that is shut down has none.

    Raises:
        LabError: It cannot be read.
    """
    kernel = lab.driver(node).kernel_interface(interface)
    done = lab.nodes[node].run(["ip", "-j", "link", "show", "dev", kernel])
    if done.returncode:
        raise LabError(f"{node}: the state of {interface} could not be read: {done.stderr.strip()}")
    (link,) = json.loads(done.stdout)
    return "LOWER_UP" in link["flags"] and "NO-CARRIER" not in link["flags"]


def watch(lab: Lab, node: str, interface: str, *, period_s: float) -> set[bool]:
    """The states of carrier that an interface has within a period of lab seconds; it ends when there are both."""
    ends_at = time.monotonic() + max(_LEAST_S, period_s / lab.time_scale)
    seen: set[bool] = set()
    while len(seen) < 2 and time.monotonic() < ends_at:
        seen.add(has_carrier(lab, node, interface))
        time.sleep(_PAUSE_S)
    return seen
