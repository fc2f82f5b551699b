"""The brief of a repair: what is wrong is for the agent to find. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_netbench.families.faulty.clusters import is_cluster, setting
from pytest_netbench.families.faulty.design import designed
from pytest_netbench.families.faulty.flows import wanted
from pytest_netbench.model.faulty import fault_of
from pytest_netbench.model.repair import Repair

WORKING: str = "Whatever works must go on working: none of your changes may break a connection that works at present."
ONLY_THE_FAULT: str = "Change only what has to be changed to repair the network."
SYMPTOM: str = "Something is wrong in this network: some connections that must work do not. "
DIAGNOSED: str = "It is known what is wrong:"
SYMPTOM_OF_CLUSTER: str = (
    "Something is wrong in this network: some connections that must work do not, or some work that must not. "
)
HAND_OVER: str = (
    "What no command of a device can repair is handed over with `open-ticket`. It names a fault type of this list and"
    " its resource: `link/R1:eth0--R2:eth0` for a link, `interface/R1/eth0` for an interface, `node/R1` for a node."
)
ADVICE: str = (
    "First gather information about the devices with commands that change nothing. When you understand the cause,"
    " change the configuration. Several things may be wrong at the same time. Stop when everything works."
)


def assignment(payload: Repair) -> str:
    """Return what the agent has to do."""
    unwanted = list(wanted(payload, allowed=False))
    lines = [
        *_task(payload),
        *designed(payload),
        *_tickets(payload),
        *setting(payload),
        "These connections must work when you are done:",
        *wanted(payload, allowed=True),
        *(["These must not work when you are done:", *unwanted] if unwanted else []),
    ]
    return "\n".join(lines)


def _tickets(payload: Repair) -> Iterator[str]:
    """What can be handed over, and how it is named; nothing in tasks without tickets."""
    if payload.tickets:
        yield HAND_OVER
        for name in payload.tickets:
            fault = fault_of(name)
            yield f"- {name}, at a {fault.found_at}: {fault.about}"


def _task(payload: Repair) -> tuple[str, ...]:
    symptom = SYMPTOM_OF_CLUSTER if is_cluster(payload) else SYMPTOM
    if payload.diagnosis is None:
        return (f"{symptom}Find out why, and repair it.", ADVICE)
    return (f"{symptom}Repair it. Stop when everything works.", DIAGNOSED, payload.diagnosis)
