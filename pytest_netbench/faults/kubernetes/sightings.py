"""What an agent can observe of a machine that drops packets, by commands of the workstation. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_netbench.faults.change import Symptom
from pytest_netbench.faults.evidence.network import Observable
from pytest_netbench.faults.evidence.observation import Matches, Observation
from pytest_netbench.faults.kubernetes.builders import WORKSTATION
from pytest_netbench.kubernetes.applications.addresses import DNS_ADDRESS, DNS_NAMESPACE, DNS_NODE, DNS_PORT

_LABEL: Final = "k8s-app=kube-dns"
_RESOLVER: Final = f"$(kubectl get pods -n {DNS_NAMESPACE} -l {_LABEL} -o jsonpath='{{.items[0].status.podIP}}')"
_REACHED, _LOST = "^reached$", "^lost$"


def no_service_address(worker: str) -> Symptom:
    """A pod of a machine gets no answer from a service address, and one from the pod behind it."""
    return lambda network: (
        *_shown(network, _connecting(worker, DNS_ADDRESS), _LOST, f"Pods on {worker} do not reach a service address."),
        *_shown(
            network,
            _connecting(worker, _RESOLVER),
            _REACHED,
            f"They reach {DNS_NODE} by the address of its pod.",
            is_shared=True,
        ),
        *_shown(network, _readiness(f"node {worker}"), "^True", f"{worker} is ready.", is_shared=True),
    )


def no_resolver(worker: str) -> Symptom:
    """A pod of a machine gets no answer from the pods that resolve names, although these are ready."""
    ready = f"pods -n {DNS_NAMESPACE} -l {_LABEL}"
    return lambda network: (
        *_shown(
            network, _connecting(worker, _RESOLVER), _LOST, f"Pods on {worker} do not reach port 53 of {DNS_NODE}."
        ),
        *_shown(network, _readiness(ready, ".items[*]"), "^True", f"{DNS_NODE} is ready.", is_shared=True),
    )


def no_report(worker: str) -> Symptom:
    """The API does not hear of a machine any more, and nobody gets the logs of its pods."""
    return lambda network: (
        *_shown(network, _readiness(f"node {worker}"), "^Unknown", f"The API does not hear of {worker}."),
        *_shown(network, f"kubectl logs {_pod(worker)} --tail=1 2>&1", "timeout", f"Nobody reaches {worker} for logs."),
    )


def _pod(worker: str) -> str:
    """The arguments of ``kubectl`` that name a pod of the application on a machine."""
    items = '{range .items[*]}-n {.metadata.namespace} {.metadata.name}{"\\n"}{end}'
    listed = f"kubectl get pods -A --field-selector spec.nodeName={worker} -o jsonpath='{items}'"
    return f"$({listed} | grep -v -e '-n {DNS_NAMESPACE} ' | head -n 1)"


def _connecting(worker: str, address: str) -> str:
    """A command that says whether a pod on a machine reaches the port of names of an address."""
    script = f"import socket; socket.create_connection(('{address}', {DNS_PORT}), 1)"
    return f'kubectl exec {_pod(worker)} -- python3 -c "{script}" 2>/dev/null && echo reached || echo lost'


def _readiness(what: str, place: str = "") -> str:
    """A command that says whether something is ready."""
    path = f'{{{place}.status.conditions[?(@.type=="Ready")].status}}'
    return f"kubectl get {what} -o jsonpath='{path}'"


def _shown(
    network: Observable, command: str, pattern: str, because: str, *, is_shared: bool = False
) -> Iterator[Observation]:
    if WORKSTATION in network.platforms:
        yield Observation(
            method="execute-cmd",
            params={"device": WORKSTATION, "command": command},
            shows=Matches(pattern=pattern),
            because=because,
            is_shared=is_shared,
        )
