"""Flows of a Kubernetes cluster in words, and what an agent is told of the cluster. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from pytest_netbench.kubernetes.applications.addresses import DNS_NODE, WORKSTATION
from pytest_netbench.model.faulty import Faulty, FlowGroup
from pytest_netbench.model.objects import POD, WORKER, deployments_of

PLATFORM: Final = "kubernetes"
SETTING: Final = (
    "The network is that of a Kubernetes cluster. On the device workstation, `kubectl` lists and changes its objects."
    f" Each other device is the pod of the Deployment of the same name; {DNS_NODE} resolves names. Connections to a"
    " pod are to the address that it has at the moment, those to a Service to its cluster address."
)
MACHINES: Final = " The devices {names} are no pods but the machines on which pods run; nobody logs in to them."
BY_NAMESPACE: Final = " Deployments by namespace:"


def is_cluster(payload: Faulty) -> bool:
    """Whether the network of a task is that of a Kubernetes cluster."""
    return PLATFORM in payload.platforms


def setting(payload: Faulty) -> Iterator[str]:
    """What the cluster of a task is, and where its workloads are; nothing of another network."""
    if is_cluster(payload):
        machines = [node.name for node in payload.topology.nodes if node.role == WORKER]
        yield SETTING + (MACHINES.format(names=", ".join(machines)) if machines else "") + BY_NAMESPACE
        for namespace, names in deployments_of(payload.startup_configs.get(WORKSTATION, "")).items():
            yield f"- {namespace}: {', '.join(names)}"


def wanted(payload: Faulty, *, allowed: bool) -> Iterator[str]:
    """A line for each group of flows that must work, or must not."""
    everyone = tuple(dict.fromkeys(name for group in payload.flows for name in group.sources))
    for group in payload.flows:
        if group.allowed is allowed:
            what = f"{group.protocol.upper()} port {group.port}"
            yield f"- {what} from {_sources(group, everyone)} to {_targets(group, everyone)}"


def _sources(group: FlowGroup, everyone: Sequence[str]) -> str:
    # nothing sends to itself, so of one target it need not be said
    itself = set(group.targets) if len(group.targets) == 1 else set()
    every = "every other pod" if set(group.targets) & set(everyone) else "every pod"
    return _few(group.sources, [name for name in everyone if name not in itself], every)


def _targets(group: FlowGroup, everyone: Sequence[str]) -> str:
    if set(group.targets.values()) == {POD}:
        return _few(tuple(group.targets), everyone, "every pod", "the pods of ")
    return ", ".join(f"{name} ({address})" for name, address in group.targets.items())


def _few(names: Collection[str], everyone: Sequence[str], every: str, several: str = "") -> str:
    """Names in few words: all, all but some, or a list."""
    missing = [name for name in everyone if name not in names]
    if not missing:
        return every
    if len(missing) < len(names):
        return f"{every} but {', '.join(missing)}"
    return f"{several if len(names) > 1 else several.replace('pods', 'pod')}{', '.join(names)}"
