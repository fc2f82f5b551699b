"""Levels of difficulty. Up to 3 a level is the number of faults; from 4 on it is a row of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from pytest_netbench.generators.default_faults import DIAGNOSED
from pytest_netbench.generators.values import Span
from pytest_netbench.model.causes import Cause
from pytest_netbench.model.topology import Topology

MOST_FAULTS: Final = 3
LARGE: Final = 60
"""Routers and switches of a network of size 4, at least."""
HIDDEN: Final = (
    "link-delayed",
    "link-policed",
    "link-multicast-lost",
    "link-bgp-lost",
    "link-lossy-one-way",
    "link-flows-lost",
    "link-mtu-low",
    "link-slow",
    "link-lossy",
    "routing-daemon-stopped",
    "link-data-lost",
    "link-udp-lost",
    "link-connections-lost",
    "link-fragments-lost",
    "link-flow-table-full",
    "link-lossy-when-busy",
    "link-queue-long",
    "link-dark-at-times",
    "forwarding-entry-missing",
    "ospf-hellos-unsent",
    "link-too-big-lost",
)
"""Faults that no configuration shows."""
HIDDEN_IN_FLOWS: Final = tuple(name for name in HIDDEN if name != "link-too-big-lost")
"""Those that a repair can be judged by: without the one beside which alone it shows, the last one breaks no flow."""
CONFIGURED: Final = (
    "bgp-blackhole-tagged",
    "bgp-filter-wrong",
    "bgp-prefix-hijacked",
    "bgp-prefix-limit",
    "ecmp-member-wrong",
    "icmp-denied",
    "nat-port-pool-exhausted",
    "ospf-area-wrong",
    "ospf-cost-wrong",
    "static-next-hop-wrong",
)
"""Fewer that a configuration shows."""
CONFIGURED_IN_FLOWS: Final = (
    "bgp-blackhole-leaked",
    "bgp-blackhole-tagged",
    "bgp-filter-wrong",
    "bgp-prefix-hijacked",
    "bgp-prefix-limit",
    "icmp-denied",
    "ospf-area-wrong",
    "ospf-timers-wrong",
    "route-blackhole",
    "static-next-hop-wrong",
)
"""Fewer that a configuration shows and whose repair flows show."""
REPORTED: Final = (
    "interface-detached",
    "link-lossy",
    "link-lossy-one-way",
    "node-crashed",
    "routing-daemon-stopped",
)
"""Faults that telemetry and tests show and tell apart."""
OUTSIDE_IN_FLOWS: Final = ("interface-detached", "link-bgp-lost", "link-down", "link-multicast-lost")
"""What no command repairs and a flow shows, where no other path takes over."""
CONFIGURED_OF_REPAIRS: Final = ("bgp-filter-wrong", "ospf-area-wrong", "route-blackhole", "static-next-hop-wrong")
"""As many that a configuration shows, for tasks that are judged by flows alone."""
OFFERED: Final = tuple(dict.fromkeys((*DIAGNOSED, *HIDDEN)))
"""What an agent chooses from at a level of the table: also what is not drawn there."""
_ALIKE: Final = (
    frozenset({"link-lossy", "link-corrupting"}),
    frozenset({"link-lossy-one-way", "link-corrupting-one-way"}),
)
"""Fault types that routers' command lines cannot tell apart."""


class Level(NamedTuple):
    """A row of the table.

    Attributes:
        number: How many faults there are.
        defaults: Values of parameters that are not chosen.
        budget: Of a task. Its lab time limits what is seen; the wall passes while a model thinks, so it is generous.
    """

    number: Span
    defaults: Mapping[str, Any]
    budget: Mapping[str, float]


_BOTH: Final[Mapping[str, Any]] = {
    "faults": (*HIDDEN, *CONFIGURED),
    "access": "managed",
    "reports": "mixed",
    "config": "brown",
    "decoys": "drawn",
    "monitoring": "averages",
}
LEVELS: Final[Mapping[int, Level]] = {
    4: Level(
        Span(low=1, high=1),
        {**_BOTH, "history": "short", "size": Span(low=2, high=3)},
        {"calls": 150, "commands": 450, "wall_s": 7200.0, "lab_s": 3600.0},
    ),
    5: Level(
        Span(low=1, high=2),
        {**_BOTH, "history": "none", "timing": "drawn", "size": Span(low=3, high=3)},
        {"calls": 250, "commands": 750, "wall_s": 14400.0, "lab_s": 7200.0},
    ),
}


def row_of(level: Span) -> Level | None:
    """The row of a level; ``None`` up to 3.

    Raises:
        ValueError: There is no such level, or it is one of a range.
    """
    if level.high <= MOST_FAULTS:
        return None
    if level.low != level.high:
        raise ValueError(f"{level}: levels from {MOST_FAULTS + 1} on are drawn one at a time")
    if level.low not in LEVELS:
        raise ValueError(f"{level} is not within 1-{max(LEVELS)}")
    return LEVELS[level.low]


def budget_of(row: Level, topology: Topology) -> Mapping[str, float]:
    """Return the budget of a task: that of the row, in a large network with fewer calls than it has nodes."""
    calls = row.budget["calls"]
    if sum(node.role != "host" for node in topology.nodes) >= LARGE:
        calls = min(calls, len(topology.nodes) * 9 // 10)
    return {**row.budget, "calls": calls, "commands": calls * row.budget["commands"] // row.budget["calls"]}


def count_of(level: Span) -> Span:
    """How many faults a network has at a level."""
    row = row_of(level)
    return level if row is None else row.number


def alike(causes: Iterable[Cause]) -> Iterator[dict[str, Any]]:
    """Other causes that explain the same as one of some, as values of ``model.diagnosis.EqualCause``."""
    for number, cause in enumerate(causes):
        for several in _ALIKE:
            for name in sorted(several - {cause.fault_type}) if cause.fault_type in several else ():
                for resource in cause.resources:
                    yield {"fault": number, "resource_id": resource, "fault_type": name}
