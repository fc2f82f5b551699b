"""What a machine tells the API of itself. Pure."""

from __future__ import annotations

from typing import Final

from pytest_netbench.backends.kube.machine import containers
from pytest_netbench.backends.kube.plan import Machine
from pytest_netbench.lab.kubernetes.client import Object

LEASES: Final = "kube-node-lease"
"""The namespace of leases."""
LEASE_S: Final = 4
_CAPACITY: Final = {"cpu": "4", "memory": "8Gi", "pods": "110", "ephemeral-storage": "20Gi"}


def node(machine: Machine, version: str) -> Object:
    """The machine's object, with the status of one that is ready. ``version`` is that of its programs."""
    name = machine.name
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {"podCIDR": machine.pods, "podCIDRs": [machine.pods]},
        "status": status(machine, version),
    }


def lease(name: str) -> Object:
    """The lease that a machine renews."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": name, "namespace": LEASES},
        "spec": {"holderIdentity": name, "leaseDurationSeconds": LEASE_S, "renewTime": moment()},
    }


def moment() -> str:
    """The time as leases have it."""
    return containers.now().replace("Z", ".000000Z")


def status(machine: Machine, version: str) -> Object:
    """The status of a machine that is ready. ``version`` is that of its programs."""
    now = containers.now()
    reasons = {
        "Ready": ("True", "KubeletReady"),
        "MemoryPressure": ("False", "KubeletHasSufficientMemory"),
        "DiskPressure": ("False", "KubeletHasNoDiskPressure"),
        "PIDPressure": ("False", "KubeletHasSufficientPID"),
    }
    return {
        "capacity": _CAPACITY,
        "allocatable": _CAPACITY,
        "addresses": [
            {"type": "InternalIP", "address": machine.address},
            {"type": "Hostname", "address": machine.name},
        ],
        "nodeInfo": {
            **dict.fromkeys(("machineID", "systemUUID", "bootID"), machine.name),
            "kernelVersion": "6.1.0",
            "osImage": "Debian GNU/Linux",
            "containerRuntimeVersion": "containerd://2.1.0",
            "kubeletVersion": version,
            "kubeProxyVersion": "",
            "operatingSystem": "linux",
            "architecture": "amd64",
        },
        "conditions": [
            {"type": kind, "status": word, "reason": reason, "lastHeartbeatTime": now, "lastTransitionTime": now}
            for kind, (word, reason) in reasons.items()
        ],
    }
