"""The brief of a repair: what is wrong is for the agent to find. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_netbench.model.faulty import FlowGroup
from pytest_netbench.model.repair import Repair

WORKING: str = "Whatever works must go on working: none of your changes may break a connection that works at present."
ONLY_THE_FAULT: str = "Change only what has to be changed to repair the network."
ADVICE: str = (
    "First gather information about the devices with commands that change nothing. When you understand the cause,"
    " change the configuration. Several things may be wrong at the same time. Stop when everything works."
)


def assignment(payload: Repair) -> str:
    """Return what the agent has to do."""
    unwanted = list(_wanted(payload, allowed=False))
    lines = [
        "Something is wrong in this network: some connections that must work do not. Find out why, and repair it.",
        ADVICE,
        "These connections must work when you are done:",
        *_wanted(payload, allowed=True),
        *(["These must not work when you are done:", *unwanted] if unwanted else []),
    ]
    return "\n".join(lines)


def _wanted(payload: Repair, *, allowed: bool) -> Iterator[str]:
    return (f"- {words(group)}" for group in payload.flows if group.allowed is allowed)


def words(group: FlowGroup) -> str:
    """Return what the flows of a group are, e.g. ``ping from r0 to h1 (10.0.1.10), h2 (10.0.1.11)``."""
    what = "ping" if group.protocol == "icmp" else f"{group.protocol.upper()} port {group.port}"
    targets = _listed(f"{name} ({address})" for name, address in group.targets.items())
    if len(group.targets) > 1 and set(group.sources) == set(group.targets):
        return f"{what} from each of these nodes to each other one: {targets}"
    return f"{what} from {_listed(group.sources)} to {targets}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
