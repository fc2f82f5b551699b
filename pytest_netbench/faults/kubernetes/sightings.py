"""What an agent can observe of a machine that drops packets, by commands of the workstation. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.faults.change import Symptom
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.kubernetes.builders import WORKSTATION


def no_service_address(worker: str) -> Symptom:
    """No pod of a machine gets an answer from a service address, and one does from the pod behind it."""
    return lambda network: ()


def no_resolver(worker: str) -> Symptom:
    """No pod of a machine gets an answer from the pods that resolve names, which are ready."""
    return lambda network: ()


def no_report(worker: str) -> Symptom:
    """The API does not hear of a machine any more, and nobody gets the logs of its pods."""

    def seen(network: Observable) -> Iterator[Observation]:
        path = "{.status.conditions[?(@.type==\"Ready\")].status}"
        yield from _shown(network, f"kubectl get node {worker} -o jsonpath='{path}'", "^Unknown", f"Nobody hears of {worker}.")

    return seen


def _shown(network: Observable, command: str, pattern: str, because: str) -> Iterator[Observation]:
    if WORKSTATION in network.platforms:
        yield Observation(
            method="execute-cmd",
            params={"device": WORKSTATION, "command": command},
            shows=Matches(pattern=pattern),
            because=because,
        )
