"""The objects of a task as a cluster that exists can have them. Pure."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, Final

from pytest_netbench.backends.kubeconfig.leases import LAB, NOTES
from pytest_netbench.kubernetes.objects import Object, managed

PROGRAM: Final = "netbench-program"
"""The ConfigMap with the program of pods, in each namespace."""
FILE: Final = "pod.py"
_FOLDER: Final = "/opt/netbench"
COMMAND: Final = ["python3", "-I", "-S", "-u", f"{_FOLDER}/{FILE}"]
_HARDENED: Final = {
    "readOnlyRootFilesystem": True,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
}


def for_cluster(objects: Iterable[Object], *, image: str) -> list[Object]:
    """Objects without addresses of services, and with pods of an image whose program comes from a ConfigMap."""
    return [_translated(one, image) for one in objects]


def program(namespace: str, text: str) -> Object:
    """The ConfigMap with the program of pods."""
    metadata = {"name": PROGRAM, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {FILE: text}}


def as_managed(one: Object) -> Object:
    """An object as people manage it, without what marks it as that of a lab."""
    found = managed(one)
    metadata = found["metadata"]
    for field, unwanted in (("labels", (LAB,)), ("annotations", NOTES)):
        kept = {key: value for key, value in (metadata.pop(field, None) or {}).items() if key not in unwanted}
        if kept:
            metadata[field] = kept
    if found["kind"] == "Service":
        for name in ("clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy", "sessionAffinity"):
            found["spec"].pop(name, None)
    return found


def _translated(one: Object, image: str) -> Object:
    found = copy.deepcopy(one)
    if found["kind"] == "Service" and found["spec"].get("clusterIP") not in (None, "None"):
        del found["spec"]["clusterIP"]
    if found["kind"] == "Deployment":
        _give_program(found["spec"]["template"]["spec"], image)
    return found


def _give_program(pod: dict[str, Any], image: str) -> None:
    for container in pod["containers"]:
        container["image"] = image
        container["command"] = [*COMMAND]
        container["volumeMounts"] = [{"name": PROGRAM, "mountPath": _FOLDER, "readOnly": True}]
        container["securityContext"] = dict(_HARDENED)
        probe = container.get("readinessProbe") or {}
        if "grpc" in probe:  # the program answers all calls, but not as the health service does
            probe["tcpSocket"] = {"port": probe.pop("grpc")["port"]}
    pod["volumes"] = [{"name": PROGRAM, "configMap": {"name": PROGRAM}}]
    pod["terminationGracePeriodSeconds"] = 0
    pod["enableServiceLinks"] = False
